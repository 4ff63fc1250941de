//! A least-squares model in orthogonal form, and what follows from it at new rows.

use crate::error::{Error, Result, check_len, check_not_negative, check_positive};
use crate::expansion::Expansion;
use crate::gram;
use crate::matrix::{Matrix, Points};
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// Rows whose kernels are held at a time.
const BLOCK: usize = 4096;

/// `Phi = W A`: how the kernels of a row become orthogonal terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Orthogonal {
    bias: bool,
    /// Column `n` of the unit upper triangular `A` above its diagonal.
    upper: Vec<Vec<f64>>,
}

impl Orthogonal {
    pub(crate) fn new(bias: bool, upper: Vec<Vec<f64>>) -> Self {
        Self { bias, upper }
    }

    /// Hands `w(x)`, the solution of `A'w(x) = phi(x)`, to `visit` for every row, the constant term first.
    fn each(&self, model: &Expansion, x: Points<'_>, mut visit: impl FnMut(usize, &[f64])) -> Result<()> {
        let first = usize::from(self.bias);
        check_len("terms of the model", self.upper.len() - first, model.size())?;
        let mut w = vec![0.0; self.upper.len()];
        for start in (0..x.rows()).step_by(BLOCK) {
            let block = x.slice(start, (start + BLOCK).min(x.rows()));
            let kernels = gram::cross(model.kernel(), block, model.vectors())?;
            for k in 0..block.rows() {
                for i in 0..w.len() {
                    let phi = if i < first { 1.0 } else { kernels[(k, i - first)] };
                    let above: f64 = self.upper[i].iter().zip(&w).map(|(a, w)| a * w).sum();
                    w[i] = phi - above;
                }
                visit(start + k, &w);
            }
        }
        Ok(())
    }
}

/// The uncertainty of a least-squares model in orthogonal form.
///
/// With `Phi = W A`, penalties included in `d_i = w_i'w_i + lambda_i`, and `w(x)` the solution of
/// `A'w(x) = phi(x)`, the prediction at `x` has the variance `sigma^2 (1 + sum_i w_i(x)^2 / d_i)`: the noise
/// plus what the weights do not know. `sigma^2` comes from the leave-one-out errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorBars {
    form: Orthogonal,
    d: Vec<f64>,
    /// One variance per output.
    noise: Vec<f64>,
}

impl ErrorBars {
    pub(crate) fn new(form: Orthogonal, d: Vec<f64>, noise: Vec<f64>) -> Self {
        Self { form, d, noise }
    }

    /// The numbers they are made of: the columns of `A` one after the other, `d`, and the noise.
    pub(crate) fn parts(&self) -> (Vec<f64>, &[f64], &[f64]) {
        (self.form.upper.concat(), &self.d, &self.noise)
    }

    /// From what [`parts`](Self::parts) gave, for a model of `size` vectors. Nothing is believed of the numbers.
    pub(crate) fn from_parts(upper: &[f64], d: Vec<f64>, noise: Vec<f64>, size: usize) -> Result<Self> {
        let terms = d.len();
        let bias = terms > size;
        check_len("terms of the error bars", size + usize::from(bias), terms)?;
        check_len("numbers of their triangle", terms * terms.saturating_sub(1) / 2, upper.len())?;
        if let Some(bad) = upper.iter().find(|v| !v.is_finite()) {
            return Err(Error::parameter("a number of the error bars", bad, "a finite number"));
        }
        d.iter().try_for_each(|d| check_positive("a scale of the error bars", *d))?;
        noise.iter().try_for_each(|v| check_not_negative("a variance of the noise", *v))?;
        let column = |i: usize| upper[i * i.saturating_sub(1) / 2..][..i].to_vec();
        Ok(Self { form: Orthogonal { bias, upper: (0..terms).map(column).collect() }, d, noise })
    }

    /// An error unless these can belong to a model of so many vectors and outputs.
    pub(crate) fn check_for(&self, size: usize, outputs: usize) -> Result<()> {
        check_len("terms of the error bars", size + usize::from(self.form.bias), self.d.len())?;
        check_len("outputs of the error bars", outputs, self.noise.len())
    }

    /// Variance of the noise, one per output.
    pub fn noise_variance(&self) -> &[f64] {
        &self.noise
    }

    /// Standard deviation of what will be observed at each row of `x`: one row per row, one column per output.
    /// `function` is the one these error bars came with, and `x` as it takes it.
    pub(crate) fn standard_deviation(&self, function: &Expansion, x: Points<'_>) -> Result<Matrix> {
        let mut out = Matrix::zeros(x.rows(), self.noise.len());
        self.form.each(function, x, |k, w| {
            let spread = 1.0 + w.iter().zip(&self.d).map(|(w, d)| w * w / d).sum::<f64>();
            for (out, noise) in out.row_mut(k).iter_mut().zip(&self.noise) {
                *out = (noise * spread).sqrt();
            }
        })?;
        Ok(out)
    }
}

/// What the model answered after each of its terms had joined: `f_n(x) = sum_{i <= n} g_i w_i(x)`.
///
/// The terms are orthogonal, so a term leaves the weights `g_i` of the earlier ones as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    form: Orthogonal,
    /// `g_i`, one inner vector per term and one number per output.
    weights: Vec<Vec<f64>>,
}

impl Growth {
    pub(crate) fn new(form: Orthogonal, weights: Vec<Vec<f64>>) -> Self {
        Self { form, weights }
    }

    /// The mean over the raw rows of `x` of `loss(row, outputs)` after 1, 2, ... terms. `model` is the model this
    /// came with.
    pub fn mean_losses<'x>(
        &self,
        model: &Model,
        x: impl Into<Points<'x>>,
        loss: impl Fn(usize, &[f64]) -> f64,
    ) -> Result<Vec<f64>> {
        let x = model.scaled(x.into())?;
        let x = x.view();
        let first = usize::from(self.form.bias);
        let mut sums = vec![0.0; self.weights.len() - first];
        let mut values = vec![0.0; model.outputs()];
        let expansion = model.require_expansion("one of vectors, which grew one by one")?;
        self.form.each(expansion, x, |k, w| {
            values.fill(0.0);
            for (i, (w, weights)) in w.iter().zip(&self.weights).enumerate() {
                values.iter_mut().zip(weights).for_each(|(v, g)| *v += g * w);
                if i >= first {
                    sums[i - first] += loss(k, &values);
                }
            }
        })?;
        Ok(sums.into_iter().map(|sum| sum / x.rows().max(1) as f64).collect())
    }
}
