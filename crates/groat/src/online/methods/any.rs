//! The closed list of methods: everything a [`Learner`](crate::online::Learner) can hold, and save.

use super::Method;
use crate::error::Result;
use crate::expansion::Expansion;
use crate::matrix::Rows;
use crate::online::parts::loss::Meaning;
use crate::online::state::dictionary::Dictionary;
use crate::online::step::{Reading, Step};
use serde::{Deserialize, Serialize};

/// Makes the enum of methods and passes every call on. One line per method.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($type:ty),)+) => {
        /// One of the methods, with its state.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum AnyMethod {
            $($(#[$doc])* $name(Box<$type>),)+
        }

        $(impl From<$type> for AnyMethod {
            fn from(method: $type) -> Self {
                AnyMethod::$name(Box::new(method))
            }
        })+

        impl Method for AnyMethod {
            fn size(&self) -> usize {
                match self { $(AnyMethod::$name(m) => m.size(),)+ }
            }
            fn output(&self, x: &[f64]) -> f64 {
                match self { $(AnyMethod::$name(m) => m.output(x),)+ }
            }
            fn explicit(&self) -> Option<Dictionary> {
                match self { $(AnyMethod::$name(m) => m.explicit(),)+ }
            }
            fn look_ahead(&mut self, x: Rows<'_>) {
                match self { $(AnyMethod::$name(m) => m.look_ahead(x),)+ }
            }
            fn drop_look_ahead(&mut self) {
                match self { $(AnyMethod::$name(m) => m.drop_look_ahead(),)+ }
            }
            fn step(&mut self, x: &[f64], y: f64) -> Step {
                match self { $(AnyMethod::$name(m) => m.step(x, y),)+ }
            }
            fn variance(&self, x: &[f64]) -> Option<f64> {
                match self { $(AnyMethod::$name(m) => m.variance(x),)+ }
            }
            fn snapshot(&self) -> Result<Option<Expansion>> {
                match self { $(AnyMethod::$name(m) => m.snapshot(),)+ }
            }
            fn is_expansion(&self) -> bool {
                match self { $(AnyMethod::$name(m) => m.is_expansion(),)+ }
            }
            fn memory_bytes(&self) -> usize {
                match self { $(AnyMethod::$name(m) => m.memory_bytes(),)+ }
            }
            fn diagnostics(&self, readings: &mut Vec<Reading>) {
                match self { $(AnyMethod::$name(m) => m.diagnostics(readings),)+ }
            }
            fn check(&self, dimension: usize) -> Result<()> {
                match self { $(AnyMethod::$name(m) => m.check(dimension),)+ }
            }
            fn fixed(&self) -> Vec<serde_json::Value> {
                match self { $(AnyMethod::$name(m) => m.fixed(),)+ }
            }
            fn meaning(&self) -> Meaning {
                match self { $(AnyMethod::$name(m) => m.meaning(),)+ }
            }
            fn check_target(&self, y: f64) -> Result<()> {
                match self { $(AnyMethod::$name(m) => m.check_target(y),)+ }
            }
        }
    };
}

methods! {
    /// Several predictors, weighted by how they did.
    Auto(super::auto::Auto),
    /// Update rule x novelty x cost x projection x strategy.
    Composed(crate::online::composed::Composed),
    /// LMS and normalised LMS on the inputs themselves.
    LinearLms(super::linear_lms::LinearLms),
    /// Recursive least squares and the Kalman filter on the inputs themselves.
    LinearRecursive(super::linear_recursive::Recursive),
    /// Probabilistic LMS.
    ProbabilisticLms(super::probabilistic_lms::ProbabilisticLms),
    /// Repeats the last target.
    MemoryCell(super::memory_cell::MemoryCell),
    /// Kernel LMS with a soft threshold.
    ProximalKlms(super::proximal_klms::ProximalKlms),
    /// Fixed-budget kernel LMS.
    FixedBudgetKlms(super::fixed_budget_klms::FixedBudgetKlms),
    /// Fixed-budget quantised kernel LMS.
    FixedBudgetQklms(super::fixed_budget_quantised_klms::FixedBudgetQklms),
    /// KRLS tracker.
    KrlsTracker(super::krls_tracker::KrlsTracker),
    /// Leaky kernel affine projection.
    LeakyKapa(super::leaky_affine_projection::LeakyKapa),
    /// Kernel adaptive projected subgradients.
    ProjectedSubgradient(super::projected_subgradient::ProjectedSubgradient),
    /// Extended kernel recursive least squares.
    ExtendedKrls(super::extended_krls::ExtendedKrls),
    /// Quantised kernel recursive least squares.
    QuantisedKrls(super::quantised_krls::QuantisedKrls),
    /// Multikernel normalised LMS.
    MultikernelNlms(super::multikernel_nlms::MultikernelNlms),
    /// Mixture of kernel LMS learners.
    MixtureKlms(super::mixture_klms::MixtureKlms),
    /// Parallel projections along the nearest vectors.
    Phypass(super::parallel_projections::Phypass),
    /// Several Gaussians in the metric of L2.
    MultiGaussianL2(super::multi_gaussian_l2::MultiGaussianL2),
    /// LMS on random Fourier features.
    RandomFeatureKlms(super::random_feature_klms::RandomFeatureKlms),
}
