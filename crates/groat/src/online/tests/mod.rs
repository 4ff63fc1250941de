//! Recursions, costs and projections against their definitions.

mod inverse;
mod reduction;
mod session;
mod several_outputs;
mod several_sessions;
mod updates;
mod watching;

use super::state::{Needs, Sample, Tracked};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, Rows};
use crate::online::state::dictionary::Dictionary;
use groat_linalg::Cholesky;

/// Presents `x` to a model without learning.
pub(super) fn with_sample<R>(
    model: &Tracked,
    x: &[f64],
    weight: f64,
    work: impl FnOnce(&Sample<'_>) -> R,
) -> R {
    let mut k = vec![0.0; model.len()];
    let mut nu = vec![0.0; model.len()];
    model.dictionary.row(x, &mut k);
    let kxx = model.dictionary.diag(x);
    let residual = model.residual(x, &mut k, &mut nu).unwrap_or(kxx);
    work(&Sample { weight, ..Sample::of(x, &k, kxx, &nu, residual) })
}

/// A model with all tables, made by taking in one vector after the other.
pub(super) fn model(kernel: &Kernel, vectors: &[Vec<f64>], alpha: &[f64]) -> Tracked {
    let mut model = Tracked::new(Dictionary::new(kernel, vectors[0].len()).unwrap());
    model.keep(Needs::INVERSE.and(Needs::NEIGHBOURS).and(Needs::ENERGY), 0.0);
    for (x, weight) in vectors.iter().zip(alpha) {
        // The parts see the sample of a copy, since the model itself is about to change.
        let before = model.clone();
        with_sample(&before, x, *weight, |sample| model.push(sample, *weight));
    }
    model
}

/// The Gram matrix of some vectors.
pub(super) fn gram(kernel: &Kernel, vectors: &[Vec<f64>]) -> Matrix {
    let data: Vec<f64> = vectors.concat();
    kernel.gram(Rows::new(&data, vectors[0].len()).unwrap()).unwrap()
}

/// `A^-1 b` for a symmetric positive definite `A`.
pub(super) fn solve(a: &Matrix, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    Cholesky::factor(a.data().to_vec(), a.rows()).unwrap().solve(&mut x).unwrap();
    x
}

/// Fails with both values unless they agree relative to the larger of 1 and their size.
#[track_caller]
pub(super) fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{what}: {got} instead of {want}");
}
