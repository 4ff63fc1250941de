//! Time per sample of the online learners on Mackey-Glass (d = 7), and how it grows with the dictionary.
//!
//! `cargo bench --bench online` prints microseconds per sample (the fastest of several blocks) and the
//! exponent fitted between the two largest dictionaries: near 1 for the LMS family, near 2 for projections.
#![allow(clippy::unwrap_used, reason = "a benchmark may stop")]

use groat::Kernel;
use groat::online::{Learner, Settings};

const DIMENSION: usize = 7;

/// Mackey-Glass, delay 30: Euler steps of 0.1, one value every 6 time units.
fn mackey_glass(n: usize) -> Vec<f64> {
    let (delay, every) = (300, 60);
    let mut x: Vec<f64> = vec![1.2; delay + 1];
    let total = delay + every * (n + 200);
    for t in delay..total {
        let late = x[t - delay];
        x.push(x[t] + 0.1 * (0.2 * late / (1.0 + late.powi(10)) - 0.1 * x[t]));
    }
    (0..n).map(|i| x[delay + every * (i + 200)]).collect()
}

/// Seconds that this thread has run: on a busy machine the wall clock is useless.
#[cfg(target_os = "linux")]
fn seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds since the program began.
#[cfg(not(target_os = "linux"))]
fn seconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Microseconds per sample in the fastest of the blocks after the dictionary is full.
fn time(name: &str, settings: &Settings, series: &[f64], size: usize) -> Option<f64> {
    let mut learner = Learner::new(name, &Kernel::gaussian(0.6), DIMENSION, settings).unwrap();
    let count = series.len() - DIMENSION;
    let mut x = [0.0; DIMENSION];
    let mut present = |learner: &mut Learner, i: usize| {
        for (lag, value) in x.iter_mut().enumerate() {
            *value = series[i + DIMENSION - 1 - lag];
        }
        learner.learn_one(&x, series[i + DIMENSION]).unwrap();
    };
    let full = (0..count).find(|i| {
        present(&mut learner, *i);
        learner.size() >= size
    })?;
    let block = (40_000 / size).clamp(50, 2000);
    let mut best = f64::INFINITY;
    for b in 0..12 {
        let start = seconds();
        for i in 0..block {
            present(&mut learner, (full + b * block + i) % count);
        }
        best = best.min((seconds() - start) * 1e6 / block as f64);
    }
    let refreshes = learner.diagnostics().iter().find(|r| r.name == "refreshes").map_or(0.0, |r| r.value);
    if refreshes > 0.0 {
        println!("{name} at {size}: {refreshes} refreshes in {} steps", learner.steps());
    }
    Some(best)
}

fn main() {
    let series = mackey_glass(20_000);
    let sizes = [50, 100, 200, 500];
    let cases: [(&str, Settings); 5] = [
        ("krls-ald", Settings::new().with("nu", 1e-6)),
        ("spl-coherence", Settings::new().with("mu0", 0.95).with("eta", 0.2)),
        ("mklms-reduce", Settings::new()),
        ("krls-tracker", Settings::new()),
        ("klms-coherence", Settings::new().with("mu0", 0.999).with("eta", 0.01).with("strategy", "freeze")),
    ];
    println!("{:16} {}  exponent", "us per sample", sizes.map(|m| format!("{m:>9}")).concat());
    for (name, settings) in cases {
        let times =
            sizes.map(|m| time(name, &settings.clone().with("budget", m), &series, m).unwrap_or(f64::NAN));
        let exponent = (times[3] / times[2]).ln() / 2.5f64.ln();
        println!("{name:16} {}  {exponent:.2}", times.map(|t| format!("{t:9.2}")).concat());
    }
}
