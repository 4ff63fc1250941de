//! Exact kernel ridge regression beyond memory: conjugate gradients on the kernel matrix itself.
//!
//! Solves the equations of [`KernelRidge`](super::KernelRidge), `(K + ridge W^-1) alpha = y - b 1` with `1' alpha = 0`, by
//! products with `K` alone, which is held where it fits and else evaluated block by block at each product. The preconditioner
//! is `F F' + ridge I` with the columns `F` of randomly pivoted Cholesky, applied by the Woodbury identity
//! `(v - F (F'F + ridge I)^-1 F' v) / ridge`; with as many columns as eigenvalues stand out above the ridge, the number of
//! iterations depends on nothing else (Diaz, Epperly, Frangella, Tropp, Webber, Robust, randomized preconditioning for
//! kernel ridge regression, 2023, theorem 2.3).
//!
//! Cost: `n^2` kernels per iteration and `n r^2` for `r` columns; memory `n r` numbers, and `n^2` where they fit. Use it for
//! up to some hundred thousand rows where every one of them counts; below ten thousand `krr` is quicker, and `nystrom` is
//! nearly as accurate at a fraction of the cost.

mod build;

pub(in crate::batch) use build::build;

use super::methods::ITERATIVE_RIDGE;
use super::ridge::{close, right_hand_sides, root_weights};
use super::{Estimate, Fitted, KernelRidge, Method, Problem, Progress, Sizes, Target, Watch};
use crate::error::{Error, Result, check_not_negative};
use crate::expansion::Expansion;
use crate::features::pivots;
use crate::gram::{Form, Gram, Memory, Need, Plan};
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::model::{Model, Record};
use crate::tune::{Search, Validation, stablest};
use groat_linalg::{
    CgReport, CgSettings, Cholesky, View, ViewMut, Write, conjugate_gradient_columns, product,
};

/// A ridge below this share of the kernel's diagonal is too small to divide by.
const LEAST_RIDGE: f64 = 1e-13;
/// Iterations that it takes, as a rule.
const ITERATIONS: f64 = 50.0;
/// Multiplications of a product in the time of one of the preconditioner, whose columns are found one after the other.
const PER_PIVOT: f64 = 20.0;
/// Share of the memory that the columns of the preconditioner may take.
const SHARE: u64 = 4;

/// Parameters of kernel ridge regression by conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct IterativeRidge {
    /// The kernel. Its width is a placeholder unless `widths` is [`Search::Fixed`].
    pub kernel: Kernel,
    /// How the width is found.
    pub widths: Search,
    /// What is added to the diagonal of the kernel matrix, when `ridges` is [`Search::Fixed`].
    pub ridge: f64,
    /// How the ridge is found.
    pub ridges: Search,
    /// Columns of the preconditioner.
    pub rank: usize,
    /// Relative residual at which it ends.
    pub tolerance: f64,
    /// Most products with the matrix.
    pub max_iterations: usize,
    /// The search uses at most this many rows, drawn at random.
    pub selection_rows: usize,
    /// What the matrix and the preconditioner may take.
    pub memory: Memory,
    /// Seed of every draw.
    pub seed: u64,
}

impl Default for IterativeRidge {
    fn default() -> Self {
        Self {
            kernel: Kernel::gaussian(1.0),
            widths: Search::Auto,
            ridge: 1e-2,
            ridges: Search::Auto,
            rank: 1000,
            tolerance: 1e-8,
            max_iterations: 1000,
            selection_rows: 2000,
            memory: Memory::default(),
            seed: 0,
        }
    }
}

impl Method for IterativeRidge {
    fn name(&self) -> &'static str {
        ITERATIVE_RIDGE
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        let (rows, n) = (sizes.rows, sizes.rows as f64);
        let r = self.rank.min(rows) as f64;
        let plan = Plan::choose(Need::Products, rows, rows, sizes.bytes(), self.memory)?;
        let per_entry = if plan.form == Form::Blocked { 25.0 + sizes.filled } else { 4.0 };
        let solver = format!("conjugate gradients on the kernel matrix of {rows} rows");
        let work = PER_PIVOT * n * r * r + ITERATIONS * n * n * per_entry;
        let (searched, held) = self.as_ridge().search_estimate(rows);
        Ok(Estimate::new(8 * (n * r) as u64 + held, work + searched, solver).with_matrix(plan))
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked()?;
        if problem.target == Target::Density {
            return Err(Error::parameter("task", "density", "regression or classification"));
        }
        self.kernel.check_for(problem.x.cols())?;
        check_not_negative("ridge", self.ridge)?;
        let (trials, note) = self.as_ridge().search(&problem, watch)?;
        let (kernel, ridge) = match stablest(&trials) {
            Some(trial) => (trial.kernel.clone(), trial.ridge),
            None => (self.kernel.clone(), self.ridge),
        };
        let (solved, right, matrix, note_of_steps) = self.solve(&problem, &kernel, ridge, watch)?;
        let n = problem.x.rows();
        let closed = close(&solved, &right, None, root_weights(&problem).as_deref(), n, true);
        let mut weights = Matrix::zeros(n, closed.alpha.len());
        for (c, alpha) in closed.alpha.iter().enumerate() {
            alpha.iter().enumerate().for_each(|(i, a)| weights[(i, c)] = *a);
        }
        weights.view().check_finite("the coefficients")?;
        let record = Record::new(self.name(), n).with("ridge", ridge).with("tolerance", self.tolerance);
        let function = Expansion::new(kernel, problem.x.to_set(), weights)?.with_bias(closed.bias)?;
        let model = Model::new(function).with_task(problem.task())?.with_record(record);
        let mut fitted = Fitted::new(model, n);
        fitted.judged_by =
            if trials.is_empty() { String::new() } else { Validation::LeaveOneOut.to_string() };
        (fitted.trials, fitted.notes, fitted.matrix) = (trials, vec![note_of_steps], Some(matrix));
        fitted.notes.extend(note);
        Ok(fitted)
    }
}

impl IterativeRidge {
    /// The exact solution of the same problem, whose closed form judges widths and ridges on some of the rows.
    fn as_ridge(&self) -> KernelRidge {
        KernelRidge {
            kernel: self.kernel.clone(),
            widths: self.widths.clone(),
            ridge: self.ridge,
            ridges: self.ridges.clone(),
            selection_rows: self.selection_rows,
            seed: self.seed,
            ..KernelRidge::default()
        }
    }

    /// Solves for every output and for ones; returns the solutions, the right-hand sides, how the matrix stood
    /// and what there is to tell.
    fn solve(
        &self,
        problem: &Problem<'_>,
        kernel: &Kernel,
        ridge: f64,
        watch: &dyn Watch,
    ) -> Result<(Vec<f64>, Vec<f64>, Plan, String)> {
        let (x, n) = (problem.x, problem.x.rows());
        let stop = || if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) };
        let roots = root_weights(problem);
        let right = right_hand_sides(&problem.responses(), roots.as_deref());
        watch.progress(&Progress::new("preconditioner", 0, None));
        let limit = self.memory.limit() / SHARE / (8 * n as u64);
        let rank = self.rank.min(n).min(limit.max(16) as usize);
        let preconditioner =
            Woodbury::new(kernel, problem, roots.as_deref(), rank, (ridge, self.seed), &stop)?;
        let gram = Gram::new(kernel, x, Need::Products, self.memory)?;
        let scale = |v: &mut [f64]| {
            if let Some(roots) = &roots {
                v.chunks_exact_mut(n).for_each(|v| v.iter_mut().zip(roots).for_each(|(v, s)| *v *= s));
            }
        };
        let (mut products, mut stopped) = (0, false);
        let apply = |v: &[f64], out: &mut [f64]| {
            watch.progress(&Progress::new("conjugate gradients, products", products, None));
            products += 1;
            if watch.stop_requested() {
                stopped = true;
                return Err(groat_linalg::Error::Structure { column: 0 });
            }
            let mut scaled = v.to_vec();
            scale(&mut scaled);
            gram.apply(&scaled, out)?;
            scale(out);
            out.iter_mut().zip(v).for_each(|(out, v)| *out += ridge * v);
            Ok(())
        };
        let mut solved = vec![0.0; right.len()];
        let settings = CgSettings { tolerance: self.tolerance, max_iterations: self.max_iterations };
        let precondition = |r: &[f64], out: &mut [f64]| preconditioner.apply(r, out);
        let report = conjugate_gradient_columns(apply, precondition, n, &right, &mut solved, settings);
        if stopped {
            return Err(Error::Stopped);
        }
        let CgReport { iterations, residual } = report.map_err(|source| Error::LinearAlgebra {
            what: "conjugate gradients on the kernel matrix",
            source,
            advice: format!("raise the ridge (now {ridge}), the rank or max_iterations"),
        })?;
        let columns = preconditioner.columns;
        let note = format!(
            "{iterations} iterations with a preconditioner of {columns} columns, residual {residual:.1e}"
        );
        Ok((solved, right, *gram.plan(), note))
    }
}

/// `(S F F' S + ridge I)^-1`.
struct Woodbury {
    n: usize,
    columns: usize,
    /// Column-major.
    factor: Vec<f64>,
    /// Of `F'F + ridge I`.
    inner: Cholesky,
    ridge: f64,
}

impl Woodbury {
    fn new(
        kernel: &Kernel,
        problem: &Problem<'_>,
        roots: Option<&[f64]>,
        rank: usize,
        (ridge, seed): (f64, u64),
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let n = problem.x.rows();
        let found = pivots(kernel, problem.x, rank, seed, stop)?;
        let (mut factor, columns) = (found.factor, found.rows.len());
        if let Some(roots) = roots {
            factor.chunks_exact_mut(n).for_each(|f| f.iter_mut().zip(roots).for_each(|(f, s)| *f *= s));
        }
        let diagonal = crate::gram::diagonal(kernel, problem.x).into_iter().fold(0.0, f64::max);
        let ridge = ridge.max(LEAST_RIDGE * diagonal).max(f64::MIN_POSITIVE);
        let mut inner = groat_linalg::self_product(View::column_major(&factor, n, columns)?);
        (0..columns).for_each(|j| inner[j * (columns + 1)] += ridge);
        let inner = Cholesky::factor(inner, columns).map_err(Error::linear_algebra("the preconditioner"))?;
        Ok(Self { n, columns, factor, inner, ridge })
    }

    fn apply(&self, r: &[f64], out: &mut [f64]) -> groat_linalg::Result<()> {
        let count = r.len() / self.n;
        let factor = View::column_major(&self.factor, self.n, self.columns)?;
        let mut along = vec![0.0; self.columns * count];
        let to = ViewMut::column_major(&mut along, self.columns, count)?;
        product(1.0, factor.t(), View::column_major(r, self.n, count)?, Write::Replace, to)?;
        self.inner.solve(&mut along)?;
        out.copy_from_slice(r);
        let to = ViewMut::column_major(out, self.n, count)?;
        product(-1.0, factor, View::column_major(&along, self.columns, count)?, Write::Add, to)?;
        out.iter_mut().for_each(|v| *v /= self.ridge);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Quiet;

    #[test]
    fn it_agrees_with_the_factorisation() {
        let number = |i: usize| ((i as f64) * 12.9898).sin() * 43758.5453 % 1.0;
        let x = Matrix::from_vec((0..1500).map(number).collect(), 500, 3).unwrap();
        let y: Vec<f64> = x.view().iter().map(|x| (3.0 * x[0]).sin() + x[1] * x[2]).collect();
        let weights: Vec<f64> = (0..500).map(|i| 0.5 + f64::from(i % 3)).collect();
        for (ridge, rank) in [(1e-3, 50), (1.0, 20), (1e-3, 400)] {
            let plain = Problem::regression(&x, &y).unwrap();
            for problem in [plain, plain.with_weights(&weights).unwrap()] {
                let kernel = Kernel::gaussian(0.8);
                let exact = KernelRidge::fixed(kernel.clone(), ridge).fit(&problem, &Quiet).unwrap().model;
                for memory in [Memory::default(), Memory::from(1 << 20)] {
                    let method = IterativeRidge {
                        kernel: kernel.clone(),
                        widths: Search::Fixed,
                        ridges: Search::Fixed,
                        ridge,
                        rank,
                        memory,
                        ..IterativeRidge::default()
                    };
                    let found = method.fit(&problem, &Quiet).unwrap().model;
                    let (a, b) = (exact.values(x.view()).unwrap(), found.values(x.view()).unwrap());
                    let off = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(off < 1e-6, "ridge {ridge}, rank {rank}: {off:e}");
                }
            }
        }
    }
}
