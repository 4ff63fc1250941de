//! The method from settings by name.

use super::KernelRidge;
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::Result;

pub(in crate::batch) fn build(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let values = plan.values;
    let mut method = KernelRidge::default();
    (method.kernel, method.widths) = plan.kernel_and_widths()?;
    (method.ridge, method.ridges) = plan.ridge(method.ridge)?;
    method.bias = values.flag("bias")?;
    // Leave-one-out in closed form is never dear beside the fit.
    method.leave_one_out = values.unless_auto("leave_one_out")?.unwrap_or(true);
    method.finer = values.count("finer")?;
    method.selection_rows = values.count("selection_rows")?;
    method.memory = plan.memory()?.into();
    method.seed = values.whole("seed")?;
    Ok(Box::new(method))
}
