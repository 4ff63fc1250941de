//! Update rules: how weights learn from a sample.

mod affine_projection;
mod coefficients;
mod exact;
mod gradient;
mod recursive_least_squares;

use super::loss::Loss;
use super::part_table;
use super::projection::Projection;
use crate::error::{Error, Result};
use crate::online::presets::Values;
use crate::online::state::{Needs, Sample, Tracked};

/// How weights learn. Rules are called through [`Update`], which dereferences to the one it holds.
pub(crate) trait Rule {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs {
        Needs::NONE
    }
    /// True when it follows the derivative of any loss; other rules are for the squared loss.
    fn follows_any_loss(&self) -> bool {
        false
    }
    /// What keeps it from working with a projection, where vectors are removed: the kind of part and a reason.
    fn refuses_removal(&self, _projection: &Projection) -> Option<(&'static str, &'static str)> {
        None
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
    fn admit(&mut self, model: &mut Tracked, sample: &Sample<'_>);
    /// Learns from a sample that does not enter. False if nothing was changed.
    fn project(&mut self, model: &mut Tracked, sample: &Sample<'_>, projection: &Projection) -> bool;
    /// Learns from a sample that equals vector `i`.
    fn merge(&mut self, model: &mut Tracked, sample: &Sample<'_>, _i: usize) {
        self.project(model, sample, &Projection::DROP);
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

part_table! {
    /// An update rule, chosen by name.
    "update": Update of Rule {
        Gradient(gradient::Gradient) = "gradient", [("eta", "0.5"), ("rho", "0"), ("bounded", "true")], gradient::Gradient::plain,
            "step along k(x, .) in the function space; the decay follows the error (KLMS, NORMA, SPL)";
        NormalisedGradient(gradient::Gradient) = "normalised-gradient",
            [("eta", "0.5"), ("rho", "0"), ("eps", "1e-6"), ("bounded", "true")], gradient::Gradient::normalised,
            "the same with the step eta / (eps + k(x,x))";
        DecayFirst(gradient::Gradient) = "decay-first", [("eta", "0.5"), ("rho", "1e-4"), ("bounded", "true")],
            gradient::Gradient::decay_first, "gradient whose error is taken after the decay (NORMA of the toolbox)";
        Lms(coefficients::Coefficients) = "lms", [("eta", "0.1"), ("rho", "0"), ("bounded", "true")], coefficients::Coefficients::plain,
            "LMS on the vector of kernel values: alpha += eta e k";
        Nlms(coefficients::Coefficients) = "nlms", [("eta", "0.5"), ("rho", "0"), ("eps", "1e-2"), ("bounded", "true")],
            coefficients::Coefficients::normalised,
            "normalised LMS on kernel values: alpha += eta e k / (eps + |k|^2)";
        AffineProjection(affine_projection::Affine) = "affine-projection",
            [("eta", "0.5"), ("eps", "1e-2"), ("tau", "10")], affine_projection::Affine::new,
            "affine projection onto the last tau samples";
        Rls(recursive_least_squares::Rls) = "rls", [("ridge", "0")], recursive_least_squares::Rls::new,
            "recursive least squares over all samples, in the span of the dictionary";
        Exact(exact::Exact) = "exact", [("ridge", "1e-2")], exact::Exact::new,
            "regularised least squares over the samples in the dictionary";
    }
}

impl Update {
    /// An error when the rule cannot work with the other parts.
    pub fn check_parts(
        &self,
        values: &Values,
        loss: &Loss,
        projection: &Projection,
        removes: bool,
    ) -> Result<()> {
        let refuse = |kind, reason| Err(Error::parse(kind, values.text(kind)?, reason));
        if !self.follows_any_loss() && !matches!(loss, Loss::Squared(_)) {
            return refuse("loss", "this update rule is for the squared loss");
        }
        match self.refuses_removal(projection) {
            Some((kind, reason)) if removes => refuse(kind, reason),
            _ => Ok(()),
        }
    }
}
