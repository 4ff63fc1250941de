//! Compact support: kernels that are exactly zero beyond a radius.
//!
//! Any radial kernel `k` gets compact support by the factor of 003 (1),
//!
//! ```text
//! k_C(x, y) = (1 - r / C)_+^nu  k(x, y)
//! ```
//!
//! which keeps positive definiteness on `R^d` when `nu >= (d + 1) / 2` (003 section 2; the strict
//! inequality of its section 5 is not needed). Wendland's functions are compactly supported by
//! themselves and as smooth as wanted (Wendland 1995). Both are one [`Taper`] on top of a profile.

use super::profile::Profile;
use super::{Kernel, Width};
use crate::error::{Error, Result};
use crate::matrix::{Real, Rows};
use crate::simd::Arithmetic;
use std::borrow::Cow;

/// The power the paper uses throughout; right for up to five features.
pub(super) const DEFAULT_POWER: f64 = 3.0;

/// The factor `(1 - t)_+^nu p(t)` with `t = sqrt(c s)`, where `s` is the squared distance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Taper<T> {
    /// `1 / support^2`.
    c: T,
    /// The whole part of `nu`, and the rest.
    whole: u32,
    rest: f64,
    /// Coefficients of `p`, constant first.
    polynomial: [T; 4],
    /// Number of coefficients that are not zero.
    terms: usize,
}

/// Values tapered at a time; they live on the stack.
const CHUNK: usize = 64;

impl<T: Real> Taper<T> {
    fn new(support: f64, power: f64, polynomial: &[f64]) -> Self {
        let c = (1.0 / (support * support)).min(f64::from(f32::MAX));
        let mut coefficients = [T::default(); 4];
        for (to, from) in coefficients.iter_mut().zip(polynomial) {
            *to = T::from_f64(*from);
        }
        let (whole, rest) = (power.trunc() as u32, power.fract());
        Self { c: T::from_f64(c), whole, rest, polynomial: coefficients, terms: polynomial.len() }
    }

    /// The factor of 003 (1).
    pub(super) fn power(support: f64, power: f64) -> Self {
        Self::new(support, power, &[1.0])
    }

    /// Wendland's function of the given smoothness, positive definite up to `dimension`.
    pub(super) fn wendland(support: f64, dimension: u32, smoothness: u32) -> Self {
        let l = dimension / 2 + smoothness + 1;
        let x = f64::from(l);
        let polynomial: &[f64] = match smoothness {
            0 => &[1.0],
            1 => &[1.0, x + 1.0],
            2 => &[1.0, x + 2.0, (x * x + 4.0 * x + 3.0) / 3.0],
            _ => &[
                1.0,
                x + 3.0,
                (6.0 * x * x + 36.0 * x + 45.0) / 15.0,
                (x * x * x + 9.0 * x * x + 23.0 * x + 15.0) / 15.0,
            ],
        };
        Self::new(support, f64::from(l + smoothness.min(3)), polynomial)
    }

    /// Replaces squared distances by `taper * profile`.
    #[inline(always)]
    pub(super) fn apply<A: Arithmetic>(&self, values: &mut [T], profile: &Profile<T>) {
        let (zero, one) = (T::default(), T::from_f64(1.0));
        for values in values.chunks_mut(CHUNK) {
            let mut rest = [zero; CHUNK];
            let rest = &mut rest[..values.len()];
            let mut factor = [one; CHUNK];
            let factor = &mut factor[..values.len()];
            for ((r, f), s) in rest.iter_mut().zip(factor.iter_mut()).zip(values.iter()) {
                let t = (*s * self.c).sqrt();
                *r = if t < one { one - t } else { zero };
                if self.terms > 1 {
                    *f = self.polynomial[3];
                    for k in [2, 1, 0] {
                        *f = f.fma::<A>(t, self.polynomial[k]);
                    }
                }
            }
            for _ in 0..self.whole {
                for (f, r) in factor.iter_mut().zip(rest.iter()) {
                    *f = *f * *r;
                }
            }
            if self.rest == 0.5 {
                factor.iter_mut().zip(rest.iter()).for_each(|(f, r)| *f = *f * r.sqrt());
            } else if self.rest > 0.0 {
                let power = |r: T| T::from_f64(r.to_f64().powf(self.rest));
                factor.iter_mut().zip(rest.iter()).for_each(|(f, r)| *f = *f * power(*r));
            }
            // Far away a factor or the profile may have overflowed: the comparison below sets zero.
            profile.apply::<A>(values);
            for (v, f) in values.iter_mut().zip(factor.iter()) {
                *v = if *f > zero { *v * *f } else { zero };
            }
        }
    }
}

impl Kernel {
    /// `base` with compact support; `power` is `nu` of 003 (1). The support is a distance like those the
    /// base kernel sees: with one width per feature, after division by the widths.
    pub fn compact(base: Kernel, support: f64, power: impl Into<f64>) -> Self {
        Kernel::Compact { base: Box::new(base), support, power: power.into() }
    }

    /// `base` with compact support and the smallest whole power, not below the paper's 3, that keeps it
    /// positive definite for data of `features` columns.
    pub fn compact_for(base: Kernel, support: f64, features: usize) -> Self {
        Kernel::compact(base, support, default_power(features))
    }

    /// The distance from which on the kernel is zero, if there is one. With one width per feature it is
    /// measured after division by the widths.
    pub fn support(&self) -> Option<f64> {
        match self {
            Kernel::Compact { support, .. } => Some(*support),
            Kernel::Wendland { width: Width::Shared(width), .. } => Some(*width),
            Kernel::Wendland { width: Width::PerFeature(_), .. } => Some(1.0),
            _ => None,
        }
    }

    /// The same compact kernel with another support; unchanged if it has none.
    pub fn with_support(&self, new: f64) -> Self {
        match self {
            Kernel::Compact { base, power, .. } => Kernel::compact((**base).clone(), new, *power),
            Kernel::Wendland { width: Width::Shared(_), .. } => self.with_width(new),
            _ => self.clone(),
        }
    }

    /// The rows as the kernel's distances see them: divided by the widths where there is one per feature.
    pub(crate) fn distance_coordinates<'a>(&self, x: Rows<'a>) -> Cow<'a, [f64]> {
        match self.width() {
            Some(Width::PerFeature(widths)) => {
                Cow::Owned(x.iter().flat_map(|row| row.iter().zip(widths).map(|(v, w)| v / w)).collect())
            }
            _ => Cow::Borrowed(x.data()),
        }
    }

    /// What to tell a user who applies the kernel to data of `features` columns, if anything: that it
    /// need not be positive definite there, and what that leads to.
    pub fn warning_for(&self, features: usize) -> Option<String> {
        let (what, up_to, remedy) = match self {
            Kernel::Compact { power, .. } => (
                format!("power {power}"),
                (2.0 * power - 1.0).max(0.0) as usize,
                format!("power {} would be enough", (features + 1).div_ceil(2)),
            ),
            Kernel::Wendland { dimension, .. } => (
                format!("dimension {dimension}"),
                *dimension as usize,
                format!("dimension {features} would be enough"),
            ),
            Kernel::Sigmoid { .. } => ("tanh".to_owned(), 0, "use another kernel".to_owned()),
            _ => return None,
        };
        (features > up_to).then(|| {
            format!(
                "{} with {what} is not guaranteed to be positive definite for {features} features: \
                 factorisations can fail and a larger ridge may be needed; {remedy}",
                self.name()
            )
        })
    }

    pub(super) fn check_compact(&self) -> Result<()> {
        match self {
            Kernel::Compact { base, support, power } => {
                crate::error::check_positive("support", *support)?;
                if !(*power > 0.0 && *power <= 64.0) {
                    return Err(Error::parameter("power", power, "a number above 0, at most 64"));
                }
                if base.is_radial() && base.support().is_none() {
                    base.check()
                } else {
                    Err(Error::parameter("support", support, "a support only for radial kernels without one"))
                }
            }
            Kernel::Wendland { dimension, smoothness, .. } => {
                if *smoothness > 3 {
                    return Err(Error::parameter("smoothness", smoothness, "0, 1, 2 or 3"));
                }
                if !(1..=64).contains(dimension) {
                    return Err(Error::parameter("dimension", dimension, "a whole number from 1 to 64"));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The smallest whole power, not below the paper's 3, that keeps positive definiteness on `features` columns.
fn default_power(features: usize) -> f64 {
    DEFAULT_POWER.max((features + 1).div_ceil(2).min(64) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn matrices_are_positive_definite_in_every_dimension(
            d in 1usize..11,
            more in prop_oneof![Just(0.0), Just(0.5), 0.0f64..3.0],
            smoothness in 0u32..4,
            support in 0.1f64..5.0,
            wide in any::<bool>(),
            data in prop::collection::vec(-1.0f64..1.0, 10..400),
        ) {
            let n = data.len() / d;
            let x = Rows::new(&data[..n * d], d).unwrap();
            // A base that is almost constant leaves the definiteness to the taper.
            let base = Kernel::gaussian(if wide { 100.0 } else { 0.5 });
            let power = 0.5 * (d + 1) as f64 + more;
            let wendland = Kernel::Wendland { width: support.into(), dimension: d as u32, smoothness };
            for kernel in [Kernel::compact(base, support, power), wendland] {
                prop_assert!(kernel.warning_for(d).is_none());
                let gram = kernel.gram(x).unwrap();
                let least = groat_linalg::eigh(gram.data(), n).unwrap().values[0];
                prop_assert!(least > -1e-12 * n as f64, "{} on {} rows: {}", kernel, n, least);
            }
        }
    }

    #[test]
    fn the_wrapper_is_the_product_of_its_parts() {
        let bases = ["gaussian:width=0.7", "laplacian", "matern32", "matern52", "inverse-multiquadric"];
        for base in bases.map(|b| b.parse::<Kernel>().unwrap()) {
            for power in [0.3, 0.5, 1.0, 1.5, 2.0, 2.71, 3.0, 8.0] {
                let kernel = Kernel::compact(base.clone(), 1.3, power);
                kernel.check_for(2).unwrap();
                for r in [0.0, 0.1, 0.7, 1.2999, 1.3, 1.5, 1e100] {
                    let taper = (1.0 - r / 1.3_f64).max(0.0).powf(power);
                    let want = taper * base.eval(&[0.0, 0.0], &[r, 0.0]);
                    assert!((kernel.eval(&[0.0, 0.0], &[r, 0.0]) - want).abs() < 1e-15, "{kernel} {r}");
                }
                assert_eq!(kernel.diag(&[5.0, 5.0]), 1.0);
            }
        }
    }

    #[test]
    fn widths_per_feature_scale_the_support_too() {
        let kernel = Kernel::compact(Kernel::gaussian(vec![2.0, 0.5]), 1.0, 3);
        assert!(kernel.eval(&[0.0, 0.0], &[1.9, 0.0]) > 0.0);
        assert_eq!(kernel.eval(&[0.0, 0.0], &[0.0, 0.5]), 0.0);
    }

    #[test]
    fn wendland_functions_match_the_published_table() {
        // d = 3: (1-t)^2, (1-t)^4 (4t+1), (1-t)^6 (35t^2+18t+3)/3, (1-t)^8 (32t^3+25t^2+8t+1).
        let published: [fn(f64) -> f64; 4] = [
            |t| (1.0 - t).powi(2),
            |t| (1.0 - t).powi(4) * (4.0 * t + 1.0),
            |t| (1.0 - t).powi(6) * (35.0 * t * t + 18.0 * t + 3.0) / 3.0,
            |t| (1.0 - t).powi(8) * (32.0 * t.powi(3) + 25.0 * t * t + 8.0 * t + 1.0),
        ];
        for (smoothness, want) in published.iter().enumerate() {
            let kernel = Kernel::Wendland { width: 2.0.into(), dimension: 3, smoothness: smoothness as u32 };
            for t in [0.0, 0.2, 0.5, 0.99] {
                assert!((kernel.eval(&[0.0], &[2.0 * t]) - want(t)).abs() < 1e-14, "{smoothness} {t}");
            }
            assert_eq!(kernel.eval(&[0.0], &[2.0]), 0.0);
        }
    }

    #[test]
    fn gram_matrices_equal_single_evaluations() {
        let x: Vec<f64> = (0..60).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let x = Rows::new(&x, 2).unwrap();
        for text in ["gaussian:width=1,support=0.8", "wendland:width=0.9,dimension=2,smoothness=2"] {
            let kernel: Kernel = text.parse().unwrap();
            let gram = kernel.gram(x).unwrap();
            for i in 0..30 {
                for j in 0..30 {
                    assert!((gram[(i, j)] - kernel.eval(x.row(i), x.row(j))).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn too_small_powers_are_warned_about() {
        let kernel = |power| Kernel::compact(Kernel::gaussian(1.0), 1.0, power);
        assert!(kernel(3).warning_for(5).is_none());
        assert!(kernel(3).warning_for(6).unwrap().contains("power 4 would be enough"));
        let half = Kernel::compact(Kernel::gaussian(1.0), 1.0, 1.5);
        assert!(half.warning_for(2).is_none() && half.warning_for(3).is_some());
        for d in 1..=10 {
            assert!(Kernel::compact_for(Kernel::gaussian(1.0), 1.0, d).warning_for(d).is_none());
        }
        assert!(Kernel::compact(kernel(3), 1.0, 3).check().is_err());
        assert!(Kernel::compact(Kernel::Linear, 1.0, 3).check().is_err());
    }
}
