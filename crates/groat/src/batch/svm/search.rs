//! Width, and cost or nu, by cross-validation on some of the rows.
//!
//! Every other width of the grid is tried with all costs on the first part of the rows. What does well there, in comparison
//! with the best of all, is judged on all parts; then the widths beside the best one join. For each width and part the
//! kernel is evaluated once. The costs are tried in ascending order, each solution scaled up as the start of the next: its
//! gradient scales with it, so that a warm start costs nothing.
//!
//! The errors that a regression forgives follow the noise, for which the best error of the first part stands: what it
//! forgives should be a share of that (Smola, Murata, Schoelkopf, Mueller 1998), since a wider tube loses what could be
//! learnt, and a narrower one makes every row a vector.

use super::decompose::Stop;
use super::dual::State;
use super::machine::{Machine, Part, SIDE_BY_SIDE, Settings, parts, task};
use super::{SupportVectorMachine, SvmForm, deviation};
use crate::batch::{Impatient, Problem, Progress, Target, Watch};
use crate::error::{Error, Result};
use crate::gram::{self, KernelRows};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet};
use crate::tune::{
    Judgement, Ladder, Search, Trial, Trials, best, mean_squared, sample_rows, typical_distance,
};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Widths of the first automatic grid: the typical distance times `2^(k/2)`.
const FIRST: std::ops::RangeInclusive<i32> = -5..=3;
/// How far the grid may be widened at either end.
const LAST: std::ops::RangeInclusive<i32> = -9..=7;
/// Costs of the automatic grid, in deviations of the target for a regression.
const COSTS: [f64; 9] = [0.25, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0];
/// Values of `nu` of the automatic grid.
const NUS: [f64; 10] = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8];
/// A search compares errors on held-out rows, for which rough solutions do.
const TOLERANCE: f64 = 1e-2;
/// Steps of one solution within a search. What takes longer is no setting that a person would want, and larger costs
/// would take longer still: they are not tried.
const STEPS: u64 = 30_000;
/// Standard errors of the best by which a value may do worse on the first part and is still tried on the others.
const DOUBT: f64 = 2.0;
/// Costs in a row that may do worse than a smaller one by a standard error before larger ones are not tried.
const WORSE: usize = 2;
/// Share of the noise that a regression forgives.
const FORGIVEN: f64 = 0.25;
/// The least that it forgives, in deviations of the target.
const LEAST_FORGIVEN: f64 = 1e-3;

/// What is searched for besides the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Searched {
    Cost,
    Nu,
}

impl Searched {
    pub(super) fn of(form: SvmForm) -> Self {
        if form == SvmForm::NuClasses { Searched::Nu } else { Searched::Cost }
    }
}

/// One of the parts that are left out, and the others.
pub(in crate::batch) struct Fold {
    pub train: Vec<usize>,
    pub test: Vec<usize>,
}

/// Parts of the rows in turn; every class is spread over all of them.
pub(in crate::batch) fn folds(problem: &Problem<'_>, count: usize) -> Vec<Fold> {
    let n = problem.x.rows();
    let mut order: Vec<usize> = (0..n).collect();
    if let Target::Classes { codes, .. } = problem.target {
        order.sort_by_key(|&i| codes[i]);
    }
    let mut fold_of = vec![0; n];
    for (place, &i) in order.iter().enumerate() {
        fold_of[i] = place % count;
    }
    let part = |k: usize| Fold {
        train: (0..n).filter(|&i| fold_of[i] != k).collect(),
        test: (0..n).filter(|&i| fold_of[i] == k).collect(),
    };
    (0..count).map(part).collect()
}

/// What a search has come to.
#[derive(Default)]
pub(super) struct Outcome {
    /// All trials; none where nothing is left to be found. Their `ridge` is `1 / cost`, or `nu`.
    pub trials: Vec<Trial>,
    /// The errors to forgive, where the search found them.
    pub epsilon: Option<f64>,
    pub note: Option<String>,
}

/// Looks for what is not given.
pub(super) fn search(
    params: &SupportVectorMachine,
    problem: &Problem<'_>,
    factors: &[f64],
    watch: &dyn Watch,
) -> Result<Outcome> {
    let searches_width = params.widths != Search::Fixed && params.kernel.width().is_some();
    let values = values(params, problem);
    if !searches_width && values.len() < 2 {
        return Ok(Outcome::default());
    }
    let n = problem.x.rows();
    if n < 2 * params.folds.min(5) {
        return Err(Error::TooFew {
            what: "cross-validation",
            unit: "rows",
            needed: 2 * params.folds.min(5),
            found: n,
        });
    }
    let rows = sample_rows(n, params.selection_rows, params.seed);
    let note = (rows.len() < n).then(|| {
        let (used, seed) = (rows.len(), params.seed);
        format!("width and cost were chosen on {used} of {n} rows, drawn with seed {seed}")
    });
    let subset = problem.select(&rows);
    let sample = subset.problem()?;
    let mut judge =
        Judge { params, epsilon: None, sample, factors, values, folds: folds(&sample, params.folds), watch };
    let of =
        |widths: &[f64]| -> Vec<Kernel> { widths.iter().map(|w| params.kernel.with_width(*w)).collect() };
    let (kernels, ladder) = match &params.widths {
        Search::Grid(widths) if searches_width => (of(widths), None),
        Search::Auto if searches_width => {
            let ladder = Ladder::new(typical_distance(sample.x, params.seed), FIRST, LAST);
            (of(&ladder.values().into_iter().step_by(2).collect::<Vec<f64>>()), Some(ladder))
        }
        _ => (vec![params.kernel.clone()], None),
    };
    let firsts = judge.firsts(&kernels)?;
    let bar = Bar::of(&firsts, &sample);
    judge.epsilon = judge.forgiven(&bar);
    let mut trials = Trials::new(watch);
    let promising: Vec<Kernel> =
        firsts.iter().filter(|first| first.values(&bar).contains(&true)).map(|f| f.kernel.clone()).collect();
    trials.side_by_side(&promising, |kernel| {
        let first = firsts.iter().find(|first| first.kernel == *kernel);
        judge.trials(kernel, &first.map_or_else(Vec::new, |first| first.values(&bar)))
    })?;
    let beside = |kernel: &Kernel| {
        let first = judge.first(kernel)?;
        judge.trials(kernel, &first.values(&bar))
    };
    if let Some(ladder) = ladder {
        trials.side_by_side(&beside_best(&trials, &kernels, &ladder, &of), beside)?;
        trials.widen(&params.kernel, ladder, beside)?;
    }
    if best(trials.tried()).is_none() {
        let reason = "no error was finite; check the scale of the target";
        return Err(Error::numerical("choosing the width and the cost", reason));
    }
    let mut trials = trials.into_tried();
    trials.extend(judge.passed_by(&firsts, &bar, &trials));
    Ok(Outcome { trials, epsilon: judge.epsilon, note })
}

/// The widths between that of the best trial and the ones that were tried beside it.
fn beside_best(
    trials: &Trials<'_>,
    tried: &[Kernel],
    ladder: &Ladder,
    of: &dyn Fn(&[f64]) -> Vec<Kernel>,
) -> Vec<Kernel> {
    let Some(best) = best(trials.tried()) else { return Vec::new() };
    let all = of(&ladder.values());
    let Some(place) = all.iter().position(|kernel| *kernel == best.kernel) else { return Vec::new() };
    let beside = [place.checked_sub(1), Some(place + 1)];
    let beside = beside.into_iter().flatten().filter_map(|k| all.get(k));
    beside.filter(|kernel| !tried.contains(kernel)).cloned().collect()
}

/// What a width came to on the first part of the rows, one judgement for each cost that was tried.
struct First {
    kernel: Kernel,
    judged: Vec<Option<Judgement>>,
}

impl First {
    /// Which costs are worth the time of the other parts.
    fn values(&self, bar: &Bar) -> Vec<bool> {
        self.judged.iter().map(|judged| judged.is_some_and(|judged| judged.mean <= bar.most)).collect()
    }
}

/// What the best of the first part sets for the others.
struct Bar {
    least: f64,
    most: f64,
}

impl Bar {
    fn of(firsts: &[First], sample: &Problem<'_>) -> Self {
        let all = firsts.iter().flat_map(|first| first.judged.iter().flatten());
        let Some(best) = all.min_by(|a, b| a.mean.total_cmp(&b.mean)) else {
            return Self { least: f64::NAN, most: f64::INFINITY };
        };
        // One row more or less in a wrong class says little.
        let one = match sample.target {
            Target::Classes { .. } => 5.0 / sample.x.rows() as f64,
            _ => 0.0,
        };
        Self { least: best.mean, most: best.mean + DOUBT * best.standard_error.max(one) }
    }
}

/// Costs (or values of nu) to try, in ascending order.
fn values(params: &SupportVectorMachine, problem: &Problem<'_>) -> Vec<f64> {
    match (Searched::of(params.form), params.nu, &params.costs) {
        (Searched::Nu, Some(nu), _) => vec![nu],
        (Searched::Nu, None, _) => NUS.to_vec(),
        (_, _, Search::Fixed) => vec![params.cost],
        (_, _, Search::Grid(costs)) => {
            let mut costs = costs.clone();
            costs.sort_by(f64::total_cmp);
            costs
        }
        (_, _, Search::Auto) => COSTS.map(|cost| cost * deviation(problem)).to_vec(),
    }
}

struct Judge<'a> {
    params: &'a SupportVectorMachine,
    /// The errors to forgive, once they are known.
    epsilon: Option<f64>,
    sample: Problem<'a>,
    factors: &'a [f64],
    values: Vec<f64>,
    folds: Vec<Fold>,
    watch: &'a dyn Watch,
}

/// What one cost (or value of nu) came to on a part of the rows.
struct Tried {
    losses: Vec<f64>,
    size: f64,
}

impl Judge<'_> {
    /// All costs on the first part, for each of the kernels.
    fn firsts(&self, kernels: &[Kernel]) -> Result<Vec<First>> {
        let done = AtomicUsize::new(0);
        let tell =
            |done| self.watch.progress(&Progress::new("looking for the width", done, Some(kernels.len())));
        tell(0);
        let one = |kernel: &Kernel| {
            let first = self.first(kernel)?;
            tell(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(first)
        };
        kernels.par_iter().with_max_len(1).map(one).collect()
    }

    fn first(&self, kernel: &Kernel) -> Result<First> {
        let all = vec![true; self.values.len()];
        let tried = match self.folds.first() {
            Some(fold) => self.fold(kernel, fold, &all, true)?,
            None => Vec::new(),
        };
        let judge = |tried: Option<Tried>| tried.map(|tried| Judgement::of(&tried.losses, tried.size));
        Ok(First { kernel: kernel.clone(), judged: tried.into_iter().map(judge).collect() })
    }

    /// What a regression should forgive in view of its best error.
    fn forgiven(&self, bar: &Bar) -> Option<f64> {
        let free = self.params.form == SvmForm::Values && self.params.epsilon.is_none();
        let noise = FORGIVEN * bar.least.max(0.0).sqrt();
        let most = deviation(&self.sample);
        (free && noise.is_finite()).then(|| noise.clamp(LEAST_FORGIVEN * most, most))
    }

    /// A trial on all parts for each cost, or value of nu, that is in the race.
    fn trials(&self, kernel: &Kernel, racing: &[bool]) -> Result<Vec<Trial>> {
        let parts: Vec<Vec<Option<Tried>>> = self
            .folds
            .par_iter()
            .with_max_len(1)
            .map(|fold| self.fold(kernel, fold, racing, false))
            .collect::<Result<_>>()?;
        let trial = |k: usize| {
            // What was not feasible or took too long on some part lacks losses.
            let found: Option<Vec<&Tried>> = parts.iter().map(|part| part[k].as_ref()).collect();
            let Some(found) = found else {
                return Trial::new(kernel.clone(), self.ridge(k), f64::INFINITY);
            };
            let losses: Vec<f64> = found.iter().flat_map(|tried| tried.losses.iter().copied()).collect();
            let size = found.iter().map(|tried| tried.size).sum::<f64>() / found.len() as f64;
            self.trial(kernel, k, Judgement::of(&losses, size))
        };
        Ok((0..racing.len()).filter(|&k| racing[k]).map(trial).collect())
    }

    fn ridge(&self, k: usize) -> f64 {
        if Searched::of(self.params.form) == Searched::Nu { self.values[k] } else { 1.0 / self.values[k] }
    }

    fn trial(&self, kernel: &Kernel, k: usize, judged: Judgement) -> Trial {
        let mut trial = Trial::new(kernel.clone(), self.ridge(k), judged.mean);
        (trial.standard_error, trial.size) = (judged.standard_error, judged.size);
        trial
    }

    /// Trials for what has the first part alone; to its error comes what the best costs more on all parts than on the
    /// first.
    fn passed_by(&self, firsts: &[First], bar: &Bar, judged: &[Trial]) -> Vec<Trial> {
        let more = best(judged).map_or(f64::INFINITY, |best| (best.score - bar.least).max(0.0));
        let one = |first: &First| {
            let racing = first.values(bar);
            let out = first.judged.iter().enumerate().filter(move |(k, _)| !racing[*k]);
            out.filter_map(|(k, judged)| {
                let judged = (*judged)?;
                Some(self.trial(&first.kernel, k, Judgement { mean: judged.mean + more, ..judged }))
            })
            .collect::<Vec<Trial>>()
        };
        firsts.iter().flat_map(one).collect()
    }

    /// What each value that is in the race comes to on one part of the rows; with `hasty`, larger ones are not tried once
    /// they only do worse.
    fn fold(&self, kernel: &Kernel, fold: &Fold, racing: &[bool], hasty: bool) -> Result<Vec<Option<Tried>>> {
        let (train, test) = (self.sample.select(&fold.train), self.sample.select(&fold.test));
        let (train, test) = (train.problem()?, test.problem()?);
        let parts = parts(&train, self.factors);
        let cross = gram::cross(kernel, test.x, train.x)?;
        let chosen: Vec<Option<PointSet>> =
            parts.iter().map(|part| part.rows.as_ref().map(|rows| train.x.select(rows))).collect();
        let mut rows: Vec<KernelRows<'_>> = chosen
            .iter()
            .map(|set| set.as_ref().map_or(train.x, PointSet::view))
            .map(|x| KernelRows::new(kernel, x, self.params.memory.shared(SIDE_BY_SIDE)))
            .collect::<Result<_>>()?;
        let mut found: Vec<Option<Tried>> = self.values.iter().map(|_| None).collect();
        let (mut states, mut before): (Vec<Option<State>>, _) = (vec![None; parts.len()], None);
        let (mut least, mut worse) = (f64::INFINITY, 0);
        for (k, value) in self.values.iter().enumerate().filter(|(k, _)| racing[*k]) {
            let starts = states.into_iter().map(|state| self.scaled(state, before, *value)).collect();
            let Some(machines) = self.machines(*value, &parts, &mut rows, starts)? else {
                states = vec![None; parts.len()];
                continue;
            };
            let losses = self.losses(&test, &outputs(&cross, &parts, &machines));
            let judged = Judgement::of(&losses, 0.0);
            worse = if judged.mean > least { worse + 1 } else { 0 };
            least = least.min(judged.mean + judged.standard_error);
            found[k] = Some(Tried { losses, size: machines.iter().map(|m| m.report.support as f64).sum() });
            let too_long = machines.iter().any(|machine| machine.report.stop == Stop::Iterations);
            if Searched::of(self.params.form) == Searched::Cost && (too_long || hasty && worse >= WORSE) {
                break;
            }
            states = machines.into_iter().map(|machine| machine.state).collect();
            before = Some(*value);
        }
        Ok(found)
    }

    /// The machines of all parts for one value; none where it is not feasible for their shares of classes.
    fn machines(
        &self,
        value: f64,
        parts: &[Part],
        rows: &mut [KernelRows<'_>],
        starts: Vec<Option<State>>,
    ) -> Result<Option<Vec<Machine>>> {
        let (settings, watch) = (self.settings(value), Impatient(self.watch));
        let solved: Result<Vec<Machine>> = parts
            .par_iter()
            .zip(rows)
            .zip(starts)
            .map(|((part, rows), start)| settings.machine(part, rows, start, &watch))
            .collect();
        match solved {
            // What was broken off says nothing.
            Ok(_) if self.watch.stop_requested() => Err(Error::Stopped),
            Ok(machines) => Ok(Some(machines)),
            Err(Error::Parameter { name: "nu", .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    fn settings(&self, value: f64) -> Settings {
        let mut numbers = self.params.numbers(&self.sample);
        match Searched::of(self.params.form) {
            Searched::Cost => numbers.cost = value,
            Searched::Nu => numbers.nu = value,
        }
        numbers.epsilon = self.epsilon.unwrap_or(numbers.epsilon);
        let mut settings = self.params.settings(numbers, &self.sample);
        settings.limits.tolerance = settings.limits.tolerance.max(TOLERANCE * self.params.unit(&self.sample));
        settings.limits.iterations = Some(settings.limits.iterations.map_or(STEPS, |most| most.min(STEPS)));
        settings
    }

    /// The solution for the cost before as a start for this one.
    fn scaled(&self, state: Option<State>, before: Option<f64>, value: f64) -> Option<State> {
        if Searched::of(self.params.form) == Searched::Nu {
            return None;
        }
        let ratio = value / before?;
        let mut state = state?;
        state.alpha.iter_mut().chain(&mut state.f).for_each(|v| *v *= ratio);
        Some(state)
    }

    /// What each row that was left out costs: its weight where it is put into a wrong class, or the squared error.
    fn losses(&self, test: &Problem<'_>, values: &Matrix) -> Vec<f64> {
        let decision = task(test).decision().unwrap_or_default();
        let weight = |i: usize| test.weights.map_or(1.0, |weights| weights[i]);
        (0..values.rows())
            .map(|i| match test.target {
                Target::Values(y) => weight(i) * mean_squared(values.row(i), y.row(i)),
                Target::Classes { codes, .. } => {
                    let wrong = decision.class(values.row(i)) != codes[i];
                    if wrong { weight(i) * self.factors[codes[i]] } else { 0.0 }
                }
                Target::Density => 0.0,
            })
            .collect()
    }
}

/// What the machines answer to rows whose kernel values with all training rows are `cross`.
pub(super) fn outputs(cross: &Matrix, parts: &[Part], machines: &[Machine]) -> Matrix {
    let mut out = Matrix::zeros(cross.rows(), machines.len());
    for (c, (part, machine)) in parts.iter().zip(machines).enumerate() {
        for i in 0..cross.rows() {
            let row = cross.row(i);
            let sum: f64 = match &part.rows {
                None => crate::simd::dot(row, &machine.beta),
                Some(rows) => rows.iter().zip(&machine.beta).map(|(&j, b)| row[j] * b).sum(),
            };
            out[(i, c)] = sum + machine.bias;
        }
    }
    out
}
