//! The solver: blocks of several hundred variables that violate the conditions of a solution most, one after the other.
//!
//! The kernel values of a block with itself are evaluated, the block is solved by [`smo`](super::smo), and `f = K b`
//! follows in one product over the rows that were changed. Half of the variables of a block stay in the next one (Joachims
//! 1999; Zanni, Serafini, Zanghirati 2006), which keeps the solver from going to and fro between two sets. Variables that
//! stand firmly at a bound are left out from time to time, and `f` with them; before the end they come back (shrinking). A
//! problem that is no larger than one block is solved by it alone.
//!
//! Radial kernels are evaluated in single precision at first. What that has come to is compared with exact values, and
//! where single precision shows, or a small tolerance asks for more, the solver goes on with exact ones.
//!
//! **Cost**: `n` kernel values for each variable that a block changes. **Memory**: the rows that the cache may hold.

use super::dual::{Dual, State};
use super::smo::Block;
use crate::batch::{Progress, Watch};
use crate::error::Result;
use crate::gram::KernelRows;
use std::time::{Duration, Instant};

/// Most variables of a block.
const BLOCK: usize = 1024;
/// Steps that are allowed without asking, altogether and per row: some seconds for a small problem that leads nowhere.
const STEPS: u64 = 2_000_000;
const STEPS_PER_ROW: u64 = 1000;
/// Blocks in a row that may pass without a better violation or objective before the solver is said to stall.
const STALLED: usize = 200;
/// Blocks between two looks at what can be left out, and the share of columns below which that is done.
const SHRINK_EVERY: u64 = 4;
const WORTH: f64 = 0.9;
/// The share of the first violation down to which single precision is gone on with, and the share of the tolerance by
/// which it may be off.
const ROUGHLY: f64 = 1e-4;
const UNSEEN: f64 = 0.1;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Violation of the conditions of a solution that is allowed.
    pub tolerance: f64,
    /// Steps of two variables; a thousand per row, though at least two million, where it is not given.
    pub iterations: Option<u64>,
    pub time: Option<Duration>,
}

/// Why the solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::batch) enum Stop {
    Solved,
    Iterations,
    Time,
    Asked,
    /// No step changes anything in the precision of the numbers.
    Stalled,
}

impl Stop {
    /// Why there is no solution, in words; nothing where there is one.
    pub(in crate::batch) fn why(self) -> Option<&'static str> {
        match self {
            Stop::Solved => None,
            Stop::Iterations => Some("max_iterations was reached"),
            Stop::Time => Some("max_time was reached"),
            Stop::Asked => Some("it was asked to stop"),
            Stop::Stalled => Some("no step changed anything any more in the precision of the numbers"),
        }
    }
}

/// What the solver found.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub state: State,
    /// What is left of the violation.
    pub violation: f64,
    pub steps: u64,
    pub stop: Stop,
    /// Kernel rows that were evaluated.
    pub evaluated: usize,
}

/// Solves from a given state on.
pub(super) fn solve(
    dual: &Dual,
    rows: &mut KernelRows<'_>,
    state: State,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<Solution> {
    let started = Instant::now();
    let mut run = Run::new(dual, rows, state);
    let most = limits.iterations.unwrap_or(STEPS.max(STEPS_PER_ROW * dual.rows as u64));
    let (mut first, mut idle) = (None, 0);
    loop {
        let violation = run.violation();
        let first = *first.get_or_insert(violation);
        let aim = if run.rows.is_rough() { limits.tolerance.max(ROUGHLY * first) } else { limits.tolerance };
        let within = violation <= aim;
        if (within || idle >= STALLED) && (run.widen() || run.refine(violation, limits.tolerance)?) {
            idle = 0;
            continue;
        }
        let stop = match () {
            () if within => Some(Stop::Solved),
            () if run.steps >= most => Some(Stop::Iterations),
            () if limits.time.is_some_and(|time| started.elapsed() >= time) => Some(Stop::Time),
            () if watch.stop_requested() => Some(Stop::Asked),
            () if idle >= STALLED => Some(Stop::Stalled),
            () => None,
        };
        if let Some(stop) = stop {
            run.widen();
            let (violation, evaluated) = (run.violation(), run.rows.evaluated());
            return Ok(Solution { state: run.state, violation, steps: run.steps, stop, evaluated });
        }
        tell(watch, first, violation, limits.tolerance);
        idle = if run.improves(violation) { 0 } else { idle + 1 };
        let left = most - run.steps;
        if !run.block(violation, limits.tolerance, left)? {
            idle = STALLED;
        }
        run.shrink();
    }
}

/// How far the violation has come on its way down, which is even on a logarithmic scale.
fn tell(watch: &dyn Watch, first: f64, violation: f64, tolerance: f64) {
    let way = |v: f64| (v / tolerance).ln().max(0.0);
    let share = if way(first) > 0.0 { 1.0 - way(violation) / way(first) } else { 1.0 };
    let done = (100.0 * share.clamp(0.0, 1.0)) as usize;
    watch.progress(&Progress::new("solving", done, Some(100)).detail(format!("violation {violation:.2e}")));
}

struct Run<'r, 'a> {
    dual: &'r Dual,
    rows: &'r mut KernelRows<'a>,
    state: State,
    /// Variables that are looked at, in ascending order.
    active: Vec<usize>,
    /// Variables of the last block that stay.
    kept: Vec<usize>,
    blocks: u64,
    steps: u64,
    /// The least violation and objective so far.
    best: (f64, f64),
}

impl<'r, 'a> Run<'r, 'a> {
    fn new(dual: &'r Dual, rows: &'r mut KernelRows<'a>, state: State) -> Self {
        let active = (0..dual.sign.len()).collect();
        let best = (f64::INFINITY, f64::INFINITY);
        Self { dual, rows, state, active, kept: Vec::new(), blocks: 0, steps: 0, best }
    }

    /// By how much the conditions of a solution are violated among the variables that are looked at.
    fn violation(&self) -> f64 {
        let extremes = self.dual.extremes(&self.state, self.active.iter().copied());
        extremes[0].violation().max(extremes[1].violation())
    }

    /// Leaves out variables at a bound that the present extremes would only press further against it.
    fn shrink(&mut self) {
        if !self.rows.is_rough() || !self.blocks.is_multiple_of(SHRINK_EVERY) {
            return;
        }
        let (dual, state) = (self.dual, &self.state);
        let extremes = dual.extremes(state, self.active.iter().copied());
        let stays = |v: usize| {
            let (e, ends) = (dual.error(state, v), &extremes[dual.group(v)]);
            match (dual.is_up(state, v), dual.is_low(state, v)) {
                (true, false) => e <= ends.largest_low,
                (false, true) => e >= ends.least_up,
                (both, _) => both,
            }
        };
        let active: Vec<usize> = self.active.iter().copied().filter(|&v| stays(v)).collect();
        let mut wanted = vec![false; dual.rows];
        active.iter().for_each(|&v| wanted[dual.row(v)] = true);
        let width = wanted.iter().filter(|wanted| **wanted).count();
        if (width as f64) < WORTH * self.rows.width() as f64 {
            // A variable whose row is looked at anyway costs nothing.
            self.active.retain(|&v| wanted[dual.row(v)]);
            self.kept.retain(|&v| wanted[dual.row(v)]);
            self.rows.focus(&wanted, dual.coefficients(&self.state.alpha));
        }
    }

    /// Looks at all variables again; false when it does already.
    fn widen(&mut self) -> bool {
        if self.active.len() == self.dual.sign.len() {
            return false;
        }
        self.rows.widen(&self.dual.coefficients(&self.state.alpha), &mut self.state.f);
        self.active = (0..self.dual.sign.len()).collect();
        true
    }

    /// Goes on with exact values where single precision is not enough; false when it is, or when they are exact.
    fn refine(&mut self, violation: f64, tolerance: f64) -> Result<bool> {
        if !self.rows.is_rough() {
            return Ok(false);
        }
        let beta = self.dual.coefficients(&self.state.alpha);
        if violation <= tolerance && self.rows.off(&beta, &self.state.f)? <= UNSEEN * tolerance {
            return Ok(false);
        }
        self.rows.leave_rough();
        self.best = (f64::INFINITY, f64::INFINITY);
        self.rows.multiply(&beta, &mut self.state.f)?;
        Ok(true)
    }

    /// Whether there is any progress worth the name.
    fn improves(&mut self, violation: f64) -> bool {
        let objective = self.dual.objective(&self.state);
        let better = objective < self.best.1 - 1e-13 * self.best.1.abs() || violation < 0.999 * self.best.0;
        self.best = (self.best.0.min(violation), self.best.1.min(objective));
        better
    }

    /// Works on one block; false when nothing could be changed.
    fn block(&mut self, violation: f64, tolerance: f64, most: u64) -> Result<bool> {
        let chosen = self.choose(tolerance);
        let dual = self.dual;
        let of_rows: Vec<usize> = chosen.iter().map(|&v| dual.row(v)).collect();
        let mut kernel = vec![0.0; chosen.len() * chosen.len()];
        self.rows.block(&of_rows, &mut kernel)?;
        let pick = |values: &[f64]| chosen.iter().map(|&v| values[v]).collect::<Vec<f64>>();
        let before = pick(&self.state.alpha);
        let mut block = Block {
            kernel,
            sign: pick(&dual.sign),
            upper: pick(&dual.upper),
            alpha: before.clone(),
            error: chosen.iter().map(|&v| dual.error(&self.state, v)).collect(),
            group: chosen.iter().map(|&v| dual.group(v)).collect(),
        };
        let whole = chosen.len() == dual.sign.len();
        // Exact blocks would be lost effort while the others are far from it.
        let within = if whole { tolerance } else { (0.1 * violation).max(0.5 * tolerance) };
        // So that limits and wishes to stop are heard of in between.
        let outcome = block.solve(within, most.min(100 * chosen.len() as u64));
        self.steps += outcome.steps;
        self.blocks += 1;
        let (mut changed, mut factors) = (Vec::new(), Vec::new());
        for (k, &v) in chosen.iter().enumerate() {
            if block.alpha[k] != before[k] {
                self.state.alpha[v] = block.alpha[k];
                changed.push(of_rows[k]);
                factors.push(dual.sign[v] * (block.alpha[k] - before[k]));
            }
        }
        self.rows.add(&changed, &factors, &mut self.state.f)?;
        let stalled = changed.is_empty() || (whole && outcome.stuck);
        Ok(!stalled)
    }

    /// The variables of the next block: half of the last one, then those that violate most, as many from above as from
    /// below.
    fn choose(&mut self, tolerance: f64) -> Vec<usize> {
        let (dual, state) = (self.dual, &self.state);
        let total = dual.sign.len();
        let most = BLOCK;
        if self.active.len() <= most {
            return self.active.clone();
        }
        let mut chosen = std::mem::take(&mut self.kept);
        chosen.truncate(most / 2);
        let mut taken = vec![false; total];
        chosen.iter().for_each(|&v| taken[v] = true);
        let extremes = dual.extremes(state, self.active.iter().copied());
        let mut candidates: Vec<Vec<(f64, usize)>> = vec![Vec::new(); 4];
        for v in self.active.iter().copied().filter(|&v| !taken[v]) {
            let (e, g) = (dual.error(state, v), dual.group(v));
            if dual.is_up(state, v) && e < extremes[g].largest_low - tolerance {
                candidates[2 * g].push((e, v));
            }
            if dual.is_low(state, v) && e > extremes[g].least_up + tolerance {
                candidates[2 * g + 1].push((-e, v));
            }
        }
        let wanted = most - chosen.len();
        for list in &mut candidates {
            let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if list.len() > wanted {
                list.select_nth_unstable_by(wanted - 1, order);
                list.truncate(wanted);
            }
            list.sort_unstable_by(order);
        }
        let fresh = chosen.len();
        for rank in 0..wanted {
            for (_, v) in candidates.iter().filter_map(|list| list.get(rank)) {
                if chosen.len() < most && !std::mem::replace(&mut taken[*v], true) {
                    chosen.push(*v);
                }
            }
        }
        // What came last stays once more; a block of nothing new is forgotten.
        self.kept = chosen[fresh..].to_vec();
        chosen
    }
}
