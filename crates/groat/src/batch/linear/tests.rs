use super::*;
use crate::batch::Quiet;
use crate::matrix::{Csr, Matrix};
use crate::model::Model;
use std::sync::Mutex;

/// Three features that pull both ways, a constant, and a class or number for each row.
fn example(n: usize) -> (Matrix, Vec<usize>, Vec<f64>) {
    let at = |i: usize| (i as f64 * 12.9898).sin();
    let x = Matrix::from_vec((0..3 * n).map(at).collect(), n, 3).unwrap();
    let y: Vec<f64> =
        x.view().iter().enumerate().map(|(i, r)| 2.0 * r[0] - r[1] + 0.7 + 0.5 * at(5 * i + 1)).collect();
    let codes = y.iter().map(|y| usize::from(*y > 0.0)).collect();
    (x, codes, y)
}

/// The objective by its definition.
fn objective(machine: &LinearMachine, cost: f64, problem: &Problem<'_>, model: &Model) -> f64 {
    let (values, y) = (model.values(problem.x).unwrap(), problem.responses());
    let w = model.expansion().unwrap().vectors().row(0).to_vec();
    let epsilon = machine.epsilon.unwrap_or(0.0);
    let losses: f64 =
        (0..y.rows()).map(|i| cost * machine.loss.loss(y[(i, 0)], values[(i, 0)], epsilon)).sum();
    w.iter().map(|w| w * w).sum::<f64>() / 2.0 + losses
}

#[test]
fn no_small_change_lowers_the_objective() {
    let (x, codes, y) = example(200);
    let losses = [LinearLoss::Hinge, LinearLoss::SquaredHinge, LinearLoss::Logistic, LinearLoss::Epsilon];
    for loss in losses {
        let mut machine = LinearMachine::new(loss).cost(0.7).tolerance(1e-8);
        machine.epsilon = Some(0.1);
        let problem = match loss {
            LinearLoss::Epsilon => Problem::regression(x.view(), &y).unwrap(),
            _ => Problem::classification(x.view(), &codes, 2).unwrap(),
        };
        let fitted = machine.fit(&problem, &Quiet).unwrap();
        let model = &fitted.model;
        let least = objective(&machine, 0.7, &problem, model);
        let recorded: f64 = model.record().settings["objective"].parse().unwrap();
        assert!((least - recorded).abs() < 1e-9 * least, "{loss:?}: {least} and {recorded}");
        let gap: f64 = model.record().settings["duality_gap"].parse().unwrap();
        assert!(gap.abs() < 1e-5 * least, "{loss:?}: gap {gap}");
        let (w, b) = (model.expansion().unwrap().vectors().row(0).to_vec(), model.bias().unwrap()[0]);
        for k in 0..4 {
            for step in [-1e-3, 1e-3] {
                let (mut w, mut b) = (w.clone(), b);
                if k < 3 {
                    w[k] += step
                } else {
                    b += step
                }
                let moved = Expansion::new(
                    Kernel::Linear,
                    Matrix::from_vec(w, 1, 3).unwrap(),
                    Matrix::column(vec![1.0]),
                );
                let moved = Model::new(moved.unwrap().with_bias(vec![b]).unwrap());
                assert!(objective(&machine, 0.7, &problem, &moved) > least - 1e-9 * least, "{loss:?}");
            }
        }
    }
}

#[test]
fn sparse_rows_give_the_same_machine() {
    let (x, codes, _) = example(150);
    let sparse = Csr::from_rows(x.view());
    for loss in [LinearLoss::Hinge, LinearLoss::Logistic] {
        let machine = LinearMachine::new(loss).cost(2.0).tolerance(1e-7);
        let dense =
            machine.fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet).unwrap().model;
        let other =
            machine.fit(&Problem::classification(sparse.view(), &codes, 2).unwrap(), &Quiet).unwrap().model;
        let (a, b) = (dense.values(x.view()).unwrap(), other.values(x.view()).unwrap());
        assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-5), "{loss:?}");
    }
}

#[test]
fn a_shift_of_the_features_moves_the_constant_alone() {
    let (x, codes, _) = example(150);
    let shifted = Matrix::from_vec(x.data().iter().map(|v| v + 5.0).collect(), 150, 3).unwrap();
    let fit = |x: &Matrix, penalise_bias: bool| {
        let machine = LinearMachine {
            penalise_bias,
            ..LinearMachine::new(LinearLoss::Logistic).cost(1.0).tolerance(1e-9)
        };
        machine.fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet).unwrap().model
    };
    let off = |penalise: bool| {
        let (a, b) = (fit(&x, penalise), fit(&shifted, penalise));
        let (a, b) = (a.values(x.view()).unwrap(), b.values(shifted.view()).unwrap());
        a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(off(false) < 1e-5, "{}", off(false));
    assert!(off(true) > 1e-3);
}

#[test]
fn a_cost_is_chosen_and_probabilities_are_known() {
    let (x, codes, _) = example(300);
    let fitted = LinearMachine::new(LinearLoss::Logistic)
        .fit(&Problem::classification(x.view(), &codes, 2).unwrap(), &Quiet)
        .unwrap();
    assert_eq!(fitted.trials.len(), COSTS.len());
    let p = fitted.model.probabilities(x.view()).unwrap();
    let class = fitted.model.classify(x.view()).unwrap();
    assert!((0..300).all(|i| (p[(i, 1)] > 0.5) == (class[i] == 1)));
}

#[test]
fn a_search_for_the_cost_says_how_far_it_is() {
    struct Told(Mutex<Vec<(usize, Option<usize>)>>);
    impl Watch for Told {
        fn progress(&self, progress: &Progress<'_>) {
            if progress.stage == "choosing the cost" {
                self.0.lock().unwrap().push((progress.done, progress.total));
            }
        }
    }
    let (x, codes, _) = example(80);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    for loss in [LinearLoss::Hinge, LinearLoss::Logistic] {
        let told = Told(Mutex::new(Vec::new()));
        LinearMachine::new(loss).fit(&problem, &told).unwrap();
        let mut steps = told.0.into_inner().unwrap();
        steps.sort_unstable();
        assert_eq!(steps, (1..=30).map(|done| (done, Some(30))).collect::<Vec<_>>());
    }
}

/// A machine that was cut short is gone on from until it is that of a fit from nothing, and a finished one at another cost
/// needs fewer rounds than nothing does.
#[test]
fn machines_are_gone_on_from() {
    let (x, codes, y) = example(400);
    let losses = [LinearLoss::Hinge, LinearLoss::SquaredHinge, LinearLoss::Logistic, LinearLoss::Epsilon];
    for (loss, penalise_bias) in losses.into_iter().flat_map(|loss| [(loss, false), (loss, true)]) {
        let problem = match loss {
            LinearLoss::Epsilon => Problem::regression(x.view(), &y).unwrap(),
            _ => Problem::classification(x.view(), &codes, 2).unwrap(),
        };
        let mut machine = LinearMachine::new(loss).cost(3.0).tolerance(1e-7);
        machine.penalise_bias = penalise_bias;
        let of = |fitted: &Fitted, name: &str| fitted.model.record().settings[name].parse::<f64>().unwrap();
        let whole = machine.fit(&problem, &Quiet).unwrap();
        let mut short = machine.clone();
        short.max_iterations = Some(4);
        let mut model = short.fit(&problem, &Quiet).unwrap().model;
        assert!(model.record().settings["duality_gap"].parse::<f64>().unwrap() > 0.0);
        // The cost is that of the model, where none is given.
        machine.costs = Search::Auto;
        let on = machine.fit_from(&model, &problem, &Quiet).unwrap();
        assert!(on.trials.is_empty());
        let (a, b) = (of(&on, "objective"), of(&whole, "objective"));
        assert!((a - b).abs() < 1e-6 * b, "{loss:?}: {a} and {b}");
        model = on.model;
        let again = machine.fit_from(&model, &problem, &Quiet).unwrap();
        let (rounds, cold) = (of(&again, "iterations"), of(&whole, "iterations"));
        assert!(rounds <= cold, "{loss:?}: {rounds} rounds from a solution, {cold} from nothing");
        let (a, b) = (of(&again, "objective"), of(&whole, "objective"));
        assert!((a - b).abs() < 1e-6 * b, "{loss:?}: {a} and {b}");
    }
}

/// A start of another shape is none, and one that misleads is left aside.
#[test]
fn a_start_that_does_not_help_is_left_aside() {
    let (x, codes, _) = example(200);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = LinearMachine::new(LinearLoss::Hinge).cost(1.0).tolerance(1e-7);
    let whole = machine.fit(&problem, &Quiet).unwrap().model;
    let function = whole.expansion().unwrap();
    let far = Matrix::from_vec(function.vectors().row(0).iter().map(|w| -1e6 * w).collect(), 1, 3).unwrap();
    let far = Expansion::new(Kernel::Linear, far, Matrix::column(vec![1.0])).unwrap();
    let far = Model::new(far.with_bias(vec![1e6]).unwrap()).with_record(whole.record().clone());
    let from = machine.fit_from(&far, &problem, &Quiet).unwrap().model;
    let found = from.expansion().unwrap().vectors().row(0).to_vec();
    for (a, b) in function.vectors().row(0).iter().zip(found) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
}
