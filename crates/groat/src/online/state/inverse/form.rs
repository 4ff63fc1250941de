//! The two forms in which an inverse Gram matrix is kept.

use super::packed::Packed;
use super::root::{Root, measure};
use crate::error::{Error, Result};
use crate::online::state::bits;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// What growth and refresh ask of a form.
pub(crate) trait Form {
    /// Bytes of state.
    fn memory_bytes(&self) -> usize;
    /// Writes the image of a vector with kernel values `k`, for which there may be more room than needed; returns
    /// `k . Q k`.
    fn image(&self, k: &[f64], image: &mut [f64]) -> f64;
    /// `nu = Q k` from the image.
    fn solution(&self, image: &[f64], nu: &mut [f64]);
    /// Takes in a vector with `nu = Q k` and residual `s`.
    fn grow(&mut self, nu: &[f64], s: f64);
    /// Becomes the inverse of `gram + jitter I`; false when that is not positive definite to working precision.
    fn renew(&mut self, gram: &Packed, jitter: f64) -> bool;
    /// Becomes the inverse of the diagonal, whose elements are `size`.
    fn renew_diagonal(&mut self, size: impl Fn(usize) -> f64);
    /// Fails unless a state read from a file is consistent.
    fn check(&self, order: usize) -> Result<()>;
}

/// The elements of `Q` themselves. The image of a sample is `nu = Q k`.
impl Form for Packed {
    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn image(&self, k: &[f64], image: &mut [f64]) -> f64 {
        self.multiply(k, image);
        dot(k, image)
    }

    fn solution(&self, image: &[f64], nu: &mut [f64]) {
        nu.copy_from_slice(image);
    }

    fn grow(&mut self, nu: &[f64], s: f64) {
        self.rank_one(1.0 / s, nu);
        self.push_scaled(nu, -1.0 / s, 1.0 / s);
    }

    fn renew(&mut self, gram: &Packed, jitter: f64) -> bool {
        self.assign(gram);
        self.add_diagonal(jitter);
        self.invert()
    }

    fn renew_diagonal(&mut self, size: impl Fn(usize) -> f64) {
        self.set_diagonal(|i| 1.0 / size(i));
    }

    fn check(&self, order: usize) -> Result<()> {
        self.check(order)
    }
}

/// An orthonormal basis of the span of the dictionary, and a function in it.
///
/// The rows of the inverse Cholesky factor `R` are the functions `psi_j = sum_i R_ji k(v_i, .)`, orthonormal in the
/// RKHS (with a ridge: in the metric `K + ridge I`). The image of a sample is `z = R k`, its values under them and
/// the coordinates of its projection on the span; `f = sum_j w_j psi_j` has the output `z . w` and the weights
/// `alpha = R^T w`. A vector that enters appends a function and changes none; orthogonal projection at the removal
/// of a vector is leaving out one coordinate.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Orthonormal {
    root: Root,
    #[serde(with = "bits")]
    pub weights: Vec<f64>,
    /// The direction of the last sweep.
    #[serde(skip)]
    backwards: bool,
    #[serde(skip)]
    scratch: [Vec<f64>; 2],
}

impl Orthonormal {
    /// The image of a sample of a stream, and what [`measure`](Self::measure) says of it.
    pub fn see(&mut self, k: &[f64], image: &mut [f64]) -> [f64; 2] {
        self.backwards = !self.backwards;
        self.root.coordinates(k, &self.weights, image, self.backwards)
    }

    /// The images of two samples of a stream.
    pub fn see_two(&mut self, k: [&[f64]; 2], image: [&mut [f64]; 2]) {
        self.backwards = !self.backwards;
        self.root.coordinates_of_two(k, image, self.backwards);
    }

    /// `k . Q k` of a sample with the given image, and the output at it.
    pub fn measure(&self, image: &[f64]) -> [f64; 2] {
        measure(image, &self.weights)
    }

    /// The scratch space, with the weights of the function and room for as many numbers.
    fn lend_alpha(&mut self) -> [Vec<f64>; 2] {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.iter_mut().for_each(|buffer| buffer.resize(self.weights.len(), 0.0));
        self.alpha(&mut scratch[0]);
        scratch
    }

    /// `alpha = R^T w`.
    pub fn alpha(&self, out: &mut [f64]) {
        self.root.transposed(&self.weights, out);
    }

    /// Lets vector `r` leave, and the function be its projection on the span of the others.
    pub fn remove(&mut self, r: usize) {
        self.root.remove(r, &mut self.weights);
    }
}

impl Form for Orthonormal {
    fn memory_bytes(&self) -> usize {
        self.root.memory_bytes() + size_of_val(self.weights.as_slice())
    }

    fn image(&self, k: &[f64], image: &mut [f64]) -> f64 {
        self.root.coordinates(k, &self.weights, image, false)[0]
    }

    fn solution(&self, image: &[f64], nu: &mut [f64]) {
        self.root.transposed(image, nu);
    }

    fn grow(&mut self, nu: &[f64], s: f64) {
        self.root.push(nu, s);
        self.weights.push(0.0);
    }

    /// The function stays what it was: `w = R (K + jitter I) alpha`.
    fn renew(&mut self, gram: &Packed, jitter: f64) -> bool {
        let [alpha, mut values] = self.lend_alpha();
        let renewed = self.root.assign(gram, jitter);
        if renewed {
            gram.multiply(&alpha, &mut values);
            axpy(jitter, &alpha, &mut values);
            self.root.coordinates(&values, &alpha, &mut self.weights, false);
        }
        self.scratch = [alpha, values];
        renewed
    }

    fn renew_diagonal(&mut self, size: impl Fn(usize) -> f64) {
        let [alpha, values] = self.lend_alpha();
        self.root.set_diagonal(|i| 1.0 / size(i).sqrt());
        for (i, (weight, alpha)) in self.weights.iter_mut().zip(&alpha).enumerate() {
            *weight = alpha * size(i).sqrt();
        }
        self.scratch = [alpha, values];
    }

    fn check(&self, order: usize) -> Result<()> {
        if self.weights.len() != order || self.weights.iter().any(|v| !v.is_finite()) {
            return Err(Error::parse(
                "saved state of a learner",
                "weights",
                format!("expected {order} finite numbers"),
            ));
        }
        self.root.check(order)
    }
}
