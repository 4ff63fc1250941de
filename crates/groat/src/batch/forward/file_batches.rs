//! A data file that is read batch by batch.

use super::streamed::Batches;
use crate::data::{InputOptions, Inputs, ReadOptions, Standardisation, TableReader};
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Rows};
use std::path::{Path, PathBuf};

/// A table in a file (CSV, Parquet, ...) as [`Batches`]: all columns but the target are features. Memory is that
/// of one batch of [`ReadOptions::batch`] rows.
pub struct FileBatches {
    path: PathBuf,
    options: ReadOptions,
    inputs: Inputs,
    target: String,
    standardisation: Option<Standardisation>,
}

impl FileBatches {
    /// The file at `path`. The first batch settles the columns; with `standardise`, one reading finds the means
    /// and deviations of the features.
    pub fn open(
        path: impl AsRef<Path>,
        options: &ReadOptions,
        target: &str,
        standardise: bool,
    ) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let first = TableReader::open(&path, options)?.next().transpose()?.ok_or_else(|| Error::Source {
            source_name: path.display().to_string(),
            reason: "there are no rows".into(),
        })?;
        let inputs = Inputs::fit(
            &first,
            &InputOptions { target: Some(target.to_owned()), ..InputOptions::default() },
        )?;
        let mut batches =
            Self { path, options: options.clone(), inputs, target: target.to_owned(), standardisation: None };
        if standardise {
            batches.standardisation = Some(batches.moments()?);
        }
        Ok(batches)
    }

    /// What the features are made of.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// What is done to the features first; belongs into the model.
    pub fn standardisation(&self) -> Option<&Standardisation> {
        self.standardisation.as_ref()
    }

    /// Means and deviations in one reading: the moments of each batch are merged into those so far.
    fn moments(&self) -> Result<Standardisation> {
        let d = self.inputs.features();
        let (mut n, mut mean, mut squares) = (0.0, vec![0.0; d], vec![0.0; d]);
        self.read(&mut |x, _| {
            let count = x.rows() as f64;
            for k in 0..d {
                let batch_mean = x.iter().map(|row| row[k]).sum::<f64>() / count;
                let batch_squares = x.iter().map(|row| (row[k] - batch_mean).powi(2)).sum::<f64>();
                let shift = batch_mean - mean[k];
                squares[k] += batch_squares + shift * shift * n * count / (n + count);
                mean[k] += shift * count / (n + count);
            }
            n += count;
            Ok(())
        })?;
        let scale = squares
            .iter()
            .zip(&mean)
            .map(|(s, m)| {
                let deviation = (s / n).sqrt();
                if deviation > 1e-13 * m.abs() { deviation } else { 1.0 }
            })
            .collect();
        Standardisation::new(mean, scale)
    }
}

impl Batches for FileBatches {
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()> {
        for table in TableReader::open(&self.path, &self.options)? {
            let table = table?;
            let mut x = self.inputs.apply(&table)?;
            if let Some(standardisation) = &self.standardisation {
                standardisation.apply(&mut x)?;
            }
            let y = Matrix::column(table.numbers(&self.target)?);
            visit(x.view(), y.view())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::batch::forward::Ols;
    use crate::batch::{Method, Problem, Quiet};
    use std::fmt::Write;

    #[test]
    fn a_file_gives_the_model_of_its_rows() {
        let mut text = String::from("a,b,y\n");
        let mut rows = Vec::new();
        let mut y = Vec::new();
        for i in 0..300 {
            let (a, b) = ((f64::from(i) * 0.37).sin() * 3.0 + 10.0, (f64::from(i) * 0.91).cos());
            let target = (a - 10.0).sin() + b;
            writeln!(text, "{a},{b},{target}").unwrap();
            rows.extend([a, b]);
            y.push(target);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        std::fs::write(&path, text).unwrap();
        let options = ReadOptions { batch: 64, ..ReadOptions::default() };
        let file = FileBatches::open(&path, &options, "y", true).unwrap();

        let mut x = Matrix::from_vec(rows, 300, 2).unwrap();
        let standardisation = Standardisation::fit(x.view()).unwrap();
        for (a, b) in standardisation.scale().iter().zip(file.standardisation().unwrap().scale()) {
            assert!((a - b).abs() < 1e-12);
        }
        standardisation.apply(&mut x).unwrap();
        let settings = Ols::new(Kernel::gaussian(1.0)).passes(1).max_terms(8);
        let whole = settings.fit(&Problem::regression(x.view(), &y).unwrap(), &Quiet).unwrap();
        let parts = settings.fit_batches(&file, &Quiet).unwrap();
        assert_eq!(parts.stages.len(), whole.stages.len());
        assert!(parts.stages.iter().zip(&whole.stages).all(|(a, b)| a.row == b.row));
    }
}
