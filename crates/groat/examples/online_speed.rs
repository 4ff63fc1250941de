//! How long an online learner takes per sample, for comparison with other programs on the same numbers.
//!
//! ```text
//! online_speed FILE FEATURES KERNEL PRESET SETTINGS PASSES
//! ```
//!
//! `FILE` holds little-endian doubles: rows of `FEATURES` inputs and one target. The first pass fills the
//! dictionary and is not timed; each later one is. Prints one JSON object.

use groat::Kernel;
use groat::online::{Learner, Settings};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, features, kernel, preset, settings, passes] = &args[..] else {
        return Err("six arguments, please".into());
    };
    let d: usize = features.parse()?;
    let numbers: Vec<f64> = std::fs::read(file)?
        .chunks_exact(8)
        .map(|b| b.try_into().map(f64::from_le_bytes))
        .collect::<Result<_, _>>()?;
    let rows: Vec<&[f64]> = numbers.chunks_exact(d + 1).collect();
    let mut learner = Learner::new(preset, &kernel.parse::<Kernel>()?, d, &settings.parse::<Settings>()?)?;
    let mut pass = || -> Result<f64, groat::Error> {
        let start = Instant::now();
        for row in &rows {
            learner.learn_one(&row[..d], row[d])?;
        }
        Ok(1e6 * start.elapsed().as_secs_f64() / rows.len() as f64)
    };
    pass()?;
    let mut best = f64::INFINITY;
    for _ in 0..passes.parse::<usize>()?.max(1) {
        best = best.min(pass()?);
    }
    println!(
        "{{\"size\": {}, \"microseconds\": {best}, \"bytes\": {}}}",
        learner.size(),
        learner.memory_bytes()
    );
    Ok(())
}
