//! Parquet and Arrow IPC.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

mod values;

use self::values::{column, holds_values};
use super::ReadOptions;
use super::claims::{check_arrow_file, check_arrow_stream, check_parquet, check_parquet_footer};
use super::source::{Format, Source};
use crate::data::column::Column;
use crate::data::table::Table;
use crate::error::{Error, Place, Result};

pub(super) struct ArrowReader {
    source: String,
    batches: Box<dyn RecordBatchReader + Send>,
    text: Vec<String>,
    batch: usize,
    /// What is left of a batch that was larger than asked for.
    rest: Option<RecordBatch>,
    rows: u64,
    total: Option<usize>,
}

impl ArrowReader {
    pub fn open(source: Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let name = source.name.clone();
        guarded(&name, || Self::open_unguarded(source, format, options))
    }

    fn open_unguarded(source: Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let name = source.name.clone();
        let wrong = |e: &dyn std::fmt::Display| Error::Source {
            source_name: name.clone(),
            reason: format!("cannot read it as {format:?}: {e}"),
        };
        let is_file = source.head.starts_with(b"ARROW1");
        // Only what begins as such a file is copied, since a copy has no end where its source has none.
        if Format::sniff(&source.head) != format {
            return Err(wrong(&"it does not begin as such a file does"));
        }
        let mut file = seekable(source)?;
        let mut total = None;
        let batches: Box<dyn RecordBatchReader + Send> = if format == Format::Parquet {
            check_parquet_footer(&mut file).map_err(|e| wrong(&e))?;
            let mut pages_of = file.try_clone().map_err(|e| wrong(&e))?;
            let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| wrong(&e))?;
            check_parquet(builder.metadata(), &mut pages_of).map_err(|e| wrong(&e))?;
            total = usize::try_from(builder.metadata().file_metadata().num_rows()).ok();
            Box::new(builder.with_batch_size(options.batch).build().map_err(|e| wrong(&e))?)
        } else if is_file {
            check_arrow_file(&mut file).map_err(|e| wrong(&e))?;
            Box::new(FileReader::try_new_buffered(file, None).map_err(|e| wrong(&e))?)
        } else {
            check_arrow_stream(&mut file).map_err(|e| wrong(&e))?;
            Box::new(StreamReader::try_new_buffered(file, None).map_err(|e| wrong(&e))?)
        };
        // Columns without values, or of records without fields, take no bytes, so nothing stands behind the number of
        // rows that is claimed.
        if !batches.schema().fields().iter().any(|field| holds_values(field.data_type())) {
            return Err(wrong(&"no column holds numbers, truth values or text"));
        }
        let (text, batch) = (options.text.clone(), options.batch);
        Ok(Self { source: name, batches, text, batch, rest: None, rows: 0, total })
    }

    /// Number of rows, which a Parquet file states.
    pub fn total_rows(&self) -> Option<usize> {
        self.total
    }

    /// The next batch of rows; nothing at the end.
    pub fn next_table(&mut self) -> Result<Option<Table>> {
        let name = self.source.clone();
        guarded(&name, || self.next_unguarded())
    }

    fn next_unguarded(&mut self) -> Result<Option<Table>> {
        let Some(batch) = self.next_batch()? else { return Ok(None) };
        let schema = batch.schema();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let columns = names
            .iter()
            .zip(batch.columns())
            .map(|(name, array)| {
                column(array, self.text.contains(name))
                    .map_err(|reason| self.error(format!("column {name:?}: {reason}")))
            })
            .collect::<Result<Vec<Column>>>()?;
        let places = (self.rows + 1..=self.rows + batch.num_rows() as u64).map(Place::Row);
        self.rows += batch.num_rows() as u64;
        crate::data::table::check_names(&self.source, &names)?;
        Ok(Some(Table::new(names, columns)?.with_source(&self.source, places)))
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let batch = match self.rest.take() {
                Some(rest) => rest,
                None => match self.batches.next() {
                    None => return Ok(None),
                    Some(batch) => batch.map_err(|e| self.error(format!("the file is damaged: {e}")))?,
                },
            };
            let rows = batch.num_rows();
            if rows > self.batch {
                self.rest = Some(batch.slice(self.batch, rows - self.batch));
                return Ok(Some(batch.slice(0, self.batch)));
            }
            if rows > 0 {
                return Ok(Some(batch));
            }
        }
    }

    fn error(&self, reason: String) -> Error {
        Error::Source { source_name: self.source.clone(), reason }
    }
}

thread_local! {
    /// True while this thread is inside [`guarded`].
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Runs the decoders of other crates, which panic on some damaged files, and makes that an error. What
/// they leave behind is not used again: a reader that failed hands out nothing more.
fn guarded<T>(source: &str, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    DECODING.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(false);
    outcome.unwrap_or_else(|_| {
        let reason = "the file is damaged: its decoder gave up".to_owned();
        Err(Error::Source { source_name: source.to_owned(), reason })
    })
}

/// Keeps the decoders of Parquet and Arrow from writing to standard error when a damaged file makes them panic;
/// the reader reports it as an [`Error`] in any case. All other panics go to the hook that was there. For
/// programs to call when they start: a library does not change the process by itself.
pub fn quiet_decoders() {
    let loud = take_hook();
    set_hook(Box::new(move |panic| {
        if !DECODING.get() {
            loud(panic);
        }
    }));
}

/// The file itself, or its decompressed copy in a temporary file that vanishes with the reader.
fn seekable(source: Source) -> Result<File> {
    if let Some(file) = source.file {
        return Ok(file);
    }
    let copy = |mut input| {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut input, &mut file)?;
        file.rewind()?;
        Ok(file)
    };
    copy(source.input).map_err(|e| Error::io(source.name, e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn packed_files_are_read_by_path() {
        use crate::data::{read_table, write_table};
        use std::io::Write;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let numbers = Column::Numeric((0..20).map(f64::from).collect());
        let table = Table::new(["a"], vec![numbers]).unwrap();
        write_table(at("t.parquet"), &table).unwrap();
        let bytes = std::fs::read(at("t.parquet")).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).unwrap();
        std::fs::write(at("t.parquet.gz"), gzip.finish().unwrap()).unwrap();
        std::fs::write(at("t.parquet.zst"), zstd::encode_all(&bytes[..], 1).unwrap()).unwrap();
        for name in ["t.parquet", "t.parquet.gz", "t.parquet.zst"] {
            let read = read_table(at(name), &ReadOptions::default()).unwrap();
            assert_eq!(read.numbers("a").unwrap(), table.numbers("a").unwrap(), "{name}");
        }
        // What does not begin so is not copied, which might have no end.
        let options = ReadOptions { format: Some(Format::Parquet), ..ReadOptions::default() };
        let endless = Source::from_reader("endless", Box::new(io::repeat(0))).unwrap();
        let refused = ArrowReader::open(endless, Format::Parquet, &options).err().unwrap().to_string();
        assert!(refused.contains("does not begin as such a file"), "{refused}");
    }

    #[test]
    fn a_panic_of_a_decoder_is_an_error_and_can_be_silent() {
        let heard = Arc::new(AtomicUsize::new(0));
        let (here, before, counter) = (std::thread::current().id(), take_hook(), Arc::clone(&heard));
        set_hook(Box::new(move |panic| {
            // Tests of other threads share the hook.
            match std::thread::current().id() == here {
                true => drop(counter.fetch_add(1, Ordering::Relaxed)),
                false => before(panic),
            }
        }));
        quiet_decoders();
        let error = guarded("f.parquet", || -> Result<()> { panic!("bad page") }).unwrap_err();
        assert_eq!(error.to_string(), "f.parquet: the file is damaged: its decoder gave up");
        assert_eq!(heard.load(Ordering::Relaxed), 0);
        assert!(catch_unwind(|| panic!("elsewhere")).is_err());
        assert_eq!(heard.load(Ordering::Relaxed), 1);
    }
}
