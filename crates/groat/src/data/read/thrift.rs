//! Walks over a record in Thrift's compact encoding, the one of Parquet's footer and page headers, before the decoder does.
//!
//! Truth values in a list take no bytes on the decoder's way past them, so that a list of six bytes can claim two thousand million
//! and cost seconds. Such a claim is refused here; the cost of a walk is the number of bytes it reads.

use std::io::{self, Read};

/// A record inside a record inside ...: the decoder goes as deep.
const DEEPEST: usize = 64;

/// Why a walk came to no end.
#[derive(Debug, PartialEq)]
pub(super) enum Stop {
    /// A list claims this many elements, which take no bytes.
    Claims(u64),
    /// It is no such record, or ends early, as the decoder will find as well.
    Damaged,
}

type Walked<T> = Result<T, Stop>;

/// One record, read byte by byte from where it begins.
pub(super) struct Walk<R> {
    input: R,
    /// Bytes read so far.
    pub read: u64,
    /// How many elements without bytes may still be claimed.
    weightless: u64,
}

impl<R: Read> Walk<R> {
    /// All elements without bytes together may be `weightless` at the most.
    pub fn new(input: R, weightless: u64) -> Self {
        Self { input, read: 0, weightless }
    }

    /// Passes the record and says what number stands in the field of it that has this id.
    pub fn record(&mut self, id: i64) -> Walked<Option<i64>> {
        self.fields(id, DEEPEST)
    }

    fn fields(&mut self, wanted: i64, depth: usize) -> Walked<Option<i64>> {
        let (mut id, mut found) = (0_i64, None);
        loop {
            let header = self.byte()?;
            let kind = header & 0x0f;
            if kind == 0 {
                return Ok(found);
            }
            id = match header >> 4 {
                0 => self.signed()?,
                delta => id.wrapping_add(i64::from(delta)),
            };
            match kind {
                4..=6 if id == wanted => found = Some(self.signed()?),
                _ => self.value(kind, depth)?,
            }
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Walked<()> {
        let depth = depth.checked_sub(1).ok_or(Stop::Damaged)?;
        match kind {
            1 | 2 => Ok(()),
            3 => self.pass(1),
            4..=6 => self.number().map(drop),
            7 => self.pass(8),
            8 => self.number().and_then(|length| self.pass(length)),
            9 | 10 => {
                let header = self.byte()?;
                let size = if header >> 4 == 15 { self.number()? } else { u64::from(header >> 4) };
                self.elements(size, &[header & 0x0f], depth)
            }
            11 => match self.number()? {
                0 => Ok(()),
                size => {
                    let kinds = self.byte()?;
                    self.elements(size, &[kinds >> 4, kinds & 0x0f], depth)
                }
            },
            12 => self.fields(i64::MIN, depth).map(drop),
            13 => self.pass(16),
            _ => Err(Stop::Damaged),
        }
    }

    /// `size` times one value of each kind.
    fn elements(&mut self, size: u64, kinds: &[u8], depth: usize) -> Walked<()> {
        if kinds.iter().all(|kind| matches!(kind, 1 | 2)) {
            let left = self.weightless.checked_sub(size);
            self.weightless = left.ok_or(Stop::Claims(size))?;
            return Ok(());
        }
        // Any other element takes a byte at least: the input ends before such a loop is long.
        for _ in 0..size {
            for &kind in kinds {
                self.value(kind, depth)?;
            }
        }
        Ok(())
    }

    fn signed(&mut self) -> Walked<i64> {
        let zigzag = self.number()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self) -> Walked<u64> {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    fn byte(&mut self) -> Walked<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).map_err(|_| Stop::Damaged)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn pass(&mut self, length: u64) -> Walked<()> {
        let passed =
            io::copy(&mut self.input.by_ref().take(length), &mut io::sink()).map_err(|_| Stop::Damaged)?;
        self.read += passed;
        if passed == length { Ok(()) } else { Err(Stop::Damaged) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(bytes: &[u8]) -> Walked<(Option<i64>, u64)> {
        let mut walk = Walk::new(bytes, 100);
        walk.record(3).map(|found| (found, walk.read))
    }

    #[test]
    fn a_record_is_passed_and_its_number_found() {
        // 1: number 1; 2: text "ab"; 3: number -5; 4: list of two numbers; 5: record with a truth value; end; one byte more.
        let record = [0x15, 2, 0x18, 2, b'a', b'b', 0x15, 9, 0x19, 0x25, 2, 4, 0x1c, 0x11, 0, 0, 77];
        assert_eq!(walked(&record), Ok((Some(-5), 16)));
        // The id in full, a double, a byte, a unique id, an empty map and a map of a number to a text.
        let others =
            [&[0x07, 80][..], &[0; 8], &[0x13, 9, 0x1d], &[0; 16], &[0x1b, 0, 0x1b, 1, 0x58, 2, 1, b'x', 0]];
        assert_eq!(walked(&others.concat()), Ok((None, 38)));
    }

    #[test]
    fn what_claims_more_than_it_has_is_refused() {
        let many = [0x19, 0xf2, 0xff, 0xff, 0xff, 0xff, 0x07, 0];
        assert_eq!(walked(&many), Err(Stop::Claims(2147483647)));
        // Several small claims add up.
        let lists = [0x19, 0xf2, 60].repeat(2);
        assert_eq!(walked(&lists), Err(Stop::Claims(60)));
        assert_eq!(walked(&[0x1b, 0xff, 0x7f, 0x22, 0]), Err(Stop::Claims(16383)));
        // Lists and texts that go on beyond the end, records too deep in each other, a type that is none.
        for damaged in
            [&[0x19, 0xf5, 0xff, 0xff, 0x03, 1][..], &[0x18, 9, b'a'], &[0x15], &[], &[0x1c; 200], &[0x1f]]
        {
            assert_eq!(walked(damaged), Err(Stop::Damaged));
        }
    }
}
