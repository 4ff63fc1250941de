//! Data that are read batch by batch, and a sample of their rows.

use crate::error::{Error, Result};
use crate::matrix::{Matrix, Rows};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Data that can be read from the start as often as needed.
pub trait Batches: Sync {
    /// Reads all rows in order and hands them on in batches: features, and targets with one column per output.
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()>;
}

/// Data in memory, in one batch.
impl Batches for (Rows<'_>, Rows<'_>) {
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()> {
        visit(self.0, self.1)
    }
}

/// A uniform sample of the rows.
pub(super) struct Drawn {
    /// The features, in the order of the data.
    pub rows: Matrix,
    /// Where they stand.
    pub places: Vec<usize>,
    /// Rows of the data.
    pub total: usize,
    /// Columns of the target.
    pub outputs: usize,
}

/// Draws `count` rows in one reading (reservoir sampling).
pub(super) fn draw(data: &dyn Batches, count: usize, seed: u64) -> Result<Drawn> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut sample: Vec<(usize, Vec<f64>)> = Vec::new();
    let (mut total, mut outputs, mut features) = (0, 0, 0);
    data.read(&mut |x, y| {
        x.check_finite("the features")?;
        y.check_finite("the target")?;
        (outputs, features) = (y.cols(), x.cols());
        for row in x.iter() {
            if sample.len() < count {
                sample.push((total, row.to_vec()));
            } else {
                let at = rng.random_range(0..=total);
                if at < count {
                    sample[at] = (total, row.to_vec());
                }
            }
            total += 1;
        }
        Ok(())
    })?;
    if total == 0 {
        return Err(Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 });
    }
    sample.sort_unstable_by_key(|s| s.0);
    let flat = sample.iter().flat_map(|s| s.1.iter().copied()).collect();
    let rows = Matrix::from_vec(flat, sample.len(), features)?;
    Ok(Drawn { rows, places: sample.iter().map(|s| s.0).collect(), total, outputs })
}
