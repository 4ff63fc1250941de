//! A least-squares model in orthogonal form, and what follows from it at new rows.

use crate::error::{Error, Result, check_len, check_not_negative, check_positive};
use crate::expansion::Expansion;
use crate::gram;
use crate::matrix::{Matrix, Points};
use crate::model::{Function, Model};
use crate::simd;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows whose kernels are held at a time.
const BLOCK: usize = 4096;
/// Rows whose deviations one thread works out at a time.
const ROWS: usize = 128;

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
        check_len("terms of the model", self.upper.len() - usize::from(self.bias), model.size())?;
        let mut w = vec![0.0; self.upper.len()];
        for start in (0..x.rows()).step_by(BLOCK) {
            let block = x.slice(start, (start + BLOCK).min(x.rows()));
            let kernels = gram::cross(model.kernel(), block, model.vectors())?;
            for (k, kernels) in kernels.view().iter().enumerate() {
                self.solve(kernels, &mut w);
                visit(start + k, &w);
            }
        }
        Ok(())
    }

    /// `w(x)` of a row with these kernels or features.
    fn solve(&self, phi: &[f64], w: &mut [f64]) {
        let first = usize::from(self.bias);
        for i in 0..w.len() {
            let phi = if i < first { 1.0 } else { phi[i - first] };
            w[i] = phi - simd::dot(&self.upper[i], &w[..i]);
        }
    }
}

/// The uncertainty of a least-squares model in orthogonal form.
///
/// With `Phi = W A`, penalties included in `d_i = w_i'w_i + lambda_i`, and `w(x)` the solution of
/// `A'w(x) = phi(x)`, the prediction at `x` has the variance `sigma^2 (1 + sum_i w_i(x)^2 / d_i)`: the noise
/// plus what the weights do not know. `sigma^2` comes from the leave-one-out errors.
///
/// For ridge regression on landmarks that is the variance of the *subset of regressors*, which is small far from the landmarks,
/// where their kernels vanish. With what they [leave](Unexplained) of the kernel it becomes that of the *deterministic training
/// conditional* (Quinonero-Candela, Rasmussen, A unifying view of sparse approximate Gaussian process regression, 2005,
/// equations 16 and 20).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorBars {
    form: Orthogonal,
    d: Vec<f64>,
    /// One variance per output.
    noise: Vec<f64>,
    unexplained: Option<Unexplained>,
}

/// What landmarks leave of the kernel of a row with itself, in units of the noise:
/// `(k(x, x) - k(x)' K^-1 k(x)) / ridge` with `K = L L'` between the landmarks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unexplained {
    /// Row `i` of `L` up to its diagonal.
    lower: Vec<Vec<f64>>,
    ridge: f64,
}

impl Unexplained {
    fn new(triangle: &[f64], ridge: f64, size: usize) -> Result<Self> {
        check_len("numbers of the landmarks' triangle", size * (size + 1) / 2, triangle.len())?;
        check_positive("the ridge of the error bars", ridge)?;
        let lower: Vec<Vec<f64>> = (0..size).map(|i| triangle[i * (i + 1) / 2..][..i + 1].to_vec()).collect();
        if let Some(bad) = triangle.iter().find(|v| !v.is_finite()) {
            return Err(Error::parameter("a number of the error bars", bad, "a finite number"));
        }
        lower
            .iter()
            .try_for_each(|row| check_positive("a diagonal of the error bars", row[row.len() - 1]))?;
        Ok(Self { lower, ridge })
    }

    fn of(&self, own: f64, kernels: &[f64], z: &mut [f64]) -> f64 {
        for (i, row) in self.lower.iter().enumerate() {
            z[i] = (kernels[i] - simd::dot(&row[..i], &z[..i])) / row[i];
        }
        (own - simd::dot(z, z)).max(0.0) / self.ridge
    }
}

impl ErrorBars {
    pub(crate) fn new(form: Orthogonal, d: Vec<f64>, noise: Vec<f64>) -> Self {
        Self { form, d, noise, unexplained: None }
    }

    /// Those of a model with a constant whose features `phi` have the mean `mean` over rows of weight `weight`: the variance
    /// is `sigma^2 (1 + 1 / weight + |C^-1 (phi - mean)|^2)` for the lower triangular `C`, given by its rows.
    pub(crate) fn of_posterior(rows: Vec<Vec<f64>>, mean: &[f64], weight: f64, noise: Vec<f64>) -> Self {
        let scale = |row: &Vec<f64>| row[row.len() - 1];
        let scales: Vec<f64> = rows.iter().map(scale).collect();
        let column = |(row, mean): (Vec<f64>, &f64)| -> Vec<f64> {
            let below = row[..row.len() - 1].iter().zip(&scales).map(|(v, scale)| v / scale);
            std::iter::once(*mean).chain(below).collect()
        };
        let upper = std::iter::once(Vec::new()).chain(rows.into_iter().zip(mean).map(column)).collect();
        let d = std::iter::once(weight).chain(scales.iter().map(|scale| scale * scale)).collect();
        Self::new(Orthogonal::new(true, upper), d, noise)
    }

    /// With what landmarks leave unexplained, from the rows of the triangle `L` one after the other.
    pub(crate) fn with_unexplained(mut self, triangle: &[f64], ridge: f64) -> Result<Self> {
        let size = self.d.len() - usize::from(self.form.bias);
        self.unexplained = Some(Unexplained::new(triangle, ridge, size)?);
        Ok(self)
    }

    /// The triangle and the ridge of what landmarks leave unexplained, where that counts.
    pub(crate) fn unexplained(&self) -> Option<(Vec<f64>, f64)> {
        self.unexplained.as_ref().map(|left| (left.lower.concat(), left.ridge))
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
        Ok(Self::new(Orthogonal::new(bias, (0..terms).map(column).collect()), d, noise))
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
    pub(crate) fn standard_deviation(&self, function: &Function, x: Points<'_>) -> Result<Matrix> {
        let (q, terms) = (self.noise.len(), self.d.len());
        let mut out = Matrix::zeros(x.rows(), q);
        out.data_mut().par_chunks_mut(ROWS * q).enumerate().try_for_each(|(part, out)| -> Result<()> {
            let start = part * ROWS;
            let x = x.slice(start, start + out.len() / q);
            let phi = match function {
                Function::Features(features) => features.map().transform(x)?,
                Function::Expansion(expansion) => gram::cross(expansion.kernel(), x, expansion.vectors())?,
                Function::Components(_) => {
                    return Err(Error::parameter("model", "components", "one that predicts, for error bars"));
                }
            };
            check_len("terms of the model", terms - usize::from(self.form.bias), phi.cols())?;
            let own = gram::diagonal(function.kernel(), x);
            let (mut w, mut z) = (vec![0.0; terms], vec![0.0; phi.cols()]);
            for ((out, phi), own) in out.chunks_exact_mut(q).zip(phi.view().iter()).zip(own) {
                self.form.solve(phi, &mut w);
                let known = w.iter().zip(&self.d).map(|(w, d)| w * w / d).sum::<f64>();
                let left = self.unexplained.as_ref().map_or(0.0, |left| left.of(own, phi, &mut z));
                let spread = 1.0 + known + left;
                out.iter_mut().zip(&self.noise).for_each(|(out, noise)| *out = (noise * spread).sqrt());
            }
            Ok(())
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
