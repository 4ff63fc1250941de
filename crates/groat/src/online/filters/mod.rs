//! Methods with a state of their own, one file each.

pub(crate) mod linear;
