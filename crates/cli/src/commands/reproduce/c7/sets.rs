//! Data sets with their stored splits.

use super::super::trial::Trial;
use groat::Matrix;
use groat::data::Split;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Features, targets and stored splits.
pub struct Set {
    pub x: Matrix,
    pub y: Vec<f64>,
    pub splits: Vec<Split>,
}

/// One part of a set.
pub struct Part {
    pub x: Matrix,
    pub y: Vec<f64>,
}

impl Set {
    /// Reads a set, or says what is missing. The target is the column `y`, the last one.
    pub fn load(trial: &Trial<'_>, name: &str) -> anyhow::Result<Result<Self, String>> {
        let table = match trial.table(name)? {
            Ok(table) => table,
            Err(why) => return Ok(Err(why)),
        };
        let marks = match trial.read(name, "splits.csv.gz")? {
            Ok(marks) => marks,
            Err(why) => return Ok(Err(why)),
        };
        let splits = marks
            .names()
            .iter()
            .map(|split| Ok(Split::from_marks(&marks.numbers(split)?)?))
            .collect::<anyhow::Result<_>>()?;
        let columns: Vec<Vec<f64>> =
            table.names().iter().map(|name| table.numbers(name)).collect::<groat::Result<_>>()?;
        let (y, features) = columns.split_last().ok_or_else(|| anyhow::anyhow!("{name} has no columns"))?;
        let (n, d) = (y.len(), features.len());
        let x = Matrix::from_vec((0..n * d).map(|i| features[i % d][i / d]).collect(), n, d)?;
        Ok(Ok(Self { x, y: y.clone(), splits }))
    }

    /// Training and test part of a split.
    pub fn parts(&self, split: &Split) -> (Part, Part) {
        let part = |rows: &[usize]| Part {
            x: self.x.view().select(rows),
            y: rows.iter().map(|&i| self.y[i]).collect(),
        };
        (part(&split.train), part(&split.test))
    }

    /// A new random split with as many training rows as the stored ones.
    pub fn fresh_split(&self, generator: &mut Pcg64) -> Split {
        let mut train: Vec<usize> = (0..self.y.len()).collect();
        train.shuffle(generator);
        let test = train.split_off(self.splits.first().map_or(self.y.len() / 2, |s| s.train.len()));
        Split { train, test }
    }

    /// The parts of a new random split.
    pub fn fresh(&self, generator: &mut Pcg64) -> (Part, Part) {
        self.parts(&self.fresh_split(generator))
    }
}

/// Brings every feature to the range 0..1 of the training rows.
pub fn unit_range(train: &mut Part, test: &mut Part) {
    for k in 0..train.x.cols() {
        let column = train.x.column_to_vec(k);
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = if high > low { high - low } else { 1.0 };
        for part in [&mut *train, &mut *test] {
            for i in 0..part.x.rows() {
                part.x[(i, k)] = (part.x[(i, k)] - low) / range;
            }
        }
    }
}
