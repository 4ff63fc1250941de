//! Cost of the least-squares refit, report 836 (14) and (20).
//!
//! With `s_r = (Q Q)_rr` the mean squared change is `alpha_r^2 / (m s_r)`, for all `r` in `O(m^2)`. The
//! penalty `C / (m - 1) |beta|^2` needs `|beta|^2 = |alpha|^2 - 2 a (W alpha)_r + a^2 |W e_r|^2` with
//! `W = Q Q` and `a = alpha_r / s_r`: one product with `Q` per vector, `O(m^3)` for all.

use super::{Deterioration, Needs, Tracked};
use crate::error::Result;
use crate::online::presets::Values;
use crate::simd::dot;
use serde::{Deserialize, Serialize};

/// Mean squared change at the vectors, plus `penalty` times the mean square of the new weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LeastSquares {
    /// `C` of (20); 0 for (14).
    penalty: f64,
}

impl LeastSquares {
    pub(super) fn plain() -> Self {
        Self { penalty: 0.0 }
    }

    pub(super) fn regularised(values: &Values) -> Result<Self> {
        Ok(Self { penalty: values.number("penalty")? })
    }

    /// The cost of losing vector `r` for one output: `s` is `(Q Q)_rr` and `product` the
    /// column `W e_r`, which only the penalty reads.
    fn of_output(&self, alpha: &[f64], r: usize, s: f64, product: &[f64]) -> f64 {
        let m = alpha.len();
        let factor = alpha[r] / s;
        let change = alpha[r] * factor / m as f64;
        if self.penalty == 0.0 || m < 2 {
            return change;
        }
        let beta =
            dot(alpha, alpha) - 2.0 * factor * dot(product, alpha) + factor * factor * dot(product, product);
        change + self.penalty * beta.max(0.0) / (m - 1) as f64
    }
}

impl Deterioration for LeastSquares {
    fn needs(&self) -> Needs {
        Needs::INVERSE
    }

    fn costs(&self, model: &mut Tracked, out: &mut [f64]) {
        let Tracked { dictionary, inverse, scratch, .. } = model;
        let Some(inverse) = inverse else { return };
        let (q, m) = (inverse.inverse(), dictionary.len());
        q.row_squares(out);
        let (column, product) = scratch.two(m);
        for (r, cost) in out.iter_mut().enumerate() {
            if self.penalty > 0.0 {
                q.column(r, column);
                q.multiply(column, product);
            }
            let s = *cost;
            *cost = dictionary.columns().map(|alpha| self.of_output(alpha, r, s, product)).sum();
        }
    }
}
