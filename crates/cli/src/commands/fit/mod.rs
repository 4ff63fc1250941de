//! `groat fit`: from a data file to a model file.

mod answer;
mod comparison;
mod dry;
mod matrix;
mod page;
mod plan;
mod streamed;

use crate::args::FitArgs;
use crate::commands::predict;
use crate::evaluation::{Evaluation, density_rows};
use crate::exit::Interrupted;
use crate::input::read_table;
use crate::output::progress::Bar;
use crate::output::summary::count;
use crate::session::{Session, write_file};
use groat::batch::{Compared, Fitted, Preparation, learn, learn_from};
use groat::data::{Answers, Column, Dataset, Inputs, Missing, Split, Table, write_table};
use groat::metrics::DensityScore;
use plan::Plan;
use std::time::Instant;

/// A fit that is done, before anything is written.
struct Outcome {
    plan: Plan,
    source: String,
    /// Rows of the table, and how many of them are for training and for test.
    rows: usize,
    training_rows: usize,
    test_rows: usize,
    /// Why numbers or classes, where that was decided here.
    task_reason: Option<String>,
    /// How the test part was chosen.
    split: String,
    /// The training samples; of data that are not held only some of them.
    train: Dataset,
    test: Option<Dataset>,
    train_answers: Evaluation,
    test_answers: Option<Evaluation>,
    fitted: Fitted,
    /// For a density: what the Parzen estimate gives to the test rows.
    parzen_test: Option<DensityScore>,
    /// Other methods on the same rows.
    compared: Option<Vec<Compared>>,
    seconds: f64,
}

/// Runs the command.
pub fn run(args: FitArgs, session: &Session) -> anyhow::Result<()> {
    let dry = args.dry_run;
    let plan = Plan::new(args, session)?;
    if dry {
        return dry::run(&plan, session);
    }
    let outcome = if plan.streams()? { streamed::fit(plan, session)? } else { fit(plan, session)? };
    let left_out = match &outcome.plan.loo {
        // A search that was broken off has fitted some rows only.
        Some(path) if outcome.fitted.interrupted && !outcome.knows_left_out() => {
            session
                .remark(&format!("--loo: {} is not written, since the fit was interrupted", path.display()));
            None
        }
        Some(path) => Some((path, left_out(&outcome)?)),
        None => None,
    };
    let page = match &outcome.plan.report {
        Some(path) => Some((path, page::page(&outcome)?)),
        None => None,
    };
    outcome.fitted.model.save(&outcome.plan.model)?;
    if let Some((path, table)) = left_out {
        write_table(path, &table)?;
    }
    if let Some((path, page)) = page {
        write_file(path, page.as_bytes())?;
    }
    let answer = answer::Answer::of(&outcome);
    session.answer(&answer, || answer.text())?;
    match outcome.interruption() {
        None => Ok(()),
        Some(said) => {
            let place = outcome.plan.model.display();
            Err(Interrupted(format!("{said}; the model so far is in {place}")).into())
        }
    }
}

impl Outcome {
    /// That Ctrl-C ended the fit, if it did.
    fn interruption(&self) -> Option<String> {
        let terms = || count(self.fitted.model.size(), "vector");
        self.fitted.interrupted.then(|| format!("interrupted after {}", terms()))
    }

    /// Whether there is a leave-one-out prediction of every training row.
    fn knows_left_out(&self) -> bool {
        self.fitted.leave_one_out.as_ref().is_some_and(|loo| loo.predictions.rows() == self.train.len())
    }

    /// The columns that are predicted; none for a density.
    fn targets(&self) -> Vec<String> {
        let targets = self.train.inputs().map_or(&[][..], Inputs::targets);
        targets.iter().map(|target| target.name.clone()).collect()
    }
}

fn fit(plan: Plan, session: &Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let bar = Bar::new(session, "reading");
    let table = read_table(&plan.data, &plan.reading, session)?;
    let targets = plan.targets(&table)?;
    let Samples { data, task_reason, split, how, notes } = samples(&plan, &table, &targets)?;
    let train = plan.with_landmarks(data.select(&split.train), session)?;
    let test = (!split.test.is_empty()).then(|| data.select(&split.test));
    let method = plan.method_for(&train)?;
    let preparation = Preparation::new().standardise(plan.standardise).seed(session.seed);
    let mut fitted = match &plan.start {
        Some(start) => learn_from(&train, &*method, preparation, start, &bar)?,
        None => learn(&train, &*method, preparation, &bar)?,
    };
    fitted.notes.splice(0..0, notes);
    let parzen_test = match (&fitted.reference, &test) {
        (Some(parzen), Some(test)) => Some(DensityScore::of(&parzen.log_density(density_rows(test.x())?)?)?),
        _ => None,
    };
    let train_answers = Evaluation::of(&fitted.model, &train)?;
    let test_answers = test.as_ref().map(|test| Evaluation::of(&fitted.model, test)).transpose()?;
    let seconds = started.elapsed().as_secs_f64();
    // A model that was broken off is not compared.
    let compared = match fitted.interrupted {
        true => None,
        false => match comparison::comparison(&plan, &train, &bar) {
            Err(groat::Error::Stopped) => None,
            other => other?,
        },
    };
    Ok(Outcome {
        plan,
        source: table.source().to_owned(),
        rows: table.rows(),
        training_rows: train.len(),
        test_rows: test.as_ref().map_or(0, Dataset::len),
        task_reason,
        split: how,
        train,
        test,
        train_answers,
        test_answers,
        fitted,
        parzen_test,
        compared,
        seconds,
    })
}

/// The samples of a table, and which of them are held out.
struct Samples {
    data: Dataset,
    task_reason: Option<String>,
    split: Split,
    /// How they were chosen.
    how: String,
    /// What became of missing values.
    notes: Vec<String>,
}

/// Takes from a table what is to be learnt. What stands in for missing values comes from the training rows alone.
fn samples(plan: &Plan, table: &Table, targets: &[String]) -> anyhow::Result<Samples> {
    let (task, weights) = (plan.task.into(), plan.weights.as_deref());
    let inputs = Inputs::fit(table, &plan.input_options(targets))?;
    if plan.missing == Missing::Drop && inputs.embedding().is_some() {
        let (filled, kept) = Missing::series(table, &inputs, weights)?;
        let (data, task_reason) = Dataset::from_table(&filled, inputs.clone(), task, weights)?;
        let (split, how) = plan.split(data.len(), &inputs)?;
        let gone = data.len() - kept.len();
        let note = format!("{gone} of {} samples were left out: they look at a missing value", data.len());
        let notes = if gone > 0 { vec![note] } else { Vec::new() };
        return Ok(Samples { data: data.select(&kept), task_reason, split: split.among(&kept), how, notes });
    }
    let kept = plan.missing.kept(table, &inputs, weights)?;
    if plan.missing == Missing::Refuse {
        let (data, task_reason) = Dataset::from_table(table, inputs.clone(), task, weights)?;
        let (split, how) = plan.split(data.len(), &inputs)?;
        return Ok(Samples { data, task_reason, split, how, notes: Vec::new() });
    }
    let (split, how) = plan.split(table.rows(), &inputs)?;
    let split = split.among(&kept);
    let rows = table.select(&kept);
    let inputs = inputs.with_substitutes(&rows, &split.train, plan.missing)?;
    let filled: Vec<String> =
        inputs.filled(&rows)?.into_iter().map(|(name, count)| format!("{name} ({count})")).collect();
    let gone = table.rows() - kept.len();
    let notes = [
        (gone > 0).then(|| format!("{gone} of {} rows were left out: a value is missing", table.rows())),
        (!filled.is_empty()).then(|| format!("missing values were filled: {}", filled.join(", "))),
    ];
    let (data, task_reason) = Dataset::from_table(&rows, inputs, task, weights)?;
    let data = data.with_places(kept)?;
    Ok(Samples { data, task_reason, split, how, notes: notes.into_iter().flatten().collect() })
}

/// What each training row was predicted as when it was left out, beside where it stands in the data.
fn left_out(outcome: &Outcome) -> anyhow::Result<Table> {
    let found = outcome.fitted.leave_one_out.as_ref().filter(|loo| loo.predictions.rows() > 0);
    let model = &outcome.fitted.model;
    let Some(found) = found else {
        anyhow::bail!("--loo: {} knows no leave-one-out predictions of these data", model.record().method)
    };
    let places = outcome.train.places().iter();
    let mut named =
        vec![("row".to_owned(), Column::Numeric(places.map(|place| (place + 1) as f64).collect()))];
    match outcome.train.answers() {
        Answers::Values { y, .. } => named.extend(predict::numbers("true", model, y, 0)),
        Answers::Classes { codes, labels } => {
            named.push(("true".to_owned(), Column::text(codes.iter().map(|&code| &labels[code]))));
        }
        _ => {}
    }
    named.extend(predict::columns(model, &found.predictions, 0, true));
    let (names, columns): (Vec<String>, Vec<Column>) = named.into_iter().unzip();
    Ok(Table::new(names, columns)?)
}
