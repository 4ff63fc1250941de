//! Records of delimited text, each with the line it begins on.
//!
//! Quotes count only at the start of a field; within a quoted field the delimiter and line ends are
//! text and `""` is one quote. A space as the delimiter stands for blanks, as in tables that are aligned by eye: a run of
//! spaces and tabs is one delimiter, and those at the ends of a line are none. A record is complete with its line end, so that nothing beyond it has
//! to arrive first, which is what reading from a live pipe needs.

use std::collections::VecDeque;
use std::io::BufRead;

use super::lines::Lines;
use crate::error::Result;

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
    lines: Lines<R>,
    delimiter: u8,
    /// Most bytes of a field.
    longest: usize,
    /// The line the record begins on.
    first_line: u64,
    buffer: Vec<u8>,
    /// The lines of this record behind its first one.
    further: VecDeque<Vec<u8>>,
    /// Lines that were read and given back.
    again: VecDeque<Vec<u8>>,
    /// The fields one after the other, without their quotes, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The first field with text behind its closing quote.
    stray: Option<usize>,
    state: State,
}

impl<R: BufRead> Records<R> {
    pub fn new(lines: Lines<R>, delimiter: u8, longest: usize) -> Self {
        Self {
            lines,
            delimiter,
            longest,
            first_line: 0,
            buffer: Vec::new(),
            further: VecDeque::new(),
            again: VecDeque::new(),
            text: Vec::new(),
            ends: Vec::new(),
            stray: None,
            state: State::FieldStart,
        }
    }

    /// Name of the input.
    pub fn source(&self) -> &str {
        self.lines.source()
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

    /// True when the input ended within a quoted field, or the field became too long.
    pub fn is_unclosed(&self) -> bool {
        self.state == State::Quoted
    }

    /// The field of a record of several lines that goes on behind its closing quote: the quote that opened it was none,
    /// and this one opens another field.
    pub fn wrongly_closed(&self) -> Option<usize> {
        self.stray.filter(|_| !self.further.is_empty())
    }

    /// The first field that is too long.
    pub fn too_long(&self) -> Option<usize> {
        (0..self.len()).find(|&at| self.field(at).len() > self.longest)
    }

    /// Gives back all lines of a bad record but the first, to be read again: a quote without an end costs one line.
    pub fn give_back(&mut self) {
        self.lines.count -= self.further.len() as u64;
        while let Some(line) = self.further.pop_back() {
            self.again.push_front(line);
        }
    }

    /// Reads the next record, passing over blank lines; false at the end.
    pub fn advance(&mut self) -> Result<bool> {
        self.text.clear();
        self.ends.clear();
        self.further.clear();
        (self.stray, self.state) = (None, State::FieldStart);
        while self.next_line()? {
            let within = self.state == State::Quoted;
            if !within && self.is_blank() {
                continue;
            }
            if within {
                self.further.push_back(self.buffer.clone());
            } else {
                self.first_line = self.lines.count;
            }
            self.scan();
            let field = self.text.len() - self.ends.last().copied().unwrap_or(0);
            if self.state != State::Quoted || field > self.longest {
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

    fn next_line(&mut self) -> Result<bool> {
        match self.again.pop_front() {
            Some(line) => {
                self.buffer = line;
                self.lines.count += 1;
                Ok(true)
            }
            None => self.lines.next(&mut self.buffer),
        }
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
                    if self.state == State::QuoteInQuoted && !byte.is_ascii_whitespace() {
                        self.stray = self.stray.or(Some(self.ends.len()));
                    }
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
        let mut records = Records::new(Lines::new(text, "t", 1000), delimiter, 1000);
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
            let mut records = Records::new(Lines::new(text.as_bytes(), "t", 1000), b',', 1000);
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
