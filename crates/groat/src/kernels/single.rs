//! One side of a matrix of radial kernels in single precision, for rows of the other that come later.
//!
//! As in `rough.rs`, coordinates are taken from the middle of the points and divided by their widths before they are rounded,
//! so that a kernel value is off by about `1e-7` wherever the data lie. Sums over such values are the caller's affair, and
//! belong in double precision.

use super::matrices::direct;
use super::packed::MANY_FEATURES;
use super::profile::Form;
use super::{Centres, Evaluator, Kernel, Width};
use crate::matrix::{Matrix, Rows};

/// Coordinates beyond this are not squared in single precision.
const LARGEST: f64 = 1e15;

/// Points that belong to the columns of a kernel matrix.
#[derive(Clone, Debug)]
pub(crate) struct Single {
    evaluator: Evaluator<f32>,
    centres: Centres<f32>,
    /// The middle of the points.
    middle: Vec<f64>,
    /// One over the width of each feature, where each has its own.
    scales: Vec<f64>,
}

impl Single {
    /// These points, where kernel and numbers allow it.
    pub(crate) fn new(kernel: &Kernel, points: Rows<'_>) -> Option<Self> {
        let (n, dim) = (points.rows(), points.cols());
        if !kernel.is_radial() || n == 0 || !(1..MANY_FEATURES).contains(&dim) {
            return None;
        }
        let scales = match kernel.width() {
            Some(Width::PerFeature(widths)) => widths.iter().map(|width| 1.0 / width).collect(),
            _ => vec![1.0; dim],
        };
        let mut middle = vec![0.0; dim];
        points.iter().for_each(|row| middle.iter_mut().zip(row).for_each(|(m, v)| *m += v / n as f64));
        // What widths of their own do to a distance is done already.
        let mut evaluator = kernel.evaluator();
        evaluator.form = Form::Distance;
        let mut single = Self { evaluator, centres: Centres::new(dim).ok()?, middle, scales };
        let coordinates = single.coordinates(points);
        let sound = coordinates.data().iter().all(|v| f64::from(v.abs()) <= LARGEST);
        single.centres = Centres::from_rows(coordinates.view());
        sound.then_some(single)
    }

    fn coordinates(&self, rows: Rows<'_>) -> Matrix<f32> {
        let mut out = Matrix::zeros(rows.rows(), rows.cols());
        for (i, row) in rows.iter().enumerate() {
            let places = row.iter().zip(&self.middle).zip(&self.scales);
            out.row_mut(i).iter_mut().zip(places).for_each(|(to, ((v, m), s))| *to = ((v - m) * s) as f32);
        }
        out
    }

    /// Kernel values of all rows, one row after the other, on this thread.
    pub(crate) fn block(&self, rows: Rows<'_>, out: &mut [f32]) {
        let n = self.centres.len();
        direct(&self.evaluator, self.coordinates(rows).view(), &self.centres, 0, n, out, n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]
        #[test]
        fn values_are_those_of_the_kernel_to_seven_digits(
            n in 1usize..30, d in 1usize..12, offset in prop_oneof![Just(0.0), Just(1e4)], width in 0.3f64..5.0,
        ) {
            let number = |i: usize| offset + (i as f64 * 12.9898).sin();
            let v = Matrix::from_vec((0..n * d).map(number).collect(), n, d).unwrap();
            let x = Matrix::from_vec((0..9 * d).map(|i| number(7 * i + 3)).collect(), 9, d).unwrap();
            let widths: Vec<f64> = (0..d).map(|k| width * (1.0 + 0.2 * k as f64)).collect();
            let kernels = [
                Kernel::gaussian(width),
                Kernel::gaussian(widths.clone()),
                Kernel::Matern52 { width: widths.into() },
                Kernel::InverseMultiquadric { width: width.into() },
                Kernel::compact_for(Kernel::Matern32 { width: width.into() }, 4.0 * width, d),
            ];
            for kernel in kernels {
                let want = kernel.cross(x.view(), v.view()).unwrap();
                let mut got = vec![0.0; 9 * n];
                Single::new(&kernel, v.view()).unwrap().block(x.view(), &mut got);
                for (got, want) in got.iter().zip(want.data()) {
                    prop_assert!((f64::from(*got) - want).abs() < 5e-6, "{kernel}: {got} {want}");
                }
            }
        }
    }

    #[test]
    fn what_single_precision_cannot_hold_is_left_to_double() {
        let far = Matrix::from_vec(vec![0.0, 1e200], 2, 1).unwrap();
        assert!(Single::new(&Kernel::gaussian(1.0), far.view()).is_none());
        let near = Matrix::from_vec(vec![0.0, 1.0], 2, 1).unwrap();
        assert!(Single::new(&Kernel::Linear, near.view()).is_none());
        // A query so far away has no kernel with anything.
        let mut out = [1.0; 4];
        Single::new(&Kernel::gaussian(1.0), near.view()).unwrap().block(far.view(), &mut out);
        assert_eq!(out[2..], [0.0, 0.0]);
    }
}
