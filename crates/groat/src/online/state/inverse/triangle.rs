//! The inverse of a symmetric positive definite matrix given as its lower triangle, row after row without
//! gaps, and the root of that inverse, through a Cholesky factorisation in place. Whole rows make the inner products long.

use crate::simd::{axpy, dot};

/// Where row `i` begins.
#[inline(always)]
pub(super) const fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

/// Replaces the triangle of `n` rows, to which `rows` is cut or grown, by its inverse; false, and the content
/// lost, when the matrix is not positive definite to working precision.
pub(super) fn invert(rows: &mut Vec<f64>, n: usize) -> bool {
    invert_root(rows, n) && {
        let (data, scratch) = rows.split_at_mut(start(n));
        square_factor(data, scratch);
        data.iter().all(|v| v.is_finite())
    }
}

/// The same with the inverse Cholesky factor in place of the inverse.
pub(super) fn invert_root(rows: &mut Vec<f64>, n: usize) -> bool {
    // One row more is scratch space.
    rows.resize(start(n) + n, 0.0);
    let (data, scratch) = rows.split_at_mut(start(n));
    factor(data, n) && {
        invert_factor(data, scratch);
        data.iter().all(|v| v.is_finite())
    }
}

/// `A = L L^T`, row by row.
fn factor(data: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        let (above, rest) = data.split_at_mut(start(i));
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
fn invert_factor(data: &mut [f64], scratch: &mut [f64]) {
    for i in 0..scratch.len() {
        let (above, rest) = data.split_at_mut(start(i));
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
fn square_factor(data: &mut [f64], scratch: &mut [f64]) {
    for k in 0..scratch.len() {
        let (above, rest) = data.split_at_mut(start(k));
        let (factor, own) = (&mut scratch[..=k], &mut rest[..=k]);
        factor.copy_from_slice(own);
        for i in 0..k {
            axpy(factor[i], &factor[..=i], &mut above[start(i)..start(i + 1)]);
        }
        let last = factor[k];
        for (to, v) in own.iter_mut().zip(factor) {
            *to = last * *v;
        }
    }
}
