//! The choices of a sparse fit on some rows: width and ridge of the full machine, then the vectors.

use super::Sparse;
use super::climb::{self, Part, Yardsticks, climb, placed};
use super::folds::{Folds, Table};
use super::held::Held;
use super::linear::{self, Line};
use super::relevance;
use super::samples::{Losses, Samples};
use super::search::{diagonal, search};
use crate::batch::{Progress, Watch};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet};
use crate::tune::{Search, Trial, Validation, best, scaled, stablest};
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Candidates of the successive levels: the next one is tried where it may pay.
const LEVELS: [usize; 3] = [400, 1000, 2500];
/// A level pays where it lowers the error by more than this share.
const PAYS: f64 = 0.01;
/// Widths that a level may try besides the one it starts with.
const WIDTHS: [usize; 3] = [6, 3, 1];
/// A ridge must lower the mean square error by this share to be taken for a larger one.
const BETTER: f64 = 0.002;
/// Between these, in units of the kernel's diagonal, a ridge is looked for.
const LEAST_RIDGE: f64 = 1e-9;
const LARGEST_RIDGE: f64 = 1e4;
/// Vectors that are put in order at first; then twice as many, and so on.
const FIRST_ORDER: usize = 256;
/// Evaluations that moving the chosen vectors may take.
pub(super) const EVALUATIONS: usize = 60;
/// Rows from which on there are three folds instead of five.
const THREE_FOLDS: usize = 4000;
/// Terms of a model when the caller stops the work before sizes were judged.
pub(super) const HASTY: usize = 64;

/// What was chosen.
pub(super) struct Choice {
    pub kernel: Kernel,
    pub ridge: f64,
    /// Rows at which the vectors began, in order.
    pub terms: Vec<usize>,
    /// The vectors, moved to where they serve best.
    pub vectors: PointSet,
    /// Held-out losses of the sizes that were tried, from 0 on; empty when the work was stopped before.
    pub curve: Vec<(usize, Losses)>,
    /// Held-out losses of the full machine.
    pub full: Option<Losses>,
    /// Candidates of the level that was taken.
    pub candidates: usize,
    /// Whether the size is what was wished for.
    pub reached: bool,
    pub trials: Vec<Trial>,
    /// What they were judged by.
    pub judged_by: String,
    /// Rows that it was chosen on.
    pub rows: usize,
    /// The kernel of the full machine.
    pub full_kernel: Kernel,
    /// For a linear machine: whether it is better than the full kernel machine.
    pub straight: Option<bool>,
    pub interrupted: bool,
}

impl Choice {
    /// The choice of a linear machine instead.
    pub(super) fn straightened(self, line: Line, better: bool) -> Self {
        let full_kernel = if better { Kernel::Linear } else { self.full_kernel };
        let (kernel, ridge, vectors) = (Kernel::Linear, line.ridge, line.vectors);
        Self { kernel, ridge, vectors, full_kernel, straight: Some(better), terms: Vec::new(), ..self }
    }
}

/// Chooses on the given rows.
pub(super) fn choose(
    settings: &Sparse,
    samples: &Samples<'_>,
    rows: &[usize],
    watch: &dyn Watch,
) -> Result<Choice> {
    let distinct = samples.order.distinct(rows);
    let trials = first_trials(settings, samples, &distinct, watch)?;
    let start = Setting::start(settings, &trials);
    let start = apart(settings, samples, &distinct, (start, &trials), watch)?;
    let distinct = samples.order.in_turn(&distinct, |row| samples.codes.map_or(0, |codes| codes[row]));
    let chooser = Chooser { settings, samples, rows, distinct, watch };
    if chooser.folds() < 2 { chooser.without_folds(start, trials) } else { chooser.from(start, Vec::new()) }
}

/// Width and ridge by leave-one-out on a grid, unless both are given.
pub(super) fn first_trials(
    settings: &Sparse,
    samples: &Samples<'_>,
    distinct: &[usize],
    watch: &dyn Watch,
) -> Result<Vec<Trial>> {
    let width_known = settings.widths == Search::Fixed || settings.kernel.width().is_none();
    if width_known && settings.ridges == Search::Fixed {
        return Ok(Vec::new());
    }
    if distinct.len() < 2 {
        return Err(Error::TooFew {
            what: "leave-one-out",
            unit: "different rows",
            needed: 2,
            found: distinct.len(),
        });
    }
    // The evidence knows the Gaussian kernel alone; for the others widths are tried one by one.
    let per_feature = settings.per_feature == Some(true)
        && !width_known
        && !relevance::possible(settings, samples.x.cols(), distinct.len());
    let searched = (&settings.widths, &ridges(settings));
    search(samples, distinct, &settings.kernel, searched, per_feature, settings.seed, watch)
}

/// The ridges that a grid tries.
fn ridges(settings: &Sparse) -> Search {
    match &settings.ridges {
        Search::Fixed => Search::Grid(vec![settings.ridge]),
        searched => searched.clone(),
    }
}

/// A width for each feature, where that is better than the best of some trials: by leave-one-out on more rows than the
/// widths were found on.
fn apart(
    settings: &Sparse,
    samples: &Samples<'_>,
    distinct: &[usize],
    (start, trials): (Setting, &[Trial]),
    watch: &dyn Watch,
) -> Result<Setting> {
    let size = (samples.x.cols(), distinct.len());
    let Some(shared) = best(trials).filter(|_| relevance::possible(settings, size.0, size.1)) else {
        return Ok(start);
    };
    let Some(found) = relevance::relevance(samples, distinct, &start, &|| watch.stop_requested())? else {
        return Ok(start);
    };
    let searched = (&Search::Fixed, &ridges(settings));
    let trials = search(samples, distinct, &found.kernel, searched, false, settings.seed, watch)?;
    let taken = best(&trials).is_some_and(|apart| relevance::pays(settings, size, apart.score, shared.score));
    Ok(if taken { Setting::start(settings, &trials) } else { start })
}

/// A kernel and a ridge.
#[derive(Clone)]
pub(in crate::batch) struct Setting {
    pub kernel: Kernel,
    pub ridge: f64,
}

impl Setting {
    /// The best of some trials, or what the settings say.
    pub(super) fn start(settings: &Sparse, trials: &[Trial]) -> Self {
        match stablest(trials) {
            Some(trial) => Self { kernel: trial.kernel.clone(), ridge: trial.ridge },
            None => Self { kernel: settings.kernel.clone(), ridge: settings.ridge },
        }
    }
}

/// The best of a level.
struct Found {
    table: Table,
    ridge: f64,
    losses: Losses,
    answers: Vec<Matrix>,
}

/// A ridge of one kernel, judged on the folds.
struct Judged {
    ridge: f64,
    losses: Losses,
    answers: Vec<Matrix>,
}

struct Chooser<'c, 'a> {
    settings: &'c Sparse,
    samples: &'c Samples<'a>,
    rows: &'c [usize],
    distinct: Vec<usize>,
    watch: &'c dyn Watch,
}

impl Chooser<'_, '_> {
    fn from(&self, start: Setting, mut trials: Vec<Trial>) -> Result<Choice> {
        let folds = self.folds();
        let most = self.settings.candidates.unwrap_or(usize::MAX).min(self.distinct.len());
        let mut at = start;
        let mut best: Option<(Folds<'_, '_>, Found)> = None;
        let mut open = false;
        let parts = Folds::new(self.samples, self.rows, &self.distinct, 0, folds).parts(&at.kernel, at.ridge);
        let line = linear::judged(self.settings, self.samples, &parts, &self.stop())?;
        let straight = line.as_ref().map_or(0.0, |line| line.total(None).mean_squared());
        for (level, size) in LEVELS.iter().enumerate() {
            let size = (*size).min(most);
            if level > 0 && !self.settings.memory.holds(table_bytes(size, folds)) {
                break;
            }
            let bench = Folds::new(self.samples, self.rows, &self.distinct, size, folds);
            let before = best.as_ref().map_or(f64::INFINITY, |(_, found)| found.losses.mean_squared());
            let Some(found) = self.refine(&bench, &at, level, before, &mut trials)? else {
                if best.is_none() && self.watch.stop_requested() {
                    return self.hasty(&at, trials);
                }
                break;
            };
            at = Setting { kernel: found.table.kernel.clone(), ridge: found.ridge };
            let error = found.losses.mean_squared();
            let gained = pays(error, before, PAYS);
            if error < before || best.is_none() {
                best = Some((bench, found));
            }
            // What as much again would gain would not reach a linear machine.
            let hopeless = straight > 0.0 && error * error / before > straight;
            open = size < most && !hopeless && pays(error, before, climb::PAYS);
            if !gained || hopeless || size == most || self.watch.stop_requested() {
                break;
            }
        }
        let Some((bench, found)) = best else {
            return Err(Error::Numerical {
                what: "the fit",
                reason: "no width and ridge gave equations that can be solved; raise the ridge".to_owned(),
            });
        };
        self.sized(&bench, found, (line, open), trials)
    }

    /// As many folds as the data bear: none for a handful of rows.
    fn folds(&self) -> usize {
        let wanted = if self.rows.len() >= THREE_FOLDS { 3 } else { 5 };
        if self.distinct.len() < 8 { 0 } else { wanted }
    }

    fn stop(&self) -> impl Fn() -> bool + Sync + '_ {
        || self.watch.stop_requested()
    }

    /// Width and ridge on the folds, from a start; none when nothing could be judged. Where this level does not improve
    /// on the mean square error `before`, the start is all that is tried.
    fn refine(
        &self,
        bench: &Folds<'_, '_>,
        start: &Setting,
        level: usize,
        before: f64,
        trials: &mut Vec<Trial>,
    ) -> Result<Option<Found>> {
        let Some(mut best) = self.try_width(bench, start.clone(), before, trials)? else { return Ok(None) };
        if !pays(best.losses.mean_squared(), before, PAYS) {
            return Ok(Some(best));
        }
        let searched = self.settings.widths == Search::Auto;
        let (mut scale, mut budget) = (1.0, if searched { WIDTHS[level] } else { 0 });
        for factor in [0.5f64.sqrt(), 2f64.sqrt()] {
            let mut moved = false;
            while budget > 0 && !self.watch.stop_requested() {
                budget -= 1;
                let Some(kernel) = scaled(&start.kernel, scale * factor) else { break };
                let next = Setting { kernel, ridge: best.ridge };
                match self.try_width(bench, next, f64::INFINITY, trials)? {
                    Some(found) if found.losses.mean_squared() < best.losses.mean_squared() => {
                        (best, moved) = (found, true);
                        scale *= factor;
                    }
                    _ => break,
                }
            }
            if moved {
                break;
            }
        }
        Ok(Some(best))
    }

    /// One width with the best ridge that is found by walking from the given one.
    fn try_width(
        &self,
        bench: &Folds<'_, '_>,
        at: Setting,
        before: f64,
        trials: &mut Vec<Trial>,
    ) -> Result<Option<Found>> {
        let detail = at.kernel.width().map_or(String::new(), |width| format!("width {width}"));
        let progress = Progress::new("the full machine", trials.len(), None);
        self.watch.progress(&progress.detail(format!("{} candidates, {detail}", bench.size())));
        let table = bench.table(&at.kernel)?;
        let mut judge = |ridge: f64| -> Result<Option<Judged>> {
            let Some((losses, answers)) = bench.judge(&table, ridge)? else { return Ok(None) };
            trials.push(Trial::new(at.kernel.clone(), ridge, losses.mean_squared()));
            Ok(Some(Judged { ridge, losses, answers }))
        };
        let mut best = judge(at.ridge)?;
        let worth_walking = best.as_ref().is_none_or(|best| pays(best.losses.mean_squared(), before, PAYS));
        if self.settings.ridges == Search::Auto && worth_walking {
            let scale = diagonal(&at.kernel, &self.samples.points(&self.distinct[..1]));
            self.walk(at.ridge, scale * LEAST_RIDGE..=scale * LARGEST_RIDGE, &mut best, judge)?;
        }
        Ok(best.map(|Judged { ridge, losses, answers }| Found { table, ridge, losses, answers }))
    }

    /// From a ridge upwards, or else downwards, while the error does not rise; within a range, because for a target that
    /// is noise alone no ridge is too large.
    fn walk(
        &self,
        start: f64,
        range: RangeInclusive<f64>,
        best: &mut Option<Judged>,
        mut judge: impl FnMut(f64) -> Result<Option<Judged>>,
    ) -> Result<()> {
        for factor in [10f64.sqrt(), 0.1f64.sqrt()] {
            // A larger ridge is taken where it is as good.
            let bar = if factor > 1.0 { 1.0 + 0.5 * BETTER } else { 1.0 - BETTER };
            let (mut ridge, mut moved) = (start * factor, false);
            while range.contains(&ridge) && !self.watch.stop_requested() {
                let so_far = best.as_ref().map_or(f64::INFINITY, |best| best.losses.mean_squared());
                match judge(ridge)? {
                    Some(judged) if judged.losses.mean_squared() < so_far * bar => {
                        (*best, moved) = (Some(judged), true);
                    }
                    // Equations that cannot be solved want a larger ridge.
                    None if best.is_none() => {}
                    _ => break,
                }
                ridge *= factor;
            }
            if moved {
                break;
            }
        }
        Ok(())
    }

    /// The number of vectors, and which.
    fn sized(
        &self,
        bench: &Folds<'_, '_>,
        found: Found,
        (line, open): (Option<Held>, bool),
        trials: Vec<Trial>,
    ) -> Result<Choice> {
        let Found { table, ridge, answers, .. } = found;
        let mut parts = bench.parts(&table.kernel, ridge);
        let full = Held::new(self.samples, &parts, answers);
        let lengthen = |parts: &mut [Part], most: usize| -> Result<()> {
            let most = most.max(FIRST_ORDER).min(bench.size());
            let orders = (0..parts.len()).into_par_iter();
            let orders: Vec<Vec<usize>> =
                orders.map(|fold| bench.order(&table, ridge, fold, most, &self.stop())).collect();
            parts.iter_mut().zip(orders).for_each(|(part, order)| part.order = order);
            Ok(())
        };
        let against = Yardsticks { full, line, open };
        let ladder = climb(self.settings, self.samples, &mut parts, against, &lengthen, self.watch)?;
        let (classes, stopped) = (self.samples.classes(), self.watch.stop_requested());
        let (place, reached) = ladder.place(self.settings, classes, None);
        let linear = ladder.rungs[place].linear && !stopped;
        let known = Choice {
            full_kernel: table.kernel.clone(),
            kernel: table.kernel.clone(),
            ridge,
            terms: Vec::new(),
            vectors: self.samples.points(&[]),
            full: Some(ladder.full(classes, None)),
            candidates: bench.size(),
            reached,
            trials,
            judged_by: Validation::Folds(self.folds()).to_string(),
            rows: self.rows.len(),
            straight: None,
            interrupted: stopped,
            curve: ladder.curve(linear),
        };
        if linear && let Some(line) = Line::of(self.samples, self.rows, &self.stop())? {
            return Ok(known.straightened(line, ladder.straight(classes, None)));
        }
        let size = if stopped { self.hasty_size(&known.curve) } else { ladder.rungs[place].size.max(1) };
        let terms = bench.terms(&table, ridge, size, &never);
        let (setting, starts) = ((&table.kernel, ridge), ladder.starts(self.samples, &terms));
        let vectors = placed(self.samples, self.rows, setting, starts, EVALUATIONS, &self.stop())?;
        Ok(Choice { terms, vectors, ..known })
    }

    /// The size when the work is stopped before one was found.
    fn hasty_size(&self, curve: &[(usize, Losses)]) -> usize {
        let tried = curve.last().map_or(0, |(size, _)| *size);
        self.settings.max_terms.unwrap_or(HASTY).min(HASTY).max(tried)
    }

    /// For a handful of rows nothing can be held out: all vectors, under the ridge there is.
    fn without_folds(&self, at: Setting, trials: Vec<Trial>) -> Result<Choice> {
        let bench = Folds::new(self.samples, self.rows, &self.distinct, self.distinct.len(), 1);
        let most = self.settings.max_terms.unwrap_or(usize::MAX);
        self.unjudged(&bench, at, most, trials, false)
    }

    /// The model so far when the work is stopped before sizes were judged.
    fn hasty(&self, at: &Setting, trials: Vec<Trial>) -> Result<Choice> {
        let bench = Folds::new(self.samples, self.rows, &self.distinct, LEVELS[0], 1);
        let most = self.settings.max_terms.unwrap_or(HASTY).min(HASTY);
        self.unjudged(&bench, at.clone(), most, trials, true)
    }

    fn unjudged(
        &self,
        bench: &Folds<'_, '_>,
        at: Setting,
        most: usize,
        trials: Vec<Trial>,
        interrupted: bool,
    ) -> Result<Choice> {
        let table = bench.table(&at.kernel)?;
        let terms = bench.terms(&table, at.ridge, most.max(1), &never);
        Ok(Choice {
            vectors: self.samples.points(&terms),
            terms,
            full_kernel: at.kernel.clone(),
            kernel: at.kernel,
            ridge: at.ridge,
            curve: Vec::new(),
            full: None,
            candidates: bench.size(),
            reached: true,
            trials,
            judged_by: Validation::LeaveOneOut.to_string(),
            rows: self.rows.len(),
            straight: None,
            interrupted,
        })
    }
}

/// What the sums of a kernel take: those of all rows, of each fold, of shares that are still to be added, and room to solve.
fn table_bytes(size: usize, folds: usize) -> u64 {
    8 * (folds as u64 + 6) * (size as u64).pow(2)
}

/// Whether the root of a mean square error is below that of an earlier one by a share of it.
fn pays(error: f64, before: f64, share: f64) -> bool {
    error < before * (1.0 - share).powi(2)
}

/// For work that is to be finished.
pub(super) fn never() -> bool {
    false
}
