//! Data that are read batch by batch, and a sample of their rows.

use super::reservoir::Reservoir;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Rows};

/// Data that can be read from the start as often as needed.
pub trait Batches: Sync {
    /// Reads all rows in order and hands them on in batches: features, and targets with one column per output.
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()>;

    /// Number of rows, where it is known before a reading.
    fn rows(&self) -> Option<usize> {
        None
    }

    /// Where the rows stand elsewhere and only sums over them come here: who makes the sums.
    fn remote(&self) -> Option<&dyn RemoteSums> {
        None
    }
}

/// Makes sums over rows that stand elsewhere, such as on the machines of a cluster.
///
/// What is to be summed is said in bytes that [`RowSums`](crate::batch::RowSums) understands: whoever holds some of the rows
/// makes one from `map` and asks it for the sum over them; the answers of all, added number by number, are the sum.
pub trait RemoteSums: Sync {
    /// The sum over all rows.
    fn sum(&self, map: &[u8], pass: &[u8]) -> Result<Vec<f64>>;
}

/// Data in memory, in one batch.
impl Batches for (Rows<'_>, Rows<'_>) {
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()> {
        visit(self.0, self.1)
    }

    fn rows(&self) -> Option<usize> {
        Some(self.0.rows())
    }
}

/// A uniform sample of the rows.
pub(crate) struct Drawn {
    /// The features, in the order of the data.
    pub rows: Matrix,
    /// Where they stand.
    pub places: Vec<usize>,
    /// Rows of the data.
    pub total: usize,
    /// Columns of the target.
    pub outputs: usize,
}

/// Draws `count` rows in one reading.
pub(crate) fn draw(data: &dyn Batches, count: usize, seed: u64) -> Result<Drawn> {
    let mut sample = Reservoir::new(count, seed);
    let (mut outputs, mut features) = (0, 0);
    data.read(&mut |x, y| {
        x.check_finite("the features")?;
        y.check_finite("the target")?;
        (outputs, features) = (y.cols(), x.cols());
        x.iter().for_each(|row| sample.offer(|| row.to_vec()));
        Ok(())
    })?;
    let total = sample.offered();
    if total == 0 {
        return Err(Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 });
    }
    let (places, rows): (Vec<usize>, Vec<Vec<f64>>) = sample.into_kept().into_iter().unzip();
    let rows = Matrix::from_vec(rows.concat(), places.len(), features)?;
    Ok(Drawn { rows, places, total, outputs })
}
