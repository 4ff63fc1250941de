//! What a kernel is.

use super::Evaluator;
use crate::error::{Error, Result, check_len, check_positive};
use crate::matrix::Real;
use serde::{Deserialize, Serialize};

/// The length scale of a radial kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Width {
    /// One width for all features.
    Shared(f64),
    /// One width per feature (automatic relevance determination): the distance is
    /// `r^2 = sum_k ((x_k - y_k) / width_k)^2`.
    PerFeature(Vec<f64>),
}

impl From<f64> for Width {
    fn from(width: f64) -> Self {
        Width::Shared(width)
    }
}

impl From<Vec<f64>> for Width {
    fn from(widths: Vec<f64>) -> Self {
        Width::PerFeature(widths)
    }
}

impl Width {
    fn check(&self) -> Result<()> {
        match self {
            Width::Shared(width) => check_positive("width", *width),
            Width::PerFeature(widths) if widths.is_empty() => {
                Err(Error::parameter("width", "an empty list", "one number, or one number per feature"))
            }
            Width::PerFeature(widths) => widths.iter().try_for_each(|w| check_positive("width", *w)),
        }
    }

    /// So many times as wide.
    pub(crate) fn scaled(&self, factor: f64) -> Width {
        match self {
            Width::Shared(w) => Width::Shared(w * factor),
            Width::PerFeature(w) => Width::PerFeature(w.iter().map(|w| w * factor).collect()),
        }
    }

    /// The width of each of so many features.
    pub(crate) fn per_feature(&self, features: usize) -> Vec<f64> {
        match self {
            Width::Shared(w) => vec![*w; features],
            Width::PerFeature(w) => w.clone(),
        }
    }
}

/// A kernel function `k(x, y)`.
///
/// Radial kernels depend on the Euclidean distance `r = |x - y|` divided by the width:
///
/// | name | k, with `t = r / width` | text |
/// |---|---|---|
/// | Gaussian | `exp(-t^2 / 2)` | `gaussian:width=1` or `gaussian:gamma=0.5` (`exp(-gamma r^2)`) |
/// | Laplacian | `exp(-t)` | `laplacian:width=1` or `laplacian:gamma=1` (`exp(-gamma r)`) |
/// | Matern 3/2 | `(1 + sqrt(3) t) exp(-sqrt(3) t)` | `matern32:width=1` |
/// | Matern 5/2 | `(1 + sqrt(5) t + 5 t^2 / 3) exp(-sqrt(5) t)` | `matern52:width=1` |
/// | inverse multiquadric | `1 / sqrt(1 + t^2)` | `inverse-multiquadric:width=1` |
/// | Wendland | a polynomial, zero from `t = 1` on | `wendland:width=1,dimension=3,smoothness=1` |
///
/// Any of them but the last becomes zero from a distance on by `support=`, with the factor
/// `(1 - r / support)_+^power`: `gaussian:width=1,support=2,power=3`.
///
/// The others depend on the inner product:
///
/// | name | k | text |
/// |---|---|---|
/// | polynomial | `(scale x.y + offset)^degree` | `polynomial:degree=3,scale=1,offset=1` |
/// | linear | `x.y` | `linear` |
/// | sigmoid | `tanh(scale x.y + offset)` (not positive definite) | `sigmoid:scale=1,offset=0` |
///
/// ```
/// use groat::Kernel;
/// let kernel: Kernel = "gaussian:width=0.5".parse()?;
/// assert_eq!(kernel, Kernel::gaussian(0.5));
/// assert!((kernel.eval(&[0.0], &[0.5]) - (-0.5f64).exp()).abs() < 1e-15);
/// assert_eq!(kernel.to_string(), "gaussian:width=0.5");
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Kernel {
    /// `exp(-r^2 / (2 width^2))`.
    Gaussian {
        /// Length scale.
        width: Width,
    },
    /// `exp(-r / width)` with the Euclidean distance (scikit-learn's of that name uses the city-block one).
    Laplacian {
        /// Length scale.
        width: Width,
    },
    /// Once differentiable.
    Matern32 {
        /// Length scale.
        width: Width,
    },
    /// Twice differentiable.
    Matern52 {
        /// Length scale.
        width: Width,
    },
    /// Heavy-tailed: `1 / sqrt(1 + r^2 / width^2)`.
    InverseMultiquadric {
        /// Length scale.
        width: Width,
    },
    /// Wendland's function: a polynomial in `r / width` that is zero from `r = width` on, positive
    /// definite up to the given dimension and `2 smoothness` times differentiable.
    Wendland {
        /// The support.
        width: Width,
        /// Number of features up to which it is positive definite.
        dimension: u32,
        /// 0 to 3.
        smoothness: u32,
    },
    /// A radial kernel made zero from `support` on: `(1 - r / support)_+^power k(r)`.
    Compact {
        /// The radial kernel.
        base: Box<Kernel>,
        /// Distance from which on it is zero.
        support: f64,
        /// `nu`; positive definite up to `2 nu - 1` features. Whole and half numbers are the fast ones.
        power: f64,
    },
    /// `(scale x.y + offset)^degree`.
    Polynomial {
        /// Power, at least 1.
        degree: u32,
        /// Factor of the inner product.
        scale: f64,
        /// Added to it; negative values lose positive definiteness.
        offset: f64,
    },
    /// The inner product itself.
    Linear,
    /// `tanh(scale x.y + offset)`.
    Sigmoid {
        /// Factor of the inner product.
        scale: f64,
        /// Added to it.
        offset: f64,
    },
}

impl Kernel {
    /// A Gaussian kernel of the given width.
    pub fn gaussian(width: impl Into<Width>) -> Self {
        Kernel::Gaussian { width: width.into() }
    }

    /// The width, for kernels that have one.
    pub fn width(&self) -> Option<&Width> {
        match self {
            Kernel::Gaussian { width }
            | Kernel::Laplacian { width }
            | Kernel::Matern32 { width }
            | Kernel::Matern52 { width }
            | Kernel::InverseMultiquadric { width }
            | Kernel::Wendland { width, .. } => Some(width),
            Kernel::Compact { base, .. } => base.width(),
            Kernel::Polynomial { .. } | Kernel::Linear | Kernel::Sigmoid { .. } => None,
        }
    }

    /// The same kind of kernel with another width; unchanged if it has none.
    pub fn with_width(&self, new: impl Into<Width>) -> Self {
        let mut kernel = self.clone();
        match &mut kernel {
            Kernel::Gaussian { width }
            | Kernel::Laplacian { width }
            | Kernel::Matern32 { width }
            | Kernel::Matern52 { width }
            | Kernel::InverseMultiquadric { width }
            | Kernel::Wendland { width, .. } => *width = new.into(),
            Kernel::Compact { base, .. } => **base = base.with_width(new),
            Kernel::Polynomial { .. } | Kernel::Linear | Kernel::Sigmoid { .. } => {}
        }
        kernel
    }

    /// True when `k` depends on the distance of its arguments alone (and then `k(x, x) = 1`).
    pub fn is_radial(&self) -> bool {
        self.width().is_some()
    }

    /// An error if a parameter lies outside its range.
    pub fn check(&self) -> Result<()> {
        let finite = |name, value: f64| {
            if value.is_finite() { Ok(()) } else { Err(Error::parameter(name, value, "a finite number")) }
        };
        if let Some(width) = self.width() {
            width.check()?;
        }
        self.check_compact()?;
        match self {
            Kernel::Polynomial { degree, scale, offset } => {
                if !(1..=64).contains(degree) {
                    return Err(Error::parameter("degree", degree, "a whole number from 1 to 64"));
                }
                finite("scale", *scale)?;
                finite("offset", *offset)
            }
            Kernel::Sigmoid { scale, offset } => {
                finite("scale", *scale)?;
                finite("offset", *offset)
            }
            _ => Ok(()),
        }
    }

    /// As [`check`](Self::check), and that the kernel fits data of `features` columns.
    pub fn check_for(&self, features: usize) -> Result<()> {
        self.check()?;
        match self.width() {
            Some(Width::PerFeature(widths)) => {
                check_len("widths of the kernel, one per feature", features, widths.len())
            }
            _ => Ok(()),
        }
    }

    /// The kernel made ready for evaluation in `T`.
    pub fn evaluator<T: Real>(&self) -> Evaluator<T> {
        Evaluator::new(self)
    }

    /// `k(x, y)` over the common length of the two.
    pub fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.evaluator().eval(x, y)
    }

    /// `k(x, x)`.
    pub fn diag(&self, x: &[f64]) -> f64 {
        if self.is_radial() { 1.0 } else { self.eval(x, x) }
    }
}
