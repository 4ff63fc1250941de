//! The methods from settings by name.

use super::{Basis, FeatureLoss, FeatureRidge, FeatureSolver, Variance};
use crate::batch::methods::class_weights;
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::{Error, Result};
use crate::features::Precision;

pub(in crate::batch) fn build_nystrom(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let rule = plan.values.text("landmarks")?.parse()?;
    Ok(Box::new(build(plan, Basis::Landmarks(rule), FeatureSolver::Auto)?))
}

pub(in crate::batch) fn build_falkon(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let rule = plan.values.text("landmarks")?.parse()?;
    Ok(Box::new(build(plan, Basis::Landmarks(rule), FeatureSolver::Iterative)?))
}

pub(in crate::batch) fn build_random(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let basis = Basis::Random {
        orthogonal: plan.values.flag("orthogonal")?,
        paired: plan.values.text("form")? == "paired",
    };
    Ok(Box::new(build(plan, basis, FeatureSolver::Auto)?))
}

fn build(plan: &MethodPlan<'_>, basis: Basis, solver: FeatureSolver) -> Result<FeatureRidge> {
    let values = plan.values;
    let (kernel, widths) = plan.kernel_and_widths()?;
    let (ridge, ridges) = plan.ridge(1e-2)?;
    let loss = match values.text("loss")? {
        "logistic" => FeatureLoss::Logistic,
        "squared" => FeatureLoss::Squared,
        other => return Err(Error::parameter("loss", other, "squared or logistic")),
    };
    let precision = match values.text("precision")? {
        "single" => Precision::Single,
        _ => Precision::Double,
    };
    let error_bars = match values.text("error_bars")? {
        "sr" => Some(Variance::SubsetOfRegressors),
        "dtc" => Some(Variance::DeterministicTraining),
        "fitc" => Some(Variance::FullyIndependentTraining),
        _ => None,
    };
    Ok(FeatureRidge {
        kernel,
        widths,
        ridge,
        ridges,
        basis,
        solver,
        precision,
        loss,
        error_bars,
        rank: values.count("rank")?,
        class_weights: class_weights(values.text("class_weights")?, plan.classes)?,
        estimate: values.flag("estimate")?,
        selection_rows: values.count("selection_rows")?.max(50),
        tolerance: values.number("tolerance")?,
        max_iterations: values.unless_auto("max_iterations")?.unwrap_or(300),
        memory: plan.memory()?.into(),
        seed: values.whole("seed")?,
    })
}
