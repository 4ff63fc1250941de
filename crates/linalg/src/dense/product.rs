//! Threaded products over a partition that depends on the sizes alone.
//!
//! The result is cut into tiles, each computed by one sequential product. A small result of a long sum
//! (`X^T X` with a million rows) has too few tiles to keep threads busy; then the *sum* is cut into
//! fixed pieces, whose partial results are added in order.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::view::{View, ViewMut};
use crate::error::{Result, check_len};

/// Side of a result tile. Large enough that packing inside faer is amortised.
const TILE: usize = 256;
/// Below this many multiplications threads cost more than they bring.
const SMALL: usize = 1 << 16;
/// Length of a piece of the sum when the result is small.
const PIECE: usize = 4096;
/// At most this many partial results are held at once.
const MAX_PIECES: usize = 64;

/// Whether a product replaces its target or is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// The old content is not read.
    Replace,
    /// The product is added.
    Add,
}

/// `out = alpha a b` or `out += alpha a b`.
///
/// ```
/// use groat_linalg::{View, ViewMut, Write, product};
/// let a = [1.0, 2.0, 3.0, 4.0];
/// let mut out = [0.0; 4];
/// let view = View::row_major(&a, 2, 2)?;
/// product(1.0, view, view.t(), Write::Replace, ViewMut::row_major(&mut out, 2, 2)?)?;
/// assert_eq!(out, [5.0, 11.0, 11.0, 25.0]);
/// # Ok::<(), groat_linalg::Error>(())
/// ```
pub fn product(alpha: f64, a: View<'_>, b: View<'_>, write: Write, out: ViewMut<'_>) -> Result<()> {
    let out = out.faer();
    check_len("inner size of a product", a.cols(), b.rows())?;
    check_len("rows of a product", a.rows(), out.nrows())?;
    check_len("columns of a product", b.cols(), out.ncols())?;
    product_faer(alpha, a.faer(), b.faer(), write, out);
    Ok(())
}

pub(crate) fn product_faer(
    alpha: f64,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    write: Write,
    mut out: MatMut<'_, f64>,
) {
    let (m, n, k) = (a.nrows(), b.ncols(), a.ncols());
    let accum = match write {
        Write::Replace => Accum::Replace,
        Write::Add => Accum::Add,
    };
    if m.saturating_mul(n).saturating_mul(k) <= SMALL {
        return matmul(out, accum, a, b, alpha, Par::Seq);
    }
    if k >= 2 * PIECE && m.div_ceil(TILE) * n.div_ceil(TILE) < 8 {
        if write == Write::Replace {
            out.fill(0.0);
        }
        let piece = PIECE.max(k.div_ceil(MAX_PIECES));
        let parts: Vec<Mat<f64>> = (0..k.div_ceil(piece))
            .into_par_iter()
            .map(|p| {
                let (from, len) = (p * piece, piece.min(k - p * piece));
                let mut part = Mat::zeros(m, n);
                matmul(
                    part.as_mut(),
                    Accum::Replace,
                    a.subcols(from, len),
                    b.subrows(from, len),
                    alpha,
                    Par::Seq,
                );
                part
            })
            .collect();
        for part in &parts {
            out += part;
        }
        return;
    }
    tiles(out).into_par_iter().with_max_len(1).for_each(|tile| {
        let lhs = a.subrows(tile.row, tile.part.nrows());
        let rhs = b.subcols(tile.col, tile.part.ncols());
        matmul(tile.part, accum, lhs, rhs, alpha, Par::Seq);
    });
}

/// A piece of a larger matrix and where it begins.
pub(crate) struct Tile<'a> {
    pub(crate) row: usize,
    pub(crate) col: usize,
    pub(crate) part: MatMut<'a, f64>,
}

/// Cuts a matrix into tiles of at most `TILE x TILE`.
fn tiles(out: MatMut<'_, f64>) -> Vec<Tile<'_>> {
    let mut all = Vec::new();
    for_column_strips(out, |col, strip| row_tiles(strip, 0, col, &mut all));
    all
}

/// Cuts the lower triangle (with the whole diagonal tiles, which are square) of a matrix into tiles.
pub(crate) fn lower_tiles(out: MatMut<'_, f64>) -> Vec<Tile<'_>> {
    let mut all = Vec::new();
    for_column_strips(out, |col, strip| {
        let width = strip.ncols();
        let (part, below) = strip.split_at_row_mut(col).1.split_at_row_mut(width);
        all.push(Tile { row: col, col, part });
        row_tiles(below, col + width, col, &mut all);
    });
    all
}

fn for_column_strips<'a>(mut rest: MatMut<'a, f64>, mut take: impl FnMut(usize, MatMut<'a, f64>)) {
    let mut col = 0;
    while rest.ncols() > 0 {
        let width = TILE.min(rest.ncols());
        let (strip, right) = rest.split_at_col_mut(width);
        take(col, strip);
        rest = right;
        col += width;
    }
}

/// Cuts a strip of columns (that begins at `row`, `col`) into tiles, from top to bottom.
pub(crate) fn row_tiles<'a>(mut strip: MatMut<'a, f64>, mut row: usize, col: usize, all: &mut Vec<Tile<'a>>) {
    while strip.nrows() > 0 {
        let height = TILE.min(strip.nrows());
        let (part, below) = strip.split_at_row_mut(height);
        all.push(Tile { row, col, part });
        strip = below;
        row += height;
    }
}

/// `a^T a` as a full symmetric matrix (both triangles filled), for `a` of any order.
pub fn self_product(a: View<'_>) -> Vec<f64> {
    let n = a.cols();
    let mut out = vec![0.0; n * n];
    add_to_lower(a, &mut out);
    mirror_lower(&mut out, n);
    out
}

/// Adds `a^T a` to a column-major matrix, of which only the lower triangle is meant: for sums over many pieces
/// of a matrix that is never held whole.
pub fn add_self_product(a: View<'_>, out: &mut [f64]) -> Result<()> {
    check_len("entries of a product", a.cols() * a.cols(), out.len())?;
    add_to_lower(a, out);
    Ok(())
}

fn add_to_lower(a: View<'_>, out: &mut [f64]) {
    let n = a.cols();
    let a = a.faer();
    let view = MatMut::from_column_major_slice_mut(out, n, n);
    if a.nrows() >= 2 * PIECE && n <= 2 * TILE {
        return product_faer(1.0, a.transpose(), a, Write::Add, view);
    }
    lower_tiles(view).into_par_iter().with_max_len(1).for_each(|tile| {
        let lhs = a.subcols(tile.row, tile.part.nrows()).transpose();
        let rhs = a.subcols(tile.col, tile.part.ncols());
        let (shape, full) = (shape(&tile), BlockStructure::Rectangular);
        triangular_matmul(tile.part, shape, Accum::Add, lhs, full, rhs, full, 1.0, Par::Seq);
    });
}

/// The part of a tile that is meant: half of one on the diagonal.
fn shape(tile: &Tile<'_>) -> BlockStructure {
    if tile.row == tile.col { BlockStructure::TriangularLower } else { BlockStructure::Rectangular }
}

/// [`add_self_product`] of single-precision rows (row-major, `columns` numbers each): products and the sums over these
/// rows in single precision, which is twice as fast, added to a sum in double. The rounding of a result is that of a sum
/// over one call, so that few thousand rows at a time keep six digits however many calls there are.
pub fn add_self_product_single(a: &[f32], columns: usize, out: &mut [f64]) -> Result<()> {
    check_len("entries of a product", columns * columns, out.len())?;
    let rows = a.len() / columns.max(1);
    check_len("numbers in a matrix", rows * columns, a.len())?;
    let a = MatRef::from_row_major_slice(a, rows, columns);
    let view = MatMut::from_column_major_slice_mut(out, columns, columns);
    lower_tiles(view).into_par_iter().with_max_len(1).for_each(|tile| {
        let lhs = a.subcols(tile.row, tile.part.nrows()).transpose();
        let rhs = a.subcols(tile.col, tile.part.ncols());
        let (shape, full) = (shape(&tile), BlockStructure::Rectangular);
        let mut sum = Mat::<f32>::zeros(lhs.nrows(), rhs.ncols());
        triangular_matmul(sum.as_mut(), shape, Accum::Replace, lhs, full, rhs, full, 1.0, Par::Seq);
        let mut part = tile.part;
        for j in 0..sum.ncols() {
            let first = if tile.row == tile.col { j } else { 0 };
            for i in first..sum.nrows() {
                part[(i, j)] += f64::from(sum[(i, j)]);
            }
        }
    });
    Ok(())
}

/// `out = a b` of row-major matrices in single precision, on this thread; `inner` is the length of the sums.
///
/// ```
/// use groat_linalg::product_single;
/// let mut out = [0.0; 2];
/// product_single(&[1.0, 2.0, 3.0, 4.0], &[1.0, -1.0], 2, &mut out)?;
/// assert_eq!(out, [-1.0, -1.0]);
/// # Ok::<(), groat_linalg::Error>(())
/// ```
pub fn product_single(a: &[f32], b: &[f32], inner: usize, out: &mut [f32]) -> Result<()> {
    let (m, n) = (a.len() / inner.max(1), b.len() / inner.max(1));
    check_len("numbers in the left side of a product", m * inner, a.len())?;
    check_len("numbers in the right side of a product", n * inner, b.len())?;
    check_len("entries of a product", m * n, out.len())?;
    let (a, b) = (MatRef::from_row_major_slice(a, m, inner), MatRef::from_row_major_slice(b, inner, n));
    matmul(MatMut::from_row_major_slice_mut(out, m, n), Accum::Replace, a, b, 1.0, Par::Seq);
    Ok(())
}

/// Copies the strict lower triangle of a column-major matrix onto the upper one.
fn mirror_lower(a: &mut [f64], n: usize) {
    // Small squares keep both the row-wise and the column-wise walk in cache.
    const SIDE: usize = 32;
    for jb in (0..n).step_by(SIDE) {
        for ib in (jb..n).step_by(SIDE) {
            for j in jb..(jb + SIDE).min(n) {
                for i in ib.max(j + 1)..(ib + SIDE).min(n) {
                    a[j + i * n] = a[i + j * n];
                }
            }
        }
    }
}
