//! How well scores order the classes, and how well probabilities foretell them.

use crate::error::{Error, Result, check_len};
use crate::matrix::Rows;

/// Area under the receiver operating characteristic: the share of pairs of a positive and another row in which the
/// positive one has the larger score, pairs of equal scores counting half (Mann and Whitney). Nothing where there are
/// no such pairs, or a score is no number.
///
/// ```
/// use groat::metrics::area_under_curve;
/// assert_eq!(area_under_curve(&[0.1, 0.4, 0.4, 0.9], &[false, false, true, true]), Some(0.875));
/// assert_eq!(area_under_curve(&[0.1, 0.4], &[true, true]), None);
/// ```
pub fn area_under_curve(scores: &[f64], positive: &[bool]) -> Option<f64> {
    let mut pairs: Vec<(f64, bool)> = scores.iter().copied().zip(positive.iter().copied()).collect();
    if scores.len() != positive.len() || pairs.iter().any(|(score, _)| score.is_nan()) {
        return None;
    }
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut wins) = (0.0, 0.0);
    // -0 and 0 are equal scores although they have an order.
    for equal in pairs.chunk_by(|a, b| a.0 == b.0) {
        let positives = equal.iter().filter(|(_, positive)| *positive).count() as f64;
        let others = equal.len() as f64 - positives;
        wins += positives * (below + 0.5 * others);
        below += others;
    }
    let count = below * (pairs.len() as f64 - below);
    (count > 0.0).then(|| wins / count)
}

/// Mean of `-ln p(true class)`, for probabilities with one column per class. A probability below the smallest step
/// of a number near 1 counts as that, so that one rash answer does not make the mean infinite.
///
/// ```
/// let p = groat::Matrix::from_vec(vec![0.5, 0.5, 0.25, 0.75], 2, 2)?;
/// let loss = groat::metrics::log_loss(&[0, 1], p.view())?;
/// assert!((loss - (2f64.ln() + (4.0f64 / 3.0).ln()) / 2.0).abs() < 1e-15);
/// # Ok::<(), groat::Error>(())
/// ```
pub fn log_loss(truth: &[usize], probabilities: Rows<'_>) -> Result<f64> {
    check_len("rows of probabilities", truth.len(), probabilities.rows())?;
    if truth.is_empty() {
        return Err(Error::TooFew { what: "a log loss", unit: "rows", needed: 1, found: 0 });
    }
    let mut total = 0.0;
    for (row, &class) in probabilities.iter().zip(truth) {
        let Some(p) = row.get(class) else {
            return Err(Error::parameter("class", class, "an index below the number of classes"));
        };
        // A NaN stays one.
        total -= if *p < f64::EPSILON { f64::EPSILON } else { *p }.ln();
    }
    Ok(total / truth.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_area_counts_pairs(rows in proptest::collection::vec((-3i8..4, any::<bool>()), 0..40)) {
            let (scores, positive): (Vec<f64>, Vec<bool>) =
                rows.iter().map(|(score, positive)| (f64::from(*score), *positive)).unzip();
            let (mut wins, mut pairs) = (0.0, 0.0);
            for (a, yes) in &rows {
                for (b, other) in &rows {
                    if *yes && !other {
                        pairs += 1.0;
                        wins += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
                    }
                }
            }
            let slow = (pairs > 0.0).then(|| wins / pairs);
            prop_assert_eq!(area_under_curve(&scores, &positive), slow);
        }
    }

    #[test]
    fn odd_input() {
        assert_eq!(area_under_curve(&[f64::NAN, 1.0], &[false, true]), None);
        assert_eq!(area_under_curve(&[1.0], &[false, true]), None);
        assert_eq!(area_under_curve(&[-0.0, 0.0], &[false, true]), Some(0.5));
        let p = Matrix::from_vec(vec![1.0, 0.0], 1, 2).unwrap();
        assert!(log_loss(&[1], p.view()).unwrap() < 40.0);
        assert!(log_loss(&[2], p.view()).is_err());
        assert!(log_loss(&[], Matrix::zeros(0, 2).view()).is_err());
        assert!(log_loss(&[0, 1], p.view()).is_err());
    }
}
