//! Some of the rows in place of all: at random, or those near the boundary.

use super::SupportVectorMachine;
use crate::batch::{Problem, Target};
use crate::tune::sample_rows;
use rayon::prelude::*;

/// Rows among which the neighbours of a row are looked for.
const REFERENCE: usize = 2000;
/// Neighbours that are asked.
const NEIGHBOURS: usize = 10;

/// How rows are chosen where not all are learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subsampling {
    /// At random.
    #[default]
    Random,
    /// Half of them those whose neighbours answer otherwise most, half at random.
    Boundary,
}

/// The chosen rows in ascending order; nothing where all are to be learnt from.
pub(super) fn chosen(params: &SupportVectorMachine, problem: &Problem<'_>) -> Option<Vec<usize>> {
    let n = problem.x.rows();
    let most = params.subsample.filter(|most| *most < n)?;
    if params.subsampling == Subsampling::Random || matches!(problem.target, Target::Density) {
        return Some(sample_rows(n, most, params.seed));
    }
    let mixed = mixture(problem, params.seed);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| mixed[b].total_cmp(&mixed[a]).then(a.cmp(&b)));
    let mut taken = vec![false; n];
    order.iter().take(most / 2).for_each(|&i| taken[i] = true);
    let rest: Vec<usize> = (0..n).filter(|&i| !taken[i]).collect();
    sample_rows(rest.len(), most - most / 2, params.seed).into_iter().for_each(|k| taken[rest[k]] = true);
    Some((0..n).filter(|&i| taken[i]).collect())
}

/// How much the nearest of some random rows differ in their answer from each row.
fn mixture(problem: &Problem<'_>, seed: u64) -> Vec<f64> {
    let reference = sample_rows(problem.x.rows(), REFERENCE, seed);
    let apart = |i: usize, j: usize| match problem.target {
        Target::Classes { codes, .. } => f64::from(u8::from(codes[i] != codes[j])),
        Target::Values(y) => y.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b).powi(2)).sum(),
        Target::Density => 0.0,
    };
    (0..problem.x.rows())
        .into_par_iter()
        .map(|i| {
            let point = problem.x.point(i);
            let mut near: Vec<(f64, usize)> = reference
                .iter()
                .filter(|&&j| j != i)
                .map(|&j| (point.squared_distance(problem.x.point(j)), j))
                .collect();
            let count = NEIGHBOURS.min(near.len());
            if count == 0 {
                return 0.0;
            }
            near.select_nth_unstable_by(count - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            near[..count].iter().map(|&(_, j)| apart(i, j)).sum::<f64>()
        })
        .collect()
}
