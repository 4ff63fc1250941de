//! The full machine on few rows: exact kernel ridge regression, its width and ridge by leave-one-out.
//!
//! One factorisation (`n^3 / 3`, and as much for the leave-one-out error) judges a width and a ridge; from a start the
//! search walks to better neighbours until there is none.

use super::Sparse;
use super::choose::Setting;
use super::relevance;
use super::samples::{Losses, Samples};
use crate::batch::{Fitted, KernelRidge, Method, Problem, Progress, Quiet, Target, Watch};
use crate::error::Result;
use crate::kernels::{Kernel, Width};
use crate::tune::{Search, Trial};

/// Factors of width and ridge from one trial to its neighbours, as powers of the roots of two and of ten.
const NEIGHBOURS: [(i32, i32); 6] = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)];
/// A neighbour must lower the mean square error by this share.
const BETTER: f64 = 0.002;
/// Ridges below this are lost in rounding.
const LEAST_RIDGE: f64 = 1e-10;

/// Widths and ridges that a search may try.
pub(super) const TRIALS: usize = 24;

/// A full machine that was found.
pub(super) struct Reference {
    pub setting: Setting,
    /// All rows, in the order in which they may become vectors; the first `candidates` of them may.
    pub rows: Vec<usize>,
    pub candidates: usize,
    pub trials: Vec<Trial>,
    /// What a width for each feature began with, where there is one.
    pub shared: Option<Setting>,
    /// Steps from the start.
    at: (i32, i32),
    fitted: Fitted,
}

impl Reference {
    /// [`Reference::find`]; from there on to a width for each feature where `apart` asks for it, and that pays.
    pub(super) fn with_relevance(
        settings: &Sparse,
        samples: &Samples<'_>,
        rows: &[usize],
        start: &Setting,
        (most, apart): (usize, bool),
        watch: &dyn Watch,
    ) -> Result<Self> {
        let shared = Self::find(settings, samples, rows, start, most, watch)?;
        let size = (samples.x.cols(), shared.candidates);
        if !apart || !relevance::possible(settings, size.0, size.1) {
            return Ok(shared);
        }
        let stop = || watch.stop_requested();
        let Some(start) = relevance::relevance(samples, &shared.rows, &shared.setting, &stop)? else {
            return Ok(shared);
        };
        let each = Self::find(settings, samples, rows, &start, TRIALS, watch)?;
        let taken = relevance::pays(settings, size, score(&each.fitted), score(&shared.fitted));
        let trials = [shared.trials.as_slice(), &each.trials].concat();
        Ok(if taken {
            Self { trials, shared: Some(shared.setting), ..each }
        } else {
            Self { trials, ..shared }
        })
    }

    /// Looks for width and ridge on some rows, with at most so many trials.
    pub(super) fn find(
        settings: &Sparse,
        samples: &Samples<'_>,
        rows: &[usize],
        start: &Setting,
        most: usize,
        watch: &dyn Watch,
    ) -> Result<Self> {
        let distinct = samples.order.distinct(rows);
        let distinct = samples.order.in_turn(&distinct, |row| samples.codes.map_or(0, |codes| codes[row]));
        let rows = in_order(rows, &distinct);
        let candidates = settings.candidates.unwrap_or(usize::MAX).min(distinct.len());
        let exact = Exact { samples, rows: &rows };
        let fitted = exact.fit(start, rows.len(), true)?;
        let trial = Trial::new(start.kernel.clone(), start.ridge, score(&fitted));
        let mut found = Self {
            setting: start.clone(),
            candidates,
            trials: vec![trial],
            shared: None,
            at: (0, 0),
            fitted,
            rows: rows.clone(),
        };
        let mut tried = std::collections::HashSet::from([(0, 0)]);
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for step in NEIGHBOURS {
                let at = (found.at.0 + step.0, found.at.1 + step.1);
                let allowed = (step.0 == 0 || settings.widths == Search::Auto)
                    && (step.1 == 0 || settings.ridges == Search::Auto);
                if !allowed || tried.len() >= most || watch.stop_requested() || !tried.insert(at) {
                    continue;
                }
                watch.progress(&Progress::new("the full machine", tried.len(), Some(most)));
                let Some(next) = neighbour(start, at) else { continue };
                let Ok(fitted) = exact.fit(&next, rows.len(), true) else { continue };
                let (error, least) = (score(&fitted), score(&found.fitted));
                found.trials.push(Trial::new(next.kernel.clone(), next.ridge, error));
                if error < (1.0 - BETTER) * least {
                    (found.setting, found.fitted, found.at, moved) = (next, fitted, at, true);
                }
            }
        }
        Ok(found)
    }

    /// The losses on held-out rows.
    pub(super) fn losses(&self, samples: &Samples<'_>, held: &[usize]) -> Result<Losses> {
        Ok(samples.losses(held, &self.fitted.model.values(samples.points(held).view())?))
    }

    /// The losses on held-out rows with a share of the machine's rows.
    pub(super) fn losses_with(&self, samples: &Samples<'_>, share: f64, held: &[usize]) -> Result<Losses> {
        let fewer = ((self.rows.len() as f64 * share) as usize).max(1);
        let fitted = Exact { samples, rows: &self.rows }.fit(&self.setting, fewer, false)?;
        Ok(samples.losses(held, &fitted.model.values(samples.points(held).view())?))
    }
}

/// Exact machines on some rows.
struct Exact<'e, 'a> {
    samples: &'e Samples<'a>,
    rows: &'e [usize],
}

impl Exact<'_, '_> {
    /// A machine of the first so many rows.
    fn fit(&self, setting: &Setting, count: usize, leave_one_out: bool) -> Result<Fitted> {
        let rows = &self.rows[..count];
        let (x, y) = (self.samples.points(rows), self.samples.y.view().select(rows));
        let weights: Vec<f64> = rows.iter().map(|&row| self.samples.weights[row]).collect();
        let problem = Problem { x: x.view(), target: Target::Values(y.view()), weights: Some(&weights) };
        let exact =
            KernelRidge { leave_one_out, ..KernelRidge::fixed(setting.kernel.clone(), setting.ridge) };
        exact.fit(&problem, &Quiet)
    }
}

/// The leave-one-out mean square error.
fn score(fitted: &Fitted) -> f64 {
    let found = fitted.leave_one_out.as_ref().map_or(f64::INFINITY, |found| found.mean_squared);
    if found.is_finite() { found } else { f64::INFINITY }
}

/// So many steps of width and ridge away from a start; none where there is no width, or the ridge is too small.
fn neighbour(start: &Setting, at: (i32, i32)) -> Option<Setting> {
    let factor = 2f64.powf(f64::from(at.0) / 2.0);
    let ridge = start.ridge * 10f64.powf(f64::from(at.1) / 2.0);
    let kernel = if at.0 == 0 { start.kernel.clone() } else { scaled(&start.kernel, factor)? };
    (ridge > LEAST_RIDGE).then_some(Setting { kernel, ridge })
}

/// Rows with the distinct ones first, in their order.
fn in_order(rows: &[usize], distinct: &[usize]) -> Vec<usize> {
    let first: std::collections::HashSet<usize> = distinct.iter().copied().collect();
    let copies = rows.iter().copied().filter(|row| !first.contains(row));
    distinct.iter().copied().chain(copies).collect()
}

/// A kernel whose widths are multiplied by a factor.
pub(super) fn scaled(kernel: &Kernel, factor: f64) -> Option<Kernel> {
    match kernel.width()? {
        Width::Shared(width) => Some(kernel.with_width(width * factor)),
        Width::PerFeature(widths) => {
            Some(kernel.with_width(widths.iter().map(|w| w * factor).collect::<Vec<f64>>()))
        }
    }
}
