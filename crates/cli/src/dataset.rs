//! Samples with their answers, made from a table in the same way for every command that compares the two.

use groat::batch::forward::Density;
use groat::data::{Classes, ColumnFacts, Inputs, Table};
use groat::expansion::{Task, winner};
use groat::metrics::{ClassificationErrors, DensityScore, RegressionErrors};
use groat::{Expansion, Matrix};
use groat_report::number;
use serde::Serialize;
use std::fmt;

use crate::args::TaskArg;

/// Samples and their answers.
pub struct Samples {
    pub x: Matrix,
    pub truth: Truth,
}

/// The answers.
#[derive(Clone)]
pub enum Truth {
    /// Numbers: one row per sample, one column per target.
    Values { targets: Vec<String>, y: Matrix },
    /// Classes: for each sample the index of its label.
    Classes { codes: Vec<usize>, labels: Vec<String> },
    /// None: a density is wanted.
    Nothing,
}

/// How far a model's answers are from the truth.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Errors {
    Regression(RegressionErrors),
    /// Of several targets, one by one.
    Several(Vec<TargetErrors>),
    Classification(ClassificationErrors),
    Density(DensityScore),
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

impl Samples {
    /// The samples of a table for a new model; without a target they are samples of a density. Returns also why
    /// the answers are taken as they are, where that was decided here.
    pub fn for_training(
        table: &Table,
        inputs: &Inputs,
        targets: &[String],
        task: TaskArg,
    ) -> groat::Result<(Self, Option<String>)> {
        let x = inputs.matrix(table)?;
        let (classes, reason) = takes_classes(table, inputs, targets, task)?;
        let truth = match targets {
            [] => Truth::Nothing,
            [target] if classes => {
                let Classes { labels, codes } = Classes::of(table, target)?;
                Truth::Classes { codes: codes[inputs.lost_rows()..].to_vec(), labels }
            }
            targets => Truth::values(table, inputs, targets)?,
        };
        Ok((Samples { x, truth }, reason))
    }

    /// The samples of a table with answers that a model knows.
    pub fn for_model(
        table: &Table,
        inputs: &Inputs,
        targets: &[String],
        model: &Expansion,
    ) -> groat::Result<Self> {
        let x = inputs.matrix(table)?;
        let truth = match targets {
            [] => Truth::Nothing,
            [target] if !model.classes().is_empty() => {
                let labels = model.classes().to_vec();
                let codes = Classes::codes(table, target, &labels)?[inputs.lost_rows()..].to_vec();
                Truth::Classes { codes, labels }
            }
            targets => Truth::values(table, inputs, targets)?,
        };
        Ok(Samples { x, truth })
    }

    /// Some of the samples.
    pub fn select(&self, rows: &[usize]) -> Self {
        let truth = match &self.truth {
            Truth::Values { targets, y } => {
                Truth::Values { targets: targets.clone(), y: y.view().select(rows) }
            }
            Truth::Classes { codes, labels } => {
                Truth::Classes { codes: rows.iter().map(|&i| codes[i]).collect(), labels: labels.clone() }
            }
            Truth::Nothing => Truth::Nothing,
        };
        Samples { x: self.x.view().select(rows), truth }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.x.rows()
    }

    /// How many repeat the features of an earlier one, and the first such pair (counted from 1).
    pub fn repeated(&self) -> Option<(usize, (usize, usize))> {
        let mut seen = std::collections::HashMap::new();
        let mut first = None;
        let mut count = 0;
        for (i, row) in self.x.view().iter().enumerate() {
            // Adding 0 makes -0 and 0 one value.
            let key: Vec<u64> = row.iter().map(|v| (v + 0.0).to_bits()).collect();
            if let Some(earlier) = seen.get(&key) {
                count += 1;
                first.get_or_insert((i + 1, earlier + 1));
            } else {
                seen.insert(key, i);
            }
        }
        first.map(|pair| (count, pair))
    }
}

impl Truth {
    /// The numbers of some columns.
    fn values(table: &Table, inputs: &Inputs, targets: &[String]) -> groat::Result<Self> {
        let y = table.matrix(targets)?.view().slice(inputs.lost_rows(), table.rows()).to_matrix();
        Ok(Truth::Values { targets: targets.to_vec(), y })
    }
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
            Errors::Classification(e) => {
                write!(f, "{} % wrong ({} of {})", number(100.0 * e.error_rate), e.wrong, e.rows)
            }
            Errors::Density(e) => {
                let (mean, error) = (number(e.mean_log_density), number(e.standard_error));
                write!(f, "mean log density {mean} ± {error}")
            }
        }
    }
}

/// Whether the answers are classes, and why, where that was decided here. Several targets are numbers.
pub fn takes_classes(
    table: &Table,
    inputs: &Inputs,
    targets: &[String],
    task: TaskArg,
) -> groat::Result<(bool, Option<String>)> {
    let [target] = targets else {
        targets.iter().try_for_each(|target| refuse_text(table, target))?;
        return Ok((false, None));
    };
    let facts = ColumnFacts::of(table, target)?;
    let two_values = !facts.text && facts.distinct == 2;
    match task {
        TaskArg::Regression | TaskArg::Density => Ok((false, None)),
        TaskArg::Classification => Ok((true, None)),
        TaskArg::Auto if inputs.embedding().is_some() || !(facts.text || two_values) => Ok((false, None)),
        TaskArg::Auto => {
            refuse_free_text(table, target, &facts)?;
            let why = if facts.text {
                "the target is text"
            } else {
                "the target has two values; --task regression takes them as numbers"
            };
            Ok((true, Some(why.to_owned())))
        }
    }
}

/// Among several targets a text is a slip or a class.
fn refuse_text(table: &Table, target: &str) -> groat::Result<()> {
    match table.numbers(target) {
        Err(groat::Error::Data { source_name, place, column, reason })
            if table.column(table.find(target)?).is_text() =>
        {
            let reason =
                format!("{reason}; several targets are learnt as numbers, classes one target at a time");
            Err(groat::Error::Data { source_name, place, column, reason })
        }
        _ => Ok(()),
    }
}

/// A text among many different values is more likely a slip than one of that many classes.
fn refuse_free_text(table: &Table, target: &str, facts: &ColumnFacts) -> groat::Result<()> {
    if facts.distinct <= 20 || 2 * facts.distinct <= table.rows() {
        return Ok(());
    }
    let column = table.column(table.find(target)?);
    let label = |row: usize| column.label(row).unwrap_or_default();
    let first = (0..table.rows()).find(|&row| label(row).parse::<f64>().is_err()).unwrap_or(0);
    Err(groat::Error::Data {
        source_name: table.source().to_owned(),
        place: table.place(first),
        column: target.to_owned(),
        reason: format!(
            "found the text {:?} among {} different values; if the target should be numbers, mend it, and if it \
             really is that many classes, say --task classification",
            label(first),
            facts.distinct
        ),
    })
}

/// A model's answers.
pub struct Answers {
    /// One row per sample, one column per output: predictions, decision values of the classes, or log densities.
    pub values: Matrix,
    pub errors: Errors,
}

impl Answers {
    /// Lets a model answer, and compares.
    pub fn of(model: &Expansion, samples: &Samples) -> groat::Result<Self> {
        let x = samples.x.view();
        let values = match model.task() {
            Task::Density => Matrix::column(Density::from_expansion(model)?.log_density(x)?),
            _ => model.values(x)?,
        };
        Self::compare(values, &samples.truth)
    }

    /// Compares given values.
    pub fn compare(values: Matrix, truth: &Truth) -> groat::Result<Self> {
        let errors = match truth {
            Truth::Values { targets, y } => compare_values(targets, y, &values)?,
            Truth::Classes { codes, labels } => {
                let predicted: Vec<usize> = values.view().iter().map(winner).collect();
                Errors::Classification(ClassificationErrors::of(codes, &predicted, labels.len())?)
            }
            Truth::Nothing => Errors::Density(DensityScore::of(values.data())?),
        };
        Ok(Answers { values, errors })
    }
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
