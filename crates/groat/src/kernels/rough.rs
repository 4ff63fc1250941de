//! Radial kernels in single precision, for solvers that go through most pairs of rows several times.
//!
//! Coordinates are taken from the mean of the rows, so that what is rounded to seven digits are distances from the middle
//! of the data, wherever that lies; sums over kernel values are in double precision. The matrix is that of points a little
//! beside the given ones: positive definite like theirs, and off by about `1e-7` where distances are of the order of the
//! width. Whoever solves with it has to check what it came to with exact values.
//!
//! With few features distances are sums of squared differences; with many they come from a matrix product, as
//! `|x|^2 + |y|^2 - 2 x'y`, and from the differences where that would cancel.

use super::packed::MANY_FEATURES;
use super::{Evaluator, Kernel, Width};
use crate::matrix::Points;
use crate::simd::{Arithmetic, Lane, multiversion};
use groat_linalg::product_single;
use rayon::prelude::*;

/// Columns that are worked on together: their features stay in the nearest caches.
const TILE: usize = 256;
/// Coordinates beyond this are not squared in single precision.
const LARGEST: f64 = 1e15;
/// Features up to which sparse rows are written out.
const WRITTEN_OUT: usize = 512;
/// Share of `|x|^2 + |y|^2` below which a squared distance is taken from the differences. Larger than in double precision: a
/// kernel with compact support in many dimensions is so steep that the rounding of the three sums would show.
const NEAR: f32 = 0.03;
/// Rows that go into a matrix product with a tile.
const GROUP: usize = 64;

/// Rows as a radial kernel sees them.
#[derive(Clone, Debug)]
pub(crate) struct Rough {
    evaluator: Evaluator<f32>,
    /// Row by row.
    rows: Vec<f32>,
    /// Squared lengths of the rows, where distances come from products.
    lengths: Option<Vec<f32>>,
    dim: usize,
}

/// Some of the rows as columns of a matrix: tile by tile, within a tile feature by feature.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    data: Vec<f32>,
    /// Squared lengths of the columns, where there are those of rows.
    lengths: Vec<f32>,
}

/// Kernel values of one row with the columns of a tile.
type Values = [f32; TILE];

impl Rough {
    /// These rows, where kernel and numbers allow it.
    pub(crate) fn new(kernel: &Kernel, x: Points<'_>) -> Option<Self> {
        let (n, dim) = (x.rows(), x.cols());
        if !kernel.is_radial() || dim == 0 || (x.dense().is_none() && dim > WRITTEN_OUT) {
            return None;
        }
        let widths = match kernel.width() {
            Some(Width::PerFeature(widths)) => widths.clone(),
            _ => vec![1.0; dim],
        };
        let mut mean = vec![0.0; dim];
        for i in 0..n {
            mean.iter_mut().zip(x.row(i).iter()).for_each(|(m, v)| *m += v / n as f64);
        }
        let mut rows = Vec::with_capacity(n * dim);
        for i in 0..n {
            for ((v, m), w) in x.row(i).iter().zip(&mean).zip(&widths) {
                let coordinate = (v - m) / w;
                if coordinate.is_nan() || coordinate.abs() > LARGEST {
                    return None;
                }
                rows.push(coordinate as f32);
            }
        }
        let squared = |row: &[f32]| row.iter().map(|v| v * v).sum();
        let lengths = (dim >= MANY_FEATURES).then(|| rows.chunks_exact(dim).map(squared).collect());
        Some(Self { evaluator: kernel.evaluator(), rows, lengths, dim })
    }

    /// Features of a row.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / self.dim
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.dim..(i + 1) * self.dim]
    }

    /// These rows as columns.
    pub(crate) fn tiles(&self, columns: &[usize]) -> Tiles {
        let padded = columns.len().div_ceil(TILE) * TILE;
        let mut data = vec![0.0; padded * self.dim];
        for (tile, columns) in data.chunks_exact_mut(TILE * self.dim).zip(columns.chunks(TILE)) {
            for (c, &i) in columns.iter().enumerate() {
                for (k, v) in self.row(i).iter().enumerate() {
                    tile[k * TILE + c] = *v;
                }
            }
        }
        let mut lengths = Vec::new();
        if let Some(own) = &self.lengths {
            lengths.extend(columns.iter().map(|&i| own[i]));
            lengths.resize(padded, 0.0);
        }
        Tiles { data, lengths }
    }

    fn gathered(&self, rows: &[usize]) -> Vec<f32> {
        rows.iter().flat_map(|&i| self.row(i)).copied().collect()
    }

    /// Rows that [`values`](Self::values) is best asked for at a time.
    pub(crate) fn together(&self) -> usize {
        if self.lengths.is_some() { GROUP } else { 2 }
    }

    /// `out[c] += sum_k factors[k] k(row rows[k], column c)`.
    pub(crate) fn add_sums(&self, rows: &[usize], factors: &[f64], columns: &Tiles, out: &mut [f64]) {
        if self.lengths.is_none() {
            let rows = self.gathered(rows);
            let tiles = columns.data.par_chunks_exact(TILE * self.dim);
            return out.par_chunks_mut(TILE).zip(tiles).for_each(|(out, tile)| {
                add_tile(&self.evaluator, tile, &rows, self.dim, factors, out);
            });
        }
        out.par_chunks_mut(TILE).enumerate().for_each(|(t, out)| {
            let mut sums = [0.0; TILE];
            for (rows, factors) in rows.chunks(GROUP).zip(factors.chunks(GROUP)) {
                for (values, factor) in self.tile_values(rows, columns, t).iter().zip(factors) {
                    sums.iter_mut().zip(values).for_each(|(sum, v)| *sum += factor * f64::from(*v));
                }
            }
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
        });
    }

    /// Kernel values of some rows with the columns, each into the slice that stands beside its number, on this thread.
    pub(crate) fn values(&self, rows: &mut [(usize, &mut [f32])], columns: &Tiles) {
        let numbers: Vec<usize> = rows.iter().map(|(i, _)| *i).collect();
        for t in 0..columns.data.len() / (TILE * self.dim) {
            for ((_, out), values) in rows.iter_mut().zip(self.tile_values(&numbers, columns, t)) {
                let end = out.len().min((t + 1) * TILE);
                let to = &mut out[t * TILE..end];
                to.copy_from_slice(&values[..to.len()]);
            }
        }
    }

    /// The square of these rows with each other, row by row into `out`.
    pub(crate) fn square(&self, rows: &[usize], out: &mut [f64]) {
        let (columns, side, together) = (self.tiles(rows), rows.len(), self.together());
        out.par_chunks_mut(together * side.max(1)).zip(rows.par_chunks(together)).for_each(|(out, rows)| {
            for t in 0..side.div_ceil(TILE) {
                for (out, values) in out.chunks_exact_mut(side).zip(self.tile_values(rows, &columns, t)) {
                    let to = &mut out[t * TILE..side.min((t + 1) * TILE)];
                    to.iter_mut().zip(values).for_each(|(to, v)| *to = f64::from(v));
                }
            }
        });
    }

    /// Kernel values of some rows with the columns of tile number `t`.
    fn tile_values(&self, rows: &[usize], columns: &Tiles, t: usize) -> Vec<Values> {
        let tile = &columns.data[t * TILE * self.dim..(t + 1) * TILE * self.dim];
        let mut out = vec![[0.0; TILE]; rows.len().next_multiple_of(2)];
        match &self.lengths {
            None => {
                for (rows, out) in rows.chunks(2).zip(out.as_chunks_mut::<2>().0) {
                    let (first, second) = (self.row(rows[0]), self.row(rows[rows.len() - 1]));
                    pair(&self.evaluator, tile, [first, second], out);
                }
            }
            Some(own) => {
                let lengths = &columns.lengths[t * TILE..(t + 1) * TILE];
                let products = out[..rows.len()].as_flattened_mut();
                if product_single(&self.gathered(rows), tile, self.dim, products).is_err() {
                    products.fill(f32::NAN);
                }
                for (&i, values) in rows.iter().zip(&mut out) {
                    self.finish_products(i, own[i], tile, lengths, values);
                }
            }
        }
        out.truncate(rows.len());
        out
    }

    /// Turns the inner products of a row with the columns of a tile into kernel values.
    fn finish_products(&self, i: usize, length: f32, tile: &[f32], lengths: &[f32], values: &mut Values) {
        // Whatever is no number is not far either.
        let far = |squared: f32, other: f32| squared >= NEAR * (length + other);
        let mut all_far = true;
        for (value, other) in values.iter_mut().zip(lengths) {
            *value = (length + other) - 2.0 * *value;
            all_far &= far(*value, *other);
        }
        if !all_far {
            for (c, (value, other)) in values.iter_mut().zip(lengths).enumerate() {
                if !far(*value, *other) {
                    let square = |(k, v): (usize, &f32)| (tile[k * TILE + c] - v).powi(2);
                    *value = self.row(i).iter().enumerate().map(square).sum();
                }
            }
        }
        self.evaluator.radial(values);
    }
}

/// Squared distances of two rows and the columns of a tile, four features at a time.
#[inline(always)]
fn distances<A: Arithmetic>(tile: &[f32], rows: [&[f32]; 2], out: &mut [[f32; TILE]; 2]) {
    let (tiles, _) = tile.as_chunks::<TILE>();
    let [first, second] = out;
    first.fill(0.0);
    second.fill(0.0);
    let (fours, rest) = tiles.as_chunks::<4>();
    let ([a, b], [a_rest, b_rest]) = (rows.map(|r| r.as_chunks::<4>().0), rows.map(|r| r.as_chunks::<4>().1));
    for (([u, v, w, x], a), b) in fours.iter().zip(a).zip(b) {
        for c in 0..TILE {
            let near = |r: &[f32; 4], sum: f32| {
                let [d, e, f, g] = [u[c] - r[0], v[c] - r[1], w[c] - r[2], x[c] - r[3]];
                g.fma::<A>(g, f.fma::<A>(f, e.fma::<A>(e, d.fma::<A>(d, sum))))
            };
            first[c] = near(a, first[c]);
            second[c] = near(b, second[c]);
        }
    }
    for ((u, a), b) in rest.iter().zip(a_rest).zip(b_rest) {
        for c in 0..TILE {
            let (d, e) = (u[c] - a, u[c] - b);
            first[c] = d.fma::<A>(d, first[c]);
            second[c] = e.fma::<A>(e, second[c]);
        }
    }
}

#[inline(always)]
fn pair_body<A: Arithmetic>(
    evaluator: &Evaluator<f32>,
    tile: &[f32],
    rows: [&[f32]; 2],
    out: &mut [[f32; TILE]; 2],
) {
    distances::<A>(tile, rows, out);
    // No closure: it would not be compiled for this CPU.
    let [first, second] = out;
    evaluator.finish::<A>(first);
    evaluator.finish::<A>(second);
}
multiversion! {
    /// Kernel values of two rows with the columns of a tile.
    fn pair(evaluator: &Evaluator<f32>, tile: &[f32], rows: [&[f32]; 2], out: &mut [[f32; TILE]; 2]) = pair_body
}

#[inline(always)]
fn add_tile_body<A: Arithmetic>(
    evaluator: &Evaluator<f32>,
    tile: &[f32],
    rows: &[f32],
    dim: usize,
    factors: &[f64],
    out: &mut [f64],
) {
    let (mut values, mut sums) = ([[0.0; TILE]; 2], [0.0; TILE]);
    for (rows, factors) in rows.chunks(2 * dim).zip(factors.chunks(2)) {
        // An odd last row is paired with itself and counts once.
        let (first, second) = (&rows[..dim], &rows[rows.len() - dim..]);
        let (a, b) = (factors[0], factors.get(1).copied().unwrap_or(0.0));
        pair_body::<A>(evaluator, tile, [first, second], &mut values);
        for c in 0..TILE {
            sums[c] += a * f64::from(values[0][c]) + b * f64::from(values[1][c]);
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out += sum;
    }
}
multiversion! {
    /// `out[c] += sum_k factors[k] k(row k, column c)` for the columns of a tile.
    fn add_tile(
        evaluator: &Evaluator<f32>, tile: &[f32], rows: &[f32], dim: usize, factors: &[f64], out: &mut [f64],
    ) = add_tile_body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, Matrix};

    #[test]
    fn values_and_sums_are_near_the_exact_ones() {
        for d in [1, 3, 4, 9, 16, 130] {
            // Far from the origin.
            let numbers = (0..700 * d).map(|i| 1000.0 + (i as f64 * 12.9898).sin()).collect();
            let x = Matrix::from_vec(numbers, 700, d).unwrap();
            let sparse = Csr::from_rows(x.view());
            let width = (d as f64).sqrt();
            let kernels = [
                Kernel::gaussian(width),
                Kernel::gaussian((0..d).map(|k| width + k as f64 * 0.1).collect::<Vec<_>>()),
                Kernel::Matern32 { width: width.into() },
                Kernel::compact_for(Kernel::gaussian(width), 3.0 * width, d),
            ];
            let (rows, columns): (Vec<usize>, Vec<usize>) = ((0..5).collect(), (3..600).collect());
            let factors = [1.0f64, -2.0, 0.5, 3.0, -1.0];
            for kernel in kernels {
                let exact = kernel.gram(x.view()).unwrap();
                // What one value may be off: a number rounded to single precision, to the power of the support where there is
                // one; and what that makes of a sum.
                let steep = if kernel.support().is_some() { d as f64 / 2.0 + 1.0 } else { 0.0 };
                let one = 1e-6 + steep * f64::from(f32::EPSILON);
                let sum = one * factors.iter().map(|f| f.abs()).sum::<f64>();
                for points in [Points::from(&x), Points::from(sparse.view())] {
                    let rough = Rough::new(&kernel, points).unwrap();
                    let tiles = rough.tiles(&columns);
                    let (mut sums, mut values) = (vec![1.0; columns.len()], vec![0.0; columns.len()]);
                    rough.add_sums(&rows, &factors, &tiles, &mut sums);
                    rough.values(&mut [(2, &mut values), (4, &mut vec![0.0; columns.len()])], &tiles);
                    let mut square = vec![0.0; 25];
                    rough.square(&rows, &mut square);
                    for (c, &j) in columns.iter().enumerate() {
                        let want: f64 = 1.0 + (0..5).map(|k| factors[k] * exact[(k, j)]).sum::<f64>();
                        assert!((sums[c] - want).abs() < sum, "{kernel}, {d} features");
                        assert!((f64::from(values[c]) - exact[(2, j)]).abs() < one, "{kernel}, {d} features");
                    }
                    for (k, value) in square.iter().enumerate() {
                        assert!((value - exact[(k / 5, k % 5)]).abs() < one);
                    }
                    assert!((0..5).all(|k| square[6 * k] == 1.0), "{kernel}");
                }
            }
        }
    }

    #[test]
    fn what_single_precision_cannot_hold_is_left_alone() {
        let far = Matrix::from_vec(vec![0.0, 1e20], 2, 1).unwrap();
        assert!(Rough::new(&Kernel::gaussian(1.0), Points::from(&far)).is_none());
        let near = Matrix::from_vec(vec![0.0, 1.0], 2, 1).unwrap();
        assert!(Rough::new(&Kernel::Linear, Points::from(&near)).is_none());
    }
}
