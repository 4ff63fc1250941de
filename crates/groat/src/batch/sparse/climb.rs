//! How many vectors: models of growing size on parts of the rows, judged on rows that are held out from each.

use super::Sparse;
use super::folds::Stop;
use super::held::Held;
use super::moving::moved;
use super::samples::{Losses, Samples};
use super::size::Tried;
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
/// Twice as many vectors pay where they lower the error by this share.
pub(super) const PAYS: f64 = 0.05;

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
    /// Whether they are linear machines, whose vectors are no rows.
    pub linear: bool,
    pub held: Held,
    /// The vectors of the model of each part, where they have moved.
    vectors: Vec<PointSet>,
}

/// What models are held against, judged on the same parts.
pub(super) struct Yardsticks {
    /// The full machine.
    pub full: Held,
    /// A linear one, where it may be the answer.
    pub line: Option<Held>,
    /// Whether the full machine would be better with more candidates than it has: then models may go beyond it.
    pub open: bool,
}

/// Models of all sizes that were tried, in ascending order, and the full machine.
pub(super) struct Ladder {
    pub rungs: Vec<Rung>,
    full: Held,
    open: bool,
}

impl Part {
    /// A model of so many vectors: its answers to the held-out rows, and the vectors. It may begin where those of a smaller
    /// model have moved to, and with the rows that come next.
    fn model(
        &self,
        samples: &Samples<'_>,
        size: usize,
        fewer: Option<&PointSet>,
        stop: Stop<'_>,
    ) -> Result<(Matrix, PointSet)> {
        let setting = (&self.kernel, self.ridge);
        let mut starts = vec![samples.points(&self.order[..size])];
        if let Some(fewer) = fewer {
            let others = samples.points(&self.order[fewer.rows()..size]);
            starts.push(PointSet::joined(&[fewer.view(), others.view()])?);
        }
        let vectors = placed(samples, &self.train, setting, starts, EVALUATIONS, stop)?;
        let weighed = weigh(samples, &self.train, &self.kernel, vectors, self.ridge)?;
        let answers = samples.answers(&self.held, &weighed.model, weighed.vectors.view())?;
        Ok((answers, weighed.vectors))
    }
}

/// Vectors moved to where they serve best, from the best of some starts.
pub(super) fn placed(
    samples: &Samples<'_>,
    rows: &[usize],
    setting: (&Kernel, f64),
    starts: Vec<PointSet>,
    evaluations: usize,
    stop: Stop<'_>,
) -> Result<PointSet> {
    let mut some = samples.order.sorted(rows);
    some.truncate(MOVED_BY);
    // A ridge weighs against the rows there are.
    let (kernel, ridge) = (setting.0, setting.1 * some.len() as f64 / rows.len() as f64);
    moved(samples, &some, (kernel, ridge), starts, evaluations, stop)
}

/// Models of more and more vectors until the wish is fulfilled; then of sizes in between. `lengthen` makes the orders of
/// the parts at least so long, where they can be.
pub(super) fn climb(
    settings: &Sparse,
    samples: &Samples<'_>,
    parts: &mut [Part],
    against: Yardsticks,
    lengthen: &dyn Fn(&mut [Part], usize) -> Result<()>,
    watch: &dyn Watch,
) -> Result<Ladder> {
    let (stop, classes) = (|| watch.stop_requested(), samples.classes());
    let Yardsticks { full, line, open } = against;
    let mut ladder = Ladder { rungs: vec![mean_alone(samples, parts)], full, open };
    if let Some(held) = line {
        ladder.add(Rung { size: samples.outputs(), linear: true, held, vectors: Vec::new() });
    }
    let limit = settings.max_terms.unwrap_or(usize::MAX);
    let (mut next, mut doubling) = (FIRST.min(limit), true);
    // A linear machine may be all that is wanted.
    if ladder.next(settings, classes).is_none() {
        return Ok(ladder);
    }
    while !watch.stop_requested() {
        watch.progress(&Progress::new("vectors", next, None).detail(format!("{next} vectors")));
        if parts.iter().any(|part| part.order.len() < next) {
            lengthen(parts, 2 * next)?;
        }
        let size = parts.iter().map(|part| part.order.len()).fold(next, usize::min);
        if ladder.rungs.iter().any(|rung| !rung.linear && rung.size == size) {
            break;
        }
        ladder.add(rung(samples, parts, (size, ladder.below(size)), &stop)?);
        doubling &= size < limit && ladder.pays(classes);
        let wanted = if doubling { Some(2 * size) } else { ladder.next(settings, classes) };
        match wanted {
            Some(size) => next = size.min(limit),
            None => break,
        }
    }
    Ok(ladder)
}

impl Ladder {
    fn add(&mut self, rung: Rung) {
        self.rungs.push(rung);
        self.rungs.sort_by_key(|rung| (rung.size, !rung.linear));
    }

    /// The vectors of the largest models that are smaller than so many, one set for each part; none where there is no such.
    fn below(&self, size: usize) -> &[PointSet] {
        let smaller = self.rungs.iter().rfind(|rung| !rung.linear && rung.size < size);
        smaller.map_or(&[], |rung| &rung.vectors)
    }

    fn linear(&self) -> Option<&Rung> {
        self.rungs.iter().find(|rung| rung.linear)
    }

    /// Whether a linear machine has a smaller error than the full kernel machine, on all parts or on all but one.
    pub(super) fn straight(&self, classes: bool, without: Option<usize>) -> bool {
        let error = |held: &Held| held.total(without).error(classes);
        self.linear().is_some_and(|rung| error(&rung.held) < error(&self.full))
    }

    /// The size to try next, if any.
    fn next(&self, settings: &Sparse, classes: bool) -> Option<usize> {
        settings.size.next(&self.tried(classes, None), &self.bar(classes, None).total(None), classes, CLOSE)
    }

    /// Whether models may go beyond the full machine, and the largest are clearly better than those of half their size.
    fn pays(&self, classes: bool) -> bool {
        let mut sizes = self.rungs.iter().rev().filter(|rung| !rung.linear);
        let (Some(large), Some(small)) = (sizes.next(), sizes.next()) else { return false };
        let error = |rung: &Rung| rung.held.total(None).error(classes);
        self.open
            && error(large) < (1.0 - PAYS) * error(small)
            && !small.held.excess(&large.held, None, classes).within(1.0)
    }

    /// What a model is to come near: the full machine, or whatever is better where that has too few candidates.
    fn bar(&self, classes: bool, without: Option<usize>) -> &Held {
        let error = |held: &Held| held.total(without).error(classes);
        let full = self.yardstick(classes, without);
        let others = self.rungs.iter().filter(|_| self.open).map(|rung| &rung.held);
        others.fold(full, |best, held| if error(held) < error(best) { held } else { best })
    }

    /// The machine that models are compared with: that with all rows as vectors, or a linear one where it is better.
    fn yardstick(&self, classes: bool, without: Option<usize>) -> &Held {
        match self.linear() {
            Some(rung) if self.straight(classes, without) => &rung.held,
            _ => &self.full,
        }
    }

    /// Its losses on all parts, or on all but one.
    pub(super) fn full(&self, classes: bool, without: Option<usize>) -> Losses {
        self.yardstick(classes, without).total(without)
    }

    /// What was tried, from no vectors on, judged on all parts or on all but one.
    pub(super) fn tried(&self, classes: bool, without: Option<usize>) -> Vec<Tried> {
        let bar = self.bar(classes, without);
        let tried = |rung: &Rung| Tried {
            size: rung.size,
            losses: rung.held.total(without),
            excess: rung.held.excess(bar, without, classes),
        };
        self.rungs.iter().map(tried).collect()
    }

    /// Where the vectors of a model of all rows may begin: at rows that a selection takes, or where those of the same number
    /// have moved to without each part. Going downhill ends in the valley where it begins, and some are deeper.
    pub(super) fn starts(&self, samples: &Samples<'_>, terms: &[usize]) -> Vec<PointSet> {
        let same = self.rungs.iter().filter(|rung| !rung.linear && rung.size == terms.len());
        let moved = same.flat_map(|rung| rung.vectors.iter().cloned());
        std::iter::once(samples.points(terms)).chain(moved).collect()
    }

    /// The rung that a wish chooses, and whether it is fulfilled there, by all parts or by all but one.
    pub(super) fn place(&self, settings: &Sparse, classes: bool, without: Option<usize>) -> (usize, bool) {
        let bar = self.bar(classes, without).total(without);
        settings.size.choose(&self.tried(classes, without), &bar, classes)
    }

    /// The sizes of linear machines or of the others, from none on, and their losses on all parts.
    pub(super) fn curve(&self, linear: bool) -> Vec<(usize, Losses)> {
        let some = self.rungs.iter().filter(|rung| rung.size == 0 || rung.linear == linear);
        some.map(|rung| (rung.size, rung.held.total(None))).collect()
    }
}

/// Models of one size, given the vectors of smaller ones.
fn rung(
    samples: &Samples<'_>,
    parts: &[Part],
    (size, fewer): (usize, &[PointSet]),
    stop: Stop<'_>,
) -> Result<Rung> {
    let models = parts.par_iter().enumerate();
    let models = models.map(|(k, part)| part.model(samples, size, fewer.get(k), stop));
    let (answers, vectors) = models.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Rung { size, linear: false, held: Held::new(samples, parts, answers), vectors })
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
    Rung { size: 0, linear: false, held: Held::new(samples, parts, answers), vectors: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Problem;

    /// Full machine and models of 4, 8 and 16 vectors whose answers to all rows are off by so much.
    fn ladder(samples: &Samples<'_>, full: f64, off: [f64; 3], open: bool) -> Ladder {
        let (kernel, ridge) = (Kernel::gaussian(1.0), 1.0);
        let rows: Vec<usize> = (0..samples.rows()).collect();
        let parts = [Part { train: rows.clone(), held: rows, kernel, ridge, order: Vec::new() }];
        let held = |off: f64| {
            let mut answers = samples.y.clone();
            answers.data_mut().iter_mut().for_each(|y| *y += off);
            Held::new(samples, &parts, vec![answers])
        };
        let model =
            |(size, off): (usize, f64)| Rung { size, linear: false, held: held(off), vectors: Vec::new() };
        let mut rungs = vec![mean_alone(samples, &parts)];
        rungs.extend([4, 8, 16].into_iter().zip(off).map(model));
        Ladder { rungs, full: held(full), open }
    }

    #[test]
    fn models_go_beyond_a_full_machine_that_has_too_few_candidates_and_no_other() {
        let x = Matrix::column((0..40).map(f64::from).collect());
        let y: Vec<f64> = (0..40).map(|i| f64::from(i % 5)).collect();
        let problem = Problem::regression(x.view(), &y).unwrap();
        let samples = Samples::of(&problem, &[], 0, false).unwrap();
        let place = |ladder: &Ladder| ladder.place(&Sparse::default(), false, None);
        let closed = ladder(&samples, 0.4, [0.5, 0.4, 0.3], false);
        assert_eq!((place(&closed), closed.pays(false)), ((2, true), false));
        let open = ladder(&samples, 0.4, [0.5, 0.4, 0.3], true);
        assert_eq!((place(&open), open.pays(false)), ((3, true), true));
        // The full machine stays what it is said to be.
        assert!((open.full(false, None).error(false) - 0.4).abs() < 1e-12);
        // Hardly better is not worth twice as many.
        let flat = ladder(&samples, 0.4, [0.5, 0.4, 0.395], true);
        assert_eq!((place(&flat), flat.pays(false)), ((2, true), false));
    }

    #[test]
    fn a_larger_model_begins_with_the_vectors_of_the_next_smaller_one() {
        let x = Matrix::column((0..40).map(f64::from).collect());
        let y: Vec<f64> = (0..40).map(|i| (0.3 * f64::from(i)).sin()).collect();
        let problem = Problem::regression(x.view(), &y).unwrap();
        let samples = Samples::of(&problem, &[], 0, false).unwrap();
        let (train, held) = ((0..30).collect(), (30..40).collect());
        let order = (0..30).rev().collect();
        let part = Part { train, held, kernel: Kernel::gaussian(3.0), ridge: 1e-3, order };
        let (_, few) = part.model(&samples, 3, None, &|| false).unwrap();
        // Rows at the end of the line tell less of its beginning than vectors that have moved there.
        let (_, warm) = part.model(&samples, 4, Some(&few), &|| true).unwrap();
        let (few, warm) = (few.into_matrix(), warm.into_matrix());
        assert_eq!((few.rows(), warm.rows()), (3, 4));
        assert!(few.data().iter().zip(warm.data()).all(|(a, b)| (a - b).abs() < 1e-9), "{few:?} {warm:?}");
        assert!((warm[(3, 0)] - 26.0).abs() < 1e-9);
    }
}
