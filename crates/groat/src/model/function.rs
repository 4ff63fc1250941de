//! The kinds of functions that a model may hold.

use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;

/// What a model evaluates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Function {
    /// `f(x) = b + sum_i alpha_i k(v_i, x)`.
    Expansion(Expansion),
    /// Coordinates along kernel principal components.
    Components(Components),
}

/// Kernel principal components: an expansion with one output per component, and how much each one explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    pub(super) expansion: Expansion,
    pub(super) eigenvalues: Vec<f64>,
    pub(super) trace: f64,
}

impl Components {
    /// Components with the eigenvalues of the (centred) kernel matrix, largest first, and its trace.
    pub fn new(expansion: Expansion, eigenvalues: Vec<f64>, trace: f64) -> Result<Self> {
        check_len("eigenvalues, one per component", expansion.outputs(), eigenvalues.len())?;
        if let Some(bad) = eigenvalues.iter().chain([&trace]).find(|v| !v.is_finite()) {
            return Err(Error::parameter("an eigenvalue or their sum", bad, "a finite number"));
        }
        Ok(Self { expansion, eigenvalues, trace })
    }

    /// The coordinates as a function.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// Eigenvalues of the (centred) kernel matrix, largest first. Divided by the number of rows they are the variances.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Variance of all components together, times the number of rows.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// Share of the variance in feature space that each component holds.
    pub fn explained(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|v| v / self.trace).collect()
    }
}

impl Function {
    /// The kernel expansion that is evaluated.
    pub fn expansion(&self) -> &Expansion {
        match self {
            Function::Expansion(expansion) => expansion,
            Function::Components(components) => &components.expansion,
        }
    }

    pub(super) fn expansion_mut(&mut self) -> &mut Expansion {
        match self {
            Function::Expansion(expansion) => expansion,
            Function::Components(components) => &mut components.expansion,
        }
    }

    /// Bytes of its numbers.
    pub(super) fn memory_bytes(&self) -> usize {
        let more = match self {
            Function::Expansion(_) => 0,
            Function::Components(components) => components.eigenvalues.len() + 1,
        };
        self.expansion().memory_bytes() + more * size_of::<f64>()
    }
}

impl From<Expansion> for Function {
    fn from(expansion: Expansion) -> Self {
        Function::Expansion(expansion)
    }
}

impl From<Components> for Function {
    fn from(components: Components) -> Self {
        Function::Components(components)
    }
}
