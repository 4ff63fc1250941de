//! Learners that see all their data at once.
//!
//! A learner is a plain struct of parameters that implements [`Method`]: from a [`Problem`] it makes a
//! [`Fitted`] model, and tells a [`Watch`] how far it is.

pub mod density;
pub mod forward;
mod kernel_pca;
mod lssvm;
mod orthogonal;
mod problem;
mod report;
mod ridge;
mod watch;

pub use kernel_pca::{KernelPca, PrincipalComponents};
pub use lssvm::{LeastSquaresSvm, Solver};
pub(crate) use orthogonal::Orthogonal;
pub use orthogonal::{ErrorBars, Growth};
pub use problem::{Problem, Target};
pub use report::{Fitted, LeaveOneOut, Stage, Trial};
pub use ridge::{KernelRidge, Search};
pub use watch::{Progress, Quiet, Watch};

use crate::error::Result;

/// A way to fit a model.
///
/// A new method implements this, and gets a line in the command's list of methods.
pub trait Method {
    /// The name, spelled alike everywhere.
    fn name(&self) -> &'static str;

    /// Fits a model.
    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted>;
}
