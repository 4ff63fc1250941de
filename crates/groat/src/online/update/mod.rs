//! Update rules: how weights learn from a sample.

mod affine;
mod coefficients;
mod exact;
mod gradient;
mod rls;

use super::model::{Model, Needs, Sample};
use super::presets::Values;
use super::projection::Projection;
use super::strategy::Strategy;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// How weights learn. Rules are called through [`Update`], which dereferences to the one it holds.
pub(crate) trait Rule {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs {
        Needs::NONE
    }
    /// True when it alone touches the weights: it uses no projection and keeps its vectors.
    fn owns_weights(&self) -> bool {
        false
    }
    /// What it puts on the diagonal of the Gram matrix.
    fn ridge(&self) -> f64 {
        0.0
    }
    /// Factor of all weights before the error is taken.
    fn early_decay(&self) -> f64 {
        1.0
    }
    /// The weight that `k(x, .)` would get, for criteria and limits.
    fn weight(&self, sample: &Sample<'_>) -> f64;
    /// The share of the error that the step takes away at the sample: above 2 it diverges if it stays there.
    fn effective_step(&self, _sample: &Sample<'_>, _admitted: bool) -> f64 {
        0.0
    }
    /// Takes the sample into the dictionary.
    fn admit(&mut self, model: &mut Model, sample: &Sample<'_>);
    /// Learns from a sample that does not enter. False if nothing was changed.
    fn project(&mut self, model: &mut Model, sample: &Sample<'_>, projection: &Projection) -> bool;
    /// Learns from a sample that equals vector `i`.
    fn merge(&mut self, model: &mut Model, sample: &Sample<'_>, _i: usize) {
        self.project(model, sample, &Projection::None);
    }
    /// Follows the removal of vector `r`.
    fn removed(&mut self, _r: usize) {}
    /// Predictive variance of the noisy output from image and residual of a sample.
    fn variance(&self, _image: &[f64], _residual: f64) -> Option<f64> {
        None
    }
    /// Bytes of state.
    fn memory_bytes(&self) -> usize {
        0
    }
    /// Fails unless a state read from a file fits `order` vectors of `dimension` features.
    fn check(&self, _order: usize, _dimension: usize) -> Result<()> {
        Ok(())
    }
}

/// An update rule, chosen by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Update {
    /// Stochastic gradient in the function space.
    Gradient(gradient::Gradient),
    /// LMS and NLMS on kernel values.
    Coefficients(coefficients::Coefficients),
    /// Affine projection.
    Affine(affine::Affine),
    /// Recursive least squares.
    Rls(rls::Rls),
    /// Least squares over the dictionary.
    Exact(exact::Exact),
}

impl Update {
    /// The rule that the settings name.
    pub fn new(values: &Values) -> Result<Self> {
        Ok(match values.text("update")? {
            "lms" | "nlms" => Update::Coefficients(coefficients::Coefficients::new(values)?),
            "affine-projection" => Update::Affine(affine::Affine::new(values)?),
            "rls" => Update::Rls(rls::Rls::new(values.number("ridge")?)),
            "exact" => Update::Exact(exact::Exact { ridge: values.number("ridge")? }),
            _ => Update::Gradient(gradient::Gradient::new(values)?),
        })
    }

    /// An error when the rule cannot work with the other parts.
    pub fn check_parts(
        &self,
        values: &Values,
        projection: Projection,
        strategy: &Strategy,
        truncates: bool,
    ) -> Result<()> {
        let refuse = |kind, reason: &str| Err(Error::parse(kind, values.text(kind)?, reason));
        let gradient = matches!(self, Update::Gradient(_) | Update::Coefficients(_));
        if !gradient && values.text("loss")? != "squared" {
            return refuse("loss", "this update rule is for the squared loss");
        }
        match self {
            Update::Rls(_) if strategy.removes() || truncates => refuse(
                "strategy",
                "recursive least squares keeps its vectors: unlimited or freeze, no truncate or max_age",
            ),
            Update::Exact(_) if projection != Projection::Orthogonal && (strategy.removes() || truncates) => {
                refuse("projection", "least squares over the dictionary needs orthogonal")
            }
            _ => Ok(()),
        }
    }
}

impl Deref for Update {
    type Target = dyn Rule;

    fn deref(&self) -> &(dyn Rule + 'static) {
        match self {
            Update::Gradient(part) => part,
            Update::Coefficients(part) => part,
            Update::Affine(part) => part,
            Update::Rls(part) => part,
            Update::Exact(part) => part,
        }
    }
}

impl DerefMut for Update {
    fn deref_mut(&mut self) -> &mut (dyn Rule + 'static) {
        match self {
            Update::Gradient(part) => part,
            Update::Coefficients(part) => part,
            Update::Affine(part) => part,
            Update::Rls(part) => part,
            Update::Exact(part) => part,
        }
    }
}
