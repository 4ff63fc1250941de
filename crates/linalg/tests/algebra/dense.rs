//! Dense algebra against textbook formulas on random matrices, and the same bits on any thread count.

#![allow(clippy::unwrap_used)]

use groat_linalg::{Cholesky, Error, View, ViewMut, Write, eigh, least_squares, product, self_product};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn random(len: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    (0..len).map(|_| rng.random::<f64>() * 2.0 - 1.0).collect()
}

/// `B B^T / n + shift I`, filled in both triangles.
fn positive(n: usize, shift: f64, seed: u64) -> Vec<f64> {
    let b = random(n * n, seed);
    let mut a = self_product(View::row_major(&b, n, n).unwrap());
    for (i, v) in a.iter_mut().enumerate() {
        *v /= n as f64;
        if i % (n + 1) == 0 {
            *v += shift;
        }
    }
    a
}

fn naive(a: &[f64], b: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
    let mut out = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            out[i * n + j] = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
        }
    }
    out
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_product_equals_three_loops(m in 1usize..40, k in 1usize..40, n in 1usize..40, seed in 0u64..1000) {
        let (a, b) = (random(m * k, seed), random(k * n, seed + 1));
        let mut out = vec![1.0; m * n];
        let (left, right) = (View::row_major(&a, m, k).unwrap(), View::row_major(&b, k, n).unwrap());
        product(1.0, left, right, Write::Add, ViewMut::row_major(&mut out, m, n).unwrap()).unwrap();
        let want: Vec<f64> = naive(&a, &b, m, k, n).iter().map(|v| v + 1.0).collect();
        prop_assert!(worst(&out, &want) < 1e-12);
    }

    #[test]
    fn eigenpairs_satisfy_their_equation(n in 1usize..30, seed in 0u64..1000) {
        let a = positive(n, 0.0, seed);
        let e = eigh(&a, n).unwrap();
        for j in 0..n {
            let av = naive(&a, e.vector(j), n, n, 1);
            let want: Vec<f64> = e.vector(j).iter().map(|v| v * e.values[j]).collect();
            prop_assert!(worst(&av, &want) < 1e-12);
            prop_assert!(j == 0 || e.values[j - 1] <= e.values[j]);
        }
    }

    #[test]
    fn least_squares_residual_is_orthogonal(n in 1usize..12, extra in 0usize..30, k in 1usize..4, seed in 0u64..1000) {
        let m = n + extra;
        let (a, b) = (random(m * n, seed), random(m * k, seed + 1));
        let x = least_squares(View::row_major(&a, m, n).unwrap(), &b, k).unwrap();
        for j in 0..k {
            let ax = naive(&a, &x[j * n..(j + 1) * n], m, n, 1);
            let residual: Vec<f64> = b[j * m..(j + 1) * m].iter().zip(&ax).map(|(b, a)| b - a).collect();
            for c in 0..n {
                let dot: f64 = (0..m).map(|i| a[i * n + c] * residual[i]).sum();
                prop_assert!(dot.abs() < 1e-9 * (1.0 + x.iter().fold(0.0f64, |s, v| s.max(v.abs()))));
            }
        }
    }
}

#[test]
fn tall_self_products_agree_with_the_plain_product() {
    for (m, n) in [(20_000, 7), (300, 600), (9000, 300)] {
        let a = random(m * n, 3);
        let got = self_product(View::row_major(&a, m, n).unwrap());
        let transposed: Vec<f64> =
            (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|(i, j)| a[i * n + j]).collect();
        for &(i, j) in &[(0, 0), (n - 1, 0), (n / 2, n - 1)] {
            let want: f64 = (0..m).map(|l| transposed[i * m + l] * transposed[j * m + l]).sum();
            assert!((got[i * n + j] - want).abs() < 1e-9, "{m} x {n}");
            assert_eq!(got[i * n + j], got[j * n + i]);
        }
    }
}

#[test]
fn cholesky_solves_refines_and_inverts() {
    // Sizes on both sides of the block and tile borders.
    for n in [1, 5, 191, 192, 193, 449, 700] {
        let a = positive(n, 0.1, n as u64);
        let factor = Cholesky::factor(a.clone(), n).unwrap();
        let x_true = random(n * 3, 9);
        let rhs: Vec<f64> = x_true.chunks(n).flat_map(|x| naive(&a, x, n, n, 1)).collect();
        let mut x = rhs.clone();
        factor.solve(&mut x).unwrap();
        assert!(worst(&x, &x_true) < 1e-10, "n = {n}: {}", worst(&x, &x_true));
        x[0] += 1e-3;
        let before = factor.refine(&rhs, &mut x).unwrap();
        assert!(before > 1e-6 && worst(&x, &x_true) < 1e-10, "n = {n}: {before} {}", worst(&x, &x_true));
        assert!(factor.refine(&rhs, &mut x).unwrap() < 1e-12);

        let eigen = eigh(&a, n).unwrap();
        let log_det: f64 = eigen.values.iter().map(|v| v.ln()).sum();
        assert!((factor.log_det() - log_det).abs() < 1e-9 * n as f64);
        let diagonal = factor.inverse_diagonal();
        for i in [0, n / 2, n - 1] {
            let want: f64 = (0..n).map(|j| eigen.vector(j)[i].powi(2) / eigen.values[j]).sum();
            assert!((diagonal[i] - want).abs() < 1e-9 * want, "n = {n}");
        }
        let condition2 = eigen.values[n - 1] / eigen.values[0];
        let estimate = factor.condition().unwrap();
        assert!(
            estimate > condition2 / 3.0 && estimate < condition2 * n as f64 * 1.01,
            "{estimate} {condition2}"
        );
    }
}

#[test]
fn what_is_not_positive_definite_is_named() {
    for n in [3, 400] {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let mut a = positive(n, 1.0, 1);
            a[(n - 2) * (n + 1)] = bad;
            let expected = Error::NotPositiveDefinite { pivot: n - 2 };
            assert_eq!(Cholesky::factor(a, n).unwrap_err(), expected, "n = {n}, {bad}");
        }
    }
    assert!(matches!(Cholesky::factor(vec![1.0; 3], 2), Err(Error::Shape { .. })));
    assert!(matches!(eigh(&[f64::NAN], 1), Err(Error::NotFinite { .. })));
    assert_eq!(Cholesky::factor(vec![], 0).unwrap().inverse_diagonal(), Vec::<f64>::new());
    let dependent = View::row_major(&[1.0, 2.0, 2.0, 4.0, 3.0, 6.0], 3, 2).unwrap();
    assert_eq!(least_squares(dependent, &[1.0; 3], 1), Err(Error::RankDeficient { rank: 1, columns: 2 }));
}

#[test]
fn the_thread_count_does_not_change_a_bit() {
    let n = 900;
    let run = || {
        let a = positive(n, 0.1, 7);
        let factor = Cholesky::factor(a, n).unwrap();
        let mut x = random(n * 40, 1);
        factor.solve(&mut x).unwrap();
        let tall = self_product(View::row_major(&random(50_000 * 5, 2), 50_000, 5).unwrap());
        (x, factor.inverse_diagonal(), factor.condition().unwrap(), tall)
    };
    assert_eq!(on_threads(1, run), on_threads(3, run));
}

/// A factorisation asks before each block, and the diagonal of the inverse after each; an unasked-for stop changes nothing.
#[test]
fn long_work_ends_when_a_stop_is_asked_for() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (n, a) = (500, positive(500, 1.0, 3));
    let after = |times: usize| {
        let asked = AtomicUsize::new(0);
        move || asked.fetch_add(1, Ordering::Relaxed) >= times
    };
    for times in [0, 1, 2] {
        assert_eq!(Cholesky::factor_unless(a.clone(), n, &after(times)).unwrap_err(), Error::Stopped);
    }
    let factor = Cholesky::factor_unless(a.clone(), n, &after(3)).unwrap();
    let whole = Cholesky::factor(a, n).unwrap().inverse_diagonal();
    assert_eq!(factor.inverse_diagonal_unless(&|| false).unwrap(), whole);
    assert_eq!(factor.inverse_diagonal_unless(&after(4)).unwrap_err(), Error::Stopped);
}
