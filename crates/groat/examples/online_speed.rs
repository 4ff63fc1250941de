//! How long an online learner takes per sample, for comparison with other programs on the same numbers.
//!
//! ```text
//! online_speed FILE FEATURES KERNEL PRESET SETTINGS PASSES
//! ```
//!
//! `FILE` holds little-endian doubles: rows of `FEATURES` inputs and one target. The first pass fills the
//! dictionary and is not timed; each later one is, first a sample at a time and then with all rows given at once.
//! Prints one JSON object.

use groat::online::{Learner, Settings, presets};
use groat::{Kernel, Rows};
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
    let x: Vec<f64> = rows.iter().flat_map(|row| &row[..d]).copied().collect();
    let y: Vec<f64> = rows.iter().map(|row| row[d]).collect();
    let kernel = kernel.parse::<Kernel>()?;
    let kernel = presets::find(preset)?.takes_kernel().then_some(&kernel);
    let mut learner = Learner::new(preset, kernel, d, &settings.parse::<Settings>()?)?;
    let passes = passes.parse::<usize>()?.max(1);
    let one_by_one = |learner: &mut Learner| -> Result<(), Box<dyn Error>> {
        for (x, y) in x.chunks_exact(d).zip(&y) {
            learner.learn_one(x, *y)?;
        }
        Ok(())
    };
    let at_once = |learner: &mut Learner| -> Result<(), Box<dyn Error>> {
        learner.learn_many(Rows::new(&x, d)?, &y)?;
        Ok(())
    };
    one_by_one(&mut learner)?;
    let microseconds = least(passes, y.len(), || one_by_one(&mut learner))?;
    let together = least(passes, y.len(), || at_once(&mut learner))?;
    println!(
        "{{\"size\": {}, \"microseconds\": {microseconds}, \"microseconds_at_once\": {together}, \"bytes\": {}}}",
        learner.size(),
        learner.memory_bytes()
    );
    Ok(())
}

/// The least microseconds per sample over `passes` passes.
fn least(
    passes: usize,
    samples: usize,
    mut pass: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..passes {
        let start = Instant::now();
        pass()?;
        best = best.min(1e6 * start.elapsed().as_secs_f64() / samples as f64);
    }
    Ok(best)
}
