//! [`Inputs`]: which columns a model takes in, and how they become numbers.

mod stored;

use serde::{Deserialize, Serialize};
use stored::Stored;

use super::column::{Column, sort_labels};
use super::embed::{Embedder, Embedding};
use super::table::{Table, not_finite, position, unknown_column};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

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
pub struct InputColumn {
    /// Its name.
    pub name: String,
    /// Its place in the training table, from 0.
    pub position: usize,
    /// The categories, one indicator feature each; none for a column of numbers.
    pub levels: Option<Vec<String>>,
}

impl InputColumn {
    /// Number of features it becomes.
    pub(super) fn width(&self) -> usize {
        self.levels.as_ref().map_or(1, Vec::len)
    }
}

/// The index of a level, or what is wrong with it.
pub(super) fn find_level(levels: &[String], label: &str) -> std::result::Result<usize, String> {
    levels.iter().position(|level| level == label).ok_or_else(|| {
        format!("found {label:?}, which training did not have; the known levels are {}", levels.join(", "))
    })
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
/// assert_eq!(inputs.apply(&table)?.row(0), [1.0, 0.0, 1.0]);
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
        let mut inputs = Self::choose(table.source(), table.names(), table.is_named(), options)?;
        for input in &mut inputs.columns {
            table.check_usable(input.position)?;
            let column = table.column(input.position);
            if column.is_text() || options.categorical.contains(&input.name) {
                let levels = levels_of(table, input.position, options.max_levels)?;
                if !options.categorical.contains(&input.name) {
                    refuse_slips(table, input.position, &levels)?;
                }
                input.levels = Some(levels);
            }
        }
        inputs.check_embedding()?;
        Ok(inputs)
    }

    /// Chooses among columns of numbers before any row is known, as for a stream.
    pub fn choose(source: &str, names: &[String], named: bool, options: &InputOptions) -> Result<Self> {
        let fail = |reason: String| Error::Source { source_name: source.to_owned(), reason };
        let find = |name: &String| {
            let position = position(names, named, name).ok_or_else(|| fail(unknown_column(name, names)))?;
            Ok::<InputColumn, Error>(InputColumn { name: names[position].clone(), position, levels: None })
        };
        let targets = options.targets.iter().map(find).collect::<Result<Vec<_>>>()?;
        let excluded = options.exclude.iter().map(find).collect::<Result<Vec<_>>>()?;
        if let Some((_, twice)) =
            targets.iter().enumerate().find(|(k, target)| targets[..*k].contains(target))
        {
            return Err(fail(format!("the target {:?} is named twice", twice.name)));
        }
        if let Some(target) = targets.iter().find(|target| excluded.contains(target)) {
            return Err(fail(format!("{:?} cannot be both left out and the target", target.name)));
        }
        options.categorical.iter().try_for_each(|name| find(name).map(drop))?;
        let chosen = if options.features.is_empty() { names } else { &options.features };
        let mut columns = Vec::new();
        for name in chosen {
            let column = find(name)?;
            let is_target = targets.contains(&column);
            if is_target && !options.features.is_empty() {
                return Err(fail(format!("{name:?} cannot be both a feature and the target")));
            }
            if !is_target && !excluded.contains(&column) {
                columns.push(column);
            }
        }
        let inputs = Self { columns, targets, named, table_width: names.len(), embedding: options.embedding };
        if inputs.features() == 0 {
            return Err(fail("there is no input column besides the target".into()));
        }
        inputs.check_embedding()?;
        Ok(inputs)
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
    pub(super) fn target(&self) -> Option<&str> {
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

    /// Names of the features: `x`, `colour=red`, `y[t-1]`.
    pub fn feature_names(&self) -> Vec<String> {
        if let Some(embedding) = self.embedding {
            let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
            return embedding.names(&names, self.target());
        }
        let names = |column: &InputColumn| match &column.levels {
            None => vec![column.name.clone()],
            Some(levels) => levels.iter().map(|level| format!("{}={level}", column.name)).collect(),
        };
        self.columns.iter().flat_map(names).collect()
    }

    /// Rows at the start of a table that have no sample, because they only fill the past.
    pub fn lost_rows(&self) -> usize {
        self.embedding.map_or(0, |embedding| embedding.lost_rows())
    }

    /// The samples of a table, from row [`lost_rows`](Self::lost_rows) on, not yet standardised.
    pub fn apply(&self, table: &Table) -> Result<Matrix> {
        let places = self.places(table)?;
        match self.embedding {
            None => self.encode(table, &places.columns),
            Some(embedding) => self.embed(table, &places, embedding),
        }
    }

    /// Fails when the table lacks an input column, or holds neither numbers nor text in one of them or a target.
    pub fn check(&self, table: &Table) -> Result<()> {
        self.places(table)?.targets.iter().flatten().try_for_each(|&index| table.check_usable(index))
    }

    /// Where the columns stand in a table; the inputs can be used.
    fn places(&self, table: &Table) -> Result<Places> {
        let places = self.locate(table.source(), table.names(), table.is_named(), table.is_open())?;
        places.columns.iter().flatten().try_for_each(|&index| table.check_usable(index))?;
        Ok(places)
    }

    /// Where the columns stand in a table with these names.
    pub(super) fn locate(&self, source: &str, names: &[String], named: bool, open: bool) -> Result<Places> {
        let fail = |reason: String| Error::Source { source_name: source.to_owned(), reason };
        if self.named && named {
            let find = |column: &InputColumn| names.iter().position(|name| *name == column.name);
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

    fn encode(&self, table: &Table, places: &[Option<usize>]) -> Result<Matrix> {
        let mut x = Matrix::zeros(table.rows(), self.features());
        let mut first = 0;
        for (input, place) in self.columns.iter().zip(places) {
            if let Some(index) = *place {
                match &input.levels {
                    None => fill_numbers(&mut x, first, table, index)?,
                    Some(levels) => fill_levels(&mut x, first, table, index, levels)?,
                }
            } else if let Some(levels) = &input.levels {
                // An absent column of an open table is all zeros, which must be a level.
                let level = find_level(levels, "0").map_err(|reason| table.error(reason))?;
                (0..x.rows()).for_each(|row| x[(row, first + level)] = 1.0);
            }
            first += input.width();
        }
        Ok(x)
    }

    fn embed(&self, table: &Table, places: &Places, embedding: Embedding) -> Result<Matrix> {
        let lost = embedding.lost_rows();
        if table.rows() <= lost {
            let what = "the time embedding";
            return Err(Error::TooFew { what, unit: "rows", needed: lost + 1, found: table.rows() });
        }
        let present = self.encode_inputs(table, &places.columns)?;
        let output = match (embedding.feedback, places.target()) {
            (false, _) => vec![0.0; table.rows()],
            (true, Some(index)) => table.numbers(&table.names()[index])?,
            (true, None) => {
                let target = self.target().unwrap_or_default();
                let reason = format!("{}; its past is an input", unknown_column(target, table.names()));
                return Err(table.error(reason));
            }
        };
        let mut embedder = Embedder::new(embedding, self.columns.len())?;
        let mut x = Matrix::zeros(table.rows() - lost, embedder.width());
        let mut spare = vec![0.0; embedder.width()];
        for row in 0..table.rows() {
            let out = if row < lost { &mut spare[..] } else { x.row_mut(row - lost) };
            embedder.push(present.row(row), output[row], out)?;
        }
        Ok(x)
    }

    /// The input columns at each row's own time; all are numbers here.
    fn encode_inputs(&self, table: &Table, places: &[Option<usize>]) -> Result<Matrix> {
        let mut present = Matrix::zeros(table.rows(), self.columns.len());
        for (at, place) in places.iter().enumerate() {
            if let Some(index) = *place {
                fill_numbers(&mut present, at, table, index)?;
            }
        }
        Ok(present)
    }
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

fn fill_numbers(x: &mut Matrix, feature: usize, table: &Table, index: usize) -> Result<()> {
    for (row, &value) in table.numbers_at(index)?.iter().enumerate() {
        table.check_number(row, index, value)?;
        x[(row, feature)] = value;
    }
    Ok(())
}

fn fill_levels(x: &mut Matrix, first: usize, table: &Table, index: usize, levels: &[String]) -> Result<()> {
    let column = table.column(index);
    for row in 0..table.rows() {
        let label = column.label(row).ok_or_else(|| table.error_at(row, index, not_finite(f64::NAN)))?;
        let level = find_level(levels, &label).map_err(|reason| table.error_at(row, index, reason))?;
        x[(row, first + level)] = 1.0;
    }
    Ok(())
}

/// More different numbers than this in a column make a text among them a slip rather than a category.
const NUMBERS: usize = 10;

/// Fails when a column of many different numbers holds a few texts: one of them would otherwise turn each number
/// into a category.
fn refuse_slips(table: &Table, index: usize, levels: &[String]) -> Result<()> {
    let (numbers, texts): (Vec<_>, Vec<_>) = levels.iter().partition(|level| level.parse::<f64>().is_ok());
    if numbers.len() <= NUMBERS || texts.is_empty() || texts.len() > numbers.len() / NUMBERS {
        return Ok(());
    }
    let is_text =
        |row: &usize| table.column(index).label(*row).is_some_and(|label| label == texts[0].as_str());
    let row = (0..table.rows()).find(is_text).unwrap_or(0);
    let reason = format!(
        "found {:?} among {} different numbers; mend this value, or ask for the column to be taken as categories",
        texts[0],
        numbers.len()
    );
    Err(table.error_at(row, index, reason))
}

/// The distinct labels of a column in order, at most `most` of them.
pub(super) fn levels_of(table: &Table, index: usize, most: usize) -> Result<Vec<String>> {
    let column: &Column = table.column(index);
    let mut seen = std::collections::HashSet::new();
    for row in 0..table.rows() {
        if let Some(label) = column.label(row)
            && !seen.contains(label.as_ref())
        {
            seen.insert(label.into_owned());
        }
        if seen.len() > most {
            let first =
                (0..=row).find(|&r| column.label(r).is_some_and(|l| l.parse::<f64>().is_err())).unwrap_or(0);
            let text = column.label(first).unwrap_or_default();
            let reason = format!(
                "found {text:?} in a column of more than {most} different texts; if it should hold numbers, \
                 mend this value, else leave the column out"
            );
            return Err(table.error_at(first, index, reason));
        }
    }
    let mut levels: Vec<String> = seen.into_iter().collect();
    sort_labels(&mut levels);
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str], columns: Vec<Column>) -> Table {
        Table::new(names.iter().copied(), columns).unwrap()
    }

    fn training() -> Table {
        table(
            &["x", "colour", "y"],
            vec![
                Column::Numeric(vec![1.0, 2.0, 3.0]),
                Column::text(["red", "blue", "red"]),
                Column::Numeric(vec![0.1, 0.2, 0.3]),
            ],
        )
    }

    fn for_y() -> InputOptions {
        InputOptions { targets: vec!["y".into()], ..Default::default() }
    }

    #[test]
    fn further_columns_are_ignored_and_order_does_not_matter() {
        let inputs = Inputs::fit(&training(), &for_y()).unwrap();
        let later = table(
            &["new", "colour", "x"],
            vec![Column::Numeric(vec![f64::NAN]), Column::text(["red"]), Column::Numeric(vec![9.0])],
        );
        assert_eq!(inputs.apply(&later).unwrap().row(0), [9.0, 0.0, 1.0]);
    }

    #[test]
    fn missing_columns_unseen_levels_and_missing_values_are_named() {
        let inputs = Inputs::fit(&training(), &for_y()).unwrap();
        let message = |t: &Table| inputs.apply(t).unwrap_err().to_string();
        let x = || Column::Numeric(vec![1.0, f64::NAN]);
        assert_eq!(
            message(&table(&["x"], vec![x()])),
            "the table: there is no column \"colour\"; the columns are x"
        );
        assert_eq!(
            message(&table(&["x", "colour"], vec![x(), Column::text(["red", "red"])])),
            "the table, row 2, column x: the value is missing; fill or remove such rows first"
        );
        assert_eq!(
            message(&table(&["x", "colour"], vec![Column::Numeric(vec![1.0]), Column::text(["green"])])),
            "the table, row 1, column colour: found \"green\", which training did not have; \
             the known levels are blue, red"
        );
        assert!(
            message(&table(&["x", "colour"], vec![Column::text(["u"]), Column::text(["red"])]))
                .contains("column x: expected a number, found \"u\"")
        );
    }

    #[test]
    fn bad_choices_are_errors() {
        let fail = |options: InputOptions| Inputs::fit(&training(), &options).unwrap_err().to_string();
        let listed = "the table: there is no column \"z\"; the columns are x, colour, y";
        assert_eq!(fail(InputOptions { targets: vec!["z".into()], ..Default::default() }), listed);
        assert_eq!(fail(InputOptions { features: vec!["z".into()], ..for_y() }), listed);
        assert_eq!(fail(InputOptions { exclude: vec!["z".into()], ..for_y() }), listed);
        assert!(
            fail(InputOptions { features: vec!["y".into()], ..for_y() })
                .contains("both a feature and the target")
        );
        assert!(
            fail(InputOptions { exclude: vec!["x".into(), "colour".into()], ..for_y() })
                .contains("no input column")
        );
        assert!(fail(InputOptions { max_levels: 1, ..for_y() }).contains("more than 1 different texts"));
        assert!(
            fail(InputOptions { embedding: Some(Embedding::new(1)), ..for_y() })
                .contains("only columns of numbers")
        );
    }

    #[test]
    fn numbers_can_be_categories_whatever_their_spelling() {
        let codes = table(&["k"], vec![Column::Numeric(vec![2.0, 10.0, 2.0])]);
        let options = InputOptions { categorical: vec!["k".into()], ..Default::default() };
        let inputs = Inputs::fit(&codes, &options).unwrap();
        assert_eq!(inputs.feature_names(), ["k=2", "k=10"]);
        assert_eq!(inputs.apply(&table(&["k"], vec![Column::text(["10"])])).unwrap().row(0), [0.0, 1.0]);
    }

    #[test]
    fn without_names_the_count_decides() {
        let numbers = |cols: usize| {
            let names: Vec<String> = (1..=cols).map(|j| format!("x{j}")).collect();
            let columns = (1..=cols).map(|j| Column::Numeric(vec![j as f64])).collect();
            Table::new(names, columns).unwrap().unnamed(true)
        };
        let options = InputOptions { targets: vec!["2".into()], ..Default::default() };
        let inputs = Inputs::fit(&numbers(3), &options).unwrap();
        assert_eq!(inputs.apply(&numbers(3)).unwrap().row(0), [1.0, 3.0]);
        assert_eq!(inputs.apply(&numbers(2)).unwrap().row(0), [1.0, 2.0]);
        assert!(inputs.apply(&numbers(4)).unwrap_err().to_string().contains("4 columns without names"));
        assert!(inputs.apply(&numbers(1)).is_err());
    }

    #[test]
    fn a_series_is_predicted_from_its_past() {
        let series = table(&["y"], vec![Column::Numeric(vec![1.0, 2.0, 3.0, 4.0])]);
        let inputs =
            Inputs::fit(&series, &InputOptions { embedding: Some(Embedding::new(2)), ..for_y() }).unwrap();
        assert_eq!(inputs.feature_names(), ["y[t-1]", "y[t-2]"]);
        let x = inputs.apply(&series).unwrap();
        assert_eq!((x.rows(), x.row(1)), (2, &[3.0, 2.0][..]));
        assert!(inputs.apply(&table(&["y"], vec![Column::Numeric(vec![1.0, 2.0])])).is_err());
        assert!(inputs.apply(&table(&["z"], vec![Column::Numeric(vec![1.0; 9])])).is_err());
    }

    #[test]
    fn several_targets_are_no_inputs() {
        let numbers = |k: f64| Column::Numeric(vec![k, 2.0 * k]);
        let names = ["a", "x", "b"];
        let data = table(&names, vec![numbers(1.0), numbers(2.0), numbers(3.0)]);
        let both =
            |first: &str| InputOptions { targets: vec![first.into(), "a".into()], ..Default::default() };
        let inputs = Inputs::fit(&data, &both("b")).unwrap();
        assert_eq!(inputs.apply(&data).unwrap().data(), [2.0, 4.0]);
        let targets: Vec<_> = inputs.targets().iter().map(|t| (t.name.as_str(), t.position)).collect();
        assert_eq!(targets, [("b", 2), ("a", 0)]);
        let fail = |options: InputOptions| Inputs::fit(&data, &options).unwrap_err().to_string();
        assert_eq!(fail(both("a")), "the table: the target \"a\" is named twice");
        assert!(
            fail(InputOptions { exclude: vec!["a".into()], ..both("b") }).contains("\"a\" cannot be both")
        );
        assert!(
            fail(InputOptions { features: vec!["a".into()], ..both("b") })
                .contains("a feature and the target")
        );
        let embedding = Some(Embedding::new(1));
        assert_eq!(
            fail(InputOptions { embedding, ..both("b") }),
            "targets = 2 is not allowed: one column when a series is embedded"
        );
    }
}
