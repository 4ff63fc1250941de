//! Files of formats that are not read here, known by their first bytes, and the way out.

/// What begins so, is that, and can be turned into something else by this.
const FOREIGN: [(&[u8], &str, &str); 10] = [
    (b"PK\x03\x04", "a zip archive (.zip, .xlsx, .ods, .npz)", "unpack it, or save the table as CSV"),
    (b"PK\x05\x06", "an empty zip archive", "it holds no table"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)", "save the table as CSV"),
    (b"BZh", "compressed by bzip2", "unpack it first: bunzip2 -k FILE"),
    (b"\xfd7zXZ\0", "compressed by xz", "unpack it first: xz -dk FILE"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"\x89HDF\r\n", "an HDF5 file", "write the table as Parquet or CSV"),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "write the table as CSV: sqlite3 -csv -header FILE 'select ...'",
    ),
    (b"%PDF-", "a PDF document", "save the table as CSV"),
    (b"ORC", "an ORC file", "write the table as Parquet or CSV"),
];

/// What is wrong with an input that begins with these bytes, and what to do, if it is no format that is read here.
pub(super) fn what_it_is(head: &[u8]) -> Option<String> {
    let known = FOREIGN.iter().find(|(beginning, ..)| head.starts_with(beginning));
    // A line of text may begin with three letters; a binary file goes on with bytes that no text has.
    let known = known.filter(|(beginning, ..)| beginning.len() > 3 || head.iter().any(|byte| *byte < 9));
    known.map(|(_, what, advice)| format!("it is {what}, which is not read here; {advice}"))
}

/// The same for JSON that is not one value a line, by its first line.
pub(super) fn json_over_lines(head: &[u8]) -> Option<String> {
    let line = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty())?;
    let array = match line {
        [b'[', rest @ ..] => rest.is_empty() || matches!(rest.trim_ascii_start().first(), Some(b'{' | b'[')),
        _ => false,
    };
    if array {
        let advice = "one JSON object a line is: jq -c '.[]' FILE > FILE.ndjson";
        return Some(format!("it is a JSON array of rows, which is not read here; {advice}"));
    }
    (line == b"{").then(|| {
        let advice = "one JSON object a line is: jq -c . FILE > FILE.ndjson";
        format!("its JSON goes over several lines, which is not read here; {advice}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_text() {
        for text in ["BZh,a\n1,2\n", "ORC,b\n1,2\n", "PKW,x\n", "a,b\n", "", "%PD\n"] {
            assert_eq!(what_it_is(text.as_bytes()), None, "{text}");
        }
        assert!(what_it_is(b"BZh91AY&SY\x01\x02").unwrap().contains("bzip2"));
        assert!(what_it_is(b"PK\x03\x04xl/workbook").unwrap().contains(".xlsx"));
        for text in ["[\n", " [ {\"a\": 1}]", "[[1, 2],\n", "{\n"] {
            assert!(json_over_lines(text.as_bytes()).is_some(), "{text}");
        }
        for text in ["[1, 2]\n", "{\"a\": 1}\n", "", "[]"] {
            assert_eq!(json_over_lines(text.as_bytes()), None, "{text}");
        }
    }
}
