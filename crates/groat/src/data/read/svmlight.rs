//! svmlight / LIBSVM text: `label [qid:n] index:value ... [# comment]`.
//!
//! Columns are called after the index as the file spells it (`x1`, `x17`), so whether indices start
//! at 0 or 1 needs no guess. Only indices that occur become columns; an absent one means zeros, which
//! is why the resulting tables are open. The label is the column `y`, the first one.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

use super::source::{Input, Source};
use crate::data::column::{Column, Sparse};
use crate::data::table::Table;
use crate::error::{Error, Place, Result};

/// Name of the column that holds the label.
pub(super) const LABEL: &str = "y";

pub(super) struct SvmlightReader {
    input: BufReader<Input>,
    source: String,
    line: u64,
    batch: usize,
    buffer: Vec<u8>,
}

impl SvmlightReader {
    pub fn open(source: Source, batch: usize) -> Self {
        Self { input: BufReader::new(source.input), source: source.name, line: 0, batch, buffer: Vec::new() }
    }

    /// The next batch of rows; nothing at the end.
    pub fn next_table(&mut self) -> Result<Option<Table>> {
        let (mut labels, mut lines) = (Vec::new(), Vec::new());
        let mut features: BTreeMap<u32, Sparse> = BTreeMap::new();
        while labels.len() < self.batch && self.next_line()? {
            let text =
                std::str::from_utf8(&self.buffer).map_err(|_| self.error("-", "the text is not UTF-8"))?;
            let mut fields = text.split('#').next().unwrap_or("").split_ascii_whitespace();
            let Some(label) = fields.next() else { continue };
            let label = label
                .parse::<f64>()
                .map_err(|_| self.error(LABEL, format!("expected a number as the label, found {label:?}")))?;
            let row = labels.len();
            for field in fields {
                if let Some((index, value)) = self.pair(field)? {
                    let column = features.entry(index).or_default();
                    if column.len() > row {
                        return Err(self.error(&format!("x{index}"), "the index stands twice in this row"));
                    }
                    column.push_at(row, value);
                }
            }
            labels.push(label);
            lines.push(self.line);
        }
        if labels.is_empty() {
            return Ok(None);
        }
        let rows = labels.len();
        let names = features.keys().map(|index| format!("x{index}"));
        let names: Vec<String> = std::iter::once(LABEL.to_owned()).chain(names).collect();
        let columns = features.into_values().map(|mut column| {
            column.pad_to(rows);
            Column::Sparse(column)
        });
        let columns = std::iter::once(Column::Numeric(labels)).chain(columns).collect();
        Ok(Some(
            Table::new(names, columns)?
                .with_source(&self.source, lines.into_iter().map(Place::Line))
                .opened(),
        ))
    }

    fn next_line(&mut self) -> Result<bool> {
        self.buffer.clear();
        let read = self.input.read_until(b'\n', &mut self.buffer).map_err(|e| Error::io(&self.source, e))?;
        self.line += 1;
        Ok(read > 0)
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
        let (source_name, column) = (self.source.clone(), column.to_owned());
        Error::Data { source_name, place: Place::Line(self.line), column, reason: reason.into() }
    }
}

/// The place of a column when the columns of several batches have been joined: label, then by index.
pub(super) fn column_order(name: &str) -> i64 {
    name.strip_prefix('x').and_then(|index| index.parse::<i64>().ok()).unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &'static str) -> Result<Option<Table>> {
        let source = Source::from_reader("t.svm", Box::new(text.as_bytes()))?;
        SvmlightReader::open(source, 100).next_table()
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
