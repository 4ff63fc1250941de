//! The system `(S + ridge I) w = s` of whitened features, whichever way it is solved.
//!
//! **Direct**: `S` from the statistics of all rows, one Cholesky factorisation. The sums of products lose digits (half of
//! them, or more in single precision), so the solution is the start of conjugate gradients on the rows themselves, with the
//! factor as preconditioner: one or two passes that cost `4 n M` each and give the solution in full.
//!
//! **Iterative**, the scheme of FALKON (Rudi, Carratino, Rosasco, FALKON: an optimal large scale kernel method, 2017,
//! section 3): the same conjugate gradients with the `S` of a sample of rows, scaled up, as preconditioner. `K_nM` is never
//! stored. (The paper takes the landmarks for the sample, which holds for landmarks drawn uniformly; ours are not, and some
//! ten times as many rows pay: `cost.rs`.)
//!
//! Most of a pass is kernels, which are more than twice as quick in single precision. So the passes of an iteration take
//! them there and solve for a correction; what it came to is judged by a residual in double precision, from which the next
//! correction starts (Wilkinson's refinement). The equations in single precision are those of features that are off by
//! `1e-7`, and a round gains as many digits as that leaves. Where a round gains less than one, the rest is done in double.
//!
//! Both end at the same residual of the same equations, so that the way changes nothing that can be seen.

use super::pass::{Data, covariance_times};
use crate::error::{Error, Result};
use crate::features::Precision;
use crate::simd;
use groat_linalg::{CgSettings, Cholesky, conjugate_gradient_columns};

/// What a round with kernels in single precision leaves of a residual as a rule: digits beyond come ever more slowly there.
const ROUND: f64 = 1e-4;
/// The least that it is asked for, where that makes it the last.
const LAST: f64 = 2e-5;
/// The share of the residual wanted that a round aims at.
const AIM: f64 = 0.3;
/// A round that leaves more than this of the residual was the last.
const GAINED: f64 = 0.1;

/// What is to be solved.
pub(super) struct System<'a> {
    pub data: &'a Data<'a>,
    /// Means of the features as the rows are made.
    pub mean: Vec<f64>,
    /// `s` of whitened features, one column per output.
    pub right: Vec<f64>,
    pub ridge: f64,
    /// Whether the rows that are held out count as well.
    pub everything: bool,
}

/// How a solution was reached.
pub(super) struct Solution {
    /// Weights of whitened features, one column per output.
    pub w: Vec<f64>,
    pub passes: usize,
    pub residual: f64,
}

/// Weights and what the equations make of them.
struct Judged {
    w: Vec<f64>,
    /// `s - (S + ridge I) w`.
    left: Vec<f64>,
    /// Its size as a share of that of `s`, in the norm of the preconditioner.
    share: f64,
}

impl System<'_> {
    /// Conjugate gradients from `start`, preconditioned by the factor of a matrix near `S + ridge I`.
    pub(super) fn solve(
        &self,
        factor: &Cholesky,
        start: Vec<f64>,
        tolerance: f64,
        most: usize,
    ) -> Result<Solution> {
        let settings = CgSettings { tolerance, max_iterations: most };
        self.gradients(Precision::Double, factor, &self.right, start, settings)
    }

    /// The same in rounds with kernels in single precision, as far as these gain digits.
    pub(super) fn solve_in_rounds(
        &self,
        factor: &Cholesky,
        start: Vec<f64>,
        tolerance: f64,
        most: usize,
    ) -> Result<Solution> {
        let (mut passes, mut before) = (0, f64::INFINITY);
        let mut at = self.judged(factor, start, &mut passes)?;
        while self.data.passes_in_single() && at.share <= GAINED * before && passes < most {
            if at.share <= tolerance {
                return Ok(Solution { w: at.w, passes, residual: at.share });
            }
            before = at.share;
            let wanted = AIM * tolerance / at.share;
            let aim = if wanted < LAST { ROUND } else { wanted.min(0.5) };
            let settings = CgSettings { tolerance: aim, max_iterations: most - passes };
            let nothing = vec![0.0; at.w.len()];
            let step = match self.gradients(Precision::Single, factor, &at.left, nothing, settings) {
                Err(Error::LinearAlgebra { .. }) => break,
                step => step?,
            };
            passes += step.passes;
            let mut w = at.w.clone();
            simd::axpy(1.0, &step.w, &mut w);
            let next = self.judged(factor, w, &mut passes)?;
            if next.share.is_nan() || next.share >= before {
                break;
            }
            at = next;
        }
        let rest = self.solve(factor, at.w, tolerance, most.saturating_sub(passes))?;
        Ok(Solution { passes: passes + rest.passes, ..rest })
    }

    /// One pass in double precision, none where all weights are 0.
    fn judged(&self, factor: &Cholesky, w: Vec<f64>, passes: &mut usize) -> Result<Judged> {
        let mut left = self.right.clone();
        if w.iter().all(|v| *v == 0.0) {
            return Ok(Judged { w, left, share: 1.0 });
        }
        *passes += 1;
        simd::axpy(-1.0, &self.times(Precision::Double, &w)?, &mut left);
        let sizes = |r: &[f64]| -> Result<Vec<f64>> {
            let mut solved = r.to_vec();
            factor.solve(&mut solved)?;
            let m = self.mean.len();
            Ok(r.chunks_exact(m).zip(solved.chunks_exact(m)).map(|(r, z)| simd::dot(r, z)).collect())
        };
        let shares = sizes(&left)?.into_iter().zip(sizes(&self.right)?);
        let shares = shares.filter(|(_, of)| *of > 0.0).map(|(left, of)| (left / of).sqrt());
        let share = shares.fold(0.0, |most: f64, v| if v.is_nan() { v } else { v.max(most) });
        Ok(Judged { w, left, share })
    }

    /// `(S + ridge I) v`, with kernels in this precision.
    fn times(&self, precision: Precision, v: &[f64]) -> Result<Vec<f64>> {
        let after = self.data.map.remaining(Precision::Double);
        let mut columns = v.to_vec();
        if let Some(factor) = after {
            factor.solve_upper(&mut columns)?;
        }
        let mut image = covariance_times(self.data, precision, &self.mean, &columns, self.everything)?;
        if let Some(factor) = after {
            factor.solve_lower(&mut image)?;
        }
        simd::axpy(self.ridge, v, &mut image);
        Ok(image)
    }

    /// Conjugate gradients for this right-hand side from `w`, with kernels in this precision.
    fn gradients(
        &self,
        precision: Precision,
        factor: &Cholesky,
        right: &[f64],
        mut w: Vec<f64>,
        settings: CgSettings,
    ) -> Result<Solution> {
        let (mut failed, mut passes) = (None, 0);
        let apply = |v: &[f64], out: &mut [f64]| -> groat_linalg::Result<()> {
            passes += 1;
            match self.times(precision, v) {
                Ok(image) => {
                    out.copy_from_slice(&image);
                    Ok(())
                }
                Err(error) => {
                    failed = Some(error);
                    Err(groat_linalg::Error::Structure { column: 0 })
                }
            }
        };
        let precondition = |r: &[f64], out: &mut [f64]| {
            out.copy_from_slice(r);
            factor.solve(out)
        };
        let report =
            conjugate_gradient_columns(apply, precondition, self.mean.len(), right, &mut w, settings);
        let residual = match (failed, report) {
            (Some(error), _) => return Err(error),
            (None, Ok(report)) => report.residual,
            (None, Err(groat_linalg::Error::NoConvergence { residual, .. })) => residual,
            (None, Err(source)) => {
                let advice = format!("raise the ridge (now {}) or take double precision", self.ridge);
                let what = "conjugate gradients on features";
                return Err(Error::LinearAlgebra { what, source, advice });
            }
        };
        Ok(Solution { w, passes, residual })
    }
}
