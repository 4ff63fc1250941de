//! What a fit will take, told before it begins.

use super::{Problem, Target, TaskKind};
use crate::error::Result;
use crate::gram::Plan;
use crate::matrix::Points;
use groat_linalg::{View, ViewMut, Write, product};
use std::time::Instant;

/// Side of the product that the machine's speed is measured with.
const SIDE: usize = 512;
/// Times that it is measured; the quickest counts.
const TIMES: usize = 3;

/// What is known of data before they are learnt from.
///
/// ```
/// use groat::{Kernel, batch::{KernelRidge, Method, Sizes, TaskKind}};
/// let sizes = Sizes::new(10_000, 8, TaskKind::Regression);
/// let estimate = KernelRidge::fixed(Kernel::gaussian(1.0), 0.1).estimate(&sizes)?;
/// assert_eq!(estimate.bytes, 8 * 10_000 * 10_000);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sizes {
    /// Rows to learn from.
    pub rows: usize,
    /// Features of a row.
    pub features: usize,
    /// Features of a row that are not 0, on average.
    pub filled: f64,
    /// What is to be learnt.
    pub task: TaskKind,
    /// Columns of the target, or classes.
    pub answers: usize,
}

impl Sizes {
    /// Dense rows with one number, or one of two classes, to be told.
    pub fn new(rows: usize, features: usize, task: TaskKind) -> Self {
        let answers = if task == TaskKind::Classification { 2 } else { 1 };
        Self { rows, features, filled: features as f64, task, answers }
    }

    /// Those of a problem.
    pub fn of(problem: &Problem<'_>) -> Self {
        let (x, task) = (problem.x, TaskKind::of(&problem.target));
        let answers = match problem.target {
            Target::Values(y) => y.cols(),
            Target::Classes { count, .. } => count,
            Target::Density => 1,
        };
        let filled = match x {
            Points::Dense(x) => x.cols() as f64,
            Points::Sparse(x) => x.nonzeros() as f64 / x.rows().max(1) as f64,
        };
        Self { filled, ..Self::new(x.rows(), x.cols(), task).answers(answers) }
    }

    /// The same for so many rows.
    #[must_use]
    pub fn rows(self, rows: usize) -> Self {
        Self { rows, ..self }
    }

    /// The same with so many columns of the target, or classes.
    #[must_use]
    pub fn answers(self, answers: usize) -> Self {
        Self { answers: answers.max(1), ..self }
    }

    /// Outputs of a model that has one for each column of the target or, unless there are two of them, for each class.
    pub(super) fn outputs(&self) -> usize {
        if self.task == TaskKind::Classification && self.answers == 2 { 1 } else { self.answers }
    }

    /// Bytes of the rows.
    pub fn bytes(&self) -> u64 {
        let each = if self.filled < self.features as f64 { 12.0 * self.filled } else { 8.0 * self.filled };
        (self.rows as f64 * each) as u64
    }
}

/// What a fit takes, as far as its sizes tell. Choices such as a width are counted in where they are left to the method.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Bytes besides the data.
    pub bytes: u64,
    /// Multiplications, in the time that a matrix product takes for one.
    pub work: f64,
    /// How the equations are solved, in words.
    pub solver: String,
    /// In which form a kernel matrix will stand, where there is one.
    pub matrix: Option<Plan>,
}

impl Estimate {
    /// So many bytes and multiplications by a solver.
    pub fn new(bytes: u64, work: f64, solver: impl Into<String>) -> Self {
        Self { bytes, work, solver: solver.into(), matrix: None }
    }

    /// The same with a kernel matrix, whose bytes are added.
    #[must_use]
    pub fn with_matrix(self, plan: Plan) -> Self {
        Self { bytes: self.bytes + plan.bytes, matrix: Some(plan), ..self }
    }

    /// Seconds on this machine, as busy as it is now: a matrix product of a few milliseconds tells its speed.
    pub fn seconds(&self) -> Result<f64> {
        let a: Vec<f64> = (0..SIDE * SIDE).map(|i| (i % 17) as f64).collect();
        let mut out = vec![0.0; SIDE * SIDE];
        let mut quickest = f64::INFINITY;
        for _ in 0..TIMES {
            let started = Instant::now();
            let view = View::row_major(&a, SIDE, SIDE)?;
            product(1.0, view, view, Write::Replace, ViewMut::row_major(&mut out, SIDE, SIDE)?)?;
            quickest = quickest.min(started.elapsed().as_secs_f64());
        }
        Ok(self.work * quickest / (SIDE as f64).powi(3))
    }
}
