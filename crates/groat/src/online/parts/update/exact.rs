//! Regularised least squares over the samples of the dictionary, `alpha = (K + ridge I)^-1 y`: sliding-window
//! KRLS (Van Vaerenbergh et al. 2006) and fixed-budget KRLS (2010). `O(m^2)`.
//!
//! The targets need not be kept. A sample enters by `alpha -= nu e / s` and the weight `e / s`; removing one
//! by the orthogonal projection in `K + ridge I` leaves exactly the solution over the others:
//! `alpha_R - q alpha_r / Q_rr = (Q_RR - q q^T / Q_rr) y_R`.

use super::{Needs, Projection, Rule, Sample, Tracked, Values};
use crate::error::{Result, check_not_negative};
use serde::{Deserialize, Serialize};

/// Least squares over the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Exact {
    /// On the diagonal of the Gram matrix.
    ridge: f64,
}

impl Exact {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { ridge: values.number("ridge")? })
    }
}

impl Rule for Exact {
    fn needs(&self) -> Needs {
        Needs::INVERSE
    }

    fn refuses_removal(&self, projection: &Projection) -> Option<(&'static str, &'static str)> {
        let orthogonal = matches!(projection, Projection::Orthogonal(_));
        (!orthogonal).then_some(("projection", "least squares over the dictionary needs orthogonal"))
    }

    fn ridge(&self) -> f64 {
        self.ridge
    }

    fn weight(&self, sample: &Sample<'_>) -> f64 {
        sample.fitted_weight()
    }

    fn admit(&mut self, model: &mut Tracked, sample: &Sample<'_>) {
        model.push_fitted(sample);
    }

    fn project(&mut self, _: &mut Tracked, _: &Sample<'_>, _: &Projection) -> bool {
        false
    }

    /// Of a Gaussian process with noise variance `ridge`: the residual itself.
    fn variance(&self, _: &[f64], residual: f64) -> Option<f64> {
        Some(residual.max(self.ridge))
    }

    fn check(&self, _: usize, _: usize) -> Result<()> {
        check_not_negative("ridge", self.ridge)
    }
}
