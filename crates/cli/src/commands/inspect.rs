//! `groat inspect`: what a model file holds.

use crate::args::InspectArgs;
use crate::model;
use crate::output::page::{column_names, feature_names, raw_vectors};
use crate::output::summary::Summary;
use crate::session::{Session, stdout_error};
use groat::Expansion;
use groat::data::{Column, Table, write_csv};
use groat::expansion::Task;
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
}

/// Runs the command.
pub fn run(args: InspectArgs, session: &Session) -> anyhow::Result<()> {
    let model = model::load(&args.model)?;
    if args.vectors {
        return write_csv(io::stdout().lock(), &vectors(&model)?, b',').map_err(stdout_error);
    }
    let answer = Answer::of(args.model, &model);
    session.answer(&answer, || answer.text())
}

fn vectors(model: &Expansion) -> groat::Result<Table> {
    let raw = raw_vectors(model);
    let weights = model.weights().to_matrix();
    let weights = (0..weights.cols()).map(|k| Column::Numeric(weights.column_to_vec(k)));
    let columns = weights.chain((0..raw.cols()).map(|j| Column::Numeric(raw.column_to_vec(j))));
    Table::new(column_names(model), columns.collect())
}

impl Answer {
    fn of(file: PathBuf, model: &Expansion) -> Self {
        let (task, targets) = match model.task() {
            Task::Regression { targets } => ("regression", targets.clone()),
            Task::Classification { .. } => ("classification", Vec::new()),
            Task::Density => ("density", Vec::new()),
        };
        Answer {
            file,
            task,
            targets,
            classes: model.classes().to_vec(),
            kernel: model.kernel().to_string(),
            vectors: model.size(),
            outputs: model.outputs(),
            features: feature_names(model),
            bias: model.bias().map(<[f64]>::to_vec),
            standardised: model.standardisation().is_some(),
            lags: model.inputs().and_then(|inputs| inputs.embedding()).map(|embedding| embedding.lags),
            bytes: model.memory_bytes(),
            method: model.record().method.clone(),
            training_rows: model.record().rows,
            settings: model.record().settings.clone(),
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
                "vectors",
                format!("{} with {} features, {} outputs", self.vectors, self.features.len(), self.outputs),
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
            .line("method", format!("{}, from {} rows", self.method, self.training_rows));
        for (name, value) in &self.settings {
            summary = summary.line(name, value);
        }
        summary.to_text()
    }
}
