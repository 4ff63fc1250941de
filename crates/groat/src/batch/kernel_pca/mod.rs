//! Kernel principal component analysis (system D7).
//!
//! The components are the leading eigenvectors of the covariance in feature space. With eigenpairs
//! `(lambda_j, u_j)` of the kernel matrix `K` (centred or not), component `j` of a point is
//! `sum_i alpha_ij k(x_i, x)` with `alpha_j = u_j / sqrt(lambda_j)` (003 section 4.3).
//!
//! Centring takes the mean of the mapped data as the origin: `K` becomes `H K H` with `H = I - 11'/n`. Its
//! eigenvectors sum to zero, so for a new point all but one of the centring terms vanish, and what is left
//! is a constant: a fitted analysis is an [`Expansion`] with one output per component and a bias, and
//! shares its file, its predictions and, for compact kernels, its neighbour search.
//!
//! Small or full problems are solved by a dense eigensolver, others by Lanczos iterations that need only
//! products with `K`, dense, sparse, or evaluated anew where it does not fit the memory; `H K H` is never formed. Rows by
//! the million go through landmarks or random features (`explicit.rs`), be they in memory or in a file.
//!
//! ```
//! use groat::{Kernel, Rows, batch::{KernelPca, Quiet}};
//! let x: Vec<f64> = (0..90).map(|i| f64::from(i % 3) * 5.0 + f64::from(i) * 0.002).collect();
//! let pca = KernelPca { kernel: Kernel::gaussian(1.0), components: 2, ..Default::default() };
//! let fitted = pca.fit(Rows::new(&x, 1)?, &Quiet)?;
//! let scores = fitted.transform(Rows::new(&x, 1)?)?;
//! // Two components tell the three clusters apart.
//! let apart = |a: usize, b: usize| (0..2).map(|c| (scores[(a, c)] - scores[(b, c)]).abs()).sum::<f64>();
//! assert!(apart(0, 3) < 0.1 && apart(0, 1) > 0.5 && apart(1, 2) > 0.5 && apart(0, 2) > 0.5);
//! # Ok::<(), groat::Error>(())
//! ```

mod explicit;
mod pre_image;

use groat_linalg::{Lanczos, eigh};

use crate::batch::Basis;
use crate::batch::methods::KERNEL_PCA;
use crate::batch::{Progress, Watch};
use crate::error::{Error, Result, check_positive};
use crate::expansion::Expansion;
use crate::gram::{Gram, Memory, Need};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, Points, Rows};
use crate::model::{Components, Function, Model, Record};

/// Rows up to which the dense eigensolver is quickest.
const DENSE_ROWS: usize = 500;
/// Eigenvalues below this share of the largest count as zero.
const ZERO: f64 = 1e-13;
/// What a record calls whether the mean is the origin.
const CENTRE: &str = "centre";
/// Products after which Lanczos iterations give up.
const MAX_PRODUCTS: usize = 20_000;

/// Parameters of kernel principal component analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelPca {
    /// The kernel.
    pub kernel: Kernel,
    /// Number of components wanted.
    pub components: usize,
    /// Whether the mean in feature space is the origin.
    pub centre: bool,
    /// Relative accuracy of the iterative solver.
    pub tolerance: f64,
    /// What the kernel matrix may take.
    pub memory: Memory,
    /// Through so many landmarks or random features instead of the kernel matrix of all rows, where this is given.
    pub rank: Option<usize>,
    /// What they are.
    pub basis: Basis,
    /// Seed of their choice.
    pub seed: u64,
}

impl Default for KernelPca {
    fn default() -> Self {
        Self {
            kernel: Kernel::gaussian(1.0),
            components: 2,
            centre: true,
            tolerance: 1e-12,
            memory: Memory::default(),
            rank: None,
            basis: Basis::default(),
            seed: 0,
        }
    }
}

/// A fitted analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalComponents {
    components: Components,
    rows: usize,
    centre: bool,
    notes: Vec<String>,
}

fn subtract_mean(v: &mut [f64]) {
    let mean = v.iter().sum::<f64>() / v.len() as f64;
    v.iter_mut().for_each(|v| *v -= mean);
}

impl KernelPca {
    /// Finds the leading components of the rows of `x`.
    ///
    /// Fewer than wanted come back when the matrix has no more positive eigenvalues.
    pub fn fit<'a>(&self, x: impl Into<Points<'a>>, watch: &dyn Watch) -> Result<PrincipalComponents> {
        let x = x.into();
        self.check(x)?;
        let n = x.rows();
        if let Some(rank) = self.rank {
            return self.fit_features(x, rank, watch);
        }
        let mut notes: Vec<String> = self.kernel.warning_for(x.cols()).into_iter().collect();
        self.say(watch, "kernel matrix")?;
        let gram = self.gram(x, &mut notes)?;
        let mut means = vec![0.0; n];
        gram.apply(&vec![1.0; n], &mut means)?;
        means.iter_mut().for_each(|m| *m /= n as f64);
        self.say(watch, "eigenvectors")?;
        let (values, mut vectors) = self.eigenpairs(&gram, n, &mut notes)?;
        let floor = ZERO * values.first().copied().unwrap_or(0.0).max(0.0);
        let keep = values.iter().take_while(|v| **v > floor).count();
        if keep == 0 {
            let reason = "no eigenvalue is positive: all rows are equal".to_owned();
            return Err(Error::Numerical { what: "kernel PCA", reason });
        }
        let mut weights = Matrix::zeros(n, keep);
        let mut bias = vec![0.0; keep];
        for (j, u) in vectors.chunks_exact_mut(n).take(keep).enumerate() {
            if self.centre {
                subtract_mean(u);
            }
            let scale = sign(u) / values[j].sqrt();
            for i in 0..n {
                weights[(i, j)] = u[i] * scale;
                bias[j] -= weights[(i, j)] * means[i];
            }
        }
        let mut function = Expansion::new(self.kernel.clone(), x.to_set(), weights)?;
        let mut trace: f64 = gram.diagonal().iter().sum();
        if self.centre {
            function = function.with_bias(bias)?;
            trace -= means.iter().sum::<f64>();
        }
        let components = Components::new(function, values[..keep].to_vec(), trace)?;
        Ok(PrincipalComponents { components, rows: n, centre: self.centre, notes })
    }

    /// An error unless these rows can be analysed as is wished.
    fn check(&self, x: Points<'_>) -> Result<()> {
        self.kernel.check_for(x.cols())?;
        check_positive("tolerance", self.tolerance)?;
        x.check_finite("the features")?;
        let n = x.rows();
        if n < 2 {
            return Err(Error::TooFew { what: "kernel PCA", unit: "rows", needed: 2, found: n });
        }
        if !(1..=n).contains(&self.components) {
            return Err(Error::parameter("components", self.components, "at least 1 and at most the rows"));
        }
        Ok(())
    }

    fn say(&self, watch: &dyn Watch, detail: &str) -> Result<()> {
        watch.progress(&Progress { stage: "kernel PCA", done: 0, total: None, detail: detail.to_owned() });
        if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) }
    }

    fn gram<'a>(&self, x: Points<'a>, notes: &mut Vec<String>) -> Result<Gram<'a>> {
        let gram = Gram::new(&self.kernel, x, Need::Products, self.memory)?;
        if let Some(sparse) = gram.as_sparse() {
            notes.push(format!("sparse matrix, {:.2} % zeros", 100.0 * sparse.sparsity()));
        } else if gram.as_matrix().is_none() {
            notes.push(format!("the kernel matrix is {}", gram.plan()));
        }
        Ok(gram)
    }

    /// The leading eigenpairs of the matrix, centred if wanted, largest first.
    fn eigenpairs(&self, gram: &Gram<'_>, n: usize, notes: &mut Vec<String>) -> Result<(Vec<f64>, Vec<f64>)> {
        let operator = |v: &[f64], out: &mut [f64]| {
            if !self.centre {
                return gram.apply(v, out);
            }
            let mut v = v.to_vec();
            subtract_mean(&mut v);
            gram.apply(&v, out)?;
            subtract_mean(out);
            Ok(())
        };
        if let Some(k) = gram.as_matrix()
            && (n <= DENSE_ROWS || self.components > n / 8)
        {
            notes.push("dense eigensolver".to_owned());
            let mut k = k.data().to_vec();
            if self.centre {
                centre_both_sides(&mut k, n);
            }
            let all = eigh(&k, n)?;
            let order = (0..self.components).map(|j| n - 1 - j);
            let vectors = order.clone().flat_map(|j| all.vector(j).iter().copied()).collect();
            return Ok((order.map(|j| all.values[j]).collect(), vectors));
        }
        let solver =
            Lanczos { wanted: self.components, tolerance: self.tolerance, max_products: MAX_PRODUCTS };
        // Within the pool its many short steps need not wake it each time.
        let pairs = rayon::scope(|_| solver.largest(n, operator))?;
        notes.push(format!("Lanczos iterations with {} products", pairs.products));
        Ok((pairs.values, pairs.vectors))
    }
}

/// `K -> H K H`.
fn centre_both_sides(k: &mut [f64], n: usize) {
    let means: Vec<f64> = k.chunks_exact(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let total = means.iter().sum::<f64>() / n as f64;
    for (row, mean) in k.chunks_exact_mut(n).zip(&means) {
        row.iter_mut().zip(&means).for_each(|(v, m)| *v += total - mean - m);
    }
}

/// The sign that makes the entry of largest magnitude positive.
fn sign(u: &[f64]) -> f64 {
    let top = u.iter().fold(0.0_f64, |best, v| if v.abs() > best.abs() { *v } else { best });
    if top < 0.0 { -1.0 } else { 1.0 }
}

impl PrincipalComponents {
    /// An analysis put together again from its model.
    pub fn from_model(model: &Model) -> Result<Self> {
        match model.function() {
            Function::Components(components) => Ok(Self {
                components: components.clone(),
                rows: model.record().rows,
                centre: model.record().settings.get(CENTRE).is_some_and(|centre| centre == "true"),
                notes: Vec::new(),
            }),
            _ => Err(Error::parameter("model", model.task().name(), "principal components")),
        }
    }

    /// The analysis as a model: one output per component.
    pub fn into_model(self) -> Model {
        let record = Record::new(KERNEL_PCA, self.rows)
            .with(CENTRE, self.centre)
            .with("components", self.eigenvalues().len());
        Model::new(self.components).with_record(record)
    }

    /// The kernel expansion behind it, one output per component; none where the components are functions of random features.
    pub fn expansion(&self) -> Option<&Expansion> {
        self.components.function().expansion()
    }

    /// Eigenvalues of the (centred) kernel matrix, largest first. Divided by `n` they are the variances.
    pub fn eigenvalues(&self) -> &[f64] {
        self.components.eigenvalues()
    }

    /// Share of the variance in feature space that each component holds.
    pub fn explained(&self) -> Vec<f64> {
        self.components.explained()
    }

    /// What was chosen on the way.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The components of new rows, one column each.
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        self.components.function().values(x)
    }

    /// Points whose components come near the given ones (one row each): approximate pre-images, for radial
    /// kernels and dense rows.
    pub fn pre_images(&self, components: Rows<'_>) -> Result<Matrix> {
        match self.expansion() {
            Some(expansion) => pre_image::pre_images(expansion, components),
            None => Err(Error::parameter(
                "components",
                "of random features",
                "of rows or landmarks, for pre-images",
            )),
        }
    }
}

#[cfg(test)]
mod tests;
