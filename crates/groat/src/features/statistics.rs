//! What a least-squares fit on features needs to know of the rows, in numbers that can be added, taken away and sent.
//!
//! With `phi` the `M` features of a row, `y` its answers and `w` its weight, the statistics are `sum w phi phi'`,
//! `sum w phi y'`, `sum w phi`, `sum w y`, `sum w y^2` and `sum w`. From them follow, without the rows,
//!
//! - the ridge regression with a free constant for every ridge: `(S + ridge I) beta = s`, where `S` and `s` are the sums less
//!   their means, one Cholesky factorisation each (a full eigendecomposition costs as much as some thirty of them);
//! - the mean square error of any linear function of the features on these rows, so that a part that was kept apart
//!   ([`FoldStatistics`]) judges a fit to the others.
//!
//! Parts are fitted by themselves, on other threads or machines, and [merged](Statistics::merge): the numbers are sums, and
//! differ from those of one pass by the rounding of additions alone, `n` units in the last place at worst. What becomes of
//! that in the coefficients is multiplied by the condition of `S + ridge I`, at most `sum w |phi|^2 / ridge`.
//!
//! Memory: `M^2` numbers. Time: `n M^2` multiplications at the speed of a matrix product.

use crate::error::{Error, Result, check_len, check_not_negative};
use crate::matrix::{Matrix, Rows};
use crate::persist::{Container, Tensor};
use crate::simd;
use groat_linalg::{Cholesky, View, ViewMut, Write, add_self_product, add_self_product_single, product};
use rayon::prelude::*;

const KIND: &str = "statistics";
/// Features that one thread adds up.
const COLUMNS: usize = 128;

/// Sums over rows of features and answers.
///
/// ```
/// use groat::{Matrix, features::Statistics};
/// let x = Matrix::column((0..100).map(f64::from).collect());
/// let y = Matrix::column((0..100).map(|i| 3.0 - 2.0 * f64::from(i)).collect());
/// let mut all = Statistics::new(1, 1);
/// for (start, end) in [(0, 30), (30, 60), (60, 100)] {
///     let mut part = Statistics::new(1, 1);
///     part.push(x.view().slice(start, end), y.view().slice(start, end), None)?;
///     all.merge(&Statistics::from_bytes(&part.to_bytes()?)?)?;
/// }
/// let line = all.solve(&[1e-6])?.remove(0);
/// assert!((line.weights[(0, 0)] + 2.0).abs() < 1e-6 && (line.bias[0] - 3.0).abs() < 1e-4);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    size: usize,
    rows: u64,
    weight: f64,
    /// `sum w phi phi'`, column-major, the lower triangle.
    gram: Vec<f64>,
    /// `sum w phi y_c` for every output and `sum w phi` after them, one column each.
    products: Vec<f64>,
    /// `sum w y_c`.
    targets: Vec<f64>,
    /// `sum w y_c^2`.
    squares: Vec<f64>,
}

/// A linear function of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// One row per feature, one column per output.
    pub weights: Matrix,
    /// One constant per output.
    pub bias: Vec<f64>,
}

impl Linear {
    /// The answers to rows of features: one column per output.
    pub fn values(&self, features: Rows<'_>) -> Result<Matrix> {
        check_len("features per row", self.weights.rows(), features.cols())?;
        let (n, q) = (features.rows(), self.bias.len());
        let mut out = Matrix::from_vec(self.bias.repeat(n), n, q)?;
        let to = ViewMut::row_major(out.data_mut(), n, q)?;
        let left = View::row_major(features.data(), n, features.cols())?;
        product(1.0, left, View::row_major(self.weights.data(), features.cols(), q)?, Write::Add, to)?;
        Ok(out)
    }
}

impl Statistics {
    /// No rows yet.
    pub fn new(features: usize, outputs: usize) -> Self {
        Self {
            size: features,
            rows: 0,
            weight: 0.0,
            gram: vec![0.0; features * features],
            products: vec![0.0; features * (outputs + 1)],
            targets: vec![0.0; outputs],
            squares: vec![0.0; outputs],
        }
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.size
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.targets.len()
    }

    /// Rows seen.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The sum of their weights.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Bytes that the sums of so many features take.
    pub fn bytes_for(features: usize) -> u64 {
        8 * (features as u64).pow(2)
    }

    /// Adds rows: their features, their answers, and how much each counts where not all count alike.
    pub fn push(&mut self, features: Rows<'_>, y: Rows<'_>, weights: Option<&[f64]>) -> Result<()> {
        check_len("features per row", self.size, features.cols())?;
        let (n, m) = (features.rows(), self.size);
        let right = self.add_targets(n, y, weights)?;
        let scaled = weights.map(|weights| roots_times(features, weights));
        let data = scaled.as_ref().map_or(features.data(), |scaled| scaled.data());
        let view = View::row_major(data, n, m)?;
        add_self_product(view, &mut self.gram)?;
        let columns = self.targets.len() + 1;
        let to = ViewMut::column_major(&mut self.products, m, columns)?;
        Ok(product(1.0, view.t(), View::row_major(&right, n, columns)?, Write::Add, to)?)
    }

    /// [`push`](Self::push) of features in single precision: products in single, sums over calls in double.
    pub(crate) fn push_single(
        &mut self,
        mut features: Matrix<f32>,
        y: Rows<'_>,
        weights: Option<&[f64]>,
    ) -> Result<()> {
        check_len("features per row", self.size, features.cols())?;
        let (n, m, columns) = (features.rows(), self.size, self.targets.len() + 1);
        let right = self.add_targets(n, y, weights)?;
        for (i, weight) in weights.unwrap_or_default().iter().enumerate() {
            let root = weight.sqrt() as f32;
            features.row_mut(i).iter_mut().for_each(|v| *v *= root);
        }
        add_self_product_single(features.data(), m, &mut self.gram)?;
        for c in 0..columns {
            let sums = self.products[c * m..(c + 1) * m].par_chunks_mut(COLUMNS);
            sums.enumerate().for_each(|(part, sums)| {
                let from = part * COLUMNS;
                for (i, row) in features.data().chunks_exact(m).enumerate() {
                    let factor = right[i * columns + c];
                    let row = &row[from..from + sums.len()];
                    sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += factor * f64::from(*v));
                }
            });
        }
        Ok(())
    }

    /// Adds what concerns the answers alone; returns answers and a 1 for every row, times the roots of the weights.
    fn add_targets(&mut self, n: usize, y: Rows<'_>, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        check_len("rows of the target", n, y.rows())?;
        check_len("outputs", self.targets.len(), y.cols())?;
        if let Some(weights) = weights {
            check_len("sample weights", n, weights.len())?;
            weights.iter().try_for_each(|w| check_not_negative("sample weight", *w))?;
        }
        let mut right = Vec::with_capacity(n * (y.cols() + 1));
        for (i, y) in y.iter().enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[i]);
            let root = weight.sqrt();
            right.extend(y.iter().map(|y| root * y));
            right.push(root);
            self.targets.iter_mut().zip(y).for_each(|(sum, y)| *sum += weight * y);
            self.squares.iter_mut().zip(y).for_each(|(sum, y)| *sum += weight * y * y);
            self.weight += weight;
        }
        self.rows += n as u64;
        Ok(right)
    }

    /// Adds the rows of other statistics.
    pub fn merge(&mut self, other: &Statistics) -> Result<()> {
        self.combine(1.0, other)?;
        self.rows += other.rows;
        Ok(())
    }

    /// Takes away the rows of other statistics, which are among these.
    pub fn remove(&mut self, other: &Statistics) -> Result<()> {
        self.combine(-1.0, other)?;
        self.rows = self.rows.saturating_sub(other.rows);
        Ok(())
    }

    fn combine(&mut self, sign: f64, other: &Statistics) -> Result<()> {
        check_len("features of merged statistics", self.size, other.size)?;
        check_len("outputs of merged statistics", self.targets.len(), other.targets.len())?;
        simd::axpy(sign, &other.gram, &mut self.gram);
        simd::axpy(sign, &other.products, &mut self.products);
        simd::axpy(sign, &other.targets, &mut self.targets);
        simd::axpy(sign, &other.squares, &mut self.squares);
        self.weight += sign * other.weight;
        Ok(())
    }

    /// The statistics of the features `L^-1 phi`, without the rows.
    pub(crate) fn whitened(&self, factor: &Cholesky) -> Result<Self> {
        let m = self.size;
        let mut out = self.clone();
        mirror(&mut out.gram, m);
        factor.solve_lower(&mut out.gram)?;
        transpose(&mut out.gram, m);
        factor.solve_lower(&mut out.gram)?;
        factor.solve_lower(&mut out.products)?;
        Ok(out)
    }

    /// The mean of each feature.
    pub(crate) fn mean(&self) -> Vec<f64> {
        self.sums().iter().map(|v| v / self.weight).collect()
    }

    /// The mean of each output.
    pub(crate) fn level(&self) -> Vec<f64> {
        self.targets.iter().map(|y| y / self.weight).collect()
    }

    fn sums(&self) -> &[f64] {
        &self.products[self.targets.len() * self.size..]
    }

    /// `sum w (phi - mean)(phi - mean)'` times a factor, and a ridge on its diagonal: full, column-major.
    pub(crate) fn covariance(&self, factor: f64, ridge: f64) -> Vec<f64> {
        let (m, mean) = (self.size, self.mean());
        let mut out = self.gram.clone();
        for (j, column) in out.chunks_exact_mut(m.max(1)).enumerate() {
            let level = self.weight * mean[j];
            column[j..].iter_mut().zip(&mean[j..]).for_each(|(v, mean)| *v = factor * (*v - level * mean));
            column[j] += ridge;
        }
        mirror(&mut out, m);
        out
    }

    /// `sum w (phi - mean)(y - level)'`, one column per output.
    pub(crate) fn covariances_with_targets(&self) -> Vec<f64> {
        let (m, mean) = (self.size, self.mean());
        let columns = self.products[..m * self.targets.len()].chunks_exact(m.max(1));
        let centred = |(column, total): (&[f64], &f64)| -> Vec<f64> {
            column.iter().zip(&mean).map(|(v, mean)| v - mean * total).collect()
        };
        columns.zip(&self.targets).flat_map(centred).collect()
    }

    /// The ridge regression with a constant that is not penalised, for each ridge.
    pub fn solve(&self, ridges: &[f64]) -> Result<Vec<Linear>> {
        if self.weight <= 0.0 {
            return Err(Error::TooFew { what: "ridge regression", unit: "rows", needed: 1, found: 0 });
        }
        let right = self.covariances_with_targets();
        ridges
            .iter()
            .map(|ridge| {
                let mut beta = right.clone();
                self.factor(1.0, *ridge)?.solve(&mut beta)?;
                self.linear(&beta)
            })
            .collect()
    }

    /// The factor of `scale S + ridge I`, with as little more on the diagonal as rounding makes necessary.
    pub(crate) fn factor(&self, scale: f64, ridge: f64) -> Result<Cholesky> {
        check_not_negative("ridge", ridge)?;
        let largest = (0..self.size).map(|j| self.gram[j * (self.size + 1)]).fold(0.0, f64::max);
        let attempt = |jitter: f64| {
            Cholesky::factor(self.covariance(scale, ridge + jitter * scale * largest), self.size)
        };
        let others = [1e-14, 1e-12, 1e-10, 1e-8, 1e-6].into_iter();
        let found = others.fold(attempt(0.0), |found, jitter| found.or_else(|_| attempt(jitter)));
        found.map_err(|source| Error::LinearAlgebra {
            what: "ridge regression on features",
            source,
            advice: format!("raise the ridge (now {ridge}): the features depend on each other"),
        })
    }

    /// The function with these coefficients (one column per output) of the features less their means.
    pub(crate) fn linear(&self, beta: &[f64]) -> Result<Linear> {
        let (m, mean, mut bias) = (self.size, self.mean(), self.level());
        let mut weights = Matrix::zeros(m, bias.len());
        for (c, column) in beta.chunks_exact(m.max(1)).enumerate() {
            column.iter().enumerate().for_each(|(j, v)| weights[(j, c)] = *v);
            bias[c] -= simd::dot(column, &mean);
        }
        weights.view().check_finite("the weights")?;
        Ok(Linear { weights, bias })
    }

    /// The mean square error of a linear function on these rows, one number per output.
    ///
    /// It is a difference of sums: below about `1e-12` of the mean square of the target it is rounding.
    pub fn mean_squared(&self, function: &Linear) -> Result<Vec<f64>> {
        check_len("features of the function", self.size, function.weights.rows())?;
        check_len("outputs of the function", self.targets.len(), function.bias.len())?;
        let (m, q) = (self.size, self.targets.len());
        let columns: Vec<f64> = (0..q).flat_map(|c| function.weights.column_to_vec(c)).collect();
        let mut full = self.gram.clone();
        mirror(&mut full, m);
        let mut image = vec![0.0; m * q];
        let to = ViewMut::column_major(&mut image, m, q)?;
        let weights = View::column_major(&columns, m, q)?;
        product(1.0, View::column_major(&full, m, m)?, weights, Write::Replace, to)?;
        let each = |c: usize| {
            let (w, b) = (&columns[c * m..(c + 1) * m], function.bias[c]);
            let along = simd::dot(w, &self.products[c * m..(c + 1) * m]);
            let quadratic = simd::dot(w, &image[c * m..(c + 1) * m]);
            let constant = b * (b * self.weight + 2.0 * simd::dot(w, self.sums()) - 2.0 * self.targets[c]);
            ((self.squares[c] - 2.0 * along + quadratic + constant) / self.weight).max(0.0)
        };
        Ok((0..q).map(each).collect())
    }

    /// The lower triangle of the sums of products, column by column.
    fn lower(&self) -> Vec<f64> {
        let columns = (0..self.size).map(|j| &self.gram[j * self.size + j..(j + 1) * self.size]);
        columns.flatten().copied().collect()
    }

    /// All sums one after the other: those of two sets of rows, added number by number, are those of both together.
    pub(crate) fn sums_in_line(&self) -> Vec<f64> {
        let counts = [self.weight, self.rows as f64];
        [&self.lower()[..], &self.products, &self.targets, &self.squares, &counts].concat()
    }

    /// How many numbers [`sums_in_line`](Self::sums_in_line) has.
    pub(crate) fn line_length(size: usize, outputs: usize) -> usize {
        triangle(size) + size * (outputs + 1) + 2 * outputs + 2
    }

    /// Statistics from sums in line.
    pub(crate) fn from_line(line: &[f64], size: usize, outputs: usize) -> Result<Self> {
        check_len("numbers of the statistics", Self::line_length(size, outputs), line.len())?;
        let (lower, rest) = line.split_at(triangle(size));
        let (products, rest) = rest.split_at(size * (outputs + 1));
        let (targets, rest) = rest.split_at(outputs);
        let (squares, counts) = rest.split_at(outputs);
        Ok(Self {
            size,
            rows: counts[1] as u64,
            weight: counts[0],
            gram: square(lower, size),
            products: products.to_vec(),
            targets: targets.to_vec(),
            squares: squares.to_vec(),
        })
    }

    /// The numbers as bytes, to be sent or kept.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut file = Container::new(KIND);
        file.put("gram", Tensor::vector(&self.lower()));
        file.put("products", Tensor::vector(&self.products));
        file.put("targets", Tensor::vector(&self.targets));
        file.put("squares", Tensor::vector(&self.squares));
        file.put("weight", Tensor::vector(&[self.weight]));
        file.put("counts", Tensor::indices([self.size as u64, self.rows]));
        file.to_bytes()
    }

    /// Statistics from bytes. Whatever the bytes are, the answer is statistics or an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut file = Container::from_bytes(bytes)?;
        if file.kind() != KIND {
            return Err(Error::parse("statistics", file.kind(), "the bytes hold something else"));
        }
        let counts = file.take("counts")?.into_indices("counts")?;
        let [size, rows] = counts[..] else {
            return Err(Error::Shape { what: "counts of statistics", expected: 2, found: counts.len() });
        };
        let mut vector = |name| file.take(name)?.into_vector(name);
        let (lower, products) = (vector("gram")?, vector("products")?);
        let (targets, squares, weight) = (vector("targets")?, vector("squares")?, vector("weight")?);
        file.nothing_left()?;
        check_len("sums of products of statistics", triangle(size), lower.len())?;
        check_len("sums of statistics", size.saturating_mul(targets.len() + 1), products.len())?;
        check_len("sums of squares of statistics", targets.len(), squares.len())?;
        check_len("weights of statistics", 1, weight.len())?;
        let all = lower.iter().chain(&products).chain(&targets).chain(&squares).chain(&weight);
        if let Some(bad) = all.copied().find(|v| !v.is_finite()) {
            return Err(Error::parameter("a number of the statistics", bad, "a finite number"));
        }
        let gram = square(&lower, size);
        Ok(Self { size, rows: rows as u64, weight: weight[0], gram, products, targets, squares })
    }
}

fn triangle(size: usize) -> usize {
    size.saturating_mul(size.saturating_add(1)) / 2
}

/// A column-major matrix with these columns of its lower triangle.
fn square(lower: &[f64], size: usize) -> Vec<f64> {
    let (mut out, mut from) = (vec![0.0; size * size], lower);
    for j in 0..size {
        let (column, rest) = from.split_at(size - j);
        out[j * size + j..(j + 1) * size].copy_from_slice(column);
        from = rest;
    }
    out
}

/// The rows times the roots of their weights.
fn roots_times(features: Rows<'_>, weights: &[f64]) -> Matrix {
    let mut scaled = features.to_matrix();
    for (i, weight) in weights.iter().enumerate() {
        let root = weight.sqrt();
        scaled.row_mut(i).iter_mut().for_each(|v| *v *= root);
    }
    scaled
}

/// Side of the squares in which a matrix is turned over: both walks stay in the cache.
const SIDE: usize = 32;

/// Calls `visit(i, j)` for every place below the diagonal, square by square.
fn below_diagonal(n: usize, mut visit: impl FnMut(usize, usize)) {
    for jb in (0..n).step_by(SIDE) {
        for ib in (jb..n).step_by(SIDE) {
            for j in jb..(jb + SIDE).min(n) {
                (ib.max(j + 1)..(ib + SIDE).min(n)).for_each(|i| visit(i, j));
            }
        }
    }
}

/// Copies the lower triangle onto the upper one.
fn mirror(a: &mut [f64], n: usize) {
    below_diagonal(n, |i, j| a[j + i * n] = a[i + j * n]);
}

fn transpose(a: &mut [f64], n: usize) {
    below_diagonal(n, |i, j| a.swap(j + i * n, i + j * n));
}
