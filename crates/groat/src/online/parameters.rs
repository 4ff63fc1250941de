//! The one table of parameters of the online learners.
//!
//! Command-line help, Python messages, error texts and documentation are all made from it, so a
//! parameter means the same and has the same range in every preset and every face. Defaults belong to
//! the presets and parts, which list the names they take.

use crate::error::{Error, Result};

/// Which values a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Range {
    /// A finite number above 0.
    Positive,
    /// A finite number, 0 or above.
    NotNegative,
    /// A number above 0, at most 1.
    Fraction,
    /// A number from 0 to 1.
    Unit,
    /// Any finite number.
    Finite,
    /// A whole number, 1 or above.
    Count,
    /// A whole number, 0 or above.
    Whole,
    /// `true` or `false`.
    Flag,
    /// One of the listed words.
    Choice(&'static [&'static str]),
    /// A number from 0 to 1, or the word `adaptive`.
    UnitOrAdaptive,
    /// A whole number, or the word `budget`.
    WholeOrBudget,
    /// Numbers above 0, separated by `;` or blanks.
    Positives,
    /// Finite numbers, separated by `;` or blanks, or the word `drawn`.
    NumbersOrDrawn,
}

impl Range {
    /// The range in words, as error messages and help give it.
    pub fn text(&self) -> String {
        match self {
            Range::Choice(words) => format!("one of {}", words.join(", ")),
            other => other.phrase().to_owned(),
        }
    }

    fn phrase(&self) -> &'static str {
        match self {
            Range::Positive => "a finite number above 0",
            Range::NotNegative => "a finite number, 0 or above",
            Range::Fraction => "a number above 0, at most 1",
            Range::Unit => "a number from 0 to 1",
            Range::Finite => "a finite number",
            Range::Count => "a whole number, 1 or above",
            Range::Whole => "a whole number, 0 or above",
            Range::Flag => "true or false",
            Range::Choice(_) => "one of the known names",
            Range::UnitOrAdaptive => "a number from 0 to 1, or adaptive",
            Range::WholeOrBudget => "a whole number, or budget",
            Range::Positives => "finite numbers above 0, separated by ';'",
            Range::NumbersOrDrawn => "finite numbers, separated by ';', or drawn",
        }
    }

    fn holds(&self, text: &str) -> bool {
        let number = || text.parse::<f64>().ok().filter(|v| v.is_finite());
        let within = |low: f64, high: f64| number().is_some_and(|v| (low..=high).contains(&v));
        match self {
            Range::Positive => number().is_some_and(|v| v > 0.0),
            Range::NotNegative => number().is_some_and(|v| v >= 0.0),
            Range::Fraction => number().is_some_and(|v| v > 0.0 && v <= 1.0),
            Range::Unit => within(0.0, 1.0),
            Range::Finite => number().is_some(),
            Range::Count => text.parse::<usize>().is_ok_and(|v| v >= 1),
            Range::Whole => text.parse::<usize>().is_ok(),
            Range::Flag => text.parse::<bool>().is_ok(),
            Range::Choice(words) => words.contains(&text),
            Range::UnitOrAdaptive => text == "adaptive" || within(0.0, 1.0),
            Range::WholeOrBudget => text == "budget" || text.parse::<usize>().is_ok(),
            Range::Positives => numbers(text, |v| v > 0.0),
            Range::NumbersOrDrawn => text == "drawn" || numbers(text, |_| true),
        }
    }
}

/// The words of a list value.
pub(crate) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', ' ']).filter(|word| !word.is_empty())
}

/// True for a list of finite numbers, at least one, that all `fit`.
fn numbers(text: &str, fit: impl Fn(f64) -> bool) -> bool {
    let mut words = list(text).peekable();
    words.peek().is_some() && words.all(|w| w.parse::<f64>().is_ok_and(|v| v.is_finite() && fit(v)))
}

/// One parameter: its name, what it means, what it may be.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name, the same in every preset and face.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// Which values it may take.
    pub range: Range,
}

impl Parameter {
    /// An error unless `text` lies in the range.
    pub fn check(&self, text: &str) -> Result<()> {
        if self.range.holds(text) {
            return Ok(());
        }
        match self.range {
            Range::Choice(_) => Err(Error::parse(self.name, text, format!("expected {}", self.range.text()))),
            _ => Err(Error::parameter(self.name, text, self.range.phrase())),
        }
    }
}

/// Shorthand for a row of the table.
const fn row(name: &'static str, range: Range, meaning: &'static str) -> Parameter {
    Parameter { name, meaning, range }
}

/// Every parameter that an online learner may take.
pub const PARAMETERS: &[Parameter] = &[
    row("update", Range::Choice(super::parts::UPDATES), "update rule"),
    row(
        "novelty",
        Range::Choice(super::parts::NOVELTIES),
        "novelty criterion: which samples may enter the dictionary",
    ),
    row("cost", Range::Choice(super::parts::COSTS), "deterioration cost: which vector leaves first"),
    row(
        "projection",
        Range::Choice(super::parts::PROJECTIONS),
        "where the weight of a sample or vector that is not kept goes",
    ),
    row("strategy", Range::Choice(super::parts::STRATEGIES), "when vectors leave"),
    row("loss", Range::Choice(super::parts::LOSSES), "loss whose gradient drives the update"),
    row("loss_scale", Range::Positive, "threshold of the Huber loss, width of the correntropy loss"),
    row("eta", Range::Positive, "step size"),
    row("rho", Range::NotNegative, "decay: weights shrink by (1 - eta rho) a step"),
    row(
        "mu0",
        Range::UnitOrAdaptive,
        "coherence threshold of a new vector; adaptive = the coherence of the dictionary",
    ),
    row("nu", Range::NotNegative, "linear-dependency threshold: least residual of a new vector"),
    row("epsu", Range::NotNegative, "quantisation radius: nearer samples are merged into the nearest vector"),
    row("eps", Range::NotNegative, "regulariser of a normalised step"),
    row("normalised", Range::Flag, "the step is eta / (eps + |k|^2), with |k|^2 of all values it multiplies"),
    row("eps0", Range::NotNegative, "RKHS distance below which a change of the model is negligible"),
    row("distance", Range::NotNegative, "least distance of a new vector from the dictionary"),
    row("error", Range::NotNegative, "least absolute error at which a vector enters"),
    row("surprise_low", Range::Finite, "surprise below which a sample is redundant"),
    row("surprise_high", Range::Finite, "surprise above which a sample is taken for an outlier"),
    row("budget", Range::Count, "largest dictionary"),
    row("tau", Range::Count, "window: how many samples back"),
    row("fill", Range::WholeOrBudget, "how many samples enter unconditionally at the start"),
    row("strict", Range::Flag, "a coherence equal to mu0 is too much"),
    row(
        "leaves",
        Range::Choice(&["older", "newer", "smaller", "crowded"]),
        "which of the most coherent pair leaves",
    ),
    row("decrement", Range::Choice(&["every", "insertion", "never"]), "when vectors below lambda_max leave"),
    row("scan", Range::Choice(&["all", "newest"]), "which vectors are tested against lambda_max"),
    row(
        "when",
        Range::Choice(&["before", "after"]),
        "whether a full dictionary is reduced before or after the presentation",
    ),
    row("lambda_max", Range::NotNegative, "deterioration limit: vectors whose removal costs no more leave"),
    row("penalty", Range::NotNegative, "multiplier penalty C of the regularised least-squares cost"),
    row("truncate", Range::NotNegative, "vectors whose weight stays below this in magnitude leave"),
    row("max_age", Range::Whole, "presentations after which a vector leaves; 0 = never"),
    row("ridge", Range::NotNegative, "ridge added to the diagonal of the Gram matrix (noise variance)"),
    row("lambda", Range::Fraction, "forgetting factor; 1 = never forget"),
    row("sn2", Range::Positive, "noise variance"),
    row("jitter", Range::NotNegative, "added to the diagonal of the Gram matrix against near-duplicates"),
    row("prior", Range::Positive, "variance of the weights before the first sample"),
    row("drift", Range::NotNegative, "variance by which the state of a tracking model wanders a step"),
    row("transition", Range::Fraction, "factor of the state of a tracking model from step to step"),
    row("shrink", Range::NotNegative, "soft threshold: weights move this far towards 0 a step"),
    row("eps_alpha", Range::NotNegative, "thresholds are shrink / (|alpha_i| + eps_alpha)"),
    row("radius", Range::Positive, "largest norm of the model; it is scaled back to this"),
    row(
        "widths",
        Range::Positives,
        "widths of the kernels of a multikernel method, as multiples of the kernel's own",
    ),
    row("eta_gate", Range::NotNegative, "step size of the gate that mixes the kernels"),
    row("active", Range::Count, "how many of the nearest vectors are updated"),
    row("blend", Range::Unit, "share of the Gram matrix in the metric; the unit matrix has the rest"),
    row(
        "error_ratio",
        Range::NotNegative,
        "least squared error over squared output at which a narrower kernel enters",
    ),
    row("features", Range::Count, "how many random features"),
    row("seed", Range::Whole, "seed of the random features"),
    row("frequencies", Range::NumbersOrDrawn, "frequencies of the features row by row, or drawn"),
    row("phases", Range::NumbersOrDrawn, "phases of the features, or drawn"),
    row("floor", Range::NotNegative, "least residual, relative to k(x,x), at which a vector may enter"),
];

/// The parameter called `name`.
pub fn parameter(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name == name)
}
