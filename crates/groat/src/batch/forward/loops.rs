//! The inner loops of the selection, each compiled for several CPUs.
//!
//! Sums run over fixed lanes and fixed chunks of rows, so that a result depends neither on the width of the
//! CPU's registers nor on the number of threads.

use crate::gram::loops::{CHUNK, LANES, sum_lanes};
use crate::simd::{Arithmetic, Lane, multiversion};

#[inline(always)]
fn project_out_body<A: Arithmetic>(basis: &[Vec<f64>], first: usize, coefficients: &[f64], w: &mut [f64]) {
    let n = w.len();
    let mut start = 0;
    while start < n {
        let end = (start + CHUNK).min(n);
        let w = &mut w[start..end];
        let mut i = 0;
        // Four columns at a time, so that w is loaded and stored once for them.
        while i + 4 <= coefficients.len() {
            let [a, b, c, d] = [0, 1, 2, 3].map(|t| &basis[i + t][first + start..first + end]);
            let f = [0, 1, 2, 3].map(|t| -coefficients[i + t]);
            for k in 0..w.len() {
                let first = f[0].fma::<A>(a[k], f[1].fma::<A>(b[k], w[k]));
                w[k] = f[2].fma::<A>(c[k], f[3].fma::<A>(d[k], first));
            }
            i += 4;
        }
        while i < coefficients.len() {
            let a = &basis[i][first + start..first + end];
            for k in 0..w.len() {
                w[k] = (-coefficients[i]).fma::<A>(a[k], w[k]);
            }
            i += 1;
        }
        start = end;
    }
}
multiversion! {
    /// `w -= sum_i coefficients[i] basis[i]`, where `w` holds the rows from `first` on.
    pub(crate) fn project_out(
        basis: &[Vec<f64>], first: usize, coefficients: &[f64], w: &mut [f64],
    ) = project_out_body
}

#[inline(always)]
fn loo_squares_body<A: Arithmetic>(residual: &[f64], eta: &[f64], w: &[f64], g: f64, d: f64) -> f64 {
    let n = w.len();
    let (residual, eta) = (&residual[..n], &eta[..n]);
    let inverse = 1.0 / d;
    let mut acc = [0.0; LANES];
    let whole = n - n % LANES;
    let error = |k: usize| {
        let rest = (-(w[k] * inverse)).fma::<A>(w[k], eta[k]);
        (-g).fma::<A>(w[k], residual[k]) / rest
    };
    let mut k = 0;
    while k < whole {
        for l in 0..LANES {
            let e = error(k + l);
            acc[l] = e.fma::<A>(e, acc[l]);
        }
        k += LANES;
    }
    for l in 0..n - whole {
        let e = error(whole + l);
        acc[l] = e.fma::<A>(e, acc[l]);
    }
    sum_lanes(acc)
}
multiversion! {
    /// `sum_k ((eps_k - g w_k) / (eta_k - w_k^2 / d))^2`: the leave-one-out sum of squares once `w` has joined.
    pub(crate) fn loo_squares(residual: &[f64], eta: &[f64], w: &[f64], g: f64, d: f64) -> f64 = loo_squares_body
}

#[inline(always)]
fn sign_errors_body<A: Arithmetic>(
    target: &[f64],
    residual: &[f64],
    eta: &[f64],
    weights: &[f64],
    w: &[f64],
    g: f64,
    d: f64,
) -> f64 {
    let n = w.len();
    let (target, residual, eta, weights) = (&target[..n], &residual[..n], &eta[..n], &weights[..n]);
    let inverse = 1.0 / d;
    let mut acc = [0.0; LANES];
    let whole = n - n % LANES;
    // psi = y^2 eta - y eps; no division, because eta > 0.
    let wrong = |k: usize| {
        let rest = (-(w[k] * inverse)).fma::<A>(w[k], eta[k]);
        let error = (-g).fma::<A>(w[k], residual[k]);
        let psi = target[k] * target[k].fma::<A>(rest, -error);
        if psi <= 0.0 { weights[k] } else { 0.0 }
    };
    let mut k = 0;
    while k < whole {
        for l in 0..LANES {
            acc[l] += wrong(k + l);
        }
        k += LANES;
    }
    for l in 0..n - whole {
        acc[l] += wrong(whole + l);
    }
    sum_lanes(acc)
}
multiversion! {
    /// The weight of the samples whose leave-one-out decision has the wrong sign once `w` has joined.
    pub(crate) fn sign_errors(
        target: &[f64], residual: &[f64], eta: &[f64], weights: &[f64], w: &[f64], g: f64, d: f64,
    ) -> f64 = sign_errors_body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projection_removes_every_basis_vector() {
        for terms in 0..7 {
            let basis: Vec<Vec<f64>> = (0..terms)
                .map(|i| (0..1500).map(|k| ((k * (i + 1)) as f64 * 0.01).sin()).collect())
                .collect();
            let coefficients: Vec<f64> = (0..terms).map(|i| 0.3 + i as f64).collect();
            let mut w: Vec<f64> = (0..1500).map(|k| k as f64 * 1e-3).collect();
            let before = w.clone();
            project_out(&basis, 0, &coefficients, &mut w);
            for k in 0..1500 {
                let sum: f64 = (0..terms).map(|i| coefficients[i] * basis[i][k]).sum();
                assert!((w[k] - (before[k] - sum)).abs() < 1e-12);
            }
        }
    }
}
