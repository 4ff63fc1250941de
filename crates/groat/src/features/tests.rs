//! Features and statistics against their slow definitions.

use super::*;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::Matrix;

fn numbers(n: usize, d: usize, seed: f64) -> Matrix {
    let number = |i: usize| ((i as f64 + seed) * 12.9898).sin() * 43758.5453 % 1.0;
    Matrix::from_vec((0..n * d).map(number).collect(), n, d).unwrap()
}

fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let scale = a.iter().fold(1e-300f64, |most, v| most.max(v.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * scale)
}

/// Weighted ridge regression with a free constant, written out.
fn slow_ridge(x: &Matrix, y: &Matrix, weights: &[f64], ridge: f64) -> Vec<f64> {
    let (n, d) = (x.rows(), x.cols());
    let mut a = vec![0.0; (d + 1) * (d + 1)];
    let mut b = vec![0.0; d + 1];
    for i in 0..n {
        let row: Vec<f64> = x.row(i).iter().copied().chain([1.0]).collect();
        for j in 0..=d {
            (0..=d).for_each(|k| a[j * (d + 1) + k] += weights[i] * row[j] * row[k]);
            b[j] += weights[i] * row[j] * y[(i, 0)];
        }
    }
    (0..d).for_each(|j| a[j * (d + 2)] += ridge);
    groat_linalg::Cholesky::factor(a, d + 1).unwrap().solve(&mut b).unwrap();
    b
}

#[test]
fn statistics_solve_what_the_normal_equations_say() {
    let (x, y) = (numbers(300, 7, 0.1), numbers(300, 2, 0.7));
    let weights: Vec<f64> = (0..300).map(|i| 0.5 + f64::from(i % 4)).collect();
    let mut all = Statistics::new(7, 2);
    all.push(x.view(), y.view(), Some(&weights)).unwrap();
    for ridge in [1e-3, 2.0] {
        let found = all.solve(&[ridge]).unwrap().remove(0);
        let want = slow_ridge(&x, &y, &weights, ridge);
        assert!(near(&want[..7], &found.weights.column_to_vec(0), 1e-10));
        assert!((want[7] - found.bias[0]).abs() < 1e-10);
        let answers = found.values(x.view()).unwrap();
        let total: f64 = weights.iter().sum();
        for c in 0..2 {
            let slow: f64 = (0..300).map(|i| weights[i] * (y[(i, c)] - answers[(i, c)]).powi(2)).sum();
            assert!((all.mean_squared(&found).unwrap()[c] - slow / total).abs() < 1e-12);
        }
    }
}

#[test]
fn parts_merge_to_the_whole_however_they_are_cut() {
    let (x, y) = (numbers(1000, 20, 0.3), numbers(1000, 1, 0.9));
    let whole = |cuts: &[usize]| {
        let mut all = Statistics::new(20, 1);
        for pair in cuts.windows(2) {
            let mut part = Statistics::new(20, 1);
            part.push(x.view().slice(pair[0], pair[1]), y.view().slice(pair[0], pair[1]), None).unwrap();
            all.merge(&Statistics::from_bytes(&part.to_bytes().unwrap()).unwrap()).unwrap();
        }
        all
    };
    let one = whole(&[0, 1000]).solve(&[1e-4]).unwrap().remove(0);
    for cuts in [vec![0, 1, 2, 1000], (0..=1000).step_by(8).collect(), vec![0, 999, 1000]] {
        let found = whole(&cuts);
        assert_eq!(found.rows(), 1000);
        let found = found.solve(&[1e-4]).unwrap().remove(0);
        assert!(near(one.weights.data(), found.weights.data(), 1e-8));
    }
    assert!(Statistics::from_bytes(&[1, 2, 3]).is_err());
    let other = Statistics::new(19, 1);
    assert!(whole(&[0, 1000]).merge(&other).is_err());
}

#[test]
fn a_part_judges_a_fit_to_the_others() {
    let (x, y) = (numbers(600, 9, 0.2), numbers(600, 1, 0.4));
    let mut folds = FoldStatistics::new(3, 9, 1);
    for part in 0..3 {
        let rows: Vec<usize> = (0..600).filter(|i| i % 3 == part).collect();
        let (x, y) = (x.view().select(&rows), y.view().select(&rows));
        folds.part_mut(part).unwrap().push(x.view(), y.view(), None).unwrap();
    }
    let found = folds.validate(&[0.5], &[0, 1], &[2]).unwrap()[0];
    let mut want = 0.0;
    for judge in [0, 1] {
        let rows = |part: usize| -> Vec<usize> { (0..600).filter(|i| i % 3 == part).collect() };
        let (train, test) = (rows(1 - judge), rows(judge));
        let (tx, ty) = (x.view().select(&train), y.view().select(&train));
        let w = slow_ridge(&tx, &ty, &[1.0; 200], 0.5);
        for &i in &test {
            let f: f64 = x.row(i).iter().zip(&w).map(|(a, b)| a * b).sum::<f64>() + w[9];
            want += (y[(i, 0)] - f).powi(2) / 400.0;
        }
    }
    assert!((found - want).abs() < 1e-12, "{found} {want}");
}

#[test]
fn single_precision_sums_are_near_those_in_double() {
    let (x, y) = (numbers(3000, 300, 0.3), numbers(3000, 2, 0.9));
    let single = Matrix::from_vec(x.data().iter().map(|v| *v as f32).collect(), 3000, 300).unwrap();
    let (mut a, mut b) = (Statistics::new(300, 2), Statistics::new(300, 2));
    let weights: Vec<f64> = (0..3000).map(|i| 0.5 + f64::from(i % 2)).collect();
    a.push(x.view(), y.view(), Some(&weights)).unwrap();
    b.push_single(single, y.view(), Some(&weights)).unwrap();
    assert!(near(&a.covariance(1.0, 0.0), &b.covariance(1.0, 0.0), 1e-5));
    assert!(near(&a.covariances_with_targets(), &b.covariances_with_targets(), 1e-6));
}

#[test]
fn nystrom_features_are_the_kernel_at_the_landmarks() {
    let x = numbers(120, 3, 0.5);
    for kernel in [Kernel::gaussian(0.6), Kernel::Matern32 { width: 0.5.into() }, Kernel::Linear] {
        let map = Nystrom::new(&kernel, x.view().slice(0, 40)).unwrap();
        let (phi, at) = (map.transform(&x).unwrap(), map.transform(x.view().slice(0, 40)).unwrap());
        let k = gram::cross(&kernel, &x, x.view().slice(0, 40)).unwrap();
        for i in 0..120 {
            for j in 0..40 {
                let product: f64 = phi.row(i).iter().zip(at.row(j)).map(|(a, b)| a * b).sum();
                assert!((product - k[(i, j)]).abs() < 1e-6, "{kernel}");
            }
        }
    }
    assert_eq!(Nystrom::new(&Kernel::Linear, &x).unwrap().size(), 3, "rank three");
}

#[test]
fn every_rule_finds_different_rows_and_repeats_itself() {
    let x = numbers(400, 2, 0.2);
    let kernel = Kernel::gaussian(0.3);
    for name in LandmarkRule::NAMES {
        let rule: LandmarkRule = name.parse().unwrap();
        assert_eq!(rule.to_string(), *name);
        let choose = |seed| rule.choose(&kernel, (&x).into(), 50, seed, &|| Ok(())).unwrap();
        let mut rows = choose(1);
        assert_eq!(rows, choose(1));
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), 50, "{rule}");
    }
    assert!("best".parse::<LandmarkRule>().is_err());
}
