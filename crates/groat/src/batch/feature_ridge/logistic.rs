//! The logistic loss on features, one class against the others.
//!
//! Minimises `sum_i w_i log(1 + exp(-t_i f(x_i))) + ridge / 8 |w|^2` with `t = -1, +1` and a free constant by Newton's method.
//! (Near `f = 0` the loss curves like a quarter of the square of `f / 2 - t`, hence the eighth: the same ridge means the same
//! smoothness as for squared errors.) Each step solves `H d = -g` by conjugate gradients, in passes that never store the
//! features, with the quarter of the least-squares system as preconditioner: `H <= S / 4 + ridge / 4`
//! (Boehning 1992), so that it is an upper bound of what it stands for.

use super::pass::Pass;
use super::solve::System;
use crate::error::{Error, Result};
use crate::features::Precision;
use groat_linalg::{CgSettings, Cholesky, conjugate_gradient_columns};

/// Most steps of Newton's method.
const STEPS: usize = 30;
/// How far the equations of a step are solved.
const INNER: f64 = 0.05;
const INNER_PASSES: usize = 40;

pub(super) struct Logistic<'a> {
    pub system: &'a System<'a>,
    /// Of `S + ridge I`.
    pub factor: &'a Cholesky,
    /// Weight of all rows.
    pub weight: f64,
}

/// Weights of whitened features and constants, of squared errors.
pub(super) struct Start {
    pub w: Vec<f64>,
    pub bias: Vec<f64>,
}

pub(super) struct Found {
    pub w: Vec<f64>,
    pub bias: Vec<f64>,
    pub passes: usize,
}

impl Logistic<'_> {
    /// Columns of `m` weights (of features less their means) and a constant each.
    pub(super) fn solve(&self, start: Start, tolerance: f64) -> Result<Found> {
        let (m, q) = (self.system.mean.len(), start.bias.len());
        // The log odds of a least-squares answer `f` are about `2 f` near 0.
        let levels = self.levels(&start.w)?;
        let mut u: Vec<f64> = Vec::with_capacity((m + 1) * q);
        for (c, column) in start.w.chunks_exact(m).enumerate() {
            u.extend(column.iter().map(|v| 2.0 * v));
            u.push(2.0 * (start.bias[c] + levels[c]));
        }
        let mut passes = 0;
        let (mut value, mut gradient) = self.gradient(&u)?;
        let scale = norm(&gradient).max(f64::MIN_POSITIVE);
        for _ in 0..STEPS {
            passes += 1;
            if norm(&gradient) <= tolerance.max(1e-6) * scale || norm(&gradient) <= 1e-9 * self.weight {
                break;
            }
            let (step, inner) = self.step(&u, &gradient)?;
            passes += inner;
            let mut length = 1.0;
            loop {
                let next: Vec<f64> = u.iter().zip(&step).map(|(u, s)| u + length * s).collect();
                let (found, slope) = self.gradient(&next)?;
                passes += 1;
                if found <= value + 1e-12 * value.abs() || length < 1e-3 {
                    (u, value, gradient) = (next, found, slope);
                    break;
                }
                length *= 0.5;
            }
        }
        let mut found = Found { w: Vec::with_capacity(m * q), bias: Vec::with_capacity(q), passes };
        u.chunks_exact(m + 1).for_each(|column| found.w.extend(&column[..m]));
        let levels = self.levels(&found.w)?;
        found.bias = u.chunks_exact(m + 1).zip(levels).map(|(column, level)| column[m] - level).collect();
        Ok(found)
    }

    /// Weights of the features as rows are made.
    fn plain(&self, w: &[f64]) -> Result<Vec<f64>> {
        let mut columns = w.to_vec();
        if let Some(factor) = self.system.data.map.remaining(Precision::Double) {
            factor.solve_upper(&mut columns)?;
        }
        Ok(columns)
    }

    /// What functions of these weights answer to the mean of the features.
    fn levels(&self, w: &[f64]) -> Result<Vec<f64>> {
        let columns = self.plain(w)?;
        let mean = &self.system.mean;
        Ok(columns.chunks_exact(mean.len()).map(|v| crate::simd::dot(v, mean)).collect())
    }

    /// Columns of weights alone, and the constants that go with features as they are made.
    fn parts(&self, u: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let m = self.system.mean.len();
        let w: Vec<f64> = u.chunks_exact(m + 1).flat_map(|column| &column[..m]).copied().collect();
        let columns = self.plain(&w)?;
        let level = |v: &[f64]| crate::simd::dot(v, &self.system.mean);
        let constants =
            u.chunks_exact(m + 1).zip(columns.chunks_exact(m)).map(|(u, v)| u[m] - level(v)).collect();
        Ok((columns, constants))
    }

    /// Sums of `phi r` and of `r` for every output become whitened, centred columns with their constant; the penalty is
    /// added.
    fn finish(&self, mut sums: Vec<f64>, u: &[f64]) -> Result<Vec<f64>> {
        let (m, q) = (self.system.mean.len(), u.len() / (self.system.mean.len() + 1));
        let totals = sums.split_off(m * q);
        for (column, total) in sums.chunks_exact_mut(m).zip(&totals) {
            column.iter_mut().zip(&self.system.mean).for_each(|(v, mean)| *v -= total * mean);
        }
        if let Some(factor) = self.system.data.map.remaining(Precision::Double) {
            factor.solve_lower(&mut sums)?;
        }
        let mut out = Vec::with_capacity(u.len());
        for ((column, total), u) in sums.chunks_exact(m).zip(&totals).zip(u.chunks_exact(m + 1)) {
            out.extend(column.iter().zip(u).map(|(v, u)| v + 0.25 * self.system.ridge * u));
            out.push(*total);
        }
        Ok(out)
    }

    /// The objective and its gradient.
    fn gradient(&self, u: &[f64]) -> Result<(f64, Vec<f64>)> {
        let (columns, constants) = self.parts(u)?;
        let (m, q) = (self.system.mean.len(), constants.len());
        let pass = Pass::Loss { columns, constants };
        let mut sums = self.system.data.sum(&pass, q, self.system.everything)?;
        let loss = sums.pop().unwrap_or(f64::NAN);
        let weights = u.chunks_exact(m + 1).flat_map(|column| &column[..m]);
        let penalty = 0.125 * self.system.ridge * weights.map(|v| v * v).sum::<f64>();
        Ok((loss + penalty, self.finish(sums, u)?))
    }

    /// Newton's step, and the passes it took.
    fn step(&self, u: &[f64], gradient: &[f64]) -> Result<(Vec<f64>, usize)> {
        let (columns, constants) = self.parts(u)?;
        let (m, q) = (self.system.mean.len(), constants.len());
        let (mut failed, mut passes) = (None, 0);
        let curve = |v: &[f64]| -> Result<Vec<f64>> {
            let (along, shifts) = self.parts(v)?;
            let both = [columns.as_slice(), &along].concat();
            let pass = Pass::Curvature { columns: both, constants: constants.clone(), shifts };
            let sums = self.system.data.sum(&pass, q, self.system.everything)?;
            self.finish(sums, v)
        };
        let apply = |v: &[f64], out: &mut [f64]| match curve(v) {
            Ok(image) => {
                passes += 1;
                out.copy_from_slice(&image);
                Ok(())
            }
            Err(error) => {
                failed = Some(error);
                Err(groat_linalg::Error::Structure { column: 0 })
            }
        };
        let precondition = |r: &[f64], out: &mut [f64]| {
            let mut columns: Vec<f64> =
                r.chunks_exact(m + 1).flat_map(|r| &r[..m]).map(|v| 4.0 * v).collect();
            self.factor.solve(&mut columns)?;
            for ((out, r), column) in
                out.chunks_exact_mut(m + 1).zip(r.chunks_exact(m + 1)).zip(columns.chunks_exact(m))
            {
                out[..m].copy_from_slice(column);
                out[m] = 4.0 * r[m] / self.weight;
            }
            Ok(())
        };
        let right: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut step = vec![0.0; u.len()];
        let settings = CgSettings { tolerance: INNER, max_iterations: INNER_PASSES };
        let report = conjugate_gradient_columns(apply, precondition, m + 1, &right, &mut step, settings);
        match (failed, report) {
            (Some(error), _) => Err(error),
            (None, Ok(_) | Err(groat_linalg::Error::NoConvergence { .. })) => Ok((step, passes)),
            (None, Err(source)) => {
                let advice = "raise the ridge".to_owned();
                Err(Error::LinearAlgebra { what: "the logistic loss on features", source, advice })
            }
        }
    }
}

fn norm(v: &[f64]) -> f64 {
    crate::simd::dot(v, v).sqrt()
}
