//! [`Inputs`]: which columns a model takes in, and how they become numbers.

mod encode;
mod levels;
mod missing;
mod schema;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub(super) use levels::{LevelSet, find_level};
pub use missing::{Missing, Replacement, Substitute};
pub(super) use schema::Schema;
use serde::{Deserialize, Serialize};
use stored::Stored;

use super::embed::{Embedder, Embedding};
use super::table::{ColumnIndex, Table, unknown_column};
use crate::error::{Error, Result, shortened};

/// What to take from a training table.
#[derive(Clone, Debug)]
pub struct InputOptions {
    /// The columns to be predicted, which are no inputs. None for a density.
    pub targets: Vec<String>,
    /// The input columns; empty for all but the targets.
    pub features: Vec<String>,
    /// Columns to be left out.
    pub exclude: Vec<String>,
    /// Columns of numbers that are names of categories.
    pub categorical: Vec<String>,
    /// Time embedding.
    pub embedding: Option<Embedding>,
    /// Most categories of one column; more are taken for an oversight.
    pub max_levels: usize,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            targets: Vec::new(),
            features: Vec::new(),
            exclude: Vec::new(),
            categorical: Vec::new(),
            embedding: None,
            max_levels: 100,
        }
    }
}

/// One input column as the model remembers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputColumn {
    /// Its name.
    pub name: String,
    /// Its place in the training table, from 0.
    pub position: usize,
    /// The categories, one indicator feature each; none for a column of numbers.
    pub levels: Option<Vec<String>>,
    /// What stands in for a missing value; none where that is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Substitute>,
}

impl InputColumn {
    /// Number of features it becomes.
    pub(crate) fn width(&self) -> usize {
        self.levels.as_ref().map_or(1, Vec::len) + usize::from(self.is_flagged())
    }
}

/// What a model remembers of its training table, so that it can be fed raw tables.
///
/// Columns are matched by name where both tables have names: further columns are ignored, a missing
/// one is an error. Without names the number of columns must be that of the training table, or of its
/// inputs alone.
///
/// ```
/// use groat::data::{Column, InputOptions, Inputs, Table};
/// let table = Table::new(["x", "colour", "y"], vec![
///     Column::Numeric(vec![1.0, 2.0]),
///     Column::text(["red", "blue"]),
///     Column::Numeric(vec![0.1, 0.2]),
/// ])?;
/// let inputs = Inputs::fit(&table, &InputOptions { targets: vec!["y".into()], ..Default::default() })?;
/// assert_eq!(inputs.feature_names(), ["x", "colour=blue", "colour=red"]);
/// assert_eq!(inputs.matrix(&table)?.row(0), [1.0, 0.0, 1.0]);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Inputs {
    columns: Vec<InputColumn>,
    targets: Vec<InputColumn>,
    named: bool,
    table_width: usize,
    embedding: Option<Embedding>,
}

impl Inputs {
    /// Chooses the columns of a training table and collects the levels of its categories.
    pub fn fit(table: &Table, options: &InputOptions) -> Result<Self> {
        Schema::new(table, options)?.inputs(options)
    }

    /// The same inputs with the targets of others besides.
    pub(crate) fn with_targets_of(&self, others: &[&Inputs]) -> Inputs {
        let mut joint = self.clone();
        joint.targets.extend(others.iter().flat_map(|other| other.targets.iter().cloned()));
        joint
    }

    /// Chooses among columns of numbers before any row is known, as for a stream.
    pub fn choose(source: &str, names: &[String], named: bool, options: &InputOptions) -> Result<Self> {
        let fail = |reason: String| Error::Source { source_name: source.to_owned(), reason };
        let places = ColumnIndex::new(names, named);
        let find = |name: &String| places.position(name).ok_or_else(|| fail(unknown_column(name, names)));
        let column = |position: usize| {
            let name = names[position].clone();
            InputColumn { name, position, levels: None, missing: None }
        };
        let excluded = options.exclude.iter().map(find).collect::<Result<HashSet<_>>>()?;
        let (mut targets, mut is_target) = (Vec::new(), HashSet::new());
        for target in &options.targets {
            let target = find(target)?;
            if !is_target.insert(target) {
                return Err(fail(format!("the target {:?} is named twice", names[target])));
            }
            if excluded.contains(&target) {
                return Err(fail(format!("{:?} cannot be both left out and the target", names[target])));
            }
            targets.push(column(target));
        }
        options.categorical.iter().try_for_each(|name| find(name).map(drop))?;
        let chosen = match &options.features[..] {
            [] => (0..names.len()).filter(|at| !is_target.contains(at)).collect(),
            features => features.iter().map(find).collect::<Result<Vec<_>>>()?,
        };
        if let Some(both) = chosen.iter().find(|at| is_target.contains(at)) {
            return Err(fail(format!("{:?} cannot be both a feature and the target", names[*both])));
        }
        let columns = chosen.into_iter().filter(|at| !excluded.contains(at)).map(column).collect();
        let inputs = Self { columns, targets, named, table_width: names.len(), embedding: options.embedding };
        if inputs.features() == 0 {
            return Err(fail("there is no input column besides the target".into()));
        }
        inputs.check_embedding()?;
        Ok(inputs)
    }

    /// Whether these inputs can be found in an open table, where a column that is absent means zeros: otherwise all would
    /// be absent, and every row the same.
    fn check_open(&self, names: &[String]) -> std::result::Result<(), String> {
        if let Some(column) = self.columns.iter().find(|column| !is_index(&column.name)) {
            return Err(format!(
                "svmlight data know their columns by index (x1, x2, ...), and the model was made from columns with names \
                 ({}, ...): write the data as CSV with these names",
                shortened(&column.name)
            ));
        }
        let zero = |name: &str| name == "x0";
        if names.iter().any(|name| zero(name)) && !self.columns.iter().any(|column| zero(&column.name)) {
            return Err(
                "the indices begin at 0, those of the model at 1: add 1 to every index of the data, or fit \
                        the model anew from such data"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn check_embedding(&self) -> Result<()> {
        let Some(embedding) = self.embedding else { return Ok(()) };
        if self.targets.len() != 1 {
            let count = self.targets.len();
            return Err(Error::parameter("targets", count, "one column when a series is embedded"));
        }
        if let Some(column) = self.columns.iter().find(|column| column.levels.is_some()) {
            return Err(Error::parameter("embed", &column.name, "only columns of numbers can be lagged"));
        }
        Embedder::new(embedding, self.columns.len()).map(drop)
    }

    /// The input columns in order.
    pub fn columns(&self) -> &[InputColumn] {
        &self.columns
    }

    /// The columns to be predicted, in order.
    pub fn targets(&self) -> &[InputColumn] {
        &self.targets
    }

    /// Name of the first target, which is the only one of a series and of a stream.
    pub(crate) fn target(&self) -> Option<&str> {
        self.targets.first().map(|target| target.name.as_str())
    }

    /// The time embedding.
    pub fn embedding(&self) -> Option<Embedding> {
        self.embedding
    }

    /// Number of features, after one-hot coding and embedding.
    pub fn features(&self) -> usize {
        match self.embedding {
            Some(e) => e.lags.saturating_mul(self.columns.len() + usize::from(e.feedback)),
            None => self.columns.iter().map(InputColumn::width).sum(),
        }
    }

    /// Names of the features: `x`, `colour=red`, `x missing`, `y[t-1]`.
    pub fn feature_names(&self) -> Vec<String> {
        if let Some(embedding) = self.embedding {
            let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
            return embedding.names(&names, self.target());
        }
        let names = |column: &InputColumn| {
            let mut names = match &column.levels {
                None => vec![column.name.clone()],
                Some(levels) => levels.iter().map(|level| format!("{}={level}", column.name)).collect(),
            };
            names.extend(column.is_flagged().then(|| format!("{} missing", column.name)));
            names
        };
        self.columns.iter().flat_map(names).collect()
    }

    /// Rows at the start of a table that have no sample, because they only fill the past.
    pub fn lost_rows(&self) -> usize {
        self.embedding.map_or(0, |embedding| embedding.lost_rows())
    }

    /// Where the columns stand in a table with these names.
    pub(super) fn locate(&self, source: &str, names: &[String], named: bool, open: bool) -> Result<Places> {
        let fail = |reason: String| Error::Source { source_name: source.to_owned(), reason };
        if open {
            self.check_open(names).map_err(fail)?;
        }
        // The columns of an open table are those that occur: their number says nothing.
        if open || self.named && named {
            let index = ColumnIndex::new(names, named);
            let find = |column: &InputColumn| index.position(&column.name);
            let columns: Vec<Option<usize>> = self.columns.iter().map(find).collect();
            if let (false, Some(at)) = (open, columns.iter().position(Option::is_none)) {
                return Err(fail(unknown_column(&self.columns[at].name, names)));
            }
            return Ok(Places { columns, targets: self.targets.iter().map(find).collect() });
        }
        if names.len() == self.table_width {
            let place = |column: &InputColumn| Some(column.position);
            let columns = self.columns.iter().map(place).collect();
            Ok(Places { columns, targets: self.targets.iter().map(place).collect() })
        } else if names.len() == self.columns.len() {
            let targets = vec![None; self.targets.len()];
            Ok(Places { columns: (0..names.len()).map(Some).collect(), targets })
        } else {
            Err(fail(format!(
                "there are {} columns without names, but the model was made from {} ({} of them inputs)",
                names.len(),
                self.table_width,
                self.columns.len()
            )))
        }
    }
}

/// Whether a column is called by an index, as those of svmlight files are.
fn is_index(name: &str) -> bool {
    index_of(name).is_some()
}

/// The index that a column is called by.
pub(crate) fn index_of(name: &str) -> Option<usize> {
    let index = name.strip_prefix('x').filter(|index| index.bytes().all(|b| b.is_ascii_digit()))?;
    index.parse().ok()
}

/// Indices of the input columns (none: all zeros) and of the targets (none: not there).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Places {
    pub columns: Vec<Option<usize>>,
    targets: Vec<Option<usize>>,
}

impl Places {
    /// Index of the first target, which is the only one of a series and of a stream.
    pub(super) fn target(&self) -> Option<usize> {
        self.targets.first().copied().flatten()
    }
}
