//! From decision values to probabilities of the classes.

use super::task::pairs;
use super::{Decision, Task};
use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, Rows};
use serde::{Deserialize, Serialize};

/// A sigmoid for each output: the probability of what the output speaks for is `1 / (1 + exp(-(slope f + offset)))`.
///
/// Found on decision values of rows that the model was not fitted to (Platt), or the identity (slope 1, offset 0) where
/// the loss was the logistic one and the output is a log odds ratio already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    slopes: Vec<f64>,
    offsets: Vec<f64>,
}

impl Calibration {
    /// The given slope and offset for each output.
    pub fn new(slopes: Vec<f64>, offsets: Vec<f64>) -> Result<Self> {
        check_len("offsets of a calibration, one per slope", slopes.len(), offsets.len())?;
        if let Some(bad) = slopes.iter().chain(&offsets).find(|v| !v.is_finite()) {
            return Err(Error::parameter("a number of the calibration", bad, "a finite number"));
        }
        Ok(Self { slopes, offsets })
    }

    /// For outputs that are log odds ratios.
    pub fn log_odds(outputs: usize) -> Self {
        Self { slopes: vec![1.0; outputs], offsets: vec![0.0; outputs] }
    }

    /// Slopes and offsets.
    pub(super) fn parts(&self) -> (&[f64], &[f64]) {
        (&self.slopes, &self.offsets)
    }

    /// An error unless these numbers are sound and belong to a classifier of so many outputs.
    pub(super) fn check_for(&self, task: &Task, outputs: usize) -> Result<()> {
        check_len("offsets of a calibration, one per slope", self.slopes.len(), self.offsets.len())?;
        check_len("outputs of the calibration", outputs, self.slopes.len())?;
        match task {
            Task::Classification { .. } => Ok(()),
            other => Err(Error::parameter("calibration", other.name(), "a model with classes")),
        }
    }

    /// One row per row of decision values and one column per class; rows sum to 1. Pairs of classes share their
    /// probabilities equally among the opponents (`p_a` is the mean of `p(a against b)` over the others).
    pub(super) fn probabilities(&self, values: Rows<'_>, classes: usize, decision: Decision) -> Matrix {
        let mut out = Matrix::zeros(values.rows(), classes);
        for (i, row) in values.iter().enumerate() {
            let sigmoid = |k: usize| 1.0 / (1.0 + (-(self.slopes[k] * row[k] + self.offsets[k])).exp());
            let out = out.row_mut(i);
            match (decision, classes) {
                (Decision::OneVsRest, 2) => (out[0], out[1]) = (1.0 - sigmoid(0), sigmoid(0)),
                (Decision::OneVsRest, _) => out.iter_mut().enumerate().for_each(|(k, p)| *p = sigmoid(k)),
                (Decision::OneVsOne, _) => {
                    for (k, (a, b)) in pairs(classes).enumerate() {
                        out[a] += sigmoid(k);
                        out[b] += 1.0 - sigmoid(k);
                    }
                }
            }
            let total: f64 = out.iter().sum();
            let even = 1.0 / classes as f64;
            out.iter_mut().for_each(|p| *p = if total > 0.0 { *p / total } else { even });
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_sum_to_one_and_follow_the_decision() {
        let values = Matrix::from_vec(vec![2.0, -1.0, 0.5, -800.0, -800.0, -800.0], 2, 3).unwrap();
        for decision in [Decision::OneVsRest, Decision::OneVsOne] {
            let p = Calibration::log_odds(3).probabilities(values.view(), 3, decision);
            for i in 0..2 {
                assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-14, "{decision:?}");
            }
        }
        let two = Calibration::log_odds(1).probabilities(Rows::one(&[3f64.ln()]), 2, Decision::OneVsRest);
        assert!((two[(0, 1)] - 0.75).abs() < 1e-15);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Calibration::new(vec![1.0], vec![]).is_err());
        assert!(Calibration::new(vec![f64::NAN], vec![0.0]).is_err());
        let one = Calibration::log_odds(1);
        assert!(one.check_for(&Task::regression(), 1).is_err());
        assert!(one.check_for(&Task::numbered_classes(3), 3).is_err());
        assert!(one.check_for(&Task::numbered_classes(2), 1).is_ok());
    }
}
