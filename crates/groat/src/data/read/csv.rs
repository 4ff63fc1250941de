//! CSV rows, one at a time, each as soon as its line has arrived.

use std::io::{BufRead, BufReader, Read};

use super::lines::Lines;
use super::records::Records;
use super::source::Source;
use super::{ReadOptions, RowSource};
use crate::data::cell::Cell;
use crate::data::table::check_names;
use crate::error::{Error, Place, Result, size};

/// The delimiters that are looked for when none is given.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

pub(super) struct CsvRows<R> {
    records: Records<R>,
    names: Vec<String>,
    named: bool,
    /// The first record is data, read while looking for a header, and not handed out yet.
    pending: bool,
}

impl CsvRows<BufReader<Box<dyn Read + Send>>> {
    pub fn open(source: Source, options: &ReadOptions) -> Result<Self> {
        if source.head.starts_with(&[0xff, 0xfe]) || source.head.starts_with(&[0xfe, 0xff]) {
            return Err(source.error("the text is UTF-16; convert it to UTF-8 first"));
        }
        let delimiter = options.delimiter.unwrap_or_else(|| guess_delimiter(&source.head));
        let name = source.name.clone();
        let lines = Lines::new(source.into_text(), &name, options.max_line);
        Self::new(Records::new(lines, delimiter, options.max_field), options.header)
    }
}

impl<R: BufRead> CsvRows<R> {
    fn new(records: Records<R>, header: Option<bool>) -> Result<Self> {
        let mut rows = Self { records, names: Vec::new(), named: false, pending: false };
        if !rows.advance()? {
            return Err(Error::Source {
                source_name: rows.records.source().to_owned(),
                reason: "there are no rows; the input is empty".into(),
            });
        }
        let first = rows.fields().map(|f| f.map(str::to_owned)).collect::<Result<Vec<String>>>()?;
        rows.named = header.unwrap_or_else(|| looks_like_header(&first));
        rows.pending = !rows.named;
        rows.names = (1..).zip(&first).map(|(number, name)| column_name(number, name, rows.named)).collect();
        check_names(rows.records.source(), &rows.names)?;
        Ok(rows)
    }

    /// Reads the next record; false at the end.
    fn advance(&mut self) -> Result<bool> {
        let more = self.records.advance()?;
        if more && self.records.is_unclosed() {
            let error = self.error_at(self.records.len() - 1, "the quoted field that begins here has no end");
            self.records.give_back();
            return Err(error);
        }
        if let Some(at) = self.records.wrongly_closed() {
            let error =
                self.error_at(at, "the quoted field that begins here goes on behind its closing quote");
            self.records.give_back();
            return Err(error);
        }
        if let Some(at) = self.records.too_long() {
            let found = size(self.records.field(at).len() as u64);
            let reason =
                format!("the field has {found}, more than is allowed; --max-field allows longer ones");
            return Err(self.error_at(at, reason));
        }
        Ok(more)
    }

    /// The fields of the record, trimmed.
    fn fields(&self) -> impl Iterator<Item = Result<&str>> {
        (0..self.records.len()).map(|at| {
            let field = self.records.field(at).trim_ascii();
            std::str::from_utf8(field).map_err(|_| self.error_at(at, "the text is not UTF-8"))
        })
    }

    fn error_at(&self, column: usize, reason: impl Into<String>) -> Error {
        let column = self.names.get(column).cloned().unwrap_or_else(|| (column + 1).to_string());
        let (source_name, place) = (self.records.source().to_owned(), Place::Line(self.records.line()));
        Error::Data { source_name, place, column, reason: reason.into() }
    }
}

impl<R: BufRead + Send> RowSource for CsvRows<R> {
    fn source(&self) -> &str {
        self.records.source()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn is_named(&self) -> bool {
        self.named
    }

    fn next_row(&mut self, cells: &mut Vec<Cell>) -> Result<Option<u64>> {
        if !std::mem::take(&mut self.pending) && !self.advance()? {
            return Ok(None);
        }
        let (expected, found) = (self.names.len(), self.records.len());
        if expected != found {
            let reason = format!("the row has {found} fields, expected {expected} as in the first row");
            let error = self.error_at(found.min(expected), reason);
            self.records.give_back();
            return Err(error);
        }
        cells.clear();
        for field in self.fields() {
            cells.push(Cell::parse(field?));
        }
        Ok(Some(self.records.line()))
    }
}

/// The name of column `number` (from 1) given the first row's field.
fn column_name(number: usize, field: &str, named: bool) -> String {
    if named && !field.is_empty() { field.to_owned() } else { format!("x{number}") }
}

/// A first row without any number, and with at least one text, names the columns.
fn looks_like_header(fields: &[String]) -> bool {
    let cells = || fields.iter().map(|field| Cell::parse(field));
    cells().any(|c| matches!(c, Cell::Text(_))) && !cells().any(|c| matches!(c, Cell::Number(_)))
}

/// The delimiter that stands equally often in the lines at hand, and most often. Blanks delimit where there is nothing
/// else, the lines have as many words each, and those of the last are numbers: text has blanks in it too.
fn guess_delimiter(head: &[u8]) -> u8 {
    let complete = head.iter().rposition(|&b| b == b'\n').map_or(head, |end| &head[..end]);
    let lines: Vec<&[u8]> =
        complete.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(10).collect();
    let counts = |delimiter: u8| lines.iter().map(move |line| count_outside_quotes(line, delimiter));
    let score = |delimiter: u8| {
        let first = counts(delimiter).next().unwrap_or(0);
        (first > 0 && counts(delimiter).all(|count| count == first), first)
    };
    if by_blanks(&lines) && DELIMITERS.into_iter().all(|d| score(d).1 == 0) {
        return b' ';
    }
    // `max_by_key` keeps the last of equals, so the commonest delimiter goes last.
    DELIMITERS.into_iter().rev().max_by_key(|&d| score(d)).unwrap_or(b',')
}

fn by_blanks(lines: &[&[u8]]) -> bool {
    let words = |line: &[u8]| {
        String::from_utf8_lossy(line).split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let Some(last) = lines.last().map(|line| words(line)) else { return false };
    last.len() > 1
        && last.iter().all(|word| matches!(Cell::parse(word), Cell::Number(_)))
        && lines.iter().all(|line| words(line).len() == last.len())
}

fn count_outside_quotes(line: &[u8], delimiter: u8) -> usize {
    let mut quoted = false;
    line.iter()
        .filter(|&&byte| {
            quoted ^= byte == b'"';
            !quoted && byte == delimiter
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Text = BufReader<Box<dyn Read + Send>>;

    fn rows(text: impl AsRef<[u8]>) -> Result<CsvRows<Text>> {
        rows_up_to(text, 1000)
    }

    fn rows_up_to(text: impl AsRef<[u8]>, max_field: usize) -> Result<CsvRows<Text>> {
        let text = std::io::Cursor::new(text.as_ref().to_vec());
        let options = ReadOptions { max_field, ..ReadOptions::default() };
        CsvRows::open(Source::from_reader("t.csv", Box::new(text))?, &options)
    }

    #[test]
    fn delimiters_are_found() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb,c\td\n", b'\t'),
            ("a|b|c\n1|2|3\n", b'|'),
            ("\"a;b;c\",d\n", b','),
            ("single\n1\n", b','),
            ("  0.1  2.0   3\n 11.5  2.25  4\n", b' '),
            ("a b\n1 2\n", b' '),
            ("a b,c d\n1 2,3 4\n", b','),
            ("two words\nred blue\n", b','),
            ("some words here\n1 2\n", b','),
            ("", b','),
        ] {
            assert_eq!(guess_delimiter(text.as_bytes()), delimiter, "{text:?}");
        }
    }

    #[test]
    fn headers_are_found() {
        assert_eq!(rows("a,,c\n1,2,3\n").unwrap().names, ["a", "x2", "c"]);
        assert!(!rows("red,2\nblue,3\n").unwrap().named);
        assert_eq!(rows("1,2\n").unwrap().names, ["x1", "x2"]);
        assert_eq!(rows("\u{feff}a,b\n1,2\n").unwrap().names[0], "a");
    }

    #[test]
    fn a_bad_row_is_named_and_can_be_passed() {
        let mut rows = rows("a,b\n1,2\n3\n\n\"4\n\",5\n6,7\n").unwrap();
        let mut cells = Vec::new();
        assert_eq!(rows.next_row(&mut cells).unwrap(), Some(2));
        assert_eq!(
            rows.next_row(&mut cells).unwrap_err().to_string(),
            "t.csv, line 3, column b: the row has 1 fields, expected 2 as in the first row"
        );
        assert_eq!(rows.next_row(&mut cells).unwrap(), Some(5));
        assert_eq!(cells, [Cell::Number(4.0), Cell::Number(5.0)]);
        assert_eq!(rows.next_row(&mut cells).unwrap(), Some(7));
        assert_eq!(rows.next_row(&mut cells).unwrap(), None);
    }

    #[test]
    fn text_that_is_not_utf8_is_an_error() {
        let mut rows = rows(b"a,b\n1,\xff\n").unwrap();
        let error = rows.next_row(&mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "t.csv, line 2, column b: the text is not UTF-8");
    }

    #[test]
    fn empty_inputs_and_twin_names_are_errors() {
        assert!(rows("").is_err());
        assert!(rows("\n\n").is_err());
        assert!(rows("a,a\n1,2\n").is_err());
        let mut open = rows("a,b\n1,\"2\n3,4\n").unwrap();
        assert_eq!(
            open.next_row(&mut Vec::new()).unwrap_err().to_string(),
            "t.csv, line 2, column b: the quoted field that begins here has no end"
        );
    }

    /// The lines of the rows that can be read, and of those that cannot.
    fn good_and_bad(rows: &mut CsvRows<Text>) -> (Vec<u64>, Vec<u64>) {
        let (mut good, mut bad, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            match rows.next_row(&mut cells) {
                Ok(Some(line)) => good.push(line),
                Ok(None) => return (good, bad),
                Err(Error::Data { place: Place::Line(line), .. }) => bad.push(line),
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn a_quote_without_an_end_costs_one_line() {
        let count = |text: &str, max_field| good_and_bad(&mut rows_up_to(text, max_field).unwrap());
        // No further quote up to the end, one that is far off, and one that closes the field in a wrong place.
        assert_eq!(count("a,b\n1,\"2\n3,4\n\n5,6\n", 1000), (vec![3, 5], vec![2]));
        let far = format!("a,b\n1,\"2\n{}\"x\",5\n", "3,4\n".repeat(50));
        assert_eq!(count(&far, 100), ((3..=53).collect(), vec![2]));
        assert_eq!(count("a,b\n\"1,2\n3,4\n\"x\",5\n6,7\n", 1000), (vec![3, 4, 5], vec![2]));
        // What is meant to go over lines does.
        assert_eq!(count("a,b\n\"1\n2\n3\",4\n5,6\n", 1000), (vec![2, 5], vec![]));
        assert_eq!(count("a,b\nxxxxxxxxxxxxx,1\n5,6\n", 8), (vec![3], vec![2]));
    }

    #[test]
    fn carriage_returns_alone_end_lines_too() {
        let mut old = rows("a,b\r1,2\r\"x\ry\",3\r").unwrap();
        assert_eq!(old.names, ["a", "b"]);
        assert_eq!(good_and_bad(&mut old).0.len(), 2);
        let mut new = rows("a,b\r\n1,2\r\n3,4\n").unwrap();
        assert_eq!(good_and_bad(&mut new), (vec![2, 3], vec![]));
        assert_eq!(rows("\"a\rb\",c\n1,2\n").unwrap().names, ["a\rb", "c"]);
    }
}
