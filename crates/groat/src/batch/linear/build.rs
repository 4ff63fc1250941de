//! The linear machines from settings by name.

use super::{LinearLoss, LinearMachine};
use crate::batch::methods::class_weights;
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::{Error, Result};

pub(in crate::batch) fn build_linear_svc(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let loss = match plan.values.text("loss")? {
        "hinge" => LinearLoss::Hinge,
        "squared-hinge" => LinearLoss::SquaredHinge,
        other => return Err(Error::parameter("loss", other, "hinge or squared-hinge")),
    };
    classes(plan, loss)
}

pub(in crate::batch) fn build_logistic(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    classes(plan, LinearLoss::Logistic)
}

pub(in crate::batch) fn build_linear_svr(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let mut method = common(plan, LinearLoss::Epsilon)?;
    method.epsilon = plan.values.unless_auto("epsilon")?;
    Ok(Box::new(method))
}

fn classes(plan: &MethodPlan<'_>, loss: LinearLoss) -> Result<BoxedMethod> {
    let mut method = common(plan, loss)?;
    method.class_weights = class_weights(plan.values.text("class_weights")?, plan.classes)?;
    Ok(Box::new(method))
}

fn common(plan: &MethodPlan<'_>, loss: LinearLoss) -> Result<LinearMachine> {
    let (values, mut method) = (plan.values, LinearMachine::new(loss));
    (method.cost, method.costs) = plan.cost(method.cost)?;
    method.penalise_bias = values.flag("penalise_bias")?;
    method.tolerance = values.number("tolerance")?;
    method.max_iterations = values.unless_auto("max_iterations")?;
    method.max_seconds = values.unless_auto("max_time")?;
    method.folds = values.unless_auto("folds")?.unwrap_or(method.folds);
    method.selection_rows = values.count("selection_rows")?;
    method.seed = values.whole("seed")?;
    Ok(method)
}
