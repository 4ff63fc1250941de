//! Methods with a state of their own, one file each, and what every method must do.

/// The part of [`Method`] that all methods on a [`Basis`](super::state::basis::Basis) share.
macro_rules! method_on_basis {
    () => {
        fn size(&self) -> usize {
            self.basis.len()
        }

        fn output(&self, x: &[f64]) -> f64 {
            self.basis.dictionary.output(x)
        }

        fn snapshot(&self) -> $crate::error::Result<Option<$crate::expansion::Expansion>> {
            self.basis.dictionary.snapshot()
        }
    };
}

mod any;
pub(crate) mod auto;
pub(crate) mod extended_krls;
pub(crate) mod fixed_budget_klms;
pub(crate) mod fixed_budget_quantised_klms;
pub(crate) mod krls_tracker;
pub(crate) mod leaky_affine_projection;
pub(crate) mod linear_lms;
pub(crate) mod linear_recursive;
pub(crate) mod memory_cell;
pub(crate) mod mixture_klms;
pub(crate) mod multi_gaussian_l2;
pub(crate) mod multikernel_nlms;
pub(crate) mod parallel_projections;
pub(crate) mod probabilistic_lms;
pub(crate) mod projected_subgradient;
pub(crate) mod proximal_klms;
pub(crate) mod quantised_krls;
pub(crate) mod random_feature_klms;

pub(crate) use any::AnyMethod;

use super::state::dictionary::Dictionary;
use super::step::{Reading, Step};
use crate::error::Result;
use crate::expansion::Expansion;
use crate::matrix::Rows;
use crate::online::parts::loss::Meaning;

/// An online method. Inputs have been checked at the door: `x` is finite and has the right length, `y`
/// is finite. No method may allocate once its dictionary has reached its final size.
pub(crate) trait Method {
    /// Vectors in the dictionary; 0 for linear methods, the number of features for random features.
    fn size(&self) -> usize;
    /// The output at `x`.
    fn output(&self, x: &[f64]) -> f64;
    /// The dictionary with explicit weights, where every [`output`](Self::output) must first work those out.
    fn explicit(&self) -> Option<Dictionary> {
        None
    }
    /// Looks at the rows of the next calls of [`step`](Self::step), for methods that can work on several at once. What
    /// they give stays the same to the last bit.
    fn look_ahead(&mut self, _x: Rows<'_>) {}
    /// Drops what was prepared: other rows come next.
    fn drop_look_ahead(&mut self) {}
    /// Learns from one sample. `Step::size` is filled in by the caller.
    fn step(&mut self, x: &[f64], y: f64) -> Step;
    /// Predictive variance of the noisy output, where the method has one.
    fn variance(&self, _x: &[f64]) -> Option<f64> {
        None
    }
    /// The model learnt so far, in order of insertion; `None` where it is no kernel expansion.
    fn snapshot(&self) -> Result<Option<Expansion>>;
    /// False where no sample can make what it learns one kernel expansion.
    fn is_expansion(&self) -> bool {
        true
    }
    /// Bytes of state, without the scratch space that a saved state leaves out.
    fn memory_bytes(&self) -> usize;
    /// Appends what the method can say about itself.
    fn diagnostics(&self, _readings: &mut Vec<Reading>) {}
    /// Fails unless a state that was read from a file is consistent: lengths agree, numbers are finite.
    fn check(&self, dimension: usize) -> Result<()>;

    /// What the settings decide and learning does not change, for a saved state to be compared with a new one.
    fn fixed(&self) -> Vec<serde_json::Value> {
        Vec::new()
    }
    /// What an output means.
    fn meaning(&self) -> Meaning {
        Meaning::Number
    }
    /// An error when the method cannot use this target (a label that is not -1 or 1).
    fn check_target(&self, _y: f64) -> Result<()> {
        Ok(())
    }
}
