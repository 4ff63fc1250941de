//! Some of the rows of a problem, owned.

use super::{Problem, Target};
use crate::error::Result;
use crate::matrix::{Matrix, PointSet};

/// Some of the rows of a problem with what they are to be mapped to and how much they count.
#[derive(Clone, Debug)]
pub(crate) struct Subset {
    x: PointSet,
    target: OwnedTarget,
    weights: Option<Vec<f64>>,
}

#[derive(Clone, Debug)]
enum OwnedTarget {
    Values(Matrix),
    Classes { codes: Vec<usize>, count: usize },
    Density,
}

impl Problem<'_> {
    /// The given rows, in the given order.
    pub(crate) fn select(&self, rows: &[usize]) -> Subset {
        let target = match self.target {
            Target::Values(y) => OwnedTarget::Values(y.select(rows)),
            Target::Classes { codes, count } => {
                OwnedTarget::Classes { codes: rows.iter().map(|&row| codes[row]).collect(), count }
            }
            Target::Density => OwnedTarget::Density,
        };
        let weights = self.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        Subset { x: self.x.select(rows), target, weights }
    }

    /// The rows that count, where some have weight 0.
    pub(crate) fn counting(&self) -> Option<Subset> {
        let weights = self.weights.filter(|weights| weights.contains(&0.0))?;
        let rows: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
        Some(self.select(&rows))
    }
}

impl Subset {
    /// The rows as a problem of their own.
    pub(crate) fn problem(&self) -> Result<Problem<'_>> {
        let target = match &self.target {
            OwnedTarget::Values(y) => Target::Values(y.view()),
            OwnedTarget::Classes { codes, count } => Target::Classes { codes, count: *count },
            OwnedTarget::Density => Target::Density,
        };
        Problem { x: self.x.view(), target, weights: self.weights.as_deref() }.checked_with_zeros()
    }
}
