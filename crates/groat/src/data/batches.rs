//! Data that are read batch by batch, and a sample of their rows.

use super::reservoir::Reservoir;
use crate::error::{Error, Result};
use crate::matrix::{PointSet, Points, Rows};

/// Is given the rows of a batch: features, dense or sparse as the data are, and targets with one column per output.
pub type Visit<'v> = dyn FnMut(Points<'_>, Rows<'_>) -> Result<()> + 'v;

/// Data that can be read from the start as often as needed.
pub trait Batches: Sync {
    /// Reads all rows in order and hands them on in batches.
    fn read(&self, visit: &mut Visit<'_>) -> Result<()>;

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
impl<'a, X: Into<Points<'a>> + Copy + Sync> Batches for (X, Rows<'_>) {
    fn read(&self, visit: &mut Visit<'_>) -> Result<()> {
        visit(self.0.into(), self.1)
    }

    fn rows(&self) -> Option<usize> {
        Some(self.1.rows())
    }
}

/// A uniform sample of the rows.
pub(crate) struct Drawn {
    /// The features, in the order of the data.
    pub rows: PointSet,
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
    let mut outputs = 0;
    data.read(&mut |x, y| {
        x.check_finite("the features")?;
        y.check_finite("the target")?;
        outputs = y.cols();
        (0..x.rows()).for_each(|i| sample.offer(|| x.select(&[i])));
        Ok(())
    })?;
    let total = sample.offered();
    if total == 0 {
        return Err(Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 });
    }
    let (places, rows): (Vec<usize>, Vec<PointSet>) = sample.into_kept().into_iter().unzip();
    let rows = PointSet::joined(&rows.iter().map(PointSet::view).collect::<Vec<_>>())?;
    Ok(Drawn { rows, places, total, outputs })
}
