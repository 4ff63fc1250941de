//! A symmetric matrix of which the lower triangle is kept, row after row without gaps.
//!
//! Half the memory of a square, one stream through memory for a product, and growing by a row is an
//! append. Row `i` holds columns `0..=i`. In a product each element is read once and used twice, for its
//! row and for its column, and four rows are taken together, so that the vectors are read once for all four.

use crate::online::bits;
use crate::simd::{Arithmetic, Eight, Lane, axpy, dot, multiversion};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Rows of a product taken together.
const ROWS: usize = 4;

/// Where row `i` begins.
#[inline(always)]
const fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

/// A symmetric matrix, lower triangle by rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Packed {
    #[serde(with = "bits")]
    data: Vec<f64>,
    order: usize,
}

impl Packed {
    /// Takes all rows out, keeping the room.
    pub fn clear(&mut self) {
        self.data.clear();
        self.order = 0;
    }

    /// Rows.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Bytes of the triangle.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.data.as_slice())
    }

    /// Row `i` up to the diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[start(i)..start(i + 1)]
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[start(i)..start(i + 1)]
    }

    /// Element `(i, j)`.
    #[cfg(test)]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        if j <= i { self.data[start(i) + j] } else { self.data[start(j) + i] }
    }

    /// Element `(i, i)`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.data[start(i) + i]
    }

    /// Appends a row and column: `off` left of the diagonal, `corner` on it.
    pub fn push(&mut self, off: &[f64], corner: f64) {
        self.push_scaled(off, 1.0, corner);
    }

    /// Appends a row and column: `factor off` left of the diagonal, `corner` on it.
    pub fn push_scaled(&mut self, off: &[f64], factor: f64, corner: f64) {
        self.data.extend(off[..self.order].iter().map(|value| value * factor));
        self.data.push(corner);
        self.order += 1;
    }

    /// `A <- own A + others B`, for `B` of the same order.
    pub fn blend(&mut self, own: f64, other: &Packed, others: f64) {
        self.data.iter_mut().zip(&other.data).for_each(|(a, b)| *a = own * *a + others * b);
    }

    /// Appends a row and column of the unit matrix.
    pub fn push_unit(&mut self) {
        self.data.resize(start(self.order + 1), 0.0);
        self.order += 1;
        self.data[start(self.order) - 1] = 1.0;
    }

    /// Copies column `j` (the whole of it) into `out`.
    pub fn column(&self, j: usize, out: &mut [f64]) {
        out[..=j].copy_from_slice(self.row(j));
        for (i, to) in out.iter_mut().enumerate().take(self.order).skip(j + 1) {
            *to = self.data[start(i) + j];
        }
    }

    /// `out = A x`.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        let n = self.order;
        multiply(&self.data, &x[..n], &mut out[..n]);
    }

    /// `A += scale v v^T`.
    pub fn rank_one(&mut self, scale: f64, v: &[f64]) {
        let n = self.order;
        rank_one(&mut self.data, scale, &v[..n]);
    }

    /// Removes row and column `r`, keeping the order of the others.
    pub fn remove(&mut self, r: usize) {
        let mut to = start(r);
        for i in r + 1..self.order {
            let from = start(i);
            self.data.copy_within(from..from + r, to);
            self.data.copy_within(from + r + 1..from + i + 1, to + r);
            to += i;
        }
        self.order -= 1;
        self.data.truncate(start(self.order));
    }

    /// `out_i = sum_j A_ij^2`.
    pub fn row_squares(&self, out: &mut [f64]) {
        for i in 0..self.order {
            let row = self.row(i);
            out[i] = dot(row, row);
            for (to, v) in out[..i].iter_mut().zip(row) {
                *to += v * v;
            }
        }
    }

    /// Multiplies every element.
    pub fn scale(&mut self, factor: f64) {
        self.data.iter_mut().for_each(|value| *value *= factor);
    }

    /// Adds `value` to every element of the diagonal.
    pub fn add_diagonal(&mut self, value: f64) {
        for i in 0..self.order {
            self.data[start(i) + i] += value;
        }
    }

    /// Makes the matrix diagonal.
    pub fn set_diagonal(&mut self, value: impl Fn(usize) -> f64) {
        self.data.fill(0.0);
        for i in 0..self.order {
            self.data[start(i) + i] = value(i);
        }
    }

    /// Takes the values of `other`.
    pub fn assign(&mut self, other: &Packed) {
        self.data.clone_from(&other.data);
        self.order = other.order;
    }

    /// Replaces the matrix by its inverse through a Cholesky factorisation, in place. `scratch` holds at
    /// least one row. False, and the content lost, when the matrix is not positive definite to working
    /// precision. `O(n^3)`.
    pub fn invert(&mut self, scratch: &mut [f64]) -> bool {
        self.factor() && {
            self.invert_factor(scratch);
            self.square_factor(scratch);
            self.data.iter().all(|v| v.is_finite())
        }
    }

    /// `A = L L^T`, row by row.
    fn factor(&mut self) -> bool {
        for i in 0..self.order {
            let (above, rest) = self.data.split_at_mut(start(i));
            let row = &mut rest[..=i];
            for j in 0..i {
                let other = &above[start(j)..start(j + 1)];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let before = row[i];
            let pivot = before - dot(&row[..i], &row[..i]);
            // Below this the pivot is rounding error of the subtraction.
            if pivot.is_nan() || pivot <= 4.0 * f64::EPSILON * before {
                return false;
            }
            row[i] = pivot.sqrt();
        }
        true
    }

    /// `M = L^-1`: row `i` is `(e_i - sum_(k<i) L_ik M_k) / L_ii`.
    fn invert_factor(&mut self, scratch: &mut [f64]) {
        for i in 0..self.order {
            let (above, rest) = self.data.split_at_mut(start(i));
            let row = &mut rest[..=i];
            let sum = &mut scratch[..=i];
            sum.fill(0.0);
            for k in 0..i {
                axpy(-row[k], &above[start(k)..start(k + 1)], sum);
            }
            sum[i] = 1.0;
            let pivot = row[i];
            for (to, s) in row.iter_mut().zip(sum) {
                *to = *s / pivot;
            }
        }
    }

    /// `A^-1 = M^T M`, summed over the rows of `M` in order; symmetric by construction.
    fn square_factor(&mut self, scratch: &mut [f64]) {
        for k in 0..self.order {
            let factor = &mut scratch[..=k];
            factor.copy_from_slice(self.row(k));
            for i in 0..k {
                axpy(factor[i], &factor[..=i], self.row_mut(i));
            }
            let last = factor[k];
            for (to, v) in self.row_mut(k).iter_mut().zip(factor) {
                *to = last * *v;
            }
        }
    }

    /// Fails unless the triangle has the length its order asks for and holds finite numbers.
    pub fn check(&self, order: usize) -> Result<()> {
        if self.order != order || self.data.len() != start(order) || self.data.iter().any(|v| !v.is_finite())
        {
            return Err(Error::parse(
                "saved state of a learner",
                "matrix",
                format!("expected {order} finite rows"),
            ));
        }
        Ok(())
    }
}

#[inline(always)]
fn multiply_body<A: Arithmetic>(data: &[f64], x: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    let n = x.len();
    let whole = n - n % ROWS;
    for i in (0..whole).step_by(ROWS) {
        let four: [&[f64]; ROWS] = std::array::from_fn(|r| &data[start(i + r)..start(i + r + 1)]);
        let columns = i - i % 8;
        let factors = std::array::from_fn(|r| x[i + r]);
        let sums = four_rows::<A>(four.map(|row| &row[..columns]), x, &mut out[..columns], factors);
        for r in 0..ROWS {
            one_row::<A>(four[r], columns, sums[r], x, out);
        }
    }
    for i in whole..n {
        one_row::<A>(&data[start(i)..start(i + 1)], 0, 0.0, x, out);
    }
}
multiversion! {
    /// `out = A x` for the packed triangle `data` of `x.len()` rows; `out` is as long as `x`.
    fn multiply(data: &[f64], x: &[f64], out: &mut [f64]) = multiply_body
}

/// Adds `sum_r factor_r row_r` to the result and returns `row_r . x`, over whole groups of eight columns.
#[inline(always)]
fn four_rows<A: Arithmetic>(
    four: [&[f64]; ROWS],
    x: &[f64],
    out: &mut [f64],
    factors: [f64; ROWS],
) -> [f64; ROWS] {
    let [a, b, c, d] = four.map(|row| row.as_chunks::<8>().0);
    let factors = factors.map(A::F64::splat);
    let mut sums = [A::F64::splat(0.0); ROWS];
    for (((((a, b), c), d), x), out) in
        a.iter().zip(b).zip(c).zip(d).zip(x.as_chunks().0).zip(out.as_chunks_mut().0)
    {
        let (x, mut to) = (A::F64::load(x), A::F64::load(out));
        let group = [a, b, c, d];
        for r in 0..ROWS {
            let row = A::F64::load(group[r]);
            sums[r] = row.fma(x, sums[r]);
            to = row.fma(factors[r], to);
        }
        to.store(out);
    }
    sums.map(|sum| {
        let mut s = [0.0; 8];
        sum.store(&mut s);
        ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))
    })
}

/// The rest of a row, from column `from` to the diagonal; `sum` is what the columns before gave.
#[inline(always)]
fn one_row<A: Arithmetic>(row: &[f64], from: usize, sum: f64, x: &[f64], out: &mut [f64]) {
    let i = row.len() - 1;
    let (factor, mut sum) = (x[i], sum);
    for ((v, x), to) in row[from..i].iter().zip(&x[from..i]).zip(&mut out[from..i]) {
        sum = v.fma::<A>(*x, sum);
        *to = v.fma::<A>(factor, *to);
    }
    out[i] += row[i].fma::<A>(factor, sum);
}

#[inline(always)]
fn rank_one_body<A: Arithmetic>(data: &mut [f64], scale: f64, v: &[f64]) {
    let mut rest = data;
    for i in 0..v.len() {
        let (row, tail) = rest.split_at_mut(i + 1);
        let factor = scale * v[i];
        for (to, x) in row.iter_mut().zip(v) {
            *to = factor.fma::<A>(*x, *to);
        }
        rest = tail;
    }
}
multiversion! {
    fn rank_one(data: &mut [f64], scale: f64, v: &[f64]) = rank_one_body
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
        }
    }

    #[test]
    fn removal_keeps_the_others() {
        for r in 0..9 {
            let a = sample(9);
            let mut b = a.clone();
            b.remove(r);
            let kept: Vec<usize> = (0..9).filter(|i| *i != r).collect();
            for (i, &oi) in kept.iter().enumerate() {
                let mut column = vec![0.0; 8];
                b.column(i, &mut column);
                for (j, &oj) in kept.iter().enumerate() {
                    assert_eq!(b.get(i, j), a.get(oi, oj));
                    assert_eq!(column[j], b.get(i, j));
                }
            }
        }
    }

    #[test]
    fn the_inverse_is_one() {
        for n in [1, 2, 5, 17, 60] {
            let a = sample(n);
            let mut q = a.clone();
            assert!(q.invert(&mut vec![0.0; n]));
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
        assert!(!singular.invert(&mut [0.0; 2]));
    }
}
