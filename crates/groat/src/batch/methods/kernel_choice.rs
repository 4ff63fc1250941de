//! A kernel as a person gives it: with its width, or without, which leaves the width to be chosen.

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::matrix::Points;
use crate::tune::typical_distance;
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
    /// Whether anybody asked for a kernel.
    pub(in crate::batch) given: bool,
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

    /// For rows without answers, by which no width can be judged: one that was not given is their median distance,
    /// and the text says so.
    #[must_use]
    pub fn settled(&self, x: Points<'_>, seed: u64) -> (Kernel, Option<String>) {
        let kernel = self.for_features(x.cols()).kernel;
        if self.width_given || kernel.width().is_none() {
            return (kernel, None);
        }
        let width = typical_distance(x, seed);
        let note = format!("width {width:.4}, the median distance of the rows");
        (kernel.with_width(width), Some(note))
    }
}

impl Default for KernelChoice {
    /// A Gaussian whose width is to be chosen.
    fn default() -> Self {
        Self { kernel: Kernel::gaussian(1.0), width_given: false, power_given: false, given: false }
    }
}

impl From<Kernel> for KernelChoice {
    /// The kernel as it is: nothing is left to be chosen.
    fn from(kernel: Kernel) -> Self {
        Self { kernel, width_given: true, power_given: true, given: true }
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
        Ok(Self { kernel, width_given, power_given: keys.contains(&"power"), given: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Rows;

    #[test]
    fn widths_are_noticed() {
        let given = |text: &str| text.parse::<KernelChoice>().unwrap().width_given;
        assert!(given("gaussian:width=2") && given("gaussian: gamma=0.5"));
        assert!(!given("gaussian") && !given("polynomial:degree=3"));
        assert!("gaussian:wide=2".parse::<KernelChoice>().is_err());
        assert_eq!(KernelChoice::default().kernel, "gaussian".parse::<KernelChoice>().unwrap().kernel);
    }

    #[test]
    fn without_answers_a_width_is_the_median_distance() {
        let settled = |text: &str| {
            let rows = [0.0, 0.0, 3.0, 4.0];
            text.parse::<KernelChoice>().unwrap().settled(Rows::new(&rows, 2).unwrap().into(), 0)
        };
        let (kernel, note) = settled("gaussian");
        assert_eq!(kernel, Kernel::gaussian(5.0));
        assert!(note.unwrap().contains("width 5.0000"));
        assert_eq!(settled("gaussian:width=2"), (Kernel::gaussian(2.0), None));
        assert_eq!(settled("linear"), (Kernel::Linear, None));
    }
}
