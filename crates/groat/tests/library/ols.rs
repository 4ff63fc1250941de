//! Orthogonal least squares as a learner: what its settings promise.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::impatient::Impatient;
use groat::batch::density::SparseDensity;
use groat::batch::forward::{ClassCriterion, ClassWeights, Ols, Penalty, Storage, Validation, WidthSearch};
use groat::batch::{Fitted, Method, Problem, Quiet};
use groat::{Error, Kernel, Matrix, Rows};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

fn points(n: usize, d: usize, seed: u64) -> Matrix {
    let mut rng = Pcg64::seed_from_u64(seed);
    Matrix::from_vec((0..n * d).map(|_| rng.random_range(-2.0..2.0)).collect(), n, d).unwrap()
}

fn noisy(x: &Matrix, noise: f64, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut e = || -> f64 { StandardNormal.sample(&mut rng) };
    x.view().iter().map(|x| (1.5 * x[0]).sin() + 0.5 * x[1] + noise * e()).collect()
}

fn rows(fitted: &Fitted) -> Vec<usize> {
    fitted.stages.iter().map(|s| s.row).collect()
}

#[test]
fn whole_weights_are_repeated_rows() {
    let (x, n) = (points(60, 2, 1), 60);
    let y = noisy(&x, 0.1, 2);
    let weights: Vec<f64> = (0..n).map(|i| f64::from(1 + i % 3)).collect();
    let repeated: Vec<usize> = (0..n as usize).flat_map(|i| vec![i; 1 + i % 3]).collect();
    let (xr, yr) = (x.view().select(&repeated), repeated.iter().map(|&i| y[i]).collect::<Vec<_>>());
    // The fit of a given set of terms is the same; leaving out a row is not leaving out one of its copies.
    let settings = Ols::new(Kernel::gaussian(1.0)).penalty(Penalty::Absolute(1e-3)).passes(1).max_terms(1);
    let weighted = Problem::regression(x.view(), &y).unwrap().with_weights(&weights).unwrap();
    let a = settings.fit(&weighted, &Quiet).unwrap();
    let b = settings.fit(&Problem::regression(xr.view(), &yr).unwrap(), &Quiet).unwrap();
    assert_eq!(a.model.expansion().unwrap().vectors().row(0), b.model.expansion().unwrap().vectors().row(0));
    let (fa, fb) = (a.model.values(x.view()).unwrap(), b.model.values(x.view()).unwrap());
    assert!(fa.data().iter().zip(fb.data()).all(|(a, b)| (a - b).abs() < 1e-9));
    assert!((a.stages[0].training - b.stages[0].training).abs() < 1e-10);
}

#[test]
fn every_storage_chooses_the_same_terms() {
    let x = points(400, 3, 3);
    let y = noisy(&x, 0.2, 4);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let fit = |storage| {
        let settings = Ols::new(Kernel::gaussian(1.5)).storage(storage).max_terms(25);
        settings.fit(&problem, &Quiet).unwrap()
    };
    let double = fit(Storage::Double);
    for storage in [Storage::Single, Storage::Recompute, Storage::Auto] {
        let other = fit(storage);
        assert_eq!(rows(&double), rows(&other), "{storage:?}");
        let (a, b) = (double.leave_one_out.as_ref().unwrap(), other.leave_one_out.as_ref().unwrap());
        assert!((a.mean_squared / b.mean_squared - 1.0).abs() < 1e-9);
    }
}

#[test]
fn wide_kernels_outgrow_single_precision() {
    let x = points(300, 2, 21);
    let y = noisy(&x, 0.01, 22);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let fit = |storage| {
        let settings =
            Ols::new(Kernel::gaussian(3.0)).storage(storage).penalty(Penalty::Relative(1e-12)).passes(1);
        settings.fit(&problem, &Quiet).unwrap()
    };
    let (double, single) = (fit(Storage::Double), fit(Storage::Single));
    assert_eq!(rows(&double), rows(&single));
    assert!(double.model.size() > 8);
}

#[test]
fn error_bars_cover_what_they_should() {
    let x = points(300, 2, 5);
    let y = noisy(&x, 0.3, 6);
    let fitted =
        Ols::new(Kernel::gaussian(1.0)).fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap();
    let bars = fitted.model.error_bars().unwrap();
    assert!((bars.noise_variance()[0].sqrt() - 0.3).abs() < 0.05);
    let (xt, n) = (points(2000, 2, 7), 2000.0);
    let yt = noisy(&xt, 0.3, 8);
    let f = fitted.model.values(xt.view()).unwrap();
    let s = fitted.model.standard_deviation(xt.view()).unwrap();
    let inside = (0..2000).filter(|&i| (f[(i, 0)] - yt[i]).abs() < 1.96 * s[(i, 0)]).count() as f64 / n;
    assert!((0.92..0.98).contains(&inside), "{inside}");
    // Far from the data, what the weights do not know adds little, but never takes away.
    let far = fitted.model.standard_deviation(Rows::one(&[50.0, 50.0])).unwrap();
    assert!(far[(0, 0)] >= bars.noise_variance()[0].sqrt());
}

#[test]
fn leave_one_out_predictions_go_with_the_reported_error() {
    let x = points(120, 2, 9);
    let y = noisy(&x, 0.2, 10);
    let fitted =
        Ols::new(Kernel::gaussian(1.0)).fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap();
    let loo = fitted.leave_one_out.unwrap();
    let mean = (0..120).map(|i| (loo.predictions[(i, 0)] - y[i]).powi(2)).sum::<f64>() / 120.0;
    assert!((mean - loo.mean_squared).abs() < 1e-12);
    assert!((fitted.stages.last().unwrap().leave_one_out - mean).abs() < 1e-9);
    let f = fitted.model.values(x.view()).unwrap();
    let training = (0..120).map(|i| (f[(i, 0)] - y[i]).powi(2)).sum::<f64>() / 120.0;
    assert!((fitted.stages.last().unwrap().training - training).abs() < 1e-8);
}

/// Three classes in rings.
fn rings(n: usize, seed: u64) -> (Matrix, Vec<usize>) {
    let x = points(n, 2, seed);
    let codes =
        x.view().iter().map(|x| ((x[0] * x[0] + x[1] * x[1]).sqrt() / 0.9) as usize).map(|c| c.min(2));
    let codes = codes.collect();
    (x, codes)
}

#[test]
fn several_classes_share_one_dictionary() {
    let ((x, codes), (xt, ct)) = (rings(300, 11), rings(1000, 12));
    let problem = Problem::classification(x.view(), &codes, 3).unwrap();
    for criterion in [ClassCriterion::ErrorRate, ClassCriterion::MeanSquared] {
        let fitted = Ols::new(Kernel::gaussian(0.7))
            .class_criterion(criterion)
            .max_terms(40)
            .fit(&problem, &Quiet)
            .unwrap();
        assert_eq!(fitted.model.outputs(), 3);
        let got = fitted.model.classify(xt.view()).unwrap();
        let wrong = got.iter().zip(&ct).filter(|(a, b)| a != b).count();
        assert!(wrong < 120, "{criterion:?}: {wrong} of 1000");
        assert!(fitted.leave_one_out.unwrap().error_rate.unwrap() < 0.2);
    }
}

#[test]
fn balanced_weights_raise_the_share_of_the_rare_class() {
    let x = points(400, 2, 13);
    let mut rng = Pcg64::seed_from_u64(14);
    let codes: Vec<usize> =
        x.view().iter().map(|x| usize::from(x[0] + rng.random_range(-1.5..1.5) > 1.6)).collect();
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let found = |weights| {
        let settings = Ols::new(Kernel::gaussian(1.5)).class_weights(weights);
        let model = settings.fit(&problem, &Quiet).unwrap().model;
        model.classify(x.view()).unwrap().iter().sum::<usize>()
    };
    assert!(found(ClassWeights::Balanced) > found(ClassWeights::Equal));
    let wrong = Ols::new(Kernel::gaussian(1.0)).class_weights(ClassWeights::PerClass(vec![1.0]));
    assert!(matches!(wrong.fit(&problem, &Quiet), Err(Error::Shape { .. })));
}

#[test]
fn the_width_is_found_and_small_models_are_preferred() {
    let x = points(200, 2, 15);
    let y = noisy(&x, 0.2, 16);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let fit =
        |search: WidthSearch| Ols::new(Kernel::gaussian(1.0)).search(search).fit(&problem, &Quiet).unwrap();
    let loo = fit(WidthSearch::new());
    assert_eq!(loo.trials.len(), 10);
    assert!(loo.leave_one_out.as_ref().unwrap().mean_squared < 0.06);
    let folds = fit(WidthSearch::new().widths(vec![0.05, 1.0]).validation(Validation::Folds(4)));
    assert_eq!(folds.model.kernel(), &Kernel::gaussian(1.0));
    let small = fit(WidthSearch::new().one_standard_error(true));
    assert!(small.model.size() <= loo.model.size());
    let each = fit(WidthSearch::new().widths(vec![1.0]).per_feature(true));
    let best = each.trials.iter().map(|t| t.score).fold(f64::INFINITY, f64::min);
    assert!((each.leave_one_out.unwrap().mean_squared - best).abs() < 1e-12);
    assert!(best <= each.trials[0].score);
}

#[test]
fn a_stop_gives_the_model_so_far() {
    let x = points(200, 2, 17);
    let y = noisy(&x, 0.01, 18);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let settings = Ols::new(Kernel::gaussian(0.8));
    let whole = settings.fit(&problem, &Quiet).unwrap();
    let stopped = settings.fit(&problem, &Impatient::after(7)).unwrap();
    assert_eq!(stopped.model.size(), 7);
    assert!(whole.model.size() > 7);
    assert!(stopped.notes.iter().any(|n| n.contains("stopped")));
}

#[test]
fn odd_data_are_no_trouble() {
    let one = Rows::one(&[0.5]);
    let settings = Ols::new(Kernel::gaussian(1.0));
    for bias in [true, false] {
        let settings = settings.clone().bias(bias);
        let single = settings.fit(&Problem::regression(one, &[3.0]).unwrap(), &Quiet);
        assert!(matches!(single, Err(Error::TooFew { .. })));
        let same = Matrix::from_vec(vec![1.0; 20], 10, 2).unwrap();
        let constant = settings.fit(&Problem::regression(same.view(), &[2.0; 10]).unwrap(), &Quiet).unwrap();
        assert!((constant.model.values(same.view()).unwrap()[(0, 0)] - 2.0).abs() < 1e-3);
        let zero = settings.fit(&Problem::regression(same.view(), &[0.0; 10]).unwrap(), &Quiet).unwrap();
        assert_eq!(zero.model.values(same.view()).unwrap()[(3, 0)], 0.0);
    }
    let codes = [0, 0, 0];
    let x = points(3, 1, 19);
    let lone = settings.fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet).unwrap();
    assert_eq!(lone.model.classify(x.view()).unwrap(), [0, 0, 0]);
    for wrong in [
        settings.clone().passes(0),
        settings.clone().max_terms(0),
        settings.clone().candidates(0),
        settings.clone().penalty(Penalty::Relative(-1.0)),
        settings.clone().search(WidthSearch::new().widths(vec![0.0])),
        settings.clone().search(WidthSearch::new().validation(Validation::Folds(1))),
    ] {
        let found = wrong.fit(&Problem::regression(x.view(), &[1.0, 2.0, 3.0]).unwrap(), &Quiet);
        assert!(matches!(found, Err(Error::Parameter { .. })));
    }
}

#[test]
fn a_density_through_the_common_door() {
    let mut rng = Pcg64::seed_from_u64(20);
    let x: Vec<f64> = (0..400)
        .map(|i| if i % 3 == 0 { 3.0 } else { -1.0 } + 0.7 * Distribution::<f64>::sample(&StandardNormal, &mut rng))
        .collect();
    let rows = Rows::new(&x, 1).unwrap();
    let settings = Ols::new(Kernel::gaussian(1.0)).search(WidthSearch::new());
    let fitted = settings.fit(&Problem::density(rows).unwrap(), &Quiet).unwrap();
    assert!(fitted.model.size() < 30 && fitted.trials.len() == 8);
    let grid: Vec<f64> = (0..2000).map(|i| -10.0 + f64::from(i) * 0.01).collect();
    let p = fitted.model.values(Rows::new(&grid, 1).unwrap()).unwrap();
    assert!((p.data().iter().sum::<f64>() * 0.01 - 1.0).abs() < 1e-6);

    let plain = SparseDensity::new().width(0.8).estimate(rows, None, &Quiet).unwrap().density;
    let refined =
        SparseDensity::new().width(0.8).refinement(30).estimate(rows, None, &Quiet).unwrap().density;
    let mean = |d: &groat::batch::density::Density| d.log_density(rows).unwrap().iter().sum::<f64>() / 400.0;
    assert!(mean(&refined) > mean(&plain));
    assert!((refined.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
}
