//! What is to be learnt.

use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, Rows};
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
    /// One row per sample.
    pub x: Rows<'a>,
    /// What the rows are to be mapped to.
    pub target: Target<'a>,
    /// How much each sample counts; all alike when absent.
    pub weights: Option<&'a [f64]>,
}

impl<'a> Problem<'a> {
    /// One number per row.
    pub fn regression(x: Rows<'a>, y: &'a [f64]) -> Result<Self> {
        Self { x, target: Target::Values(Rows::new(y, 1)?), weights: None }.checked()
    }

    /// Several numbers per row.
    pub fn multi_output(x: Rows<'a>, y: Rows<'a>) -> Result<Self> {
        Self { x, target: Target::Values(y), weights: None }.checked()
    }

    /// One class code per row.
    pub fn classification(x: Rows<'a>, codes: &'a [usize], count: usize) -> Result<Self> {
        Self { x, target: Target::Classes { codes, count }, weights: None }.checked()
    }

    /// Rows alone.
    pub fn density(x: Rows<'a>) -> Result<Self> {
        Self { x, target: Target::Density, weights: None }.checked()
    }

    /// Gives the samples weights, each finite and above 0.
    pub fn with_weights(self, weights: &'a [f64]) -> Result<Self> {
        Self { weights: Some(weights), ..self }.checked()
    }

    /// The problem itself, if it makes sense: sizes agree, numbers are finite, there are rows.
    pub fn checked(self) -> Result<Self> {
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
            weights.iter().try_for_each(|w| crate::error::check_positive("sample weight", *w))?;
        }
        Ok(self)
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
