//! A fit to few rows: everything is chosen on all of them, and anew without each of some parts.
//!
//! Without a part, width and ridge come from leave-one-out on the other rows (from where those of all rows are, the search
//! walks on), and models of growing size are fitted to these; all are judged on the part. The size is chosen by the errors on all parts. The expected error takes for
//! each part the size that the *other* parts would choose, so that no row has a say in what it is predicted with.
//!
//! A model of all rows is better than one that does without a part. By how much is told by the full machine without
//! the part, with all of the other rows and with some of them: errors that fall as a power of the number of rows fall by the
//! same factor for the same ratio of rows.

use super::Sparse;
use super::choose::{Choice, EVALUATIONS, HASTY, Setting, first_trials, never};
use super::climb::{Ladder, Part, Yardsticks, climb, placed};
use super::expected::{PARTS, expected};
use super::folds::{Stop, order};
use super::held::Held;
use super::linear::{self, Line};
use super::reference::{NEAR, Reference, TRIALS};
use super::samples::{Losses, Samples};
use super::sums::Sums;
use crate::batch::{Expected, Impatient, Progress, Watch};
use crate::error::{Error, Result};
use crate::gram;
use crate::matrix::Matrix;
use crate::tune::Validation;
use rayon::prelude::*;

/// Up to so many rows there are twice as many parts, because each row counts.
const FEW: usize = 300;
/// Share of its rows that a part's full machine is fitted to once more, for the slope of the learning curve.
const SHARE: f64 = 0.8;
/// Vectors that are put in order at first.
const FIRST_ORDER: usize = 256;
/// The steepest slope that is believed.
const STEEPEST: f64 = 0.7;

/// A part with its full machine, and what that reaches with all of its rows and with a share of them.
struct Judged {
    part: Part,
    reference: Reference,
    answers: Matrix,
    with_fewer: Losses,
}

/// Chooses on all rows and estimates the error.
pub(super) fn by_parts(
    settings: &Sparse,
    samples: &Samples<'_>,
    all: &[usize],
    watch: &dyn Watch,
) -> Result<(Choice, Option<Expected>)> {
    let first = first_trials(settings, samples, &samples.order.distinct(all), watch)?;
    let start = Setting::start(settings, &first);
    let reference = Reference::with_relevance(settings, samples, all, &start, (TRIALS, true), watch)?;
    let count = if all.len() <= FEW { 2 * PARTS } else { PARTS };
    let judged = match judge(settings, samples, all, (count, &reference), watch) {
        Err(Error::Stopped) => return Ok((hasty(settings, samples, reference)?, None)),
        other => other?,
    };
    let (mut parts, mut references, mut answers) = (vec![], vec![], vec![]);
    let mut with_fewer = Losses::default();
    for judged in judged {
        parts.push(judged.part);
        references.push(judged.reference);
        answers.push(judged.answers);
        with_fewer.add(&judged.with_fewer);
    }
    let full = Held::new(samples, &parts, answers);
    let slope = slope(&full.total(None), &with_fewer, count);
    let lengthen = |parts: &mut [Part], most: usize| -> Result<()> {
        let orders = references
            .par_iter()
            .map(|reference| ordered(samples, reference, most.max(FIRST_ORDER), &|| watch.stop_requested()));
        let orders: Vec<Vec<usize>> = orders.collect::<Result<_>>()?;
        parts.iter_mut().zip(orders).for_each(|(part, order)| part.order = order);
        Ok(())
    };
    let line = linear::judged(settings, samples, &parts, &|| watch.stop_requested())?;
    let against = Yardsticks { full, line, open: false };
    let ladder = climb(settings, samples, &mut parts, against, &lengthen, watch)?;
    if watch.stop_requested() {
        return Ok((hasty(settings, samples, reference)?, None));
    }
    let choice = chosen(settings, samples, reference, &ladder, watch)?;
    if !settings.estimate {
        return Ok((choice, None));
    }
    let (rows, answers) = left_out(settings, samples, &parts, &ladder)?;
    let by = format!("{count} parts, each left out of every choice in turn");
    Ok((choice, Some(expected(samples, rows, answers, slope, by))))
}

/// The full machine without each part.
fn judge(
    settings: &Sparse,
    samples: &Samples<'_>,
    all: &[usize],
    (count, whole): (usize, &Reference),
    watch: &dyn Watch,
) -> Result<Vec<Judged>> {
    let fold = samples.folds(all, count);
    watch.progress(&Progress::new("the expected error", 0, Some(count)));
    let impatient = Impatient(watch);
    // Where features have widths of their own, these are found anew from a shared one, which need not be searched again.
    let start = whole.shared.as_ref().unwrap_or(&whole.setting);
    let how = if whole.shared.is_some() { (1, true) } else { (NEAR, false) };
    let each = (0..count).into_par_iter().map(|part| {
        let (held, train): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&row| fold[row] == part);
        if watch.stop_requested() {
            return Err(Error::Stopped);
        }
        let reference = Reference::with_relevance(settings, samples, &train, start, how, &impatient)?;
        let answers = reference.answers(samples, &held)?;
        let with_fewer = reference.losses_with(samples, SHARE, &held)?;
        let Setting { kernel, ridge } = reference.setting.clone();
        Ok(Judged {
            part: Part { train, held, kernel, ridge, order: Vec::new() },
            reference,
            answers,
            with_fewer,
        })
    });
    each.collect()
}

/// The candidates of a full machine in the order in which a selection takes them, at least so many.
fn ordered(samples: &Samples<'_>, reference: &Reference, most: usize, stop: Stop<'_>) -> Result<Vec<usize>> {
    let candidates = &reference.rows[..reference.candidates];
    let Setting { kernel, ridge } = &reference.setting;
    let points = samples.points(candidates);
    let between = gram::matrix(kernel, points.view())?;
    let rows = candidates.len() as f64;
    let shift: Vec<f64> = (0..candidates.len()).map(|j| between.row(j).iter().sum::<f64>() / rows).collect();
    let sums = Sums::of(samples, &reference.rows, kernel, points.view(), &shift)?;
    let every: Vec<usize> = (0..candidates.len()).collect();
    Ok(order(sums.normal(between.data(), &every, *ridge), candidates, most.min(candidates.len()), stop))
}

/// The model of all rows, of the size that the parts chose.
fn chosen(
    settings: &Sparse,
    samples: &Samples<'_>,
    reference: Reference,
    ladder: &Ladder,
    watch: &dyn Watch,
) -> Result<Choice> {
    let (classes, stop) = (samples.classes(), || watch.stop_requested());
    let full = Some(ladder.full(classes, None));
    let (place, reached) = ladder.place(settings, classes, None);
    let linear = ladder.rungs[place].linear;
    let known = |choice: Choice| Choice { curve: ladder.curve(linear), full, reached, ..choice };
    if linear && let Some(line) = Line::of(samples, &reference.rows, &stop)? {
        let better = ladder.straight(classes, None);
        return Ok(known(plain(samples, reference, Vec::new()).straightened(line, better)));
    }
    let size = ladder.rungs[place].size.max(1);
    let mut terms = ordered(samples, &reference, size, &never)?;
    terms.truncate(size);
    let setting = (&reference.setting.kernel, reference.setting.ridge);
    let starts = ladder.starts(samples, &terms);
    let vectors = placed(samples, &reference.rows, setting, starts, EVALUATIONS, &stop)?;
    Ok(known(Choice { vectors, ..plain(samples, reference, terms) }))
}

/// The model so far when the work is stopped before sizes were judged.
fn hasty(settings: &Sparse, samples: &Samples<'_>, reference: Reference) -> Result<Choice> {
    let most = settings.max_terms.unwrap_or(HASTY).min(HASTY);
    let mut terms = ordered(samples, &reference, most, &never)?;
    terms.truncate(most);
    Ok(Choice { interrupted: true, ..plain(samples, reference, terms) })
}

/// Some rows as vectors, without a judgement of their number.
fn plain(samples: &Samples<'_>, reference: Reference, terms: Vec<usize>) -> Choice {
    Choice {
        full_kernel: reference.setting.kernel.clone(),
        kernel: reference.setting.kernel,
        ridge: reference.setting.ridge,
        vectors: samples.points(&terms),
        terms,
        curve: Vec::new(),
        full: None,
        candidates: reference.candidates,
        reached: true,
        trials: reference.trials,
        judged_by: Validation::LeaveOneOut.to_string(),
        rows: reference.rows.len(),
        straight: None,
        interrupted: false,
    }
}

/// The rows of all parts, and their answers by models of the size that the other parts choose.
fn left_out(
    settings: &Sparse,
    samples: &Samples<'_>,
    parts: &[Part],
    ladder: &Ladder,
) -> Result<(Vec<usize>, Matrix)> {
    let (mut rows, mut numbers) = (Vec::new(), Vec::new());
    for (k, part) in parts.iter().enumerate() {
        let (place, _) = ladder.place(settings, samples.classes(), Some(k));
        rows.extend(&part.held);
        numbers.extend(ladder.rungs[place].held.answers[k].data());
    }
    let answers = Matrix::from_vec(numbers, rows.len(), samples.outputs())?;
    Ok((rows, answers))
}

/// What the error of models without a part is multiplied with to be that of a model of all rows: with `e` the error and
/// `e_s` that with a share `s` of the rows, a power of the number of rows through both.
fn slope(full: &Losses, with_fewer: &Losses, count: usize) -> f64 {
    let fall = full.error(false) / with_fewer.error(false);
    let power = fall.ln() / (1.0 / SHARE).ln();
    let more = 1.0 / (1.0 - 1.0 / count as f64);
    let slope = more.powf(power);
    if slope.is_finite() { slope.clamp(STEEPEST, 1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_carried_on_along_a_power_of_the_rows() {
        let at = |rows: f64| Losses { squares: rows.powf(-1.0), weight: 1.0, ..Losses::default() };
        let found = slope(&at(80.0), &at(64.0), 5) * at(80.0).error(false);
        assert!((found / at(100.0).error(false) - 1.0).abs() < 1e-12, "{found}");
        // More rows are not taken to harm, and no error falls off a cliff.
        assert_eq!(slope(&at(64.0), &at(80.0), 5), 1.0);
        assert_eq!(slope(&at(8000.0), &at(64.0), 5), STEEPEST);
    }
}
