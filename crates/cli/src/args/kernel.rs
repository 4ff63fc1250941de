//! A kernel as typed: with its width, or without, which leaves the width to be chosen.

use groat::Kernel;
use std::str::FromStr;

/// A kernel, and whether its width was given.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelArg {
    pub kernel: Kernel,
    pub width_given: bool,
    power_given: bool,
}

impl KernelArg {
    /// For data of so many features: where a compact support has no power of its own, one that keeps the kernel
    /// positive definite.
    pub fn for_features(&self, features: usize) -> Self {
        let mut suited = self.clone();
        if let (Kernel::Compact { base, support, .. }, false) = (&self.kernel, self.power_given) {
            suited.kernel = Kernel::compact_for((**base).clone(), *support, features);
        }
        suited
    }
}

impl FromStr for KernelArg {
    type Err = groat::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kernel: Kernel = text.parse()?;
        let settings = text.split_once(':').map_or("", |(_, settings)| settings);
        let keys: Vec<&str> =
            settings.split(',').filter_map(|pair| pair.split_once('=')).map(|(key, _)| key.trim()).collect();
        let width_given = keys.iter().any(|key| matches!(*key, "width" | "gamma"));
        Ok(KernelArg { kernel, width_given, power_given: keys.contains(&"power") })
    }
}

#[cfg(test)]
mod tests {
    use super::KernelArg;

    #[test]
    fn widths_are_noticed() {
        let given = |text: &str| text.parse::<KernelArg>().unwrap().width_given;
        assert!(given("gaussian:width=2") && given("gaussian: gamma=0.5"));
        assert!(!given("gaussian") && !given("polynomial:degree=3"));
        assert!("gaussian:wide=2".parse::<KernelArg>().is_err());
    }

    #[test]
    fn a_power_that_is_not_given_follows_the_features() {
        let suited = |text: &str| text.parse::<KernelArg>().unwrap().for_features(8).kernel.to_string();
        assert_eq!(suited("gaussian:support=2"), "gaussian:width=1,support=2,power=5");
        assert_eq!(suited("gaussian:support=2,power=3"), "gaussian:width=1,support=2,power=3");
        assert_eq!(suited("gaussian:width=2"), "gaussian:width=2");
    }
}
