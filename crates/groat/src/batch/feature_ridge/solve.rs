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
//! Both end at the same residual of the same equations, so that the way changes nothing that can be seen.

use super::pass::{Data, covariance_times};
use crate::error::{Error, Result};
use crate::features::Precision;
use groat_linalg::{CgSettings, Cholesky, conjugate_gradient_columns};

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

impl System<'_> {
    /// Conjugate gradients from `start`, preconditioned by the factor of a matrix near `S + ridge I`.
    pub(super) fn solve(
        &self,
        factor: &Cholesky,
        start: Vec<f64>,
        tolerance: f64,
        most: usize,
    ) -> Result<Solution> {
        let (m, mut w) = (self.mean.len(), start);
        let mut failed = None;
        let (mut passes, after) = (0, self.data.map.remaining(Precision::Double));
        let apply = |v: &[f64], out: &mut [f64]| -> groat_linalg::Result<()> {
            passes += 1;
            let done = (|| -> Result<Vec<f64>> {
                let mut columns = v.to_vec();
                if let Some(factor) = after {
                    factor.solve_upper(&mut columns)?;
                }
                let mut image = covariance_times(self.data, &self.mean, &columns, self.everything)?;
                if let Some(factor) = after {
                    factor.solve_lower(&mut image)?;
                }
                Ok(image)
            })();
            match done {
                Ok(image) => {
                    for ((out, image), v) in out.iter_mut().zip(&image).zip(v) {
                        *out = image + self.ridge * v;
                    }
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
        let settings = CgSettings { tolerance, max_iterations: most };
        let report = conjugate_gradient_columns(apply, precondition, m, &self.right, &mut w, settings);
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
