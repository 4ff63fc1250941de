//! Compactly supported kernels against numbers that groat did not produce.

#![allow(clippy::unwrap_used)]

use groat::batch::{KernelPca, LeastSquaresSvm, Method, Problem, Quiet, Solver};
use groat::gram::SparseGram;
use groat::testing::shared;
use groat::tune::{SupportRule, SupportTuning};
use groat::{Kernel, Matrix};
use groat_linalg::{SparseSymmetric, reverse_cuthill_mckee};
use serde_json::Value;

fn json(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    let cols = rows[0].len();
    Matrix::from_vec(rows.concat(), rows.len(), cols).unwrap()
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} {b}");
}

/// The eight points of the stored example with `exp(-r^2 / sigma^2)`.
fn small() -> Option<(Value, Matrix, Kernel)> {
    let file = json(&shared("reference/papers/batch_compact_small.json")?);
    let x = matrix(&file["X"]);
    let width = file["sigma"].as_f64().unwrap() / 2f64.sqrt();
    Some((file, x, Kernel::gaussian(width)))
}

#[test]
fn the_small_example_is_met() {
    let Some((file, x, base)) = small() else { return };
    let tuning = SupportTuning::for_kernel(&Kernel::compact(base.clone(), 1.0, 3), x.view(), 0).unwrap();
    for (gamma, want) in file["argmax_A_plus_gamma_S"].as_object().unwrap() {
        let choice = tuning.choose(SupportRule::Combined(gamma.parse().unwrap())).unwrap();
        close(choice.support, want["C"].as_f64().unwrap(), 1e-10);
        close(choice.alignment, want["A"].as_f64().unwrap(), 1e-10);
        close(choice.sparsity, want["S"].as_f64().unwrap(), 1e-10);
    }
    for (mu, want) in file["smallest_C_with_A_at_least"].as_object().unwrap() {
        let choice = tuning.choose(SupportRule::Alignment(mu.parse().unwrap())).unwrap();
        close(choice.support, want["C"].as_f64().unwrap(), 1e-9);
        close(choice.sparsity, want["S"].as_f64().unwrap(), 1e-10);
    }
    close(tuning.at(1e-9).alignment, file["alignment_limit_C_to_0"].as_f64().unwrap(), 1e-10);
    close(tuning.at(1e-9).sparsity, file["sparsity_limit_C_to_0"].as_f64().unwrap(), 1e-10);

    let svm = &file["lssvm"];
    let kernel = Kernel::compact(base.clone(), svm["C"].as_f64().unwrap(), 3);
    let gram = SparseGram::assemble(&kernel, x.view(), u64::MAX).unwrap();
    for (j, want) in numbers(&file["kc_first_row"]).into_iter().enumerate() {
        close(gram.get(0, j), want, 1e-12);
    }
    let y = numbers(&svm["y"]);
    let problem = Problem::regression(x.view(), &y).unwrap();
    for solver in [Solver::Dense, Solver::Sparse, Solver::Iterative] {
        let machine = LeastSquaresSvm {
            kernel: kernel.clone(),
            ridge: svm["ridge"].as_f64().unwrap(),
            solver,
            ..Default::default()
        };
        let model = machine.fit(&problem, &Quiet).unwrap().model;
        close(model.bias().unwrap()[0], svm["b"].as_f64().unwrap(), 1e-10);
        for (a, want) in model.weights().data().iter().zip(numbers(&svm["a"])) {
            close(*a, want, 1e-10);
        }
    }
    let pca = KernelPca { kernel: kernel.clone(), components: 7, ..Default::default() };
    let centred = pca.fit(x.view(), &Quiet).unwrap();
    let want = numbers(&file["kpca_eigenvalues_centred_divided_by_n"]);
    centred.eigenvalues().iter().zip(want).for_each(|(a, b)| close(a / 8.0, b, 1e-10));
    let plain = KernelPca { centre: false, components: 8, ..pca }.fit(x.view(), &Quiet).unwrap();
    let want = numbers(&file["eigenvalues_KC_uncentred"]);
    plain.eigenvalues().iter().zip(want).for_each(|(a, b)| close(*a, b, 1e-10));
}

#[test]
fn the_small_curves_are_met() {
    let (Some((_, x, base)), Some(path)) =
        (small(), shared("reference/papers/batch_compact_alignment_small.csv"))
    else {
        return;
    };
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|c| c.parse().unwrap()).collect();
        let kernel = Kernel::compact(base.clone(), 1.0, cells[0] as u32);
        let point = SupportTuning::for_kernel(&kernel, x.view(), 0).unwrap().at(cells[1]);
        close(point.alignment, cells[2], 1e-10);
        // One pair lies at a distance of 0.5 up to rounding, and counts or not at that support.
        close(point.sparsity, cells[3], if cells[1] == 0.5 { 2.0 / 64.0 } else { 1e-12 });
    }
}

#[test]
fn bandwidths_after_reordering_are_met() {
    let Some(path) = shared("reference/papers/batch_rcm_small.json") else { return };
    for (name, case) in json(&path)["cases"].as_object().unwrap() {
        let n = case["n"].as_u64().unwrap() as usize;
        let mut columns = vec![Vec::new(); n];
        for edge in case["edges"].as_array().unwrap() {
            let (i, j) = (edge[0].as_u64().unwrap() as usize, edge[1].as_u64().unwrap() as usize);
            columns[i.max(j)].push(i.min(j) as u32);
        }
        for (j, column) in columns.iter_mut().enumerate() {
            column.push(j as u32);
            column.sort_unstable();
        }
        let counts: Vec<u32> = columns.iter().map(|c| c.len() as u32).collect();
        let a = SparseSymmetric::assemble(&counts, |j, rows, values| {
            rows.copy_from_slice(&columns[j]);
            values.fill(1.0);
        })
        .unwrap();
        assert_eq!(a.nonzeros() as u64, case["nonzeros_with_diagonal"].as_u64().unwrap(), "{name}");
        assert_eq!(a.bandwidth().reach as u64, case["max_b_natural"].as_u64().unwrap(), "{name}");
        assert_eq!(a.bandwidth().full() as u64, case["bw_natural"].as_u64().unwrap(), "{name}");
        let narrow = a.permuted(&reverse_cuthill_mckee(&a)).unwrap().bandwidth();
        assert!(narrow.reach as u64 <= case["accept_max_b_at_most"].as_u64().unwrap(), "{name}: {narrow:?}");
    }
}

#[test]
fn kernel_pca_equals_scikit_learn() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/kernel_pca/kernel_pca.json");
    let file = json(&path);
    let (x, new) = (matrix(&file["x"]), matrix(&file["new"]));
    for (kernel, want) in file["cases"].as_object().unwrap() {
        let pca = KernelPca { kernel: kernel.parse().unwrap(), components: 5, ..Default::default() };
        let fitted = pca.fit(x.view(), &Quiet).unwrap();
        let values = numbers(&want["eigenvalues"]);
        fitted.eigenvalues().iter().zip(&values).for_each(|(a, b)| close(*a, *b, 1e-10));
        let (got, want) = (fitted.transform(new.view()).unwrap(), matrix(&want["transformed"]));
        for j in 0..5 {
            // Up to sign.
            let flip = (0..10).map(|i| got[(i, j)] * want[(i, j)]).sum::<f64>().signum();
            (0..10).for_each(|i| close(flip * got[(i, j)], want[(i, j)], 1e-8));
        }
    }
}

#[cfg(feature = "files")]
#[test]
fn the_published_mixture_is_met() {
    use groat::data::{ReadOptions, read_table};
    let Some(path) = shared("reference/papers/batch_compact_alignment_esl_mixture.csv") else { return };
    let Some(data) = shared("data/esl_mixture/data.csv.gz") else { return };
    let table = read_table(data, &ReadOptions::default()).unwrap();
    let column = |name: &str| table.numbers(name).unwrap();
    let rows: Vec<f64> = column("x1").into_iter().zip(column("x2")).flat_map(|(a, b)| [a, b]).collect();
    let kernel = Kernel::compact(Kernel::gaussian(0.6 / 2f64.sqrt()), 1.0, 3);
    let tuning = SupportTuning::for_kernel(&kernel, groat::Rows::new(&rows, 2).unwrap(), 0).unwrap();
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|c| c.parse().unwrap()).collect();
        let point = tuning.at(cells[1]);
        close(point.alignment, cells[2], 1e-9);
        close(point.sparsity, cells[3], 1e-12);
    }
}
