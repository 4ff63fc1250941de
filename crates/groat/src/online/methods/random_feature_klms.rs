//! Kernel LMS on random Fourier features (Rahimi, Recht, Random features for large-scale kernel machines,
//! 2007; Singh, Ahuja, Moulin, Online learning with kernels: overcoming the growing sum problem, 2012).
//! `O(D d)` a step, whatever the length of the stream.
//!
//! `z_i(x) = sqrt(2 / D) cos(omega_i . x + phase_i)` has `z(x) . z(y)` near `k(x, y)`; the method is LMS on
//! `z`, `w += eta e z` or, normalised, `w += eta e z / (eps + |z|^2)`. Frequencies are drawn from the kernel's spectral density, which is normal for the
//! Gaussian and Student's t with 1, 3 and 5 degrees of freedom for the Laplacian and the Matern kernels,
//! or given.

use super::Method;
use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::kernels::{Kernel, Width};
use crate::online::presets::Plan;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use crate::online::state::scratch::with_scratch;
use crate::online::state::step_size::{normalised, sound};
use crate::online::step::Step;
use crate::simd::{axpy, dot};
use rand::{RngExt, SeedableRng};
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// LMS on random features.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RandomFeatureKlms {
    eta: f64,
    /// Regulariser of the normalised step; `None` for the plain one.
    eps: Option<f64>,
    dimension: usize,
    /// One row per feature.
    #[serde(with = "bits")]
    frequencies: Vec<f64>,
    #[serde(with = "bits")]
    phases: Vec<f64>,
    #[serde(with = "bits")]
    weights: Vec<f64>,
    #[serde(skip)]
    z: Vec<f64>,
}

/// Degrees of freedom of the spectral density, infinite for the normal one.
fn freedom(kernel: &Kernel) -> Result<f64> {
    match kernel {
        Kernel::Gaussian { .. } => Ok(f64::INFINITY),
        Kernel::Laplacian { .. } => Ok(1.0),
        Kernel::Matern32 { .. } => Ok(3.0),
        Kernel::Matern52 { .. } => Ok(5.0),
        other => Err(Error::parse(
            "kernel",
            &other.to_string(),
            "random features are for gaussian, laplacian, matern32 and matern52",
        )),
    }
}

/// Draws `count` frequencies and phases for a kernel.
fn draw(kernel: &Kernel, dimension: usize, count: usize, seed: u64) -> Result<(Vec<f64>, Vec<f64>)> {
    let freedom = freedom(kernel)?;
    let width = |k: usize| match kernel.width() {
        Some(Width::Shared(width)) => *width,
        Some(Width::PerFeature(widths)) => widths[k],
        None => 1.0,
    };
    let spread = if freedom.is_finite() { ChiSquared::new(freedom).ok() } else { None };
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut frequencies = Vec::with_capacity(count * dimension);
    for _ in 0..count {
        let scale = spread.map_or(1.0, |chi: ChiSquared<f64>| (freedom / chi.sample(&mut rng)).sqrt());
        for k in 0..dimension {
            let normal: f64 = StandardNormal.sample(&mut rng);
            frequencies.push(scale * normal / width(k));
        }
    }
    let phases = (0..count).map(|_| TAU * rng.random::<f64>()).collect();
    Ok((frequencies, phases))
}

impl RandomFeatureKlms {
    /// All weights 0.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let given = values.text("frequencies")? != "drawn" || values.text("phases")? != "drawn";
        let (frequencies, phases) = if given {
            let phases = values.numbers("phases")?;
            if values.is_given("features") && values.count("features")? != phases.len() {
                let expected = "as many as there are phases, where frequencies are given";
                return Err(Error::parameter("features", values.text("features")?, expected));
            }
            (values.numbers("frequencies")?, phases)
        } else {
            let count = values.count("features")?;
            draw(plan.kernel, plan.dimension, count, values.count("seed")? as u64)?
        };
        if phases.is_empty() {
            return Err(Error::parameter("phases", 0, "at least one"));
        }
        check_len("frequencies, one row per phase", phases.len() * plan.dimension, frequencies.len())?;
        if frequencies.iter().any(|f| !sound(*f)) {
            return Err(Error::parameter(
                "frequencies",
                "infinite",
                "finite numbers; is the width too small?",
            ));
        }
        Ok(Self {
            eta: values.number("eta")?,
            eps: values.normaliser()?,
            dimension: plan.dimension,
            weights: vec![0.0; phases.len()],
            frequencies,
            phases,
            z: Vec::new(),
        })
    }

    /// The features of `x`, into `z`.
    fn features(&self, x: &[f64], z: &mut [f64]) {
        let scale = (2.0 / self.phases.len() as f64).sqrt();
        let rows = self.frequencies.chunks_exact(self.dimension);
        for ((z, omega), phase) in z.iter_mut().zip(rows).zip(&self.phases) {
            let angle = dot(omega, x) + phase;
            // Beyond the range of finite angles a feature has no value.
            *z = if angle.is_finite() { scale * angle.cos() } else { 0.0 };
        }
    }
}

impl Method for RandomFeatureKlms {
    fn size(&self) -> usize {
        self.phases.len()
    }

    fn output(&self, x: &[f64]) -> f64 {
        with_scratch(self.phases.len(), |z| {
            self.features(x, z);
            dot(z, &self.weights)
        })
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut z = std::mem::take(&mut self.z);
        z.resize(self.phases.len(), 0.0);
        self.features(x, &mut z);
        let prediction = dot(&z, &self.weights);
        let error = y - prediction;
        let gain = normalised(self.eta, self.eps, dot(&z, &z)) * error;
        let usable = sound(gain);
        if usable {
            axpy(gain, &z, &mut self.weights);
        }
        self.z = z;
        Step { prediction, error, projected: usable, refused: !usable, ..Step::default() }
    }

    /// Features are no kernel expansion.
    fn snapshot(&self) -> Result<Option<Expansion>> {
        Ok(None)
    }

    fn is_expansion(&self) -> bool {
        false
    }

    fn memory_bytes(&self) -> usize {
        (self.frequencies.len() + self.phases.len() + self.weights.len()) * size_of::<f64>()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_len("features of a saved learner", dimension, self.dimension)?;
        check_saved("phases", &self.phases, self.phases.len().max(1))?;
        check_saved("weights", &self.weights, self.phases.len())?;
        check_saved("frequencies", &self.frequencies, self.phases.len() * dimension)
    }
}
