//! svmlight / LIBSVM text: `label [qid:n] index:value ... [# comment]`.
//!
//! Columns are called after the index as the file spells it (`x1`, `x17`), so whether indices start
//! at 0 or 1 needs no guess. Only indices that occur become columns; an absent one means zeros, which
//! is why the resulting tables are open. The label is the column `y`, the first one.

use std::collections::HashMap;
use std::io::{BufReader, Read};

use super::ReadOptions;
use super::lines::Lines;
use super::source::Source;
use crate::data::column::{Column, Sparse};
use crate::data::table::Table;
use crate::error::{Error, Place, Result, quoted};

/// Name of the column that holds the label.
pub(super) const LABEL: &str = "y";

pub(super) struct SvmlightReader {
    lines: Lines<BufReader<Box<dyn Read + Send>>>,
    /// Rows of a batch.
    pub batch: usize,
    buffer: Vec<u8>,
}

impl SvmlightReader {
    pub fn open(source: Source, options: &ReadOptions) -> Self {
        let name = source.name.clone();
        let lines = Lines::new(source.into_text(), &name, options.max_line);
        Self { lines, batch: options.batch, buffer: Vec::new() }
    }

    /// The next batch of rows; nothing at the end.
    pub fn next_table(&mut self) -> Result<Option<Table>> {
        let (mut labels, mut lines, mut entries) = (Vec::new(), Vec::new(), Entries::default());
        while labels.len() < self.batch && self.lines.next(&mut self.buffer)? {
            let text =
                std::str::from_utf8(&self.buffer).map_err(|_| self.error("-", "the text is not UTF-8"))?;
            let mut fields = text.split('#').next().unwrap_or("").split_ascii_whitespace();
            let Some(label) = fields.next() else { continue };
            let label = label.parse::<f64>().map_err(|_| {
                self.error(LABEL, format!("expected a number as the label, found {}", quoted(label)))
            })?;
            for field in fields {
                if let Some((index, value)) = self.pair(field)?
                    && !entries.push(labels.len(), index, value)
                {
                    return Err(self.error(&format!("x{index}"), "the index stands twice in this row"));
                }
            }
            labels.push(label);
            lines.push(self.lines.count);
        }
        if labels.is_empty() {
            return Ok(None);
        }
        let (names, columns) = entries.into_columns(labels.len());
        let names = std::iter::once(LABEL.to_owned()).chain(names);
        let columns = std::iter::once(Column::Numeric(labels)).chain(columns).collect();
        let places = lines.into_iter().map(Place::Line);
        Ok(Some(Table::new(names, columns)?.with_source(self.lines.source(), places).opened()))
    }

    /// One `index:value`; nothing for a query id.
    fn pair(&self, field: &str) -> Result<Option<(u32, f64)>> {
        let wrong = |reason: &str| self.error(field, format!("expected index:value, {reason}"));
        let (index, value) = field.split_once(':').ok_or_else(|| wrong("found no colon"))?;
        if index == "qid" {
            return Ok(None);
        }
        let index =
            index.parse().map_err(|_| wrong("the index is not a whole number of at most 2^32 - 1"))?;
        let value = value.parse().map_err(|_| wrong("the value is not a number"))?;
        Ok(Some((index, value)))
    }

    fn error(&self, column: &str, reason: impl Into<String>) -> Error {
        let (source_name, column) = (self.lines.source().to_owned(), column.to_owned());
        Error::Data { source_name, place: Place::Line(self.lines.count), column, reason: reason.into() }
    }
}

/// The numbers of some rows, kept as they come: columns are made when it is known how long each is.
#[derive(Default)]
struct Entries {
    /// For each index that occurs its place among the columns.
    places: HashMap<u32, usize>,
    columns: Vec<Seen>,
    /// Column, row and value.
    given: Vec<(u32, u32, f64)>,
}

/// What is known of a column.
struct Seen {
    index: u32,
    count: usize,
    last_row: usize,
}

impl Entries {
    /// Takes a number in; false, with nothing changed, when the row has one at this index already.
    fn push(&mut self, row: usize, index: u32, value: f64) -> bool {
        let columns = &mut self.columns;
        let place = *self.places.entry(index).or_insert_with(|| {
            columns.push(Seen { index, count: 0, last_row: 0 });
            columns.len() - 1
        });
        let column = &mut columns[place];
        if column.count > 0 && column.last_row == row {
            return false;
        }
        (column.count, column.last_row) = (column.count + 1, row);
        self.given.push((place as u32, row as u32, value));
        true
    }

    /// The columns by index, with their names.
    fn into_columns(self, rows: usize) -> (Vec<String>, Vec<Column>) {
        let mut columns: Vec<Sparse> =
            self.columns.iter().map(|seen| Sparse::with_capacity(seen.count)).collect();
        for (place, row, value) in self.given {
            columns[place as usize].push_at(row as usize, value);
        }
        let mut columns: Vec<_> = self.columns.iter().map(|seen| seen.index).zip(columns).collect();
        columns.sort_unstable_by_key(|(index, _)| *index);
        let finish = |(index, mut column): (u32, Sparse)| {
            column.pad_to(rows);
            (format!("x{index}"), Column::Sparse(column))
        };
        columns.into_iter().map(finish).unzip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &'static str) -> Result<Option<Table>> {
        let source = Source::from_reader("t.svm", Box::new(text.as_bytes()))?;
        SvmlightReader::open(source, &ReadOptions::default()).next_table()
    }

    #[test]
    fn rows_become_sparse_columns() {
        let table = table("# head\n1 qid:3 0:2 5:-1.5 # tail\n\n-1 5:3\n+1\n").unwrap().unwrap();
        assert_eq!(table.names(), ["y", "x0", "x5"]);
        assert_eq!(table.numbers("y").unwrap(), [1.0, -1.0, 1.0]);
        assert_eq!(table.numbers("x5").unwrap(), [-1.5, 3.0, 0.0]);
        assert_eq!([0, 1, 2].map(|row| table.place(row)), [2, 4, 5].map(Place::Line));
    }

    #[test]
    fn bad_rows_are_named() {
        for (text, message) in [
            ("one 1:2\n", "t.svm, line 1, column y: expected a number as the label, found \"one\""),
            ("1 2\n", "t.svm, line 1, column 2: expected index:value, found no colon"),
            (
                "1 1:1\n1 -3:2\n",
                "t.svm, line 2, column -3:2: expected index:value, the index is not a whole number of at most 2^32 - 1",
            ),
            ("1 3:a\n", "t.svm, line 1, column 3:a: expected index:value, the value is not a number"),
            ("1 3:1 3:2\n", "t.svm, line 1, column x3: the index stands twice in this row"),
        ] {
            assert_eq!(table(text).unwrap_err().to_string(), message);
        }
        assert!(table("\n# nothing\n").unwrap().is_none());
    }

    #[test]
    fn huge_indices_cost_nothing() {
        let table = table("1 4294967295:1 1:2\n").unwrap().unwrap();
        assert_eq!(table.names(), ["y", "x1", "x4294967295"]);
    }
}
