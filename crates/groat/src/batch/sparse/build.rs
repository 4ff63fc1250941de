//! The method from settings by name.

use super::{Size, Sparse};
use crate::batch::density::{ByTask, GrownDensity};
use crate::batch::methods::class_weights;
use crate::batch::{BoxedMethod, MethodPlan};
use crate::error::{Error, Result};

pub(in crate::batch) fn build(plan: &MethodPlan<'_>) -> Result<BoxedMethod> {
    let values = plan.values;
    let (kernel, widths) = plan.kernel_and_widths()?;
    let (ridge, ridges) = plan.ridge(1e-2)?;
    let size = match (values.flag("smallest")?, values.flag("best")?) {
        (false, false) => Size::Within(values.number("tolerance")?),
        (true, false) => Size::Smallest,
        (false, true) => Size::Best,
        (true, true) => return Err(Error::parameter("best", true, "left out where the smallest is wanted")),
    };
    if !matches!(size, Size::Within(_)) && plan.given.get("tolerance").is_some() {
        return Err(Error::parameter(
            "tolerance",
            values.text("tolerance")?,
            "left out with smallest or best",
        ));
    }
    let sparse = Sparse {
        kernel,
        widths,
        ridge,
        ridges,
        size,
        per_feature: values.unless_auto("per_feature")?,
        linear: !plan.kernel.given,
        max_terms: values.unless_auto("max_terms")?,
        candidates: values.unless_auto("candidates")?,
        selection_rows: values.count("selection_rows")?.max(50),
        estimate: values.flag("estimate")?,
        blocks: values.flag("blocks")?,
        class_weights: class_weights(values.text("class_weights")?, plan.classes)?,
        memory: plan.memory()?.into(),
        seed: values.whole("seed")?,
    };
    let density = GrownDensity::new().size(sparse.size).max_terms(sparse.max_terms).seed(sparse.seed);
    Ok(Box::new(ByTask::new(sparse, plan, |width, parzen| density.width(width).parzen_width(parzen))?))
}
