//! Times of the inner loops of features, as JSON: `features_speed ROWS FEATURES SIZE`.

use groat::features::{RandomFeatures, Statistics};
use groat::{Kernel, Matrix, Rows};
use groat_linalg::{View, ViewMut, Write, add_self_product_single, product};
use std::time::Instant;

/// The least time of three.
fn least(mut work: impl FnMut() -> groat::Result<()>) -> groat::Result<f64> {
    let mut seconds = f64::INFINITY;
    for _ in 0..3 {
        let started = Instant::now();
        work()?;
        seconds = seconds.min(started.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

fn main() -> groat::Result<()> {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<usize>().ok());
    let mut next = |default: usize| numbers.next().unwrap_or(default);
    let (n, d, size) = (next(100_000), next(8), next(1000));
    let x: Vec<f64> = (0..n * d).map(|i| (i as f64 * 12.9898).sin() * 2.0).collect();
    let kernel = Kernel::gaussian(2.0);
    let transform = |paired: bool| {
        let map = RandomFeatures::draw(&kernel, d, size, false, paired, 0)?;
        least(|| map.transform(Rows::new(&x, d)?).map(drop))
    };
    let (cosine, paired) = (transform(false)?, transform(true)?);
    // One block as a fit makes it, over and over.
    let rows = 4096;
    let block = Matrix::from_vec((0..rows * size).map(|i| (i as f64 * 0.37).sin()).collect(), rows, size)?;
    let y = Matrix::column(vec![1.0; rows]);
    let mut sums = Statistics::new(size, 1);
    let double = least(|| (0..8).try_for_each(|_| sums.push(block.view(), y.view(), None)))?;
    let single: Vec<f32> = block.data().iter().map(|v| *v as f32).collect();
    let mut out = vec![0.0; size * size];
    let rough = least(|| Ok((0..8).try_for_each(|_| add_self_product_single(&single, size, &mut out))?))?;
    let side = 2048;
    let a: Vec<f64> = (0..side * side).map(|i| (i as f64 * 0.11).cos()).collect();
    let mut c = vec![0.0; side * side];
    let peak = least(|| {
        let view = View::row_major(&a, side, side)?;
        Ok(product(1.0, view, view, Write::Replace, ViewMut::row_major(&mut c, side, side)?)?)
    })?;
    // A symmetric product has half of the operations of a whole one.
    let flops = 8.0 * (rows * size * size) as f64;
    println!(
        "{{\"cosine\": {cosine}, \"paired\": {paired}, \"sums\": {}, \"sums_single\": {}, \"peak\": {}}}",
        flops / double / 1e9,
        flops / rough / 1e9,
        2.0 * (side as f64).powi(3) / peak / 1e9
    );
    Ok(())
}
