//! The few vectors that matter most for a sample, and the metric among them: selective updates.

use crate::online::state::inverse::Packed;

/// The `count` indices with the largest `score`, the lowest first among equals, at the front of `order`.
pub(crate) fn select(order: &mut Vec<usize>, count: usize, score: impl Fn(usize) -> f64, m: usize) -> usize {
    order.clear();
    order.extend(0..m);
    let first = count.min(m);
    let larger = |a: &usize, b: &usize| score(*b).total_cmp(&score(*a)).then(a.cmp(b));
    if first > 0 && first < m {
        order.select_nth_unstable_by(first - 1, larger);
    }
    order[..first].sort_unstable_by(larger);
    first
}

/// Solves `A a = b` for a symmetric positive definite `A`, which is lost; false if it is singular to
/// working precision.
pub(crate) fn solve(matrix: &mut Packed, b: &[f64], a: &mut Vec<f64>) -> bool {
    a.clear();
    a.resize(b.len(), 0.0);
    let regular = matrix.invert();
    if regular {
        matrix.multiply(b, a);
    }
    regular
}
