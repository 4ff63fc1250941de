//! Sines and cosines of many angles.
//!
//! With `h = x / 2 - n pi`, `|h| <= pi / 2`, both follow from one reduction: `cos x = 1 - 2 sin^2 h` and
//! `sin x = 2 sin h cos h` have period `pi` in `h`, so that no quadrant has to be told apart. Sine and cosine of `h` are
//! Taylor sums up to `h^21` and `h^20`, whose remainders are below `2e-17`. `pi` is taken away in three parts, which keeps
//! the absolute error below `1e-15` up to angles of `1e6`; beyond `1e15` an angle counts as that.

use super::{Arithmetic, Eight, Lane, Number, multiversion};

/// `pi` in three parts: products of the first two with a whole number of up to 20 bits are exact.
const PI: [f64; 3] = [
    f64::from_bits(0x4009_21fb_5440_0000),
    f64::from_bits(0x3de0_b461_1a40_0000),
    f64::from_bits(0x3bf1_3198_a2e0_3707),
];
const LARGEST: f64 = 1e15;

/// `(-1)^k / (2k + 1)!` from `k = 10` down to 0.
const SINE: [f64; 11] = [
    1.0 / 51_090_942_171_709_440_000.0,
    -1.0 / 121_645_100_408_832_000.0,
    1.0 / 355_687_428_096_000.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
    1.0,
];

/// `(-1)^k / (2k)!` from `k = 10` down to 0.
const COSINE: [f64; 11] = [
    1.0 / 2_432_902_008_176_640_000.0,
    -1.0 / 6_402_373_705_728_000.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -1.0 / 2.0,
    1.0,
];

/// Half of the angle, less whole multiples of `pi`.
#[inline(always)]
fn half<V: Number<f64>>(x: V) -> V {
    let x = x.max(V::splat(-LARGEST)).min(V::splat(LARGEST));
    let round = V::splat(f64::ROUND);
    let n = x.fma(V::splat(0.5 * std::f64::consts::FRAC_1_PI), round).sub(round);
    let mut h = x.mul(V::splat(0.5));
    for part in PI {
        h = n.fma(V::splat(-part), h);
    }
    h
}

#[inline(always)]
fn polynomial<V: Number<f64>>(square: V, coefficients: &[f64; 11]) -> V {
    let mut sum = V::splat(coefficients[0]);
    for c in &coefficients[1..] {
        sum = sum.fma(square, V::splat(*c));
    }
    sum
}

#[inline(always)]
fn cosines_body<A: Arithmetic>(angles: &mut [f64], factor: f64) {
    for group in angles.chunks_mut(8) {
        let h = half(A::F64::load_some(group));
        let sine = h.mul(polynomial(h.mul(h), &SINE));
        let doubled = sine.mul(A::F64::splat(-2.0 * factor));
        doubled.fma(sine, A::F64::splat(factor)).store_some(group);
    }
}
multiversion! {
    /// Replaces every angle by `factor` times its cosine.
    pub(crate) fn cosines(angles: &mut [f64], factor: f64) = cosines_body
}

#[inline(always)]
fn cosines_and_sines_body<A: Arithmetic>(cosines: &mut [f64], sines: &mut [f64], factor: f64) {
    for (cosines, sines) in cosines.chunks_mut(8).zip(sines.chunks_mut(8)) {
        let h = half(A::F64::load_some(cosines));
        let square = h.mul(h);
        let (sine, cosine) = (h.mul(polynomial(square, &SINE)), polynomial(square, &COSINE));
        let doubled = sine.mul(A::F64::splat(2.0 * factor));
        doubled.mul(cosine).store_some(sines);
        A::F64::splat(factor).sub(doubled.mul(sine)).store_some(cosines);
    }
}
multiversion! {
    /// Replaces every angle in `cosines` by `factor` times its cosine, and writes that of its sine to `sines`.
    pub(crate) fn cosines_and_sines(cosines: &mut [f64], sines: &mut [f64], factor: f64) = cosines_and_sines_body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_platform() {
        for scale in [1.0, 100.0, 1e6] {
            let angles: Vec<f64> = (0..20_003).map(|i| scale * (f64::from(i) / 10_000.0 - 1.0)).collect();
            let (mut alone, mut cosines) = (angles.clone(), angles.clone());
            let mut sines = vec![f64::NAN; angles.len()];
            super::cosines(&mut alone, 3.0);
            cosines_and_sines(&mut cosines, &mut sines, 1.0);
            for (i, angle) in angles.iter().enumerate() {
                let (sine, cosine) = angle.sin_cos();
                assert!((alone[i] - 3.0 * cosine).abs() < 3e-15, "{angle}");
                assert!((cosines[i] - cosine).abs() < 1e-15 && (sines[i] - sine).abs() < 1e-15, "{angle}");
            }
        }
    }

    #[test]
    fn every_angle_has_values_between_minus_one_and_one() {
        let mut angles = vec![f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e17, 0.0, -0.0];
        let mut sines = vec![0.0; 6];
        cosines_and_sines(&mut angles, &mut sines, 1.0);
        assert!(angles.iter().chain(&sines).all(|v| v.abs() <= 1.0 + 1e-9), "{angles:?} {sines:?}");
        assert_eq!((angles[4], sines[4]), (1.0, 0.0));
    }
}
