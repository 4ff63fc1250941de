//! KRLS tracker: a Gaussian process on a budget that forgets (Van Vaerenbergh, Lazaro-Gredilla, Santamaria,
//! Kernel recursive least-squares tracker for time-varying regression, 2012, algorithm 1).
//!
//! The posterior of the outputs at the vectors is `N(mu, s02 Sigma)`; with `Q = (K + jitter I)^-1` the mean
//! elsewhere is `k . Q mu` and the variance of the noisy output
//! `s02 (sn2 + k(x,x) + jitter + k^T (Q Sigma Q - Q) k)`. A step forgets towards the prior,
//! `Sigma <- lambda Sigma + (1 - lambda) K`, `mu <- sqrt(lambda) mu`; takes the sample in; and when there are
//! more than `budget` vectors drops the one whose loss changes the mean least, `|(Q mu)_i / Q_ii|`. `O(m^2)`.
//!
//! Use it where the function drifts or an error bar is wanted. Memory: three triangles of `m^2 / 2`.

use super::Method;
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::online::presets::Plan;
use crate::online::state::bits;
use crate::online::state::dictionary::Dictionary;
use crate::online::state::inverse::{InverseGram, Packed};
use crate::online::state::scratch::with_scratch;
use crate::online::state::step_size::sound;
use crate::online::step::{Reading, Step};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// The tracker. The weights of the dictionary are `Q mu`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KrlsTracker {
    lambda: f64,
    sn2: f64,
    jitter: f64,
    budget: usize,
    dictionary: Dictionary,
    inverse: InverseGram,
    #[serde(with = "bits")]
    mu: Vec<f64>,
    sigma: Packed,
    /// Maximum-likelihood scale of the process: a ratio of two sums.
    scale: [f64; 2],
    #[serde(skip)]
    buffers: Buffers,
}

/// The posterior at a sample; `shrink` is what seeing its target made of its row of the covariance.
#[derive(Debug)]
struct Posterior {
    mean: f64,
    variance: f64,
    shrink: f64,
}

/// Kept from step to step.
#[derive(Clone, Debug, Default)]
struct Buffers {
    k: Vec<f64>,
    q: Vec<f64>,
    h: Vec<f64>,
    column: Vec<f64>,
}

impl KrlsTracker {
    /// From the settings.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let jitter = plan.values.number("jitter")?;
        Ok(Self {
            lambda: plan.values.number("lambda")?,
            sn2: plan.values.number("sn2")?,
            jitter,
            budget: plan.values.count("budget")?,
            dictionary: Dictionary::new(plan.kernel, plan.dimension)?,
            inverse: InverseGram::new(jitter),
            mu: Vec::new(),
            sigma: Packed::default(),
            scale: [0.0; 2],
            buffers: Buffers::default(),
        })
    }

    /// Variance of the noisy output from the residual and `h . q`; before the first sample there is no scale.
    fn spread(&self, residual: f64, explained: f64) -> Option<f64> {
        let [sum, weight] = self.scale;
        (weight > 0.0).then(|| sum / weight * (self.sn2 + (residual + explained).max(0.0)))
    }

    /// Back to the prior, the row `h = Sigma q` with it: `K q = K Q k = k`, so it needs no second product.
    fn forget(&mut self, k: &[f64], h: &mut [f64]) {
        if self.lambda < 1.0 {
            self.sigma.blend(self.lambda, self.inverse.gram(), 1.0 - self.lambda);
            h.iter_mut().zip(k).for_each(|(h, k)| *h = self.lambda * *h + (1.0 - self.lambda) * k);
            let root = self.lambda.sqrt();
            self.mu.iter_mut().for_each(|value| *value *= root);
        }
    }

    /// The posterior at the vectors given the target, and its mean and variance at the sample.
    fn observe(&mut self, y: f64, residual: f64, buffers: &Buffers) -> Posterior {
        let Buffers { q, h, .. } = buffers;
        let mean = dot(q, &self.mu);
        let variance = (residual + dot(h, q)).max(0.0);
        let noisy = self.sn2 + variance;
        let error = y - mean;
        let weight = if self.mu.is_empty() { 1.0 } else { self.lambda };
        self.scale[0] += weight * error * error / noisy;
        self.scale[1] += weight;
        axpy(error / noisy, h, &mut self.mu);
        self.sigma.rank_one(-1.0 / noisy, h);
        self.solve_weights();
        Posterior { mean: mean + error / noisy * variance, variance, shrink: 1.0 - variance / noisy }
    }

    /// The weights `Q mu` after `mu` or `Q` changed.
    fn solve_weights(&mut self) {
        self.inverse.inverse().multiply(&self.mu, &mut self.dictionary.alpha);
    }

    /// Which vector a new one would push out: `None` for the new one itself. With the inverse grown on
    /// paper, `(Q mu)_i` becomes `a_i + q_i t` and `Q_ii + q_i^2 / s`, where `t = (q . mu - mean) / s`.
    fn least(&self, q: &[f64], residual: f64, mean: f64) -> Option<usize> {
        let t = (dot(q, &self.mu) - mean) / residual;
        let (mut least, mut at) = ((t * residual).abs(), None);
        for (i, (q, alpha)) in q.iter().zip(&self.dictionary.alpha).enumerate().rev() {
            let diagonal = self.inverse.inverse().diagonal(i) + q * q / residual;
            let loss = ((alpha + q * t) / diagonal).abs();
            if loss <= least {
                (least, at) = (loss, Some(i));
            }
        }
        at
    }

    /// Takes the sample into the dictionary unless it adds nothing, and lets another vector leave a full one.
    fn revise(
        &mut self,
        x: &[f64],
        kxx: f64,
        residual: f64,
        at: &Posterior,
        buffers: &mut Buffers,
        step: &mut Step,
    ) {
        let m = self.size();
        let redundant = m > 0 && residual < self.jitter.max(f64::EPSILON * kxx);
        let full = m >= self.budget;
        let leaves = if full && !redundant { self.least(&buffers.q, residual, at.mean) } else { None };
        if redundant || full && leaves.is_none() {
            step.projected = true;
            return;
        }
        self.inverse.grow(&buffers.k, kxx, &buffers.q, residual);
        self.mu.push(at.mean);
        // Its row of the covariance was computed before the target was seen: h - h v / (sn2 + v).
        self.sigma.push_scaled(&buffers.h, at.shrink, at.variance * at.shrink);
        self.dictionary.push(x, 0.0, kxx);
        step.admitted = true;
        if let Some(r) = leaves {
            buffers.column.resize(m + 1, 0.0);
            self.remove(r, &mut buffers.column);
            step.evicted = 1;
        }
        self.solve_weights();
    }

    /// One step, with the buffers lent out.
    fn learn(&mut self, x: &[f64], y: f64, buffers: &mut Buffers) -> Step {
        buffers.resize(self.size());
        let Buffers { k, q, h, .. } = buffers;
        self.dictionary.row(x, k);
        let kxx = self.dictionary.diag(x);
        let prediction = dot(k, &self.dictionary.alpha);
        let residual = self.inverse.solve(k, kxx, q).max(0.0);
        self.sigma.multiply(q, h);
        let std = self.spread(residual, dot(h, q)).map(f64::sqrt);
        let mut step = Step { prediction, error: y - prediction, std, ..Step::default() };
        if sound(step.error) && kxx.is_finite() && residual.is_finite() {
            self.forget(k, h);
            let posterior = self.observe(y, residual, buffers);
            self.revise(x, kxx, residual, &posterior, buffers, &mut step);
        } else {
            step.refused = true;
        }
        step
    }

    /// Drops vector `r`.
    fn remove(&mut self, r: usize, column: &mut [f64]) {
        self.inverse.shrink(r, column);
        self.mu.remove(r);
        self.sigma.remove(r);
        self.dictionary.remove(r);
    }
}

impl Method for KrlsTracker {
    fn size(&self) -> usize {
        self.dictionary.len()
    }

    fn output(&self, x: &[f64]) -> f64 {
        self.dictionary.output(x)
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut buffers = std::mem::take(&mut self.buffers);
        let step = self.learn(x, y, &mut buffers);
        self.buffers = buffers;
        step
    }

    fn variance(&self, x: &[f64]) -> Option<f64> {
        let m = self.size();
        with_scratch(3 * m, |buffer| {
            let (k, rest) = buffer.split_at_mut(m);
            let (q, h) = rest.split_at_mut(m);
            self.dictionary.row(x, k);
            let residual = self.inverse.solve(k, self.dictionary.diag(x), q);
            self.sigma.multiply(q, h);
            self.spread(residual, dot(h, q))
        })
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        self.dictionary.snapshot()
    }

    fn memory_bytes(&self) -> usize {
        let mu = size_of_val(self.mu.as_slice());
        self.dictionary.memory_bytes() + self.inverse.memory_bytes() + self.sigma.memory_bytes() + mu
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        let [sum, weight] = self.scale;
        let scale = if weight > 0.0 { sum / weight } else { 0.0 };
        readings.push(Reading::new(
            "scale",
            scale,
            "maximum-likelihood variance of the process, in units of the kernel",
        ));
        self.inverse.diagnostics(readings);
    }

    fn check(&self, dimension: usize) -> Result<()> {
        let m = self.size();
        self.dictionary.check(dimension)?;
        self.inverse.check(m)?;
        self.sigma.check(m)?;
        let sound = self.mu.len() == m && self.mu.iter().chain(&self.scale).all(|value| value.is_finite());
        if sound {
            Ok(())
        } else {
            Err(Error::parse("saved state of a learner", "mu", "it does not fit the dictionary"))
        }
    }
}

impl Buffers {
    fn resize(&mut self, m: usize) {
        for buffer in [&mut self.k, &mut self.q, &mut self.h, &mut self.column] {
            buffer.resize(m, 0.0);
        }
    }
}
