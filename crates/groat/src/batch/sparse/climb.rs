//! How many vectors: models of growing size on parts of the rows, judged on rows that are held out from each.

use super::Sparse;
use super::folds::Stop;
use super::moving::moved;
use super::samples::{Losses, Samples};
use super::weigh::weigh;
use crate::batch::{Progress, Watch};
use crate::error::Result;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet};
use rayon::prelude::*;

/// Vectors of the first models; then twice as many, and so on.
const FIRST: usize = 4;
/// Sizes between one that is too small and one that is enough are tried while they differ by more than this factor.
const CLOSE: f64 = 1.2;
/// Evaluations that moving the vectors of a model on a part may take.
const EVALUATIONS: usize = 30;
/// Rows that the vectors are moved by.
const MOVED_BY: usize = 4000;

/// Rows to learn from, rows that are held out from it, and what was chosen on the former.
pub(super) struct Part {
    pub train: Vec<usize>,
    pub held: Vec<usize>,
    pub kernel: Kernel,
    pub ridge: f64,
    /// Rows of `train` in the order in which they become vectors.
    pub order: Vec<usize>,
}

/// Models of one size.
pub(super) struct Rung {
    pub size: usize,
    /// On the held-out rows of each part.
    pub losses: Vec<Losses>,
    pub answers: Vec<Matrix>,
}

impl Part {
    /// The answers to the held-out rows of a model of so many vectors.
    fn answers(&self, samples: &Samples<'_>, size: usize, stop: Stop<'_>) -> Result<Matrix> {
        let setting = (&self.kernel, self.ridge);
        let vectors = placed(samples, &self.train, setting, &self.order[..size], EVALUATIONS, stop)?;
        let weighed = weigh(samples, &self.train, &self.kernel, vectors, self.ridge)?;
        samples.answers(&self.held, &weighed.model, weighed.vectors.view())
    }
}

/// The vectors that begin at some rows, moved to where they serve best.
pub(super) fn placed(
    samples: &Samples<'_>,
    rows: &[usize],
    setting: (&Kernel, f64),
    terms: &[usize],
    evaluations: usize,
    stop: Stop<'_>,
) -> Result<PointSet> {
    let mut some = samples.order.sorted(rows);
    some.truncate(MOVED_BY);
    // A ridge weighs against the rows there are.
    let (kernel, ridge) = (setting.0, setting.1 * some.len() as f64 / rows.len() as f64);
    moved(samples, &some, (kernel, ridge), samples.points(terms), evaluations, stop)
}

/// Models of more and more vectors until the wish is fulfilled; then of sizes in between. `lengthen` makes the orders of
/// the parts at least so long, where they can be.
pub(super) fn climb(
    settings: &Sparse,
    samples: &Samples<'_>,
    parts: &mut [Part],
    full: &Losses,
    lengthen: &dyn Fn(&mut [Part], usize) -> Result<()>,
    watch: &dyn Watch,
) -> Result<Vec<Rung>> {
    let mut rungs = vec![mean_alone(samples, parts)];
    let limit = settings.max_terms.unwrap_or(usize::MAX);
    let mut next = FIRST.min(limit);
    while !watch.stop_requested() {
        watch.progress(&Progress::new("vectors", next, None).detail(format!("{next} vectors")));
        if parts.iter().any(|part| part.order.len() < next) {
            lengthen(parts, 2 * next)?;
        }
        let size = parts.iter().map(|part| part.order.len()).fold(next, usize::min);
        if rungs.iter().any(|rung| rung.size == size) {
            break;
        }
        rungs.push(rung(samples, parts, size, &|| watch.stop_requested())?);
        rungs.sort_by_key(|rung| rung.size);
        let curve: Vec<(usize, Losses)> = rungs.iter().map(|rung| (rung.size, rung.total(None))).collect();
        match settings.size.next(&curve, full, samples.classes(), CLOSE) {
            Some(size) => next = size.min(limit),
            None => break,
        }
    }
    Ok(rungs)
}

impl Rung {
    /// The losses on all parts, or on all but one.
    pub(super) fn total(&self, without: Option<usize>) -> Losses {
        added(&self.losses, without)
    }
}

/// Losses of parts added up, all or all but one.
pub(super) fn added(losses: &[Losses], without: Option<usize>) -> Losses {
    let mut total = Losses::default();
    losses.iter().enumerate().filter(|(k, _)| Some(*k) != without).for_each(|(_, one)| total.add(one));
    total
}

fn rung(samples: &Samples<'_>, parts: &[Part], size: usize, stop: Stop<'_>) -> Result<Rung> {
    let answers: Vec<Matrix> =
        parts.par_iter().map(|part| part.answers(samples, size, stop)).collect::<Result<_>>()?;
    let losses = parts.iter().zip(&answers).map(|(part, answers)| samples.losses(&part.held, answers));
    Ok(Rung { size, losses: losses.collect(), answers })
}

/// Without vectors there is the mean of the target.
fn mean_alone(samples: &Samples<'_>, parts: &[Part]) -> Rung {
    let answer = |part: &Part| {
        let mut mean = vec![0.0; samples.outputs()];
        let total: f64 = part.train.iter().map(|&row| samples.weights[row]).sum();
        for &row in &part.train {
            crate::simd::axpy(samples.weights[row] / total, samples.y.row(row), &mut mean);
        }
        let mut out = Matrix::zeros(part.held.len(), mean.len());
        (0..part.held.len()).for_each(|i| out.row_mut(i).copy_from_slice(&mean));
        out
    };
    let answers: Vec<Matrix> = parts.iter().map(answer).collect();
    let losses = parts.iter().zip(&answers).map(|(part, answers)| samples.losses(&part.held, answers));
    Rung { size: 0, losses: losses.collect(), answers }
}
