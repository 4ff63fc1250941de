//! Lines of text, none longer than is allowed.

use std::io::{BufRead, Read};

use crate::error::{Error, Result, size};

/// Lines of an input. One that is longer than `longest` bytes is an error that ends the reading: what has no line ends is
/// no text, and would fill the memory.
pub(super) struct Lines<R> {
    input: R,
    source: String,
    longest: usize,
    /// The lines read so far.
    pub count: u64,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R, source: &str, longest: usize) -> Self {
        Self { input, source: source.to_owned(), longest, count: 0 }
    }

    /// Name of the input.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Puts the next line with its end into `buffer`; false at the end of the input.
    pub fn next(&mut self, buffer: &mut Vec<u8>) -> Result<bool> {
        buffer.clear();
        let limit = self.longest as u64 + 1;
        let read = self.input.by_ref().take(limit).read_until(b'\n', buffer);
        let read = read.map_err(|e| Error::io(&self.source, e))?;
        self.count += u64::from(read > 0);
        if read as u64 == limit && buffer.last() != Some(&b'\n') {
            let (line, longest) = (self.count, size(self.longest as u64));
            let reason =
                format!("line {line} has more than {longest}: is it text? --max-line allows longer lines");
            return Err(Error::Source { source_name: self.source.clone(), reason });
        }
        Ok(read > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_an_error_at_once() {
        let mut lines = Lines::new(&b"12345\n\n1234567\n"[..], "t", 6);
        let mut buffer = Vec::new();
        assert!(lines.next(&mut buffer).unwrap() && buffer == b"12345\n");
        assert!(lines.next(&mut buffer).unwrap() && buffer == b"\n");
        let message = lines.next(&mut buffer).unwrap_err().to_string();
        assert!(message.starts_with("t: line 3 has more than 6 bytes"), "{message}");
        let endless = std::io::BufReader::new(std::io::repeat(0));
        assert!(Lines::new(endless, "t", 1 << 16).next(&mut buffer).is_err());
        assert!(buffer.capacity() < 1 << 18);
    }
}
