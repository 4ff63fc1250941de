//! Rows of a kernel matrix held in memory, in double or single precision.

use super::loops;
use crate::matrix::Real;
use crate::memory;
use crate::simd;
use rayon::prelude::*;

/// Rows that one task of a parallel pass handles. Fixed, so that sums do not depend on the thread count.
const BLOCK: usize = 16;

/// Rows of equal length. Products with them are summed in double precision.
#[derive(Clone, Debug)]
pub(crate) struct Stored<T = f64> {
    data: Vec<T>,
    length: usize,
    squares: Vec<f64>,
}

impl<T: Real> Stored<T> {
    /// Stores `count` rows of the given length; `fill(j, out)` writes row `j` and is called from several threads.
    pub(crate) fn fill(length: usize, count: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        Self::fill_many(length, count, 1, fill)
    }

    /// [`fill`](Self::fill) with up to `together` rows at a time: `fill(j, out)` writes the rows from `j` on.
    pub(crate) fn fill_many(
        length: usize,
        count: usize,
        together: usize,
        fill: impl Fn(usize, &mut [f64]) + Sync,
    ) -> Self {
        let (step, together) = (length.max(1), together.clamp(1, BLOCK));
        let mut data: Vec<T> = memory::zeroed(length * count);
        let mut squares = vec![0.0; count];
        data.par_chunks_mut(step * BLOCK).zip(squares.par_chunks_mut(BLOCK)).enumerate().for_each_init(
            || vec![0.0; length * together],
            |buffer, (block, (rows, squares))| {
                let parts = rows.chunks_mut(step * together).zip(squares.chunks_mut(together));
                for (part, (rows, squares)) in parts.enumerate() {
                    let buffer = &mut buffer[..rows.len()];
                    fill(block * BLOCK + part * together, buffer);
                    for (row, square) in buffer.chunks(step).zip(squares) {
                        *square = simd::dot(row, row);
                    }
                    for (to, from) in rows.iter_mut().zip(buffer.iter()) {
                        *to = T::from_f64(*from);
                    }
                }
            },
        );
        Self { data, length, squares }
    }

    /// Length of each row.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The squared length of every row, before it was rounded.
    pub(crate) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// The stored numbers of row `j`.
    pub(crate) fn row(&self, j: usize) -> &[T] {
        &self.data[j * self.length..(j + 1) * self.length]
    }

    /// Writes row `j` from column `start` on.
    pub(crate) fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        for (to, from) in out.iter_mut().zip(&self.row(j)[start..]) {
            *to = from.to_f64();
        }
    }

    /// `out[j * R + r] = row_j' vectors[r]`, `R = vectors.len()`, in one pass over the rows.
    pub(crate) fn products(&self, vectors: &[&[f64]], out: &mut [f64]) {
        let r = vectors.len();
        self.data
            .par_chunks(self.length.max(1) * BLOCK)
            .zip(out.par_chunks_mut(BLOCK * r))
            .for_each(|(block, out)| loops::products(block, self.length, vectors, out));
    }
}
