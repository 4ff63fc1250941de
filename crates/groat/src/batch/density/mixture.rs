//! Density estimates as mixtures of Gaussians that share their widths.

use crate::data::Standardisation;
use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::gram;
use crate::kernels::{Kernel, Width};
use crate::matrix::{Matrix, Rows};
use crate::model::{Model, Record, Task};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// `p(x) = sum_i b_i N(x; c_i, diag(width^2))` with `b_i >= 0` and `sum b_i = 1`.
///
/// Both the Parzen estimate (every sample a centre, equal weights) and the sparse estimate are of this kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Density {
    widths: Vec<f64>,
    centres: Matrix,
    weights: Vec<f64>,
}

/// A density below this is computed anew on the logarithmic scale, where it does not underflow.
const TINY: f64 = 1e-280;

impl Density {
    /// A mixture with the given widths (one, or one per feature), centres and weights; the weights are scaled
    /// to sum to one.
    pub fn new(width: Width, centres: Matrix, mut weights: Vec<f64>) -> Result<Self> {
        Kernel::gaussian(width.clone()).check_for(centres.cols())?;
        check_len("weights of a density", centres.rows(), weights.len())?;
        centres.view().check_finite("centres of a density")?;
        if let Some(bad) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::parameter("weight", bad, "a finite number, 0 or above"));
        }
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return Err(Error::parameter("weights", "all 0", "at least one above 0"));
        }
        weights.iter_mut().for_each(|w| *w /= total);
        let widths = match width {
            Width::Shared(w) => vec![w; centres.cols()],
            Width::PerFeature(w) => w,
        };
        Ok(Self { widths, centres, weights })
    }

    /// The mixture that a density model stands for, in the units of its raw features.
    pub fn from_model(model: &Model) -> Result<Self> {
        let function = model.require_expansion("a density estimate with Gaussian kernels")?;
        let (Task::Density, Kernel::Gaussian { width }) = (model.task(), function.kernel()) else {
            return Err(Error::parameter(
                "model",
                model.task().name(),
                "a density estimate with Gaussian kernels",
            ));
        };
        let weights = function.weights().data().to_vec();
        let density = Self::new(width.clone(), function.vectors().to_matrix(), weights)?;
        Ok(match model.standardisation() {
            Some(standardisation) => density.unstandardised(standardisation),
            None => density,
        })
    }

    /// The density as a model with the given record: weights are multiplied with the height of the normalised kernel.
    pub fn to_model(&self, record: Record) -> Result<Model> {
        let height = self.log_norm().exp();
        let weights = Matrix::column(self.weights.iter().map(|w| w * height).collect());
        let function = Expansion::new(self.kernel(), self.centres.clone(), weights)?;
        Ok(Model::new(function).with_task(Task::Density)?.with_record(record))
    }

    /// The density of raw features, given this one of standardised features: `z = (x - mean) / scale`.
    fn unstandardised(mut self, standardisation: &Standardisation) -> Self {
        let (mean, scale) = (standardisation.mean(), standardisation.scale());
        self.widths.iter_mut().zip(scale).for_each(|(w, s)| *w *= s);
        for i in 0..self.centres.rows() {
            for ((c, m), s) in self.centres.row_mut(i).iter_mut().zip(mean).zip(scale) {
                *c = *c * s + m;
            }
        }
        self
    }

    /// Standard deviation of the kernels, one per feature.
    pub fn widths(&self) -> &[f64] {
        &self.widths
    }

    /// The centres, one row each.
    pub fn centres(&self) -> &Matrix {
        &self.centres
    }

    /// The mixing weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The kernel `exp(-r^2 / (2 width^2))`, which is not normalised.
    pub fn kernel(&self) -> Kernel {
        match self.widths.split_first() {
            Some((first, rest)) if rest.iter().all(|w| w == first) => Kernel::gaussian(*first),
            _ => Kernel::gaussian(self.widths.clone()),
        }
    }

    /// Logarithm of the factor that makes the kernel integrate to one: `-sum_k log(width_k sqrt(2 pi))`.
    pub fn log_norm(&self) -> f64 {
        log_norm(&self.widths)
    }

    /// `log p(x)` of every row; finite also where `p` itself would underflow.
    pub fn log_density(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        check_len("features per row", self.widths.len(), x.cols())?;
        x.check_finite("x")?;
        let weights = Matrix::column(self.weights.clone());
        let sums = gram::weighted_sum(&self.kernel(), x, self.centres.view(), weights.view())?;
        let norm = self.log_norm();
        Ok(sums
            .data()
            .iter()
            .zip(x.iter())
            .map(|(s, x)| norm + if *s > TINY { s.ln() } else { self.log_sum(x) })
            .collect())
    }

    /// `p(x)` of every row.
    pub fn density(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        Ok(self.log_density(x)?.into_iter().map(f64::exp).collect())
    }

    /// `log sum_i b_i exp(-r_i^2 / 2)` with the largest term taken out.
    fn log_sum(&self, x: &[f64]) -> f64 {
        let exponents: Vec<f64> = self
            .centres
            .view()
            .iter()
            .zip(&self.weights)
            .map(|(c, b)| b.ln() - 0.5 * squared_distance(x, c, &self.widths))
            .collect();
        let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + exponents.iter().map(|e| (e - top).exp()).sum::<f64>().ln()
    }

    /// `n` independent draws.
    pub fn sample(&self, n: usize, rng: &mut impl Rng) -> Matrix {
        let mut cumulative = Vec::with_capacity(self.weights.len());
        let mut total = 0.0;
        for w in &self.weights {
            total += w;
            cumulative.push(total);
        }
        let mut out = Matrix::zeros(n, self.widths.len());
        for i in 0..n {
            let u = rng.random::<f64>() * total;
            let centre = cumulative.partition_point(|c| *c <= u).min(self.weights.len() - 1);
            for (k, out) in out.row_mut(i).iter_mut().enumerate() {
                let z: f64 = StandardNormal.sample(rng);
                *out = self.centres[(centre, k)] + self.widths[k] * z;
            }
        }
        out
    }
}

/// `-sum_k log(width_k sqrt(2 pi))`.
pub(super) fn log_norm(widths: &[f64]) -> f64 {
    -widths.iter().map(|w| w.ln() + 0.5 * std::f64::consts::TAU.ln()).sum::<f64>()
}

/// `sum_k ((x_k - y_k) / width_k)^2`.
pub(super) fn squared_distance(x: &[f64], y: &[f64], widths: &[f64]) -> f64 {
    x.iter().zip(y).zip(widths).map(|((x, y), w)| ((x - y) / w).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    fn example() -> Density {
        let centres = Matrix::from_vec(vec![-1.0, 0.0, 2.0, 1.0], 2, 2).unwrap();
        Density::new(Width::PerFeature(vec![0.5, 1.5]), centres, vec![1.0, 3.0]).unwrap()
    }

    #[test]
    fn integrates_to_one_and_agrees_with_the_formula() {
        let density = example();
        let step = 0.05;
        let grid: Vec<f64> = (0..320)
            .flat_map(|i| (0..320).flat_map(move |j| [i as f64 * step - 8.0, j as f64 * step - 8.0]))
            .collect();
        let p = density.density(Rows::new(&grid, 2).unwrap()).unwrap();
        assert!((p.iter().sum::<f64>() * step * step - 1.0).abs() < 1e-5);
        let gauss = |z: f64, w: f64| (-0.5 * (z / w).powi(2)).exp() / (w * std::f64::consts::TAU.sqrt());
        let want = 0.25 * gauss(1.3, 0.5) * gauss(0.2, 1.5) + 0.75 * gauss(-1.7, 0.5) * gauss(-0.8, 1.5);
        let got = density.density(Rows::one(&[0.3, 0.2])).unwrap()[0];
        assert!((got - want).abs() < 1e-14);
    }

    #[test]
    fn a_standardised_model_is_a_density_of_raw_features() {
        let density = example();
        let standardisation = Standardisation::new(vec![3.0, -1.0], vec![2.0, 0.1]).unwrap();
        let model = density.to_model(Record::default()).unwrap();
        assert_eq!(Density::from_model(&model).unwrap(), density);
        let raw = Density::from_model(&model.with_standardisation(Some(standardisation)).unwrap()).unwrap();
        // p(x) = p(z) / (s_1 s_2) at x = m + s z.
        let (z, x) = ([0.3, 0.2], [3.6, -0.98]);
        let want = density.log_density(Rows::one(&z)).unwrap()[0] - 0.2f64.ln();
        assert!((raw.log_density(Rows::one(&x)).unwrap()[0] - want).abs() < 1e-12);
        let values = raw.to_model(Record::default()).unwrap().values(Rows::one(&x)).unwrap();
        assert!((values[(0, 0)].ln() - want).abs() < 1e-12);
        let other = Expansion::new(Kernel::gaussian(1.0), Matrix::zeros(1, 1), Matrix::zeros(1, 1)).unwrap();
        assert!(Density::from_model(&Model::new(other)).is_err());
    }

    #[test]
    fn far_away_the_logarithm_stays_finite() {
        let far = example().log_density(Rows::one(&[1e3, 0.0])).unwrap()[0];
        // The nearer centre at x = 2 dominates: (998 / 0.5)^2 / 2.
        assert!((far + 1_992_008.0).abs() < 10.0, "{far}");
    }

    #[test]
    fn draws_have_the_moments_of_the_mixture() {
        let density = example();
        let draws = density.sample(200_000, &mut Pcg64::seed_from_u64(1));
        let mean = draws.column_to_vec(0).iter().sum::<f64>() / 200_000.0;
        let square = draws.column_to_vec(0).iter().map(|v| v * v).sum::<f64>() / 200_000.0;
        assert!((mean - 1.25).abs() < 0.02);
        assert!((square - (0.25 + 0.25 * 1.0 + 0.75 * 4.0)).abs() < 0.04);
    }

    #[test]
    fn nonsense_is_refused() {
        let one = || Matrix::from_vec(vec![0.0], 1, 1).unwrap();
        assert!(Density::new(Width::Shared(0.0), one(), vec![1.0]).is_err());
        assert!(Density::new(Width::Shared(1.0), one(), vec![-1.0]).is_err());
        assert!(Density::new(Width::Shared(1.0), one(), vec![0.0]).is_err());
        assert!(Density::new(Width::Shared(1.0), one(), vec![1.0, 1.0]).is_err());
    }
}
