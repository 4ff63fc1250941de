//! Statistics of several parts of the rows, each of which can judge a fit to the others.

use super::{Linear, Statistics};
use crate::error::{Error, Result};

/// One [`Statistics`] for each part of the rows, made in one pass over the data.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldStatistics {
    parts: Vec<Statistics>,
}

impl FoldStatistics {
    /// So many parts without rows.
    pub fn new(parts: usize, features: usize, outputs: usize) -> Self {
        Self { parts: vec![Statistics::new(features, outputs); parts.max(1)] }
    }

    /// Parts that were made elsewhere.
    pub fn from_parts(parts: Vec<Statistics>) -> Result<Self> {
        let folds = Self { parts };
        if folds.parts.is_empty() {
            return Err(Error::TooFew { what: "statistics in parts", unit: "parts", needed: 1, found: 0 });
        }
        folds.total()?;
        Ok(folds)
    }

    /// The parts in order.
    pub fn parts(&self) -> &[Statistics] {
        &self.parts
    }

    /// One of the parts, to add rows to.
    pub fn part_mut(&mut self, part: usize) -> Option<&mut Statistics> {
        self.parts.get_mut(part)
    }

    /// Adds the rows of the parts of others, part by part.
    pub fn merge(&mut self, other: &FoldStatistics) -> Result<()> {
        crate::error::check_len("parts of merged statistics", self.parts.len(), other.parts.len())?;
        self.parts.iter_mut().zip(&other.parts).try_for_each(|(part, other)| part.merge(other))
    }

    /// All rows together.
    pub fn total(&self) -> Result<Statistics> {
        let mut total = self.parts[0].clone();
        self.parts[1..].iter().try_for_each(|part| total.merge(part))?;
        Ok(total)
    }

    /// For each ridge the mean square error (over rows and outputs) on parts that the fit did not see: those in `judges`,
    /// each left out in turn. Parts in `apart` take no part at all.
    pub fn validate(&self, ridges: &[f64], judges: &[usize], apart: &[usize]) -> Result<Vec<f64>> {
        let mut rest = self.total()?;
        apart.iter().filter_map(|part| self.parts.get(*part)).try_for_each(|part| rest.remove(part))?;
        let (mut errors, mut weight) = (vec![0.0; ridges.len()], 0.0);
        for judge in judges.iter().filter_map(|part| self.parts.get(*part)).filter(|part| part.rows() > 0) {
            let mut train = rest.clone();
            train.remove(judge)?;
            for (error, function) in errors.iter_mut().zip(train.solve(ridges)?) {
                *error += judge.weight() * mean(&judge.mean_squared(&function)?);
            }
            weight += judge.weight();
        }
        if weight <= 0.0 {
            return Err(Error::TooFew { what: "validation", unit: "rows kept apart", needed: 1, found: 0 });
        }
        Ok(errors.into_iter().map(|error| error / weight).collect())
    }

    /// The fit to all parts but some, for one ridge.
    pub fn solve_without(&self, apart: &[usize], ridge: f64) -> Result<Linear> {
        let mut rest = self.total()?;
        apart.iter().filter_map(|part| self.parts.get(*part)).try_for_each(|part| rest.remove(part))?;
        Ok(rest.solve(&[ridge])?.remove(0))
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
