//! The selection against slow textbook formulas and against numbers computed elsewhere.

use super::basis::Basis;
use super::columns::{Columns, Stored};
use super::evidence::select_with_evidence;
use super::select::{Criterion, Limits, Objective, Selection, select};
use crate::batch::density::SimplexProgram;
use crate::batch::forward::Ols;
use crate::kernels::Kernel;
use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::ops::ControlFlow;

fn go_on(_: usize, _: f64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn gaussian_columns(x: &[Vec<f64>], width: f64) -> Stored {
    Stored::fill(x.len(), x.len(), |j, out| {
        for (k, out) in out.iter_mut().enumerate() {
            let r2: f64 = x[k].iter().zip(&x[j]).map(|(a, b)| (a - b) * (a - b)).sum();
            *out = (-r2 / (2.0 * width * width)).exp();
        }
    })
}

fn random_problem(seed: u64, n: usize, d: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| rng.random_range(-2.0..2.0)).collect()).collect();
    let y = x.iter().map(|x| (1.5 * x[0]).sin() + 0.3 * x[d - 1] + rng.random_range(-0.1..0.1)).collect();
    (x, y)
}

fn column(columns: &dyn Columns, j: usize) -> Vec<f64> {
    let mut out = vec![0.0; columns.rows()];
    columns.column(j, &mut out);
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The plain algorithm: all candidates orthogonalised at every stage, every criterion evaluated.
fn reference(
    columns: &dyn Columns,
    targets: &[Vec<f64>],
    classes: Option<&[usize]>,
    lambda: f64,
    terms: usize,
) -> (Vec<usize>, Vec<f64>) {
    let (n, m) = (columns.rows(), columns.count());
    let mut w: Vec<Vec<f64>> = (0..m).map(|j| column(columns, j)).collect();
    let start: Vec<f64> = w.iter().map(|w| dot(w, w)).collect();
    let mut eps: Vec<Vec<f64>> = targets.to_vec();
    let mut eta = vec![1.0; n];
    let (mut chosen, mut curve) = (Vec::new(), Vec::new());
    for _ in 0..terms {
        let mut best: Option<(f64, f64, usize)> = None;
        for j in (0..m).filter(|j| !chosen.contains(j)) {
            let ww = dot(&w[j], &w[j]);
            if ww < 1e-12 * start[j] {
                continue;
            }
            let d = ww + lambda;
            let loo: Vec<Vec<f64>> = eps
                .iter()
                .zip(targets)
                .map(|(e, y)| {
                    let g = dot(&w[j], y) / d;
                    (0..n).map(|k| (e[k] - g * w[j][k]) / (eta[k] - w[j][k] * w[j][k] / d)).collect()
                })
                .collect();
            let squares: f64 = loo.iter().map(|l| dot(l, l)).sum::<f64>() / n as f64;
            let criterion = match classes {
                None => squares,
                Some(_) if targets.len() == 1 => {
                    (0..n).filter(|&k| targets[0][k] * (targets[0][k] - loo[0][k]) <= 0.0).count() as f64
                        / n as f64
                }
                Some(classes) => {
                    let wrong = |k: &usize| {
                        let out = |c: usize| targets[c][*k] - loo[c][*k];
                        (0..targets.len()).any(|c| c != classes[*k] && out(c) >= out(classes[*k]))
                    };
                    (0..n).filter(wrong).count() as f64 / n as f64
                }
            };
            let tie = if classes.is_some() { squares } else { 0.0 };
            if best.is_none_or(|b| (criterion, tie) < (b.0, b.1)) {
                best = Some((criterion, tie, j));
            }
        }
        let (value, _, j) = best.unwrap();
        chosen.push(j);
        curve.push(value);
        let (wj, ww) = (w[j].clone(), dot(&w[j], &w[j]));
        for (e, y) in eps.iter_mut().zip(targets) {
            let g = dot(&wj, y) / (ww + lambda);
            (0..n).for_each(|k| e[k] -= g * wj[k]);
        }
        (0..n).for_each(|k| eta[k] -= wj[k] * wj[k] / (ww + lambda));
        for _ in 0..2 {
            for (i, w) in w.iter_mut().enumerate().filter(|(i, _)| *i != j) {
                let _ = i;
                let a = dot(&wj, w) / ww;
                (0..n).for_each(|k| w[k] -= a * wj[k]);
            }
        }
    }
    (chosen, curve)
}

fn run(
    columns: &dyn Columns,
    targets: &[Vec<f64>],
    criterion: Criterion<'_>,
    lambda: f64,
    limits: Limits,
) -> Selection {
    let weights = vec![1.0; columns.rows()];
    let objective = Objective { targets, weights: &weights, constant: None, criterion, stop: &|| false };
    select(columns, objective, vec![lambda; columns.count()], limits, &mut go_on)
}

const NEVER: usize = usize::MAX;

#[test]
fn bounded_selection_is_the_plain_one() {
    for (seed, n, d, width) in [(1, 60, 2, 1.0), (2, 150, 3, 0.7), (3, 200, 5, 2.0)] {
        let (x, y) = random_problem(seed, n, d);
        let columns = gaussian_columns(&x, width);
        let second: Vec<f64> = x.iter().map(|x| x[0] * x[1]).collect();
        for targets in [vec![y.clone()], vec![y.clone(), second]] {
            let (chosen, curve) = reference(&columns, &targets, None, 1e-6, 20);
            let ours =
                run(&columns, &targets, Criterion::MeanSquared, 1e-6, Limits { terms: 20, patience: NEVER });
            let kept = ours.terms.len();
            assert_eq!(ours.terms, chosen[..kept]);
            for (a, b) in ours.curve[1..].iter().zip(&curve) {
                assert!((a - b).abs() <= 1e-9 * b, "{a} {b}");
            }
            assert!(ours.evaluations < 20 * n / 2, "{} evaluations", ours.evaluations);
        }
    }
}

#[test]
fn scanned_selection_is_the_plain_one() {
    let (x, y) = random_problem(4, 120, 2);
    let columns = gaussian_columns(&x, 1.0);
    let limits = Limits { terms: 12, patience: NEVER };
    let signs: Vec<f64> = y.iter().map(|y| if *y > 0.2 { 1.0 } else { -1.0 }).collect();
    let targets = vec![signs];
    let (chosen, curve) = reference(&columns, &targets, Some(&[]), 1e-3, 12);
    let ours = run(&columns, &targets, Criterion::Sign, 1e-3, limits);
    assert_eq!(ours.terms, chosen[..ours.terms.len()]);
    assert_eq!(ours.curve[1..], curve);
    assert_eq!(ours.curve[0], 1.0);

    let classes: Vec<usize> = x.iter().map(|x| usize::from(x[0] > 0.5) + usize::from(x[1] > 0.3)).collect();
    let targets: Vec<Vec<f64>> =
        (0..3).map(|c| classes.iter().map(|&k| if k == c { 1.0 } else { -1.0 }).collect()).collect();
    let (chosen, curve) = reference(&columns, &targets, Some(&classes), 1e-3, 12);
    let ours = run(&columns, &targets, Criterion::Largest(&classes), 1e-3, limits);
    assert_eq!(ours.terms, chosen[..ours.terms.len()]);
    assert_eq!(ours.curve[1..], curve);
}

/// Solves a small symmetric positive definite system by elimination.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        for r in i + 1..n {
            let f = a[r][i] / a[i][i];
            for c in i..n {
                a[r][c] -= f * a[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - (i + 1..n).map(|c| a[i][c] * b[c]).sum::<f64>()) / a[i][i];
    }
    b
}

/// The error at sample `k` of the model fitted without it, the columns of `basis` kept.
fn left_out(basis: &Basis, target: &[f64], k: usize) -> f64 {
    let (n, rows) = (basis.len(), target.len());
    let rest: Vec<usize> = (0..rows).filter(|&i| i != k).collect();
    let gram = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| {
                    let sum: f64 = rest.iter().map(|&r| basis.columns[i][r] * basis.columns[j][r]).sum();
                    sum + if i == j { basis.terms.lambda[i] } else { 0.0 }
                })
                .collect()
        })
        .collect();
    let right = (0..n).map(|i| rest.iter().map(|&r| basis.columns[i][r] * target[r]).sum()).collect();
    let g = solve(gram, right);
    target[k] - (0..n).map(|i| g[i] * basis.columns[i][k]).sum::<f64>()
}

#[test]
fn leave_one_out_errors_are_those_of_refitted_models() {
    let (x, y) = random_problem(5, 40, 2);
    let columns = gaussian_columns(&x, 1.0);
    let weights: Vec<f64> = (0..40).map(|k| 0.5 + (k % 3) as f64).collect();
    let root: Vec<f64> = weights.iter().map(|w: &f64| w.sqrt()).collect();
    let scaled = Stored::<f64>::fill(40, 40, |j, out| {
        columns.column(j, out);
        out.iter_mut().zip(&root).for_each(|(o, r)| *o *= r);
    });
    let target: Vec<f64> = y.iter().zip(&root).map(|(y, r)| y * r).collect();
    let targets = [target];
    let objective = Objective {
        targets: &targets,
        weights: &weights,
        constant: Some(&root),
        criterion: Criterion::MeanSquared,
        stop: &|| false,
    };
    let limits = Limits { terms: 8, patience: 5 };
    let ours = select(&scaled, objective, vec![0.01; 40], limits, &mut go_on);
    assert!(ours.basis.len() > 3);
    let mut mean = 0.0;
    for k in 0..40 {
        let loo = ours.basis.residual[0][k] / ours.basis.eta[k];
        let brute = left_out(&ours.basis, &targets[0], k);
        assert!((loo - brute).abs() < 1e-10, "{loo} {brute}");
        mean += brute * brute;
        let psi = targets[0][k] * (targets[0][k] * ours.basis.eta[k] - ours.basis.residual[0][k]);
        let decision = targets[0][k] * (targets[0][k] - brute);
        assert!((psi / ours.basis.eta[k] - decision).abs() < 1e-10);
    }
    let kept = ours.terms.len();
    assert!((ours.curve[kept] - mean / weights.iter().sum::<f64>()).abs() < 1e-10);
}

#[test]
fn the_same_bits_on_one_thread_and_on_many() {
    let (x, y) = random_problem(6, 300, 3);
    let fit = || {
        let columns = gaussian_columns(&x, 1.0);
        run(
            &columns,
            std::slice::from_ref(&y),
            Criterion::MeanSquared,
            1e-6,
            Limits { terms: 30, patience: 5 },
        )
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, three) = (pool(1).install(fit), pool(3).install(fit));
    assert_eq!(one.terms, three.terms);
    assert_eq!(one.basis.terms.original_weights(1), three.basis.terms.original_weights(1));
}

#[test]
fn a_duplicated_candidate_is_never_chosen_twice() {
    let (mut x, mut y) = random_problem(7, 30, 2);
    x.extend(x.clone());
    y.extend(y.clone());
    let columns = gaussian_columns(&x, 1.0);
    let ours = run(&columns, &[y], Criterion::MeanSquared, 0.0, Limits { terms: 60, patience: NEVER });
    assert!(ours.terms.len() <= 30);
    let weights = ours.basis.terms.original_weights(1);
    assert!(weights[0].iter().all(|w| w.is_finite()));
}

mod stored_vectors {
    use super::*;
    use serde_json::Value;

    fn vector(name: &str) -> Option<Value> {
        let path = crate::testing::shared(&format!("reference/papers/{name}"))?;
        Some(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    fn numbers(v: &Value) -> Vec<f64> {
        v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    }

    fn indices(v: &Value) -> Vec<usize> {
        v.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
    }

    fn close(a: &[f64], b: &Value, tolerance: f64) {
        let b = numbers(b);
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} {b}");
        }
    }

    fn problem(v: &Value) -> (Stored, Vec<f64>, f64) {
        let x: Vec<Vec<f64>> = v["X"].as_array().unwrap().iter().map(numbers).collect();
        (gaussian_columns(&x, v["width"].as_f64().unwrap()), numbers(&v["y"]), v["lambda"].as_f64().unwrap())
    }

    #[test]
    fn regression() {
        let Some(v) = vector("batch_ols_loo_regression.json") else { return };
        let (columns, y, lambda) = problem(&v);
        let s = run(&columns, &[y], Criterion::MeanSquared, lambda, Limits { terms: 14, patience: 0 });
        assert_eq!(s.terms, indices(&v["selected"]));
        close(&s.curve[..6], &v["J"], 1e-10);
        assert!((s.curve[6] - v["J_refused"].as_f64().unwrap()).abs() < 1e-10);
        let g: Vec<f64> = (0..5).map(|i| s.basis.terms.weight(i, 0)).collect();
        close(&g, &v["g"], 1e-10);
        close(&s.basis.terms.energy, &v["wtw"], 1e-10);
        close(&s.basis.terms.original_weights(1)[0], &v["beta"], 1e-10);
        close(&s.basis.residual[0], &v["residual"], 1e-10);
        close(&s.basis.eta, &v["eta"], 1e-10);
    }

    #[test]
    fn classification() {
        let Some(v) = vector("batch_ols_loo_classification.json") else { return };
        let (columns, y, lambda) = problem(&v);
        let s = run(
            &columns,
            std::slice::from_ref(&y),
            Criterion::Sign,
            lambda,
            Limits { terms: 4, patience: 0 },
        );
        assert_eq!(s.terms, indices(&v["literal_stop_selected"]));
        close(&s.curve, &v["J"], 0.0);
        close(&s.basis.terms.original_weights(1)[0], &v["beta"], 1e-10);
        let psi: Vec<f64> = (0..14).map(|k| s.basis.eta[k] - y[k] * s.basis.residual[0][k]).collect();
        close(&psi, &v["psi"], 1e-10);
        close(&s.basis.eta, &v["eta"], 1e-10);
    }

    #[test]
    fn evidence() {
        let (Some(data), Some(v)) =
            (vector("batch_ols_loo_regression.json"), vector("batch_ols_evidence.json"))
        else {
            return;
        };
        let (columns, y, lambda) = problem(&data);
        let weights = vec![1.0; 14];
        let targets = [y];
        let objective = Objective {
            targets: &targets,
            weights: &weights,
            constant: None,
            criterion: Criterion::MeanSquared,
            stop: &|| false,
        };
        for (i, pass) in v["passes"].as_array().unwrap().iter().enumerate() {
            let limits = Limits { terms: 14, patience: 0 };
            let s = select_with_evidence(&columns, objective, vec![lambda; 14], limits, i + 1, &mut go_on);
            assert_eq!(s.terms, indices(&pass["selected"]));
            close(&s.basis.terms.lambda, &pass["lambda_used"], 1e-9);
            close(&s.basis.terms.original_weights(1)[0], &pass["beta"], 1e-9);
            close(&s.curve[..6], &pass["J"], 1e-9);
        }
    }

    #[test]
    fn weights_on_the_simplex() {
        let Some(v) = vector("batch_density_mnqp.json") else { return };
        for case in [&v, &v["second_case"]] {
            let matrix: Vec<f64> = case["B"].as_array().unwrap().iter().flat_map(numbers).collect();
            let program = SimplexProgram::new(matrix, numbers(&case["v"])).unwrap();
            for (steps, weights) in case["mnqp_after"].as_object().unwrap() {
                close(&program.mnqp(steps.parse().unwrap()), weights, 1e-10);
            }
            let exact = program.solve().unwrap();
            close(&exact, &case["exact_weights"], 1e-10);
            assert!((program.objective(&exact) - case["exact_objective"].as_f64().unwrap()).abs() < 1e-12);
        }
    }
}

/// As many candidates as rows, of very many rows, would seem to hang; as many as there are of few rows do not.
#[test]
fn too_many_candidates_are_refused_before_the_work() {
    let asked = |count: usize| Ols::new(Kernel::gaussian(1.0)).candidates(count);
    assert!(asked(1_000_000_000).check_candidates(20_000).is_ok());
    let message = asked(1_000_000_000).check_candidates(1_000_000).unwrap_err().to_string();
    assert!(message.contains("at most 2000 for 1000000 rows"), "{message}");
    assert!(asked(2000).check_candidates(1_000_000_000).is_ok());
    assert!(Ols::new(Kernel::gaussian(1.0)).check_candidates(1_000_000_000).is_ok());
}
