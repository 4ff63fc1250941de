//! Prediction intervals: what they hold, and that they survive a file.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use groat::batch::{Method, Problem, Quiet, Sparse};
use groat::model::Intervals;
use groat::{Expansion, Kernel, Matrix, Model, Rows};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Two outputs with noise of different sizes, one of them with long tails.
fn noisy(rows: usize, seed: u64) -> (Vec<f64>, Matrix) {
    let mut draw = Pcg64::seed_from_u64(seed);
    let x: Vec<f64> = (0..rows).map(|_| draw.random_range(-3.0..3.0)).collect();
    let mut y = Matrix::zeros(rows, 2);
    for (row, x) in x.iter().enumerate() {
        let u: f64 = draw.random_range(-1.0..1.0);
        y.row_mut(row).copy_from_slice(&[x.sin() + 0.3 * u, x.cos() + 0.05 * u / (1.01 - u.abs())]);
    }
    (x, y)
}

#[test]
fn new_rows_lie_inside_as_often_as_was_asked() {
    let (x, y) = noisy(400, 1);
    let problem = Problem::multi_output(Rows::new(&x, 1).unwrap(), y.view()).unwrap();
    let model = Sparse::default().fit(&problem, &Quiet).unwrap().model;
    assert_eq!(model.intervals().unwrap().count(), 400);
    let (new_x, new_y) = noisy(4000, 2);
    for coverage in [0.5, 0.8, 0.9, 0.95] {
        let (lower, upper) = model.interval(Rows::new(&new_x, 1).unwrap(), coverage).unwrap();
        for output in 0..2 {
            let inside = (0..4000).filter(|&row| {
                let at = (row, output);
                lower[at] <= new_y[at] && new_y[at] <= upper[at]
            });
            // 400 errors let the coverage itself vary by sqrt(c (1 - c) / 400).
            let (share, room) =
                (inside.count() as f64 / 4000.0, 3.5 * (coverage * (1.0 - coverage) / 400.0f64).sqrt());
            assert!((share - coverage).abs() < room, "output {output}: {share}, asked {coverage}");
        }
    }
}

#[test]
fn a_file_keeps_them() {
    let function = Expansion::new(Kernel::gaussian(1.0), Matrix::zeros(1, 1), Matrix::zeros(1, 2)).unwrap();
    let (_, y) = noisy(3000, 3);
    let intervals = Intervals::of(y.view(), Matrix::zeros(3000, 2).view()).unwrap();
    let model = Model::new(function).with_intervals(Some(intervals)).unwrap();
    let bytes = model.to_bytes().unwrap();
    assert!(bytes.len() < 20_000, "{} bytes", bytes.len());
    let copy = Model::from_bytes(&bytes).unwrap();
    assert_eq!(copy, model);
    assert_eq!(copy.intervals().unwrap().count(), 3000);
    let x = Rows::new(&[0.5], 1).unwrap();
    assert_eq!(copy.interval(x, 0.99).unwrap(), model.interval(x, 0.99).unwrap());
    assert!(Model::new(copy.function().clone()).interval(x, 0.9).is_err());
}
