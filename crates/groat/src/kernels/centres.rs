//! Vectors packed for evaluation.

use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, Real, Rows};

/// Vectors in a panel.
pub(super) const LANES: usize = 8;

/// A set of vectors packed in panels of eight: within a panel the first features of all eight lie side by
/// side, then their second features, and so on, which is the order in which one query is compared with
/// eight vectors at once.
///
/// This is the store of a dictionary: vectors can be appended and removed, and it holds nothing but the
/// numbers themselves (rounded up to whole panels).
///
/// ```
/// use groat::kernels::Centres;
/// let mut centres = Centres::new(2)?;
/// centres.push(&[1.0, 2.0])?;
/// centres.push(&[3.0, 4.0])?;
/// centres.remove(0);
/// assert_eq!(centres.to_vec(0), [3.0, 4.0]);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Centres<T = f64> {
    data: Vec<T>,
    len: usize,
    dim: usize,
}

impl<T: Real> Centres<T> {
    /// An empty set of vectors of `dim` features.
    pub fn new(dim: usize) -> Result<Self> {
        if dim == 0 {
            return Err(Error::parameter("features", 0, "at least 1"));
        }
        Ok(Self { data: Vec::new(), len: 0, dim })
    }

    /// An empty set with room for `capacity` vectors.
    pub fn with_capacity(dim: usize, capacity: usize) -> Result<Self> {
        let mut centres = Self::new(dim)?;
        centres.data.reserve_exact(capacity.div_ceil(LANES) * LANES * dim);
        Ok(centres)
    }

    /// All rows of a matrix.
    pub fn from_rows(rows: Rows<'_, T>) -> Self {
        let dim = rows.cols();
        let mut data = vec![T::default(); rows.rows().div_ceil(LANES) * LANES * dim];
        for (panel, group) in data.chunks_exact_mut(LANES * dim.max(1)).zip(0..) {
            for lane in 0..LANES.min(rows.rows() - group * LANES) {
                for (k, v) in rows.row(group * LANES + lane).iter().enumerate() {
                    panel[k * LANES + lane] = *v;
                }
            }
        }
        Self { data, len: rows.rows(), dim }
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Features of each vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Bytes of heap memory held.
    pub fn memory_bytes(&self) -> usize {
        self.data.capacity() * size_of::<T>()
    }

    /// Appends a vector.
    pub fn push(&mut self, x: &[T]) -> Result<()> {
        check_len("features of a vector", self.dim, x.len())?;
        if self.len.is_multiple_of(LANES) {
            self.data.resize(self.data.len() + LANES * self.dim, T::default());
        }
        self.len += 1;
        self.write(self.len - 1, x);
        Ok(())
    }

    /// Replaces vector `i`. Does nothing when there is no such vector or the length differs.
    pub fn set(&mut self, i: usize, x: &[T]) {
        if i < self.len && x.len() == self.dim {
            self.write(i, x);
        }
    }

    fn write(&mut self, i: usize, x: &[T]) {
        let start = self.start(i);
        for (k, v) in x.iter().enumerate() {
            self.data[start + k * LANES] = *v;
        }
    }

    /// Removes vector `i` and closes the gap, keeping the order. Does nothing when there is no such vector.
    pub fn remove(&mut self, i: usize) {
        if i >= self.len {
            return;
        }
        for j in i + 1..self.len {
            self.copy_within(j, j - 1);
        }
        self.pop();
    }

    /// Removes vector `i` by moving the last one into its place. Does nothing when there is no such vector.
    pub fn swap_remove(&mut self, i: usize) {
        if i >= self.len {
            return;
        }
        self.copy_within(self.len - 1, i);
        self.pop();
    }

    fn pop(&mut self) {
        self.len -= 1;
        let panels = self.len.div_ceil(LANES);
        self.data.truncate(panels * LANES * self.dim);
    }

    fn copy_within(&mut self, from: usize, to: usize) {
        let (from, to) = (self.start(from), self.start(to));
        for k in 0..self.dim {
            self.data[to + k * LANES] = self.data[from + k * LANES];
        }
    }

    fn start(&self, i: usize) -> usize {
        (i / LANES) * LANES * self.dim + i % LANES
    }

    /// Feature `k` of vector `i`.
    pub fn get(&self, i: usize, k: usize) -> T {
        self.data[self.start(i) + k * LANES]
    }

    /// A copy of vector `i`.
    pub fn to_vec(&self, i: usize) -> Vec<T> {
        (0..self.dim).map(|k| self.get(i, k)).collect()
    }

    /// Copies vector `i` into `out`, over the common length.
    pub fn copy_to(&self, i: usize, out: &mut [T]) {
        for (k, v) in out.iter_mut().take(self.dim).enumerate() {
            *v = self.get(i, k);
        }
    }

    /// All vectors as a matrix.
    pub fn to_matrix(&self) -> Matrix<T> {
        let mut out = Matrix::zeros(self.len, self.dim);
        for i in 0..self.len {
            self.copy_to(i, out.row_mut(i));
        }
        out
    }

    /// The panels from `first` on; each holds `LANES * dim` numbers.
    pub(super) fn panels(&self, first: usize) -> &[T] {
        &self.data[first * LANES * self.dim..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_like_a_list(dim in 1usize..5, ops in prop::collection::vec((0u8..4, 0usize..40), 1..120)) {
            let mut packed = Centres::new(dim).unwrap();
            let mut plain: Vec<Vec<f64>> = Vec::new();
            for (n, (op, i)) in ops.into_iter().enumerate() {
                let x: Vec<f64> = (0..dim).map(|k| (n * 10 + k) as f64).collect();
                match op {
                    0 | 1 => { packed.push(&x).unwrap(); plain.push(x) }
                    2 => { packed.remove(i); if i < plain.len() { plain.remove(i); } }
                    _ => { packed.swap_remove(i); if i < plain.len() { plain.swap_remove(i); } }
                }
                prop_assert_eq!(packed.len(), plain.len());
                for (i, v) in plain.iter().enumerate() {
                    prop_assert_eq!(&packed.to_vec(i), v);
                }
            }
            let matrix = packed.to_matrix();
            prop_assert_eq!(Centres::from_rows(matrix.view()).to_matrix(), matrix);
        }
    }
}
