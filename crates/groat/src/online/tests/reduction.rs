//! Costs and projections of report 836: recorded values, and the definitions on random models.

use super::{close, gram, model, solve, with_sample};
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::online::parts::cost::Cost;
use crate::online::parts::projection::Projection;
use crate::online::presets::Values;
use crate::online::state::Tracked;
use crate::testing::shared;
use proptest::prelude::*;
use serde_json::Value;

fn cost(name: &'static str) -> Cost {
    Cost::new(&Values::of(&[("cost", name), ("penalty", "1e-6"), ("leaves", "older")])).unwrap()
}

/// All costs of one kind: each is the least of what is left when the cheaper ones are set aside.
fn costs(model: &mut Tracked, name: &'static str) -> Vec<f64> {
    let mut out = Vec::new();
    cost(name).cheapest(model, &mut out);
    out
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

const COSTS: [(&str, &str); 9] = [
    ("kappa", "lambda_KLMS"),
    ("kappa-alpha", "lambda_MKLMS"),
    ("least-squares", "lambda_LS"),
    ("regularised-least-squares", "lambda_LS_reg"),
    ("crowding", "lambda_FKLMS"),
    ("crowding-alpha", "lambda_FMKLMS"),
    ("energy", "lambda_AFKLMS"),
    ("energy-alpha", "lambda_AFMKLMS_clamped"),
    ("magnitude", "lambda_NT"),
];

const PROJECTIONS: [(&str, &str); 3] =
    [("orthogonal", "beta_KLMS"), ("least-squares", "beta_LS"), ("fast", "beta_FKLMS")];

fn projection(name: &str) -> Projection {
    Projection::new(&Values::of(&[("projection", name)])).unwrap()
}

#[test]
fn recorded_costs_and_projections() {
    let Some(path) = shared("reference/papers/online_reduction_projections.json") else { return };
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for case in file["cases"].as_array().unwrap() {
        let kernel = Kernel::gaussian(case["sigma"].as_f64().unwrap());
        let vectors: Vec<Vec<f64>> = list(&case["centres"]).into_iter().map(|v| vec![v]).collect();
        let mut model = model(&kernel, &vectors, &list(&case["alpha"]));
        for removal in case["removals"].as_array().unwrap() {
            let r = removal["removed_index"].as_u64().unwrap() as usize;
            for (ours, theirs) in COSTS {
                close(costs(&mut model, ours)[r], removal[theirs].as_f64().unwrap(), 1e-12, theirs);
            }
            for (ours, theirs) in PROJECTIONS {
                let mut reduced = model.clone();
                projection(ours).remove(&mut reduced, r);
                for (got, want) in reduced.dictionary.alpha.iter().zip(list(&removal[theirs])) {
                    close(*got, want, 1e-11, theirs);
                }
            }
        }
        if let Some(cheapest) = case.get("argmin_ties_to_newest") {
            for (ours, theirs) in COSTS {
                let (r, _) = cost(ours).cheapest(&mut model, &mut Vec::new());
                assert_eq!(r as u64, cheapest[theirs].as_u64().unwrap(), "{theirs}");
            }
        }
    }
}

#[test]
fn a_lone_edge_vector_makes_least_squares_explode() {
    let Some(path) = shared("reference/papers/online_ls_bad_projection.json") else { return };
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let vectors: Vec<Vec<f64>> = list(&file["centres"]).into_iter().map(|v| vec![v]).collect();
    let mut model =
        model(&Kernel::gaussian(file["sigma"].as_f64().unwrap()), &vectors, &list(&file["alpha"]));
    let r = file["removed_index"].as_u64().unwrap() as usize;
    close(
        costs(&mut model, "least-squares")[r],
        file["lambda_LS_of_removal"].as_f64().unwrap(),
        1e-6,
        "cost",
    );
    for (ours, name, tolerance) in
        [("least-squares", "max_abs_beta_LS", 0.05), ("orthogonal", "max_abs_beta_KLMS", 1e-6)]
    {
        let mut reduced = model.clone();
        projection(ours).remove(&mut reduced, r);
        let largest = reduced.dictionary.alpha.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        close(largest, file[name].as_f64().unwrap(), tolerance, name);
    }
}

/// Vectors no two of which are nearly equal, with weights.
fn models() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
    (2usize..14).prop_flat_map(|m| {
        let vectors = prop::collection::vec(prop::collection::vec(-3.0..3.0f64, 2), m);
        let spaced = vectors.prop_filter("too close", |v| {
            (0..v.len()).all(|i| (0..i).all(|j| (v[i][0] - v[j][0]).hypot(v[i][1] - v[j][1]) > 0.3))
        });
        (spaced, prop::collection::vec(-1.0..1.0f64, m))
    })
}

fn without(vectors: &[Vec<f64>], r: usize) -> Vec<Vec<f64>> {
    vectors.iter().enumerate().filter(|(i, _)| *i != r).map(|(_, v)| v.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// (12) and (13): K_RR beta = [K_RR K_RN] alpha, and the change at the removed vector is kappa alpha.
    #[test]
    fn orthogonal_projection_solves_its_equations((vectors, alpha) in models(), pick in any::<prop::sample::Index>()) {
        let kernel = Kernel::gaussian(0.8);
        let mut model = model(&kernel, &vectors, &alpha);
        let r = pick.index(vectors.len());
        let kappa = costs(&mut model, "kappa")[r];
        let all = gram(&kernel, &vectors);
        let rest = without(&vectors, r);
        let outputs: Vec<f64> = (0..vectors.len()).filter(|i| *i != r)
            .map(|i| (0..alpha.len()).map(|j| all[(i, j)] * alpha[j]).sum()).collect();
        let beta = solve(&gram(&kernel, &rest), &outputs);
        projection("orthogonal").remove(&mut model, r);
        for (got, want) in model.dictionary.alpha.iter().zip(&beta) {
            prop_assert!((got - want).abs() < 1e-8, "{got} {want}");
        }
        let output = |weights: &[f64], others: &[Vec<f64>]| -> f64 {
            others.iter().zip(weights).map(|(v, w)| w * kernel.eval(v, &vectors[r])).sum()
        };
        let change = output(&alpha, &vectors) - output(&beta, &rest);
        prop_assert!((change - kappa * alpha[r]).abs() < 1e-8);
    }

    /// (14): beta = argmin |K alpha - K_(all,R) beta|, by its normal equations; the cost is the mean square.
    #[test]
    fn least_squares_needs_no_pseudo_inverse((vectors, alpha) in models(), pick in any::<prop::sample::Index>()) {
        let kernel = Kernel::gaussian(0.5);
        let mut model = model(&kernel, &vectors, &alpha);
        let (m, r) = (vectors.len(), pick.index(vectors.len()));
        let all = gram(&kernel, &vectors);
        let kept: Vec<usize> = (0..m).filter(|i| *i != r).collect();
        let outputs: Vec<f64> = (0..m).map(|i| (0..m).map(|j| all[(i, j)] * alpha[j]).sum()).collect();
        let mut normal = Matrix::zeros(m - 1, m - 1);
        let mut right = vec![0.0; m - 1];
        for (a, &i) in kept.iter().enumerate() {
            right[a] = (0..m).map(|l| all[(l, i)] * outputs[l]).sum();
            for (b, &j) in kept.iter().enumerate() {
                normal[(a, b)] = (0..m).map(|l| all[(l, i)] * all[(l, j)]).sum();
            }
        }
        let beta = solve(&normal, &right);
        let change: f64 = (0..m).map(|l| {
            let fitted: f64 = kept.iter().zip(&beta).map(|(i, b)| all[(l, *i)] * b).sum();
            (outputs[l] - fitted).powi(2)
        }).sum::<f64>() / m as f64;
        prop_assert!((costs(&mut model, "least-squares")[r] - change).abs() < 1e-8);
        let squares: f64 = beta.iter().map(|b| b * b).sum();
        let regularised = change + 1e-6 * squares / (m - 1) as f64;
        prop_assert!((costs(&mut model, "regularised-least-squares")[r] - regularised).abs() < 1e-8);
        projection("least-squares").remove(&mut model, r);
        for (got, want) in model.dictionary.alpha.iter().zip(&beta) {
            prop_assert!((got - want).abs() < 1e-6 * want.abs().max(1.0), "{got} {want}");
        }
    }

    /// A sample that does not enter is a vector that enters and leaves at once.
    #[test]
    fn absorbing_is_entering_and_leaving((vectors, alpha) in models(), weight in -1.0..1.0f64) {
        let kernel = Kernel::gaussian(0.7);
        let (x, rest) = vectors.split_last().unwrap();
        let start = model(&kernel, rest, &alpha);
        for projection in PROJECTIONS.map(|(name, _)| projection(name)) {
            let (mut absorbed, mut entered) = (start.clone(), start.clone());
            with_sample(&start, x, weight, |sample| {
                projection.absorb(&mut absorbed, sample);
                entered.push(sample, weight);
            });
            projection.remove(&mut entered, rest.len());
            for (a, b) in absorbed.dictionary.alpha.iter().zip(&entered.dictionary.alpha) {
                prop_assert!((a - b).abs() < 1e-8, "{projection:?}: {a} {b}");
            }
        }
    }

    /// Tables that are kept up to date equal tables made afresh.
    #[test]
    fn tables_follow_removals((vectors, alpha) in models(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..6)) {
        let kernel = Kernel::gaussian(0.9);
        let mut kept = model(&kernel, &vectors, &alpha);
        let mut rest = vectors.clone();
        for pick in picks.iter().take(vectors.len() - 1) {
            let r = pick.index(rest.len());
            rest.remove(r);
            Projection::DROP.remove(&mut kept, r);
        }
        let fresh = model(&kernel, &rest, &kept.dictionary.alpha);
        let (a, b) = (kept.neighbours.unwrap(), fresh.neighbours.unwrap());
        for i in 0..rest.len() {
            prop_assert!((a.coherence[i] - b.coherence[i]).abs() < 1e-14);
            prop_assert!((kept.energy.as_ref().unwrap().squares[i] - fresh.energy.as_ref().unwrap().squares[i]).abs() < 1e-12);
            for j in 0..=i {
                let (p, q) = (kept.inverse.as_ref().unwrap(), fresh.inverse.as_ref().unwrap());
                prop_assert!((p.inverse().get(i, j) - q.inverse().get(i, j)).abs() < 1e-6 * q.inverse().diagonal(i));
            }
        }
    }
}
