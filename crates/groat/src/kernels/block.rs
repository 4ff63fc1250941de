//! The one hot loop: kernel values of a few rows against packed centres.

use super::centres::LANES;
use super::profile::Form;
use super::{Centres, Evaluator};
use crate::matrix::Real;
use crate::simd::{Arithmetic, multiversion};

/// Rows compared with a panel at once: 4 x 8 accumulators fill half of the AVX2 registers.
const ROWS: usize = 4;

/// Panels whose results stay in the first-level cache between the accumulation and the profile.
pub(super) const TILE_PANELS: usize = 64;

/// Columns of a tile.
pub(super) const TILE: usize = TILE_PANELS * LANES;

/// One step of an accumulation; `c` is the feature's factor, used by the weighted form alone.
trait Step {
    fn step<A: Arithmetic, T: Real>(a: T, b: T, c: T, acc: T) -> T;
}

struct Distance;
struct WeightedDistance;
struct Product;

impl Step for Distance {
    #[inline(always)]
    fn step<A: Arithmetic, T: Real>(a: T, b: T, _: T, acc: T) -> T {
        let d = a - b;
        d.fma::<A>(d, acc)
    }
}

impl Step for WeightedDistance {
    #[inline(always)]
    fn step<A: Arithmetic, T: Real>(a: T, b: T, c: T, acc: T) -> T {
        let d = a - b;
        (c * d).fma::<A>(d, acc)
    }
}

impl Step for Product {
    #[inline(always)]
    fn step<A: Arithmetic, T: Real>(a: T, b: T, _: T, acc: T) -> T {
        a.fma::<A>(b, acc)
    }
}

/// `R` rows, interleaved feature by feature, against one panel.
#[inline(always)]
fn panel<A: Arithmetic, T: Real, S: Step, const R: usize>(
    rows: &[T],
    factors: &[T],
    panel: &[T],
) -> [[T; LANES]; R] {
    let mut acc = [[T::default(); LANES]; R];
    let (rows, _) = rows.as_chunks::<R>();
    let (lanes, _) = panel.as_chunks::<LANES>();
    if factors.is_empty() {
        for (a, b) in rows.iter().zip(lanes) {
            for i in 0..R {
                for l in 0..LANES {
                    acc[i][l] = S::step::<A, T>(a[i], b[l], a[i], acc[i][l]);
                }
            }
        }
    } else {
        for ((a, b), c) in rows.iter().zip(lanes).zip(factors) {
            for i in 0..R {
                for l in 0..LANES {
                    acc[i][l] = S::step::<A, T>(a[i], b[l], *c, acc[i][l]);
                }
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
            let to = &mut out[i * stride + start..i * stride + start + width];
            if width == LANES {
                to.copy_from_slice(&acc[i]);
            } else {
                to.copy_from_slice(&acc[i][..width]);
            }
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
        tile::<A, T, S, 1>(&rows[i * dim..(i + 1) * dim], factors, panels, dim, columns, to, stride);
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
