//! Online learning in `L2` with several Gaussians and selective update (Ohnishi, Yukawa, Online learning in
//! L2 space with multiple Gaussian kernels, 2017). `O(m + active^3)` a step and kernel.
//!
//! The model is a sum of normal densities of several widths, `g_s(r) = (2 pi s^2)^(-d/2) exp(-r^2 / (2 s^2))`,
//! and the metric is that of `L2`: the inner product of two atoms is `g` at their distance with
//! `s^2 = s_i^2 + s_j^2`. Kernels are tried in the order of `widths` (widest first is meant): a sample
//! enters with the first one for which its largest coherence is below `mu0`; all but the first also ask
//! for a relative squared error above `error_ratio`. Only one atom enters, with weight 0. Then the
//! `active` atoms nearest to the sample, by value over norm, make the normalised step
//! `alpha += eta e h / (eps + k . h)`, `h = (blend G + (1 - blend) I)^-1 k`. The oldest leaves a full
//! dictionary. While the first atom is alone its metric is taken as the inverse of its squared norm, as
//! in the authors' programme; this only sets the size of the first steps.

use super::Method;
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::kernels::{Kernel, Width};
use crate::matrix::Matrix;
use crate::online::presets::Plan;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use crate::online::state::inverse::Packed;
use crate::online::state::selection::{select, solve};
use crate::online::state::step_size::sound;
use crate::online::step::Step;
use crate::simd::dot;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A sum of normal densities of several widths.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MultiGaussianL2 {
    eta: f64,
    mu0: f64,
    eps: f64,
    blend: f64,
    error_ratio: f64,
    active: usize,
    budget: usize,
    dimension: usize,
    #[serde(with = "bits")]
    widths: Vec<f64>,
    atoms: Atoms,
    #[serde(skip)]
    buffers: Buffers,
}

/// Centres, widths and weights.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Atoms {
    #[serde(with = "bits")]
    centres: Vec<f64>,
    #[serde(with = "bits")]
    widths: Vec<f64>,
    #[serde(with = "bits")]
    alpha: Vec<f64>,
}

/// Kept from step to step.
#[derive(Clone, Debug, Default)]
struct Buffers {
    squares: Vec<f64>,
    k: Vec<f64>,
    order: Vec<usize>,
    local: Packed,
    row: Vec<f64>,
    chosen: Vec<f64>,
    h: Vec<f64>,
}

/// The normal density of variance `s2` in `d` dimensions at squared distance `r2`.
fn density(r2: f64, s2: f64, d: usize) -> f64 {
    (2.0 * PI * s2).powf(-0.5 * d as f64) * (-r2 / (2.0 * s2)).exp()
}

/// Squared Euclidean distance.
fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

impl MultiGaussianL2 {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let Kernel::Gaussian { width: Width::Shared(width) } = plan.kernel else {
            let reason = "this method is for Gaussians with one width for all features";
            return Err(Error::parse("kernel", &plan.kernel.to_string(), reason));
        };
        let widths: Vec<f64> = values.numbers("widths")?.iter().map(|factor| factor * width).collect();
        if !widths.iter().all(|s| s.is_finite() && sound(density(0.0, s * s, plan.dimension))) {
            let reason = "normal densities of this width overflow in so many dimensions";
            return Err(Error::parse("kernel", &plan.kernel.to_string(), reason));
        }
        Ok(Self {
            eta: values.number("eta")?,
            mu0: values.number("mu0")?,
            eps: values.number("eps")?,
            blend: values.number("blend")?,
            error_ratio: values.number("error_ratio")?,
            active: values.count("active")?,
            budget: values.count("budget")?,
            dimension: plan.dimension,
            widths,
            atoms: Atoms::default(),
            buffers: Buffers::default(),
        })
    }

    fn len(&self) -> usize {
        self.atoms.alpha.len()
    }

    fn centre(&self, i: usize) -> &[f64] {
        &self.atoms.centres[i * self.dimension..(i + 1) * self.dimension]
    }

    /// Value of atom `i` at squared distance `r2`.
    fn value(&self, i: usize, r2: f64) -> f64 {
        density(r2, self.atoms.widths[i] * self.atoms.widths[i], self.dimension)
    }

    /// Inner product of two atoms.
    fn product(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.atoms.widths[i], self.atoms.widths[j]);
        density(square(self.centre(i), self.centre(j)), a * a + b * b, self.dimension)
    }

    /// Largest coherence of an atom of width `s` at the sample with the atoms there are.
    fn coherence(&self, s: f64, squares: &[f64]) -> f64 {
        let each = |(w, r2): (&f64, &f64)| {
            let total = s * s + w * w;
            (2.0 * s * w / total).powf(0.5 * self.dimension as f64) * (-r2 / (2.0 * total)).exp()
        };
        self.atoms.widths.iter().zip(squares).map(each).fold(0.0, f64::max)
    }

    /// The width with which the sample enters, if it does.
    fn novel(&self, squares: &[f64], prediction: f64, error: f64) -> Option<f64> {
        let wrong = error * error > self.error_ratio * prediction * prediction;
        let enters = |(q, s): (usize, &f64)| {
            let new = self.len() == 0 || self.coherence(*s, squares) < self.mu0;
            (new && (q == 0 || wrong)).then_some(*s)
        };
        self.widths.iter().enumerate().find_map(enters)
    }

    /// Lets the oldest atom go.
    fn drop_oldest(&mut self) {
        self.atoms.centres.drain(..self.dimension);
        self.atoms.widths.remove(0);
        self.atoms.alpha.remove(0);
        self.buffers.k.remove(0);
    }

    /// The normalised step of the atoms that matter most; false if it cannot be made.
    fn update(&mut self, error: f64) -> bool {
        let mut buffers = std::mem::take(&mut self.buffers);
        let Buffers { k, order, local, row, chosen, h, .. } = &mut buffers;
        // An atom's norm falls with its width as the square root of its peak does, up to a common factor.
        let norm = |i: usize| self.atoms.widths[i].powf(-0.5 * self.dimension as f64);
        let count = select(order, self.active, |i| k[i] / norm(i), self.len());
        local.clear();
        for n in 0..count {
            row.clear();
            row.extend((0..n).map(|l| self.blend * self.product(order[n], order[l])));
            let own = self.product(order[n], order[n]);
            let own = if self.len() == 1 { 1.0 / own.max(f64::MIN_POSITIVE) } else { own };
            local.push(row, self.blend * own + (1.0 - self.blend));
        }
        chosen.clear();
        chosen.extend(order[..count].iter().map(|&i| k[i]));
        let mut usable = solve(local, chosen, h);
        if usable {
            let gain = self.eta * error / (self.eps + dot(chosen, h)).max(f64::MIN_POSITIVE);
            usable = sound(gain) && h.iter().all(|h| sound(gain * h));
            if usable {
                order[..count].iter().zip(h.iter()).for_each(|(&i, h)| self.atoms.alpha[i] += gain * h);
            }
        }
        self.buffers = buffers;
        usable
    }
}

impl Method for MultiGaussianL2 {
    fn size(&self) -> usize {
        self.len()
    }

    fn output(&self, x: &[f64]) -> f64 {
        (0..self.len()).map(|i| self.atoms.alpha[i] * self.value(i, square(x, self.centre(i)))).sum()
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut buffers = std::mem::take(&mut self.buffers);
        buffers.squares.clear();
        buffers.squares.extend((0..self.len()).map(|i| square(x, self.centre(i))));
        buffers.k.clear();
        buffers.k.extend(buffers.squares.iter().enumerate().map(|(i, r2)| self.value(i, *r2)));
        let prediction = dot(&buffers.k, &self.atoms.alpha);
        let mut error = y - prediction;
        let mut step = Step { prediction, error, ..Step::default() };
        let width = self.novel(&buffers.squares, prediction, error);
        self.buffers = buffers;
        if !sound(self.eta * error) {
            return Step { refused: true, ..step };
        }
        if let Some(width) = width {
            if self.len() >= self.budget {
                error += self.atoms.alpha[0] * self.buffers.k[0];
                self.drop_oldest();
                step.evicted = 1;
            }
            self.atoms.centres.extend_from_slice(x);
            self.atoms.widths.push(width);
            self.atoms.alpha.push(0.0);
            self.buffers.k.push(density(0.0, width * width, self.dimension));
            step.admitted = true;
        }
        let usable = self.update(error);
        step.projected = usable && !step.admitted;
        step.refused = !usable;
        step
    }

    /// An expansion as long as all atoms have the same width: a density is a Gaussian kernel times its peak.
    fn snapshot(&self) -> Result<Option<Expansion>> {
        let Atoms { centres, widths, alpha } = &self.atoms;
        match widths[..] {
            [first, ref others @ ..] if others.iter().all(|width| *width == first) => {
                let peak = density(0.0, first * first, self.dimension);
                let weights = alpha.iter().map(|alpha| alpha * peak).collect();
                let centres = Matrix::from_vec(centres.clone(), alpha.len(), self.dimension)?;
                Expansion::new(Kernel::gaussian(first), centres, Matrix::column(weights)).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn memory_bytes(&self) -> usize {
        (self.atoms.centres.len() + 2 * self.len()) * size_of::<f64>()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        let m = self.len();
        crate::error::check_len("features of a saved learner", dimension, self.dimension)?;
        check_saved("weights", &self.atoms.alpha, m)?;
        check_saved("widths", &self.atoms.widths, m)?;
        check_saved("centres", &self.atoms.centres, m * dimension)?;
        if self.atoms.widths.iter().chain(&self.widths).any(|s| *s <= 0.0) {
            return Err(Error::parse("saved state of a learner", "widths", "they are not positive"));
        }
        Ok(())
    }
}
