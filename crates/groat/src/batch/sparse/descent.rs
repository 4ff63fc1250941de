//! Going downhill: quasi-Newton steps with limited memory (L-BFGS; Nocedal 1980).

use crate::error::Result;
use std::collections::VecDeque;

/// Pairs of steps and changes of the gradient that are remembered.
const MEMORY: usize = 8;
/// Steps that lower the value by less than this share, twice in a row, are the end.
const FLAT: f64 = 2e-4;
/// Shortenings of a step before the search gives up.
const SHORTER: usize = 8;
/// Share of the decrease promised by the gradient that a step must bring.
const ENOUGH: f64 = 1e-4;

/// A value and its gradient; none where it does not exist.
pub(super) type Slope = Option<(f64, Vec<f64>)>;

/// From a start downhill, with at most so many evaluations; no coordinate moves by more than `reach` at a time.
pub(super) fn minimise(
    start: Vec<f64>,
    reach: f64,
    evaluations: usize,
    stop: &(dyn Fn() -> bool + Sync),
    mut at: impl FnMut(&[f64]) -> Result<Slope>,
) -> Result<Vec<f64>> {
    let mut x = start;
    let Some((mut value, mut gradient)) = at(&x)? else { return Ok(x) };
    let (mut left, mut flat) = (evaluations.saturating_sub(1), 0);
    let mut memory: VecDeque<Pair> = VecDeque::new();
    while left > 0 && flat < 2 && !stop() {
        let mut direction = newton(&gradient, &memory);
        let mut slope = dot(&direction, &gradient);
        // Rounding may have spoilt the memory.
        if slope >= 0.0 {
            memory.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = dot(&direction, &gradient);
        }
        let longest = direction.iter().fold(0.0f64, |most, d| most.max(d.abs()));
        if longest == 0.0 || !longest.is_finite() {
            break;
        }
        let first = if memory.is_empty() { 0.2 * reach / longest } else { (reach / longest).min(1.0) };
        let mut length = first;
        let mut found = None;
        for _ in 0..SHORTER {
            if left == 0 {
                break;
            }
            left -= 1;
            let next: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            match at(&next)? {
                Some((lower, steeper)) if lower <= value + ENOUGH * length * slope => {
                    found = Some((next, lower, steeper));
                    break;
                }
                _ => length *= 0.3,
            }
        }
        let Some((next, lower, steeper)) = found else { break };
        flat = if value - lower < FLAT * value.abs() { flat + 1 } else { 0 };
        remember(&mut memory, Pair::new(&x, &next, &gradient, &steeper));
        (x, value, gradient) = (next, lower, steeper);
    }
    Ok(x)
}

/// A step and how the gradient changed along it.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// One over their inner product.
    inverse: f64,
}

impl Pair {
    fn new(x: &[f64], next: &[f64], gradient: &[f64], steeper: &[f64]) -> Self {
        let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let (step, change) = (less(next, x), less(steeper, gradient));
        let inverse = 1.0 / dot(&step, &change);
        Self { step, change, inverse }
    }
}

fn remember(memory: &mut VecDeque<Pair>, pair: Pair) {
    // Only where the function curves upwards.
    let scale = (dot(&pair.step, &pair.step) * dot(&pair.change, &pair.change)).sqrt();
    if pair.inverse.is_finite() && 1.0 / pair.inverse > 1e-10 * scale {
        if memory.len() == MEMORY {
            memory.pop_front();
        }
        memory.push_back(pair);
    }
}

/// The direction of a Newton step, with the curvature that the memory knows.
fn newton(gradient: &[f64], memory: &VecDeque<Pair>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let share = pair.inverse * dot(&pair.step, &direction);
        crate::simd::axpy(-share, &pair.change, &mut direction);
        shares.push(share);
    }
    if let Some(last) = memory.back() {
        let scale = 1.0 / (last.inverse * dot(&last.change, &last.change));
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (pair, share) in memory.iter().zip(shares.into_iter().rev()) {
        let back = pair.inverse * dot(&pair.change, &direction);
        crate::simd::axpy(share - back, &pair.step, &mut direction);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curved_valley_is_followed_to_its_end() {
        let rosenbrock = |x: &[f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            Ok(Some((a * a + 100.0 * b * b + 1.0, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])))
        };
        let end = minimise(vec![-1.2, 1.0], 1.0, 200, &|| false, rosenbrock).unwrap();
        assert!((end[0] - 1.0).abs() < 0.02 && (end[1] - 1.0).abs() < 0.04, "{end:?}");
        let stopped = minimise(vec![-1.2, 1.0], 1.0, 200, &|| true, rosenbrock).unwrap();
        assert_eq!(stopped, [-1.2, 1.0]);
    }
}
