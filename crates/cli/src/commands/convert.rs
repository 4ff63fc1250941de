//! `groat convert`: data in the form of LIBSVM.

use super::evaluate;
use crate::args::{ConvertArgs, TaskArg};
use crate::evaluation::named_targets;
use crate::files::Files;
use crate::input::read_table;
use crate::model;
use crate::output::summary::count;
use crate::session::Session;
use groat::data::{Dataset, InputOptions, Inputs, Table, TaskChoice, write_svmlight};
use serde_json::json;

/// Runs the command.
pub fn run(args: &ConvertArgs, session: &Session) -> anyhow::Result<()> {
    let mut files = Files::default().reads(&args.data.data);
    if let Some(model) = &args.model {
        files = files.reads(model);
    }
    files.writes("--output", Some(&args.output)).check()?;
    let table = read_table(&args.data.data, &args.data.reading.options(), session)?;
    let samples = samples(args, &table)?;
    session.check_stop()?;
    write_svmlight(&args.output, &samples)?;
    let (rows, features) = (samples.len(), samples.x().cols());
    let answer = json!({ "rows": rows, "features": features, "files": { "data": args.output } });
    session.answer(&answer, || {
        let size = format!("{} with {}", count(rows, "row"), count(features, "feature"));
        format!("{size}, written to {}\n", args.output.display())
    })
}

fn samples(args: &ConvertArgs, table: &Table) -> anyhow::Result<Dataset> {
    if let Some(path) = &args.model {
        let model = model::load(path)?;
        let there = |inputs: &Inputs| inputs.targets().iter().all(|t| table.names().contains(&t.name));
        let known = args.target.is_some() || table.is_open() || model.inputs().is_some_and(there);
        let targets = match known {
            true => evaluate::targets(args.target.as_deref(), &model, table)?,
            false => Vec::new(),
        };
        let labels = if targets.is_empty() { &[] } else { model.classes() };
        let inputs = model::inputs(&model, table, &targets)?;
        return Ok(Dataset::for_answers(table, inputs, &targets, labels)?);
    }
    let targets = match &args.target {
        Some(typed) => named_targets(table, typed)?,
        None if table.is_open() => vec![table.names()[0].clone()],
        None => Vec::new(),
    };
    let task = match args.task {
        _ if targets.is_empty() => TaskChoice::Density,
        TaskArg::Density => TaskChoice::Density,
        other => other.into(),
    };
    let options = InputOptions {
        targets,
        features: args.features.clone(),
        exclude: args.exclude.clone(),
        categorical: args.data.reading.categorical.clone(),
        ..InputOptions::default()
    };
    Ok(Dataset::from_table(table, Inputs::fit(table, &options)?, task, None)?.0)
}
