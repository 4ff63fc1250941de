//! The three solvers.

use groat_linalg::{BlockJacobi, CgSettings, Cholesky, Lanczos, SparseSymmetric, Stop, conjugate_gradients};

use super::plan::{Plan, choose};
use super::{LeastSquaresSvm, Solver, dense_rows};
use crate::batch::ridge::{close, right_hand_sides, root_weights, summary};
use crate::batch::{LeaveOneOut, Problem, Progress, Watch};
use crate::error::{Error, LinearAlgebraError, Result};
use crate::gram::{self, Gram, Need, SparseGram};
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::neighbours::Neighbours;

/// Above this many products conjugate gradients give up.
const MAX_ITERATIONS: usize = 20_000;
/// From so many expected products on, a better preconditioner pays.
const MANY_PRODUCTS: f64 = 200.0;

pub(super) struct Solution {
    pub(super) weights: Matrix,
    pub(super) bias: Vec<f64>,
    pub(super) leave_one_out: Option<LeaveOneOut>,
    pub(super) solver: Solver,
    pub(super) ridge: f64,
    pub(super) matrix: gram::Plan,
}

/// `C^-1` times the right-hand sides, and its diagonal where it is at hand.
struct Solved {
    columns: Vec<f64>,
    diagonal: Option<Vec<f64>>,
    solver: Solver,
    ridge: f64,
}

pub(super) fn solve(
    params: &LeastSquaresSvm,
    problem: &Problem<'_>,
    watch: &dyn Watch,
    notes: &mut Vec<String>,
) -> Result<Solution> {
    let kernel = &params.kernel;
    let n = problem.x.rows();
    let roots = root_weights(problem);
    let y = problem.responses();
    let rhs = right_hand_sides(&y, roots.as_deref());
    let (solved, matrix) = if kernel.support().is_some() {
        solve_sparse(params, problem, kernel, roots.as_deref(), &rhs, watch, notes)?
    } else {
        say(watch, 0, "kernel matrix")?;
        let gram = Gram::new(kernel, problem.x, Need::Factor, params.memory)?;
        let matrix = *gram.plan();
        let mut k = gram.into_matrix()?;
        if let Some(s) = &roots {
            crate::batch::ridge::scale_both_sides(&mut k, s);
        }
        (solve_dense(params, k.into_data(), n, params.ridge, &rhs, watch, notes)?, matrix)
    };
    let closed = close(&solved.columns, &rhs, solved.diagonal.as_deref(), roots.as_deref(), n, true);
    let mut weights = Matrix::zeros(n, y.cols());
    for (c, alpha) in closed.alpha.iter().enumerate() {
        alpha.iter().enumerate().for_each(|(i, a)| weights[(i, c)] = *a);
    }
    weights.view().check_finite("the coefficients")?;
    let leave_one_out = closed.errors.map(|errors| summary(problem, &y, &errors));
    Ok(Solution {
        weights,
        bias: closed.bias,
        leave_one_out,
        solver: solved.solver,
        ridge: solved.ridge,
        matrix,
    })
}

fn say(watch: &dyn Watch, done: usize, detail: &str) -> Result<()> {
    watch.progress(&Progress { stage: "solving", done, total: Some(3), detail: detail.to_owned() });
    if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) }
}

/// Dense Cholesky of `k + ridge I`.
fn solve_dense(
    params: &LeastSquaresSvm,
    k: Vec<f64>,
    n: usize,
    ridge: f64,
    rhs: &[f64],
    watch: &dyn Watch,
    notes: &mut Vec<String>,
) -> Result<Solved> {
    say(watch, 1, "dense Cholesky factorisation")?;
    let stop = &|| watch.stop_requested();
    let with = |mut k: Vec<f64>, ridge: f64| {
        (0..n).for_each(|i| k[i * (n + 1)] += ridge);
        Cholesky::factor_unless(k, n, stop)
    };
    let mut ridge = ridge;
    // A copy is kept only where a shift may become necessary.
    let spare = params.shift.then(|| k.clone());
    let factor = match (with(k, ridge), spare) {
        (Ok(factor), _) => factor,
        (Err(LinearAlgebraError::Stopped), _) => return Err(Error::Stopped),
        (Err(error), None) => return Err(not_definite(&error, ridge, None)),
        (Err(error), Some(k)) => {
            let apply = |v: &[f64], out: &mut [f64]| {
                for (row, out) in k.chunks_exact(n).zip(out) {
                    *out = crate::simd::dot(row, v);
                }
                Ok(())
            };
            let smallest = smallest_eigenvalue(n, apply);
            ridge = shifted(smallest, ridge, &error, notes)?;
            with(k, ridge).map_err(|e| not_definite(&e, ridge, smallest))?
        }
    };
    let mut columns = rhs.to_vec();
    factor.solve(&mut columns)?;
    say(watch, 2, "leave-one-out error")?;
    let diagonal = params.leave_one_out.then(|| factor.inverse_diagonal_unless(stop)).transpose()?;
    Ok(Solved { columns, diagonal, solver: Solver::Dense, ridge })
}

/// Assembles the sparse matrix, rows in spatial order, and solves by the best way.
fn solve_sparse(
    params: &LeastSquaresSvm,
    problem: &Problem<'_>,
    kernel: &Kernel,
    roots: Option<&[f64]>,
    rhs: &[f64],
    watch: &dyn Watch,
    notes: &mut Vec<String>,
) -> Result<(Solved, gram::Plan)> {
    say(watch, 0, "sparse kernel matrix")?;
    let n = problem.x.rows();
    // Neighbours stand close together: good for caches and for block preconditioning.
    let (gram, index) = SparseGram::arranged(kernel, dense_rows(problem)?, params.memory)?;
    let matrix = gram.plan(params.memory);
    let order: Vec<usize> = index.order().iter().map(|&i| i as usize).collect();
    let mut c = gram.into_matrix();
    if let Some(s) = roots {
        let s: Vec<f64> = order.iter().map(|&i| s[i]).collect();
        c.scale_both_sides(&s)?;
    }
    let sorted = gather(rhs, n, &order);
    let mut ridge = params.ridge;
    c.add_diagonal(ridge);
    let mut solved = match run_plan(params, &c, &index, ridge, &sorted, watch, notes)? {
        Ok(solved) => solved,
        Err(error) => {
            let smallest = smallest_eigenvalue(n, |v, out| c.multiply(v, out)).map(|s| s - ridge);
            if !params.shift {
                return Err(not_definite(&error, ridge, smallest));
            }
            let more = shifted(smallest, ridge, &error, notes)? - ridge;
            c.add_diagonal(more);
            ridge += more;
            run_plan(params, &c, &index, ridge, &sorted, watch, notes)?
                .map_err(|e| not_definite(&e, ridge, smallest))?
        }
    };
    solved.columns = scatter(&solved.columns, n, &order);
    solved.diagonal = solved.diagonal.map(|d| scatter(&d, n, &order));
    Ok((solved, matrix))
}

/// The inner error is a matrix that is not positive definite.
type Attempt = std::result::Result<Solved, groat_linalg::Error>;

fn run_plan(
    params: &LeastSquaresSvm,
    c: &SparseSymmetric,
    index: &Neighbours,
    ridge: f64,
    rhs: &[f64],
    watch: &dyn Watch,
    notes: &mut Vec<String>,
) -> Result<Attempt> {
    let (n, stop) = (c.n(), &|| watch.stop_requested());
    let plan = choose(params, c, index, ridge, rhs.len() / n)?;
    say(watch, 1, &format!("{} solver", plan.solver))?;
    let attempt = match plan {
        Plan { analysis: Some(analysis), .. } => analysis.factor_unless(c, stop).and_then(|factor| {
            let mut columns = rhs.to_vec();
            factor.solve(&mut columns)?;
            let diagonal = params.leave_one_out.then(|| factor.inverse_diagonal());
            Ok(Solved { columns, diagonal, solver: Solver::Sparse, ridge })
        }),
        Plan { solver: Solver::Iterative, iterations, .. } => {
            let solved = iterate(params, c, iterations, rhs, stop, notes);
            solved.map(|columns| Solved { columns, diagonal: None, solver: Solver::Iterative, ridge })
        }
        Plan { .. } => Cholesky::factor_unless(c.to_dense(), n, stop).and_then(|factor| {
            let mut columns = rhs.to_vec();
            factor.solve(&mut columns)?;
            let diagonal = params.leave_one_out.then(|| factor.inverse_diagonal_unless(stop)).transpose()?;
            Ok(Solved { columns, diagonal, solver: Solver::Dense, ridge })
        }),
    };
    notes.push(format!("{} solver: {}", plan.solver, plan.reason));
    use groat_linalg::Error::{Indefinite, NotPositiveDefinite};
    match attempt {
        Ok(solved) => Ok(Ok(solved)),
        Err(error @ (NotPositiveDefinite { .. } | Indefinite { .. })) => Ok(Err(error)),
        Err(other) => Err(other.into()),
    }
}

/// Conjugate gradients, four right-hand sides side by side.
fn iterate(
    params: &LeastSquaresSvm,
    c: &SparseSymmetric,
    expected: f64,
    rhs: &[f64],
    stop: Stop<'_>,
    notes: &mut Vec<String>,
) -> groat_linalg::Result<Vec<f64>> {
    // Blocks cost as much as a product; they pay where there are many to save.
    let block = if expected > MANY_PRODUCTS { BlockJacobi::fitting_block(c) } else { 1 };
    let preconditioner = BlockJacobi::new(c, block)?;
    let mut columns = vec![0.0; rhs.len()];
    let mut products = 0;
    for (b, x) in rhs.chunks(4 * c.n()).zip(columns.chunks_mut(4 * c.n())) {
        let run = match b.len() / c.n() {
            1 => iterate_lanes::<1>,
            2 => iterate_lanes::<2>,
            _ => iterate_lanes::<4>,
        };
        products += run(params.tolerance, c, &preconditioner, b, x, stop)?;
    }
    notes.push(format!("conjugate gradients took {products} products"));
    if params.leave_one_out {
        notes.push("no leave-one-out error, for which there would have to be a factorisation".to_owned());
    }
    Ok(columns)
}

/// At most `K` columns; those that are missing are zero, which costs nothing to solve.
fn iterate_lanes<const K: usize>(
    tolerance: f64,
    c: &SparseSymmetric,
    preconditioner: &BlockJacobi,
    rhs: &[f64],
    columns: &mut [f64],
    stop: Stop<'_>,
) -> groat_linalg::Result<usize> {
    let n = c.n();
    let mut b = vec![[0.0; K]; n];
    let mut x = b.clone();
    for (k, column) in rhs.chunks_exact(n).enumerate() {
        b.iter_mut().zip(column).for_each(|(b, v)| b[k] = *v);
    }
    let settings = CgSettings { tolerance, max_iterations: MAX_ITERATIONS };
    let apply = |v: &[[f64; K]], out: &mut [[f64; K]]| match stop() {
        true => Err(LinearAlgebraError::Stopped),
        false => c.multiply_lanes(v, out),
    };
    let precondition = |v: &[[f64; K]], out: &mut [[f64; K]]| preconditioner.apply(v, out);
    // Within the pool its many short steps need not wake it each time.
    let report = rayon::scope(|_| conjugate_gradients(apply, precondition, &b, &mut x, settings))?;
    for (k, column) in columns.chunks_exact_mut(n).enumerate() {
        column.iter_mut().zip(&x).for_each(|(v, x)| *v = x[k]);
    }
    Ok(report.iterations)
}

/// Rows of every column in the given order.
fn gather(columns: &[f64], n: usize, order: &[usize]) -> Vec<f64> {
    columns.chunks_exact(n).flat_map(|c| order.iter().map(|&i| c[i])).collect()
}

/// The inverse of [`gather`].
fn scatter(columns: &[f64], n: usize, order: &[usize]) -> Vec<f64> {
    let mut out = vec![0.0; columns.len()];
    for (to, from) in out.chunks_exact_mut(n).zip(columns.chunks_exact(n)) {
        order.iter().zip(from).for_each(|(&i, v)| to[i] = *v);
    }
    out
}

/// The smallest eigenvalue of an operator to a few digits; `None` when it cannot be found.
fn smallest_eigenvalue(
    n: usize,
    mut apply: impl FnMut(&[f64], &mut [f64]) -> groat_linalg::Result<()>,
) -> Option<f64> {
    let solver = Lanczos { wanted: 1, tolerance: 1e-3, max_products: 2000 };
    let negated = |v: &[f64], out: &mut [f64]| {
        apply(v, out)?;
        out.iter_mut().for_each(|o| *o = -*o);
        Ok(())
    };
    solver.largest(n, negated).ok().map(|pairs| -pairs.values[0])
}

/// The ridge to take when the smallest eigenvalue of the kernel matrix is negative: half as much again.
fn shifted(
    smallest: Option<f64>,
    ridge: f64,
    error: &groat_linalg::Error,
    notes: &mut Vec<String>,
) -> Result<f64> {
    let Some(smallest) = smallest.filter(|s| s.is_finite()) else {
        return Err(not_definite(error, ridge, None));
    };
    let new = (1.5 * smallest.abs()).max(2.0 * ridge).max(1e-10);
    notes.push(format!(
        "the kernel matrix is not positive definite (smallest eigenvalue {smallest:.3}): \
         the ridge was raised from {ridge} to {new:.4}"
    ));
    Ok(new)
}

fn not_definite(error: &groat_linalg::Error, ridge: f64, smallest: Option<f64>) -> Error {
    let remedy = match smallest {
        Some(s) if s < 0.0 => {
            format!("its smallest eigenvalue is about {s:.3}, so a ridge of {:.3} would do", -1.5 * s)
        }
        _ => format!("raise the ridge (now {ridge}), and check for duplicate rows"),
    };
    Error::LinearAlgebra {
        what: "solving for the least-squares SVM",
        source: error.clone(),
        advice: format!("{remedy}, or let it be shifted (--shift)"),
    }
}
