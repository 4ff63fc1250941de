//! `groat fit`: from a data file to a model file.

mod answer;
mod density;
mod page;
mod plan;
mod streamed;

use crate::args::FitArgs;
use crate::commands::predict;
use crate::dataset::{Answers, Samples, Truth};
use crate::exit::Interrupted;
use crate::input::read_table;
use crate::output::progress::Bar;
use crate::output::summary::count;
use crate::session::{Session, write_file};
use density::Reference;
use groat::batch::density::{Density, Parzen};
use groat::batch::{Fitted, Problem};
use groat::data::{Column, Inputs, Standardisation, Table, write_table};
use groat::expansion::Task;
use groat::kernels::Width;
use groat::{Kernel, Matrix};
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
    /// The columns that are predicted; none for a density.
    targets: Vec<String>,
    /// Why numbers or classes, where that was decided here.
    task_reason: Option<String>,
    /// How the test part was chosen.
    split: String,
    /// Where the training samples stand in the table.
    places: Vec<usize>,
    /// The training samples; of data that are not held only some of them.
    train: Samples,
    test: Option<Samples>,
    train_answers: Answers,
    test_answers: Option<Answers>,
    fitted: Fitted,
    /// The kernel as it was chosen, for features as it saw them.
    kernel: Kernel,
    /// For a density: the Parzen estimate that it stands for.
    reference: Option<Reference>,
    notes: Vec<String>,
    seconds: f64,
}

/// Runs the command.
pub fn run(args: FitArgs, session: &Session) -> anyhow::Result<()> {
    let plan = Plan::new(args, session)?;
    let outcome = if plan.streams()? { streamed::fit(plan, session)? } else { fit(plan, session)? };
    let left_out = outcome.plan.loo.as_ref().map(|path| Ok((path, left_out(&outcome)?)));
    let left_out = left_out.transpose().map_err(|e: anyhow::Error| e)?;
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
}

fn fit(plan: Plan, session: &Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let bar = Bar::new(session, "reading");
    let table = read_table(&plan.data, &plan.reading, session)?;
    let targets = plan.targets(&table)?;
    let inputs = Inputs::fit(&table, &plan.input_options(&targets))?;
    let (samples, task_reason) = Samples::for_training(&table, &inputs, &targets, plan.task)?;
    let (split, how) = plan.split(samples.len(), &inputs)?;
    let train = samples.select(&split.train);
    let test = (!split.test.is_empty()).then(|| samples.select(&split.test));
    let weights = plan.weights.as_ref().map(|name| -> groat::Result<Vec<f64>> {
        let all = table.numbers(name)?;
        if let Some(row) = all.iter().position(|w| *w <= 0.0) {
            return Err(groat::Error::Data {
                source_name: table.source().to_owned(),
                place: table.place(row),
                column: name.clone(),
                reason: format!("found the weight {}, expected a number above 0", all[row]),
            });
        }
        Ok(split.train.iter().map(|&i| all[i + inputs.lost_rows()]).collect())
    });
    let weights = weights.transpose()?;

    let mut notes: Vec<String> = uneven_targets(&train).into_iter().collect();
    let (x, standardisation) = standardise(&plan, &train, &inputs, &mut notes)?;
    notes.extend(repeated_rows(&train));
    let (mut fitted, reference) = learn(&plan, &bar, &train, &x, weights.as_deref())?;
    notes.append(&mut fitted.notes);
    let record = fitted.model.record().clone().with("seed", session.seed).with("source", table.source());
    let kernel = fitted.model.kernel().clone();
    let (fitted, reference) = match reference {
        Some(parzen) => density::in_raw_units(fitted, parzen, standardisation, test.as_ref())?,
        None => {
            fitted.model = fitted
                .model
                .with_task(task(&train.truth))?
                .with_standardisation(standardisation)?
                .with_error_bars(fitted.error_bars.clone())?;
            (fitted, None)
        }
    };
    let mut fitted = fitted;
    fitted.model = fitted.model.with_inputs(inputs.clone())?.with_record(record);
    let train_answers = Answers::of(&fitted.model, &train)?;
    let test_answers = test.as_ref().map(|test| Answers::of(&fitted.model, test)).transpose()?;
    Ok(Outcome {
        plan,
        source: table.source().to_owned(),
        rows: table.rows(),
        training_rows: train.len(),
        test_rows: test.as_ref().map_or(0, Samples::len),
        targets,
        task_reason,
        split: how,
        places: split.train.iter().map(|i| i + inputs.lost_rows()).collect(),
        train,
        test,
        train_answers,
        test_answers,
        fitted,
        kernel,
        reference,
        notes,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Fits the model; for a density returns the Parzen estimate too, both of the features as they are in `x`.
fn learn(
    plan: &Plan,
    bar: &Bar<'_>,
    train: &Samples,
    x: &Matrix,
    weights: Option<&[f64]>,
) -> anyhow::Result<(Fitted, Option<Density>)> {
    let problem = match &train.truth {
        Truth::Values { y, .. } => Problem::multi_output(x.view(), y.view())?,
        Truth::Classes { codes, labels } => Problem::classification(x.view(), codes, labels.len())?,
        Truth::Nothing => Problem::density(x.view())?,
    };
    let problem = match weights {
        Some(weights) => problem.with_weights(weights)?,
        None => problem,
    };
    let fitted = plan.method_for(train)?.fit(&problem, bar)?;
    let parzen = |width: &Width| Parzen::new().width(width.clone()).fit(problem.x);
    let reference = fitted.parzen_width.as_ref().map(parzen).transpose()?;
    Ok((fitted, reference))
}

fn task(truth: &Truth) -> Task {
    match truth {
        Truth::Values { targets, .. } => Task::Regression { targets: targets.clone() },
        Truth::Classes { labels, .. } => Task::Classification { classes: labels.clone() },
        Truth::Nothing => Task::Density,
    }
}

/// What each training row was predicted as when it was left out, beside where it stands in the data.
fn left_out(outcome: &Outcome) -> anyhow::Result<Table> {
    let found = outcome.fitted.leave_one_out.as_ref().filter(|loo| loo.predictions.rows() > 0);
    let Some(found) = found else {
        anyhow::bail!("--loo: {} knows no leave-one-out predictions of these data", outcome.plan.method)
    };
    let model = &outcome.fitted.model;
    let row = Column::Numeric(outcome.places.iter().map(|place| (place + 1) as f64).collect());
    let mut named = vec![("row".to_owned(), row)];
    match &outcome.train.truth {
        Truth::Values { y, .. } => named.extend(predict::numbers("true", model, y, 0)),
        Truth::Classes { codes, labels } => {
            named.push(("true".to_owned(), Column::text(codes.iter().map(|&code| &labels[code]))));
        }
        Truth::Nothing => {}
    }
    named.extend(predict::columns(model, &found.predictions, 0, true));
    let (names, columns): (Vec<String>, Vec<Column>) = named.into_iter().unzip();
    Ok(Table::new(names, columns)?)
}

/// The training features as the kernel shall see them, and how they got there.
fn standardise(
    plan: &Plan,
    train: &Samples,
    inputs: &Inputs,
    notes: &mut Vec<String>,
) -> anyhow::Result<(Matrix, Option<Standardisation>)> {
    let standardisation = Standardisation::fit(train.x.view())?;
    let names = inputs.feature_names();
    let constant: Vec<&str> = standardisation.constant().iter().map(|&j| names[j].as_str()).collect();
    if !constant.is_empty() {
        notes.push(format!(
            "constant in the training rows, so without influence: {} (--exclude leaves columns out)",
            constant.join(", ")
        ));
    }
    let mut x = train.x.clone();
    if plan.standardise {
        standardisation.apply(&mut x)?;
    }
    Ok((x, plan.standardise.then_some(standardisation)))
}

/// Says so when some targets vary so much more than others that the model is made for them alone.
fn uneven_targets(train: &Samples) -> Option<String> {
    const UNEVEN: f64 = 10.0;
    let Truth::Values { targets, y } = &train.truth else { return None };
    let deviations = Standardisation::fit(y.view()).ok()?;
    let varies = |k: &usize| !deviations.constant().contains(k);
    let scale = |k: &usize| deviations.scale()[*k];
    let by_scale = |a: &usize, b: &usize| scale(a).total_cmp(&scale(b));
    let least = (0..targets.len()).filter(varies).min_by(by_scale)?;
    let most = (0..targets.len()).filter(varies).max_by(by_scale)?;
    (scale(&most) > UNEVEN * scale(&least)).then(|| {
        format!(
            "one model lowers the squared errors of all targets together, and {} varies {} times as much as {}: bring \
             them to like units, or fit them one by one",
            targets[most],
            (scale(&most) / scale(&least)).round(),
            targets[least]
        )
    })
}

fn repeated_rows(train: &Samples) -> Option<String> {
    let (count, (row, earlier)) = train.repeated()?;
    Some(format!(
        "{count} of {} training rows repeat the features of an earlier one (first: training row {row} repeats {earlier}); \
         leave-one-out errors are then too small",
        train.len()
    ))
}
