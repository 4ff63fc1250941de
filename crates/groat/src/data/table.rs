//! [`Table`]: named columns of equal length, each row knowing where it came from.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::cell::Cell;
use super::column::{Column, Sparse};
use crate::error::{Error, Place, Result, check_len, quoted, shortened};
use crate::matrix::Matrix;

/// Where in the source each row came from, stored as runs of consecutive places.
#[derive(Clone, Debug, Default, PartialEq)]
struct Origins {
    /// First row of a run, and its place.
    runs: Vec<(usize, Place)>,
    rows: usize,
}

impl Origins {
    fn push(&mut self, place: Place) {
        let follows = self.rows > 0 && self.get(self.rows - 1).after(1) == place;
        if !follows {
            self.runs.push((self.rows, place));
        }
        self.rows += 1;
    }

    fn get(&self, row: usize) -> Place {
        match self.runs.partition_point(|&(first, _)| first <= row) {
            0 => Place::Row(row as u64 + 1),
            run => self.runs[run - 1].1.after((row - self.runs[run - 1].0) as u64),
        }
    }
}

/// Named columns of equal length.
///
/// ```
/// use groat::data::{Column, Table};
/// let table = Table::new(["x", "colour"], vec![
///     Column::Numeric(vec![1.0, 2.0]),
///     Column::text(["red", "blue"]),
/// ])?;
/// assert_eq!(table.rows(), 2);
/// assert_eq!(table.numbers("x")?, [1.0, 2.0]);
/// assert!(table.numbers("colour").is_err());
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    source: String,
    named: bool,
    open: bool,
    names: Vec<String>,
    columns: Vec<Column>,
    origins: Origins,
}

impl Table {
    /// A table from its columns; lengths must agree and names must differ.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>, columns: Vec<Column>) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        check_len("column names", columns.len(), names.len())?;
        let rows = columns.first().map_or(0, Column::len);
        for column in &columns {
            check_len("rows of a column", rows, column.len())?;
        }
        let source = "the table".to_owned();
        check_names(&source, &names)?;
        let origins = Origins { runs: Vec::new(), rows };
        Ok(Self { source, named: true, open: false, names, columns, origins })
    }

    #[cfg(feature = "files")]
    /// Says where the table came from and where in it each row stood.
    pub(crate) fn with_source(mut self, source: &str, places: impl IntoIterator<Item = Place>) -> Self {
        self.source = source.to_owned();
        self.origins = Origins::default();
        places.into_iter().for_each(|place| self.origins.push(place));
        debug_assert!(self.columns.is_empty() || self.origins.rows == self.columns[0].len());
        self
    }

    #[cfg(feature = "files")]
    /// Marks the names as made up (`x1`, `x2`, ...) because the source had none.
    pub(crate) fn unnamed(mut self, unnamed: bool) -> Self {
        self.named = !unnamed;
        self
    }

    #[cfg(feature = "files")]
    /// Marks the table as open: a column it does not have is all zeros.
    pub(crate) fn opened(mut self) -> Self {
        self.open = true;
        self
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.origins.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.columns.len()
    }

    /// Column names; `x1`, `x2`, ... when the source had none.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// True when the source named its columns.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// True when a column that is not there counts as zeros (svmlight).
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The file the table came from, or "standard input".
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Column `index`.
    pub fn column(&self, index: usize) -> &Column {
        &self.columns[index]
    }

    /// Where in the source row `row` stood.
    pub fn place(&self, row: usize) -> Place {
        self.origins.get(row)
    }

    /// The values of one row, as a text reader would hand them out.
    pub fn cells(&self, row: usize) -> Vec<Cell> {
        self.columns.iter().map(|column| column.cell(row)).collect()
    }

    /// The index of a column by its name. In a table without names its number from 1 does too.
    pub fn position(&self, name: &str) -> Option<usize> {
        let named = self.names.iter().position(|n| n == name);
        named.or_else(|| column_number(name, self.names.len(), self.named))
    }

    /// The index of a column of numbers or text by its name, or an error that lists the columns there are.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.usable(name, self.position(name))
    }

    /// The index that a name has, if it has one and the column holds numbers or text.
    fn usable(&self, name: &str, index: Option<usize>) -> Result<usize> {
        let index = index.ok_or_else(|| self.error(unknown_column(name, &self.names)))?;
        self.check_usable(index).map(|()| index)
    }

    /// Fails when a column that is asked for holds neither numbers nor text.
    pub(crate) fn check_usable(&self, index: usize) -> Result<()> {
        let Column::Other { kind, .. } = &self.columns[index] else { return Ok(()) };
        let name = &self.names[index];
        Err(self.error(format!(
            "column {name:?} holds values of type {kind}, not numbers, truth values or text; leave it out"
        )))
    }

    /// The numbers of a column, all of them finite, or an error that names place and column.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        self.finite_numbers(self.find(name)?).map(Cow::into_owned)
    }

    /// The numbers of some columns, all of them finite: one row per row of the table, a column per name.
    pub fn matrix<S: AsRef<str>>(&self, names: &[S]) -> Result<Matrix> {
        let places = ColumnIndex::new(&self.names, self.named);
        let mut numbers = Matrix::zeros(self.rows(), names.len());
        for (k, name) in names.iter().map(AsRef::as_ref).enumerate() {
            let index = self.usable(name, places.position(name))?;
            self.finite_numbers(index)?.iter().enumerate().for_each(|(row, v)| numbers[(row, k)] = *v);
        }
        Ok(numbers)
    }

    fn finite_numbers(&self, index: usize) -> Result<Cow<'_, [f64]>> {
        let numbers = self.numbers_at(index)?;
        for (row, &value) in numbers.iter().enumerate() {
            self.check_number(row, index, value)?;
        }
        Ok(numbers)
    }

    pub(crate) fn numbers_at(&self, index: usize) -> Result<Cow<'_, [f64]>> {
        self.columns[index].numbers().ok_or_else(|| {
            let first = (0..self.rows()).find_map(|row| {
                self.columns[index].label(row).filter(|text| text.parse::<f64>().is_err()).map(|t| (row, t))
            });
            let (row, text) = first.unwrap_or((0, "".into()));
            self.error_at(row, index, format!("expected a number, found {}", quoted(&text)))
        })
    }

    pub(crate) fn check_number(&self, row: usize, index: usize, value: f64) -> Result<()> {
        if value.is_finite() { Ok(()) } else { Err(self.error_at(row, index, not_finite(value))) }
    }

    /// An error about the table as a whole.
    pub(crate) fn error(&self, reason: impl Into<String>) -> Error {
        Error::Source { source_name: self.source.clone(), reason: reason.into() }
    }

    /// An error about one value.
    pub(crate) fn error_at(&self, row: usize, index: usize, reason: impl Into<String>) -> Error {
        Error::Data {
            source_name: self.source.clone(),
            place: self.place(row),
            column: self.names[index].clone(),
            reason: reason.into(),
        }
    }

    /// A copy of the given rows, in that order; they keep their places.
    pub fn select(&self, rows: &[usize]) -> Table {
        let mut origins = Origins::default();
        rows.iter().for_each(|&row| origins.push(self.place(row)));
        let columns = self.columns.iter().map(|column| column.select(rows)).collect();
        Table { columns, origins, source: self.source.clone(), names: self.names.clone(), ..*self }
    }

    /// Appends the rows of another table with the same columns. Open tables may differ in columns.
    pub fn append(&mut self, other: &Table) -> Result<()> {
        if self.open && other.open && self.names != other.names {
            let mut other = other.clone();
            other.add_zero_columns(&self.names);
            self.add_zero_columns(&other.names);
            return self.append_by_name(&other);
        }
        check_len("columns of a table to append", self.cols(), other.cols())?;
        if let Some((name, found)) = self.names.iter().zip(&other.names).find(|(a, b)| a != b) {
            return Err(other.error(format!("expected a column called {name:?}, found {found:?}")));
        }
        self.append_by_name(other)
    }

    fn append_by_name(&mut self, other: &Table) -> Result<()> {
        let places = ColumnIndex::new(&other.names, other.named);
        for (name, column) in self.names.iter().zip(&mut self.columns) {
            let from =
                places.position(name).ok_or_else(|| other.error(unknown_column(name, &other.names)))?;
            if !column.append(&other.columns[from]) {
                let (had, got) = (column.holds(), other.columns[from].holds());
                return Err(other.error(format!("column {name:?} held {had} before and holds {got} here")));
            }
        }
        (0..other.rows()).for_each(|row| self.origins.push(other.place(row)));
        Ok(())
    }

    fn add_zero_columns(&mut self, names: &[String]) {
        let known: HashSet<&String> = self.names.iter().collect();
        let new: Vec<String> = names.iter().filter(|name| !known.contains(name)).cloned().collect();
        let rows = self.rows();
        self.columns.extend(new.iter().map(|_| Column::Sparse(Sparse::zeros(rows))));
        self.names.extend(new);
    }

    #[cfg(feature = "files")]
    /// Brings the columns of an open table, to which others were appended, into their order.
    pub(crate) fn sort_open_columns(&mut self) {
        let mut pairs: Vec<_> = self.names.drain(..).zip(self.columns.drain(..)).collect();
        pairs.sort_by_cached_key(|(name, _)| open_column_order(name));
        (self.names, self.columns) = pairs.into_iter().unzip();
    }
}

/// The columns by name, for many look-ups among many columns.
pub(crate) struct ColumnIndex<'a> {
    places: HashMap<&'a str, usize>,
    count: usize,
    named: bool,
}

impl<'a> ColumnIndex<'a> {
    pub fn new(names: &'a [String], named: bool) -> Self {
        let mut places = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            places.entry(name.as_str()).or_insert(at);
        }
        Self { places, count: names.len(), named }
    }

    /// As [`Table::position`].
    pub fn position(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied().or_else(|| column_number(name, self.count, self.named))
    }
}

/// The index of a column that is given by its number from 1, which does where the names are made up.
fn column_number(text: &str, columns: usize, named: bool) -> Option<usize> {
    let number = text.parse::<usize>().ok()?;
    (!named && (1..=columns).contains(&number)).then(|| number - 1)
}

/// The place of a column among those of an open table: the label first, then by index.
pub(crate) fn open_column_order(name: &str) -> i64 {
    name.strip_prefix('x').and_then(|index| index.parse::<i64>().ok()).unwrap_or(-1)
}

/// Fails when a name stands twice.
pub(crate) fn check_names(source: &str, names: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(twice) => Err(Error::Source {
            source_name: source.to_owned(),
            reason: format!("two columns are called {twice:?}; rename one"),
        }),
    }
}

/// "There is no column ...", with the columns there are.
pub(crate) fn unknown_column(name: &str, names: &[String]) -> String {
    const SHOWN: usize = 30;
    let mut list = names.iter().take(SHOWN).map(|name| shortened(name)).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        list.push_str(&format!(", ... ({} in all)", names.len()));
    }
    format!("there is no column {}; the columns are {list}", quoted(name))
}

/// What to say of a value that is NaN or infinite.
pub(crate) fn not_finite(value: f64) -> String {
    if value.is_nan() {
        "the value is missing; fill or remove such rows first".to_owned()
    } else {
        format!("found {value}, expected a finite number")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Table {
        Table::new(["a", "b"], vec![Column::Numeric(vec![1.0, 2.0, f64::NAN]), Column::text(["u", "v", "u"])])
            .unwrap()
            .with_source("f.csv", [2, 3, 7].map(Place::Line))
    }

    #[test]
    fn rows_remember_their_places() {
        let table = small();
        assert_eq!([0, 1, 2].map(|row| table.place(row)), [2, 3, 7].map(Place::Line));
        assert_eq!(table.select(&[2, 0]).place(0), Place::Line(7));
        let mut twice = table.clone();
        twice.append(&table).unwrap();
        assert_eq!((twice.rows(), twice.place(5)), (6, Place::Line(7)));
        let in_memory = Table::new(["a"], vec![Column::Numeric(vec![1.0, 2.0])]).unwrap();
        assert_eq!(in_memory.place(1), Place::Row(2));
    }

    #[test]
    fn errors_name_the_place() {
        let table = small();
        assert_eq!(
            table.numbers("a").unwrap_err().to_string(),
            "f.csv, line 7, column a: the value is missing; fill or remove such rows first"
        );
        assert_eq!(
            table.numbers("b").unwrap_err().to_string(),
            "f.csv, line 2, column b: expected a number, found \"u\""
        );
        assert_eq!(
            table.find("z").unwrap_err().to_string(),
            "f.csv: there is no column \"z\"; the columns are a, b"
        );
    }

    #[test]
    fn bad_tables_are_refused() {
        let columns = || vec![Column::Numeric(vec![1.0]), Column::Numeric(vec![1.0])];
        assert!(Table::new(["a", "a"], columns()).is_err());
        assert!(Table::new(["a"], columns()).is_err());
        assert!(Table::new(["a", "b"], vec![Column::Numeric(vec![]), Column::Numeric(vec![1.0])]).is_err());
        let mut numbers = Table::new(["a"], vec![Column::Numeric(vec![1.0])]).unwrap();
        assert!(numbers.append(&Table::new(["a"], vec![Column::text(["x"])]).unwrap()).is_err());
        assert!(numbers.append(&Table::new(["b"], vec![Column::Numeric(vec![1.0])]).unwrap()).is_err());
    }

    #[test]
    fn a_table_without_names_takes_numbers() {
        let table = small().unnamed(true);
        assert_eq!(table.position("2"), Some(1));
        assert_eq!(table.position("3"), None);
        assert_eq!(small().position("2"), None);
    }
}
