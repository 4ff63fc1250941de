//! The table of presets. One row each; the order is that of the documentation.

use super::{Defaults, Plan, Preset, Recipe};
use crate::error::Result;
use crate::online::methods::AnyMethod;
use crate::online::methods::auto::Auto;
use crate::online::methods::extended_krls::ExtendedKrls;
use crate::online::methods::fixed_budget_klms::FixedBudgetKlms;
use crate::online::methods::fixed_budget_quantised_klms::FixedBudgetQklms;
use crate::online::methods::krls_tracker::KrlsTracker;
use crate::online::methods::leaky_affine_projection::LeakyKapa;
use crate::online::methods::linear_lms::LinearLms;
use crate::online::methods::linear_recursive::Recursive;
use crate::online::methods::memory_cell::MemoryCell;
use crate::online::methods::mixture_klms::MixtureKlms;
use crate::online::methods::multi_gaussian_l2::MultiGaussianL2;
use crate::online::methods::multikernel_nlms::MultikernelNlms;
use crate::online::methods::parallel_projections::Phypass;
use crate::online::methods::probabilistic_lms::ProbabilisticLms;
use crate::online::methods::projected_subgradient::ProjectedSubgradient;
use crate::online::methods::proximal_klms::ProximalKlms;
use crate::online::methods::quantised_krls::QuantisedKrls;
use crate::online::methods::random_feature_klms::RandomFeatureKlms;

/// A mix of parts: update, novelty, cost, projection, strategy; the loss is squared.
const fn mix(
    name: &'static str,
    parts: [&'static str; 5],
    values: Defaults,
    summary: &'static str,
    source: &'static str,
) -> Preset {
    let [update, novelty, cost, projection, strategy] = parts;
    let parts = [update, novelty, cost, projection, strategy, "squared"];
    Preset { name, summary, source, recipe: Recipe::Mix { parts, values } }
}

/// Kernel LMS with another loss.
const fn klms_with(
    loss: &'static str,
    name: &'static str,
    summary: &'static str,
    source: &'static str,
) -> Preset {
    let parts = ["gradient", "always", "oldest", "none", "freeze", loss];
    Preset { name, summary, source, recipe: Recipe::Mix { parts, values: &[("budget", "10000")] } }
}

/// A method with a state of its own.
const fn own(
    name: &'static str,
    build: fn(&Plan<'_>) -> Result<AnyMethod>,
    values: Defaults,
    summary: &'static str,
    source: &'static str,
) -> Preset {
    Preset { name, summary, source, recipe: Recipe::Own { linear: false, values, build } }
}

impl Preset {
    /// The same for a method that works on the inputs themselves.
    const fn linear(mut self) -> Self {
        if let Recipe::Own { linear, .. } = &mut self.recipe {
            *linear = true;
        }
        self
    }
}

/// Settings of the reduction techniques of report 836.
const REDUCE: Defaults = &[("eta", "0.1"), ("when", "before"), ("budget", "20"), ("floor", "1e-4")];

/// A place in report 836.
macro_rules! report {
    ($place:literal) => {
        concat!("Mitchinson, Dodd, Harrison, Reduction of kernel models, report 836, 2003, ", $place)
    };
}
/// A page of the slides.
macro_rules! slides {
    ($page:literal) => {
        concat!("Santamaria, Van Vaerenbergh, Online and scalable kernel methods, 2022, slide ", $page)
    };
}
const GAO: &str = "Gao, Chen, Richard, Huang, Flamary, Kernel LMS algorithm with forward-backward splitting for dictionary learning, 2013";

/// Every named algorithm; the first is what a person gets without asking.
pub const PRESETS: &[Preset] = &[
    own(
        "auto",
        |plan| Auto::new(plan).map(AnyMethod::from),
        &[("budget", "56"), ("lags", "0"), ("standardise", "true")],
        "the default: last value, running mean, linear and kernel predictors side by side, weighted by how they did",
        "Wintenberger, Optimal learning with Bernstein online aggregation, 2017; Gaillard, Stoltz, van Erven, A second-order bound with excess losses, 2014",
    ),
    own(
        "lms",
        |plan| LinearLms::lms(plan).map(AnyMethod::from),
        &[("eta", "0.05"), ("bounded", "true")],
        "least mean squares on the inputs themselves",
        slides!("Least Mean Square (LMS) Algorithm"),
    )
    .linear(),
    own(
        "nlms",
        |plan| LinearLms::nlms(plan).map(AnyMethod::from),
        &[("eta", "0.5"), ("eps", "1e-6"), ("bounded", "true")],
        "LMS with the step eta / (eps + |x|^2)",
        "Haykin, Adaptive filter theory, normalised LMS; Nagumo, Noda 1967",
    )
    .linear(),
    own(
        "rls",
        |plan| Recursive::rls(plan).map(AnyMethod::from),
        &[("lambda", "0.99"), ("ridge", "1e-4")],
        "recursive least squares on the inputs themselves, with exponential forgetting",
        "Haykin, Adaptive filter theory, chapter 13",
    )
    .linear(),
    own(
        "kalman",
        |plan| Recursive::kalman(plan).map(AnyMethod::from),
        &[("sn2", "0.01"), ("drift", "1e-4"), ("transition", "1"), ("prior", "1")],
        "Kalman filter of linear weights on a random walk; has a predictive variance",
        "Kalman, A new approach to linear filtering and prediction problems, 1960",
    )
    .linear(),
    own(
        "problms",
        |plan| ProbabilisticLms::new(plan).map(AnyMethod::from),
        &[("lambda", "1"), ("sn2", "1e-6"), ("drift", "1e-4"), ("prior", "1e-2")],
        "probabilistic LMS: a Kalman filter with one variance for all weights",
        "Fernandez-Bes, Elvira, Van Vaerenbergh, A probabilistic least-mean-squares filter, 2015",
    )
    .linear(),
    own(
        "memory-cell",
        |plan| MemoryCell::new(plan).map(AnyMethod::from),
        &[],
        "repeats the last target: the baseline of a predictor",
        "the persistence forecast",
    )
    .linear(),
    mix(
        "klms",
        ["gradient", "always", "oldest", "none", "freeze"],
        &[("budget", "10000")],
        "kernel LMS: every sample becomes a vector with weight eta e",
        "Liu, Pokharel, Principe, The kernel least-mean-square algorithm, 2008; Santamaria, Van Vaerenbergh, 2022, slide Kernel LMS",
    ),
    klms_with(
        "huber",
        "klms-huber",
        "kernel LMS that takes errors above loss_scale for loss_scale",
        "Huber, Robust estimation of a location parameter, 1964; Kivinen, Smola, Williamson, 2004",
    ),
    klms_with(
        "correntropy",
        "klms-correntropy",
        "kernel LMS under the maximum correntropy criterion: outliers do not count",
        "Zhao, Chen, Principe, Kernel adaptive filtering with maximum correntropy criterion, 2011",
    ),
    mix(
        "klms-window",
        ["gradient", "always", "oldest", "none", "window"],
        &[],
        "kernel LMS over the last tau samples",
        slides!("Kernel LMS, sliding window"),
    ),
    // Cautious values: with a threshold of 0.7, or a step of 0.5, the plain step diverged on one stream of eight
    // (kin40k with a width of 2). knlms takes larger ones.
    mix(
        "klms-coherence",
        ["lms", "coherence", "oldest", "none", "unlimited"],
        &[("mu0", "0.5"), ("eta", "0.1"), ("strict", "true")],
        "kernel LMS whose dictionary grows by the coherence criterion",
        slides!("Coherence-based KLMS"),
    ),
    mix(
        "norma",
        ["gradient", "always", "oldest", "none", "window"],
        &[("rho", "1e-4"), ("tau", "500")],
        "gradient descent on the regularised risk, oldest terms dropped; the error is taken before the decay",
        "Kivinen, Smola, Williamson, Online learning with kernels, 2004, (10)-(12)",
    ),
    mix(
        "norma-toolbox",
        ["decay-first", "always", "oldest", "none", "window"],
        &[("rho", "1e-4"), ("tau", "500")],
        "norma as the toolbox has it: the weights decay first, and the error is that of what is left",
        "Van Vaerenbergh, Kernel Adaptive Filtering Toolbox, norma; after Kivinen, Smola, Williamson, 2004",
    ),
    mix(
        "qklms",
        ["gradient", "quantisation", "oldest", "nearest", "unlimited"],
        &[("eta", "0.9")],
        "quantised KLMS: near samples update the nearest vector",
        "Chen, Zhao, Zhu, Principe, Quantized kernel least mean square algorithm, 2012",
    ),
    mix(
        "knlms",
        ["nlms", "coherence", "oldest", "none", "unlimited"],
        &[("mu0", "0.95")],
        "kernel normalised LMS with the coherence criterion",
        "Richard, Bermudez, Honeine, Online prediction of time series data with kernels, 2009, (21)-(24)",
    ),
    mix(
        "kapa",
        ["affine-projection", "coherence", "oldest", "none", "unlimited"],
        &[("mu0", "0.95"), ("tau", "20")],
        "kernel affine projection with the coherence criterion",
        "Richard, Bermudez, Honeine, Online prediction of time series data with kernels, 2009, (17)-(20)",
    ),
    mix(
        "kap",
        ["affine-projection", "coherence", "oldest", "none", "unlimited"],
        &[("mu0", "0.95"), ("tau", "20")],
        "the toolbox's name of kapa",
        "Richard, Bermudez, Honeine, Online prediction of time series data with kernels, 2009, (17)-(20)",
    ),
    mix(
        "krls-ald",
        ["rls", "dependency", "oldest", "none", "freeze"],
        &[("nu", "1e-2")],
        "kernel recursive least squares with approximate linear dependency",
        "Engel, Mannor, Meir, The kernel recursive least-squares algorithm, 2004, (3.1)-(3.16)",
    ),
    mix(
        "krls-window",
        ["exact", "always", "oldest", "orthogonal", "window"],
        &[],
        "regularised least squares over the last tau samples",
        "Van Vaerenbergh, Via, Santamaria, A sliding-window kernel RLS algorithm, 2006",
    ),
    mix(
        "krls-fixed-budget",
        ["exact", "always", "alpha-kappa", "orthogonal", "budget"],
        &[],
        "regularised least squares over a budget of samples; the least significant leaves",
        "Van Vaerenbergh, Santamaria, Liu, Principe, Fixed-budget kernel recursive least-squares, 2010",
    ),
    own(
        "klms-csl1",
        |plan| ProximalKlms::plain(plan).map(AnyMethod::from),
        &[("eta", "0.1"), ("mu0", "0.95"), ("shrink", "5e-4"), ("normalised", "false"), ("eps", "1e-2")],
        "kernel LMS with coherence criterion and soft threshold; weights that reach 0 leave",
        GAO,
    ),
    own(
        "klms-csal1",
        |plan| ProximalKlms::adaptive(plan).map(AnyMethod::from),
        &[
            ("eta", "0.1"),
            ("mu0", "0.95"),
            ("shrink", "1e-5"),
            ("eps_alpha", "1e-2"),
            ("normalised", "false"),
            ("eps", "1e-2"),
        ],
        "the same with a threshold that spares large weights",
        GAO,
    ),
    own(
        "fbklms",
        |plan| FixedBudgetKlms::new(plan).map(AnyMethod::from),
        &[("eta", "0.5"), ("nu", "0.05"), ("eps", "1e-2"), ("budget", "500")],
        "normalised kernel LMS; the smallest weight leaves a full dictionary",
        "Rzepka, Fixed-budget kernel least mean squares, 2012",
    ),
    own(
        "qklms-fb",
        |plan| FixedBudgetQklms::new(plan).map(AnyMethod::from),
        &[
            ("eta", "0.9"),
            ("epsu", "0.1"),
            ("lambda", "0.95"),
            ("budget", "500"),
            ("normalised", "false"),
            ("eps", "1e-2"),
        ],
        "quantised KLMS; the least significant vector leaves a full dictionary",
        "Zhao, Chen, Zhu, Principe, Fixed budget quantized kernel least-mean-square algorithm, 2013, (15)-(17)",
    ),
    own(
        "krls-tracker",
        |plan| KrlsTracker::new(plan).map(AnyMethod::from),
        &[("lambda", "0.999"), ("sn2", "1e-2"), ("budget", "100"), ("jitter", "1e-6")],
        "a Gaussian process on a budget that forgets, with error bars",
        "Van Vaerenbergh, Lazaro-Gredilla, Santamaria, Kernel recursive least-squares tracker, 2012, algorithm 1",
    ),
    own(
        "lkapa",
        |plan| LeakyKapa::leaky(plan).map(AnyMethod::from),
        &[("eta", "0.05"), ("rho", "1e-2"), ("tau", "20"), ("budget", "1000")],
        "leaky kernel affine projection: the last tau weights move along their errors (KAPA-1, KAPA-3)",
        "Liu, Principe, Kernel affine projection algorithms, 2008",
    ),
    own(
        "nlkapa",
        |plan| LeakyKapa::normalised(plan).map(AnyMethod::from),
        &[("eta", "0.05"), ("rho", "1e-2"), ("eps", "1e-2"), ("tau", "20"), ("budget", "1000")],
        "the same, normalised by the Gram matrix of the last tau samples (KAPA-2, KAPA-4)",
        "Liu, Principe, Kernel affine projection algorithms, 2008",
    ),
    own(
        "kapsm",
        |plan| ProjectedSubgradient::new(plan).map(AnyMethod::from),
        &[
            ("eta", "1"),
            ("loss", "squared"),
            ("loss_scale", "1"),
            ("radius", "100"),
            ("tau", "10"),
            ("budget", "200"),
        ],
        "adaptive projected subgradients over the last tau samples, for any convex loss",
        "Slavakis, Theodoridis, Yamada, Online kernel-based classification using adaptive projection algorithms, 2008",
    ),
    own(
        "exkrls",
        |plan| ExtendedKrls::new(plan).map(AnyMethod::from),
        &[
            ("transition", "0.999"),
            ("lambda", "0.995"),
            ("drift", "1e-3"),
            ("ridge", "1e-2"),
            ("budget", "500"),
        ],
        "extended kernel recursive least squares for a model that moves",
        "Liu, Park, Wang, Principe, Extended kernel recursive least squares algorithm, 2009",
    ),
    own(
        "qkrls",
        |plan| QuantisedKrls::new(plan).map(AnyMethod::from),
        &[("epsu", "0.1"), ("ridge", "1e-2"), ("budget", "1000")],
        "quantised kernel recursive least squares: near samples are counted at the nearest vector",
        "Chen, Zhao, Zhu, Principe, Quantized kernel recursive least squares algorithm, 2013",
    ),
    own(
        "mknlms",
        |plan| MultikernelNlms::new(plan).map(AnyMethod::from),
        &[("eta", "0.5"), ("mu0", "0.9"), ("eps", "1e-2"), ("widths", "0.5;1;2")],
        "normalised LMS on the values of several kernels, with the coherence criterion",
        "Yukawa, Multikernel adaptive filtering, 2012",
    ),
    own(
        "mxklms",
        |plan| MixtureKlms::new(plan).map(AnyMethod::from),
        &[("eta", "0.5"), ("eta_gate", "0.1"), ("budget", "1000"), ("widths", "0.5;1;2")],
        "one kernel LMS per kernel, mixed by a gate that learns",
        "Pokharel, Seth, Principe, Mixture kernel least mean square, 2013",
    ),
    own(
        "phypass",
        |plan| Phypass::new(plan).map(AnyMethod::from),
        &[("eta", "0.5"), ("mu0", "0.95"), ("active", "1"), ("tau", "8")],
        "parallel projections onto the last tau samples along the nearest vectors, extrapolated",
        "Takizawa, Yukawa, An efficient data-reusing kernel adaptive filtering algorithm, 2013",
    ),
    own(
        "l2-s",
        |plan| MultiGaussianL2::new(plan).map(AnyMethod::from),
        &[
            ("eta", "0.5"),
            ("mu0", "0.95"),
            ("eps", "1e-2"),
            ("widths", "2;1;0.5"),
            ("blend", "0.999"),
            ("error_ratio", "1e-2"),
            ("active", "1"),
            ("budget", "1000"),
        ],
        "Gaussians of several widths in the metric of L2, the nearest of them updated",
        "Ohnishi, Yukawa, Online learning in L2 space with multiple Gaussian kernels, 2017",
    ),
    own(
        "rff-klms",
        |plan| RandomFeatureKlms::new(plan).map(AnyMethod::from),
        &[
            ("eta", "0.5"),
            ("features", "200"),
            ("seed", "1"),
            ("frequencies", "drawn"),
            ("phases", "drawn"),
            ("normalised", "false"),
            ("eps", "1e-2"),
        ],
        "LMS on random Fourier features of the kernel: fixed cost, no dictionary",
        "Rahimi, Recht, Random features for large-scale kernel machines, 2007; Singh, Ahuja, Moulin, Online learning with kernels: overcoming the growing sum problem, 2012",
    ),
    mix(
        "spl",
        ["gradient", "rkhs-distance", "kappa-alpha", "orthogonal", "limit"],
        &[("eta", "0.45"), ("lambda_max", "1e-4")],
        "sequential projection learning with incremental and decremental steps",
        "Dodd, Kadirkamanathan, Harrison 2003; Pothin, Richard, (6)-(8)",
    ),
    // The first vectors enter unconditionally. With one feature some of them nearly coincide, and with a floor of
    // 1e-5 or less the inverse Gram matrix of such a dictionary is lost in one stream of a few hundred.
    mix(
        "spl-coherence",
        ["gradient", "coherence", "coherent-pair", "orthogonal", "budget"],
        &[
            ("eta", "0.45"),
            ("mu0", "0.75"),
            ("budget", "24"),
            ("fill", "budget"),
            ("strict", "true"),
            ("floor", "1e-4"),
        ],
        "sequential projection learning under a coherence threshold",
        "Pothin, Richard, Online learning with kernels: a new approach for sparsity control based on a coherence criterion, (10)-(20)",
    ),
    mix(
        "klms-reduce",
        ["gradient", "distinct", "kappa", "orthogonal", "budget"],
        REDUCE,
        "KLMS reduction: cost kappa",
        report!("(12)-(13)"),
    ),
    mix(
        "mklms-reduce",
        ["gradient", "distinct", "kappa-alpha", "orthogonal", "budget"],
        REDUCE,
        "MKLMS reduction: cost kappa alpha^2",
        report!("(12) with the metric kappa alpha^2 after (13)"),
    ),
    mix(
        "ls-reduce",
        ["gradient", "distinct", "least-squares", "least-squares", "budget"],
        REDUCE,
        "LS reduction: pseudo-inverse projection",
        report!("(14)"),
    ),
    mix(
        "lsr-reduce",
        ["gradient", "distinct", "regularised-least-squares", "least-squares", "budget"],
        REDUCE,
        "LS reduction with the multiplier penalty C",
        report!("(14), (20)"),
    ),
    mix(
        "fklms-reduce",
        ["gradient", "distinct", "crowding", "fast", "budget"],
        REDUCE,
        "fast KLMS reduction: cost 1 - max k, projection with K_RR = I",
        report!("(16)-(17)"),
    ),
    mix(
        "fmklms-reduce",
        ["gradient", "distinct", "crowding-alpha", "fast", "budget"],
        REDUCE,
        "fast MKLMS reduction: the same cost times alpha^2",
        report!("(16), (18)"),
    ),
    mix(
        "afklms-reduce",
        ["gradient", "distinct", "energy", "fast", "budget"],
        REDUCE,
        "alternative fast KLMS reduction: cost k_NN - |K_NR|^2",
        report!("section 5, (13) with K_RR = I"),
    ),
    mix(
        "afmklms-reduce",
        ["gradient", "distinct", "energy-alpha", "fast", "budget"],
        REDUCE,
        "alternative fast MKLMS reduction: that times alpha^2",
        report!("section 5, (13) with K_RR = I, times alpha^2"),
    ),
    mix(
        "number-truncation",
        ["gradient", "distinct", "magnitude", "none", "budget"],
        REDUCE,
        "the smallest weight leaves a full dictionary (NT)",
        report!("section 2, truncation"),
    ),
    mix(
        "magnitude-truncation",
        ["gradient", "distinct", "magnitude", "none", "limit"],
        &[("eta", "0.1"), ("lambda_max", "1e-3")],
        "weights below lambda_max leave (MT)",
        report!("section 2, truncation"),
    ),
    mix(
        "age-truncation",
        ["gradient", "distinct", "oldest", "none", "maximum-age"],
        &[("eta", "0.1")],
        "vectors leave that were not renewed for max_age presentations (AT)",
        report!("section 2, truncation"),
    ),
];
