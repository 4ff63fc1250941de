//! The selection over data that are read batch by batch, again and again, and never held.
//!
//! Nothing grows with the number of rows. What the engine in memory keeps per sample (`W`, `eps`, `eta`) is
//! recomputed for each batch from the kernels of the chosen terms: with `Phi_S = W A`, a row of `W` follows from
//! the row of `Phi_S` by forward substitution. A stage takes two readings of the data: one bounds all candidates
//! (`Phi'[w_n, v]`), the other evaluates the most promising exactly. The choice is that of the engine in memory,
//! except that a candidate counts as dependent earlier, because no column can be orthogonalised twice.

use super::basis::Terms;
use super::loops;
use super::ols::{Ols, Penalty};
use super::pool::{Pool, Screen};
use super::select::{StopReason, stop_note};
use super::source::Source;
use crate::batch::{ErrorBars, Fitted, Growth, LeaveOneOut, Orthogonal, Progress, Stage, Watch};
use crate::error::{Error, Result, check_len};
use crate::expansion::{Expansion, Record};
use crate::matrix::{Matrix, Rows};
use crate::simd;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// Candidates that one reading evaluates exactly.
const SHORTLIST: usize = 32;

/// Rows that are worked on at a time; partial sums are added in order.
const ROWS: usize = 4096;

/// Share of its energy below which a candidate counts as dependent.
const DEPENDENT: f64 = 1e-8;

/// Data that can be read from the start as often as needed.
pub trait Batches {
    /// Reads all rows in order and hands them on in batches: features, and targets with one column per output.
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()>;
}

/// Data in memory, in one batch.
impl Batches for (Rows<'_>, Rows<'_>) {
    fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()> {
        visit(self.0, self.1)
    }
}

impl Ols {
    /// Fits a regression to data that are read batch by batch, in memory that does not grow with the rows.
    ///
    /// Candidates are a random sample of the rows (2000 unless told otherwise). There are no evidence passes:
    /// the first penalty stays. Two readings per term, plus three. Leave-one-out predictions of the samples are
    /// not kept.
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
    rows: usize,
    outputs: usize,
    /// Sum of squares of the targets.
    squares: f64,
    candidates: Matrix,
    /// Where the candidates stand in the data.
    places: Vec<usize>,
    pool: Pool,
    terms: Terms,
    /// Chosen candidates in order.
    chosen: Vec<usize>,
}

/// What the model makes of a block of rows.
struct Block {
    /// `w_i` over the block.
    columns: Vec<Vec<f64>>,
    residual: Vec<Vec<f64>>,
    eta: Vec<f64>,
}

impl<'a> Streamed<'a> {
    /// Two readings: draw the candidates, then form their inner products.
    fn start(settings: &'a Ols, data: &'a dyn Batches, watch: &'a dyn Watch) -> Result<Self> {
        let (candidates, places, rows, outputs) = draw(data, settings.pool_size(), settings.seed)?;
        settings.check(candidates.cols())?;
        let m = candidates.rows();
        let mut this = Self {
            settings,
            data,
            watch,
            rows,
            outputs,
            squares: 0.0,
            candidates,
            places,
            pool: Pool::from_products(Vec::new(), &[], outputs, Vec::new(), DEPENDENT),
            terms: Terms::default(),
            chosen: Vec::new(),
        };
        // Per candidate: energy, phi'1, phi'y; then 1'y and y'y.
        let stride = 2 + outputs;
        let sums = this.reading(m * stride + outputs + 1, |this, x, y, sums| {
            let ones = vec![1.0; x.rows()];
            let targets: Vec<Vec<f64>> = (0..outputs).map(|c| column(y, c)).collect();
            let mut vectors: Vec<&[f64]> = vec![&ones];
            vectors.extend(targets.iter().map(Vec::as_slice));
            let columns = this.columns(x)?;
            let mut products = vec![0.0; m * vectors.len()];
            columns.products(&vectors, &mut products);
            for j in 0..m {
                sums[j * stride] += columns.energies()[j];
                for r in 0..vectors.len() {
                    sums[j * stride + 1 + r] += products[j * vectors.len() + r];
                }
            }
            for (c, target) in targets.iter().enumerate() {
                sums[m * stride + c] += target.iter().sum::<f64>();
                sums[m * stride + outputs] += simd::dot(target, target);
            }
            Ok(())
        })?;
        this.squares = sums[m * stride + outputs];
        let energies: Vec<f64> = (0..m).map(|j| sums[j * stride]).collect();
        let lambda = match settings.penalty {
            Penalty::Absolute(lambda) => lambda,
            Penalty::Relative(share) => share * energies.iter().sum::<f64>() / m as f64,
        };
        let products: Vec<f64> =
            (0..m * outputs).map(|i| sums[i / outputs * stride + 2 + i % outputs]).collect();
        this.pool = Pool::from_products(energies, &products, outputs, vec![lambda; m], DEPENDENT);
        if settings.bias {
            let projection = sums[m * stride..m * stride + outputs].to_vec();
            this.terms.push(rows as f64, 0.0, projection, Vec::new());
            this.pool.downdate(&this.terms, 0, &sums[1..], stride);
        }
        Ok(this)
    }

    /// Candidate columns over one batch.
    fn columns(&self, x: Rows<'_>) -> Result<Box<dyn super::columns::Columns>> {
        let source = Source::new(&self.settings.kernel, x, self.candidates.clone(), None)?;
        Ok(source.into_columns(super::Storage::Recompute, 0))
    }

    /// One reading of the data in blocks of rows; sums are added in the order of the rows.
    fn reading(
        &self,
        len: usize,
        mut visit: impl FnMut(&Self, Rows<'_>, Rows<'_>, &mut Sums) -> Result<()>,
    ) -> Result<Sums> {
        let mut sums = vec![0.0; len];
        let mut seen = 0;
        self.data.read(&mut |x, y| {
            check_len("features per row", self.candidates.cols(), x.cols())?;
            check_len("outputs per row", self.outputs, y.cols())?;
            check_len("rows of the target", x.rows(), y.rows())?;
            seen += x.rows();
            for start in (0..x.rows()).step_by(ROWS) {
                let end = (start + ROWS).min(x.rows());
                visit(self, x.slice(start, end), y.slice(start, end), &mut sums)?;
            }
            Ok(())
        })?;
        check_len("rows, which must be the same at every reading", self.rows, seen)?;
        Ok(sums)
    }

    /// `W`, residuals and leave-one-out weights of the present model over a block of rows.
    fn block(&self, x: Rows<'_>, y: Rows<'_>) -> Result<Block> {
        let n = x.rows();
        let vectors = self.candidates.view().select(&self.chosen);
        let kernels = self.settings.kernel.cross(vectors.view(), x)?;
        let mut block = Block {
            columns: Vec::with_capacity(self.terms.len()),
            residual: (0..self.outputs).map(|c| column(y, c)).collect(),
            eta: vec![1.0; n],
        };
        let first = usize::from(self.settings.bias);
        for i in 0..self.terms.len() {
            let mut w = if i < first { vec![1.0; n] } else { kernels.row(i - first).to_vec() };
            loops::project_out(&block.columns, &self.terms.upper[i], &mut w);
            for (c, residual) in block.residual.iter_mut().enumerate() {
                simd::axpy(-self.terms.weight(i, c), &w, residual);
            }
            let inverse = 1.0 / self.terms.d(i);
            block.eta.iter_mut().zip(&w).for_each(|(eta, w)| *eta -= w * w * inverse);
            block.columns.push(w);
        }
        Ok(block)
    }

    /// The reading that bounds every candidate. The pool learns of the newest chosen term on the way.
    fn bounds(&mut self) -> Result<(f64, Vec<(f64, usize)>)> {
        let (m, q, n) = (self.candidates.rows(), self.outputs, self.terms.len());
        let newest = usize::from(!self.chosen.is_empty());
        let stride = newest + q;
        // Products; then S0; then w_i'v_c; then v_c'v_c.
        let tail = m * stride;
        let sums = self.reading(tail + 1 + q * n + q, |this, x, y, sums| {
            let block = this.block(x, y)?;
            let v: Vec<Vec<f64>> = block
                .residual
                .iter()
                .map(|eps| eps.iter().zip(&block.eta).map(|(e, h)| e / (h * h)).collect())
                .collect();
            let mut vectors: Vec<&[f64]> = Vec::with_capacity(stride);
            vectors.extend(block.columns.last().filter(|_| newest == 1).map(Vec::as_slice));
            vectors.extend(v.iter().map(Vec::as_slice));
            let mut products = vec![0.0; tail];
            this.columns(x)?.products(&vectors, &mut products);
            simd::axpy(1.0, &products, &mut sums[..tail]);
            for c in 0..q {
                sums[tail] += simd::dot(&v[c], &block.residual[c]);
                for i in 0..n {
                    sums[tail + 1 + c * n + i] += simd::dot(&block.columns[i], &v[c]);
                }
                sums[tail + 1 + q * n + c] += simd::dot(&v[c], &v[c]);
            }
            Ok(())
        })?;
        if newest == 1 {
            self.pool.downdate(&self.terms, n - 1, &sums, stride);
        }
        let s0 = sums[tail];
        let screen = Screen {
            s0,
            overlaps: (0..q).map(|c| sums[tail + 1 + c * n..tail + 1 + (c + 1) * n].to_vec()).collect(),
            sizes: (0..q).map(|c| (sums[tail + 1 + q * n + c] / self.rows as f64).sqrt()).collect(),
            products: &sums,
            stride,
            offset: newest,
            rounding: f64::EPSILON,
        };
        let mut bounds = self.pool.bounds(&screen);
        bounds.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok((s0, bounds))
    }

    /// The reading that evaluates candidates exactly: leave-one-out sum of squares, one per candidate.
    fn evaluate(&self, shortlist: &[usize]) -> Result<Vec<f64>> {
        let vectors = self.candidates.view().select(shortlist);
        let prepared: Vec<(Vec<f64>, f64, Vec<f64>)> = shortlist
            .iter()
            .map(|&j| {
                let d = self.pool.energy(j) + self.pool.lambda(j);
                (self.pool.coefficients(j), d, self.pool.projection(j).iter().map(|p| p / d).collect())
            })
            .collect();
        self.reading(shortlist.len(), |this, x, y, sums| {
            let block = this.block(x, y)?;
            let kernels = this.settings.kernel.cross(vectors.view(), x)?;
            sums.par_iter_mut().zip(&prepared).enumerate().for_each(|(i, (sum, (coefficients, d, g)))| {
                let mut w = kernels.row(i).to_vec();
                loops::project_out(&block.columns, coefficients, &mut w);
                for (residual, g) in block.residual.iter().zip(g) {
                    *sum += loops::loo_squares(residual, &block.eta, &w, *g, *d);
                }
            });
            Ok(())
        })
    }

    /// The best candidate with its leave-one-out sum of squares.
    fn next(&mut self) -> Result<(f64, Option<(f64, usize)>)> {
        let (s0, bounds) = self.bounds()?;
        let mut best: Option<(f64, usize)> = None;
        for batch in bounds.chunks(SHORTLIST) {
            if best.is_some_and(|b| batch[0].0 > b.0) {
                break;
            }
            let shortlist: Vec<usize> = batch.iter().map(|b| b.1).collect();
            let scores = self.evaluate(&shortlist)?;
            let scored = scores.into_iter().zip(shortlist).filter(|s| s.0.is_finite());
            best = best.into_iter().chain(scored).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        Ok((s0, best))
    }

    fn run(mut self) -> Result<Fitted> {
        let total = (self.rows * self.outputs) as f64;
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
            let (energy, lambda) = (self.pool.energy(j), self.pool.lambda(j));
            self.terms.push(energy, lambda, self.pool.projection(j), self.pool.coefficients(j));
            self.pool.remove(j);
            self.chosen.push(j);
            curve.push(squares / total);
            if curve[self.chosen.len()] < curve[kept] {
                (kept, idle) = (self.chosen.len(), 0);
            } else {
                idle += 1;
            }
            let detail = format!("{kept} terms, leave-one-out error {:.4}", curve[kept]);
            self.watch.progress(&Progress { stage: "selecting terms", done: kept, total: None, detail });
            if idle > self.settings.patience {
                break StopReason::Criterion;
            }
        };
        if kept == 0 && stop == StopReason::Requested {
            return Err(Error::Stopped);
        }
        self.chosen.truncate(kept);
        self.terms.truncate(kept + usize::from(self.settings.bias));
        self.finish(&curve, stop)
    }

    /// One more reading for the noise, then the model.
    fn finish(self, curve: &[f64], stop: StopReason) -> Result<Fitted> {
        let q = self.outputs;
        // Leave-one-out squares, squares, and eps^2 / eta per output.
        let sums = self.reading(2 + q, |this, x, y, sums| {
            let block = this.block(x, y)?;
            for (c, residual) in block.residual.iter().enumerate() {
                for (e, h) in residual.iter().zip(&block.eta) {
                    sums[0] += (e / h).powi(2);
                    sums[2 + c] += e * e / h;
                }
                sums[1] += simd::dot(residual, residual);
            }
            Ok(())
        })?;
        let total = (self.rows * q) as f64;
        let first = usize::from(self.settings.bias);
        let mut beta = self.terms.original_weights(q);
        let bias: Vec<f64> =
            if first == 1 { beta.iter_mut().map(|b| b.remove(0)).collect() } else { Vec::new() };
        let size = self.chosen.len();
        let weights = Matrix::from_vec((0..size * q).map(|i| beta[i % q][i / q]).collect(), size, q)?;
        let vectors = self.candidates.view().select(&self.chosen);
        let mut model = Expansion::new(self.settings.kernel.clone(), vectors, weights)?;
        if first == 1 {
            model = model.with_bias(bias)?;
        }
        let record = Record::new("ols", self.rows)
            .with("patience", self.settings.patience)
            .with("passes", 1)
            .with("candidates", self.candidates.rows())
            .with_growth(curve[1..=size].to_vec());
        let mut fitted = Fitted::new(model.with_record(record), self.candidates.rows());
        let squares = self.terms.squares_after(first, sums[1]);
        fitted.stages = (0..size)
            .map(|i| Stage {
                row: self.places[self.chosen[i]],
                leave_one_out: curve[i + 1],
                training: squares[i] / total,
            })
            .collect();
        let predictions = Matrix::zeros(0, q);
        let mean_square = sums[0] / total;
        fitted.leave_one_out = Some(LeaveOneOut { mean_square, error_rate: None, predictions });
        let form = Orthogonal::new(self.settings.bias, self.terms.upper.clone());
        let noise = sums[2..].iter().map(|s| s / self.rows as f64).collect();
        fitted.growth = Some(Growth::new(form.clone(), self.terms.weights(q)));
        fitted.error_bars = Some(ErrorBars::new(form, self.terms.penalised_energies(), noise));
        fitted.interrupted = stop == StopReason::Requested;
        fitted.notes = stop_note(stop).map(str::to_owned).into_iter().collect();
        Ok(fitted)
    }
}

/// A uniform sample of the rows (reservoir sampling), where they stand, and the size of the data.
fn draw(data: &dyn Batches, count: usize, seed: u64) -> Result<(Matrix, Vec<usize>, usize, usize)> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut sample: Vec<(usize, Vec<f64>)> = Vec::new();
    let (mut rows, mut outputs, mut features) = (0, 0, 0);
    data.read(&mut |x, y| {
        x.check_finite("the features")?;
        y.check_finite("the target")?;
        (outputs, features) = (y.cols(), x.cols());
        for row in x.iter() {
            if sample.len() < count {
                sample.push((rows, row.to_vec()));
            } else {
                let at = rng.random_range(0..=rows);
                if at < count {
                    sample[at] = (rows, row.to_vec());
                }
            }
            rows += 1;
        }
        Ok(())
    })?;
    if rows == 0 {
        return Err(Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 });
    }
    sample.sort_unstable_by_key(|s| s.0);
    let flat = sample.iter().flat_map(|s| s.1.iter().copied()).collect();
    let candidates = Matrix::from_vec(flat, sample.len(), features)?;
    Ok((candidates, sample.iter().map(|s| s.0).collect(), rows, outputs))
}

fn column(y: Rows<'_>, c: usize) -> Vec<f64> {
    y.iter().map(|row| row[c]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::batch::{Method, Problem, Quiet};

    /// The same rows, handed on a few at a time.
    struct Chopped<'a>(Rows<'a>, Rows<'a>);
    impl Batches for Chopped<'_> {
        fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()> {
            (0..self.0.rows()).step_by(37).try_for_each(|start| {
                let end = (start + 37).min(self.0.rows());
                visit(self.0.slice(start, end), self.1.slice(start, end))
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
            assert!((a.mean_square - b.mean_square).abs() < 1e-9);
        }
    }

    #[test]
    fn data_that_change_between_readings_are_noticed() {
        struct Shrinking(std::cell::Cell<usize>);
        impl Batches for Shrinking {
            fn read(&self, visit: &mut dyn FnMut(Rows<'_>, Rows<'_>) -> Result<()>) -> Result<()> {
                let n = self.0.replace(self.0.get() - 1);
                let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
                visit(Rows::new(&x, 1)?, Rows::new(&x, 1)?)
            }
        }
        let found = Ols::new(Kernel::gaussian(1.0)).fit_batches(&Shrinking(9.into()), &Quiet);
        assert!(matches!(found, Err(Error::Shape { .. })));
    }
}
