//! One name for two methods: one for targets, and a density for rows without any.

use crate::batch::{Batches, Estimate, Fitted, Method, MethodPlan, Problem, Sizes, Target, TaskKind, Watch};
use crate::error::{Error, Result};
use crate::kernels::{Kernel, Width};
use crate::tune::Search;

/// The method that the target asks for.
#[derive(Debug)]
pub(in crate::batch) struct ByTask<M, D> {
    targets: M,
    density: D,
    kernel: Kernel,
    /// Whether there are widths to choose from, which a density cannot.
    several_widths: bool,
}

impl<M: Method, D: Method> ByTask<M, D> {
    /// The density is made of the width of its kernels and the Parzen width, where the plan gives them.
    pub(in crate::batch) fn new(
        targets: M,
        plan: &MethodPlan<'_>,
        density: impl FnOnce(Option<Width>, Option<Width>) -> D,
    ) -> Result<Self> {
        let (kernel, widths) = plan.kernel_and_widths()?;
        let width = match (&widths, &kernel) {
            (Search::Fixed, Kernel::Gaussian { width }) => Some(width.clone()),
            _ => None,
        };
        let parzen_width = plan.values.unless_auto::<f64>("parzen_width")?.map(Width::Shared);
        let density = density(width, parzen_width);
        Ok(Self { targets, density, kernel, several_widths: matches!(widths, Search::Grid(_)) })
    }
}

impl<M: Method, D: Method> Method for ByTask<M, D> {
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
