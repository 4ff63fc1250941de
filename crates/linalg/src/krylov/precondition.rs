//! Block-Jacobi preconditioning.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, Par};
use rayon::prelude::*;

use crate::dense::cholesky::Cholesky;
use crate::error::{Result, check_len};
use crate::sparse::matrix::SparseSymmetric;

/// Solves with the diagonal blocks of a sparse matrix, rows taken in their given order.
///
/// Worth the more, the closer neighbours stand to each other: order the rows in space (or by reverse
/// Cuthill-McKee) first. Memory and the work of one application are `n` times the block size.
#[derive(Clone, Debug)]
pub struct BlockJacobi {
    n: usize,
    block: usize,
    factors: Vec<Cholesky>,
}

impl BlockJacobi {
    /// Factors the diagonal blocks; fails when one of them is not positive definite.
    pub fn new(a: &SparseSymmetric, block: usize) -> Result<BlockJacobi> {
        let block = block.max(1);
        let factors = (0..a.n().div_ceil(block))
            .into_par_iter()
            .map(|b| Cholesky::factor_small(diagonal_block(a, b * block, block.min(a.n() - b * block))))
            .collect::<Result<_>>()?;
        Ok(BlockJacobi { n: a.n(), block, factors })
    }

    /// A block size that takes no more memory than the matrix itself.
    pub fn fitting_block(a: &SparseSymmetric) -> usize {
        (a.stored() / a.n().max(1)).clamp(8, 128)
    }

    /// `out = M^-1 r`.
    pub fn apply(&self, r: &[f64], out: &mut [f64]) -> Result<()> {
        check_len("numbers in a vector", self.n, r.len())?;
        check_len("numbers in a vector", self.n, out.len())?;
        out.copy_from_slice(r);
        out.par_chunks_mut(self.block).zip(&self.factors).with_min_len(8).for_each(|(part, factor)| {
            let l = factor.lower();
            let mut part = MatMut::from_column_major_slice_mut(part, factor.n(), 1);
            solve_lower_triangular_in_place(l, part.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(l.transpose(), part, Par::Seq);
        });
        Ok(())
    }
}

fn diagonal_block(a: &SparseSymmetric, from: usize, size: usize) -> (Vec<f64>, usize) {
    let mut block = vec![0.0; size * size];
    for j in from..from + size {
        let (rows, values) = a.column(j);
        let inside = rows.partition_point(|&i| (i as usize) < from);
        for (&i, &v) in rows[inside..].iter().zip(&values[inside..]) {
            block[(j - from) * size + i as usize - from] = v;
            block[(i as usize - from) * size + j - from] = v;
        }
    }
    (block, size)
}
