//! Where candidate columns come from: stored whole, in double or single precision, or made anew from the
//! kernel at every pass.

use super::loops;
use crate::matrix::Real;
use crate::memory;
use crate::simd;
use rayon::prelude::*;

/// Columns that one task of a parallel pass handles. Fixed, so that sums do not depend on the thread count.
const BLOCK: usize = 16;

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

/// A column-major block held in memory.
pub(crate) struct Stored<T = f64> {
    data: Vec<T>,
    rows: usize,
    energies: Vec<f64>,
}

impl<T: Real> Stored<T> {
    /// Stores `count` columns; `fill(j, out)` writes column `j` and is called from several threads.
    pub(crate) fn fill(rows: usize, count: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        let mut data: Vec<T> = memory::zeroed(rows * count);
        let mut energies = vec![0.0; count];
        data.par_chunks_mut(rows.max(1) * BLOCK)
            .zip(energies.par_chunks_mut(BLOCK))
            .enumerate()
            .for_each_init(
                || vec![0.0; rows],
                |buffer, (block, (columns, energies))| {
                    for (i, (column, energy)) in columns.chunks_mut(rows.max(1)).zip(energies).enumerate() {
                        fill(block * BLOCK + i, buffer);
                        *energy = simd::dot(buffer, buffer);
                        for (to, from) in column.iter_mut().zip(buffer.iter()) {
                            *to = T::from_f64(*from);
                        }
                    }
                },
            );
        Self { data, rows, energies }
    }

    /// The stored numbers of column `j`.
    pub(crate) fn stored(&self, j: usize) -> &[T] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }
}

impl<T: Real> Columns for Stored<T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn count(&self) -> usize {
        self.energies.len()
    }

    fn energies(&self) -> &[f64] {
        &self.energies
    }

    fn column(&self, j: usize, out: &mut [f64]) {
        self.piece(j, 0, out);
    }

    fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        for (to, from) in out.iter_mut().zip(&self.stored(j)[start..]) {
            *to = from.to_f64();
        }
    }

    fn products(&self, vectors: &[&[f64]], out: &mut [f64]) {
        let r = vectors.len();
        self.data
            .par_chunks(self.rows.max(1) * BLOCK)
            .zip(out.par_chunks_mut(BLOCK * r))
            .for_each(|(block, out)| loops::products(block, self.rows, vectors, out));
    }

    fn rounding(&self) -> f64 {
        if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
    }
}
