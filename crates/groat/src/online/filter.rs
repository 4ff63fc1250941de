//! What a method must do to be an online learner. See the [module page](super) for how to add one.

use super::dictionary::Dictionary;
use super::step::{Reading, Step};
use crate::error::Result;
use crate::expansion::Expansion;
use crate::matrix::Rows;
use std::cell::RefCell;

/// Weights and updates are kept below this magnitude; a step that would pass it is refused. Squares and
/// products with kernel values stay finite, so no NaN can arise from a step size that is too large.
pub(crate) const LIMIT: f64 = 1e100;

/// True when a weight or an update may be used.
pub(crate) fn sound(value: f64) -> bool {
    value.abs() < LIMIT
}

/// The step `eta`, or `eta / (eps + norm)` where there is a regulariser of a normalised step.
pub(crate) fn normalised(eta: f64, eps: Option<f64>, norm: f64) -> f64 {
    eps.map_or(eta, |eps| eta / (eps + norm).max(f64::MIN_POSITIVE))
}

/// An online method. Inputs have been checked at the door: `x` is finite and has the right length, `y`
/// is finite. No method may allocate once its dictionary has reached its final size.
pub(crate) trait Filter {
    /// Vectors in the dictionary; 0 for linear filters, the number of features for random features.
    fn size(&self) -> usize;
    /// The output at `x`.
    fn output(&self, x: &[f64]) -> f64;
    /// The model as a sum over the dictionary, where every [`output`](Self::output) must first work that out.
    fn settled(&self) -> Option<Dictionary> {
        None
    }
    /// The rows of the next calls of [`step`](Self::step), for methods that can look at several at once. What they give
    /// stays the same to the last bit.
    fn foresee(&mut self, _x: Rows<'_>) {}
    /// Takes that back.
    fn forget(&mut self) {}
    /// Learns from one sample. `Step::size` is filled in by the caller.
    fn step(&mut self, x: &[f64], y: f64) -> Step;
    /// Predictive variance of the noisy output, where the method has one.
    fn variance(&self, _x: &[f64]) -> Option<f64> {
        None
    }
    /// The model learnt so far, in order of insertion; `None` where it is no kernel expansion.
    fn snapshot(&self) -> Result<Option<Expansion>>;
    /// Bytes of state, without the scratch space that a saved state leaves out.
    fn memory_bytes(&self) -> usize;
    /// Appends what the method can say about itself.
    fn diagnostics(&self, _readings: &mut Vec<Reading>) {}
    /// Fails unless a state that was read from a file is consistent: lengths agree, numbers are finite.
    fn check(&self, dimension: usize) -> Result<()>;
    /// An error when the method cannot use this target (a label that is not -1 or 1).
    fn check_target(&self, _y: f64) -> Result<()> {
        Ok(())
    }
}

thread_local! {
    static SCRATCH: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` with `len` numbers of scratch space that are kept from call to call, so that predicting
/// through `&self` allocates nothing. Calls must not nest.
pub(crate) fn with_scratch<R>(len: usize, work: impl FnOnce(&mut [f64]) -> R) -> R {
    SCRATCH.with_borrow_mut(|buffer| {
        if buffer.len() < len {
            buffer.resize(len, 0.0);
        }
        work(&mut buffer[..len])
    })
}
