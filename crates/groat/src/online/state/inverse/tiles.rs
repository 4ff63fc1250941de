//! Sweeps over the tiles of a packed symmetric matrix.
//!
//! A product reads each tile once and uses it twice, for its rows and for its columns: eight sums over the
//! columns stay in registers along a panel, one sum over the rows along a tile.

use super::lower::{Line, SIDE, line};
use crate::simd::{Arithmetic, Eight, Number, multiversion};

pub(super) type Tile = [Line; SIDE];

/// Rows of a last panel that is half empty.
pub(super) const HALF: usize = SIDE / 2;

/// One register for each of the first `R` of eight numbers.
#[inline(always)]
pub(super) fn splats<A: Arithmetic, const R: usize>(eight: A::F64) -> [A::F64; R] {
    let mut numbers = [0.0; SIDE];
    eight.store(&mut numbers);
    let mut registers = [A::F64::splat(0.0); R];
    for r in 0..R {
        registers[r] = A::F64::splat(numbers[r]);
    }
    registers
}

/// The first `R` rows of a tile.
#[inline(always)]
pub(super) fn load<A: Arithmetic, const R: usize>(tile: &Tile) -> [A::F64; R] {
    let mut rows = [A::F64::splat(0.0); R];
    for r in 0..R {
        rows[r] = A::F64::load(&tile[r].0);
    }
    rows
}

/// `before + sum_r factor_r row_r`.
#[inline(always)]
pub(super) fn combined<A: Arithmetic, const R: usize>(
    rows: [A::F64; R],
    factors: &[A::F64; R],
    before: A::F64,
) -> A::F64 {
    // Two sums, because one would wait for itself at every row.
    let mut to = [before, A::F64::splat(0.0)];
    for r in 0..R {
        to[r % 2] = rows[r].fma(factors[r], to[r % 2]);
    }
    to[0].add(to[1])
}

/// The products of `R` rows with a vector, tile by tile.
#[derive(Clone, Copy)]
pub(super) struct Sums<A: Arithmetic, const R: usize>([A::F64; R]);

impl<A: Arithmetic, const R: usize> Sums<A, R> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([A::F64::splat(0.0); R])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, rows: [A::F64; R], x: A::F64) {
        for r in 0..R {
            self.0[r] = rows[r].fma(x, self.0[r]);
        }
    }

    #[inline(always)]
    pub(super) fn finish(self) -> A::F64 {
        let mut eight = [A::F64::splat(0.0); SIDE];
        eight[..R].copy_from_slice(&self.0);
        A::F64::sums(eight)
    }
}

/// The share of one panel, of which `R` rows are in use, in a product: adds to the results of the panels before
/// it and returns its own.
#[inline(always)]
fn panel_product<A: Arithmetic, const R: usize>(
    panel: &[Tile],
    x: &[[f64; SIDE]],
    own: A::F64,
    out: &mut [[f64; SIDE]],
) -> A::F64 {
    let factors = splats::<A, R>(own);
    let mut sums = Sums::<A, R>::new();
    for ((tile, x), to) in panel.iter().zip(x).zip(out) {
        let rows = load::<A, R>(tile);
        sums.add(rows, A::F64::load(x));
        combined::<A, R>(rows, &factors, A::F64::load(to)).store(to);
    }
    // The tile on the diagonal is whole.
    sums.add(load::<A, R>(&panel[panel.len() - 1]), own);
    sums.finish()
}

#[inline(always)]
fn multiply_body<A: Arithmetic>(lines: &[Line], x: &[f64], out: &mut [f64]) {
    let mut tiles: &[Tile] = lines.as_chunks().0;
    let whole: &[[f64; SIDE]] = x.as_chunks().0;
    for p in 0..x.len().div_ceil(SIDE) {
        let Some((panel, rest)) = tiles.split_at_checked(p + 1) else { return };
        let (own, before) = (A::F64::load_some(&x[p * SIDE..]), out.as_chunks_mut().0);
        let sums = if x.len() - p * SIDE > HALF {
            panel_product::<A, SIDE>(panel, &whole[..p], own, before)
        } else {
            panel_product::<A, HALF>(panel, &whole[..p], own, before)
        };
        sums.store_some(&mut out[p * SIDE..]);
        tiles = rest;
    }
}
multiversion! {
    /// `out = A x`; `x` is as long as the order and `out` no shorter. In the last panel zeros follow, if there is room.
    pub(super) fn multiply(lines: &[Line], x: &[f64], out: &mut [f64]) = multiply_body
}

#[inline(always)]
fn rank_one_body<A: Arithmetic>(lines: &mut [Line], scale: f64, v: &[f64]) {
    let mut tiles: &mut [Tile] = lines.as_chunks_mut().0;
    // As sign u u^T with u = sqrt(|scale|) v: u_i u_j and u_j u_i are the same number, so that a tile on the
    // diagonal stays symmetric to the last bit.
    let (sign, root) = (1f64.copysign(scale), scale.abs().sqrt());
    for p in 0..v.len().div_ceil(SIDE) {
        let Some((panel, rest)) = tiles.split_at_mut_checked(p + 1) else { return };
        let own = A::F64::splat(root).mul(A::F64::load_some(&v[p * SIDE..]));
        let factors = splats::<A, SIDE>(A::F64::splat(sign).mul(own));
        for (q, tile) in panel.iter_mut().enumerate() {
            let columns = A::F64::splat(root).mul(A::F64::load_some(&v[q * SIDE..]));
            for r in 0..SIDE {
                factors[r].fma(columns, A::F64::load(&tile[r].0)).store(&mut tile[r].0);
            }
        }
        tiles = rest;
    }
}
multiversion! {
    /// `A += scale v v^T`; `v` is as long as the order.
    pub(super) fn rank_one(lines: &mut [Line], scale: f64, v: &[f64]) = rank_one_body
}

/// One panel of [`combine`], `w p^T + p w^T` included if `PAIR`.
#[inline(always)]
fn combine_panel<A: Arithmetic, const PAIR: bool>(
    panel: &mut [Tile],
    own: A::F64,
    signed: [f64; 2],
    v: &[f64],
    w: &[f64],
    p: &[f64],
) {
    let at = (panel.len() - 1) * SIDE;
    let [sign, root] = signed.map(A::F64::splat);
    let factors = splats::<A, SIDE>(sign.mul(root.mul(A::F64::load_some(&v[at..]))));
    let (mut by_w, mut by_p) = ([own; SIDE], [own; SIDE]);
    if PAIR {
        (by_w, by_p) =
            (splats::<A, SIDE>(A::F64::load_some(&w[at..])), splats::<A, SIDE>(A::F64::load_some(&p[at..])));
    }
    for (q, tile) in panel.iter_mut().enumerate() {
        let columns = root.mul(A::F64::load_some(&v[q * SIDE..]));
        let (mut of_w, mut of_p) = (columns, columns);
        if PAIR {
            (of_w, of_p) = (A::F64::load_some(&w[q * SIDE..]), A::F64::load_some(&p[q * SIDE..]));
        }
        for r in 0..SIDE {
            let mut row = factors[r].fma(columns, own.mul(A::F64::load(&tile[r].0)));
            if PAIR {
                // Two products and their sum are the same numbers for (i, j) and (j, i); a multiply-add is not.
                row = row.add(by_w[r].mul(of_p).add(by_p[r].mul(of_w)));
            }
            row.store(&mut tile[r].0);
        }
    }
}

#[inline(always)]
fn combine_body<A: Arithmetic>(
    lines: &mut [Line],
    own: f64,
    scale: f64,
    v: &[f64],
    pair: Option<(&[f64], &[f64])>,
) {
    let mut tiles: &mut [Tile] = lines.as_chunks_mut().0;
    // As sign u u^T, for the symmetry of the tiles on the diagonal.
    let (own, signed) = (A::F64::splat(own), [1f64.copysign(scale), scale.abs().sqrt()]);
    for panels in 1..=v.len().div_ceil(SIDE) {
        let Some((panel, rest)) = tiles.split_at_mut_checked(panels) else { return };
        match pair {
            Some((w, p)) => combine_panel::<A, true>(panel, own, signed, v, w, p),
            None => combine_panel::<A, false>(panel, own, signed, v, &[], &[]),
        }
        tiles = rest;
    }
}
multiversion! {
    /// `A <- own A + scale v v^T + w p^T + p w^T`, the last two for a pair `(w, p)`; vectors are as long as the order.
    pub(super) fn combine(lines: &mut [Line], own: f64, scale: f64, v: &[f64], pair: Option<(&[f64], &[f64])>) = combine_body
}

#[inline(always)]
fn write_row_body<A: Arithmetic>(panel: &mut [Line], row: usize, factor: f64, v: &[f64]) {
    let (tiles, factor): (&mut [Tile], _) = (panel.as_chunks_mut().0, A::F64::splat(factor));
    let whole: &[[f64; SIDE]] = v.as_chunks().0;
    for (tile, v) in tiles.iter_mut().zip(whole) {
        factor.mul(A::F64::load(v)).store(&mut tile[row].0);
    }
    if let Some(tile) = tiles.get_mut(whole.len()) {
        factor.mul(A::F64::load_some(&v[whole.len() * SIDE..])).store(&mut tile[row].0);
    }
}
multiversion! {
    /// Row `row` of a panel, below 8, becomes `factor v`, filled up with zeros.
    pub(super) fn write_row(panel: &mut [Line], row: usize, factor: f64, v: &[f64]) = write_row_body
}

#[inline(always)]
fn close_gap_body<A: Arithmetic>(lines: &mut [Line], r: usize, order: usize) {
    let (first, within) = (r / SIDE, r % SIDE);
    for i in r + 1..order {
        for q in 0..first {
            lines[line(i - 1, q)] = lines[line(i, q)];
        }
        for q in first..=(i - 1) / SIDE {
            let old = lines[line(i, q)].0;
            let next = if q < i / SIDE { lines[line(i, q + 1)].0[0] } else { 0.0 };
            let mut new = [old[1], old[2], old[3], old[4], old[5], old[6], old[7], next];
            if q == first {
                for l in 0..SIDE {
                    new[l] = if l < within { old[l] } else { new[l] };
                }
            }
            lines[line(i - 1, q)].0 = new;
        }
    }
}
multiversion! {
    /// Moves the rows behind `r` up by one and the columns behind it to the left; tiles on the diagonal are right only
    /// up to it. The last row is left as it was.
    pub(super) fn close_gap(lines: &mut [Line], r: usize, order: usize) = close_gap_body
}

/// `tile -= own^T columns` in the first `R` rows.
#[inline(always)]
fn subtract_tile<A: Arithmetic, const R: usize>(tile: &mut Tile, own: &Tile, columns: &Tile) {
    let mut rows = load::<A, R>(tile);
    for (factors, columns) in own.iter().zip(columns) {
        let columns = A::F64::splat(-1.0).mul(A::F64::load(&columns.0));
        for r in 0..R {
            rows[r] = A::F64::splat(factors.0[r]).fma(columns, rows[r]);
        }
    }
    for r in 0..R {
        rows[r].store(&mut tile[r].0);
    }
}

#[inline(always)]
fn subtract_squares_body<A: Arithmetic>(lines: &mut [Line], terms: &[Line], order: usize) {
    let mut tiles: &mut [Tile] = lines.as_chunks_mut().0;
    let terms: &[Tile] = terms.as_chunks().0;
    for (p, own) in terms.iter().enumerate() {
        let Some((panel, rest)) = tiles.split_at_mut_checked(p + 1) else { return };
        if order - p * SIDE > HALF {
            for (tile, columns) in panel.iter_mut().zip(terms) {
                subtract_tile::<A, SIDE>(tile, own, columns);
            }
        } else {
            for (tile, columns) in panel.iter_mut().zip(terms) {
                subtract_tile::<A, HALF>(tile, own, columns);
            }
        }
        tiles = rest;
    }
}
multiversion! {
    /// `A -= U^T U` for eight rows `U`, given as a panel; one sweep for all of them.
    pub(super) fn subtract_squares(lines: &mut [Line], terms: &[Line], order: usize) = subtract_squares_body
}

#[inline(always)]
fn subtract_products_body<A: Arithmetic>(terms: &[Line], x: &[f64], out: &mut [f64]) {
    let terms: &[Tile] = terms.as_chunks().0;
    let whole: &[[f64; SIDE]] = x.as_chunks().0;
    let (tiles, rest) = terms.split_at(whole.len().min(terms.len()));
    let mut sums = Sums::<A, SIDE>::new();
    for (tile, x) in tiles.iter().zip(whole) {
        sums.add(load::<A, SIDE>(tile), A::F64::load(x));
    }
    if let Some(tile) = rest.first() {
        sums.add(load::<A, SIDE>(tile), A::F64::load_some(&x[whole.len() * SIDE..]));
    }
    let factors = splats::<A, SIDE>(A::F64::splat(-1.0).mul(sums.finish()));
    for (tile, to) in tiles.iter().zip(out.as_chunks_mut().0) {
        combined::<A, SIDE>(load::<A, SIDE>(tile), &factors, A::F64::load(to)).store(to);
    }
    if let Some(tile) = rest.first() {
        let to = &mut out[whole.len() * SIDE..];
        let before = A::F64::load_some(to);
        combined::<A, SIDE>(load::<A, SIDE>(tile), &factors, before).store_some(to);
    }
}
multiversion! {
    /// `out -= U^T U x` for eight rows `U`, given as a panel; `out` is no shorter than `x`.
    pub(super) fn subtract_products(terms: &[Line], x: &[f64], out: &mut [f64]) = subtract_products_body
}
