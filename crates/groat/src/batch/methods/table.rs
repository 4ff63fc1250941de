//! The table itself. A new method gets a row here, and is then known to every face and every law.

use super::parameters as p;
use super::row::{Ability, MethodRow, Taken, TaskKind};
use crate::batch::{feature_ridge, forward, iterative_ridge, linear, lssvm, ridge, sparse, svm};

/// Name of the default fit: the smallest model within a tolerance of the full machine.
pub const SPARSE: &str = "sparse";
/// Name of the selection of vectors one by one, in model files too.
pub const OLS: &str = "ols";
/// Name of exact kernel ridge regression.
pub const KERNEL_RIDGE: &str = "krr";
/// Name of the least-squares SVM.
pub const LEAST_SQUARES_SVM: &str = "lssvm";
/// Name of the support vector machine for classes.
pub const SVC: &str = "svc";
/// Name of the support vector machine for classes with a share instead of a cost.
pub const NU_SVC: &str = "nu-svc";
/// Name of the support vector machine for numbers.
pub const SVR: &str = "svr";
/// Name of the support vector machine for numbers that finds its own epsilon.
pub const NU_SVR: &str = "nu-svr";
/// Name of the support vector machine for one class.
pub const ONE_CLASS: &str = "one-class";
/// Name of the linear support vector machine.
pub const LINEAR_SVC: &str = "linear-svc";
/// Name of linear support vector regression.
pub const LINEAR_SVR: &str = "linear-svr";
/// Name of logistic regression.
pub const LOGISTIC: &str = "logistic";
/// Name of exact kernel ridge regression by conjugate gradients.
pub const ITERATIVE_RIDGE: &str = "krr-cg";
/// Name of ridge regression on landmarks.
pub const NYSTROM: &str = "nystrom";
/// Name of the same by conjugate gradients with a sampled preconditioner.
pub const FALKON: &str = "falkon";
/// Name of ridge regression on random features.
pub const RANDOM_FEATURES: &str = "rff";
/// Name of kernel PCA, which has no target and so no row.
pub const KERNEL_PCA: &str = "kpca";

const TARGETS: &[TaskKind] = &[TaskKind::Regression, TaskKind::Classification];
const CLASSES: &[TaskKind] = &[TaskKind::Classification];
const NUMBERS: &[TaskKind] = &[TaskKind::Regression];
const DENSITY: &[TaskKind] = &[TaskKind::Density];

/// What ridge regression on landmarks takes.
const ON_LANDMARKS: &[Taken] = &[
    Taken::new(&p::WIDTH, "auto"),
    Taken::new(&p::RIDGE, "auto"),
    Taken::new(&p::RANK, "1000"),
    Taken::new(&p::LANDMARKS, "pivoted"),
    Taken::new(&p::PRECISION, "double"),
    Taken::new(&p::LOSS, "squared"),
    Taken::new(&p::CLASS_WEIGHTS, "equal").only(CLASSES),
    Taken::new(&p::ESTIMATE, "true"),
    Taken::new(&p::ERROR_BARS, "none").only(NUMBERS),
    Taken::new(&p::SELECTION_ROWS, "5000"),
    Taken::new(&p::TOLERANCE, "1e-8"),
    Taken::new(&p::MAX_ITERATIONS, "auto"),
    Taken::new(&p::MEMORY, "auto"),
    Taken::new(&p::SEED, "0"),
];

/// Every batch method of this crate; the first is what a person gets without asking.
pub(super) const ROWS: &[MethodRow] = &[
    MethodRow {
        name: SPARSE,
        summary: "what the full kernel machine reaches, then the smallest model within a tolerance of it",
        tasks: &[TaskKind::Regression, TaskKind::Classification, TaskKind::Density],
        abilities: &[Ability::Batches, Ability::LeaveOneOut, Ability::ErrorBars],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::RIDGE, "auto").only(TARGETS),
            Taken::new(&p::TOLERANCE, "0.02").only(TARGETS),
            Taken::new(&p::SMALLEST, "false").only(TARGETS),
            Taken::new(&p::BEST, "false").only(TARGETS),
            Taken::new(&p::PER_FEATURE, "auto").only(TARGETS),
            Taken::new(&p::MAX_TERMS, "auto").only(TARGETS),
            Taken::new(&p::CANDIDATES, "auto").only(TARGETS),
            Taken::new(&p::SELECTION_ROWS, "20000").only(TARGETS),
            Taken::new(&p::ESTIMATE, "true").only(TARGETS),
            Taken::new(&p::BLOCKS, "false").only(TARGETS),
            Taken::new(&p::CLASS_WEIGHTS, "equal").only(CLASSES),
            Taken::new(&p::MEMORY, "auto").only(TARGETS),
            Taken::new(&p::PARZEN_WIDTH, "auto").only(DENSITY),
            Taken::new(&p::SEED, "0"),
        ],
        build: sparse::build,
    },
    MethodRow {
        name: OLS,
        summary: "vectors chosen one by one by leave-one-out until it stops falling, as in the paper; densities",
        tasks: &[TaskKind::Regression, TaskKind::Classification, TaskKind::Density],
        abilities: &[Ability::Batches, Ability::LeaveOneOut, Ability::ErrorBars],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::RIDGE, "auto"),
            Taken::new(&p::PENALTY, "1e-6"),
            Taken::new(&p::MAX_TERMS, "500"),
            Taken::new(&p::PATIENCE, "5"),
            Taken::new(&p::CANDIDATES, "auto"),
            Taken::new(&p::PASSES, "10"),
            Taken::new(&p::FOLDS, "auto").only(TARGETS),
            Taken::new(&p::ONE_STANDARD_ERROR, "false").only(TARGETS),
            Taken::new(&p::PER_FEATURE, "false").only(TARGETS),
            Taken::new(&p::FINER, "0").only(TARGETS),
            Taken::new(&p::SELECTION_ROWS, "2000").only(TARGETS),
            Taken::new(&p::BIAS, "true").only(TARGETS),
            Taken::new(&p::CRITERION, "auto").only(CLASSES),
            Taken::new(&p::CLASS_WEIGHTS, "equal").only(CLASSES),
            Taken::new(&p::REFINEMENT, "20").only(DENSITY),
            Taken::new(&p::PARZEN_WIDTH, "auto").only(DENSITY),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: forward::build,
    },
    MethodRow {
        name: KERNEL_RIDGE,
        summary: "exact kernel ridge regression; keeps every training row",
        tasks: TARGETS,
        abilities: &[Ability::LeaveOneOut],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::RIDGE, "auto"),
            Taken::new(&p::BIAS, "true"),
            Taken::new(&p::LEAVE_ONE_OUT, "true"),
            Taken::new(&p::FINER, "0"),
            Taken::new(&p::SELECTION_ROWS, "2500"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: ridge::build,
    },
    MethodRow {
        name: LEAST_SQUARES_SVM,
        summary: "least-squares SVM; with a support on a sparse matrix, for many rows and few features",
        tasks: TARGETS,
        abilities: &[Ability::LeaveOneOut],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::RIDGE, "auto"),
            Taken::new(&p::FINER, "0"),
            Taken::new(&p::SUPPORT, "none"),
            Taken::new(&p::SOLVER, "auto"),
            Taken::new(&p::SHIFT, "false"),
            Taken::new(&p::TOLERANCE, "1e-12"),
            Taken::new(&p::LEAVE_ONE_OUT, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: lssvm::build,
    },
    MethodRow {
        name: ITERATIVE_RIDGE,
        summary: "exact kernel ridge regression by conjugate gradients, for more rows than memory holds a matrix of",
        tasks: TARGETS,
        abilities: &[],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::RIDGE, "auto"),
            Taken::new(&p::RANK, "1000"),
            Taken::new(&p::SELECTION_ROWS, "2000"),
            Taken::new(&p::TOLERANCE, "1e-8"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: iterative_ridge::build,
    },
    MethodRow {
        name: NYSTROM,
        summary: "kernel ridge regression on landmarks, for very many rows",
        tasks: TARGETS,
        abilities: &[Ability::Batches],
        parameters: ON_LANDMARKS,
        build: feature_ridge::build_nystrom,
    },
    MethodRow {
        name: FALKON,
        summary: "the same by preconditioned conjugate gradients, for very many landmarks",
        tasks: TARGETS,
        abilities: &[Ability::Batches],
        parameters: ON_LANDMARKS,
        build: feature_ridge::build_falkon,
    },
    MethodRow {
        name: RANDOM_FEATURES,
        summary: "ridge regression on random Fourier features, for very many rows",
        tasks: TARGETS,
        abilities: &[Ability::Batches],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::RIDGE, "auto"),
            Taken::new(&p::RANK, "1000"),
            Taken::new(&p::ORTHOGONAL, "true"),
            Taken::new(&p::FORM, "paired"),
            Taken::new(&p::PRECISION, "double"),
            Taken::new(&p::LOSS, "squared"),
            Taken::new(&p::CLASS_WEIGHTS, "equal").only(CLASSES),
            Taken::new(&p::ESTIMATE, "true"),
            Taken::new(&p::ERROR_BARS, "none").only(NUMBERS),
            Taken::new(&p::SELECTION_ROWS, "5000"),
            Taken::new(&p::TOLERANCE, "1e-8"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: feature_ridge::build_random,
    },
    MethodRow {
        name: SVC,
        summary: "support vector machine for classes; vectors near the margin",
        tasks: CLASSES,
        abilities: &[Ability::Batches, Ability::WarmStart],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::COST, "auto"),
            Taken::new(&p::CLASS_WEIGHTS, "equal"),
            Taken::new(&p::PROBABILITIES, "false"),
            Taken::new(&p::CHUNK, "none"),
            Taken::new(&p::CARRY, "20000"),
            Taken::new(&p::CHUNK_PASSES, "5"),
            Taken::new(&p::ONE_PASS, "false"),
            Taken::new(&p::SUBSAMPLE, "none"),
            Taken::new(&p::SUBSAMPLING, "random"),
            Taken::new(&p::FOLDS, "auto"),
            Taken::new(&p::SELECTION_ROWS, "2000"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: svm::build_svc,
    },
    MethodRow {
        name: NU_SVC,
        summary: "support vector machine for classes with a share of violated margins instead of a cost",
        tasks: CLASSES,
        abilities: &[Ability::WarmStart],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::NU, "auto"),
            Taken::new(&p::CLASS_WEIGHTS, "equal"),
            Taken::new(&p::PROBABILITIES, "false"),
            Taken::new(&p::FOLDS, "auto"),
            Taken::new(&p::SELECTION_ROWS, "2000"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: svm::build_nu_svc,
    },
    MethodRow {
        name: SVR,
        summary: "support vector machine for numbers; errors up to epsilon cost nothing",
        tasks: NUMBERS,
        abilities: &[Ability::Batches, Ability::WarmStart],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::COST, "auto"),
            Taken::new(&p::EPSILON, "auto"),
            Taken::new(&p::CHUNK, "none"),
            Taken::new(&p::CARRY, "20000"),
            Taken::new(&p::CHUNK_PASSES, "5"),
            Taken::new(&p::SUBSAMPLE, "none"),
            Taken::new(&p::SUBSAMPLING, "random"),
            Taken::new(&p::FOLDS, "auto"),
            Taken::new(&p::SELECTION_ROWS, "1000"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: svm::build_svr,
    },
    MethodRow {
        name: NU_SVR,
        summary: "support vector machine for numbers with a share of rows outside its tube",
        tasks: NUMBERS,
        abilities: &[Ability::WarmStart],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::COST, "auto"),
            Taken::new(&p::NU, "0.5"),
            Taken::new(&p::FOLDS, "auto"),
            Taken::new(&p::SELECTION_ROWS, "1000"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: svm::build_nu_svr,
    },
    MethodRow {
        name: ONE_CLASS,
        summary: "where rows are: a share of about nu is left outside; there is no target",
        tasks: DENSITY,
        abilities: &[Ability::WarmStart],
        parameters: &[
            Taken::new(&p::WIDTH, "auto"),
            Taken::new(&p::NU, "0.1"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::MEMORY, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: svm::build_one_class,
    },
    MethodRow {
        name: LINEAR_SVC,
        summary: "linear support vector machine, for very many rows or sparse features",
        tasks: CLASSES,
        abilities: &[Ability::WarmStart],
        parameters: &[
            Taken::new(&p::COST, "auto"),
            Taken::new(&p::LOSS, "hinge"),
            Taken::new(&p::CLASS_WEIGHTS, "equal"),
            Taken::new(&p::PENALISE_BIAS, "false"),
            Taken::new(&p::FOLDS, "auto"),
            Taken::new(&p::SELECTION_ROWS, "5000"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: linear::build_linear_svc,
    },
    MethodRow {
        name: LINEAR_SVR,
        summary: "linear support vector regression",
        tasks: NUMBERS,
        abilities: &[Ability::WarmStart],
        parameters: &[
            Taken::new(&p::COST, "auto"),
            Taken::new(&p::EPSILON, "auto"),
            Taken::new(&p::PENALISE_BIAS, "false"),
            Taken::new(&p::FOLDS, "auto"),
            Taken::new(&p::SELECTION_ROWS, "5000"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: linear::build_linear_svr,
    },
    MethodRow {
        name: LOGISTIC,
        summary: "linear logistic regression, which knows probabilities",
        tasks: CLASSES,
        abilities: &[Ability::WarmStart],
        parameters: &[
            Taken::new(&p::COST, "auto"),
            Taken::new(&p::CLASS_WEIGHTS, "equal"),
            Taken::new(&p::PENALISE_BIAS, "false"),
            Taken::new(&p::FOLDS, "auto"),
            Taken::new(&p::SELECTION_ROWS, "5000"),
            Taken::new(&p::TOLERANCE, "1e-3"),
            Taken::new(&p::MAX_ITERATIONS, "auto"),
            Taken::new(&p::MAX_TIME, "auto"),
            Taken::new(&p::SEED, "0"),
        ],
        build: linear::build_logistic,
    },
];
