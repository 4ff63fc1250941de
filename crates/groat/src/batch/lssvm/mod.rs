//! The least-squares support vector machine (system D6): ridge regression with a constant, on a dense or
//! a sparse kernel matrix.
//!
//! Solves 003 (14),
//!
//! ```text
//! [ 0   1'          ] [ b ]   [ 0 ]
//! [ 1   K + ridge I ] [ a ] = [ y ]
//! ```
//!
//! exactly, by elimination: with `u = (K + ridge I)^-1 y` and `v = (K + ridge I)^-1 1`,
//! `b = 1'u / 1'v` and `a = u - b v`. Classes are coded -1 and +1, one output each when there are more than
//! two.
//!
//! `ridge` is what is added to the diagonal. The paper has two readings of its `lambda`: minimising (13) gives
//! `ridge = n lambda`, while (14) as printed has `ridge = 1 / lambda`; they agree when
//! `lambda_14 = 1 / (n lambda_13)`.
//!
//! Three ways to the same solution, chosen by predicted cost and memory and named in the notes: dense
//! Cholesky (`n^3 / 3` operations), sparse Cholesky ordered by nested dissection (from eight features on by
//! minimum degree), and conjugate gradients with Jacobi or block-Jacobi preconditioning. The two sparse ones need a kernel with compact support. A kernel that
//! is not positive definite for the data (`nu < (d + 1) / 2`) is noticed by all three; the error names the
//! ridge that would do, and `shift` lets it be taken automatically.
//!
//! ```
//! use groat::{Kernel, Rows, batch::{LeastSquaresSvm, Method, Problem, Quiet}};
//! let x: Vec<f64> = (0..200).map(|i| f64::from(i) / 20.0).collect();
//! let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
//! let kernel: Kernel = "gaussian:width=1,support=2".parse()?;
//! let machine = LeastSquaresSvm { kernel, ridge: 1e-3, ..Default::default() };
//! let fitted = machine.fit(&Problem::regression(Rows::new(&x, 1)?, &y)?, &Quiet)?;
//! assert!((fitted.model.predict_one(&[1.1])?[0] - 1.1f64.sin()).abs() < 1e-3);
//! # Ok::<(), groat::Error>(())
//! ```

mod build;
mod cost;
mod plan;
mod solve;

pub(in crate::batch) use build::build;

use crate::batch::methods::LEAST_SQUARES_SVM;
use crate::batch::ridge;
use crate::batch::{Estimate, Fitted, KernelRidge, Method, Problem, Sizes, Target, Watch};
use crate::error::{Error, Result, check_not_negative, check_positive};
use crate::expansion::Expansion;
use crate::gram::Memory;
use crate::kernels::Kernel;
use crate::matrix::Rows;
use crate::model::{Model, Record};
use crate::tune::{Search, SupportRule, SupportTuning, Trial, Validation, sample_rows, stablest};

/// Share of zeros from which on a sparse factorisation is quicker than a dense one.
const WORTHWHILE: f64 = 0.75;

/// How the linear system is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Solver {
    /// Whatever is predicted to be fastest within the memory.
    Auto,
    /// Dense Cholesky.
    Dense,
    /// Sparse Cholesky.
    Sparse,
    /// Preconditioned conjugate gradients on the sparse matrix.
    Iterative,
}

impl Solver {
    /// What a solver may be called.
    pub(crate) const NAMES: &[&str] = &["auto", "dense", "sparse", "iterative"];
}

impl std::fmt::Display for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Solver::Auto => "auto",
            Solver::Dense => "dense",
            Solver::Sparse => "sparse",
            Solver::Iterative => "iterative",
        })
    }
}

impl std::str::FromStr for Solver {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Solver::Auto),
            "dense" => Ok(Solver::Dense),
            "sparse" => Ok(Solver::Sparse),
            "iterative" => Ok(Solver::Iterative),
            _ => Err(Error::parse("solver", text, "expected auto, dense, sparse or iterative")),
        }
    }
}

/// Parameters of the least-squares SVM.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquaresSvm {
    /// The kernel; with compact support for the sparse solvers.
    pub kernel: Kernel,
    /// How the width is found: by leave-one-out on some of the rows, as for kernel ridge regression.
    pub widths: Search,
    /// Rounds of a finer search around the best width, each with half the step of the one before.
    pub finer: usize,
    /// When given, the kernel's support is chosen by this rule (and made, if it has none).
    pub support: Option<SupportRule>,
    /// What is added to the diagonal of the kernel matrix, when `ridges` is [`Search::Fixed`].
    pub ridge: f64,
    /// How the ridge is found.
    pub ridges: Search,
    /// How the system is solved.
    pub solver: Solver,
    /// Whether the leave-one-out error is worked out. It takes a factorisation, so conjugate gradients are not
    /// chosen as long as one fits into the memory.
    pub leave_one_out: bool,
    /// Up to this many rows it is worked out in any case, unless conjugate gradients are asked for.
    pub leave_one_out_rows: usize,
    /// Whether a matrix that is not positive definite is met by a larger ridge instead of an error.
    pub shift: bool,
    /// Relative residual at which conjugate gradients stop.
    pub tolerance: f64,
    /// What matrix and factor may take.
    pub memory: Memory,
    /// Seed of the samples by which the support is chosen.
    pub seed: u64,
}

impl Default for LeastSquaresSvm {
    fn default() -> Self {
        Self {
            kernel: Kernel::gaussian(1.0),
            widths: Search::Fixed,
            support: None,
            ridge: 1.0,
            ridges: Search::Fixed,
            finer: 0,
            solver: Solver::Auto,
            leave_one_out: false,
            leave_one_out_rows: 0,
            shift: false,
            tolerance: 1e-12,
            memory: Memory::default(),
            seed: 0,
        }
    }
}

impl LeastSquaresSvm {
    fn check(&self, problem: &Problem<'_>) -> Result<()> {
        if problem.target == Target::Density {
            return Err(Error::parameter("task", "density", "regression or classification"));
        }
        self.kernel.check_for(problem.x.cols())?;
        check_not_negative("ridge", self.ridge)?;
        check_positive("tolerance", self.tolerance)?;
        if matches!(self.solver, Solver::Sparse | Solver::Iterative)
            && self.kernel.support().is_none()
            && self.support.is_none()
        {
            return Err(Error::parameter("solver", self.solver, "dense, or a kernel with compact support"));
        }
        Ok(())
    }

    /// Kernel ridge regression of the same function, whose closed form judges widths and ridges by leave-one-out on some
    /// of the rows.
    fn as_ridge(&self, kernel: &Kernel, widths: &Search) -> KernelRidge {
        KernelRidge {
            kernel: kernel.clone(),
            widths: widths.clone(),
            ridge: self.ridge,
            ridges: self.ridges.clone(),
            finer: self.finer,
            memory: self.memory,
            seed: self.seed,
            ..KernelRidge::default()
        }
    }

    /// The machine that a request to stop leaves time for.
    fn so_far(
        &self,
        kernel: Kernel,
        ridge: f64,
        problem: &Problem<'_>,
        trials: Vec<Trial>,
    ) -> Result<Fitted> {
        let (widths, ridges, solver) = (Search::Fixed, Search::Fixed, Solver::Auto);
        let settled = Self { kernel, ridge, widths, ridges, solver, support: None, ..self.clone() };
        let rows = sample_rows(problem.x.rows(), ridge::SO_FAR, self.seed);
        ridge::so_far(&settled, problem, &rows, trials)
    }

    /// The kernel with the support that the rule chooses, and a word on it.
    fn with_support(&self, kernel: Kernel, problem: &Problem<'_>, notes: &mut Vec<String>) -> Result<Kernel> {
        let Some(rule) = self.support.map(|rule| rule.within(self.memory.limit())) else {
            return Ok(kernel);
        };
        let tuning = SupportTuning::for_kernel(&kernel, dense_rows(problem)?, self.seed)?;
        let choice = tuning.choose(rule)?;
        notes.push(match rule {
            SupportRule::Given(_) => format!("support {choice}"),
            // How much memory there is was not asked by the rule's name.
            SupportRule::Auto(_) => format!("support {choice} (rule auto)"),
            rule => format!("support {choice} (rule {rule})"),
        });
        notes.extend(nearly_full(&tuning, choice.sparsity));
        Ok(tuning.kernel_with(choice.support))
    }
}

/// The rows where neighbours are looked for.
fn dense_rows<'a>(problem: &Problem<'a>) -> Result<Rows<'a>> {
    problem.x.require_dense("dense rows for a kernel with compact support")
}

/// A word where a compact kernel brings little, and what more zeros would cost.
fn nearly_full(tuning: &SupportTuning<'_>, sparsity: f64) -> Option<String> {
    let sparse = tuning.choose(SupportRule::Sparsity(WORTHWHILE)).ok()?;
    (sparsity < WORTHWHILE).then(|| {
        format!(
            "at this support the matrix is nearly full and nothing is saved; support {:.4} (sparsity={WORTHWHILE}) \
             would leave an alignment of {:.3}",
            sparse.support, sparse.alignment
        )
    })
}

impl Method for LeastSquaresSvm {
    fn name(&self) -> &'static str {
        LEAST_SQUARES_SVM
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        self.estimated(sizes)
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked()?;
        self.check(&problem)?;
        let mut notes = Vec::new();
        let (mut trials, note) = self.as_ridge(&self.kernel, &self.widths).search(&problem, watch)?;
        notes.extend(note);
        let (kernel, mut ridge) = match stablest(&trials) {
            Some(trial) => (trial.kernel.clone(), trial.ridge),
            None => (self.kernel.clone(), self.ridge),
        };
        if watch.stop_requested() {
            return self.so_far(kernel, ridge, &problem, trials);
        }
        let kernel = self.with_support(kernel, &problem, &mut notes)?;
        if self.support.is_some() {
            // The taper makes the kernel rougher, and a rougher kernel wants another ridge.
            let (tapered, _) = self.as_ridge(&kernel, &Search::Fixed).search(&problem, watch)?;
            ridge = stablest(&tapered).map_or(ridge, |trial| trial.ridge);
            trials.extend(tapered);
        }
        notes.extend(kernel.warning_for(problem.x.cols()));
        let few = problem.x.rows() <= self.leave_one_out_rows && self.solver != Solver::Iterative;
        let leave_one_out = self.leave_one_out || few;
        let settled = LeastSquaresSvm { kernel: kernel.clone(), ridge, leave_one_out, ..self.clone() };
        let solution = match solve::solve(&settled, &problem, watch, &mut notes) {
            Err(Error::Stopped) => return self.so_far(kernel, ridge, &problem, trials),
            outcome => outcome?,
        };
        let record = Record::new(self.name(), problem.x.rows())
            .with("ridge", solution.ridge)
            .with("solver", solution.solver);
        let function =
            Expansion::new(kernel, problem.x.to_set(), solution.weights)?.with_bias(solution.bias)?;
        let model = Model::new(function).with_task(problem.task())?.with_record(record);
        let mut fitted = Fitted::new(model, problem.x.rows());
        fitted.judged_by =
            if trials.is_empty() { String::new() } else { Validation::LeaveOneOut.to_string() };
        (fitted.leave_one_out, fitted.notes, fitted.trials) = (solution.leave_one_out, notes, trials);
        fitted.matrix = Some(solution.matrix);
        Ok(fitted)
    }
}

#[cfg(test)]
mod tests;
