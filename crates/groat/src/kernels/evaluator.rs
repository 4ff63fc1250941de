//! A kernel made ready for evaluation.

use super::block::{TILE, TILE_PANELS, row};
use super::centres::LANES;
use super::compact::Taper;
use super::profile::{Form, Profile, split};
use super::{Centres, Kernel};
use crate::matrix::Real;
use crate::simd::{Arithmetic, multiversion};

/// A [`Kernel`] with its constants worked out for one number type.
///
/// Keep one where single rows are evaluated over and over; it allocates nothing.
///
/// ```
/// use groat::{Kernel, kernels::Centres};
/// let kernel = Kernel::gaussian(1.0).evaluator::<f64>();
/// let mut centres = Centres::new(1)?;
/// centres.push(&[0.0])?;
/// centres.push(&[1.0])?;
/// let mut k = [0.0; 2];
/// kernel.row(&[1.0], &centres, &mut k);
/// assert!((k[0] - (-0.5f64).exp()).abs() < 1e-15 && k[1] == 1.0);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluator<T = f64> {
    pub(super) form: Form<T>,
    profile: Profile<T>,
    taper: Option<Taper<T>>,
}

impl<T: Real> Evaluator<T> {
    pub(super) fn new(kernel: &Kernel) -> Self {
        let (form, profile, taper) = split(kernel);
        Self { form, profile, taper }
    }

    /// `c` if nothing but `exp(c s)` becomes of an accumulated value `s`.
    #[inline(always)]
    pub(super) fn exponent(&self) -> Option<T> {
        match (&self.profile, &self.taper) {
            (Profile::Gaussian(c), None) => Some(*c),
            _ => None,
        }
    }

    /// Turns accumulated values (squared distances, inner products) into kernel values.
    #[inline(always)]
    pub(super) fn finish<A: Arithmetic>(&self, values: &mut [T]) {
        match &self.taper {
            None => self.profile.apply::<A>(values),
            Some(taper) => taper.apply::<A>(values, &self.profile),
        }
    }

    /// Turns squared distances into values of a radial kernel. With one width per feature the distances
    /// must be those after division by the widths.
    pub fn radial(&self, squared: &mut [T]) {
        radial(self, squared);
    }

    /// `k(x, y)` over the common length of the two.
    pub fn eval(&self, x: &[T], y: &[T]) -> T {
        let pairs = x.iter().zip(y);
        let square = |a: &T, b: &T| (*a - *b) * (*a - *b);
        let s: T = match &self.form {
            Form::Distance => pairs.map(|(a, b)| square(a, b)).sum(),
            Form::WeightedDistance(c) => pairs.zip(c).map(|((a, b), c)| *c * square(a, b)).sum(),
            Form::Product => pairs.map(|(a, b)| *a * *b).sum(),
        };
        let mut value = [s];
        self.finish::<crate::simd::Baseline>(&mut value);
        value[0]
    }

    /// `k(x, c)` for every centre `c`, into the first `centres.len()` places of `out`.
    ///
    /// `x` must have `centres.dim()` features and `out` room for the result; what does not fit is left out.
    pub fn row(&self, x: &[T], centres: &Centres<T>, out: &mut [T]) {
        let n = centres.len().min(out.len());
        if x.len() == centres.dim() {
            self.columns(x, centres, 0, &mut out[..n]);
        }
    }

    /// [`row`](Self::row) from centre number `first` on, a multiple of a panel, as far as `out` goes.
    pub(super) fn piece(&self, x: &[T], centres: &Centres<T>, first: usize, out: &mut [T]) {
        let n = centres.len().saturating_sub(first).min(out.len());
        if x.len() == centres.dim() {
            self.columns(x, centres, first, &mut out[..n]);
        }
    }

    /// [`row`](Self::row) of whole panels, for which `out` has as many places: this spares the odd numbers at the end
    /// a slow loop of their own. What is beyond the last centre means nothing.
    pub(crate) fn whole_row(&self, x: &[T], centres: &Centres<T>, out: &mut [T]) {
        if x.len() == centres.dim() {
            self.columns(x, centres, 0, out);
        }
    }

    /// One row against `out.len()` columns of the panels, from number `first` on.
    fn columns(&self, x: &[T], centres: &Centres<T>, first: usize, out: &mut [T]) {
        for (tile, out) in out.chunks_mut(TILE).enumerate() {
            row(self, x, centres.panels(first / LANES + tile * TILE_PANELS), out);
        }
    }
}

#[inline(always)]
fn radial_body<A: Arithmetic, T: Real>(evaluator: &Evaluator<T>, squared: &mut [T]) {
    evaluator.finish::<A>(squared);
}
multiversion! {
    fn radial<T: Real>(evaluator: &Evaluator<T>, squared: &mut [T]) = radial_body
}
