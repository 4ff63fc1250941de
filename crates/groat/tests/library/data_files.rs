//! Files in, tables out: every format, compressed or not, whole or in batches, and back again.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![cfg(feature = "files")]

use std::io::Write;
use std::path::{Path, PathBuf};

use groat::Place;
use groat::data::{
    Cell, Classes, Column, Format, InputOptions, Inputs, ReadOptions, RowReader, Table, TableReader,
    read_table, write_table,
};
use proptest::prelude::*;

fn from_bytes(bytes: impl Into<Vec<u8>>, options: &ReadOptions) -> groat::Result<Table> {
    TableReader::from_reader("t", std::io::Cursor::new(bytes.into()), options)?.read_all()
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

const SMALL: &str = "a,colour,y\n1,red,0.5\n2,\"dark, blue\",-1e-3\n3,red,7\n";

#[test]
fn compression_is_found_by_content() {
    let folder = tempfile::tempdir().unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(SMALL.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(SMALL.as_bytes(), 0).unwrap();
    let plain = from_bytes(SMALL, &ReadOptions::default()).unwrap();
    for (name, bytes) in
        [("a.csv", SMALL.as_bytes()), ("b.csv.gz", &gzip), ("c.zst", &zstd), ("odd.bin", &gzip)]
    {
        let table = read_table(save(folder.path(), name, bytes), &ReadOptions::default()).unwrap();
        assert_eq!(table.columns(), plain.columns(), "{name}");
        assert_eq!(table.place(2), Place::Line(4));
    }
    // Two gzip members one after the other are one file.
    let twice = read_table(
        save(folder.path(), "d.gz", &[&gzip[..], &gzip].concat()),
        &ReadOptions { header: Some(false), ..Default::default() },
    );
    assert_eq!(twice.unwrap().rows(), 8);
    // A file cut short is an error, not a short table.
    assert!(
        read_table(save(folder.path(), "e.gz", &gzip[..gzip.len() - 9]), &ReadOptions::default()).is_err()
    );
    assert!(
        read_table(save(folder.path(), "f.zst", &zstd[..zstd.len() - 4]), &ReadOptions::default()).is_err()
    );
}

#[test]
fn batches_join_to_the_whole() {
    let text: String =
        std::iter::once("x,k\n".to_owned()).chain((0..100).map(|i| format!("{i},c{}\n", i % 7))).collect();
    let whole = from_bytes(text.clone(), &ReadOptions::default()).unwrap();
    let options = ReadOptions { batch: 9, ..Default::default() };
    let batches = TableReader::from_reader("t", std::io::Cursor::new(text.clone()), &options).unwrap();
    let sizes: Vec<usize> = batches.map(|batch| batch.unwrap().rows()).collect();
    assert_eq!(sizes.len(), 12);
    assert_eq!(sizes.iter().sum::<usize>(), 100);
    assert_eq!(from_bytes(text, &options).unwrap(), whole);
}

#[test]
fn svmlight_batches_may_bring_new_columns() {
    let text = "1 3:1\n-1 1:2\n1 2:5 10:1\n-1 3:4\n";
    let whole = from_bytes(text, &ReadOptions::default()).unwrap();
    assert_eq!(whole.names(), ["y", "x1", "x2", "x3", "x10"]);
    for batch in 1..4 {
        assert_eq!(from_bytes(text, &ReadOptions { batch, ..Default::default() }).unwrap(), whole);
    }
}

#[test]
fn a_text_after_the_first_batch_is_an_error_unless_announced() {
    let text = "x\n1\n2\nA\n";
    let options = ReadOptions { batch: 2, ..Default::default() };
    let message = from_bytes(text, &options).unwrap_err().to_string();
    assert!(
        message.starts_with("t, line 4, column x: expected a number as in the first 2 rows, found \"A\"")
    );
    let table = from_bytes(text, &ReadOptions { text: vec!["x".into()], ..options }).unwrap();
    assert_eq!(table.column(0), &Column::text(["1", "2", "A"]));
}

#[test]
fn unusable_files_are_errors_that_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let fail = |path: &Path| read_table(path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(fail(&folder.path().join("none.csv")).contains("none.csv"));
    assert!(fail(folder.path()).contains("is a directory"));
    for (name, bytes) in [
        ("empty.csv", &b""[..]),
        ("header.csv", b"a,b\n"),
        ("utf16.csv", b"\xff\xfea\x00"),
        ("empty.svm", b"# no rows\n"),
        ("empty.ndjson", b"\n"),
        ("empty.npy", b""),
        ("empty.parquet", b""),
        ("text.parquet", b"a,b\n1,2\n"),
        ("text.arrow", b"a,b\n1,2\n"),
        ("text.npy", b"a,b\n1,2\n"),
        ("short.parquet", b"PAR1"),
        ("short.arrow", b"ARROW1"),
        ("stream.arrow", b"\xff\xff\xff\xff\x00"),
    ] {
        let path = save(folder.path(), name, bytes);
        let message = fail(&path);
        assert!(message.contains(name), "{name}: {message}");
    }
    assert!(
        write_table(
            folder.path().join("no/folder.csv"),
            &from_bytes(SMALL, &ReadOptions::default()).unwrap()
        )
        .is_err()
    );
    assert!(
        write_table(folder.path().join("a.npy"), &from_bytes(SMALL, &ReadOptions::default()).unwrap())
            .is_err()
    );
}

/// Text is counted in lines, as editors do; what has no lines is counted in rows, as programs that show tables do.
#[test]
fn errors_count_lines_of_text_and_rows_of_the_rest() {
    let message = |bytes: &[u8], column: &str| {
        // Small batches, so that the count has to go on from one to the next.
        let table = from_bytes(bytes, &ReadOptions { batch: 2, ..Default::default() }).unwrap();
        table.numbers(column).unwrap_err().to_string()
    };
    let said = |place: &str, column: &str| {
        format!("t, {place}, column {column}: the value is missing; fill or remove such rows first")
    };
    assert_eq!(message(b"a,b\n1,2\n3,4\n5,\n", "b"), said("line 4", "b"));
    assert_eq!(message(b"{\"b\": 1}\n{\"b\": 2}\n{\"b\": null}\n", "b"), said("line 3", "b"));
    assert_eq!(message(b"1 1:2\n\n1 1:3\n1 1:nan\n", "x1"), said("line 4", "x1"));
    let numbers = [1.0, 2.0, f64::NAN].map(f64::to_le_bytes).concat();
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n";
    let length = (header.len() as u16).to_le_bytes();
    let npy = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &numbers].concat();
    assert_eq!(message(&npy, "x1"), said("row 3", "x1"));
}

#[test]
fn the_shipped_sets_load() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets");
    for (name, rows, cols) in [("diabetes", 442, 11), ("breast_cancer", 569, 31), ("sunspots", 309, 2)] {
        let table = read_table(folder.join(format!("{name}.csv")), &ReadOptions::default()).unwrap();
        assert_eq!((table.rows(), table.cols()), (rows, cols), "{name}");
    }
}

#[test]
fn bad_options_are_refused() {
    for options in [
        ReadOptions { batch: 0, ..Default::default() },
        ReadOptions { delimiter: Some(b'"'), ..Default::default() },
        ReadOptions { delimiter: Some(0xe9), ..Default::default() },
    ] {
        assert!(from_bytes(SMALL, &options).is_err());
    }
}

/// A pipe that delivers one piece of text a read and fails the test if asked for more than is due.
struct Drip(Vec<&'static [u8]>, std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl std::io::Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        if self.0.is_empty() {
            return Ok(0);
        }
        let piece = self.0.remove(0);
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

#[test]
fn rows_arrive_as_soon_as_their_line_does() {
    for (pieces, format) in [
        (vec![&b"x,y\n"[..], b"1,2\n", b"3,", b"4\n", b"5,6"], Format::Csv),
        (
            vec![&b"{\"x\": 1, \"y\": 2}\n"[..], b"{\"x\": 3,", b" \"y\": 4}\n", b"{\"x\": 5, \"y\": 6}"],
            Format::Ndjson,
        ),
    ] {
        let reads = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let due: Vec<usize> = match format {
            Format::Csv => vec![2, 4],
            _ => vec![1, 3],
        };
        let options = ReadOptions { format: Some(format), ..Default::default() };
        let mut rows = RowReader::from_reader("pipe", Drip(pieces, reads.clone()), &options).unwrap();
        for (value, due) in [1.0, 3.0].into_iter().zip(due) {
            let record = rows.next().unwrap().unwrap();
            assert_eq!(record.cells[0], Cell::Number(value));
            assert_eq!(reads.load(std::sync::atomic::Ordering::SeqCst), due, "{format:?}: read ahead");
        }
        assert_eq!(rows.next().unwrap().unwrap().cells[1], Cell::Number(6.0));
        assert!(rows.next().is_none());
    }
}

#[test]
fn a_bad_row_does_not_end_the_stream() {
    let text = "x,y\n1,2\n3\n4,5\n";
    let rows = RowReader::from_reader("t", text.as_bytes(), &ReadOptions::default()).unwrap();
    let places: Vec<Option<Place>> = rows.map(|row| row.ok().map(|record| record.place)).collect();
    assert_eq!(places, [Some(Place::Line(2)), None, Some(Place::Line(4))]);
    assert!(RowReader::from_reader("t", &b"1 1:2\n"[..], &ReadOptions::default()).is_err());
}

/// Any text that CSV can carry: not one that reads as a number or as missing, and without blanks around.
fn texts() -> impl Strategy<Value = String> {
    "[a-z][ -~äß\n]{0,6}[a-z]".prop_filter("a word, not a number or a missing value", |text| {
        matches!(Cell::parse(text), Cell::Text(_))
    })
}

fn tables() -> impl Strategy<Value = Table> {
    (1_usize..20).prop_flat_map(|rows| {
        let numbers = proptest::collection::vec(
            prop_oneof![8 => proptest::num::f64::NORMAL | proptest::num::f64::ZERO | proptest::num::f64::SUBNORMAL, 1 => Just(f64::NAN)],
            rows,
        );
        let texts = proptest::collection::vec(proptest::option::weighted(0.9, texts()), rows)
            .prop_filter("a column of missing values has no kind", |rows| rows.iter().any(Option::is_some));
        (proptest::collection::vec(numbers, 1..4), texts).prop_map(|(numbers, texts)| {
            let names = (0..=numbers.len()).map(|j| format!("column, \"{j}\""));
            let mut columns: Vec<Column> = numbers.into_iter().map(Column::Numeric).collect();
            columns.push(Column::Text(texts.into_iter().collect()));
            Table::new(names, columns).unwrap()
        })
    })
}

fn same(a: &Table, b: &Table) -> bool {
    a.names() == b.names()
        && a.rows() == b.rows()
        && a.columns()
            .iter()
            .zip(b.columns())
            .all(|(a, b)| a.is_text() == b.is_text() && (0..a.len()).all(|row| a.cell(row) == b.cell(row)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tables_survive_csv(table in tables()) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["t.csv", "t.tsv"] {
            let path = folder.path().join(name);
            write_table(&path, &table).unwrap();
            let delimiter = Some(if name == "t.csv" { b',' } else { b'\t' });
            let options = ReadOptions { delimiter, header: Some(true), ..Default::default() };
            prop_assert!(same(&read_table(&path, &options).unwrap(), &table));
        }
    }
}

#[cfg(feature = "arrow")]
mod columnar {
    use std::sync::Arc;

    use arrow_array::types::{Int8Type, Int32Type};
    use arrow_array::{
        ArrayRef, BooleanArray, DictionaryArray, Int32Array, ListArray, RecordBatch, StringArray, UInt8Array,
    };
    use arrow_ipc::writer::{FileWriter, StreamWriter};

    use super::*;

    fn record_batch() -> RecordBatch {
        let dictionary: DictionaryArray<Int8Type> = [Some("u"), None, Some("v")].into_iter().collect();
        RecordBatch::try_from_iter([
            ("int", Arc::new(Int32Array::from(vec![Some(1), None, Some(-3)])) as ArrayRef),
            ("byte", Arc::new(UInt8Array::from(vec![1, 2, 255]))),
            ("flag", Arc::new(BooleanArray::from(vec![true, false, true]))),
            ("level", Arc::new(dictionary)),
            ("text", Arc::new(StringArray::from(vec!["p", "q", "p"]))),
        ])
        .unwrap()
    }

    fn check(table: &Table) {
        assert_eq!(table.names(), ["int", "byte", "flag", "level", "text"]);
        assert_eq!(
            table.cells(1),
            [Cell::Missing, Cell::Number(2.0), Cell::Number(0.0), Cell::Missing, Cell::Text("q".into())]
        );
        assert_eq!(table.cells(2)[3], Cell::Text("v".into()));
        assert!(
            table.numbers("int").unwrap_err().to_string().contains("row 2, column int: the value is missing")
        );
    }

    #[test]
    fn arrow_files_and_streams_are_read() {
        let batch = record_batch();
        let (mut file, mut stream) = (Vec::new(), Vec::new());
        let mut writer = FileWriter::try_new(&mut file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        for bytes in [file, stream] {
            for batch in [2, 100] {
                check(&from_bytes(bytes.clone(), &ReadOptions { batch, ..Default::default() }).unwrap());
            }
        }
    }

    #[test]
    fn parquet_is_read_from_a_pipe_and_compressed() {
        let mut bytes = Vec::new();
        let batch = record_batch();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        check(&from_bytes(bytes.clone(), &ReadOptions::default()).unwrap());
        check(
            &from_bytes(
                zstd::encode_all(&bytes[..], 0).unwrap(),
                &ReadOptions { batch: 1, ..Default::default() },
            )
            .unwrap(),
        );
        let text = ReadOptions { text: vec!["byte".into()], ..Default::default() };
        assert_eq!(from_bytes(bytes, &text).unwrap().column(1), &Column::text(["1", "2", "255"]));
    }

    fn stream_bytes(batch: &RecordBatch) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        drop(writer);
        bytes
    }

    fn lists() -> ArrayRef {
        let rows = [Some([Some(1)]), None, Some([None])];
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
    }

    #[test]
    fn nested_columns_only_matter_to_those_who_ask_for_them() {
        let number = || Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("x", number()), ("bag", lists()), ("y", number())]).unwrap();
        let refusal = "t: column \"bag\" holds values of type List(Int32), not numbers, truth values or text; leave it out";
        for batch_rows in [2, 100] {
            let options = ReadOptions { batch: batch_rows, text: vec!["bag".into()], ..Default::default() };
            let table = from_bytes(stream_bytes(&batch), &options).unwrap();
            assert_eq!((table.names(), table.rows()), (&["x", "bag", "y"].map(str::to_owned)[..], 3));
            let all = InputOptions { targets: vec!["y".into()], ..Default::default() };
            let chosen = InputOptions { features: vec!["x".into()], ..all.clone() };
            let dropped = InputOptions { exclude: vec!["bag".into()], ..all.clone() };
            for options in [chosen.clone(), dropped] {
                let inputs = Inputs::fit(&table, &options).unwrap();
                inputs.check(&table).unwrap();
                assert_eq!(inputs.matrix(&table.select(&[2, 0])).unwrap().data(), [3.0, 1.0]);
            }
            let asks = |options: InputOptions| Inputs::fit(&table, &options).unwrap_err().to_string();
            assert_eq!(asks(all.clone()), refusal);
            assert_eq!(asks(InputOptions { features: vec!["bag".into()], ..all }), refusal);
            assert_eq!(table.numbers("bag").unwrap_err().to_string(), refusal);
            assert_eq!(Classes::of(&table, "bag").unwrap_err().to_string(), refusal);
            // A model that learnt from a column of numbers of that name, or to predict one.
            let numbers = RecordBatch::try_from_iter([("x", number()), ("bag", number())]).unwrap();
            let numbers = from_bytes(stream_bytes(&numbers), &ReadOptions::default()).unwrap();
            let from_bag = Inputs::fit(&numbers, &InputOptions::default()).unwrap();
            assert_eq!(from_bag.matrix(&table).unwrap_err().to_string(), refusal);
            let to_bag = InputOptions { targets: vec!["bag".into()], ..chosen };
            let to_bag = Inputs::fit(&numbers, &to_bag).unwrap();
            assert_eq!(to_bag.check(&table).unwrap_err().to_string(), refusal);
            assert_eq!(to_bag.matrix(&table).unwrap().rows(), 3);
            let folder = tempfile::tempdir().unwrap();
            assert_eq!(write_table(folder.path().join("t.csv"), &table).unwrap_err().to_string(), refusal);
        }
    }

    #[test]
    fn nothing_but_nested_columns_is_no_table() {
        let batch = RecordBatch::try_from_iter([("bag", lists())]).unwrap();
        let message = from_bytes(stream_bytes(&batch), &ReadOptions::default()).unwrap_err().to_string();
        assert_eq!(message, "t: cannot read it as Arrow: no column holds numbers, truth values or text");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn tables_survive_parquet(table in tables()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.parquet");
            write_table(&path, &table).unwrap();
            prop_assert!(same(&read_table(&path, &ReadOptions::default()).unwrap(), &table));
        }
    }
}
