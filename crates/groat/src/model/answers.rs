//! What a model says about new rows.

use super::{Model, Task};
use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, PointSet, Points, Rows};

/// Raw rows as the function takes them.
pub(crate) enum Scaled<'x> {
    /// As they came.
    Raw(Points<'x>),
    /// Standardised.
    Standardised(PointSet),
}

impl Scaled<'_> {
    pub(crate) fn view(&self) -> Points<'_> {
        match self {
            Scaled::Raw(points) => *points,
            Scaled::Standardised(set) => set.view(),
        }
    }
}

impl Model {
    /// Raw rows as the function takes them; an error when they do not fit the model.
    pub(crate) fn scaled<'x>(&self, x: Points<'x>) -> Result<Scaled<'x>> {
        check_len("features per row", self.features(), x.cols())?;
        x.check_finite("the input")?;
        Ok(match &self.standardisation {
            None => Scaled::Raw(x),
            Some(standardisation) => {
                let mut copy = x.to_set();
                standardisation.apply_points(&mut copy)?;
                Scaled::Standardised(copy)
            }
        })
    }

    /// `f(x)` for every row: the predictions of a regression, the decision values of a classifier, the
    /// density of a density estimate, coordinates along components. One column per output.
    pub fn values<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        self.function.values(self.scaled(x.into())?.view())
    }

    /// Whether predictions have all that they keep between calls, as [`Expansion::is_arranged`](crate::Expansion::is_arranged)
    /// says; always true of random features.
    pub fn is_arranged(&self) -> bool {
        self.expansion().is_none_or(crate::Expansion::is_arranged)
    }

    /// The prediction for every row: [`values`](Self::values), or the code of the class in one column for
    /// classification; 1 for a row of the kind that was learnt and 0 for another where there is one class.
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        match self.task {
            Task::Classification { .. } | Task::OneClass => {
                Ok(Matrix::column(self.classify(x)?.into_iter().map(|c| c as f64).collect()))
            }
            _ => self.values(x),
        }
    }

    /// [`predict`](Self::predict) for one sample.
    pub fn predict_one(&self, x: &[f64]) -> Result<Vec<f64>> {
        self.predict(Rows::one(x)).map(Matrix::into_data)
    }

    /// The code of the class for every row, by the decision rule of the task.
    pub fn classify<'x>(&self, x: impl Into<Points<'x>>) -> Result<Vec<usize>> {
        Ok(self.values(x)?.view().iter().map(|values| self.class_of(values)).collect())
    }

    /// The class that a row of values stands for; of a model without classes 1 if its first value is above 0.
    pub fn class_of(&self, values: &[f64]) -> usize {
        match &self.task {
            Task::Classification { decision, .. } => decision.class(values),
            Task::OneClass => usize::from(values[0] >= 0.0),
            _ => usize::from(values[0] > 0.0),
        }
    }

    /// The probability of every class, one column each, for a classifier that was calibrated.
    pub fn probabilities<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        self.probabilities_of(self.values(x)?.view())
    }

    /// [`probabilities`](Self::probabilities) of rows whose [`values`](Self::values) are known.
    pub fn probabilities_of(&self, values: Rows<'_>) -> Result<Matrix> {
        check_len("values per row", self.outputs(), values.cols())?;
        let (Task::Classification { classes, decision }, Some(calibration)) = (&self.task, &self.calibration)
        else {
            return Err(Error::parameter("model", self.task.name(), "a classifier with a calibration"));
        };
        Ok(calibration.probabilities(values, classes.len(), *decision))
    }

    /// Standard deviation of what will be observed at each row: one row per row, one column per output. An error for a
    /// model without error bars.
    pub fn standard_deviation<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        let Some(error_bars) = &self.error_bars else {
            return Err(Error::parameter("model", self.task.name(), "one with error bars"));
        };
        error_bars.standard_deviation(&self.function, self.scaled(x.into())?.view())
    }
}
