//! A kernel as typed: with its width, or without, which leaves the width to be chosen.

use groat::Kernel;
use std::str::FromStr;

/// A kernel, and whether its width was given.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelArg {
    pub kernel: Kernel,
    pub width_given: bool,
}

impl FromStr for KernelArg {
    type Err = groat::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kernel: Kernel = text.parse()?;
        let settings = text.split_once(':').map_or("", |(_, settings)| settings);
        let width_given = settings
            .split(',')
            .filter_map(|pair| pair.split_once('='))
            .any(|(key, _)| matches!(key.trim(), "width" | "gamma"));
        Ok(KernelArg { kernel, width_given })
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
}
