//! Random and damaged bytes against every reader: a table or an error, never a panic.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![cfg(feature = "files")]

use std::io::Cursor;

use groat::data::{Column, Format, ReadOptions, RowReader, Table, TableReader, write_csv};
use proptest::prelude::*;

/// Reads the bytes as the given format to the end, whole and row by row.
fn attack(bytes: Vec<u8>, format: Option<Format>) {
    let options = ReadOptions { format, batch: 7, ..Default::default() };
    if let Ok(reader) = TableReader::from_reader("t", Cursor::new(bytes.clone()), &options) {
        let _ = reader.read_all();
    }
    if let Ok(rows) = RowReader::from_reader("t", Cursor::new(bytes), &options) {
        rows.for_each(drop);
    }
}

/// A change to a file: where (as a share of its length) and what.
#[derive(Clone, Debug)]
enum Damage {
    Set(f64, u8),
    Insert(f64, Vec<u8>),
    Remove(f64, usize),
    Repeat(f64, usize),
    Cut(f64),
}

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let place = 0.0..1.0_f64;
    let byte = prop_oneof![
        any::<u8>(),
        proptest::sample::select(b"\0\x01\x7f\x80\xff\"',;:\n\r\t {}[]#-0e9".to_vec())
    ];
    let damage = prop_oneof![
        8 => (place.clone(), byte.clone()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        2 => (place.clone(), proptest::collection::vec(byte, 1..9)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        2 => (place.clone(), 1_usize..64).prop_map(|(at, length)| Damage::Remove(at, length)),
        1 => (place.clone(), 1_usize..64).prop_map(|(at, length)| Damage::Repeat(at, length)),
        1 => place.prop_map(Damage::Cut),
    ];
    proptest::collection::vec(damage, 1..6)
}

fn damaged(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        let place = |at: f64| (at * bytes.len() as f64) as usize;
        match damage {
            _ if bytes.is_empty() => break,
            Damage::Set(at, byte) => {
                let at = place(*at);
                bytes[at] = *byte;
            }
            Damage::Insert(at, new) => {
                let at = place(*at);
                bytes.splice(at..at, new.iter().copied());
            }
            Damage::Remove(at, length) => {
                let at = place(*at);
                bytes.drain(at..bytes.len().min(at + length));
            }
            Damage::Repeat(at, length) => {
                let at = place(*at);
                let part = bytes[at..bytes.len().min(at + length)].to_vec();
                bytes.splice(at..at, part);
            }
            Damage::Cut(at) => bytes.truncate(place(*at)),
        }
    }
    bytes
}

fn table() -> Table {
    let numbers = |k: f64| Column::Numeric((0..20).map(|i| (k * f64::from(i)).sin()).collect());
    let texts = Column::text((0..20).map(|i| ["red", "green, \"dark\"", "blue\nsky"][i % 3]));
    Table::new(["a", "b", "c"], vec![numbers(1.0), numbers(2.0), texts]).unwrap()
}

fn csv() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_csv(&mut bytes, &table(), b',').unwrap();
    bytes
}

fn ndjson() -> Vec<u8> {
    (0..20).flat_map(|i| format!("{{\"a\": {i}, \"b\": \"t{i}\", \"c\": null}}\n").into_bytes()).collect()
}

fn svmlight() -> Vec<u8> {
    (0..20)
        .flat_map(|i| format!("{} qid:1 {}:0.5 {}:-3e2 # {i}\n", i % 2, i + 1, i + 9).into_bytes())
        .collect()
}

fn npy(order: &str) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': (10, 3), }}          \n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend((0..30).flat_map(|i| f64::from(i).to_le_bytes()));
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for name in Format::NAMES {
            attack(bytes.clone(), Some(name.parse().unwrap()));
        }
        attack(bytes, None);
    }

    #[test]
    fn damaged_text(damages in damages()) {
        attack(damaged(csv(), &damages), Some(Format::Csv));
        attack(damaged(ndjson(), &damages), Some(Format::Ndjson));
        attack(damaged(svmlight(), &damages), Some(Format::Svmlight));
    }

    #[test]
    fn damaged_npy(damages in damages()) {
        attack(damaged(npy("False"), &damages), Some(Format::Npy));
        attack(damaged(npy("True"), &damages), Some(Format::Npy));
    }

    #[test]
    fn damaged_compression(damages in damages()) {
        attack(damaged(gzip(&csv()), &damages), None);
        attack(damaged(zstd::encode_all(&csv()[..], 1).unwrap(), &damages), None);
    }
}

#[cfg(feature = "arrow")]
mod columnar {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int32Array, NullArray, RecordBatch, StringArray};
    use arrow_ipc::writer::{FileWriter, StreamWriter};

    use super::*;

    fn batch() -> RecordBatch {
        RecordBatch::try_from_iter([
            ("a", Arc::new(Int32Array::from_iter((0..30).map(|i| (i % 5 > 0).then_some(i)))) as ArrayRef),
            ("b", Arc::new(Float64Array::from_iter_values((0..30).map(f64::from)))),
            ("c", Arc::new(StringArray::from_iter_values((0..30).map(|i| format!("text {}", i % 4))))),
        ])
        .unwrap()
    }

    fn parquet() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch().schema(), None).unwrap();
        writer.write(&batch()).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn ipc_file(batch: RecordBatch) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    fn ipc_stream(batch: RecordBatch) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    /// A size that no machine has, in the place of every word that could be one.
    #[test]
    fn claimed_sizes_are_not_believed() {
        for (bytes, format) in [
            (parquet(), Format::Parquet),
            (ipc_file(batch()), Format::Arrow),
            (ipc_stream(batch()), Format::Arrow),
        ] {
            for at in (0..bytes.len() - 8).step_by(4) {
                for huge in [1_i64 << 44, i64::MAX, -1] {
                    let mut hostile = bytes.clone();
                    hostile[at..at + 8].copy_from_slice(&huge.to_le_bytes());
                    attack(hostile, Some(format));
                }
            }
        }
    }

    /// A column of nothing takes no bytes, however many rows it claims to have.
    #[test]
    fn rows_of_nothing_are_refused() {
        let nothing: ArrayRef = Arc::new(NullArray::new(1 << 40));
        let batch = RecordBatch::try_from_iter([("a", nothing)]).unwrap();
        for bytes in [ipc_file(batch.clone()), ipc_stream(batch)] {
            let options = ReadOptions { format: Some(Format::Arrow), ..Default::default() };
            assert!(TableReader::from_reader("t", Cursor::new(bytes), &options).is_err());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

        #[test]
        fn damaged_parquet(damages in damages()) {
            attack(damaged(parquet(), &damages), Some(Format::Parquet));
        }

        #[test]
        fn damaged_arrow(damages in damages()) {
            attack(damaged(ipc_file(batch()), &damages), Some(Format::Arrow));
            attack(damaged(ipc_stream(batch()), &damages), Some(Format::Arrow));
        }
    }
}
