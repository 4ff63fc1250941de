//! How far predictions lie from the truth.

mod classification;
mod density;
mod regression;

pub use classification::ClassificationErrors;
pub use density::DensityScore;
pub use regression::RegressionErrors;
