//! Kernel values for a solver that goes through most rows several times and comes back to some: in single precision while
//! they do, then a bounded cache of exact rows, or the nonzeros of sparse ones.

mod rough;
mod sparse;

use super::loops;
use super::memory::{Form, Memory, Need, Plan};
use super::{Gram, RowCache, SparseGram, matrix, weighted_sum};
use crate::error::Result;
use crate::kernels::{Kernel, Rough};
use crate::matrix::{Matrix, Points, Real};
use rayon::prelude::*;
use rough::RoughRows;
use sparse::SparseRows;

/// Columns that one task of a product handles; fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 2048;
/// Rows on which single precision is compared with double.
const SAMPLE: usize = 512;
/// Features from which on rows in single precision are kept.
const KEPT_FEATURES: usize = 48;
/// Rows that a solver looks at with exact values, as a rule.
const LAST_ROWS: u64 = 512;

/// Rows of the kernel matrix of some points, the latest of which are kept.
pub(crate) struct KernelRows<'a> {
    kernel: Kernel,
    x: Points<'a>,
    plan: Plan,
    rough: Option<RoughRows>,
    /// Made when it is needed first.
    exact: Option<Exact<'a>>,
    /// Rows that were evaluated roughly, before that was given up.
    before: usize,
}

enum Exact<'a> {
    Double(RowCache<'a, f64>),
    /// Exact values kept to seven digits, as LIBSVM keeps them too; sums are in double precision.
    Single(RowCache<'a, f32>),
    Sparse(SparseRows),
}

impl<'a> KernelRows<'a> {
    /// Rows of the matrix of `x`, in at most this much memory.
    pub(crate) fn new(kernel: &Kernel, x: Points<'a>, memory: Memory) -> Result<Self> {
        let plan = Plan::choose(Need::CachedRows, x.rows(), x.rows(), x.bytes(), memory)?;
        let mut rows = Self { kernel: kernel.clone(), x, plan, rough: None, exact: None, before: 0 };
        if let Some((expected, indexed)) = SparseGram::worth(kernel, x, true)? {
            let sparse = SparseRows::new(kernel, indexed, &expected, memory.limit())?;
            rows.exact = Some(Exact::Sparse(sparse));
        } else if plan.form != Form::Double {
            rows.rough = Rough::new(kernel, x).map(|rough| RoughRows::new(rough, plan.bytes));
        }
        Ok(rows)
    }

    /// What so many rows of so many features, which take so many bytes, come to as a rule. Where values in single
    /// precision need not be kept, the exact ones of the end are those of few rows.
    pub(crate) fn expected(
        kernel: &Kernel,
        (rows, features): (usize, usize),
        points: u64,
        memory: Memory,
    ) -> Result<Plan> {
        let plan = Plan::choose(Need::CachedRows, rows, rows, points, memory)?;
        let few = plan.form == Form::Cached && kernel.is_radial() && features < KEPT_FEATURES;
        Ok(if few { Plan { bytes: plan.bytes.min(8 * LAST_ROWS * rows as u64), ..plan } } else { plan })
    }

    /// In which form rows stand at present, and what that takes.
    pub(crate) fn plan(&self) -> Plan {
        let (form, bytes) = match (&self.rough, &self.exact) {
            (Some(rough), _) if rough.keeps() => (Form::Cached, rough.bytes()),
            (Some(rough), _) => (Form::Blocked, rough.bytes()),
            (None, Some(Exact::Sparse(rows))) => (Form::Sparse, rows.bytes()),
            (None, Some(Exact::Double(rows))) => (self.plan.form, rows.bytes()),
            (None, Some(Exact::Single(rows))) => (self.plan.form, rows.bytes()),
            (None, None) => (self.plan.form, 0),
        };
        Plan { form, bytes, limit: self.plan.limit }
    }

    /// The exact rows.
    fn exact(&mut self) -> Result<&mut Exact<'a>> {
        let exact = match self.exact.take() {
            Some(exact) => exact,
            None => {
                let bytes = self.plan.bytes;
                let gram = Gram::new(&self.kernel, self.x, Need::Rows, Memory::from(self.plan.limit))?;
                // What single precision was not enough for is not rounded to it again.
                match self.plan.form == Form::Double || self.kernel.is_radial() {
                    true => Exact::Double(RowCache::new(gram, bytes)),
                    false => Exact::Single(RowCache::new(gram, bytes)),
                }
            }
        };
        Ok(self.exact.insert(exact))
    }

    /// Whether values are those of single precision at present.
    pub(crate) fn is_rough(&self) -> bool {
        self.rough.is_some()
    }

    /// From here on values are exact.
    pub(crate) fn leave_rough(&mut self) {
        self.before += self.rough.take().map_or(0, |rough| rough.evaluated());
    }

    /// Rows that have been evaluated so far.
    pub(crate) fn evaluated(&self) -> usize {
        let exact = match &self.exact {
            Some(Exact::Double(rows)) => rows.evaluated(),
            Some(Exact::Single(rows)) => rows.evaluated(),
            Some(Exact::Sparse(rows)) => rows.evaluated,
            None => 0,
        };
        self.before + exact + self.rough.as_ref().map_or(0, RoughRows::evaluated)
    }

    /// Looks at no other columns from now on, where that saves work: `wanted` says of every row whether it is one, `beta`
    /// what `f = K beta` stands at.
    pub(crate) fn focus(&mut self, wanted: &[bool], beta: Vec<f64>) {
        if let Some(rough) = &mut self.rough {
            rough.focus(wanted, beta);
        }
    }

    /// Columns that are looked at.
    pub(crate) fn width(&self) -> usize {
        self.rough.as_ref().map_or(self.x.rows(), RoughRows::width)
    }

    /// Looks at all columns again, `f = K beta` being brought up to date where they were left out.
    pub(crate) fn widen(&mut self, beta: &[f64], f: &mut [f64]) {
        if let Some(rough) = &mut self.rough {
            rough.widen(beta, f);
        }
    }

    /// The square block of these rows, row by row into `out`.
    pub(crate) fn block(&mut self, rows: &[usize], out: &mut [f64]) -> Result<()> {
        if let Some(rough) = &mut self.rough {
            rough.block(rows, out);
            return Ok(());
        }
        let chosen = self.x.select(rows);
        let kernel = self.kernel.clone();
        match self.exact()? {
            Exact::Double(cache) if cache.room() >= cache.gram().rows() => {
                cache.hold(rows);
                gather(cache, rows, out);
            }
            Exact::Double(_) => out.copy_from_slice(matrix(&kernel, &chosen)?.data()),
            Exact::Single(_) => {
                // As the rows are kept.
                let exact = matrix(&kernel, &chosen)?;
                out.iter_mut().zip(exact.data()).for_each(|(out, v)| *out = f64::from(*v as f32));
            }
            Exact::Sparse(sparse) => sparse.block(rows, out),
        }
        Ok(())
    }

    /// `f += sum_k factors[k] row(rows[k])`, on the columns that are looked at.
    pub(crate) fn add(&mut self, rows: &[usize], factors: &[f64], f: &mut [f64]) -> Result<()> {
        if let Some(rough) = &mut self.rough {
            rough.add(rows, factors, f);
            return Ok(());
        }
        match self.exact()? {
            Exact::Double(cache) => add(cache, rows, factors, f),
            Exact::Single(cache) => add(cache, rows, factors, f),
            Exact::Sparse(sparse) => sparse.add(rows, factors, f),
        }
        Ok(())
    }

    /// `f = K beta` with exact values, without holding the rows that it takes.
    pub(crate) fn multiply(&mut self, beta: &[f64], f: &mut [f64]) -> Result<()> {
        let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
        f.fill(0.0);
        if let Some(Exact::Sparse(sparse)) = &mut self.exact {
            sparse.add(&used, &used.iter().map(|&i| beta[i]).collect::<Vec<_>>(), f);
        } else {
            f.copy_from_slice(&self.sums(self.x, &used, beta)?);
        }
        Ok(())
    }

    /// By how much `f` is off on some of the rows.
    pub(crate) fn off(&self, beta: &[f64], f: &[f64]) -> Result<f64> {
        let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
        let step = f.len().div_ceil(SAMPLE).max(1);
        let some: Vec<usize> = (0..f.len()).step_by(step).collect();
        let exact = self.sums(self.x.select(&some).view(), &used, beta)?;
        Ok(some.iter().zip(exact).map(|(&i, exact)| (f[i] - exact).abs()).fold(0.0, f64::max))
    }

    fn sums(&self, at: Points<'_>, used: &[usize], beta: &[f64]) -> Result<Vec<f64>> {
        if used.is_empty() {
            return Ok(vec![0.0; at.rows()]);
        }
        let weights = Matrix::column(used.iter().map(|&i| beta[i]).collect());
        let vectors = self.x.select(used);
        Ok(weighted_sum(&self.kernel, at, vectors.view(), weights.view())?.into_data())
    }
}

fn gather(cache: &RowCache<'_, f64>, rows: &[usize], out: &mut [f64]) {
    for (&i, out) in rows.iter().zip(out.chunks_exact_mut(rows.len())) {
        if let Some(row) = cache.get(i) {
            out.iter_mut().zip(rows).for_each(|(out, &j)| *out = row[j]);
        }
    }
}

/// As many rows at a time as there is room for.
fn add<T: Real>(cache: &mut RowCache<'_, T>, rows: &[usize], factors: &[f64], f: &mut [f64]) {
    let room = cache.room();
    for (rows, factors) in rows.chunks(room).zip(factors.chunks(room)) {
        cache.hold(rows);
        let held: Vec<&[T]> = rows.iter().filter_map(|&i| cache.get(i)).collect();
        add_held(&held, factors, f);
    }
}

/// `f += sum_k factors[k] rows[k]`, on all threads.
fn add_held<T: Real>(rows: &[&[T]], factors: &[f64], f: &mut [f64]) {
    f.par_chunks_mut(CHUNK).enumerate().for_each(|(c, f)| {
        let parts: Vec<&[T]> = rows.iter().map(|row| &row[c * CHUNK..][..f.len()]).collect();
        loops::add_rows(&parts, factors, f);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows enough for the matrix not to be small.
    const N: usize = 1500;

    fn points(features: usize) -> Matrix {
        let numbers = (0..N * features).map(|i| (i as f64 * 12.9898).sin()).collect();
        Matrix::from_vec(numbers, N, features).unwrap()
    }

    /// `K beta`, entry by entry.
    fn product(k: &Matrix, beta: &[f64]) -> Vec<f64> {
        (0..N).map(|i| crate::simd::dot(k.row(i), beta)).collect()
    }

    fn off(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// A solver's way through the rows: blocks, changes, fewer columns, more changes, all columns again. Whatever is kept
    /// or evaluated anew, `f` is `K beta` in the end.
    fn walk(kernel: &Kernel, x: &Matrix, memory: u64, form: Form) {
        let whole = kernel.gram(x.view()).unwrap();
        let mut rows = KernelRows::new(kernel, x.into(), memory.into()).unwrap();
        let rounding = if form == Form::Sparse { 1e-9 } else { 1e-4 };
        let (mut beta, mut f) = (vec![0.0; N], vec![0.0; N]);
        let mut active: Vec<usize> = (0..N).collect();
        for step in 0..12 {
            // The same row may stand there twice, as it does for the two variables of a regression.
            let mut chosen: Vec<usize> =
                (0..90).map(|k| active[(k * 17 + step * 311) % active.len()]).collect();
            chosen.push(chosen[3]);
            let mut block = vec![0.0; chosen.len() * chosen.len()];
            rows.block(&chosen, &mut block).unwrap();
            let want: Vec<f64> = chosen
                .iter()
                .flat_map(|&i| chosen.iter().map(move |&j| (i, j)))
                .map(|at| whole[at])
                .collect();
            assert!(off(&block, &want) < 1e-5, "{kernel}");
            let factors: Vec<f64> = (0..chosen.len()).map(|k| ((k + step) as f64).cos()).collect();
            chosen.iter().zip(&factors).for_each(|(&i, factor)| beta[i] += factor);
            rows.add(&chosen, &factors, &mut f).unwrap();
            if step == 4 || step == 7 {
                let wanted: Vec<bool> = (0..N).map(|i| i % (step - 2) == 0).collect();
                active.retain(|&i| wanted[i]);
                rows.focus(&wanted, beta.clone());
            }
        }
        rows.widen(&beta, &mut f);
        assert!(
            off(&f, &product(&whole, &beta)) < rounding * 30.0,
            "{kernel}: {}",
            off(&f, &product(&whole, &beta))
        );
        assert!(rows.off(&beta, &f).unwrap() < rounding * 30.0);
        let plan = rows.plan();
        assert_eq!(plan.form, form, "{kernel}");
        rows.leave_rough();
        rows.multiply(&beta, &mut f).unwrap();
        assert!(off(&f, &product(&whole, &beta)) < 1e-8, "{kernel}");
    }

    #[test]
    fn rows_are_right_however_they_are_kept() {
        let room = |rows: usize| (4 * rows * N) as u64;
        for (features, form) in [(2, Form::Blocked), (60, Form::Cached), (120, Form::Cached)] {
            let (x, kernel) = (points(features), Kernel::gaussian((features as f64).sqrt()));
            // Room for all rows, for some, and for fewer than are asked for at a time.
            for memory in [room(N), room(200), room(30)] {
                walk(&kernel, &x, memory, form);
            }
        }
        let polynomial = Kernel::Polynomial { degree: 2, scale: 0.1, offset: 1.0 };
        let compact: Kernel = "gaussian:width=0.5,support=0.3".parse().unwrap();
        for memory in [room(N), room(30)] {
            walk(&polynomial, &points(3), memory, Form::Cached);
            walk(&compact, &points(2), memory, Form::Sparse);
        }
    }
}
