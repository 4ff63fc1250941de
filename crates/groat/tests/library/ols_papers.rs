//! Orthogonal least squares on the stored data and splits: agreement with a prototype that shares no code.
//!
//! These are agreement tests in a quick form (a few splits each); the full protocol is the command
//! `groat reproduce C7`.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use flate2::read::GzDecoder;
use groat::batch::density::{Parzen, SparseDensity};
use groat::batch::forward::{Ols, Penalty};
use groat::batch::{Fitted, Method, Problem, Quiet};
use groat::{Kernel, Matrix, Rows, testing};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A table of numbers, header dropped.
fn table(path: &Path) -> Matrix {
    let mut text = String::new();
    let file = File::open(path).unwrap();
    if path.extension().is_some_and(|e| e == "gz") {
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
    } else {
        (&file).read_to_string(&mut text).unwrap();
    }
    let mut lines = text.lines();
    let cols = lines.next().unwrap().split(',').count();
    let data: Vec<f64> = lines.flat_map(|l| l.split(',').map(|v| v.parse().unwrap())).collect();
    let rows = data.len() / cols;
    Matrix::from_vec(data, rows, cols).unwrap()
}

struct Set {
    x: Matrix,
    y: Vec<f64>,
    splits: Matrix,
}

impl Set {
    fn load(name: &str) -> Option<Self> {
        let data = table(&testing::shared(&format!("data/{name}/data.csv.gz"))?);
        let splits = table(&testing::shared(&format!("data/{name}/splits.csv.gz"))?);
        let d = data.cols() - 1;
        let x = data.view().iter().flat_map(|r| r[..d].to_vec()).collect();
        Some(Self { x: Matrix::from_vec(x, data.rows(), d).unwrap(), y: data.column_to_vec(d), splits })
    }

    fn part(&self, split: usize, test: bool) -> (Matrix, Vec<f64>) {
        let rows: Vec<usize> =
            (0..self.y.len()).filter(|&i| (self.splits[(i, split)] == 1.0) == test).collect();
        (self.x.view().select(&rows), rows.iter().map(|&i| self.y[i]).collect())
    }
}

fn mse(fitted: &Fitted, x: &Matrix, y: &[f64]) -> f64 {
    let f = fitted.model.values(x.view()).unwrap();
    f.data().iter().zip(y).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / y.len() as f64
}

/// Settings of the source paper as the prototype read them.
fn paper(width: f64) -> Ols {
    Ols::new(Kernel::gaussian(width)).bias(false).penalty(Penalty::Absolute(1e-6)).patience(0)
}

fn scale_to_unit_range(train: &mut Matrix, test: &mut Matrix) {
    for k in 0..train.cols() {
        let column = train.column_to_vec(k);
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = if high > low { high - low } else { 1.0 };
        for matrix in [&mut *train, &mut *test] {
            (0..matrix.rows()).for_each(|i| matrix[(i, k)] = (matrix[(i, k)] - low) / width);
        }
    }
}

#[test]
fn boston_housing_agrees_split_by_split() {
    let Some(set) = Set::load("boston_housing") else { return };
    let Some(stored) = testing::shared("reference/papers/batch_boston_splits.csv") else { return };
    let expected = table(&stored);
    for split in 0..4 {
        let (mut x, y) = set.part(split, false);
        let (mut xt, yt) = set.part(split, true);
        scale_to_unit_range(&mut x, &mut xt);
        for (patience, column) in [(5, 11), (0, 16)] {
            let problem = Problem::regression(x.view(), &y).unwrap();
            let fitted = paper(1.0).patience(patience).fit(&problem, &Quiet).unwrap();
            let want = &expected.row(split)[column..column + 5];
            let got = [
                fitted.model.size() as f64,
                mse(&fitted, &x, &y),
                mse(&fitted, &xt, &yt),
                fitted.leave_one_out.as_ref().unwrap().mean_squared,
            ];
            eprintln!("split {} patience {patience}: {got:.4?} stored {want:.4?}", split + 1);
            assert!((got[0] - want[0]).abs() <= 1.0);
            assert!((got[1] / want[2] - 1.0).abs() < 0.005);
            assert!((got[2] / want[3] - 1.0).abs() < 0.02);
            assert!((got[3] / want[4] - 1.0).abs() < 0.005);
        }
    }
}

fn error_rate(fitted: &Fitted, x: &Matrix, codes: &[usize]) -> f64 {
    let got = fitted.model.classify(x.view()).unwrap();
    got.iter().zip(codes).filter(|(a, b)| a != b).count() as f64 / codes.len() as f64
}

fn codes(y: &[f64]) -> Vec<usize> {
    y.iter().map(|y| usize::from(*y > 0.0)).collect()
}

/// Mean test error and size over the first `splits`, beside those of the prototype.
fn classification(name: &str, stored: &str, settings: &Ols, splits: usize) -> Option<[f64; 4]> {
    let set = Set::load(name)?;
    let expected = table(&testing::shared(&format!("reference/papers/{stored}"))?);
    let mut sums = [0.0; 4];
    for split in 0..splits {
        let (x, y) = set.part(split, false);
        let (xt, yt) = set.part(split, true);
        let labels = codes(&y);
        let problem = Problem::classification(x.view(), &labels, 2).unwrap();
        let fitted = settings.fit(&problem, &Quiet).unwrap();
        let got = [error_rate(&fitted, &xt, &codes(&yt)), fitted.model.size() as f64];
        let want = expected.row(split);
        for (sum, v) in sums.iter_mut().zip([got[0], want[3], got[1], want[1]]) {
            *sum += v / splits as f64;
        }
    }
    eprintln!("{name}: error {:.4} ({:.4}), terms {:.2} ({:.2})", sums[0], sums[1], sums[2], sums[3]);
    Some(sums)
}

#[test]
fn breast_cancer_agrees_on_average() {
    let settings = paper(2.0).penalty(Penalty::Absolute(1.0)).passes(1).patience(3);
    let stored = "batch_classification_breast_splits.csv";
    let Some([error, want_error, terms, want_terms]) =
        classification("ida_breast_cancer", stored, &settings, 20)
    else {
        return;
    };
    assert!((error - want_error).abs() < 0.008 && (terms - want_terms).abs() < 1.5);
}

#[test]
fn diabetes_agrees_on_average() {
    let settings = paper(7.0).passes(1).patience(3);
    let stored = "batch_classification_diabetes_splits.csv";
    let Some([error, want_error, terms, want_terms]) = classification("ida_diabetes", stored, &settings, 20)
    else {
        return;
    };
    assert!((error - want_error).abs() < 0.008 && (terms - want_terms).abs() < 1.5);
}

/// The mixture of a Gaussian and a Laplacian.
fn true_density(x: f64) -> f64 {
    (-0.5 * (x - 2.0).powi(2)).exp() / (2.0 * std::f64::consts::TAU.sqrt())
        + 0.7 / 4.0 * (-0.7 * (x + 2.0).abs()).exp()
}

/// `integral p |p - f|` by the midpoint rule.
fn weighted_l1(density: &groat::batch::density::Density) -> f64 {
    let step = 0.005;
    let grid: Vec<f64> = (0..8000).map(|i| -20.0 + (i as f64 + 0.5) * step).collect();
    let f = density.density(Rows::new(&grid, 1).unwrap()).unwrap();
    grid.iter().zip(&f).map(|(x, f)| true_density(*x) * (true_density(*x) - f).abs() * step).sum()
}

#[test]
fn one_dimensional_density_agrees_on_the_fixed_samples() {
    let Some(samples) = testing::shared("reference/papers/batch_density1d_samples.csv") else { return };
    let Some(expected) = testing::shared("reference/papers/batch_density1d_expected.json") else { return };
    let samples = table(&samples);
    let expected: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
    for s in 0..5 {
        let x = samples.column_to_vec(s);
        let rows = Rows::new(&x, 1).unwrap();
        let want = &expected["expected"][s];
        let parzen = weighted_l1(&Parzen::new().width(0.54).fit(rows).unwrap());
        assert!((parzen - want["parzen_L1"].as_f64().unwrap()).abs() < 1e-6);
        for (passes, name) in [(10, "evidence10"), (1, "single_pass")] {
            let settings = paper(1.1).passes(passes);
            let density = SparseDensity::new().selection(&settings).width(1.1).parzen_width(0.54);
            let estimate = density.estimate(rows, None, &Quiet).unwrap();
            let want = &want[name];
            let first: Vec<u64> = estimate.stages.iter().take(3).map(|s| s.row as u64).collect();
            let l1 = weighted_l1(&estimate.density);
            let kernels = estimate.density.weights().len();
            eprintln!(
                "sample {s} {name}: {} selected, {kernels} kept, L1 {l1:.6}, want {want}",
                estimate.stages.len()
            );
            assert_eq!(
                first,
                want["first_three"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|v| v.as_u64().unwrap())
                    .collect::<Vec<_>>()
            );
            assert!((l1 / want["L1"].as_f64().unwrap() - 1.0).abs() < 0.05);
            assert!(kernels.abs_diff(want["kernels"].as_u64().unwrap() as usize) <= 2);
            let weights = estimate.density.weights();
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|w| *w >= 0.0));
        }
    }
}
