//! The inverse Cholesky factor `R` of a matrix `A = L L^T`: `R = L^-1`, lower triangular, `A^-1 = R^T R`.
//!
//! A product with `R` reads as many numbers as one with the symmetric inverse, but does half the
//! multiplications. It is bound by the cache it reads from, so sweeps go to and fro: what the last one read at
//! its end is still near. The panels of the result do not depend on each other, hence not on the direction.

use super::lower::{Line, Lower, SIDE};
use super::packed::Packed;
use super::tiles::{HALF, Sums, Tile, close_gap, combined, load, splats};
use super::triangle;
use crate::error::{Error, Result};
use crate::simd::{Arithmetic, Eight, Number, multiversion};
use serde::{Deserialize, Serialize};

/// An inverse Cholesky factor.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Root {
    lower: Lower,
    /// Scratch: rows for a factorisation, or the one that leaves.
    #[serde(skip)]
    rows: Vec<f64>,
    #[serde(skip)]
    turns: Vec<Turn>,
}

/// What the removal of a row does to a row behind it: `keep row - shift sum`, with `sum` the sum of `ratio row` over
/// the rows before it. Rows that stay as they are have the default.
#[derive(Clone, Copy, Debug)]
struct Turn {
    keep: f64,
    shift: f64,
    ratio: f64,
}

impl Default for Turn {
    fn default() -> Self {
        Self { keep: 1.0, shift: 0.0, ratio: 0.0 }
    }
}

impl Root {
    /// Bytes of the triangle.
    pub fn memory_bytes(&self) -> usize {
        self.lower.memory_bytes()
    }

    /// Writes `z = R k`, for which there may be more room than needed; returns `|z|^2` and `z . w`.
    pub fn coordinates(&self, k: &[f64], w: &[f64], z: &mut [f64], backwards: bool) -> [f64; 2] {
        let n = self.lower.order;
        coordinates(&self.lower.lines, &k[..n], &w[..n], z, backwards)
    }

    /// Writes the coordinates of two vectors, the same to the last bit: the triangle is read once.
    pub fn coordinates_of_two(&self, k: [&[f64]; 2], z: [&mut [f64]; 2], backwards: bool) {
        let n = self.lower.order;
        coordinates_of_two(&self.lower.lines, k.map(|k| &k[..n]), z, backwards);
    }

    /// `out = R^T z`.
    pub fn transposed(&self, z: &[f64], out: &mut [f64]) {
        let n = self.lower.order;
        transposed(&self.lower.lines, &z[..n], &mut out[..n]);
    }

    /// Follows `A` as it grows by a row: with `nu = A^-1 a` of the new column `a` and `s = a_nn - a . nu` the new
    /// row is `(-nu, 1) / sqrt(s)`.
    pub fn push(&mut self, nu: &[f64], s: f64) {
        let scale = 1.0 / s.sqrt();
        self.lower.push(&nu[..self.lower.order], -scale, scale);
    }

    /// Follows `A` as it loses row and column `r`, and turns the vector `w` along.
    ///
    /// Rotations of two rows leave `R^T R` as it is. Those that move column `r` from row to row into the last one fill
    /// each row by one place beyond its diagonal, where the missing column makes room; the last row then holds all
    /// that `r` adds to the inverse, `q q^T / Q_rr`, and is dropped. Being orthogonal they lose no digits, however
    /// close vector `r` is to the span of the others.
    ///
    /// What is carried from row to row need not be rotated: with `rho_i = R_ir / R_rr` and `t_i` the sum of `rho^2`
    /// from row `r` to row `i` it is `sum rho row / sqrt(t_i)`, so that row `i` becomes
    /// `sqrt(t_(i-1) / t_i) row_i - rho_i / sqrt(t_i t_(i-1)) sum_(l<i) rho_l row_l`.
    pub fn remove(&mut self, r: usize, w: &mut Vec<f64>) {
        let Self { lower, rows, turns } = self;
        let (n, room) = (lower.order, lower.panels() * SIDE);
        turns.clear();
        turns.resize(room, Turn::default());
        let (own, mut t, mut sum) = (lower.get(r, r), 1.0, w[r]);
        for i in r + 1..n {
            let ratio = lower.get(i, r) / own;
            let (before, after) = (t, t + ratio * ratio);
            let turn = Turn { keep: (before / after).sqrt(), shift: ratio / (before * after).sqrt(), ratio };
            w[i - 1] = turn.keep * w[i] - turn.shift * sum;
            sum += ratio * w[i];
            t = after;
            turns[i - 1] = turn;
        }
        w.truncate(n - 1);
        rows.clear();
        rows.extend((0..r).map(|j| lower.get(r, j)));
        rows.resize(room, 0.0);
        close_gap(&mut lower.lines, r, n);
        lower.pop();
        rotate(&mut lower.lines, r, turns, rows);
    }

    /// Becomes the inverse factor of `A + jitter I`. False, and nothing changed, when that is not positive definite
    /// to working precision. `O(n^3)`.
    pub fn assign(&mut self, a: &Packed, jitter: f64) -> bool {
        let n = self.lower.order;
        a.write_rows(&mut self.rows);
        (0..n).for_each(|i| self.rows[triangle::start(i) + i] += jitter);
        let regular = triangle::invert_root(&mut self.rows, n);
        if regular {
            self.lower.read_rows(&self.rows);
        }
        regular
    }

    /// Becomes diagonal.
    pub fn set_diagonal(&mut self, value: impl Fn(usize) -> f64) {
        self.lower.lines.fill(Line::default());
        (0..self.lower.order).for_each(|i| *self.lower.diagonal_mut(i) = value(i));
    }

    /// Fails unless the factor is of the given order and holds finite numbers, positive ones on the diagonal.
    pub fn check(&self, order: usize) -> Result<()> {
        self.lower.check(order)?;
        if (0..order).any(|i| self.lower.get(i, i) <= 0.0) {
            return Err(Error::parse("saved state of a learner", "matrix", "its diagonal is not positive"));
        }
        Ok(())
    }
}

/// The products of the first `R` rows of a panel with `S` vectors, of which the last eight numbers are `own`.
#[inline(always)]
fn panel_rows<A: Arithmetic, const R: usize, const S: usize>(
    panel: &[Tile],
    x: [&[[f64; SIDE]]; S],
    own: [A::F64; S],
) -> [A::F64; S] {
    let mut sums = [Sums::<A, R>::new(); S];
    let before = panel.len() - 1;
    let x = x.map(|x| &x[..before]);
    for (q, tile) in panel[..before].iter().enumerate() {
        let rows = load::<A, R>(tile);
        for s in 0..S {
            sums[s].add(rows, A::F64::load(&x[s][q]));
        }
    }
    let rows = load::<A, R>(&panel[before]);
    for s in 0..S {
        sums[s].add(rows, own[s]);
    }
    sums.map(Sums::finish)
}

/// `z = R k` for `S` vectors.
#[inline(always)]
fn sweep<A: Arithmetic, const S: usize>(lines: &[Line], k: [&[f64]; S], z: [&mut [f64]; S], backwards: bool) {
    let tiles: &[Tile] = lines.as_chunks().0;
    let (n, whole) = (k[0].len(), k.map(|k| k.as_chunks().0));
    let panels = n.div_ceil(SIDE);
    for turn in 0..panels {
        let p = if backwards { panels - 1 - turn } else { turn };
        let Some(panel) = tiles.get(p * (p + 1) / 2..(p + 1) * (p + 2) / 2) else { return };
        let own = k.map(|k| A::F64::load_some(&k[p * SIDE..]));
        let rows = if n - p * SIDE > HALF {
            panel_rows::<A, SIDE, S>(panel, whole, own)
        } else {
            panel_rows::<A, HALF, S>(panel, whole, own)
        };
        for s in 0..S {
            rows[s].store_some(&mut z[s][p * SIDE..]);
        }
    }
}

#[inline(always)]
fn coordinates_body<A: Arithmetic>(
    lines: &[Line],
    k: &[f64],
    w: &[f64],
    z: &mut [f64],
    backwards: bool,
) -> [f64; 2] {
    sweep::<A, 1>(lines, [k], [z], backwards);
    measure_body::<A>(z, w)
}
multiversion! {
    /// `z = R k`, `|z|^2` and `z . w`; `k` and `w` are as long as the order and `z` no shorter. In the last panel of
    /// `z` zeros follow, if there is room.
    fn coordinates(lines: &[Line], k: &[f64], w: &[f64], z: &mut [f64], backwards: bool) -> [f64; 2] = coordinates_body
}

#[inline(always)]
fn coordinates_of_two_body<A: Arithmetic>(
    lines: &[Line],
    k: [&[f64]; 2],
    z: [&mut [f64]; 2],
    backwards: bool,
) {
    sweep::<A, 2>(lines, k, z, backwards);
}
multiversion! {
    /// `z = R k` for two vectors.
    fn coordinates_of_two(lines: &[Line], k: [&[f64]; 2], z: [&mut [f64]; 2], backwards: bool) = coordinates_of_two_body
}

#[inline(always)]
fn measure_body<A: Arithmetic>(z: &[f64], w: &[f64]) -> [f64; 2] {
    let zero = A::F64::splat(0.0);
    let (mut squares, mut products) = (zero, zero);
    for (z, w) in z.chunks(SIDE).zip(w.chunks(SIDE)) {
        let z = A::F64::load_some(z);
        squares = z.fma(z, squares);
        products = z.fma(A::F64::load_some(w), products);
    }
    let mut sums = [0.0; SIDE];
    A::F64::sums([squares, products, zero, zero, zero, zero, zero, zero]).store(&mut sums);
    [sums[0], sums[1]]
}
multiversion! {
    /// `|z|^2` and `z . w`. Beyond the end of `w`, `z` may hold the zeros that make its last eight numbers whole.
    pub(super) fn measure(z: &[f64], w: &[f64]) -> [f64; 2] = measure_body
}

#[inline(always)]
fn transposed_body<A: Arithmetic>(lines: &[Line], z: &[f64], out: &mut [f64]) {
    let mut tiles: &[Tile] = lines.as_chunks().0;
    out.fill(0.0);
    for p in 0..z.len().div_ceil(SIDE) {
        let Some((panel, rest)) = tiles.split_at_checked(p + 1) else { return };
        let factors = splats::<A, SIDE>(A::F64::load_some(&z[p * SIDE..]));
        for (q, tile) in panel.iter().enumerate() {
            let to = &mut out[q * SIDE..];
            let before = A::F64::load_some(to);
            combined::<A, SIDE>(load::<A, SIDE>(tile), &factors, before).store_some(to);
        }
        tiles = rest;
    }
}
multiversion! {
    /// `out = R^T z`; both are as long as the order.
    fn transposed(lines: &[Line], z: &[f64], out: &mut [f64]) = transposed_body
}

#[inline(always)]
fn rotate_body<A: Arithmetic>(lines: &mut [Line], r: usize, turns: &[Turn], row: &[f64]) {
    let tiles: &mut [Tile] = lines.as_chunks_mut().0;
    let (turns, row): (&[[Turn; SIDE]], &[[f64; SIDE]]) = (turns.as_chunks().0, row.as_chunks().0);
    for (q, first) in row.iter().enumerate() {
        let mut sum = A::F64::load(first);
        for (p, turns) in turns.iter().enumerate().skip(q.max(r / SIDE)) {
            let Some(tile) = tiles.get_mut(p * (p + 1) / 2 + q) else { break };
            for (line, turn) in tile.iter_mut().zip(turns) {
                let own = A::F64::load(&line.0);
                let kept = A::F64::splat(turn.keep).mul(own);
                A::F64::splat(-turn.shift).fma(sum, kept).store(&mut line.0);
                sum = A::F64::splat(turn.ratio).fma(own, sum);
            }
        }
    }
}
multiversion! {
    /// Turns the rows from `r` on, given the row before them and for each of them what happens to it. As many turns and
    /// numbers as fill the panels.
    fn rotate(lines: &mut [Line], r: usize, turns: &[Turn], row: &[f64]) = rotate_body
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A well-conditioned matrix of order `n` without row and column `without`, and its inverse factor.
    fn sample(n: usize, without: Option<usize>) -> (Packed, Root) {
        let (mut a, mut root) = (Packed::default(), Root::default());
        let rows: Vec<usize> = (0..n).filter(|i| Some(*i) != without).collect();
        for (at, &i) in rows.iter().enumerate() {
            let off: Vec<f64> = rows[..at].iter().map(|&j| ((i * 7 + j * 13) as f64).sin() * 0.3).collect();
            a.push(&off, 2.0 + n as f64 * 0.3);
            root.lower.push(&[], 1.0, 1.0);
        }
        assert!(root.assign(&a, 0.0));
        (a, root)
    }

    fn wave(n: usize) -> Vec<f64> {
        (0..n).map(|i| (i as f64 * 0.9).cos()).collect()
    }

    fn assert_close(got: &[f64], want: &[f64], tolerance: f64) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= tolerance, "{got} and {want}");
        }
    }

    fn assert_same(got: &Root, want: &Root) {
        got.check(want.lower.order).unwrap();
        for (got, want) in got.lower.lines.iter().zip(&want.lower.lines) {
            assert_close(&got.0, &want.0, 1e-14);
        }
    }

    #[test]
    fn products_agree_with_the_definition() {
        for n in 0..40 {
            let (a, root) = sample(n, None);
            let (k, w) = (wave(n), wave(2 * n)[n..].to_vec());
            let element = |i: usize, j: usize| if j <= i { root.lower.get(i, j) } else { 0.0 };
            let want: Vec<f64> = (0..n).map(|i| (0..n).map(|j| element(i, j) * k[j]).sum()).collect();
            let (mut z, mut back, mut of_w) = (vec![f64::NAN; n], vec![f64::NAN; n], vec![f64::NAN; n]);
            let sums = root.coordinates(&k, &w, &mut z, false);
            assert_close(&z, &want, 1e-14);
            let sum = |b: &[f64]| -> f64 { z.iter().zip(b).map(|(a, b)| a * b).sum() };
            assert_close(&sums, &[sum(&z), sum(&w)], 1e-13);
            assert_eq!(measure(&z, &w), sums);
            assert_eq!(root.coordinates(&k, &w, &mut back, true), sums);
            assert_eq!(back, z);
            back.fill(f64::NAN);
            root.coordinates_of_two([&w, &k], [&mut of_w, &mut back], true);
            assert_eq!(back, z);
            root.coordinates(&w, &k, &mut back, false);
            assert_eq!(back, of_w);
            // R^T R k is the solution.
            let (mut nu, mut product) = (vec![f64::NAN; n], vec![0.0; n]);
            root.transposed(&z, &mut nu);
            a.multiply(&nu, &mut product);
            assert_close(&product, &k, 1e-13);
        }
    }

    #[test]
    fn growing_and_removing_agree_with_a_factorisation() {
        for n in 1..30 {
            let (a, root) = sample(n, None);
            let mut grown = Root::default();
            for i in 0..n {
                let off: Vec<f64> = (0..i).map(|j| a.get(i, j)).collect();
                let (mut z, mut nu) = (vec![0.0; i], vec![0.0; i]);
                let [squares, _] = grown.coordinates(&off, &off, &mut z, false);
                grown.transposed(&z, &mut nu);
                grown.push(&nu, a.get(i, i) - squares);
            }
            assert_same(&grown, &root);
            for r in 0..n {
                let (kept, want) = sample(n, Some(r));
                let (mut got, mut w) = (root.clone(), wave(n));
                got.remove(r, &mut w);
                assert_same(&got, &want);
                // The turned vector is the orthogonal projection: the values at the vectors that stay, A alpha with
                // alpha = R^T w, are the same.
                let (mut before, mut after) = (vec![0.0; n], vec![0.0; n - 1]);
                root.transposed(&wave(n), &mut before);
                got.transposed(&w, &mut after);
                let (mut values, mut left) = (vec![0.0; n], vec![0.0; n - 1]);
                a.multiply(&before, &mut values);
                kept.multiply(&after, &mut left);
                values.remove(r);
                assert_close(&left, &values, 1e-12);
            }
        }
    }
}
