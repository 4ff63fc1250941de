//! The selection over data that are read batch by batch, again and again, and never held.
//!
//! Nothing grows with the number of rows. One reading forms all inner products of the candidates (`Phi'Phi`,
//! `Phi'1`, `Phi'y`), from which every later `w_j'w_j` and `w_j'y` follows without the data. What the engine in
//! memory keeps per sample (`W`, `eps`, `eta`) is recomputed for each batch from the kernels of the chosen terms:
//! with `Phi_S = W A`, a row of `W` follows from the row of `Phi_S` by forward substitution. So a stage takes one
//! reading that evaluates the chosen terms and a few candidates, and not the whole pool. That the others need not
//! be evaluated follows from the lower bound of the [`Pool`](super::pool) with `v = eps + (v - eps)`,
//!
//! ```text
//! w_j'v <= w_j'y + |w_j| |v - eps|,     v_k = eps_k / eta_k^2,
//! ```
//!
//! which is tight because `eta` is close to one when there are many more rows than terms. The choice is that of
//! the engine in memory, except that a candidate counts as dependent earlier, because inner products lose twice
//! the digits that columns lose.
//!
//! **Cost** for `N` rows, `M` candidates, `n` terms: `N M^2 / 2` multiplications once, `N n (n + 32) / 2` per
//! stage; memory `8 M^2` bytes and one batch.

use super::basis::Terms;
use super::evidence::{settled, updated};
use super::loops;
use super::ols::{Ols, Penalty};
use super::pool::Pool;
use super::select::{StopReason, state, stop_note};
use crate::batch::methods::OLS;
use crate::batch::{ErrorBars, Fitted, Growth, LeaveOneOut, Orthogonal, Progress, Stage, Watch};
use crate::data::Batches;
use crate::data::batches::{Drawn, draw};
use crate::error::{Error, Result, check_len};
use crate::gram::{self, Side};
use crate::matrix::{Matrix, Point, Points, Rows};
use crate::model::{Model, Record};
use crate::simd;
use groat_linalg::{View, add_self_product};
use rayon::prelude::*;

/// Candidates that one reading evaluates exactly.
const SHORTLIST: usize = 16;

/// Rows that are worked on at a time; partial sums are added in order.
const ROWS: usize = 1024;

/// Share of its energy below which a candidate counts as dependent.
const DEPENDENT: f64 = 1e-8;

impl Ols {
    /// Fits a regression to data that are read batch by batch, in memory that does not grow with the rows.
    ///
    /// Candidates are a random sample of the rows (2000 unless told otherwise). Evidence passes keep the terms in
    /// the order in which they were chosen, so that only the last ones can leave. One or two readings per term,
    /// plus four. Leave-one-out predictions of the samples are not kept.
    pub fn fit_batches(&self, data: &dyn Batches, watch: &dyn Watch) -> Result<Fitted> {
        Streamed::start(self, data, watch)?.run()
    }
}

/// Sums of one reading: a flat vector that every batch adds to.
type Sums = Vec<f64>;

struct Streamed<'a> {
    settings: &'a Ols,
    data: &'a dyn Batches,
    watch: &'a dyn Watch,
    drawn: Drawn,
    /// `phi_i'phi_j`, symmetric, row by row.
    gram: Vec<f64>,
    /// Sum of squares of the targets.
    squares: f64,
    pool: Pool,
    terms: Terms,
    /// Chosen candidates in order.
    chosen: Vec<usize>,
}

/// What the model makes of a block of rows.
struct Block {
    rows: Side,
    /// `w_i` over the block.
    columns: Vec<Vec<f64>>,
    residual: Vec<Vec<f64>>,
    eta: Vec<f64>,
}

/// A candidate that is evaluated: its place, `a_ij`, `d_j` and `g_j`.
struct Prepared {
    index: usize,
    coefficients: Vec<f64>,
    d: f64,
    g: Vec<f64>,
}

/// What one reading finds out about the present model and some candidates.
struct Found {
    /// Leave-one-out sum of squares of the present model.
    s0: f64,
    /// `|v_c - eps_c|`, one number per output.
    rest: Vec<f64>,
    /// Leave-one-out sum of squares with each candidate.
    scores: Vec<(f64, usize)>,
}

impl<'a> Streamed<'a> {
    /// Two readings: draw the candidates, then form their inner products.
    fn start(settings: &'a Ols, data: &'a dyn Batches, watch: &'a dyn Watch) -> Result<Self> {
        let drawn = draw(data, settings.pool_size(), settings.seed)?;
        settings.check(drawn.rows.cols())?;
        let mut this = Self {
            settings,
            data,
            watch,
            gram: Vec::new(),
            squares: 0.0,
            pool: Pool::from_products(Vec::new(), &[], drawn.outputs, Vec::new(), DEPENDENT),
            terms: Terms::default(),
            chosen: Vec::new(),
            drawn,
        };
        this.form_products()?;
        Ok(this)
    }

    /// An error where the products of all candidates with each other would not fit.
    fn check_memory(&self, width: usize) -> Result<()> {
        let (needed, limit) = (8 * (width as u64).pow(2), self.settings.memory.limit());
        let (what, advice) =
            ("the products of all candidates", "take fewer candidates, or allow more memory");
        if needed > limit { Err(Error::Memory { what, needed, limit, advice }) } else { Ok(()) }
    }

    /// The reading that forms all inner products of `[Phi, 1, Y]`.
    fn form_products(&mut self) -> Result<()> {
        let (m, q) = (self.drawn.rows.rows(), self.drawn.outputs);
        let width = m + 1 + q;
        self.check_memory(width)?;
        let mut products = vec![0.0; width * width];
        let mut seen = 0;
        let kernel = &self.settings.kernel;
        self.data.read(&mut |x, y| {
            self.check_batch(x, y)?;
            for start in (0..x.rows()).step_by(ROWS) {
                let end = (start + ROWS).min(x.rows());
                let (x, y) = (x.slice(start, end), y.slice(start, end));
                let mut block = gram::cross(kernel, self.drawn.rows.view(), x)?.into_data();
                block.resize((m + 1) * x.rows(), 1.0);
                (0..q).for_each(|c| block.extend(y.iter().map(|row| row[c])));
                add_self_product(View::column_major(&block, x.rows(), width).map_err(shape)?, &mut products)
                    .map_err(shape)?;
                if self.watch.stop_requested() {
                    return Err(Error::Stopped);
                }
            }
            seen += x.rows();
            let detail = format!("{seen} of {} rows", self.drawn.total);
            let (done, total) = (seen, Some(self.drawn.total));
            self.watch.progress(&Progress { stage: "products of the candidates", done, total, detail });
            Ok(())
        })?;
        self.check_rows(seen)?;
        let at = |i: usize, j: usize| products[i.min(j) * width + i.max(j)];
        let energies: Vec<f64> = (0..m).map(|j| at(j, j)).collect();
        let lambda = match self.settings.penalty {
            Penalty::Absolute(lambda) => lambda,
            Penalty::Relative(share) => share * energies.iter().sum::<f64>() / m as f64,
        };
        let targets: Vec<f64> = (0..m * q).map(|i| at(i / q, m + 1 + i % q)).collect();
        self.pool = Pool::from_products(energies, &targets, q, vec![lambda; m], DEPENDENT);
        self.squares = (m + 1..width).map(|c| at(c, c)).sum();
        self.gram = (0..m * m).map(|i| at(i / m, i % m)).collect();
        if self.settings.bias {
            let with_constant: Vec<f64> = (0..m).map(|j| at(j, m)).collect();
            let projection = (0..q).map(|c| at(m, m + 1 + c)).collect();
            self.terms.push(self.drawn.total as f64, 0.0, projection, Vec::new());
            self.pool.downdate(&self.terms, 0, &with_constant, 1);
        }
        Ok(())
    }

    fn check_batch(&self, x: Points<'_>, y: Rows<'_>) -> Result<()> {
        check_len("features per row", self.drawn.rows.cols(), x.cols())?;
        check_len("outputs per row", self.drawn.outputs, y.cols())?;
        check_len("rows of the target", x.rows(), y.rows())
    }

    fn check_rows(&self, seen: usize) -> Result<()> {
        check_len("rows, which must be the same at every reading", self.drawn.total, seen)
    }

    /// One reading of the data in blocks of rows, which are worked on side by side; their sums are added in the
    /// order of the rows.
    fn reading(&self, len: usize, visit: impl Fn(Block, &mut Sums) -> Result<()> + Sync) -> Result<Sums> {
        let mut sums = vec![0.0; len];
        let mut seen = 0;
        self.data.read(&mut |x, y| {
            self.check_batch(x, y)?;
            seen += x.rows();
            let part = |start: usize| {
                let end = (start + ROWS).min(x.rows());
                let mut part = vec![0.0; len];
                visit(self.block(x.slice(start, end), y.slice(start, end))?, &mut part)?;
                Ok(part)
            };
            let starts: Vec<usize> = (0..x.rows()).step_by(ROWS).collect();
            let parts: Vec<Result<Sums>> = starts.into_par_iter().map(part).collect();
            for part in parts {
                simd::axpy(1.0, &part?, &mut sums);
            }
            Ok(())
        })?;
        self.check_rows(seen)?;
        Ok(sums)
    }

    /// `W`, residuals and leave-one-out weights of the present model over a block of rows.
    fn block(&self, x: Points<'_>, y: Rows<'_>) -> Result<Block> {
        let n = x.rows();
        let mut block = Block {
            // One candidate is compared with all rows at a time.
            rows: Side::new(&self.settings.kernel, x, self.drawn.rows.view().slice(0, 1))?,
            columns: Vec::with_capacity(self.terms.len()),
            residual: (0..self.drawn.outputs).map(|c| y.iter().map(|row| row[c]).collect()).collect(),
            eta: vec![1.0; n],
        };
        let first = usize::from(self.settings.bias);
        for i in 0..self.terms.len() {
            let mut w = vec![1.0; n];
            if i >= first {
                block.rows.row(self.candidate(self.chosen[i - first]), 0, &mut w);
            }
            loops::project_out(&block.columns, 0, &self.terms.upper[i], &mut w);
            for (c, residual) in block.residual.iter_mut().enumerate() {
                simd::axpy(-self.terms.weight(i, c), &w, residual);
            }
            let inverse = 1.0 / self.terms.d(i);
            block.eta.iter_mut().zip(&w).for_each(|(eta, w)| *eta -= w * w * inverse);
            block.columns.push(w);
        }
        Ok(block)
    }

    fn candidate(&self, j: usize) -> Point<'_> {
        self.drawn.rows.view().point(j)
    }

    fn prepare(&self, index: usize) -> Prepared {
        let d = self.pool.energy(index) + self.pool.lambda(index);
        let g = self.pool.projection(index).iter().map(|p| p / d).collect();
        Prepared { index, coefficients: self.pool.coefficients(index), d, g }
    }

    /// The reading that evaluates candidates exactly.
    fn evaluate(&self, shortlist: &[usize]) -> Result<Found> {
        let prepared: Vec<Prepared> = shortlist.iter().map(|&j| self.prepare(j)).collect();
        let q = self.drawn.outputs;
        let sums = self.reading(1 + q + prepared.len(), |block, sums| {
            for (c, residual) in block.residual.iter().enumerate() {
                for (e, h) in residual.iter().zip(&block.eta) {
                    sums[0] += (e / h).powi(2);
                    sums[1 + c] += (e / (h * h) - e).powi(2);
                }
            }
            let mut w = vec![0.0; block.eta.len()];
            for (sum, candidate) in sums[1 + q..].iter_mut().zip(&prepared) {
                block.rows.row(self.candidate(candidate.index), 0, &mut w);
                loops::project_out(&block.columns, 0, &candidate.coefficients, &mut w);
                for (residual, g) in block.residual.iter().zip(&candidate.g) {
                    *sum += loops::loo_squares(residual, &block.eta, &w, *g, candidate.d);
                }
            }
            Ok(())
        })?;
        let scores = sums[1 + q..].iter().copied().zip(shortlist.iter().copied());
        Ok(Found {
            s0: sums[0],
            rest: sums[1..=q].iter().map(|r| r.sqrt()).collect(),
            scores: scores.filter(|s| s.0.is_finite()).collect(),
        })
    }

    /// The best candidate with its leave-one-out sum of squares, and that of the present model.
    fn next(&self) -> Result<(f64, Option<(f64, usize)>)> {
        // Before the rest of v is known, candidates stand in the order of what they take from the residuals.
        let mut open = self.pool.bounds_by_products(0.0, &vec![0.0; self.drawn.outputs]);
        let mut best: Option<(f64, usize)> = None;
        loop {
            open.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let shortlist: Vec<usize> = open.drain(..SHORTLIST.min(open.len())).map(|b| b.1).collect();
            let found = self.evaluate(&shortlist)?;
            best =
                best.into_iter().chain(found.scores).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let limit = best.map_or(f64::INFINITY, |b| b.0);
            let mut left = vec![false; self.drawn.rows.rows()];
            open.iter().for_each(|b| left[b.1] = true);
            open = self.pool.bounds_by_products(found.s0, &found.rest);
            open.retain(|b| b.0 <= limit && left[b.1]);
            if open.is_empty() {
                return Ok((found.s0, best));
            }
        }
    }

    /// Candidate `j` joins; the pool learns of it from the inner products alone.
    fn accept(&mut self, j: usize) {
        let m = self.drawn.rows.rows();
        let products = self.pool.products_with(&self.terms, j, &self.gram[j * m..(j + 1) * m]);
        self.terms.push(
            self.pool.energy(j),
            self.pool.lambda(j),
            self.pool.projection(j),
            self.pool.coefficients(j),
        );
        self.pool.downdate(&self.terms, self.terms.len() - 1, &products, 1);
        self.pool.remove(j);
        self.chosen.push(j);
    }

    fn run(mut self) -> Result<Fitted> {
        let total = (self.drawn.total * self.drawn.outputs) as f64;
        let (mut curve, mut kept, mut idle) = (Vec::new(), 0, 0);
        let stop = loop {
            if self.chosen.len() >= self.settings.max_terms {
                break StopReason::MaxTerms;
            }
            if self.watch.stop_requested() {
                break StopReason::Requested;
            }
            let (s0, best) = self.next()?;
            if curve.is_empty() {
                curve.push(s0 / total);
            }
            let Some((squares, j)) = best else {
                break StopReason::Exhausted;
            };
            self.accept(j);
            curve.push(squares / total);
            if curve[self.chosen.len()] < curve[kept] {
                (kept, idle) = (self.chosen.len(), 0);
            } else {
                idle += 1;
            }
            let detail = state(kept, curve[kept]);
            self.watch.progress(&Progress { stage: "selecting terms", done: kept, total: None, detail });
            if idle > self.settings.patience {
                break StopReason::Criterion;
            }
        };
        if kept == 0 && stop == StopReason::Requested {
            return Err(Error::Stopped);
        }
        self.keep(kept);
        if kept > 0 && stop != StopReason::Requested && self.evidence() {
            curve = self.curve()?;
            let best = (1..curve.len()).min_by(|&a, &b| curve[a].total_cmp(&curve[b])).unwrap_or(kept);
            self.keep(best);
        }
        self.finish(&curve, stop)
    }

    /// Keeps the first terms.
    fn keep(&mut self, terms: usize) {
        self.chosen.truncate(terms);
        self.terms.truncate(terms + usize::from(self.settings.bias));
    }

    /// The evidence procedure on the chosen terms, which needs nothing but their inner products; true when it
    /// changed the penalties.
    fn evidence(&mut self) -> bool {
        let first = usize::from(self.settings.bias);
        let mut changed = false;
        for _ in 1..self.settings.passes {
            let squares = self.terms.squares(self.squares);
            let lambda = updated(&self.terms, squares, self.drawn.total, first);
            if settled(&self.terms.lambda[first..], &lambda) {
                break;
            }
            self.terms.lambda[first..].copy_from_slice(&lambda);
            changed = true;
        }
        changed
    }

    /// The leave-one-out error after 0, 1, 2, ... of the present terms, in one reading.
    fn curve(&self) -> Result<Vec<f64>> {
        let (first, size, q) = (usize::from(self.settings.bias), self.chosen.len(), self.drawn.outputs);
        let sums = self.reading(size + 1, |block, sums| {
            // Backwards from the whole model: what a term took is given back.
            let (mut residual, mut eta) = (block.residual, block.eta);
            for n in (0..=size).rev() {
                let squares =
                    |eps: &Vec<f64>| eps.iter().zip(&eta).map(|(e, h)| (e / h).powi(2)).sum::<f64>();
                sums[n] += residual.iter().map(squares).sum::<f64>();
                if n > 0 {
                    let i = first + n - 1;
                    let w = &block.columns[i];
                    (0..q).for_each(|c| simd::axpy(self.terms.weight(i, c), w, &mut residual[c]));
                    let inverse = 1.0 / self.terms.d(i);
                    eta.iter_mut().zip(w).for_each(|(eta, w)| *eta += w * w * inverse);
                }
            }
            Ok(())
        })?;
        let total = (self.drawn.total * q) as f64;
        Ok(sums.into_iter().map(|sum| sum / total).collect())
    }

    /// One more reading for the noise, then the model.
    fn finish(self, curve: &[f64], stop: StopReason) -> Result<Fitted> {
        let q = self.drawn.outputs;
        // Leave-one-out squares, squares, and eps^2 / eta per output.
        let sums = self.reading(2 + q, |block, sums| {
            for (c, residual) in block.residual.iter().enumerate() {
                for (e, h) in residual.iter().zip(&block.eta) {
                    sums[0] += (e / h).powi(2);
                    sums[2 + c] += e * e / h;
                }
                sums[1] += simd::dot(residual, residual);
            }
            Ok(())
        })?;
        let total = (self.drawn.total * q) as f64;
        let first = usize::from(self.settings.bias);
        let size = self.chosen.len();
        let record = Record::new(OLS, self.drawn.total)
            .with("patience", self.settings.patience)
            .with("passes", self.settings.passes)
            .with("candidates", self.drawn.rows.rows())
            .with("criterion", "mean-squared")
            .with_growth(curve[1..=size].to_vec());
        let vectors = self.drawn.rows.view().select(&self.chosen);
        let function = self.terms.expansion(&self.settings.kernel, vectors, q, self.settings.bias)?;
        let form = Orthogonal::new(self.settings.bias, self.terms.upper.clone());
        let noise = sums[2..].iter().map(|s| s / self.drawn.total as f64).collect();
        let error_bars = ErrorBars::new(form.clone(), self.terms.penalised_energies(), noise);
        let model = Model::new(function).with_record(record).with_error_bars(Some(error_bars))?;
        let mut fitted = Fitted::new(model, self.drawn.rows.rows());
        let squares = self.terms.squares_after(first, sums[1]);
        fitted.stages = (0..size)
            .map(|i| Stage {
                row: self.drawn.places[self.chosen[i]],
                leave_one_out: curve[i + 1],
                training: squares[i] / total,
            })
            .collect();
        let predictions = Matrix::zeros(0, q);
        let mean_squared = sums[0] / total;
        fitted.leave_one_out = Some(LeaveOneOut { mean_squared, error_rate: None, predictions });
        fitted.growth = Some(Growth::new(form, self.terms.weights(q)));
        fitted.interrupted = stop == StopReason::Requested;
        fitted.notes = stop_note(stop).map(str::to_owned).into_iter().collect();
        Ok(fitted)
    }
}

/// Sizes are made to fit here; if they did not, this is what is said.
fn shape(e: groat_linalg::Error) -> Error {
    Error::linear_algebra("the products of the candidates")(e)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::batch::{Method, Problem, Quiet};
    use crate::data::Visit;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The same rows, handed on a few at a time.
    struct Chopped<'a>(Rows<'a>, Rows<'a>);
    impl Batches for Chopped<'_> {
        fn read(&self, visit: &mut Visit<'_>) -> Result<()> {
            (0..self.0.rows()).step_by(37).try_for_each(|start| {
                let end = (start + 37).min(self.0.rows());
                visit(self.0.slice(start, end).into(), self.1.slice(start, end))
            })
        }
    }

    #[test]
    fn reading_in_batches_chooses_as_in_memory() {
        let mut rng = Pcg64::seed_from_u64(8);
        let x: Vec<f64> = (0..800).map(|_| rng.random_range(-2.0..2.0)).collect();
        let x = Rows::new(&x, 2).unwrap();
        let y: Vec<f64> =
            x.iter().flat_map(|r| [(2.0 * r[0]).sin() + rng.random_range(-0.2..0.2), r[0] * r[1]]).collect();
        let y = Rows::new(&y, 2).unwrap();
        for bias in [true, false] {
            let settings = Ols::new(Kernel::gaussian(0.8)).bias(bias).passes(1).max_terms(15);
            let whole = settings.fit(&Problem::multi_output(x, y).unwrap(), &Quiet).unwrap();
            let parts = settings.fit_batches(&Chopped(x, y), &Quiet).unwrap();
            let rows = |f: &Fitted| f.stages.iter().map(|s| s.row).collect::<Vec<_>>();
            assert_eq!(rows(&whole), rows(&parts));
            for (a, b) in whole.stages.iter().zip(&parts.stages) {
                assert!((a.leave_one_out - b.leave_one_out).abs() < 1e-9);
                assert!((a.training - b.training).abs() < 1e-9);
            }
            let (a, b) = (whole.model.values(x).unwrap(), parts.model.values(x).unwrap());
            assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-6));
            let (a, b) = (whole.leave_one_out.unwrap(), parts.leave_one_out.unwrap());
            assert!((a.mean_squared - b.mean_squared).abs() < 1e-9);
        }
    }

    #[test]
    fn sparse_batches_choose_as_dense_ones() {
        let mut rng = Pcg64::seed_from_u64(9);
        let number = |rng: &mut Pcg64| if rng.random_bool(0.6) { 0.0 } else { rng.random_range(-2.0..2.0) };
        let x = Matrix::from_vec((0..1500).map(|_| number(&mut rng)).collect(), 300, 5).unwrap();
        let y: Vec<f64> = x.view().iter().map(|r| r[0] - r[1] * r[2] + rng.random_range(-0.1..0.1)).collect();
        let (y, sparse) = (Rows::new(&y, 1).unwrap(), crate::matrix::Csr::from_rows(x.view()));
        let settings = Ols::new(Kernel::gaussian(1.5)).passes(1).max_terms(8);
        let dense = settings.fit_batches(&(x.view(), y), &Quiet).unwrap();
        let sparse = settings.fit_batches(&(Points::from(sparse.view()), y), &Quiet).unwrap();
        let chosen = |f: &Fitted| f.stages.iter().map(|s| s.row).collect::<Vec<_>>();
        assert_eq!(chosen(&dense), chosen(&sparse));
        assert!(sparse.model.require_expansion("a test").unwrap().vectors().dense().is_none());
        let (a, b) = (dense.model.values(x.view()).unwrap(), sparse.model.values(x.view()).unwrap());
        assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn data_that_change_between_readings_are_noticed() {
        struct Shrinking(AtomicUsize);
        impl Batches for Shrinking {
            fn read(&self, visit: &mut Visit<'_>) -> Result<()> {
                let n = self.0.fetch_sub(1, Ordering::Relaxed);
                let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
                visit(Rows::new(&x, 1)?.into(), Rows::new(&x, 1)?)
            }
        }
        let found = Ols::new(Kernel::gaussian(1.0)).fit_batches(&Shrinking(9.into()), &Quiet);
        assert!(matches!(found, Err(Error::Shape { .. })));
    }
}
