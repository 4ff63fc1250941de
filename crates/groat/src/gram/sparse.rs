//! The sparse Gram matrix of a compactly supported kernel (systems D2 and D3).

use groat_linalg::{
    Bandwidth, Ordering, SparseAnalysis, SparseSymmetric, minimum_degree, reverse_cuthill_mckee,
};
use rayon::prelude::*;

use super::memory::{Form, Memory, Plan};
use super::near::{Indexed, index_for};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::matrix::{Points, Rows};
use crate::neighbours::Neighbours;
use crate::tune::sample_rows;

/// Rows up to which nothing is gained by leaving out zeros.
const DENSE_ROWS: usize = 500;
/// Share of nonzeros up to which a sparse product is quicker than a dense one.
const SPARSE_SHARE: f64 = 0.3;
/// Rows whose neighbours are counted for a prediction.
const SAMPLE: usize = 1000;
/// With no more than so many times the sample, all rows are counted at once.
const MANY: usize = 20;
/// Rows of one task.
const CHUNK: usize = 512;

/// What a sparse Gram matrix will take, from the neighbours of some of its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Nonzeros of the whole matrix, `N`.
    pub nonzeros: f64,
    /// Standard error of `nonzeros`; 0 when every row was counted.
    pub error: f64,
    /// Bytes of its storage here: half of the matrix.
    pub bytes: f64,
    /// Bytes of `12 N + 4 n`, a general sparse matrix with 4-byte indices.
    pub bytes_general: f64,
}

/// `K_C = Phi_C o K` of 003 (2) with only its nonzeros stored.
///
/// ```
/// use groat::{Kernel, Rows, gram::SparseGram};
/// let x = [0.0, 0.5, 0.9, 3.0];
/// let kernel: Kernel = "gaussian:width=1,support=0.6".parse()?;
/// let gram = SparseGram::assemble(&kernel, Rows::new(&x, 1)?, u64::MAX)?;
/// assert_eq!(gram.nonzeros(), 8); // four on the diagonal, two pairs
/// assert!((gram.get(0, 1) - kernel.eval(&[0.0], &[0.5])).abs() < 1e-15);
/// assert_eq!(gram.get(0, 2), 0.0);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseGram {
    matrix: SparseSymmetric,
}

impl SparseGram {
    /// Counts the neighbours of up to 1,000 rows and says what the whole matrix will take.
    pub fn expect(kernel: &Kernel, x: Rows<'_>, seed: u64) -> Result<Expected> {
        let (index, scaled) = index_for(kernel, x)?;
        Ok(expect_from(&index, Rows::new(&scaled, x.cols())?, seed))
    }

    /// What the nonzeros will take, and the rows with an index, where it is better to leave out zeros: because there are
    /// enough of them, or because the other forms do not fit.
    pub(super) fn worth(
        kernel: &Kernel,
        x: Points<'_>,
        others_fit: bool,
    ) -> Result<Option<(Expected, Indexed)>> {
        let (Some(rows), Some(_)) = (x.dense(), kernel.support()) else { return Ok(None) };
        if rows.rows() <= DENSE_ROWS {
            return Ok(None);
        }
        let indexed = index_for(kernel, rows)?;
        let expected = expect_from(&indexed.0, Rows::new(&indexed.1, rows.cols())?, 0);
        let few = expected.nonzeros <= SPARSE_SHARE * (rows.rows() as f64).powi(2);
        Ok((few || !others_fit).then_some((expected, indexed)))
    }

    /// Assembles the matrix in parallel; refuses when its storage would exceed the memory.
    pub fn assemble(kernel: &Kernel, x: Rows<'_>, memory: impl Into<Memory>) -> Result<SparseGram> {
        Self::assemble_from(kernel, &index_for(kernel, x)?, memory.into())
    }

    /// The same for rows that are indexed already.
    pub(super) fn assemble_from(kernel: &Kernel, indexed: &Indexed, memory: Memory) -> Result<SparseGram> {
        let (index, scaled) = indexed;
        let scaled = Rows::new(scaled, index.points().cols())?;
        let order = index.order();
        Self::from_index(kernel, index, memory, |j| scaled.row(j), |place| order[place])
    }

    /// The matrix of the rows in the order of their index, in which neighbours stand close together, and the index.
    pub(crate) fn arranged(kernel: &Kernel, x: Rows<'_>, memory: Memory) -> Result<(SparseGram, Neighbours)> {
        let (index, _) = index_for(kernel, x)?;
        let points = index.points();
        let gram = Self::from_index(kernel, &index, memory, |j| points.row(j), |place| place as u32)?;
        Ok((gram, index))
    }

    /// The matrix whose row `j` stands at `point(j)`; a point of the index is row `row(place)`.
    ///
    /// Two passes: the neighbours are counted, then written to their final place.
    fn from_index<'a>(
        kernel: &Kernel,
        index: &Neighbours,
        memory: Memory,
        point: impl Fn(usize) -> &'a [f64] + Sync,
        row: impl Fn(usize) -> u32 + Sync,
    ) -> Result<SparseGram> {
        let (n, what) = (index.len(), "the sparse kernel matrix");
        let advice = "take a smaller support, or have it chosen for this much memory";
        // A sample first: where the matrix is far too large, counting all rows would take long.
        if n > MANY * SAMPLE {
            let expected = expect_from(index, index.points(), 0);
            let surely = expected.bytes - 12.0 * expected.error * 3.0;
            if surely > memory.limit() as f64 {
                memory.check(what, expected.bytes as u64, advice)?;
            }
        }
        let mut counts = vec![0_u32; n];
        counts.par_chunks_mut(CHUNK).enumerate().for_each(|(c, counts)| {
            for (k, count) in counts.iter_mut().enumerate() {
                let j = c * CHUNK + k;
                index.visit_places(point(j), |place, _| *count += u32::from(row(place) <= j as u32));
            }
        });
        let stored: u64 = counts.iter().map(|&c| u64::from(c)).sum();
        memory.check(what, storage(stored as f64, n) as u64, advice)?;
        let evaluator = kernel.evaluator::<f64>();
        let matrix = SparseSymmetric::assemble(&counts, |j, rows, values| {
            let mut hits: Vec<(u32, f64)> = Vec::with_capacity(rows.len());
            index.visit_places(point(j), |place, squared| {
                let i = row(place);
                if i <= j as u32 {
                    hits.push((i, squared));
                }
            });
            hits.sort_unstable_by_key(|hit| hit.0);
            for ((row, value), hit) in rows.iter_mut().zip(values.iter_mut()).zip(&hits) {
                (*row, *value) = *hit;
            }
            evaluator.radial(values);
        });
        Ok(SparseGram { matrix: matrix.map_err(Error::linear_algebra("assembling the kernel matrix"))? })
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.matrix.n()
    }

    /// Nonzeros of the whole matrix, `N`.
    pub fn nonzeros(&self) -> usize {
        self.matrix.nonzeros()
    }

    /// Share of zeros, `S(C)` of 003 (7).
    pub fn sparsity(&self) -> f64 {
        self.matrix.sparsity()
    }

    /// Bytes of storage.
    pub fn memory(&self) -> u64 {
        self.matrix.memory()
    }

    /// Entry `(i, j)`; 0 outside the matrix.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (i.min(j), i.max(j));
        if j >= self.n() {
            return 0.0;
        }
        let (rows, values) = self.matrix.column(j);
        rows.binary_search(&(i as u32)).map_or(0.0, |at| values[at])
    }

    /// Rows and values of the nonzeros of column `j` down to the diagonal, in order of the rows; empty outside
    /// the matrix.
    pub fn upper_column(&self, j: usize) -> (&[u32], &[f64]) {
        if j < self.n() { self.matrix.column(j) } else { (&[], &[]) }
    }

    /// Bandwidth as the rows stand.
    pub fn bandwidth(&self) -> Bandwidth {
        self.matrix.bandwidth()
    }

    /// The reverse Cuthill-McKee order: entry `k` is the row that moves to place `k`.
    pub fn reverse_cuthill_mckee(&self) -> Vec<u32> {
        reverse_cuthill_mckee(&self.matrix)
    }

    /// The approximate minimum degree order.
    pub fn minimum_degree(&self) -> Result<Vec<u32>> {
        minimum_degree(&self.matrix).map_err(Error::linear_algebra("minimum degree ordering"))
    }

    /// Numbers in the Cholesky factor as the rows stand, with the zeros that its dense blocks keep.
    pub fn factor_fill(&self) -> Result<usize> {
        let analysis = SparseAnalysis::new(&self.matrix, Ordering::Natural);
        analysis.map(|a| a.fill()).map_err(Error::linear_algebra("predicting the fill of a factor"))
    }

    /// The same matrix with rows and columns in another order.
    pub fn reordered(&self, order: &[u32]) -> Result<SparseGram> {
        let matrix = self.matrix.permuted(order).map_err(Error::linear_algebra("reordering"))?;
        Ok(SparseGram { matrix })
    }

    /// Nonzeros in each cell of a `side x side` picture, row by row, for spy plots of any size.
    pub fn picture(&self, side: usize) -> Vec<u64> {
        self.matrix.picture(side)
    }

    /// Writes row `i`, zeros included.
    pub(super) fn row(&self, i: usize, out: &mut [f64]) {
        out.fill(0.0);
        let (rows, values) = self.upper_column(i);
        rows.iter().zip(values).for_each(|(j, v)| out[*j as usize] = *v);
        // The rest of the row stands in the columns after it.
        (i + 1..self.n()).for_each(|j| out[j] = self.get(i, j));
    }

    /// `out = K v`.
    pub(super) fn multiply(&self, v: &[f64], out: &mut [f64]) -> groat_linalg::Result<()> {
        self.matrix.multiply(v, out)
    }

    /// Its form and what that takes.
    pub(crate) fn plan(&self, memory: Memory) -> Plan {
        Plan { form: Form::Sparse, bytes: self.memory(), limit: memory.limit() }
    }

    pub(crate) fn into_matrix(self) -> SparseSymmetric {
        self.matrix
    }
}

fn storage(stored: f64, n: usize) -> f64 {
    let start = if stored < (1_u64 << 31) as f64 { 4.0 } else { 8.0 };
    12.0 * stored + start * (n + 1) as f64
}

fn expect_from(index: &Neighbours, x: Rows<'_>, seed: u64) -> Expected {
    let n = x.rows();
    let rows = sample_rows(n, SAMPLE, seed);
    let counts: Vec<f64> = rows.par_iter().map(|&i| index.count(x.row(i)) as f64).collect();
    let m = counts.len().max(1) as f64;
    let mean = counts.iter().sum::<f64>() / m;
    let variance = counts.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / (m - 1.0).max(1.0);
    let nonzeros = mean * n as f64;
    let error = if counts.len() == n { 0.0 } else { n as f64 * (variance / m).sqrt() };
    Expected {
        nonzeros,
        error,
        bytes: storage((nonzeros + n as f64) / 2.0, n),
        bytes_general: 12.0 * nonzeros + 4.0 * n as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_entry_equals_the_dense_formula(
            d in 1usize..11,
            power in 1u32..8,
            data in prop::collection::vec(-1.0f64..1.0, 1..600),
            support in 0.05f64..2.5,
            per_feature in any::<bool>(),
        ) {
            let n = (data.len() / d).max(1);
            let mut data = data;
            data.resize(n * d, 0.1);
            let x = Rows::new(&data, d).unwrap();
            let base = if per_feature {
                Kernel::gaussian((0..d).map(|k| 0.5 + 0.2 * k as f64).collect::<Vec<_>>())
            } else {
                Kernel::gaussian(0.8)
            };
            let kernel = Kernel::compact(base, support, power);
            let gram = SparseGram::assemble(&kernel, x, u64::MAX).unwrap();
            let dense = kernel.gram(x).unwrap();
            let mut zeros = 0;
            for i in 0..n {
                for j in 0..n {
                    prop_assert!((gram.get(i, j) - dense[(i, j)]).abs() < 1e-14);
                    zeros += usize::from(gram.get(i, j) == 0.0);
                }
            }
            // A value may underflow to zero near the rim, but no nonzero may be missing.
            prop_assert!(n * n - gram.nonzeros() <= zeros);
            let expected = SparseGram::expect(&kernel, x, 1).unwrap();
            prop_assert_eq!(expected.nonzeros.round() as usize, gram.nonzeros());
            prop_assert_eq!(expected.bytes.round() as u64, gram.memory());
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_advice() {
        let x: Vec<f64> = (0..500).map(|i| f64::from(i) / 500.0).collect();
        let kernel: Kernel = "gaussian:support=0.5".parse().unwrap();
        let error = SparseGram::assemble(&kernel, Rows::new(&x, 1).unwrap(), 10_000).unwrap_err();
        assert!(matches!(error, Error::Memory { limit: 10_000, .. }), "{error}");
        assert!(SparseGram::assemble(&Kernel::gaussian(1.0), Rows::new(&x, 1).unwrap(), 1 << 30).is_err());
    }
}
