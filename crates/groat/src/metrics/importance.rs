//! How much a model needs each column: what its error becomes when the column is shuffled.

use super::{ClassificationErrors, RegressionErrors};
use crate::data::{Answers, Dataset, shuffled};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::model::Model;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What shuffling each column does to a model's error (Breiman 2001, Random Forests, section 10).
///
/// The error is the root mean square over all outputs, or the share of wrong classes. Of columns that say the same a
/// model may need either, and shuffling one of them then costs little: a small rise is no proof that a column is useless.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// The error with every column in order.
    pub error: f64,
    /// How many rows it was measured on.
    pub rows: usize,
    /// The columns, those that the model needs most first.
    pub columns: Vec<ColumnImportance>,
}

/// What shuffling one column costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnImportance {
    /// Name of the column; a category is one column whatever the number of its levels.
    pub column: String,
    /// By how much the error rises, mean over the repeats.
    pub rise: f64,
    /// Standard deviation of the rise over the repeats.
    pub deviation: f64,
}

impl Importance {
    /// Shuffles each column `repeats` times, by seed, and measures the error of `model` on `data`. Features that came
    /// from one column of categories are shuffled together. Costs one evaluation of the model for each column and repeat.
    ///
    /// ```
    /// use groat::{Matrix, batch::{KernelRidge, Preparation, Quiet, learn}, data::{Answers, Dataset}};
    /// use groat::metrics::Importance;
    /// let x: Vec<f64> = (0..120).map(|i| f64::from(i * i % 97) / 97.0).collect();
    /// let y = x.chunks(2).map(|row| 3.0 * row[0]).collect();
    /// let data = Dataset::new(Matrix::from_vec(x, 60, 2)?, Answers::values("y", y))?;
    /// let model = learn(&data, &KernelRidge::default(), Preparation::new(), &Quiet)?.model;
    /// let importance = Importance::of(&model, &data, 5, 0)?;
    /// assert_eq!(importance.columns[0].column, "x1");
    /// assert!(importance.columns[0].rise > 3.0 * importance.columns[1].rise);
    /// # Ok::<(), groat::Error>(())
    /// ```
    pub fn of(model: &Model, data: &Dataset, repeats: usize, seed: u64) -> Result<Self> {
        if repeats == 0 {
            return Err(Error::parameter("repeats", repeats, "at least 1"));
        }
        let x = data.x().require_dense("dense rows for an importance")?.to_matrix();
        let error = error(model, &x, data.answers())?;
        // The same orders for every column, so that columns differ by what they hold and not by luck.
        let orders: Vec<Vec<usize>> =
            (0..repeats).map(|repeat| shuffled(data.len(), seed.wrapping_add(repeat as u64))).collect();
        let one = |(column, features): (String, Range<usize>)| {
            let mut mixed = x.clone();
            let mut rises = Vec::with_capacity(repeats);
            for order in &orders {
                for (row, &from) in order.iter().enumerate() {
                    mixed.row_mut(row)[features.clone()].copy_from_slice(&x.row(from)[features.clone()]);
                }
                rises.push(self::error(model, &mixed, data.answers())? - error);
            }
            let rise = rises.iter().sum::<f64>() / repeats as f64;
            let squares: f64 = rises.iter().map(|r| (r - rise).powi(2)).sum();
            let deviation = (squares / (repeats as f64 - 1.0).max(1.0)).sqrt();
            Ok(ColumnImportance { column, rise, deviation })
        };
        let mut columns = columns(model).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
        // Stable: equal ones keep the order of the data.
        columns.sort_by(|a, b| b.rise.total_cmp(&a.rise));
        Ok(Self { error, rows: data.len(), columns })
    }
}

/// The error with these features.
fn error(model: &Model, x: &Matrix, answers: &Answers) -> Result<f64> {
    let values = model.values(x)?;
    match answers {
        Answers::Values { y, .. } => Ok(RegressionErrors::of(y.data(), values.data())?.root_mean_squared),
        Answers::Classes { labels, codes } => {
            let predicted: Vec<usize> = values.view().iter().map(|row| model.class_of(row)).collect();
            Ok(ClassificationErrors::of(codes, &predicted, labels.len())?.error_rate)
        }
        Answers::None => Err(Error::parameter("data", "no answers", "rows with true answers")),
    }
}

/// The columns by name, and the features that each became.
fn columns(model: &Model) -> Vec<(String, Range<usize>)> {
    match model.inputs().filter(|inputs| inputs.embedding().is_none()) {
        Some(inputs) => {
            let mut next = 0;
            let features = |width: usize| {
                next += width;
                next - width..next
            };
            let (names, widths): (Vec<String>, Vec<usize>) =
                inputs.columns().iter().map(|column| (column.name.clone(), column.width())).unzip();
            names.into_iter().zip(widths.into_iter().map(features)).collect()
        }
        None => {
            let name =
                |j: usize| model.feature_names().get(j).cloned().unwrap_or_else(|| format!("x{}", j + 1));
            (0..model.features()).map(|j| (name(j), j..j + 1)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{KernelRidge, Preparation, Quiet, learn};
    use crate::data::{Column, InputOptions, Inputs, Table, TaskChoice};

    /// A target that follows a category and, less, a number; a third column is noise.
    fn table() -> Table {
        let number = |i: usize, step: f64| ((i as f64 + 0.5) * step).fract();
        let kinds = ["a", "b", "c"];
        let kind = |i: usize| (i * i + i / 7) % 3;
        let y = (0..150).map(|i| 4.0 * kind(i) as f64 + number(i, 0.618)).collect();
        let columns = vec![
            Column::Numeric((0..150).map(|i| number(i * i, 0.755)).collect()),
            Column::text((0..150).map(|i| kinds[kind(i)])),
            Column::Numeric((0..150).map(|i| number(i, 0.618)).collect()),
            Column::Numeric(y),
        ];
        Table::new(["noise", "kind", "number", "y"], columns).unwrap()
    }

    #[test]
    fn categories_are_shuffled_as_one_column() {
        let options = InputOptions { targets: vec!["y".into()], ..Default::default() };
        let inputs = Inputs::fit(&table(), &options).unwrap();
        let data = Dataset::from_table(&table(), inputs, TaskChoice::Regression, None).unwrap().0;
        let model = learn(&data, &KernelRidge::default(), Preparation::new(), &Quiet).unwrap().model;
        let importance = Importance::of(&model, &data, 4, 7).unwrap();
        let names: Vec<&str> = importance.columns.iter().map(|c| c.column.as_str()).collect();
        assert_eq!(names, ["kind", "number", "noise"]);
        assert!(importance.columns[0].rise > 1.0, "{importance:?}");
        assert_eq!(importance, Importance::of(&model, &data, 4, 7).unwrap());
        assert!(Importance::of(&model, &data, 0, 7).is_err());
    }

    #[test]
    fn a_column_without_influence_costs_nothing() {
        let x = Matrix::from_vec((0..80).map(|i| (f64::from(i) * 0.9).sin()).collect(), 40, 2).unwrap();
        let codes: Vec<usize> = (0..40).map(|i| usize::from(x[(i, 1)] > 0.0)).collect();
        let answers = Answers::Classes { labels: vec!["n".into(), "p".into()], codes };
        let data = Dataset::new(x, answers).unwrap();
        // The width of the first feature is so large that it does not count.
        let kernel = crate::Kernel::gaussian(vec![1e9, 0.5]);
        let vectors = Matrix::from_vec(vec![0.0, 0.7, 0.0, -0.7], 2, 2).unwrap();
        let f = crate::Expansion::new(kernel, vectors, Matrix::column(vec![1.0, -1.0])).unwrap();
        let model = Model::new(f).with_task(crate::model::Task::numbered_classes(2)).unwrap();
        let importance = Importance::of(&model, &data, 5, 1).unwrap();
        assert_eq!(importance.error, 0.0);
        assert_eq!(importance.columns[0].column, "x2");
        assert!(importance.columns[0].rise > 0.2, "{importance:?}");
        assert_eq!((importance.columns[1].rise, importance.columns[1].deviation), (0.0, 0.0));
        let none = Dataset::new(Matrix::zeros(3, 2), Answers::None).unwrap();
        assert!(Importance::of(&model, &none, 1, 0).is_err());
    }
}
