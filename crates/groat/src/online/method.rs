//! The closed list of methods: everything a [`Learner`](super::Learner) can hold.

use super::dictionary::Dictionary;
use super::filter::Filter;
use super::step::{Reading, Step};
use crate::error::Result;
use crate::expansion::Expansion;
use crate::matrix::Rows;
use serde::{Deserialize, Serialize};

/// Makes the enum of methods and passes every call on. One line per method.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($type:ty),)+) => {
        /// One of the methods, with its state.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum Method {
            $($(#[$doc])* $name(Box<$type>),)+
        }

        $(impl From<$type> for Method {
            fn from(method: $type) -> Self {
                Method::$name(Box::new(method))
            }
        })+

        impl Filter for Method {
            fn size(&self) -> usize {
                match self { $(Method::$name(m) => m.size(),)+ }
            }
            fn output(&self, x: &[f64]) -> f64 {
                match self { $(Method::$name(m) => m.output(x),)+ }
            }
            fn settled(&self) -> Option<Dictionary> {
                match self { $(Method::$name(m) => m.settled(),)+ }
            }
            fn foresee(&mut self, x: Rows<'_>) {
                match self { $(Method::$name(m) => m.foresee(x),)+ }
            }
            fn forget(&mut self) {
                match self { $(Method::$name(m) => m.forget(),)+ }
            }
            fn step(&mut self, x: &[f64], y: f64) -> Step {
                match self { $(Method::$name(m) => m.step(x, y),)+ }
            }
            fn variance(&self, x: &[f64]) -> Option<f64> {
                match self { $(Method::$name(m) => m.variance(x),)+ }
            }
            fn snapshot(&self) -> Result<Option<Expansion>> {
                match self { $(Method::$name(m) => m.snapshot(),)+ }
            }
            fn memory_bytes(&self) -> usize {
                match self { $(Method::$name(m) => m.memory_bytes(),)+ }
            }
            fn diagnostics(&self, readings: &mut Vec<Reading>) {
                match self { $(Method::$name(m) => m.diagnostics(readings),)+ }
            }
            fn check(&self, dimension: usize) -> Result<()> {
                match self { $(Method::$name(m) => m.check(dimension),)+ }
            }
            fn check_target(&self, y: f64) -> Result<()> {
                match self { $(Method::$name(m) => m.check_target(y),)+ }
            }
        }
    };
}

methods! {
    /// Update rule x novelty x cost x projection x strategy.
    Composed(super::composed::Composed),
    /// LMS and normalised LMS on the inputs themselves.
    Linear(super::filters::linear::LinearLms),
    /// Recursive least squares and the Kalman filter on the inputs themselves.
    Recursive(super::filters::recursive::Recursive),
    /// Probabilistic LMS.
    ProbabilisticLms(super::filters::problms::ProbabilisticLms),
    /// Repeats the last target.
    MemoryCell(super::filters::memory_cell::MemoryCell),
    /// Kernel LMS with a soft threshold.
    ProximalKlms(super::filters::proximal::ProximalKlms),
    /// Fixed-budget kernel LMS.
    FixedBudgetKlms(super::filters::fbklms::FixedBudgetKlms),
    /// Fixed-budget quantised kernel LMS.
    FixedBudgetQklms(super::filters::qklms_fb::FixedBudgetQklms),
    /// KRLS tracker.
    KrlsTracker(super::filters::krls_tracker::KrlsTracker),
    /// Leaky kernel affine projection.
    LeakyKapa(super::filters::lkapa::LeakyKapa),
    /// Kernel adaptive projected subgradients.
    ProjectedSubgradient(super::filters::kapsm::ProjectedSubgradient),
    /// Extended kernel recursive least squares.
    ExtendedKrls(super::filters::exkrls::ExtendedKrls),
    /// Quantised kernel recursive least squares.
    QuantisedKrls(super::filters::qkrls::QuantisedKrls),
    /// Multikernel normalised LMS.
    MultikernelNlms(super::filters::mknlms::MultikernelNlms),
    /// Mixture of kernel LMS filters.
    MixtureKlms(super::filters::mxklms::MixtureKlms),
    /// Parallel projections along the nearest vectors.
    Phypass(super::filters::phypass::Phypass),
    /// Several Gaussians in the metric of L2.
    MultiGaussianL2(super::filters::l2::MultiGaussianL2),
    /// LMS on random Fourier features.
    RandomFeatureKlms(super::filters::rff_klms::RandomFeatureKlms),
}
