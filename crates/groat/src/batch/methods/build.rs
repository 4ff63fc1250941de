//! From checked values to methods.

use super::row::{BoxedMethod, MethodPlan};
use super::table::OLS;
use super::weights::class_weights;
use crate::batch::density::SparseDensity;
use crate::batch::forward::{ClassCriterion, Ols, Penalty, Validation, WidthSearch};
use crate::batch::{
    Batches, Fitted, KernelRidge, LeastSquaresSvm, Method, Problem, Search, Solver, Target, Watch,
};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::settings::Bytes;
use crate::tune::SupportRule;

/// Up to this many rows a factorisation costs so little that it is made for the leave-one-out error alone.
const LEAVE_ONE_OUT_ROWS: usize = 5000;

/// The kernel, and how its width is found.
fn width(plan: &MethodPlan<'_>) -> Result<(Kernel, Search)> {
    let kernel = plan.kernel.kernel.clone();
    let text = plan.values.text("width")?;
    match plan.given.get("width") {
        Some(_) if text == "auto" => Ok((kernel, Search::Auto)),
        Some(_) if kernel.width().is_none() => {
            Err(Error::parameter("width", text, "left out: this kernel has none"))
        }
        Some(_) if plan.kernel.width_given => {
            Err(Error::parameter("width", text, "given once: in the kernel or by itself"))
        }
        Some(_) => match plan.values.numbers("width")?.as_slice() {
            [width] => Ok((kernel.with_width(*width), Search::Fixed)),
            several => Ok((kernel, Search::Grid(several.to_vec()))),
        },
        None if plan.kernel.width_given => Ok((kernel, Search::Fixed)),
        None => Ok((kernel, Search::Auto)),
    }
}

/// The ridge, and how it is found; `usual` is a placeholder.
fn ridge(plan: &MethodPlan<'_>, usual: f64) -> Result<(f64, Search)> {
    if plan.values.text("ridge")? == "auto" {
        return Ok((usual, Search::Auto));
    }
    Ok(match plan.values.numbers("ridge")?.as_slice() {
        [ridge] => (*ridge, Search::Fixed),
        several => (usual, Search::Grid(several.to_vec())),
    })
}

pub(super) fn kernel_ridge(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let values = plan.values;
    let mut method = KernelRidge::default();
    (method.kernel, method.widths) = width(plan)?;
    (method.ridge, method.ridges) = ridge(plan, method.ridge)?;
    method.bias = values.flag("bias")?;
    // Leave-one-out in closed form is never dear beside the fit.
    method.leave_one_out = values.unless_auto("leave_one_out")?.unwrap_or(true);
    method.selection_rows = values.count("selection_rows")?;
    method.seed = values.whole("seed")?;
    if let Some(Bytes(bytes)) = values.unless_auto("memory")? {
        method.memory = bytes;
    }
    Ok(Box::new(method))
}

pub(super) fn least_squares_svm(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let values = plan.values;
    let mut method = LeastSquaresSvm::default();
    (method.kernel, method.widths) = width(plan)?;
    (method.ridge, method.ridges) = ridge(plan, method.ridge)?;
    method.support = match values.text("support")? {
        "none" => None,
        rule => Some(rule.parse::<SupportRule>()?),
    };
    method.solver = values.text("solver")?.parse::<Solver>()?;
    method.shift = values.flag("shift")?;
    method.tolerance = values.number("tolerance")?;
    match values.unless_auto("leave_one_out")? {
        Some(wanted) => method.leave_one_out = wanted,
        // A factorisation that was asked for gives it nearly for nothing.
        None if matches!(method.solver, Solver::Dense | Solver::Sparse) => method.leave_one_out = true,
        None => method.leave_one_out_rows = LEAVE_ONE_OUT_ROWS,
    }
    method.seed = values.whole("seed")?;
    if let Some(Bytes(bytes)) = values.unless_auto("memory")? {
        method.memory = bytes;
    }
    Ok(Box::new(method))
}

pub(super) fn ols(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let (kernel, widths) = width(plan)?;
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
    let relative = values.number("penalty")?;
    let penalty = match ridge(plan, relative)? {
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
        .max_terms(values.count("max_terms")?)
        .class_criterion(values.text("criterion")?.parse::<ClassCriterion>()?)
        .class_weights(class_weights(values.text("class_weights")?, plan.classes)?)
        .seed(values.whole("seed")?);
    if let Some(candidates) = values.unless_auto("candidates")? {
        ols = ols.candidates(candidates);
    }
    if let Some(Bytes(bytes)) = values.unless_auto("memory")? {
        ols = ols.memory_limit(bytes);
    }
    Ok(ols)
}

fn width_search(plan: &MethodPlan<'_>) -> Result<WidthSearch> {
    let values = plan.values;
    let search = WidthSearch::new()
        .one_standard_error(values.flag("one_standard_error")?)
        .per_feature(values.flag("per_feature")?)
        .rows(values.count("selection_rows")?);
    Ok(match values.unless_auto("folds")? {
        Some(folds) => search.validation(Validation::Folds(folds)),
        None => search,
    })
}

/// One name for two methods that share an engine: for targets, and for densities.
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
