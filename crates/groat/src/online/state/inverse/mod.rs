//! The inverse Gram matrix of a dictionary: grow, shrink, refresh.
//!
//! `Q = (K + ridge I)^-1` is kept up to date in `O(m^2)` a step. With it, for every vector `r` at once:
//!
//! - squared distance to the span of the others: `kappa_r = 1 / Q_rr` (report 836, (13));
//! - orthogonal projection of its removal: `beta_i = alpha_i - alpha_r Q_ir / Q_rr` (report 836, (12));
//! - least-squares cost `alpha_r^2 / (m s_r)` with `s_r = sum_j Q_rj^2`, projection
//!   `beta_i = alpha_i - alpha_r (Q Q)_ir / s_r` (report 836, (14)). No pseudo-inverse is needed: the
//!   change `delta = K (alpha - beta')` with `beta'_r = 0` is `K c` for a `c` with `c_r = alpha_r`; of all
//!   such `delta` the shortest is the one along `Q e_r`, because `c_r = e_r^T Q delta`.
//!
//! Rounding errors of rank-one updates grow with the condition of `K`. Three things hold them down: a
//! *floor*, the least residual at which a vector may enter, which the learner enforces; the residual
//! `max |k - K Q k|` of every vector that enters, which shows the error of `Q` where it is about to be
//! used; and a *refresh* from a Cholesky factorisation (hence symmetric) once that residual exceeds
//! [`TOLERANCE`] and what the last refresh could reach. `K` itself is kept for the last two.
//!
//! The inverse is kept in one of two [forms](Form): as its elements, from which costs and weights are read, or,
//! where those are not read, as the root that gives an [`Orthonormal`] basis, in which a step takes half the
//! multiplications. What a sample is to a form is its *image*.

mod form;
mod lagged;
mod lower;
mod packed;
mod root;
mod tiles;
mod triangle;

pub(crate) use form::{Form, Orthonormal};
pub(crate) use lagged::Lagged;
pub(crate) use packed::Packed;

use crate::error::Result;
use crate::online::step::Reading;
use crate::simd::axpy;
use serde::{Deserialize, Serialize};

/// Residual, relative to `k(x, x)`, above which the inverse is computed afresh.
const TOLERANCE: f64 = 1e-10;

/// Error that a removal may leave in the inverse by cancellation, relative to its diagonal.
const CANCELLATION: f64 = 1e-9;

/// A refresh is repeated only when the residual exceeds this many times what the last one left: where
/// `K` is ill-conditioned no refresh gets below the rounding error of `K` itself.
const SLACK: f64 = 64.0;

/// `K + ridge I` of a dictionary and its inverse, in the form `F`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InverseGram<F = Packed> {
    gram: Packed,
    form: F,
    /// On the diagonal besides `k(x, x)`: a ridge that is part of the method, or a jitter.
    ridge: f64,
    attained: f64,
    worst: f64,
    refreshes: u64,
    #[serde(skip)]
    changes: u64,
    #[serde(skip)]
    entered: Vec<f64>,
    #[serde(skip)]
    solution: Vec<f64>,
    #[serde(skip)]
    scratch: Vec<f64>,
}

impl<F: Form + Default> InverseGram<F> {
    /// An empty one.
    pub fn new(ridge: f64) -> Self {
        Self {
            gram: Packed::default(),
            form: F::default(),
            ridge,
            attained: 0.0,
            worst: 0.0,
            refreshes: 0,
            changes: 0,
            entered: Vec::new(),
            solution: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Vectors.
    pub fn len(&self) -> usize {
        self.gram.order()
    }

    /// `K + ridge I`.
    pub fn gram(&self) -> &Packed {
        &self.gram
    }

    /// What it can say about itself.
    pub fn diagnostics(&self, readings: &mut Vec<Reading>) {
        let mut tell = |name, value, meaning| readings.push(Reading::new(name, value, meaning));
        tell("refreshes", self.refreshes as f64, "times the inverse Gram matrix was computed afresh");
        tell("residual", self.worst, "largest relative error seen in the inverse Gram matrix");
    }

    /// Bytes of the two triangles.
    pub fn memory_bytes(&self) -> usize {
        self.gram.memory_bytes() + self.form.memory_bytes()
    }

    /// The image of a vector with kernel values `k`, for which there may be more room than needed, and its residual
    /// `s = k(x,x) + ridge - k . Q k`.
    pub fn solve(&self, k: &[f64], kxx: f64, image: &mut [f64]) -> f64 {
        kxx + self.ridge - self.form.image(k, image)
    }

    /// Takes in a vector with kernel values `k`, for which [`solve`](Self::solve) gave `image` and `s > 0`:
    /// `Q` grows by `nu nu^T / s`, the column `-nu / s` and the corner `1 / s`. Returns the residual with
    /// which it entered, and [`entered`](Self::entered) the image: both are found again if the inverse had
    /// to be refreshed.
    pub fn grow(&mut self, k: &[f64], kxx: f64, image: &[f64], mut s: f64) -> f64 {
        self.entered.clear();
        self.entered.extend_from_slice(image);
        self.solution.resize(k.len(), 0.0);
        self.form.solution(image, &mut self.solution);
        let residual = self.residual(k, kxx);
        if residual <= TOLERANCE {
            self.attained = 0.0;
        } else if residual > SLACK * self.attained {
            self.refresh();
            let fresh = kxx + self.ridge - self.form.image(k, &mut self.entered);
            self.form.solution(&self.entered, &mut self.solution);
            self.attained = self.residual(k, kxx);
            if fresh > 0.0 {
                s = fresh;
            }
        }
        self.changes += 1;
        self.gram.push(k, kxx + self.ridge);
        self.form.grow(&self.solution, s);
        s
    }

    /// `Q k`.
    #[cfg(test)]
    pub fn product(&self, k: &[f64]) -> Vec<f64> {
        let (mut image, mut nu) = (vec![0.0; k.len()], vec![0.0; k.len()]);
        self.form.image(k, &mut image);
        self.form.solution(&image, &mut nu);
        nu
    }

    /// The image of the vector that entered last, in the form from before.
    pub fn entered(&self) -> &[f64] {
        &self.entered
    }

    /// Computes the inverse afresh. A matrix that is singular to working precision (or not positive
    /// definite, with a kernel that is not) gets the smallest of a row of jitters on its diagonal with
    /// which it can be factored, and in the end only its diagonal is inverted: never a NaN.
    pub fn refresh(&mut self) {
        let m = self.len();
        let largest = (0..m).map(|i| self.gram.diagonal(i)).fold(0.0, f64::max);
        self.refreshes += 1;
        self.changes += 1;
        for jitter in [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-4, 1.0] {
            if self.form.renew(&self.gram, jitter * largest) {
                return;
            }
        }
        self.form.renew_diagonal(|i| self.gram.diagonal(i).abs().max(f64::MIN_POSITIVE));
    }

    /// `max |k - K nu| / k(x,x)` of the vector that is entering: zero but for the error of `Q`.
    fn residual(&mut self, k: &[f64], kxx: f64) -> f64 {
        self.scratch.resize(k.len(), 0.0);
        self.gram.multiply(&self.solution, &mut self.scratch);
        let largest = k.iter().zip(&self.scratch).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let relative = largest / (kxx + self.ridge);
        self.worst = self.worst.max(relative);
        relative
    }

    /// Fails unless a state read from a file is consistent.
    pub fn check(&self, order: usize) -> Result<()> {
        crate::error::check_not_negative("ridge", self.ridge)?;
        self.gram.check(order)?;
        self.form.check(order)
    }
}

impl InverseGram {
    /// The inverse.
    pub fn inverse(&self) -> &Packed {
        &self.form
    }

    /// Removes vector `r`: `Q_RR - q q^T / Q_rr`. On return `column` holds `q`, the column of `r` before
    /// the removal, without its own place.
    ///
    /// A vector close to the span of the others has a huge `Q_rr`, and what cancels here leaves an error of
    /// the rounding unit times that. Beyond the tolerance the inverse is computed afresh at once, because
    /// the next thing asked of it may be the costs.
    pub fn shrink(&mut self, r: usize, column: &mut [f64]) {
        let m = self.len();
        self.form.column(r, column);
        let (pivot, norm) = (column[r], self.gram.diagonal(r));
        column.copy_within(r + 1..m, r);
        self.gram.remove(r);
        self.form.remove(r);
        self.form.rank_one(-1.0 / pivot, &column[..m - 1]);
        if pivot * norm * f64::EPSILON > CANCELLATION {
            self.refresh();
        }
    }
}

impl InverseGram<Orthonormal> {
    /// Adds `weight` times the vector that entered last, with residual `s`, to the function: it has the coordinates
    /// `(z, sqrt(s))`.
    pub fn add_newest(&mut self, weight: f64, s: f64) {
        if let Some((newest, before)) = self.form.weights.split_last_mut() {
            axpy(weight, &self.entered, before);
            *newest += weight * s.sqrt();
        }
    }

    /// The function in the basis.
    pub fn weights_mut(&mut self) -> &mut [f64] {
        &mut self.form.weights
    }

    /// The weights of the function in the vectors.
    pub fn alpha(&self, out: &mut [f64]) {
        self.form.alpha(out);
    }

    /// Writes the image of a sample of a stream; returns what [`measure`](Self::measure) says of it.
    pub fn see(&mut self, k: &[f64], kxx: f64, image: &mut [f64]) -> (f64, f64) {
        let [explained, output] = self.form.see(k, image);
        (kxx + self.ridge - explained, output)
    }

    /// Writes the images of two samples of a stream.
    pub fn see_two(&mut self, k: [&[f64]; 2], image: [&mut [f64]; 2]) {
        self.form.see_two(k, image);
    }

    /// Residual of a sample with the given image, and the output at it.
    pub fn measure(&self, kxx: f64, image: &[f64]) -> (f64, f64) {
        let [explained, output] = self.form.measure(image);
        (kxx + self.ridge - explained, output)
    }

    /// A number that is another one after every change of the basis.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Removes vector `r`; the function becomes its orthogonal projection on the span of the others.
    pub fn shrink(&mut self, r: usize) {
        self.changes += 1;
        self.gram.remove(r);
        self.form.remove(r);
    }
}
