//! The solver: blocks of several hundred variables that violate the conditions of a solution most, one after the other.
//!
//! Of each block the kernel rows are evaluated together (those that the cache does not hold), the block is solved by
//! [`smo`](super::smo), and `f = K b` follows in one product over its rows. Half of the variables of a block stay in the
//! next one (Joachims 1999; Zanni, Serafini, Zanghirati 2006), which keeps the solver from going to and fro between two
//! sets. A problem that is no larger than one block is solved by it alone.
//!
//! **Cost**: a kernel row for each row of the data that ever enters a block, `n` operations per row and block.
//! **Memory**: the rows that the cache may hold.

use super::dual::{Dual, State};
use super::rows::KernelRows;
use super::smo::Block;
use crate::batch::{Progress, Watch};
use std::time::{Duration, Instant};

/// Most variables of a block.
const BLOCK: usize = 1024;
/// Steps that are allowed without asking: as many as LIBSVM takes.
const STEPS: u64 = 10_000_000;
/// Blocks in a row that may pass without a better violation or objective before the solver is said to stall.
const STALLED: usize = 200;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Violation of the conditions of a solution that is allowed.
    pub tolerance: f64,
    /// Steps of two variables; a hundred per row, though at least ten million, where it is not given.
    pub iterations: Option<u64>,
    pub time: Option<Duration>,
}

/// Why the solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Solved,
    Iterations,
    Time,
    Asked,
    /// No step changes anything in the precision of the numbers.
    Stalled,
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
) -> Solution {
    let started = Instant::now();
    let mut run = Run { dual, rows, state, kept: Vec::new(), steps: 0, best: (f64::INFINITY, f64::INFINITY) };
    let most = limits.iterations.unwrap_or(STEPS.max(100 * dual.rows as u64));
    let (mut first, mut idle) = (None, 0);
    loop {
        let extremes = dual.extremes(&run.state);
        let violation = extremes[0].violation().max(extremes[1].violation());
        let stop = match () {
            () if violation <= limits.tolerance => Some(Stop::Solved),
            () if run.steps >= most => Some(Stop::Iterations),
            () if limits.time.is_some_and(|time| started.elapsed() >= time) => Some(Stop::Time),
            () if watch.stop_requested() => Some(Stop::Asked),
            () if idle >= STALLED => Some(Stop::Stalled),
            () => None,
        };
        if let Some(stop) = stop {
            let evaluated = run.rows.evaluated();
            return Solution { state: run.state, violation, steps: run.steps, stop, evaluated };
        }
        let first = *first.get_or_insert(violation);
        tell(watch, first, violation, limits.tolerance);
        idle = if run.improves(violation) { 0 } else { idle + 1 };
        let left = most - run.steps;
        if !run.block(violation, limits.tolerance, left) {
            idle = STALLED;
        }
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
    /// Variables of the last block that stay.
    kept: Vec<usize>,
    steps: u64,
    /// The least violation and objective so far.
    best: (f64, f64),
}

impl Run<'_, '_> {
    /// Whether there is any progress worth the name.
    fn improves(&mut self, violation: f64) -> bool {
        let objective = self.dual.objective(&self.state);
        let better = objective < self.best.1 - 1e-13 * self.best.1.abs() || violation < 0.999 * self.best.0;
        self.best = (self.best.0.min(violation), self.best.1.min(objective));
        better
    }

    /// Works on one block; false when nothing could be changed.
    fn block(&mut self, violation: f64, tolerance: f64, most: u64) -> bool {
        let chosen = self.choose(tolerance);
        let dual = self.dual;
        let of_rows: Vec<usize> = chosen.iter().map(|&v| v % dual.rows).collect();
        self.rows.hold(&of_rows);
        let mut kernel = vec![0.0; chosen.len() * chosen.len()];
        self.rows.block(&of_rows, &mut kernel);
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
        let most_here = if whole { most } else { most.min(100 * chosen.len() as u64) };
        let outcome = block.solve(within, most_here);
        self.steps += outcome.steps;
        let (mut changed, mut factors) = (Vec::new(), Vec::new());
        for (k, &v) in chosen.iter().enumerate() {
            if block.alpha[k] != before[k] {
                self.state.alpha[v] = block.alpha[k];
                changed.push(of_rows[k]);
                factors.push(dual.sign[v] * (block.alpha[k] - before[k]));
            }
        }
        self.rows.add(&changed, &factors, &mut self.state.f);
        let stalled = changed.is_empty() || (whole && outcome.stuck);
        !stalled
    }

    /// The variables of the next block: half of the last one, then those that violate most, as many from above as from
    /// below.
    fn choose(&mut self, tolerance: f64) -> Vec<usize> {
        let (dual, state) = (self.dual, &self.state);
        let total = dual.sign.len();
        let most = BLOCK.min(self.rows.room()).max(2);
        if total <= most {
            return (0..total).collect();
        }
        let mut chosen = std::mem::take(&mut self.kept);
        chosen.truncate(if most >= 4 { most / 2 } else { 0 });
        let mut taken = vec![false; total];
        chosen.iter().for_each(|&v| taken[v] = true);
        let extremes = dual.extremes(state);
        let mut candidates: Vec<Vec<(f64, usize)>> = vec![Vec::new(); 4];
        for v in (0..total).filter(|&v| !taken[v]) {
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
