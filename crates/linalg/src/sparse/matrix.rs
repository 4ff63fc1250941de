//! Symmetric compressed storage.

use rayon::prelude::*;

use crate::error::{Error, Result, check_len};

/// Work per group of columns in a product; groups are what threads share.
const GROUP_ENTRIES: usize = 1 << 14;
/// At most this many groups, because each needs a partial result.
const MAX_GROUPS: usize = 32;
/// Columns that one task assembles.
const ASSEMBLE_COLUMNS: usize = 512;

/// A sparse symmetric matrix of which only the upper half is stored, column by column.
///
/// Column `j` holds its entries with row `i <= j`, rows ascending; the diagonal is always stored (last
/// in its column). An entry costs 12 bytes (8 for the value, 4 for the row) and a column 4 more for its
/// start, or 8 once there are `2^31` stored entries: half of the `12 N + 4 n` bytes of a general sparse
/// matrix with the same nonzeros.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseSymmetric {
    n: usize,
    starts: Starts,
    rows: Vec<u32>,
    values: Vec<f64>,
    groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq)]
enum Starts {
    Short(Vec<u32>),
    Long(Vec<u64>),
}

/// Columns `from..to` of a product; they write to rows `lowest..to`.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    from: usize,
    to: usize,
    lowest: usize,
}

impl SparseSymmetric {
    /// Builds the matrix in parallel, straight into its final storage.
    ///
    /// `counts[j]` is the number of entries of column `j` with row `i <= j` (at least 1, the diagonal).
    /// `fill(j, rows, values)` must write exactly those, rows ascending, ending with `j` itself.
    pub fn assemble(
        counts: &[u32],
        fill: impl Fn(usize, &mut [u32], &mut [f64]) + Sync,
    ) -> Result<SparseSymmetric> {
        let n = counts.len();
        if n > u32::MAX as usize {
            return Err(Error::TooLarge { what: "rows of a sparse matrix", needed: n as u64 });
        }
        let starts = Starts::from_counts(counts);
        let stored = starts.get(n);
        let mut rows = vec![0_u32; stored];
        let mut values = vec![0.0; stored];
        let mut tasks = Vec::with_capacity(n.div_ceil(ASSEMBLE_COLUMNS));
        let (mut rest_rows, mut rest_values) = (rows.as_mut_slice(), values.as_mut_slice());
        for from in (0..n).step_by(ASSEMBLE_COLUMNS) {
            let to = (from + ASSEMBLE_COLUMNS).min(n);
            let len = starts.get(to) - starts.get(from);
            let (r, rr) = rest_rows.split_at_mut(len);
            let (v, rv) = rest_values.split_at_mut(len);
            tasks.push((from, to, r, v));
            (rest_rows, rest_values) = (rr, rv);
        }
        tasks.into_par_iter().with_max_len(1).try_for_each(|(from, to, rows, values)| {
            let base = starts.get(from);
            for j in from..to {
                let range = starts.get(j) - base..starts.get(j + 1) - base;
                fill(j, &mut rows[range.clone()], &mut values[range.clone()]);
                let rows = &rows[range];
                if rows.last() != Some(&(j as u32)) || !rows.is_sorted_by(|a, b| a < b) {
                    return Err(Error::Structure { column: j });
                }
            }
            Ok(())
        })?;
        let groups = groups(n, &starts, &rows);
        Ok(SparseSymmetric { n, starts, rows, values, groups })
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Stored entries: the upper half with the diagonal.
    pub fn stored(&self) -> usize {
        self.rows.len()
    }

    /// Nonzeros of the whole matrix, `N`.
    pub fn nonzeros(&self) -> usize {
        2 * self.stored() - self.n
    }

    /// Share of entries that are zero, `1 - N / n^2`.
    pub fn sparsity(&self) -> f64 {
        let n = self.n as f64;
        if self.n == 0 { 0.0 } else { 1.0 - self.nonzeros() as f64 / (n * n) }
    }

    /// Bytes of storage.
    pub fn memory(&self) -> u64 {
        let starts = match &self.starts {
            Starts::Short(s) => 4 * s.len(),
            Starts::Long(s) => 8 * s.len(),
        };
        (12 * self.stored() + starts) as u64
    }

    /// Rows and values of column `j`, upper half.
    pub fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.starts.get(j)..self.starts.get(j + 1);
        (&self.rows[range.clone()], &self.values[range])
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.n).map(|j| self.values[self.starts.get(j + 1) - 1]).collect()
    }

    /// Adds `shift` to every diagonal entry.
    pub fn add_diagonal(&mut self, shift: f64) {
        for j in 0..self.n {
            self.values[self.starts.get(j + 1) - 1] += shift;
        }
    }

    /// `A <- S A S` for the diagonal matrix `S`.
    pub fn scale_both_sides(&mut self, s: &[f64]) -> Result<()> {
        check_len("scale factors", self.n, s.len())?;
        for j in 0..self.n {
            let range = self.starts.get(j)..self.starts.get(j + 1);
            for (v, &i) in self.values[range.clone()].iter_mut().zip(&self.rows[range]) {
                *v *= s[i as usize] * s[j];
            }
        }
        Ok(())
    }

    /// The largest sum of absolute values in a row: no eigenvalue is larger.
    pub fn norm1(&self) -> f64 {
        let mut sums = vec![0.0; self.n];
        for j in 0..self.n {
            let (rows, values) = self.column(j);
            for (&i, v) in rows.iter().zip(values) {
                sums[j] += v.abs();
                if i as usize != j {
                    sums[i as usize] += v.abs();
                }
            }
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// The whole matrix, dense (both triangles); for small `n`.
    pub fn to_dense(&self) -> Vec<f64> {
        let mut a = vec![0.0; self.n * self.n];
        for j in 0..self.n {
            let (rows, values) = self.column(j);
            for (&i, &v) in rows.iter().zip(values) {
                a[i as usize * self.n + j] = v;
                a[j * self.n + i as usize] = v;
            }
        }
        a
    }

    /// `y = A x`. Threaded over fixed groups of columns, whose partial results are added in order.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) -> Result<()> {
        self.multiply_lanes::<1>(x.as_chunks().0, y.as_chunks_mut().0)
    }

    /// `A` times `K` vectors at once, which stand side by side: the matrix is read only once.
    pub fn multiply_lanes<const K: usize>(&self, x: &[[f64; K]], y: &mut [[f64; K]]) -> Result<()> {
        check_len("numbers in a vector", self.n, x.len())?;
        check_len("numbers in a vector", self.n, y.len())?;
        let parts: Vec<Vec<[f64; K]>> = self.groups.par_iter().map(|g| self.multiply_group(g, x)).collect();
        const CHUNK: usize = 4096;
        y.par_chunks_mut(CHUNK).enumerate().for_each(|(c, y)| {
            let (from, to) = (c * CHUNK, c * CHUNK + y.len());
            y.fill([0.0; K]);
            for (group, part) in self.groups.iter().zip(&parts) {
                let (a, b) = (from.max(group.lowest), to.min(group.to));
                if a < b {
                    let part = &part[a - group.lowest..b - group.lowest];
                    y[a - from..b - from].iter_mut().zip(part).for_each(|(y, p)| add(y, 1.0, p));
                }
            }
        });
        Ok(())
    }

    fn multiply_group<const K: usize>(&self, group: &Group, x: &[[f64; K]]) -> Vec<[f64; K]> {
        let mut y = vec![[0.0; K]; group.to - group.lowest];
        let x = &x[group.lowest..group.to];
        for j in group.from..group.to {
            let (rows, values) = self.column(j);
            let local = j - group.lowest;
            let xj = x[local];
            let mut sum = [0.0; K];
            for (&i, &a) in rows[..rows.len() - 1].iter().zip(values) {
                let i = i as usize - group.lowest;
                add(&mut sum, a, &x[i]);
                add(&mut y[i], a, &xj);
            }
            add(&mut sum, values[values.len() - 1], &xj);
            add(&mut y[local], 1.0, &sum);
        }
        y
    }

    /// `P A P^T`: row and column `k` of the result are row and column `order[k]` of this matrix.
    pub fn permuted(&self, order: &[u32]) -> Result<SparseSymmetric> {
        let place = crate::sparse::order::inverse(order, self.n)?;
        let target = |i: u32, j: usize| {
            let (p, q) = (place[i as usize], place[j]);
            (p.min(q), p.max(q))
        };
        let mut counts = vec![0_u32; self.n];
        for j in 0..self.n {
            for &i in self.column(j).0 {
                counts[target(i, j).1 as usize] += 1;
            }
        }
        let starts = Starts::from_counts(&counts);
        let mut next: Vec<usize> = (0..self.n).map(|j| starts.get(j)).collect();
        let mut entries = vec![(0_u32, 0.0); self.stored()];
        for j in 0..self.n {
            let (rows, values) = self.column(j);
            for (&i, &v) in rows.iter().zip(values) {
                let (row, col) = target(i, j);
                entries[next[col as usize]] = (row, v);
                next[col as usize] += 1;
            }
        }
        SparseSymmetric::assemble(&counts, |j, rows, values| {
            let mut column = entries[starts.get(j)..starts.get(j + 1)].to_vec();
            column.sort_unstable_by_key(|e| e.0);
            for ((row, value), entry) in rows.iter_mut().zip(values).zip(column) {
                (*row, *value) = entry;
            }
        })
    }

    /// How far entries lie from the diagonal.
    pub fn bandwidth(&self) -> Bandwidth {
        let reach = |j: usize| j - self.column(j).0[0] as usize;
        Bandwidth { reach: (0..self.n).map(reach).max().unwrap_or(0) }
    }

    /// Number of entries in each cell of a `side x side` picture of the whole matrix, row by row.
    pub fn picture(&self, side: usize) -> Vec<u64> {
        let side = side.min(self.n);
        let mut cells = vec![0_u64; side * side];
        let cell = |i: usize| i * side / self.n;
        for j in 0..self.n {
            for &i in self.column(j).0 {
                let (p, q) = (cell(i as usize), cell(j));
                cells[p * side + q] += 1;
                if i as usize != j {
                    cells[q * side + p] += 1;
                }
            }
        }
        cells
    }

    /// Column starts and rows as faer wants them; `None` when they need more than 31 bits.
    pub(crate) fn short_starts(&self) -> Option<&[u32]> {
        match &self.starts {
            Starts::Short(s) => Some(s),
            Starts::Long(_) => None,
        }
    }

    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }
}

/// `y <- y + a x`, lane by lane.
fn add<const K: usize>(y: &mut [f64; K], a: f64, x: &[f64; K]) {
    for k in 0..K {
        y[k] += a * x[k];
    }
}

/// The bandwidth of a symmetric matrix: `b_i = i - min { j : A_ij != 0 }`, and `reach = max_i b_i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// `max_i b_i`.
    pub reach: usize,
}

impl Bandwidth {
    /// `2 max b + 1`: the number of diagonals that may hold nonzeros.
    pub fn full(self) -> usize {
        2 * self.reach + 1
    }

    /// `max b + 1`: the number of diagonals of one half.
    pub fn half(self) -> usize {
        self.reach + 1
    }
}

impl Starts {
    fn from_counts(counts: &[u32]) -> Starts {
        let total: u64 = counts.iter().map(|&c| u64::from(c)).sum();
        let mut at = 0_u64;
        let running = std::iter::once(0).chain(counts.iter().map(|&c| {
            at += u64::from(c);
            at
        }));
        if total < 1 << 31 {
            Starts::Short(running.map(|s| s as u32).collect())
        } else {
            Starts::Long(running.collect())
        }
    }

    fn get(&self, j: usize) -> usize {
        match self {
            Starts::Short(s) => s[j] as usize,
            Starts::Long(s) => s[j] as usize,
        }
    }
}

/// Groups of consecutive columns with about the same number of entries.
fn groups(n: usize, starts: &Starts, rows: &[u32]) -> Vec<Group> {
    let wanted = (rows.len() / GROUP_ENTRIES).clamp(1, MAX_GROUPS);
    let share = rows.len().div_ceil(wanted).max(1);
    let mut groups = Vec::with_capacity(wanted);
    let mut from = 0;
    while from < n {
        let end = starts.get(from) + share;
        let mut to = from + 1;
        while to < n && starts.get(to) < end {
            to += 1;
        }
        let lowest = (from..to).map(|j| rows[starts.get(j)] as usize).min().unwrap_or(from);
        groups.push(Group { from, to, lowest });
        from = to;
    }
    groups
}
