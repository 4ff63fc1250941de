//! The method from settings by name.

use super::IterativeRidge;
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::Result;

pub(in crate::batch) fn build(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let values = plan.values;
    let mut method = IterativeRidge::default();
    (method.kernel, method.widths) = plan.kernel_and_widths()?;
    (method.ridge, method.ridges) = plan.ridge(method.ridge)?;
    method.rank = values.count("rank")?;
    method.tolerance = values.number("tolerance")?;
    method.max_iterations = values.unless_auto("max_iterations")?.unwrap_or(method.max_iterations);
    method.selection_rows = values.count("selection_rows")?.max(10);
    method.memory = plan.memory()?.into();
    method.seed = values.whole("seed")?;
    Ok(Box::new(method))
}
