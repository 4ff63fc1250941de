//! Nystrom features: functions of landmarks, with the kernel's own norm.
//!
//! For landmarks `v_1 .. v_M` with kernel matrix `K = L L'` the features of a row are `phi(x) = L^-1 k(x)`, where `k(x)` are
//! its kernels with the landmarks. Then `phi(x).phi(y) = k(x)' K^-1 k(y)`, which is `k(x, y)` where `x` or `y` is a landmark
//! and its projection elsewhere (Williams, Seeger, Using the Nystrom method to speed up kernel machines, 2001), and ridge
//! regression on `phi` is kernel ridge regression among the functions of the landmarks. `L` comes from a Cholesky
//! factorisation with pivoting that leaves out landmarks which those before explain: nothing is inverted blindly.

use super::Linear;
use super::random::{MEASURED, kernel_error};
use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points, Rows};
use crate::simd;
use groat_linalg::{Cholesky, PivotedCholesky};

/// Landmarks of which less than this share is new are left out.
const CUTOFF: f64 = 1e-11;

/// The features of landmarks.
///
/// ```
/// use groat::{Kernel, Rows, features::Nystrom};
/// let landmarks = [0.0, 1.0, 2.0, 2.0];
/// let map = Nystrom::new(&Kernel::gaussian(1.0), Rows::new(&landmarks, 1)?)?;
/// assert_eq!(map.size(), 3, "one of them stood there twice");
/// let phi = map.transform(Rows::new(&[0.3, 1.0], 1)?)?;
/// let product: f64 = phi.row(0).iter().zip(phi.row(1)).map(|(a, b)| a * b).sum();
/// assert!((product - (-0.245f64).exp()).abs() < 1e-12);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nystrom {
    kernel: Kernel,
    landmarks: PointSet,
    factor: Cholesky,
    /// The mean kernel of each landmark with the others.
    shift: Vec<f64>,
    /// The least share of a landmark that those before do not explain.
    weakest: f64,
}

impl Nystrom {
    /// The features of these landmarks, less those that the others explain.
    pub fn new<'a>(kernel: &Kernel, landmarks: impl Into<Points<'a>>) -> Result<Self> {
        let landmarks = landmarks.into();
        kernel.check_for(landmarks.cols())?;
        landmarks.check_finite("the landmarks")?;
        let m = landmarks.rows();
        if m == 0 {
            return Err(Error::TooFew { what: "Nystrom features", unit: "landmarks", needed: 1, found: 0 });
        }
        let between = gram::matrix(kernel, landmarks)?;
        let found = PivotedCholesky::factor(between.data(), m, CUTOFF)
            .map_err(Error::linear_algebra("the factorisation of the kernels between landmarks"))?;
        if found.order.is_empty() {
            let reason = "no kernel of a landmark with itself is above 0".to_owned();
            return Err(Error::Numerical { what: "the kernels between landmarks", reason });
        }
        let mean = |j: &usize| found.order.iter().map(|i| between[(*j, *i)]).sum::<f64>();
        let kept = found.order.len();
        let shift = found.order.iter().map(|j| mean(j) / kept as f64).collect();
        let share = |(i, j): (usize, &usize)| found.factor.lower_entry(i, i).powi(2) / between[(*j, *j)];
        let weakest = found.order.iter().enumerate().map(share).fold(f64::INFINITY, f64::min);
        let landmarks = landmarks.select(&found.order);
        Ok(Self { kernel: kernel.clone(), landmarks, factor: found.factor, shift, weakest })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The landmarks that were kept, in the order of the features.
    pub fn landmarks(&self) -> Points<'_> {
        self.landmarks.view()
    }

    /// Number of features.
    pub fn size(&self) -> usize {
        self.landmarks.rows()
    }

    /// The features of every row.
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>) -> Result<Matrix> {
        let x = x.into();
        check_len("features per row", self.landmarks.cols(), x.cols())?;
        x.check_finite("the input")?;
        let mut k = gram::cross(&self.kernel, x, self.landmarks.view())?;
        self.factor.solve_lower(k.data_mut())?;
        Ok(k)
    }

    /// The root mean square difference between the inner products of features and the kernel, over all pairs of up to 300
    /// of the rows given: what the landmarks leave unexplained.
    pub fn error<'x>(&self, x: impl Into<Points<'x>>) -> Result<f64> {
        let x = x.into();
        let x = x.slice(0, x.rows().min(MEASURED));
        kernel_error(&self.kernel, x, &self.transform(x)?)
    }

    /// The kernel expansion that a linear function of the features is.
    pub fn expansion(&self, function: &Linear) -> Result<Expansion> {
        let (m, q) = (self.size(), function.bias.len());
        check_len("features of the function", m, function.weights.rows())?;
        let mut columns: Vec<f64> = (0..q).flat_map(|c| function.weights.column_to_vec(c)).collect();
        self.factor.solve_upper(&mut columns)?;
        self.kernel_expansion(&columns, function.bias.clone())
    }

    /// The expansion with these coefficients, one column per output.
    fn kernel_expansion(&self, columns: &[f64], bias: Vec<f64>) -> Result<Expansion> {
        let mut weights = Matrix::zeros(self.size(), bias.len());
        for (c, column) in columns.chunks_exact(self.size()).enumerate() {
            column.iter().enumerate().for_each(|(j, v)| weights[(j, c)] = *v);
        }
        Expansion::new(self.kernel.clone(), self.landmarks.clone(), weights)?.with_bias(bias)
    }

    /// The expansion of coefficients of `k(x) - shift`, one column per output.
    pub(crate) fn shifted_expansion(&self, columns: &[f64], mut bias: Vec<f64>) -> Result<Expansion> {
        for (bias, column) in bias.iter_mut().zip(columns.chunks_exact(self.size())) {
            *bias -= simd::dot(column, &self.shift);
        }
        self.kernel_expansion(columns, bias)
    }

    /// The features that another map makes, from its numbers.
    pub(super) fn from_parts(
        kernel: Kernel,
        landmarks: Matrix,
        factor: Cholesky,
        shift: Vec<f64>,
        weakest: f64,
    ) -> Result<Self> {
        kernel.check_for(landmarks.cols())?;
        landmarks.view().check_finite("the landmarks")?;
        check_len("rows of the landmarks' factor", landmarks.rows(), factor.n())?;
        check_len("numbers of the landmarks' shift", landmarks.rows(), shift.len())?;
        Rows::one(&shift).check_finite("the landmarks' shift")?;
        Ok(Self { kernel, landmarks: landmarks.into(), factor, shift, weakest })
    }

    pub(crate) fn factor(&self) -> &Cholesky {
        &self.factor
    }

    pub(crate) fn shift(&self) -> &[f64] {
        &self.shift
    }

    pub(crate) fn weakest(&self) -> f64 {
        self.weakest
    }
}
