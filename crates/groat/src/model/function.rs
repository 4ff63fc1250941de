//! The kinds of functions that a model may hold.

use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::features::FeatureExpansion;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, Points, Rows};

/// What a model evaluates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Function {
    /// `f(x) = b + sum_i alpha_i k(v_i, x)`.
    Expansion(Expansion),
    /// Coordinates along kernel principal components.
    Components(Components),
    /// `f(x) = b + w.phi(x)` with random features `phi`.
    Features(FeatureExpansion),
}

/// Kernel principal components: a function with one output per component, and how much each one explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    /// An expansion, or a function of random features.
    pub(super) function: Box<Function>,
    pub(super) eigenvalues: Vec<f64>,
    pub(super) trace: f64,
}

impl Components {
    /// Components with the eigenvalues of the (centred) kernel matrix, largest first, and its trace.
    pub fn new(function: impl Into<Function>, eigenvalues: Vec<f64>, trace: f64) -> Result<Self> {
        let function = function.into();
        if let Function::Components(_) = function {
            return Err(Error::parameter("coordinates", "components", "an expansion or random features"));
        }
        check_len("eigenvalues, one per component", function.weights().cols(), eigenvalues.len())?;
        if let Some(bad) = eigenvalues.iter().chain([&trace]).find(|v| !v.is_finite()) {
            return Err(Error::parameter("an eigenvalue or their sum", bad, "a finite number"));
        }
        Ok(Self { function: Box::new(function), eigenvalues, trace })
    }

    /// The coordinates as a function: an expansion, or one of random features.
    pub fn function(&self) -> &Function {
        &self.function
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
    /// The kernel expansion that is evaluated; none where the function is one of random features.
    pub fn expansion(&self) -> Option<&Expansion> {
        match self {
            Function::Expansion(expansion) => Some(expansion),
            Function::Components(components) => components.function.expansion(),
            Function::Features(_) => None,
        }
    }

    pub(super) fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        match self {
            Function::Expansion(expansion) => Some(expansion),
            Function::Components(components) => components.function.expansion_mut(),
            Function::Features(_) => None,
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        match self {
            Function::Expansion(expansion) => expansion.kernel(),
            Function::Components(components) => components.function.kernel(),
            Function::Features(features) => features.map().kernel(),
        }
    }

    /// One row for each vector or feature, one column per output.
    pub fn weights(&self) -> Rows<'_> {
        match self {
            Function::Expansion(expansion) => expansion.weights(),
            Function::Components(components) => components.function.weights(),
            Function::Features(features) => features.linear().weights.view(),
        }
    }

    /// The constants added to the outputs, if any.
    pub fn bias(&self) -> Option<&[f64]> {
        match self {
            Function::Expansion(expansion) => expansion.bias(),
            Function::Components(components) => components.function.bias(),
            Function::Features(features) => Some(&features.linear().bias),
        }
    }

    /// Number of features it takes.
    pub fn features(&self) -> usize {
        match self {
            Function::Expansion(expansion) => expansion.features(),
            Function::Components(components) => components.function.features(),
            Function::Features(features) => features.map().dimension(),
        }
    }

    /// `f(x)` for every row: one column per output.
    pub fn values<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        match self {
            Function::Expansion(expansion) => expansion.values(x),
            Function::Components(components) => components.function.values(x),
            Function::Features(features) => features.values(x),
        }
    }

    /// Bytes of its numbers.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Function::Expansion(expansion) => expansion.memory_bytes(),
            Function::Components(components) => {
                let more = components.eigenvalues.len() + 1;
                components.function.memory_bytes() + more * size_of::<f64>()
            }
            Function::Features(features) => features.memory_bytes(),
        }
    }
}

impl From<Expansion> for Function {
    fn from(expansion: Expansion) -> Self {
        Function::Expansion(expansion)
    }
}

impl From<FeatureExpansion> for Function {
    fn from(features: FeatureExpansion) -> Self {
        Function::Features(features)
    }
}

impl From<Components> for Function {
    fn from(components: Components) -> Self {
        Function::Components(components)
    }
}
