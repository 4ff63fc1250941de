//! What the selection reads: candidate columns, stored whole, in double or single precision, or made anew from the
//! kernel at every pass.

pub(crate) use crate::gram::{Stored, Symmetric};
use crate::matrix::Real;

/// The candidate columns `phi_1 .. phi_M` of length `N`, already multiplied row by row with the square roots
/// of the sample weights.
pub(crate) trait Columns: Sync {
    /// `N`.
    fn rows(&self) -> usize;
    /// `M`.
    fn count(&self) -> usize;
    /// `phi_j' phi_j` for every candidate.
    fn energies(&self) -> &[f64];
    /// Writes `phi_j` in full precision.
    fn column(&self, j: usize, out: &mut [f64]);
    /// Writes the rows of `phi_j` from `start` on, a multiple of [`ROWS`](super::basis::ROWS), in full precision.
    fn piece(&self, j: usize, start: usize, out: &mut [f64]);
    /// Writes `phi_j` as it is stored, which may be rounded; cheaper than [`Columns::column`].
    fn rough_column(&self, j: usize, out: &mut [f64]) {
        self.column(j, out);
    }
    /// `out[j * R + r] = phi_j' vectors[r]`, `R = vectors.len()`, in one pass over the columns.
    fn products(&self, vectors: &[&[f64]], out: &mut [f64]);
    /// Relative rounding error of the numbers that [`Columns::products`] reads.
    fn rounding(&self) -> f64;
    /// The same columns in full precision, where [`Columns::products`] reads rounded ones.
    fn exact(&self) -> Option<Box<dyn Columns + '_>> {
        None
    }
}

/// Rows of a matrix of kernels between candidates and samples are the candidates' columns.
impl<T: Real> Columns for Stored<T> {
    fn rows(&self) -> usize {
        self.length()
    }

    fn count(&self) -> usize {
        self.squares().len()
    }

    fn energies(&self) -> &[f64] {
        self.squares()
    }

    fn column(&self, j: usize, out: &mut [f64]) {
        self.piece(j, 0, out);
    }

    fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        Stored::piece(self, j, start, out);
    }

    fn products(&self, vectors: &[&[f64]], out: &mut [f64]) {
        Stored::products(self, vectors, out);
    }

    fn rounding(&self) -> f64 {
        if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
    }
}

impl Columns for Symmetric {
    fn rows(&self) -> usize {
        self.squares().len()
    }

    fn count(&self) -> usize {
        self.squares().len()
    }

    fn energies(&self) -> &[f64] {
        self.squares()
    }

    fn column(&self, j: usize, out: &mut [f64]) {
        self.piece(j, 0, out);
    }

    fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        Symmetric::piece(self, j, start, out);
    }

    fn products(&self, vectors: &[&[f64]], out: &mut [f64]) {
        Symmetric::products(self, vectors, out);
    }

    fn rounding(&self) -> f64 {
        f64::from(f32::EPSILON)
    }
}
