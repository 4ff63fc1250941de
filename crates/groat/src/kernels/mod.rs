//! Kernels as values, and their evaluation in blocks.
//!
//! [`Kernel`] says what `k(x, y)` is; it can be compared, printed, parsed and stored. Everything that
//! evaluates one goes through [`Evaluator`], which is a kernel made ready for one number type. Three
//! forms of evaluation cover all uses: one row against a dictionary ([`Evaluator::row`] on packed
//! [`Centres`]), a matrix of values ([`Kernel::gram`], [`Kernel::cross`]), and the weighted sums
//! `f(x) = sum_i alpha_i k(v_i, x)` for many `x` without the matrix ([`Kernel::weighted_sum`]). Sparse rows, and
//! dense ones of many features, take the same three forms in [`crate::gram`].
//!
//! A new kernel needs a variant of [`Kernel`], an arm in `profile.rs` (its function of the squared
//! distance or inner product), and a line in `text.rs`.

mod block;
mod centres;
mod compact;
mod evaluator;
mod inverted;
mod kernel;
mod matrices;
mod packed;
mod product;
mod profile;
mod rough;
mod single;
mod text;

pub use centres::Centres;
pub use evaluator::Evaluator;
pub use kernel::{Kernel, Width};
pub(crate) use matrices::{sums, symmetric, whole};
pub(crate) use packed::Packed;
pub(crate) use rough::{Rough, Tiles};
pub(crate) use single::Single;

/// Share of `|x|^2 + |y|^2` below which a squared distance `|x|^2 + |y|^2 - 2 x'y` is not trusted but taken from the
/// differences. Above it the rounding of the three sums moves a kernel value by a few times `1e-13`.
const NEAR: f64 = 1e-3;
