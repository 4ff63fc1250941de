//! Sums over slices in a fixed order of lanes, so that the result does not depend on the CPU's width.

use super::{Arithmetic, Eight, Lane, Number, multiversion};

/// Room for `n` numbers and for those that make the last eight whole. What writes eight at a time can then do so to
/// the end, and what reads them need not wait for pieces; [`Vec::truncate`] takes the surplus away afterwards.
pub(crate) fn make_room<T: Copy + Default>(v: &mut Vec<T>, n: usize) {
    let whole = n.next_multiple_of(8);
    v.truncate(whole);
    // Nearly always a few numbers, for which `resize` would be a call.
    while v.len() < whole {
        v.push(T::default());
    }
}

#[inline(always)]
fn dot_body<A: Arithmetic, T: Lane>(a: &[T], b: &[T]) -> T {
    let n = a.len().min(b.len());
    let ((a, a_rest), (b, b_rest)) = (a[..n].as_chunks::<8>(), b[..n].as_chunks::<8>());
    // Four independent sums hide the latency of the multiply-add.
    let mut acc = [T::Eight::<A>::splat(T::default()); 4];
    let ((a4, a1), (b4, b1)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (x, y) in a4.iter().zip(b4) {
        for i in 0..4 {
            acc[i] = T::Eight::<A>::load(&x[i]).fma(T::Eight::<A>::load(&y[i]), acc[i]);
        }
    }
    for (x, y) in a1.iter().zip(b1) {
        acc[0] = T::Eight::<A>::load(x).fma(T::Eight::<A>::load(y), acc[0]);
    }
    let mut s = [T::default(); 8];
    acc[0].add(acc[1]).add(acc[2].add(acc[3])).store(&mut s);
    // One by one: a masked load would wait until what was just written has left for the cache.
    let rest: T = a_rest.iter().zip(b_rest).map(|(x, y)| *x * *y).sum();
    ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])) + rest
}
multiversion! {
    /// `sum_i a_i b_i` over the common length.
    pub(crate) fn dot<T: Lane>(a: &[T], b: &[T]) -> T = dot_body
}

#[inline(always)]
fn largest_magnitude_body<A: Arithmetic>(values: &[f64]) -> f64 {
    let (groups, rest) = values.as_chunks::<8>();
    let (zero, last) = (A::F64::splat(0.0), A::F64::load_some(rest));
    // Largest and least side by side: neither waits for the other.
    let (mut largest, mut least) = (zero.max(last), zero.min(last));
    for group in groups {
        let v = A::F64::load(group);
        (largest, least) = (largest.max(v), least.min(v));
    }
    let mut s = [0.0; 8];
    largest.max(zero.sub(least)).store(&mut s);
    ((s[0].max(s[4])).max(s[1].max(s[5]))).max((s[2].max(s[6])).max(s[3].max(s[7])))
}
multiversion! {
    /// `max |v_i|`; 0 without any. NaN is passed over.
    pub(crate) fn largest_magnitude(values: &[f64]) -> f64 = largest_magnitude_body
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

#[inline(always)]
fn dot_wide_body<A: Arithmetic, T: Lane>(a: &[T], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let ((a, a_rest), (b, b_rest)) = (a[..n].as_chunks::<8>(), b[..n].as_chunks::<8>());
    let mut acc = [A::F64::splat(0.0); 4];
    let ((a4, a1), (b4, b1)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (x, y) in a4.iter().zip(b4) {
        for i in 0..4 {
            acc[i] = T::wide::<A>(T::Eight::<A>::load(&x[i])).fma(A::F64::load(&y[i]), acc[i]);
        }
    }
    for (x, y) in a1.iter().zip(b1) {
        acc[0] = T::wide::<A>(T::Eight::<A>::load(x)).fma(A::F64::load(y), acc[0]);
    }
    let mut s = [0.0; 8];
    acc[0].add(acc[1]).add(acc[2].add(acc[3])).store(&mut s);
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x.to_f64() * y).sum();
    ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])) + rest
}
multiversion! {
    /// [`dot`] in double precision, whatever the first numbers are.
    pub(crate) fn dot_wide<T: Lane>(a: &[T], b: &[f64]) -> f64 = dot_wide_body
}

#[inline(always)]
fn add_rows_body<A: Arithmetic, T: Lane>(factors: &[f64; 4], rows: [&[T]; 4], out: &mut [f64]) {
    let [a, b, c, d] = rows;
    for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let sum = factors[0].fma::<A>(a.to_f64(), *out);
        let sum = factors[1].fma::<A>(b.to_f64(), sum);
        *out = factors[3].fma::<A>(d.to_f64(), factors[2].fma::<A>(c.to_f64(), sum));
    }
}
multiversion! {
    /// `out += sum_i factors_i rows_i` over the common length, in double precision: four rows for one walk through `out`.
    pub(crate) fn add_rows<T: Lane>(factors: &[f64; 4], rows: [&[T]; 4], out: &mut [f64]) = add_rows_body
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
            assert_eq!(largest_magnitude(&a), a.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
            let narrow: Vec<f32> = a.iter().map(|v| *v as f32).collect();
            let want: f64 = narrow.iter().zip(&b).map(|(x, y)| f64::from(*x) * y).sum();
            assert!((dot_wide(&narrow, &b) - want).abs() < 1e-13);
            assert_eq!(dot_wide(&a, &b), dot(&a, &b));
            let mut sums = b.clone();
            add_rows(&[1.0, -2.0, 0.5, 3.0], [&narrow, &narrow, &narrow, &narrow], &mut sums);
            for i in 0..n {
                assert!((sums[i] - (b[i] + 2.5 * f64::from(narrow[i]))).abs() < 1e-14);
            }
            let mut y = b.clone();
            axpy(0.5, &a, &mut y);
            for i in 0..n {
                assert!((y[i] - (b[i] + 0.5 * a[i])).abs() < 1e-14);
            }
        }
    }
}
