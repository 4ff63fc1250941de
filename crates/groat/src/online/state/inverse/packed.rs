//! A symmetric matrix of which the lower triangle is kept; the tiles on the diagonal are whole.

use super::lower::{Line, Lower, SIDE, line, panel};
use super::{tiles, triangle};
use crate::Result;
use crate::simd::make_room;
use serde::{Deserialize, Serialize};

/// A symmetric matrix, lower triangle by tiles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Lower", from = "Lower")]
pub(crate) struct Packed {
    lower: Lower,
    /// Room for a factorisation, which goes by whole rows.
    rows: Vec<f64>,
}

impl Packed {
    /// Takes all rows out, keeping the room.
    pub fn clear(&mut self) {
        self.lower.clear();
    }

    /// Rows.
    pub fn order(&self) -> usize {
        self.lower.order
    }

    /// Bytes of the tiles.
    pub fn memory_bytes(&self) -> usize {
        self.lower.memory_bytes()
    }

    /// Element `(i, j)`.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.lower.get(i.max(j), i.min(j))
    }

    /// Element `(i, i)`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.get(i, i)
    }

    /// Appends a row and column: `off` left of the diagonal, `corner` on it.
    pub fn push(&mut self, off: &[f64], corner: f64) {
        self.push_scaled(off, 1.0, corner);
    }

    /// Appends a row and column: `factor off` left of the diagonal, `corner` on it.
    pub fn push_scaled(&mut self, off: &[f64], factor: f64, corner: f64) {
        let i = self.lower.push(&off[..self.order()], factor, corner);
        self.mirror(i / SIDE);
    }

    /// Appends a row and column of the unit matrix.
    pub fn push_unit(&mut self) {
        self.lower.push(&[], 1.0, 1.0);
    }

    /// Copies what is below the diagonal in the last tile of panel `p` to above it.
    fn mirror(&mut self, p: usize) {
        let tile = &mut self.lower.lines[panel(p + 1) - SIDE..panel(p + 1)];
        for i in 1..SIDE {
            for j in 0..i {
                tile[j].0[i] = tile[i].0[j];
            }
        }
    }

    fn mirror_all(&mut self) {
        (0..self.lower.panels()).for_each(|p| self.mirror(p));
    }

    /// `A <- own A + others B`, for `B` of the same order.
    pub fn blend(&mut self, own: f64, other: &Packed, others: f64) {
        for (a, b) in self.lower.lines.iter_mut().zip(&other.lower.lines) {
            a.0.iter_mut().zip(b.0).for_each(|(a, b)| *a = own * *a + others * b);
        }
    }

    /// Copies column `j` (the whole of it) into `out`.
    pub fn column(&self, j: usize, out: &mut [f64]) {
        let (q, c) = (j / SIDE, j % SIDE);
        for (p, to) in out[..self.order()].chunks_mut(SIDE).enumerate() {
            if p <= q {
                to.copy_from_slice(&self.lower.lines[line(j, p)].0[..to.len()]);
            } else {
                let tile = &self.lower.lines[line(p * SIDE, q)..];
                to.iter_mut().zip(tile).for_each(|(to, row)| *to = row.0[c]);
            }
        }
    }

    /// `out = A x`; `out` may be longer, and zeros make the last eight places whole, if there is room.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        tiles::multiply(&self.lower.lines, &x[..self.order()], out);
    }

    /// `out = A x`, which gets as many places.
    pub fn multiply_into(&self, x: &[f64], out: &mut Vec<f64>) {
        make_room(out, self.order());
        self.multiply(x, out);
        out.truncate(self.order());
    }

    /// `A += scale v v^T`.
    pub fn rank_one(&mut self, scale: f64, v: &[f64]) {
        tiles::rank_one(&mut self.lower.lines, scale, &v[..self.lower.order]);
    }

    /// `A <- own A + scale v v^T + w p^T + p w^T`; the last two for a pair `(w, p)`.
    pub fn combine(&mut self, own: f64, scale: f64, v: &[f64], pair: Option<(&[f64], &[f64])>) {
        let order = self.lower.order;
        let pair = pair.map(|(w, p)| (&w[..order], &p[..order]));
        tiles::combine(&mut self.lower.lines, own, scale, &v[..order], pair);
    }

    /// Row and column `r` become `values`.
    pub fn set_row(&mut self, r: usize, values: &[f64]) {
        for (j, value) in values[..self.order()].iter().enumerate() {
            let (i, j) = (r.max(j), r.min(j));
            self.lower.lines[line(i, j / SIDE)].0[j % SIDE] = *value;
        }
        self.mirror(r / SIDE);
    }

    /// `A -= U^T U` for eight rows `U`, given as a panel.
    pub(super) fn subtract_squares(&mut self, terms: &[Line]) {
        tiles::subtract_squares(&mut self.lower.lines, terms, self.lower.order);
    }

    /// Removes row and column `r`, keeping the order of the others.
    pub fn remove(&mut self, r: usize) {
        tiles::close_gap(&mut self.lower.lines, r, self.lower.order);
        self.lower.pop();
        (r / SIDE..self.lower.panels()).for_each(|p| self.mirror(p));
    }

    /// `out_i = sum_j A_ij^2`.
    pub fn row_squares(&self, out: &mut [f64]) {
        let out = &mut out[..self.order()];
        out.fill(0.0);
        for i in 0..self.order() {
            for q in 0..=i / SIDE {
                let squares = self.lower.lines[line(i, q)].0.map(|v| v * v);
                out[i] += squares.iter().sum::<f64>();
                if q < i / SIDE {
                    out[q * SIDE..][..SIDE].iter_mut().zip(squares).for_each(|(to, v)| *to += v);
                }
            }
        }
    }

    /// Multiplies every element.
    pub fn scale(&mut self, factor: f64) {
        self.lower.lines.iter_mut().for_each(|line| line.0.iter_mut().for_each(|value| *value *= factor));
    }

    /// Adds `value` to every element of the diagonal.
    pub fn add_diagonal(&mut self, value: f64) {
        (0..self.order()).for_each(|i| *self.lower.diagonal_mut(i) += value);
    }

    /// Makes the matrix diagonal.
    pub fn set_diagonal(&mut self, value: impl Fn(usize) -> f64) {
        self.lower.lines.fill(Line::default());
        (0..self.order()).for_each(|i| *self.lower.diagonal_mut(i) = value(i));
    }

    /// Takes the values of `other`.
    pub fn assign(&mut self, other: &Packed) {
        self.lower.lines.clone_from(&other.lower.lines);
        self.lower.order = other.lower.order;
    }

    /// Replaces the matrix by its inverse through a Cholesky factorisation. False, and the content lost,
    /// when the matrix is not positive definite to working precision. `O(n^3)`.
    pub fn invert(&mut self) -> bool {
        self.lower.write_rows(&mut self.rows);
        let regular = triangle::invert(&mut self.rows, self.lower.order);
        if regular {
            self.lower.read_rows(&self.rows);
            self.mirror_all();
        }
        regular
    }

    /// The rows of the lower triangle one after the other, without gaps.
    pub(super) fn write_rows(&self, rows: &mut Vec<f64>) {
        self.lower.write_rows(rows);
    }

    /// Fails unless the matrix is of the given order and holds finite numbers.
    pub fn check(&self, order: usize) -> Result<()> {
        self.lower.check(order)
    }
}

impl From<Packed> for Lower {
    fn from(matrix: Packed) -> Self {
        matrix.lower
    }
}

impl From<Lower> for Packed {
    fn from(lower: Lower) -> Self {
        let mut matrix = Self { lower, rows: Vec::new() };
        matrix.mirror_all();
        matrix
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
            let (before, w) = (a.clone(), (0..n).map(|i| (i as f64 * 0.4).sin()).collect::<Vec<f64>>());
            let y: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 3.0)).collect();
            for pair in [None, Some((&w[..], &y[..]))] {
                a = before.clone();
                a.combine(0.75, -0.3, &x, pair);
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let crossed = pair.map_or(0.0, |(w, y)| w[i] * y[j] + y[i] * w[j]);
                    let want = 0.75 * before.get(i, j) - 0.3 * x[i] * x[j] + crossed;
                    assert!((a.get(i, j) - want).abs() < 1e-14);
                }
                assert_invariant(&a);
            }
            if n > 0 {
                a.set_row(n / 2, &w);
                (0..n).for_each(|j| assert_eq!(a.get(j, n / 2), w[j]));
                assert_invariant(&a);
            }
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
        assert_eq!(a.lower.lines.len(), panel(a.order().div_ceil(SIDE)));
        for p in 0..a.order().div_ceil(SIDE) {
            for (i, j) in (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (p * SIDE + i, p * SIDE + j))) {
                let (above, below) =
                    (a.lower.lines[line(i, p)].0[j % SIDE], a.lower.lines[line(j, p)].0[i % SIDE]);
                assert_eq!(above.to_bits(), below.to_bits());
                assert!(i.max(j) < a.order() || above == 0.0);
            }
        }
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
