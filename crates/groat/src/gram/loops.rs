//! Products with stored kernel values, each loop compiled for several CPUs.
//!
//! Sums are in double precision whatever is stored, and run over fixed lanes and fixed chunks, so that a result
//! depends neither on the width of the CPU's registers nor on the number of threads.

use crate::matrix::Real;
use crate::simd::{Arithmetic, Eight, Number, multiversion};

/// Independent partial sums; one AVX-512 register or two of AVX2.
pub(crate) const LANES: usize = 8;

/// Rows that are worked on before the next vector is taken up: two columns and two vectors stay in the
/// first-level cache.
pub(crate) const CHUNK: usize = 1024;

#[inline(always)]
pub(crate) fn sum_lanes(acc: [f64; LANES]) -> f64 {
    let pairs = [acc[0] + acc[4], acc[1] + acc[5], acc[2] + acc[6], acc[3] + acc[7]];
    (pairs[0] + pairs[2]) + (pairs[1] + pairs[3])
}

/// `columns[c]' vectors[r]` for `C` columns and `R` vectors of one length, each number loaded once.
#[inline(always)]
fn tile<A: Arithmetic, T: Real, const C: usize, const R: usize>(
    columns: [&[T]; C],
    vectors: [&[f64]; R],
) -> [[f64; R]; C] {
    let n = vectors[0].len();
    let columns = columns.map(|c| c[..n].as_chunks::<LANES>());
    let vectors = vectors.map(|v| v[..n].as_chunks::<LANES>());
    let mut acc = [[A::F64::splat(0.0); R]; C];
    for k in 0..n / LANES {
        let v = vectors.map(|v| A::F64::load(&v.0[k]));
        for c in 0..C {
            let column = A::F64::load(&columns[c].0[k].map(|v| v.to_f64()));
            for r in 0..R {
                acc[c][r] = column.fma(v[r], acc[c][r]);
            }
        }
    }
    std::array::from_fn(|c| {
        std::array::from_fn(|r| {
            let mut lanes = [0.0; LANES];
            acc[c][r].store(&mut lanes);
            let rest: f64 = columns[c].1.iter().zip(vectors[r].1).map(|(c, v)| c.to_f64() * v).sum();
            sum_lanes(lanes) + rest
        })
    })
}

#[inline(always)]
fn products_body<A: Arithmetic, T: Real>(block: &[T], rows: usize, vectors: &[&[f64]], out: &mut [f64]) {
    let r = vectors.len();
    out.fill(0.0);
    let columns = block.len() / rows;
    let mut j = 0;
    while j < columns {
        let pair = j + 1 < columns;
        let mut start = 0;
        while start < rows {
            let end = (start + CHUNK).min(rows);
            let first = &block[j * rows + start..j * rows + end];
            // An odd last column is paired with itself; its second result is not used.
            let second = if pair { &block[(j + 1) * rows + start..(j + 1) * rows + end] } else { first };
            let mut v = 0;
            while v < r {
                let a = &vectors[v][start..end];
                let both = v + 1 < r;
                let sums = if both {
                    tile::<A, T, 2, 2>([first, second], [a, &vectors[v + 1][start..end]])
                } else {
                    tile::<A, T, 2, 1>([first, second], [a]).map(|s| [s[0], 0.0])
                };
                for (c, sums) in sums.iter().enumerate().take(1 + usize::from(pair)) {
                    out[(j + c) * r + v] += sums[0];
                    if both {
                        out[(j + c) * r + v + 1] += sums[1];
                    }
                }
                v += 2;
            }
            start = end;
        }
        j += 2;
    }
}
multiversion! {
    /// `out[j * vectors.len() + r] = column_j' vectors[r]` for a column-major block of columns of length `rows`.
    pub(crate) fn products<T: Real>(block: &[T], rows: usize, vectors: &[&[f64]], out: &mut [f64]) = products_body
}

#[inline(always)]
fn add_rows_body<A: Arithmetic, T: Real>(rows: &[&[T]], factors: &[f64], out: &mut [f64]) {
    let n = out.len();
    // Four rows at a time, so that the sums are loaded and stored a quarter as often.
    let ((fours, rest), (by_four, left)) = (rows.as_chunks::<4>(), factors.as_chunks::<4>());
    for (rows, factors) in fours.iter().zip(by_four) {
        let [a, b, c, d] = rows.map(|row| &row[..n]);
        for k in 0..n {
            let sum = a[k].to_f64() * factors[0] + b[k].to_f64() * factors[1];
            out[k] += sum + (c[k].to_f64() * factors[2] + d[k].to_f64() * factors[3]);
        }
    }
    for (row, factor) in rest.iter().zip(left) {
        for (out, v) in out.iter_mut().zip(&row[..n]) {
            *out += v.to_f64() * factor;
        }
    }
}
multiversion! {
    /// `out += sum_k factors[k] rows[k]`.
    pub(crate) fn add_rows<T: Real>(rows: &[&[T]], factors: &[f64], out: &mut [f64]) = add_rows_body
}

/// Side of a tile of a symmetric matrix: the vectors that go with it stay in the first-level cache.
pub(crate) const TILE: usize = 256;

/// Rows of a tile that are worked on together.
const STRIP: usize = 4;

/// Where entry `(a, b)` of a tile stands: in the order in which [`symmetric_tile`] reads, so that memory is read
/// from front to back.
pub(crate) fn tile_place(a: usize, b: usize) -> usize {
    (a / STRIP) * STRIP * TILE + (b / LANES) * STRIP * LANES + (a % STRIP) * LANES + b % LANES
}

#[inline(always)]
fn symmetric_tile_body<A: Arithmetic>(
    tile: &[f32],
    columns: [&[f64]; 2],
    rows: [&[f64]; 2],
    own: &mut [[f64; 2]],
    across: &mut [[f64; TILE]; 2],
) {
    let columns = columns.map(|v| v[..TILE].as_chunks::<LANES>().0);
    let [first, second] = across.each_mut().map(|sums| sums.as_chunks_mut::<LANES>().0);
    for (s, strip) in tile.chunks_exact(STRIP * TILE).enumerate() {
        let strip = strip.as_chunks::<LANES>().0;
        let factor: [[A::F64; 2]; STRIP] =
            std::array::from_fn(|a| [0, 1].map(|r| A::F64::splat(rows[r][s * STRIP + a])));
        let mut acc = [[A::F64::splat(0.0); 2]; STRIP];
        for k in 0..TILE / LANES {
            let v = columns.map(|v| A::F64::load(&v[k]));
            let mut sums = [A::F64::load(&first[k]), A::F64::load(&second[k])];
            for a in 0..STRIP {
                let entry = A::F64::load(&strip[k * STRIP + a].map(f64::from));
                for r in 0..2 {
                    acc[a][r] = entry.fma(v[r], acc[a][r]);
                    sums[r] = entry.fma(factor[a][r], sums[r]);
                }
            }
            sums[0].store(&mut first[k]);
            sums[1].store(&mut second[k]);
        }
        for a in 0..STRIP {
            for r in 0..2 {
                let mut lanes = [0.0; LANES];
                acc[a][r].store(&mut lanes);
                own[s * STRIP + a][r] += sum_lanes(lanes);
            }
        }
    }
}
multiversion! {
    /// A tile of a symmetric matrix (see [`tile_place`]) times two vectors, for its rows and for its columns in one go:
    /// `own += tile columns`, `across += tile' rows`.
    pub(crate) fn symmetric_tile(
        tile: &[f32], columns: [&[f64]; 2], rows: [&[f64]; 2], own: &mut [[f64; 2]], across: &mut [[f64; TILE]; 2],
    ) = symmetric_tile_body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_plain_sums_for_every_shape() {
        for rows in [1, 7, 8, 9, 1023, 1025, 2100] {
            for columns in [1, 2, 3, 5] {
                for r in [1, 2, 3] {
                    let block: Vec<f64> = (0..rows * columns).map(|i| (i as f64 * 0.37).sin()).collect();
                    let vectors: Vec<Vec<f64>> = (0..r)
                        .map(|c| (0..rows).map(|i| ((i + 3 * c) as f64 * 0.11).cos()).collect())
                        .collect();
                    let views: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
                    let mut out = vec![f64::NAN; columns * r];
                    products(&block, rows, &views, &mut out);
                    let single: Vec<f32> = block.iter().map(|&v| v as f32).collect();
                    let mut rough = vec![f64::NAN; columns * r];
                    products(&single, rows, &views, &mut rough);
                    for j in 0..columns {
                        for c in 0..r {
                            let want: f64 = (0..rows).map(|k| block[j * rows + k] * vectors[c][k]).sum();
                            assert!((out[j * r + c] - want).abs() < 1e-11);
                            assert!((rough[j * r + c] - want).abs() < 1e-4);
                        }
                    }
                }
            }
        }
    }
}
