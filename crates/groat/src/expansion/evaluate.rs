//! The values of an expansion at new rows.

use super::Expansion;
use crate::error::{Result, check_len};
use crate::matrix::{Matrix, Points};

impl Expansion {
    /// Whether predictions have all that they keep between calls: the first one with a kernel of compact support arranges the
    /// vectors, on several threads. A row alone is then answered on the thread that asks.
    pub fn is_arranged(&self) -> bool {
        self.local.is_arranged(&self.kernel, self.vectors.view())
    }

    /// `f(x)` for every row: one column per output.
    pub fn values<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        let x = x.into();
        check_len("features per row", self.features(), x.cols())?;
        x.check_finite("the input")?;
        let (vectors, weights) = (self.vectors.view(), self.weights.view());
        let mut out = self.local.weighted_sum(&self.kernel, x, vectors, weights)?;
        if let Some(bias) = &self.bias {
            for row in out.data_mut().chunks_exact_mut(bias.len()) {
                row.iter_mut().zip(bias).for_each(|(v, b)| *v += b);
            }
        }
        Ok(out)
    }
}
