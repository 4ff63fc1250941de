//! Kernel adaptive projected subgradient method (Slavakis, Theodoridis, Yamada, Online kernel-based
//! classification using adaptive projection algorithms, 2008): any convex loss, the last `tau`
//! samples at once. `O(m + tau^2)` a step.
//!
//! The subgradient projection of the model onto the set where the loss at sample `j` vanishes moves it by
//! `d_j k(x_j, .)` with `d_j = L_j / (g_j k(x_j,x_j))`, `L_j` the loss and `g_j` minus its derivative by
//! the output. The step is `eta` times their mean, then the model is projected onto the ball of norm
//! `radius`, which forgets the past: its weights are scaled by `radius / |f|` if it lies outside. The
//! oldest of more than `budget` vectors leaves. `|f|^2` is carried along and computed afresh now and then.

use super::Method;
use crate::error::{Error, Result};
use crate::online::parts::loss::Loss;
use crate::online::parts::loss::Meaning;
use crate::online::presets::Plan;
use crate::online::state::basis::{Basis, check_saved};
use crate::online::state::step_size::sound;
use crate::online::state::tables::Rows;
use crate::online::state::window::Window;
use crate::online::step::{Reading, Step};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Projected subgradients over a window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProjectedSubgradient {
    eta: f64,
    loss: Loss,
    radius: f64,
    budget: usize,
    basis: Basis,
    window: Window,
    /// `|f|^2`.
    norm: f64,
    /// Vectors that left since the norm was last computed afresh.
    left: usize,
    /// Times the ball was left.
    projections: u64,
    #[serde(skip)]
    delta: Vec<f64>,
    #[serde(skip)]
    rows: Rows,
}

impl ProjectedSubgradient {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let loss = Loss::new(values)?;
        if !loss.is_convex() {
            return Err(Error::parse(
                "loss",
                values.text("loss")?,
                "subgradient projections need a convex loss",
            ));
        }
        let budget = values.count("budget")?;
        Ok(Self {
            eta: values.number("eta")?,
            loss,
            radius: values.number("radius")?,
            budget,
            basis: Basis::new(plan)?,
            window: Window::new(values.count("tau")?.min(budget)),
            norm: 0.0,
            left: 0,
            projections: 0,
            delta: Vec::new(),
            rows: Rows::default(),
        })
    }

    /// The mean of the subgradient projections, into the buffer; false if it cannot be used.
    fn change(&mut self) -> bool {
        let q = self.window.len();
        self.delta.clear();
        for j in 0..q {
            let (y, output) = self.window.sample(j);
            let (loss, pull) = (self.loss.value(y, output), self.loss.pull(y, output));
            let slope = pull * self.window.gram.diagonal(j);
            let step = if loss > 0.0 && slope != 0.0 { loss / slope } else { 0.0 };
            self.delta.push(self.eta / q as f64 * step);
        }
        self.delta.iter().all(|d| sound(*d))
    }

    /// Scales the model back into the ball.
    fn contain(&mut self) {
        let norm = self.norm.max(0.0).sqrt();
        if norm > self.radius {
            let factor = self.radius / norm;
            self.basis.dictionary.decay(factor);
            self.window.outputs.iter_mut().for_each(|output| *output *= factor);
            self.norm = self.radius * self.radius;
            self.projections += 1;
        }
    }

    /// Lets the oldest vector go.
    fn drop_oldest(&mut self) {
        let weight = self.basis.dictionary.alpha[0];
        let k = self.rows.of(&self.basis.dictionary, 0);
        let output = dot(k, &self.basis.dictionary.alpha);
        self.norm += weight * (weight * k[0] - 2.0 * output);
        let first = k.len() - self.window.len();
        axpy(-weight, &k[first..], &mut self.window.outputs);
        self.basis.remove(0);
        self.left += 1;
        if self.left >= self.budget {
            self.left = 0;
            let dictionary = &self.basis.dictionary;
            let term = |i| dictionary.alpha[i] * dot(self.rows.of(dictionary, i), &dictionary.alpha);
            self.norm = (0..dictionary.len()).map(term).sum();
        }
    }
}

impl Method for ProjectedSubgradient {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        if step.refused {
            return step;
        }
        self.window.push(&self.basis, y, step.prediction);
        self.basis.push(x, 0.0);
        if self.change() {
            let first = self.basis.len() - self.window.len();
            axpy(1.0, &self.delta, &mut self.basis.dictionary.alpha[first..]);
            let cross = dot(&self.delta, &self.window.outputs);
            self.norm += 2.0 * cross + self.window.follow(1.0, &self.delta);
            self.contain();
        } else {
            step.refused = true;
        }
        step.admitted = true;
        if self.basis.len() > self.budget {
            self.drop_oldest();
            step.evicted = 1;
        }
        step
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes() + self.window.memory_bytes()
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        readings.push(Reading::new("norm", self.norm.max(0.0).sqrt(), "norm of the model"));
        readings.push(Reading::new("projections", self.projections as f64, "times it left the ball"));
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.window.check(self.basis.len())?;
        check_saved("norm", &[self.norm], 1)?;
        self.basis.dictionary.check(dimension)
    }

    fn meaning(&self) -> Meaning {
        self.loss.meaning()
    }

    fn check_target(&self, y: f64) -> Result<()> {
        self.loss.check_target(y)
    }
}
