//! The one kernel matrix that learners read from.

use super::memory::{Form, Memory, Need, Plan};
use super::{SparseGram, Stored, Symmetric, cross, diagonal, matrix};
use crate::error::{Result, check_len};
use crate::kernels::{Kernel, Packed, sums};
use crate::matrix::{Matrix, Points, Real};
use groat_linalg::{View, ViewMut, Write, product};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that one thread evaluates together.
const GROUP: usize = 16;

/// The matrix `k(a_i, b_j)` in the form that suits what is done with it and the memory there is.
///
/// ```
/// use groat::{Kernel, Rows, gram::{Form, Gram, Memory, Need}};
/// let x: Vec<f64> = (0..50).map(f64::from).collect();
/// let gram = Gram::new(&Kernel::gaussian(1.0), Rows::new(&x, 1)?, Need::Products, Memory::default())?;
/// assert_eq!(gram.plan().form, Form::Double);
/// let (ones, mut sums) = (vec![1.0; 50], vec![0.0; 50]);
/// gram.multiply(&ones, &mut sums)?;
/// assert!((sums[25] - 2.506628).abs() < 1e-6);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gram<'a> {
    kernel: Kernel,
    a: Points<'a>,
    b: Points<'a>,
    plan: Plan,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    Double(Matrix),
    Single(Stored<f32>),
    Half(Symmetric),
    Sparse(SparseGram),
    Blocked(Box<Packed>),
}

impl<'a> Gram<'a> {
    /// The symmetric matrix of the rows of `x`.
    pub fn new(kernel: &Kernel, x: impl Into<Points<'a>>, need: Need, memory: Memory) -> Result<Self> {
        let x = x.into();
        kernel.check_for(x.cols())?;
        if let Some(gram) = Self::sparse(kernel, x, need, memory)? {
            let plan = gram.plan(memory);
            return Ok(Self { kernel: kernel.clone(), a: x, b: x, plan, held: Held::Sparse(gram) });
        }
        let plan = Plan::choose(need, x.rows(), x.rows(), x.bytes(), memory)?;
        let held = match plan.form {
            Form::Double => Held::Double(matrix(kernel, x)?),
            Form::Single => Held::Half(Symmetric::new(&Packed::new(kernel, x, x)?, x)),
            _ => Held::Blocked(Box::new(Packed::new(kernel, x, x)?)),
        };
        Ok(Self { kernel: kernel.clone(), a: x, b: x, plan, held })
    }

    /// The matrix of the rows of `a` and those of `b`.
    pub fn between(
        kernel: &Kernel,
        a: impl Into<Points<'a>>,
        b: impl Into<Points<'a>>,
        need: Need,
        memory: Memory,
    ) -> Result<Self> {
        let (a, b) = (a.into(), b.into());
        let plan = Plan::choose(need, a.rows(), b.rows(), b.bytes(), memory)?;
        let held = match plan.form {
            Form::Double => Held::Double(cross(kernel, a, b)?),
            Form::Single => {
                let packed = Packed::new(kernel, b, a)?;
                let (columns, rows) = (b.rows(), a.rows());
                let fill = |i: usize, out: &mut [f64]| {
                    packed.rows(a, i..i + out.len() / columns.max(1), 0, columns, out);
                };
                Held::Single(Stored::fill_many(columns, rows, packed.together(), fill))
            }
            _ => Held::Blocked(Box::new(Packed::new(kernel, b, a)?)),
        };
        Ok(Self { kernel: kernel.clone(), a, b, plan, held })
    }

    /// The nonzeros alone, where products with them are quicker or nothing else fits.
    fn sparse(kernel: &Kernel, x: Points<'a>, need: Need, memory: Memory) -> Result<Option<SparseGram>> {
        if !matches!(need, Need::Products | Need::RoughProducts) {
            return Ok(None);
        }
        let n = x.rows();
        let dense_fits = Plan::choose(need, n, n, x.bytes(), memory).is_ok_and(|p| p.form != Form::Blocked);
        match SparseGram::worth(kernel, x, dense_fits)? {
            Some((_, indexed)) => SparseGram::assemble_from(kernel, &indexed, memory).map(Some),
            None => Ok(None),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.a.rows()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.b.rows()
    }

    /// The form it has, and what that takes.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// `k(a_i, a_i)` for every row: the diagonal of a symmetric matrix.
    pub fn diagonal(&self) -> Vec<f64> {
        diagonal(&self.kernel, self.a)
    }

    /// Writes row `i`, of as many numbers as there are columns.
    pub fn row(&self, i: usize, out: &mut [f64]) {
        match &self.held {
            Held::Double(k) => out.copy_from_slice(k.row(i)),
            Held::Single(k) => k.piece(i, 0, out),
            Held::Half(k) => k.piece(i, 0, out),
            Held::Sparse(k) => k.row(i, out),
            Held::Blocked(packed) => packed.row(self.a.point(i), 0, out),
        }
    }

    /// Writes several rows, each into the slice that stands beside its number, on all threads.
    pub(crate) fn fill<T: Real>(&self, rows: &mut [(usize, &mut [T])]) {
        rows.par_chunks_mut(GROUP).for_each(|group| match &self.held {
            Held::Blocked(packed) => {
                let chosen: Vec<usize> = group.iter().map(|(i, _)| *i).collect();
                let (points, columns, tile) = (self.a.select(&chosen), self.columns(), packed.tile());
                let mut values = vec![0.0; group.len() * tile.min(columns)];
                for first in (0..columns).step_by(tile) {
                    let width = tile.min(columns - first);
                    packed.block(points.view(), first, width, &mut values, width);
                    for ((_, to), from) in group.iter_mut().zip(values.chunks_exact(width)) {
                        round_to(from, &mut to[first..first + width]);
                    }
                }
            }
            _ => {
                let mut values = vec![0.0; self.columns()];
                for (i, to) in group {
                    self.row(*i, &mut values);
                    round_to(&values, to);
                }
            }
        });
    }

    /// A copy of some rows and columns.
    pub fn block(&self, rows: Range<usize>, columns: Range<usize>) -> Result<Matrix> {
        if let Held::Blocked(_) = &self.held {
            let (a, b) = (self.a.slice(rows.start, rows.end), self.b.slice(columns.start, columns.end));
            return cross(&self.kernel, a, b);
        }
        let (mut out, mut row) = (Matrix::zeros(rows.len(), columns.len()), vec![0.0; self.columns()]);
        for (to, i) in rows.enumerate() {
            self.row(i, &mut row);
            out.row_mut(to).copy_from_slice(&row[columns.clone()]);
        }
        Ok(out)
    }

    /// `out = K v` for one or more vectors, one after the other in `vectors` and in `out`.
    pub fn multiply(&self, vectors: &[f64], out: &mut [f64]) -> Result<()> {
        let (m, n) = (self.rows(), self.columns());
        let count = vectors.len() / n.max(1);
        check_len("numbers in the vectors of a product", n * count, vectors.len())?;
        check_len("numbers in the result of a product", m * count, out.len())?;
        Ok(self.apply(vectors, out)?)
    }

    /// [`multiply`](Self::multiply) for those who know that the sizes agree, as an operator of linear algebra.
    pub(crate) fn apply(&self, vectors: &[f64], out: &mut [f64]) -> groat_linalg::Result<()> {
        let (m, n) = (self.rows(), self.columns());
        let count = vectors.len() / n.max(1);
        let each: Vec<&[f64]> = vectors.chunks_exact(n.max(1)).collect();
        match &self.held {
            Held::Double(k) => {
                let (k, v) = (View::row_major(k.data(), m, n)?, View::column_major(vectors, n, count)?);
                product(1.0, k, v, Write::Replace, ViewMut::column_major(out, m, count)?)?;
            }
            Held::Single(k) => by_rows(m, count, out, |out| k.products(&each, out)),
            Held::Half(k) => by_rows(m, count, out, |out| k.products(&each, out)),
            Held::Sparse(k) => {
                for (v, out) in each.iter().zip(out.chunks_exact_mut(m.max(1))) {
                    k.multiply(v, out)?;
                }
            }
            Held::Blocked(packed) => {
                let mut weights = Matrix::zeros(n, count);
                for (c, v) in each.iter().enumerate() {
                    v.iter().enumerate().for_each(|(j, v)| weights[(j, c)] = *v);
                }
                let products = sums(&(self.a, &**packed), weights.view());
                by_rows(m, count, out, |out| out.copy_from_slice(products.data()));
            }
        }
        Ok(())
    }

    /// The whole matrix in double precision, where it is stored so.
    pub fn as_matrix(&self) -> Option<&Matrix> {
        match &self.held {
            Held::Double(k) => Some(k),
            _ => None,
        }
    }

    /// The whole matrix in double precision; nothing is copied where it is stored so.
    pub fn into_matrix(self) -> Result<Matrix> {
        match self.held {
            Held::Double(k) => Ok(k),
            _ => self.block(0..self.rows(), 0..self.columns()),
        }
    }

    /// The nonzeros, where only they are stored.
    pub fn as_sparse(&self) -> Option<&SparseGram> {
        match &self.held {
            Held::Sparse(k) => Some(k),
            _ => None,
        }
    }
}

/// The numbers in the precision of where they go.
fn round_to<T: Real>(from: &[f64], to: &mut [T]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = T::from_f64(*from));
}

/// Runs a product whose results stand row by row, `count` numbers each, and brings them into columns.
fn by_rows(rows: usize, count: usize, out: &mut [f64], run: impl FnOnce(&mut [f64])) {
    if count <= 1 {
        return run(out);
    }
    let mut wide = vec![0.0; rows * count];
    run(&mut wide);
    for (c, column) in out.chunks_exact_mut(rows.max(1)).enumerate() {
        column.iter_mut().zip(wide.chunks_exact(count)).for_each(|(to, row)| *to = row[c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    /// Every form of a matrix of `n` rows gives the same rows, blocks and products.
    fn check(kernel: &Kernel, x: Points<'_>, need: Need, memory: u64, form: Form, rounding: f64) {
        let gram = Gram::new(kernel, x, need, memory.into()).unwrap();
        assert_eq!(gram.plan().form, form);
        let whole = matrix(kernel, x).unwrap();
        let n = x.rows();
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= rounding);
        let mut row = vec![0.0; n];
        for i in [0, n / 2, n - 1] {
            gram.row(i, &mut row);
            assert!(near(&row, whole.row(i)), "{form:?}");
        }
        assert!(near(&gram.diagonal(), &(0..n).map(|i| whole[(i, i)]).collect::<Vec<_>>()));
        let block = gram.block(1..4, 2..7).unwrap();
        assert!((0..3).all(|i| near(block.row(i), &whole.row(i + 1)[2..7])));
        for count in [1, 3] {
            let v: Vec<f64> = (0..n * count).map(|i| (i as f64 * 0.3).cos()).collect();
            let mut out = vec![f64::NAN; n * count];
            gram.multiply(&v, &mut out).unwrap();
            for c in 0..count {
                for i in 0..n {
                    let want: f64 = (0..n).map(|j| whole[(i, j)] * v[c * n + j]).sum();
                    assert!((out[c * n + i] - want).abs() <= 100.0 * rounding, "{form:?}");
                }
            }
        }
        assert!(gram.multiply(&row[1..], &mut vec![0.0; n]).is_err());
        assert!(near(gram.into_matrix().unwrap().data(), whole.data()));
    }

    #[test]
    fn every_form_is_the_same_matrix() {
        let numbers: Vec<f64> = (0..1200).map(|i| (i as f64 * 12.9898).sin()).collect();
        let x = Matrix::from_vec(numbers, 600, 2).unwrap();
        let sparse = Csr::from_rows(x.view());
        let compact: Kernel = "gaussian:width=0.5,support=0.3".parse().unwrap();
        let gaussian = Kernel::gaussian(0.5);
        for x in [Points::from(&x), Points::from(sparse.view())] {
            check(&gaussian, x, Need::Products, 1 << 30, Form::Double, 1e-12);
            check(&gaussian, x, Need::Products, 1 << 20, Form::Blocked, 1e-12);
            check(&gaussian, x, Need::RoughProducts, 2 << 20, Form::Single, 1e-7);
            check(&Kernel::Linear, x, Need::Rows, 1 << 30, Form::Blocked, 1e-12);
            check(&gaussian, x, Need::Factor, 1 << 30, Form::Double, 1e-12);
        }
        check(&compact, Points::from(&x), Need::Products, 1 << 30, Form::Sparse, 1e-12);
    }

    #[test]
    fn two_sets_of_points_make_a_matrix_that_is_not_square() {
        let numbers: Vec<f64> = (0..900).map(|i| (i as f64 * 1.7).sin()).collect();
        let x = Matrix::from_vec(numbers, 300, 3).unwrap();
        let (a, b) = (Points::from(&x).slice(0, 40), Points::from(&x).slice(40, 300));
        let kernel = Kernel::gaussian(0.8);
        let whole = kernel.cross(a.dense().unwrap(), b.dense().unwrap()).unwrap();
        let v: Vec<f64> = (0..520).map(|i| (f64::from(i) * 0.3).cos()).collect();
        for (need, memory, form) in [
            (Need::Products, 1 << 20, Form::Double),
            (Need::RoughProducts, 50_000, Form::Single),
            (Need::Products, 50_000, Form::Blocked),
        ] {
            let gram = Gram::between(&kernel, a, b, need, Memory::from(memory)).unwrap();
            assert_eq!((gram.plan().form, gram.rows(), gram.columns()), (form, 40, 260));
            let mut out = vec![0.0; 80];
            gram.multiply(&v, &mut out).unwrap();
            for c in 0..2 {
                for i in 0..40 {
                    let want: f64 = (0..260).map(|j| whole[(i, j)] * v[c * 260 + j]).sum();
                    assert!((out[c * 40 + i] - want).abs() < 1e-5, "{form:?}");
                }
            }
        }
    }
}
