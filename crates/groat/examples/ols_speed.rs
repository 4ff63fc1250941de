//! How long orthogonal least squares takes, for comparison with other programs on the same numbers.
//!
//! ```text
//! ols_speed FILE ROWS FEATURES WIDTH TERMS [CANDIDATES] [REPEATS]
//! ```
//!
//! `FILE` holds little-endian doubles: `ROWS x FEATURES` training inputs, `ROWS` targets, then test rows of
//! `FEATURES` inputs and one target each until its end. `WIDTH` may be `auto`: then one width per feature is found
//! by leave-one-out, and the time includes that. Prints one JSON object.

use groat::batch::forward::{Ols, WidthSearch};
use groat::batch::{Method, Problem, Quiet};
use groat::{Kernel, Matrix, Rows};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).map(|a| a.parse::<usize>()).transpose();
    let [file, rows, features, width, terms] = args.get(..5).ok_or("five arguments, please")? else {
        return Err("five arguments, please".into());
    };
    let (n, d): (usize, usize) = (rows.parse()?, features.parse()?);
    let bytes = std::fs::read(file)?;
    let numbers: Vec<f64> =
        bytes.chunks_exact(8).map(|b| b.try_into().map(f64::from_le_bytes)).collect::<Result<_, _>>()?;
    let (train, test) = numbers.split_at(n * (d + 1));
    let (x, y) = train.split_at(n * d);
    let mut settings = match width.as_str() {
        "auto" => Ols::new(Kernel::gaussian(1.0)).search(WidthSearch::new().per_feature(true)),
        width => Ols::new(Kernel::gaussian(width.parse::<f64>()?)).passes(1).patience(1_000_000),
    }
    .max_terms(terms.parse()?);
    if let Some(candidates) = number(5)? {
        settings = settings.candidates(candidates);
    }
    let problem = Problem::regression(Rows::new(x, d)?, y)?;
    let mut best = f64::INFINITY;
    let mut fitted = None;
    for _ in 0..number(6)?.unwrap_or(1) {
        let start = Instant::now();
        fitted = Some(settings.fit(&problem, &Quiet)?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let model = fitted.ok_or("at least one repeat, please")?.model;

    let count = test.len() / (d + 1);
    let inputs = test.chunks_exact(d + 1).flat_map(|r| r[..d].to_vec()).collect();
    let inputs = Matrix::from_vec(inputs, count, d)?;
    let mut predict = f64::INFINITY;
    let mut mse = 0.0;
    for _ in 0..5 {
        let start = Instant::now();
        let values = model.values(inputs.view())?;
        predict = predict.min(start.elapsed().as_secs_f64());
        let errors = values.data().iter().zip(test.chunks_exact(d + 1)).map(|(f, r)| (f - r[d]).powi(2));
        mse = errors.sum::<f64>() / count as f64;
    }
    println!(
        "{{\"terms\": {}, \"fit_seconds\": {best:.6}, \"predict_seconds\": {predict:.6}, \"test_mse\": {mse:.8}}}",
        model.size()
    );
    Ok(())
}
