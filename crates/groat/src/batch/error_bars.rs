//! Error bars of predictions.

use crate::error::{Result, check_len};
use crate::expansion::Expansion;
use crate::matrix::{Matrix, Rows};
use serde::{Deserialize, Serialize};

/// The uncertainty of a least-squares model in orthogonal form.
///
/// With `Phi = W A`, penalties included in `d_i = w_i'w_i + lambda_i`, and `w(x)` the solution of
/// `A'w(x) = phi(x)`, the prediction at `x` has the variance `sigma^2 (1 + sum_i w_i(x)^2 / d_i)`: the noise
/// plus what the weights do not know. `sigma^2` comes from the leave-one-out errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorBars {
    bias: bool,
    /// Column `n` of `A` above the diagonal.
    upper: Vec<Vec<f64>>,
    d: Vec<f64>,
    /// One variance per output.
    noise: Vec<f64>,
}

impl ErrorBars {
    pub(crate) fn new(bias: bool, upper: Vec<Vec<f64>>, d: Vec<f64>, noise: Vec<f64>) -> Self {
        Self { bias, upper, d, noise }
    }

    /// Variance of the noise, one per output.
    pub fn noise_variance(&self) -> &[f64] {
        &self.noise
    }

    /// Standard deviation of what will be observed at each row of `x`: one row per row, one column per output.
    /// `model` is the model these error bars came with.
    pub fn standard_deviation(&self, model: &Expansion, x: Rows<'_>) -> Result<Matrix> {
        let first = usize::from(self.bias);
        check_len("terms of the model", self.d.len() - first, model.size())?;
        let mut x = x.to_matrix();
        if let Some(standardisation) = model.standardisation() {
            standardisation.apply(&mut x)?;
        }
        let kernels = model.kernel().cross(x.view(), model.vectors())?;
        let mut out = Matrix::zeros(x.rows(), self.noise.len());
        let mut w = vec![0.0; self.d.len()];
        for k in 0..x.rows() {
            let mut spread = 1.0;
            for i in 0..w.len() {
                let phi = if i < first { 1.0 } else { kernels[(k, i - first)] };
                let above: f64 = self.upper[i].iter().zip(&w).map(|(a, w)| a * w).sum();
                w[i] = phi - above;
                spread += w[i] * w[i] / self.d[i];
            }
            for (out, noise) in out.row_mut(k).iter_mut().zip(&self.noise) {
                *out = (noise * spread).sqrt();
            }
        }
        Ok(out)
    }
}
