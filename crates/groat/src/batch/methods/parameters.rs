//! The parameters of batch methods: name, range and meaning, the same in every method and face.

use super::weights::reads_class_weights;
use crate::batch::Solver;
use crate::features::LandmarkRule;
use crate::settings::{Parameter, Range, list, row};
use crate::tune::SupportRule;

/// Where `auto` leaves a number to the method.
const fn or_auto(range: &'static Range) -> Range {
    Range::Or("auto", range)
}

pub(super) const WIDTH: Parameter = row(
    "width",
    or_auto(&Range::Positives),
    "width of the kernel; several are tried; auto takes the kernel's own where that was given, else searches",
);
pub(super) const RIDGE: Parameter = row(
    "ridge",
    or_auto(&Range::Text {
        words: "a finite number, 0 or above, or several to choose from",
        reads: |text| {
            let fits = |word: &str| word.parse::<f64>().is_ok_and(|ridge| ridge >= 0.0 && ridge.is_finite());
            list(text).next().is_some() && list(text).all(fits)
        },
    }),
    "penalty on large weights, added to the diagonal",
);
pub(super) const PENALTY: Parameter = row(
    "penalty",
    Range::NotNegative,
    "penalty on large weights in units of the mean energy of a candidate, where ridge is auto",
);
pub(super) const BIAS: Parameter = row("bias", Range::Flag, "whether the model has a constant");
pub(super) const LEAVE_ONE_OUT: Parameter = row(
    "leave_one_out",
    Range::Choice(&["auto", "true", "false"]),
    "whether the leave-one-out error is worked out; auto does where that costs little",
);
pub(super) const FINER: Parameter = row(
    "finer",
    Range::Text {
        words: "a whole number from 0 to 20",
        reads: |text| text.parse::<u32>().is_ok_and(|rounds| rounds <= 20),
    },
    "rounds of a finer search around the best width, each with half the step of the one before; 0 keeps to the grid",
);
pub(super) const SELECTION_ROWS: Parameter =
    row("selection_rows", Range::Count, "rows, drawn by seed, that a search for width and ridge looks at");
pub(super) const MEMORY: Parameter =
    row("memory", or_auto(&Range::Bytes), "memory that matrices may take, e.g. 2GiB");
pub(super) const SEED: Parameter = row("seed", Range::Whole, "seed of every random choice");

pub(super) const MAX_TERMS: Parameter =
    row("max_terms", or_auto(&Range::Count), "the largest number of vectors; auto leaves it to the data");
pub(super) const PATIENCE: Parameter = row(
    "patience",
    Range::Whole,
    "how many vectors in a row may fail to lower the leave-one-out error before the selection stops",
);
pub(super) const CANDIDATES: Parameter = row(
    "candidates",
    or_auto(&Range::Count),
    "how many rows, drawn by seed, may become vectors; auto takes for ols all of up to 5000, \
     else 2000; for sparse 400, and up to 2500 where that pays",
);
pub(super) const PASSES: Parameter =
    row("passes", Range::Count, "passes in which each vector finds its own penalty; 1 keeps the first");
pub(super) const FOLDS: Parameter = row(
    "folds",
    or_auto(&Range::Text {
        words: "a whole number, 2 or above",
        reads: |text| text.parse::<usize>().is_ok_and(|folds| folds >= 2),
    }),
    "judge widths by the errors on this many parts of the rows, each left out once; auto takes 5 for classes and \
     leave-one-out for numbers",
);
pub(super) const ONE_STANDARD_ERROR: Parameter = row(
    "one_standard_error",
    Range::Flag,
    "of the widths whose error is within one standard error of the best, take the one with the fewest vectors",
);
pub(super) const PER_FEATURE: Parameter = row(
    "per_feature",
    or_auto(&Range::Flag),
    "go on from the best width to one width per feature; auto, for sparse, does where that clearly lowers the error",
);
pub(super) const CRITERION: Parameter = row(
    "criterion",
    Range::Choice(&["auto", "error-rate", "mean-squared"]),
    "what the choice of vectors lowers; auto takes the error rate unless the data are large",
);
pub(super) const CLASS_WEIGHTS: Parameter = row(
    "class_weights",
    Range::Text {
        words: "equal, balanced, or LABEL=FACTOR,... with factors above 0, e.g. sick=3,well=1",
        reads: reads_class_weights,
    },
    "how much each class counts",
);
pub(super) const REFINEMENT: Parameter = row(
    "refinement",
    Range::Whole,
    "most steps of refinement on all rows; as many are taken as help rows that were held out; 0 keeps the selected \
     vectors",
);
pub(super) const PARZEN_WIDTH: Parameter = row(
    "parzen_width",
    or_auto(&Range::Positive),
    "width of the Parzen estimate that the density stands for; auto finds it by leave-one-out likelihood",
);

pub(super) const SUPPORT: Parameter = row(
    "support",
    Range::Or(
        "none",
        &Range::Text { words: SupportRule::WORDS, reads: |text| text.parse::<SupportRule>().is_ok() },
    ),
    "distance from which on the kernel is zero, or a rule that finds one",
);
pub(super) const SOLVER: Parameter = row("solver", Range::Choice(Solver::NAMES), "how to solve the system");
pub(super) const SHIFT: Parameter = row(
    "shift",
    Range::Flag,
    "where the kernel matrix is not positive definite, raise the ridge until it is",
);
pub(super) const TOLERANCE: Parameter = row(
    "tolerance",
    Range::Positive,
    "what is near enough. sparse: the error above that of the full machine, as a share of it, up to five times as much where \
     the rows left out cannot tell the difference; lssvm: the relative residual of conjugate gradients, on features too; \
     support vector machines: the violation of the conditions of a solution (for numbers in deviations of the target)",
);
pub(super) const SMALLEST: Parameter = row(
    "smallest",
    Range::Flag,
    "take the smallest model within one standard error of the best, instead of one within the tolerance",
);
pub(super) const BEST: Parameter =
    row("best", Range::Flag, "take the number of vectors with the least error, instead of the tolerance");
pub(super) const ESTIMATE: Parameter = row(
    "estimate",
    Range::Flag,
    "whether the error that new rows will see is estimated on rows that nothing was chosen on",
);

pub(super) const BLOCKS: Parameter = row(
    "blocks",
    Range::Flag,
    "held-out parts are stretches of neighbouring rows instead of rows at random, as for a series",
);

pub(super) const COST: Parameter = row(
    "cost",
    or_auto(&Range::Positives),
    "what a violated margin or an error beyond epsilon costs; several are tried; auto searches",
);
pub(super) const EPSILON: Parameter = row(
    "epsilon",
    or_auto(&Range::NotNegative),
    "errors that cost nothing; auto takes a quarter of the error that the search finds possible, or a twentieth of the target's deviation",
);
pub(super) const NU: Parameter = row(
    "nu",
    or_auto(&Range::Text {
        words: "a number above 0 and at most 1",
        reads: |text| text.parse::<f64>().is_ok_and(|nu| nu > 0.0 && nu <= 1.0),
    }),
    "share of the rows with a violated margin, outside the tube or outside the one class",
);
pub(super) const PROBABILITIES: Parameter = row(
    "probabilities",
    Range::Flag,
    "whether probabilities of the classes are worked out from decision values of rows left out",
);
pub(super) const MAX_ITERATIONS: Parameter = row(
    "max_iterations",
    or_auto(&Range::Count),
    "most steps of the solver, after which the model so far is returned; auto takes two million, or 1000 per row",
);
pub(super) const MAX_TIME: Parameter = row(
    "max_time",
    or_auto(&Range::Positive),
    "most seconds of the solver, after which the model so far is returned; auto has no limit",
);
pub(super) const CHUNK: Parameter = row(
    "chunk",
    Range::Or("none", &Range::Count),
    "train on so many rows at a time and carry the support vectors on, for data too large to be solved at once",
);
pub(super) const CARRY: Parameter =
    row("carry", Range::Count, "most support vectors that are carried from chunk to chunk");
pub(super) const CHUNK_PASSES: Parameter =
    row("chunk_passes", Range::Count, "most passes over the chunks; one that brings nothing new is the last");
pub(super) const ONE_PASS: Parameter =
    row("one_pass", Range::Flag, "learn two classes in one pass over the rows, approximately, as LASVM does");
pub(super) const SUBSAMPLE: Parameter =
    row("subsample", Range::Or("none", &Range::Count), "learn from so many of the rows");
pub(super) const SUBSAMPLING: Parameter = row(
    "subsampling",
    Range::Choice(&["random", "boundary"]),
    "which rows a subsample takes: any, or half of them where neighbours answer otherwise",
);
pub(super) const LOSS: Parameter = row(
    "loss",
    Range::Choice(&["hinge", "squared-hinge", "squared", "logistic"]),
    "what is minimised. linear-svc: hinge or squared-hinge, a violated margin or its square; on features: squared errors, or \
     for classes logistic, which gives probabilities",
);
pub(super) const RANK: Parameter =
    row("rank", Range::Count, "how many landmarks or random features; krr-cg: columns of the preconditioner");
pub(super) const LANDMARKS: Parameter = row(
    "landmarks",
    Range::Choice(LandmarkRule::NAMES),
    "which rows become landmarks: by what those before leave unexplained, any, by distance, or by leverage",
);
pub(super) const PRECISION: Parameter = row(
    "precision",
    Range::Choice(&["double", "single"]),
    "precision of kernels and products in sums over rows; residuals are taken in double precision either way",
);
pub(super) const ERROR_BARS: Parameter = row(
    "error_bars",
    Range::Choice(&["none", "sr", "dtc", "fitc"]),
    "standard deviations of predictions: none, those of the subset of regressors, those of the deterministic training \
     conditional, which grow where landmarks are far, or those of the fully independent training conditional, which also \
     trusts rows less that landmarks do not explain",
);
pub(super) const ORTHOGONAL: Parameter = row(
    "orthogonal",
    Range::Flag,
    "whether random frequencies stand at right angles, which lowers their error",
);
pub(super) const FORM: Parameter = row(
    "form",
    Range::Choice(&["paired", "cosine"]),
    "random features: a cosine and a sine for each frequency, or a cosine with a random phase",
);
pub(super) const PENALISE_BIAS: Parameter = row(
    "penalise_bias",
    Range::Flag,
    "whether the constant is kept small like the other coefficients, as LIBLINEAR does",
);
