//! The few largest eigenpairs of a symmetric operator: Lanczos with thick restarts.
//!
//! A basis of at most `m` vectors is grown by products with the operator and orthogonalised in full
//! (twice, which is enough). When it is full, the best Ritz vectors are kept and the growth continues
//! from the last residual (Wu and Simon 2000): the projected matrix then is a diagonal with a spike.
//! Each product counts; memory is `m` vectors.

use super::vector::{dot, norm};
use crate::dense::eigen::{Eigen, eigh};
use crate::dense::product::{Write, product};
use crate::dense::view::{View, ViewMut};
use crate::error::{Error, Result};

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Lanczos {
    /// Number of eigenpairs.
    pub wanted: usize,
    /// Relative accuracy of the eigenvalues' residuals.
    pub tolerance: f64,
    /// Give up after this many products.
    pub max_products: usize,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct LargestPairs {
    /// Descending.
    pub values: Vec<f64>,
    /// Column-major, in the order of the values, orthonormal.
    pub vectors: Vec<f64>,
    /// Products with the operator.
    pub products: usize,
}

/// The basis and the operator projected on it.
struct Basis {
    n: usize,
    limit: usize,
    /// Column-major, `len + 1` vectors while growing.
    vectors: Vec<f64>,
    len: usize,
    /// `limit x limit`, symmetric.
    projected: Vec<f64>,
    /// State of the generator of start vectors.
    seed: u64,
}

impl Lanczos {
    /// The `wanted` algebraically largest eigenpairs of the `n x n` operator `apply(v, out)`.
    pub fn largest(
        &self,
        n: usize,
        mut apply: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
    ) -> Result<LargestPairs> {
        let wanted = self.wanted.min(n);
        let limit = (2 * wanted + 8).max(24);
        if n <= 2 * limit {
            return dense(n, wanted, apply);
        }
        let mut basis = Basis::new(n, limit);
        let mut work = vec![0.0; n];
        let mut products = 0;
        loop {
            let mut beta = 0.0;
            while basis.len < limit {
                apply(basis.vector(basis.len), &mut work)?;
                products += 1;
                beta = basis.grow(&mut work)?;
            }
            let ritz = eigh(&basis.projected, limit)?;
            let scale = ritz.values.iter().fold(f64::MIN_POSITIVE, |s, v| s.max(v.abs()));
            let miss = |j: usize| (beta * ritz.vector(j)[limit - 1]).abs();
            let worst = (limit - wanted..limit).map(miss).fold(0.0, f64::max) / scale;
            if worst <= self.tolerance {
                basis.restart(&ritz, wanted, beta)?;
                let values = (0..wanted).map(|j| ritz.values[limit - 1 - j]).collect();
                basis.vectors.truncate(n * wanted);
                return Ok(LargestPairs { values, vectors: basis.vectors, products });
            }
            if products >= self.max_products {
                return Err(Error::NoConvergence {
                    iterations: products,
                    residual: worst,
                    wanted: self.tolerance,
                });
            }
            // Keeping some more than are wanted speeds up the next round.
            basis.restart(&ritz, wanted + (limit - wanted) / 3, beta)?;
        }
    }
}

/// All pairs of a small operator, column by column.
fn dense(
    n: usize,
    wanted: usize,
    mut apply: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
) -> Result<LargestPairs> {
    let mut matrix = vec![0.0; n * n];
    let mut unit = vec![0.0; n];
    for (j, column) in matrix.chunks_mut(n.max(1)).enumerate() {
        unit[j] = 1.0;
        apply(&unit, column)?;
        unit[j] = 0.0;
    }
    let all = eigh(&matrix, n)?;
    let order = (0..wanted).map(|j| n - 1 - j);
    Ok(LargestPairs {
        values: order.clone().map(|j| all.values[j]).collect(),
        vectors: order.flat_map(|j| all.vector(j).iter().copied()).collect(),
        products: n,
    })
}

impl Basis {
    fn new(n: usize, limit: usize) -> Basis {
        let mut basis = Basis {
            n,
            limit,
            vectors: vec![0.0; n * (limit + 1)],
            len: 0,
            projected: vec![0.0; limit * limit],
            seed: 0x9E37_79B9_7F4A_7C15,
        };
        let mut start = basis.arbitrary();
        let length = norm(&start);
        start.iter_mut().for_each(|v| *v /= length);
        basis.vectors[..n].copy_from_slice(&start);
        basis
    }

    fn vector(&self, j: usize) -> &[f64] {
        &self.vectors[j * self.n..(j + 1) * self.n]
    }

    /// A fixed sequence of vectors without structure (splitmix64).
    fn arbitrary(&mut self) -> Vec<f64> {
        let mut next = || {
            self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.seed;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (z ^ (z >> 31)) as f64 / u64::MAX as f64 - 0.5
        };
        (0..self.n).map(|_| next()).collect()
    }

    /// Takes `w = A v_len`, fills column `len` of the projected matrix, appends the next vector.
    fn grow(&mut self, w: &mut [f64]) -> Result<f64> {
        let len = self.len;
        let before = norm(w);
        let coefficients = self.orthogonalise(w, len + 1)?;
        for (i, &h) in coefficients.iter().enumerate() {
            self.projected[len * self.limit + i] = h;
            self.projected[i * self.limit + len] = h;
        }
        self.len += 1;
        let mut beta = norm(w);
        if beta <= f64::EPSILON * before.max(f64::MIN_POSITIVE) * 10.0 {
            // The basis spans an invariant subspace: go on with any direction outside it.
            let mut fresh = self.arbitrary();
            self.orthogonalise(&mut fresh, len + 1)?;
            w.copy_from_slice(&fresh);
            beta = 0.0;
        }
        let length = norm(w);
        if length > 0.0 {
            w.iter_mut().for_each(|v| *v /= length);
        }
        self.vectors[(len + 1) * self.n..(len + 2) * self.n].copy_from_slice(w);
        Ok(beta)
    }

    /// Removes from `w` its parts along the first `len` vectors; returns how much there was of each.
    fn orthogonalise(&self, w: &mut [f64], len: usize) -> Result<Vec<f64>> {
        let v = View::column_major(&self.vectors[..len * self.n], self.n, len)?;
        let mut total = vec![0.0; len];
        let mut part = vec![0.0; len];
        for _ in 0..2 {
            for (j, p) in part.iter_mut().enumerate() {
                *p = dot(self.vector(j), w);
            }
            let h = View::column_major(&part, len, 1)?;
            product(-1.0, v, h, Write::Add, ViewMut::column_major(w, self.n, 1)?)?;
            total.iter_mut().zip(&part).for_each(|(t, p)| *t += p);
        }
        Ok(total)
    }

    /// Keeps the `keep` largest Ritz vectors (largest first) and the residual direction after them.
    fn restart(&mut self, ritz: &Eigen, keep: usize, beta: f64) -> Result<()> {
        let (n, m) = (self.n, self.limit);
        let chosen: Vec<usize> = (0..keep).map(|j| m - 1 - j).collect();
        let y: Vec<f64> = chosen.iter().flat_map(|&j| ritz.vector(j).iter().copied()).collect();
        let mut kept = vec![0.0; n * keep];
        let old = View::column_major(&self.vectors[..n * m], n, m)?;
        let target = ViewMut::column_major(&mut kept, n, keep)?;
        product(1.0, old, View::column_major(&y, m, keep)?, Write::Replace, target)?;
        self.vectors.copy_within(n * m..n * (m + 1), n * keep);
        self.vectors[..n * keep].copy_from_slice(&kept);
        self.projected.fill(0.0);
        for (i, &j) in chosen.iter().enumerate() {
            self.projected[i * m + i] = ritz.values[j];
            let spike = beta * ritz.vector(j)[m - 1];
            self.projected[i * m + keep] = spike;
            self.projected[keep * m + i] = spike;
        }
        self.len = keep;
        Ok(())
    }
}
