//! Standard deviations of predictions, for whoever asks.
//!
//! Ridge regression is the mean of a Gaussian process with noise `sigma^2` and kernel `sigma^2 / ridge k`, restricted to the
//! span of the features. With whitened features `z`, their mean `m` over rows of weight `W`, and `C C' = S + ridge I`, what
//! will be observed at a row has the variance
//!
//! ```text
//! sigma^2 (1 + 1 / W + |C^-1 (z - m)|^2)                            subset of regressors
//! sigma^2 (1 + 1 / W + |C^-1 (z - m)|^2 + (k(x, x) - |z|^2) / ridge)  deterministic training conditional
//! ```
//!
//! (Quinonero-Candela, Rasmussen, A unifying view of sparse approximate Gaussian process regression, 2005, equations 16 and
//! 20.) The fully independent training conditional (equation 24) has the form of the second, but knows that the landmarks
//! leave `d_i = k(x_i, x_i) - |z_i|^2` of a training row unexplained, which is noise to them: the row counts
//! `ridge / (ridge + d_i)` in `S`, `m` and `W`. Its variance is larger where the landmarks explain little. The prediction
//! itself stays that of ridge regression.
//!
//! `sigma^2` is the mean square of the residuals over the rows less the degrees of freedom `trace S (S + ridge I)^-1`.
//! For random features, which are all that the model knows of the kernel, the three are the same. Cost: `M^3 / 3`, and sums
//! over all rows where conjugate gradients have done without, or of discounted rows, `n M^2` in double precision; `M^2` for
//! each row that is predicted.

use crate::batch::ErrorBars;
use crate::error::{Error, Result};
use crate::features::{FeatureMap, Precision, Statistics};
use crate::gram;
use crate::matrix::Points;
use groat_linalg::Cholesky;

/// Which variance a prediction is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variance {
    /// That of the subset of regressors, which is small far from all landmarks.
    SubsetOfRegressors,
    /// That of the deterministic training conditional: what landmarks do not explain is as uncertain as the kernel says.
    DeterministicTraining,
    /// That of the fully independent training conditional: besides, training rows that landmarks do not explain tell less.
    FullyIndependentTraining,
}

impl Variance {
    /// The ridge beside which rows are discounted in the sums that the variance is made from, if they are.
    pub(super) fn discount(self, ridge: f64) -> Option<f64> {
        (self == Variance::FullyIndependentTraining).then_some(ridge)
    }
}

/// How much each row counts beside others that landmarks explain, from its features as a map makes them:
/// `ridge / (ridge + k(x, x) - |z|^2)`. Random features explain all of it.
pub(super) fn discounts(
    map: &FeatureMap,
    x: Points<'_>,
    features: &[f64],
    ridge: f64,
) -> Result<Option<Vec<f64>>> {
    let FeatureMap::Landmarks(nystrom) = map else { return Ok(None) };
    let mut z = features.to_vec();
    if let Some(factor) = map.remaining(Precision::Double) {
        factor.solve_lower(&mut z)?;
    }
    let origin = map.origin()?;
    let explained = z
        .chunks_exact(nystrom.size())
        .map(|z| -> f64 { z.iter().zip(&origin).map(|(z, origin)| (z + origin).powi(2)).sum() });
    let whole = gram::diagonal(nystrom.kernel(), x);
    Ok(Some(whole.iter().zip(explained).map(|(k, q)| ridge / (ridge + (k - q).max(0.0))).collect()))
}

/// The error bars of a fit to the rows of these whitened statistics, which count for `weight` where none is discounted.
pub(super) fn error_bars(
    kind: Variance,
    map: &FeatureMap,
    sums: &Statistics,
    weight: f64,
    ridge: f64,
) -> Result<ErrorBars> {
    if ridge <= 0.0 {
        return Err(Error::parameter("ridge", ridge, "above 0, for error bars"));
    }
    let factor = sums.factor(1.0, ridge)?;
    let noise = noise(sums, weight, &factor, ridge)?;
    match map {
        FeatureMap::Random(_) => {
            Ok(ErrorBars::of_posterior(rows(&factor), &sums.mean(), sums.weight(), noise))
        }
        FeatureMap::Landmarks(nystrom) => {
            // `z = L^-1 (k - shift)`, hence `C^-1 (z - m) = (L C)^-1 (k - shift - L m)`.
            let landmarks = nystrom.factor();
            let mut mean = landmarks.lower_times(&sums.mean())?;
            mean.iter_mut().zip(nystrom.shift()).for_each(|(mean, shift)| *mean += shift);
            let both = landmarks.lower_times_lower(&factor)?;
            let bars = ErrorBars::of_posterior(rows(&both), &mean, sums.weight(), noise);
            match kind {
                Variance::SubsetOfRegressors => Ok(bars),
                _ => bars.with_unexplained(&rows(landmarks).concat(), ridge),
            }
        }
    }
}

/// The rows of a lower triangular matrix up to its diagonal.
fn rows(lower: &Cholesky) -> Vec<Vec<f64>> {
    (0..lower.n()).map(|i| (0..=i).map(|j| lower.lower_entry(i, j)).collect()).collect()
}

/// The variance of the noise, one number per output.
fn noise(sums: &Statistics, weight: f64, factor: &Cholesky, ridge: f64) -> Result<Vec<f64>> {
    let mut beta = sums.covariances_with_targets();
    factor.solve(&mut beta)?;
    let squares = sums.mean_squared(&sums.linear(&beta)?)?;
    let freedom = sums.features() as f64 - ridge * factor.inverse_diagonal().iter().sum::<f64>();
    // With the constant; where a model has nearly as many degrees of freedom as rows, its residuals say little.
    let left = weight * (1.0 - (freedom + 1.0) / weight).max(0.05);
    Ok(squares.into_iter().map(|square| sums.weight() * square / left).collect())
}
