//! Seconds of ridge regression on landmarks for made-up rows, as JSON:
//! `landmark_speed ROWS RANK double|single RULE [direct|iterative]`.

use groat::batch::{Basis, FeatureRidge, FeatureSolver, Method, Problem, Quiet, Search};
use groat::features::Precision;
use groat::{Kernel, Matrix};
use std::time::Instant;

fn main() -> groat::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, default: &'static str| words.get(at).map_or(default, String::as_str);
    let number = |at: usize, default: usize| word(at, "").parse().unwrap_or(default);
    let (n, d, rank) = (number(0, 100_000), 8, number(1, 1000));
    // A cheap generator: the numbers need no quality.
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let x = Matrix::from_vec((0..n * d).map(|_| 3.4 * next() - 1.7).collect(), n, d)?;
    let y: Vec<f64> = x.view().iter().map(|x| (x[0] + x[1]).sin() + 0.5 * x[2] * x[3]).collect();
    let method = FeatureRidge {
        kernel: Kernel::gaussian(2.0),
        widths: Search::Fixed,
        ridges: Search::Fixed,
        basis: Basis::Landmarks(word(3, "uniform").parse()?),
        rank,
        precision: if word(2, "double") == "single" { Precision::Single } else { Precision::Double },
        solver: match word(4, "auto") {
            "direct" => FeatureSolver::Direct,
            "iterative" => FeatureSolver::Iterative,
            _ => FeatureSolver::Auto,
        },
        estimate: false,
        ..FeatureRidge::default()
    };
    let started = Instant::now();
    let fitted = method.fit(&Problem::regression(&x, &y)?, &Quiet)?;
    let seconds = started.elapsed().as_secs_f64();
    let notes = fitted.notes.join("; ");
    println!("{{\"rows\": {n}, \"rank\": {rank}, \"seconds\": {seconds:.3}, \"notes\": \"{notes}\"}}");
    Ok(())
}
