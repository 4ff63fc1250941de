//! Width and ridge, without a fit to all rows.
//!
//! A first width comes from leave-one-out on a thousand rows with few landmarks. It is then walked up and down in steps of
//! the root of two, judged by three-fold statistics of a sample with features of the kind and (up to a thousand) the number
//! that is wanted, each width with the best of its ridges. A Gaussian kernel is then given a width for each feature, by the
//! evidence (`sparse/relevance.rs`), where the same judge finds that they lower the error clearly. The ridge is judged again
//! later on the statistics of all rows.

use super::basis::landmark_map;
use super::pass::{Data, statistics};
use super::source::{Division, InMemory, Source};
use super::{Basis, FeatureRidge};
use crate::batch::Watch;
use crate::batch::sparse::{Samples, Setting, relevance, search};
use crate::error::{Error, Result};
use crate::features::{FoldStatistics, Precision};
use crate::kernels::{Kernel, Width};
use crate::tune::{Search, Trial, best};

/// Features that widths are judged with.
const FEATURES: usize = 1000;
/// Most widths that are tried after the first.
const STEPS: usize = 8;
/// The least ridge that widths by the evidence start from.
const LEAST_RIDGE: f64 = 1e-4;
/// Most ridges on either side of the first that are tried, in steps of the root of ten.
const RIDGES: i32 = 12;

/// Multiplications that the choice of a width takes at most.
pub(super) fn work(rows: usize, features: usize) -> f64 {
    let (n, m) = (rows as f64, features.min(FEATURES) as f64);
    // Three factorisations for each of some five ridges.
    STEPS as f64 * (n * m * m / 2.0 + 15.0 * m.powi(3) / 6.0)
}

/// A kernel, a ridge, and what was tried for them.
pub(super) struct Choice {
    pub kernel: Kernel,
    pub ridge: f64,
    pub trials: Vec<Trial>,
}

/// Finds the kernel, and a ridge to start from, on rows that are not held out.
pub(super) fn choose(
    settings: &FeatureRidge,
    samples: &Samples<'_>,
    division: &Division,
    watch: &dyn Watch,
) -> Result<Choice> {
    let given = Choice { kernel: settings.kernel.clone(), ridge: settings.ridge, trials: Vec::new() };
    settings.widths.check("width")?;
    settings.ridges.check("ridge")?;
    let free = settings.widths != Search::Fixed && settings.kernel.width().is_some();
    let rows = rows(samples, division);
    if !free || rows.len() < 2 {
        return Ok(given);
    }
    let guessed = search(
        samples,
        &rows,
        &settings.kernel,
        (&settings.widths, &settings.ridges),
        false,
        settings.seed,
        watch,
    )?;
    let first = best(&guessed).cloned().ok_or(Error::Stopped)?;
    if matches!(settings.widths, Search::Grid(_)) {
        return Ok(Choice { kernel: first.kernel, ridge: settings.start(first.ridge), trials: guessed });
    }
    let judge = Judge::new(settings, samples, &rows)?;
    let mut trials = vec![judge.judge(&first.kernel, settings.start(first.ridge), watch)?];
    for step in [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::SQRT_2] {
        while trials.len() < STEPS {
            if watch.stop_requested() {
                return Err(Error::Stopped);
            }
            let Some(leader) = best(&trials).cloned() else { break };
            let Some(Width::Shared(width)) = leader.kernel.width() else { break };
            let next = leader.kernel.with_width(width * step);
            let near = |trial: &&Trial| match trial.kernel.width() {
                Some(Width::Shared(tried)) => (tried / (width * step) - 1.0).abs() < 1e-9,
                _ => false,
            };
            if trials.iter().find(near).is_some() {
                break;
            }
            let trial = judge.judge(&next, leader.ridge, watch)?;
            let better = trial.score < leader.score;
            trials.push(trial);
            if !better {
                break;
            }
        }
    }
    let shared = best(&trials).cloned().unwrap_or(first);
    trials.extend(judge.apart(samples, &rows, &shared, watch)?);
    let found = best(&trials).cloned().unwrap_or(shared);
    Ok(Choice { kernel: found.kernel, ridge: found.ridge, trials })
}

/// Different rows that are not held out, in random order.
pub(super) fn rows(samples: &Samples<'_>, division: &Division) -> Vec<usize> {
    let all: Vec<usize> = (0..samples.rows()).collect();
    let open = |row: &usize| division.part_of_word(samples.order.word(*row)) != super::source::HELD;
    let open: Vec<usize> = if division.holds_out() { all.into_iter().filter(open).collect() } else { all };
    samples.order.distinct(&open)
}

/// A sample with which kernels are judged.
struct Judge<'a> {
    settings: &'a FeatureRidge,
    x: crate::matrix::PointSet,
    y: crate::matrix::Matrix,
    weights: Vec<f64>,
    features: usize,
}

impl<'a> Judge<'a> {
    fn new(settings: &'a FeatureRidge, samples: &Samples<'_>, rows: &[usize]) -> Result<Self> {
        let rows = &rows[..rows.len().min(settings.selection_rows)];
        let features = settings.rank.min(FEATURES).min(rows.len());
        let weights = rows.iter().map(|&row| samples.weights[row]).collect();
        Ok(Self { settings, x: samples.x.select(rows), y: samples.y.view().select(rows), weights, features })
    }

    /// Trials with a width for each feature, where these lower the error of the shared one clearly.
    fn apart(
        &self,
        samples: &Samples<'_>,
        rows: &[usize],
        shared: &Trial,
        watch: &dyn Watch,
    ) -> Result<Vec<Trial>> {
        let features = samples.x.cols();
        let told = (2..=rows.len().min(relevance::ROWS) / relevance::ROWS_PER_FEATURE).contains(&features);
        if !told || !matches!(shared.kernel, Kernel::Gaussian { .. }) || samples.x.dense().is_none() {
            return Ok(Vec::new());
        }
        let start = Setting { kernel: shared.kernel.clone(), ridge: shared.ridge.max(LEAST_RIDGE) };
        let stop = || watch.stop_requested();
        let Some(found) = relevance::relevance(samples, rows, &start, &stop)? else { return Ok(Vec::new()) };
        let mut trials = vec![self.judge(&found.kernel, shared.ridge, watch)?];
        if trials[0].score >= shared.score * (1.0 - relevance::PAYS).powi(2) {
            return Ok(Vec::new());
        }
        // Few features serve a kernel best that is wider than the evidence would have it.
        let Some(Width::PerFeature(widths)) = found.kernel.width() else { return Ok(trials) };
        for step in [std::f64::consts::SQRT_2, std::f64::consts::FRAC_1_SQRT_2] {
            if watch.stop_requested() {
                return Err(Error::Stopped);
            }
            let widths: Vec<f64> = widths.iter().map(|width| width * step).collect();
            trials.push(self.judge(&found.kernel.with_width(widths), trials[0].ridge, watch)?);
        }
        Ok(trials)
    }

    /// The kernel with the best of its ridges.
    fn judge(&self, kernel: &Kernel, ridge: f64, watch: &dyn Watch) -> Result<Trial> {
        let x = self.x.view();
        let map = match &self.settings.basis {
            Basis::Landmarks(_) => landmark_map(kernel, x.slice(0, self.features))?,
            Basis::Given(points) => {
                landmark_map(kernel, points.view().slice(0, points.rows().min(FEATURES)))?
            }
            random => random.random_map(kernel, x.cols(), self.features, self.settings.seed)?,
        };
        let source = InMemory { x, y: &self.y, weights: Some(&self.weights) };
        let division = Division::new(false, source.rows(), self.settings.seed).judged(0);
        let data = Data::new(&source, &map, division, watch);
        let mut folds = statistics(&data, self.y.cols(), Precision::Double, None)?;
        if let Some(factor) = map.remaining(Precision::Double) {
            let parts = folds.parts().iter().map(|part| part.whitened(factor));
            folds = FoldStatistics::from_parts(parts.collect::<Result<_>>()?)?;
        }
        let (ridge, score) = match self.settings.ridges {
            Search::Fixed => (ridge, folds.validate(&[ridge], &[1, 2, 3], &[])?[0]),
            _ => best_ridge(&folds, &[1, 2, 3], &[], ridge)?,
        };
        Ok(Trial::new(kernel.clone(), ridge, score))
    }
}

/// The ridge with the least error on the judging parts, found by steps of the root of ten from the first, and that error.
pub(super) fn best_ridge(
    folds: &FoldStatistics,
    judges: &[usize],
    apart: &[usize],
    first: f64,
) -> Result<(f64, f64)> {
    let score = |ridge: f64| -> Result<f64> { Ok(folds.validate(&[ridge], judges, apart)?[0]) };
    let mut found = (first, score(first)?);
    for step in [10f64.sqrt(), 10f64.powf(-0.5)] {
        let mut moved = false;
        for _ in 0..RIDGES {
            let next = found.0 * step;
            let tried = score(next).unwrap_or(f64::INFINITY);
            // Where the error is flat, the larger ridge is the safer one.
            let wanted =
                if step > 1.0 { tried <= found.1 * (1.0 + 1e-9) } else { tried < found.1 * (1.0 - 1e-4) };
            if !wanted || !(1e-12..1e12).contains(&next) {
                break;
            }
            (found, moved) = ((next, tried), true);
        }
        if moved {
            break;
        }
    }
    Ok(found)
}
