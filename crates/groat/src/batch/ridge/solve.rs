//! The fit itself: one Cholesky factorisation.

use super::{KernelRidge, close, right_hand_sides, root_weights, scale_both_sides};
use crate::batch::{LeaveOneOut, Problem, Progress, Target, Watch};
use crate::error::{Error, Result};
use crate::gram::{Gram, Need, Plan};
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::model::Decision;
use groat_linalg::Cholesky;

pub(super) struct Solution {
    pub(super) weights: Matrix,
    pub(super) bias: Vec<f64>,
    pub(super) leave_one_out: Option<LeaveOneOut>,
    pub(super) matrix: Plan,
}

pub(super) fn solve(
    params: &KernelRidge,
    problem: &Problem<'_>,
    kernel: &Kernel,
    ridge: f64,
    watch: &dyn Watch,
) -> Result<Solution> {
    let n = problem.x.rows();
    let say = |done: usize, detail: &str| {
        watch.progress(&Progress { stage: "solving", done, total: Some(3), detail: detail.to_owned() });
        if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) }
    };
    let stop = &|| watch.stop_requested();
    say(0, "kernel matrix")?;
    let roots = root_weights(problem);
    let gram = Gram::new(kernel, problem.x, Need::Factor, params.memory)?;
    let matrix = *gram.plan();
    let mut c = gram.into_matrix()?;
    if let Some(s) = &roots {
        scale_both_sides(&mut c, s);
    }
    (0..n).for_each(|i| c[(i, i)] += ridge);
    say(1, "Cholesky factorisation")?;
    let cholesky = Cholesky::factor_unless(c.into_data(), n, stop).map_err(|e| not_definite(e, ridge))?;
    let y = problem.responses();
    let rhs = right_hand_sides(&y, roots.as_deref());
    let mut solved = rhs.clone();
    cholesky.solve(&mut solved)?;
    say(2, "leave-one-out error")?;
    let diagonal = params.leave_one_out.then(|| cholesky.inverse_diagonal_unless(stop)).transpose()?;
    let closed = close(&solved, &rhs, diagonal.as_deref(), roots.as_deref(), n, params.bias);
    let mut weights = Matrix::zeros(n, y.cols());
    for (c, alpha) in closed.alpha.iter().enumerate() {
        alpha.iter().enumerate().for_each(|(i, a)| weights[(i, c)] = *a);
    }
    weights.view().check_finite("the coefficients")?;
    let leave_one_out = closed.errors.map(|errors| summary(problem, &y, &errors));
    Ok(Solution { weights, bias: closed.bias, leave_one_out, matrix })
}

fn not_definite(error: groat_linalg::Error, ridge: f64) -> Error {
    let advice = format!(
        "raise the ridge (now {ridge}), and check for duplicate rows or a kernel that is not positive definite"
    );
    Error::unsolved("the Cholesky factorisation of kernel ridge regression", error, advice)
}

/// Predictions and mean errors from leave-one-out errors.
pub(in crate::batch) fn summary(problem: &Problem<'_>, y: &Matrix, errors: &[Vec<f64>]) -> LeaveOneOut {
    let n = y.rows();
    let mut predictions = y.clone();
    for (c, errors) in errors.iter().enumerate() {
        errors.iter().enumerate().for_each(|(i, e)| predictions[(i, c)] -= e);
    }
    let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
    let total: f64 = (0..n).map(weight).sum();
    let squares = |i: usize| errors.iter().map(|e| e[i] * e[i]).sum::<f64>() / errors.len() as f64;
    let mean_squared = (0..n).map(|i| weight(i) * squares(i)).sum::<f64>() / total;
    let error_rate = match problem.target {
        Target::Classes { codes, .. } => {
            let wrong = |i: &usize| Decision::OneVsRest.class(predictions.row(*i)) != codes[*i];
            Some((0..n).filter(wrong).map(weight).sum::<f64>() / total)
        }
        _ => None,
    };
    LeaveOneOut { mean_squared, error_rate, predictions }
}
