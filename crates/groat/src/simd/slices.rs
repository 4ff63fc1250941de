//! Sums over slices in a fixed order of lanes, so that the result does not depend on the CPU's width.

use super::{Arithmetic, Lane, multiversion};

/// Independent partial sums of a dot product; enough to hide the latency of the adder.
const LANES: usize = 32;

#[inline(always)]
fn dot_body<A: Arithmetic, T: Lane>(a: &[T], b: &[T]) -> T {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut acc = [T::default(); LANES];
    let (mut ca, mut cb) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (x, y) in (&mut ca).zip(&mut cb) {
        for l in 0..LANES {
            acc[l] = x[l].fma::<A>(y[l], acc[l]);
        }
    }
    for (l, (x, y)) in ca.remainder().iter().zip(cb.remainder()).enumerate() {
        acc[l] = x.fma::<A>(*y, acc[l]);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            acc[l] = acc[l] + acc[l + width];
        }
        width /= 2;
    }
    acc[0]
}
multiversion! {
    /// `sum_i a_i b_i` over the common length.
    pub(crate) fn dot<T: Lane>(a: &[T], b: &[T]) -> T = dot_body
}

#[inline(always)]
fn axpy_body<A: Arithmetic, T: Lane>(alpha: T, x: &[T], y: &mut [T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = alpha.fma::<A>(*x, *y);
    }
}
multiversion! {
    /// `y += alpha x` over the common length.
    pub(crate) fn axpy<T: Lane>(alpha: T, x: &[T], y: &mut [T]) = axpy_body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_agrees_with_the_plain_sum() {
        for n in 0..130 {
            let a: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
            let b: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).cos()).collect();
            let want: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - want).abs() < 1e-13);
            let mut y = b.clone();
            axpy(0.5, &a, &mut y);
            for i in 0..n {
                assert!((y[i] - (b[i] + 0.5 * a[i])).abs() < 1e-14);
            }
        }
    }
}
