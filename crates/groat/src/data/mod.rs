//! From files to numbers.

mod standardise;

pub use standardise::Standardisation;
