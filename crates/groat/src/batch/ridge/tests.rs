use super::*;
use crate::batch::{LeastSquaresSvm, Quiet};
use crate::matrix::Rows;
use proptest::prelude::*;

fn data(n: usize, d: usize, seed: u64) -> (Matrix, Vec<f64>) {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
    let x: Vec<f64> = (0..n * d).map(|_| rng.random_range(-2.0..2.0)).collect();
    let y = x.chunks(d).map(|r| r[0].sin() + 0.1 * rng.random_range(-1.0..1.0)).collect();
    (Matrix::from_vec(x, n, d).unwrap(), y)
}

/// Fits without sample `i` and predicts it.
fn without(params: &KernelRidge, x: &Matrix, y: &[f64], w: Option<&[f64]>, i: usize) -> f64 {
    let keep: Vec<usize> = (0..x.rows()).filter(|j| *j != i).collect();
    let (xs, ys): (Matrix, Vec<f64>) = (x.view().select(&keep), keep.iter().map(|j| y[*j]).collect());
    // The weights are normalised to mean 1 inside, so the ridge has to follow for the same problem.
    let ws: Option<Vec<f64>> = w.map(|w| keep.iter().map(|j| w[*j]).collect());
    let mean = |w: &[f64]| w.iter().sum::<f64>() / w.len() as f64;
    let factor = w.zip(ws.as_deref()).map_or(1.0, |(w, ws)| mean(w) / mean(ws));
    let params = KernelRidge { ridge: params.ridge * factor, ..params.clone() };
    let mut problem = Problem::regression(xs.view(), &ys).unwrap();
    problem.weights = ws.as_deref();
    params.fit(&problem, &Quiet).unwrap().model.predict_one(x.row(i)).unwrap()[0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn leave_one_out_equals_leaving_one_out(
        n in 4usize..20, d in 1usize..4, seed in 0u64..1000, ridge in 0.01..1.0f64, bias: bool, weighted: bool,
    ) {
        let (x, y) = data(n, d, seed);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let w = weighted.then_some(weights.as_slice());
        let params = KernelRidge { bias, ..KernelRidge::fixed(Kernel::gaussian(1.0), ridge) };
        let mut problem = Problem::regression(x.view(), &y).unwrap();
        problem.weights = w;
        let loo = params.fit(&problem, &Quiet).unwrap().leave_one_out.unwrap();
        for i in 0..n {
            let want = without(&params, &x, &y, w, i);
            prop_assert!((loo.predictions[(i, 0)] - want).abs() < 1e-9, "{} {want}", loo.predictions[(i, 0)]);
        }
    }

    #[test]
    fn the_search_scores_what_the_fit_reports(n in 12usize..40, seed in 0u64..1000, weighted: bool) {
        let (x, y) = data(n, 2, seed);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let mut problem = Problem::regression(x.view(), &y).unwrap();
        problem.weights = weighted.then_some(weights.as_slice());
        let params = KernelRidge { ridges: Search::Grid(vec![0.01, 0.3]), widths: Search::Grid(vec![0.5, 2.0]), ..KernelRidge::default() };
        for trial in params.fit(&problem, &Quiet).unwrap().trials {
            let fixed = KernelRidge::fixed(trial.kernel.clone(), trial.ridge).fit(&problem, &Quiet).unwrap();
            let loo = fixed.leave_one_out.unwrap().mean_squared;
            prop_assert!((loo - trial.score).abs() < 1e-9 * loo, "{loo} {}", trial.score);
        }
    }
}

#[test]
fn weights_count_as_repetitions() {
    let (x, y) = data(12, 2, 5);
    let rows: Vec<usize> = (0..12).flat_map(|i| vec![i; 1 + i % 3]).collect();
    let (xr, yr): (Matrix, Vec<f64>) = (x.view().select(&rows), rows.iter().map(|i| y[*i]).collect());
    let weights: Vec<f64> = (0..12).map(|i| (1 + i % 3) as f64).collect();
    let params = KernelRidge::fixed(Kernel::gaussian(1.0), 0.1);
    let repeated = params.fit(&Problem::regression(xr.view(), &yr).unwrap(), &Quiet).unwrap();
    let mean = weights.iter().sum::<f64>() / 12.0;
    let params = KernelRidge { ridge: 0.1 / mean, ..params };
    let problem = Problem::regression(x.view(), &y).unwrap().with_weights(&weights).unwrap();
    let weighted = params.fit(&problem, &Quiet).unwrap();
    for i in 0..12 {
        let (a, b) =
            (repeated.model.predict_one(x.row(i)).unwrap(), weighted.model.predict_one(x.row(i)).unwrap());
        assert!((a[0] - b[0]).abs() < 1e-9);
    }
}

#[test]
fn classes_are_told_apart() {
    let (x, _) = data(120, 2, 9);
    for count in [2, 3] {
        let angle = |r: &[f64]| (r[1].atan2(r[0]) / std::f64::consts::TAU + 0.5).min(0.999_999);
        let codes: Vec<usize> = x.view().iter().map(|r| (angle(r) * count as f64) as usize).collect();
        let problem = Problem::classification(x.view(), &codes, count).unwrap();
        let fitted = KernelRidge::default().fit(&problem, &Quiet).unwrap();
        assert_eq!(fitted.model.classes().len(), count);
        let right =
            fitted.model.classify(x.view()).unwrap().iter().zip(&codes).filter(|(a, b)| a == b).count();
        assert!(right >= 114, "{right} of 120 right");
        assert!(fitted.leave_one_out.unwrap().error_rate.unwrap() < 0.15);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (x, y) = data(300, 3, 1);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            KernelRidge::default().fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap()
        })
    };
    let (one, many) = (run(1), run(3));
    assert_eq!(one.model, many.model);
    assert_eq!(one.trials, many.trials);
    assert_eq!(one.leave_one_out, many.leave_one_out);
}

#[test]
fn hard_cases_are_answered() {
    let fit = |x: &[f64], y: &[f64], params: &KernelRidge| {
        params.fit(&Problem::regression(Rows::new(x, 1).unwrap(), y).unwrap(), &Quiet)
    };
    let auto = KernelRidge::default();
    assert!(matches!(fit(&[1.0], &[1.0], &auto), Err(Error::TooFew { .. })), "one row");
    let constant = fit(&[2.0; 8], &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0], &auto).unwrap();
    assert!((constant.model.predict_one(&[2.0]).unwrap()[0] - 1.5).abs() < 1e-6, "duplicate rows");
    let singular = fit(&[1.0, 1.0, 2.0], &[0.0, 1.0, 2.0], &KernelRidge::fixed(Kernel::gaussian(1.0), 0.0));
    assert!(matches!(singular, Err(Error::LinearAlgebra { .. })), "no ridge on duplicate rows");
    let small = KernelRidge { memory: 100.into(), ..auto.clone() };
    assert!(matches!(fit(&[1.0, 2.0, 3.0, 4.0], &[1.0; 4], &small), Err(Error::Memory { .. })));
    assert!(fit(&[1.0, 2.0], &[1.0, 2.0], &KernelRidge::fixed(Kernel::gaussian(1.0), -1.0)).is_err());
    assert!(Problem::regression(Rows::new(&[1.0, f64::NAN], 1).unwrap(), &[1.0, 2.0]).is_err());
}

#[test]
fn a_request_to_stop_is_heard() {
    struct Impatient;
    impl Watch for Impatient {
        fn stop_requested(&self) -> bool {
            true
        }
    }
    let (x, y) = data(30, 2, 3);
    let problem = Problem::regression(x.view(), &y).unwrap();
    // Also before anything was tried there is a model to show, and it is one that the search could have found.
    let fitted = KernelRidge::default().fit(&problem, &Impatient).unwrap();
    assert!(fitted.interrupted && fitted.model.size() == 30 && !fitted.trials.is_empty());
    assert_eq!(stablest(&fitted.trials).unwrap().kernel, *fitted.model.kernel());
}

/// Asks for a stop after so many reports.
struct StopsAfter(usize, std::sync::atomic::AtomicUsize);

impl Watch for StopsAfter {
    fn progress(&self, _: &crate::batch::Progress<'_>) {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
    fn stop_requested(&self) -> bool {
        self.1.load(std::sync::atomic::Ordering::Relaxed) >= self.0
    }
}

/// In the search, or in the solution for all rows: what there is so far is a model of the rows of the search.
#[test]
fn a_fit_that_is_stopped_leaves_a_model_of_fewer_rows() {
    let stops = |reports: usize| StopsAfter(reports, 0.into());
    let (x, y) = data(120, 2, 3);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let widths = Search::Grid(vec![0.5, 1.0, 2.0]);
    let ridge = KernelRidge { widths, selection_rows: 50, ..KernelRidge::default() };
    for reports in [1, 4, 5] {
        let fitted = ridge.fit(&problem, &stops(reports)).unwrap();
        assert!(fitted.interrupted && fitted.model.size() == 50, "{reports}");
        assert!(fitted.notes.iter().any(|note| note.contains("all 120 rows")), "{:?}", fitted.notes);
    }
    assert_eq!(ridge.fit(&problem, &stops(100)).unwrap().model.size(), 120);
    let (x, y) = data(900, 2, 3);
    let problem = Problem::regression(x.view(), &y).unwrap();
    for kernel in ["gaussian:width=1", "gaussian:width=1,support=1"] {
        let machine = LeastSquaresSvm { kernel: kernel.parse().unwrap(), ..LeastSquaresSvm::default() };
        for reports in [1, 2] {
            let fitted = machine.fit(&problem, &stops(reports)).unwrap();
            assert!(fitted.interrupted && fitted.model.size() == 800, "{kernel} {reports}");
        }
    }
}
