//! A plain kernel expansion of several outputs is reduced by a cost and a projection, without any learner.

use super::{close, gram, solve};
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::online::parts::{cost, cost::Cost, projection, projection::Projection};
use crate::online::presets::Values;
use crate::online::state::Tracked;

const OUTPUTS: usize = 3;

fn expansion(m: usize) -> Expansion {
    let vectors = (0..m).flat_map(|i| [(i as f64 * 0.7).sin() * 2.0, (i as f64 * 1.3).cos() * 2.0]).collect();
    let weights = (0..m * OUTPUTS).map(|i| (i as f64 * 2.1).sin()).collect();
    let vectors = Matrix::from_vec(vectors, m, 2).unwrap();
    Expansion::new(Kernel::gaussian(0.9), vectors, Matrix::from_vec(weights, m, OUTPUTS).unwrap()).unwrap()
}

/// One output of a model alone.
fn output(model: &Expansion, column: usize) -> Expansion {
    let weights = (0..model.size()).map(|i| model.weights().row(i)[column]).collect();
    let vectors = Matrix::from_vec(model.vectors().to_matrix().into_data(), model.size(), 2).unwrap();
    Expansion::new(model.kernel().clone(), vectors, Matrix::column(weights)).unwrap()
}

fn parts(cost: &str, projection: &str) -> (Cost, Projection) {
    let pairs = [("cost", cost), ("projection", projection), ("penalty", "0.1"), ("leaves", "smaller")];
    let values = Values::of(&pairs);
    (Cost::new(&values).unwrap(), Projection::new(&values).unwrap())
}

/// Costs that are sums over the outputs add up, and every projection moves each output as if it were alone.
#[test]
fn every_cost_and_projection_treats_the_outputs_alike() {
    let model = expansion(14);
    for (cost_name, projection_name) in
        cost::NAMES.iter().flat_map(|c| projection::NAMES.iter().map(move |p| (*c, *p)))
    {
        let what = format!("{cost_name}, {projection_name}");
        let (cost, projection) = parts(cost_name, projection_name);
        let needs = cost.needs().and(projection.needs());
        let mut whole = Tracked::of(&model, needs, 1e-10).unwrap();
        let mut alone: Vec<Tracked> =
            (0..OUTPUTS).map(|c| Tracked::of(&output(&model, c), needs, 1e-10).unwrap()).collect();
        while whole.len() > 5 {
            let mut costs = Vec::new();
            let (r, _) = cost.cheapest(&mut whole, &mut costs);
            if ["kappa-alpha", "least-squares", "regularised-least-squares", "crowding-alpha", "energy-alpha"]
                .contains(&cost_name)
            {
                let mut sums = vec![0.0; whole.len()];
                let mut one = vec![0.0; whole.len()];
                for tracked in &mut alone {
                    cost.costs(tracked, &mut one);
                    sums.iter_mut().zip(&one).for_each(|(sum, cost)| *sum += cost);
                }
                costs.iter().zip(&sums).for_each(|(got, want)| close(*got, *want, 1e-9, &what));
            }
            projection.remove(&mut whole, r);
            for (column, tracked) in alone.iter_mut().enumerate() {
                projection.remove(tracked, r);
                let got = whole.dictionary.columns().nth(column).unwrap();
                assert_eq!(got, tracked.dictionary.alpha, "{what}");
            }
        }
        let reduced = whole.dictionary.snapshot().unwrap().unwrap();
        assert_eq!((reduced.size(), reduced.outputs()), (5, OUTPUTS), "{what}");
        let text = serde_json::to_string(&whole.dictionary).unwrap();
        let read: crate::online::state::dictionary::Dictionary = serde_json::from_str(&text).unwrap();
        assert_eq!(read.snapshot().unwrap().unwrap(), reduced, "{what}");
    }
}

/// Orthogonal projection, vector by vector, ends where the definition does: `K_RR beta = K_R. alpha` for every output.
#[test]
fn reducing_by_orthogonal_projection_keeps_the_outputs_at_the_vectors_that_stay() {
    let model = expansion(12);
    let (cost, projection) = parts("kappa-alpha", "orthogonal");
    let mut reduced = Tracked::of(&model, cost.needs().and(projection.needs()), 0.0).unwrap();
    for _ in 0..6 {
        let (r, _) = cost.cheapest(&mut reduced, &mut Vec::new());
        projection.remove(&mut reduced, r);
    }
    let reduced = reduced.dictionary.snapshot().unwrap().unwrap();
    let kept: Vec<Vec<f64>> = reduced.vectors().to_matrix().view().iter().map(<[f64]>::to_vec).collect();
    let outputs = model.values(reduced.vectors()).unwrap();
    for column in 0..OUTPUTS {
        let wanted: Vec<f64> = (0..kept.len()).map(|i| outputs[(i, column)]).collect();
        let beta = solve(&gram(model.kernel(), &kept), &wanted);
        for (i, want) in beta.iter().enumerate() {
            close(reduced.weights().row(i)[column], *want, 1e-8, "weight");
        }
    }
}

#[test]
fn vectors_that_coincide_need_a_jitter() {
    let vectors = Matrix::from_vec(vec![0.5, 0.5], 2, 1).unwrap();
    let model = Expansion::new(Kernel::gaussian(1.0), vectors, Matrix::column(vec![1.0, 2.0])).unwrap();
    let (cost, _) = parts("kappa", "orthogonal");
    assert!(Tracked::of(&model, cost.needs(), 0.0).unwrap_err().to_string().contains("jitter"));
    assert!(Tracked::of(&model, cost.needs(), 1e-6).is_ok());
}
