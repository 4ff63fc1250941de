//! Eight numbers in registers.
//!
//! The compiler vectorises plain loops over slices well, but not accumulators that live across a loop, so the
//! few loops that need those are written with [`Eight`]. Each implementation matches one level; the array is
//! the baseline and the twin that the others are tested against.

use super::{Lane, Number};

/// Eight numbers side by side.
///
/// The methods of a level may be called only where its CPU features are known to be there; `multiversion!`
/// sees to that.
pub trait Eight<T>: Number<T> {
    /// From memory.
    fn load(v: &[T; 8]) -> Self;
    /// Back to memory.
    fn store(self, out: &mut [T; 8]);
    /// The first eight of a slice, with zeros beyond its end.
    #[inline(always)]
    fn load_some(v: &[T]) -> Self
    where
        T: Lane,
    {
        match v.first_chunk() {
            Some(whole) => Self::load(whole),
            None => {
                let mut eight = [T::default(); 8];
                eight.iter_mut().zip(v).for_each(|(to, v)| *to = *v);
                Self::load(&eight)
            }
        }
    }
    /// As many of the numbers as there is room for, up to eight.
    #[inline(always)]
    fn store_some(self, out: &mut [T])
    where
        T: Lane,
    {
        match out.first_chunk_mut() {
            Some(whole) => self.store(whole),
            None => {
                let mut eight = [T::default(); 8];
                self.store(&mut eight);
                out.iter_mut().zip(eight).for_each(|(to, v)| *to = v);
            }
        }
    }
    /// The sum of the eight numbers of each, neighbours first: the same order of additions at every level.
    fn sums(eight: [Self; 8]) -> Self;
}

/// Eight numbers in an array; the multiply-add is a separate one.
impl<T: Lane> Number<T> for [T; 8] {
    #[inline(always)]
    fn splat(v: T) -> Self {
        [v; 8]
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        std::array::from_fn(|l| self[l] + b[l])
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        std::array::from_fn(|l| self[l] - b[l])
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        std::array::from_fn(|l| self[l] * b[l])
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        std::array::from_fn(|l| self[l] * b[l] + c[l])
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        std::array::from_fn(|l| if b[l] > self[l] { b[l] } else { self[l] })
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        std::array::from_fn(|l| if b[l] < self[l] { b[l] } else { self[l] })
    }
    #[inline(always)]
    fn times_power_of_two(self, n: Self) -> Self {
        std::array::from_fn(|l| self[l].times_power_of_two(n[l]))
    }
}

impl<T: Lane> Eight<T> for [T; 8] {
    #[inline(always)]
    fn load(v: &[T; 8]) -> Self {
        *v
    }
    #[inline(always)]
    fn store(self, out: &mut [T; 8]) {
        *out = self;
    }
    #[inline(always)]
    fn sums(eight: [Self; 8]) -> Self {
        eight.map(|s| ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])))
    }
}

/// Eight floats that become eight doubles.
pub trait Widen<W> {
    /// The same numbers.
    fn widen(self) -> W;
}

impl Widen<[f64; 8]> for [f32; 8] {
    #[inline(always)]
    fn widen(self) -> [f64; 8] {
        self.map(f64::from)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{F32x8, F64x8, F64x8Pair};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Eight, Number, Widen};
    use crate::simd::Lane;
    use std::arch::x86_64::*;

    /// One register of eight doubles (AVX-512).
    #[derive(Clone, Copy)]
    pub struct F64x8(__m512d);
    /// Two registers of four doubles (AVX2).
    #[derive(Clone, Copy)]
    pub struct F64x8Pair(__m256d, __m256d);
    /// One register of eight floats (AVX2).
    #[derive(Clone, Copy)]
    pub struct F32x8(__m256);

    /// A register type from its intrinsics. Every use of them is sound for the same reason.
    macro_rules! one_register {
        ($name:ident, $t:ty, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident,
            $max:ident, $min:ident, $scale:ident, $sums:ident $(, $load_some:item)?) => {
            // SAFETY (all blocks): the type is reached only through a level whose features were detected, and
            // the pointers come from references to eight numbers; the unaligned forms are used.
            impl Number<$t> for $name {
                #[inline(always)]
                fn splat(v: $t) -> Self {
                    Self(unsafe { $splat(v) })
                }
                #[inline(always)]
                fn add(self, b: Self) -> Self {
                    Self(unsafe { $add(self.0, b.0) })
                }
                #[inline(always)]
                fn sub(self, b: Self) -> Self {
                    Self(unsafe { $sub(self.0, b.0) })
                }
                #[inline(always)]
                fn mul(self, b: Self) -> Self {
                    Self(unsafe { $mul(self.0, b.0) })
                }
                #[inline(always)]
                fn fma(self, b: Self, c: Self) -> Self {
                    Self(unsafe { $fma(self.0, b.0, c.0) })
                }
                // Of two numbers that do not compare the instructions return the second.
                #[inline(always)]
                fn max(self, b: Self) -> Self {
                    Self(unsafe { $max(b.0, self.0) })
                }
                #[inline(always)]
                fn min(self, b: Self) -> Self {
                    Self(unsafe { $min(b.0, self.0) })
                }
                #[inline(always)]
                fn times_power_of_two(self, n: Self) -> Self {
                    Self(unsafe { $scale(self.0, n.0) })
                }
            }

            impl Eight<$t> for $name {
                #[inline(always)]
                fn load(v: &[$t; 8]) -> Self {
                    Self(unsafe { $load(v.as_ptr()) })
                }
                #[inline(always)]
                fn store(self, out: &mut [$t; 8]) {
                    unsafe { $store(out.as_mut_ptr(), self.0) };
                }
                $($load_some)?
                #[inline(always)]
                fn sums(eight: [Self; 8]) -> Self {
                    Self(unsafe { $sums(eight.map(|v| v.0)) })
                }
            }
        };
    }
    one_register!(
        F64x8,
        f64,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd,
        _mm512_fmadd_pd,
        _mm512_max_pd,
        _mm512_min_pd,
        _mm512_scalef_pd,
        sums_f64,
        // By a mask: what an array was given in pieces could not be read back as one without waiting.
        #[inline(always)]
        fn load_some(v: &[f64]) -> Self {
            // SAFETY: the mask names numbers of the slice alone; the others are not touched.
            Self(unsafe { _mm512_maskz_loadu_pd(first(v.len()), v.as_ptr()) })
        }
    );
    one_register!(
        F32x8,
        f32,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps,
        _mm256_max_ps,
        _mm256_min_ps,
        scale_f32,
        sums_f32
    );

    /// The mask of the first `count` of eight, or of all.
    #[inline(always)]
    fn first(count: usize) -> __mmask8 {
        ((1u16 << count.min(8)) - 1) as __mmask8
    }

    /// Two factors, as [`Lane::times_power_of_two`] has it.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn scale_f64(v: __m256d, n: __m256d) -> __m256d {
        let round = _mm256_set1_pd(f64::ROUND);
        let half = _mm256_fmadd_pd(n, _mm256_set1_pd(0.5), round);
        let rest = _mm256_add_pd(_mm256_sub_pd(n, _mm256_sub_pd(half, round)), round);
        let power = |t| {
            let exponent = _mm256_add_epi64(_mm256_castpd_si256(t), _mm256_set1_epi64x(1023));
            _mm256_castsi256_pd(_mm256_slli_epi64::<52>(exponent))
        };
        _mm256_mul_pd(_mm256_mul_pd(v, power(half)), power(rest))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn scale_f32(v: __m256, n: __m256) -> __m256 {
        let round = _mm256_set1_ps(f32::ROUND);
        let half = _mm256_fmadd_ps(n, _mm256_set1_ps(0.5), round);
        let rest = _mm256_add_ps(_mm256_sub_ps(n, _mm256_sub_ps(half, round)), round);
        let power = |t| {
            let exponent = _mm256_add_epi32(_mm256_castps_si256(t), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent))
        };
        _mm256_mul_ps(_mm256_mul_ps(v, power(half)), power(rest))
    }

    /// [`Eight::sums`]: halves the registers three times, each time adding neighbours.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sums_f64(v: [__m512d; 8]) -> __m512d {
        // Numbers side by side, then pairs of them, then halves.
        let two = |a, b| _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let four =
            |a, b| _mm512_add_pd(_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
        let (first, second) =
            (four(two(v[0], v[1]), two(v[2], v[3])), four(two(v[4], v[5]), two(v[6], v[7])));
        four(first, second)
    }

    /// The sums of four registers of four.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn sums_of_four(v: [__m256d; 4]) -> __m256d {
        let (a, b) = (_mm256_hadd_pd(v[0], v[1]), _mm256_hadd_pd(v[2], v[3]));
        _mm256_add_pd(_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn sums_f32(v: [__m256; 8]) -> __m256 {
        let four = |v: [__m256; 4]| _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
        let (a, b) = (four([v[0], v[1], v[2], v[3]]), four([v[4], v[5], v[6], v[7]]));
        _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b))
    }

    impl Widen<F64x8Pair> for F32x8 {
        #[inline(always)]
        fn widen(self) -> F64x8Pair {
            // SAFETY (this and the blocks below): as above.
            unsafe {
                let (low, high) = (_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
                F64x8Pair(_mm256_cvtps_pd(low), _mm256_cvtps_pd(high))
            }
        }
    }

    impl Widen<F64x8> for F32x8 {
        #[inline(always)]
        fn widen(self) -> F64x8 {
            F64x8(unsafe { _mm512_cvtps_pd(self.0) })
        }
    }

    impl Number<f64> for F64x8Pair {
        #[inline(always)]
        fn splat(v: f64) -> Self {
            let v = unsafe { _mm256_set1_pd(v) };
            Self(v, v)
        }
        #[inline(always)]
        fn add(self, b: Self) -> Self {
            unsafe { Self(_mm256_add_pd(self.0, b.0), _mm256_add_pd(self.1, b.1)) }
        }
        #[inline(always)]
        fn sub(self, b: Self) -> Self {
            unsafe { Self(_mm256_sub_pd(self.0, b.0), _mm256_sub_pd(self.1, b.1)) }
        }
        #[inline(always)]
        fn mul(self, b: Self) -> Self {
            unsafe { Self(_mm256_mul_pd(self.0, b.0), _mm256_mul_pd(self.1, b.1)) }
        }
        #[inline(always)]
        fn fma(self, b: Self, c: Self) -> Self {
            unsafe { Self(_mm256_fmadd_pd(self.0, b.0, c.0), _mm256_fmadd_pd(self.1, b.1, c.1)) }
        }
        #[inline(always)]
        fn max(self, b: Self) -> Self {
            unsafe { Self(_mm256_max_pd(b.0, self.0), _mm256_max_pd(b.1, self.1)) }
        }
        #[inline(always)]
        fn min(self, b: Self) -> Self {
            unsafe { Self(_mm256_min_pd(b.0, self.0), _mm256_min_pd(b.1, self.1)) }
        }
        #[inline(always)]
        fn times_power_of_two(self, n: Self) -> Self {
            unsafe { Self(scale_f64(self.0, n.0), scale_f64(self.1, n.1)) }
        }
    }

    impl Eight<f64> for F64x8Pair {
        #[inline(always)]
        fn load(v: &[f64; 8]) -> Self {
            unsafe { Self(_mm256_loadu_pd(v.as_ptr()), _mm256_loadu_pd(v.as_ptr().add(4))) }
        }
        #[inline(always)]
        fn store(self, out: &mut [f64; 8]) {
            unsafe {
                _mm256_storeu_pd(out.as_mut_ptr(), self.0);
                _mm256_storeu_pd(out.as_mut_ptr().add(4), self.1);
            }
        }
        #[inline(always)]
        fn sums(v: [Self; 8]) -> Self {
            let of = |first: usize| {
                let four = [v[first], v[first + 1], v[first + 2], v[first + 3]];
                let (left, right) = (four.map(|v| v.0), four.map(|v| v.1));
                unsafe { _mm256_add_pd(sums_of_four(left), sums_of_four(right)) }
            };
            Self(of(0), of(4))
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::simd::{Level, level};

    fn stored<T: Lane, V: Eight<T>>(v: V) -> [T; 8] {
        let mut out = [T::default(); 8];
        v.store(&mut out);
        out
    }

    fn agrees<T: Lane, V: Eight<T>>() {
        let number = |i: usize| T::from_f64((i as f64 * 1.7).sin() * 3.0);
        let (a, b, c): ([T; 8], [T; 8], [T; 8]) = (
            std::array::from_fn(number),
            std::array::from_fn(|i| number(i + 8)),
            std::array::from_fn(|i| number(i + 16)),
        );
        let (va, vb, vc) = (V::load(&a), V::load(&b), V::load(&c));
        assert_eq!(stored(V::splat(a[3])), [a[3]; 8]);
        assert_eq!(stored(va.add(vb)), a.add(b));
        assert_eq!(stored(va.sub(vb)), a.sub(b));
        assert_eq!(stored(va.mul(vb)), a.mul(b));
        for (fused, separate) in stored(va.fma(vb, vc)).into_iter().zip(a.fma(b, c)) {
            assert!((fused.to_f64() - separate.to_f64()).abs() < 1e-5);
        }
        for count in 0..10 {
            let some: Vec<T> = (0..count).map(number).collect();
            let mut back = vec![T::default(); count];
            V::load_some(&some).store_some(&mut back);
            assert_eq!(back[..count.min(8)], some[..count.min(8)]);
            let padded = std::array::from_fn(|i| if i < count { number(i) } else { T::default() });
            assert_eq!(stored(V::load_some(&some)), padded);
        }
        assert_eq!(stored(va.max(vb)), a.max(b));
        assert_eq!(stored(va.min(vb)), a.min(b));
        let nan = V::splat(T::from_f64(f64::NAN));
        assert!(stored(nan.max(va).min(vb)).iter().all(|v| v.to_f64().is_nan()));
        // Powers that end among the subnormal numbers, below the smallest and above the largest.
        let double = T::ROUND.to_f64() > 1e9;
        let powers =
            if double { [-1.0, 5.0, -1060.0, -1076.0, 1024.0] } else { [-1.0, 5.0, -140.0, -150.0, 130.0] };
        for n in powers {
            let scaled = a.times_power_of_two([T::from_f64(n); 8]);
            assert_eq!(stored(va.times_power_of_two(V::splat(T::from_f64(n)))), scaled, "{n}");
            // In steps that are exact in double precision, until the last.
            let exact = |v: T| v.to_f64() * 2f64.powf((0.5 * n).trunc()) * 2f64.powf(n - (0.5 * n).trunc());
            assert_eq!(scaled, a.map(|v| T::from_f64(exact(v))), "{n}");
        }
        let rows: [[T; 8]; 8] = std::array::from_fn(|r| std::array::from_fn(|c| number(8 * r + c)));
        assert_eq!(stored(V::sums(rows.map(|row| V::load(&row)))), <[T; 8]>::sums(rows));
    }

    fn widens<W: Eight<f64>>()
    where
        F32x8: Widen<W>,
    {
        let narrow: [f32; 8] = std::array::from_fn(|i| (i as f32 * 1.7).sin());
        assert_eq!(stored::<f64, W>(F32x8::load(&narrow).widen()), narrow.widen());
    }

    #[test]
    fn registers_agree_with_arrays() {
        if level() >= Level::Avx2 {
            agrees::<f64, F64x8Pair>();
            agrees::<f32, F32x8>();
            widens::<F64x8Pair>();
        }
        if level() >= Level::Avx512 {
            agrees::<f64, F64x8>();
            widens::<F64x8>();
        }
    }
}
