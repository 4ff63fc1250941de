//! What scikit-learn gets on the same splits and samples: recorded, or from a file. Shown beside our numbers, never
//! judged.

use groat::data::{ReadOptions, Table, TableReader, read_table};
use groat_report::number;
use std::collections::HashMap;
use std::path::Path;

/// Written by `comparisons/run ols/peers`: 100 realisations, seed 0.
const RECORDED: &str = include_str!("peers.csv");

/// Results of peers by name of the line.
pub struct Peers(HashMap<String, String>);

impl Peers {
    /// Those of a file, or the recorded ones.
    pub fn read(file: Option<&Path>) -> anyhow::Result<Self> {
        let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
        let (table, said) = match file {
            Some(file) => (read_table(file, &options)?, ""),
            None => {
                let text = std::io::Cursor::new(RECORDED.as_bytes());
                (TableReader::from_reader("recorded peers", text, &options)?.read_all()?, ", recorded")
            }
        };
        let column =
            |table: &Table, name: &str| Ok::<_, groat::Error>(table.column(table.find(name)?).clone());
        let (line, peer) = (column(&table, "line")?, column(&table, "peer")?);
        let (mean, deviation) = (table.numbers("mean")?, table.numbers("deviation")?);
        let entry = |row: usize| {
            let name = line.label(row).unwrap_or_default().into_owned();
            let spread =
                if deviation[row] > 0.0 { format!(" ± {}", number(deviation[row])) } else { String::new() };
            let peer = peer.label(row).unwrap_or_default();
            (name, format!("scikit-learn {peer} {}{spread}{said}", number(mean[row])))
        };
        Ok(Self((0..table.rows()).map(entry).collect()))
    }

    /// What is known for a line; empty when nothing is.
    pub fn get(&self, line: &str) -> &str {
        self.0.get(line).map_or("", String::as_str)
    }
}
