//! Rows of a kernel with compact support: what lies within reach.

use super::super::latest::Latest;
use super::super::near::Indexed;
use crate::error::Result;
use crate::gram::Expected;
use crate::kernels::{Evaluator, Kernel};
use crate::matrix::Matrix;
use crate::neighbours::Neighbours;
use rayon::prelude::*;

/// Bytes of a stored number: its column and its value.
const ENTRY: u64 = 12;

/// The nonzeros of the latest rows, found by a neighbour search.
pub(super) struct SparseRows {
    evaluator: Evaluator<f64>,
    index: Neighbours,
    scaled: Matrix,
    latest: Latest,
    /// By their places: columns in ascending order, and values.
    held: Vec<(Vec<u32>, Vec<f64>)>,
    pub(super) evaluated: usize,
}

impl SparseRows {
    /// As many rows as `bytes` allow, by the nonzeros that a row has on average.
    pub(super) fn new(kernel: &Kernel, indexed: Indexed, expected: &Expected, bytes: u64) -> Result<Self> {
        let (index, scaled) = indexed;
        let (rows, features) = (index.len(), index.points().cols());
        let row = ENTRY * (expected.nonzeros / rows.max(1) as f64).ceil() as u64;
        let latest = Latest::within(bytes, row, rows);
        let scaled = Matrix::from_vec(scaled, rows, features)?;
        Ok(Self { evaluator: kernel.evaluator(), index, scaled, latest, held: Vec::new(), evaluated: 0 })
    }

    /// Bytes of the rows that are held.
    pub(super) fn bytes(&self) -> u64 {
        self.held.iter().map(|(columns, _)| ENTRY * columns.len() as u64).sum()
    }

    /// Sees to it that these rows, no more than there is room for, are there.
    fn hold(&mut self, rows: &[usize]) {
        let places = self.latest.take(rows);
        let found: Vec<(Vec<u32>, Vec<f64>)> = places.par_iter().map(|&(_, i)| self.row(i)).collect();
        self.evaluated += places.len();
        self.held.resize_with(self.latest.len(), Default::default);
        for ((place, _), row) in places.into_iter().zip(found) {
            self.held[place] = row;
        }
    }

    fn get(&self, i: usize) -> Option<&(Vec<u32>, Vec<f64>)> {
        self.latest.place(i).map(|place| &self.held[place])
    }

    fn row(&self, i: usize) -> (Vec<u32>, Vec<f64>) {
        let mut hits: Vec<(u32, f64)> = Vec::new();
        self.index.visit(self.scaled.row(i), |j, squared| hits.push((j, squared)));
        hits.sort_unstable_by_key(|hit| hit.0);
        let (columns, mut values): (Vec<u32>, Vec<f64>) = hits.into_iter().unzip();
        self.evaluator.radial(&mut values);
        (columns, values)
    }

    /// The square block of these rows, row by row into `out`.
    pub(super) fn block(&mut self, rows: &[usize], out: &mut [f64]) {
        // One row may stand there for several variables.
        let mut order: Vec<(u32, usize)> = rows.iter().enumerate().map(|(at, &i)| (i as u32, at)).collect();
        order.sort_unstable();
        out.fill(0.0);
        let room = self.latest.room();
        for (some, out) in rows.chunks(room).zip(out.chunks_mut(room * rows.len().max(1))) {
            self.hold(some);
            for (i, out) in some.iter().zip(out.chunks_exact_mut(rows.len())) {
                if let Some((columns, values)) = self.get(*i) {
                    scatter(&order, columns, values, out);
                }
            }
        }
    }

    /// `f += sum_k factors[k] row(rows[k])`.
    pub(super) fn add(&mut self, rows: &[usize], factors: &[f64], f: &mut [f64]) {
        let room = self.latest.room();
        for (rows, factors) in rows.chunks(room).zip(factors.chunks(room)) {
            self.hold(rows);
            for (i, factor) in rows.iter().zip(factors) {
                if let Some((columns, values)) = self.get(*i) {
                    columns.iter().zip(values).for_each(|(j, v)| f[*j as usize] += factor * v);
                }
            }
        }
    }
}

/// Writes what of a sparse row belongs to the wanted columns; `order` are these, ascending, with their places.
fn scatter(order: &[(u32, usize)], columns: &[u32], values: &[f64], out: &mut [f64]) {
    let mut next = 0;
    for (column, value) in columns.iter().zip(values) {
        while next < order.len() && order[next].0 < *column {
            next += 1;
        }
        for (_, at) in order[next..].iter().take_while(|wanted| wanted.0 == *column) {
            out[*at] = *value;
        }
    }
}
