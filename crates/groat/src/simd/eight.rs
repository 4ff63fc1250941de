//! Eight numbers in registers.
//!
//! The compiler vectorises plain loops over slices well, but not accumulators that live across a loop, so the
//! few loops that need those are written with [`Eight`]. Each implementation matches one level; the array is
//! the baseline and the twin that the others are tested against.

use super::Lane;

/// Eight numbers that are added, subtracted and multiplied side by side.
///
/// The methods of a level may be called only where its CPU features are known to be there; `multiversion!`
/// sees to that.
pub trait Eight<T>: Copy {
    /// The same number eight times.
    fn splat(v: T) -> Self;
    /// From memory.
    fn load(v: &[T; 8]) -> Self;
    /// Back to memory.
    fn store(self, out: &mut [T; 8]);
    /// `self + b`.
    fn add(self, b: Self) -> Self;
    /// `self - b`.
    fn sub(self, b: Self) -> Self;
    /// `self * b`.
    fn mul(self, b: Self) -> Self;
    /// `self * b + c`.
    fn fma(self, b: Self, c: Self) -> Self;
    /// The sum of the eight numbers of each, neighbours first: the same order of additions at every level.
    fn sums(eight: [Self; 8]) -> Self;
}

/// Eight numbers in an array; the multiply-add is a separate one.
impl<T: Lane> Eight<T> for [T; 8] {
    #[inline(always)]
    fn splat(v: T) -> Self {
        [v; 8]
    }
    #[inline(always)]
    fn load(v: &[T; 8]) -> Self {
        *v
    }
    #[inline(always)]
    fn store(self, out: &mut [T; 8]) {
        *out = self;
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
    fn sums(eight: [Self; 8]) -> Self {
        eight.map(|s| ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{F32x8, F64x8, F64x8Pair};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Eight;
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
        ($name:ident, $t:ty, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident, $sums:expr) => {
            // SAFETY (all blocks): the type is reached only through a level whose features were detected, and
            // the pointers come from references to eight numbers; the unaligned forms are used.
            impl Eight<$t> for $name {
                #[inline(always)]
                fn splat(v: $t) -> Self {
                    Self(unsafe { $splat(v) })
                }
                #[inline(always)]
                fn load(v: &[$t; 8]) -> Self {
                    Self(unsafe { $load(v.as_ptr()) })
                }
                #[inline(always)]
                fn store(self, out: &mut [$t; 8]) {
                    unsafe { $store(out.as_mut_ptr(), self.0) };
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
        sums_f64
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
        sums_f32
    );

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

    impl Eight<f64> for F64x8Pair {
        #[inline(always)]
        fn splat(v: f64) -> Self {
            // SAFETY (this and the blocks below): as above.
            let v = unsafe { _mm256_set1_pd(v) };
            Self(v, v)
        }
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
        let rows: [[T; 8]; 8] = std::array::from_fn(|r| std::array::from_fn(|c| number(8 * r + c)));
        assert_eq!(stored(V::sums(rows.map(|row| V::load(&row)))), <[T; 8]>::sums(rows));
    }

    #[test]
    fn registers_agree_with_arrays() {
        if level() >= Level::Avx2 {
            agrees::<f64, F64x8Pair>();
            agrees::<f32, F32x8>();
        }
        if level() >= Level::Avx512 {
            agrees::<f64, F64x8>();
        }
    }
}
