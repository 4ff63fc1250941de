//! Forward selection on normal equations.
//!
//! Candidate `j` lowers the penalised sum of squares by `c_j^2 / d_j`, where `d` is the diagonal of what the chosen terms
//! leave of `A` (a Schur complement) and `c` what they leave of `b`. The one that lowers it most joins; its row of the
//! triangular factor brings `c` and `d` up to date. So the path is a Cholesky factorisation of `A` whose pivots are
//! chosen by the target (002 (7)-(15) in terms of inner products), `O(M m)` per term.
//!
//! Once there are many terms they join in groups: the best of a short list, chosen one by one on the exact Schur
//! complement of that list. The update of all candidates is then a matrix product.

use super::sums::Normal;
use crate::simd;
use groat_linalg::{View, ViewMut, Write, product};

/// What is left of a candidate's energy must be above this share of it: below, it is rounding.
const DEPENDENT: f64 = 1e-11;
/// Terms that join one by one before groups do.
const SINGLE: usize = 64;
/// A group is at most this share of the terms there are, and this large.
const SHARE: usize = 16;
const GROUP: usize = 48;
/// A list is so many times as long as the group.
const LIST: usize = 5;

/// Terms in the order in which they joined.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Candidates.
    pub terms: Vec<usize>,
}

/// Chooses at most `most` terms; fewer where the rest depends on them, or when `stop` says so.
pub(super) fn path(normal: &Normal, most: usize, stop: &(dyn Fn() -> bool + Sync)) -> Path {
    let mut state = State::new(normal);
    while state.terms.len() < most && !stop() {
        let group = (state.terms.len() / SHARE).clamp(1, GROUP).min(most - state.terms.len());
        let group = if state.terms.len() < SINGLE { 1 } else { group };
        let list = state.list(if group == 1 { 1 } else { LIST * group });
        if list.is_empty() {
            break;
        }
        let chosen = if group == 1 { list } else { state.best_of(&list, group) };
        state.join(&chosen);
    }
    Path { terms: state.terms }
}

struct State<'a> {
    normal: &'a Normal,
    /// Rows of the factor, one per term, `M` numbers each.
    rows: Vec<f64>,
    /// Diagonal at the start, and what is left of it.
    start: Vec<f64>,
    left: Vec<f64>,
    /// What is left of `b`, one column per output.
    right: Vec<f64>,
    free: Vec<bool>,
    terms: Vec<usize>,
}

impl<'a> State<'a> {
    fn new(normal: &'a Normal) -> Self {
        let m = normal.size;
        let start: Vec<f64> = (0..m).map(|j| normal.matrix[j * (m + 1)]).collect();
        Self {
            normal,
            rows: Vec::new(),
            left: start.clone(),
            free: start.iter().map(|d| *d > DEPENDENT * normal.scale && d.is_finite()).collect(),
            start,
            right: normal.right.clone(),
            terms: Vec::new(),
        }
    }

    fn outputs(&self) -> usize {
        self.normal.level.len()
    }

    /// The candidates that lower the sum of squares most, the best first.
    fn list(&self, length: usize) -> Vec<usize> {
        let m = self.normal.size;
        let gain = |j: usize| {
            let squares: f64 = (0..self.outputs()).map(|c| self.right[c * m + j].powi(2)).sum();
            squares / self.left[j]
        };
        let mut gains: Vec<(f64, usize)> =
            (0..m).filter(|&j| self.free[j]).map(|j| (gain(j), j)).filter(|(g, _)| g.is_finite()).collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if gains.len() > length {
            gains.select_nth_unstable_by(length, order);
            gains.truncate(length);
        }
        gains.sort_unstable_by(order);
        gains.into_iter().map(|(_, j)| j).collect()
    }

    /// Columns of the factor for some candidates, one after the other: `t` numbers each.
    fn columns(&self, of: &[usize]) -> Vec<f64> {
        let (m, t) = (self.normal.size, self.terms.len());
        of.iter().flat_map(|&j| (0..t).map(move |i| self.rows[i * m + j])).collect()
    }

    /// Of a list the group that a choice one by one takes.
    fn best_of(&self, list: &[usize], group: usize) -> Vec<usize> {
        let (m, s, t) = (self.normal.size, list.len(), self.terms.len());
        let columns = self.columns(list);
        let mut schur: Vec<f64> =
            list.iter().flat_map(|&i| list.iter().map(move |&j| self.normal.matrix[i * m + j])).collect();
        subtract(&columns, s, t, &columns, s, &mut schur);
        let right = (0..self.outputs()).flat_map(|c| list.iter().map(move |&j| self.right[c * m + j]));
        let normal = Normal {
            size: s,
            matrix: schur,
            right: right.collect(),
            mean: Vec::new(),
            level: self.normal.level.clone(),
            scale: 0.0,
            weight: self.normal.weight,
        };
        let mut few = State::new(&normal);
        few.start = list.iter().map(|&j| self.start[j]).collect();
        while few.terms.len() < group {
            let Some(&next) = few.list(1).first() else { break };
            few.join(&[next]);
        }
        few.terms.into_iter().map(|k| list[k]).collect()
    }

    /// Adds terms, and takes out of the other candidates what they hold of them.
    fn join(&mut self, chosen: &[usize]) {
        let (m, t) = (self.normal.size, self.terms.len());
        let mut fresh: Vec<f64> =
            chosen.iter().flat_map(|&j| self.normal.matrix[j * m..(j + 1) * m].iter().copied()).collect();
        if t > 0 {
            let columns = self.columns(chosen);
            let rows = View::row_major(&self.rows, t, m);
            let (Ok(columns), Ok(rows), Ok(to)) = (
                View::row_major(&columns, chosen.len(), t),
                rows,
                ViewMut::row_major(&mut fresh, chosen.len(), m),
            ) else {
                return;
            };
            if product(-1.0, columns, rows, Write::Add, to).is_err() {
                return;
            }
        }
        for (k, &j) in chosen.iter().enumerate() {
            let (before, own) = fresh.split_at_mut(k * m);
            let own = &mut own[..m];
            for row in before.chunks_exact(m).filter(|row| row[j] != 0.0) {
                simd::axpy(-row[j], row, own);
            }
            let pivot = own[j];
            // A group may hold candidates that depend on each other.
            if pivot <= DEPENDENT * self.start[j] || !pivot.is_finite() {
                self.free[j] = false;
                own.fill(0.0);
                continue;
            }
            let root = pivot.sqrt();
            own.iter_mut().for_each(|v| *v /= root);
            let weights: Vec<f64> = (0..self.outputs()).map(|c| self.right[c * m + j] / root).collect();
            for (c, weight) in weights.iter().enumerate() {
                simd::axpy(-weight, own, &mut self.right[c * m..(c + 1) * m]);
            }
            for i in 0..m {
                self.left[i] -= own[i] * own[i];
                self.free[i] &= self.left[i] > DEPENDENT * self.start[i];
            }
            self.free[j] = false;
            self.rows.extend_from_slice(own);
            self.terms.push(j);
        }
    }
}

/// `out -= a' b` for columns of `t` numbers; `out` has a row for each column of `a`.
fn subtract(a: &[f64], rows: usize, t: usize, b: &[f64], columns: usize, out: &mut [f64]) {
    let sizes =
        (View::row_major(a, rows, t), View::row_major(b, columns, t), ViewMut::row_major(out, rows, columns));
    if let (Ok(a), Ok(b), Ok(out)) = sizes {
        // The sizes agree by construction.
        let _ = product(-1.0, a, b.t(), Write::Add, out);
    }
}
