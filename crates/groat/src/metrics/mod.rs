//! How far predictions lie from the truth.

mod classification;
mod density;
mod importance;
mod ranking;
mod regression;

pub use classification::{ClassErrors, ClassificationErrors};
pub use density::DensityScore;
pub use importance::{ColumnImportance, Importance};
pub use ranking::{area_under_curve, log_loss};
pub use regression::RegressionErrors;
