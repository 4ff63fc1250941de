//! The scalar operations that vectorised loops are written in, for `f64` and `f32`.

use super::{Arithmetic, Eight, exp};
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
    /// Nearest value to `x`.
    fn from_f64(x: f64) -> Self;
    /// Widened to double precision.
    fn to_f64(self) -> f64;
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

macro_rules! lane {
    ($t:ty, $eight:ident, $exp:path) => {
        impl Lane for $t {
            type Eight<A: Arithmetic> = A::$eight;
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn fma<A: Arithmetic>(self, b: Self, c: Self) -> Self {
                if A::FUSED { self.mul_add(b, c) } else { self * b + c }
            }
            #[inline(always)]
            fn exp<A: Arithmetic>(self) -> Self {
                $exp(self, |a: $t, b: $t, c: $t| a.fma::<A>(b, c))
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
lane!(f64, F64, exp::exp_f64);
lane!(f32, F32, exp::exp_f32);
