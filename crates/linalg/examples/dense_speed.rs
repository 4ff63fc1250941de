//! Seconds for the dense factorisation and product: `cargo run --release --example dense_speed -- 4000`.

use std::time::Instant;

use groat_linalg::{Cholesky, View, ViewMut, Write, product};

fn main() {
    let n: usize = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(4000);
    let entry = |i: usize, j: usize| (-((i as f64 - j as f64) / 30.0).abs()).exp();
    let a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    for _ in 0..3 {
        let copy = a.clone();
        let start = Instant::now();
        let factor = Cholesky::factor(copy, n);
        let seconds = start.elapsed().as_secs_f64();
        let gflops = (n as f64).powi(3) / 3.0 / seconds / 1e9;
        println!("cholesky n = {n}: {seconds:.3} s, {gflops:.1} Gflop/s, ok {}", factor.is_ok());
    }
    let mut out = vec![0.0; n * n];
    let (Ok(view), Ok(target)) = (View::row_major(&a, n, n), ViewMut::row_major(&mut out, n, n)) else {
        return;
    };
    let start = Instant::now();
    let done = product(1.0, view, view, Write::Replace, target);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "product n = {n}: {seconds:.3} s, {:.1} Gflop/s, ok {}",
        2.0 * (n as f64).powi(3) / seconds / 1e9,
        done.is_ok()
    );
}
