//! Ridge regression on features against exact kernel ridge regression, and its ways of solving against each other.

use super::*;
use crate::batch::{KernelRidge, Quiet};
use crate::features::{LandmarkRule, RandomFeatures};
use crate::matrix::{Csr, Rows};

pub(super) fn cloud(n: usize, d: usize) -> (Matrix, Vec<f64>) {
    let number = |i: usize| ((i as f64) * 12.9898).sin() * 43758.5453 % 1.0;
    let x = Matrix::from_vec((0..n * d).map(number).collect(), n, d).unwrap();
    let noise = |i: usize| 0.1 * number(7 * i + 3);
    let answer = |(i, x): (usize, &[f64])| (3.0 * x[0]).sin() + x[d - 1] * x[0] + noise(i);
    let y = x.view().iter().enumerate().map(answer).collect();
    (x, y)
}

pub(super) fn fixed(rank: usize, ridge: f64) -> FeatureRidge {
    FeatureRidge {
        kernel: Kernel::gaussian(0.7),
        widths: Search::Fixed,
        ridges: Search::Fixed,
        ridge,
        rank,
        estimate: false,
        ..FeatureRidge::default()
    }
}

pub(super) fn values(method: &FeatureRidge, x: &Matrix, y: &[f64]) -> Vec<f64> {
    let fitted = method.fit(&Problem::regression(x, y).unwrap(), &Quiet).unwrap();
    fitted.model.values(cloud(200, x.cols()).0.view()).unwrap().into_data()
}

pub(super) fn worst(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn all_rows_as_landmarks_are_exact_kernel_ridge_regression() {
    for (n, d) in [(300, 1), (400, 3), (500, 6)] {
        let (x, y) = cloud(n, d);
        for ridge in [1e-3, 1e-1, 10.0] {
            let exact =
                KernelRidge { leave_one_out: false, ..KernelRidge::fixed(Kernel::gaussian(0.7), ridge) };
            let exact = exact.fit(&Problem::regression(&x, &y).unwrap(), &Quiet).unwrap().model;
            let exact = exact.values(cloud(200, d).0.view()).unwrap().into_data();
            for precision in [Precision::Double, Precision::Single] {
                let method = FeatureRidge { precision, ..fixed(n, ridge) };
                let off = worst(&exact, &values(&method, &x, &y));
                assert!(off < 1e-6, "{n} rows, {d} features, ridge {ridge}, {precision:?}: {off:e}");
            }
        }
    }
}

#[test]
fn every_way_of_solving_gives_the_same() {
    let (x, y) = cloud(3000, 4);
    let reference = values(&fixed(150, 1e-2), &x, &y);
    let iterative = FeatureRidge { solver: FeatureSolver::Iterative, ..fixed(150, 1e-2) };
    assert!(worst(&reference, &values(&iterative, &x, &y)) < 1e-6);
    let single = FeatureRidge { precision: Precision::Single, ..fixed(150, 1e-2) };
    assert!(worst(&reference, &values(&single, &x, &y)) < 1e-6);
    let batches = (x.view(), Rows::new(&y, 1).unwrap());
    let problem = Problem::regression(&x, &y).unwrap();
    let streamed = fixed(150, 1e-2).fit_batches(&batches, &problem, &Quiet).unwrap();
    let streamed = streamed.model.values(cloud(200, 4).0.view()).unwrap();
    assert!(worst(&reference, streamed.data()) < 1e-9);
    let random = FeatureRidge { basis: Basis::Random { orthogonal: true, paired: true }, ..fixed(150, 1e-2) };
    let direct = values(&random, &x, &y);
    let iterative = FeatureRidge { solver: FeatureSolver::Iterative, ..random };
    assert!(worst(&direct, &values(&iterative, &x, &y)) < 1e-6);
}

#[test]
fn passes_in_single_precision_keep_the_error() {
    let (x, y) = cloud(4000, 4);
    let (all, truth) = cloud(5000, 4);
    let (test, truth) = (all.view().slice(4000, 5000).to_matrix(), &truth[4000..]);
    let outputs: Vec<f64> = y.iter().flat_map(|y| [*y, y * y, 1.0 - y, y.abs(), y.sin()]).collect();
    let five = Rows::new(&outputs, 5).unwrap();
    for (rank, ridge, width) in [(60, 1e-2, 0.7), (150, 1e-3, 0.5), (150, 1.0, 1.0)] {
        let fit = |precision: Precision| {
            let kernel = Kernel::gaussian(vec![width, 2.0 * width, width, 1.5 * width]);
            let solver = FeatureSolver::Iterative;
            let method = FeatureRidge { kernel, solver, precision, ..fixed(rank, ridge) };
            let one = method.fit(&Problem::regression(&x, &y).unwrap(), &Quiet).unwrap().model;
            let many = method.fit(&Problem::multi_output(&x, five).unwrap(), &Quiet).unwrap().model;
            // Few outputs and many take other products.
            let one = one.values(test.view()).unwrap().into_data();
            (one, many.values(test.view()).unwrap().column_to_vec(0))
        };
        let error = |values: &[f64]| -> f64 {
            let squares: f64 = values.iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum();
            (squares / truth.len() as f64).sqrt()
        };
        let ((double, of_many), (single, single_of_many)) = (fit(Precision::Double), fit(Precision::Single));
        assert!(worst(&double, &of_many) < 1e-5, "{rank} {ridge} {width}: {:e}", worst(&double, &of_many));
        for single in [single, single_of_many] {
            assert!(worst(&double, &single) < 1e-3, "{rank} {ridge} {width}: {:e}", worst(&double, &single));
            let ratio = error(&single) / error(&double);
            assert!((ratio - 1.0).abs() < 1e-3, "{rank} {ridge} {width}: {ratio}");
        }
    }
}

#[test]
fn weights_and_several_outputs_are_those_of_single_fits() {
    let (x, y) = cloud(600, 3);
    let other: Vec<f64> = y.iter().map(|y| y * y).collect();
    let both: Vec<f64> = y.iter().zip(&other).flat_map(|(a, b)| [*a, *b]).collect();
    let weights: Vec<f64> = (0..600).map(|i| 0.5 + f64::from(i % 3)).collect();
    for method in [fixed(80, 0.1), FeatureRidge { solver: FeatureSolver::Iterative, ..fixed(80, 0.1) }] {
        let fit = |problem: Problem<'_>| {
            let fitted = method.fit(&problem.with_weights(&weights).unwrap(), &Quiet).unwrap();
            fitted.model.values(x.view()).unwrap()
        };
        let together = fit(Problem::multi_output(&x, Rows::new(&both, 2).unwrap()).unwrap());
        for (c, y) in [&y, &other].into_iter().enumerate() {
            let alone = fit(Problem::regression(&x, y).unwrap());
            assert!(worst(alone.data(), &together.column_to_vec(c)) < 1e-6);
        }
    }
}

#[test]
fn sparse_rows_give_what_dense_ones_give() {
    let (mut x, y) = cloud(500, 5);
    x.data_mut().iter_mut().for_each(|v| *v = if v.abs() < 0.5 { 0.0 } else { *v });
    let sparse = Csr::from_rows(x.view());
    let fit = |x: Points<'_>| {
        let fitted = fixed(60, 0.1).fit(&Problem::regression(x, &y).unwrap(), &Quiet).unwrap();
        fitted.model.values(sparse.view()).unwrap().into_data()
    };
    assert!(worst(&fit((&x).into()), &fit(sparse.view().into())) < 1e-8);
}

#[test]
fn choices_are_made_and_the_estimate_is_honest() {
    let (x, y) = cloud(4000, 3);
    let (all, truth) = cloud(5000, 3);
    let (test, truth) = (all.view().slice(4000, 5000).to_matrix(), &truth[4000..]);
    for basis in [Basis::Landmarks(LandmarkRule::Pivoted), Basis::Random { orthogonal: true, paired: true }] {
        let method = FeatureRidge { basis, rank: 100, ..FeatureRidge::default() };
        let fitted = method.fit(&Problem::regression(&x, &y).unwrap(), &Quiet).unwrap();
        let answers = fitted.model.values(test.view()).unwrap();
        let squares: f64 = answers.data().iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum();
        let (error, expected) = ((squares / 1000.0).sqrt(), fitted.expected.unwrap().error());
        assert!(error < 0.12, "{error}");
        assert!(expected / error < 1.3 && error / expected < 1.3, "{expected} {error}");
    }
}

#[test]
fn the_logistic_loss_reaches_its_minimum() {
    let (x, y) = cloud(700, 2);
    let codes: Vec<usize> = y.iter().map(|y| usize::from(*y > 0.2)).collect();
    let method = FeatureRidge { loss: FeatureLoss::Logistic, ..fixed(60, 0.5) };
    let problem = Problem::classification(&x, &codes, 2).unwrap();
    let model = method.fit(&problem, &Quiet).unwrap().model;
    // The gradient along the constant and along every vector vanishes: sum (p - t) = 0, and in the span of the kernels
    // sum (p - t) k(v, x) + ridge / 4 (K alpha)(v) = 0.
    let p = model.probabilities(x.view()).unwrap();
    let slope: Vec<f64> = (0..700).map(|i| p[(i, 1)] - codes[i] as f64).collect();
    assert!(slope.iter().sum::<f64>().abs() < 1e-3);
    let function = model.expansion().unwrap();
    let k = crate::gram::cross(function.kernel(), function.vectors(), &x).unwrap();
    let between = crate::gram::matrix(function.kernel(), function.vectors()).unwrap();
    for v in 0..function.size() {
        let data: f64 = k.row(v).iter().zip(&slope).map(|(k, s)| k * s).sum();
        let alpha: f64 = (0..function.size()).map(|j| between[(v, j)] * function.weights().row(j)[0]).sum();
        assert!((data + 0.125 * alpha).abs() < 1e-3, "{v}: {}", data + 0.125 * alpha);
    }
}

#[test]
fn random_features_converge_at_the_predicted_rate() {
    let (x, _) = cloud(150, 4);
    for kernel in [
        "gaussian:width=0.8",
        "laplacian:width=1",
        "matern32:width=1",
        "matern52:width=1",
        "inverse-multiquadric:width=1",
    ] {
        let kernel: Kernel = kernel.parse().unwrap();
        for (orthogonal, paired) in [(false, false), (false, true), (true, true), (true, false)] {
            let error = |size: usize| {
                let squared: f64 = (0..12)
                    .map(|seed| RandomFeatures::draw(&kernel, 4, size, orthogonal, paired, seed).unwrap())
                    .map(|map| map.error(&x).unwrap().powi(2))
                    .sum();
                (squared / 12.0).sqrt()
            };
            // The variance of a mean of D terms falls like 1 / D: sixteen times the features, a quarter of the error.
            let (few, many) = (error(128), error(2048));
            assert!((2.8..5.7).contains(&(few / many)), "{kernel} {orthogonal} {paired}: {few} {many}");
            assert!(few < 1.3 / 128f64.sqrt(), "{kernel} {orthogonal} {paired}: {few}");
        }
    }
    assert!(RandomFeatures::draw(&Kernel::Linear, 4, 8, true, true, 0).is_err());
}

#[test]
fn orthogonal_frequencies_are_better_and_widths_of_features_count() {
    let (x, _) = cloud(150, 4);
    let kernel: Kernel = Kernel::gaussian(vec![0.6, 0.9, 1.2, 3.0]);
    let error = |orthogonal| -> f64 {
        let map = |seed| RandomFeatures::draw(&kernel, 4, 64, orthogonal, true, seed).unwrap();
        (0..40).map(|seed| map(seed).error(&x).unwrap().powi(2)).sum::<f64>()
    };
    let (plain, orthogonal) = (error(false), error(true));
    assert!(orthogonal < 0.9 * plain, "{orthogonal} {plain}");
}

#[test]
fn deviations_are_those_of_the_textbook() {
    let (x, y) = cloud(300, 2);
    let new = Matrix::from_vec(vec![0.1, 0.2, -0.7, 0.5, 3.0, -4.0], 3, 2).unwrap();
    for (kind, solver) in [
        (Variance::SubsetOfRegressors, FeatureSolver::Direct),
        (Variance::DeterministicTraining, FeatureSolver::Direct),
        (Variance::DeterministicTraining, FeatureSolver::Iterative),
        (Variance::FullyIndependentTraining, FeatureSolver::Direct),
        (Variance::FullyIndependentTraining, FeatureSolver::Iterative),
    ] {
        let method = FeatureRidge { error_bars: Some(kind), solver, ..fixed(25, 0.3) };
        let model = method.fit(&Problem::regression(&x, &y).unwrap(), &Quiet).unwrap().model;
        let model = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        let found = model.standard_deviation(&new).unwrap();
        let function = model.expansion().unwrap();
        let (kernel, v) = (function.kernel(), function.vectors());
        // [1, K]' [1, K] + ridge [0, K_vv], as a dense matrix.
        let m = v.rows();
        let phi = |x: &[f64]| -> Vec<f64> {
            let k = crate::gram::cross(kernel, Rows::one(x), v).unwrap();
            std::iter::once(1.0).chain(k.data().iter().copied()).collect()
        };
        let rows: Vec<Vec<f64>> = x.view().iter().map(phi).collect();
        let between = crate::gram::matrix(kernel, v).unwrap();
        let landmarks = groat_linalg::Cholesky::factor(between.data().to_vec(), m).unwrap();
        let unexplained = |phi: &[f64]| {
            let mut z = phi[1..].to_vec();
            landmarks.solve_lower(&mut z).unwrap();
            1.0 - crate::simd::dot(&z, &z)
        };
        // The noise of a row, in units of sigma^2.
        let noisy = |phi: &[f64]| match kind {
            Variance::FullyIndependentTraining => 1.0 + unexplained(phi) / 0.3,
            _ => 1.0,
        };
        let noises: Vec<f64> = rows.iter().map(|row| noisy(row)).collect();
        let mut dense = vec![0.0; (m + 1) * (m + 1)];
        for i in 0..=m {
            for j in 0..=m {
                let penalty = if i > 0 && j > 0 { 0.3 * between[(i - 1, j - 1)] } else { 0.0 };
                let sum: f64 = rows.iter().zip(&noises).map(|(row, noise)| row[i] * row[j] / noise).sum();
                dense[i * (m + 1) + j] = sum + penalty;
            }
        }
        let dense = groat_linalg::Cholesky::factor(dense, m + 1).unwrap();
        // sigma^2: residuals over the rows less the trace of the smoother and the constant.
        let (mut left, mut beta) = (300.0, vec![0.0; m + 1]);
        for ((row, noise), y) in rows.iter().zip(&noises).zip(&y) {
            let mut image = row.clone();
            dense.solve(&mut image).unwrap();
            left -= crate::simd::dot(row, &image) / noise;
            crate::simd::axpy(y / noise, row, &mut beta);
        }
        dense.solve(&mut beta).unwrap();
        let squares = rows.iter().zip(&noises).zip(&y);
        let squares = squares.map(|((row, noise), y)| (crate::simd::dot(row, &beta) - y).powi(2) / noise);
        let noise = squares.sum::<f64>() / left;
        for (i, row) in new.view().iter().enumerate() {
            let phi = phi(row);
            let mut image = phi.clone();
            dense.solve(&mut image).unwrap();
            let unexplained =
                if kind == Variance::SubsetOfRegressors { 0.0 } else { unexplained(&phi) / 0.3 };
            let variance = noise * (1.0 + crate::simd::dot(&phi, &image) + unexplained);
            let off = (found[(i, 0)] / variance.sqrt() - 1.0).abs();
            assert!(off < 1e-6, "{kind:?} {solver:?} row {i}: {} {}", found[(i, 0)], variance.sqrt());
        }
    }
}

#[test]
fn deviations_of_random_features_are_those_of_a_linear_model() {
    let (x, y) = cloud(400, 2);
    let basis = Basis::Random { orthogonal: true, paired: true };
    let method = FeatureRidge { basis, error_bars: Some(Variance::DeterministicTraining), ..fixed(20, 0.5) };
    let model = method.fit(&Problem::regression(&x, &y).unwrap(), &Quiet).unwrap().model;
    let model = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let deviations = model.standard_deviation(&x).unwrap();
    // The mean of the variances over the rows: sigma^2 (1 + degrees of freedom / n), constant included.
    let residuals: f64 = model.values(&x).unwrap().data().iter().zip(&y).map(|(a, b)| (a - b).powi(2)).sum();
    let mean = deviations.data().iter().map(|v| v * v).sum::<f64>() / 400.0;
    // With sigma^2 = residuals / (n - freedom), freedom follows from the mean; it lies between 1 and 21 features.
    let noise = model.error_bars().unwrap().noise_variance()[0];
    let freedom = 400.0 - residuals / noise;
    assert!((1.0..21.0).contains(&freedom), "{freedom}");
    assert!((mean / noise - 1.0 - freedom / 400.0).abs() < 1e-9, "{mean} {noise} {freedom}");
}
