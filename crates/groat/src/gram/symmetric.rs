//! A symmetric kernel matrix of which half is kept.
//!
//! A pass over a large matrix is bound by memory. Only the tiles on and below the diagonal are kept, in single
//! precision, and each serves both for its rows and for its columns, so that a pass moves `2 n^2` bytes instead of
//! `4 n^2`.
//! Partial results of the tile rows are added in order, whatever the number of threads.

use super::loops::{self, TILE, tile_place};
use crate::kernels::Packed;
use crate::matrix::Points;
use crate::memory;
use crate::simd;
use rayon::prelude::*;

/// The lower triangle of a symmetric matrix in square tiles, row of tiles after row of tiles.
#[derive(Clone, Debug)]
pub(crate) struct Symmetric {
    tiles: Vec<f32>,
    rows: usize,
    squares: Vec<f64>,
}

/// Entries of the rows of tiles above row `i`.
fn offset(i: usize) -> usize {
    i * (i + 1) / 2 * TILE * TILE
}

/// What a row of tiles adds to the results: two numbers for each of the rows up to its own.
type Partial = Vec<[f64; 2]>;

impl Symmetric {
    /// Evaluates the kernel between all rows of `x`, which `packed` holds too.
    pub(crate) fn new(packed: &Packed, x: Points<'_>) -> Self {
        let rows = x.rows();
        let side = rows.div_ceil(TILE);
        let mut tiles: Vec<f32> = memory::zeroed(offset(side));
        let mut parts: Vec<Vec<f64>> = vec![Vec::new(); side];
        Self::split(&mut tiles, side).into_par_iter().zip(&mut parts).enumerate().for_each(
            |(i, (band, squares))| {
                squares.resize((i + 1) * TILE, 0.0);
                let (together, height) = (packed.together(), TILE.min(rows - i * TILE));
                let mut values = vec![0.0; together * TILE];
                for (j, tile) in band.chunks_exact_mut(TILE * TILE).enumerate() {
                    let width = TILE.min(rows - j * TILE);
                    for start in (0..height).step_by(together) {
                        let count = together.min(height - start);
                        let (values, row) = (&mut values[..count * width], i * TILE + start);
                        packed.rows(x, row..row + count, j * TILE, width, values);
                        for (a, values) in (start..).zip(values.chunks(width)) {
                            for (b, value) in values.iter().enumerate() {
                                tile[tile_place(a, b)] = *value as f32;
                            }
                            squares[i * TILE + a] += simd::dot(values, values);
                            // On the diagonal a tile has both halves itself.
                            if i > j {
                                let across = &mut squares[j * TILE..j * TILE + width];
                                across.iter_mut().zip(values).for_each(|(sum, v)| *sum += v * v);
                            }
                        }
                    }
                }
            },
        );
        let mut squares = vec![0.0; side * TILE];
        for part in &parts {
            squares.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        squares.truncate(rows);
        Self { tiles, rows, squares }
    }

    /// The squared length of every row, before it was rounded.
    pub(crate) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// The rows of tiles as slices of their own.
    fn split(mut tiles: &mut [f32], side: usize) -> Vec<&mut [f32]> {
        (0..side)
            .map(|i| {
                let (band, rest) = std::mem::take(&mut tiles).split_at_mut((i + 1) * TILE * TILE);
                tiles = rest;
                band
            })
            .collect()
    }

    /// What the tiles of row `i` contribute to the product with two vectors.
    fn partial(&self, i: usize, vectors: &[Vec<f64>; 2]) -> Partial {
        let band = &self.tiles[offset(i)..offset(i + 1)];
        let part = |j: usize| -> [&[f64]; 2] { [0, 1].map(|r| &vectors[r][j * TILE..(j + 1) * TILE]) };
        let mut out = vec![[0.0; 2]; (i + 1) * TILE];
        let mut across = [[0.0; TILE]; 2];
        for (j, tile) in band.chunks_exact(TILE * TILE).enumerate() {
            across.iter_mut().for_each(|sums| sums.fill(0.0));
            let (above, own) = out.split_at_mut(i * TILE);
            loops::symmetric_tile(tile, part(j), part(i), own, &mut across);
            if j < i {
                for (b, out) in above[j * TILE..(j + 1) * TILE].iter_mut().enumerate() {
                    *out = [across[0][b], across[1][b]];
                }
            }
        }
        out
    }

    /// Writes row `j` from column `start` on.
    pub(crate) fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        let (tile_of_j, place) = (j / TILE, j % TILE);
        for (k, out) in (start..).zip(out) {
            let (i, a) = (k / TILE, k % TILE);
            let (band, tile, row, column) =
                if i >= tile_of_j { (i, tile_of_j, a, place) } else { (tile_of_j, i, place, a) };
            *out = f64::from(self.tiles[offset(band) + tile * TILE * TILE + tile_place(row, column)]);
        }
    }

    /// `out[j * R + r] = row_j' vectors[r]`, `R = vectors.len()`.
    pub(crate) fn products(&self, vectors: &[&[f64]], out: &mut [f64]) {
        let (r, side) = (vectors.len(), self.rows.div_ceil(TILE));
        // Two at a time; an odd last one goes with zeros.
        for (pair, first) in vectors.chunks(2).zip((0..).step_by(2)) {
            let padded = [0, 1].map(|v| {
                let mut padded = pair.get(v).map_or_else(Vec::new, |v| v.to_vec());
                padded.resize(side * TILE, 0.0);
                padded
            });
            let partials: Vec<Partial> =
                (0..side).into_par_iter().with_max_len(1).map(|i| self.partial(i, &padded)).collect();
            let mut sums = vec![[0.0; 2]; side * TILE];
            for partial in &partials {
                for (sum, part) in sums.iter_mut().zip(partial) {
                    sum[0] += part[0];
                    sum[1] += part[1];
                }
            }
            for (out, sums) in out.chunks_exact_mut(r).zip(&sums) {
                out[first..].iter_mut().zip(sums).for_each(|(out, sum)| *out = *sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::gram::Stored;
    use crate::matrix::Matrix;

    #[test]
    fn half_a_matrix_gives_the_products_of_the_whole() {
        for rows in [1, 7, TILE - 1, TILE, TILE + 5, 3 * TILE + 17] {
            let x =
                Matrix::from_vec((0..2 * rows).map(|i| (i as f64 * 0.7).sin()).collect(), rows, 2).unwrap();
            let kernel = Kernel::gaussian(0.6);
            let evaluator = kernel.evaluator::<f64>();
            let points = Points::from(&x);
            let half = Symmetric::new(&Packed::new(&kernel, points, points).unwrap(), points);
            let whole: Stored<f32> = Stored::fill(rows, rows, |j, out| {
                for (k, out) in out.iter_mut().enumerate() {
                    *out = evaluator.eval(x.row(j), x.row(k));
                }
            });
            for (a, b) in half.squares().iter().zip(whole.squares()) {
                assert!((a - b).abs() < 1e-9 * b);
            }
            let (mut a, mut b) = (vec![0.0; rows], vec![0.0; rows]);
            for j in [0, rows / 2, rows - 1] {
                half.piece(j, 0, &mut a);
                whole.piece(j, 0, &mut b);
                assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-7));
            }
            for count in 1..4 {
                let vectors: Vec<Vec<f64>> = (0..count)
                    .map(|c| (0..rows).map(|k| ((k + 5 * c) as f64 * 0.3).cos()).collect())
                    .collect();
                let views: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
                let (mut a, mut b) = (vec![f64::NAN; rows * count], vec![f64::NAN; rows * count]);
                half.products(&views, &mut a);
                whole.products(&views, &mut b);
                let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-7 * rows as f64 + 1e-6, "{rows} rows, {count} vectors: {worst}");
            }
        }
    }
}
