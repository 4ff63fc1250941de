//! A kernel as a person gives it: with its width, or without, which leaves the width to be chosen.

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use std::str::FromStr;

/// A kernel, and which of its parameters were given.
///
/// ```
/// use groat::batch::KernelChoice;
/// assert!(!"gaussian".parse::<KernelChoice>()?.width_given);
/// assert!("gaussian:width=2".parse::<KernelChoice>()?.width_given);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelChoice {
    /// The kernel; its width is a placeholder unless it was given.
    pub kernel: Kernel,
    /// Whether the width was given.
    pub width_given: bool,
    power_given: bool,
}

impl KernelChoice {
    /// For data of so many features: where a compact support has no power of its own, one that keeps the kernel
    /// positive definite.
    #[must_use]
    pub fn for_features(&self, features: usize) -> Self {
        let mut suited = self.clone();
        if let (Kernel::Compact { base, support, .. }, false) = (&self.kernel, self.power_given) {
            suited.kernel = Kernel::compact_for((**base).clone(), *support, features);
        }
        suited
    }
}

impl From<Kernel> for KernelChoice {
    /// The kernel as it is: nothing is left to be chosen.
    fn from(kernel: Kernel) -> Self {
        Self { kernel, width_given: true, power_given: true }
    }
}

impl FromStr for KernelChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let kernel: Kernel = text.parse()?;
        let settings = text.split_once(':').map_or("", |(_, settings)| settings);
        let keys: Vec<&str> =
            settings.split(',').filter_map(|pair| pair.split_once('=')).map(|(key, _)| key.trim()).collect();
        let width_given = keys.iter().any(|key| matches!(*key, "width" | "gamma"));
        Ok(Self { kernel, width_given, power_given: keys.contains(&"power") })
    }
}

#[cfg(test)]
mod tests {
    use super::KernelChoice;

    #[test]
    fn widths_are_noticed() {
        let given = |text: &str| text.parse::<KernelChoice>().unwrap().width_given;
        assert!(given("gaussian:width=2") && given("gaussian: gamma=0.5"));
        assert!(!given("gaussian") && !given("polynomial:degree=3"));
        assert!("gaussian:wide=2".parse::<KernelChoice>().is_err());
    }
}
