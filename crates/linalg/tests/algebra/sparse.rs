//! Sparse algebra against the dense one.

#![allow(clippy::unwrap_used)]

use groat_linalg::{
    BlockJacobi, CgSettings, Cholesky, Error, Lanczos, Ordering, SparseAnalysis, SparseSymmetric,
    conjugate_gradients, eigh, minimum_degree, reverse_cuthill_mckee,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A matrix with the given edges (value `-0.5 .. 0.5`) and a dominant diagonal.
fn from_edges(n: usize, edges: &[(usize, usize)], seed: u64) -> SparseSymmetric {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut columns: Vec<std::collections::BTreeMap<u32, f64>> = vec![Default::default(); n];
    for &(i, j) in edges {
        if i != j {
            columns[i.max(j)].insert(i.min(j) as u32, rng.random::<f64>() - 0.5);
        }
    }
    let mut sums = vec![0.1; n];
    for (j, column) in columns.iter().enumerate() {
        for (&i, v) in column {
            sums[i as usize] += v.abs();
            sums[j] += v.abs();
        }
    }
    for (j, column) in columns.iter_mut().enumerate() {
        column.insert(j as u32, sums[j]);
    }
    let counts: Vec<u32> = columns.iter().map(|c| c.len() as u32).collect();
    SparseSymmetric::assemble(&counts, |j, rows, values| {
        for ((row, value), (&i, &v)) in rows.iter_mut().zip(values).zip(&columns[j]) {
            (*row, *value) = (i, v);
        }
    })
    .unwrap()
}

fn random_matrix(n: usize, edges: usize, seed: u64) -> SparseSymmetric {
    let mut rng = Pcg64::seed_from_u64(seed);
    let edges: Vec<_> = (0..edges).map(|_| (rng.random_range(0..n), rng.random_range(0..n))).collect();
    from_edges(n, &edges, seed)
}

/// Vertices of a `side x side` grid numbered at random, edges to the neighbours within `reach`.
fn grid(side: usize, reach: usize, seed: u64) -> SparseSymmetric {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut number: Vec<usize> = (0..side * side).collect();
    for i in (1..number.len()).rev() {
        number.swap(i, rng.random_range(0..=i));
    }
    let mut edges = Vec::new();
    for (x, y) in (0..side * side).map(|v| (v % side, v / side)) {
        for (u, v) in (0..=reach).flat_map(|a| (0..=reach).map(move |b| (x + a, y + b))) {
            if u < side && v < side {
                edges.push((number[y * side + x], number[v * side + u]));
            }
        }
    }
    from_edges(side * side, &edges, seed)
}

fn vector(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    (0..n).map(|_| rng.random::<f64>() - 0.5).collect()
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sparse_equals_dense(n in 1usize..60, edges in 0usize..300, seed in 0u64..1000) {
        let a = random_matrix(n, edges, seed);
        let dense = a.to_dense();
        let x = vector(n, seed);
        let mut y = vec![0.0; n];
        a.multiply(&x, &mut y).unwrap();
        let want: Vec<f64> = dense.chunks(n).map(|r| r.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        prop_assert!(worst(&y, &want) < 1e-12);

        let reference = Cholesky::factor(dense, n).unwrap();
        let mut solution = x.clone();
        reference.solve(&mut solution).unwrap();
        let rcm = reverse_cuthill_mckee(&a);
        let amd = minimum_degree(&a).unwrap();
        for ordering in [Ordering::Natural, Ordering::MinimumDegree, Ordering::Given(&rcm), Ordering::Given(&amd)] {
            let analysis = SparseAnalysis::new(&a, ordering).unwrap();
            prop_assert!(analysis.fill() >= a.stored() && analysis.multiplications() > 0.0);
            let factor = analysis.factor(&a).unwrap();
            let mut got = x.clone();
            factor.solve(&mut got).unwrap();
            prop_assert!(worst(&got, &solution) < 1e-10);
            prop_assert!((factor.log_det() - reference.log_det()).abs() < 1e-9);
            prop_assert!(worst(&factor.inverse_diagonal(), &reference.inverse_diagonal()) < 1e-9);
        }

        let jacobi = BlockJacobi::new(&a, 7).unwrap();
        let mut got = vec![0.0; n];
        let settings = CgSettings { tolerance: 1e-13, max_iterations: 1000 };
        // The same system three times, with a zero and a start at the solution among them.
        let b: Vec<[f64; 4]> = x.iter().map(|&x| [x, 0.0, x, -2.0 * x]).collect();
        let mut found: Vec<[f64; 4]> = solution.iter().map(|&s| [0.0, 1.0, s, 0.0]).collect();
        conjugate_gradients(|v, o| a.multiply_lanes(v, o), |v, o| jacobi.apply(v, o), &b, &mut found, settings).unwrap();
        for (k, factor) in [1.0, 0.0, 1.0, -2.0].into_iter().enumerate() {
            got.iter_mut().zip(&found).for_each(|(g, f)| *g = f[k]);
            let want: Vec<f64> = solution.iter().map(|s| s * factor).collect();
            prop_assert!(worst(&got, &want) < 1e-10);
        }
    }

    #[test]
    fn a_permutation_renames_rows_and_columns(n in 1usize..40, edges in 0usize..150, seed in 0u64..1000) {
        let a = random_matrix(n, edges, seed);
        let order = reverse_cuthill_mckee(&a);
        let b = a.permuted(&order).unwrap();
        let (dense_a, dense_b) = (a.to_dense(), b.to_dense());
        for i in 0..n {
            for j in 0..n {
                prop_assert_eq!(dense_b[i * n + j], dense_a[order[i] as usize * n + order[j] as usize]);
            }
        }
        prop_assert_eq!(a.picture(n).iter().sum::<u64>() as usize, a.nonzeros());
    }
}

#[test]
fn cuthill_mckee_narrows_the_band_and_minimum_degree_the_fill() {
    let a = grid(20, 1, 3);
    let narrow = a.permuted(&reverse_cuthill_mckee(&a)).unwrap();
    assert!(a.bandwidth().reach > 300);
    // The optimum for a 20 x 20 grid with diagonals is 21.
    assert!(narrow.bandwidth().reach <= 42, "{:?}", narrow.bandwidth());
    let fill = |ordering| SparseAnalysis::new(&a, ordering).unwrap().fill();
    assert!(3 * fill(Ordering::MinimumDegree) < fill(Ordering::Natural));
}

#[test]
fn lanczos_finds_the_largest_pairs() {
    for (side, reach) in [(4, 1), (20, 1), (24, 3)] {
        let a = grid(side, reach, 5);
        let n = a.n();
        let wanted = 6;
        let all = eigh(&a.to_dense(), n).unwrap();
        let solver = Lanczos { wanted, tolerance: 1e-12, max_products: 5000 };
        let found = solver.largest(n, |v, o| a.multiply(v, o)).unwrap();
        for j in 0..wanted {
            assert!((found.values[j] - all.values[n - 1 - j]).abs() < 1e-10, "{side} {reach} {j}");
            let v = &found.vectors[j * n..(j + 1) * n];
            let mut av = vec![0.0; n];
            a.multiply(v, &mut av).unwrap();
            let want: Vec<f64> = v.iter().map(|x| x * found.values[j]).collect();
            assert!(worst(&av, &want) < 1e-9);
        }
    }
}

#[test]
fn lanczos_meets_an_operator_of_low_rank() {
    // diag(3, 2, 2, 0, ...): the Krylov space is exhausted after three products.
    let n = 200;
    let diagonal: Vec<f64> = (0..n).map(|i| [3.0, 2.0, 2.0].get(i).copied().unwrap_or(0.0)).collect();
    let solver = Lanczos { wanted: 4, tolerance: 1e-12, max_products: 1000 };
    let found = solver
        .largest(n, |v, o| {
            o.iter_mut().zip(v.iter().zip(&diagonal)).for_each(|(o, (v, d))| *o = v * d);
            Ok(())
        })
        .unwrap();
    assert!(worst(&found.values, &[3.0, 2.0, 2.0, 0.0]) < 1e-10, "{:?}", found.values);
}

#[test]
fn indefinite_matrices_are_named_by_every_solver() {
    let mut a = random_matrix(50, 200, 1);
    a.add_diagonal(-3.0);
    let analysis = SparseAnalysis::new(&a, Ordering::MinimumDegree).unwrap();
    assert!(matches!(analysis.factor(&a), Err(Error::NotPositiveDefinite { .. })));
    let b = vector(50, 2);
    let mut x = vec![[0.0]; 50];
    let settings = CgSettings { tolerance: 1e-10, max_iterations: 100 };
    let copy = |v: &[[f64; 1]], o: &mut [[f64; 1]]| {
        o.copy_from_slice(v);
        Ok(())
    };
    let result = conjugate_gradients(|v, o| a.multiply_lanes(v, o), copy, b.as_chunks().0, &mut x, settings);
    assert!(matches!(result, Err(Error::Indefinite { .. })));
}

#[test]
fn wrong_structure_is_refused() {
    let bad = SparseSymmetric::assemble(&[1, 2], |j, rows, _| rows.fill(j as u32));
    assert_eq!(bad.unwrap_err(), Error::Structure { column: 1 });
    assert_eq!(SparseSymmetric::assemble(&[0], |_, _, _| {}).unwrap_err(), Error::Structure { column: 0 });
    let a = random_matrix(5, 4, 1);
    assert!(a.permuted(&[0, 1, 2, 3, 3]).is_err());
    assert!(a.permuted(&[0, 1, 2, 3, 9]).is_err());
    assert!(a.multiply(&[0.0; 4], &mut [0.0; 5]).is_err());
}

#[test]
fn large_factors_solve_and_invert() {
    // Large enough for subtrees, a top and fronts of several tiles.
    let a = grid(50, 5, 2);
    let reference = Cholesky::factor(a.to_dense(), a.n()).unwrap();
    let rcm = reverse_cuthill_mckee(&a);
    for ordering in [Ordering::MinimumDegree, Ordering::Given(&rcm)] {
        let factor = SparseAnalysis::new(&a, ordering).unwrap().factor(&a).unwrap();
        let (mut got, mut want) = (vector(a.n(), 3), vector(a.n(), 3));
        factor.solve(&mut got).unwrap();
        reference.solve(&mut want).unwrap();
        assert!(worst(&got, &want) < 1e-11);
        assert!(worst(&factor.inverse_diagonal(), &reference.inverse_diagonal()) < 1e-11);
    }
}

#[test]
fn the_thread_count_does_not_change_a_bit() {
    let a = grid(100, 6, 1);
    let x = vector(a.n(), 1);
    let direct = || {
        let factor = SparseAnalysis::new(&a, Ordering::MinimumDegree).unwrap().factor(&a).unwrap();
        let mut y = x.clone();
        factor.solve(&mut y).unwrap();
        y.extend(factor.inverse_diagonal());
        y
    };
    let run = || {
        let jacobi = BlockJacobi::new(&a, 16).unwrap();
        let b: Vec<[f64; 2]> = x.iter().map(|&x| [x, 1.0]).collect();
        let mut y = vec![[0.0; 2]; a.n()];
        let settings = CgSettings { tolerance: 1e-10, max_iterations: 500 };
        let apply = |v: &[[f64; 2]], o: &mut [[f64; 2]]| a.multiply_lanes(v, o);
        conjugate_gradients(apply, |v, o| jacobi.apply(v, o), &b, &mut y, settings).unwrap();
        y
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(run), pool(3).install(run));
    assert_eq!(pool(1).install(direct), pool(3).install(direct));
}
