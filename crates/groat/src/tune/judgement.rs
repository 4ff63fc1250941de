//! How good a setting is: losses, what is made of them, and on which rows they are measured.

use crate::batch::{Fitted, Problem, Target};
use crate::data::Split;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::model::Decision;
use std::fmt;

/// How a setting is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Validation {
    /// By the leave-one-out errors of the fitted model: one fit per setting. Where the fit itself minimised them they
    /// flatter; error rates do so most.
    LeaveOneOut,
    /// By the errors on each of so many parts of the data, of models fitted to the other parts.
    Folds(usize),
}

impl fmt::Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Validation::LeaveOneOut => f.write_str("leave-one-out"),
            Validation::Folds(folds) => write!(f, "{folds}-fold cross-validation"),
        }
    }
}

/// Error of a setting on data that it was not fitted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judgement {
    pub mean: f64,
    pub standard_error: f64,
    /// Size of the model; the mean over folds.
    pub size: f64,
}

impl Judgement {
    /// Of the losses of independent samples, and a model of this size.
    pub fn of(losses: &[f64], size: f64) -> Self {
        let n = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / n;
        let variance = losses.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Self { mean, standard_error: (variance / n).sqrt(), size }
    }
}

/// The loss of every sample: squared error (mean over outputs), or 1 for a wrong class. A density has none.
pub(crate) fn losses(target: &Target<'_>, predictions: &Matrix) -> Vec<f64> {
    (0..predictions.rows())
        .map(|k| match target {
            Target::Values(y) => mean_squared(predictions.row(k), y.row(k)),
            Target::Classes { codes, .. } => {
                f64::from(u8::from(Decision::OneVsRest.class(predictions.row(k)) != codes[k]))
            }
            Target::Density => 0.0,
        })
        .collect()
}

/// The losses of each fold under a model that `fit` made of the other folds. The rows are in random order already.
pub(crate) fn by_folds(
    problem: &Problem<'_>,
    folds: usize,
    fit: impl Fn(&Problem<'_>) -> Result<Fitted>,
) -> Result<Judgement> {
    let n = problem.x.rows();
    let folds = folds.min(n);
    let (mut all, mut size) = (Vec::with_capacity(n), 0.0);
    for Split { train, test } in Split::interleaved_folds(n, folds)? {
        let (train, test) = (problem.select(&train), problem.select(&test));
        let test = test.problem()?;
        let fitted = fit(&train.problem()?)?;
        size += fitted.model.size() as f64 / folds as f64;
        all.extend(losses(&test.target, &fitted.model.values(test.x)?));
    }
    Ok(Judgement::of(&all, size))
}

/// Mean over outputs of the squared difference.
pub(crate) fn mean_squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Rows;

    #[test]
    fn losses_are_those_of_the_task() {
        let predictions = Matrix::from_vec(vec![1.0, 2.0, -1.0, 4.0], 2, 2).unwrap();
        let y = [1.0, 0.0, -1.0, 1.0];
        assert_eq!(losses(&Target::Values(Rows::new(&y, 2).unwrap()), &predictions), [2.0, 4.5]);
        let classes = Target::Classes { codes: &[1, 0], count: 2 };
        assert_eq!(losses(&classes, &predictions), [0.0, 1.0]);
    }

    #[test]
    fn a_judgement_is_a_mean_and_its_standard_error() {
        let judged = Judgement::of(&[1.0, 2.0, 3.0, 6.0], 5.0);
        assert_eq!((judged.mean, judged.size), (3.0, 5.0));
        // Variance 14 / 3, of a mean of four.
        assert!((judged.standard_error - (14.0f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(Judgement::of(&[2.0], 1.0).standard_error, 0.0);
    }
}
