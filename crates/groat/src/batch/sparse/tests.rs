//! Fast recursions against their slow definitions.

use super::choose::choose;
use super::moving::{Placement, moved};
use super::path::path;
use super::relevance::Evidence;
use super::samples::Samples;
use super::sums::Sums;
use super::weigh::weigh;
use super::*;
use crate::batch::{KernelRidge, Quiet};
use crate::gram;
use crate::matrix::{Matrix, PointSet, Rows};
use groat_linalg::Cholesky;
use proptest::prelude::*;

/// Rows that look random, with a noisy smooth answer.
fn data(rows: usize, features: usize) -> (Matrix, Vec<f64>) {
    let at = |i: usize| ((i as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0);
    let x = Matrix::from_vec((0..rows * features).map(at).collect(), rows, features).unwrap();
    let noise = |i: usize| 0.2 * (at(i * 7 + 3) - 0.5);
    let y = (0..rows).map(|i| (5.0 * x[(i, 0)]).sin() + x[(i, features - 1)] + noise(i)).collect();
    (x, y)
}

fn samples<'a>(x: &'a Matrix, y: &'a [f64], weights: Option<&'a [f64]>) -> Samples<'a> {
    let problem = Problem::regression(x.view(), y).unwrap();
    let problem = weights.map_or(problem, |weights| problem.with_weights(weights).unwrap());
    Samples::of(&problem, &[], 0, false).unwrap()
}

/// The least penalised sum of squares over functions of some vectors with a free constant, by brute force.
fn least(samples: &Samples<'_>, kernel: &Kernel, terms: &[usize], ridge: f64) -> f64 {
    let n = samples.rows();
    let vectors = samples.points(terms);
    let k = gram::cross(kernel, samples.x, vectors.view()).unwrap();
    let between = gram::matrix(kernel, vectors.view()).unwrap();
    let m = terms.len();
    let (w, y) = (&samples.weights, &samples.y);
    // The constant is the first unknown.
    let column = |j: usize, i: usize| if j == 0 { 1.0 } else { k[(i, j - 1)] };
    let mut a = vec![0.0; (m + 1) * (m + 1)];
    let mut b = vec![0.0; m + 1];
    for j in 0..=m {
        for l in 0..=m {
            let sum: f64 = (0..n).map(|i| w[i] * column(j, i) * column(l, i)).sum();
            let penalty = if j > 0 && l > 0 { ridge * between[(j - 1, l - 1)] } else { 0.0 };
            a[j * (m + 1) + l] = sum + penalty;
        }
        b[j] = (0..n).map(|i| w[i] * column(j, i) * y[(i, 0)]).sum();
    }
    let mut beta = b.clone();
    Cholesky::factor(a, m + 1).unwrap().solve(&mut beta).unwrap();
    let squares: f64 = (0..n).map(|i| w[i] * y[(i, 0)].powi(2)).sum();
    squares - beta.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>()
}

/// The same over all functions, which is the full machine: `ridge y'C^-1 y` with `C = K + ridge I`, less what the
/// constant takes.
fn least_of_all(samples: &Samples<'_>, kernel: &Kernel, ridge: f64) -> f64 {
    let n = samples.rows();
    let mut c = gram::matrix(kernel, samples.x).unwrap();
    (0..n).for_each(|i| c[(i, i)] += ridge);
    let y: Vec<f64> = (0..n).map(|i| samples.y[(i, 0)]).collect();
    let (mut with_y, mut with_ones) = (y.clone(), vec![1.0; n]);
    let factor = Cholesky::factor(c.data().to_vec(), n).unwrap();
    factor.solve(&mut with_y).unwrap();
    factor.solve(&mut with_ones).unwrap();
    let dot = |v: &[f64]| y.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
    ridge * (dot(&with_y) - dot(&with_ones).powi(2) / with_ones.iter().sum::<f64>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Each term of a path is the one that lowers the penalised sum of squares most, as trying them all shows.
    #[test]
    fn a_path_takes_the_best_candidate_each_time(
        seed in 0u64..1000, width in 0.2f64..0.8, ridge in 0.01f64..1.0, weighted in any::<bool>()
    ) {
        let (x, y) = data(40 + (seed % 7) as usize, 2);
        let y: Vec<f64> = y.iter().enumerate().map(|(i, y)| y + (seed as f64 * 0.37 + i as f64).sin()).collect();
        let weights: Vec<f64> = (0..x.rows()).map(|i| 0.5 + (i % 4) as f64).collect();
        let samples = samples(&x, &y, weighted.then_some(&weights[..]));
        let kernel = Kernel::gaussian(width);
        let candidates: Vec<usize> = (0..12).map(|k| k * 3).collect();
        let points = samples.points(&candidates);
        let all: Vec<usize> = (0..x.rows()).collect();
        let shift = vec![0.4; candidates.len()];
        let sums = Sums::of(&samples, &all, &kernel, points.view(), &shift).unwrap();
        let between = gram::matrix(&kernel, points.view()).unwrap();
        let chosen: Vec<usize> = (0..candidates.len()).collect();
        let mut normal = sums.normal(between.data(), &chosen, ridge);
        normal.fill();
        let found = path(&normal, 5, &|| false);
        let mut taken: Vec<usize> = Vec::new();
        for term in &found.terms {
            let with = |j: usize| {
                let terms: Vec<usize> = taken.iter().chain([&j]).map(|&j| candidates[j]).collect();
                least(&samples, &kernel, &terms, ridge)
            };
            let best = (0..candidates.len()).filter(|j| !taken.contains(j)).map(with).fold(f64::INFINITY, f64::min);
            prop_assert!(with(*term) <= best * (1.0 + 1e-9) + 1e-9, "{} against {best}", with(*term));
            taken.push(*term);
        }
    }
}

#[test]
fn terms_that_join_in_groups_are_nearly_as_good_as_one_by_one() {
    let (x, y) = data(600, 3);
    let samples = samples(&x, &y, None);
    let kernel = Kernel::gaussian(0.25);
    let all: Vec<usize> = (0..600).collect();
    let sums = Sums::of(&samples, &all, &kernel, samples.x, &vec![0.0; 600]).unwrap();
    let between = gram::matrix(&kernel, samples.x).unwrap();
    let mut normal = sums.normal(between.data(), &all, 0.05);
    normal.fill();
    // What some terms explain of the sum of squares.
    let mean = y.iter().sum::<f64>() / 600.0;
    let total: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
    let squares = |path: &path::Path| total - least(&samples, &kernel, &path.terms, 0.05);
    let groups = path(&normal, 200, &|| false);
    assert_eq!(groups.terms.len(), 200);
    let mut distinct = groups.terms.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 200);
    // Against all 600 together.
    let everything = path(&normal, 600, &|| false);
    assert!(squares(&groups) > 0.999 * squares(&everything), "{}", squares(&groups) / squares(&everything));
}

#[test]
fn all_rows_as_vectors_are_exact_kernel_ridge_regression() {
    let (x, y) = data(60, 2);
    let weights: Vec<f64> = (0..60).map(|i| 0.5 + (i % 3) as f64 / 2.0).collect();
    let samples = samples(&x, &y, Some(&weights));
    let kernel = Kernel::gaussian(0.4);
    let all: Vec<usize> = (0..60).collect();
    let weighed = weigh(&samples, &all, &kernel, samples.points(&all), 0.1).unwrap();
    let problem = Problem::regression(x.view(), &y).unwrap().with_weights(&weights).unwrap();
    let exact = KernelRidge::fixed(kernel, 0.1).fit(&problem, &Quiet).unwrap();
    let ours = samples.answers(&all, &weighed.model, weighed.vectors.view()).unwrap();
    let theirs = exact.model.values(x.view()).unwrap();
    let worst = ours.data().iter().zip(theirs.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst}");
    let (ours, theirs) = (weighed.leave_one_out(&samples).unwrap(), exact.leave_one_out.unwrap());
    assert!((ours.mean_squared / theirs.mean_squared - 1.0).abs() < 1e-6);
}

/// The gradient by which vectors move, against differences of `J`; and `J` itself against its definition.
#[test]
fn the_slope_of_the_penalised_squares_is_what_differences_say() {
    let (x, y) = data(50, 2);
    let weights: Vec<f64> = (0..50).map(|i| 0.5 + (i % 3) as f64 / 2.0).collect();
    let samples = samples(&x, &y, Some(&weights));
    let rows: Vec<usize> = (0..50).collect();
    let (widths, ridge, terms) = ([0.4, 0.7], 0.05, [3, 14, 25, 36]);
    let place = Placement::new(&samples, &rows, &widths, ridge);
    let z: Vec<f64> = terms.iter().flat_map(|&i| [x[(i, 0)] / widths[0], x[(i, 1)] / widths[1]]).collect();
    let (value, gradient) = place.slope(&z).unwrap().unwrap();
    let kernel = Kernel::gaussian(widths.to_vec());
    assert!((value / least(&samples, &kernel, &terms, ridge) - 1.0).abs() < 1e-9);
    for k in 0..z.len() {
        let at = |step: f64| {
            let mut z = z.clone();
            z[k] += step;
            place.slope(&z).unwrap().unwrap().0
        };
        let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!(
            (gradient[k] - difference).abs() < 1e-6 * (1.0 + difference.abs()),
            "{k}: {} {difference}",
            gradient[k]
        );
    }
}

/// Moved vectors come nearer to the full machine, and never below it.
#[test]
fn vectors_move_to_where_they_serve_better() {
    let (x, y) = data(200, 2);
    let samples = samples(&x, &y, None);
    let rows: Vec<usize> = (0..200).collect();
    let (kernel, ridge, terms) = (Kernel::gaussian(0.3), 0.1, [0, 40, 80, 120, 160, 199]);
    let place = Placement::new(&samples, &rows, &[0.3, 0.3], ridge);
    let value = |vectors: PointSet| {
        let z: Vec<f64> = vectors.into_matrix().data().iter().map(|v| v / 0.3).collect();
        place.slope(&z).unwrap().unwrap().0
    };
    let start = samples.points(&terms);
    let better = moved(&samples, &rows, (&kernel, ridge), vec![start.clone()], 60, &|| false).unwrap();
    let (before, after) = (value(start.clone()), value(better));
    let full = least_of_all(&samples, &kernel, ridge);
    assert!(after < 0.8 * before && after >= full, "{before} {after} {full}");
    let stopped = moved(&samples, &rows, (&kernel, ridge), vec![start.clone()], 60, &|| true).unwrap();
    assert!((value(stopped) / before - 1.0).abs() < 1e-12);
    // Of several starts the best.
    let poor = samples.points(&[0, 1, 2, 3, 4, 5]);
    let both = vec![poor, start.clone()];
    let stopped = moved(&samples, &rows, (&kernel, ridge), both, 60, &|| true).unwrap();
    assert!((value(stopped) / before - 1.0).abs() < 1e-12);
    // A kernel without such a slope keeps its vectors.
    let kept = moved(&samples, &rows, (&Kernel::Linear, ridge), vec![start.clone()], 60, &|| false).unwrap();
    assert_eq!(kept.into_matrix(), start.into_matrix());
}

#[test]
fn leaving_out_a_row_is_fitting_without_it() {
    let (x, y) = data(50, 2);
    let samples = samples(&x, &y, None);
    let (kernel, terms) = (Kernel::gaussian(0.5), [3, 14, 25, 36, 47]);
    let all: Vec<usize> = (0..50).collect();
    let left_out =
        weigh(&samples, &all, &kernel, samples.points(&terms), 0.1).unwrap().leave_one_out(&samples).unwrap();
    for row in [0, 14, 49] {
        let rest: Vec<usize> = (0..50).filter(|&i| i != row).collect();
        let without = weigh(&samples, &rest, &kernel, samples.points(&terms), 0.1).unwrap();
        let answer = samples.answers(&[row], &without.model, without.vectors.view()).unwrap();
        assert!((answer[(0, 0)] - left_out.predictions[(row, 0)]).abs() < 1e-9);
    }
}

#[test]
fn the_grid_knows_the_leave_one_out_error_of_kernel_ridge_regression() {
    let (x, y) = data(80, 2);
    let samples = samples(&x, &y, None);
    let all: Vec<usize> = (0..80).collect();
    let (widths, ridges) = (Search::Grid(vec![0.3, 0.6]), Search::Grid(vec![0.01, 0.5]));
    let order = samples.order.distinct(&all);
    let kernel = Kernel::gaussian(1.0);
    let trials = search::search(&samples, &order, &kernel, (&widths, &ridges), false, 0, &Quiet).unwrap();
    assert_eq!(trials.len(), 4);
    for trial in trials {
        let exact = KernelRidge::fixed(trial.kernel.clone(), trial.ridge);
        let exact = exact.fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap();
        let ratio = trial.score / exact.leave_one_out.unwrap().mean_squared;
        assert!((ratio - 1.0).abs() < 1e-4, "{} {}: {ratio}", trial.kernel, trial.ridge);
    }
}

/// Vectors that almost depend on each other, under a tiny ridge: the weights must not blow up.
#[test]
fn vectors_that_almost_coincide_do_no_harm() {
    let x = Matrix::column((0..120).map(|i| f64::from(i) / 40.0).collect());
    let y: Vec<f64> = (0..120).map(|i| (f64::from(i) / 15.0).sin()).collect();
    let samples = samples(&x, &y, None);
    let (train, held): (Vec<usize>, Vec<usize>) = (0..120).partition(|i| i % 3 != 0);
    let vectors = PointSet::from(Matrix::column(
        (0..60).map(|j| f64::from(j / 2) / 10.0 + f64::from(j % 2) * 1e-7).collect(),
    ));
    let weighed = weigh(&samples, &train, &Kernel::gaussian(1.0), vectors, 1e-9).unwrap();
    let losses =
        samples.losses(&held, &samples.answers(&held, &weighed.model, weighed.vectors.view()).unwrap());
    assert!(losses.error(false) < 1e-4, "{}", losses.error(false));
}

#[test]
fn every_row_is_answered_once_by_a_model_that_never_saw_it() {
    let (x, _) = data(150, 2);
    // Nothing can be learnt: an honest error rate is one half.
    let codes: Vec<usize> = (0..150).map(|i| usize::from((i as f64 * 0.618).fract() > 0.5)).collect();
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let fitted = Sparse::default().fit(&problem, &Quiet).unwrap();
    let expected = fitted.expected.unwrap();
    let mut rows = expected.rows.clone();
    rows.sort_unstable();
    assert_eq!(rows, (0..150).collect::<Vec<_>>());
    assert!(expected.error_rate.unwrap() > 0.4, "{:?}", expected.error_rate);
    assert!(fitted.model.calibration().is_some());
}

/// A random walk that looks back at itself: rows at random would be answered by their neighbours.
#[test]
fn parts_of_a_series_are_stretches_of_it() {
    let mut at = 0.0;
    let x: Vec<f64> = (0..200).map(|i| f64::from(i) / 10.0).collect();
    let noise = |i: usize| ((i as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 0.5;
    let y: Vec<f64> = (0..200)
        .map(|i| {
            at += noise(i);
            at
        })
        .collect();
    let problem = Problem::regression(Rows::new(&x, 1).unwrap(), &y).unwrap();
    let expected = |blocks: bool| {
        let fitted = Sparse { blocks, ..Sparse::default() }.fit(&problem, &Quiet).unwrap();
        fitted.expected.unwrap()
    };
    let (blocks, random) = (expected(true), expected(false));
    assert!(blocks.rows.windows(2).all(|pair| pair[0] < pair[1]), "in order of time");
    assert!(blocks.error() > 1.2 * random.error(), "{} {}", blocks.error(), random.error());
}

#[test]
fn the_tolerance_decides_the_size() {
    let (x, y) = data(400, 2);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let size = |size: Size| {
        Sparse { size, estimate: false, ..Sparse::default() }.fit(&problem, &Quiet).unwrap().model.size()
    };
    let (loose, tight, best) = (size(Size::Within(0.2)), size(Size::Within(0.01)), size(Size::Best));
    assert!(loose < tight && tight <= best, "{loose} {tight} {best}");
    let few = Sparse { max_terms: Some(3), ..Sparse::default() }.fit(&problem, &Quiet).unwrap();
    assert_eq!(few.model.size(), 3);
    assert!(few.notes.iter().any(|note| note.contains("3 vectors are not enough")), "{:?}", few.notes);
}

#[test]
fn many_classes_share_their_vectors() {
    let at = |i: usize| ((i as f64 * 78.233).sin() * 43758.5453).rem_euclid(1.0);
    let codes: Vec<usize> = (0..780).map(|i| i % 26).collect();
    let x: Vec<f64> = (0..780)
        .flat_map(|i| [(i % 26 % 6) as f64 + 0.5 * at(2 * i), (i % 26 / 6) as f64 + 0.5 * at(2 * i + 1)])
        .collect();
    let problem = Problem::classification(Rows::new(&x, 2).unwrap(), &codes, 26).unwrap();
    let fitted = Sparse { estimate: false, ..Sparse::default() }.fit(&problem, &Quiet).unwrap();
    assert_eq!(fitted.model.outputs(), 26);
    let wrong = fitted.model.classify(Rows::new(&x, 2).unwrap()).unwrap();
    let wrong = wrong.iter().zip(&codes).filter(|(a, b)| a != b).count();
    assert!(wrong < 20, "{wrong}");
}

/// A watcher who is out of patience from the start still gets a model, soon.
#[test]
fn a_stop_keeps_the_model_so_far() {
    struct AfterTheGrid(std::sync::atomic::AtomicUsize);
    impl Watch for AfterTheGrid {
        fn stop_requested(&self) -> bool {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 30
        }
    }
    let (x, y) = data(300, 2);
    let samples = samples(&x, &y, None);
    let all: Vec<usize> = (0..300).collect();
    let watch = AfterTheGrid(0.into());
    let choice = choose(&Sparse::default(), &samples, &all, &watch).unwrap();
    assert!(choice.interrupted && !choice.terms.is_empty());
}

/// The slope of the evidence against differences of it, and the evidence against its definition.
#[test]
fn the_slope_of_the_evidence_is_what_differences_say() {
    let (x, y) = data(40, 3);
    let weights: Vec<f64> = (0..40).map(|i| 0.5 + (i % 3) as f64 / 2.0).collect();
    let samples = samples(&x, &y, Some(&weights));
    let rows: Vec<usize> = (0..40).collect();
    let evidence = Evidence::new(&samples, &rows, 0.5);
    let at = [0.3, -0.2, 0.7, 0.05f64.ln()];
    let (value, gradient) = evidence.slope(&at).unwrap().unwrap();
    assert!((value - minus_evidence(&samples, 0.5, &at)).abs() < 1e-9, "{value}");
    for k in 0..at.len() {
        let moved = |step: f64| {
            let mut at = at;
            at[k] += step;
            evidence.slope(&at).unwrap().unwrap().0
        };
        let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!((gradient[k] - difference).abs() < 1e-7, "{k}: {} {difference}", gradient[k]);
    }
}

/// `-2 log evidence` and prior per row as they are defined: of contrasts of the target, which know no constant. The k-th is
/// the mean of the first `k` rows less the next one, at length one.
fn minus_evidence(samples: &Samples<'_>, width: f64, at: &[f64]) -> f64 {
    let (n, d) = (samples.rows(), samples.x.cols());
    let widths: Vec<f64> = at[..d].iter().map(|log| width * log.exp()).collect();
    let mut c = gram::matrix(&Kernel::gaussian(widths), samples.x).unwrap();
    (0..n).for_each(|i| c[(i, i)] += at[d].exp() / samples.weights[i]);
    let contrast = |k: usize, i: usize| {
        let length = ((k * (k + 1)) as f64).sqrt();
        if i < k { 1.0 / length } else { -(k as f64) / length }
    };
    let of =
        |k: usize, value: &dyn Fn(usize) -> f64| -> f64 { (0..=k).map(|i| contrast(k, i) * value(i)).sum() };
    let covariance = |k: usize, l: usize| of(k, &|i| of(l, &|j| c[(i, j)]));
    let all: Vec<f64> =
        (1..n).flat_map(|k| (1..n).map(move |l| (k, l))).map(|(k, l)| covariance(k, l)).collect();
    let y: Vec<f64> = (1..n).map(|k| of(k, &|i| samples.y[(i, 0)])).collect();
    let factor = Cholesky::factor(all, n - 1).unwrap();
    let mut solved = y.clone();
    factor.solve(&mut solved).unwrap();
    let squares: f64 = y.iter().zip(&solved).map(|(a, b)| a * b).sum();
    let prior: f64 = at[..d].iter().map(|log| (log / 2.0).powi(2)).sum();
    let rows = n as f64;
    // The contrasts leave out a direction of which the constant knows the length.
    ((rows - 1.0) * squares.ln() + factor.log_det() + rows.ln() + prior) / rows
}

/// Two of ten features matter: without being asked, the fit finds out which.
#[test]
fn features_that_matter_are_found() {
    let at = |i: usize| ((i as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 0.5;
    let x = Matrix::from_vec((0..3000).map(at).collect(), 300, 10).unwrap();
    let y: Vec<f64> = (0..300).map(|i| (6.0 * x[(i, 2)]).sin() + (5.0 * x[(i, 7)]).cos()).collect();
    let problem = Problem::regression(x.view(), &y).unwrap();
    let fit = |per_feature| {
        Sparse { per_feature, estimate: false, ..Sparse::default() }.fit(&problem, &Quiet).unwrap()
    };
    let fitted = fit(None);
    let relevance = fitted.relevance();
    let mut first: Vec<usize> = relevance[..2].iter().map(|(feature, _)| *feature).collect();
    first.sort_unstable();
    assert_eq!(first, [2, 7]);
    assert!(relevance[2].1 < 0.2 * relevance[1].1, "{relevance:?}");
    let shared = fit(Some(false));
    assert!(shared.relevance().is_empty());
    let error = |fitted: &Fitted| fitted.full.as_ref().unwrap().error;
    assert!(error(&fitted) < 0.5 * error(&shared), "{} {}", error(&fitted), error(&shared));
}
