//! The default for any stream: predictors of several kinds side by side, weighted by how they did.
//!
//! There are the last value, the running mean, linear recursive least squares with and without forgetting, and KRLS
//! [trackers](tracker) of a few widths, on the samples and on what the linear one leaves; where the features are lags of the
//! target, also the line through its last two values, and most of the others once more on changes from its last value.
//! Their predictions are held within what the targets so far make plausible, so none can do harm by diverging, and
//! [mixed](mixing) with guarantees against the best of them and against their best convex combination. Samples may
//! have any scale: [first rows](crate::online::state::first_rows) give scales and widths, after 2, 4, 16 and 32 rows, and all
//! predictors then learn from these rows again.
//!
//! `O(m^2)` a step and kernel predictor, of which there are at most five; `O(d^2)` for the linear ones. The width of the
//! given kernel is in units of the median distance between the first rows.

mod mixing;
mod panel;
mod tracker;

use super::Method;
use crate::error::Result;
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::online::presets::Plan;
use crate::online::state::first_rows::{FirstRows, Lags};
use crate::online::step::{Reading, Step};
use panel::Panel;
use serde::{Deserialize, Serialize};

/// The predictors, and what is needed to start them anew.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Auto {
    kernel: Kernel,
    budget: usize,
    lags: Lags,
    standardise: bool,
    first: FirstRows,
    panel: Panel,
}

impl Auto {
    /// From the settings.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let (values, dimension) = (plan.values, plan.dimension);
        let count = usize::try_from(values.whole("lags")?).unwrap_or(usize::MAX);
        if count > 0 && !dimension.is_multiple_of(count) {
            let range = "0, or a whole part of the number of features";
            return Err(crate::error::Error::parameter("lags", count, range));
        }
        let lags = Lags { count, of_target: count > 0 };
        let (budget, standardise) = (values.count("budget")?, values.flag("standardise")?);
        let first = FirstRows::brief(dimension);
        let panel = Panel::new(plan.kernel, budget, lags, &first, standardise)?;
        Ok(Self { kernel: plan.kernel.clone(), budget, lags, standardise, first, panel })
    }

    /// Starts anew with the scales of the rows so far, and learns from them again.
    fn renew(&mut self) {
        let fresh = Panel::new(&self.kernel, self.budget, self.lags, &self.first, true);
        // The settings were accepted before and the widths are above 0, so there is one.
        if let Ok(mut panel) = fresh {
            for (x, y) in self.first.iter() {
                panel.step(x, y);
            }
            self.panel = panel;
        }
        self.first.settle();
    }
}

impl Method for Auto {
    fn size(&self) -> usize {
        self.panel.size()
    }

    fn output(&self, x: &[f64]) -> f64 {
        self.panel.output(x)
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let prediction = self.panel.step(x, y);
        let error = y - prediction;
        if self.standardise && self.first.push(x, y) {
            self.renew();
        }
        Step { prediction, error, projected: true, ..Step::default() }
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        Ok(None)
    }

    fn is_expansion(&self) -> bool {
        false
    }

    fn memory_bytes(&self) -> usize {
        self.panel.memory_bytes() + self.first.memory_bytes()
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        let shares = self.panel.shares();
        for (share, (name, meaning)) in shares.into_iter().zip([
            ("share_last", "share of the last value in the prediction"),
            ("share_mean", "share of the running mean in the prediction"),
            ("share_line", "share of the line through the last two values"),
            ("share_linear", "share of the linear predictors"),
            ("share_kernel", "share of the kernel predictors"),
        ]) {
            readings.push(Reading::new(name, share, meaning));
        }
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.first.check(dimension)?;
        self.panel.check(dimension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::presets;
    use crate::settings::Settings;

    /// Squared errors on noise of size 1 whose row 120 is 1000 higher, and perhaps all later ones.
    fn errors(stays: bool) -> Vec<f64> {
        let noise = |i: usize| (0.31 * (i * i) as f64).sin() + (0.17 * (i * i + i) as f64).cos();
        let high = |i: usize| if i == 120 || stays && i > 120 { 1000.0 } else { 0.0 };
        let y: Vec<f64> = (0..200).map(|i| noise(i) + high(i)).collect();
        let settings = Settings::new().with("lags", 4);
        let mut auto = presets::find("auto").unwrap().build(None, 4, &settings).unwrap();
        let mut squares = vec![0.0; 4];
        for t in 4..y.len() {
            let lags: Vec<f64> = y[t - 4..t].iter().rev().copied().collect();
            squares.push(auto.step(&lags, y[t]).error.powi(2));
        }
        squares
    }

    /// What cannot be foreseen is paid for once; whether it was a jump or an outlier, at most halfway once more.
    #[test]
    fn a_jump_that_stays_and_an_outlier_cost_alike() {
        for stays in [true, false] {
            let squares = errors(stays);
            let (before, at, after) =
                (squares[..120].iter().sum::<f64>(), squares[120], squares[121..].iter().sum::<f64>());
            assert!(before < 1e3 && at > 0.99e6, "{before}, {at}");
            assert!(after < 0.3e6, "stays {stays}: {after}");
        }
    }
}
