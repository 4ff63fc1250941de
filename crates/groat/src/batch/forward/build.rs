//! The method from settings by name: one name for two methods that share an engine, for targets and for densities.

use super::{ClassCriterion, Ols, Penalty, WidthSearch};
use crate::batch::density::{ByTask, SparseDensity};
use crate::batch::methods::class_weights;
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::{Error, Result};
use crate::tune::{Search, Validation};

pub(in crate::batch) fn build(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let (kernel, widths) = plan.kernel_and_widths()?;
    let ols = selection(plan, Ols::new(kernel))?;
    let density = SparseDensity::new().selection(&ols).refinement(plan.values.count("refinement")?);
    let search = width_search(plan)?;
    let ols = match widths {
        Search::Fixed => ols,
        Search::Auto => ols.search(search),
        Search::Grid(widths) => ols.search(search.widths(widths)),
    };
    Ok(Box::new(ByTask::new(ols, plan, |width, parzen| density.widths(width, parzen))?))
}

/// The settings of a selection that all tasks share.
fn selection(plan: &MethodPlan<'_>, ols: Ols) -> Result<Ols> {
    let values = plan.values;
    if plan.given.get("penalty").is_some() && values.text("ridge")? != "auto" {
        return Err(Error::parameter("penalty", values.text("penalty")?, "left out where there is a ridge"));
    }
    let penalty = match plan.ridge(values.number("penalty")?)? {
        (ridge, Search::Fixed) => Penalty::Absolute(ridge),
        (relative, Search::Auto) => Penalty::Relative(relative),
        (_, Search::Grid(_)) => {
            return Err(Error::parameter("ridge", values.text("ridge")?, "one number, or auto"));
        }
    };
    let mut ols = ols
        .penalty(penalty)
        .bias(values.flag("bias")?)
        .passes(values.count("passes")?)
        .patience(values.count("patience")?)
        .class_criterion(values.text("criterion")?.parse::<ClassCriterion>()?)
        .class_weights(class_weights(values.text("class_weights")?, plan.classes)?)
        .seed(values.whole("seed")?);
    if let Some(terms) = values.unless_auto("max_terms")? {
        ols = ols.max_terms(terms);
    }
    if let Some(candidates) = values.unless_auto("candidates")? {
        ols = ols.candidates(candidates);
    }
    if let Some(bytes) = plan.memory()? {
        ols = ols.memory(bytes);
    }
    Ok(ols)
}

fn width_search(plan: &MethodPlan<'_>) -> Result<WidthSearch> {
    let values = plan.values;
    let search = WidthSearch::new()
        .one_standard_error(values.flag("one_standard_error")?)
        .per_feature(values.flag("per_feature")?)
        .finer(values.count("finer")?)
        .rows(values.count("selection_rows")?);
    Ok(match values.unless_auto("folds")? {
        Some(folds) => search.validation(Validation::Folds(folds)),
        None => search,
    })
}
