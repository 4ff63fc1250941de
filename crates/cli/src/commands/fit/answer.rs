//! What `groat fit` says when it is done, to a person or to a program.

use super::matrix::KernelMatrix;
use super::{Outcome, comparison};
use crate::evaluation::{Errors, Targets};
use crate::output::page::is_linear;
use crate::output::summary::{Summary, count, duration};
use groat::batch::{Compared, Fitted, Trial};
use groat::metrics::DensityScore;
use groat_report::number;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Features whose widths are written out, and those that are named at most.
const WIDTHS_SHOWN: usize = 3;
const RELEVANT_SHOWN: usize = 8;
/// A feature matters from this share of the largest relevance on.
const MATTERS: f64 = 0.1;

/// The result in numbers. Field names are part of the command's interface.
#[derive(Serialize)]
pub struct Answer {
    source: String,
    rows: usize,
    features: usize,
    #[serde(flatten)]
    targets: Targets,
    task: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<String>>,
    training_rows: usize,
    test_rows: usize,
    split: String,
    method: String,
    kernel: String,
    kernel_choice: String,
    /// How much each feature matters, the most first, where each has a width of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relevance: Vec<Relevance>,
    settings: BTreeMap<String, String>,
    vectors: usize,
    /// True where the features are random ones, which no rows became.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    random_features: bool,
    /// True where the vectors are the coefficients of a linear model.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    linear: bool,
    candidates: usize,
    /// How the kernel matrix stood, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_matrix: Option<KernelMatrix>,
    /// The error that new rows will see, from rows that nothing was chosen on.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Expected>,
    /// What the full kernel machine reaches, and the model beside it, on the same held-out parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_machine: Option<FullMachine>,
    leave_one_out: Option<LeaveOneOut>,
    training: Errors,
    test: Option<Errors>,
    /// Density: what the Parzen estimate gives to the test rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    parzen_test: Option<DensityScore>,
    /// True when Ctrl-C ended the fit and this is the model so far.
    interrupted: bool,
    seconds: f64,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Vec<Compared>>,
    files: Files,
}

#[derive(Serialize)]
struct Relevance {
    feature: String,
    /// One over its width, as a share of the largest of these.
    share: f64,
}

#[derive(Serialize)]
struct LeaveOneOut {
    mean_squared: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_rate: Option<f64>,
}

#[derive(Serialize)]
struct Expected {
    mean_squared: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_rate: Option<f64>,
    standard_error: f64,
    by: String,
}

#[derive(Serialize)]
struct FullMachine {
    vectors: usize,
    error: f64,
    /// The error of the model on the same parts.
    model_error: f64,
}

#[derive(Serialize)]
struct Files {
    model: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    leave_one_out: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<PathBuf>,
}

impl Answer {
    /// The answer to a fit.
    pub fn of(outcome: &Outcome) -> Self {
        let model = &outcome.fitted.model;
        let classes = (!model.classes().is_empty()).then(|| model.classes().to_vec());
        let leave_one_out = outcome.fitted.leave_one_out.as_ref();
        let expected = outcome.fitted.expected.as_ref().map(|expected| Expected {
            mean_squared: expected.mean_squared,
            error_rate: expected.error_rate,
            standard_error: expected.standard_error,
            by: expected.by.clone(),
        });
        let own = outcome.fitted.sizes.iter().rev().find(|at| at.terms <= model.size());
        let full_machine = outcome.fitted.full.as_ref().zip(own).map(|(full, own)| FullMachine {
            vectors: full.vectors,
            error: full.error,
            model_error: own.error,
        });
        Answer {
            source: outcome.source.clone(),
            rows: outcome.rows,
            features: model.features(),
            targets: Targets::new(&outcome.targets()),
            task: model.task().name(),
            task_reason: outcome.task_reason.clone(),
            classes,
            training_rows: outcome.training_rows,
            test_rows: outcome.test_rows,
            split: outcome.split.clone(),
            method: model.record().method.clone(),
            kernel: model.kernel().to_string(),
            kernel_choice: kernel_choice(&outcome.fitted),
            relevance: relevance(&outcome.fitted),
            settings: model.record().settings.clone(),
            vectors: model.size(),
            random_features: model.expansion().is_none(),
            linear: is_linear(model),
            candidates: outcome.fitted.candidates,
            kernel_matrix: outcome.fitted.matrix.as_ref().map(KernelMatrix::of),
            expected,
            full_machine,
            leave_one_out: leave_one_out
                .map(|loo| LeaveOneOut { mean_squared: loo.mean_squared, error_rate: loo.error_rate }),
            training: outcome.train_answers.errors.clone(),
            test: outcome.test_answers.as_ref().map(|answers| answers.errors.clone()),
            parzen_test: outcome.parzen_test,
            interrupted: outcome.fitted.interrupted,
            seconds: outcome.seconds,
            notes: outcome.interruption().into_iter().chain(outcome.fitted.notes.clone()).collect(),
            comparison: outcome.compared.clone(),
            files: Files {
                model: outcome.plan.model.clone(),
                leave_one_out: outcome.plan.loo.clone(),
                report: outcome.plan.report.clone(),
            },
        }
    }

    /// The summary for a person.
    pub fn text(&self) -> String {
        let reason = self.task_reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        let classes =
            self.classes.as_ref().map_or(String::new(), |c| format!(" into {}", count(c.len(), "class")));
        let target = self.targets.text().map_or(String::new(), |target| format!("{target}, "));
        let all = if matches!(self.training, Errors::Several(_)) { ", all targets together" } else { "" };
        let rows = format!(
            "{} ({} to learn from, {} to test; {})",
            self.rows, self.training_rows, self.test_rows, self.split
        );
        let names = if ["density", "one-class"].contains(&self.task) {
            ["training", "test"]
        } else {
            ["training error", "test error"]
        };
        let mut summary = Summary::default()
            .line("data", &self.source)
            .line("rows", rows)
            .line("features", self.features.to_string())
            .line("target", format!("{target}{}{classes}{reason}", self.task))
            .line("method", &self.method)
            .line("kernel", format!("{}, {}", self.kernel_text(), self.kernel_choice))
            .maybe("relevance", self.relevance_text())
            .line("vectors", self.vectors_text())
            .maybe("kernel matrix", self.kernel_matrix.as_ref().map(KernelMatrix::text))
            .maybe("expected error", self.expected.as_ref().map(expected_text))
            .maybe(
                "leave-one-out",
                self.leave_one_out.as_ref().map(|loo| format!("{}{all}", leave_one_out_text(loo))),
            )
            .line(names[0], self.training.to_string())
            .maybe(names[1], self.test.as_ref().map(Errors::to_string))
            .maybe("Parzen, test", self.parzen_test.map(|score| Errors::Density(score).to_string()))
            .line("time", duration(Duration::from_secs_f64(self.seconds)));
        for note in &self.notes {
            summary = summary.line("note", note);
        }
        summary = summary.line("model", self.files.model.display().to_string());
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        summary = summary.maybe("left out", path(&self.files.leave_one_out));
        let text = summary.maybe("report", path(&self.files.report)).to_text();
        text + &self.comparison.as_deref().map_or(String::new(), comparison::text)
    }
}

impl Answer {
    /// The kernel; many widths are many digits, which the model file has.
    fn kernel_text(&self) -> String {
        match self.kernel.split_once(':') {
            Some((family, _)) if self.relevance.len() > WIDTHS_SHOWN => {
                format!("{family} with a width for each feature")
            }
            _ => self.kernel.clone(),
        }
    }

    /// The features that matter, where each has a width of its own.
    fn relevance_text(&self) -> Option<String> {
        let some: Vec<&Relevance> =
            self.relevance.iter().filter(|feature| feature.share >= MATTERS).collect();
        let shown: Vec<String> = some
            .iter()
            .take(RELEVANT_SHOWN)
            .map(|feature| format!("{} {}", feature.feature, number((100.0 * feature.share).round() / 100.0)))
            .collect();
        let more = some.len().saturating_sub(RELEVANT_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let rest = self.relevance.len() - some.len();
        let rest = if rest > 0 { format!("; {rest} hardly matter") } else { String::new() };
        (!shown.is_empty()).then(|| format!("{}{more}{rest}", shown.join(", ")))
    }

    /// How many vectors, and what the full machine would have brought.
    fn vectors_text(&self) -> String {
        if self.random_features {
            return format!("none; {} random features", self.vectors);
        }
        if self.linear && self.full_machine.is_none() {
            let several =
                if self.vectors > 1 { format!(" and {} outputs", self.vectors) } else { String::new() };
            return format!("none: one coefficient for each of {}{several}", count(self.features, "feature"));
        }
        let Some(full) = &self.full_machine else {
            return format!("{} of {} kept", self.vectors, self.candidates);
        };
        if self.task == "density" {
            return format!(
                "{} of {}; held-out log density {} against {} of the Parzen estimate",
                self.vectors,
                self.training_rows,
                number(-full.model_error),
                number(-full.error)
            );
        }
        let shown = |error: f64| match self.task {
            "classification" => format!("{} %", number(100.0 * error)),
            _ => number(error),
        };
        format!(
            "{} of {}; error {} against {} of the full machine",
            self.vectors,
            self.training_rows,
            shown(full.model_error),
            shown(full.error)
        )
    }
}

/// How much each feature matters, by name.
fn relevance(fitted: &Fitted) -> Vec<Relevance> {
    let names = fitted.model.feature_names();
    let name = |j: usize| names.get(j).cloned().unwrap_or_else(|| format!("feature {}", j + 1));
    fitted.relevance().into_iter().map(|(j, share)| Relevance { feature: name(j), share }).collect()
}

/// What new rows will see.
fn expected_text(expected: &Expected) -> String {
    let error = match expected.error_rate {
        Some(rate) => format!(
            "{} % wrong, give or take {}",
            number(100.0 * rate),
            number(100.0 * expected.standard_error)
        ),
        None => format!(
            "root mean square {}, give or take {}",
            number(expected.mean_squared.sqrt()),
            number(expected.standard_error)
        ),
    };
    format!("{error}; from {}", expected.by)
}

/// How the kernel was found.
pub fn kernel_choice(fitted: &Fitted) -> String {
    let (by, trials) = (&fitted.judged_by, &fitted.trials);
    let several = |differ: fn(&Trial, &Trial) -> bool| trials.iter().any(|trial| differ(trial, &trials[0]));
    let widths = several(|a, b| a.kernel != b.kernel);
    let ridges = several(|a, b| a.ridge != b.ridge);
    let tried = trials.len();
    // A trial holds what stands beside the width as a ridge, of which a cost is the inverse.
    let settings = &fitted.model.record().settings;
    let beside = ["cost", "nu"].into_iter().find(|name| settings.contains_key(*name)).unwrap_or("ridge");
    // What a linear machine is made of nobody gave or chose.
    let given = if is_linear(&fitted.model) { "the method's own" } else { "as given" };
    match (widths, ridges) {
        (false, false) if tried == 0 && !by.is_empty() => format!("found by {by}"),
        (false, false) => given.to_owned(),
        (true, false) => format!("chosen by {by} among {tried} widths"),
        (true, true) => format!("chosen by {by} among {tried} widths and {beside}s"),
        (false, true) => format!("{given}, the {beside} chosen by {by} among {tried}"),
    }
}

fn leave_one_out_text(loo: &LeaveOneOut) -> String {
    match loo.error_rate {
        Some(rate) => format!("{} % wrong", number(100.0 * rate)),
        None => format!("root mean square {}", number(loo.mean_squared.sqrt())),
    }
}
