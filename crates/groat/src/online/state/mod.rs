//! What learners are made of: the dictionary, what is kept up to date about it, and the small stores around it.
//!
//! Nothing here knows of a stream or a learner. [`Tracked`] is a dictionary with the inverse Gram matrix and the
//! tables that costs and projections read, so that whoever has a kernel expansion can reduce it with them.

pub(crate) mod basis;
pub(crate) mod bits;
pub(crate) mod dictionary;
pub(crate) mod first_rows;
pub(crate) mod inverse;
pub(crate) mod look_ahead;
pub(crate) mod recent;
pub(crate) mod scratch;
pub(crate) mod selection;
pub(crate) mod stack;
pub(crate) mod step_size;
pub(crate) mod tables;
mod tracked;
pub(crate) mod window;

pub(crate) use tracked::{Needs, ROUNDING, Sample, Tracked};
