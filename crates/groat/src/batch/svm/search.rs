//! Width, and cost or nu, by cross-validation on some of the rows.
//!
//! For each width and part of the rows the kernel is evaluated once. The costs are then tried in ascending order, each
//! solution scaled up as the start of the next: its gradient scales with it, so that a warm start costs nothing.

use super::decompose::Stop;
use super::dual::State;
use super::machine::{Machine, Part, Settings, parts, task};
use super::rows::KernelRows;
use super::{SupportVectorMachine, SvmForm, deviation};
use crate::batch::{Impatient, Problem, Target, Watch};
use crate::error::{Error, Result};
use crate::gram::{self, Memory};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use crate::tune::{
    Judgement, Ladder, Search, Trial, Trials, best, mean_squared, sample_rows, typical_distance,
};

/// Widths of the first automatic grid: the typical distance times `2^(k/2)`.
const FIRST: std::ops::RangeInclusive<i32> = -5..=3;
/// How far the grid may be widened at either end.
const LAST: std::ops::RangeInclusive<i32> = -9..=7;
/// Costs of the automatic grid, in deviations of the target for a regression.
const COSTS: [f64; 7] = [0.25, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0];
/// Values of `nu` of the automatic grid.
const NUS: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5];
/// A search compares errors on held-out rows, for which rough solutions do.
const TOLERANCE: f64 = 1e-2;
/// Steps of one solution within a search. What takes longer is no setting that a person would want, and larger costs
/// would take longer still: they are not tried.
const STEPS: u64 = 30_000;
/// Standard errors of the best by which a value may do worse on the first part and is still tried on the others.
const DOUBT: f64 = 3.0;
/// Bytes that the kernel rows of a part may take.
const MEMORY: u64 = 64 << 20;

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

/// All trials; none where nothing is left to be found. Their `ridge` is `1 / cost`, or `nu`.
pub(super) fn search(
    params: &SupportVectorMachine,
    problem: &Problem<'_>,
    factors: &[f64],
    watch: &dyn Watch,
) -> Result<(Vec<Trial>, Option<String>)> {
    let searches_width = params.widths != Search::Fixed && params.kernel.width().is_some();
    let values = values(params, problem);
    if !searches_width && values.len() < 2 {
        return Ok((Vec::new(), None));
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
    let judge = Judge { params, sample, factors, values, folds: folds(&sample, params.folds), watch };
    let of =
        |widths: &[f64]| -> Vec<Kernel> { widths.iter().map(|w| params.kernel.with_width(*w)).collect() };
    let mut trials = Trials::new(watch);
    match &params.widths {
        Search::Grid(widths) if searches_width => trials.side_by_side(&of(widths), |k| judge.trials(k))?,
        Search::Auto if searches_width => {
            let ladder = Ladder::new(typical_distance(sample.x, params.seed), FIRST, LAST);
            trials.side_by_side(&of(&ladder.values()), |k| judge.trials(k))?;
            trials.widen(&params.kernel, ladder, |k| judge.trials(k))?;
        }
        _ => trials.side_by_side(std::slice::from_ref(&params.kernel), |k| judge.trials(k))?,
    }
    if best(trials.tried()).is_none() {
        let reason = "no error was finite; check the scale of the target";
        return Err(Error::numerical("choosing the width and the cost", reason));
    }
    Ok((trials.into_tried(), note))
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
    sample: Problem<'a>,
    factors: &'a [f64],
    values: Vec<f64>,
    folds: Vec<Fold>,
    watch: &'a dyn Watch,
}

impl Judge<'_> {
    /// A trial for each cost, or value of nu, with this kernel.
    fn trials(&self, kernel: &Kernel) -> Result<Vec<Trial>> {
        let mut losses: Vec<Vec<f64>> = vec![Vec::new(); self.values.len()];
        let mut sizes = vec![0.0; self.values.len()];
        let Some((one, others)) = self.folds.split_first() else { return Ok(Vec::new()) };
        self.fold(kernel, one, &vec![true; self.values.len()], &mut losses, &mut sizes)?;
        let (racing, best) = self.promising(&losses);
        for fold in others {
            self.fold(kernel, fold, &racing, &mut losses, &mut sizes)?;
        }
        let (rows, first) = (self.sample.x.rows(), one.test.len());
        // How much more the best costs on all parts than on the first, which is added to what has the first alone.
        let more = match &losses[best] {
            all if all.len() == rows => Judgement::of(all, 0.0).mean - Judgement::of(&all[..first], 0.0).mean,
            _ => f64::INFINITY,
        };
        let trial = |((value, losses), size): ((&f64, &Vec<f64>), &f64)| {
            let ridge = if Searched::of(self.params.form) == Searched::Nu { *value } else { 1.0 / value };
            // What was not feasible or took too long lacks losses.
            let (parts, more) = match losses.len() {
                all if all == rows => (self.folds.len(), 0.0),
                one if one == first && one > 0 => (1, more),
                _ => return Trial::new(kernel.clone(), ridge, f64::INFINITY),
            };
            let judged = Judgement::of(losses, size / parts as f64);
            let mut trial = Trial::new(kernel.clone(), ridge, judged.mean + more);
            (trial.standard_error, trial.size) = (judged.standard_error, judged.size);
            trial
        };
        Ok(self.values.iter().zip(&losses).zip(&sizes).map(trial).collect())
    }

    /// Which values did so well on the first part that the others are worth their time (large costs take longest, and
    /// mostly do not pay), and the best of them.
    fn promising(&self, losses: &[Vec<f64>]) -> (Vec<bool>, usize) {
        let judged: Vec<Judgement> = losses.iter().map(|losses| Judgement::of(losses, 0.0)).collect();
        let tried = (0..losses.len()).filter(|&k| !losses[k].is_empty());
        let Some(best) = tried.min_by(|&a, &b| judged[a].mean.total_cmp(&judged[b].mean)) else {
            return (vec![true; losses.len()], 0);
        };
        // One row more or less in a wrong class says little.
        let one = match self.sample.target {
            Target::Classes { .. } => 1.0 / losses[best].len() as f64,
            _ => 0.0,
        };
        let most = judged[best].mean + DOUBT * judged[best].standard_error.max(one);
        (judged.iter().map(|judged| judged.mean <= most).collect(), best)
    }

    /// The losses of one part of the rows for every value that is still in the race, and the size of each model.
    fn fold(
        &self,
        kernel: &Kernel,
        fold: &Fold,
        racing: &[bool],
        losses: &mut [Vec<f64>],
        sizes: &mut [f64],
    ) -> Result<()> {
        let (train, test) = (self.sample.select(&fold.train), self.sample.select(&fold.test));
        let (train, test) = (train.problem()?, test.problem()?);
        let parts = parts(&train, self.factors);
        let cross = gram::cross(kernel, test.x, train.x)?;
        let chosen: Vec<Option<PointSet>> =
            parts.iter().map(|part| part.rows.as_ref().map(|rows| train.x.select(rows))).collect();
        let points: Vec<Points<'_>> =
            chosen.iter().map(|set| set.as_ref().map_or(train.x, PointSet::view)).collect();
        let mut rows: Vec<KernelRows<'_>> = points
            .iter()
            .map(|x| KernelRows::new(kernel, *x, Memory::from(MEMORY)))
            .collect::<Result<_>>()?;
        let mut states: Vec<Option<State>> = vec![None; parts.len()];
        let mut before = None;
        for (k, value) in self.values.iter().enumerate().filter(|(k, _)| racing[*k]) {
            let settings = self.settings(*value);
            let mut machines = Vec::with_capacity(parts.len());
            for (c, part) in parts.iter().enumerate() {
                let start = self.scaled(states[c].take(), before, *value);
                match settings.machine(part, &mut rows[c], start, &Impatient(self.watch)) {
                    // What was broken off says nothing.
                    Ok(_) if self.watch.stop_requested() => return Err(Error::Stopped),
                    Ok(machine) => machines.push(machine),
                    // Not feasible for this share of classes.
                    Err(Error::Parameter { name: "nu", .. }) => break,
                    Err(other) => return Err(other),
                }
            }
            if machines.len() == parts.len() {
                losses[k].extend(self.losses(&test, &outputs(&cross, &parts, &machines)));
                sizes[k] += machines.iter().map(|m| m.report.support as f64).sum::<f64>();
            }
            let too_long = machines.iter().any(|machine| machine.report.stop == Stop::Iterations);
            if too_long && Searched::of(self.params.form) == Searched::Cost {
                break;
            }
            states = machines.into_iter().map(|machine| machine.state).collect();
            states.resize(parts.len(), None);
            before = Some(*value);
        }
        Ok(())
    }

    fn settings(&self, value: f64) -> Settings {
        let mut numbers = self.params.numbers(&self.sample);
        match Searched::of(self.params.form) {
            Searched::Cost => numbers.cost = value,
            Searched::Nu => numbers.nu = value,
        }
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
