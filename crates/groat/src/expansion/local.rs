//! Prediction that visits only the vectors near the query (system D8).
//!
//! With a compactly supported kernel the vectors beyond its support contribute nothing. They are arranged
//! in a neighbour index at the first prediction, and from then on a prediction costs what the neighbours
//! of its query cost, however many vectors there are.

use crate::error::Result;
use crate::gram;
use crate::kernels::{Evaluator, Kernel, Packed, sums};
use crate::matrix::{Matrix, Points, Rows};
use crate::neighbours::Neighbours;
use rayon::prelude::*;
use std::sync::OnceLock;

/// With fewer vectors than this, a search costs more than it saves.
const MIN_VECTORS: usize = 64;
/// Queries of one task.
const CHUNK: usize = 64;
/// Up to so many queries, packing the vectors would cost as much as answering.
const FEW_QUERIES: usize = 15;
/// From this many on, queries are brought into the order of space.
const MANY_QUERIES: usize = 1024;

/// The index over a model's vectors, made when it is first needed. It is no part of the model's value: a
/// copy makes its own, and models are equal whether or not they have one.
#[derive(Debug, Default)]
pub(super) struct Local {
    near: OnceLock<Option<Arranged>>,
    /// The vectors packed for a few dense rows, and for a few sparse ones: otherwise each call would pack them anew, which
    /// takes longer than one row does.
    packed: [OnceLock<Packed>; 2],
}

/// Vectors and their weights in the order of the index, so that what a query needs lies together.
#[derive(Debug)]
struct Arranged {
    index: Neighbours,
    weights: Matrix,
}

impl Arranged {
    fn new(kernel: &Kernel, vectors: Rows<'_>, weights: Rows<'_>, support: f64) -> Option<Self> {
        let coordinates = kernel.distance_coordinates(vectors);
        let index = Neighbours::new(Rows::new(&coordinates, vectors.cols()).ok()?, support).ok()?;
        let order: Vec<usize> = index.order().iter().map(|&i| i as usize).collect();
        Some(Self { index, weights: weights.select(&order) })
    }

    /// The queries in an order in which near ones stand near each other; `None` where that is not worth it.
    fn order(&self, queries: Rows<'_>, support: f64) -> Option<Vec<usize>> {
        if queries.rows() < MANY_QUERIES || self.index.len() < MANY_QUERIES || self.index.kind() == "brute" {
            return None;
        }
        let arranged = Neighbours::new(queries, support).ok()?;
        Some(arranged.order().iter().map(|&i| i as usize).collect())
    }

    /// Adds the neighbours' contributions to `out`, one query per `outputs` numbers.
    fn add(&self, evaluator: &Evaluator<f64>, queries: Rows<'_>, out: &mut [f64]) {
        let (mut near, mut values) = (Vec::new(), Vec::new());
        for (query, out) in queries.iter().zip(out.chunks_exact_mut(self.weights.cols())) {
            near.clear();
            values.clear();
            self.index.visit_places(query, |place, squared| {
                near.push(place);
                values.push(squared);
            });
            evaluator.radial(&mut values);
            for (&place, value) in near.iter().zip(&values) {
                let weights = self.weights.row(place);
                out.iter_mut().zip(weights).for_each(|(o, w)| *o += value * w);
            }
        }
    }
}

impl Clone for Local {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Local {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Local {
    /// `sum_j k(x_i, v_j) w_j` for every row of `x`, by way of its neighbours where that pays.
    pub(super) fn weighted_sum(
        &self,
        kernel: &Kernel,
        x: Points<'_>,
        vectors: Points<'_>,
        weights: Rows<'_>,
    ) -> Result<Matrix> {
        if let (Some(x), Some(vectors)) = (x.dense(), vectors.dense())
            && let Some(sums) = self.near(kernel, x, vectors, weights)
        {
            return Ok(sums);
        }
        if x.rows() > FEW_QUERIES {
            return gram::weighted_sum(kernel, x, vectors, weights);
        }
        let place = &self.packed[usize::from(x.dense().is_none())];
        let packed = match place.get() {
            Some(packed) => packed,
            None => {
                let packed = Packed::new(kernel, vectors, x)?;
                place.get_or_init(|| packed)
            }
        };
        Ok(sums(&(x, packed), weights))
    }

    /// The sums over the neighbours of every row; `None` where a search cannot pay.
    fn near(&self, kernel: &Kernel, x: Rows<'_>, vectors: Rows<'_>, weights: Rows<'_>) -> Option<Matrix> {
        let support = kernel.support().filter(|_| vectors.rows() >= MIN_VECTORS)?;
        let arranged = self.near.get_or_init(|| Arranged::new(kernel, vectors, weights, support)).as_ref()?;
        let coordinates = kernel.distance_coordinates(x);
        let x = Rows::new(&coordinates, x.cols()).ok()?;
        let evaluator = kernel.evaluator::<f64>();
        let outputs = weights.cols();
        let mut out = Matrix::zeros(x.rows(), outputs);
        if x.rows() <= CHUNK {
            // Waking another thread would take longer than the work.
            arranged.add(&evaluator, x, out.data_mut());
            return Some(out);
        }
        // Queries that are near each other come one after the other: they need the same vectors.
        let order = arranged.order(x, support);
        let queries = order.as_ref().map(|order| x.select(order));
        let queries = queries.as_ref().map_or(x, Matrix::view);
        out.data_mut().par_chunks_mut(CHUNK * outputs).enumerate().for_each(|(c, out)| {
            let queries = queries.slice(c * CHUNK, c * CHUNK + out.len() / outputs);
            arranged.add(&evaluator, queries, out);
        });
        let Some(order) = order else { return Some(out) };
        let mut answers = Matrix::zeros(x.rows(), outputs);
        for (&i, row) in order.iter().zip(out.view().iter()) {
            answers.row_mut(i).copy_from_slice(row);
        }
        Some(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::Expansion;

    #[test]
    fn neighbours_alone_give_the_whole_sum() {
        let numbers = |len: usize, seed: f64| (0..len).map(|i| ((i as f64 + seed) * 12.9898).sin()).collect();
        for d in [1, 2, 3, 5, 9] {
            let vectors = Matrix::from_vec(numbers(300 * d, 0.3), 300, d).unwrap();
            let weights = Matrix::from_vec(numbers(600, 0.7), 300, 2).unwrap();
            let queries = Matrix::from_vec(numbers(50 * d, 0.9), 50, d).unwrap();
            for kernel in [
                Kernel::compact_for(Kernel::gaussian(0.5), 0.6, d),
                Kernel::compact_for(Kernel::gaussian(vec![0.5; d]), 1.3, d),
                Kernel::Wendland { width: 0.9.into(), dimension: 9, smoothness: 1 },
            ] {
                let model = Expansion::new(kernel.clone(), vectors.clone(), weights.clone()).unwrap();
                let local = model.values(queries.view()).unwrap();
                let whole = kernel.weighted_sum(queries.view(), vectors.view(), weights.view()).unwrap();
                for (a, b) in local.data().iter().zip(whole.data()) {
                    assert!((a - b).abs() < 1e-13, "{kernel}");
                }
                assert_eq!(model.clone(), model);
            }
        }
    }

    /// One row alone gives the bits that it gives among others, dense or sparse, time and again.
    #[test]
    fn one_query_is_answered_as_several_are() {
        let number = |i: usize| (i as f64 * 12.9898).sin();
        let vectors = Matrix::from_vec((0..1200).map(number).collect(), 300, 4).unwrap();
        let weights = Matrix::from_vec((0..600).map(|i| number(i + 7)).collect(), 300, 2).unwrap();
        let model = Expansion::new(Kernel::gaussian(0.5), vectors.clone(), weights).unwrap();
        let queries = vectors.view().slice(0, 40);
        let sparse = crate::matrix::Csr::from_rows(queries);
        let together = [model.values(queries).unwrap(), model.values(sparse.view()).unwrap()];
        for i in (0..40).chain(0..40) {
            assert_eq!(together[0].row(i), model.values(queries.slice(i, i + 1)).unwrap().row(0));
            let alone = Points::from(sparse.view()).slice(i, i + 1);
            assert_eq!(together[1].row(i), model.values(alone).unwrap().row(0));
        }
    }

    #[test]
    fn many_queries_are_answered_in_their_own_order() {
        let number = |i: usize| (i as f64 * 12.9898).sin();
        let vectors = Matrix::from_vec((0..6000).map(number).collect(), 3000, 2).unwrap();
        let weights = Matrix::from_vec((0..6000).map(|i| number(i + 7)).collect(), 3000, 2).unwrap();
        let kernel = Kernel::compact_for(Kernel::gaussian(0.5), 0.2, 2);
        let model = Expansion::new(kernel, vectors.clone(), weights).unwrap();
        let together = model.values(vectors.view()).unwrap();
        for i in (0..3000).step_by(37) {
            assert_eq!(together.row(i), model.values(vectors.view().slice(i, i + 1)).unwrap().row(0));
        }
    }
}
