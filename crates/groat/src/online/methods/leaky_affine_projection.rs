//! Leaky kernel affine projection (Liu, Principe, Kernel affine projection algorithms, 2008): every sample
//! becomes a vector, and the weights of the last `tau` move along their errors. `O(m + tau^2)` a step, and
//! `tau^3` for the normalised form.
//!
//! `alpha <- (1 - eta rho) alpha`, then on the window `alpha += eta e` (KAPA-1; KAPA-3 with `rho > 0`) or
//! `alpha += eta (G + eps I)^-1 e` (KAPA-2 and KAPA-4), with the errors `e` of the old weights. The first
//! weight is `eta y`. A full dictionary stops learning.

use super::Method;
use crate::error::Result;
use crate::online::presets::Plan;
use crate::online::state::basis::Basis;
use crate::online::state::inverse::Packed;
use crate::online::state::step_size::sound;
use crate::online::state::window::Window;
use crate::online::step::Step;
use crate::simd::axpy;
use serde::{Deserialize, Serialize};

/// Affine projection over growing vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LeakyKapa {
    eta: f64,
    rho: f64,
    /// Regulariser of the normalised form; `None` for the gradient form.
    eps: Option<f64>,
    budget: usize,
    basis: Basis,
    window: Window,
    #[serde(skip)]
    buffers: Buffers,
}

/// Kept from step to step.
#[derive(Clone, Debug, Default)]
struct Buffers {
    errors: Vec<f64>,
    delta: Vec<f64>,
    gram: Packed,
}

impl LeakyKapa {
    /// The gradient form.
    pub fn leaky(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let budget = values.count("budget")?;
        Ok(Self {
            eta: values.number("eta")?,
            rho: values.number("rho")?,
            eps: None,
            budget,
            basis: Basis::new(plan)?,
            window: Window::new(values.count("tau")?.min(budget)),
            buffers: Buffers::default(),
        })
    }

    /// The normalised form.
    pub fn normalised(plan: &Plan<'_>) -> Result<Self> {
        Ok(Self { eps: Some(plan.values.number("eps")?), ..Self::leaky(plan)? })
    }

    /// The change of the window's weights, into the buffer; false if it cannot be used.
    fn change(&mut self) -> bool {
        let Buffers { errors, delta, gram } = &mut self.buffers;
        self.window.errors(errors);
        delta.clear();
        delta.resize(errors.len(), 0.0);
        match self.eps {
            // The very first sample makes the plain step in both forms.
            Some(eps) if errors.len() > 1 => {
                gram.assign(&self.window.gram);
                gram.add_diagonal(eps);
                if !gram.invert() {
                    return false;
                }
                gram.multiply(errors, delta);
            }
            _ => delta.copy_from_slice(errors),
        }
        delta.iter_mut().for_each(|d| *d *= self.eta);
        delta.iter().all(|d| sound(*d))
    }
}

impl Method for LeakyKapa {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        if self.basis.len() >= self.budget {
            return step;
        }
        if step.refused || !sound(self.eta * step.error) {
            return Step { refused: true, ..step };
        }
        self.window.push(&self.basis, y, step.prediction);
        self.basis.push(x, 0.0);
        let usable = self.change();
        if usable {
            let first = self.basis.len() - self.window.len();
            let decay = 1.0 - self.eta * self.rho;
            self.basis.dictionary.decay(decay);
            axpy(1.0, &self.buffers.delta, &mut self.basis.dictionary.alpha[first..]);
            self.window.follow(decay, &self.buffers.delta);
        }
        (step.admitted, step.refused) = (true, !usable);
        step
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes() + self.window.memory_bytes()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.window.check(self.basis.len())?;
        self.basis.dictionary.check(dimension)
    }
}
