//! Kernels with compact support: values with the points within reach alone, which a neighbour search finds.

use crate::error::{Error, Result};
use crate::kernels::{Evaluator, Kernel};
use crate::matrix::{Matrix, Rows};
use crate::neighbours::Neighbours;
use rayon::prelude::*;

/// Queries of one task.
const CHUNK: usize = 64;
/// From this many on, queries are brought into the order of space.
const MANY_QUERIES: usize = 1024;

/// The index over the rows as distances see them, and the rows so.
pub(super) type Indexed = (Neighbours, Vec<f64>);

/// Those of rows, for the support of a kernel.
pub(super) fn index_for(kernel: &Kernel, x: Rows<'_>) -> Result<Indexed> {
    kernel.check_for(x.cols())?;
    let Some(support) = kernel.support() else {
        return Err(Error::parameter("kernel", kernel, "one with compact support for a sparse matrix"));
    };
    let scaled = kernel.distance_coordinates(x).into_owned();
    let index = Neighbours::new(Rows::new(&scaled, x.cols())?, support)?;
    Ok((index, scaled))
}

/// `sum_j k(x, v_j) w_j` over the vectors near `x`: a query costs what its neighbours cost, however many vectors there
/// are (system D8). Vectors and weights stand in the order of the index, so that what a query needs lies together.
#[derive(Debug)]
pub(crate) struct NearSums {
    kernel: Kernel,
    evaluator: Evaluator<f64>,
    support: f64,
    index: Neighbours,
    weights: Matrix,
}

impl NearSums {
    /// The vectors of a kernel with compact support, each with its row of weights.
    pub(crate) fn new(kernel: &Kernel, vectors: Rows<'_>, weights: Rows<'_>) -> Result<Self> {
        let (index, _) = index_for(kernel, vectors)?;
        let order: Vec<usize> = index.order().iter().map(|&i| i as usize).collect();
        let (evaluator, support) = (kernel.evaluator(), kernel.support().unwrap_or(f64::INFINITY));
        Ok(Self { kernel: kernel.clone(), evaluator, support, index, weights: weights.select(&order) })
    }

    /// The sums for every row of `x`.
    pub(crate) fn sums(&self, x: Rows<'_>) -> Result<Matrix> {
        let coordinates = self.kernel.distance_coordinates(x);
        let x = Rows::new(&coordinates, x.cols())?;
        let outputs = self.weights.cols();
        let mut out = Matrix::zeros(x.rows(), outputs);
        if x.rows() <= CHUNK {
            // Waking another thread would take longer than the work.
            self.add(x, out.data_mut());
            return Ok(out);
        }
        // Queries that are near each other come one after the other: they need the same vectors.
        let order = self.order(x);
        let queries = order.as_ref().map(|order| x.select(order));
        let queries = queries.as_ref().map_or(x, Matrix::view);
        out.data_mut().par_chunks_mut(CHUNK * outputs).enumerate().for_each(|(c, out)| {
            self.add(queries.slice(c * CHUNK, c * CHUNK + out.len() / outputs), out);
        });
        let Some(order) = order else { return Ok(out) };
        let mut answers = Matrix::zeros(x.rows(), outputs);
        for (&i, row) in order.iter().zip(out.view().iter()) {
            answers.row_mut(i).copy_from_slice(row);
        }
        Ok(answers)
    }

    /// The queries in an order in which near ones stand near each other; `None` where that is not worth it.
    fn order(&self, queries: Rows<'_>) -> Option<Vec<usize>> {
        if queries.rows() < MANY_QUERIES || self.index.len() < MANY_QUERIES || self.index.kind() == "brute" {
            return None;
        }
        let arranged = Neighbours::new(queries, self.support).ok()?;
        Some(arranged.order().iter().map(|&i| i as usize).collect())
    }

    /// Adds the neighbours' contributions to `out`, one query per row of numbers.
    fn add(&self, queries: Rows<'_>, out: &mut [f64]) {
        let (mut near, mut values) = (Vec::new(), Vec::new());
        for (query, out) in queries.iter().zip(out.chunks_exact_mut(self.weights.cols())) {
            near.clear();
            values.clear();
            self.index.visit_places(query, |place, squared| {
                near.push(place);
                values.push(squared);
            });
            self.evaluator.radial(&mut values);
            for (&place, value) in near.iter().zip(&values) {
                let weights = self.weights.row(place);
                out.iter_mut().zip(weights).for_each(|(o, w)| *o += value * w);
            }
        }
    }
}
