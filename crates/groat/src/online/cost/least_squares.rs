//! Cost of the least-squares refit, report 836 (14) and (20).
//!
//! With `s_r = (Q Q)_rr` the mean squared change is `alpha_r^2 / (m s_r)`, for all `r` in `O(m^2)`. The
//! penalty `C / (m - 1) |beta|^2` needs `|beta|^2 = |alpha|^2 - 2 a (W alpha)_r + a^2 |W e_r|^2` with
//! `W = Q Q` and `a = alpha_r / s_r`: one product with `Q` per vector, `O(m^3)` for all.

use super::{Deterioration, Model, Needs};
use crate::simd::dot;
use serde::{Deserialize, Serialize};

/// Mean squared change at the vectors, plus `penalty` times the mean square of the new weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LeastSquares {
    /// `C` of (20); 0 for (14).
    pub penalty: f64,
}

impl Deterioration for LeastSquares {
    fn needs(&self) -> Needs {
        Needs::INVERSE
    }

    fn costs(&self, model: &mut Model, out: &mut [f64]) {
        let Model { dictionary, inverse, scratch, .. } = model;
        let Some(inverse) = inverse else { return };
        let (q, alpha, m) = (inverse.inverse(), &dictionary.alpha, dictionary.len());
        q.row_squares(out);
        let squares = dot(alpha, alpha);
        let (column, product) = scratch.two(m);
        for r in 0..m {
            let factor = alpha[r] / out[r];
            let change = alpha[r] * factor / m as f64;
            out[r] = change;
            if self.penalty > 0.0 && m > 1 {
                q.column(r, column);
                q.multiply(column, product);
                let beta =
                    squares - 2.0 * factor * dot(product, alpha) + factor * factor * dot(product, product);
                out[r] += self.penalty * beta.max(0.0) / (m - 1) as f64;
            }
        }
    }
}
