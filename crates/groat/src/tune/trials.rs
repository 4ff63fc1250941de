//! The search itself: kernels are tried one after the other or side by side, and one is taken.

use super::grid::Ladder;
use super::judgement::Judgement;
use crate::batch::{Progress, Watch};
use crate::error::{Error, Result};
use crate::kernels::{Kernel, Width};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One kernel and ridge that were tried.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// The kernel.
    pub kernel: Kernel,
    /// What was added to the diagonal.
    pub ridge: f64,
    /// Its score; the smallest wins.
    pub score: f64,
    /// Standard error of the score, where it is known.
    pub standard_error: f64,
    /// Size of the model, where it was fitted; the mean over folds.
    pub size: f64,
}

impl Trial {
    /// A kernel, a ridge and their score.
    pub fn new(kernel: Kernel, ridge: f64, score: f64) -> Self {
        Self { kernel, ridge, score, standard_error: 0.0, size: 0.0 }
    }
}

/// The trial with the smallest score; the first of equals. Scores that are not finite do not count.
pub(crate) fn best(trials: &[Trial]) -> Option<&Trial> {
    trials.iter().filter(|t| t.score.is_finite()).min_by(|a, b| a.score.total_cmp(&b.score))
}

/// The trial with the largest ridge among those as good as the best (within 0.5 %), and of these the one with the
/// smallest score. Where the error is flat, this keeps the coefficients small.
pub(crate) fn stablest(trials: &[Trial]) -> Option<&Trial> {
    let limit = best(trials)?.score * 1.005;
    let good = trials.iter().filter(|t| t.score <= limit);
    good.min_by(|a, b| b.ridge.total_cmp(&a.ridge).then(a.score.total_cmp(&b.score)))
}

/// The trial with the smallest model among those whose score is within one standard error of the best.
pub(crate) fn smallest_within_one_standard_error(trials: &[Trial]) -> Option<&Trial> {
    let best = best(trials)?;
    let limit = best.score + best.standard_error;
    trials.iter().filter(|t| t.score <= limit).min_by(|a, b| a.size.total_cmp(&b.size))
}

/// A search that is running: what was tried so far, in order, and who watches.
pub(crate) struct Trials<'a> {
    watch: &'a dyn Watch,
    tried: Vec<Trial>,
}

/// What the watcher is told.
const STAGE: &str = "choosing the width";

impl<'a> Trials<'a> {
    pub fn new(watch: &'a dyn Watch) -> Self {
        Self { watch, tried: Vec::new() }
    }

    /// Everything that was tried, in order.
    pub fn tried(&self) -> &[Trial] {
        &self.tried
    }

    /// Everything that was tried, in order.
    pub fn into_tried(self) -> Vec<Trial> {
        self.tried
    }

    /// Tries kernels one after the other. The judge may start from the best trial so far. A request to stop ends the
    /// search, also in the midst of a trial where the judge hears of it; there may be no trial then.
    pub fn in_turn(
        &mut self,
        kernels: &[Kernel],
        mut judge: impl FnMut(&Kernel, Option<&Trial>) -> Result<Judgement>,
    ) -> Result<()> {
        for (i, kernel) in kernels.iter().enumerate() {
            if self.watch.stop_requested() {
                break;
            }
            self.watch.progress(&Progress::new(STAGE, i, Some(kernels.len())).detail(short(kernel)));
            match self.try_one(kernel.clone(), &mut judge) {
                Err(Error::Stopped) => break,
                outcome => outcome.map(drop)?,
            }
        }
        Ok(())
    }

    /// Tries kernels side by side; the judge gives the trials of one kernel, such as one for each ridge. A request to
    /// stop is an error; what was tried until then is kept.
    pub fn side_by_side(
        &mut self,
        kernels: &[Kernel],
        judge: impl Fn(&Kernel) -> Result<Vec<Trial>> + Sync,
    ) -> Result<()> {
        let (watch, done) = (self.watch, AtomicUsize::new(0));
        let trials: Vec<Result<Vec<Trial>>> = kernels
            .par_iter()
            .map(|kernel| {
                if watch.stop_requested() {
                    return Err(Error::Stopped);
                }
                let trials = judge(kernel)?;
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                watch.progress(&Progress::new(STAGE, done, Some(kernels.len())).detail(short(kernel)));
                Ok(trials)
            })
            .collect();
        let mut outcome = Ok(());
        for trials in trials {
            match trials {
                Ok(trials) => self.tried.extend(trials),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        outcome
    }

    /// Adds widths, side by side with the ridges of each, while the best one lies at an end of those tried.
    pub fn widen(
        &mut self,
        kernel: &Kernel,
        mut ladder: Ladder,
        judge: impl Fn(&Kernel) -> Result<Vec<Trial>> + Sync,
    ) -> Result<()> {
        while let Some(best) = best(&self.tried) {
            let Some(width) = ladder.widen(|width| best.kernel == kernel.with_width(width)) else { break };
            self.side_by_side(&[kernel.with_width(width)], &judge)?;
        }
        Ok(())
    }

    /// The kernels on both sides of the best one so far, nearer with every round from 1 on: a step of a root of two
    /// becomes its root, then the root of that. So a coarse grid is made finer where it matters.
    pub fn around_best(&self, round: usize) -> Vec<Kernel> {
        let Some(best) = best(&self.tried) else { return Vec::new() };
        let Some(Width::Shared(width)) = best.kernel.width() else { return Vec::new() };
        let step = 2f64.powf(0.5f64.powf(round as f64 + 1.0));
        [width / step, width * step].map(|width| best.kernel.with_width(width)).to_vec()
    }

    /// From a shared width to one width per feature by coordinate search: each feature's width is doubled or halved
    /// while that lowers the error, then by factors of the square root of two.
    pub fn per_feature(
        &mut self,
        start: &Trial,
        features: usize,
        mut judge: impl FnMut(&Kernel, Option<&Trial>) -> Result<Judgement>,
    ) -> Result<Kernel> {
        let Some(Width::Shared(width)) = start.kernel.width() else { return Ok(start.kernel.clone()) };
        let mut widths = vec![*width; features];
        let mut score = start.score;
        let rounds = [2.0, 2.0, std::f64::consts::SQRT_2];
        for (round, factor) in rounds.into_iter().enumerate() {
            for k in 0..features {
                for step in [factor, 1.0 / factor] {
                    if self.watch.stop_requested() {
                        return Ok(start.kernel.with_width(widths));
                    }
                    // Over all rounds, so that the time that is left can be told.
                    let (done, total) = (round * features + k, rounds.len() * features);
                    let progress = Progress::new("choosing a width per feature", done, Some(total));
                    self.watch.progress(&progress.detail(format!("error {score:.4}")));
                    let mut changed = widths.clone();
                    changed[k] *= step;
                    let found = match self.try_one(start.kernel.with_width(changed.clone()), &mut judge) {
                        Err(Error::Stopped) => return Ok(start.kernel.with_width(widths)),
                        outcome => outcome?,
                    };
                    if found < score {
                        (widths, score) = (changed, found);
                        break;
                    }
                }
            }
        }
        Ok(start.kernel.with_width(widths))
    }

    /// Judges one kernel and keeps the trial; returns its score.
    fn try_one(
        &mut self,
        kernel: Kernel,
        judge: &mut impl FnMut(&Kernel, Option<&Trial>) -> Result<Judgement>,
    ) -> Result<f64> {
        let Judgement { mean, standard_error, size } = judge(&kernel, best(&self.tried))?;
        self.tried.push(Trial { kernel, ridge: 0.0, score: mean, standard_error, size });
        Ok(mean)
    }
}

/// A kernel in few words.
fn short(kernel: &Kernel) -> String {
    match kernel.width() {
        Some(Width::Shared(width)) => format!("width {width:.4}"),
        _ => kernel.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Quiet;
    use proptest::prelude::*;

    fn widths(widths: &[f64]) -> Vec<Kernel> {
        widths.iter().map(|w| Kernel::gaussian(*w)).collect()
    }

    /// The distance to a wanted width in octaves, with a model that is the larger the narrower the kernel is.
    fn octaves(kernel: &Kernel, wanted: f64) -> Judgement {
        let of = |width: &Width| match width {
            Width::Shared(w) => (w / wanted).log2().abs(),
            Width::PerFeature(w) => w.iter().map(|w| (w / wanted).log2().abs()).sum(),
        };
        Judgement { mean: kernel.width().map_or(f64::NAN, of), standard_error: 1.0, size: 1.0 / wanted }
    }

    /// Asks for a stop from the start.
    struct Stop;
    impl Watch for Stop {
        fn stop_requested(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_stop_leaves_no_trial() {
        let mut trials = Trials::new(&Stop);
        trials.in_turn(&widths(&[1.0, 2.0]), |kernel, _| Ok(octaves(kernel, 2.0))).unwrap();
        assert!(trials.tried().is_empty());
        // Nor does one that was broken off.
        let mut broken_off = Trials::new(&Quiet);
        broken_off.in_turn(&widths(&[1.0, 2.0]), |_, _| Err(Error::Stopped)).unwrap();
        assert!(broken_off.tried().is_empty());
        let all = trials.side_by_side(&widths(&[1.0]), |_| Ok(Vec::new()));
        assert!(matches!(all, Err(Error::Stopped)));
        // What was judged before stays.
        let judge = |kernel: &Kernel| match octaves(kernel, 2.0).mean {
            0.0 => Err(Error::Stopped),
            score => Ok(vec![Trial::new(kernel.clone(), 0.0, score)]),
        };
        let mut stopped = Trials::new(&Quiet);
        assert!(matches!(stopped.side_by_side(&widths(&[1.0, 2.0, 4.0]), judge), Err(Error::Stopped)));
        assert_eq!(stopped.tried().len(), 2);
    }

    #[test]
    fn the_judge_hears_of_the_best_so_far() {
        let mut heard = Vec::new();
        let mut trials = Trials::new(&Quiet);
        trials
            .in_turn(&widths(&[4.0, 2.0, 1.0, 8.0]), |kernel, best| {
                heard.push(best.map(|trial| trial.score));
                Ok(octaves(kernel, 2.0))
            })
            .unwrap();
        assert_eq!(heard, [None, Some(1.0), Some(0.0), Some(0.0)]);
    }

    #[test]
    fn a_wrong_grid_is_widened_and_one_width_becomes_many() {
        let kernel = Kernel::gaussian(1.0);
        let ladder = Ladder::new(1.0, -1..=1, -9..=9);
        let judge = |kernel: &Kernel| Ok(vec![Trial::new(kernel.clone(), 0.0, octaves(kernel, 8.0).mean)]);
        let mut trials = Trials::new(&Quiet);
        let first: Vec<Kernel> = ladder.values().iter().map(|w| kernel.with_width(*w)).collect();
        trials.side_by_side(&first, judge).unwrap();
        trials.widen(&kernel, ladder, judge).unwrap();
        let found = best(trials.tried()).unwrap().clone();
        assert!(found.score < 1e-12, "{found:?}");
        let start = Trial::new(Kernel::gaussian(2.0), 0.0, octaves(&Kernel::gaussian(2.0), 8.0).mean * 3.0);
        let each = trials.per_feature(&start, 3, |kernel, _| Ok(octaves(kernel, 8.0))).unwrap();
        assert_eq!(each.width(), Some(&Width::PerFeature(vec![8.0; 3])));
    }

    #[test]
    fn a_coarse_grid_is_made_finer_where_it_matters() {
        // Off every rung of the grid by up to a quarter octave, which six rounds halve six times.
        for wanted in [0.31, 1.0, 1.19, 2.3, 3.9] {
            let judge =
                |kernel: &Kernel| Ok(vec![Trial::new(kernel.clone(), 0.0, octaves(kernel, wanted).mean)]);
            let mut trials = Trials::new(&Quiet);
            trials.side_by_side(&widths(&Ladder::new(1.0, -4..=4, -4..=4).values()), judge).unwrap();
            let coarse = best(trials.tried()).unwrap().score;
            for round in 1..=6 {
                trials.side_by_side(&trials.around_best(round), judge).unwrap();
            }
            let fine = best(trials.tried()).unwrap().score;
            assert!(fine <= coarse && fine <= 0.25 / 64.0 + 1e-12, "{wanted}: {coarse} {fine}");
            assert_eq!(trials.tried().len(), 9 + 12);
        }
        assert!(Trials::new(&Quiet).around_best(1).is_empty());
    }

    proptest! {
        #[test]
        fn choices_follow_their_definitions(
            scores in prop::collection::vec((0.0f64..1.0, 0.0f64..0.5, 0u8..5), 1..12)
        ) {
            let trials: Vec<Trial> = scores
                .iter()
                .map(|(score, error, size)| Trial {
                    standard_error: *error,
                    size: f64::from(*size),
                    ..Trial::new(Kernel::Linear, f64::from(*size), *score)
                })
                .collect();
            let least = trials.iter().map(|t| t.score).fold(f64::INFINITY, f64::min);
            let found = best(&trials).unwrap();
            prop_assert_eq!(found.score, least);
            let small = smallest_within_one_standard_error(&trials).unwrap();
            let allowed = |t: &&Trial| t.score <= least + found.standard_error;
            prop_assert!(allowed(&small));
            prop_assert!(trials.iter().filter(allowed).all(|t| t.size >= small.size));
            let stable = stablest(&trials).unwrap();
            prop_assert!(stable.score <= 1.005 * least);
            prop_assert!(trials.iter().filter(|t| t.score <= 1.005 * least).all(|t| t.ridge <= stable.ridge));
        }
    }
}
