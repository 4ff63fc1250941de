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
    /// Numbers.
    Values(Vec<f64>),
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
    Classification(ClassificationErrors),
    Density(DensityScore),
}

impl Samples {
    /// The samples of a table for a new model; without a target they are samples of a density. Returns also why
    /// the answers are taken as they are, where that was decided here.
    pub fn for_training(
        table: &Table,
        inputs: &Inputs,
        target: Option<&str>,
        task: TaskArg,
    ) -> groat::Result<(Self, Option<String>)> {
        let x = inputs.apply(table)?;
        let Some(target) = target else { return Ok((Samples { x, truth: Truth::Nothing }, None)) };
        let (classes, reason) = takes_classes(table, inputs, target, task)?;
        let truth = if classes {
            let Classes { labels, codes } = Classes::of(table, target)?;
            Truth::Classes { codes: codes[inputs.lost_rows()..].to_vec(), labels }
        } else {
            Truth::Values(table.numbers(target)?[inputs.lost_rows()..].to_vec())
        };
        Ok((Samples { x, truth }, reason))
    }

    /// The samples of a table with answers that a model knows.
    pub fn for_model(
        table: &Table,
        inputs: &Inputs,
        target: Option<&str>,
        model: &Expansion,
    ) -> groat::Result<Self> {
        let x = inputs.apply(table)?;
        let Some(target) = target else { return Ok(Samples { x, truth: Truth::Nothing }) };
        let lost = inputs.lost_rows();
        let truth = if model.classes().is_empty() {
            Truth::Values(table.numbers(target)?[lost..].to_vec())
        } else {
            let labels = model.classes().to_vec();
            Truth::Classes { codes: Classes::codes(table, target, &labels)?[lost..].to_vec(), labels }
        };
        Ok(Samples { x, truth })
    }

    /// Some of the samples.
    pub fn select(&self, rows: &[usize]) -> Self {
        let truth = match &self.truth {
            Truth::Values(y) => Truth::Values(rows.iter().map(|&i| y[i]).collect()),
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

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Errors::Regression(e) => {
                write!(f, "root mean square {}", number(e.root_mean_squared))?;
                e.r_squared.map_or(Ok(()), |r| write!(f, ", R² {}", number(r)))
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

/// Whether the answers are classes, and why, where that was decided here.
pub fn takes_classes(
    table: &Table,
    inputs: &Inputs,
    target: &str,
    task: TaskArg,
) -> groat::Result<(bool, Option<String>)> {
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
            Truth::Values(y) => Errors::Regression(RegressionErrors::of(y, values.data())?),
            Truth::Classes { codes, labels } => {
                let predicted: Vec<usize> = values.view().iter().map(winner).collect();
                Errors::Classification(ClassificationErrors::of(codes, &predicted, labels.len())?)
            }
            Truth::Nothing => Errors::Density(DensityScore::of(values.data())?),
        };
        Ok(Answers { values, errors })
    }
}
