//! The scalar operations that vectorised loops are written in, for `f64` and `f32`.

use super::exp::{Exponential, exp};
use super::{Arithmetic, Eight, Number, Widen};
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number type with the operations hot loops need. All of them are inlined and branch-free.
///
/// Public only so that [`Real`](crate::Real) can build on it; nobody outside can name or implement it.
pub trait Lane:
    Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + std::fmt::Debug
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + std::iter::Sum
{
    /// Eight of them.
    type Eight<A: Arithmetic>: Eight<Self>;
    /// `1.5 * 2^p` with `p` the bits of a fraction: adding it rounds to a whole number and leaves that number in the
    /// low bits.
    const ROUND: Self;
    /// What the exponential needs.
    const EXPONENTIAL: Exponential<Self>;
    /// `self * 2^n` for a whole `n` between -1100 and 1100 (-150 and 150 for `f32`), in two factors, so that a result
    /// between the smallest normal number and zero is rounded once.
    fn times_power_of_two(self, n: Self) -> Self;
    /// Nearest value to `x`.
    fn from_f64(x: f64) -> Self;
    /// Widened to double precision.
    fn to_f64(self) -> f64;
    /// Eight of them widened.
    fn wide<A: Arithmetic>(eight: Self::Eight<A>) -> A::F64;
    /// `self * b + c`, fused where `A` says so.
    fn fma<A: Arithmetic>(self, b: Self, c: Self) -> Self;
    /// The exponential, to about 1 ulp, from underflow to overflow.
    fn exp<A: Arithmetic>(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Integer power.
    fn powi(self, n: i32) -> Self;
}

/// One number, computed with as `A` does.
#[derive(Clone, Copy)]
struct One<A, T>(T, PhantomData<A>);

impl<A: Arithmetic, T: Lane> One<A, T> {
    #[inline(always)]
    fn new(v: T) -> Self {
        Self(v, PhantomData)
    }
}

impl<A: Arithmetic, T: Lane> Number<T> for One<A, T> {
    #[inline(always)]
    fn splat(v: T) -> Self {
        Self::new(v)
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.0 + b.0)
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.0 - b.0)
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self::new(self.0 * b.0)
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        Self::new(self.0.fma::<A>(b.0, c.0))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self::new(if b.0 > self.0 { b.0 } else { self.0 })
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Self::new(if b.0 < self.0 { b.0 } else { self.0 })
    }
    #[inline(always)]
    fn times_power_of_two(self, n: Self) -> Self {
        Self::new(self.0.times_power_of_two(n.0))
    }
}

macro_rules! lane {
    ($t:ty, $eight:ident, $round:expr, $bias:expr, $fraction:expr, $wide:expr) => {
        impl Lane for $t {
            type Eight<A: Arithmetic> = A::$eight;
            const ROUND: Self = $round;
            const EXPONENTIAL: Exponential<Self> = Exponential::<$t>::CONSTANTS;
            #[inline(always)]
            fn times_power_of_two(self, n: Self) -> Self {
                let power = |t: $t| <$t>::from_bits(t.to_bits().wrapping_add($bias) << $fraction);
                let half = n * 0.5 + $round;
                let rest = (n - (half - $round)) + $round;
                self * power(half) * power(rest)
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn wide<A: Arithmetic>(eight: A::$eight) -> A::F64 {
                $wide(eight)
            }
            #[inline(always)]
            fn fma<A: Arithmetic>(self, b: Self, c: Self) -> Self {
                if A::FUSED { self.mul_add(b, c) } else { self * b + c }
            }
            #[inline(always)]
            fn exp<A: Arithmetic>(self) -> Self {
                exp(One::<A, $t>::new(self)).0
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                <$t>::tanh(self)
            }
            #[inline(always)]
            fn powi(self, n: i32) -> Self {
                <$t>::powi(self, n)
            }
        }
    };
}
lane!(f64, F64, 6_755_399_441_055_744.0, 1023, 52, std::convert::identity);
lane!(f32, F32, 12_582_912.0, 127, 23, Widen::widen);
