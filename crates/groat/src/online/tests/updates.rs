//! Update rules against dense recomputation over the whole stream.

use super::{gram, solve};
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::online::{Learner, Settings};

/// A smooth target on a path that does not repeat.
fn stream(n: usize) -> Vec<(Vec<f64>, f64)> {
    let sample = |i: usize| {
        let t = i as f64;
        let x = vec![(0.7 * t).sin() * 1.5, (0.31 * t).cos() * 1.5];
        let y = (x[0] * 2.0).sin() + 0.5 * x[1] + 0.1 * (t * 12.9898).sin();
        (x, y)
    };
    (0..n).map(sample).collect()
}

/// Over a stream in which every sample enters, least squares with a ridge is kernel ridge regression.
#[test]
fn recursive_least_squares_with_a_ridge_is_ridge_regression() {
    let kernel = Kernel::gaussian(0.6);
    let settings = Settings::new().with("nu", 0).with("ridge", 0.05).with("floor", 0);
    let mut learner = Learner::new("krls-ald", &kernel, 2, &settings).unwrap();
    let samples = stream(25);
    for (x, y) in &samples {
        assert!(learner.learn_one(x, *y).unwrap().admitted);
    }
    let vectors: Vec<Vec<f64>> = samples.iter().map(|(x, _)| x.clone()).collect();
    let mut k = gram(&kernel, &vectors);
    (0..25).for_each(|i| k[(i, i)] += 0.05);
    let alpha = solve(&k, &samples.iter().map(|(_, y)| *y).collect::<Vec<_>>());
    let x = [0.3, -0.2];
    let want: f64 = vectors.iter().zip(&alpha).map(|(v, a)| a * kernel.eval(v, &x)).sum();
    super::close(learner.predict_one(&x).unwrap(), want, 1e-9, "prediction");
    let row: Vec<f64> = vectors.iter().map(|v| kernel.eval(v, &x)).collect();
    let explained: f64 = row.iter().zip(solve(&k, &row)).map(|(a, b)| a * b).sum();
    super::close(learner.variance(&x).unwrap().unwrap(), 1.05 - explained, 1e-9, "variance");
}

/// With a dictionary smaller than the stream it minimises `|y - A u|^2 + ridge u^T Q u`, `A` the coordinates of
/// the samples in the dictionary as they were met.
#[test]
fn recursive_least_squares_minimises_its_criterion() {
    for ridge in [0.0, 0.05] {
        let kernel = Kernel::gaussian(0.8);
        let settings = Settings::new().with("nu", 0.1).with("ridge", ridge);
        let mut learner = Learner::new("krls-ald", &kernel, 2, &settings).unwrap();
        let (mut vectors, mut rows, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for (x, y) in stream(150) {
            let step = learner.learn_one(&x, y).unwrap();
            if step.admitted {
                vectors.push(x.clone());
            }
            let k: Vec<f64> = vectors.iter().map(|v: &Vec<f64>| kernel.eval(v, &x)).collect();
            rows.push(solve(&gram(&kernel, &vectors), &k));
            targets.push(y);
        }
        let m = vectors.len();
        assert!((10..60).contains(&m), "{m} vectors");
        let k = gram(&kernel, &vectors);
        let mut normal = Matrix::zeros(m, m);
        let mut right = vec![0.0; m];
        for i in 0..m {
            let mut unit = vec![0.0; m];
            unit[i] = ridge;
            for (j, value) in solve(&k, &unit).into_iter().enumerate() {
                normal[(i, j)] += value;
            }
        }
        for (row, y) in rows.iter().zip(&targets) {
            for i in 0..row.len() {
                right[i] += row[i] * y;
                for j in 0..row.len() {
                    normal[(i, j)] += row[i] * row[j];
                }
            }
        }
        let alpha = solve(&k, &solve(&normal, &right));
        for x in [[0.1, 0.2], [-0.9, 0.4], [1.2, -1.0]] {
            let want: f64 = vectors.iter().zip(&alpha).map(|(v, a)| a * kernel.eval(v, &x)).sum();
            super::close(learner.predict_one(&x).unwrap(), want, 1e-8, "prediction");
        }
    }
}

/// What was seen ahead is given once, in order, and only as long as the basis is the same.
#[test]
fn look_ahead_ends_with_a_change_of_the_basis() {
    use crate::online::state::look_ahead::LookAhead;
    use crate::online::state::{Needs, Tracked};
    use crate::simd::Aligned;
    let mut model =
        Tracked::new(crate::online::state::dictionary::Dictionary::new(&Kernel::gaussian(0.6), 2).unwrap());
    model.keep(Needs::SPAN, 0.0);
    let samples = stream(20);
    let enter =
        |model: &mut Tracked, x: &[f64]| super::with_sample(&model.clone(), x, 1.0, |s| model.push(s, 1.0));
    samples[..9].iter().for_each(|(x, _)| {
        enter(&mut model, x);
    });
    let ahead: Vec<f64> = samples[10..15].iter().flat_map(|(x, _)| x.clone()).collect();
    let ahead = crate::matrix::Rows::new(&ahead, 2).unwrap();
    let mut look_ahead = LookAhead::default();
    let (mut k, mut image) = (Aligned::default(), Aligned::default());
    let Tracked { dictionary, basis: Some(basis), .. } = &mut model else { panic!("a basis") };
    // The basis was another one at the last look, if there was one.
    look_ahead.prepare(dictionary, basis, ahead);
    assert!(!look_ahead.take(basis.changes(), &mut k, &mut image));
    look_ahead.prepare(dictionary, basis, ahead);
    for (x, _) in &samples[10..14] {
        assert!(look_ahead.take(basis.changes(), &mut k, &mut image));
        let mut row = vec![0.0; 9];
        dictionary.row(x, &mut row);
        assert_eq!(k[..], row);
        basis.see(&k.clone(), 1.0, &mut row);
        assert_eq!(image[..], row);
    }
    // Pairs only: the fifth row was not looked at.
    assert!(!look_ahead.take(basis.changes(), &mut k, &mut image));
    look_ahead.prepare(dictionary, basis, ahead);
    basis.shrink(3);
    assert!(!look_ahead.take(basis.changes(), &mut k, &mut image));
}

/// The window holds ridge regression over its samples, whatever left before.
#[test]
fn the_window_is_ridge_regression_over_its_samples() {
    let kernel = Kernel::gaussian(0.7);
    let settings = Settings::new().with("tau", 12).with("ridge", 0.02);
    let mut learner = Learner::new("krls-window", &kernel, 2, &settings).unwrap();
    let samples = stream(400);
    for (x, y) in &samples {
        learner.learn_one(x, *y).unwrap();
    }
    let last = &samples[388..];
    let vectors: Vec<Vec<f64>> = last.iter().map(|(x, _)| x.clone()).collect();
    let mut k = gram(&kernel, &vectors);
    (0..12).for_each(|i| k[(i, i)] += 0.02);
    let alpha = solve(&k, &last.iter().map(|(_, y)| *y).collect::<Vec<_>>());
    let model = learner.snapshot().unwrap().unwrap();
    for (i, want) in alpha.iter().enumerate() {
        super::close(model.weights().row(i)[0], *want, 1e-10, "weight");
    }
}
