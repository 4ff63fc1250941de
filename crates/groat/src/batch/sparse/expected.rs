//! The error that new rows will see, from rows that neither width, ridge nor vectors were chosen on.

use super::choose::{Choice, choose};
use super::parts::by_parts;
use super::samples::Samples;
use super::{Sparse, weighed};
use crate::batch::{Expected, Watch};
use crate::error::Result;
use crate::matrix::Matrix;

/// Rows up to which everything is chosen anew without each part.
pub(super) const REPEATED: usize = 2000;
/// Parts.
pub(super) const PARTS: usize = 5;
/// Fewer different rows than this cannot spare any.
const LEAST: usize = 20;

/// Chooses on all rows, and estimates the error of what such a choice gives.
pub(super) fn choose_and_estimate(
    settings: &Sparse,
    samples: &Samples<'_>,
    watch: &dyn Watch,
) -> Result<(Choice, Option<Expected>)> {
    let all: Vec<usize> = (0..samples.rows()).collect();
    let few = samples.order.distinct(&all).len() < LEAST;
    if few || (!settings.estimate && samples.rows() > REPEATED) {
        return Ok((choose(settings, samples, &settings.selection(&all), watch)?, None));
    }
    if samples.rows() <= REPEATED {
        return by_parts(settings, samples, &all, watch);
    }
    let fold = samples.folds(&all, PARTS);
    let (held, rest): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&row| fold[row] == 0);
    let choice = choose(settings, samples, &settings.selection(&rest), watch)?;
    let weighed = weighed(samples, &rest, &choice, watch)?;
    let predictions = samples.answers(&held, &weighed.model, weighed.vectors.view())?;
    let by = format!("{} rows that were held out from every choice", held.len());
    Ok((choice, Some(expected(samples, held, predictions, 1.0, by))))
}

/// The errors of answers to some rows. `slope` is what the root mean square error is multiplied with to be that of a
/// model of all rows.
pub(in crate::batch) fn expected(
    samples: &Samples<'_>,
    rows: Vec<usize>,
    predictions: Matrix,
    slope: f64,
    by: String,
) -> Expected {
    let each: Vec<_> =
        rows.iter().enumerate().map(|(k, &row)| samples.loss(row, predictions.row(k))).collect();
    let weight: f64 = each.iter().map(|loss| loss.weight).sum();
    let mean = |of: &dyn Fn(usize) -> f64| (0..each.len()).map(of).sum::<f64>() / weight;
    let mean_squared = mean(&|k| each[k].squares);
    let spread = |mean_loss: f64, of: &dyn Fn(usize) -> f64| {
        let squares = mean(&|k| each[k].weight * (of(k) / each[k].weight - mean_loss).powi(2));
        (squares / each.len() as f64).sqrt()
    };
    let error_rate = samples.classes().then(|| mean(&|k| each[k].wrong));
    // The standard error of a root is that of the mean over twice the root.
    let standard_error = slope
        * match error_rate {
            Some(rate) => spread(rate, &|k| each[k].wrong),
            None => {
                spread(mean_squared, &|k| each[k].squares)
                    / (2.0 * mean_squared.sqrt()).max(f64::MIN_POSITIVE)
            }
        };
    let (mean_squared, error_rate) = (slope * slope * mean_squared, error_rate.map(|rate| slope * rate));
    let true_values = samples.y.view().select(&rows);
    Expected { mean_squared, error_rate, standard_error, rows, predictions, true_values, by }
}
