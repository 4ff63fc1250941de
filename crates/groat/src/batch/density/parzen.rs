//! The Parzen window estimate, and its width by leave-one-out likelihood.

use super::mixture::{Density, log_norm, squared_distance};
use crate::batch::{Quiet, Watch};
use crate::error::{Error, Result};
use crate::kernels::Width;
use crate::matrix::Rows;
use rayon::prelude::*;

/// Rows beyond which the width is searched on an evenly spaced part of the data. The width found there is
/// multiplied by `(part / all)^(1 / (d + 4))`, the rate at which the best width shrinks.
const SEARCH_ROWS: usize = 4000;

/// The Parzen window estimate: a Gaussian of one width on every sample, all with weight `1 / N`.
///
/// ```
/// use groat::{Rows, batch::density::Parzen};
/// let x = [-1.2, -1.0, -0.7, 0.9, 1.0, 1.3];
/// let density = Parzen::new().fit(Rows::new(&x, 1)?)?;
/// let p = density.density(Rows::new(&[1.0, 5.0], 1)?)?;
/// assert!(p[0] > 0.3 && p[1] < 1e-3);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parzen {
    width: Option<Width>,
}

impl Parzen {
    /// Width chosen by leave-one-out likelihood.
    pub fn new() -> Self {
        Self::default()
    }

    /// A fixed width.
    pub fn width(mut self, width: impl Into<Width>) -> Self {
        self.width = Some(width.into());
        self
    }

    /// The estimate for the rows of `x`.
    pub fn fit(&self, x: Rows<'_>) -> Result<Density> {
        check_rows(x)?;
        let width = match &self.width {
            Some(width) => width.clone(),
            None => Width::Shared(likelihood_width(x)?),
        };
        Density::new(width, x.to_matrix(), vec![1.0; x.rows()])
    }
}

pub(super) fn check_rows(x: Rows<'_>) -> Result<()> {
    if x.rows() < 2 {
        return Err(Error::TooFew { what: "a density estimate", unit: "rows", needed: 2, found: x.rows() });
    }
    x.check_finite("x")
}

/// A width so many times the deviation of the rows says nothing of where they are.
const FAR: f64 = 1000.0;

/// An error for a width beside which the rows are one point.
pub(super) fn check_width(width: Option<&Width>, x: Rows<'_>) -> Result<()> {
    let Some(Width::Shared(width)) = width else { return Ok(()) };
    let spread = root_mean_variance(x);
    if *width > FAR * spread {
        let expected = format!("at most {FAR} times the deviation of the rows, which is {spread:.3}");
        return Err(Error::parameter("width", width, expected));
    }
    Ok(())
}

/// The shared width that maximises `sum_k log p_{-k}(x_k)`, where `p_{-k}` is the estimate without sample `k`.
///
/// A logarithmic grid around the rule of thumb, refined by golden section. Identical rows carry no information
/// on the width and are not counted.
pub fn likelihood_width(x: Rows<'_>) -> Result<f64> {
    likelihood_width_until(x, &Quiet)
}

/// The same, or the best width so far when a stop is requested.
pub(super) fn likelihood_width_until(x: Rows<'_>, watch: &dyn Watch) -> Result<f64> {
    check_rows(x)?;
    let stride = x.rows().div_ceil(SEARCH_ROWS);
    let part = x.select(&(0..x.rows()).step_by(stride).collect::<Vec<_>>());
    let (n, d) = (part.rows() as f64, x.cols() as f64);
    let spread = root_mean_variance(part.view());
    if spread <= 0.0 {
        return Err(Error::Numerical {
            what: "the width of a density estimate",
            reason: "all rows are equal; give a width".into(),
        });
    }
    let thumb = spread * n.powf(-1.0 / (d + 4.0));
    let score = |log_width: f64| -loo_likelihood(part.view(), log_width.exp(), watch);
    let grid: Vec<f64> = (0..17).map(|i| (thumb * 0.03).ln() + 0.25 * f64::from(i)).collect();
    let values: Vec<f64> = grid.iter().map(|&w| score(w)).collect();
    let best = (0..grid.len()).min_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(0);
    let width = match watch.stop_requested() {
        true if values.iter().all(|value| value.is_infinite()) => thumb,
        true => grid[best].exp(),
        false => golden(score, grid[best] - 0.25, grid[best] + 0.25).exp(),
    };
    Ok(width * (n / x.rows() as f64).powf(1.0 / (d + 4.0)))
}

/// Square root of the mean over features of the variance.
fn root_mean_variance(x: Rows<'_>) -> f64 {
    let n = x.rows() as f64;
    let variance = |k: usize| {
        let mean = x.iter().map(|r| r[k]).sum::<f64>() / n;
        x.iter().map(|r| (r[k] - mean).powi(2)).sum::<f64>() / n
    };
    ((0..x.cols()).map(variance).sum::<f64>() / x.cols() as f64).sqrt()
}

/// Mean leave-one-out log density at the samples that have no exact copy.
/// After a request to stop it is that of an impossible width.
fn loo_likelihood(x: Rows<'_>, width: f64, watch: &dyn Watch) -> f64 {
    let widths = vec![width; x.cols()];
    let terms: Vec<Option<f64>> = (0..x.rows())
        .into_par_iter()
        .map(|k| {
            if watch.stop_requested() {
                return None;
            }
            let exponents = (0..x.rows())
                .filter(|&i| i != k)
                .map(|i| -0.5 * squared_distance(x.row(i), x.row(k), &widths));
            let top = exponents.clone().fold(f64::NEG_INFINITY, f64::max);
            // Terms below the last bit of the largest are not worth an exponential.
            (top < 0.0).then(|| {
                top + exponents.map(|e| if e > top - 37.0 { (e - top).exp() } else { 0.0 }).sum::<f64>().ln()
            })
        })
        .collect();
    if watch.stop_requested() {
        return f64::NEG_INFINITY;
    }
    let counted = terms.iter().flatten().count().max(1) as f64;
    terms.iter().flatten().sum::<f64>() / counted - ((x.rows() - 1) as f64).ln() + log_norm(&widths)
}

/// The minimum of a unimodal function on an interval, to 1e-4.
fn golden(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let mut a = high - RATIO * (high - low);
    let mut b = low + RATIO * (high - low);
    let (mut fa, mut fb) = (f(a), f(b));
    while high - low > 1e-4 {
        if fa < fb {
            (high, b, fb) = (b, a, fa);
            a = high - RATIO * (high - low);
            fa = f(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + RATIO * (high - low);
            fb = f(b);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64;

    #[test]
    fn the_width_maximises_the_brute_force_likelihood() {
        let mut rng = Pcg64::seed_from_u64(3);
        let x: Vec<f64> = (0..120).map(|_| StandardNormal.sample(&mut rng)).collect();
        let rows = Rows::new(&x, 1).unwrap();
        let brute = |width: f64| {
            (0..x.len())
                .map(|k| {
                    let rest: Vec<f64> = (0..x.len()).filter(|&i| i != k).map(|i| x[i]).collect();
                    let p = Parzen::new().width(width).fit(Rows::new(&rest, 1).unwrap()).unwrap();
                    p.log_density(Rows::one(&x[k..=k])).unwrap()[0]
                })
                .sum::<f64>()
                / x.len() as f64
        };
        let width = likelihood_width(rows).unwrap();
        assert!((loo_likelihood(rows, width, &Quiet) - brute(width)).abs() < 1e-10);
        assert!(brute(width) >= brute(width * 1.02) && brute(width) >= brute(width / 1.02));
        // Silverman's rule for a normal sample is near.
        assert!((0.2..0.7).contains(&width), "{width}");
    }

    #[test]
    fn repeated_rows_do_not_pull_the_width_to_zero() {
        let x: Vec<f64> = (0..60).flat_map(|i| [f64::from(i % 30), f64::from(i % 30)]).collect();
        let width = likelihood_width(Rows::new(&x, 1).unwrap());
        assert!(width.is_ok_and(|w| w > 0.01));
        assert!(likelihood_width(Rows::new(&[1.0, 1.0, 1.0], 1).unwrap()).is_err());
    }
}
