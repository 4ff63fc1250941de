//! Multikernel normalised LMS with coherence-based sparsification (Yukawa, Multikernel adaptive filtering,
//! 2012): the normalised step on the values of several kernels at once. `O(m)` a step and kernel.
//!
//! A sample enters when no kernel finds it coherent with a vector, so the widest kernel decides.

use super::Method;
use crate::error::Result;
use crate::expansion::Expansion;
use crate::online::presets::Plan;
use crate::online::state::stack::Stack;
use crate::online::state::step_size::{normalised, sound};
use crate::online::step::Step;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Normalised LMS on stacked kernel values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MultikernelNlms {
    eta: f64,
    mu0: f64,
    eps: f64,
    stack: Stack,
}

impl MultikernelNlms {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        Ok(Self {
            eta: values.number("eta")?,
            mu0: values.number("mu0")?,
            eps: values.number("eps")?,
            stack: Stack::new(plan)?,
        })
    }
}

impl Method for MultikernelNlms {
    fn size(&self) -> usize {
        self.stack.len()
    }

    fn output(&self, x: &[f64]) -> f64 {
        self.stack.layers.iter().map(|layer| layer.output(x)).sum()
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        self.stack.observe(x);
        let prediction: f64 = (0..self.stack.layers.len()).map(|p| self.stack.output_of(p)).sum();
        let error = y - prediction;
        let mut step = Step { prediction, error, ..Step::default() };
        if !sound(self.eta * error) {
            return Step { refused: true, ..step };
        }
        step.admitted = self.stack.coherence() <= self.mu0;
        step.projected = !step.admitted;
        if step.admitted {
            self.stack.push(x, |_| 0.0);
        }
        let Stack { layers, k } = &mut self.stack;
        let norm: f64 = k.iter().map(|k| dot(k, k)).sum();
        let gain = normalised(self.eta, Some(self.eps), norm) * error;
        if sound(gain) {
            for (layer, k) in layers.iter_mut().zip(k) {
                axpy(gain, k, &mut layer.alpha);
            }
        } else {
            step.refused = true;
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
        self.stack.memory_bytes()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.stack.check(dimension)
    }
}
