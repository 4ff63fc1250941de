//! The scalar part of each kernel: what becomes of a squared distance or an inner product.

use super::compact::Taper;
use super::{Kernel, Width};
use crate::matrix::Real;
use crate::simd::Arithmetic;

/// What is accumulated over the features.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form<T> {
    /// `sum_k (x_k - y_k)^2`.
    Distance,
    /// `sum_k c_k (x_k - y_k)^2`.
    WeightedDistance(Vec<T>),
    /// `sum_k x_k y_k`.
    Product,
}

/// The function applied to the accumulated value `s`. For radial kernels `s` is `r^2`, and the width is
/// folded into the constants here.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Profile<T> {
    /// `exp(c s)`, `c < 0`.
    Gaussian(T),
    /// `exp(-sqrt(c s))`.
    Laplacian(T),
    /// `(1 + t) exp(-t)`, `t = sqrt(c s)`.
    Matern32(T),
    /// `(1 + t + t^2/3) exp(-t)`, `t = sqrt(c s)`.
    Matern52(T),
    /// `1 / sqrt(1 + c s)`.
    InverseMultiquadric(T),
    /// `(scale s + offset)^degree`.
    Polynomial(i32, T, T),
    /// `s`.
    Linear,
    /// `tanh(scale s + offset)`.
    Sigmoid(T, T),
    /// 1: all is left to the taper.
    One,
}

/// Splits a width into the form of the distance and the factor `1 / width^2` left for the profile.
fn form_of<T: Real>(width: &Width) -> (Form<T>, f64) {
    match width {
        Width::Shared(width) => (Form::Distance, 1.0 / (width * width)),
        Width::PerFeature(widths) => {
            (Form::WeightedDistance(widths.iter().map(|w| T::from_f64(1.0 / (w * w))).collect()), 1.0)
        }
    }
}

/// The parts of a kernel: what is accumulated, the function of it, and the factor that ends its support.
pub(super) fn split<T: Real>(kernel: &Kernel) -> (Form<T>, Profile<T>, Option<Taper<T>>) {
    match kernel {
        Kernel::Compact { base, support, power } => {
            let (form, profile) = split_plain(base);
            (form, profile, Some(Taper::power(*support, *power)))
        }
        Kernel::Wendland { width, dimension, smoothness } => {
            let support = kernel.support().unwrap_or(1.0);
            (form_of(width).0, Profile::One, Some(Taper::wendland(support, *dimension, *smoothness)))
        }
        _ => {
            let (form, profile) = split_plain(kernel);
            (form, profile, None)
        }
    }
}

/// A kernel without support.
fn split_plain<T: Real>(kernel: &Kernel) -> (Form<T>, Profile<T>) {
    let radial = |width: &Width, profile: fn(T) -> Profile<T>, factor: f64| {
        let (form, inverse_square) = form_of(width);
        // Widths near the ends of the number range must not turn 0 * infinity into NaN.
        let c = (inverse_square * factor).clamp(-f64::MAX, f64::MAX);
        let c = T::from_f64(c);
        let c = if c.to_f64().is_finite() { c } else { T::from_f64(f64::from(f32::MAX).copysign(factor)) };
        (form, profile(c))
    };
    match kernel {
        Kernel::Gaussian { width } => radial(width, Profile::Gaussian, -0.5),
        Kernel::Laplacian { width } => radial(width, Profile::Laplacian, 1.0),
        Kernel::Matern32 { width } => radial(width, Profile::Matern32, 3.0),
        Kernel::Matern52 { width } => radial(width, Profile::Matern52, 5.0),
        Kernel::InverseMultiquadric { width } => radial(width, Profile::InverseMultiquadric, 1.0),
        Kernel::Polynomial { degree, scale, offset } => {
            (Form::Product, Profile::Polynomial(*degree as i32, T::from_f64(*scale), T::from_f64(*offset)))
        }
        // A support within a support does not pass the check of parameters.
        Kernel::Compact { base, .. } => split_plain(base),
        Kernel::Wendland { width, .. } => (form_of(width).0, Profile::One),
        Kernel::Linear => (Form::Product, Profile::Linear),
        Kernel::Sigmoid { scale, offset } => {
            (Form::Product, Profile::Sigmoid(T::from_f64(*scale), T::from_f64(*offset)))
        }
    }
}

impl<T: Real> Profile<T> {
    /// Applies the function to every value in place. The loop is inside each arm, so that it vectorises.
    #[inline(always)]
    pub(super) fn apply<A: Arithmetic>(&self, values: &mut [T]) {
        let one = T::from_f64(1.0);
        match *self {
            Profile::Gaussian(c) => each(values, |s| (s * c).exp::<A>()),
            Profile::Laplacian(c) => each(values, |s| (-(s * c).sqrt()).exp::<A>()),
            Profile::Matern32(c) => each(values, |s| {
                let t = finite((s * c).sqrt());
                (one + t) * (-t).exp::<A>()
            }),
            Profile::Matern52(c) => each(values, |s| {
                let t = finite((s * c).sqrt());
                (one + t + t * t * T::from_f64(1.0 / 3.0)) * (-t).exp::<A>()
            }),
            Profile::InverseMultiquadric(c) => each(values, |s| one / (one + s * c).sqrt()),
            Profile::Polynomial(degree, scale, offset) => {
                each(values, |s| scale.fma::<A>(s, offset).powi(degree));
            }
            Profile::Linear => {}
            Profile::One => values.fill(one),
            Profile::Sigmoid(scale, offset) => each(values, |s| scale.fma::<A>(s, offset).tanh()),
        }
    }
}

/// `t`, or a number whose `exp(-t)` is zero already: an infinite distance must not turn infinity * 0 into NaN.
#[inline(always)]
fn finite<T: Real>(t: T) -> T {
    let enough = T::from_f64(1e3);
    if t > enough { enough } else { t }
}

#[inline(always)]
fn each<T: Real>(values: &mut [T], f: impl Fn(T) -> T) {
    for v in values {
        *v = f(*v);
    }
}
