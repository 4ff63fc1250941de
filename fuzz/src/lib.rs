//! What the targets share.

use std::io::Cursor;

use groat::data::{Format, ReadOptions, RowReader, TableReader};

/// How compressed files begin: gzip and zstd.
const COMPRESSED: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];

/// Reads the bytes as the given format to the end, in small batches and, where it has lines, row by row. What is compressed
/// is left alone: a few bytes then stand for a hundred thousand, and the time would go to them.
pub fn read(bytes: &[u8], format: Format) {
    if COMPRESSED.iter().any(|start| bytes.starts_with(start)) {
        return;
    }
    let options = ReadOptions { format: Some(format), batch: 7, ..Default::default() };
    if let Ok(reader) = TableReader::from_reader("fuzz", Cursor::new(bytes.to_vec()), &options) {
        let _ = reader.read_all();
    }
    if !matches!(format, Format::Csv | Format::Ndjson) {
        return;
    }
    if let Ok(rows) = RowReader::from_reader("fuzz", Cursor::new(bytes.to_vec()), &options) {
        rows.for_each(drop);
    }
}

/// The fuzzer's hook ends the process at every panic, also at those of a decoder that the reader turns into an
/// error. Without the hook only a panic that leaves the target ends it.
#[cfg(feature = "arrow")]
pub fn allow_caught_panics() {
    drop(std::panic::take_hook());
    groat::data::quiet_decoders();
}
