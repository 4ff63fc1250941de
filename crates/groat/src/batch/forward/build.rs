//! The method from settings by name: one name for two methods that share an engine, for targets and for densities.

use super::{Batches, ClassCriterion, Ols, Penalty, WidthSearch};
use crate::batch::density::SparseDensity;
use crate::batch::methods::{OLS, class_weights};
use crate::batch::{BoxedMethod, Fitted, Method, MethodPlan, Problem, Target, Watch};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::tune::{Search, Validation};

pub(in crate::batch) fn build(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let (kernel, widths) = plan.kernel_and_widths()?;
    let ols = selection(plan, Ols::new(kernel))?;
    let mut density = SparseDensity::new().selection(&ols).refinement(plan.values.count("refinement")?);
    if let (Search::Fixed, Kernel::Gaussian { width }) = (&widths, ols.kernel()) {
        density = density.width(width.clone());
    }
    if let Some(width) = plan.values.unless_auto::<f64>("parzen_width")? {
        density = density.parzen_width(width);
    }
    let search = width_search(plan)?;
    let several_widths = matches!(widths, Search::Grid(_));
    let ols = match widths {
        Search::Fixed => ols,
        Search::Auto => ols.search(search),
        Search::Grid(widths) => ols.search(search.widths(widths)),
    };
    Ok(Box::new(ByTask { ols, density, several_widths }))
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

/// The selection that the target asks for.
#[derive(Debug)]
struct ByTask {
    ols: Ols,
    density: SparseDensity,
    /// Whether there are widths to choose from, which a density cannot.
    several_widths: bool,
}

impl Method for ByTask {
    fn name(&self) -> &'static str {
        OLS
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        match (problem.target, self.ols.kernel()) {
            (Target::Density, _) if self.several_widths => {
                Err(Error::parameter("width", "a choice of several", "one number, or auto, for a density"))
            }
            (Target::Density, Kernel::Gaussian { .. }) => self.density.fit(problem, watch),
            (Target::Density, other) => {
                Err(Error::parameter("kernel", other, "gaussian: a density is made of Gaussian kernels"))
            }
            _ => self.ols.fit(problem, watch),
        }
    }

    fn fit_batches(&self, data: &dyn Batches, sample: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        Method::fit_batches(&self.ols, data, sample, watch)
    }
}
