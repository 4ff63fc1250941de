//! `groat evaluate`: a model's errors on data with known answers.

use crate::args::EvaluateArgs;
use crate::dataset::{Answers, Errors, Samples};
use crate::exit;
use crate::input::read_table;
use crate::model;
use crate::output::page::{self, Part};
use crate::output::progress::Bar;
use crate::output::summary::{Summary, duration};
use crate::session::{Session, check_output, write_file};
use groat::Expansion;
use groat::expansion::Task;
use groat_report::{Page, Section};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// The result in numbers. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    model: PathBuf,
    source: String,
    rows: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    vectors: usize,
    errors: Errors,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: EvaluateArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(report) = &args.report {
        check_output(report, &[&args.model, &args.data.data])?;
    }
    let started = Instant::now();
    let model = model::load(&args.model)?;
    if model::gives_components(&model) {
        return exit::usage(format!(
            "{} gives principal components, which have no true values to be compared with",
            args.model.display()
        ));
    }
    let target = target(args.target, &model)?;
    let bar = Bar::new(session, "evaluating");
    let table = read_table(&args.data.data, &args.data.reading.options(), session)?;
    let inputs = model::inputs(&model, &table, target.as_deref())?;
    let samples = Samples::for_model(&table, &inputs, target.as_deref(), &model)?;
    let answers = Answers::of(&model, &samples)?;
    session.check_stop()?;
    drop(bar);
    let answer = Answer {
        model: args.model,
        source: table.source().to_owned(),
        rows: samples.len(),
        target,
        vectors: model.size(),
        errors: answers.errors.clone(),
        seconds: started.elapsed().as_secs_f64(),
        report: args.report,
    };
    if let Some(path) = &answer.report {
        let part = Part { name: "evaluated", samples: &samples, answers: &answers };
        write_file(path, page(&model, part, &answer)?.as_bytes())?;
    }
    session.answer(&answer, || answer.text())
}

/// The column with the answers; a density has none.
fn target(typed: Option<String>, model: &Expansion) -> anyhow::Result<Option<String>> {
    let remembered = model.inputs().and_then(|inputs| inputs.target().map(str::to_owned));
    match (typed.or(remembered), model.task()) {
        (None, Task::Density) => Ok(None),
        (Some(_), Task::Density) => exit::usage("a density has no target: leave --target out"),
        (None, _) => {
            exit::usage("--target is missing: the model does not say which column holds the answers")
        }
        (target, _) => Ok(target),
    }
}

fn page(model: &Expansion, part: Part<'_>, answer: &Answer) -> anyhow::Result<String> {
    let parts = [part];
    let subject = answer.target.as_deref().unwrap_or("density");
    let mut page = Page::new(format!("{subject} in {}", answer.source))
        .lead(format!("What {} answers to {} rows.", answer.model.display(), answer.rows))
        .section(page::errors(&parts, None))
        .section(page::answers(&parts, subject));
    let space = match model.task() {
        Task::Density => page::density(model, &parts, None)?,
        _ => page::space(model, &parts, subject)?,
    };
    if let Some(section) = space {
        page = page.section(section);
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
        Summary::default()
            .line("model", self.model.display().to_string())
            .line("data", &self.source)
            .line("rows", self.rows.to_string())
            .maybe("target", self.target.as_ref())
            .line("vectors", self.vectors.to_string())
            .line(if self.target.is_some() { "error" } else { "result" }, self.errors.to_string())
            .line("time", duration(std::time::Duration::from_secs_f64(self.seconds)))
            .maybe("report", self.report.as_ref().map(|path| path.display().to_string()))
            .to_text()
    }
}
