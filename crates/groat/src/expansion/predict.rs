//! What a model says about new rows.

use super::{Expansion, Task};
use crate::error::{Result, check_len};
use crate::matrix::{Matrix, Rows};
use std::borrow::Cow;

impl Expansion {
    /// `f(x)` for every row: the predictions of a regression, the decision values of a classifier, the
    /// density of a density estimate. One column per output.
    pub fn values(&self, x: Rows<'_>) -> Result<Matrix> {
        check_len("features per row", self.features(), x.cols())?;
        x.check_finite("the input")?;
        let scaled = match &self.standardisation {
            None => Cow::Borrowed(x.data()),
            Some(standardisation) => {
                let mut copy = x.to_matrix();
                standardisation.apply(&mut copy)?;
                Cow::Owned(copy.into_data())
            }
        };
        let scaled = Rows::new(&scaled, self.features())?;
        let (vectors, weights) = (self.vectors.view(), self.weights.view());
        let mut out = self.local.weighted_sum(&self.kernel, scaled.into(), vectors.into(), weights)?;
        if let Some(bias) = &self.bias {
            for row in out.data_mut().chunks_exact_mut(bias.len()) {
                row.iter_mut().zip(bias).for_each(|(v, b)| *v += b);
            }
        }
        Ok(out)
    }

    /// The prediction for every row: [`values`](Self::values) for regression and density, the code of the
    /// class in one column for classification.
    pub fn predict(&self, x: Rows<'_>) -> Result<Matrix> {
        match self.task {
            Task::Classification { .. } => {
                Ok(Matrix::column(self.classify(x)?.into_iter().map(|c| c as f64).collect()))
            }
            _ => self.values(x),
        }
    }

    /// [`predict`](Self::predict) for one sample.
    pub fn predict_one(&self, x: &[f64]) -> Result<Vec<f64>> {
        self.predict(Rows::one(x)).map(Matrix::into_data)
    }

    /// The code of the winning class for every row: where the second of two classes needs a value above 0,
    /// and ties between several go to the first.
    pub fn classify(&self, x: Rows<'_>) -> Result<Vec<usize>> {
        Ok(self.values(x)?.view().iter().map(winner).collect())
    }

    /// Names of the classes; empty unless the task is classification.
    pub fn classes(&self) -> &[String] {
        match &self.task {
            Task::Classification { classes } => classes,
            _ => &[],
        }
    }
}

/// The class that a row of decision values stands for: of two classes the second if the value is above 0, of
/// several the one with the largest value, ties going to the first.
pub fn winner(values: &[f64]) -> usize {
    match values {
        [single] => usize::from(*single > 0.0),
        _ => {
            let mut best = 0;
            for (c, v) in values.iter().enumerate() {
                if *v > values[best] {
                    best = c;
                }
            }
            best
        }
    }
}
