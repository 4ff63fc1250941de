//! A density: the sparse estimate and the Parzen estimate that it stands for.

use crate::dataset::Samples;
use crate::methods::{self, Settings};
use groat::batch::forward::{Density, Parzen};
use groat::batch::{Fitted, Problem, Watch};
use groat::data::Standardisation;
use groat::metrics::DensityScore;

/// The Parzen estimate in the units of the data, and what it gives to the test rows.
pub struct Reference {
    pub density: Density,
    pub test: Option<DensityScore>,
}

/// Fits both; features and widths are those of the problem.
pub fn fit(
    settings: &Settings<'_>,
    problem: &Problem<'_>,
    watch: &dyn Watch,
) -> anyhow::Result<(Fitted, Density)> {
    let method = methods::ols::density(settings)?;
    let x = problem.x.require_dense("dense rows for a density")?;
    let estimate = method.estimate(x, problem.weights, watch)?;
    let parzen = Parzen::new().width(estimate.parzen_width.clone()).fit(x)?;
    Ok((estimate.into_fitted(x.rows())?, parzen))
}

/// Both estimates for raw features. A density of standardised features would need the scale as a factor, so the
/// model keeps raw centres and one width per feature instead.
pub fn in_raw_units(
    mut fitted: Fitted,
    parzen: Density,
    standardisation: Option<Standardisation>,
    test: Option<&Samples>,
) -> groat::Result<(Fitted, Option<Reference>)> {
    let rows = fitted.model.record().rows;
    let model = fitted.model.with_standardisation(standardisation.clone())?;
    fitted.model = Density::from_expansion(&model)?.to_expansion(rows)?;
    let parzen = parzen.to_expansion(rows)?.with_standardisation(standardisation)?;
    let density = Density::from_expansion(&parzen)?;
    let score = |test: &Samples| DensityScore::of(&density.log_density(test.x.view())?);
    let test = test.map(score).transpose()?;
    Ok((fitted, Some(Reference { density, test })))
}
