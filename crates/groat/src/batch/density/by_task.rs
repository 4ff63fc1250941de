//! One name for two methods: one for targets, and the sparse density for rows without any.

use super::SparseDensity;
use crate::batch::{Batches, Estimate, Fitted, Method, MethodPlan, Problem, Sizes, Target, TaskKind, Watch};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::tune::Search;

/// The method that the target asks for.
#[derive(Debug)]
pub(in crate::batch) struct ByTask<M> {
    targets: M,
    density: SparseDensity,
    kernel: Kernel,
    /// Whether there are widths to choose from, which a density cannot.
    several_widths: bool,
}

impl<M: Method> ByTask<M> {
    /// The density takes the width and the Parzen width of the plan.
    pub(in crate::batch) fn new(targets: M, density: SparseDensity, plan: &MethodPlan<'_>) -> Result<Self> {
        let (kernel, widths) = plan.kernel_and_widths()?;
        let mut density = density.name(targets.name());
        if let (Search::Fixed, Kernel::Gaussian { width }) = (&widths, &kernel) {
            density = density.width(width.clone());
        }
        if let Some(width) = plan.values.unless_auto::<f64>("parzen_width")? {
            density = density.parzen_width(width);
        }
        Ok(Self { targets, density, kernel, several_widths: matches!(widths, Search::Grid(_)) })
    }
}

impl<M: Method> Method for ByTask<M> {
    fn name(&self) -> &'static str {
        self.targets.name()
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        match sizes.task {
            TaskKind::Density => Method::estimate(&self.density, sizes),
            _ => self.targets.estimate(sizes),
        }
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        match (problem.target, &self.kernel) {
            (Target::Density, _) if self.several_widths => {
                Err(Error::parameter("width", "a choice of several", "one number, or auto, for a density"))
            }
            (Target::Density, Kernel::Gaussian { .. }) => self.density.fit(problem, watch),
            (Target::Density, other) => {
                Err(Error::parameter("kernel", other, "gaussian: a density is made of Gaussian kernels"))
            }
            _ => self.targets.fit(problem, watch),
        }
    }

    fn fit_batches(&self, data: &dyn Batches, sample: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        self.targets.fit_batches(data, sample, watch)
    }
}
