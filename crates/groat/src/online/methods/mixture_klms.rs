//! Mixture kernel LMS (Pokharel, Seth, Principe, Mixture kernel least mean square, 2013): one
//! KLMS per kernel, mixed by a softmax gate that learns as well. `O(m)` a step and kernel.
//!
//! `f = sum_p psi_p f_p`, `psi = softmax(v)`. The squared error's gradient by the gate is
//! `-2 e psi_p (f_p - f)`, so `v_p += 2 eta_gate e psi_p (f_p - f)`; then the sample becomes a vector with
//! the weight `eta psi_p e` in layer `p`. A full dictionary stops learning.

use super::Method;
use crate::error::Result;
use crate::expansion::Expansion;
use crate::online::presets::Plan;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use crate::online::state::stack::Stack;
use crate::online::state::step_size::sound;
use crate::online::step::{Reading, Step};
use serde::{Deserialize, Serialize};

/// A gated mixture of kernel LMS learners.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MixtureKlms {
    eta: f64,
    eta_gate: f64,
    budget: usize,
    stack: Stack,
    /// `v`.
    #[serde(with = "bits")]
    gate: Vec<f64>,
    /// `psi`.
    #[serde(with = "bits")]
    shares: Vec<f64>,
    #[serde(skip)]
    outputs: Vec<f64>,
}

impl MixtureKlms {
    /// An empty one, all kernels with the same share.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let stack = Stack::new(plan)?;
        let equal = vec![1.0 / stack.layers.len() as f64; stack.layers.len()];
        Ok(Self {
            eta: values.number("eta")?,
            eta_gate: values.number("eta_gate")?,
            budget: values.count("budget")?,
            stack,
            gate: equal.clone(),
            shares: equal,
            outputs: Vec::new(),
        })
    }

    /// Moves the gate; false if it would leave the range of finite numbers.
    fn learn_gate(&mut self, error: f64, mixed: f64) -> bool {
        let rate = 2.0 * self.eta_gate * error;
        let moves = self.shares.iter().zip(&self.outputs).map(|(psi, output)| rate * psi * (output - mixed));
        if !moves.clone().all(sound) {
            return false;
        }
        self.gate.iter_mut().zip(moves).for_each(|(v, by)| *v += by);
        let largest = self.gate.iter().copied().fold(f64::MIN, f64::max);
        for (psi, v) in self.shares.iter_mut().zip(&self.gate) {
            *psi = (v - largest).exp();
        }
        let sum: f64 = self.shares.iter().sum();
        self.shares.iter_mut().for_each(|psi| *psi /= sum);
        true
    }
}

impl Method for MixtureKlms {
    fn size(&self) -> usize {
        self.stack.len()
    }

    fn output(&self, x: &[f64]) -> f64 {
        self.stack.layers.iter().zip(&self.shares).map(|(layer, psi)| psi * layer.output(x)).sum()
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        self.stack.observe(x);
        self.outputs.clear();
        self.outputs.extend((0..self.gate.len()).map(|p| self.stack.output_of(p)));
        let prediction: f64 = self.outputs.iter().zip(&self.shares).map(|(output, psi)| psi * output).sum();
        let error = y - prediction;
        let mut step = Step { prediction, error, ..Step::default() };
        if self.stack.len() < self.budget {
            step.admitted = sound(self.eta * error) && self.learn_gate(error, prediction);
            step.refused = !step.admitted;
            if step.admitted {
                let (weight, shares) = (self.eta * error, &self.shares);
                self.stack.push(x, |p| weight * shares[p]);
            }
        }
        step
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        self.stack.snapshot()
    }

    fn is_expansion(&self) -> bool {
        self.stack.has_one_kernel()
    }

    fn memory_bytes(&self) -> usize {
        self.stack.memory_bytes() + 2 * size_of_val(self.gate.as_slice())
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        let largest = self.shares.iter().copied().fold(0.0, f64::max);
        readings.push(Reading::new("largest_share", largest, "share of the kernel that counts most"));
    }

    fn check(&self, dimension: usize) -> Result<()> {
        let kernels = self.stack.layers.len();
        check_saved("gate", &self.gate, kernels)?;
        check_saved("shares of the kernels", &self.shares, kernels)?;
        self.stack.check(dimension)
    }
}
