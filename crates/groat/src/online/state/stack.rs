//! Several kernels over the same vectors: one layer of weights per kernel.

use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::kernels::{Kernel, Width};
use crate::online::presets::Plan;
use crate::online::state::dictionary::Dictionary;
use crate::simd::dot;
use serde::{Deserialize, Serialize};

/// `sum_p sum_i alpha_pi k_p(v_i, x)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stack {
    /// One per kernel, all with the same vectors.
    pub layers: Vec<Dictionary>,
    /// Kernel values of the sample last [seen](Self::observe), by layer.
    #[serde(skip)]
    pub k: Vec<Vec<f64>>,
}

/// The kernel of a plan with its width multiplied by each of the `widths`.
fn kernels(plan: &Plan<'_>) -> Result<Vec<Kernel>> {
    let Some(width) = plan.kernel.width() else {
        let reason = "a method with several kernels needs one that has a width";
        return Err(Error::parse("kernel", &plan.kernel.to_string(), reason));
    };
    let scaled = |factor: f64| match width {
        Width::Shared(width) => plan.kernel.with_width(width * factor),
        Width::PerFeature(widths) => {
            plan.kernel.with_width(Width::PerFeature(widths.iter().map(|width| width * factor).collect()))
        }
    };
    Ok(plan.values.numbers("widths")?.into_iter().map(scaled).collect())
}

impl Stack {
    /// Empty layers, one per entry of the parameter `widths`.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let layer = |kernel: Kernel| {
            kernel.check()?;
            Dictionary::new(&kernel, plan.dimension)
        };
        Ok(Self { layers: kernels(plan)?.into_iter().map(layer).collect::<Result<_>>()?, k: Vec::new() })
    }

    /// Vectors.
    pub fn len(&self) -> usize {
        self.layers.first().map_or(0, Dictionary::len)
    }

    /// Takes the kernel values of a sample.
    pub fn observe(&mut self, x: &[f64]) {
        self.k.resize(self.layers.len(), Vec::new());
        for (layer, k) in self.layers.iter().zip(&mut self.k) {
            k.resize(layer.len(), 0.0);
            layer.row(x, k);
        }
    }

    /// The output of layer `p` at the sample seen.
    pub fn output_of(&self, p: usize) -> f64 {
        dot(&self.k[p], &self.layers[p].alpha)
    }

    /// Largest kernel value of the sample seen with a vector, over all layers (radial kernels: their
    /// largest coherence); 0 without vectors.
    pub fn coherence(&self) -> f64 {
        self.k.iter().flatten().copied().fold(0.0, f64::max)
    }

    /// Appends the sample seen; `weight` gives its weight in each layer.
    pub fn push(&mut self, x: &[f64], weight: impl Fn(usize) -> f64) {
        for (p, (layer, k)) in self.layers.iter_mut().zip(&mut self.k).enumerate() {
            let kxx = layer.diag(x);
            layer.push(x, weight(p), kxx);
            k.push(kxx);
        }
    }

    /// The model as an expansion where there is one kernel alone, whose share is then all; several are none.
    pub fn snapshot(&self) -> Result<Option<Expansion>> {
        match &self.layers[..] {
            [only] => only.snapshot(),
            _ => Ok(None),
        }
    }

    /// Whether there is one kernel alone.
    pub fn has_one_kernel(&self) -> bool {
        self.layers.len() == 1
    }

    /// Bytes of the layers.
    pub fn memory_bytes(&self) -> usize {
        self.layers.iter().map(Dictionary::memory_bytes).sum()
    }

    /// Fails unless a state read from a file is consistent.
    pub fn check(&self, dimension: usize) -> Result<()> {
        let m = self.len();
        if self.layers.is_empty() || self.layers.iter().any(|layer| layer.len() != m) {
            return Err(Error::parse("saved state of a learner", "layers", "their sizes differ"));
        }
        self.layers.iter().try_for_each(|layer| layer.check(dimension))
    }
}
