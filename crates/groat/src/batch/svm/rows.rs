//! Rows of the kernel matrix for the solver: a bounded cache of dense rows, or the nonzeros of sparse ones.

use crate::error::Result;
use crate::gram::{self, Gram, Memory, Need, RowCache, SparseGram, loops};
use crate::kernels::{Evaluator, Kernel};
use crate::matrix::{Matrix, Points, Rows};
use crate::neighbours::Neighbours;
use rayon::prelude::*;
use std::collections::HashMap;

/// Matrices up to this many bytes stand in double precision.
const SMALL: u64 = 16 << 20;
/// Bytes that the cache takes where nothing is said, and the rows it then has room for at least. A row that was pushed
/// out costs no more to evaluate again than memory costs that is touched for the first time.
const CACHE: u64 = 512 << 20;
const CACHED_ROWS: u64 = 512;
/// Share of nonzeros up to which sparse rows pay, and the rows from which on they are looked for.
const SPARSE_SHARE: f64 = 0.3;
const SPARSE_ROWS: usize = 500;
/// Columns that one task of a product handles; fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 2048;

/// Where the rows come from.
pub(super) enum KernelRows<'a> {
    Double(RowCache<'a, f64>),
    /// Seven digits, as LIBSVM keeps them too; sums are in double precision.
    Single(RowCache<'a, f32>),
    Sparse(SparseRows),
}

/// Rows of a kernel with compact support: what lies within reach, found by a neighbour search.
pub(super) struct SparseRows {
    evaluator: Evaluator<f64>,
    index: Neighbours,
    scaled: Matrix,
    held: HashMap<usize, (Vec<u32>, Vec<f64>)>,
    /// Bytes that are held, and that may be.
    bytes: u64,
    limit: u64,
    evaluated: usize,
}

impl<'a> KernelRows<'a> {
    /// Rows of the matrix of `x`, in at most this much memory.
    pub(super) fn new(kernel: &Kernel, x: Points<'a>, memory: Memory) -> Result<Self> {
        let n = x.rows();
        if let (Some(rows), Some(_)) = (x.dense(), kernel.support())
            && n > SPARSE_ROWS
            && SparseGram::expect(kernel, rows, 0)?.nonzeros <= SPARSE_SHARE * (n as f64).powi(2)
        {
            return SparseRows::new(kernel, rows, memory.limit()).map(KernelRows::Sparse);
        }
        let gram = Gram::new(kernel, x, Need::Rows, memory)?;
        let double = 8 * (n as u64).saturating_mul(n as u64) <= SMALL;
        let limit = match memory == Memory::default() {
            true => CACHE.max(4 * CACHED_ROWS * n as u64).min(memory.limit()),
            false => memory.limit(),
        };
        Ok(match double {
            true => KernelRows::Double(RowCache::new(gram, limit)),
            false => KernelRows::Single(RowCache::new(gram, limit)),
        })
    }

    /// Rows that can be there at once.
    pub(super) fn room(&self) -> usize {
        match self {
            KernelRows::Double(rows) => rows.room(),
            KernelRows::Single(rows) => rows.room(),
            KernelRows::Sparse(_) => usize::MAX,
        }
    }

    /// Rows that have been evaluated so far.
    pub(super) fn evaluated(&self) -> usize {
        match self {
            KernelRows::Double(rows) => rows.evaluated(),
            KernelRows::Single(rows) => rows.evaluated(),
            KernelRows::Sparse(rows) => rows.evaluated,
        }
    }

    /// Sees to it that these rows are there.
    pub(super) fn hold(&mut self, rows: &[usize]) {
        match self {
            KernelRows::Double(cache) => cache.hold(rows),
            KernelRows::Single(cache) => cache.hold(rows),
            KernelRows::Sparse(sparse) => sparse.hold(rows),
        }
    }

    /// The square block of rows that are there, row by row into `out`.
    pub(super) fn block(&self, rows: &[usize], out: &mut [f64]) {
        match self {
            KernelRows::Double(cache) => gather(|i| cache.get(i), rows, out),
            KernelRows::Single(cache) => gather(|i| cache.get(i), rows, out),
            KernelRows::Sparse(sparse) => sparse.block(rows, out),
        }
    }

    /// `f += sum_k factors[k] row(rows[k])` over rows that are there.
    pub(super) fn add(&self, rows: &[usize], factors: &[f64], f: &mut [f64]) {
        match self {
            KernelRows::Double(cache) => add(&rows_of(|i| cache.get(i), rows), factors, f),
            KernelRows::Single(cache) => add(&rows_of(|i| cache.get(i), rows), factors, f),
            KernelRows::Sparse(sparse) => sparse.add(rows, factors, f),
        }
    }

    /// `f = K beta`, without holding the rows that it takes.
    pub(super) fn multiply(
        &mut self,
        kernel: &Kernel,
        x: Points<'_>,
        beta: &[f64],
        f: &mut [f64],
    ) -> Result<()> {
        let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
        f.fill(0.0);
        if let KernelRows::Sparse(sparse) = self {
            for rows in used.chunks(CHUNK) {
                sparse.hold(rows);
                sparse.add(rows, &rows.iter().map(|&i| beta[i]).collect::<Vec<_>>(), f);
            }
        } else if !used.is_empty() {
            let weights = Matrix::column(used.iter().map(|&i| beta[i]).collect());
            let sums = gram::weighted_sum(kernel, x, x.select(&used).view(), weights.view())?;
            f.copy_from_slice(sums.data());
        }
        Ok(())
    }
}

/// Rows that are there, in order; the caller has had them held.
fn rows_of<'r, T>(get: impl Fn(usize) -> Option<&'r [T]>, rows: &[usize]) -> Vec<&'r [T]> {
    rows.iter().filter_map(|&i| get(i)).collect()
}

fn gather<'r, T: crate::matrix::Real>(
    get: impl Fn(usize) -> Option<&'r [T]>,
    rows: &[usize],
    out: &mut [f64],
) {
    for (&i, out) in rows.iter().zip(out.chunks_exact_mut(rows.len())) {
        if let Some(row) = get(i) {
            out.iter_mut().zip(rows).for_each(|(out, &j)| *out = row[j].to_f64());
        }
    }
}

fn add<T: crate::matrix::Real>(rows: &[&[T]], factors: &[f64], f: &mut [f64]) {
    f.par_chunks_mut(CHUNK).enumerate().for_each(|(c, f)| {
        let start = c * CHUNK;
        let parts: Vec<&[T]> = rows.iter().map(|row| &row[start..start + f.len()]).collect();
        loops::add_rows(&parts, factors, f);
    });
}

impl SparseRows {
    fn new(kernel: &Kernel, x: Rows<'_>, limit: u64) -> Result<Self> {
        let support = kernel.support().unwrap_or(f64::INFINITY);
        let scaled = Matrix::from_vec(kernel.distance_coordinates(x).into_owned(), x.rows(), x.cols())?;
        let index = Neighbours::new(scaled.view(), support)?;
        let (evaluator, held) = (kernel.evaluator(), HashMap::new());
        Ok(Self { evaluator, index, scaled, held, bytes: 0, limit, evaluated: 0 })
    }

    fn hold(&mut self, rows: &[usize]) {
        if self.bytes > self.limit {
            // Those that are wanted now stay.
            let wanted: std::collections::HashSet<usize> = rows.iter().copied().collect();
            self.held.retain(|i, _| wanted.contains(i));
            self.bytes = self.held.values().map(|(columns, _)| 12 * columns.len() as u64).sum();
        }
        let missing: Vec<usize> = rows.iter().copied().filter(|i| !self.held.contains_key(i)).collect();
        let found: Vec<(Vec<u32>, Vec<f64>)> = missing.par_iter().map(|&i| self.row(i)).collect();
        self.evaluated += missing.len();
        for (i, row) in missing.into_iter().zip(found) {
            self.bytes += 12 * row.0.len() as u64;
            self.held.insert(i, row);
        }
    }

    /// Columns in ascending order, and their values.
    fn row(&self, i: usize) -> (Vec<u32>, Vec<f64>) {
        let mut hits: Vec<(u32, f64)> = Vec::new();
        self.index.visit(self.scaled.row(i), |j, squared| hits.push((j, squared)));
        hits.sort_unstable_by_key(|hit| hit.0);
        let (columns, mut values): (Vec<u32>, Vec<f64>) = hits.into_iter().unzip();
        self.evaluator.radial(&mut values);
        (columns, values)
    }

    fn block(&self, rows: &[usize], out: &mut [f64]) {
        // One row may stand there for several variables.
        let mut order: Vec<(u32, usize)> = rows.iter().enumerate().map(|(at, &i)| (i as u32, at)).collect();
        order.sort_unstable();
        out.fill(0.0);
        for (i, out) in rows.iter().zip(out.chunks_exact_mut(rows.len())) {
            let Some((columns, values)) = self.held.get(i) else { continue };
            let mut next = 0;
            for (column, value) in columns.iter().zip(values) {
                while next < order.len() && order[next].0 < *column {
                    next += 1;
                }
                let mut same = next;
                while same < order.len() && order[same].0 == *column {
                    out[order[same].1] = *value;
                    same += 1;
                }
            }
        }
    }

    fn add(&self, rows: &[usize], factors: &[f64], f: &mut [f64]) {
        for (i, factor) in rows.iter().zip(factors) {
            if let Some((columns, values)) = self.held.get(i) {
                columns.iter().zip(values).for_each(|(j, v)| f[*j as usize] += factor * v);
            }
        }
    }
}
