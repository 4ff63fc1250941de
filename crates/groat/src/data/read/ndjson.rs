//! Newline-delimited JSON, one object or array a line.

use std::collections::HashMap;
use std::io::{BufReader, Read};

use serde_json::Value;

use super::lines::Lines;
use super::source::Source;
use super::{ReadOptions, RowSource, foreign};
use crate::data::cell::Cell;
use crate::data::table::{check_names, unknown_column};
use crate::error::{Error, Place, Result};

pub(super) struct NdjsonRows {
    lines: Lines<BufReader<Box<dyn Read + Send>>>,
    names: Vec<String>,
    /// Where each name stands.
    places: HashMap<String, usize>,
    named: bool,
    buffer: Vec<u8>,
    pending: Option<Value>,
}

impl NdjsonRows {
    /// The first line decides the columns: the keys of an object, or `x1`, `x2`, ... of an array.
    pub fn open(source: Source, options: &ReadOptions) -> Result<Self> {
        if let Some(reason) = foreign::json_over_lines(&source.head) {
            return Err(source.error(reason));
        }
        let name = source.name.clone();
        let mut rows = Self {
            lines: Lines::new(source.into_text(), &name, options.max_line),
            names: Vec::new(),
            places: HashMap::new(),
            named: false,
            buffer: Vec::new(),
            pending: None,
        };
        let Some(first) = rows.next_value()? else {
            return Err(Error::Source {
                source_name: name,
                reason: "there are no rows; the input is empty".into(),
            });
        };
        rows.named = first.is_object();
        rows.names = match &first {
            Value::Object(map) => map.keys().cloned().collect(),
            Value::Array(values) => (1..=values.len()).map(|number| format!("x{number}")).collect(),
            _ => return Err(rows.not_a_row()),
        };
        if rows.names.is_empty() {
            return Err(rows.error_at("-", "the first row has no values"));
        }
        check_names(&name, &rows.names)?;
        rows.places = rows.names.iter().cloned().zip(0..).collect();
        rows.pending = Some(first);
        Ok(rows)
    }

    /// The value on the next line that is not blank.
    fn next_value(&mut self) -> Result<Option<Value>> {
        loop {
            if !self.lines.next(&mut self.buffer)? {
                return Ok(None);
            }
            let text = self.buffer.trim_ascii();
            if !text.is_empty() {
                return match serde_json::from_slice(text) {
                    Ok(value) => Ok(Some(value)),
                    Err(e) => Err(self.error_at("-", format!("not JSON: {e}"))),
                };
            }
        }
    }

    fn not_a_row(&self) -> Error {
        self.error_at("-", "expected an object {\"name\": value, ...} or an array [value, ...]")
    }

    fn error_at(&self, column: &str, reason: impl Into<String>) -> Error {
        let (source_name, column) = (self.lines.source().to_owned(), column.to_owned());
        Error::Data { source_name, place: Place::Line(self.lines.count), column, reason: reason.into() }
    }

    fn cell(&self, column: usize, value: &Value) -> Result<Cell> {
        match value {
            Value::Null => Ok(Cell::Missing),
            Value::Bool(truth) => Ok(Cell::Number(f64::from(u8::from(*truth)))),
            Value::Number(number) => Ok(number.as_f64().map_or(Cell::Missing, Cell::Number)),
            Value::String(text) => Ok(Cell::parse(text)),
            Value::Array(_) | Value::Object(_) => {
                Err(self.error_at(&self.names[column], "expected a number or a text, found a nested value"))
            }
        }
    }
}

impl RowSource for NdjsonRows {
    fn source(&self) -> &str {
        self.lines.source()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn is_named(&self) -> bool {
        self.named
    }

    fn next_row(&mut self, cells: &mut Vec<Cell>) -> Result<Option<u64>> {
        let value = match self.pending.take() {
            Some(value) => value,
            None => match self.next_value()? {
                Some(value) => value,
                None => return Ok(None),
            },
        };
        cells.clear();
        match &value {
            Value::Object(map) if self.named => {
                cells.resize(self.names.len(), Cell::Missing);
                for (key, value) in map {
                    let Some(&column) = self.places.get(key) else {
                        return Err(self.error_at(key, unknown_column(key, &self.names)));
                    };
                    cells[column] = self.cell(column, value)?;
                }
            }
            Value::Array(values) if !self.named => {
                let (expected, found) = (self.names.len(), values.len());
                if expected != found {
                    let reason =
                        format!("the row has {found} values, expected {expected} as in the first row");
                    return Err(self.error_at(&(found.min(expected) + 1).to_string(), reason));
                }
                for (column, value) in values.iter().enumerate() {
                    cells.push(self.cell(column, value)?);
                }
            }
            _ => return Err(self.not_a_row()),
        }
        Ok(Some(self.lines.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &'static str) -> Result<NdjsonRows> {
        NdjsonRows::open(Source::from_reader("t.ndjson", Box::new(text.as_bytes()))?, &ReadOptions::default())
    }

    #[test]
    fn objects_may_omit_keys_but_not_add_them() {
        let mut rows =
            rows("{\"a\": 1, \"b\": \"u\"}\n\n{\"b\": true}\n{\"c\": 1}\n{\"a\":[1]}\n[1]\n{").unwrap();
        let mut cells = Vec::new();
        assert_eq!(rows.next_row(&mut cells).unwrap(), Some(1));
        assert_eq!(cells, [Cell::Number(1.0), Cell::Text("u".into())]);
        assert_eq!(rows.next_row(&mut cells).unwrap(), Some(3));
        assert_eq!(cells, [Cell::Missing, Cell::Number(1.0)]);
        for _ in 0..4 {
            assert!(rows.next_row(&mut cells).is_err());
        }
        assert_eq!(rows.next_row(&mut cells).unwrap(), None);
    }

    #[test]
    fn arrays_have_numbered_columns() {
        let mut rows = rows("[1, 2]\n[3]\n").unwrap();
        assert_eq!(rows.names(), ["x1", "x2"]);
        let mut cells = Vec::new();
        rows.next_row(&mut cells).unwrap();
        assert_eq!(
            rows.next_row(&mut cells).unwrap_err().to_string(),
            "t.ndjson, line 2, column 2: the row has 1 values, expected 2 as in the first row"
        );
    }

    #[test]
    fn useless_first_lines_are_errors() {
        for text in ["", "\n", "3\n", "{}\n", "[]\n", "nonsense\n"] {
            assert!(rows(text).is_err(), "{text:?}");
        }
    }
}
