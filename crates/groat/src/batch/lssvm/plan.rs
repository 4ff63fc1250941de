//! Which way to the solution is the shortest?
//!
//! A model of cost in seconds, with rates measured on two AVX2 cores. They are constants, not measured at
//! run time: the choice, and with it every bit of the result, follows from the data alone.

use groat_linalg::{Ordering, SparseAnalysis, SparseSymmetric};

use super::{LeastSquaresSvm, Solver};
use crate::error::{Error, Result};
use crate::neighbours::Neighbours;

/// Seconds per floating-point operation of the dense factorisation.
const DENSE: f64 = 1.0 / 70e9;
/// Seconds per operation of the sparse factorisation.
const SPARSE: f64 = 1.0 / 35e9;
/// Seconds per stored entry of ordering and analysis.
const ANALYSIS: f64 = 6e-8;
/// Seconds per stored entry and product, with up to four vectors at once.
const PRODUCT: f64 = 1e-9;
/// Share of the worst-case iterations that block-Jacobi preconditioning leaves.
const PRECONDITIONED: f64 = 0.7;

/// A decision and its reasons.
pub(super) struct Plan {
    pub(super) solver: Solver,
    /// Kept when the sparse factorisation was analysed and chosen.
    pub(super) analysis: Option<SparseAnalysis>,
    pub(super) reason: String,
    /// Products that conjugate gradients are expected to need.
    pub(super) iterations: f64,
}

/// Chooses a solver for the matrix `c` (ridge included) and `columns` right-hand sides.
///
/// `index` holds the rows in the order of the matrix.
pub(super) fn choose(
    params: &LeastSquaresSvm,
    c: &SparseSymmetric,
    index: &Neighbours,
    ridge: f64,
    columns: usize,
) -> Result<Plan> {
    let n = c.n() as f64;
    let free = params.memory.limit().saturating_sub(c.memory());
    let dense_fits = 8.0 * n * n <= free as f64;
    let dense = n * n * n / 3.0 * DENSE + 3e-9 * n * n;
    let iterations = expected_iterations(c.norm1(), ridge, params.tolerance);
    let iterative = iterations * columns.div_ceil(4) as f64 * c.stored() as f64 * PRODUCT;
    let share = c.nonzeros() as f64 / (n * n);
    let plan = |solver, analysis, why: String| {
        let reason = format!("{:.2} % of the matrix is not zero; {why}", 100.0 * share);
        Ok(Plan { solver, analysis, reason, iterations })
    };
    match params.solver {
        Solver::Dense if !dense_fits => {
            return Err(refused("the dense kernel matrix", (8.0 * n * n) as u64, params));
        }
        Solver::Dense | Solver::Iterative => return plan(params.solver, None, "as asked".to_owned()),
        Solver::Sparse | Solver::Auto => {}
    }
    let quick = iterative <= c.stored() as f64 * ANALYSIS && iterative <= dense;
    let forced = params.solver == Solver::Sparse;
    if !forced && quick && !params.leave_one_out {
        let why = format!("conjugate gradients need about {iterations:.0} products, less than an ordering");
        return plan(Solver::Iterative, None, why);
    }
    // An analysis cannot pay when the dense factorisation would be done before it.
    if !forced && dense_fits && dense <= c.stored() as f64 * ANALYSIS && dense <= iterative {
        return plan(Solver::Dense, None, "the dense factorisation is quickest".to_owned());
    }
    let analysis = analyse(c, index)?;
    let fits = analysis.memory() <= free;
    let direct = 2.0 * analysis.multiplications() * SPARSE;
    let fill = 100.0 * analysis.fill() as f64 / (n * (n + 1.0) / 2.0);
    if forced && !fits {
        return Err(refused("the sparse Cholesky factor", analysis.memory(), params));
    }
    // Only a factorisation tells the leave-one-out error.
    let iterative = if params.leave_one_out { f64::INFINITY } else { iterative };
    if forced || (fits && direct <= iterative && (direct <= dense || !dense_fits)) {
        return plan(Solver::Sparse, Some(analysis), format!("the factor will be {fill:.1} % full"));
    }
    if dense_fits && dense <= iterative {
        return plan(Solver::Dense, None, format!("a sparse factor would be {fill:.1} % full"));
    }
    let why = if fits { "slower" } else { "too large" };
    plan(Solver::Iterative, None, format!("a sparse factor would be {why} ({fill:.1} % full)"))
}

/// A solver that was asked for would take too much.
fn refused(what: &'static str, needed: u64, params: &LeastSquaresSvm) -> Error {
    Error::Memory {
        what,
        needed,
        limit: params.memory.limit(),
        advice: "use the iterative solver, or a smaller support",
    }
}

/// Structure of the factor: by cuts through space, or by degree where space has too many dimensions to cut.
fn analyse(c: &SparseSymmetric, index: &Neighbours) -> Result<SparseAnalysis> {
    let order;
    let ordering = if index.kind() == "brute" {
        Ordering::MinimumDegree
    } else {
        order = index.nested_dissection();
        Ordering::Given(&order)
    };
    Ok(SparseAnalysis::new(c, ordering)?)
}

/// Steps until the residual has fallen by `tolerance`, by the bound for condition number
/// `1 + norm / ridge`.
fn expected_iterations(norm: f64, ridge: f64, tolerance: f64) -> f64 {
    let condition = 1.0 + norm / ridge.max(f64::EPSILON * norm);
    (PRECONDITIONED * 0.5 * condition.sqrt() * (2.0 / tolerance).ln()).ceil().max(1.0)
}
