//! How far predictions lie from the truth.

mod classification;
mod regression;

pub use classification::ClassificationErrors;
pub use regression::RegressionErrors;
