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

use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::online::bits;
use crate::online::dictionary::Dictionary;
use crate::online::filter::{Filter, sound, with_scratch};
use crate::online::inverse::{InverseGram, Packed};
use crate::online::presets::Plan;
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

    /// Back to the prior.
    fn forget(&mut self) {
        if self.lambda < 1.0 {
            self.sigma.blend(self.lambda, self.inverse.gram(), 1.0 - self.lambda);
            let root = self.lambda.sqrt();
            self.mu.iter_mut().chain(&mut self.dictionary.alpha).for_each(|value| *value *= root);
        }
    }

    /// Which vector a new one would push out: `None` for the new one itself. With the inverse grown on
    /// paper, `(Q mu)_i` becomes `a_i + q_i t` and `Q_ii + q_i^2 / s`, where `t = (q . mu - mean) / s`.
    fn least(&mut self, q: &[f64], residual: f64, mean: f64) -> Option<usize> {
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

    /// Takes the sample into the dictionary; `mean` is the posterior mean there, `h` and `variance` its row
    /// of the posterior covariance.
    fn admit(
        &mut self,
        x: &[f64],
        kxx: f64,
        residual: f64,
        mean: f64,
        buffers: &Buffers,
        variance: f64,
        shrink: f64,
    ) {
        self.inverse.grow(&buffers.k, kxx, &buffers.q, residual);
        self.mu.push(mean);
        // The row was computed before the sample was seen: h - h v / sy2 = h (1 - v / sy2).
        self.sigma.push_scaled(&buffers.h, shrink, variance * shrink);
        self.dictionary.push(x, 0.0, kxx);
    }

    /// Drops vector `r`.
    fn remove(&mut self, r: usize, column: &mut [f64]) {
        self.inverse.shrink(r, column);
        self.mu.remove(r);
        self.sigma.remove(r);
        self.dictionary.remove(r);
    }
}

impl Filter for KrlsTracker {
    fn size(&self) -> usize {
        self.dictionary.len()
    }

    fn output(&self, x: &[f64]) -> f64 {
        self.dictionary.output(x)
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let m = self.size();
        let mut buffers = std::mem::take(&mut self.buffers);
        buffers.resize(m);
        let Buffers { k, q, h, column } = &mut buffers;
        self.dictionary.row(x, k);
        let kxx = self.dictionary.diag(x);
        let prediction = dot(k, &self.dictionary.alpha);
        let residual = self.inverse.solve(k, kxx, q).max(0.0);
        self.sigma.multiply(q, h);
        let std = self.spread(residual, dot(h, q)).map(f64::sqrt);
        let mut step = Step { prediction, error: y - prediction, std, ..Step::default() };
        if !(sound(step.error) && kxx.is_finite() && residual.is_finite()) {
            step.refused = true;
            self.buffers = buffers;
            return step;
        }
        self.forget();
        // K Q k = k, so the row of the forgotten covariance needs no second product.
        if self.lambda < 1.0 {
            h.iter_mut().zip(k.iter()).for_each(|(h, k)| *h = self.lambda * *h + (1.0 - self.lambda) * k);
        }
        let mean = dot(q, &self.mu);
        let variance = (residual + dot(h, q)).max(0.0);
        let noisy = self.sn2 + variance;
        let error = y - mean;
        let weight = if m == 0 { 1.0 } else { self.lambda };
        self.scale[0] += weight * error * error / noisy;
        self.scale[1] += weight;
        axpy(error / noisy, h, &mut self.mu);
        self.sigma.rank_one(-1.0 / noisy, h);
        self.inverse.inverse().multiply(&self.mu, column);
        self.dictionary.alpha.copy_from_slice(&column[..m]);
        let new_mean = mean + error / noisy * variance;
        let redundant = m > 0 && residual < self.jitter.max(f64::EPSILON * kxx);
        let leaves =
            if !redundant && m >= self.budget { self.least(&buffers.q, residual, new_mean) } else { None };
        if !redundant && (m < self.budget || leaves.is_some()) {
            self.admit(x, kxx, residual, new_mean, &buffers, variance, 1.0 - variance / noisy);
            buffers.column.resize(m + 1, 0.0);
            if let Some(r) = leaves {
                self.remove(r, &mut buffers.column);
                step.evicted = 1;
            }
            let m = self.size();
            self.inverse.inverse().multiply(&self.mu, &mut buffers.column);
            self.dictionary.alpha.copy_from_slice(&buffers.column[..m]);
            step.admitted = true;
        } else {
            step.projected = true;
        }
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
