//! Tables as answers: on standard output as CSV or JSON.

use crate::session::{Session, print, stdout_error};
use groat::data::{Column, Table, write_csv, write_csv_rows};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Prints a whole table, as CSV or (if asked) as an object of columns.
pub fn print_table(session: &Session, table: &Table) -> anyhow::Result<()> {
    if session.json {
        return print(&format!("{:#}\n", json!({ "rows": table.rows(), "columns": columns(table) })));
    }
    write_csv(io::stdout().lock(), table, b',').map_err(stdout_error)
}

/// Writes a part of a table as CSV; the first one has the header.
pub fn write_block(out: &mut dyn Write, block: &Table, delimiter: u8, is_first: bool) -> io::Result<()> {
    if is_first { write_csv(out, block, delimiter) } else { write_csv_rows(out, block, delimiter) }
}

fn columns(table: &Table) -> Map<String, Value> {
    let cells = |column: &Column| -> Value {
        let cell = |row: usize| match column.number(row) {
            Some(number) => json!(number),
            None => json!(column.label(row)),
        };
        (0..table.rows()).map(cell).collect()
    };
    table.names().iter().zip(table.columns()).map(|(name, column)| (name.clone(), cells(column))).collect()
}
