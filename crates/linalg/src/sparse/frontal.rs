//! The multifrontal factorisation (Duff and Reid 1983).
//!
//! Each supernode gathers its columns of the matrix and what its children hand up, eliminates its columns,
//! and hands up the rest: all arithmetic is that of dense blocks. What children hand up is added in their
//! order, whoever computed it, so the factor has the same bits for any number of threads.

use std::collections::BTreeMap;

use faer::MatMut;
use rayon::prelude::*;

use super::matrix::SparseSymmetric;
use super::supernodes::Supernodes;
use crate::dense::cholesky::{factor_columns, subtract_outer};
use crate::error::{Error, Result, Stop};

/// Fewer numbers than this are not worth another thread.
const ADD_NUMBERS: usize = 1 << 16;

/// What supernodes hand to their parents: a square, lower half, over their rows below.
type Updates = BTreeMap<u32, Vec<f64>>;

/// The lower half of the matrix in elimination order, column by column; rows in any order.
struct Lower {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Lower {
    fn new(a: &SparseSymmetric, place: Option<&[u32]>) -> Lower {
        let n = a.n();
        let target = |i: u32, j: usize| {
            let (p, q) = place.map_or((i, j as u32), |place| (place[i as usize], place[j]));
            (p.max(q), p.min(q) as usize)
        };
        let mut starts = vec![0; n + 1];
        for j in 0..n {
            for &i in a.column(j).0 {
                starts[target(i, j).1 + 1] += 1;
            }
        }
        for j in 0..n {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let (mut rows, mut values) = (vec![0; a.stored()], vec![0.0; a.stored()]);
        for j in 0..n {
            let (column, numbers) = a.column(j);
            for (&i, &v) in column.iter().zip(numbers) {
                let (row, column) = target(i, j);
                (rows[next[column]], values[next[column]]) = (row, v);
                next[column] += 1;
            }
        }
        Lower { starts, rows, values }
    }
}

/// The numbers of the factor. `place[i]` is when row `i` is eliminated.
///
/// A pivot that is not positive is named by its place in the elimination.
pub(super) fn factor(
    nodes: &Supernodes,
    a: &SparseSymmetric,
    place: Option<&[u32]>,
    stop: Stop<'_>,
) -> Result<Vec<f64>> {
    let needed = 8 * nodes.fill() as u64;
    Vec::<f64>::new()
        .try_reserve_exact(nodes.fill())
        .map_err(|_| Error::TooLarge { what: "sparse Cholesky factor", needed })?;
    // Zeros from the system, so that the thread that fills a page is the first to touch it.
    let mut values = vec![0.0; nodes.fill()];
    let lower = Lower::new(a, place);
    let mut blocks = nodes.blocks(&mut values);
    let tasks: Vec<(&[u32], Vec<&mut [f64]>)> = nodes
        .subtrees
        .iter()
        .map(|list| (list.as_slice(), list.iter().filter_map(|&s| blocks[s as usize].take()).collect()))
        .collect();
    let finished: Vec<Result<Updates>> = tasks
        .into_par_iter()
        .with_max_len(1)
        .map_init(
            || vec![0_u32; a.n()],
            |local, (list, blocks)| {
                let mut updates = Updates::new();
                for (&s, block) in list.iter().zip(blocks) {
                    eliminate(nodes, &lower, s, block, &mut updates, local, stop)?;
                }
                Ok(updates)
            },
        )
        .collect();
    let mut updates = Updates::new();
    for part in finished {
        updates.extend(part?);
    }
    let mut local = vec![0_u32; a.n()];
    for &s in &nodes.top {
        if let Some(block) = blocks[s as usize].take() {
            eliminate(nodes, &lower, s, block, &mut updates, &mut local, stop)?;
        }
    }
    Ok(values)
}

/// Eliminates one supernode; `local` is scratch that tells where a row stands in the front.
fn eliminate(
    nodes: &Supernodes,
    lower: &Lower,
    supernode: u32,
    block: &mut [f64],
    updates: &mut Updates,
    local: &mut [u32],
    stop: Stop<'_>,
) -> Result<()> {
    let s = supernode as usize;
    let (begin, width, below) = (nodes.begin(s), nodes.width(s), nodes.below(s));
    let height = width + below.len();
    let own = (begin as u32..).take(width);
    own.chain(below.iter().copied()).zip(0..).for_each(|(row, at)| local[row as usize] = at);
    for (j, column) in block.chunks_exact_mut(height).enumerate() {
        let range = lower.starts[begin + j]..lower.starts[begin + j + 1];
        for (&row, &v) in lower.rows[range.clone()].iter().zip(&lower.values[range]) {
            column[local[row as usize] as usize] += v;
        }
    }
    let mut update = vec![0.0; below.len() * below.len()];
    let handed: Vec<Handed> = nodes
        .children(s)
        .iter()
        .filter_map(|child| {
            Some(Handed::new(updates.remove(child)?, nodes.below(*child as usize), local, height))
        })
        .collect();
    add_columns(&handed, block, height, 0);
    add_columns(&handed, &mut update, below.len(), width);
    let mut panel = MatMut::from_column_major_slice_mut(block, height, width);
    factor_columns(panel.as_mut(), stop).map_err(|error| match error {
        Error::NotPositiveDefinite { pivot } => Error::NotPositiveDefinite { pivot: begin + pivot },
        other => other,
    })?;
    if !below.is_empty() {
        let side = below.len();
        let rest = MatMut::from_column_major_slice_mut(&mut update, side, side);
        subtract_outer(panel.as_ref().subrows(width, side), rest);
        updates.insert(supernode, update);
    }
    Ok(())
}

/// What a child hands up, and where it goes.
struct Handed {
    numbers: Vec<f64>,
    /// Where each of its rows stands in the front; ascending, so its lower half stays a lower half.
    places: Vec<u32>,
    /// For every column of the front, which of its columns goes there, plus one; 0 for none.
    sources: Vec<u32>,
}

impl Handed {
    fn new(numbers: Vec<f64>, rows: &[u32], local: &[u32], height: usize) -> Handed {
        let places: Vec<u32> = rows.iter().map(|&row| local[row as usize]).collect();
        let mut sources = vec![0; height];
        places.iter().zip(1..).for_each(|(&place, number)| sources[place as usize] = number);
        Handed { numbers, places, sources }
    }
}

/// Adds to the columns of a front from number `first` on, which hold its rows from the `first`.
fn add_columns(handed: &[Handed], columns: &mut [f64], height: usize, first: usize) {
    if handed.is_empty() || height == 0 {
        return;
    }
    let columns = columns.par_chunks_exact_mut(height).enumerate();
    columns.with_min_len(ADD_NUMBERS.div_ceil(height)).for_each(|(j, column)| {
        for child in handed {
            let Some(from) = (child.sources[first + j] as usize).checked_sub(1) else { continue };
            let side = child.places.len();
            let numbers = &child.numbers[from * side + from..(from + 1) * side];
            for (&place, v) in child.places[from..].iter().zip(numbers) {
                column[place as usize - first] += v;
            }
        }
    });
}
