//! The KRLS tracker of [`krls_tracker`](crate::online::methods::krls_tracker) in the space of weights, where a step is cheaper.
//!
//! With `Q = (K + jitter I)^-1` the posterior at the vectors, mean `mu` and covariance `Sigma`, is kept as the weights
//! `alpha = Q mu` and the matrix `C = Q Sigma Q - Q` (Csato, Opper, Sparse on-line Gaussian processes, 2002, section 2): the
//! mean elsewhere is `k . alpha`, the variance `k(x,x) + k^T C k`. Forgetting, `Sigma <- lambda Sigma + (1 - lambda) K` and
//! `mu <- sqrt(lambda) mu`, is then `C <- lambda C` and `alpha <- sqrt(lambda) alpha`. A target moves both along
//! `s = C k + q`, `q = Q k`, or along `(C k, 1)` if its sample enters (section 3.1 there). A vector `r` that leaves
//! a full dictionary is projected on the others: with `p = -Q_r / Q_rr`, `alpha <- alpha + alpha_r p` and
//! `C <- C + C_r p^T + p C_r^T + C_rr p p^T` (section 3.2). The new vector takes its place, so that a step is two
//! products and two sweeps over triangles, and no weights are solved for. `Q` alone sums up rounding errors; it is
//! computed afresh after every [`REFRESH`] exchanges.

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::online::state::dictionary::Dictionary;
use crate::online::state::inverse::Packed;
use crate::online::state::step_size::sound;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// On the diagonal of the Gram matrix; a sample with a smaller residual does not enter.
const JITTER: f64 = 1e-6;
/// A kernel value below this is 0: products of such values would be subnormal numbers, on which a processor takes many
/// times as long, and far rows after an outlier are full of them.
const TINY: f64 = 1e-100;
/// Exchanges from one computation of `Q` from the vectors to the next.
const REFRESH: u64 = 512;

/// What a tracker assumes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Assumptions {
    /// Forgetting factor.
    pub lambda: f64,
    /// Variance of the noise, in units of the kernel.
    pub sn2: f64,
    /// Most vectors.
    pub budget: usize,
}

/// Weights, `Q` and `C` of a budgeted Gaussian process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tracker {
    assumed: Assumptions,
    dictionary: Dictionary,
    inverse: Packed,
    covariance: Packed,
    exchanges: u64,
    #[serde(skip)]
    buffers: Buffers,
}

/// Kept from step to step.
#[derive(Clone, Debug, Default)]
struct Buffers {
    k: Vec<f64>,
    q: Vec<f64>,
    s: Vec<f64>,
    p: Vec<f64>,
    w: Vec<f64>,
    vector: Vec<f64>,
    fresh: Packed,
}

/// A sample on its way in: the residual beyond the span, what its target moves weights by, the noisy variance.
#[derive(Clone, Copy)]
struct Sample {
    residual: f64,
    gain: f64,
    noisy: f64,
}

impl Tracker {
    /// One without experience.
    pub fn new(kernel: &Kernel, dimension: usize, assumed: Assumptions) -> Result<Self> {
        Ok(Self {
            assumed,
            dictionary: Dictionary::new(kernel, dimension)?,
            inverse: Packed::default(),
            covariance: Packed::default(),
            exchanges: 0,
            buffers: Buffers::default(),
        })
    }

    /// Vectors.
    pub fn size(&self) -> usize {
        self.dictionary.len()
    }

    /// The output at `x`.
    pub fn output(&self, x: &[f64]) -> f64 {
        self.dictionary.output(x)
    }

    /// Learns from a sample; returns the output before that.
    pub fn step(&mut self, x: &[f64], y: f64) -> f64 {
        let mut buffers = std::mem::take(&mut self.buffers);
        let output = self.learn(x, y, &mut buffers);
        self.buffers = buffers;
        output
    }

    fn learn(&mut self, x: &[f64], y: f64, buffers: &mut Buffers) -> f64 {
        buffers.resize(self.size());
        let Buffers { k, q, s, .. } = buffers;
        self.dictionary.row(x, k);
        let kxx = self.dictionary.diag(x);
        let output = dot(k, &self.dictionary.alpha);
        k.iter_mut().filter(|k| k.abs() < TINY).for_each(|k| *k = 0.0);
        self.inverse.multiply(k, q);
        self.covariance.multiply(k, s);
        let residual = (kxx + JITTER - dot(q, k)).max(0.0);
        if !sound(y - output) || !kxx.is_finite() || !residual.is_finite() {
            return output;
        }
        let Assumptions { lambda, sn2, budget } = self.assumed;
        let root = lambda.sqrt();
        s.iter_mut().for_each(|s| *s *= lambda);
        self.dictionary.decay(root);
        let noisy = sn2 + (kxx + JITTER + dot(s, k)).max(0.0);
        let sample = Sample { residual, gain: (y - root * output) / noisy, noisy };
        let redundant = self.size() > 0 && residual < JITTER.max(f64::EPSILON * kxx);
        if redundant {
            self.project(sample, buffers);
        } else if self.size() < budget {
            self.admit(x, kxx, sample, buffers);
        } else if let Some(r) = self.least(sample, buffers) {
            self.exchange(r, x, kxx, sample, buffers);
        } else {
            self.project(sample, buffers);
        }
        output
    }

    /// The sample does not enter: `s = C k + q`.
    fn project(&mut self, sample: Sample, buffers: &mut Buffers) {
        axpy(1.0, &buffers.q, &mut buffers.s);
        axpy(sample.gain, &buffers.s, &mut self.dictionary.alpha);
        self.covariance.combine(self.assumed.lambda, -1.0 / sample.noisy, &buffers.s, None);
    }

    /// The sample enters a dictionary with room.
    fn admit(&mut self, x: &[f64], kxx: f64, sample: Sample, buffers: &Buffers) {
        let Buffers { q, s, .. } = buffers;
        axpy(sample.gain, s, &mut self.dictionary.alpha);
        self.covariance.combine(self.assumed.lambda, -1.0 / sample.noisy, s, None);
        self.covariance.push_scaled(s, -1.0 / sample.noisy, -1.0 / sample.noisy);
        self.inverse.rank_one(1.0 / sample.residual, q);
        self.inverse.push_scaled(q, -1.0 / sample.residual, 1.0 / sample.residual);
        self.dictionary.push(x, sample.gain, kxx);
    }

    /// The vector whose loss changes the mean least once the sample is in, `|alpha_i / Q_ii|`; `None` for the sample itself.
    fn least(&self, sample: Sample, buffers: &Buffers) -> Option<usize> {
        let (mut least, mut at) = ((sample.gain * sample.residual).abs(), None);
        let moved = buffers.q.iter().zip(&buffers.s).zip(&self.dictionary.alpha);
        for (i, ((q, s), alpha)) in moved.enumerate() {
            let diagonal = self.inverse.diagonal(i) + q * q / sample.residual;
            let loss = ((alpha + sample.gain * s) / diagonal).abs();
            if loss <= least {
                (least, at) = (loss, Some(i));
            }
        }
        at
    }

    /// The sample enters in the place of vector `r`.
    fn exchange(&mut self, r: usize, x: &[f64], kxx: f64, sample: Sample, buffers: &mut Buffers) {
        let Buffers { k, q, s, p, w, .. } = buffers;
        let (grown, shrunk, lambda) = (1.0 / sample.residual, -1.0 / sample.noisy, self.assumed.lambda);
        axpy(sample.gain, s, &mut self.dictionary.alpha);
        // Columns r once the sample is in, of Q in p and of C in w, and their elements at the sample.
        self.inverse.column(r, p);
        axpy(grown * q[r], q, p);
        self.covariance.column(r, w);
        w.iter_mut().for_each(|w| *w *= lambda);
        axpy(shrunk * s[r], s, w);
        let (corner, half, at) = (p[r], 0.5 * w[r], -grown * q[r]);
        // From here on p is -Q_r / Q_rr, and w makes C_r p^T + p C_r^T + C_rr p p^T the sum of w p^T and its transpose.
        p.iter_mut().for_each(|p| *p /= -corner);
        let p_new = -at / corner;
        axpy(half, p, w);
        let w_new = shrunk * s[r] + half * p_new;
        let weight = self.dictionary.alpha[r];
        axpy(weight, p, &mut self.dictionary.alpha);
        self.dictionary.replace(r, x, sample.gain + weight * p_new, kxx);
        self.covariance.combine(lambda, shrunk, s, Some((w, p)));
        let row = s.iter().zip(&*p).zip(&*w);
        k.iter_mut().zip(row).for_each(|(k, ((s, p), w))| *k = shrunk * s + w_new * p + p_new * w);
        k[r] = shrunk + 2.0 * w_new * p_new;
        self.covariance.set_row(r, k);
        // Q loses Q_r Q_r^T / Q_rr, which is Q_rr p p^T.
        w.iter_mut().zip(&*p).for_each(|(w, p)| *w = -0.5 * corner * p);
        self.inverse.combine(1.0, grown, q, Some((w, p)));
        k.iter_mut().zip(q.iter().zip(&*p)).for_each(|(k, (q, p))| *k = at * p - grown * q);
        k[r] = grown - at * at / corner;
        self.inverse.set_row(r, k);
        self.exchanges += 1;
        if self.exchanges.is_multiple_of(REFRESH) {
            self.refresh(buffers);
        }
    }

    /// `Q` from the vectors themselves.
    fn refresh(&mut self, buffers: &mut Buffers) {
        let Buffers { k, vector, fresh, .. } = buffers;
        fresh.clear();
        for i in 0..self.size() {
            vector.clear();
            let centres = self.dictionary.centres();
            vector.extend((0..centres.dim()).map(|j| centres.get(i, j)));
            self.dictionary.row(vector, k);
            fresh.push(&k[..i], self.dictionary.diagonal(i) + JITTER);
        }
        // A Gram matrix with a jitter is regular; if rounding says otherwise the old inverse goes on.
        if fresh.invert() {
            self.inverse.assign(fresh);
        }
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        self.dictionary.memory_bytes() + self.inverse.memory_bytes() + self.covariance.memory_bytes()
    }

    /// Fails unless a state read from a file is sound.
    pub fn check(&self, dimension: usize) -> Result<()> {
        let m = self.size();
        self.dictionary.check(dimension)?;
        self.inverse.check(m)?;
        self.covariance.check(m)?;
        let Assumptions { lambda, sn2, budget } = self.assumed;
        if m <= budget && 0.0 < lambda && lambda <= 1.0 && sn2 > 0.0 {
            return Ok(());
        }
        Err(Error::parse("saved state of a learner", "tracker", "it does not fit its settings"))
    }
}

impl Buffers {
    fn resize(&mut self, m: usize) {
        for buffer in [&mut self.k, &mut self.q, &mut self.s, &mut self.p, &mut self.w] {
            buffer.resize(m, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::methods::Method;
    use crate::online::presets;
    use crate::settings::Settings;

    /// Row `i` of a function that changes half way.
    fn row(i: u32) -> ([f64; 2], f64) {
        let t = f64::from(i);
        let x = [(0.7 * t).sin(), (0.31 * t * t).cos()];
        let turn = if i < 700 { 1.0 } else { -0.5 };
        (x, turn * (2.0 * x[0]).sin() + x[1] * x[1] + 0.05 * (17.3 * t * t).sin())
    }

    /// The slow definition is algorithm 1 of the paper, which keeps mean and covariance at the vectors.
    #[test]
    fn weights_and_moments_are_the_same_tracker() {
        for (lambda, sn2, budget) in [(1.0, 1e-2, 30), (0.99, 1e-1, 17), (0.998, 1e-3, 24), (1.0, 1e-2, 4000)]
        {
            let kernel = Kernel::gaussian(0.2);
            let settings = Settings::new().with("sn2", sn2).with("lambda", lambda).with("budget", budget);
            let mut slow = presets::find("krls-tracker").unwrap().build(Some(&kernel), 2, &settings).unwrap();
            let mut fast = Tracker::new(&kernel, 2, Assumptions { lambda, sn2, budget }).unwrap();
            // With a budget until it was refreshed more than once; without one while the growing matrix is well conditioned.
            for i in 0..if budget > 100 { 400 } else { 3000 } {
                let (x, y) = row(i);
                let (want, found) = (slow.step(&x, y).prediction, fast.step(&x, y));
                assert!((want - found).abs() < 1e-7, "{lambda} {sn2}, row {i}: {found} and {want}");
            }
            assert_eq!(fast.size(), slow.size());
            assert!(budget > 100 || fast.exchanges > 512, "{} exchanges", fast.exchanges);
        }
    }

    #[test]
    fn a_saved_tracker_goes_on_bit_by_bit() {
        let assumed = Assumptions { lambda: 0.999, sn2: 1e-2, budget: 21 };
        let mut whole = Tracker::new(&Kernel::gaussian(0.4), 2, assumed).unwrap();
        for i in 0..200 {
            let (x, y) = row(i);
            let saved = serde_json::to_vec(&whole).unwrap();
            let mut resumed: Tracker = serde_json::from_slice(&saved).unwrap();
            resumed.check(2).unwrap();
            assert_eq!(whole.step(&x, y).to_bits(), resumed.step(&x, y).to_bits());
            assert_eq!(serde_json::to_vec(&whole).unwrap(), serde_json::to_vec(&resumed).unwrap());
        }
        assert!(whole.exchanges > 20 && whole.check(3).is_err());
    }
}
