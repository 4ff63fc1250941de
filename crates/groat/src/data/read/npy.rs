//! NumPy `.npy` files, versions 1 to 3, of one or two dimensions.

use std::io::{self, BufReader, Read};

use super::source::{Input, Source};
use crate::data::column::Column;
use crate::data::table::Table;
use crate::error::{Error, Place, Result};

/// Longest header accepted; NumPy itself writes a few hundred bytes.
const MAX_HEADER: usize = 1 << 16;

/// The number types that can be read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Bool,
    Int(usize),
    Uint(usize),
    Float(usize),
}

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Header {
    number: Number,
    big_endian: bool,
    fortran: bool,
    rows: usize,
    cols: usize,
}

pub(super) struct NpyReader {
    input: BufReader<Input>,
    source: String,
    header: Header,
    batch: usize,
    next_row: usize,
    /// All columns of a Fortran-ordered array, which cannot be read row by row.
    whole: Option<Vec<Vec<f64>>>,
}

impl NpyReader {
    pub fn open(source: Source, batch: usize) -> Result<Self> {
        let mut input = BufReader::new(source.input);
        let header = read_header(&mut input)
            .and_then(|text| parse_header(&text))
            .map_err(|reason| Error::Source { source_name: source.name.clone(), reason })?;
        Ok(Self { input, source: source.name, header, batch, next_row: 0, whole: None })
    }

    /// Number of rows that the header promises.
    pub fn total_rows(&self) -> usize {
        self.header.rows
    }

    /// The next batch of rows; nothing at the end.
    pub fn next_table(&mut self) -> Result<Option<Table>> {
        let Header { rows, cols, .. } = self.header;
        if self.next_row >= rows {
            return Ok(None);
        }
        let end = rows.min(self.next_row.saturating_add(self.batch));
        let columns =
            if self.header.fortran { self.columns_of_whole(end)? } else { self.columns_of_rows(end)? };
        let names = (1..=cols).map(|number| format!("x{number}"));
        let places = (self.next_row as u64 + 1..=end as u64).map(Place::Row);
        self.next_row = end;
        let columns = columns.into_iter().map(Column::Numeric).collect();
        Ok(Some(Table::new(names, columns)?.with_source(&self.source, places).unnamed(true)))
    }

    fn columns_of_rows(&mut self, end: usize) -> Result<Vec<Vec<f64>>> {
        let cols = self.header.cols;
        let numbers = self.numbers((end - self.next_row).saturating_mul(cols))?;
        Ok((0..cols).map(|j| numbers.iter().skip(j).step_by(cols).copied().collect()).collect())
    }

    fn columns_of_whole(&mut self, end: usize) -> Result<Vec<Vec<f64>>> {
        let whole = match self.whole.take() {
            Some(whole) => whole,
            None => (0..self.header.cols).map(|_| self.numbers(self.header.rows)).collect::<Result<_>>()?,
        };
        let columns = whole.iter().map(|column| column[self.next_row..end].to_vec()).collect();
        self.whole = Some(whole);
        Ok(columns)
    }

    /// Reads `count` numbers. Memory grows with what is there, not with what the header claims.
    fn numbers(&mut self, count: usize) -> Result<Vec<f64>> {
        let width = self.header.number.bytes();
        let bytes = count.saturating_mul(width);
        let mut buffer = Vec::new();
        self.input
            .by_ref()
            .take(bytes as u64)
            .read_to_end(&mut buffer)
            .map_err(|e| Error::io(&self.source, e))?;
        if buffer.len() < bytes {
            return Err(Error::Source {
                source_name: self.source.clone(),
                reason: format!(
                    "the file ends early: the header promises {} x {} numbers",
                    self.header.rows, self.header.cols
                ),
            });
        }
        let Header { number, big_endian, .. } = self.header;
        Ok(buffer.chunks_exact(width).map(|bytes| number.decode(bytes, big_endian)).collect())
    }
}

impl Number {
    fn bytes(self) -> usize {
        match self {
            Number::Bool => 1,
            Number::Int(bytes) | Number::Uint(bytes) | Number::Float(bytes) => bytes,
        }
    }

    fn decode(self, bytes: &[u8], big_endian: bool) -> f64 {
        let mut word = [0_u8; 8];
        for (at, &byte) in bytes.iter().enumerate() {
            word[if big_endian { bytes.len() - 1 - at } else { at }] = byte;
        }
        let bits = u64::from_le_bytes(word);
        match self {
            Number::Bool => f64::from(u8::from(bits != 0)),
            Number::Uint(_) => bits as f64,
            // Shifting up and back down copies the sign into the bytes that were not there.
            Number::Int(bytes) => {
                let unused = 64 - 8 * bytes as u32;
                (((bits << unused) as i64) >> unused) as f64
            }
            Number::Float(2) => half(bits as u16),
            Number::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Number::Float(_) => f64::from_bits(bits),
        }
    }
}

/// The number of half precision with these bits: a sign, 5 bits of exponent and 10 of fraction (IEEE 754 binary16).
fn half(bits: u16) -> f64 {
    let fraction = bits & 0x3ff;
    let size = match i32::from(bits >> 10 & 0x1f) {
        0 => f64::from(fraction) * 2_f64.powi(-24),
        0x1f if fraction == 0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => f64::from(0x400 | fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Reads up to the end of the header and returns its text.
fn read_header(input: &mut impl Read) -> std::result::Result<String, String> {
    let short = |_: io::Error| "the file ends within the .npy header".to_owned();
    let mut start = [0_u8; 8];
    input.read_exact(&mut start).map_err(short)?;
    if &start[..6] != b"\x93NUMPY" {
        return Err("this is not a .npy file".into());
    }
    let length = match start[6] {
        1 => {
            let mut bytes = [0_u8; 2];
            input.read_exact(&mut bytes).map_err(short)?;
            usize::from(u16::from_le_bytes(bytes))
        }
        2 | 3 => {
            let mut bytes = [0_u8; 4];
            input.read_exact(&mut bytes).map_err(short)?;
            u32::from_le_bytes(bytes) as usize
        }
        version => return Err(format!(".npy version {version} is not known; 1 to 3 are")),
    };
    if length > MAX_HEADER {
        return Err(format!("the .npy header claims {length} bytes, above the limit of {MAX_HEADER}"));
    }
    let mut text = vec![0; length];
    input.read_exact(&mut text).map_err(short)?;
    String::from_utf8(text).map_err(|_| "the .npy header is not text".into())
}

/// Understands `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`.
fn parse_header(text: &str) -> std::result::Result<Header, String> {
    let after = |key: &str| {
        let at = text.find(&format!("'{key}':")).ok_or_else(|| format!("the .npy header has no {key:?}"))?;
        Ok::<&str, String>(text[at + key.len() + 3..].trim_start())
    };
    let descr = after("descr")?;
    if descr.starts_with('[') {
        return Err("structured arrays cannot be read; save a plain two-dimensional array".into());
    }
    let descr = descr.strip_prefix('\'').and_then(|d| d.split('\'').next()).unwrap_or("");
    let (number, big_endian) = parse_type(descr)?;
    let order = after("fortran_order")?;
    let shape = after("shape")?.strip_prefix('(').and_then(|s| s.split(')').next()).unwrap_or("");
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes: Vec<usize> = sizes
        .map(|size| size.trim_end_matches('L').parse())
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| format!("the .npy header has the odd shape ({shape})"))?;
    let (rows, cols) = match sizes[..] {
        [rows] => (rows, 1),
        [rows, cols] => (rows, cols),
        _ => return Err(format!("the array has {} dimensions, expected 1 or 2", sizes.len())),
    };
    if rows == 0 || cols == 0 {
        return Err(format!("the array is empty: its shape is ({shape})"));
    }
    if rows.checked_mul(cols).is_none_or(|count| count > isize::MAX as usize / 8) {
        return Err(format!("the shape ({shape}) is more than memory can hold"));
    }
    Ok(Header { number, big_endian, fortran: order.starts_with("True"), rows, cols })
}

fn parse_type(descr: &str) -> std::result::Result<(Number, bool), String> {
    let unknown = || {
        format!(
            "numbers of type {descr:?} cannot be read; use float16, float32, float64, a whole-number type or bool"
        )
    };
    let (order, rest) = descr.split_at_checked(1).ok_or_else(unknown)?;
    let (kind, bytes) = rest.split_at_checked(1).ok_or_else(unknown)?;
    let big_endian = match order {
        "<" | "|" => false,
        ">" => true,
        "=" => cfg!(target_endian = "big"),
        _ => return Err(unknown()),
    };
    let number = match (kind, bytes) {
        ("b", "1") => Number::Bool,
        ("f", "2") => Number::Float(2),
        ("f", "4") => Number::Float(4),
        ("f", "8") => Number::Float(8),
        ("i", "1" | "2" | "4" | "8") => Number::Int(usize::from(bytes.as_bytes()[0] - b'0')),
        ("u", "1" | "2" | "4" | "8") => Number::Uint(usize::from(bytes.as_bytes()[0] - b'0')),
        _ => return Err(unknown()),
    };
    Ok((number, big_endian))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as NumPy would write it.
    fn npy(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = b"\x93NUMPY".to_vec();
        file.extend([version, 0]);
        match version {
            1 => file.extend((header.len() as u16).to_le_bytes()),
            _ => file.extend((header.len() as u32).to_le_bytes()),
        }
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    fn read(file: Vec<u8>, batch: usize) -> Result<Vec<Table>> {
        let source = Source::from_reader("t.npy", Box::new(io::Cursor::new(file)))?;
        let mut reader = NpyReader::open(source, batch)?;
        std::iter::from_fn(|| reader.next_table().transpose()).collect()
    }

    #[test]
    fn both_orders_give_the_same_rows() {
        let bytes = |numbers: [f64; 6]| numbers.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let c = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n";
        let f = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }\n";
        let by_rows = read(npy(1, c, &bytes([1., 2., 3., 4., 5., 6.])), 2).unwrap();
        let by_columns = read(npy(3, f, &bytes([1., 3., 5., 2., 4., 6.])), 2).unwrap();
        assert_eq!(by_rows, by_columns);
        assert_eq!(by_rows.len(), 2);
        assert_eq!(by_rows[1].numbers("x2").unwrap(), [6.0]);
        assert_eq!(by_rows[1].place(0), Place::Row(3));
    }

    #[test]
    fn every_number_type_is_decoded() {
        for (descr, bytes, expected) in [
            ("|b1", vec![1, 0], [1.0, 0.0]),
            ("|i1", vec![0xff, 2], [-1.0, 2.0]),
            ("|u1", vec![0xff, 2], [255.0, 2.0]),
            ("<i2", vec![0xfe, 0xff, 1, 0], [-2.0, 1.0]),
            (">i2", vec![0xff, 0xfe, 0, 1], [-2.0, 1.0]),
            ("<u4", vec![0, 0, 0, 1, 5, 0, 0, 0], [16777216.0, 5.0]),
            ("<i8", [(-3_i64).to_le_bytes(), 4_i64.to_le_bytes()].concat(), [-3.0, 4.0]),
            ("<f4", [0.5_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat(), [0.5, 2.0]),
            (">f8", [0.5_f64.to_be_bytes(), 2.0_f64.to_be_bytes()].concat(), [0.5, 2.0]),
        ] {
            let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}");
            assert_eq!(read(npy(2, &header, &bytes), 9).unwrap()[0].numbers("x1").unwrap(), expected);
        }
    }

    /// The data of `numpy.save` (NumPy 2.4.6) for `float16` values: a rounded one, the largest, -0, the smallest
    /// subnormal, the smallest normal, the largest subnormal, a third.
    #[test]
    fn half_precision_is_read_as_numpy_wrote_it() {
        let numpy = *b"\x66\x2e\x00\xc1\xff\x7b\x00\x80\x01\x00\x00\x04\xff\x03\x55\x35";
        let expected = [
            [0.0999755859375, 65504.0, 5.960464477539063e-8, 6.097555160522461e-5],
            [-2.5, -0.0, 6.103515625e-5, 0.333251953125],
        ];
        let swapped: Vec<u8> = numpy.chunks(2).flat_map(|word| [word[1], word[0]]).collect();
        for (order, data) in [('<', &numpy[..]), ('>', &swapped)] {
            let header = format!("{{'descr': '{order}f2', 'fortran_order': False, 'shape': (4, 2), }}\n");
            let table = &read(npy(1, &header, data), 9).unwrap()[0];
            for (name, expected) in ["x1", "x2"].iter().zip(expected) {
                let found: Vec<u64> = table.numbers(name).unwrap().into_iter().map(f64::to_bits).collect();
                assert_eq!(found, expected.map(f64::to_bits));
            }
        }
        assert_eq!([0x7c00, 0xfc00].map(half), [f64::INFINITY, f64::NEG_INFINITY]);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let header = |descr: &str, shape: &str| {
            format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
        };
        for (descr, shape, part) in [
            ("[('a', '<f8')]", "(3,)", "structured arrays"),
            ("'<c16'", "(3,)", "'<c16'"),
            ("'|O'", "(3,)", "cannot be read"),
            ("'<f8'", "(2, 2, 2)", "3 dimensions"),
            ("'<f8'", "()", "0 dimensions"),
            ("'<f8'", "(0, 2)", "empty"),
            ("'<f8'", "(-1, 2)", "odd shape"),
            ("'<f8'", "(9223372036854775807, 9223372036854775807)", "more than memory"),
            ("'<f8'", "(1000000000000, 4)", "ends early"),
        ] {
            let message = read(npy(1, &header(descr, shape), &[0; 16]), 10).unwrap_err().to_string();
            assert!(message.contains(&part.replace('\'', "\"")), "{message}");
        }
        assert!(read(b"\x93NUMPY\x01\x00".to_vec(), 1).is_err());
        assert!(read(npy(9, "{}", &[]), 1).is_err());
        assert!(read(b"not numpy at all".to_vec(), 1).is_err());
    }
}
