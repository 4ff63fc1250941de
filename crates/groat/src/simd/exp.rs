//! The exponential as straight-line code, for one number and for eight.
//!
//! `exp(x) = 2^n exp(r)` with `n = round(x / ln 2)` and `|r| <= ln(2)/2`; `exp(r) = 1 + r + r^2 q(r)` with
//! `q` the polynomial that interpolates `(exp(r) - 1 - r) / r^2` at Chebyshev nodes (relative error of the
//! whole 1.7e-17 for `f64`, 2.3e-10 for `f32`). Results between the smallest normal number and zero are rounded
//! once and correctly scaled.

use super::{Lane, Number};

/// What the exponential needs to know of a number type.
#[derive(Debug)]
pub struct Exponential<T: 'static> {
    /// Beyond these limits the result is 0 or infinity.
    limits: [T; 2],
    log2_e: T,
    /// `-ln 2` in two parts, the first of which has few digits.
    minus_ln2: [T; 2],
    /// Coefficients of `q`, those of an even power and of the odd one above it together, highest first.
    q: &'static [[T; 2]],
}

impl Exponential<f64> {
    pub(super) const CONSTANTS: Self = Self {
        limits: [-746.0, 710.0],
        log2_e: std::f64::consts::LOG2_E,
        minus_ln2: [-f64::from_bits(0x3fe6_2e42_fee0_0000), -f64::from_bits(0x3dea_39ef_3579_3c76)],
        q: &[
            [2.762_008_844_540_975e-7, 2.510_038_549_551_032e-8],
            [2.480_152_129_595_437_5e-5, 2.755_726_845_999_706_5e-6],
            [0.001_388_888_891_721_371_7, 0.000_198_412_698_630_536_17],
            [0.041_666_666_666_624_13, 0.008_333_333_333_330_062],
            [0.500_000_000_000_000_1, 0.166_666_666_666_666_67],
        ],
    };
}

impl Exponential<f32> {
    pub(super) const CONSTANTS: Self = Self {
        limits: [-104.0, 89.0],
        log2_e: std::f32::consts::LOG2_E,
        minus_ln2: [-0.693_359_4, 2.121_944_4e-4],
        q: &[[0.001_393_373, 0.000_198_910_8], [0.041_666_463, 0.008_333_311], [0.5, 0.166_666_67]],
    };
}

/// `exp(x)`; NaN passes through.
#[inline(always)]
pub(crate) fn exp<T: Lane, V: Number<T>>(x: V) -> V {
    let Exponential { limits, log2_e, minus_ln2, q } = T::EXPONENTIAL;
    let x = x.max(V::splat(limits[0])).min(V::splat(limits[1]));
    let n = x.fma(V::splat(log2_e), V::splat(T::ROUND)).sub(V::splat(T::ROUND));
    let r = n.fma(V::splat(minus_ln2[1]), n.fma(V::splat(minus_ln2[0]), x));
    // Even and odd terms side by side: as many operations as one chain, which would be twice as long to wait for.
    let square = r.mul(r);
    let [mut even, mut odd] = [V::splat(q[0][0]), V::splat(q[0][1])];
    for c in &q[1..] {
        even = even.fma(square, V::splat(c[0]));
        odd = odd.fma(square, V::splat(c[1]));
    }
    let p = square.fma(odd.fma(r, even), r).add(V::splat(T::from_f64(1.0)));
    p.times_power_of_two(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Arithmetic, Baseline};

    /// Multiply-adds in one rounding, on every CPU.
    #[derive(Clone, Copy)]
    struct Fused;

    impl Arithmetic for Fused {
        const FUSED: bool = true;
        type F64 = [f64; 8];
        type F32 = [f32; 8];
    }

    /// Distance in units of the last place of the reference (of the smallest subnormal below it).
    fn ulps_f64(got: f64, want: f64) -> f64 {
        let ulp = (want.next_up() - want).abs().max(f64::from_bits(1));
        ((got - want) / ulp).abs()
    }

    fn both_f64(x: f64) -> [f64; 2] {
        [Lane::exp::<Fused>(x), Lane::exp::<Baseline>(x)]
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
            let got = [Lane::exp::<Fused>(x), Lane::exp::<Baseline>(x)];
            for (worst, got) in worst.iter_mut().zip(got) {
                if want < f64::from(f32::MAX) {
                    *worst = worst.max((f64::from(got) - want).abs() / ulp);
                } else {
                    assert_eq!(got, f32::INFINITY);
                }
            }
        }
        assert!(worst[0] <= 2.0 && worst[1] <= 2.0, "worst {worst:?} ulp");
        assert!(Lane::exp::<Baseline>(f32::NAN).is_nan());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn eight_at_once_give_the_bits_of_one() {
        use crate::simd::{Avx2, Avx512, Eight, Level, level};

        fn agrees<A: Arithmetic>() {
            for i in 0..60_000u32 {
                let at = |l: u32| -746.5 + 1457.0 * f64::from(8 * i + l) / 480_000.0;
                let x: [f64; 8] = std::array::from_fn(|l| at(l as u32));
                let mut got = [0.0; 8];
                exp(A::F64::load(&x)).store(&mut got);
                assert_eq!(got, x.map(Lane::exp::<Fused>), "at {}", x[0]);
            }
            for special in [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, -0.0, 1e300, -1e300] {
                let mut got = [0.0; 8];
                exp(A::F64::splat(special)).store(&mut got);
                assert_eq!(got.map(f64::to_bits), [Lane::exp::<Fused>(special).to_bits(); 8], "at {special}");
            }
        }
        if level() >= Level::Avx2 {
            agrees::<Avx2>();
        }
        if level() >= Level::Avx512 {
            agrees::<Avx512>();
        }
    }
}
