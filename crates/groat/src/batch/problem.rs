//! What is to be learnt.

use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, Points, Rows};
use crate::model::Task;

/// What a row is to be mapped to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'a> {
    /// Numbers: one row per sample, one column per output.
    Values(Rows<'a>),
    /// Classes, coded from 0.
    Classes {
        /// One code per sample.
        codes: &'a [usize],
        /// Number of classes; every code is below it.
        count: usize,
    },
    /// Nothing: a density is wanted.
    Density,
}

/// Data to learn from. The features stand as the kernel shall see them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem<'a> {
    /// One row per sample, dense or sparse.
    pub x: Points<'a>,
    /// What the rows are to be mapped to.
    pub target: Target<'a>,
    /// How much each sample counts; all alike when absent.
    pub weights: Option<&'a [f64]>,
}

impl<'a> Problem<'a> {
    /// One number per row.
    pub fn regression(x: impl Into<Points<'a>>, y: &'a [f64]) -> Result<Self> {
        Self { x: x.into(), target: Target::Values(Rows::new(y, 1)?), weights: None }.checked()
    }

    /// Several numbers per row.
    pub fn multi_output(x: impl Into<Points<'a>>, y: Rows<'a>) -> Result<Self> {
        Self { x: x.into(), target: Target::Values(y), weights: None }.checked()
    }

    /// One class code per row.
    pub fn classification(x: impl Into<Points<'a>>, codes: &'a [usize], count: usize) -> Result<Self> {
        Self { x: x.into(), target: Target::Classes { codes, count }, weights: None }.checked()
    }

    /// Rows alone.
    pub fn density(x: impl Into<Points<'a>>) -> Result<Self> {
        Self { x: x.into(), target: Target::Density, weights: None }.checked()
    }

    /// Gives the samples weights, each finite and not below 0. Methods that cannot do without a sample refuse a weight
    /// of 0.
    pub fn with_weights(self, weights: &'a [f64]) -> Result<Self> {
        Self { weights: Some(weights), ..self }.checked_with_zeros()
    }

    /// The problem itself, if it makes sense: sizes agree, numbers are finite, weights are above 0, there are rows.
    pub fn checked(self) -> Result<Self> {
        let checked = self.checked_with_zeros()?;
        if let Some(weights) = self.weights {
            weights.iter().try_for_each(|w| crate::error::check_positive("sample weight", *w))?;
        }
        Ok(checked)
    }

    /// [`checked`](Self::checked) where a sample may count for nothing, as long as one counts.
    pub fn checked_with_zeros(self) -> Result<Self> {
        let n = self.x.rows();
        if n == 0 {
            return Err(Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 });
        }
        self.x.check_finite("the features")?;
        match self.target {
            Target::Values(y) => {
                check_len("rows of the target", n, y.rows())?;
                y.check_finite("the target")?;
            }
            Target::Classes { codes, count } => {
                check_len("class codes", n, codes.len())?;
                if count < 2 {
                    return Err(Error::TooFew {
                        what: "classification",
                        unit: "classes",
                        needed: 2,
                        found: count,
                    });
                }
                if let Some(code) = codes.iter().find(|c| **c >= count) {
                    return Err(Error::parameter("class code", code, "below the number of classes"));
                }
            }
            Target::Density => {}
        }
        if let Some(weights) = self.weights {
            check_len("sample weights", n, weights.len())?;
            weights.iter().try_for_each(|w| crate::error::check_not_negative("sample weight", *w))?;
            if weights.iter().all(|w| *w == 0.0) {
                return Err(Error::parameter("sample weights", "all 0", "one above 0"));
            }
        }
        Ok(self)
    }

    /// Refuses rows of one class alone, which tell nothing of any other.
    pub(crate) fn check_classes_apart(&self) -> Result<()> {
        let Target::Classes { codes, .. } = self.target else { return Ok(()) };
        if codes.iter().any(|code| *code != codes[0]) {
            return Ok(());
        }
        Err(Error::TooFew { what: "classification", unit: "classes with rows", needed: 2, found: 1 })
    }

    /// What a model of this problem answers; classes go by their codes, which is all that is known of them here.
    pub fn task(&self) -> Task {
        match self.target {
            Target::Values(_) => Task::regression(),
            Target::Classes { count, .. } => Task::numbered_classes(count),
            Target::Density => Task::Density,
        }
    }

    /// The target as numbers, one row per sample: the values themselves; +1 for the second of two classes
    /// and -1 for the first, in one column; or +1 for the class and -1 for the others, a column for each.
    /// Empty for a density.
    pub fn responses(&self) -> Matrix {
        match self.target {
            Target::Values(y) => y.to_matrix(),
            Target::Classes { codes, count } => {
                let columns = if count == 2 { 1 } else { count };
                let mut out = Matrix::zeros(codes.len(), columns);
                for (i, code) in codes.iter().enumerate() {
                    for c in 0..columns {
                        let positive = if count == 2 { *code == 1 } else { *code == c };
                        out[(i, c)] = if positive { 1.0 } else { -1.0 };
                    }
                }
                out
            }
            Target::Density => Matrix::zeros(self.x.rows(), 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::batch::forward::Ols;
    use crate::batch::{KernelPca, KernelRidge, LeastSquaresSvm, Method, Quiet, Search};
    use crate::matrix::Csr;
    use crate::model::Model;

    /// Rows that are mostly zeros, with a number and a class for each.
    fn example() -> (Matrix, Vec<f64>, Vec<usize>) {
        let (n, d) = (60, 25);
        let number = |i: usize| ((i as f64) * 12.9898).sin() * 3.0;
        let kept = |i: usize| if number(i + 7) > 2.0 { number(i) } else { 0.0 };
        let x = Matrix::from_vec((0..n * d).map(kept).collect(), n, d).unwrap();
        // Features pull both ways, so that there is something to learn and every class has rows.
        let pull = |(k, v): (usize, &f64)| v * ((k % 5) as f64 - 2.0) / 4.0;
        let y: Vec<f64> =
            x.view().iter().map(|row| row.iter().enumerate().map(pull).sum::<f64>().sin()).collect();
        let codes: Vec<usize> = y.iter().map(|y| usize::from(*y > -0.3) + usize::from(*y > 0.3)).collect();
        assert!((0..3).all(|class| codes.iter().filter(|code| **code == class).count() > 8));
        (x, y, codes)
    }

    #[test]
    fn every_method_learns_the_same_from_sparse_rows() {
        let (x, y, codes) = example();
        let sparse = Csr::from_rows(x.view());
        let kernel = Kernel::gaussian(4.0);
        let methods: [Box<dyn Method>; 4] = [
            Box::new(KernelRidge::default()),
            Box::new(LeastSquaresSvm { kernel: kernel.clone(), widths: Search::Auto, ..Default::default() }),
            Box::new(Ols::new(kernel.clone()).max_terms(8)),
            Box::new(Ols::new(kernel.clone()).search(Default::default()).max_terms(8)),
        ];
        for method in methods {
            for classes in [false, true] {
                let fit = |x: Points<'_>| {
                    let problem = if classes {
                        Problem::classification(x, &codes, 3)
                    } else {
                        Problem::regression(x, &y)
                    };
                    method.fit(&problem.unwrap(), &Quiet).unwrap().model
                };
                let (dense, sparse) = (fit(Points::from(&x)), fit(Points::from(sparse.view())));
                let vectors = |model: &Model| model.expansion().unwrap().vectors().to_matrix();
                assert_eq!(vectors(&dense), vectors(&sparse), "{}", method.name());
                let (a, b) = (dense.values(x.view()).unwrap(), sparse.values(x.view()).unwrap());
                assert!(
                    a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-8),
                    "{}",
                    method.name()
                );
            }
        }
        let pca = KernelPca { kernel, components: 3, ..Default::default() };
        let (dense, sparse) = (pca.fit(&x, &Quiet).unwrap(), pca.fit(sparse.view(), &Quiet).unwrap());
        for (a, b) in dense.eigenvalues().iter().zip(sparse.eigenvalues()) {
            assert!((a - b).abs() < 1e-10 * a);
        }
    }

    #[test]
    fn what_needs_dense_rows_says_so() {
        let (x, y, _) = example();
        let sparse = Csr::from_rows(x.view());
        let problem = Problem::regression(sparse.view(), &y).unwrap();
        let density = Problem::density(sparse.view()).unwrap();
        let compact = Kernel::compact_for(Kernel::gaussian(1.0), 2.0, 25);
        let machine = LeastSquaresSvm { kernel: compact, ..Default::default() };
        for error in [
            Ols::new(Kernel::gaussian(1.0)).fit(&density, &Quiet).unwrap_err(),
            machine.fit(&problem, &Quiet).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Parameter { name: "features", .. }), "{error}");
        }
    }
}
