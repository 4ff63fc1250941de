//! A data file that is read batch by batch.

use std::path::{Path, PathBuf};

use super::batches::{Batches, Visit};
use super::inputs::{Inputs, Missing};
use super::moments::Moments;
use super::read::{ReadOptions, TableReader};
use super::split::Split;
use super::standardise::Standardisation;
use super::table::Table;
use super::target::Classes;
use crate::batch::{Problem, Target};
use crate::error::{Result, check_len};
use crate::matrix::Matrix;

/// A table in a file (CSV, Parquet, ...) as [`Batches`]. Memory is that of one batch of [`ReadOptions::batch`]
/// rows.
#[derive(Clone, Debug)]
pub struct FileBatches {
    path: PathBuf,
    options: ReadOptions,
    inputs: Inputs,
    targets: Vec<String>,
    classes: Option<Vec<String>>,
    /// Part of the rows that is left out, and the seed that decides which.
    held_out: Option<(f64, u64)>,
    missing: Missing,
    standardisation: Option<Standardisation>,
    rows: Option<usize>,
}

impl FileBatches {
    /// The file at `path`, with the features that `inputs` describe and the numbers of its targets, if it has any.
    pub fn new(path: impl AsRef<Path>, options: &ReadOptions, inputs: Inputs) -> Result<Self> {
        let targets: Vec<String> = inputs.targets().iter().map(|target| target.name.clone()).collect();
        let (path, options) = (path.as_ref().to_owned(), options.clone());
        Ok(Self {
            path,
            options,
            inputs,
            targets,
            classes: None,
            held_out: None,
            missing: Missing::Refuse,
            standardisation: None,
            rows: None,
        })
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
        (self.held_out, self.rows) = (Some((fraction, seed)), None);
        self
    }

    /// Says what becomes of rows with missing values. What stands in for them is for the inputs to know.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        (self.missing, self.rows) = (missing, None);
        self
    }

    /// Says how many rows there are, left-out ones apart.
    pub(super) fn counted(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Brings every feature to mean 0 and deviation 1; one reading finds the means and deviations.
    pub fn standardised(self) -> Result<Self> {
        let mut moments = Moments::new(self.inputs.features());
        self.tables(&mut |table| moments.push(self.inputs.apply(&table)?.view()))?;
        self.with_standardisation(moments.standardisation()?)
    }

    /// Standardises every feature in a way that is known already.
    pub fn with_standardisation(mut self, standardisation: Standardisation) -> Result<Self> {
        check_len("features", self.inputs.features(), standardisation.features())?;
        self.standardisation = Some(standardisation);
        Ok(self)
    }

    /// How the rows are made from the file; belongs into the model.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// What is done to the features first; belongs into the model.
    pub fn standardisation(&self) -> Option<&Standardisation> {
        self.standardisation.as_ref()
    }

    /// Reads the rows that are not left out, table by table.
    fn tables(&self, visit: &mut dyn FnMut(Table) -> Result<()>) -> Result<()> {
        let mut first = 0;
        for table in TableReader::open(&self.path, &self.options)? {
            let mut table = table?;
            let all = table.rows();
            if let Some((fraction, seed)) = self.held_out {
                let kept = |row: &usize| !Split::holds_out(first + row, fraction, seed);
                table = table.select(&(0..all).filter(kept).collect::<Vec<_>>());
            }
            first += all;
            if self.missing != Missing::Refuse {
                table = table.select(&self.missing.kept(&table, &self.inputs, None)?);
            }
            if table.rows() > 0 {
                visit(table)?;
            }
        }
        Ok(())
    }

    /// The targets of a batch, one column per output.
    fn targets(&self, table: &Table) -> Result<Matrix> {
        if self.targets.is_empty() {
            return Ok(Matrix::zeros(table.rows(), 0));
        }
        let Some(labels) = &self.classes else { return table.matrix(&self.targets) };
        let codes = Classes::codes(table, &self.targets[0], labels)?;
        // The features play no part in the coding.
        let features = Matrix::zeros(codes.len(), 1);
        let target = Target::Classes { codes: &codes, count: labels.len() };
        Ok(Problem { x: features.view().into(), target, weights: None }.responses())
    }
}

impl Batches for FileBatches {
    fn read(&self, visit: &mut Visit<'_>) -> Result<()> {
        self.tables(&mut |table| {
            let mut x = self.inputs.apply(&table)?;
            if let Some(standardisation) = &self.standardisation {
                standardisation.apply_points(&mut x)?;
            }
            let y = self.targets(&table)?;
            visit(x.view(), y.view())
        })
    }

    fn rows(&self) -> Option<usize> {
        self.rows
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
