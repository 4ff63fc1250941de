//! Settings of the term-by-term selection, as typed.

use clap::Args;
use std::str::FromStr;

/// What only `--method ols` knows.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection (--method ols)")]
pub struct SelectionArgs {
    /// The largest number of vectors [default: 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_terms: Option<u32>,
    /// How many vectors in a row may fail to lower the leave-one-out error before the selection stops; 0 stops
    /// at the first [default: 5]
    #[arg(long, value_name = "N")]
    pub stop: Option<u32>,
    /// How many rows, drawn by seed, may become vectors [default: all of up to 5000, else 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub candidates: Option<u32>,
    /// Judge widths by the errors on this many parts of the training rows, each left out once [default: 5 for
    /// classes; leave-one-out for numbers]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: Option<u32>,
    /// Of the widths whose error is within one standard error of the best, take the one with the fewest vectors
    #[arg(long)]
    pub one_standard_error: bool,
    /// Go on from the best width to one width per feature
    #[arg(long)]
    pub per_feature: bool,
    /// How much each class counts: `balanced`, or a factor for each, e.g. sick=3,well=1
    #[arg(long, value_name = "WEIGHTS")]
    pub class_weights: Option<ClassWeightsArg>,
    /// Read the data batch by batch, again and again, instead of holding them: for files that do not fit memory
    /// [default: when the file is larger than an eighth of --memory]
    #[arg(long)]
    pub stream: bool,
    /// Density: most steps of refinement on all rows; as many are taken as help rows that were held out
    /// [default: 20; 0 keeps the selected vectors]
    #[arg(long, value_name = "STEPS")]
    pub refinement: Option<u32>,
}

impl SelectionArgs {
    /// The first argument that was given, if any.
    pub fn given(&self) -> Option<&'static str> {
        [
            ("--max-terms", self.max_terms.is_some()),
            ("--stop", self.stop.is_some()),
            ("--candidates", self.candidates.is_some()),
            ("--folds", self.folds.is_some()),
            ("--one-standard-error", self.one_standard_error),
            ("--per-feature", self.per_feature),
            ("--class-weights", self.class_weights.is_some()),
            ("--stream", self.stream),
            ("--refinement", self.refinement.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }
}

/// How much each class counts.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassWeightsArg {
    /// All classes alike, whatever their number of rows.
    Balanced,
    /// A factor for each label.
    Named(Vec<(String, f64)>),
}

impl FromStr for ClassWeightsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "balanced" {
            return Ok(ClassWeightsArg::Balanced);
        }
        let pair = |part: &str| {
            let (label, factor) = part.rsplit_once('=')?;
            let factor = factor.trim().parse::<f64>().ok().filter(|f| *f > 0.0 && f.is_finite())?;
            Some((label.trim().to_owned(), factor))
        };
        let pairs: Option<Vec<_>> = text.split(',').map(pair).collect();
        pairs
            .map(ClassWeightsArg::Named)
            .ok_or_else(|| "expected `balanced`, or LABEL=FACTOR,... with factors above 0".into())
    }
}

#[cfg(test)]
mod tests {
    use super::ClassWeightsArg;

    #[test]
    fn class_weights_are_read() {
        assert_eq!("balanced".parse(), Ok(ClassWeightsArg::Balanced));
        let named = vec![("a=b".to_owned(), 2.0), ("c".to_owned(), 0.5)];
        assert_eq!("a=b=2, c=.5".parse(), Ok(ClassWeightsArg::Named(named)));
        for bad in ["", "a", "a=0", "a=x", "a=1,b"] {
            assert!(bad.parse::<ClassWeightsArg>().is_err(), "{bad}");
        }
    }
}
