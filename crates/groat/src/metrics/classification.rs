//! Errors of predicted classes.

use crate::error::{Error, Result, check_len};
use serde::{Deserialize, Serialize};

/// Errors of predicted classes, and which were taken for which.
///
/// ```
/// let errors = groat::metrics::ClassificationErrors::of(&[0, 0, 1, 1], &[0, 1, 1, 1], 2)?;
/// assert_eq!(errors.error_rate, 0.25);
/// assert_eq!(errors.confusion, [1, 1, 0, 2]);
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
    /// `confusion[i * classes + j]` rows of class `i` were predicted as class `j`.
    pub confusion: Vec<u64>,
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
        let recalls: Vec<f64> = (0..classes)
            .map(|i| {
                (confusion[i * classes + i], confusion[i * classes..(i + 1) * classes].iter().sum::<u64>())
            })
            .filter(|(_, all)| *all > 0)
            .map(|(right, all)| right as f64 / all as f64)
            .collect();
        Ok(Self {
            rows: truth.len(),
            wrong,
            error_rate: wrong as f64 / truth.len() as f64,
            balanced_accuracy: recalls.iter().sum::<f64>() / recalls.len() as f64,
            confusion,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_do_not_occur_do_not_count() {
        let errors = ClassificationErrors::of(&[0, 0, 0, 2], &[0, 0, 1, 2], 3).unwrap();
        assert!((errors.balanced_accuracy - 5.0 / 6.0).abs() < 1e-15);
        assert_eq!(errors.wrong, 1);
    }

    #[test]
    fn odd_input() {
        assert!(ClassificationErrors::of(&[], &[], 2).is_err());
        assert!(ClassificationErrors::of(&[2], &[0], 2).is_err());
        assert!(ClassificationErrors::of(&[0], &[0, 1], 2).is_err());
    }
}
