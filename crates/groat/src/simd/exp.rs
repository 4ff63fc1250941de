//! The exponential as straight-line code that vectorises.
//!
//! `exp(x) = 2^n exp(r)` with `n = round(x / ln 2)` and `|r| <= ln(2)/2`; `exp(r) = 1 + r + r^2 q(r)` with
//! `q` the polynomial that interpolates `(exp(r) - 1 - r) / r^2` at Chebyshev nodes (relative error of the
//! whole 1.7e-17 for `f64`, 2.3e-10 for `f32`). `2^n` is applied in two factors, so that results between
//! the smallest normal number and zero are rounded once and correctly scaled.

/// `1.5 * 2^52`: adding it rounds to an integer and leaves that integer in the low bits.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;
const Q_F64: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_67,
    0.041_666_666_666_624_13,
    0.008_333_333_333_330_062,
    0.001_388_888_891_721_371_7,
    0.000_198_412_698_630_536_17,
    2.480_152_129_595_437_5e-5,
    2.755_726_845_999_706_5e-6,
    2.762_008_844_540_975e-7,
    2.510_038_549_551_032e-8,
];

/// `exp(x)`; `fma` is the caller's multiply-add.
#[inline(always)]
pub(super) fn exp_f64(x: f64, fma: impl Fn(f64, f64, f64) -> f64) -> f64 {
    const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LO: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    // Comparisons written so that NaN passes through; beyond these limits the result is 0 or infinity.
    let x = if x < -746.0 { -746.0 } else { x };
    let x = if x > 710.0 { 710.0 } else { x };
    let n = fma(x, std::f64::consts::LOG2_E, ROUND_F64) - ROUND_F64;
    let half = fma(x, 0.5 * std::f64::consts::LOG2_E, ROUND_F64);
    let rest = (n - (half - ROUND_F64)) + ROUND_F64;
    let r = fma(n, -LN2_LO, fma(n, -LN2_HI, x));
    // Even and odd terms side by side: as many operations as one chain, which would be twice as long to wait for.
    let square = r * r;
    let (mut even, mut odd) = (Q_F64[8], Q_F64[9]);
    for i in [6, 4, 2, 0] {
        even = fma(even, square, Q_F64[i]);
        odd = fma(odd, square, Q_F64[i + 1]);
    }
    let p = fma(square, fma(odd, r, even), r) + 1.0;
    let power = |t: f64| f64::from_bits(t.to_bits().wrapping_add(1023) << 52);
    p * power(half) * power(rest)
}

/// `1.5 * 2^23`.
const ROUND_F32: f32 = 12_582_912.0;
const Q_F32: [f32; 6] = [0.5, 0.166_666_67, 0.041_666_463, 0.008_333_311, 0.001_393_373, 0.000_198_910_8];

/// `exp(x)`; `fma` is the caller's multiply-add.
#[inline(always)]
pub(super) fn exp_f32(x: f32, fma: impl Fn(f32, f32, f32) -> f32) -> f32 {
    const LN2_HI: f32 = 0.693_359_4;
    const LN2_LO: f32 = -2.121_944_4e-4;
    let x = if x < -104.0 { -104.0 } else { x };
    let x = if x > 89.0 { 89.0 } else { x };
    let n = fma(x, std::f32::consts::LOG2_E, ROUND_F32) - ROUND_F32;
    let half = fma(x, 0.5 * std::f32::consts::LOG2_E, ROUND_F32);
    let rest = (n - (half - ROUND_F32)) + ROUND_F32;
    let r = fma(n, -LN2_LO, fma(n, -LN2_HI, x));
    let mut q = Q_F32[5];
    for c in Q_F32[..5].iter().rev() {
        q = fma(q, r, *c);
    }
    let p = fma(r * r, q, r) + 1.0;
    let power = |t: f32| f32::from_bits(t.to_bits().wrapping_add(127) << 23);
    p * power(half) * power(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance in units of the last place of the reference (of the smallest subnormal below it).
    fn ulps_f64(got: f64, want: f64) -> f64 {
        let ulp = (want.next_up() - want).abs().max(f64::from_bits(1));
        ((got - want) / ulp).abs()
    }

    fn both_f64(x: f64) -> [f64; 2] {
        [exp_f64(x, |a, b, c| a.mul_add(b, c)), exp_f64(x, |a, b, c| a * b + c)]
    }

    #[test]
    fn f64_is_within_two_ulp_over_its_whole_range() {
        // The reference is the platform's exp, itself good to better than 1 ulp.
        let mut worst = [0.0f64; 2];
        for i in 0..2_000_000u32 {
            let x = -746.5 + 1457.0 * f64::from(i) / 2e6;
            let want = x.exp();
            for (worst, got) in worst.iter_mut().zip(both_f64(x)) {
                if want.is_finite() {
                    *worst = worst.max(ulps_f64(got, want));
                } else {
                    assert_eq!(got, f64::INFINITY, "at {x}");
                }
            }
        }
        assert!(worst[0] <= 2.0 && worst[1] <= 2.0, "worst {worst:?} ulp");
    }

    #[test]
    fn f64_special_values() {
        for f in [|x| both_f64(x)[0], |x| both_f64(x)[1]] {
            assert_eq!(f(0.0), 1.0);
            assert_eq!(f(-0.0), 1.0);
            assert_eq!(f(f64::NEG_INFINITY), 0.0);
            assert_eq!(f(f64::INFINITY), f64::INFINITY);
            assert_eq!(f(-745.0), (-745.0f64).exp(), "the smallest subnormals");
            assert_eq!(f(-746.0), 0.0);
            assert!(f(f64::NAN).is_nan());
            assert_eq!(f(-1e300), 0.0);
            assert_eq!(f(1e-300), 1.0);
        }
    }

    #[test]
    fn f32_is_within_two_ulp_of_the_exact_value_everywhere() {
        // Every 61st float from -104.5 to 89.5, against f64.
        let mut worst = [0.0f64; 2];
        for bits in (0..=u32::MAX).step_by(61) {
            let x = f32::from_bits(bits);
            if !(-104.5..=89.5).contains(&x) {
                continue;
            }
            let want = f64::from(x).exp();
            let ulp = f64::from((want as f32).next_up()) - f64::from(want as f32);
            let got = [exp_f32(x, |a, b, c| a.mul_add(b, c)), exp_f32(x, |a, b, c| a * b + c)];
            for (worst, got) in worst.iter_mut().zip(got) {
                if want < f64::from(f32::MAX) {
                    *worst = worst.max((f64::from(got) - want).abs() / ulp);
                } else {
                    assert_eq!(got, f32::INFINITY);
                }
            }
        }
        assert!(worst[0] <= 2.0 && worst[1] <= 2.0, "worst {worst:?} ulp");
        assert!(exp_f32(f32::NAN, |a, b, c| a * b + c).is_nan());
    }
}
