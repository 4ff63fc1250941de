//! The parts of which composed learners are made: their names, what they mean, and which parameters they take.
//!
//! This is the table behind the choices of `--update`, `--novelty`, `--cost`, `--projection`, `--strategy`
//! and `--loss`. What a part computes stands in the file of the same name in its folder.

/// A part of a composed learner.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Name, as it is chosen by.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Parameters it takes, with their defaults.
    pub parameters: &'static [(&'static str, &'static str)],
}

const fn part(
    name: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    meaning: &'static str,
) -> Part {
    Part { name, meaning, parameters }
}

/// Update rules.
pub const UPDATE: [Part; 8] = [
    part(
        "gradient",
        &[("eta", "0.5"), ("rho", "0")],
        "step along k(x, .) in the function space (KLMS, NORMA, SPL)",
    ),
    part(
        "normalised-gradient",
        &[("eta", "0.5"), ("rho", "0"), ("eps", "1e-6")],
        "the same with the step eta / (eps + k(x,x))",
    ),
    part(
        "decay-first",
        &[("eta", "0.5"), ("rho", "1e-4")],
        "gradient whose error is taken after the decay (NORMA of the toolbox)",
    ),
    part("lms", &[("eta", "0.1"), ("rho", "0")], "LMS on the vector of kernel values: alpha += eta e k"),
    part(
        "nlms",
        &[("eta", "0.5"), ("rho", "0"), ("eps", "1e-2")],
        "normalised LMS on kernel values: alpha += eta e k / (eps + |k|^2)",
    ),
    part(
        "affine-projection",
        &[("eta", "0.5"), ("eps", "1e-2"), ("tau", "10")],
        "affine projection onto the last tau samples",
    ),
    part("rls", &[("ridge", "0")], "recursive least squares over all samples, in the span of the dictionary"),
    part("exact", &[("ridge", "1e-2")], "regularised least squares over the samples in the dictionary"),
];

/// Novelty criteria.
pub const NOVELTY: [Part; 8] = [
    part("always", &[], "every sample enters"),
    part("distinct", &[], "every sample enters that is no vector of the dictionary already"),
    part(
        "coherence",
        &[("mu0", "0.5"), ("fill", "0"), ("strict", "false")],
        "largest normalised kernel value at most mu0",
    ),
    part("dependency", &[("nu", "1e-2")], "squared distance to the span of the dictionary above nu"),
    part(
        "rkhs-distance",
        &[("eps0", "1e-2")],
        "the update would change the model by more than eps0 beyond the dictionary's span",
    ),
    part("quantisation", &[("epsu", "0.1")], "Euclidean distance to the nearest vector above epsu"),
    part(
        "distance-error",
        &[("distance", "0.1"), ("error", "0.1")],
        "far from the dictionary and badly predicted (Platt)",
    ),
    part(
        "surprise",
        &[("surprise_low", "-1"), ("surprise_high", "200"), ("sn2", "0.01")],
        "negative log-likelihood between two limits (Liu, Park, Principe)",
    ),
];

/// Deterioration costs.
pub const COST: [Part; 13] = [
    part("oldest", &[], "the vector that entered first"),
    part("magnitude", &[], "|alpha_i|"),
    part("kappa", &[], "kappa_i = 1 / [K^-1]_ii, squared distance to the span of the others (KLMS)"),
    part("kappa-alpha", &[], "kappa_i alpha_i^2, squared change of the model (MKLMS, SPL)"),
    part("alpha-kappa", &[], "|alpha_i| kappa_i, change of the output at the vector (fixed-budget KRLS)"),
    part("least-squares", &[], "mean squared change at the vectors after the best refit (LS)"),
    part(
        "regularised-least-squares",
        &[("penalty", "1e-6")],
        "the same plus the mean square of the new weights (LS with C)",
    ),
    part("crowding", &[], "1 - max_j k_ij (FKLMS)"),
    part("crowding-alpha", &[], "alpha_i^2 (1 - max_j k_ij) (FMKLMS)"),
    part("energy", &[], "k_ii - sum_j k_ij^2 (first untested variant of report 836)"),
    part("energy-alpha", &[], "alpha_i^2 max(0, k_ii - sum_j k_ij^2) (second variant)"),
    part("coherent-pair", &[("leaves", "older")], "one of the two most coherent vectors"),
    part("newest", &[], "the vector that entered last"),
];

/// Projections.
pub const PROJECTION: [Part; 5] = [
    part("none", &[], "the weight is dropped"),
    part(
        "orthogonal",
        &[],
        "orthogonal projection in the RKHS: outputs at the other vectors are kept (KLMS, SPL)",
    ),
    part("least-squares", &[], "least squared change over all vectors (LS)"),
    part("fast", &[], "as if the other kernels were orthonormal: weights move by k (FKLMS)"),
    part("nearest", &[], "the nearest vector takes the weight (quantisation)"),
];

/// Strategies.
pub const STRATEGY: [Part; 6] = [
    part("unlimited", &[], "no vector leaves"),
    part("freeze", &[("budget", "1000")], "no vector enters once there are `budget`"),
    part(
        "budget",
        &[("budget", "100"), ("when", "after")],
        "the cheapest vector leaves when there are more than `budget`",
    ),
    part(
        "limit",
        &[("lambda_max", "1e-4"), ("scan", "all"), ("decrement", "every"), ("budget", "100000")],
        "vectors whose removal costs at most lambda_max leave",
    ),
    part("window", &[("tau", "100")], "the oldest vector leaves when there are more than `tau`"),
    part(
        "maximum-age",
        &[("max_age", "1000")],
        "vectors leave that were not renewed for `max_age` presentations",
    ),
];

/// Losses.
pub const LOSS: [Part; 6] = [
    part("squared", &[], "e^2 / 2"),
    part("absolute", &[], "|e|: the sign of the error counts, not its size"),
    part("huber", &[("loss_scale", "1")], "quadratic up to loss_scale, then linear"),
    part("correntropy", &[("loss_scale", "1")], "1 - exp(-e^2 / (2 loss_scale^2)): outliers do not count"),
    part("hinge", &[], "max(0, 1 - y f), labels -1 and 1"),
    part("logistic", &[], "log(1 + exp(-y f)), labels -1 and 1"),
];

/// The six kinds, in the order in which they act.
pub const KINDS: [(&str, &[Part]); 6] = [
    ("update", &UPDATE),
    ("novelty", &NOVELTY),
    ("cost", &COST),
    ("projection", &PROJECTION),
    ("strategy", &STRATEGY),
    ("loss", &LOSS),
];

const fn names<const N: usize>(parts: &[Part; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut i = 0;
    while i < N {
        names[i] = parts[i].name;
        i += 1;
    }
    names
}

pub(crate) const UPDATES: &[&str] = &names(&UPDATE);
pub(crate) const NOVELTIES: &[&str] = &names(&NOVELTY);
pub(crate) const COSTS: &[&str] = &names(&COST);
pub(crate) const PROJECTIONS: &[&str] = &names(&PROJECTION);
pub(crate) const STRATEGIES: &[&str] = &names(&STRATEGY);
pub(crate) const LOSSES: &[&str] = &names(&LOSS);
