//! What is asked of the target: numbers, classes or nothing, decided from its column where nobody says.

use super::inputs::Inputs;
use super::table::Table;
use super::target::ColumnFacts;
use crate::error::{Error, Result};

/// What to learn from a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskChoice {
    /// Classes where the target is text or has two values, numbers otherwise; a density where there is no target.
    #[default]
    Auto,
    /// The targets are numbers.
    Regression,
    /// The target, which is the only one, names classes.
    Classification,
    /// There is no target: the density of the rows is wanted.
    Density,
}

impl TaskChoice {
    /// Whether the target of a table, which has these facts, holds classes; and why, where that was decided here.
    pub(super) fn takes_classes(
        self,
        table: &Table,
        inputs: &Inputs,
        facts: &ColumnFacts,
    ) -> Result<(bool, Option<String>)> {
        let two_values = !facts.text && facts.distinct == 2;
        match self {
            TaskChoice::Regression | TaskChoice::Density => Ok((false, None)),
            TaskChoice::Classification => Ok((true, None)),
            TaskChoice::Auto if inputs.embedding().is_some() || !(facts.text || two_values) => {
                Ok((false, None))
            }
            TaskChoice::Auto => {
                refuse_free_text(table, inputs, facts)?;
                let why = if facts.text {
                    "the target is text"
                } else {
                    "the target has two values; the task `regression` takes them as numbers"
                };
                Ok((true, Some(why.to_owned())))
            }
        }
    }
}

/// Among several targets a text is a slip or a class.
pub(super) fn refuse_text(table: &Table, target: &str) -> Result<()> {
    if !table.column(table.find(target)?).is_text() {
        return Ok(());
    }
    match table.numbers(target) {
        Err(Error::Data { source_name, place, column, reason }) => {
            let reason =
                format!("{reason}; several targets are learnt as numbers, classes one target at a time");
            Err(Error::Data { source_name, place, column, reason })
        }
        other => other.map(drop),
    }
}

/// A text among many different values is more likely a slip than one of that many classes.
fn refuse_free_text(table: &Table, inputs: &Inputs, facts: &ColumnFacts) -> Result<()> {
    const FEW: usize = 20;
    if facts.distinct <= FEW || 2 * facts.distinct <= table.rows() {
        return Ok(());
    }
    let index = table.find(inputs.target().unwrap_or_default())?;
    let label = |row: usize| table.column(index).label(row).unwrap_or_default();
    let first = (0..table.rows()).find(|&row| label(row).parse::<f64>().is_err()).unwrap_or(0);
    let reason = format!(
        "found the text {:?} among {} different values; if the target should be numbers, mend it, and if it \
         really is that many classes, ask for the task `classification`",
        label(first),
        facts.distinct
    );
    Err(table.error_at(first, index, reason))
}
