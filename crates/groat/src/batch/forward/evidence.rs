//! Local regularisation: one penalty per term, set by the evidence procedure.
//!
//! After a selection, with `gamma_i = w_i'w_i / (lambda_i + w_i'w_i)` and `gamma = sum gamma_i`,
//!
//! ```text
//! lambda_i <- gamma_i / (N - gamma) * e'e / g_i^2,
//! ```
//!
//! and the selection is run again over the terms it chose, each with its own penalty: terms can only leave.
//! With several outputs `e'e` and `g_i^2` are summed over them.

use super::basis::Terms;
use super::columns::{Columns, Stored};
use super::select::{Limits, Objective, Selection, StopReason, select};
use std::ops::ControlFlow;

/// Relative change of every penalty below which the procedure has settled.
const SETTLED: f64 = 1e-3;

/// A penalty this many times a column's energy has switched its term off.
const LARGEST: f64 = 1e12;

/// A selection followed by `passes - 1` rounds of evidence updates.
pub(crate) fn select_with_evidence(
    columns: &dyn Columns,
    objective: Objective<'_>,
    lambda: Vec<f64>,
    limits: Limits,
    passes: usize,
    watch: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Selection {
    let mut selection = select(columns, objective, lambda, limits, watch);
    for _ in 1..passes {
        if selection.stop == StopReason::Requested || selection.terms.is_empty() {
            break;
        }
        let constant = usize::from(objective.constant.is_some());
        let basis = &selection.basis;
        let lambda = updated(&basis.terms, basis.squares(), basis.eta.len(), constant);
        let old = &selection.basis.terms.lambda[constant..];
        if settled(old, &lambda) {
            break;
        }
        let chosen = selection.terms;
        let subset: Stored =
            Stored::fill(columns.rows(), chosen.len(), |i, out| columns.column(chosen[i], out));
        let stop = selection.stop;
        let evaluations = selection.evaluations;
        selection = select(&subset, objective, lambda, limits, watch);
        for term in &mut selection.terms {
            *term = chosen[*term];
        }
        selection.evaluations += evaluations;
        if selection.stop != StopReason::Requested {
            selection.stop = stop;
        }
    }
    selection
}

/// True when no penalty moves any more.
pub(super) fn settled(old: &[f64], new: &[f64]) -> bool {
    old.iter().zip(new).all(|(old, new)| (new - old).abs() <= SETTLED * old)
}

/// The evidence update of every penalty, given the sum of squared residuals of `samples` samples; the first
/// `skip` terms (the constant) count, but have none.
pub(super) fn updated(terms: &Terms, squares: f64, samples: usize, skip: usize) -> Vec<f64> {
    let share = |i: usize| terms.energy[i] / (terms.lambda[i] + terms.energy[i]);
    let gamma: f64 = (0..terms.len()).map(share).sum();
    let noise = squares / (samples as f64 - gamma).max(f64::MIN_POSITIVE);
    let update = |i: usize| {
        let g2: f64 = (0..terms.projection[i].len()).map(|c| terms.weight(i, c).powi(2)).sum();
        (share(i) * noise / g2).min(LARGEST * terms.energy[i])
    };
    (skip..terms.len()).map(update).collect()
}
