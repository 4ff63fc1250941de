//! A data file that is read batch by batch.

use super::batches::Batches;
use crate::batch::{Problem, Target};
use crate::data::{Classes, Inputs, ReadOptions, Split, Standardisation, Table, TableReader};
use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, Rows};
use std::path::{Path, PathBuf};

/// A table in a file (CSV, Parquet, ...) as [`Batches`]. Memory is that of one batch of [`ReadOptions::batch`]
/// rows.
pub struct FileBatches {
    path: PathBuf,
    options: ReadOptions,
    inputs: Inputs,
    targets: Vec<String>,
    classes: Option<Vec<String>>,
    /// Part of the rows that is left out, and the seed that decides which.
    held_out: Option<(f64, u64)>,
    standardisation: Option<Standardisation>,
}

impl FileBatches {
    /// The file at `path`, with the features that `inputs` describe and the numbers of its targets.
    pub fn new(path: impl AsRef<Path>, options: &ReadOptions, inputs: Inputs) -> Result<Self> {
        let targets: Vec<String> = inputs.targets().iter().map(|target| target.name.clone()).collect();
        if targets.is_empty() {
            return Err(Error::parameter("targets", 0, "at least one column"));
        }
        let (path, options) = (path.as_ref().to_owned(), options.clone());
        Ok(Self { path, options, inputs, targets, classes: None, held_out: None, standardisation: None })
    }

    /// Takes the target, which is the only one, as classes with these labels, coded as in [`Problem::responses`].
    pub fn classes(mut self, labels: Vec<String>) -> Result<Self> {
        check_len("targets that are classes", 1, self.targets.len())?;
        self.classes = Some(labels);
        Ok(self)
    }

    /// Leaves out the rows that [`Split::holds_out`] chooses.
    #[must_use]
    pub fn without(mut self, fraction: f64, seed: u64) -> Self {
        self.held_out = Some((fraction, seed));
        self
    }

    /// Brings every feature to mean 0 and deviation 1; one reading finds the means and deviations.
    pub fn standardised(mut self) -> Result<Self> {
        self.standardisation = Some(self.moments()?);
        Ok(self)
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

impl FileBatches {
    /// The targets of a batch, one column per output.
    fn targets(&self, table: &Table) -> Result<Matrix> {
        let Some(labels) = &self.classes else { return table.matrix(&self.targets) };
        let codes = Classes::codes(table, &self.targets[0], labels)?;
        // The features play no part in the coding.
        let features = Matrix::zeros(codes.len(), 1);
        let target = Target::Classes { codes: &codes, count: labels.len() };
        Ok(Problem { x: features.view().into(), target, weights: None }.responses())
    }
}

impl Batches for FileBatches {
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()> {
        let mut first = 0;
        for table in TableReader::open(&self.path, &self.options)? {
            let mut table = table?;
            let all = table.rows();
            if let Some((fraction, seed)) = self.held_out {
                let kept = |row: &usize| !Split::holds_out(first + row, fraction, seed);
                table = table.select(&(0..all).filter(kept).collect::<Vec<_>>());
            }
            first += all;
            if table.rows() == 0 {
                continue;
            }
            let mut x = self.inputs.apply(&table)?;
            if let Some(standardisation) = &self.standardisation {
                standardisation.apply(&mut x)?;
            }
            visit(x.view(), self.targets(&table)?.view())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::batch::forward::Ols;
    use crate::batch::{Method, Quiet};
    use crate::data::InputOptions;
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
        let table = crate::data::read_table(&path, &options).unwrap();
        let inputs = Inputs::fit(&table, &InputOptions { targets: vec!["y".into()], ..Default::default() });
        let file = FileBatches::new(&path, &options, inputs.unwrap()).unwrap().standardised().unwrap();

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
