//! How far predictions lie from the truth.

mod classification;
mod density;
mod ranking;
mod regression;

pub use classification::{ClassErrors, ClassificationErrors};
pub use density::DensityScore;
pub use ranking::{area_under_curve, log_loss};
pub use regression::RegressionErrors;
