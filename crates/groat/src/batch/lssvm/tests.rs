use super::*;
use crate::batch::{KernelRidge, Quiet};
use crate::matrix::Matrix;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn cloud(n: usize, d: usize, seed: u64) -> (Matrix, Vec<f64>) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let x = Matrix::from_vec((0..n * d).map(|_| rng.random::<f64>() * 3.0).collect(), n, d).unwrap();
    let y = x.view().iter().map(|r| (2.0 * r[0]).sin() + 0.1 * rng.random::<f64>()).collect();
    (x, y)
}

fn machine(kernel: Kernel, solver: Solver) -> LeastSquaresSvm {
    LeastSquaresSvm { kernel, solver, ridge: 0.3, ..Default::default() }
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_three_solvers_agree(d in 1usize..5, n in 20usize..250, support in 0.2f64..2.0, weighted in any::<bool>(), seed in 0u64..1000) {
        let (x, y) = cloud(n, d, seed);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let mut problem = Problem::regression(x.view(), &y).unwrap();
        problem.weights = weighted.then_some(weights.as_slice());
        let kernel = Kernel::compact_for(Kernel::gaussian(0.7), support, d);
        let fits: Vec<Fitted> = [Solver::Dense, Solver::Sparse, Solver::Iterative, Solver::Auto]
            .into_iter()
            .map(|solver| machine(kernel.clone(), solver).fit(&problem, &Quiet).unwrap())
            .collect();
        // Kernel ridge regression with a constant is the same model, solved elsewhere.
        let ridge = KernelRidge::fixed(kernel, 0.3).fit(&problem, &Quiet).unwrap();
        for fitted in &fits {
            prop_assert!(worst(fitted.model.weights().data(), ridge.model.weights().data()) < 1e-8);
            prop_assert!(worst(fitted.model.bias().unwrap(), ridge.model.bias().unwrap()) < 1e-8);
        }
        let sum: f64 = if weighted { 0.0 } else { fits[1].model.weights().data().iter().sum() };
        prop_assert!(sum.abs() < 1e-9, "1'a = 0");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn leave_one_out_leaves_one_out(d in 1usize..4, n in 8usize..40, support in 0.3f64..2.0, sparse in any::<bool>(), seed in 0u64..1000) {
        let (x, y) = cloud(n, d, seed);
        let kernel = Kernel::compact_for(Kernel::gaussian(0.7), support, d);
        let solver = if sparse { Solver::Sparse } else { Solver::Dense };
        let machine = LeastSquaresSvm { leave_one_out: true, ..machine(kernel, solver) };
        let whole = machine.fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap();
        let quick = whole.leave_one_out.unwrap().predictions;
        for i in 0..n {
            let others: Vec<usize> = (0..n).filter(|&k| k != i).collect();
            let (part, answers) = (x.view().select(&others), others.iter().map(|&k| y[k]).collect::<Vec<_>>());
            let slow = machine.fit(&Problem::regression(part.view(), &answers).unwrap(), &Quiet).unwrap();
            prop_assert!((slow.model.predict_one(x.row(i)).unwrap()[0] - quick.data()[i]).abs() < 1e-9);
        }
    }
}

#[test]
fn leave_one_out_is_the_same_dense_and_sparse() {
    let (x, y) = cloud(150, 2, 4);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let kernel = Kernel::compact_for(Kernel::gaussian(0.5), 0.5, 2);
    let loo = |solver| {
        let machine = LeastSquaresSvm { leave_one_out: true, ..machine(kernel.clone(), solver) };
        machine.fit(&problem, &Quiet).unwrap().leave_one_out.unwrap()
    };
    let (dense, sparse) = (loo(Solver::Dense), loo(Solver::Sparse));
    assert!(worst(dense.predictions.data(), sparse.predictions.data()) < 1e-9);
}

#[test]
fn several_classes_are_told_apart() {
    let (x, _) = cloud(300, 2, 7);
    let codes: Vec<usize> = x.view().iter().map(|r| r[0] as usize).collect();
    let problem = Problem::classification(x.view(), &codes, 3).unwrap();
    let kernel = Kernel::compact_for(Kernel::gaussian(0.7), 1.0, 2);
    let fitted = machine(kernel, Solver::Auto).fit(&problem, &Quiet).unwrap();
    assert_eq!(fitted.model.outputs(), 3);
    let found = fitted.model.classify(x.view()).unwrap();
    assert!(found.iter().zip(&codes).filter(|(a, b)| a == b).count() > 280);
}

#[test]
fn indefinite_kernels_are_noticed_and_can_be_shifted() {
    // nu = 1 in two dimensions with a wide base: not positive definite.
    let (x, y) = cloud(400, 2, 8);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let kernel = Kernel::compact(Kernel::gaussian(50.0), 1.5, 1);
    for solver in [Solver::Dense, Solver::Sparse] {
        let strict = LeastSquaresSvm { ridge: 1e-3, ..machine(kernel.clone(), solver) };
        let error = strict.fit(&problem, &Quiet).unwrap_err().to_string();
        assert!(error.contains("not positive definite") && error.contains("ridge of"), "{error}");
        let shifted = LeastSquaresSvm { shift: true, ..strict }.fit(&problem, &Quiet).unwrap();
        assert!(shifted.notes.iter().any(|n| n.contains("raised")), "{:?}", shifted.notes);
        assert!(shifted.notes.iter().any(|n| n.contains("power 2 would be enough")));
    }
}

#[test]
fn the_choice_is_said_and_the_support_can_be_tuned() {
    let (x, y) = cloud(2000, 2, 9);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let machine = LeastSquaresSvm {
        support: Some(SupportRule::Sparsity(0.99)),
        ..machine(Kernel::gaussian(0.3), Solver::Auto)
    };
    let fitted = machine.fit(&problem, &Quiet).unwrap();
    assert!(fitted.model.kernel().support().unwrap() < 0.4);
    assert!(fitted.notes.iter().any(|n| n.contains("solver: ")), "{:?}", fitted.notes);
    let tight = LeastSquaresSvm { memory: 1000.into(), ..machine };
    assert!(matches!(tight.fit(&problem, &Quiet), Err(Error::Memory { .. })));
}

#[test]
fn width_and_ridge_can_be_found() {
    let (x, y) = cloud(300, 1, 3);
    let problem = Problem::regression(x.view(), &y).unwrap();
    let machine = LeastSquaresSvm {
        widths: Search::Auto,
        ridges: Search::Auto,
        support: Some(SupportRule::Alignment(0.95)),
        ..Default::default()
    };
    let fitted = machine.fit(&problem, &Quiet).unwrap();
    assert!(fitted.trials.len() > 10);
    assert!((fitted.model.predict_one(&[1.0]).unwrap()[0] - (2f64.sin() + 0.05)).abs() < 0.05);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let (x, y) = cloud(10, 1, 1);
    let problem = Problem::regression(x.view(), &y).unwrap();
    assert!(machine(Kernel::gaussian(1.0), Solver::Sparse).fit(&problem, &Quiet).is_err());
    assert!(machine(Kernel::Linear, Solver::Auto).fit(&problem, &Quiet).is_ok());
    assert!(machine(Kernel::Linear, Solver::Auto).fit(&Problem::density(x.view()).unwrap(), &Quiet).is_err());
    assert!("fast".parse::<Solver>().is_err());
}
