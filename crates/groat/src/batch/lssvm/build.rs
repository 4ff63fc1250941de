//! The method from settings by name.

use super::{LeastSquaresSvm, Solver};
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::Result;
use crate::tune::SupportRule;

/// Up to this many rows a factorisation costs so little that it is made for the leave-one-out error alone.
const LEAVE_ONE_OUT_ROWS: usize = 5000;

pub(in crate::batch) fn build(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let values = plan.values;
    let mut method = LeastSquaresSvm::default();
    (method.kernel, method.widths) = plan.kernel_and_widths()?;
    (method.ridge, method.ridges) = plan.ridge(method.ridge)?;
    method.finer = values.count("finer")?;
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
    method.memory = plan.memory()?.into();
    method.seed = values.whole("seed")?;
    Ok(Box::new(method))
}
