//! Spectral densities: where the frequencies of a shift-invariant kernel lie (Bochner).
//!
//! A kernel `k(x - y)` with `k(0) = 1` is the mean of `cos(omega.(x - y))` over a density of `omega`. For the radial kernels
//! here a frequency is `omega_k = s g_k / width_k` with normal `g` and an independent spread `s`:
//!
//! | kernel | `s` | density of `omega` |
//! |---|---|---|
//! | Gaussian | 1 | normal |
//! | Laplacian `exp(-r)`, Matern 3/2, Matern 5/2 | `sqrt(f / chi^2_f)`, `f` = 1, 3, 5 | multivariate t with `f = 2 nu` degrees of freedom |
//! | inverse multiquadric | `sqrt(chi^2_1)` | scale mixture: `(1 + r^2)^-1/2` is the mean of `exp(-u r^2)` over `u` from Gamma(1/2) |
//!
//! (Rahimi, Recht, Random features for large-scale kernel machines, 2007; Rasmussen, Williams, Gaussian processes for
//! machine learning, section 4.2.1.) In the orthogonal form directions stand at right angles in blocks of as many as there
//! are features, and each has the length of an independent draw, so that every single frequency has the same density as
//! before (Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, Orthogonal random features, 2016).

use crate::error::{Error, Result};
use crate::kernels::{Kernel, Width};
use crate::matrix::Matrix;
use rand::{Rng, SeedableRng};
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// The spread of the frequencies of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spread {
    One,
    /// `sqrt(f / chi^2_f)`.
    Student(f64),
    /// `sqrt(chi^2_1)`.
    Mixture,
}

impl Spread {
    fn of(kernel: &Kernel) -> Result<Self> {
        match kernel {
            Kernel::Gaussian { .. } => Ok(Spread::One),
            Kernel::Laplacian { .. } => Ok(Spread::Student(1.0)),
            Kernel::Matern32 { .. } => Ok(Spread::Student(3.0)),
            Kernel::Matern52 { .. } => Ok(Spread::Student(5.0)),
            Kernel::InverseMultiquadric { .. } => Ok(Spread::Mixture),
            other => Err(Error::parse(
                "kernel",
                &other.to_string(),
                "random features are for gaussian, laplacian, matern32, matern52 and inverse-multiquadric",
            )),
        }
    }

    fn draw(self, rng: &mut impl Rng) -> f64 {
        match self {
            Spread::One => 1.0,
            Spread::Student(freedom) => (freedom / chi_squared(freedom, rng)).sqrt(),
            Spread::Mixture => chi_squared(1.0, rng).sqrt(),
        }
    }
}

fn chi_squared(freedom: f64, rng: &mut impl Rng) -> f64 {
    ChiSquared::new(freedom).map_or(freedom, |density| density.sample(rng))
}

/// `count` frequencies for rows of `dimension` features, one per row; the same seed gives the same.
pub(super) fn frequencies(
    kernel: &Kernel,
    dimension: usize,
    count: usize,
    orthogonal: bool,
    seed: u64,
) -> Result<Matrix> {
    kernel.check_for(dimension)?;
    let spread = Spread::of(kernel)?;
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut out = Matrix::zeros(count, dimension);
    for start in (0..count).step_by(dimension.max(1)) {
        let end = (start + dimension).min(count);
        let block = &mut out.data_mut()[start * dimension..end * dimension];
        block.iter_mut().for_each(|v| *v = StandardNormal.sample(&mut rng));
        if orthogonal {
            orthogonalise(block, dimension);
        }
        for row in block.chunks_exact_mut(dimension) {
            let length = if orthogonal { chi_squared(dimension as f64, &mut rng).sqrt() } else { 1.0 };
            let factor = length * spread.draw(&mut rng);
            row.iter_mut().for_each(|v| *v *= factor);
        }
    }
    match kernel.width() {
        Some(Width::Shared(width)) => out.data_mut().iter_mut().for_each(|v| *v /= width),
        Some(Width::PerFeature(widths)) => {
            (0..count).for_each(|i| out.row_mut(i).iter_mut().zip(widths).for_each(|(v, w)| *v /= w));
        }
        None => {}
    }
    match out.view().check_finite("the frequencies") {
        Err(_) => Err(Error::parameter("width", "too small", "one whose inverse is a finite number")),
        Ok(()) => Ok(out),
    }
}

/// Makes rows orthonormal, twice over, so that rounding leaves no trace; normal rows become uniformly distributed.
fn orthogonalise(rows: &mut [f64], dimension: usize) {
    for i in 0..rows.len() / dimension {
        let (before, rest) = rows.split_at_mut(i * dimension);
        let row = &mut rest[..dimension];
        for _ in 0..2 {
            for other in before.chunks_exact(dimension) {
                let along = crate::simd::dot(other, row);
                crate::simd::axpy(-along, other, row);
            }
            let length = crate::simd::dot(row, row).sqrt().max(f64::MIN_POSITIVE);
            row.iter_mut().for_each(|v| *v /= length);
        }
    }
}
