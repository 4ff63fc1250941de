//! `groat inspect`: what a model file holds.

use crate::args::InspectArgs;
use crate::model;
use crate::output::page::{column_names, feature_names, raw_vectors};
use crate::output::summary::{Summary, aligned, count};
use crate::session::{Session, stdout_error};
use groat::Model;
use groat::batch::methods;
use groat::data::{Column, Table, write_csv};
use groat::model::Task;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// The model in words and numbers. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    file: PathBuf,
    task: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    kernel: String,
    vectors: usize,
    /// True where the function is one of random features: then `vectors` counts them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    random_features: bool,
    outputs: usize,
    features: Vec<String>,
    bias: Option<Vec<f64>>,
    standardised: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    lags: Option<usize>,
    bytes: usize,
    method: String,
    training_rows: usize,
    settings: BTreeMap<String, String>,
    /// What to call the weights of a vector.
    #[serde(skip)]
    weights: Vec<String>,
    /// The vectors in order of selection, where they were selected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<Term>,
}

/// A vector that was selected.
#[derive(Serialize)]
struct Term {
    /// Leave-one-out error when it had joined, where it was selected by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    leave_one_out: Option<f64>,
    weights: Vec<f64>,
    /// In the units of the data.
    vector: Vec<f64>,
}

/// Most vectors listed for a person; `--vectors` writes them all.
const LISTED: usize = 30;

/// Runs the command.
pub fn run(args: InspectArgs, session: &Session) -> anyhow::Result<()> {
    let model = model::load(&args.model)?;
    if args.vectors {
        return write_csv(io::stdout().lock(), &vectors(&model)?, b',').map_err(stdout_error);
    }
    let answer = Answer::of(args.model, &model);
    session.answer(&answer, || answer.text())
}

fn vectors(model: &Model) -> groat::Result<Table> {
    let raw = raw_vectors(model);
    let weights = model.weights().to_matrix();
    let weights = (0..weights.cols()).map(|k| Column::Numeric(weights.column_to_vec(k)));
    let mut columns: Vec<Column> =
        weights.chain((0..raw.cols()).map(|j| Column::Numeric(raw.column_to_vec(j)))).collect();
    let mut names = column_names(model);
    if model.record().growth.len() == model.size() {
        names.insert(0, "leave_one_out".to_owned());
        columns.insert(0, Column::Numeric(model.record().growth.clone()));
    }
    Table::new(names, columns)
}

impl Answer {
    fn of(file: PathBuf, model: &Model) -> Self {
        let targets = match model.task() {
            Task::Regression { targets } => targets.clone(),
            Task::Components => (0..model.outputs()).filter_map(|k| model.task().output_name(k)).collect(),
            _ => Vec::new(),
        };
        Answer {
            file,
            task: model.task().name(),
            targets,
            classes: model.classes().to_vec(),
            kernel: model.kernel().to_string(),
            vectors: model.size(),
            random_features: model.expansion().is_none(),
            outputs: model.outputs(),
            features: feature_names(model),
            bias: model.bias().map(<[f64]>::to_vec),
            standardised: model.standardisation().is_some(),
            lags: model.inputs().and_then(|inputs| inputs.embedding()).map(|embedding| embedding.lags),
            bytes: model.memory_bytes(),
            method: model.record().method.clone(),
            training_rows: model.record().rows,
            settings: model.record().settings.clone(),
            weights: model::per_output("weight", model),
            terms: terms(model),
        }
    }

    fn text(&self) -> String {
        let answers =
            [&self.targets, &self.classes].into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
        let task =
            if answers.is_empty() { self.task.to_owned() } else { format!("{} ({answers})", self.task) };
        let mut summary = Summary::default()
            .line("model", self.file.display().to_string())
            .line("task", task)
            .line("kernel", &self.kernel)
            .line(
                if self.random_features { "random features" } else { "vectors" },
                format!(
                    "{} with {}, {}",
                    self.vectors,
                    count(self.features.len(), "feature"),
                    count(self.outputs, "output")
                ),
            )
            .line("features", self.features.join(", "))
            .maybe("lags", self.lags.map(|lags| lags.to_string()))
            .line("standardised", if self.standardised { "yes" } else { "no" })
            .maybe(
                "constant",
                self.bias
                    .as_ref()
                    .map(|b| b.iter().map(|v| groat_report::number(*v)).collect::<Vec<_>>().join(", ")),
            )
            .line("memory", format!("{} bytes", self.bytes))
            .line("method", format!("{}, from {}", self.method, count(self.training_rows, "row")));
        for (name, value) in &self.settings {
            summary = summary.line(name, value);
        }
        format!("{}{}", summary.to_text(), self.list())
    }

    /// The vectors in order of selection, as a table.
    fn list(&self) -> String {
        if self.terms.is_empty() {
            return String::new();
        }
        let error = self.terms.iter().any(|term| term.leave_one_out.is_some()).then_some("leave-one-out");
        let head = ["term"].into_iter().chain(error).map(str::to_owned).chain(self.weights.clone());
        let line = |(i, term): (usize, &Term)| {
            let numbers = term.leave_one_out.iter().chain(&term.weights).chain(&term.vector);
            std::iter::once((i + 1).to_string()).chain(numbers.map(|v| groat_report::number(*v))).collect()
        };
        let lines: Vec<Vec<String>> = std::iter::once(head.chain(self.features.iter().cloned()).collect())
            .chain(self.terms.iter().take(LISTED).enumerate().map(line))
            .collect();
        let more = self.terms.len().saturating_sub(LISTED);
        let more =
            if more > 0 { format!("... and {more} more: --vectors lists them all\n") } else { String::new() };
        format!("\n{}{more}", aligned(&lines))
    }
}

fn terms(model: &Model) -> Vec<Term> {
    let (raw, growth) = (raw_vectors(model), &model.record().growth);
    let selected = growth.len() == model.size() || model.record().method == methods::SPARSE;
    let term = |i: usize| Term {
        leave_one_out: growth.get(i).copied(),
        weights: model.weights().row(i).to_vec(),
        vector: raw.row(i).to_vec(),
    };
    (0..if selected { model.size() } else { 0 }).map(term).collect()
}
