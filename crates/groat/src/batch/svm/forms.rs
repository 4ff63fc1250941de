//! The five machines as cases of the one dual problem.

use super::dual::{Dual, State};
use crate::error::{Error, Result};

/// Which machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SvmForm {
    /// Classification, with `cost` for each violated margin.
    Classes,
    /// Classification, with `nu` for the share of violated margins.
    NuClasses,
    /// Regression that forgives errors up to `epsilon`.
    Values,
    /// Regression that finds `epsilon` so that a share `nu` of the rows lies outside.
    NuValues,
    /// Where rows are: a share of about `nu` of them is left outside.
    OneClass,
}

/// The numbers that a machine is solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    pub cost: f64,
    pub epsilon: f64,
    pub nu: f64,
}

/// Where a solved machine puts its zero, and how much its coefficients are to be scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Finish {
    pub bias: f64,
    pub scale: f64,
    /// The epsilon that a nu regression has found.
    pub epsilon: Option<f64>,
}

impl SvmForm {
    /// Whether it tells classes apart.
    pub fn classifies(self) -> bool {
        matches!(self, SvmForm::Classes | SvmForm::NuClasses)
    }

    /// Whether `nu` is its parameter.
    pub fn takes_nu(self) -> bool {
        matches!(self, SvmForm::NuClasses | SvmForm::NuValues | SvmForm::OneClass)
    }

    /// Whether `cost` is one of its parameters.
    pub fn takes_cost(self) -> bool {
        matches!(self, SvmForm::Classes | SvmForm::Values | SvmForm::NuValues)
    }

    /// The problem of one output: `y` are -1 and +1 for classes, numbers for a regression, nothing for one class.
    pub(super) fn dual(self, y: &[f64], weights: &[f64], numbers: &Numbers) -> Dual {
        let rows = weights.len();
        let scaled = |factor: f64| weights.iter().map(|w| factor * w).collect::<Vec<f64>>();
        let both = |values: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            [1.0, -1.0].iter().flat_map(|sign| y.iter().map(|y| values(*sign, *y))).collect()
        };
        let (cost, by_sign) = (numbers.cost, matches!(self, SvmForm::NuClasses | SvmForm::NuValues));
        let (sign, linear, upper) = match self {
            SvmForm::Classes => (y.to_vec(), vec![-1.0; rows], scaled(cost)),
            SvmForm::NuClasses => (y.to_vec(), vec![0.0; rows], scaled(1.0)),
            SvmForm::Values => {
                let epsilon = numbers.epsilon;
                (both(&|sign, _| sign), both(&|sign, y| epsilon - sign * y), scaled(cost).repeat(2))
            }
            SvmForm::NuValues => (both(&|sign, _| sign), both(&|sign, y| -sign * y), scaled(cost).repeat(2)),
            SvmForm::OneClass => (vec![1.0; rows], vec![0.0; rows], scaled(1.0)),
        };
        Dual { rows, sign, linear, upper, by_sign }
    }

    /// Values of the variables to start from; `f` is for the caller to fill in where they are not all 0.
    pub(super) fn start(self, dual: &Dual, weights: &[f64], numbers: &Numbers) -> Result<State> {
        let mut state = State { alpha: vec![0.0; dual.sign.len()], f: vec![0.0; dual.rows] };
        self.complete(dual, weights, numbers, &mut state.alpha)?;
        Ok(state)
    }

    /// Brings the variables to the sums that the form asks for: 0 with their signs, or a sum for each sign by itself.
    pub(super) fn complete(
        self,
        dual: &Dual,
        weights: &[f64],
        numbers: &Numbers,
        alpha: &mut [f64],
    ) -> Result<()> {
        let total: f64 = weights.iter().sum();
        match self {
            SvmForm::Classes | SvmForm::Values => balance(dual, alpha),
            SvmForm::OneClass => reach(dual, alpha, 1.0, numbers.nu * total),
            SvmForm::NuValues => {
                let sum = numbers.cost * numbers.nu * total / 2.0;
                [1.0, -1.0].iter().for_each(|sign| reach(dual, alpha, *sign, sum));
            }
            SvmForm::NuClasses => {
                let most = Self::largest_nu(&dual.sign, weights);
                if numbers.nu > most * (1.0 + 1e-12) {
                    let expected = format!("at most {most:.4}, twice the share of the smaller class");
                    return Err(Error::parameter("nu", numbers.nu, expected));
                }
                [1.0, -1.0].iter().for_each(|sign| reach(dual, alpha, *sign, numbers.nu * total / 2.0));
            }
        }
        Ok(())
    }

    /// The largest `nu` for which two classes can be told apart: twice the share of the smaller one.
    pub(super) fn largest_nu(signs: &[f64], weights: &[f64]) -> f64 {
        let of =
            |sign: f64| signs.iter().zip(weights).filter(|(s, _)| **s == sign).map(|(_, w)| w).sum::<f64>();
        let (above, below) = (of(1.0), of(-1.0));
        2.0 * above.min(below) / (above + below)
    }

    /// What is made of a solution.
    pub(super) fn finish(self, dual: &Dual, state: &State) -> Finish {
        if !dual.by_sign {
            return Finish { bias: -dual.balance(state, 0), scale: 1.0, epsilon: None };
        }
        let (below, above) = (dual.balance(state, 0), dual.balance(state, 1));
        let (middle, half) = ((below + above) / 2.0, (above - below) / 2.0);
        match self {
            // The margin comes out as 1, as in the form with a cost.
            SvmForm::NuClasses if half > 0.0 => {
                Finish { bias: -middle / half, scale: 1.0 / half, epsilon: None }
            }
            SvmForm::NuValues => Finish { bias: -middle, scale: 1.0, epsilon: Some((-half).max(0.0)) },
            _ => Finish { bias: -middle, scale: 1.0, epsilon: None },
        }
    }
}

/// The sum of the variables of a sign.
fn sum_of(dual: &Dual, alpha: &[f64], sign: f64) -> f64 {
    alpha.iter().zip(&dual.sign).filter(|(_, s)| **s == sign).map(|(a, _)| a).sum()
}

/// What comes so near to a bound or a sum, as a share of it, has reached it: a variable that rounding keeps off its bound
/// would count as one that may still be moved.
const ROUNDING: f64 = 1e-9;

/// Multiplies the variables of a sign, as far as their bounds allow.
fn scale(dual: &Dual, alpha: &mut [f64], sign: f64, factor: f64) {
    for (v, a) in alpha.iter_mut().enumerate().filter(|(v, _)| dual.sign[*v] == sign) {
        let (scaled, upper) = (*a * factor, dual.upper[v]);
        *a = if scaled >= (1.0 - ROUNDING) * upper { upper } else { scaled };
    }
}

/// Brings the signed sum to 0 by making the heavier side lighter.
fn balance(dual: &Dual, alpha: &mut [f64]) {
    let (above, below) = (sum_of(dual, alpha, 1.0), sum_of(dual, alpha, -1.0));
    let (sign, ratio) = if above > below { (1.0, below / above) } else { (-1.0, above / below) };
    if ratio.is_finite() {
        scale(dual, alpha, sign, ratio);
    }
}

/// Brings the variables of a sign to a sum: all by one factor, then, where bounds are in the way, in order.
fn reach(dual: &Dual, alpha: &mut [f64], sign: f64, sum: f64) {
    let present = sum_of(dual, alpha, sign);
    if present > 0.0 {
        scale(dual, alpha, sign, sum / present);
    }
    let mut left = sum - sum_of(dual, alpha, sign);
    if left <= ROUNDING * sum {
        return;
    }
    for (v, a) in alpha.iter_mut().enumerate().filter(|(v, _)| dual.sign[*v] == sign) {
        let step = left.min(dual.upper[v] - *a).max(0.0);
        (*a, left) = (*a + step, left - step);
    }
}
