//! The one table of parameters of the online learners.
//!
//! Command-line help, Python messages, error texts and documentation are all made from it, so a
//! parameter means the same and has the same range in every preset and every face. Defaults belong to
//! the presets and parts, which list the names they take.

use crate::online::parts::{cost, loss, novelty, projection, strategy, update};
use crate::settings::{Parameter, Range, row};

/// Every parameter that an online learner may take.
pub const PARAMETERS: &[Parameter] = &[
    row("update", Range::Choice(update::NAMES), "update rule"),
    row(
        "novelty",
        Range::Choice(novelty::NAMES),
        "novelty criterion: which samples may enter the dictionary",
    ),
    row("cost", Range::Choice(cost::NAMES), "deterioration cost: which vector leaves first"),
    row(
        "projection",
        Range::Choice(projection::NAMES),
        "where the weight of a sample or vector that is not kept goes",
    ),
    row("strategy", Range::Choice(strategy::NAMES), "when vectors leave"),
    row("loss", Range::Choice(loss::NAMES), "loss whose gradient drives the update"),
    row("loss_scale", Range::Positive, "threshold of the Huber loss, width of the correntropy loss"),
    row("eta", Range::Positive, "step size"),
    row(
        "bounded",
        Range::Flag,
        "a step that would overshoot (eta |k|^2 above 2) is shortened to meet the target",
    ),
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
    row("budget", Range::CountOrUnlimited, "largest dictionary"),
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
    row(
        "lags",
        Range::Whole,
        "features come in groups of so many lags, newest first, and the last group is the target's past; 0 = no series",
    ),
    row("standardise", Range::Flag, "features and target are scaled by what the first 256 rows say"),
    row("floor", Range::NotNegative, "least residual, relative to k(x,x), at which a vector may enter"),
];

/// The parameter called `name`.
pub fn parameter(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name == name)
}
