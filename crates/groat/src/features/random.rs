//! Random Fourier features (system B7).
//!
//! With frequencies drawn from the spectral density of a kernel (`features/spectral.rs` lists them), the features of a row
//! are `sqrt(2 / D) cos(omega_i.x + phase_i)` or, in pairs, `sqrt(1 / D) (cos(omega_i.x), sin(omega_i.x))`; the inner
//! product of the features of two rows is near their kernel, with an error of about `1 / sqrt(D)`. The paired form has less
//! of it for the same number of frequencies and is exact for equal rows; orthogonal frequencies have less again.
//! A row costs `D d` multiplications and `D` cosines, whatever the number of rows that were learnt from.
//!
//! Use them where there are very many rows and a rough kernel will do; for the same size, landmarks
//! ([`Nystrom`](super::Nystrom)) follow the data and are nearly always more accurate.

use super::Linear;
use super::spectral::frequencies;
use crate::error::{Error, Result, check_len};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, Points, Rows};
use crate::simd::{cosines, cosines_and_sines};
use groat_linalg::{View, ViewMut, Write, product};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Rows that one thread works on.
const BLOCK: usize = 128;
/// Rows that the error is measured on.
pub(super) const MEASURED: usize = 300;

/// Features whose inner products are near a shift-invariant kernel.
///
/// ```
/// use groat::{Kernel, Rows, features::RandomFeatures};
/// let map = RandomFeatures::draw(&Kernel::gaussian(1.0), 2, 2000, true, true, 7)?;
/// let x = [0.0, 0.0, 0.6, 0.8];
/// let phi = map.transform(Rows::new(&x, 2)?)?;
/// let product: f64 = phi.row(0).iter().zip(phi.row(1)).map(|(a, b)| a * b).sum();
/// assert!((product - (-0.5f64).exp()).abs() < 0.03);
/// assert!(map.error(Rows::new(&x, 2)?)? < 0.03);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomFeatures {
    kernel: Kernel,
    /// One per row.
    frequencies: Matrix,
    /// One per frequency in the cosine form; none where cosines and sines stand in pairs.
    phases: Option<Vec<f64>>,
}

impl RandomFeatures {
    /// Draws `size` features (half as many frequencies where they are `paired`) for rows of `dimension` features.
    pub fn draw(
        kernel: &Kernel,
        dimension: usize,
        size: usize,
        orthogonal: bool,
        paired: bool,
        seed: u64,
    ) -> Result<Self> {
        if size == 0 || dimension == 0 {
            return Err(Error::parameter(
                "random features",
                0,
                "at least 1, of rows with at least 1 feature",
            ));
        }
        let count = if paired { size.div_ceil(2) } else { size };
        let drawn = frequencies(kernel, dimension, count, orthogonal, seed)?;
        let mut rng = Pcg64::seed_from_u64(seed ^ 0x7068_6173_6573);
        let phases = (!paired).then(|| (0..count).map(|_| TAU * rng.random::<f64>()).collect());
        Self::new(kernel.clone(), drawn, phases)
    }

    /// The given frequencies, one per row; with phases in the cosine form, without in pairs.
    pub fn new(kernel: Kernel, frequencies: Matrix, phases: Option<Vec<f64>>) -> Result<Self> {
        if frequencies.rows() == 0 || frequencies.cols() == 0 {
            return Err(Error::parameter("frequencies", 0, "at least one"));
        }
        kernel.check_for(frequencies.cols())?;
        frequencies.view().check_finite("the frequencies")?;
        if let Some(phases) = &phases {
            check_len("phases, one per frequency", frequencies.rows(), phases.len())?;
            Rows::one(phases).check_finite("the phases")?;
        }
        Ok(Self { kernel, frequencies, phases })
    }

    /// The kernel that they stand for.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The frequencies, one per row.
    pub fn frequencies(&self) -> Rows<'_> {
        self.frequencies.view()
    }

    /// The phases of the cosine form.
    pub fn phases(&self) -> Option<&[f64]> {
        self.phases.as_deref()
    }

    /// Number of features.
    pub fn size(&self) -> usize {
        self.frequencies.rows() * if self.phases.is_some() { 1 } else { 2 }
    }

    /// Features that a row must have.
    pub fn dimension(&self) -> usize {
        self.frequencies.cols()
    }

    /// The features of every row. Pairs stand as all cosines, then all sines.
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        let x = x.into();
        check_len("features per row", self.dimension(), x.cols())?;
        x.check_finite("the input")?;
        let mut out = Matrix::zeros(x.rows(), self.size());
        out.data_mut().par_chunks_mut(BLOCK * self.size()).enumerate().try_for_each(|(c, out)| {
            let start = c * BLOCK;
            self.fill(x.slice(start, start + out.len() / self.size()), out)
        })?;
        Ok(out)
    }

    /// Writes the features of some rows, one row after the other, on this thread.
    pub(crate) fn fill(&self, rows: Points<'_>, out: &mut [f64]) -> Result<()> {
        let (n, d, count, size) = (rows.rows(), self.dimension(), self.frequencies.rows(), self.size());
        let dense: Matrix;
        let rows = match rows.dense() {
            Some(rows) => rows,
            None => {
                dense = rows.to_matrix();
                dense.view()
            }
        };
        let (left, right) = (View::row_major(rows.data(), n, d)?, self.frequencies.data());
        let right = View::row_major(right, count, d)?.t();
        let Some(phases) = &self.phases else {
            let mut angles = vec![0.0; n * count];
            product(1.0, left, right, Write::Replace, ViewMut::row_major(&mut angles, n, count)?)?;
            let factor = (1.0 / count as f64).sqrt();
            for (out, angles) in out.chunks_exact_mut(size).zip(angles.chunks_exact(count)) {
                let (first, second) = out.split_at_mut(count);
                first.copy_from_slice(angles);
                cosines_and_sines(first, second, factor);
            }
            return Ok(());
        };
        out.chunks_exact_mut(size).for_each(|row| row.copy_from_slice(phases));
        product(1.0, left, right, Write::Add, ViewMut::row_major(out, n, count)?)?;
        cosines(out, (2.0 / count as f64).sqrt());
        Ok(())
    }

    /// The root mean square difference between the inner products of features and the kernel, over all pairs of up to 300
    /// of the rows given: what the approximation costs.
    pub fn error<'x>(&self, x: impl Into<Points<'x>>) -> Result<f64> {
        let x = x.into();
        let x = x.slice(0, x.rows().min(MEASURED));
        kernel_error(&self.kernel, x, &self.transform(x)?)
    }
}

/// The root mean square difference between the inner products of features and the kernel, over all pairs of rows.
pub(super) fn kernel_error(kernel: &Kernel, x: Points<'_>, phi: &Matrix) -> Result<f64> {
    let n = x.rows();
    let mut products = gram::matrix(kernel, x)?;
    let view = View::row_major(phi.data(), n, phi.cols())?;
    product(-1.0, view, view.t(), Write::Add, ViewMut::row_major(products.data_mut(), n, n)?)?;
    Ok((products.data().iter().map(|v| v * v).sum::<f64>() / products.data().len().max(1) as f64).sqrt())
}

/// A linear function of random features: what a model that was learnt on them evaluates.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureExpansion {
    map: RandomFeatures,
    linear: Linear,
}

impl FeatureExpansion {
    /// A function of these features.
    pub fn new(map: RandomFeatures, linear: Linear) -> Result<Self> {
        check_len("weights, one row per feature", map.size(), linear.weights.rows())?;
        check_len("biases, one per output", linear.weights.cols(), linear.bias.len())?;
        if linear.bias.is_empty() {
            return Err(Error::parameter("columns of the weights", 0, "at least 1"));
        }
        linear.weights.view().check_finite("the weights")?;
        Rows::one(&linear.bias).check_finite("the bias")?;
        Ok(Self { map, linear })
    }

    /// The features.
    pub fn map(&self) -> &RandomFeatures {
        &self.map
    }

    /// What becomes of them.
    pub fn linear(&self) -> &Linear {
        &self.linear
    }

    /// `f(x)` for every row: one column per output.
    pub fn values<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        let x = x.into();
        check_len("features per row", self.map.dimension(), x.cols())?;
        x.check_finite("the input")?;
        let (m, q) = (self.map.size(), self.linear.bias.len());
        let mut out = Matrix::zeros(x.rows(), q);
        out.data_mut().par_chunks_mut(BLOCK * q).enumerate().try_for_each(|(c, out)| -> Result<()> {
            let (start, n) = (c * BLOCK, out.len() / q);
            let mut phi = vec![0.0; n * m];
            self.map.fill(x.slice(start, start + n), &mut phi)?;
            let values = self.linear.values(Rows::new(&phi, m)?)?;
            out.copy_from_slice(values.data());
            Ok(())
        })?;
        Ok(out)
    }

    /// Bytes of its numbers.
    pub fn memory_bytes(&self) -> usize {
        let phases = self.map.phases.as_ref().map_or(0, Vec::len);
        let numbers = self.map.frequencies.data().len() + phases;
        (numbers + self.linear.weights.data().len() + self.linear.bias.len()) * size_of::<f64>()
    }
}
