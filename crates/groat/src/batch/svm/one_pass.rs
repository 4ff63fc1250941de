//! One pass over the rows, each learnt from once, as LASVM does it (Bordes, Ertekin, Weston, Bottou 2005).
//!
//! Every row that violates its margin joins the vectors with one step of two coefficients (PROCESS); one more step
//! between the two that violate most follows (REPROCESS), and vectors that have become idle leave. At the end such steps go
//! on until the vectors that are there satisfy the tolerance. It is the yardstick for the chunked training, not a method
//! to be preferred: rows that were passed by are not looked at again.

use super::SupportVectorMachine;
use super::forms::Numbers;
use crate::batch::{Problem, Progress, Target, Watch};
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::gram::Growing;
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Steps at the end, per vector.
const LAST_STEPS: usize = 20;
/// A curvature that is not positive is taken for this.
const FLAT: f64 = 1e-12;

/// The vectors so far. A coefficient lies between 0 and `bound`, which has the sign of the class.
struct Vectors {
    kernels: Growing,
    sign: Vec<f64>,
    bound: Vec<f64>,
    beta: Vec<f64>,
    /// `y - f`, without the constant.
    slope: Vec<f64>,
    rows: [Vec<f64>; 2],
}

impl SupportVectorMachine {
    /// Two classes in one pass: the function, and what is left of the violation.
    pub(super) fn one_pass_over(
        &self,
        kernel: &Kernel,
        numbers: &Numbers,
        problem: &Problem<'_>,
        factors: &[f64],
        watch: &dyn Watch,
    ) -> Result<(Expansion, f64)> {
        let (Target::Classes { codes, count: 2 }, Some(x)) = (problem.target, problem.x.dense()) else {
            return Err(Error::parameter("one_pass", true, "two classes and dense rows"));
        };
        let mut order: Vec<usize> = (0..x.rows()).collect();
        order.shuffle(&mut Pcg64::seed_from_u64(self.seed));
        let mut vectors = Vectors::new(kernel, x.cols())?;
        for (done, &i) in order.iter().enumerate() {
            if done.is_multiple_of(1000) {
                watch.progress(&Progress::new("one pass", done, Some(x.rows())));
                if watch.stop_requested() {
                    return Err(Error::Stopped);
                }
            }
            let weight = problem.weights.map_or(1.0, |weights| weights[i]) * factors[codes[i]];
            let sign = if codes[i] == 1 { 1.0 } else { -1.0 };
            if weight > 0.0 && vectors.process(x.row(i), sign, numbers.cost * weight, self.tolerance)? {
                vectors.reprocess(self.tolerance);
                vectors.drop_idle();
            }
        }
        let most = LAST_STEPS * vectors.beta.len();
        for done in 0..most {
            let asked = done.is_multiple_of(1000) && {
                watch.progress(&Progress::new("last steps", done, Some(most)));
                watch.stop_requested()
            };
            // The model so far is as sound as one a few steps later.
            if asked || !vectors.reprocess(self.tolerance) {
                break;
            }
        }
        let (up, low) = vectors.extremes();
        let high = up.map_or(f64::NAN, |i| vectors.slope[i]);
        let least = low.map_or(f64::NAN, |j| vectors.slope[j]);
        let bias = [(high + least) / 2.0, high, least].into_iter().find(|b| b.is_finite()).unwrap_or(0.0);
        let violation = (high - least).max(0.0);
        let function =
            Expansion::new(kernel.clone(), vectors.kernels.to_matrix(), Matrix::column(vectors.beta))?;
        Ok((function.with_bias(vec![bias])?, violation))
    }
}

impl Vectors {
    fn new(kernel: &Kernel, features: usize) -> Result<Self> {
        Ok(Self {
            kernels: Growing::new(kernel, features)?,
            sign: Vec::new(),
            bound: Vec::new(),
            beta: Vec::new(),
            slope: Vec::new(),
            rows: [Vec::new(), Vec::new()],
        })
    }

    fn most(&self, i: usize) -> f64 {
        self.bound[i].max(0.0)
    }

    fn least(&self, i: usize) -> f64 {
        self.bound[i].min(0.0)
    }

    /// The vector that may rise and wants it most, and the one that may fall and wants it most.
    fn extremes(&self) -> (Option<usize>, Option<usize>) {
        let (mut up, mut low): (Option<usize>, Option<usize>) = (None, None);
        for i in 0..self.beta.len() {
            if self.beta[i] < self.most(i) && up.is_none_or(|u| self.slope[i] > self.slope[u]) {
                up = Some(i);
            }
            if self.beta[i] > self.least(i) && low.is_none_or(|l| self.slope[i] < self.slope[l]) {
                low = Some(i);
            }
        }
        (up, low)
    }

    /// Lets a row join if it violates its margin; false when it does not.
    fn process(&mut self, x: &[f64], sign: f64, cost: f64, tolerance: f64) -> Result<bool> {
        self.kernels.row(x, &mut self.rows[0]);
        let slope = sign - crate::simd::dot(&self.rows[0], &self.beta);
        let (up, low) = self.extremes();
        let other = if sign > 0.0 { low } else { up };
        let apart = other.map_or(f64::INFINITY, |o| sign * (slope - self.slope[o]));
        if apart <= tolerance {
            return Ok(false);
        }
        self.kernels.push(x)?;
        self.sign.push(sign);
        self.bound.push(sign * cost);
        self.beta.push(0.0);
        self.slope.push(slope);
        if let Some(other) = other {
            let new = self.beta.len() - 1;
            let (i, j) = if sign > 0.0 { (new, other) } else { (other, new) };
            self.step(i, j);
        }
        Ok(true)
    }

    /// One step between the two that violate most; false when nothing violates.
    fn reprocess(&mut self, tolerance: f64) -> bool {
        let (Some(i), Some(j)) = self.extremes() else { return false };
        self.slope[i] - self.slope[j] > tolerance && self.step(i, j)
    }

    /// Raises `i` and lowers `j` as far as is good; false when nothing changes.
    fn step(&mut self, i: usize, j: usize) -> bool {
        for (place, row) in [i, j].into_iter().zip(&mut self.rows) {
            self.kernels.row_of(place, row);
        }
        let [first, second] = &self.rows;
        let curvature = (first[i] + second[j] - 2.0 * first[j]).max(FLAT);
        let wanted = (self.slope[i] - self.slope[j]) / curvature;
        let step = wanted.min(self.most(i) - self.beta[i]).min(self.beta[j] - self.least(j));
        if step <= 0.0 {
            return false;
        }
        self.beta[i] += step;
        self.beta[j] -= step;
        for (slope, (a, b)) in self.slope.iter_mut().zip(first.iter().zip(second)) {
            *slope -= step * (a - b);
        }
        true
    }

    /// Vectors without weight that lie beyond the extremes of their side leave.
    fn drop_idle(&mut self) {
        let (Some(up), Some(low)) = self.extremes() else { return };
        let (high, least) = (self.slope[up], self.slope[low]);
        for i in (0..self.beta.len()).rev() {
            let beyond = if self.sign[i] > 0.0 { self.slope[i] <= least } else { self.slope[i] >= high };
            if self.beta[i] == 0.0 && beyond {
                self.kernels.swap_remove(i);
                for values in [&mut self.sign, &mut self.bound, &mut self.beta, &mut self.slope] {
                    values.swap_remove(i);
                }
            }
        }
    }
}
