//! `groat fit`: from a data file to a model file.

mod answer;
mod page;
mod plan;

use crate::args::FitArgs;
use crate::dataset::{Answers, Samples, Truth};
use crate::methods;
use crate::output::progress::Bar;
use crate::session::{Session, write_file};
use groat::batch::{Fitted, Problem};
use groat::data::{Inputs, Standardisation, read_table};
use groat::expansion::Task;
use plan::Plan;
use std::time::Instant;

/// A fit that is done, before anything is written.
struct Outcome {
    plan: Plan,
    source: String,
    /// Rows of the table.
    rows: usize,
    target: String,
    /// Why numbers or classes, where that was decided here.
    task_reason: Option<String>,
    /// How the test part was chosen.
    split: String,
    train: Samples,
    test: Option<Samples>,
    train_answers: Answers,
    test_answers: Option<Answers>,
    fitted: Fitted,
    notes: Vec<String>,
    seconds: f64,
}

/// Runs the command.
pub fn run(args: FitArgs, session: &Session) -> anyhow::Result<()> {
    let plan = Plan::new(args, session)?;
    let outcome = fit(plan, session)?;
    let page = match &outcome.plan.report {
        Some(path) => Some((path, page::page(&outcome)?)),
        None => None,
    };
    session.check_stop()?;
    outcome.fitted.model.save(&outcome.plan.model)?;
    if let Some((path, page)) = page {
        write_file(path, page.as_bytes())?;
    }
    let answer = answer::Answer::of(&outcome);
    session.answer(&answer, || answer.text())
}

fn fit(plan: Plan, session: &Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let bar = Bar::new(session, "reading");
    let table = read_table(&plan.data, &plan.reading)?;
    session.check_stop()?;
    let target = plan.target(&table)?;
    let inputs = Inputs::fit(&table, &plan.input_options(&target))?;
    let (samples, task_reason) = Samples::for_training(&table, &inputs, &target, plan.task)?;
    let (split, how) = plan.split(samples.len(), &inputs)?;
    let train = samples.select(&split.train);
    let test = (!split.test.is_empty()).then(|| samples.select(&split.test));

    let mut notes = Vec::new();
    let (x, standardisation) = standardise(&plan, &train, &inputs, &mut notes)?;
    notes.extend(repeated_rows(&train));
    let problem = match &train.truth {
        Truth::Values(y) => Problem::regression(x.view(), y)?,
        Truth::Classes { codes, labels } => Problem::classification(x.view(), codes, labels.len())?,
    };
    let settings = methods::Settings {
        kernel: &plan.kernel,
        ridge: plan.ridge,
        support: plan.support,
        solver: plan.solver,
        memory: plan.memory,
        max_terms: plan.max_terms,
        patience: plan.patience,
        candidates: plan.candidates,
        seed: session.seed,
    };
    let mut fitted = methods::build(&plan.method, &settings)?.fit(&problem, &bar)?;
    notes.append(&mut fitted.notes);
    let record = fitted.model.record().clone().with("seed", session.seed).with("source", table.source());
    fitted.model = fitted
        .model
        .with_task(task(&train.truth, &target))?
        .with_standardisation(standardisation)?
        .with_inputs(inputs)?
        .with_record(record);
    let train_answers = Answers::of(&fitted.model, &train)?;
    let test_answers = test.as_ref().map(|test| Answers::of(&fitted.model, test)).transpose()?;
    Ok(Outcome {
        plan,
        source: table.source().to_owned(),
        rows: table.rows(),
        target,
        task_reason,
        split: how,
        train,
        test,
        train_answers,
        test_answers,
        fitted,
        notes,
        seconds: started.elapsed().as_secs_f64(),
    })
}

fn task(truth: &Truth, target: &str) -> Task {
    match truth {
        Truth::Values(_) => Task::Regression { targets: vec![target.to_owned()] },
        Truth::Classes { labels, .. } => Task::Classification { classes: labels.clone() },
    }
}

/// The training features as the kernel shall see them, and how they got there.
fn standardise(
    plan: &Plan,
    train: &Samples,
    inputs: &Inputs,
    notes: &mut Vec<String>,
) -> anyhow::Result<(groat::Matrix, Option<Standardisation>)> {
    let standardisation = Standardisation::fit(train.x.view())?;
    let names = inputs.feature_names();
    let constant: Vec<&str> = standardisation.constant().iter().map(|&j| names[j].as_str()).collect();
    if !constant.is_empty() {
        notes.push(format!(
            "constant in the training rows, so without influence: {} (--drop leaves columns out)",
            constant.join(", ")
        ));
    }
    let mut x = train.x.clone();
    if plan.standardise {
        standardisation.apply(&mut x)?;
    }
    Ok((x, plan.standardise.then_some(standardisation)))
}

fn repeated_rows(train: &Samples) -> Option<String> {
    let (count, (row, earlier)) = train.repeated()?;
    Some(format!(
        "{count} of {} training rows repeat the features of an earlier one (first: training row {row} repeats {earlier}); \
         leave-one-out errors are then too small",
        train.len()
    ))
}
