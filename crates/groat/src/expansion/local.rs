//! What predictions with an expansion keep between calls: an index over vectors of a kernel with compact support, or the
//! vectors packed for a few rows at a time.

use crate::error::Result;
use crate::gram::{self, NearSums, Side};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, Points, Rows};
use std::sync::OnceLock;

/// With fewer vectors than this, a search costs more than it saves.
const MIN_VECTORS: usize = 64;
/// Up to so many queries, packing the vectors would cost as much as answering.
const FEW_QUERIES: usize = 15;

/// Made when it is first needed. It is no part of the model's value: a copy makes its own, and models are equal whether
/// or not they have one.
#[derive(Debug, Default)]
pub(super) struct Local {
    near: OnceLock<Option<Box<NearSums>>>,
    /// The vectors packed for a few dense rows, and for a few sparse ones: otherwise each call would pack them anew, which
    /// takes longer than one row does.
    packed: [OnceLock<Side>; 2],
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
    /// Whether an index over the vectors is not needed or there.
    pub(super) fn is_arranged(&self, kernel: &Kernel, vectors: Points<'_>) -> bool {
        let needed = kernel.support().is_some() && vectors.rows() >= MIN_VECTORS && vectors.dense().is_some();
        !needed || self.near.get().is_some()
    }

    /// `sum_j k(x_i, v_j) w_j` for every row of `x`, by way of its neighbours where that pays.
    pub(super) fn weighted_sum(
        &self,
        kernel: &Kernel,
        x: Points<'_>,
        vectors: Points<'_>,
        weights: Rows<'_>,
    ) -> Result<Matrix> {
        if let (Some(x), Some(vectors)) = (x.dense(), vectors.dense())
            && kernel.support().is_some()
            && vectors.rows() >= MIN_VECTORS
            && let Some(near) =
                self.near.get_or_init(|| NearSums::new(kernel, vectors, weights).ok().map(Box::new))
        {
            return near.sums(x);
        }
        if x.rows() > FEW_QUERIES {
            return gram::weighted_sum(kernel, x, vectors, weights);
        }
        let place = &self.packed[usize::from(x.dense().is_none())];
        let side = match place.get() {
            Some(side) => side,
            None => {
                let side = Side::new(kernel, vectors, x)?;
                place.get_or_init(|| side)
            }
        };
        Ok(side.sums(x, weights))
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
        assert!(!model.is_arranged());
        let together = model.values(vectors.view()).unwrap();
        assert!(model.is_arranged());
        for i in (0..3000).step_by(37) {
            assert_eq!(together.row(i), model.values(vectors.view().slice(i, i + 1)).unwrap().row(0));
        }
    }
}
