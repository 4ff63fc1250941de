//! Sparse Cholesky: analysis first (what will it cost?), then numbers.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::perm::PermRef;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::{Conj, MatMut, Par, Side, Spec};
use rayon::prelude::*;

use super::matrix::SparseSymmetric;
use super::order::{inverse, pattern};
use crate::error::{Error, Result, check_len};

/// Right-hand sides solved together by one thread.
const SOLVE_COLUMNS: usize = 16;

/// In which order rows are eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering<'a> {
    /// As given.
    Natural,
    /// Approximate minimum degree.
    MinimumDegree,
    /// Entry `k` is the row that is eliminated as number `k`.
    Given(&'a [u32]),
}

/// The structure of a sparse Cholesky factor: its cost is known before it is spent.
#[derive(Debug)]
pub struct SparseAnalysis {
    symbolic: SymbolicCholesky<u32>,
    n: usize,
    stored: usize,
}

impl SparseAnalysis {
    /// Analyses the pattern of `a`; values are not read.
    pub fn new(a: &SparseSymmetric, ordering: Ordering<'_>) -> Result<SparseAnalysis> {
        let place;
        let ordering = match ordering {
            Ordering::Natural => SymmetricOrdering::Identity,
            Ordering::MinimumDegree => SymmetricOrdering::Amd,
            Ordering::Given(order) => {
                place = inverse(order, a.n())?;
                SymmetricOrdering::Custom(PermRef::new_checked(order, &place, a.n()))
            }
        };
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(pattern(a)?, Side::Upper, ordering, params)
            .map_err(|_| Error::TooLarge { what: "sparse Cholesky factor", needed: u64::MAX })?;
        Ok(SparseAnalysis { symbolic, n: a.n(), stored: a.stored() })
    }

    /// Numbers in the factor (with the zeros that supernodes keep).
    pub fn fill(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Bytes that factor and working memory will take together.
    pub fn memory(&self) -> u64 {
        8 * self.fill() as u64 + 12 * self.stored as u64
    }

    /// Multiplications of the factorisation.
    pub fn multiplications(&self) -> f64 {
        let SymbolicCholeskyRaw::Supernodal(structure) = self.symbolic.raw() else { return 0.0 };
        (0..structure.n_supernodes())
            .map(|s| {
                let (first, last) = (structure.supernode_begin()[s], structure.supernode_end()[s]);
                let width = f64::from(last - first);
                let below = structure.supernode(s).pattern().len() as f64;
                // Sum of the squared column lengths over 2, with lengths below + width .. below + 1.
                width * (below * below + below * width + width * width / 3.0) / 2.0
            })
            .sum()
    }

    /// Factors the values of a matrix with the analysed pattern.
    pub fn factor(self, a: &SparseSymmetric) -> Result<SparseCholesky> {
        check_len("entries of the matrix to factor", self.stored, a.stored())?;
        let params = Spec::default();
        let too_large = |_| Error::TooLarge { what: "sparse Cholesky factor", needed: self.memory() };
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, params);
        let mut memory = MemBuffer::try_new(scratch).map_err(too_large)?;
        let mut values = Vec::new();
        values.try_reserve_exact(self.fill()).map_err(|_| too_large(faer::dyn_stack::mem::AllocError))?;
        values.resize(self.fill(), 0.0);
        let matrix = SparseColMatRef::new(pattern(a)?, a.values());
        let stack = MemStack::new(&mut memory);
        let symbolic = &self.symbolic;
        symbolic
            .factorize_numeric_llt(
                &mut values,
                matrix,
                Side::Upper,
                Default::default(),
                Par::Seq,
                stack,
                params,
            )
            .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite {
                pivot: symbolic.perm().map_or(index, |p| p.arrays().0[index.min(self.n - 1)] as usize),
            })?;
        let factor = SparseCholesky { analysis: self, values };
        let bad = factor.pivots().position(|p| !(p > 0.0 && p.is_finite()));
        bad.map_or(Ok(factor), |pivot| Err(Error::NotPositiveDefinite { pivot }))
    }
}

/// A sparse Cholesky factor (supernodal, faer's).
#[derive(Debug)]
pub struct SparseCholesky {
    analysis: SparseAnalysis,
    values: Vec<f64>,
}

impl SparseCholesky {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.analysis.n
    }

    /// Numbers in the factor.
    pub fn fill(&self) -> usize {
        self.values.len()
    }

    /// Replaces each column of `rhs` (column-major, `n x k`) by the solution.
    pub fn solve(&self, rhs: &mut [f64]) -> Result<()> {
        let n = self.n();
        let columns = rhs.len().checked_div(n).unwrap_or(0);
        check_len("numbers in the right-hand side", columns * n, rhs.len())?;
        if n > 0 {
            rhs.par_chunks_mut(n * SOLVE_COLUMNS).for_each(|chunk| self.solve_chunk(chunk));
        }
        Ok(())
    }

    fn solve_chunk(&self, chunk: &mut [f64]) {
        let n = self.n();
        let k = chunk.len() / n;
        let symbolic = &self.analysis.symbolic;
        let mut memory = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(k, Par::Seq));
        LltRef::new(symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(chunk, n, k),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }

    /// `log det A`.
    pub fn log_det(&self) -> f64 {
        self.pivots().map(|p| 2.0 * p.ln()).sum()
    }

    /// The diagonal of `A^-1`, from `n` solves in groups.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.n();
        let mut out = vec![0.0; n];
        out.par_chunks_mut(SOLVE_COLUMNS).enumerate().for_each(|(c, out)| {
            let from = c * SOLVE_COLUMNS;
            let mut columns = vec![0.0; n * out.len()];
            for j in 0..out.len() {
                columns[j * n + from + j] = 1.0;
            }
            self.solve_chunk(&mut columns);
            for (j, out) in out.iter_mut().enumerate() {
                *out = columns[j * n + from + j];
            }
        });
        out
    }

    /// The diagonal of the factor, in elimination order.
    fn pivots(&self) -> impl Iterator<Item = f64> {
        let structure = match self.analysis.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(structure) => Some(structure),
            SymbolicCholeskyRaw::Simplicial(_) => None,
        };
        structure.into_iter().flat_map(|structure| {
            let factor = SupernodalLltRef::new(structure, &self.values);
            (0..structure.n_supernodes()).flat_map(move |s| {
                let block = factor.supernode(s).val();
                (0..block.ncols()).map(move |j| block[(j, j)])
            })
        })
    }
}
