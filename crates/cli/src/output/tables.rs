//! Tables as answers: on standard output as CSV or JSON.

use crate::session::{Session, print, stdout_error};
use groat::data::{Column, Table, write_csv};
use serde_json::{Map, Value, json};
use std::io;

/// Prints a whole table, as CSV or (if asked) as an object of columns.
pub fn print_table(session: &Session, table: &Table) -> anyhow::Result<()> {
    if session.json {
        return print(&format!("{:#}\n", json!({ "rows": table.rows(), "columns": columns(table) })));
    }
    write_csv(io::stdout().lock(), table, b',').map_err(stdout_error)
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
