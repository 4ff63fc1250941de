//! Sparse Cholesky: analysis first (what will it cost?), then numbers.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::{Conj, MatMut, Par, Side};
use rayon::prelude::*;

use super::frontal;
use super::matrix::SparseSymmetric;
use super::order::{inverse, pattern};
use super::selected;
use super::supernodes::Supernodes;
use crate::error::{Error, Result, Stop, check_len};

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
    nodes: Supernodes,
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
        let nodes = Supernodes::new(symbolic.raw());
        Ok(SparseAnalysis { symbolic, nodes, n: a.n(), stored: a.stored() })
    }

    /// Numbers in the factor (with the zeros that supernodes keep).
    pub fn fill(&self) -> usize {
        self.nodes.fill()
    }

    /// Bytes that factor and working memory will take together, at most.
    pub fn memory(&self) -> u64 {
        (8 * (self.fill() + self.nodes.pending()) + 12 * self.stored) as u64
    }

    /// Multiplications of the factorisation.
    pub fn multiplications(&self) -> f64 {
        self.nodes.multiplications()
    }

    /// Factors the values of a matrix with the analysed pattern.
    pub fn factor(self, a: &SparseSymmetric) -> Result<SparseCholesky> {
        self.factor_unless(a, &|| false)
    }

    /// [`SparseAnalysis::factor`] unless a stop is asked for.
    pub fn factor_unless(self, a: &SparseSymmetric, stop: Stop<'_>) -> Result<SparseCholesky> {
        check_len("entries of the matrix to factor", self.stored, a.stored())?;
        let values = frontal::factor(&self.nodes, a, self.place(), stop).map_err(|error| match error {
            Error::NotPositiveDefinite { pivot } => Error::NotPositiveDefinite { pivot: self.row(pivot) },
            other => other,
        })?;
        Ok(SparseCholesky { analysis: self, values })
    }

    /// When each row is eliminated; `None` when that is its own number.
    fn place(&self) -> Option<&[u32]> {
        self.symbolic.perm().map(|p| p.arrays().1)
    }

    /// The row that is eliminated as number `place`.
    fn row(&self, place: usize) -> usize {
        self.symbolic.perm().map_or(place, |p| p.arrays().0[place] as usize)
    }
}

/// A sparse Cholesky factor.
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
        let nodes = &self.analysis.nodes;
        let of = |s: usize| {
            let stride = nodes.width(s) + nodes.below(s).len() + 1;
            let pivots = nodes.block(&self.values, s).iter().step_by(stride);
            pivots.map(|p| 2.0 * p.ln()).sum::<f64>()
        };
        (0..nodes.len()).map(of).sum()
    }

    /// The diagonal of `A^-1`, at about twice the cost of the factorisation.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let by_place = selected::inverse_diagonal(&self.analysis.nodes, &self.values, self.n());
        match self.analysis.place() {
            Some(place) => place.iter().map(|&p| by_place[p as usize]).collect(),
            None => by_place,
        }
    }
}
