//! A model's answers beside the true ones, in the same way for every command that compares the two.

use crate::output::summary::aligned;
use groat::batch::density::Density;
use groat::data::{Answers, Dataset, Table};
use groat::metrics::{ClassificationErrors, DensityScore, RegressionErrors};
use groat::model::Task;
use groat::{Matrix, Model, Points, Rows};
use groat_report::number;
use serde::Serialize;
use std::fmt;

/// How far a model's answers are from the truth.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Errors {
    Regression(RegressionErrors),
    /// Of several targets, one by one.
    Several(Vec<TargetErrors>),
    Classification(ClassErrors),
    Density(DensityScore),
    OneClass(OneClassErrors),
}

/// The errors of classes, and what the classes are called, in the order of everything that there is one of for each.
#[derive(Clone, Debug, Serialize)]
pub struct ClassErrors {
    pub classes: Vec<String>,
    #[serde(flatten)]
    pub errors: ClassificationErrors,
}

/// How many rows lie outside the one class.
#[derive(Clone, Debug, Serialize)]
pub struct OneClassErrors {
    pub rows: usize,
    pub outside: usize,
    pub share: f64,
}

impl OneClassErrors {
    fn of(values: &Matrix) -> Self {
        let (rows, outside) = (values.rows(), values.data().iter().filter(|v| **v < 0.0).count());
        Self { rows, outside, share: outside as f64 / rows.max(1) as f64 }
    }
}

/// The errors of one target among several.
#[derive(Clone, Debug, Serialize)]
pub struct TargetErrors {
    pub target: String,
    #[serde(flatten)]
    pub errors: RegressionErrors,
}

/// The columns that are predicted as an answer in JSON names them: `target`, or `targets` where there are several.
#[derive(Clone, Debug, Serialize)]
pub struct Targets {
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<String>,
}

impl Targets {
    pub fn new(names: &[String]) -> Self {
        match names {
            [name] => Self { target: Some(name.clone()), targets: Vec::new() },
            names => Self { target: None, targets: names.to_vec() },
        }
    }

    /// The names, for a person; nothing for a density, which has no target.
    pub fn text(&self) -> Option<String> {
        self.target.clone().or_else(|| (!self.targets.is_empty()).then(|| self.targets.join(", ")))
    }
}

/// The columns that `--target` names: one, or several with commas between. A column whose own name holds a comma is
/// found first.
pub fn named_targets(table: &Table, typed: &str) -> groat::Result<Vec<String>> {
    let one = table.position(typed).is_some();
    let names = if one { vec![typed] } else { typed.split(',').collect() };
    names.into_iter().map(|name| Ok(table.names()[table.find(name)?].clone())).collect()
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = |e: &RegressionErrors| {
            let fit = e.r_squared.map_or(String::new(), |r| format!(", R² {}", number(r)));
            format!("root mean square {}{fit}", number(e.root_mean_squared))
        };
        match self {
            Errors::Regression(e) => f.write_str(&numbers(e)),
            Errors::Several(all) => {
                let each: Vec<String> =
                    all.iter().map(|e| format!("{}: {}", e.target, numbers(&e.errors))).collect();
                f.write_str(&each.join("; "))
            }
            Errors::Classification(ClassErrors { errors: e, .. }) => {
                write!(f, "{} % wrong ({} of {})", number(100.0 * e.error_rate), e.wrong, e.rows)
            }
            Errors::OneClass(e) => {
                write!(f, "{} % outside ({} of {})", number(100.0 * e.share), e.outside, e.rows)
            }
            Errors::Density(e) => {
                let (mean, error) = (number(e.mean_log_density), number(e.standard_error));
                write!(f, "mean log density {mean} ± {error}")
            }
        }
    }
}

impl Errors {
    /// More about them in a line or a few, by name.
    pub fn details(&self) -> Vec<(String, String)> {
        let numbers = |e: &RegressionErrors| {
            let [mean, median, most, nearly_all] =
                [e.mean_absolute, e.median_absolute, e.absolute_90, e.absolute_95].map(number);
            format!("mean {mean}, median {median}, 90 % below {most}, 95 % below {nearly_all}")
        };
        match self {
            Errors::Regression(e) => vec![("absolute error".to_owned(), numbers(e))],
            Errors::Several(all) => {
                all.iter().map(|e| (format!("|error| of {}", e.target), numbers(&e.errors))).collect()
            }
            Errors::Classification(ClassErrors { errors: e, .. }) => {
                let named =
                    [("mean F1", Some(e.mean_f1)), ("AUC", e.area_under_curve), ("log loss", e.log_loss)];
                let each: Vec<String> = named
                    .into_iter()
                    .filter_map(|(name, value)| value.map(|value| format!("{name} {}", number(value))))
                    .collect();
                vec![("scores".to_owned(), each.join(", "))]
            }
            Errors::Density(_) | Errors::OneClass(_) => Vec::new(),
        }
    }

    /// Each class with its precision and recall and what its rows were taken for; nothing where there are no classes, or
    /// more than fit the width of a terminal.
    pub fn classes_text(&self) -> Option<String> {
        let Errors::Classification(ClassErrors { classes, errors }) = self else { return None };
        if classes.len() > LISTED {
            return None;
        }
        let head = ["class", "rows", "precision", "recall", "F1"].map(str::to_owned);
        let taken = classes.iter().map(|class| format!("as {class}"));
        let mut lines = vec![head.into_iter().chain(taken).collect::<Vec<_>>()];
        let counts = errors.confusion.chunks(classes.len().max(1));
        for ((class, e), counts) in classes.iter().zip(&errors.per_class).zip(counts) {
            let shares = [e.precision, e.recall, e.f1].map(share);
            let cells = [class.clone(), e.rows.to_string()].into_iter().chain(shares);
            lines.push(cells.chain(counts.iter().map(u64::to_string)).collect());
        }
        Some(aligned(&lines))
    }
}

/// Most classes that a text lists.
const LISTED: usize = 10;

/// A share that may not be there.
pub fn share(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), number)
}

/// A model's answers to samples whose true answers are known.
pub struct Evaluation {
    /// One row per sample, one column per output: predictions, decision values of the classes, or log densities.
    pub values: Matrix,
    pub errors: Errors,
    /// How much of the truth the model's prediction intervals hold; none where it has no intervals.
    pub intervals: Vec<Reached>,
}

/// What prediction intervals of some coverage hold.
#[derive(Clone, Debug, Serialize)]
pub struct Reached {
    pub coverage: f64,
    /// Share of the true values that lie inside.
    pub inside: f64,
    /// How far the interval reaches on both sides of a prediction, for each output.
    pub half_widths: Vec<f64>,
}

/// Coverages that are looked at.
const COVERAGES: [f64; 2] = [0.9, 0.95];

impl Reached {
    fn all(model: &Model, y: &Matrix, values: &Matrix) -> Vec<Self> {
        let Some(intervals) = model.intervals() else { return Vec::new() };
        // A coverage that takes more rows than there were is left out.
        let known = COVERAGES.into_iter().filter_map(|c| intervals.half_widths(c).ok().map(|half| (c, half)));
        known
            .map(|(coverage, half_widths)| {
                let within = |(y, p): (&[f64], &[f64])| {
                    let errors = y.iter().zip(p).map(|(y, p)| (y - p).abs());
                    errors.zip(&half_widths).filter(|(error, half)| error <= *half).count()
                };
                let inside: usize = y.view().iter().zip(values.view().iter()).map(within).sum();
                Self { coverage, inside: inside as f64 / y.data().len().max(1) as f64, half_widths }
            })
            .collect()
    }

    /// In words, for a person.
    pub fn text(all: &[Self]) -> Option<String> {
        let percent = |part: f64| number((1000.0 * part).round() / 10.0);
        let one = |r: &Self| format!("of {} % hold {} %", percent(r.coverage), percent(r.inside));
        (!all.is_empty()).then(|| all.iter().map(one).collect::<Vec<_>>().join(", "))
    }
}

impl Evaluation {
    /// Lets a model answer, and compares.
    pub fn of(model: &Model, samples: &Dataset) -> groat::Result<Self> {
        let values = match model.task() {
            Task::Density => {
                Matrix::column(Density::from_model(model)?.log_density(density_rows(samples.x())?)?)
            }
            _ => model.values(samples.x())?,
        };
        let errors = match samples.answers() {
            Answers::Values { names, y } => compare_values(names, y, &values)?,
            Answers::Classes { labels, codes } => {
                let errors = ClassificationErrors::of_model(model, values.view(), codes)?;
                Errors::Classification(ClassErrors { classes: labels.clone(), errors })
            }
            _ if *model.task() == Task::OneClass => Errors::OneClass(OneClassErrors::of(&values)),
            _ => Errors::Density(DensityScore::of(values.data())?),
        };
        let intervals = match samples.answers() {
            Answers::Values { y, .. } => Reached::all(model, y, &values),
            _ => Vec::new(),
        };
        Ok(Evaluation { values, errors, intervals })
    }
}

/// Rows that a density can be asked about.
pub fn density_rows(x: Points<'_>) -> groat::Result<Rows<'_>> {
    x.require_dense("dense rows for a density")
}

fn compare_values(targets: &[String], y: &Matrix, values: &Matrix) -> groat::Result<Errors> {
    if values.cols() != y.cols() {
        let what = "outputs of the model, one per target";
        return Err(groat::Error::Shape { what, expected: y.cols(), found: values.cols() });
    }
    let of = |k: usize| RegressionErrors::of(&y.column_to_vec(k), &values.column_to_vec(k));
    if let [_] = targets {
        return Ok(Errors::Regression(of(0)?));
    }
    let each = targets.iter().enumerate();
    let each = each.map(|(k, target)| Ok(TargetErrors { target: target.clone(), errors: of(k)? }));
    each.collect::<groat::Result<_>>().map(Errors::Several)
}
