//! `groat evaluate`: a model's errors on data with known answers.

use crate::args::EvaluateArgs;
use crate::evaluation::{Errors, Evaluation, Reached, Targets, named_targets};
use crate::exit;
use crate::files::Files;
use crate::input::read_table;
use crate::model;
use crate::output::page::{self, Part};
use crate::output::progress::Bar;
use crate::output::summary::{self, Summary, aligned, duration};
use crate::session::{Session, write_file};
use groat::Model;
use groat::data::{Answers, Dataset, Table};
use groat::metrics::Importance;
use groat::model::Task;
use groat_report::{Page, Section, number};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// The result in numbers. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    model: PathBuf,
    source: String,
    rows: usize,
    #[serde(flatten)]
    targets: Targets,
    vectors: usize,
    errors: Errors,
    /// What the model's prediction intervals hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    intervals: Vec<Reached>,
    /// What shuffling each column costs, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<Importance>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: EvaluateArgs, session: &Session) -> anyhow::Result<()> {
    let files = Files::default().reads(&args.model).reads(&args.data.data);
    files.writes("--report", args.report.as_ref()).check()?;
    let started = Instant::now();
    let model = model::load(&args.model)?;
    if *model.task() == Task::Components {
        return exit::usage(format!(
            "{} gives principal components, which have no true values to be compared with",
            args.model.display()
        ));
    }
    let bar = Bar::new(session, "evaluating");
    let table = read_table(&args.data.data, &args.data.reading.options(), session)?;
    let targets = targets(args.target.as_deref(), &model, &table)?;
    let inputs = model::inputs(&model, &table, &targets)?;
    let unused = model::unused_columns(&inputs, &table);
    if table.is_open() && !unused.is_empty() {
        session.remark(&model::unused_remark(table.source(), &unused));
    }
    let samples = Dataset::for_answers(&table, inputs, &targets, model.classes())?;
    let answers = Evaluation::of(&model, &samples)?;
    session.check_stop()?;
    let importance = match samples.answers() {
        Answers::None if args.importance => {
            return exit::usage(
                "--importance: the model has no target, so there is no error that could rise",
            );
        }
        _ if args.importance => Some(Importance::of(&model, &samples, page::REPEATS, session.seed)?),
        _ => None,
    };
    session.check_stop()?;
    drop(bar);
    let answer = Answer {
        model: args.model,
        source: table.source().to_owned(),
        rows: samples.len(),
        targets: Targets::new(&targets),
        vectors: model.size(),
        errors: answers.errors.clone(),
        intervals: answers.intervals.clone(),
        importance,
        seconds: started.elapsed().as_secs_f64(),
        report: args.report,
    };
    if let Some(path) = &answer.report {
        let part = Part { name: "evaluated", samples: &samples, answers: &answers };
        write_file(path, page(&model, part, &answer, session.seed)?.as_bytes())?;
    }
    session.answer(&answer, || answer.text())
}

/// The columns with the answers, one for each output; a density has none.
pub fn targets(typed: Option<&str>, model: &Model, table: &Table) -> anyhow::Result<Vec<String>> {
    let (expected, own) = match model.task() {
        Task::Classification { .. } => (1, &[][..]),
        Task::Regression { targets } => (model.outputs(), &targets[..]),
        _ => (0, &[][..]),
    };
    let named: Vec<String> = match typed {
        Some(_) if expected == 0 => return exit::usage("a density has no target: leave --target out"),
        Some(typed) => named_targets(table, typed)?,
        // The label of a svmlight file stands first.
        None if model.inputs().is_none() && table.is_open() => {
            table.names().iter().take(expected.min(1)).cloned().collect()
        }
        None => {
            let columns = model.inputs().map_or(&[][..], |inputs| inputs.targets());
            columns.iter().map(|column| column.name.clone()).collect()
        }
    };
    match named.len() {
        // The model's own targets are told apart by their names, in whatever order they were typed.
        count if count == expected && own.iter().all(|target| named.contains(target)) && !own.is_empty() => {
            Ok(own.to_vec())
        }
        count if count == expected => Ok(named),
        0 => exit::usage("--target is missing: the model does not say which column holds the answers"),
        count => {
            let own = if own.is_empty() { String::new() } else { format!(": {}", own.join(", ")) };
            let count = summary::count(count, "column");
            exit::usage(format!("--target names {count}, but the model predicts {expected}{own}"))
        }
    }
}

fn page(model: &Model, part: Part<'_>, answer: &Answer, seed: u64) -> anyhow::Result<String> {
    let parts = [part];
    let subject = answer.targets.text().unwrap_or_else(|| "density".to_owned());
    let mut page = Page::new(format!("{subject} in {}", answer.source))
        .lead(format!("What {} answers to {} rows.", answer.model.display(), answer.rows))
        .section(page::errors(&parts, None, None))
        .section(page::answers(model, &parts));
    let space = match model.task() {
        Task::Density => page::density(model, &parts, None)?,
        _ => page::space(model, &parts)?,
    };
    if let Some(section) = space {
        page = page.section(section);
    }
    let importance = match &answer.importance {
        Some(found) => Some(found.clone()),
        None => page::measured(model, &parts, seed)?,
    };
    if let Some(found) = importance {
        page = page.section(page::importance(model, &found));
    }
    let pairs = [
        ("model", answer.model.display().to_string()),
        ("data", answer.source.clone()),
        ("kernel", model.kernel().to_string()),
        ("vectors", model.size().to_string()),
    ];
    Ok(page.section(Section::new("Settings").settings(pairs)).foot(page::foot()).to_html())
}

impl Answer {
    fn text(&self) -> String {
        let summary = Summary::default()
            .line("model", self.model.display().to_string())
            .line("data", &self.source)
            .line("rows", self.rows.to_string())
            .maybe("target", self.targets.text())
            .line("vectors", self.vectors.to_string())
            .line(if self.targets.text().is_some() { "error" } else { "result" }, self.errors.to_string());
        let details = self.errors.details().into_iter();
        let summary = details.fold(summary, |summary, (name, value)| summary.line(name, value));
        let summary = summary
            .maybe("intervals", Reached::text(&self.intervals))
            .line("time", duration(std::time::Duration::from_secs_f64(self.seconds)))
            .maybe("report", self.report.as_ref().map(|path| path.display().to_string()));
        let importance = self.importance.as_ref().map(importance_text);
        let tables =
            self.errors.classes_text().into_iter().chain(importance).map(|table| format!("\n{table}"));
        std::iter::once(summary.to_text()).chain(tables).collect()
    }
}

/// Each column with the rise of the error.
fn importance_text(importance: &Importance) -> String {
    let mut lines = vec![["column", "rise of the error", "give or take"].map(str::to_owned).to_vec()];
    for column in &importance.columns {
        lines.push(vec![column.column.clone(), number(column.rise), number(column.deviation)]);
    }
    aligned(&lines)
}
