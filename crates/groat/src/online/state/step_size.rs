//! The size of a step: finite, and normalised where a method asks for it.

/// Weights and updates are kept below this magnitude; a step that would pass it is refused. Squares and
/// products with kernel values stay finite, so no NaN can arise from a step size that is too large.
pub(crate) const LIMIT: f64 = 1e100;

/// True when a weight or an update may be used.
pub(crate) fn sound(value: f64) -> bool {
    value.abs() < LIMIT
}

/// The step, or the one that meets the target where it would overshoot: a step times the squared norm of what it
/// multiplies is the share of the error that it takes away, and above 2 errors grow from step to step.
pub(crate) fn held(step: f64, norm: f64, bounded: bool) -> f64 {
    if bounded && step * norm > 2.0 { 1.0 / norm } else { step }
}

/// The step `eta`, or `eta / (eps + norm)` where there is a regulariser of a normalised step.
pub(crate) fn normalised(eta: f64, eps: Option<f64>, norm: f64) -> f64 {
    eps.map_or(eta, |eps| eta / (eps + norm).max(f64::MIN_POSITIVE))
}
