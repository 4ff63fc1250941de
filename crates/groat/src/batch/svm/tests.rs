use super::smo::Block;
use super::*;
use crate::batch::Quiet;
use crate::matrix::Matrix;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Points in a box, a noisy class and a noisy number for each.
pub(super) fn cloud(n: usize, d: usize, seed: u64) -> (Matrix, Vec<usize>, Vec<f64>) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let x = Matrix::from_vec((0..n * d).map(|_| rng.random::<f64>() * 3.0).collect(), n, d).unwrap();
    let y: Vec<f64> =
        x.view().iter().map(|r| (2.0 * r[0]).sin() + 0.3 * (rng.random::<f64>() - 0.5)).collect();
    let codes = y.iter().map(|y| usize::from(*y + 0.4 * (rng.random::<f64>() - 0.5) > 0.2)).collect();
    (x, codes, y)
}

#[test]
fn blocks_and_one_block_give_the_same_solution() {
    let (x, codes, _) = cloud(1500, 2, 3);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = SupportVectorMachine::fixed(SvmForm::Classes, Kernel::gaussian(0.5)).tolerance(1e-6);
    let objective = |memory: u64| {
        let machine = SupportVectorMachine { memory: memory.into(), ..machine.clone() };
        let fitted = machine.fit(&problem, &Quiet).unwrap();
        let record = &fitted.model.record().settings;
        (record["objective"].parse::<f64>().unwrap(), record["violation"].parse::<f64>().unwrap())
    };
    // All rows, 64 rows, and eight rows of the kernel matrix.
    let (whole, violation) = objective(1 << 30);
    assert!(violation <= 1e-6);
    for memory in [64 * 1500 * 4, 8 * 1500 * 4] {
        let (objective, _) = objective(memory);
        assert!((objective - whole).abs() < 1e-6 * whole.abs(), "{objective} against {whole}");
    }
}

/// Numbers of the record.
fn recorded(fitted: &Fitted, name: &str) -> f64 {
    fitted.model.record().settings[name].parse().unwrap()
}

fn class_machine() -> SupportVectorMachine {
    SupportVectorMachine::fixed(SvmForm::Classes, Kernel::gaussian(0.5))
}

#[test]
fn the_conditions_of_a_solution_hold_by_their_definition() {
    let (x, codes, _) = cloud(300, 2, 5);
    let fitted = class_machine()
        .cost(3.0)
        .tolerance(1e-6)
        .fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet)
        .unwrap();
    let function = fitted.model.expansion().unwrap();
    let values = fitted.model.values(x.view()).unwrap();
    let mut sum = 0.0;
    for i in 0..300 {
        let y = if codes[i] == 1 { 1.0 } else { -1.0 };
        let place = (0..function.size()).find(|&v| *function.vectors().row(v) == *x.row(i));
        let beta = place.map_or(0.0, |v| function.weights().row(v)[0]);
        let (alpha, margin) = (y * beta, y * values[(i, 0)]);
        sum += beta;
        assert!((-1e-12..=3.0 + 1e-12).contains(&alpha));
        match () {
            () if alpha == 0.0 => assert!(margin > 1.0 - 1e-5),
            () if alpha > 3.0 - 1e-9 => assert!(margin < 1.0 + 1e-5),
            () => assert!((margin - 1.0).abs() < 1e-5),
        }
    }
    assert!(sum.abs() < 1e-9, "{sum}");
    assert!(recorded(&fitted, "duality_gap").abs() < 1e-5 * recorded(&fitted, "objective").abs());
}

/// The gap of a solution is next to nothing.
fn closed(fitted: &Fitted) {
    let (gap, objective) = (recorded(fitted, "duality_gap"), recorded(fitted, "objective").abs());
    assert!(gap > -1e-9 * objective && gap < 1e-5 * objective, "{gap} of {objective}");
}

/// The primal objective of a machine that shares out `nu`, by its definition, is the dual one and the gap.
#[test]
fn the_gap_of_a_nu_machine_is_that_of_its_primal_objective() {
    let (x, codes, _) = cloud(200, 2, 6);
    let (form, nu) = (SvmForm::NuClasses, 0.4);
    let machine = SupportVectorMachine::fixed(form, Kernel::gaussian(0.5)).nu(nu).max_iterations(60);
    let fitted = machine.fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet).unwrap();
    let function = fitted.model.expansion().unwrap();
    let values = fitted.model.values(x.view()).unwrap();
    // The margin is scaled to 1: with the variables in [0, 1] of the dual it was `rho`, whose inverse is the largest weight.
    let rho = 1.0 / function.weights().data().iter().fold(0.0f64, |most, w| most.max(w.abs()));
    let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
    let own: Vec<f64> = function.weights().data().iter().map(|w| rho * w).collect();
    let f = fitted.model.values(function.vectors()).unwrap();
    let bias = fitted.model.bias().unwrap()[0];
    let square: f64 = own.iter().zip(f.data()).map(|(b, f)| b * rho * (f - bias)).sum();
    let losses: f64 = (0..200).map(|i| rho * (1.0 - sign(i) * values[(i, 0)]).max(0.0)).sum();
    let primal = square / 2.0 - nu * 200.0 * rho + losses;
    let found = recorded(&fitted, "duality_gap") - recorded(&fitted, "objective");
    assert!(recorded(&fitted, "violation") > 1e-3 && recorded(&fitted, "duality_gap") > 0.0);
    assert!((primal - found).abs() < 1e-9 * found.abs(), "{primal} and {found}");
}

#[test]
fn nu_bounds_the_share_of_errors_and_of_vectors() {
    let (x, codes, y) = cloud(400, 2, 6);
    let kernel = Kernel::gaussian(0.5);
    for nu in [0.2, 0.5] {
        let machine = SupportVectorMachine::fixed(SvmForm::NuClasses, kernel.clone()).nu(nu).tolerance(1e-6);
        let fitted = machine.fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet).unwrap();
        closed(&fitted);
        assert!(recorded(&fitted, "at_bound") / 400.0 <= nu + 1e-9);
        assert!(fitted.model.size() as f64 / 400.0 >= nu - 1e-9);
        let machine = SupportVectorMachine::fixed(SvmForm::NuValues, kernel.clone()).nu(nu).tolerance(1e-6);
        let fitted = machine.fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap();
        closed(&fitted);
        let epsilon = recorded(&fitted, "epsilon");
        let values = fitted.model.values(x.view()).unwrap();
        let outside = values.data().iter().zip(&y).filter(|(f, y)| (*f - *y).abs() > epsilon + 1e-4).count();
        assert!(outside as f64 / 400.0 <= nu + 1e-9, "{outside}");
        let machine = SupportVectorMachine::fixed(SvmForm::OneClass, kernel.clone()).nu(nu).tolerance(1e-6);
        let fitted = machine.fit(&Problem::density(x.view()).unwrap(), &Quiet).unwrap();
        closed(&fitted);
        let outside = fitted.model.values(x.view()).unwrap().data().iter().filter(|v| **v < -1e-4).count();
        assert!(outside as f64 / 400.0 <= nu + 1e-9 && outside as f64 / 400.0 > nu - 0.1, "{outside}");
    }
    let rare: Vec<usize> = (0..400).map(|i| usize::from(i < 8)).collect();
    let machine = SupportVectorMachine::fixed(SvmForm::NuClasses, kernel).nu(0.5);
    let refused = machine.fit(&Problem::classification(x.view(), &rare, 2).unwrap(), &Quiet).unwrap_err();
    assert!(refused.to_string().contains("at most 0.0400"), "{refused}");
}

#[test]
fn sparse_rows_of_a_compact_kernel_give_the_dense_solution() {
    let (x, codes, _) = cloud(900, 2, 8);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let compact = Kernel::compact_for(Kernel::gaussian(0.7), 0.5, 2);
    let machine = SupportVectorMachine { kernel: compact, ..class_machine() }.tolerance(1e-7);
    let sparse = machine.fit(&problem, &Quiet).unwrap();
    // As sparse rows of features the same points have no neighbour search, and the matrix is dense.
    let rows = crate::matrix::Csr::from_rows(x.view());
    let dense = machine.fit(&Problem::classification(rows.view(), &codes, 2).unwrap(), &Quiet).unwrap();
    let (a, b) = (recorded(&sparse, "objective"), recorded(&dense, "objective"));
    assert!((a - b).abs() < 1e-7 * b.abs(), "{a} and {b}");
}

#[test]
fn limits_end_with_a_model_that_can_be_gone_on_from() {
    let (x, codes, _) = cloud(1500, 2, 9);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = class_machine().cost(100.0);
    let whole = machine.fit(&problem, &Quiet).unwrap();
    let cut = machine.clone().max_iterations(200).fit(&problem, &Quiet).unwrap();
    assert!(recorded(&cut, "violation") > 1e-3);
    assert!(cut.notes.iter().any(|n| n.contains("max_iterations was reached")), "{:?}", cut.notes);
    let on = machine.fit_from(&cut.model, &problem, &Quiet).unwrap();
    let off = recorded(&on, "objective") - recorded(&whole, "objective");
    assert!(off.abs() < 1e-3 * recorded(&whole, "objective").abs());
    let again = machine.fit_from(&whole.model, &problem, &Quiet).unwrap();
    assert!(recorded(&again, "iterations") < 0.2 * recorded(&whole, "iterations"));
    let hurried = SupportVectorMachine { max_seconds: Some(1e-9), ..machine.clone() };
    let cut = hurried.fit(&problem, &Quiet).unwrap();
    assert!(cut.notes.iter().any(|n| n.contains("max_time was reached")), "{:?}", cut.notes);
}

#[test]
fn badly_scaled_data_end_with_advice() {
    // One feature a million times the other, classes that overlap, a cost that is far too high.
    let (x, codes, _) = cloud(200, 2, 10);
    let data = x.view().iter().flat_map(|r| [1e6 * r[0], 1e-3 * r[1]]).collect();
    let x = Matrix::from_vec(data, 200, 2).unwrap();
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine =
        SupportVectorMachine { kernel: Kernel::Linear, ..class_machine() }.cost(1e6).max_iterations(20_000);
    let fitted = machine.fit(&problem, &Quiet).unwrap();
    assert!(
        fitted.notes.iter().any(|n| n.contains("feature 1 spreads") && n.contains("like scales")),
        "{:?}",
        fitted.notes
    );
    assert!(fitted.model.values(x.view()).unwrap().data().iter().all(|v| v.is_finite()));
}

#[test]
fn chunks_come_to_the_solution_of_all_rows() {
    let (x, codes, y) = cloud(2000, 2, 11);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = class_machine().tolerance(1e-4);
    let whole = machine.fit(&problem, &Quiet).unwrap();
    let chunked = SupportVectorMachine { chunk: Some(300), chunk_passes: 10, ..machine.clone() };
    let parts = chunked.fit(&problem, &Quiet).unwrap();
    assert!(parts.notes.iter().any(|n| n.contains("stable after")), "{:?}", parts.notes);
    let (a, b) = (parts.model.values(x.view()).unwrap(), whole.model.values(x.view()).unwrap());
    let apart = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 0.05, "{apart}");
    let little = SupportVectorMachine { carry: 100, ..chunked }.fit(&problem, &Quiet).unwrap();
    assert!(little.model.size() <= 100);
    assert!(little.notes.iter().any(|n| n.contains("as many as carry allows")), "{:?}", little.notes);
    // Rows in the order of their classes: the first chunks know one class alone.
    let mut order: Vec<usize> = (0..2000).collect();
    order.sort_by_key(|&i| codes[i]);
    let sorted = problem.select(&order);
    let chunked = SupportVectorMachine { chunk: Some(300), chunk_passes: 10, ..machine.clone() };
    let parts = chunked.fit(&sorted.problem().unwrap(), &Quiet).unwrap();
    let c = parts.model.values(x.view()).unwrap();
    assert!(c.data().iter().zip(b.data()).all(|(c, b)| (c - b).abs() < 0.05));
    let sparse = crate::matrix::Csr::from_rows(x.view());
    let parts = chunked.fit(&Problem { x: sparse.view().into(), ..problem }, &Quiet).unwrap();
    let d = parts.model.values(x.view()).unwrap();
    assert!(d.data().iter().zip(b.data()).all(|(d, b)| (d - b).abs() < 0.05));
    let problem = Problem::regression(x.view(), &y).unwrap();
    let machine = SupportVectorMachine::fixed(SvmForm::Values, Kernel::gaussian(0.5)).epsilon(0.1);
    let whole = machine.fit(&problem, &Quiet).unwrap();
    let parts = SupportVectorMachine { chunk: Some(300), ..machine }.fit(&problem, &Quiet).unwrap();
    let (a, b) = (parts.model.values(x.view()).unwrap(), whole.model.values(x.view()).unwrap());
    assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 0.05));
}

#[test]
fn probabilities_are_calibrated() {
    // P(second class) = 0.9 where x > 0 and 0.2 elsewhere.
    let x: Vec<f64> = (0..600).map(|i| f64::from(i % 40) / 10.0 - 1.95).collect();
    let codes: Vec<usize> = x
        .iter()
        .enumerate()
        .map(|(i, x)| usize::from((i * 7 / 40) % 10 < if *x > 0.0 { 9 } else { 2 }))
        .collect();
    let x = Matrix::column(x);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = SupportVectorMachine { probabilities: true, ..class_machine() };
    let fitted = machine.fit(&problem, &Quiet).unwrap();
    let p = fitted.model.probabilities(x.view()).unwrap();
    let mean = |above: bool| {
        let own: Vec<f64> = (0..600).filter(|&i| (x[(i, 0)] > 0.0) == above).map(|i| p[(i, 1)]).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    assert!(
        (mean(true) - 0.9).abs() < 0.1 && (mean(false) - 0.2).abs() < 0.1,
        "{} {}",
        mean(true),
        mean(false)
    );
    let class = fitted.model.classify(x.view()).unwrap();
    let apart = (0..600).filter(|&i| (p[(i, 1)] > 0.5) != (class[i] == 1)).count();
    assert!(apart == 0 || fitted.notes.iter().any(|n| n.contains("not the more probable")), "{apart}");
}

#[test]
fn one_class_alone_is_refused_and_zero_weights_are_absent_rows() {
    let (x, codes, _) = cloud(200, 2, 12);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let weights: Vec<f64> = (0..200).map(|i| f64::from(u8::from(i % 3 != 0))).collect();
    let machine = class_machine().tolerance(1e-8);
    let weighted = machine.fit(&problem.with_weights(&weights).unwrap(), &Quiet).unwrap();
    let rows: Vec<usize> = (0..200).filter(|i| i % 3 != 0).collect();
    let some = problem.select(&rows);
    let fewer = machine.fit(&some.problem().unwrap(), &Quiet).unwrap();
    let (a, b) = (weighted.model.values(x.view()).unwrap(), fewer.model.values(x.view()).unwrap());
    assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-6));
    let alone = vec![1; 200];
    let alone = Problem::classification(x.view(), &alone, 2).unwrap();
    let first: Vec<f64> = codes.iter().map(|code| if *code == 0 { 1.0 } else { 0.0 }).collect();
    let weightless = problem.with_weights(&first).unwrap();
    for form in [SvmForm::Classes, SvmForm::NuClasses] {
        let machine = SupportVectorMachine::fixed(form, Kernel::gaussian(0.5));
        for problem in [&alone, &weightless] {
            let said = machine.fit(problem, &Quiet).unwrap_err().to_string();
            assert!(said.contains("2 classes"), "{said}");
        }
    }
    assert!(Problem::classification(x.view(), &vec![0; 200], 1).is_err());
}

#[test]
fn some_rows_may_stand_for_all() {
    let (x, codes, _) = cloud(1500, 2, 13);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    for subsampling in [Subsampling::Random, Subsampling::Boundary] {
        let machine = SupportVectorMachine { subsample: Some(300), subsampling, ..class_machine() };
        let fitted = machine.fit(&problem, &Quiet).unwrap();
        let found = fitted.model.classify(x.view()).unwrap();
        let wrong = found.iter().zip(&codes).filter(|(a, b)| a != b).count();
        assert!(wrong < 300 && fitted.model.size() <= 300, "{subsampling:?}: {wrong}");
    }
}

#[test]
fn one_pass_comes_near_the_exact_machine() {
    let (x, codes, _) = cloud(1000, 2, 14);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let exact = class_machine().fit(&problem, &Quiet).unwrap();
    let quick = SupportVectorMachine { one_pass: true, ..class_machine() }.fit(&problem, &Quiet).unwrap();
    let (a, b) = (exact.model.classify(x.view()).unwrap(), quick.model.classify(x.view()).unwrap());
    let apart = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    assert!(apart < 30, "{apart}");
    let sum: f64 = quick.model.weights().data().iter().sum();
    assert!(sum.abs() < 1e-9, "{sum}");
}

#[test]
fn one_feature_alone_ends_with_a_model() {
    // Numbers far from 0 and a straight line through them: a step in one pair undoes that of another (LIBSVM's issue 225).
    let x = Matrix::column((0..400).map(|i| f64::from(i) + 1000.0).collect());
    let y: Vec<f64> = (0..400).map(|i| f64::from(i) * 0.5 + 10.0 * f64::from(i % 7)).collect();
    let linear = |form| SupportVectorMachine {
        kernel: Kernel::Linear,
        ..SupportVectorMachine::fixed(form, Kernel::Linear)
    };
    let machine = linear(SvmForm::Values).cost(1e4).epsilon(0.1).max_iterations(20_000);
    let fitted = machine.fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap();
    assert!(fitted.notes.iter().any(|n| n.contains("kernel values reach 2e6")), "{:?}", fitted.notes);
    let values = fitted.model.values(x.view()).unwrap();
    assert!(values.data().iter().all(|v| v.is_finite()));
    // Classes of one feature that no line can part.
    let codes: Vec<usize> = (0..400).map(|i| usize::from(i % 2 == 0)).collect();
    let machine = class_machine().cost(1e9).max_iterations(20_000);
    let x = Matrix::column((0..400).map(|i| f64::from(i / 2) * 1e-6).collect());
    let fitted = machine.fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet).unwrap();
    let said = |n: &String| n.contains("solved to") || n.contains("one feature alone");
    assert!(fitted.notes.iter().any(said), "{:?}", fitted.notes);
}

#[test]
fn a_pair_whose_step_is_lost_in_rounding_is_a_stall() {
    // Two rows at one place in either class: a step of 2e12 is lost beside coefficients of 1e290.
    let mut block = Block {
        kernel: vec![1.0; 4],
        sign: vec![1.0, -1.0],
        upper: vec![1e300; 2],
        alpha: vec![1e290; 2],
        error: vec![-1.0, 1.0],
        group: vec![0; 2],
    };
    let outcome = block.solve(1e-3, 1000);
    assert!(outcome.stuck && outcome.steps == 0);
}

#[test]
fn single_precision_gives_the_solution_of_double() {
    let (x, codes, y) = cloud(2500, 3, 21);
    let (classes, numbers) =
        (Problem::classification(x.view(), &codes, 2).unwrap(), Problem::regression(x.view(), &y).unwrap());
    let check = |machine: &SupportVectorMachine, problem: &Problem<'_>| {
        let at = |tolerance: f64| {
            let fitted = machine.clone().tolerance(tolerance).fit(problem, &Quiet).unwrap();
            assert!(recorded(&fitted, "violation") <= tolerance, "{:?}", fitted.notes);
            fitted.model
        };
        let (quick, exact) = (at(1e-3), at(1e-8));
        let (a, b) = (quick.values(x.view()).unwrap(), exact.values(x.view()).unwrap());
        let apart = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 2e-2, "{:?}: {apart}", machine.form);
    };
    check(&class_machine(), &classes);
    check(&SupportVectorMachine::fixed(SvmForm::NuClasses, Kernel::gaussian(0.5)).nu(0.3), &classes);
    check(&SupportVectorMachine::fixed(SvmForm::Values, Kernel::gaussian(0.5)).epsilon(0.05), &numbers);
}

#[test]
fn rows_of_many_features_are_kept_within_the_limit() {
    let (x, codes, _) = cloud(1600, 60, 24);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = SupportVectorMachine::fixed(SvmForm::Classes, Kernel::gaussian(6.0)).cost(4.0);
    let objective = |rows: u64| {
        let machine = SupportVectorMachine { memory: (rows * 1600 * 4).into(), ..machine.clone() };
        recorded(&machine.fit(&problem, &Quiet).unwrap(), "objective")
    };
    // All rows, some of them, and fewer than a block changes.
    let whole = objective(1600);
    for rows in [400, 20] {
        let some = objective(rows);
        assert!((some - whole).abs() < 1e-5 * whole.abs(), "{rows} rows: {some} against {whole}");
    }
}

#[test]
fn a_saved_model_is_a_start_for_the_next_cost() {
    let (x, codes, _) = cloud(1500, 2, 22);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let (mut model, mut warm, mut cold) = (None::<Model>, 0.0, 0.0);
    for cost in [1.0, 1.5, 2.25] {
        let machine = class_machine().cost(cost).tolerance(1e-4);
        let anew = machine.fit(&problem, &Quiet).unwrap();
        if let Some(before) = &model {
            let stored = Model::from_bytes(&before.to_bytes().unwrap()).unwrap();
            let on = machine.fit_from(&stored, &problem, &Quiet).unwrap();
            let off = recorded(&on, "objective") - recorded(&anew, "objective");
            assert!(off.abs() < 1e-6 * recorded(&anew, "objective").abs(), "{off}");
            (warm, cold) = (warm + recorded(&on, "iterations"), cold + recorded(&anew, "iterations"));
        }
        model = Some(anew.model);
    }
    assert!(warm < cold, "{warm} steps with, {cold} without a start");
}

#[test]
fn several_targets_are_several_machines_over_shared_vectors() {
    let (x, _, y) = cloud(200, 2, 23);
    let both = Matrix::from_vec(y.iter().flat_map(|y| [*y, 1.0 - 2.0 * y * y]).collect(), 200, 2).unwrap();
    let machine =
        SupportVectorMachine::fixed(SvmForm::Values, Kernel::gaussian(0.5)).epsilon(0.1).tolerance(1e-9);
    let target = Target::Values(both.view());
    let fitted = machine.fit(&Problem { x: Points::from(&x), target, weights: None }, &Quiet).unwrap();
    let values = fitted.model.values(x.view()).unwrap();
    for c in 0..2 {
        let one = both.column_to_vec(c);
        // The tolerance counts in deviations of the target.
        let alone = machine.fit(&Problem::regression(x.view(), &one).unwrap(), &Quiet).unwrap();
        let alone = alone.model.values(x.view()).unwrap();
        assert!((0..200).all(|i| (values[(i, c)] - alone[(i, 0)]).abs() < 1e-6), "{c}");
    }
}

/// A machine that was cut short and stored goes on to the solution of a fit from nothing, and one that was solved has
/// next to nothing left to do.
#[test]
fn a_machine_goes_on_from_a_stored_model() {
    let (x, codes, y) = cloud(1500, 2, 24);
    let classes = Problem::classification(x.view(), &codes, 2).unwrap();
    let numbers = Problem::regression(x.view(), &y).unwrap();
    let rows = Problem::density(x.view()).unwrap();
    for (form, problem) in [
        (SvmForm::Classes, &classes),
        (SvmForm::Values, &numbers),
        (SvmForm::NuClasses, &classes),
        (SvmForm::NuValues, &numbers),
        (SvmForm::OneClass, &rows),
    ] {
        let machine =
            SupportVectorMachine::fixed(form, Kernel::gaussian(0.5)).cost(30.0).nu(0.3).tolerance(1e-5);
        let stored = |fitted: &Fitted| Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
        let whole = machine.fit(problem, &Quiet).unwrap();
        let cut = machine.clone().max_iterations(100).fit(problem, &Quiet).unwrap();
        assert!(recorded(&cut, "violation") > 1e-4, "{form:?}");
        // Kernel, cost, nu and epsilon come from the model.
        let open = SupportVectorMachine::new(form).tolerance(1e-5);
        let on = open.fit_from(&stored(&cut), problem, &Quiet).unwrap();
        assert_eq!(on.model.kernel(), whole.model.kernel());
        let (a, b) = (on.model.values(x.view()).unwrap(), whole.model.values(x.view()).unwrap());
        let apart = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-3, "{form:?}: {apart}");
        let again = open.fit_from(&stored(&whole), problem, &Quiet).unwrap();
        let (steps, before) = (recorded(&again, "iterations"), recorded(&whole, "iterations"));
        assert!(
            steps < 0.1 * before,
            "{form:?}: {steps} steps where the solution is known, {before} to find it"
        );
    }
}

#[test]
fn what_cannot_be_gone_on_from_is_refused() {
    let (x, codes, y) = cloud(60, 2, 25);
    let classes = Problem::classification(x.view(), &codes, 2).unwrap();
    let model = class_machine().fit(&classes, &Quiet).unwrap().model;
    let other = SupportVectorMachine::new(SvmForm::Values);
    let said = other.fit_from(&model, &Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap_err();
    assert!(said.to_string().contains("a model of svc"), "{said}");
    let chunked = SupportVectorMachine { chunk: Some(20), ..class_machine() };
    let said = chunked.fit_from(&model, &classes, &Quiet).unwrap_err();
    assert!(said.to_string().contains("chunk"), "{said}");
}

/// Asks for a stop from the start.
struct Stop;
impl Watch for Stop {
    fn stop_requested(&self) -> bool {
        true
    }
}

#[test]
fn a_search_that_is_broken_off_has_a_model_to_show() {
    let (x, codes, y) = cloud(300, 2, 26);
    for (form, problem) in [
        (SvmForm::Classes, Problem::classification(x.view(), &codes, 2).unwrap()),
        (SvmForm::Values, Problem::regression(x.view(), &y).unwrap()),
    ] {
        let fitted = SupportVectorMachine::new(form).fit(&problem, &Stop).unwrap();
        assert!(fitted.interrupted && fitted.notes[0].contains("broken off"), "{:?}", fitted.notes);
        assert!(fitted.model.values(x.view()).unwrap().data().iter().all(|v| v.is_finite()));
    }
}

#[test]
fn pairs_of_very_many_classes_are_refused_before_the_memory_is_taken() {
    let (x, ..) = cloud(400, 2, 27);
    let codes: Vec<usize> = (0..400).collect();
    let problem = Problem::classification(x.view(), &codes, 400).unwrap();
    let machine = SupportVectorMachine { memory: (1 << 20).into(), ..class_machine() };
    let said = machine.fit(&problem, &Quiet).unwrap_err().to_string();
    assert!(said.contains("pair of classes") && said.contains("linear-svc"), "{said}");
}

/// The search looks at every other width first and at few costs on all parts; it must find what the whole grid finds.
#[test]
fn a_hasty_search_is_about_as_good_as_all_of_the_grid() {
    let (x, codes, y) = cloud(400, 2, 28);
    let (new, truth, values) = cloud(1000, 2, 29);
    let classes = Problem::classification(x.view(), &codes, 2).unwrap();
    let numbers = Problem::regression(x.view(), &y).unwrap();
    let error = |machine: &SupportVectorMachine, problem: &Problem<'_>| {
        let model = machine.fit(problem, &Quiet).unwrap().model;
        let found = model.predict(new.view()).unwrap();
        let wrong = |i: usize| match problem.target {
            Target::Values(_) => (found[(i, 0)] - values[i]).powi(2),
            _ => f64::from(u8::from(found[(i, 0)] as usize != truth[i])),
        };
        (0..1000).map(wrong).sum::<f64>() / 1000.0
    };
    for (form, problem) in [(SvmForm::Classes, &classes), (SvmForm::Values, &numbers)] {
        let hasty = error(&SupportVectorMachine::new(form), problem);
        let grid = [0.1, 0.2, 0.4, 0.8, 1.6].iter().flat_map(|width| {
            [1.0, 10.0, 100.0].map(|cost| {
                error(&SupportVectorMachine::fixed(form, Kernel::gaussian(*width)).cost(cost), problem)
            })
        });
        let best = grid.fold(f64::INFINITY, f64::min);
        assert!(
            hasty < 1.15 * best,
            "{form:?}: {hasty} against {best}, the best that any setting has on new rows"
        );
    }
}

/// Machines that never see all rows at once know probabilities too, and say where from.
#[test]
fn chunks_and_one_pass_know_probabilities() {
    let (x, codes, _) = cloud(900, 2, 31);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = SupportVectorMachine { probabilities: true, selection_rows: 400, ..class_machine() };
    let whole = machine.fit(&problem, &Quiet).unwrap();
    let expected = whole.model.probabilities(x.view()).unwrap();
    for part in [
        SupportVectorMachine { chunk: Some(200), ..machine.clone() },
        SupportVectorMachine { one_pass: true, ..machine.clone() },
    ] {
        let fitted = part.fit(&problem, &Quiet).unwrap();
        assert!(fitted.notes.iter().any(|n| n.contains("worked out on 400 rows")), "{:?}", fitted.notes);
        let found = fitted.model.probabilities(x.view()).unwrap();
        let off: f64 =
            found.data().iter().zip(expected.data()).map(|(a, b)| (a - b).abs()).sum::<f64>() / 1800.0;
        assert!(off < 0.05, "{off}");
    }
}
