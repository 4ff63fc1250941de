//! The error that new rows will see, from rows that neither width, ridge nor vectors were chosen on.

use super::Sparse;
use super::choose::{Choice, LEVELS, choose};
use super::samples::Samples;
use super::weigh::weigh;
use crate::batch::{Expected, Progress, Watch};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use rayon::prelude::*;

/// Rows up to which everything is repeated without each part.
const REPEATED: usize = 2000;
/// Parts.
const PARTS: usize = 5;
/// Up to so many rows there are twice as many parts, because each row counts.
const FEW: usize = 300;
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
    if !settings.estimate || few {
        return Ok((choose(settings, samples, &settings.selection(&all), LEVELS.len(), watch)?, None));
    }
    if samples.rows() <= REPEATED {
        return repeated(settings, samples, &all, watch);
    }
    let fold = samples.folds(&all, PARTS);
    let (held, rest): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&row| fold[row] == 0);
    let choice = choose(settings, samples, &settings.selection(&rest), LEVELS.len(), watch)?;
    let weighed = weigh(samples, &rest, &choice.kernel, &choice.terms, choice.ridge)?;
    let predictions = samples.answers(&held, &weighed.model, weighed.vectors.view())?;
    let by = format!("{} rows that were held out from every choice", held.len());
    Ok((choice, Some(expected(samples, held, predictions, by))))
}

/// Everything again without each part.
fn repeated(
    settings: &Sparse,
    samples: &Samples<'_>,
    all: &[usize],
    watch: &dyn Watch,
) -> Result<(Choice, Option<Expected>)> {
    let choice = choose(settings, samples, all, LEVELS.len(), watch)?;
    if choice.interrupted {
        return Ok((choice, None));
    }
    let parts = if all.len() <= FEW { 2 * PARTS } else { PARTS };
    let fold = samples.folds(all, parts);
    watch.progress(&Progress::new("the expected error", 0, Some(parts)));
    let (impatient, levels) = (Impatient(watch), choice.level);
    let answers: Result<Vec<(Vec<usize>, Matrix)>> = (0..parts)
        .into_par_iter()
        .map(|part| {
            let (held, rest): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&row| fold[row] == part);
            let choice = choose(settings, samples, &rest, levels, &impatient)?;
            if watch.stop_requested() {
                return Err(Error::Stopped);
            }
            let weighed = weigh(samples, &rest, &choice.kernel, &choice.terms, choice.ridge)?;
            let predictions = samples.answers(&held, &weighed.model, weighed.vectors.view())?;
            Ok((held, predictions))
        })
        .collect();
    let answers = match answers {
        Err(Error::Stopped) => return Ok((Choice { interrupted: true, ..choice }, None)),
        other => other?,
    };
    let rows: Vec<usize> = answers.iter().flat_map(|(held, _)| held.iter().copied()).collect();
    let numbers: Vec<f64> = answers.iter().flat_map(|(_, answers)| answers.data().iter().copied()).collect();
    let predictions = Matrix::from_vec(numbers, rows.len(), samples.outputs())?;
    let by = format!("{parts} parts, each left out of every choice in turn");
    Ok((choice, Some(expected(samples, rows, predictions, by))))
}

/// Passes requests to stop on, and nothing else.
struct Impatient<'a>(&'a dyn Watch);

impl Watch for Impatient<'_> {
    fn stop_requested(&self) -> bool {
        self.0.stop_requested()
    }
}

fn expected(samples: &Samples<'_>, rows: Vec<usize>, predictions: Matrix, by: String) -> Expected {
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
    let standard_error = match error_rate {
        Some(rate) => spread(rate, &|k| each[k].wrong),
        None => {
            spread(mean_squared, &|k| each[k].squares) / (2.0 * mean_squared.sqrt()).max(f64::MIN_POSITIVE)
        }
    };
    let true_values = samples.y.view().select(&rows);
    Expected { mean_squared, error_rate, standard_error, rows, predictions, true_values, by }
}
