//! One machine for each output, and the model that they make together.

use super::decompose::{Limits, Solution, Stop, solve};
use super::dual::{Dual, State};
use super::forms::{Numbers, SvmForm};
use crate::batch::{Problem, Target, Watch};
use crate::error::Result;
use crate::expansion::Expansion;
use crate::gram::{KernelRows, Memory, Plan};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use crate::model::{Decision, Task};
use rayon::prelude::*;

/// Machines that are trained side by side share the memory in so many parts.
pub(super) const SIDE_BY_SIDE: u64 = 4;

/// What one output is learnt from.
pub(super) struct Part {
    /// Rows of the problem; all of them where it is `None`.
    pub rows: Option<Vec<usize>>,
    /// -1 and +1, or numbers, or nothing.
    pub y: Vec<f64>,
    pub weights: Vec<f64>,
}

/// A solved machine.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Coefficients, one per row of its part.
    pub beta: Vec<f64>,
    pub bias: f64,
    pub epsilon: Option<f64>,
    /// Where the solver stands, to go on from; nothing for a machine that had nothing to solve.
    pub state: Option<State>,
    pub report: Report,
}

/// How a machine was solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub stop: Stop,
    pub violation: f64,
    /// The dual objective, as LIBSVM counts it.
    pub objective: f64,
    /// Difference of the primal and the dual objective.
    pub gap: f64,
    pub steps: u64,
    pub evaluated: usize,
    pub support: usize,
    pub bounded: usize,
    /// How the kernel matrix stood at the end.
    pub matrix: Option<Plan>,
}

/// What the machines of a problem learn from: one output per pair of classes (one for two classes, whose second is
/// +1), or per column of the target.
pub(super) fn parts(problem: &Problem<'_>, class_factors: &[f64]) -> Vec<Part> {
    let n = problem.x.rows();
    let weight = |i: usize| problem.weights.map_or(1.0, |weights| weights[i]);
    let all = || (0..n).map(weight).collect::<Vec<f64>>();
    match problem.target {
        Target::Density => vec![Part { rows: None, y: Vec::new(), weights: all() }],
        Target::Values(y) => (0..y.cols())
            .map(|c| Part { rows: None, y: y.iter().map(|row| row[c]).collect(), weights: all() })
            .collect(),
        Target::Classes { codes, count } => {
            let weighted = |i: usize| weight(i) * class_factors[codes[i]];
            if count == 2 {
                let y = codes.iter().map(|code| if *code == 1 { 1.0 } else { -1.0 }).collect();
                return vec![Part { rows: None, y, weights: (0..n).map(weighted).collect() }];
            }
            let mut own: Vec<Vec<usize>> = vec![Vec::new(); count];
            (0..n).for_each(|i| own[codes[i]].push(i));
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
            pairs
                .map(|(a, b)| {
                    let mut rows = [own[a].as_slice(), &own[b]].concat();
                    rows.sort_unstable();
                    let y = rows.iter().map(|&i| if codes[i] == a { 1.0 } else { -1.0 }).collect();
                    let weights = rows.iter().map(|&i| weighted(i)).collect();
                    Part { rows: Some(rows), y, weights }
                })
                .collect()
        }
    }
}

/// What the outputs of these machines mean.
pub(super) fn task(problem: &Problem<'_>) -> Task {
    match (problem.target, problem.task()) {
        (Target::Density, _) => Task::OneClass,
        (Target::Classes { count, .. }, Task::Classification { classes, .. }) if count > 2 => {
            Task::Classification { classes, decision: Decision::OneVsOne }
        }
        (_, task) => task,
    }
}

/// How machines are solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub form: SvmForm,
    pub numbers: Numbers,
    pub limits: Limits,
    pub memory: Memory,
}

impl Settings {
    /// Solves the machines of all parts; `starts` are states to go on from, one per part, where there are any.
    pub(super) fn train(
        &self,
        kernel: &Kernel,
        x: Points<'_>,
        parts: &[Part],
        starts: &[Option<State>],
        watch: &dyn Watch,
    ) -> Result<Vec<Machine>> {
        let shared = if parts.len() == 1 { self.memory } else { self.memory.shared(SIDE_BY_SIDE) };
        let one = |(k, part): (usize, &Part)| {
            let start = starts.get(k).cloned().flatten();
            let chosen: Option<PointSet> = part.rows.as_ref().map(|rows| x.select(rows));
            let x = chosen.as_ref().map_or(x, PointSet::view);
            let mut rows = KernelRows::new(kernel, x, shared)?;
            self.machine(part, &mut rows, start, watch)
        };
        parts.par_iter().enumerate().with_max_len(1).map(one).collect()
    }

    /// Solves one machine on rows that may hold what an earlier one has evaluated.
    pub(super) fn machine(
        &self,
        part: &Part,
        rows: &mut KernelRows<'_>,
        start: Option<State>,
        watch: &dyn Watch,
    ) -> Result<Machine> {
        if let Some(constant) = self.constant(part) {
            return Ok(Machine::constant(part.weights.len(), constant));
        }
        let dual = self.form.dual(&part.y, &part.weights, &self.numbers);
        let state = match start {
            Some(state) => state,
            None => {
                let mut state = self.form.start(&dual, &part.weights, &self.numbers)?;
                if state.alpha.iter().any(|a| *a != 0.0) {
                    rows.multiply(&dual.coefficients(&state.alpha), &mut state.f)?;
                }
                state
            }
        };
        let solution = solve(&dual, rows, state, self.limits, watch)?;
        let finish = self.form.finish(&dual, &solution.state);
        let report = Report { matrix: Some(rows.plan()), ..Report::of(&dual, &solution) };
        let mut beta = dual.coefficients(&solution.state.alpha);
        beta.iter_mut().for_each(|b| *b *= finish.scale);
        Ok(Machine { beta, bias: finish.bias, epsilon: finish.epsilon, state: Some(solution.state), report })
    }

    /// The answer where there is nothing to tell apart: one class alone has rows that count.
    pub(super) fn constant(&self, part: &Part) -> Option<f64> {
        let counts = |sign: f64| part.y.iter().zip(&part.weights).any(|(y, w)| *y == sign && *w > 0.0);
        match self.form.classifies().then(|| (counts(-1.0), counts(1.0)))? {
            (true, true) => None,
            (_, true) => Some(1.0),
            _ => Some(-1.0),
        }
    }
}

impl Report {
    fn of(dual: &Dual, solution: &Solution) -> Self {
        let state = &solution.state;
        let objective = dual.objective(state);
        let used = |v: &usize| state.alpha[*v] > 0.0;
        let bounded = (0..dual.sign.len()).filter(|v| used(v) && state.alpha[*v] >= dual.upper[*v]).count();
        Report {
            stop: solution.stop,
            violation: solution.violation,
            objective,
            gap: dual.primal(state) + objective,
            steps: solution.steps,
            evaluated: solution.evaluated,
            support: (0..dual.sign.len()).filter(used).count(),
            bounded,
            matrix: None,
        }
    }
}

impl Machine {
    /// One that gives the same answer everywhere.
    fn constant(rows: usize, value: f64) -> Self {
        let report = Report {
            stop: Stop::Solved,
            violation: 0.0,
            objective: 0.0,
            gap: 0.0,
            steps: 0,
            evaluated: 0,
            support: 0,
            bounded: 0,
            matrix: None,
        };
        Machine { beta: vec![0.0; rows], bias: value, epsilon: None, state: None, report }
    }
}

/// The function of all machines over one shared set of vectors.
pub(super) fn assemble(
    kernel: &Kernel,
    x: Points<'_>,
    parts: &[Part],
    machines: &[Machine],
) -> Result<Expansion> {
    let (n, outputs) = (x.rows(), machines.len());
    let mut all = Matrix::zeros(n, outputs);
    for (c, (part, machine)) in parts.iter().zip(machines).enumerate() {
        for (k, beta) in machine.beta.iter().enumerate() {
            let i = part.rows.as_ref().map_or(k, |rows| rows[k]);
            all[(i, c)] = *beta;
        }
    }
    let mut vectors: Vec<usize> = (0..n).filter(|&i| all.row(i).iter().any(|b| *b != 0.0)).collect();
    if vectors.is_empty() {
        // A constant: some vector has to stand there, with weight 0.
        vectors.push(0);
    }
    let weights = all.view().select(&vectors);
    let bias = machines.iter().map(|machine| machine.bias).collect();
    Expansion::new(kernel.clone(), x.select(&vectors), weights)?.with_bias(bias)
}
