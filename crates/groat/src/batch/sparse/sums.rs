//! What a least-squares fit needs to know of the rows: sums that can be added and taken away.
//!
//! With `k_i` the kernels between row `i` and `M` candidates, less a fixed shift near their mean (which keeps digits
//! where a wide kernel is almost 1 everywhere), the sums are `sum w k k'`, `sum w k y'`, `sum w k`, `sum w y` and
//! `sum w`. Of them follow the normal equations of every subset of the candidates, for every ridge, with a constant that
//! is not penalised, and by taking sums away those without any fold. Cost `n M^2` at the speed of a matrix product.

use super::samples::Samples;
use crate::error::Result;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Points, Rows};
use crate::simd;
use groat_linalg::{View, ViewMut, Write, add_self_product, product};
use rayon::prelude::*;

/// Kernel values that are held at a time.
const HELD: usize = 1 << 22;
/// Shares of the rows that are added up side by side, and the fewest rows of one.
const SHARES: usize = 2;
const LEAST_SHARE: usize = 1024;

/// Sums over some rows.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// Candidates.
    pub size: usize,
    /// `sum w k k'`, column-major, the lower triangle.
    pub gram: Vec<f64>,
    /// `sum w k y_c'`, one column per output.
    pub products: Vec<f64>,
    /// `sum w k`.
    pub kernels: Vec<f64>,
    /// `sum w y_c`.
    pub targets: Vec<f64>,
    /// `sum w`.
    pub weight: f64,
}

impl Sums {
    pub(super) fn zero(size: usize, outputs: usize) -> Self {
        Self {
            size,
            gram: vec![0.0; size * size],
            products: vec![0.0; size * outputs],
            kernels: vec![0.0; size],
            targets: vec![0.0; outputs],
            weight: 0.0,
        }
    }

    /// Over some rows of the samples.
    pub(super) fn of(
        samples: &Samples<'_>,
        rows: &[usize],
        kernel: &Kernel,
        candidates: Points<'_>,
        shift: &[f64],
    ) -> Result<Self> {
        // Shares whose number does not depend on the threads, so that neither do the bits.
        let shares = rows.chunks(rows.len().div_ceil(SHARES).max(LEAST_SHARE)).collect::<Vec<_>>();
        let sums = shares.into_par_iter().map(|rows| {
            let mut sums = Self::zero(candidates.rows(), samples.outputs());
            let (x, y) = (samples.points(rows), samples.y.view().select(rows));
            sums.add(kernel, candidates, shift, x.view(), y.view(), |i| samples.weights[rows[i]])?;
            Ok(sums)
        });
        let mut sums = sums.collect::<Result<Vec<Self>>>()?.into_iter();
        let first = sums.next().unwrap_or_else(|| Self::zero(candidates.rows(), samples.outputs()));
        Ok(sums.fold(first, |mut total, share| {
            total.merge(&share);
            total
        }))
    }

    /// Adds rows with their targets; `weight` says how much each counts.
    pub(super) fn add(
        &mut self,
        kernel: &Kernel,
        candidates: Points<'_>,
        shift: &[f64],
        x: Points<'_>,
        y: Rows<'_>,
        weight: impl Fn(usize) -> f64,
    ) -> Result<()> {
        let (m, q) = (self.size, y.cols());
        let height = (HELD / m.max(1)).clamp(64, 8192);
        for start in (0..x.rows()).step_by(height) {
            let end = (start + height).min(x.rows());
            let mut k = gram::cross(kernel, x.slice(start, end), candidates)?;
            let mut scaled = Vec::with_capacity((end - start) * q);
            for (i, row) in (start..end).enumerate() {
                let (weight, root) = (weight(row), weight(row).sqrt());
                let values = k.row_mut(i);
                values.iter_mut().zip(shift).for_each(|(v, s)| *v = root * (*v - s));
                simd::axpy(root, values, &mut self.kernels);
                scaled.extend(y.row(row).iter().map(|y| root * y));
                self.targets.iter_mut().zip(y.row(row)).for_each(|(sum, y)| *sum += weight * y);
                self.weight += weight;
            }
            let view = View::row_major(k.data(), end - start, m)?;
            add_self_product(view, &mut self.gram)?;
            let to = ViewMut::column_major(&mut self.products, m, q)?;
            product(1.0, view.t(), View::row_major(&scaled, end - start, q)?, Write::Add, to)?;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Sums) {
        simd::axpy(1.0, &other.gram, &mut self.gram);
        simd::axpy(1.0, &other.products, &mut self.products);
        simd::axpy(1.0, &other.kernels, &mut self.kernels);
        simd::axpy(1.0, &other.targets, &mut self.targets);
        self.weight += other.weight;
    }

    /// The sums over the rows of all parts.
    pub(super) fn total(parts: &[Sums]) -> Sums {
        let mut total = parts[0].clone();
        parts[1..].iter().for_each(|part| total.merge(part));
        total
    }

    /// The sums without the rows of a part.
    pub(super) fn without(&self, mut part: Sums) -> Sums {
        let negate =
            |values: &mut [f64], all: &[f64]| values.iter_mut().zip(all).for_each(|(v, a)| *v = a - *v);
        negate(&mut part.gram, &self.gram);
        negate(&mut part.products, &self.products);
        negate(&mut part.kernels, &self.kernels);
        negate(&mut part.targets, &self.targets);
        part.weight = self.weight - part.weight;
        part
    }

    /// The normal equations `A beta = b` of the given candidates, in ascending order, with a penalty `ridge beta' K beta` and a free
    /// constant: `between` holds `K`, the kernels between candidates (row-major, all of them).
    pub(super) fn normal(&self, between: &[f64], chosen: &[usize], ridge: f64) -> Normal {
        let (m, all, q) = (chosen.len(), self.size, self.targets.len());
        let mean: Vec<f64> = chosen.iter().map(|&j| self.kernels[j] / self.weight).collect();
        let level: Vec<f64> = self.targets.iter().map(|y| y / self.weight).collect();
        let mut matrix = vec![0.0; m * m];
        let mut scale = 0.0f64;
        for (b, &j) in chosen.iter().enumerate() {
            let (gram, kernels) = (&self.gram[j * all..(j + 1) * all], &between[j * all..(j + 1) * all]);
            let level = self.weight * mean[b];
            for ((value, &i), mean) in
                matrix[b * m + b..(b + 1) * m].iter_mut().zip(&chosen[b..]).zip(&mean[b..])
            {
                *value = gram[i] - level * mean + ridge * kernels[i];
            }
            scale = scale.max(gram[j]);
        }
        let product =
            |c: usize, a: usize| self.products[c * all + chosen[a]] - self.weight * mean[a] * level[c];
        let right = (0..q).flat_map(|c| (0..m).map(move |a| (c, a))).map(|(c, a)| product(c, a)).collect();
        Normal { size: m, matrix, right, mean, level, scale, weight: self.weight }
    }
}

/// Normal equations of some candidates, the constant eliminated.
pub(super) struct Normal {
    pub size: usize,
    /// `A`, column-major, the lower triangle.
    pub matrix: Vec<f64>,
    /// `b`, one column per output.
    pub right: Vec<f64>,
    /// Mean of each candidate's kernels, less the shift.
    pub mean: Vec<f64>,
    /// Mean of each output.
    pub level: Vec<f64>,
    /// The largest `sum w k^2`, against which rounding is to be seen.
    pub scale: f64,
    /// `sum w`.
    pub weight: f64,
}

impl Normal {
    /// Copies the lower triangle onto the upper one, for those who read rows.
    pub(super) fn fill(&mut self) {
        // Small squares keep both walks in the cache.
        const SIDE: usize = 32;
        let n = self.size;
        for jb in (0..n).step_by(SIDE) {
            for ib in (jb..n).step_by(SIDE) {
                for j in jb..(jb + SIDE).min(n) {
                    for i in ib.max(j + 1)..(ib + SIDE).min(n) {
                        self.matrix[j + i * n] = self.matrix[i + j * n];
                    }
                }
            }
        }
    }
}
