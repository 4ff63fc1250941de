//! The machines from settings by name.

use super::{Subsampling, SupportVectorMachine, SvmForm};
use crate::batch::methods::class_weights;
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::Result;

pub(in crate::batch) fn build_svc(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let mut method = common(plan, SvmForm::Classes)?;
    (method.cost, method.costs) = plan.cost(method.cost)?;
    classes(plan, &mut method)?;
    parts(plan, &mut method)?;
    Ok(Box::new(method))
}

pub(in crate::batch) fn build_nu_svc(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let mut method = common(plan, SvmForm::NuClasses)?;
    method.nu = plan.values.unless_auto("nu")?;
    classes(plan, &mut method)?;
    Ok(Box::new(method))
}

pub(in crate::batch) fn build_svr(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let mut method = common(plan, SvmForm::Values)?;
    (method.cost, method.costs) = plan.cost(method.cost)?;
    searched(plan, &mut method)?;
    method.epsilon = plan.values.unless_auto("epsilon")?;
    parts(plan, &mut method)?;
    Ok(Box::new(method))
}

pub(in crate::batch) fn build_nu_svr(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let mut method = common(plan, SvmForm::NuValues)?;
    (method.cost, method.costs) = plan.cost(method.cost)?;
    searched(plan, &mut method)?;
    method.nu = plan.values.unless_auto("nu")?;
    Ok(Box::new(method))
}

pub(in crate::batch) fn build_one_class(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let mut method = common(plan, SvmForm::OneClass)?;
    method.nu = plan.values.unless_auto("nu")?;
    Ok(Box::new(method))
}

/// What every machine takes.
fn common(plan: &MethodPlan<'_>, form: SvmForm) -> Result<SupportVectorMachine> {
    let (values, mut method) = (plan.values, SupportVectorMachine::new(form));
    (method.kernel, method.widths) = plan.kernel_and_widths()?;
    method.tolerance = values.number("tolerance")?;
    method.max_iterations = values.unless_auto("max_iterations")?;
    method.max_seconds = values.unless_auto("max_time")?;
    method.memory = plan.memory()?.into();
    method.seed = values.whole("seed")?;
    Ok(method)
}

fn searched(plan: &MethodPlan<'_>, method: &mut SupportVectorMachine) -> Result<()> {
    method.folds = plan.values.unless_auto("folds")?.unwrap_or(method.folds);
    method.selection_rows = plan.values.count("selection_rows")?;
    Ok(())
}

/// How much of the data is held or learnt from at a time.
fn parts(plan: &MethodPlan<'_>, method: &mut SupportVectorMachine) -> Result<()> {
    let values = plan.values;
    let rows = |name: &'static str| match values.text(name)? {
        "none" => Ok(None),
        _ => values.count(name).map(Some),
    };
    (method.chunk, method.subsample) = (rows("chunk")?, rows("subsample")?);
    (method.carry, method.chunk_passes) = (values.count("carry")?, values.count("chunk_passes")?);
    if values.is_given("one_pass") {
        method.one_pass = values.flag("one_pass")?;
    }
    if values.text("subsampling")? == "boundary" {
        method.subsampling = Subsampling::Boundary;
    }
    Ok(())
}

fn classes(plan: &MethodPlan<'_>, method: &mut SupportVectorMachine) -> Result<()> {
    searched(plan, method)?;
    method.class_weights = class_weights(plan.values.text("class_weights")?, plan.classes)?;
    method.probabilities = plan.values.flag("probabilities")?;
    Ok(())
}
