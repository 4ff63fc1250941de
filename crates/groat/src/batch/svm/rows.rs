//! Kernel values for the solver: in single precision while they do, then a bounded cache of exact rows, or the nonzeros of
//! sparse ones.

use super::rough_rows::RoughRows;
use crate::error::Result;
use crate::gram::{self, Gram, Memory, Need, RowCache, SparseGram, loops};
use crate::kernels::{Evaluator, Kernel, Rough};
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
/// Rows on which single precision is compared with double.
const SAMPLE: usize = 512;

/// Where kernel values come from.
pub(super) struct KernelRows<'a> {
    kernel: Kernel,
    x: Points<'a>,
    limit: u64,
    rough: Option<RoughRows>,
    /// Made when it is needed first.
    exact: Option<Exact<'a>>,
    /// Rows that were evaluated roughly, before that was given up.
    before: usize,
}

enum Exact<'a> {
    Double(RowCache<'a, f64>),
    /// Exact values kept to seven digits, as LIBSVM keeps them too; sums are in double precision.
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
        let limit = match memory == Memory::default() {
            true => CACHE.max(4 * CACHED_ROWS * n as u64).min(memory.limit()),
            false => memory.limit(),
        };
        let mut rows = Self { kernel: kernel.clone(), x, limit, rough: None, exact: None, before: 0 };
        if let (Some(points), Some(_)) = (x.dense(), kernel.support())
            && n > SPARSE_ROWS
            && SparseGram::expect(kernel, points, 0)?.nonzeros <= SPARSE_SHARE * (n as f64).powi(2)
        {
            rows.exact = Some(Exact::Sparse(SparseRows::new(kernel, points, memory.limit())?));
        } else if !rows.is_small() {
            rows.rough = Rough::new(kernel, x).map(|rough| RoughRows::new(rough, limit));
        }
        Ok(rows)
    }

    fn is_small(&self) -> bool {
        8 * (self.x.rows() as u64).saturating_mul(self.x.rows() as u64) <= SMALL
    }

    /// The exact rows.
    fn exact(&mut self) -> Result<&mut Exact<'a>> {
        let exact = match self.exact.take() {
            Some(exact) => exact,
            None => {
                let gram = Gram::new(&self.kernel, self.x, Need::Rows, Memory::from(self.limit))?;
                // What single precision was not enough for is not rounded to it again.
                match self.is_small() || self.kernel.is_radial() {
                    true => Exact::Double(RowCache::new(gram, self.limit)),
                    false => Exact::Single(RowCache::new(gram, self.limit)),
                }
            }
        };
        Ok(self.exact.insert(exact))
    }

    /// Whether values are those of single precision at present.
    pub(super) fn is_rough(&self) -> bool {
        self.rough.is_some()
    }

    /// From here on values are exact.
    pub(super) fn leave_rough(&mut self) {
        self.before += self.rough.take().map_or(0, |rough| rough.evaluated());
    }

    /// Rows that have been evaluated so far.
    pub(super) fn evaluated(&self) -> usize {
        let exact = match &self.exact {
            Some(Exact::Double(rows)) => rows.evaluated(),
            Some(Exact::Single(rows)) => rows.evaluated(),
            Some(Exact::Sparse(rows)) => rows.evaluated,
            None => 0,
        };
        self.before + exact + self.rough.as_ref().map_or(0, RoughRows::evaluated)
    }

    /// Looks at no other columns from now on, where that saves work: `wanted` says of every row whether it is one, `beta`
    /// what `f = K beta` stands at.
    pub(super) fn focus(&mut self, wanted: &[bool], beta: Vec<f64>) {
        if let Some(rough) = &mut self.rough {
            rough.focus(wanted, beta);
        }
    }

    /// Columns that are looked at.
    pub(super) fn width(&self) -> usize {
        self.rough.as_ref().map_or(self.x.rows(), RoughRows::width)
    }

    /// Looks at all columns again, `f = K beta` being brought up to date where they were left out.
    pub(super) fn widen(&mut self, beta: &[f64], f: &mut [f64]) {
        if let Some(rough) = &mut self.rough {
            rough.widen(beta, f);
        }
    }

    /// The square block of these rows, row by row into `out`.
    pub(super) fn block(&mut self, rows: &[usize], out: &mut [f64]) -> Result<()> {
        if let Some(rough) = &mut self.rough {
            rough.block(rows, out);
            return Ok(());
        }
        let chosen = self.x.select(rows);
        let kernel = self.kernel.clone();
        match self.exact()? {
            Exact::Double(cache) if cache.room() >= cache.gram().rows() => {
                cache.hold(rows);
                gather(cache, rows, out);
            }
            Exact::Double(_) => out.copy_from_slice(gram::matrix(&kernel, &chosen)?.data()),
            Exact::Single(_) => {
                // As the rows are kept.
                let exact = gram::matrix(&kernel, &chosen)?;
                out.iter_mut().zip(exact.data()).for_each(|(out, v)| *out = f64::from(*v as f32));
            }
            Exact::Sparse(sparse) => {
                sparse.hold(rows);
                sparse.block(rows, out);
            }
        }
        Ok(())
    }

    /// `f += sum_k factors[k] row(rows[k])`, on the columns that are looked at.
    pub(super) fn add(&mut self, rows: &[usize], factors: &[f64], f: &mut [f64]) -> Result<()> {
        if let Some(rough) = &mut self.rough {
            rough.add(rows, factors, f);
            return Ok(());
        }
        match self.exact()? {
            Exact::Double(cache) => add(cache, rows, factors, f),
            Exact::Single(cache) => add(cache, rows, factors, f),
            Exact::Sparse(sparse) => {
                sparse.hold(rows);
                sparse.add(rows, factors, f);
            }
        }
        Ok(())
    }

    /// `f = K beta` with exact values, without holding the rows that it takes.
    pub(super) fn multiply(&mut self, beta: &[f64], f: &mut [f64]) -> Result<()> {
        let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
        f.fill(0.0);
        if let Some(Exact::Sparse(sparse)) = &mut self.exact {
            for rows in used.chunks(CHUNK) {
                sparse.hold(rows);
                sparse.add(rows, &rows.iter().map(|&i| beta[i]).collect::<Vec<_>>(), f);
            }
        } else {
            f.copy_from_slice(&self.sums(self.x, &used, beta)?);
        }
        Ok(())
    }

    /// By how much `f` is off on some of the rows.
    pub(super) fn off(&self, beta: &[f64], f: &[f64]) -> Result<f64> {
        let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
        let step = f.len().div_ceil(SAMPLE).max(1);
        let some: Vec<usize> = (0..f.len()).step_by(step).collect();
        let exact = self.sums(self.x.select(&some).view(), &used, beta)?;
        Ok(some.iter().zip(exact).map(|(&i, exact)| (f[i] - exact).abs()).fold(0.0, f64::max))
    }

    fn sums(&self, at: Points<'_>, used: &[usize], beta: &[f64]) -> Result<Vec<f64>> {
        if used.is_empty() {
            return Ok(vec![0.0; at.rows()]);
        }
        let weights = Matrix::column(used.iter().map(|&i| beta[i]).collect());
        let vectors = self.x.select(used);
        Ok(gram::weighted_sum(&self.kernel, at, vectors.view(), weights.view())?.into_data())
    }
}

fn gather(cache: &RowCache<'_, f64>, rows: &[usize], out: &mut [f64]) {
    for (&i, out) in rows.iter().zip(out.chunks_exact_mut(rows.len())) {
        if let Some(row) = cache.get(i) {
            out.iter_mut().zip(rows).for_each(|(out, &j)| *out = row[j]);
        }
    }
}

/// As many rows at a time as there is room for.
fn add<T: crate::matrix::Real>(cache: &mut RowCache<'_, T>, rows: &[usize], factors: &[f64], f: &mut [f64]) {
    let room = cache.room();
    for (rows, factors) in rows.chunks(room).zip(factors.chunks(room)) {
        cache.hold(rows);
        let rows: Vec<&[T]> = rows.iter().filter_map(|&i| cache.get(i)).collect();
        f.par_chunks_mut(CHUNK).enumerate().for_each(|(c, f)| {
            let start = c * CHUNK;
            let parts: Vec<&[T]> = rows.iter().map(|row| &row[start..start + f.len()]).collect();
            loops::add_rows(&parts, factors, f);
        });
    }
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
