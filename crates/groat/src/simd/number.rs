//! Arithmetic that a formula can be written in once, for one number and for eight of them.

/// A number, or several side by side.
pub trait Number<T>: Copy {
    /// The same number everywhere.
    fn splat(v: T) -> Self;
    /// `self + b`.
    fn add(self, b: Self) -> Self;
    /// `self - b`.
    fn sub(self, b: Self) -> Self;
    /// `self * b`.
    fn mul(self, b: Self) -> Self;
    /// `self * b + c`.
    fn fma(self, b: Self, c: Self) -> Self;
    /// The larger of the two; `self` where they do not compare.
    fn max(self, b: Self) -> Self;
    /// The smaller of the two; `self` where they do not compare.
    fn min(self, b: Self) -> Self;
    /// `self * 2^n` for whole `n`, rounded once; see [`Lane::times_power_of_two`](super::Lane::times_power_of_two).
    fn times_power_of_two(self, n: Self) -> Self;
}
