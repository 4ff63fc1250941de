//! What is asked of the target: numbers, classes or nothing, decided from its column where nobody says.

use super::inputs::{Inputs, LevelSet};
use super::table::Table;
use super::target::{Classes, ColumnFacts};
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

/// The classes of the target, if it has any, found batch by batch.
pub(super) struct TargetClasses {
    target: String,
    labels: LevelSet,
    kind: Kind,
}

/// What the target holds, and why where that is decided here.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    /// Classes if there are two values in the end.
    TwoValues,
    Classes(Option<&'static str>),
}

impl TargetClasses {
    /// What the first batch shows: the kind of its column is that of all.
    pub fn new(first: &Table, inputs: &Inputs, task: TaskChoice) -> Result<Self> {
        let kind = match inputs.targets() {
            [] => Kind::Numbers,
            [target] => kind_of(first, &target.name, inputs, task)?,
            targets => {
                if task == TaskChoice::Classification {
                    let expected = "one column when it names classes";
                    return Err(Error::parameter("targets", targets.len(), expected));
                }
                targets.iter().try_for_each(|target| refuse_text(first, &target.name))?;
                Kind::Numbers
            }
        };
        let most = if kind == Kind::TwoValues { 2 } else { Classes::MOST };
        let target = inputs.target().unwrap_or_default().to_owned();
        Ok(Self { target, labels: LevelSet::new(most), kind })
    }

    /// Takes in a batch.
    pub fn add(&mut self, batch: &Table) -> Result<()> {
        match self.kind {
            Kind::Numbers => Ok(()),
            Kind::Classes(_) => self.labels.add(batch, batch.find(&self.target)?),
            Kind::TwoValues => {
                if !self.labels.collect(batch.column(batch.find(&self.target)?)) {
                    self.kind = Kind::Numbers;
                }
                Ok(())
            }
        }
    }

    /// The labels, none where the target holds numbers; and why, where that was decided here.
    pub fn finish(self) -> (Vec<String>, Option<String>) {
        match self.kind {
            Kind::Classes(why) => (self.labels.into_levels(), why.map(str::to_owned)),
            Kind::TwoValues if self.labels.len() == 2 => {
                let why = "the target has two values; the task `regression` takes them as numbers";
                (self.labels.into_levels(), Some(why.to_owned()))
            }
            Kind::Numbers | Kind::TwoValues => (Vec::new(), None),
        }
    }
}

/// What the only target holds.
fn kind_of(first: &Table, target: &str, inputs: &Inputs, task: TaskChoice) -> Result<Kind> {
    let index = first.find(target)?;
    match task {
        TaskChoice::Regression | TaskChoice::Density => Ok(Kind::Numbers),
        TaskChoice::Classification => Ok(Kind::Classes(None)),
        TaskChoice::Auto if inputs.embedding().is_some() => Ok(Kind::Numbers),
        TaskChoice::Auto if first.column(index).is_text() => {
            refuse_free_text(first, index)?;
            Ok(Kind::Classes(Some("the target is text")))
        }
        TaskChoice::Auto => Ok(Kind::TwoValues),
    }
}

/// Among several targets a text is a slip or a class.
fn refuse_text(table: &Table, target: &str) -> Result<()> {
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
fn refuse_free_text(table: &Table, index: usize) -> Result<()> {
    let distinct = ColumnFacts::of(table, &table.names()[index])?.distinct;
    if distinct <= ColumnFacts::MOST_CLASSES || 2 * distinct <= table.rows() {
        return Ok(());
    }
    let label = |row: usize| table.column(index).label(row).unwrap_or_default();
    let first = (0..table.rows()).find(|&row| label(row).parse::<f64>().is_err()).unwrap_or(0);
    let reason = format!(
        "found the text {:?} among {distinct} different values; if the target should be numbers, mend it, and if it \
         really is that many classes, ask for the task `classification`",
        label(first)
    );
    Err(table.error_at(first, index, reason))
}
