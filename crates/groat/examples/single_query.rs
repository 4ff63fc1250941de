//! Microseconds that a prediction takes when rows come one at a time, and when they come together:
//! `cargo run --release --example single_query`.

use std::time::Instant;

use groat::{Expansion, Kernel, Matrix, Model};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Rows that are predicted.
const QUERIES: usize = 20_000;
/// Rounds, of which the quickest counts.
const ROUNDS: usize = 5;

fn quickest(mut work: impl FnMut() -> groat::Result<()>) -> groat::Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        work()?;
        best = best.min(started.elapsed().as_secs_f64());
    }
    Ok(1e6 * best / QUERIES as f64)
}

fn main() -> groat::Result<()> {
    let mut rng = Pcg64::seed_from_u64(1);
    let mut draw = |rows: usize, cols: usize| {
        Matrix::from_vec((0..rows * cols).map(|_| rng.random::<f64>()).collect(), rows, cols)
    };
    println!("{:48} {:>10} {:>10}", "model", "alone", "together");
    for (what, vectors, features, support) in [
        ("10,000 vectors, 2 features, grid", 10_000, 2, Some(0.01)),
        ("10,000 vectors, 5 features, tree", 10_000, 5, Some(0.1)),
        ("100 vectors, 5 features, Gaussian", 100, 5, None),
        ("1,000 vectors, 20 features, Gaussian", 1_000, 20, None),
    ] {
        let kernel = match support {
            Some(support) => Kernel::compact_for(Kernel::gaussian(0.2), support, features),
            None => Kernel::gaussian(0.5),
        };
        let model = Model::new(Expansion::new(kernel, draw(vectors, features)?, draw(vectors, 1)?)?);
        let queries = draw(QUERIES, features)?;
        let alone = quickest(|| queries.view().iter().try_for_each(|x| model.predict_one(x).map(drop)))?;
        let together = quickest(|| model.predict(queries.view()).map(drop))?;
        println!("{what:48} {alone:>7.2} us {together:>7.2} us");
    }
    Ok(())
}
