//! The one hot loop: kernel values of a few rows against packed centres.

use super::centres::LANES;
use super::profile::Form;
use super::{Centres, Evaluator};
use crate::matrix::Real;
use crate::simd::{Arithmetic, Eight, Number, exp, multiversion};

/// Rows compared with a panel at once: 4 x 8 accumulators fill half of the AVX2 registers.
const ROWS: usize = 4;

/// Panels that a single row is compared with at once, so that no sum waits for itself.
const GROUP: usize = 4;

/// Panels whose results stay in the first-level cache between the accumulation and the profile.
pub(super) const TILE_PANELS: usize = 64;

/// Columns of a tile.
pub(super) const TILE: usize = TILE_PANELS * LANES;

/// One step of an accumulation; `c` is the feature's factor, used by the weighted form alone.
trait Step {
    fn step<T: Real, V: Eight<T>>(a: T, b: V, c: T, acc: V) -> V;
}

struct Distance;
struct WeightedDistance;
struct Product;

impl Step for Distance {
    #[inline(always)]
    fn step<T: Real, V: Eight<T>>(a: T, b: V, _: T, acc: V) -> V {
        let d = V::splat(a).sub(b);
        d.fma(d, acc)
    }
}

impl Step for WeightedDistance {
    #[inline(always)]
    fn step<T: Real, V: Eight<T>>(a: T, b: V, c: T, acc: V) -> V {
        let d = V::splat(a).sub(b);
        V::splat(c).mul(d).fma(d, acc)
    }
}

impl Step for Product {
    #[inline(always)]
    fn step<T: Real, V: Eight<T>>(a: T, b: V, _: T, acc: V) -> V {
        V::splat(a).fma(b, acc)
    }
}

/// What becomes of an accumulated value before it is stored.
trait Finish<T> {
    fn finish<V: Number<T>>(&self, s: V) -> V;
}

/// Nothing.
struct AsItIs;

/// `exp(c s)`: the kernel that is used most is worth sparing a second pass.
struct Gaussian<T>(T);

impl<T: Real> Finish<T> for AsItIs {
    #[inline(always)]
    fn finish<V: Number<T>>(&self, s: V) -> V {
        s
    }
}

impl<T: Real> Finish<T> for Gaussian<T> {
    #[inline(always)]
    fn finish<V: Number<T>>(&self, s: V) -> V {
        exp(s.mul(V::splat(self.0)))
    }
}

/// `R` rows, interleaved feature by feature, against one panel.
#[inline(always)]
fn panel<A: Arithmetic, T: Real, S: Step, const R: usize>(
    rows: &[T],
    factors: &[T],
    panel: &[T],
) -> [T::Eight<A>; R] {
    let mut acc = [T::Eight::<A>::splat(T::default()); R];
    let (rows, _) = rows.as_chunks::<R>();
    let (lanes, _) = panel.as_chunks::<LANES>();
    if factors.is_empty() {
        for (a, b) in rows.iter().zip(lanes) {
            let b = T::Eight::<A>::load(b);
            for i in 0..R {
                acc[i] = S::step(a[i], b, T::default(), acc[i]);
            }
        }
    } else {
        for ((a, b), c) in rows.iter().zip(lanes).zip(factors) {
            let b = T::Eight::<A>::load(b);
            for i in 0..R {
                acc[i] = S::step(a[i], b, *c, acc[i]);
            }
        }
    }
    acc
}

/// `R` rows against all panels of a tile; row `i` of the result starts at `out[i * stride]`.
#[inline(always)]
fn tile<A: Arithmetic, T: Real, S: Step, const R: usize>(
    rows: &[T],
    factors: &[T],
    panels: &[T],
    dim: usize,
    columns: usize,
    out: &mut [T],
    stride: usize,
) {
    for (p, data) in panels.chunks_exact(LANES * dim).take(columns.div_ceil(LANES)).enumerate() {
        let acc = panel::<A, T, S, R>(rows, factors, data);
        let start = p * LANES;
        let width = LANES.min(columns - start);
        for i in 0..R {
            acc[i].store_some(&mut out[i * stride + start..i * stride + start + width]);
        }
    }
}

/// One row against a group of panels, of `row.len()` features each.
#[inline(always)]
fn group<A: Arithmetic, T: Real, S: Step>(row: &[T], factors: &[T], panels: &[T]) -> [T::Eight<A>; GROUP] {
    let mut acc = [T::Eight::<A>::splat(T::default()); GROUP];
    let (lanes, dim) = (panels.as_chunks::<LANES>().0, row.len());
    let [first, second, third, fourth] =
        [&lanes[..dim], &lanes[dim..2 * dim], &lanes[2 * dim..3 * dim], &lanes[3 * dim..4 * dim]];
    for k in 0..dim {
        let factor = if factors.is_empty() { T::default() } else { factors[k] };
        for (acc, b) in acc.iter_mut().zip([&first[k], &second[k], &third[k], &fourth[k]]) {
            *acc = S::step(row[k], T::Eight::<A>::load(b), factor, *acc);
        }
    }
    acc
}

/// One row against the first `out.len()` vectors of packed panels.
#[inline(always)]
fn single<A: Arithmetic, T: Real, S: Step>(
    row: &[T],
    factors: &[T],
    panels: &[T],
    out: &mut [T],
    finish: &impl Finish<T>,
) {
    let size = LANES * row.len();
    let (groups, rest) = out.as_chunks_mut::<{ GROUP * LANES }>();
    let (in_groups, after) = panels.split_at(groups.len() * GROUP * size);
    // Odd panels first: one alone has nothing to do while it waits for itself, but the groups behind it have.
    for (to, data) in rest.chunks_mut(LANES).zip(after.chunks_exact(size)) {
        let [acc] = panel::<A, T, S, 1>(row, factors, data);
        finish.finish(acc).store_some(to);
    }
    for (to, panels) in groups.iter_mut().zip(in_groups.chunks_exact(GROUP * size)) {
        let acc = group::<A, T, S>(row, factors, panels);
        for (to, acc) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(acc) {
            finish.finish(acc).store(to);
        }
    }
}

#[inline(always)]
fn fill<A: Arithmetic, T: Real, S: Step>(
    evaluator: &Evaluator<T>,
    factors: &[T],
    rows: &[T],
    dim: usize,
    panels: &[T],
    columns: usize,
    out: &mut [T],
    stride: usize,
    scratch: &mut [T],
) {
    let count = rows.len() / dim;
    let mut done = 0;
    while done + ROWS <= count && scratch.len() >= ROWS * dim {
        let group = &rows[done * dim..(done + ROWS) * dim];
        for (i, row) in group.chunks_exact(dim).enumerate() {
            for (k, v) in row.iter().enumerate() {
                scratch[k * ROWS + i] = *v;
            }
        }
        let to = &mut out[done * stride..];
        tile::<A, T, S, ROWS>(&scratch[..ROWS * dim], factors, panels, dim, columns, to, stride);
        for i in 0..ROWS {
            evaluator.finish::<A>(&mut to[i * stride..i * stride + columns]);
        }
        done += ROWS;
    }
    for i in done..count {
        let to = &mut out[i * stride..i * stride + columns];
        single::<A, T, S>(&rows[i * dim..(i + 1) * dim], factors, panels, to, &AsItIs);
        evaluator.finish::<A>(to);
    }
}

#[inline(always)]
fn block_body<A: Arithmetic, T: Real>(
    evaluator: &Evaluator<T>,
    rows: &[T],
    centres: &Centres<T>,
    first: usize,
    columns: usize,
    out: &mut [T],
    stride: usize,
    scratch: &mut [T],
) {
    let (dim, panels) = (centres.dim(), centres.panels(first / LANES));
    match &evaluator.form {
        Form::Distance => {
            fill::<A, T, Distance>(evaluator, &[], rows, dim, panels, columns, out, stride, scratch)
        }
        Form::WeightedDistance(c) => {
            fill::<A, T, WeightedDistance>(evaluator, c, rows, dim, panels, columns, out, stride, scratch);
        }
        Form::Product => {
            fill::<A, T, Product>(evaluator, &[], rows, dim, panels, columns, out, stride, scratch)
        }
    }
}

#[inline(always)]
fn row_body<A: Arithmetic, T: Real>(evaluator: &Evaluator<T>, x: &[T], panels: &[T], out: &mut [T]) {
    match (&evaluator.form, evaluator.exponent()) {
        (Form::Distance, Some(c)) => return single::<A, T, Distance>(x, &[], panels, out, &Gaussian(c)),
        (Form::WeightedDistance(factors), Some(c)) => {
            return single::<A, T, WeightedDistance>(x, factors, panels, out, &Gaussian(c));
        }
        (Form::Distance, None) => single::<A, T, Distance>(x, &[], panels, out, &AsItIs),
        (Form::WeightedDistance(factors), None) => {
            single::<A, T, WeightedDistance>(x, factors, panels, out, &AsItIs);
        }
        (Form::Product, _) => single::<A, T, Product>(x, &[], panels, out, &AsItIs),
    }
    evaluator.finish::<A>(out);
}
multiversion! {
    /// Kernel values of one row, of as many features as the panels have, against their first `out.len()` vectors.
    pub(super) fn row<T: Real>(evaluator: &Evaluator<T>, x: &[T], panels: &[T], out: &mut [T]) = row_body
}

multiversion! {
    /// Kernel values of `rows` (row-major, `centres.dim()` features) against the centres `first..first + columns`
    /// (`first` a multiple of [`LANES`]); row `i` of the result starts at `out[i * stride]`. `scratch` holds
    /// [`scratch_len`] numbers; with less, rows are taken one at a time.
    pub(super) fn block<T: Real>(
        evaluator: &Evaluator<T>,
        rows: &[T],
        centres: &Centres<T>,
        first: usize,
        columns: usize,
        out: &mut [T],
        stride: usize,
        scratch: &mut [T],
    ) = block_body
}

/// Room that [`block`] wants for interleaving rows.
pub(super) fn scratch_len(dim: usize) -> usize {
    ROWS * dim
}
