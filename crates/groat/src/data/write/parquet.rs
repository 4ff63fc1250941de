//! Parquet output: float64 and text columns, zstd.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::data::column::Column;
use crate::data::table::Table;

/// Rows converted at a time, so that a large table is not held twice.
const BATCH: usize = 1 << 16;

/// Writes `table`; missing values become nulls.
pub fn write_parquet(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let first = batch(table, 0, 0)?;
    let mut writer = ArrowWriter::try_new(Vec::new(), first.schema(), Some(properties))?;
    for start in (0..table.rows()).step_by(BATCH) {
        writer.write(&batch(table, start, table.rows().min(start + BATCH))?)?;
    }
    // The compressed image is small beside the table, so it may stand in memory before it goes out.
    out.write_all(&writer.into_inner()?)
}

fn batch(table: &Table, start: usize, end: usize) -> io::Result<RecordBatch> {
    let arrays = table.names().iter().zip(table.columns()).map(|(name, column)| {
        let array: ArrayRef = match column {
            Column::Text(texts) => Arc::new((start..end).map(|row| texts.get(row)).collect::<StringArray>()),
            numbers => {
                let rows = (start..end).map(|row| numbers.number(row).filter(|v| !v.is_nan()));
                Arc::new(rows.collect::<Float64Array>())
            }
        };
        (name, array, true)
    });
    RecordBatch::try_from_iter_with_nullable(arrays).map_err(io::Error::other)
}
