//! The two densities of document 002 (C7), with the densities themselves for measuring errors.

use std::f64::consts::TAU;

use rand_distr::{Distribution, Exp1, StandardUniform, Uniform};
use rand_pcg::Pcg64;

use super::{Generator, normal, numeric_table, samples_table};

/// Half `N(2, 1)` and half the Laplacian of rate 0.7 around -2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GaussianLaplacian;

impl GaussianLaplacian {
    const RATE: f64 = 0.7;

    /// `p(x) = exp(-(x-2)^2 / 2) / (2 sqrt(2 pi)) + (0.7 / 4) exp(-0.7 |x + 2|)`.
    pub fn density(&self, x: f64) -> f64 {
        let gaussian = (-0.5 * (x - 2.0).powi(2)).exp() / TAU.sqrt();
        let laplacian = 0.5 * Self::RATE * (-Self::RATE * (x + 2.0).abs()).exp();
        0.5 * (gaussian + laplacian)
    }

    /// `n` draws.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> Vec<f64> {
        let draw = |_| {
            if StandardUniform.sample(random) {
                return 2.0 + normal(random);
            }
            let size: f64 = Exp1.sample(random);
            let sign = if StandardUniform.sample(random) { 1.0 } else { -1.0 };
            -2.0 + sign * size / Self::RATE
        };
        (0..n).map(draw).collect()
    }
}

/// The equal mixture of three Gaussians with diagonal covariances in six dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GaussianMixture;

impl GaussianMixture {
    /// Mean (of every coordinate) and variances of each part.
    const PARTS: [(f64, [f64; 6]); 3] = [
        (1.0, [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]),
        (-1.0, [2.0, 1.0, 2.0, 1.0, 2.0, 1.0]),
        (0.0, [2.0, 1.0, 2.0, 1.0, 2.0, 1.0]),
    ];

    /// The density at a point.
    pub fn density(&self, x: &[f64; 6]) -> f64 {
        let part = |(mean, variances): &(f64, [f64; 6])| {
            let terms = x.iter().zip(variances);
            terms.map(|(x, v)| (-0.5 * (x - mean).powi(2) / v).exp() / (TAU * v).sqrt()).product::<f64>()
        };
        Self::PARTS.iter().map(part).sum::<f64>() / 3.0
    }

    /// `n` draws.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> Vec<[f64; 6]> {
        let draw = |_| {
            let pick = Uniform::new(0, 3).map_or(0, |range| range.sample(random));
            let (mean, variances) = Self::PARTS[pick];
            variances.map(|variance: f64| mean + variance.sqrt() * normal(random))
        };
        (0..n).map(draw).collect()
    }
}

pub(super) const ONE_DIMENSION: Generator = Generator {
    name: "mixture-1d",
    about: "draws from a Gaussian and a Laplacian, for density estimates (C7)",
    settings: &[],
    rows: 100,
    make: |_, rows, random| numeric_table([("x", GaussianLaplacian.samples(rows, random))]),
};

pub(super) const SIX_DIMENSIONS: Generator = Generator {
    name: "mixture-6d",
    about: "draws from three Gaussians in six dimensions, for density estimates (C7)",
    settings: &[],
    rows: 600,
    make: |_, rows, random| {
        let rows: Vec<Vec<f64>> = GaussianMixture.samples(rows, random).iter().map(|x| x.to_vec()).collect();
        samples_table(&rows, None)
    },
};
