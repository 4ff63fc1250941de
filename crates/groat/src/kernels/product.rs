//! Dense rows of many features as centres of a kernel: inner products by a matrix product.
//!
//! Distances are `|x|^2 + |y|^2 - 2 x'y` of rows from which the mean of the centres has been taken, so that a common
//! offset costs no digits. Where the sum cancels all the same, the panel is evaluated feature by feature.

use super::block::TILE;
use super::centres::LANES;
use super::profile::Form;
use super::{Centres, Evaluator, Kernel, NEAR};
use crate::matrix::{Matrix, Point, Rows};
use crate::simd::dot;
use groat_linalg::{View, ViewMut, Write, product};

/// Rows centred and divided by the widths, and their squared lengths.
#[derive(Clone, Debug)]
struct Prepared {
    rows: Matrix,
    lengths: Vec<f64>,
}

/// Centres for products.
#[derive(Clone, Debug)]
pub(super) struct Multiplied {
    kernel: Kernel,
    evaluator: Evaluator<f64>,
    /// What is taken from every row, as distances see it; zero for kernels of an inner product.
    mean: Vec<f64>,
    prepared: Prepared,
    /// The centres themselves.
    centres: Centres,
}

impl Multiplied {
    pub(super) fn new(kernel: &Kernel, centres: Rows<'_>) -> Self {
        let mut mean = vec![0.0; centres.cols()];
        if kernel.is_radial() {
            let scaled = kernel.distance_coordinates(centres);
            let share = 1.0 / centres.rows().max(1) as f64;
            for row in scaled.chunks_exact(centres.cols()) {
                mean.iter_mut().zip(row).for_each(|(m, v)| *m += v * share);
            }
        }
        let (evaluator, prepared) = (kernel.evaluator(), prepare(kernel, &mean, centres));
        Self { kernel: kernel.clone(), evaluator, mean, prepared, centres: Centres::from_rows(centres) }
    }

    pub(super) fn len(&self) -> usize {
        self.centres.len()
    }

    /// One row is compared feature by feature: a product would gain nothing.
    pub(super) fn row(&self, query: Point<'_>, first: usize, out: &mut [f64]) {
        self.evaluator.piece(&query.with_zeros(self.centres.dim()), &self.centres, first, out);
    }

    /// As [`Packed::block`](super::Packed::block).
    pub(super) fn block(&self, rows: Rows<'_>, first: usize, columns: usize, out: &mut [f64], stride: usize) {
        let queries = prepare(&self.kernel, &self.mean, rows);
        let mut tile = vec![0.0; rows.rows() * TILE.min(columns)];
        for start in (0..columns).step_by(TILE) {
            let width = TILE.min(columns - start);
            let tile = &mut tile[..rows.rows() * width];
            if self.products(&queries, first + start, tile).is_err() {
                tile.fill(f64::NAN);
            }
            for (i, values) in tile.chunks_exact_mut(width).enumerate() {
                let to = &mut out[i * stride + start..i * stride + start + width];
                self.finish(rows.row(i), queries.lengths[i], first + start, values, to);
            }
        }
    }

    /// Inner products of the queries with as many centres as there is room for, from number `first` on.
    fn products(&self, queries: &Prepared, first: usize, out: &mut [f64]) -> groat_linalg::Result<()> {
        let (count, d) = (queries.rows.rows(), queries.rows.cols());
        let width = out.len() / count.max(1);
        let centres = self.prepared.rows.view().slice(first, first + width);
        let left = View::row_major(queries.rows.data(), count, d)?;
        let right = View::row_major(centres.data(), width, d)?.t();
        product(1.0, left, right, Write::Replace, ViewMut::row_major(out, count, width)?)
    }

    /// Turns the inner products of one query into kernel values.
    fn finish(&self, query: &[f64], length: f64, first: usize, products: &mut [f64], out: &mut [f64]) {
        if self.evaluator.form == Form::Product {
            out.copy_from_slice(products);
            return self.evaluator.radial(out);
        }
        let lengths = &self.prepared.lengths[first..first + products.len()];
        for ((out, product), other) in out.iter_mut().zip(products.iter()).zip(lengths) {
            *out = (length + other) - 2.0 * product;
        }
        products.copy_from_slice(out);
        self.evaluator.radial(out);
        let panels = out.chunks_mut(LANES).zip(products.chunks(LANES).zip(lengths.chunks(LANES)));
        for (p, (out, (squared, lengths))) in panels.enumerate() {
            // Also where lengths beyond the number range have led to no number at all.
            let near =
                |(squared, other): (&f64, &f64)| *squared < NEAR * (length + other) || squared.is_nan();
            if squared.iter().zip(lengths).any(near) {
                self.row(Point::Dense(query), first + p * LANES, out);
            }
        }
    }
}

fn prepare(kernel: &Kernel, mean: &[f64], rows: Rows<'_>) -> Prepared {
    let scaled = if kernel.is_radial() { kernel.distance_coordinates(rows) } else { rows.data().into() };
    let mut centred = Matrix::zeros(rows.rows(), rows.cols());
    let pairs = centred.data_mut().chunks_exact_mut(mean.len()).zip(scaled.chunks_exact(mean.len()));
    for (to, from) in pairs {
        to.iter_mut().zip(from.iter().zip(mean)).for_each(|(to, (v, m))| *to = v - m);
    }
    let lengths = centred.view().iter().map(|row| dot(row, row)).collect();
    Prepared { rows: centred, lengths }
}
