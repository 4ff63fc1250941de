//! A symmetric matrix of which the lower triangle is kept, in tiles of eight by eight.
//!
//! Half the memory of a square and one stream through memory for a product. Eight rows are a panel; panel
//! `p` holds the tiles of columns `8 q..8 q + 8` for `q = 0..=p`, a tile holds its eight rows one after the
//! other, and a row of a tile fills a cache line, so that growing by a row writes into a panel or appends
//! one. The tile on the diagonal is kept whole. Rows and columns beyond the order hold zeros.

use super::{tiles, triangle};
use crate::online::bits;
use crate::simd::make_room;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Rows and columns of a tile.
pub(super) const SIDE: usize = 8;

/// One row of a tile.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Line(pub [f64; SIDE]);

/// A symmetric matrix, lower triangle by tiles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Saved", try_from = "Saved")]
pub(crate) struct Packed {
    lines: Vec<Line>,
    order: usize,
    /// Room for a factorisation, which goes by whole rows.
    rows: Vec<f64>,
}

/// Where panel `p` begins.
const fn panel(p: usize) -> usize {
    SIDE * p * (p + 1) / 2
}

/// Where the line with row `i` and the columns of tile `q` is.
pub(super) const fn line(i: usize, q: usize) -> usize {
    panel(i / SIDE) + SIDE * q + i % SIDE
}

impl Packed {
    /// Takes all rows out, keeping the room.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.order = 0;
    }

    /// Rows.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Bytes of the tiles.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }

    /// Element `(i, j)`.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (row, column) = (i.max(j), i.min(j));
        self.lines[line(row, column / SIDE)].0[column % SIDE]
    }

    /// Element `(i, i)`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.get(i, i)
    }

    fn diagonal_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.lines[line(i, i / SIDE)].0[i % SIDE]
    }

    /// Appends a row and column: `off` left of the diagonal, `corner` on it.
    pub fn push(&mut self, off: &[f64], corner: f64) {
        self.push_scaled(off, 1.0, corner);
    }

    /// Appends a row and column: `factor off` left of the diagonal, `corner` on it.
    pub fn push_scaled(&mut self, off: &[f64], factor: f64, corner: f64) {
        let i = self.push_zero(corner);
        for (q, values) in off[..i].chunks(SIDE).enumerate() {
            let to = &mut self.lines[line(i, q)].0;
            to.iter_mut().zip(values).for_each(|(to, value)| *to = value * factor);
        }
        self.mirror(i / SIDE);
    }

    /// Appends a row and column of the unit matrix.
    pub fn push_unit(&mut self) {
        self.push_zero(1.0);
    }

    /// Appends a row and column of zeros but for the corner; returns its index.
    fn push_zero(&mut self, corner: f64) -> usize {
        let i = self.order;
        self.order += 1;
        self.lines.resize(panel(self.order.div_ceil(SIDE)), Line::default());
        *self.diagonal_mut(i) = corner;
        i
    }

    /// Copies what is below the diagonal in the last tile of panel `p` to above it.
    fn mirror(&mut self, p: usize) {
        let tile = &mut self.lines[panel(p + 1) - SIDE..panel(p + 1)];
        for i in 1..SIDE {
            for j in 0..i {
                tile[j].0[i] = tile[i].0[j];
            }
        }
    }

    /// `A <- own A + others B`, for `B` of the same order.
    pub fn blend(&mut self, own: f64, other: &Packed, others: f64) {
        for (a, b) in self.lines.iter_mut().zip(&other.lines) {
            a.0.iter_mut().zip(b.0).for_each(|(a, b)| *a = own * *a + others * b);
        }
    }

    /// Copies column `j` (the whole of it) into `out`.
    pub fn column(&self, j: usize, out: &mut [f64]) {
        let (q, c) = (j / SIDE, j % SIDE);
        for (p, to) in out[..self.order].chunks_mut(SIDE).enumerate() {
            if p <= q {
                to.copy_from_slice(&self.lines[line(j, p)].0[..to.len()]);
            } else {
                let tile = &self.lines[line(p * SIDE, q)..];
                to.iter_mut().zip(tile).for_each(|(to, row)| *to = row.0[c]);
            }
        }
    }

    /// `out = A x`.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        tiles::multiply(&self.lines, &x[..self.order], &mut out[..self.order]);
    }

    /// `out = A x`, which gets as many places.
    pub fn multiply_into(&self, x: &[f64], out: &mut Vec<f64>) {
        make_room(out, self.order);
        tiles::multiply(&self.lines, &x[..self.order], out);
        out.truncate(self.order);
    }

    /// `A += scale v v^T`.
    pub fn rank_one(&mut self, scale: f64, v: &[f64]) {
        tiles::rank_one(&mut self.lines, scale, &v[..self.order]);
    }

    /// `A -= U^T U` for eight rows `U`, given as a panel.
    pub(super) fn subtract_squares(&mut self, terms: &[Line]) {
        tiles::subtract_squares(&mut self.lines, terms, self.order);
    }

    /// Removes row and column `r`, keeping the order of the others.
    pub fn remove(&mut self, r: usize) {
        let first = r / SIDE;
        tiles::close_gap(&mut self.lines, r, self.order);
        let last = self.order - 1;
        for q in 0..=last / SIDE {
            self.lines[line(last, q)] = Line::default();
        }
        self.order = last;
        self.lines.truncate(panel(last.div_ceil(SIDE)));
        (first..last.div_ceil(SIDE)).for_each(|p| self.mirror(p));
    }

    /// `out_i = sum_j A_ij^2`.
    pub fn row_squares(&self, out: &mut [f64]) {
        let out = &mut out[..self.order];
        out.fill(0.0);
        for i in 0..self.order {
            for q in 0..=i / SIDE {
                let squares = self.lines[line(i, q)].0.map(|v| v * v);
                out[i] += squares.iter().sum::<f64>();
                if q < i / SIDE {
                    out[q * SIDE..][..SIDE].iter_mut().zip(squares).for_each(|(to, v)| *to += v);
                }
            }
        }
    }

    /// Multiplies every element.
    pub fn scale(&mut self, factor: f64) {
        self.lines.iter_mut().for_each(|line| line.0.iter_mut().for_each(|value| *value *= factor));
    }

    /// Adds `value` to every element of the diagonal.
    pub fn add_diagonal(&mut self, value: f64) {
        (0..self.order).for_each(|i| *self.diagonal_mut(i) += value);
    }

    /// Makes the matrix diagonal.
    pub fn set_diagonal(&mut self, value: impl Fn(usize) -> f64) {
        self.lines.fill(Line::default());
        (0..self.order).for_each(|i| *self.diagonal_mut(i) = value(i));
    }

    /// Takes the values of `other`.
    pub fn assign(&mut self, other: &Packed) {
        self.lines.clone_from(&other.lines);
        self.order = other.order;
    }

    /// Replaces the matrix by its inverse through a Cholesky factorisation. False, and the content lost,
    /// when the matrix is not positive definite to working precision. `O(n^3)`.
    pub fn invert(&mut self) -> bool {
        let mut rows = std::mem::take(&mut self.rows);
        self.write_rows(&mut rows);
        let regular = triangle::invert(&mut rows, self.order);
        if regular {
            self.read_rows(&rows);
        }
        self.rows = rows;
        regular
    }

    /// The lower triangle row after row, without gaps.
    fn write_rows(&self, rows: &mut Vec<f64>) {
        rows.clear();
        for i in 0..self.order {
            for q in 0..=i / SIDE {
                rows.extend_from_slice(&self.lines[line(i, q)].0[..SIDE.min(i + 1 - q * SIDE)]);
            }
        }
    }

    /// Takes the values of such rows, which are as many as there are.
    fn read_rows(&mut self, rows: &[f64]) {
        let mut rest = rows;
        for i in 0..self.order {
            let (row, tail) = rest.split_at(i + 1);
            for (q, values) in row.chunks(SIDE).enumerate() {
                self.lines[line(i, q)].0[..values.len()].copy_from_slice(values);
            }
            rest = tail;
        }
        (0..self.order.div_ceil(SIDE)).for_each(|p| self.mirror(p));
    }

    /// Fails unless the matrix is of the given order and holds finite numbers.
    pub fn check(&self, order: usize) -> Result<()> {
        let finite = self.lines.iter().all(|line| line.0.iter().all(|v| v.is_finite()));
        if self.order != order || !finite {
            return Err(damaged(order));
        }
        Ok(())
    }
}

fn damaged(order: usize) -> Error {
    Error::parse("saved state of a learner", "matrix", format!("expected {order} finite rows"))
}

/// A matrix as it stands in a file: the lower triangle row after row.
#[derive(Serialize, Deserialize)]
struct Saved {
    #[serde(with = "bits")]
    data: Vec<f64>,
    order: usize,
}

impl From<Packed> for Saved {
    fn from(matrix: Packed) -> Self {
        let mut data = Vec::with_capacity(triangle::start(matrix.order));
        matrix.write_rows(&mut data);
        Self { data, order: matrix.order }
    }
}

impl TryFrom<Saved> for Packed {
    type Error = Error;

    fn try_from(saved: Saved) -> Result<Self> {
        let Saved { data, order } = saved;
        let expected = order.checked_add(1).and_then(|next| order.checked_mul(next));
        if expected != data.len().checked_mul(2) {
            return Err(damaged(order));
        }
        let mut matrix = Self { order, ..Self::default() };
        matrix.lines.resize(panel(order.div_ceil(SIDE)), Line::default());
        matrix.read_rows(&data);
        Ok(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A well-conditioned symmetric matrix.
    fn sample(n: usize) -> Packed {
        let mut a = Packed::default();
        for i in 0..n {
            let off: Vec<f64> = (0..i).map(|j| ((i * 7 + j * 13) as f64).sin() * 0.3).collect();
            a.push(&off, 2.0 + n as f64 * 0.3);
        }
        a
    }

    #[test]
    fn products_and_updates_agree_with_the_definition() {
        for n in 0..40 {
            let mut a = sample(n);
            let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.9).cos()).collect();
            let mut got = vec![f64::NAN; n];
            a.multiply(&x, &mut got);
            let mut squares = vec![0.0; n];
            a.row_squares(&mut squares);
            for i in 0..n {
                let want: f64 = (0..n).map(|j| a.get(i, j) * x[j]).sum();
                assert!((got[i] - want).abs() < 1e-12, "n {n}, row {i}: {} and {want}", got[i]);
                let want: f64 = (0..n).map(|j| a.get(i, j).powi(2)).sum();
                assert!((squares[i] - want).abs() < 1e-11);
            }
            let before = a.clone();
            a.rank_one(-0.5, &x);
            for i in 0..n {
                for j in 0..n {
                    assert!((a.get(i, j) - before.get(i, j) + 0.5 * x[i] * x[j]).abs() < 1e-14);
                }
            }
            assert_invariant(&a);
        }
    }

    #[test]
    fn removal_keeps_the_others() {
        for (r, n) in (0..9).flat_map(|r| [0, 7, 8, 15].map(|n| (r, n))) {
            let a = sample(9 + n);
            let mut b = a.clone();
            b.remove(r);
            let kept: Vec<usize> = (0..9 + n).filter(|i| *i != r).collect();
            for (i, &oi) in kept.iter().enumerate() {
                let mut column = vec![0.0; 8 + n];
                b.column(i, &mut column);
                for (j, &oj) in kept.iter().enumerate() {
                    assert_eq!(b.get(i, j), a.get(oi, oj));
                    assert_eq!(column[j], b.get(i, j));
                }
            }
            assert_invariant(&b);
        }
    }

    /// The last tile of each panel is symmetric to the last bit, and what is beyond the order is zero.
    fn assert_invariant(a: &Packed) {
        assert_eq!(a.lines.len(), panel(a.order.div_ceil(SIDE)));
        for p in 0..a.order.div_ceil(SIDE) {
            for (i, j) in (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (p * SIDE + i, p * SIDE + j))) {
                let (above, below) = (a.lines[line(i, p)].0[j % SIDE], a.lines[line(j, p)].0[i % SIDE]);
                assert_eq!(above.to_bits(), below.to_bits());
                assert!(i.max(j) < a.order || above == 0.0);
            }
        }
    }

    #[test]
    fn the_saved_form_is_the_plain_triangle() {
        for n in [0, 1, 8, 19] {
            let a = sample(n);
            let saved = Saved::from(a.clone());
            let rows: Vec<f64> =
                (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| a.get(i, j)).collect();
            assert_eq!(saved.data, rows);
            let back = Packed::try_from(saved).unwrap();
            assert_eq!(back.lines, a.lines);
            assert!(Packed::try_from(Saved { data: rows, order: n + 1 }).is_err());
        }
        assert!(Packed::try_from(Saved { data: Vec::new(), order: usize::MAX }).is_err());
    }

    #[test]
    fn the_inverse_is_one() {
        for n in [1, 2, 5, 17, 60] {
            let a = sample(n);
            let mut q = a.clone();
            assert!(q.invert());
            let (mut column, mut product) = (vec![0.0; n], vec![0.0; n]);
            for j in 0..n {
                q.column(j, &mut column);
                a.multiply(&column, &mut product);
                for (i, p) in product.iter().enumerate() {
                    assert!((p - f64::from(u8::from(i == j))).abs() < 1e-12);
                }
            }
        }
        let mut singular = Packed::default();
        singular.push(&[], 1.0);
        singular.push(&[1.0], 1.0);
        assert!(!singular.invert());
    }
}
