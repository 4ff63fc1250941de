//! One side of a kernel matrix, made ready for rows of the other.

use super::block::TILE;
use super::inverted::Inverted;
use super::matrices::direct;
use super::product::Multiplied;
use super::{Centres, Evaluator, Kernel};
use crate::error::{Result, check_len};
use crate::matrix::{Point, Points};
use std::ops::Range;

/// From this many features on, a matrix product is quicker than comparing dense rows feature by feature: see the
/// test `how_long_products_take`.
pub(super) const MANY_FEATURES: usize = 96;

/// Rows that a product is worth preparing for, and that are evaluated together where few are wanted at a time.
const TOGETHER: usize = 16;

/// Points packed in the way that suits them: where both sides are dense, panels of eight, or rows for a matrix
/// product if they have many features; an inverted index where one side is sparse.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Direct(Evaluator<f64>, Centres),
    Multiplied(Multiplied),
    Inverted(Inverted),
}

impl Packed {
    /// `centres` for queries like `queries`: dense ones are compared by all their features, sparse ones by their
    /// nonzeros.
    pub(crate) fn new(kernel: &Kernel, centres: Points<'_>, queries: Points<'_>) -> Result<Self> {
        check_len("features per row", centres.cols(), queries.cols())?;
        kernel.check_for(centres.cols())?;
        let multiply = centres.cols() >= MANY_FEATURES && queries.rows() >= TOGETHER;
        let kind = match (centres.dense(), queries.dense()) {
            (Some(centres), Some(_)) if multiply => Kind::Multiplied(Multiplied::new(kernel, centres)),
            (Some(centres), Some(_)) => Kind::Direct(kernel.evaluator(), Centres::from_rows(centres)),
            _ => Kind::Inverted(Inverted::new(kernel, centres)),
        };
        Ok(Self { kind })
    }

    /// Number of centres.
    pub(crate) fn len(&self) -> usize {
        match &self.kind {
            Kind::Direct(_, centres) => centres.len(),
            Kind::Multiplied(multiplied) => multiplied.len(),
            Kind::Inverted(inverted) => inverted.len(),
        }
    }

    /// Columns of a block that are worth having at a time: few enough for a cache, and so many that finding where
    /// the columns of an index start costs little beside them.
    pub(crate) fn tile(&self) -> usize {
        match self.kind {
            Kind::Direct(..) | Kind::Multiplied(_) => TILE,
            Kind::Inverted(_) => 16 * TILE,
        }
    }

    /// Rows that [`rows`](Self::rows) is best asked for at a time.
    pub(crate) fn together(&self) -> usize {
        if matches!(self.kind, Kind::Multiplied(_)) { TOGETHER } else { 1 }
    }

    /// Kernel values of one query against the centres from number `first` on (a multiple of eight), as far as `out`
    /// goes.
    pub(crate) fn row(&self, query: Point<'_>, first: usize, out: &mut [f64]) {
        match &self.kind {
            Kind::Inverted(inverted) => inverted.row(query, first, out),
            Kind::Direct(evaluator, centres) => {
                evaluator.piece(&query.with_zeros(centres.dim()), centres, first, out);
            }
            Kind::Multiplied(multiplied) => multiplied.row(query, first, out),
        }
    }

    /// [`row`](Self::row) of some rows of `x`, one after the other in `out`, `columns` numbers each.
    pub(crate) fn rows(
        &self,
        x: Points<'_>,
        rows: Range<usize>,
        first: usize,
        columns: usize,
        out: &mut [f64],
    ) {
        if self.together() > 1 && rows.len() > 1 {
            return self.block(x.slice(rows.start, rows.end), first, columns, out, columns);
        }
        for (i, out) in rows.zip(out.chunks_mut(columns.max(1))) {
            self.row(x.point(i), first, out);
        }
    }

    /// Kernel values of all `rows` against the centres `first..first + columns` (`first` a multiple of eight); those of
    /// row `i` start at `out[i * stride]`.
    pub(crate) fn block(
        &self,
        rows: Points<'_>,
        first: usize,
        columns: usize,
        out: &mut [f64],
        stride: usize,
    ) {
        match (&self.kind, rows) {
            (Kind::Direct(evaluator, centres), Points::Dense(rows)) => {
                direct(evaluator, rows, centres, first, columns, out, stride);
            }
            (Kind::Multiplied(multiplied), Points::Dense(rows)) => {
                multiplied.block(rows, first, columns, out, stride);
            }
            _ => {
                for i in 0..rows.rows() {
                    self.row(rows.point(i), first, &mut out[i * stride..i * stride + columns]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{sums, symmetric, whole};
    use crate::matrix::Matrix;
    use proptest::prelude::*;
    use std::time::Instant;

    /// Rows far from the origin, some of them twice and some nearly so.
    fn points(n: usize, d: usize, offset: f64) -> Matrix {
        let number = |i: usize| offset + (i as f64 * 12.9898).sin();
        let mut x = Matrix::from_vec((0..n * d).map(number).collect(), n, d).unwrap();
        for i in (2..n).step_by(3) {
            let copy = x.row(i - 1).to_vec();
            x.row_mut(i).copy_from_slice(&copy);
            x.row_mut(i)[i % d] += if i % 2 == 0 { 1e-6 } else { 0.0 };
        }
        x
    }

    fn multiplied(kernel: &Kernel, x: &Matrix) -> Packed {
        Packed { kind: Kind::Multiplied(Multiplied::new(kernel, x.view())) }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn a_product_gives_what_features_one_by_one_give(
            n in 1usize..150, d in 1usize..130, offset in prop_oneof![Just(0.0), Just(50.0)],
        ) {
            let x = points(n, d, offset);
            let width = (d as f64).sqrt();
            let kernels = [
                Kernel::gaussian(width),
                Kernel::gaussian((0..d).map(|k| width + k as f64 * 0.01).collect::<Vec<_>>()),
                Kernel::Laplacian { width: width.into() },
                Kernel::compact_for(Kernel::Matern32 { width: width.into() }, 2.0 * width, 1),
                Kernel::Polynomial { degree: 2, scale: 1e-5, offset: 1.0 },
            ];
            let w = Matrix::column((0..n).map(|i| (i as f64).cos()).collect());
            for kernel in kernels {
                let (packed, points) = (multiplied(&kernel, &x), Points::from(&x));
                let want = kernel.gram(x.view()).unwrap();
                let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-10);
                prop_assert!(near(whole(&(points, &packed)).data(), want.data()), "{}", kernel);
                // The half that is computed is mirrored where there are many features.
                let gram = symmetric(&(points, &packed), MANY_FEATURES);
                prop_assert!(near(gram.data(), want.data()), "{}", kernel);
                for i in 0..n {
                    for j in 0..n {
                        prop_assert_eq!(gram[(i, j)], gram[(j, i)]);
                        if kernel.is_radial() && x.row(i) == x.row(j) { prop_assert_eq!(gram[(i, j)], 1.0); }
                    }
                }
                let want_sums = kernel.weighted_sum(x.view(), x.view(), w.view()).unwrap();
                prop_assert!(near(sums(&(points, &packed), w.view()).data(), want_sums.data()));
            }
        }
    }

    #[test]
    fn numbers_beyond_the_range_give_numbers() {
        let x = Matrix::from_vec(vec![-1e200, 0.0, 0.0, 0.0, 1e200, 1e200, 1e308, -1e308], 4, 2).unwrap();
        let kernel = Kernel::gaussian(1.0);
        let packed = multiplied(&kernel, &x);
        assert_eq!(whole(&(Points::from(&x), &packed)), kernel.gram(x.view()).unwrap());
    }

    /// Prints what [`MANY_FEATURES`] rests on: milliseconds for a matrix of 500 rows, either way.
    #[test]
    #[ignore = "a measurement of some seconds"]
    fn how_long_products_take() {
        for d in [16, 32, 64, 96, 128, 256, 784] {
            let x = points(500, d, 0.0);
            let kernel = Kernel::gaussian((d as f64).sqrt());
            let points = Points::from(&x);
            let direct = Packed { kind: Kind::Direct(kernel.evaluator(), Centres::from_rows(x.view())) };
            let product = multiplied(&kernel, &x);
            let time = |packed: &Packed| {
                let run = |_| {
                    let start = Instant::now();
                    std::hint::black_box(symmetric(&(points, packed), d));
                    start.elapsed().as_secs_f64()
                };
                1e3 * (0..40).map(run).fold(f64::INFINITY, f64::min)
            };
            println!("{d:4} features: direct {:.2} ms, product {:.2} ms", time(&direct), time(&product));
        }
    }
}
