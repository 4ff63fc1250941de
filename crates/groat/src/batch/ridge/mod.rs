//! Exact kernel ridge regression (system B11).
//!
//! Minimises `sum_i w_i (y_i - f(x_i))^2 + ridge |f|^2` over `f(x) = b + sum_i alpha_i k(x_i, x)`: with
//! `C = K + ridge W^-1`, `C alpha = y - b 1` and `1' alpha = 0`. Every sample stays in the model, so this is
//! the yardstick that sparse methods are held against rather than a sparse method itself. Classes are coded
//! as -1 and +1, one output for each when there are more than two.
//!
//! Cost: `n^3 / 3` for the fit, `n^2` numbers of memory. The width and the ridge are chosen by leave-one-out,
//! which one eigendecomposition per width gives in closed form for every ridge, then on more rows (`search.rs`).
//!
//! ```
//! use groat::{Rows, batch::{KernelRidge, Method, Problem, Quiet}};
//! let x: Vec<f64> = (0..40).map(|i| f64::from(i) / 4.0).collect();
//! let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
//! let problem = Problem::regression(Rows::new(&x, 1)?, &y)?;
//! let fitted = KernelRidge::default().fit(&problem, &Quiet)?;
//! assert!((fitted.model.predict_one(&[1.1])?[0] - 1.1f64.sin()).abs() < 1e-3);
//! # Ok::<(), groat::Error>(())
//! ```

mod build;
mod search;
mod solve;

pub(in crate::batch) use build::build;
pub(in crate::batch) use solve::summary;

use crate::batch::methods::KERNEL_RIDGE;
use crate::batch::{Estimate, Fitted, Method, Problem, Quiet, Sizes, Target, Watch};
use crate::error::{Error, Result, check_not_negative};
use crate::expansion::Expansion;
use crate::gram::{Memory, Need, Plan};
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::model::{Model, Record};
use crate::tune::{Search, Trial, Validation, sample_rows, stablest};

/// Matrices of the rows of a search that there are at the same time.
const SEARCH_MATRICES: f64 = 12.0;

/// Rows of the model that a request to stop leaves time for.
pub(in crate::batch) const SO_FAR: usize = 800;

/// Parameters of exact kernel ridge regression.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelRidge {
    /// The kernel. Its width is a placeholder unless `widths` is [`Search::Fixed`].
    pub kernel: Kernel,
    /// How the width is found.
    pub widths: Search,
    /// What is added to the diagonal of the kernel matrix, when `ridges` is [`Search::Fixed`].
    pub ridge: f64,
    /// How the ridge is found.
    pub ridges: Search,
    /// Whether the model has a constant, which is not penalised.
    pub bias: bool,
    /// Whether the leave-one-out error of the final model is worked out (it doubles the cost of the fit).
    pub leave_one_out: bool,
    /// Rounds of a finer search around the best width, each with half the step of the one before.
    pub finer: usize,
    /// The search uses at most this many rows, drawn at random; the fit uses all.
    pub selection_rows: usize,
    /// What the matrix may take: it is made once and factorised in place.
    pub memory: Memory,
    /// Seed of the random draw.
    pub seed: u64,
}

impl Default for KernelRidge {
    fn default() -> Self {
        Self {
            kernel: Kernel::gaussian(1.0),
            widths: Search::Auto,
            ridge: 1e-2,
            ridges: Search::Auto,
            bias: true,
            leave_one_out: true,
            finer: 0,
            selection_rows: 2500,
            memory: Memory::default(),
            seed: 0,
        }
    }
}

impl KernelRidge {
    /// The given kernel and ridge, nothing searched.
    pub fn fixed(kernel: Kernel, ridge: f64) -> Self {
        Self { kernel, widths: Search::Fixed, ridge, ridges: Search::Fixed, ..Self::default() }
    }

    fn check(&self, problem: &Problem<'_>) -> Result<()> {
        self.kernel.check_for(problem.x.cols())?;
        check_not_negative("ridge", self.ridge)?;
        let n = problem.x.rows();
        if self.leave_one_out {
            check_two(n)?;
        }
        // Before anything is searched.
        Plan::choose(Need::Factor, n, n, problem.x.bytes(), self.memory)?;
        Ok(())
    }

    /// Width and ridge by leave-one-out on at most `selection_rows` of the rows: the trials made, none where there is
    /// nothing to find, and a word on the rows. A request to stop ends it with the trials so far.
    pub(in crate::batch) fn search(
        &self,
        problem: &Problem<'_>,
        watch: &dyn Watch,
    ) -> Result<(Vec<Trial>, Option<String>)> {
        self.widths.check("width")?;
        self.ridges.check("ridge")?;
        if self.selection_rows < 10 {
            return Err(Error::parameter("selection_rows", self.selection_rows, "at least 10"));
        }
        if !self.searches() {
            return Ok((Vec::new(), None));
        }
        check_two(problem.x.rows())?;
        search::search(self, problem, watch)
    }

    fn searches(&self) -> bool {
        self.ridges != Search::Fixed || self.searches_width()
    }

    fn searches_width(&self) -> bool {
        self.widths != Search::Fixed && self.kernel.width().is_some()
    }

    /// Multiplications and bytes of the search, which has an eigendecomposition for each width; nothing where all is given.
    pub(in crate::batch) fn search_estimate(&self, rows: usize) -> (f64, u64) {
        let n = rows.min(self.selection_rows) as f64;
        if self.searches() { (search::work(n), (8.0 * SEARCH_MATRICES * n * n) as u64) } else { (0.0, 0) }
    }
}

impl Method for KernelRidge {
    fn name(&self) -> &'static str {
        KERNEL_RIDGE
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        let (rows, n) = (sizes.rows, sizes.rows as f64);
        let plan = Plan::choose(Need::Factor, rows, rows, sizes.bytes(), self.memory)?;
        // The factor, and as much again for its inverse's diagonal.
        let work = n.powi(3) / 6.0 * if self.leave_one_out { 2.0 } else { 1.0 };
        let (searched, held) = self.search_estimate(rows);
        let solver = format!("a Cholesky factorisation of the kernel matrix of {rows} rows");
        Ok(Estimate::new(held, work + searched, solver).with_matrix(plan))
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked()?;
        if problem.target == Target::Density {
            return Err(Error::parameter("task", "density", "regression or classification"));
        }
        self.check(&problem)?;
        let n = problem.x.rows();
        let (trials, note) = self.search(&problem, watch)?;
        let (kernel, ridge) = match stablest(&trials) {
            Some(trial) => (trial.kernel.clone(), trial.ridge),
            None => (self.kernel.clone(), self.ridge),
        };
        let solution = match solve::solve(self, &problem, &kernel, ridge, watch) {
            Err(Error::Stopped) => {
                let (widths, ridges) = (Search::Fixed, Search::Fixed);
                let settled = Self { kernel, ridge, widths, ridges, ..self.clone() };
                let rows = sample_rows(n, self.selection_rows.min(SO_FAR), self.seed);
                return so_far(&settled, &problem, &rows, trials);
            }
            outcome => outcome?,
        };
        let record = Record::new(self.name(), problem.x.rows()).with("ridge", ridge).with("bias", self.bias);
        let mut function = Expansion::new(kernel, problem.x.to_set(), solution.weights)?;
        if self.bias {
            function = function.with_bias(solution.bias)?;
        }
        let model = Model::new(function).with_task(problem.task())?.with_record(record);
        let mut fitted = Fitted::new(model, problem.x.rows());
        fitted.judged_by =
            if trials.is_empty() { String::new() } else { Validation::LeaveOneOut.to_string() };
        (fitted.trials, fitted.leave_one_out) = (trials, solution.leave_one_out);
        fitted.matrix = Some(solution.matrix);
        fitted.notes.extend(note);
        Ok(fitted)
    }
}

/// What a request to stop leaves time for: the method, its kernel and ridge settled as far as the search came, on a few of
/// the rows.
pub(in crate::batch) fn so_far(
    settled: &impl Method,
    problem: &Problem<'_>,
    rows: &[usize],
    trials: Vec<Trial>,
) -> Result<Fitted> {
    let n = problem.x.rows();
    let mut fitted = settled.fit(&problem.select(rows).problem()?, &Quiet)?;
    if rows.len() < n {
        fitted
            .notes
            .push(format!("stopped before the fit to all {n} rows: this is a model of {}", rows.len()));
    }
    fitted.judged_by = if trials.is_empty() { String::new() } else { Validation::LeaveOneOut.to_string() };
    (fitted.interrupted, fitted.trials) = (true, trials);
    Ok(fitted)
}

/// One row cannot be left out.
fn check_two(rows: usize) -> Result<()> {
    match rows {
        0 | 1 => Err(Error::TooFew { what: "leave-one-out", unit: "rows", needed: 2, found: rows }),
        _ => Ok(()),
    }
}

/// Square roots of the sample weights, scaled to mean weight 1; absent when all count alike.
pub(in crate::batch) fn root_weights(problem: &Problem<'_>) -> Option<Vec<f64>> {
    let weights = problem.weights?;
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    Some(weights.iter().map(|w| (w / mean).sqrt()).collect())
}

/// `K -> S K S`, in place: with it a weighted problem becomes an ordinary one for `S y` and `S 1`.
pub(in crate::batch) fn scale_both_sides(k: &mut Matrix, s: &[f64]) {
    for (i, si) in s.iter().enumerate() {
        k.row_mut(i).iter_mut().zip(s).for_each(|(v, sj)| *v *= si * sj);
    }
}

/// The columns `S y_1, ..., S y_q, S 1`, column-major.
pub(in crate::batch) fn right_hand_sides(y: &Matrix, s: Option<&[f64]>) -> Vec<f64> {
    let n = y.rows();
    let at = |i: usize| s.map_or(1.0, |s| s[i]);
    let mut out = Vec::with_capacity(n * (y.cols() + 1));
    for c in 0..y.cols() {
        out.extend((0..n).map(|i| y[(i, c)] * at(i)));
    }
    out.extend((0..n).map(at));
    out
}

/// Leave-one-out from a solved system. Given the columns `C^-1 y_c`, the column `C^-1 1` and the diagonal of
/// `C^-1`, each in the scaled space, returns the coefficients, the constants and the leave-one-out errors in
/// the space of the data.
///
/// The system with its constant is `[0 1'; 1 C]`; by the block inverse, the lower right part of its inverse
/// has the diagonal `h_i = (C^-1)_ii - (C^-1 1)_i^2 / (1' C^-1 1)`, and the error of sample `i` when it is left
/// out is `alpha_i / h_i`.
pub(in crate::batch) struct Closed {
    pub(in crate::batch) alpha: Vec<Vec<f64>>,
    pub(in crate::batch) bias: Vec<f64>,
    pub(in crate::batch) errors: Option<Vec<Vec<f64>>>,
}

pub(in crate::batch) fn close(
    solved: &[f64],
    rhs: &[f64],
    diagonal: Option<&[f64]>,
    s: Option<&[f64]>,
    n: usize,
    bias: bool,
) -> Closed {
    let outputs = solved.len() / n - 1;
    let (ones, c_ones) = (&rhs[outputs * n..], &solved[outputs * n..]);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let total = dot(ones, c_ones);
    let root = |i: usize| s.map_or(1.0, |s| s[i]);
    let mut closed = Closed { alpha: Vec::new(), bias: Vec::new(), errors: diagonal.map(|_| Vec::new()) };
    for c in 0..outputs {
        let cy = &solved[c * n..(c + 1) * n];
        let b = if bias { dot(ones, cy) / total } else { 0.0 };
        let scaled: Vec<f64> = cy.iter().zip(c_ones).map(|(v, o)| v - b * o).collect();
        if let (Some(errors), Some(diagonal)) = (&mut closed.errors, diagonal) {
            let h = |i: usize| if bias { diagonal[i] - c_ones[i] * c_ones[i] / total } else { diagonal[i] };
            errors.push((0..n).map(|i| scaled[i] / h(i) / root(i)).collect());
        }
        closed.alpha.push(scaled.iter().enumerate().map(|(i, a)| a * root(i)).collect());
        closed.bias.push(b);
    }
    closed
}

#[cfg(test)]
mod tests;
