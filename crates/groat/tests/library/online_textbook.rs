//! Filters against slow versions written straight from their definitions, on streams of random samples.
//!
//! Nothing is carried along here: every output is a sum over all vectors, every solution a dense solve.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use groat::online::{Learner, Settings};
use groat::{Kernel, Rows};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const DIMENSION: usize = 3;

/// Samples of a smooth function of three features, with some noise; every seventh input comes again.
fn stream(seed: u64, n: usize) -> Vec<([f64; DIMENSION], f64)> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut samples: Vec<([f64; DIMENSION], f64)> = Vec::new();
    for i in 0..n {
        let fresh: [f64; DIMENSION] = std::array::from_fn(|_| 2.0 * rng.random::<f64>() - 1.0);
        let x = if i % 7 == 6 { samples[i / 2].0 } else { fresh };
        samples.push((x, (3.0 * x[0]).sin() - x[1] * x[2] + 0.1 * rng.random::<f64>()));
    }
    samples
}

/// A model as a list of terms.
#[derive(Clone, Default)]
struct Terms {
    x: Vec<[f64; DIMENSION]>,
    alpha: Vec<f64>,
}

impl Terms {
    fn output(&self, kernel: &Kernel, x: &[f64]) -> f64 {
        self.x.iter().zip(&self.alpha).map(|(v, a)| a * kernel.eval(v, x)).sum()
    }

    fn row(&self, kernel: &Kernel, x: &[f64]) -> Vec<f64> {
        self.x.iter().map(|v| kernel.eval(v, x)).collect()
    }

    fn push(&mut self, x: &[f64; DIMENSION], weight: f64) {
        self.x.push(*x);
        self.alpha.push(weight);
    }

    fn remove(&mut self, i: usize) {
        self.x.remove(i);
        self.alpha.remove(i);
    }

    fn largest_coherence(&self, kernel: &Kernel, x: &[f64]) -> f64 {
        self.row(kernel, x).into_iter().fold(0.0, f64::max)
    }
}

/// `A^-1 b` by elimination with pivoting.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|i, j| a[*i][c].abs().total_cmp(&a[*j][c].abs())).unwrap();
        a.swap(c, pivot);
        b.swap(c, pivot);
        for r in c + 1..n {
            let factor = a[r][c] / a[c][c];
            for k in c..n {
                a[r][k] -= factor * a[c][k];
            }
            b[r] -= factor * b[c];
        }
    }
    for r in (0..n).rev() {
        let sum: f64 = (r + 1..n).map(|k| a[r][k] * b[k]).sum();
        b[r] = (b[r] - sum) / a[r][r];
    }
    b
}

fn matrix(n: usize, element: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| element(i, j)).collect()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Runs a learner beside a slow version, which is given each sample and returns its output before
/// learning and its size after; both must agree at every step.
fn agree(
    name: &str,
    kernel: Option<&Kernel>,
    settings: &str,
    tolerance: f64,
    mut slow: impl FnMut(&[f64; DIMENSION], f64) -> (f64, usize),
) {
    let mut learner = Learner::new(name, kernel, DIMENSION, &settings.parse::<Settings>().unwrap()).unwrap();
    for (n, (x, y)) in stream(name.len() as u64, 160).iter().enumerate() {
        let step = learner.learn_one(x, *y).unwrap();
        let (output, size) = slow(x, *y);
        let allowed = tolerance * output.abs().max(1.0);
        assert!(
            (step.prediction - output).abs() <= allowed,
            "{name}, step {n}: {} and {output}",
            step.prediction
        );
        assert_eq!(step.size, size, "{name}, step {n}");
    }
}

fn kernels() -> [Kernel; 2] {
    [Kernel::gaussian(0.6), Kernel::Laplacian { width: 0.9.into() }]
}

#[test]
fn recursive_least_squares_is_weighted_least_squares() {
    let (lambda, ridge) = (0.97, 1e-3);
    let mut seen: Vec<([f64; DIMENSION], f64)> = Vec::new();
    agree("rls", None, "lambda=0.97,ridge=1e-3", 1e-8, |x, y| {
        let n = seen.len() as i32;
        let weight = |j: usize| f64::powi(lambda, n - 1 - j as i32);
        let moment = |a: usize, b: usize| {
            let data: f64 = seen.iter().enumerate().map(|(j, (x, _))| weight(j) * x[a] * x[b]).sum();
            data + if a == b { ridge * lambda.powi(n) } else { 0.0 }
        };
        let right = (0..DIMENSION)
            .map(|a| seen.iter().enumerate().map(|(j, (x, y))| weight(j) * x[a] * y).sum())
            .collect();
        let output = dot(&solve(matrix(DIMENSION, moment), right), x);
        seen.push((*x, y));
        (output, 0)
    });
}

/// The posterior of linear weights is that of a Gaussian process with a linear kernel; weights on a random
/// walk add `drift min(i, j)` to the prior variance of the pair of steps `i`, `j`.
#[test]
fn the_kalman_filter_is_a_gaussian_process_over_time() {
    let (sn2, drift, prior) = (0.02, 0.05, 2.0);
    let mut seen: Vec<([f64; DIMENSION], f64)> = Vec::new();
    let settings = "sn2=0.02,drift=0.05,prior=2";
    let mut filter = Learner::new("kalman", None, DIMENSION, &settings.parse().unwrap()).unwrap();
    for (x, y) in stream(3, 60) {
        let n = seen.len();
        let walk = |i: usize, j: usize| prior + drift * (i.min(j) + 1) as f64;
        let cross: Vec<f64> = (0..n).map(|i| walk(i, n) * dot(&seen[i].0, &x)).collect();
        let gram =
            matrix(n, |i, j| walk(i, j) * dot(&seen[i].0, &seen[j].0) + if i == j { sn2 } else { 0.0 });
        let mean = dot(&cross, &solve(gram.clone(), seen.iter().map(|(_, y)| *y).collect()));
        let variance = sn2 + walk(n, n) * dot(&x, &x) - dot(&cross, &solve(gram, cross.clone()));
        assert!((filter.variance(&x).unwrap().unwrap() - variance).abs() < 1e-9);
        assert!((filter.learn_one(&x, y).unwrap().prediction - mean).abs() < 1e-9);
        seen.push((x, y));
    }
}

#[test]
fn quantised_least_squares_solves_its_normal_equations() {
    for kernel in kernels() {
        let (epsu, ridge) = (0.5, 0.05);
        let mut terms = Terms::default();
        let (mut counts, mut sums): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        agree("qkrls", Some(&kernel), "epsu=0.5,ridge=0.05", 1e-9, |x, y| {
            let output = terms.output(&kernel, x);
            let distance = |v: &[f64; DIMENSION]| dot(v, v) - 2.0 * dot(v, x) + dot(x, x);
            let near = (0..terms.x.len())
                .min_by(|i, j| distance(&terms.x[*i]).total_cmp(&distance(&terms.x[*j])))
                .filter(|i| distance(&terms.x[*i]) <= epsu * epsu);
            let at = near.unwrap_or_else(|| {
                terms.push(x, 0.0);
                counts.push(0.0);
                sums.push(0.0);
                terms.x.len() - 1
            });
            counts[at] += 1.0;
            sums[at] += y;
            // (Lambda K + ridge I) alpha = sum of targets, as in the paper.
            let m = terms.x.len();
            let system = matrix(m, |i, j| {
                counts[i] * kernel.eval(&terms.x[i], &terms.x[j]) + if i == j { ridge } else { 0.0 }
            });
            terms.alpha = solve(system, sums.clone());
            (output, m)
        });
    }
}

/// Without drift the extended filter is kernel ridge regression in which sample `j` has the noise
/// `ridge lambda^j`.
#[test]
fn extended_least_squares_without_drift_is_weighted_ridge_regression() {
    let (lambda, ridge) = (0.98, 0.3);
    let kernel = Kernel::gaussian(0.6);
    let mut seen = Terms::default();
    let mut targets: Vec<f64> = Vec::new();
    agree("exkrls", Some(&kernel), "transition=1,lambda=0.98,drift=0,ridge=0.3", 1e-7, |x, y| {
        let output = seen.output(&kernel, x);
        seen.push(x, 0.0);
        targets.push(y);
        let m = targets.len();
        let system = matrix(m, |i, j| {
            let noise = if i == j { ridge * f64::powi(lambda, i as i32 + 1) } else { 0.0 };
            kernel.eval(&seen.x[i], &seen.x[j]) + noise
        });
        seen.alpha = solve(system, targets.clone());
        (output, m)
    });
}

#[test]
fn leaky_affine_projections() {
    for (kernel, normalised) in kernels().into_iter().zip([false, true]) {
        let (eta, rho, eps, tau) = (0.1, 0.02, 0.03, 6);
        let mut terms = Terms::default();
        let mut targets: Vec<f64> = Vec::new();
        let settings = "eta=0.1,rho=0.02,tau=6".to_owned() + if normalised { ",eps=0.03" } else { "" };
        agree(if normalised { "nlkapa" } else { "lkapa" }, Some(&kernel), &settings, 1e-11, |x, y| {
            let output = terms.output(&kernel, x);
            let before = terms.clone();
            terms.push(x, 0.0);
            targets.push(y);
            let m = targets.len();
            let window: Vec<usize> = (m.saturating_sub(tau)..m).collect();
            let errors: Vec<f64> =
                window.iter().map(|&i| targets[i] - before.output(&kernel, &terms.x[i])).collect();
            let change = if normalised && m > 1 {
                let gram = matrix(window.len(), |i, j| {
                    let k = kernel.eval(&terms.x[window[i]], &terms.x[window[j]]);
                    k + if i == j { eps } else { 0.0 }
                });
                solve(gram, errors)
            } else {
                errors
            };
            terms.alpha.iter_mut().for_each(|a| *a *= 1.0 - eta * rho);
            window.iter().zip(change).for_each(|(&i, d)| terms.alpha[i] += eta * d);
            (output, m)
        });
    }
}

/// The ball is small enough to be left often, and the window of vectors slides.
#[test]
fn projected_subgradients_stay_in_their_ball() {
    for loss in ["squared", "absolute", "huber"] {
        let kernel = Kernel::gaussian(0.6);
        let (eta, tau, budget, radius, scale) = (0.8, 5, 40, 1.2, 0.3);
        let mut terms = Terms::default();
        let mut targets: Vec<f64> = Vec::new();
        let settings = format!("eta=0.8,tau=5,budget=40,radius=1.2,loss={loss},loss_scale=0.3");
        let mut left = 0;
        agree("kapsm", Some(&kernel), &settings, 1e-10, |x, y| {
            let output = terms.output(&kernel, x);
            let before = terms.clone();
            terms.push(x, 0.0);
            targets.push(y);
            let m = terms.x.len();
            let window: Vec<usize> = (m.saturating_sub(tau)..m).collect();
            for &i in &window {
                let e: f64 = targets[i] - before.output(&kernel, &terms.x[i]);
                // Loss and slope; k(x, x) = 1.
                let (value, slope) = match loss {
                    "squared" => (e * e, 2.0 * e),
                    "absolute" => (e.abs(), e.signum()),
                    _ if e.abs() <= scale => (e * e / (2.0 * scale), e / scale),
                    _ => (e.abs() - scale / 2.0, e.signum()),
                };
                terms.alpha[i] += eta / window.len() as f64 * if e == 0.0 { 0.0 } else { value / slope };
            }
            let square: f64 =
                terms.x.iter().zip(&terms.alpha).map(|(v, a)| a * terms.output(&kernel, v)).sum();
            if square.sqrt() > radius {
                left += 1;
                terms.alpha.iter_mut().for_each(|a| *a *= radius / square.sqrt());
            }
            if m > budget {
                terms.remove(0);
                targets.remove(0);
            }
            (output, terms.x.len())
        });
        assert!(left > 20, "{loss}: the ball was left {left} times only");
    }
}

/// Significance from its definition: every quantised sample, weighted by its age, spreads a Gaussian at
/// its vector, and a term's mean magnitude under that density is an integral of two Gaussians.
#[test]
fn the_least_significant_vector_leaves() {
    let kernel = Kernel::gaussian(0.6);
    let (eta, epsu, beta, budget) = (0.6, 0.35, 0.9, 15);
    let mut terms = Terms::default();
    let mut arrivals: Vec<([f64; DIMENSION], usize)> = Vec::new();
    let mut now = 0;
    agree("qklms-fb", Some(&kernel), "eta=0.6,epsu=0.35,lambda=0.9,budget=15", 1e-10, |x, y| {
        let output = terms.output(&kernel, x);
        now += 1;
        let distance = |v: &[f64; DIMENSION]| (dot(v, v) - 2.0 * dot(v, x) + dot(x, x)).max(0.0).sqrt();
        let near = (0..terms.x.len())
            .min_by(|i, j| distance(&terms.x[*i]).total_cmp(&distance(&terms.x[*j])))
            .filter(|i| distance(&terms.x[*i]) <= epsu);
        if let Some(i) = near {
            terms.alpha[i] += eta * (y - output);
            arrivals.push((terms.x[i], now));
            return (output, terms.x.len());
        }
        if terms.x.len() == budget {
            let significance = |i: usize| -> f64 {
                let spread = |(v, at): &([f64; DIMENSION], usize)| {
                    let r2 = dot(v, v) - 2.0 * dot(v, &terms.x[i]) + dot(&terms.x[i], &terms.x[i]);
                    f64::powi(beta, (now - 1 - at) as i32) * (-r2 / (4.0 * 0.36)).exp()
                };
                terms.alpha[i].abs() * arrivals.iter().map(spread).sum::<f64>()
            };
            let least = (0..budget).min_by(|i, j| significance(*i).total_cmp(&significance(*j))).unwrap();
            let gone = terms.x[least];
            terms.remove(least);
            arrivals.retain(|(v, _)| *v != gone);
        }
        let weight = eta * (y - terms.output(&kernel, x));
        terms.push(x, weight);
        arrivals.push((*x, now));
        (output, terms.x.len())
    });
}

#[test]
fn soft_thresholds_with_and_without_adaption() {
    for (name, adaptive) in [("klms-csl1", false), ("klms-csal1", true)] {
        let kernel = Kernel::gaussian(0.6);
        let (eta, mu0, shrink, eps) = (0.3, 0.6, 4e-3, 0.05);
        let settings =
            "eta=0.3,mu0=0.6,shrink=4e-3".to_owned() + if adaptive { ",eps_alpha=0.05" } else { "" };
        let mut terms = Terms::default();
        let mut gone = 0;
        agree(name, Some(&kernel), &settings, 1e-11, |x, y| {
            let output = terms.output(&kernel, x);
            let threshold = |a: &f64| if adaptive { shrink / (a.abs() + eps) } else { shrink };
            let mut thresholds: Vec<f64> = terms.alpha.iter().map(threshold).collect();
            if terms.largest_coherence(&kernel, x) <= mu0 {
                let first = adaptive && terms.x.is_empty();
                terms.push(x, if first { y } else { 0.0 });
                thresholds.push(if first { threshold(&y) } else { shrink });
            }
            let error = y - terms.output(&kernel, x);
            let k = terms.row(&kernel, x);
            for i in 0..k.len() {
                let moved = terms.alpha[i] + eta * error * k[i];
                terms.alpha[i] = moved.signum() * (moved.abs() - thresholds[i]).max(0.0);
            }
            while let Some(i) = terms.alpha.iter().position(|a| *a == 0.0) {
                terms.remove(i);
                gone += 1;
            }
            (output, terms.x.len())
        });
        assert!(gone > 3, "{name}: {gone} vectors left");
    }
}

/// Projections one by one, their mean, and the extrapolation as the paper has it, weights included.
#[test]
fn parallel_projections_are_extrapolated() {
    for kernel in kernels() {
        let (eta, mu0, active, tau) = (0.3, 0.6, 3, 4);
        let omega = 1.0 / tau as f64;
        let mut terms = Terms::default();
        let mut recent: Vec<([f64; DIMENSION], f64)> = Vec::new();
        agree("phypass", Some(&kernel), "eta=0.3,mu0=0.6,active=3,tau=4", 1e-6, |x, y| {
            let output = terms.output(&kernel, x);
            if terms.x.is_empty() || terms.largest_coherence(&kernel, x) < mu0 {
                terms.push(x, 0.0);
            }
            recent.push((*x, y));
            if recent.len() > tau {
                recent.remove(0);
            }
            let m = terms.x.len();
            let mut moves: Vec<Vec<f64>> = Vec::new();
            for (x, y) in &recent {
                let k = terms.row(&kernel, x);
                let mut order: Vec<usize> = (0..m).collect();
                order.sort_by(|i, j| k[*j].total_cmp(&k[*i]));
                order.truncate(active);
                let local = matrix(order.len(), |i, j| kernel.eval(&terms.x[order[i]], &terms.x[order[j]]));
                let near: Vec<f64> = order.iter().map(|&i| k[i]).collect();
                let a = solve(local, near.clone());
                let b = (y - terms.output(&kernel, x)) / dot(&near, &a);
                let mut step = vec![0.0; m];
                order.iter().zip(a).for_each(|(&i, a)| step[i] = b * a);
                moves.push(step);
            }
            let inner = |a: &[f64], b: &[f64]| -> f64 {
                (0..m)
                    .map(|i| a[i] * (0..m).map(|j| kernel.eval(&terms.x[i], &terms.x[j]) * b[j]).sum::<f64>())
                    .sum()
            };
            let mean: Vec<f64> = (0..m).map(|i| moves.iter().map(|step| omega * step[i]).sum()).collect();
            let parallel: f64 = moves.iter().map(|step| omega * inner(step, step)).sum();
            let factor = parallel / inner(&mean, &mean);
            terms.alpha.iter_mut().zip(&mean).for_each(|(a, c)| *a += eta * factor * c);
            (output, m)
        });
    }
}

/// The gate follows the gradient of the squared error, taken here by differences.
#[test]
fn the_gate_descends_the_squared_error() {
    let factors = [0.5, 1.0, 2.0];
    let (eta, rate, width) = (0.4, 0.3, 0.6);
    let kernels = factors.map(|factor| Kernel::gaussian(factor * width));
    let mut layers = [(); 3].map(|_| Terms::default());
    let mut gate = [1.0 / 3.0; 3];
    let softmax = |v: &[f64; 3]| {
        let sum: f64 = v.iter().map(|v| v.exp()).sum();
        v.map(|v| v.exp() / sum)
    };
    agree("mxklms", Some(&Kernel::gaussian(width)), "eta=0.4,eta_gate=0.3,widths=0.5;1;2", 1e-7, |x, y| {
        let outputs: [f64; 3] = std::array::from_fn(|p| layers[p].output(&kernels[p], x));
        let cost = |v: &[f64; 3]| (y - dot(&softmax(v), &outputs)).powi(2);
        let output = dot(&softmax(&gate), &outputs);
        let step = 1e-5;
        let slope: [f64; 3] = std::array::from_fn(|p| {
            let (mut up, mut down) = (gate, gate);
            up[p] += step;
            down[p] -= step;
            (cost(&up) - cost(&down)) / (2.0 * step)
        });
        gate.iter_mut().zip(slope).for_each(|(v, slope)| *v -= rate * slope);
        let shares = softmax(&gate);
        for p in 0..3 {
            layers[p].push(x, eta * shares[p] * (y - output));
        }
        (output, layers[0].x.len())
    });
}

/// One sample with target 1 and step 1 leaves `z(x) . z(.)`, which approximates the kernel.
#[test]
fn random_features_approximate_their_kernel() {
    let widths = vec![0.5, 0.8, 1.3];
    for kernel in [
        Kernel::gaussian(0.8),
        Kernel::gaussian(widths),
        Kernel::Laplacian { width: 0.8.into() },
        Kernel::Matern32 { width: 0.8.into() },
        Kernel::Matern52 { width: 0.8.into() },
    ] {
        let settings = "eta=1,features=40000,seed=5".parse().unwrap();
        let x = [0.1, -0.2, 0.4];
        let mut learner = Learner::new("rff-klms", &kernel, DIMENSION, &settings).unwrap();
        learner.learn_one(&x, 1.0).unwrap();
        for (other, _) in stream(9, 30) {
            let (got, want) = (learner.predict_one(&other).unwrap(), kernel.eval(&x, &other));
            assert!((got - want).abs() < 0.02, "{kernel}: {got} and {want}");
        }
    }
    assert!(Learner::new("rff-klms", &Kernel::Linear, 2, &Settings::new()).is_err());
}

/// Quantised least squares under way: its variance is that of a Gaussian process, whose noise at a vector
/// falls with the samples counted there.
#[test]
fn variance_of_quantised_least_squares_falls_with_the_samples() {
    let settings = "epsu=0.01,ridge=0.2".parse().unwrap();
    let mut learner = Learner::new("qkrls", &Kernel::gaussian(1.0), 1, &settings).unwrap();
    for n in 1..=50 {
        learner.learn_one(&[0.0], 1.0).unwrap();
        let noise = 0.2 / n as f64;
        let want = 0.2 + 1.0 - 1.0 / (1.0 + noise);
        assert!((learner.variance(&[0.0]).unwrap().unwrap() - want).abs() < 1e-10);
        assert!((learner.predict_many(Rows::one(&[0.0])).unwrap()[0] - 1.0 / (1.0 + noise)).abs() < 1e-10);
    }
}
