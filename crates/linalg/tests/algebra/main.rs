//! The algebra from the outside, in one program.

mod dense;
mod sparse;
