//! What to tell a person whose machine did not come to its tolerance: what in the data makes steps small.

use crate::kernels::Kernel;
use crate::matrix::Points;

/// A feature that spreads so many times as wide as another hides it.
const APART: f64 = 1e3;
/// Kernel values beyond this make the steps of a solver small beside its variables.
const LARGE: f64 = 1e4;

/// The likeliest cause, and what helps. `stalled` where it was no limit that ended the work, `by_cost` where
/// there is a cost.
pub(super) fn advice(x: Points<'_>, kernel: &Kernel, stalled: bool, by_cost: bool) -> String {
    let spreads = spreads(x);
    let varying = || spreads.iter().enumerate().filter(|(_, s)| **s > 0.0);
    let widest = varying().max_by(|a, b| a.1.total_cmp(b.1));
    let narrowest = varying().min_by(|a, b| a.1.total_cmp(b.1));
    let largest = if kernel.is_radial() {
        1.0
    } else {
        crate::gram::diagonal(kernel, x).into_iter().fold(0.0, f64::max)
    };
    let cause = match (widest, narrowest) {
        (Some((i, wide)), Some((j, narrow))) if wide / narrow > APART => {
            let (i, j) = (i + 1, j + 1);
            format!(
                "feature {i} spreads {:.0e} times as wide as feature {j}: bring features to like scales",
                wide / narrow
            )
        }
        _ if largest > LARGE => {
            format!("kernel values reach {largest:.0e}: bring features to like scales, about 1")
        }
        _ if varying().count() <= 1 => {
            "one feature alone lets many rows nearly coincide: take a width of the order of their distances"
                .to_owned()
        }
        _ if stalled => "bring features to like scales".to_owned(),
        // Nothing in the data stands in the way: it takes longer, no more.
        _ => "allow more".to_owned(),
    };
    let lower = if by_cost { "lower the cost or " } else { "" };
    format!("{cause}, {lower}raise the tolerance; the model so far can be gone on from")
}

/// The deviation of every feature.
fn spreads(x: Points<'_>) -> Vec<f64> {
    let n = x.rows() as f64;
    let (mut sums, mut squares) = (vec![0.0; x.cols()], vec![0.0; x.cols()]);
    for i in 0..x.rows() {
        for ((v, sum), square) in x.row(i).iter().zip(&mut sums).zip(&mut squares) {
            *sum += v / n;
            *square += v * v / n;
        }
    }
    sums.iter().zip(squares).map(|(sum, square)| (square - sum * sum).max(0.0).sqrt()).collect()
}
