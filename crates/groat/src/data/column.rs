//! The columns of a [`Table`](super::Table): numbers, mostly-zero numbers, categories, or what is none of these.

use std::borrow::Cow;
use std::collections::HashMap;

use super::cell::{Cell, number_label};

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers; a missing one is NaN.
    Numeric(Vec<f64>),
    /// Numbers of which few differ from 0, as svmlight files hold them.
    Sparse(Sparse),
    /// Texts, each distinct one stored once.
    Text(Categories),
    /// Values that are neither numbers nor text, such as lists. Only their type is kept: the column is there to be
    /// left out, and whoever asks for it gets an error.
    Other {
        /// Name of the type.
        kind: String,
        /// Number of rows.
        len: usize,
    },
}

/// A column of numbers that stores only those that were given; the others are 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    len: usize,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Sparse {
    /// A column of `len` zeros.
    pub fn zeros(len: usize) -> Self {
        Self { len, rows: Vec::new(), values: Vec::new() }
    }

    #[cfg(feature = "files")]
    /// Empty, with room for `given` numbers.
    pub(crate) fn with_capacity(given: usize) -> Self {
        Self { len: 0, rows: Vec::with_capacity(given), values: Vec::with_capacity(given) }
    }

    /// Sets row `row`, which must lie after every row set before; the column ends there.
    pub(crate) fn push_at(&mut self, row: usize, value: f64) {
        debug_assert!(row >= self.len);
        self.rows.push(row);
        self.values.push(value);
        self.len = row + 1;
    }

    /// The rows that were given, ascending, with their numbers.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (usize, f64)> {
        self.rows.iter().copied().zip(self.values.iter().copied())
    }

    /// Lengthens the column with zeros to `len` rows.
    pub(crate) fn pad_to(&mut self, len: usize) {
        self.len = self.len.max(len);
    }

    fn number(&self, row: usize) -> f64 {
        self.rows.binary_search(&row).map_or(0.0, |at| self.values[at])
    }

    fn append(&mut self, other: &Sparse) {
        self.rows.extend(other.rows.iter().map(|row| row + self.len));
        self.values.extend_from_slice(&other.values);
        self.len += other.len;
    }
}

/// A column of texts: the distinct ones in order of appearance, and a code for each row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Categories {
    levels: Vec<String>,
    codes: Vec<u32>,
    index: HashMap<String, u32>,
}

impl Categories {
    /// The code of a missing value.
    const MISSING: u32 = u32::MAX;

    /// The distinct texts, in order of appearance.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The text of row `row`; nothing when it is missing.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.code(row).map(|code| self.levels[code].as_str())
    }

    /// The index into [`levels`](Self::levels) of row `row`; nothing when it is missing.
    pub fn code(&self, row: usize) -> Option<usize> {
        let code = self.codes[row];
        (code != Self::MISSING).then_some(code as usize)
    }

    /// Appends a row.
    pub fn push(&mut self, text: Option<&str>) {
        let code = match text {
            None => Self::MISSING,
            Some(text) => match self.index.get(text) {
                Some(&code) => code,
                None => {
                    // Distinct levels are distinct texts in memory, so their number stays below 2^32.
                    let code = self.levels.len() as u32;
                    self.levels.push(text.to_owned());
                    self.index.insert(text.to_owned(), code);
                    code
                }
            },
        };
        self.codes.push(code);
    }

    fn append(&mut self, other: &Categories) {
        for row in 0..other.codes.len() {
            self.push(other.get(row));
        }
    }
}

impl<S: AsRef<str>> FromIterator<Option<S>> for Categories {
    fn from_iter<I: IntoIterator<Item = Option<S>>>(rows: I) -> Self {
        let mut categories = Self::default();
        for row in rows {
            categories.push(row.as_ref().map(AsRef::as_ref));
        }
        categories
    }
}

impl Column {
    /// A column of texts without missing values.
    pub fn text<S: AsRef<str>>(rows: impl IntoIterator<Item = S>) -> Self {
        Column::Text(rows.into_iter().map(Some).collect())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Numeric(numbers) => numbers.len(),
            Column::Sparse(sparse) => sparse.len,
            Column::Text(categories) => categories.codes.len(),
            Column::Other { len, .. } => *len,
        }
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when the column holds texts.
    pub fn is_text(&self) -> bool {
        matches!(self, Column::Text(_))
    }

    /// What the column holds, in a word.
    pub(crate) fn holds(&self) -> &str {
        match self {
            Column::Numeric(_) | Column::Sparse(_) => "numbers",
            Column::Text(_) => "text",
            Column::Other { kind, .. } => kind,
        }
    }

    /// The numbers of all rows, NaN where missing; nothing when the column holds something else.
    pub fn numbers(&self) -> Option<Cow<'_, [f64]>> {
        match self {
            Column::Numeric(numbers) => Some(Cow::Borrowed(numbers)),
            Column::Sparse(sparse) => {
                let mut numbers = vec![0.0; sparse.len];
                sparse.entries().for_each(|(row, value)| numbers[row] = value);
                Some(Cow::Owned(numbers))
            }
            Column::Text(_) | Column::Other { .. } => None,
        }
    }

    /// The number of one row (NaN when missing); nothing when the column holds something else.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Column::Numeric(numbers) => Some(numbers[row]),
            Column::Sparse(sparse) => Some(sparse.number(row)),
            Column::Text(_) | Column::Other { .. } => None,
        }
    }

    /// The value of one row as a category: the text, or the number in its one spelling.
    pub fn label(&self, row: usize) -> Option<Cow<'_, str>> {
        match self {
            Column::Text(categories) => categories.get(row).map(Cow::Borrowed),
            _ => self.number(row).filter(|v| !v.is_nan()).map(|v| Cow::Owned(number_label(v))),
        }
    }

    /// The value of one row.
    pub fn cell(&self, row: usize) -> Cell {
        match self {
            Column::Text(categories) => {
                categories.get(row).map_or(Cell::Missing, |text| Cell::Text(text.to_owned()))
            }
            _ => self.number(row).filter(|v| !v.is_nan()).map_or(Cell::Missing, Cell::Number),
        }
    }

    /// A copy of the given rows, in that order.
    pub fn select(&self, rows: &[usize]) -> Column {
        match self {
            Column::Numeric(numbers) => Column::Numeric(rows.iter().map(|&row| numbers[row]).collect()),
            Column::Sparse(sparse) => {
                let mut selected = Sparse::default();
                for (at, &row) in rows.iter().enumerate() {
                    if let Ok(found) = sparse.rows.binary_search(&row) {
                        selected.push_at(at, sparse.values[found]);
                    }
                }
                selected.pad_to(rows.len());
                Column::Sparse(selected)
            }
            Column::Text(categories) => Column::Text(rows.iter().map(|&row| categories.get(row)).collect()),
            Column::Other { kind, .. } => Column::Other { kind: kind.clone(), len: rows.len() },
        }
    }

    /// Appends the rows of a column of the same kind; false, with nothing changed, if the kinds differ.
    pub(crate) fn append(&mut self, other: &Column) -> bool {
        match (self, other) {
            (Column::Numeric(a), Column::Numeric(b)) => a.extend_from_slice(b),
            (Column::Sparse(a), Column::Sparse(b)) => a.append(b),
            (Column::Text(a), Column::Text(b)) => a.append(b),
            (Column::Other { kind, len }, Column::Other { kind: same, len: more }) if kind == same => {
                *len += more;
            }
            _ => return false,
        }
        true
    }

    #[cfg(feature = "files")]
    /// Appends one value, turning a column of numbers into one of texts if `may_turn` allows it.
    /// False, with nothing changed, when a text meets a column that must stay numeric, or the column holds neither.
    pub(crate) fn push_cell(&mut self, cell: &Cell, may_turn: bool) -> bool {
        if let (Column::Numeric(numbers), Cell::Text(_)) = (&*self, cell) {
            if !may_turn {
                return false;
            }
            let labels = numbers.iter().map(|&v| (!v.is_nan()).then(|| number_label(v)));
            *self = Column::Text(labels.collect());
        }
        match (self, cell) {
            (Column::Other { .. }, _) => return false,
            (Column::Numeric(numbers), _) => numbers.push(cell.number().unwrap_or(f64::NAN)),
            (Column::Sparse(sparse), _) => sparse.push_at(sparse.len, cell.number().unwrap_or(f64::NAN)),
            (Column::Text(categories), Cell::Missing) => categories.push(None),
            (Column::Text(categories), Cell::Text(text)) => categories.push(Some(text)),
            (Column::Text(categories), Cell::Number(number)) => {
                categories.push(Some(&number_label(*number)));
            }
        }
        true
    }

    #[cfg(feature = "files")]
    /// An empty column of the same kind.
    pub(crate) fn empty_like(&self) -> Column {
        match self {
            Column::Numeric(_) => Column::Numeric(Vec::new()),
            Column::Sparse(_) => Column::Sparse(Sparse::default()),
            Column::Text(_) => Column::Text(Categories::default()),
            Column::Other { kind, .. } => Column::Other { kind: kind.clone(), len: 0 },
        }
    }
}

/// Orders labels: numbers by value before texts by spelling.
pub(crate) fn sort_labels(labels: &mut [String]) {
    labels.sort_by(|a, b| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => x.total_cmp(&y),
        (Ok(_), Err(_)) => std::cmp::Ordering::Less,
        (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_turns_a_numeric_column_only_when_allowed() {
        let mut column = Column::Numeric(vec![1.0, f64::NAN]);
        assert!(!column.push_cell(&Cell::Text("A".into()), false));
        assert!(column.push_cell(&Cell::Text("A".into()), true));
        let labels: Vec<_> = (0..3).map(|row| column.label(row).map(Cow::into_owned)).collect();
        assert_eq!(labels, [Some("1".to_owned()), None, Some("A".to_owned())]);
    }

    #[test]
    fn sparse_columns_are_zero_where_nothing_was_given() {
        let mut sparse = Sparse::zeros(2);
        sparse.push_at(3, 7.0);
        sparse.pad_to(5);
        let mut column = Column::Sparse(sparse);
        assert_eq!(column.numbers().unwrap().as_ref(), [0.0, 0.0, 0.0, 7.0, 0.0]);
        assert!(column.append(&column.clone()));
        assert_eq!(column.number(8), Some(7.0));
        assert_eq!(column.select(&[8, 0, 3]).numbers().unwrap().as_ref(), [7.0, 0.0, 7.0]);
    }

    #[test]
    fn labels_sort_numbers_by_value() {
        let mut labels: Vec<String> = ["b", "10", "9", "-1", "a"].map(str::to_owned).to_vec();
        sort_labels(&mut labels);
        assert_eq!(labels, ["-1", "9", "10", "a", "b"]);
    }
}
