//! What a Parquet or Arrow file says of its own parts, checked against its size.
//!
//! The decoders set memory aside for the sizes a file states. A file of a few bytes that states
//! terabytes would end the program, so such a statement is refused before they see it.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use arrow_ipc::{Block, root_as_footer, root_as_message};
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;

use super::thrift::{Stop, Walk};

/// A reason why the file cannot be what it says.
type Checked = std::result::Result<(), String>;

const MAGIC: &[u8] = b"ARROW1";

/// No list in the footer of a Parquet file claims more than the footer can hold. What else is wrong with it is the decoder's to tell.
pub(super) fn check_parquet_footer(file: &mut File) -> Checked {
    let bad = |e: io::Error| e.to_string();
    let length = file.seek(SeekFrom::End(0)).map_err(bad)?;
    let mut end = [0; 8];
    let Some(tail) = length.checked_sub(end.len() as u64) else { return rewind(file) };
    file.seek(SeekFrom::Start(tail)).map_err(bad)?;
    file.read_exact(&mut end).map_err(bad)?;
    let size = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    if let Some(start) = tail.checked_sub(size) {
        file.seek(SeekFrom::Start(start)).map_err(bad)?;
        if let Err(Stop::Claims(size)) = Walk::new(BufReader::new(&mut *file).take(size), size).record(0) {
            return Err(format!("a list in its footer claims {size} elements"));
        }
    }
    rewind(file)
}

/// Nor does one in the header of a page. `start` and `size` are those of a column.
fn check_pages(file: &mut File, start: u64, size: u64) -> Checked {
    /// The header's field with the size of what follows it.
    const SIZE_OF_PAGE: i64 = 3;
    /// Headers are small: no more is read ahead at once than most of them take.
    const AHEAD: usize = 256;
    /// A header has no lists in any version of the format so far.
    const MOST: u64 = 1 << 16;
    let end = start + size;
    let mut at = start;
    while at < end {
        file.seek(SeekFrom::Start(at)).map_err(|e| e.to_string())?;
        let mut header = Walk::new(BufReader::with_capacity(AHEAD, &mut *file).take(end - at), MOST);
        let page = match header.record(SIZE_OF_PAGE) {
            Err(Stop::Claims(size)) => {
                return Err(format!("a list in the header of a page claims {size} elements"));
            }
            Ok(Some(size)) => u64::try_from(size),
            // Beyond the last page, or damaged: the decoder stops here too.
            Ok(None) | Err(Stop::Damaged) => break,
        };
        let Ok(page) = page else { break };
        at = at.saturating_add(header.read).saturating_add(page);
    }
    Ok(())
}

/// Every column chunk lies within the file, and its pages are what they can be.
pub(super) fn check_parquet(metadata: &ParquetMetaData, file: &mut File) -> Checked {
    let length = file.metadata().map_err(|e| e.to_string())?.len();
    let columns = || metadata.row_groups().iter().flat_map(|group| group.columns());
    let unknown = |codec: &Compression| matches!(codec, Compression::BROTLI(_) | Compression::LZO);
    if let Some(codec) = columns().map(|column| column.compression()).find(unknown) {
        let name = codec.to_string();
        let name = name.split('(').next().unwrap_or_default();
        return Err(format!("it is compressed by {name}; write it with zstd, snappy, gzip or lz4"));
    }
    let mut ranges = columns().map(|column| column.byte_range());
    if ranges.any(|(start, size)| start.checked_add(size).is_none_or(|end| end > length)) {
        return Err("a column lies beyond the end of the file".into());
    }
    columns().map(|column| column.byte_range()).try_for_each(|(start, size)| check_pages(file, start, size))
}

/// Every block that the footer of an Arrow file names lies within the file.
pub(super) fn check_arrow_file(file: &mut File) -> Checked {
    let bad = |e: io::Error| e.to_string();
    let length = file.seek(SeekFrom::End(0)).map_err(bad)?;
    let tail = MAGIC.len() as u64 + 4;
    if length < 2 * tail {
        return Err("it ends early".into());
    }
    let mut end = [0; 10];
    file.seek(SeekFrom::Start(length - tail)).map_err(bad)?;
    file.read_exact(&mut end).map_err(bad)?;
    let size = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    if &end[4..] != MAGIC || size > length - tail {
        return Err("it has no footer".into());
    }
    let mut footer = vec![0; size as usize];
    file.seek(SeekFrom::Start(length - tail - size)).map_err(bad)?;
    file.read_exact(&mut footer).map_err(bad)?;
    let footer = root_as_footer(&footer).map_err(|e| e.to_string())?;
    let fits = |block: &Block| {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let end = parts.iter().try_fold(0_u64, |sum, &part| sum.checked_add(u64::try_from(part).ok()?));
        end.is_some_and(|end| end <= length)
    };
    let blocks = footer.recordBatches().into_iter().chain(footer.dictionaries()).flatten();
    if blocks.into_iter().all(fits) {
        rewind(file)
    } else {
        Err("a block lies beyond the end of the file".into())
    }
}

/// Every message of an Arrow stream lies within the file that holds the stream.
pub(super) fn check_arrow_stream(file: &mut File) -> Checked {
    const CONTINUATION: [u8; 4] = [0xff; 4];
    let bad = |e: io::Error| e.to_string();
    let length = file.seek(SeekFrom::End(0)).map_err(bad)?;
    let mut at = 0;
    while at + 4 <= length {
        let mut word = [0; 4];
        file.seek(SeekFrom::Start(at)).map_err(bad)?;
        file.read_exact(&mut word).map_err(bad)?;
        at += 4;
        // Streams of old writers have the size without the mark before it.
        if word == CONTINUATION {
            file.read_exact(&mut word).map_err(bad)?;
            at += 4;
        }
        let size = u64::from(u32::from_le_bytes(word));
        if size == 0 {
            break;
        }
        if size > length - at {
            return Err("a message lies beyond the end of the file".into());
        }
        let mut message = vec![0; size as usize];
        file.read_exact(&mut message).map_err(bad)?;
        at += size;
        let body = root_as_message(&message).map_err(|e| e.to_string())?.bodyLength();
        match u64::try_from(body) {
            Ok(body) if body <= length - at => at += body,
            _ => return Err("the body of a message lies beyond the end of the file".into()),
        }
    }
    rewind(file)
}

fn rewind(file: &mut File) -> Checked {
    file.rewind().map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, RowGroupMetaData};
    use parquet::schema::{parser::parse_message_type, types::SchemaDescriptor};
    use std::io::Write;
    use std::sync::Arc;

    /// Of a list with two thousand million truth values, and the end of the record it stands in.
    const CLAIM: [u8; 8] = [0xf9, 0xf2, 0xff, 0xff, 0xff, 0xff, 0x07, 0];

    /// What opening a file says whose bytes these are.
    fn refusal(bytes: &[u8]) -> String {
        let mut file = tempfile::Builder::new().suffix(".parquet").tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let read = crate::data::read_table(file.path(), &crate::data::ReadOptions::default());
        read.map(|_| String::new()).unwrap_or_else(|e| e.to_string())
    }

    #[test]
    fn lists_that_claim_to_be_huge_are_refused_before_they_are_walked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let column = crate::data::Column::Numeric((0..100).map(|i| f64::from(i).sqrt()).collect());
        crate::data::write_table(&path, &crate::data::Table::new(["a"], vec![column]).unwrap()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(refusal(&whole), "");
        let tail = whole.len() - 8;
        let size = u32::from_le_bytes(whole[tail..tail + 4].try_into().unwrap());
        // The claim in place of the byte that ends the footer.
        let mut footer = [&whole[..tail - 1], &CLAIM].concat();
        footer.extend((size + 7).to_le_bytes());
        footer.extend(b"PAR1");
        assert!(
            refusal(&footer).contains("a list in its footer claims 2147483647 elements"),
            "{}",
            refusal(&footer)
        );
        // In place of the byte that ends the header of the first page, over the values behind it.
        let mut first = Walk::new(&whole[4..], 0);
        first.record(0).unwrap();
        let mut page = whole.clone();
        let end = 4 + first.read as usize - 1;
        page[end..end + CLAIM.len()].copy_from_slice(&CLAIM);
        assert!(refusal(&page).contains("header of a page claims 2147483647 elements"), "{}", refusal(&page));
    }

    #[test]
    fn compression_that_is_not_known_here_is_named() {
        let schema = parse_message_type("message m { required double x; }").unwrap();
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
        let compressed = |codec| {
            let column =
                ColumnChunkMetaData::builder(schema.column(0)).set_compression(codec).build().unwrap();
            let group = RowGroupMetaData::builder(schema.clone()).set_column_metadata(vec![column]);
            let file = FileMetaData::new(1, 0, None, None, schema.clone(), None);
            let metadata = ParquetMetaData::new(file, vec![group.build().unwrap()]);
            check_parquet(&metadata, &mut tempfile::tempfile().unwrap())
        };
        assert_eq!(compressed(Compression::SNAPPY), Ok(()));
        let refused = compressed(Compression::BROTLI(Default::default())).unwrap_err();
        assert!(refused.contains("BROTLI") && refused.contains("zstd"), "{refused}");
    }
}
