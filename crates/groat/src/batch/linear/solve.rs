//! Dual coordinate descent: one coefficient after the other, in random order, each as good as it can be while the others
//! stay. Coefficients that press against a bound are left out of the rounds and looked at again at the end.
//!
//! A constant that is not penalised asks for `sum_i b_i = 0` in the dual, which one coefficient alone cannot keep. The
//! constant is therefore the multiplier of that condition in an augmented Lagrangian: the answer is `w'x + c + r s` with
//! `s = sum_i b_i`, and whenever the coefficients are settled well enough, `c` takes over `r s`. At the end `s` is 0.

use super::losses::{LinearLoss, Single};
use crate::batch::svm::Stop;
use crate::batch::{Progress, Watch};
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::{Point, Points};
use crate::simd::{axpy, dot};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Rounds over all rows that are allowed without asking, and the numbers that may be looked at in small problems.
const ROUNDS: u64 = 1000;
const NUMBERS: u64 = 200_000_000;
/// The share of the constant's error below which the coefficients count as settled.
const SETTLED: f64 = 0.3;
/// A slope below this share of all costs counts as none.
const FLAT: f64 = 1e-9;
/// Rows of one task of a sum.
const CHUNK: usize = 1024;

/// One output to be learnt.
pub(super) struct Output<'a> {
    pub x: Points<'a>,
    /// -1 and +1, or numbers.
    pub y: &'a [f64],
    /// What each row costs; 0 leaves it out.
    pub costs: &'a [f64],
    pub loss: LinearLoss,
    pub epsilon: f64,
    /// Whether the constant is penalised like the coefficients.
    pub penalise: bool,
    pub tolerance: f64,
    pub rounds: Option<u64>,
    pub time: Option<Duration>,
    pub seed: u64,
    /// The machine to go on from.
    pub start: Option<Start>,
}

/// Coefficients and constant of an earlier machine. The dual variables that led to them are not kept in a model; the
/// slopes of the losses at its answers stand in for them, which is what they are at a solution.
pub(super) struct Start {
    w: Vec<f64>,
    constant: f64,
}

impl Start {
    /// One output of a linear function; nothing where it is of another shape.
    pub fn of(function: &Expansion, output: usize) -> Option<Self> {
        if *function.kernel() != Kernel::Linear || output >= function.outputs() {
            return None;
        }
        let mut w = vec![0.0; function.features()];
        for v in 0..function.size() {
            add(function.vectors().point(v), function.weights().row(v)[output], &mut w);
        }
        Some(Self { w, constant: function.bias().map_or(0.0, |bias| bias[output]) })
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    pub w: Vec<f64>,
    pub bias: f64,
    pub violation: f64,
    pub rounds: u64,
    pub stop: Stop,
    pub primal: f64,
    pub dual: f64,
}

struct Run<'a, 'o> {
    output: &'o Output<'a>,
    squares: Vec<f64>,
    beta: Vec<f64>,
    w: Vec<f64>,
    /// `c`, `r` and `s`.
    constant: f64,
    ratio: f64,
    sum: f64,
}

fn inner(x: Point<'_>, w: &[f64]) -> f64 {
    match x {
        Point::Dense(row) => dot(row, w),
        Point::Sparse(columns, values) => {
            // Four sums, so that none waits for itself.
            let ((by_four, rest), (fours, left)) = (columns.as_chunks::<4>(), values.as_chunks::<4>());
            let mut sums = [0.0; 4];
            for (c, v) in by_four.iter().zip(fours) {
                for k in 0..4 {
                    sums[k] += v[k] * w[c[k] as usize];
                }
            }
            let last: f64 = rest.iter().zip(left).map(|(c, v)| v * w[*c as usize]).sum();
            (sums[0] + sums[1]) + (sums[2] + sums[3]) + last
        }
    }
}

fn add(x: Point<'_>, factor: f64, w: &mut [f64]) {
    match x {
        Point::Dense(row) => axpy(factor, row, w),
        Point::Sparse(columns, values) => {
            columns.iter().zip(values).for_each(|(c, v)| w[*c as usize] += factor * v);
        }
    }
}

/// Learns one output.
pub(super) fn solve(output: &Output<'_>, watch: &dyn Watch) -> Solved {
    let mut run = Run::new(output);
    let mut rng = Pcg64::seed_from_u64(output.seed);
    let all: Vec<usize> = (0..output.y.len()).filter(|&i| output.costs[i] > 0.0).collect();
    let mut active = all.clone();
    let numbers = match output.x {
        Points::Dense(rows) => rows.data().len(),
        Points::Sparse(rows) => rows.nonzeros(),
    } as u64;
    let most = output.rounds.unwrap_or(u64::MAX);
    // Rounds are short while most rows are left out: what counts is how many rows are looked at.
    let mut visits = ROUNDS.max(NUMBERS / numbers.max(1)).saturating_mul(all.len() as u64);
    // What presses harder than this against its bound is left out.
    let mut pressure = f64::INFINITY;
    let started = Instant::now();
    let (mut rounds, mut violation, mut stop) = (0, f64::INFINITY, Stop::Iterations);
    while rounds < most && (visits > 0 || output.rounds.is_some()) {
        if watch.stop_requested() {
            stop = Stop::Asked;
            break;
        }
        if output.time.is_some_and(|most| started.elapsed() > most) {
            stop = Stop::Time;
            break;
        }
        active.shuffle(&mut rng);
        visits = visits.saturating_sub(active.len().max(1) as u64);
        violation = run.round(&mut active, pressure);
        rounds += 1;
        let off = run.constant_off();
        if rounds.is_multiple_of(10) {
            watch.progress(&Progress::new("solving", 0, None).detail(format!("violation {violation:.2e}")));
        }
        pressure = if violation > 0.0 { violation } else { f64::INFINITY };
        if violation <= output.tolerance.max(SETTLED * off) {
            if off > output.tolerance {
                run.settle();
                pressure = f64::INFINITY;
                active.clone_from(&all);
            } else if active.len() < all.len() {
                pressure = f64::INFINITY;
                active.clone_from(&all);
            } else if violation <= output.tolerance {
                stop = Stop::Solved;
                break;
            }
        }
    }
    run.finish(violation, rounds, stop)
}

impl<'a, 'o> Run<'a, 'o> {
    fn new(output: &'o Output<'a>) -> Self {
        let n = output.y.len();
        let squares: Vec<f64> = (0..n).map(|i| output.x.point(i).squared_length()).collect();
        let mean = squares.iter().sum::<f64>() / n as f64;
        let ratio = if output.penalise || mean <= 0.0 { 1.0 } else { mean };
        let nothing = |i: usize| output.loss.start(output.y[i], output.costs[i]);
        let cold = Self::at((0..n).map(nothing).collect(), output, squares, ratio);
        let Some(start) = output.start.as_ref().filter(|start| start.w.len() == output.x.cols()) else {
            return cold;
        };
        let slope = |i: usize| {
            let f = inner(output.x.point(i), &start.w) + start.constant;
            output.loss.slope(output.y[i], output.costs[i], f, output.epsilon)
        };
        let mut warm = Self::at((0..n).map(slope).collect(), output, cold.squares.clone(), ratio);
        if !output.penalise {
            warm.constant = start.constant - ratio * warm.sum;
        }
        // Slopes at a machine that is far from a solution may lead further away than none.
        if warm.dual() > cold.dual() { warm } else { cold }
    }

    fn at(beta: Vec<f64>, output: &'o Output<'a>, squares: Vec<f64>, ratio: f64) -> Self {
        let mut w = vec![0.0; output.x.cols()];
        for (i, b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            add(output.x.point(i), *b, &mut w);
        }
        let sum = beta.iter().sum();
        Self { output, squares, beta, w, constant: 0.0, ratio, sum }
    }

    /// The dual objective, with what the constant costs where it is kept small.
    fn dual(&self) -> f64 {
        let output = self.output;
        let conjugate = |i: usize| {
            if output.costs[i] == 0.0 {
                return 0.0;
            }
            output.loss.conjugate(output.y[i], output.costs[i], self.beta[i], output.epsilon)
        };
        let mut half = dot(&self.w, &self.w) / 2.0;
        if output.penalise {
            half += (self.ratio * self.sum).powi(2) / 2.0;
        }
        (0..output.y.len()).map(conjugate).sum::<f64>() - half
    }

    /// Every active row once; the largest violation that was met.
    fn round(&mut self, active: &mut Vec<usize>, pressure: f64) -> f64 {
        let output = self.output;
        let mut worst: f64 = 0.0;
        active.retain(|&i| {
            let (x, beta) = (output.x.point(i), self.beta[i]);
            let f = inner(x, &self.w) + self.constant + self.ratio * self.sum;
            let square = self.squares[i] + self.ratio;
            let row = Single { y: output.y[i], cost: output.costs[i], square, beta, f };
            let update = output.loss.update(row, output.epsilon);
            if update.pressed > pressure {
                return false;
            }
            worst = worst.max(update.violation);
            let step = update.beta - beta;
            if step != 0.0 {
                add(x, step, &mut self.w);
                self.sum += step;
                self.beta[i] = update.beta;
            }
            true
        });
        worst
    }

    /// By how much the constant is not what it should be.
    fn constant_off(&self) -> f64 {
        if self.output.penalise { 0.0 } else { (self.ratio * self.sum).abs() }
    }

    /// The constant takes over what the condition on the sum has pulled.
    fn settle(&mut self) {
        self.constant += self.ratio * self.sum;
    }

    /// The constant that goes best with the coefficients where the losses are straight lines with a bend: the middle of
    /// those that do equally well. Nothing for losses that are curved.
    fn best_constant(&self) -> Option<f64> {
        let output = self.output;
        // Where the slope of the objective rises, and by how much; far below it is `slope`.
        let (mut bends, mut slope, mut total) = (Vec::new(), 0.0, 0.0);
        for i in (0..output.y.len()).filter(|&i| output.costs[i] > 0.0) {
            let (y, cost, f) = (output.y[i], output.costs[i], inner(output.x.point(i), &self.w));
            total += cost;
            match output.loss {
                LinearLoss::Hinge => {
                    bends.push((y - f, cost));
                    slope -= if y > 0.0 { cost } else { 0.0 };
                }
                LinearLoss::Epsilon => {
                    bends.extend([(y - f - output.epsilon, cost), (y - f + output.epsilon, cost)]);
                    slope -= cost;
                }
                _ => return None,
            }
        }
        bends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let flat = FLAT * total;
        let mut first = None;
        for (at, more) in bends {
            slope += more;
            if slope >= -flat && first.is_none() {
                first = Some(at);
            }
            if slope > flat {
                return first.map(|first| (first + at) / 2.0);
            }
        }
        first
    }

    fn finish(self, violation: f64, rounds: u64, stop: Stop) -> Solved {
        let output = self.output;
        let found = self.constant + self.ratio * self.sum;
        let bias = if output.penalise { found } else { self.best_constant().unwrap_or(found) };
        let parts: Vec<f64> = (0..output.y.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|c| {
                let rows = c * CHUNK..output.y.len().min((c + 1) * CHUNK);
                rows.map(|i| {
                    let f = inner(output.x.point(i), &self.w) + bias;
                    output.costs[i] * output.loss.loss(output.y[i], f, output.epsilon)
                })
                .sum()
            })
            .collect();
        let mut half = dot(&self.w, &self.w) / 2.0;
        if output.penalise {
            half += bias * bias / 2.0;
        }
        let dual = self.dual();
        let primal = half + parts.iter().sum::<f64>();
        Solved { w: self.w, bias, violation, rounds, stop, primal, dual }
    }
}
