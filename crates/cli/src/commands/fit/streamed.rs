//! A fit to data that are read batch by batch and never held: regression, and classification by its codes.
//!
//! Besides the readings of the selection itself there are one or two that look the file over. The width is chosen, and
//! errors are measured, on rows drawn at random.

use super::Outcome;
use super::plan::Plan;
use crate::evaluation::Evaluation;
use crate::output::progress::Bar;
use crate::output::summary::count;
use crate::points::look_over;
use crate::session::Session;
use groat::batch::{Preparation, learn_batches};
use groat::data::{Missing, ReadOptions, Survey, SurveyOptions, Table, TableReader};
use std::path::Path;
use std::time::Instant;

/// Rows of a batch: a reading has few of them, and one takes little memory.
const BATCH: usize = 65_536;

/// Rows of each part that are drawn to choose the width, to measure errors and to be shown.
const DRAWN: usize = 10_000;

pub fn fit(plan: Plan, session: &Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let bar = Bar::new(session, "reading");
    let reading = ReadOptions { batch: BATCH, ..plan.reading.clone() };
    let targets = plan.targets(&first_batch(&plan.data, &reading)?)?;
    anyhow::ensure!(!targets.is_empty(), "a density is not read in batches");
    let mut options = SurveyOptions::default();
    (options.inputs, options.task) = (plan.input_options(&targets), plan.task.into());
    (options.test_fraction, options.seed, options.drawn) = (plan.test_fraction(), session.seed, DRAWN);
    options.missing = plan.missing;
    let mut survey = look_over(&plan.data, &reading, &options, session, &bar)?;
    survey.train = plan.with_landmarks(survey.train, session)?;
    let preparation = Preparation::new().standardise(plan.standardise).seed(session.seed);
    let mut fitted = learn_batches(&survey, &*plan.method_for(&survey.train)?, preparation, &bar)?;
    let Survey { train, test, .. } = &survey;
    let mut notes = vec![
        "the data were read batch by batch and never held".to_owned(),
        format!("errors are those of {} training and {} test rows, drawn at random", train.len(), test.len()),
    ];
    if survey.left_out > 0 {
        notes.push(format!("{} left out: a value is missing", count(survey.left_out, "row")));
    }
    if matches!(plan.missing, Missing::Median | Missing::Flag) {
        notes.push("what stands in for missing values comes from training rows, drawn at random".to_owned());
    }
    fitted.notes.splice(0..0, notes);
    let train_answers = Evaluation::of(&fitted.model, train)?;
    let test = (!test.is_empty()).then(|| test.clone());
    let test_answers = test.as_ref().map(|test| Evaluation::of(&fitted.model, test)).transpose()?;
    Ok(Outcome {
        source: train.source().to_owned(),
        rows: survey.training_rows + survey.test_rows,
        training_rows: survey.training_rows,
        test_rows: survey.test_rows,
        task_reason: survey.reason,
        split: format!("{}% at random, seed {}", 100.0 * plan.test_fraction(), session.seed),
        train: survey.train,
        test,
        train_answers,
        test_answers,
        fitted,
        parzen_test: None,
        compared: None,
        seconds: started.elapsed().as_secs_f64(),
        plan,
    })
}

/// The first rows of a file.
fn first_batch(path: &Path, reading: &ReadOptions) -> anyhow::Result<Table> {
    match TableReader::open(path, reading)?.next() {
        Some(table) => Ok(table?),
        None => anyhow::bail!("{} has no rows", path.display()),
    }
}
