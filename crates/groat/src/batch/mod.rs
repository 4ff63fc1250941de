//! Learners that see all their data at once.
//!
//! A learner is a plain struct of parameters that implements [`Method`]: from a [`Problem`] it makes a
//! [`Fitted`] model, and tells a [`Watch`] how far it is. The [table of methods](methods) names them all, with their
//! parameters, and builds them from settings by name ([`method`](method())).

mod compare;
pub mod density;
mod estimate;
mod feature_ridge;
pub mod forward;
mod iterative_ridge;
mod kernel_pca;
mod learn;
mod linear;
mod lssvm;
pub mod methods;
mod orthogonal;
mod problem;
mod report;
mod ridge;
mod sparse;
mod subset;
mod svm;
mod watch;

pub use compare::{Compared, compare, usual as usual_methods};
pub use estimate::{Estimate, Sizes};
pub use feature_ridge::{Basis, FeatureLoss, FeatureRidge, FeatureSolver, RowSums, Variance};
pub use forward::Batches;
pub use iterative_ridge::IterativeRidge;
pub use kernel_pca::{KernelPca, PrincipalComponents};
#[cfg(feature = "files")]
pub use learn::learn_batches;
pub use learn::{Preparation, Prepared, learn, learn_elsewhere, learn_from};
pub use linear::{LinearLoss, LinearMachine};
pub use lssvm::{LeastSquaresSvm, Solver};
pub use methods::{
    Ability, BoxedMethod, KernelChoice, MethodPlan, MethodRow, Methods, Taken, TaskKind, method,
};
pub(crate) use orthogonal::Orthogonal;
pub use orthogonal::{ErrorBars, Growth};
pub use problem::{Problem, Target};
pub use report::{Expected, Fitted, FullMachine, LeaveOneOut, SizeError, Stage};
pub use ridge::KernelRidge;
pub use sparse::{Size, Sparse, drawing_order};
pub use svm::{Subsampling, SupportVectorMachine, SvmForm};
pub(crate) use watch::{Grace, Impatient};
pub use watch::{Progress, Quiet, Watch};

pub use crate::tune::{Search, Trial};

use crate::error::{Error, Result};
use crate::matrix::Points;
use crate::model::Model;

/// A way to fit a model.
///
/// A new method implements this, and gets a row in the [table of methods](methods).
pub trait Method {
    /// The name, spelled alike everywhere.
    fn name(&self) -> &'static str;

    /// Fits a model.
    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted>;

    /// What a fit to data of these sizes would take; an error where it would be refused.
    fn estimate(&self, sizes: &Sizes) -> Result<Estimate>;

    /// Fits a model to data that are read in batches, again and again, and never held. What has to be chosen, such as
    /// a width, is chosen on `sample`, some of the rows.
    ///
    /// Few methods can ([`Ability::Batches`]); the others refuse.
    fn fit_batches(&self, _data: &dyn Batches, _sample: &Problem<'_>, _watch: &dyn Watch) -> Result<Fitted> {
        Err(Error::Setting {
            method: self.name().to_owned(),
            setting: "reading in batches".to_owned(),
            advice: "give it data that fit into memory".to_owned(),
        })
    }

    /// Whether rows of this method may also stand elsewhere. Then it draws rows by what they hold, and a fit here is to hold the
    /// same to the last bit as a fit there.
    fn spreads(&self) -> bool {
        false
    }

    /// The method on landmarks of the user's choice, which stand as the kernel shall see them.
    ///
    /// Few methods stand on landmarks; the others refuse.
    fn on_landmarks(&self, _landmarks: Points<'_>) -> Result<BoxedMethod> {
        Err(no_landmarks(self.name()))
    }

    /// Fits a model from where an earlier one of this method stands: one that was limited or broken off, one of another
    /// cost, or one of fewer rows. The result is that of a fit from nothing, sooner. What is not given but settled in
    /// `start`, such as a width, is taken over. `problem` has the features as `start` has them.
    ///
    /// Few methods can ([`Ability::WarmStart`]); the others refuse.
    fn fit_from(&self, _start: &Model, _problem: &Problem<'_>, _watch: &dyn Watch) -> Result<Fitted> {
        Err(Error::Setting {
            method: self.name().to_owned(),
            setting: "a model to start from".to_owned(),
            advice: "fit it from nothing".to_owned(),
        })
    }
}

/// That a method stands on no landmarks.
fn no_landmarks(method: &str) -> Error {
    Error::Setting {
        method: method.to_owned(),
        setting: "landmarks of your own".to_owned(),
        advice: format!("{} and {} stand on landmarks", methods::NYSTROM, methods::FALKON),
    }
}
