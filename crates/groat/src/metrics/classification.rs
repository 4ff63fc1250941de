//! Errors of predicted classes.

use super::{area_under_curve, log_loss};
use crate::error::{Error, Result, check_len};
use crate::matrix::Rows;
use crate::model::{Decision, Model};
use serde::{Deserialize, Serialize};

/// Errors of predicted classes, and which were taken for which.
///
/// ```
/// let errors = groat::metrics::ClassificationErrors::of(&[0, 0, 1, 1], &[0, 1, 1, 1], 2)?;
/// assert_eq!(errors.error_rate, 0.25);
/// assert_eq!(errors.confusion, [1, 1, 0, 2]);
/// assert_eq!((errors.per_class[0].precision, errors.per_class[0].recall), (Some(1.0), Some(0.5)));
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassificationErrors {
    /// How many rows were compared.
    pub rows: usize,
    /// How many of them were predicted wrongly.
    pub wrong: usize,
    /// Their share.
    pub error_rate: f64,
    /// Mean over the classes that occur of the share predicted rightly.
    pub balanced_accuracy: f64,
    /// Mean over the classes that occur or were predicted of [`ClassErrors::f1`].
    pub mean_f1: f64,
    /// Area under the receiver operating characteristic: of two classes by the decision value, of more the mean over
    /// the classes of that of each against the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_under_curve: Option<f64>,
    /// Mean of `-ln p(true class)`, where the model gives probabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Each class by itself.
    pub per_class: Vec<ClassErrors>,
    /// `confusion[i * classes + j]` rows of class `i` were predicted as class `j`.
    pub confusion: Vec<u64>,
}

/// How well one class was told from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassErrors {
    /// Rows of the class.
    pub rows: u64,
    /// Rows that were predicted as the class.
    pub predicted: u64,
    /// Share of the rows predicted as the class that are of it; nothing where there are none.
    pub precision: Option<f64>,
    /// Share of the rows of the class that were predicted as it; nothing where there are none.
    pub recall: Option<f64>,
    /// Harmonic mean of the two, `2 right / (rows + predicted)`; nothing where there are no rows of either kind.
    pub f1: Option<f64>,
}

impl ClassErrors {
    fn of(right: u64, rows: u64, predicted: u64) -> Self {
        let share = |times: u64, of: u64| (of > 0).then(|| (times * right) as f64 / of as f64);
        let (precision, recall) = (share(1, predicted), share(1, rows));
        Self { rows, predicted, precision, recall, f1: share(2, rows + predicted) }
    }
}

impl ClassificationErrors {
    /// Compares class indices below `classes`, of equal, non-zero length.
    pub fn of(truth: &[usize], predicted: &[usize], classes: usize) -> Result<Self> {
        check_len("predictions", truth.len(), predicted.len())?;
        if truth.is_empty() {
            return Err(Error::TooFew { what: "an error measure", unit: "rows", needed: 1, found: 0 });
        }
        if let Some(bad) = truth.iter().chain(predicted).find(|class| **class >= classes) {
            return Err(Error::parameter("class", bad, "an index below the number of classes"));
        }
        let mut confusion = vec![0u64; classes * classes];
        for (t, p) in truth.iter().zip(predicted) {
            confusion[t * classes + p] += 1;
        }
        let wrong = truth.iter().zip(predicted).filter(|(t, p)| t != p).count();
        let class = |k: usize| {
            let rows = confusion[k * classes..(k + 1) * classes].iter().sum();
            let predicted = (0..classes).map(|i| confusion[i * classes + k]).sum();
            ClassErrors::of(confusion[k * classes + k], rows, predicted)
        };
        let per_class: Vec<ClassErrors> = (0..classes).map(class).collect();
        let mean = |of: fn(&ClassErrors) -> Option<f64>| mean(per_class.iter().filter_map(of)).unwrap_or(0.0);
        Ok(Self {
            rows: truth.len(),
            wrong,
            error_rate: wrong as f64 / truth.len() as f64,
            balanced_accuracy: mean(|class| class.recall),
            mean_f1: mean(|class| class.f1),
            area_under_curve: None,
            log_loss: None,
            per_class,
            confusion,
        })
    }

    /// Compares what a classifier says of rows, whose [`values`](Model::values) these are, with their classes.
    pub fn of_model(model: &Model, values: Rows<'_>, truth: &[usize]) -> Result<Self> {
        let Some(decision) = model.task().decision() else {
            return Err(Error::parameter("model", model.task().name(), "a classifier"));
        };
        let predicted: Vec<usize> = values.iter().map(|row| model.class_of(row)).collect();
        let mut errors = Self::of(truth, &predicted, model.classes().len())?;
        errors.area_under_curve = area(values, decision, model.classes().len(), truth);
        if model.calibration().is_some() {
            errors.log_loss = Some(log_loss(truth, model.probabilities_of(values)?.view())?);
        }
        Ok(errors)
    }
}

/// The area under the curve by decision values; of more than two classes the mean of each against the rest.
fn area(values: Rows<'_>, decision: Decision, classes: usize, truth: &[usize]) -> Option<f64> {
    let score = |row: &[f64], class: usize| match decision {
        Decision::OneVsRest if classes > 2 => row[class],
        _ => decision.margin(row, class),
    };
    let one = |class: usize| {
        let scores: Vec<f64> = values.iter().map(|row| score(row, class)).collect();
        let positive: Vec<bool> = truth.iter().map(|t| *t == class).collect();
        area_under_curve(&scores, &positive)
    };
    if classes == 2 { one(1) } else { mean((0..classes).filter_map(one)) }
}

/// The mean of some numbers; nothing if there are none.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_do_not_occur_do_not_count() {
        let errors = ClassificationErrors::of(&[0, 0, 0, 2], &[0, 0, 1, 2], 3).unwrap();
        assert!((errors.balanced_accuracy - 5.0 / 6.0).abs() < 1e-15);
        assert_eq!(errors.wrong, 1);
        let absent = errors.per_class[1];
        assert_eq!((absent.precision, absent.recall, absent.f1), (Some(0.0), None, Some(0.0)));
        let never = ClassificationErrors::of(&[0], &[0], 2).unwrap().per_class[1];
        assert_eq!((never.precision, never.recall, never.f1), (None, None, None));
    }

    #[test]
    fn odd_input() {
        assert!(ClassificationErrors::of(&[], &[], 2).is_err());
        assert!(ClassificationErrors::of(&[2], &[0], 2).is_err());
        assert!(ClassificationErrors::of(&[0], &[0, 1], 2).is_err());
    }
}
