//! `groat fit --dry-run`: what a fit would take. The first rows of the file are read, and nothing else.

use super::matrix::KernelMatrix;
use super::plan::Plan;
use crate::output::summary::{Summary, duration};
use crate::session::Session;
use groat::batch::Sizes;
use groat::data::{Dataset, Inputs, ReadOptions, Table, TableReader};
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Rows that are looked at, and bytes of a file whose rows are not counted at its start.
const LOOKED_AT: usize = 2000;
const BEGINNING: u64 = 1 << 20;

/// What a fit would take. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    source: String,
    /// Rows of the file; an estimate from its size unless the file says it.
    rows: usize,
    rows_are_exact: bool,
    training_rows: usize,
    features: usize,
    method: String,
    streamed: bool,
    /// How it would be solved.
    solver: String,
    /// How the kernel matrix would stand, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_matrix: Option<KernelMatrix>,
    /// Bytes of the data in memory, and of the fit besides.
    data_bytes: u64,
    fit_bytes: u64,
    seconds: f64,
}

/// Runs the command.
pub fn run(plan: &Plan, session: &Session) -> anyhow::Result<()> {
    let reading = ReadOptions { batch: LOOKED_AT, ..plan.reading.clone() };
    let mut reader = TableReader::open(&plan.data, &reading)?;
    let Some(table) = reader.next() else { anyhow::bail!("{} has no rows", plan.data.display()) };
    let table: Table = table?;
    let known = reader.total_rows();
    let rows = match known {
        Some(rows) => rows,
        None if table.rows() < LOOKED_AT => table.rows(),
        None => by_size(&plan.data, &table),
    };
    let targets = plan.targets(&table)?;
    let inputs = Inputs::fit(&table, &plan.input_options(&targets))?;
    let features = inputs.features();
    let (data, _) = Dataset::from_table(&table, inputs, plan.task.into(), None)?;
    let training_rows = (rows as f64 * (1.0 - plan.test_fraction())).round() as usize;
    let method = plan.method_for(&data)?;
    let sizes = Sizes::of(&data.problem()?);
    let estimate = method.estimate(&sizes.rows(training_rows))?;
    let streamed = plan.streams()?;
    let answer = Answer {
        source: table.source().to_owned(),
        rows,
        rows_are_exact: known.is_some() || table.rows() < LOOKED_AT,
        training_rows,
        features,
        method: plan.method.clone(),
        streamed,
        data_bytes: if streamed { 0 } else { sizes.rows(rows).bytes() + 8 * rows as u64 },
        kernel_matrix: estimate.matrix.as_ref().map(KernelMatrix::of),
        fit_bytes: estimate.bytes,
        seconds: estimate.seconds()?,
        solver: estimate.solver,
    };
    session.answer(&answer, || answer.text())
}

/// Rows of a file, from its size and its beginning: the length of a line of text tells; of a compressed file a line takes
/// some three bytes for each column.
fn by_size(path: &Path, table: &Table) -> usize {
    let size = path.metadata().map_or(0, |file| file.len());
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut start));
    let compressed = start.starts_with(&[0x1f, 0x8b]) || start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let lines = start.iter().filter(|byte| **byte == b'\n').count();
    let line = match read {
        Ok(read) if !compressed && lines > 0 => read as f64 / lines as f64,
        _ => 3.0 * table.names().len().max(1) as f64,
    };
    ((size as f64 / line) as usize).max(table.rows())
}

impl Answer {
    fn text(&self) -> String {
        let about = if self.rows_are_exact { "" } else { "about " };
        let bytes = |bytes: u64| format!("{:.0} MB", (bytes as f64 / 1e6).max(1.0));
        let held = if self.streamed { "read in batches".to_owned() } else { bytes(self.data_bytes) };
        Summary::default()
            .line("data", &self.source)
            .line("rows", format!("{about}{}, {} to learn from", self.rows, self.training_rows))
            .line("features", self.features.to_string())
            .line("method", &self.method)
            .line("solver", &self.solver)
            .maybe("kernel matrix", self.kernel_matrix.as_ref().map(KernelMatrix::text))
            .line("data in memory", held)
            .line("fit in memory", bytes(self.fit_bytes))
            .line("time", format!("about {}", duration(Duration::from_secs_f64(self.seconds))))
            .line("note", "nothing was fitted and nothing written (--dry-run)")
            .to_text()
    }
}
