//! Records of delimited text, each with the line it begins on.
//!
//! Quotes count only at the start of a field; within a quoted field the delimiter and line ends are
//! text and `""` is one quote. A space as the delimiter stands for blanks, as in tables that are aligned by eye: a run of
//! spaces and tabs is one delimiter, and those at the ends of a line are none. A record is complete with its line end, so that nothing beyond it has
//! to arrive first, which is what reading from a live pipe needs.

use std::io::{self, BufRead};

/// Where the scan stands within a record.
#[derive(Clone, Copy, PartialEq)]
enum State {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote in a quoted field: its end, or the first half of `""`.
    QuoteInQuoted,
}

pub(super) struct Records<R> {
    input: R,
    delimiter: u8,
    /// The lines read so far.
    lines: u64,
    /// The line the record begins on.
    first_line: u64,
    buffer: Vec<u8>,
    /// The fields one after the other, without their quotes, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    state: State,
}

impl<R: BufRead> Records<R> {
    pub fn new(input: R, delimiter: u8) -> Self {
        let (buffer, text, ends) = (Vec::new(), Vec::new(), Vec::new());
        Self { input, delimiter, lines: 0, first_line: 0, buffer, text, ends, state: State::FieldStart }
    }

    /// The line that the record begins on, from 1.
    pub fn line(&self) -> u64 {
        self.first_line
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Field `at`.
    pub fn field(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// True when the input ended within a quoted field.
    pub fn is_unclosed(&self) -> bool {
        self.state == State::Quoted
    }

    /// Reads the next record, passing over blank lines; false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.ends.clear();
        self.state = State::FieldStart;
        while self.next_line()? {
            let within = self.state == State::Quoted;
            if !within && self.is_blank() {
                continue;
            }
            if !within {
                self.first_line = self.lines;
            }
            self.scan();
            if self.state != State::Quoted {
                break;
            }
        }
        let any = self.state != State::FieldStart || !self.ends.is_empty() || !self.text.is_empty();
        // Blanks at the end of a line begin no field.
        if any && !(self.by_blanks() && self.state == State::FieldStart) {
            self.ends.push(self.text.len());
        }
        Ok(any)
    }

    /// True when runs of blanks delimit.
    fn by_blanks(&self) -> bool {
        self.delimiter == b' '
    }

    /// True for a line of nothing but blanks, which a tab that delimits is not.
    fn is_blank(&self) -> bool {
        let kept = |byte: u8| byte == self.delimiter && !self.by_blanks();
        self.buffer.iter().all(|byte| byte.is_ascii_whitespace() && !kept(*byte))
    }

    fn delimits(&self, byte: u8) -> bool {
        byte == self.delimiter || self.by_blanks() && byte == b'\t'
    }

    fn next_line(&mut self) -> io::Result<bool> {
        self.buffer.clear();
        let read = self.input.read_until(b'\n', &mut self.buffer)?;
        self.lines += 1;
        // A byte order mark is no part of the first field.
        if self.lines == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        Ok(read > 0)
    }

    /// Takes in the line in the buffer; a record may need several.
    fn scan(&mut self) {
        let line = match self.buffer.as_slice() {
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] | line => line,
        };
        let line_end = &self.buffer[line.len()..];
        for &byte in line {
            self.state = match (self.state, byte) {
                (State::FieldStart, b'"') => State::Quoted,
                (State::Quoted, b'"') => State::QuoteInQuoted,
                (State::FieldStart, byte) if self.by_blanks() && self.delimits(byte) => State::FieldStart,
                (State::FieldStart | State::Plain | State::QuoteInQuoted, byte) if self.delimits(byte) => {
                    self.ends.push(self.text.len());
                    State::FieldStart
                }
                (State::QuoteInQuoted, b'"') | (State::Quoted, _) => {
                    self.text.push(byte);
                    State::Quoted
                }
                (State::FieldStart | State::Plain | State::QuoteInQuoted, _) => {
                    self.text.push(byte);
                    State::Plain
                }
            };
        }
        if self.state == State::Quoted {
            self.text.extend_from_slice(line_end);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Vec<(u64, Vec<Vec<u8>>)> {
        read_by(b',', text)
    }

    fn read_by(delimiter: u8, text: &[u8]) -> Vec<(u64, Vec<Vec<u8>>)> {
        let mut records = Records::new(text, delimiter);
        let mut all = Vec::new();
        while records.advance().unwrap() {
            all.push((records.line(), (0..records.len()).map(|at| records.field(at).to_vec()).collect()));
        }
        all
    }

    #[test]
    fn lines_are_counted_through_blanks_and_quotes() {
        let lines = |text: &str| read(text.as_bytes()).iter().map(|(line, _)| *line).collect::<Vec<_>>();
        assert_eq!(lines("a\n\n\nb\n\"c\nd\"\ne"), [1, 4, 5, 7]);
        assert_eq!(lines("a\r\n\r\nb\r\nc\r\n"), [1, 3, 4]);
        assert!(lines("").is_empty());
    }

    #[test]
    fn runs_of_blanks_are_one_delimiter() {
        let all = read_by(b' ', b"  a   b\t c\n\n   \t\n 1  \"2 \t3\" 4  \r\n5 \"\" 6");
        let fields = |row: &[&str]| row.iter().map(|field| field.as_bytes().to_vec()).collect::<Vec<_>>();
        assert_eq!(
            all,
            [(1, fields(&["a", "b", "c"])), (4, fields(&["1", "2 \t3", "4"])), (5, fields(&["5", "", "6"]))]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The csv crate reads the same fields, where every quoted field has its end.
        #[test]
        fn fields_agree_with_another_reader(text in "[ab,\"\r\n]{0,24}") {
            // That reader also takes a lone carriage return for a line end, which this one does not.
            let text = text.replace('\r', "\r\n");
            let mut records = Records::new(text.as_bytes(), b',');
            let mut other = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            for expected in other.byte_records() {
                prop_assert!(records.advance().unwrap());
                if records.is_unclosed() { return Ok(()); }
                let expected = expected.unwrap();
                let fields: Vec<&[u8]> = (0..records.len()).map(|at| records.field(at)).collect();
                prop_assert_eq!(fields, expected.iter().collect::<Vec<_>>());
            }
            prop_assert!(!records.advance().unwrap());
        }
    }
}
