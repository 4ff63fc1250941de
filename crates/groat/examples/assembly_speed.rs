//! Time and memory of assembling a sparse Gram matrix of uniform points:
//! `cargo run --release --example assembly_speed -- ROWS FEATURES NEIGHBOURS`.

use std::f64::consts::PI;
use std::time::Instant;

use groat::gram::SparseGram;
use groat::{Kernel, Rows};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn main() -> groat::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().unwrap_or(0));
    let mut next = |default| arguments.next().filter(|&v| v > 0).unwrap_or(default);
    let (n, d, neighbours) = (next(1_000_000), next(2), next(50) as f64);
    let mut rng = Pcg64::seed_from_u64(1);
    let x: Vec<f64> = (0..n * d).map(|_| rng.random()).collect();
    // The volume of the unit ball by V_d = V_(d-2) 2 pi / d.
    let ball = (1..=d).rev().step_by(2).fold(1.0, |v, k| v * if k == 1 { 2.0 } else { 2.0 * PI / k as f64 });
    let support = (neighbours / n as f64 / ball).powf(1.0 / d as f64);
    let kernel = Kernel::compact_for(Kernel::gaussian(support), support, d);
    let start = Instant::now();
    let gram = SparseGram::assemble(&kernel, Rows::new(&x, d)?, u64::MAX)?;
    let seconds = start.elapsed().as_secs_f64();
    let general = 12.0 * gram.nonzeros() as f64 + 4.0 * n as f64;
    let peak = peak_memory().unwrap_or(f64::NAN);
    println!(
        "{n} rows, {d} features, {:.1} neighbours: {seconds:.2} s, stored {:.0} MB, 12 N + 4 n = {:.0} MB, \
         peak of the process {:.0} MB = {:.2} of it",
        gram.nonzeros() as f64 / n as f64,
        gram.memory() as f64 / 1e6,
        general / 1e6,
        peak / 1e6,
        peak / general,
    );
    Ok(())
}

/// Peak resident memory of this process, where the system tells (Linux).
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024.0)
}
