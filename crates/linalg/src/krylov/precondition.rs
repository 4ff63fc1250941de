//! Block-Jacobi preconditioning.

use rayon::prelude::*;

use crate::dense::cholesky::Cholesky;
use crate::error::{Error, Result, check_len};
use crate::sparse::matrix::SparseSymmetric;

/// Multiplications that are worth a thread.
const WORK: usize = 1 << 14;

/// Multiplies by the inverses of the diagonal blocks of a sparse matrix, rows taken in their given order.
///
/// Worth the more, the closer neighbours stand to each other: order the rows in space (or by reverse
/// Cuthill-McKee) first. Memory and the work of one application are `n` times the block size. A block size of
/// 1 is the plain Jacobi preconditioner, which well-conditioned systems are best served with.
#[derive(Clone, Debug)]
pub struct BlockJacobi {
    n: usize,
    block: usize,
    /// One after the other, each symmetric.
    inverses: Vec<f64>,
}

impl BlockJacobi {
    /// Inverts the diagonal blocks; fails when one of them is not positive definite.
    pub fn new(a: &SparseSymmetric, block: usize) -> Result<BlockJacobi> {
        let block = block.clamp(1, a.n().max(1));
        if block == 1 {
            let inverses = a.diagonal().into_iter().map(f64::recip).collect::<Vec<_>>();
            let bad = inverses.iter().position(|v| !(*v > 0.0 && v.is_finite()));
            return match bad {
                Some(pivot) => Err(Error::NotPositiveDefinite { pivot }),
                None => Ok(BlockJacobi { n: a.n(), block, inverses }),
            };
        }
        let mut inverses = vec![0.0; a.n() * block];
        inverses.par_chunks_mut(block * block).enumerate().try_for_each(|(b, out)| {
            let size = block.min(a.n() - b * block);
            let factor = Cholesky::factor_small((diagonal_block(a, b * block, size), size))?;
            (0..size).for_each(|i| out[i * size + i] = 1.0);
            factor.solve(&mut out[..size * size])
        })?;
        Ok(BlockJacobi { n: a.n(), block, inverses })
    }

    /// A block size that takes no more memory than the matrix itself.
    pub fn fitting_block(a: &SparseSymmetric) -> usize {
        (a.stored() / a.n().max(1)).clamp(8, 128)
    }

    /// `out = M^-1 r` for `K` vectors side by side.
    pub fn apply<const K: usize>(&self, r: &[[f64; K]], out: &mut [[f64; K]]) -> Result<()> {
        check_len("numbers in a vector", self.n, r.len())?;
        check_len("numbers in a vector", self.n, out.len())?;
        let parts = out.par_chunks_mut(self.block).zip(r.par_chunks(self.block));
        let parts = parts.zip(self.inverses.par_chunks(self.block * self.block));
        parts.with_min_len(WORK.div_ceil(self.block * self.block)).for_each(|((out, r), inverse)| {
            for (out, row) in out.iter_mut().zip(inverse.chunks_exact(r.len())) {
                let mut sum = [0.0; K];
                for (a, r) in row.iter().zip(r) {
                    (0..K).for_each(|k| sum[k] += a * r[k]);
                }
                *out = sum;
            }
        });
        Ok(())
    }
}

fn diagonal_block(a: &SparseSymmetric, from: usize, size: usize) -> Vec<f64> {
    let mut block = vec![0.0; size * size];
    for j in from..from + size {
        let (rows, values) = a.column(j);
        let inside = rows.partition_point(|&i| (i as usize) < from);
        for (&i, &v) in rows[inside..].iter().zip(&values[inside..]) {
            block[(j - from) * size + i as usize - from] = v;
            block[(i as usize - from) * size + j - from] = v;
        }
    }
    block
}
