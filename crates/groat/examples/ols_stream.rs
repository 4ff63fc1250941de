//! Sparse regression on a file that need not fit memory.
//!
//! ```text
//! cargo run --release -p groat --features arrow --example ols_stream -- data.parquet y 30 2000
//! ```
//!
//! Prints the number of terms, errors, seconds and the largest memory the process has used.

use groat::Kernel;
use groat::batch::forward::{FileBatches, Ols};
use groat::batch::{Progress, Watch};
use groat::data::ReadOptions;
use std::error::Error;
use std::time::Instant;

/// Shows each stage on standard error.
struct Show;
impl Watch for Show {
    fn progress(&self, progress: &Progress<'_>) {
        eprintln!("{}", progress.detail);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, target, terms, candidates] = args.as_slice() else {
        return Err("usage: ols_stream FILE TARGET TERMS CANDIDATES".into());
    };
    let options = ReadOptions { batch: 65_536, ..ReadOptions::default() };
    let start = Instant::now();
    let data = FileBatches::open(file, &options, target, true)?;
    let features = data.inputs().features() as f64;
    let settings =
        Ols::new(Kernel::gaussian(features.sqrt())).max_terms(terms.parse()?).candidates(candidates.parse()?);
    let fitted = settings.fit_batches(&data, &Show)?;
    let loo = fitted.leave_one_out.ok_or("no leave-one-out error")?.mean_square;
    println!("{} terms from {} rows", fitted.model.size(), fitted.model.record().rows);
    println!("leave-one-out mean square error {loo:.4}");
    println!("{:.1} s, {}", start.elapsed().as_secs_f64(), peak_memory());
    Ok(())
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(
        || "memory not known on this system".to_owned(),
        |kb| format!("at most {} in memory", kb.trim()),
    )
}
