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
use crate::matrix::Matrix;
use crate::tune::{Place, Search, Steps, Trial, Walk, stepped};

/// Widths and ridges that a search may try, and those of one that begins near its end.
pub(super) const TRIALS: usize = 24;
pub(super) const NEAR: usize = 5;
/// Those of one for widths per feature, which begins where the evidence is best.
const APART: usize = 12;
/// Rows on which a search from afar begins, where there are more than twice as many.
const FEW: usize = 400;

/// A full machine that was found.
pub(super) struct Reference {
    pub setting: Setting,
    /// All rows, in the order in which they may become vectors; the first `candidates` of them may.
    pub rows: Vec<usize>,
    pub candidates: usize,
    pub trials: Vec<Trial>,
    /// What a width for each feature began with, where there is one.
    pub shared: Option<Setting>,
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
        let each = Self::find(settings, samples, rows, &start, APART, watch)?;
        let taken = relevance::pays(settings, size, score(&each.fitted), score(&shared.fitted));
        let trials = [shared.trials.as_slice(), &each.trials].concat();
        Ok(if taken {
            Self { trials, shared: Some(shared.setting), ..each }
        } else {
            Self { trials, ..shared }
        })
    }

    /// Looks for width and ridge on some rows, with at most so many trials; where rows are many, on some of them first.
    pub(super) fn find(
        settings: &Sparse,
        samples: &Samples<'_>,
        rows: &[usize],
        start: &Setting,
        most: usize,
        watch: &dyn Watch,
    ) -> Result<Self> {
        let random = samples.order.distinct(rows);
        let distinct = samples.order.in_turn(&random, |row| samples.codes.map_or(0, |codes| codes[row]));
        let rows = in_order(rows, &distinct);
        let candidates = settings.candidates.unwrap_or(usize::MAX).min(distinct.len());
        let (mut start, mut most) = (start.clone(), most);
        if most > NEAR && rows.len() > 2 * FEW {
            let few = Exact { samples, rows: &random[..random.len().min(FEW)] };
            start = few.walk(settings, start, most, watch)?.0;
            most = NEAR;
        }
        let (setting, fitted, trials) = Exact { samples, rows: &rows }.walk(settings, start, most, watch)?;
        Ok(Self { setting, candidates, trials, shared: None, fitted, rows })
    }

    /// The answers to held-out rows.
    pub(super) fn answers(&self, samples: &Samples<'_>, held: &[usize]) -> Result<Matrix> {
        self.fitted.model.values(samples.points(held).view())
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
    /// From a setting to better ones nearby, by leave-one-out: where it ends, its machine, and all that was tried.
    fn walk(
        &self,
        settings: &Sparse,
        start: Setting,
        most: usize,
        watch: &dyn Watch,
    ) -> Result<(Setting, Fitted, Vec<Trial>)> {
        let at = |at: Steps| {
            let (kernel, ridge) = stepped(&start.kernel, start.ridge, at)?;
            Some(Setting { kernel, ridge })
        };
        let judge = |steps: Steps| {
            let setting = at(steps)?;
            let fitted = self.fit(&setting, self.rows.len(), true).ok()?;
            Some(Place { at: steps, score: score(&fitted), found: (setting, fitted) })
        };
        watch.progress(&Progress::new("the full machine", 0, None));
        let auto = |search: &Search| *search == Search::Auto;
        let walk = Walk { widths: auto(&settings.widths), ridges: auto(&settings.ridges), most };
        let fitted = self.fit(&start, self.rows.len(), true)?;
        let first = Place { at: (0, 0), score: score(&fitted), found: (start.clone(), fitted) };
        let (best, scores) = walk.from(first, &|| watch.stop_requested(), judge);
        let trial = |(steps, score): (Steps, f64)| {
            at(steps).map(|setting| Trial::new(setting.kernel, setting.ridge, score))
        };
        let (setting, fitted) = best.found;
        Ok((setting, fitted, scores.into_iter().filter_map(trial).collect()))
    }

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

/// Rows with the distinct ones first, in their order.
fn in_order(rows: &[usize], distinct: &[usize]) -> Vec<usize> {
    let first: std::collections::HashSet<usize> = distinct.iter().copied().collect();
    let copies = rows.iter().copied().filter(|row| !first.contains(row));
    distinct.iter().copied().chain(copies).collect()
}
