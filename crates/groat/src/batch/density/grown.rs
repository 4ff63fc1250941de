//! The default density: as few Gaussians as do as well as the Parzen estimate.
//!
//! Mixtures of 1, 2, 3, 4, 6, 8, ... Gaussians with shared widths are fitted by expectation maximisation to parts of the
//! rows and judged by the log density of the rows left out, beside the Parzen estimate of the same parts. The smallest
//! that is good enough is fitted to all rows. Where none is (in many dimensions, or where rows repeat each other, few
//! Gaussians cannot stand for many), every row is one.
//!
//! **Cost**: `rows x kernels x features` a step of expectation maximisation; sizes are chosen on at most 2,000 rows.

use super::mixture::Density;
use super::parzen::{check_rows, check_width, likelihood_width_until};
use super::refine::{Refinement, refine};
use crate::batch::methods::SPARSE;
use crate::batch::sparse::Size;
use crate::batch::{
    Estimate, Fitted, FullMachine, Grace, Impatient, Method, Problem, Progress, SizeError, Sizes, Watch,
};
use crate::data::Split;
use crate::error::Result;
use crate::features::LandmarkRule;
use crate::kernels::{Kernel, Width};
use crate::matrix::{Matrix, Points, Rows};
use crate::model::Record;
use crate::tune::{Judgement, sample_rows};
use rayon::prelude::*;

/// Rows that sizes are judged on at most, and the parts that they are left out in.
pub(super) const JUDGED_ROWS: usize = 2000;
pub(super) const PARTS: usize = 3;
/// Rows of a Parzen estimate.
pub(super) const PARZEN_ROWS: usize = 10_000;
/// Most kernels of a mixture, and rows that each should have.
pub(super) const MOST: usize = 256;
pub(super) const ROWS_PER_KERNEL: usize = 3;
/// Sizes in a row that may pass without a better one before larger ones are not tried.
const PATIENCE: usize = 3;
/// Kernels from which on the gain of a doubling says something of the next.
const CONCLUSIVE: usize = 8;
/// Steps of expectation maximisation on parts and on all rows, and the rise of the log density below which they end.
pub(super) const STEPS: usize = 40;
const FINAL_STEPS: usize = 100;
const SETTLED: f64 = 1e-4;
/// Parzen widths below which no width goes: a kernel that stands for several of the Parzen estimate is no narrower than one
/// of them, and without a bound many kernels, or values that come again and again, draw the widths to nothing.
const NARROWEST: f64 = 1.25;
/// Kernels with a smaller share are left out in the end.
const LEAST_SHARE: f64 = 1e-9;

/// A mixture of few Gaussians whose size is chosen by the log density of rows left out.
///
/// ```
/// use groat::{Rows, batch::{Quiet, density::GrownDensity}};
/// // Three clusters.
/// let x: Vec<f64> = (0..300).map(|i| f64::from(i % 3) * 5.0 + f64::from(i * 7 % 100) / 100.0).collect();
/// let (density, _) = GrownDensity::new().estimate(Rows::new(&x, 1)?, None, &Quiet)?;
/// assert!((3..20).contains(&density.weights().len()));
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GrownDensity {
    size: Size,
    pub(super) max_terms: Option<usize>,
    width: Option<Width>,
    pub(super) parzen_width: Option<Width>,
    seed: u64,
}

/// How a density was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Grown {
    /// Every size that was tried, with minus the mean log density of the rows left out.
    pub sizes: Vec<SizeError>,
    /// The same of the Parzen estimate.
    pub parzen: f64,
    /// Its width.
    pub parzen_width: Width,
    /// Whether the Parzen estimate was taken.
    pub every_row: bool,
    /// The rows that sizes were judged on.
    pub judged_on: Vec<usize>,
    /// Whether a stop was requested meanwhile.
    pub interrupted: bool,
}

impl Default for GrownDensity {
    fn default() -> Self {
        Self { size: Size::Within(0.02), max_terms: None, width: None, parzen_width: None, seed: 0 }
    }
}

impl GrownDensity {
    /// Everything chosen from the data: the smallest mixture whose density is within 2 % of the best, in the geometric
    /// mean over rows left out.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is wanted of the size. A share is that of the density, in the geometric mean.
    #[must_use]
    pub fn size(mut self, size: Size) -> Self {
        self.size = size;
        self
    }

    /// Most kernels. Every row is then never one.
    #[must_use]
    pub fn max_terms(mut self, most: Option<usize>) -> Self {
        self.max_terms = most;
        self
    }

    /// The width of the kernels, which otherwise follows from the data.
    #[must_use]
    pub fn width(mut self, width: Option<Width>) -> Self {
        self.width = width;
        self
    }

    /// The width of the Parzen estimate; by default by leave-one-out likelihood.
    #[must_use]
    pub fn parzen_width(mut self, width: Option<Width>) -> Self {
        self.parzen_width = width;
        self
    }

    /// The seed of all draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The density of the rows of `x`, which may have weights, and how it was found.
    pub fn estimate(
        &self,
        x: Rows<'_>,
        weights: Option<&[f64]>,
        watch: &dyn Watch,
    ) -> Result<(Density, Grown)> {
        check_rows(x)?;
        check_width(self.width.as_ref(), x)?;
        let judged_on = sample_rows(x.rows(), JUDGED_ROWS, self.seed);
        let sample = Sample::of(x, weights, &judged_on);
        let parzen_width = match &self.parzen_width {
            Some(width) => width.clone(),
            None => {
                watch.progress(&Progress::new("choosing the Parzen width", 0, None));
                Width::Shared(likelihood_width_until(sample.x.view(), watch)?)
            }
        };
        let judged = self.judge(&sample, &parzen_width, watch)?;
        let chosen = judged.choose(self.size, self.is_mixture());
        // What was asked to stop is finished with the best size so far, as far as it gets in a short while.
        let (interrupted, grace) = (watch.stop_requested(), Grace::new());
        let watch = if interrupted { &grace } else { watch };
        let density = match chosen {
            Some(size) => {
                let mixture = self.mixture(&sample, size, &parzen_width, watch)?;
                self.finish(mixture, x, weights, &parzen_width, watch)?
            }
            None => self.every_row(x, weights, judged_on.len(), &parzen_width)?,
        };
        let growth = Grown {
            sizes: judged
                .sizes
                .iter()
                .map(|(size, logs)| SizeError { terms: *size, error: -mean(logs) })
                .collect(),
            parzen: -mean(&judged.parzen),
            parzen_width,
            every_row: chosen.is_none(),
            judged_on,
            interrupted,
        };
        Ok((density, growth))
    }

    /// Whether a mixture is wanted whatever the Parzen estimate reaches.
    fn is_mixture(&self) -> bool {
        self.max_terms.is_some() || self.width.is_some()
    }

    /// The log densities of rows left out, for growing sizes.
    fn judge(&self, sample: &Sample, parzen_width: &Width, watch: &dyn Watch) -> Result<Judged> {
        let folds = Split::folds(sample.x.rows(), PARTS.min(sample.x.rows()), self.seed)?;
        let parts: Vec<(Sample, Matrix)> = folds
            .iter()
            .map(|fold| (sample.select(&fold.train), sample.x.view().select(&fold.test)))
            .collect();
        let parzen = parts.iter().map(|(train, test)| train.parzen(parzen_width)?.log_density(test.view()));
        let mut judged = Judged { sizes: Vec::new(), parzen: parzen.collect::<Result<Vec<_>>>()?.concat() };
        let fewest = parts.iter().map(|(train, _)| train.x.rows()).min().unwrap_or(0);
        let most = self.max_terms.unwrap_or(MOST).min(fewest / ROWS_PER_KERNEL).max(1);
        let (mut best, mut passed) = (f64::NEG_INFINITY, 0);
        for size in sizes(most) {
            let detail = format!("{size} of at most {most}");
            watch.progress(&Progress::new("growing the mixture", judged.sizes.len(), None).detail(detail));
            let one = |(train, test): &(Sample, Matrix)| {
                self.mixture(train, size, parzen_width, &Impatient(watch))?.log_density(test.view())
            };
            let logs = parts.par_iter().with_max_len(1).map(one).collect::<Result<Vec<_>>>()?.concat();
            if watch.stop_requested() || passed == PATIENCE {
                break;
            }
            passed = if mean(&logs) > best { 0 } else { passed + 1 };
            best = best.max(mean(&logs));
            judged.sizes.push((size, logs));
            if !self.is_mixture() && judged.is_hopeless(most) {
                break;
            }
        }
        Ok(judged)
    }

    /// A mixture of so many kernels: centres far from each other, then expectation maximisation.
    fn mixture(
        &self,
        sample: &Sample,
        size: usize,
        parzen_width: &Width,
        watch: &dyn Watch,
    ) -> Result<Density> {
        let x = sample.x.view();
        // Distances are measured in deviations of the features.
        let kernel = Kernel::gaussian(deviations(x));
        let rows =
            LandmarkRule::KMeans.choose(&kernel, Points::from(&sample.x), size, self.seed, &|| Ok(()))?;
        let centres = x.select(&rows);
        let bounds = self.bounds(parzen_width, x.cols());
        let mut widths = spread(x, &centres, &kernel)?;
        widths.iter_mut().zip(&bounds).for_each(|(w, (least, most))| *w = w.clamp(*least, *most));
        let start = Density::new(Width::PerFeature(widths), centres, vec![1.0; rows.len()])?;
        let refinement = Refinement { bounds: &bounds, steps: STEPS, settled: SETTLED };
        refine(start, x, sample.weights.as_deref(), refinement, watch)
    }

    /// The same kernels on all rows, without those that came to nothing.
    fn finish(
        &self,
        mixture: Density,
        x: Rows<'_>,
        weights: Option<&[f64]>,
        parzen_width: &Width,
        watch: &dyn Watch,
    ) -> Result<Density> {
        let bounds = self.bounds(parzen_width, x.cols());
        let refinement = Refinement { bounds: &bounds, steps: FINAL_STEPS, settled: SETTLED };
        let density = refine(mixture, x, weights, refinement, watch)?;
        let kept: Vec<usize> =
            (0..density.weights().len()).filter(|&i| density.weights()[i] > LEAST_SHARE).collect();
        let shares = kept.iter().map(|&i| density.weights()[i]).collect();
        Density::new(
            Width::PerFeature(density.widths().to_vec()),
            density.centres().view().select(&kept),
            shares,
        )
    }

    /// A Gaussian on each row, or on as many as there may be. A width that was found on fewer rows shrinks at the rate
    /// at which the best one does.
    fn every_row(
        &self,
        x: Rows<'_>,
        weights: Option<&[f64]>,
        searched: usize,
        width: &Width,
    ) -> Result<Density> {
        let rows = sample_rows(x.rows(), PARZEN_ROWS, self.seed);
        let rate = 1.0 / (x.cols() as f64 + 4.0);
        let factor = match self.parzen_width {
            Some(_) => 1.0,
            None => (searched as f64 / rows.len() as f64).powf(rate),
        };
        Sample::of(x, weights, &rows).parzen(&width.scaled(factor))
    }

    /// Between what the width of each feature must stay.
    fn bounds(&self, parzen_width: &Width, features: usize) -> Vec<(f64, f64)> {
        match &self.width {
            Some(width) => width.per_feature(features).into_iter().map(|w| (w, w)).collect(),
            None => {
                let least = parzen_width.scaled(NARROWEST).per_feature(features);
                least.into_iter().map(|w| (w, f64::INFINITY)).collect()
            }
        }
    }
}

/// Rows and their weights.
struct Sample {
    x: Matrix,
    weights: Option<Vec<f64>>,
}

impl Sample {
    fn of(x: Rows<'_>, weights: Option<&[f64]>, rows: &[usize]) -> Self {
        let weights = weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        Self { x: x.select(rows), weights }
    }

    fn select(&self, rows: &[usize]) -> Self {
        Self::of(self.x.view(), self.weights.as_deref(), rows)
    }

    fn parzen(&self, width: &Width) -> Result<Density> {
        let shares = self.weights.clone().unwrap_or_else(|| vec![1.0; self.x.rows()]);
        Density::new(width.clone(), self.x.clone(), shares)
    }
}

/// Log densities of rows left out.
struct Judged {
    sizes: Vec<(usize, Vec<f64>)>,
    parzen: Vec<f64>,
}

impl Judged {
    /// Whether the largest size would stay behind the Parzen estimate even if every doubling gained as much as the last one;
    /// as a rule they gain less and less.
    fn is_hopeless(&self, most: usize) -> bool {
        let [.., (_, half), _, (size, last)] = &self.sizes[..] else { return false };
        let (gain, doublings) = (mean(last) - mean(half), (most as f64 / *size as f64).log2());
        *size >= CONCLUSIVE && mean(&self.parzen) - mean(last) > gain.max(0.0) * doublings
    }

    /// The smallest size that is good enough; nothing where only the Parzen estimate is. One kernel where nothing was judged.
    fn choose(&self, wanted: Size, mixture_only: bool) -> Option<usize> {
        let largest = |a: &&Vec<f64>, b: &&Vec<f64>| mean(a).total_cmp(&mean(b));
        let Some(best) = self.sizes.iter().map(|(_, logs)| logs).max_by(largest) else { return Some(1) };
        let best = if mixture_only || mean(best) >= mean(&self.parzen) { best } else { &self.parzen };
        let enough = |logs: &[f64]| {
            let behind: Vec<f64> = best.iter().zip(logs).map(|(best, log)| best - log).collect();
            let behind = Judgement::of(&behind, 0.0);
            behind.mean
                <= match wanted {
                    Size::Within(share) => share,
                    Size::Smallest => behind.standard_error,
                    Size::Best => 0.0,
                }
        };
        self.sizes.iter().find(|(_, logs)| enough(logs)).map(|(size, _)| *size)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// 1, 2, 3, 4, 6, 8, 12, 16, ... up to a largest one.
fn sizes(most: usize) -> impl Iterator<Item = usize> {
    let doubled = (0..usize::BITS).flat_map(|k| [1usize << k, 3 << k >> 1]);
    doubled.filter(move |size| *size <= most).collect::<std::collections::BTreeSet<_>>().into_iter()
}

/// The standard deviation of every feature; 1 where it is constant.
fn deviations(x: Rows<'_>) -> Vec<f64> {
    let n = x.rows() as f64;
    let deviation = |k: usize| {
        let mean = x.iter().map(|row| row[k]).sum::<f64>() / n;
        let deviation = (x.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / n).sqrt();
        if deviation > 0.0 { deviation } else { 1.0 }
    };
    (0..x.cols()).map(deviation).collect()
}

/// The root mean square distance of the rows from their nearest centre, along each feature.
fn spread(x: Rows<'_>, centres: &Matrix, kernel: &Kernel) -> Result<Vec<f64>> {
    let near = crate::gram::cross(kernel, x, centres)?;
    let mut squares = vec![0.0; x.cols()];
    for (row, near) in x.iter().zip(near.view().iter()) {
        let nearest = (0..near.len()).max_by(|&a, &b| near[a].total_cmp(&near[b])).unwrap_or(0);
        let centre = centres.row(nearest);
        squares.iter_mut().zip(row.iter().zip(centre)).for_each(|(s, (v, c))| *s += (v - c).powi(2));
    }
    Ok(squares.into_iter().map(|s| (s / x.rows() as f64).sqrt()).collect())
}

impl Method for GrownDensity {
    fn name(&self) -> &'static str {
        SPARSE
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        Ok(self.estimated(sizes))
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let x = problem.x.require_dense("dense rows for a density")?;
        let (density, growth) = self.estimate(x, problem.weights, watch)?;
        let record = Record::new(SPARSE, x.rows()).with("kernels", density.weights().len());
        let mut fitted = Fitted::new(density.to_model(record)?, x.rows());
        fitted.reference =
            Some(Sample::of(x, problem.weights, &growth.judged_on).parzen(&growth.parzen_width)?);
        fitted.full = Some(FullMachine {
            error: growth.parzen,
            vectors: x.rows(),
            kernel: Kernel::gaussian(growth.parzen_width.clone()),
            ridge: 0.0,
        });
        fitted.judged_by = match (&self.width, growth.every_row) {
            (_, true) => "leave-one-out likelihood",
            (None, _) => "expectation maximisation",
            (Some(_), _) => "",
        }
        .to_owned();
        let (some, all) = (growth.judged_on.len(), x.rows());
        if some < all {
            fitted.notes.push(format!(
                "the number of kernels was chosen on {some} of {all} rows, which also make the Parzen estimate beside it"
            ));
        }
        if growth.every_row {
            let most = growth.sizes.last().map_or(0, |size| size.terms);
            fitted.notes.push(format!(
                "no mixture of up to {most} comes near the Parzen estimate: {} rows are kernels (--max-terms for fewer)",
                density.weights().len()
            ));
        }
        fitted.sizes = growth.sizes;
        if growth.every_row {
            fitted.sizes.push(SizeError { terms: density.weights().len(), error: growth.parzen });
        }
        fitted.interrupted = growth.interrupted;
        Ok(fitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Quiet;
    use rand::{RngExt, SeedableRng};
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64;

    fn held_out(density: &Density, x: Rows<'_>) -> f64 {
        mean(&density.log_density(x).unwrap())
    }

    /// Half of the rows to learn from, half to be judged by.
    fn halves(x: &[f64], features: usize) -> (Rows<'_>, Rows<'_>) {
        let (first, second) = x.split_at(x.len() / 2);
        (Rows::new(first, features).unwrap(), Rows::new(second, features).unwrap())
    }

    #[test]
    fn sizes_double_with_one_in_between() {
        assert_eq!(sizes(30).collect::<Vec<_>>(), [1, 2, 3, 4, 6, 8, 12, 16, 24]);
        assert_eq!(sizes(1).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn round_clusters_need_one_kernel_each() {
        let mut rng = Pcg64::seed_from_u64(1);
        let centres = [[0.0, 0.0], [6.0, 0.0], [0.0, 5.0]];
        let x: Vec<f64> = (0..1200)
            .flat_map(|i| centres[i % 3].map(|c| c + Distribution::<f64>::sample(&StandardNormal, &mut rng)))
            .collect();
        let (train, test) = halves(&x, 2);
        let (density, growth) = GrownDensity::new().estimate(train, None, &Quiet).unwrap();
        assert!(!growth.every_row && density.weights().len() == 3, "{:?}", density.weights());
        assert!(density.widths().iter().all(|w| (w - 1.0).abs() < 0.1), "{:?}", density.widths());
        let parzen =
            held_out(&Sample::of(train, None, &growth.judged_on).parzen(&growth.parzen_width).unwrap(), test);
        assert!(held_out(&density, test) > parzen - 0.02);
    }

    /// Evenly spread rows in eight dimensions: one Gaussian is nearly as good as one on every row, and a narrow one far worse.
    #[test]
    fn what_has_no_clusters_is_no_worse_than_the_parzen_estimate() {
        let mut rng = Pcg64::seed_from_u64(2);
        let x: Vec<f64> = (0..1600 * 8).map(|_| rng.random::<f64>()).collect();
        let (train, test) = halves(&x, 8);
        let (density, growth) = GrownDensity::new().estimate(train, None, &Quiet).unwrap();
        let parzen = Sample::of(train, None, &growth.judged_on).parzen(&growth.parzen_width).unwrap();
        assert!(held_out(&density, test) > held_out(&parzen, test) - 0.1);
    }

    /// A long thin spiral, most of whose length a few Gaussians cannot follow.
    #[test]
    fn where_few_kernels_cannot_stand_for_many_every_row_is_one() {
        let mut rng = Pcg64::seed_from_u64(3);
        let x: Vec<f64> = (0..600)
            .flat_map(|_| {
                let turn = 60.0 * rng.random::<f64>().sqrt();
                [turn.cos(), turn.sin()].map(|v| v * turn + 0.05 * rng.random::<f64>())
            })
            .collect();
        let rows = Rows::new(&x, 2).unwrap();
        let fitted = GrownDensity::new().fit(&Problem::density(rows).unwrap(), &Quiet).unwrap();
        assert_eq!(fitted.model.size(), 600);
        assert!(fitted.notes.iter().any(|note| note.contains("600 rows are kernels")), "{:?}", fitted.notes);
        // Whoever wants few gets few.
        let (few, _) = GrownDensity::new().max_terms(Some(20)).estimate(rows, None, &Quiet).unwrap();
        assert!(few.weights().len() <= 20);
    }

    #[test]
    fn a_width_that_is_given_stays() {
        let x: Vec<f64> = (0..300).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let rows = Rows::new(&x, 1).unwrap();
        let (density, _) =
            GrownDensity::new().width(Some(Width::Shared(0.3))).estimate(rows, None, &Quiet).unwrap();
        assert_eq!(density.widths(), [0.3]);
    }

    #[test]
    fn a_weight_of_two_is_a_row_that_stands_there_twice() {
        let mut rng = Pcg64::seed_from_u64(4);
        let x: Vec<f64> = (0..200).map(|i| f64::from(i % 2) * 4.0 + rng.random::<f64>()).collect();
        let rows = Rows::new(&x, 1).unwrap();
        let given = GrownDensity::new().max_terms(Some(1)).parzen_width(Some(Width::Shared(0.2)));
        let weights: Vec<f64> = (0..200).map(|i| f64::from(1 + i % 2)).collect();
        let (weighted, _) = given.estimate(rows, Some(&weights), &Quiet).unwrap();
        let twice: Vec<f64> = (0..200).flat_map(|i| vec![x[i]; 1 + i % 2]).collect();
        let (repeated, _) = given.estimate(Rows::new(&twice, 1).unwrap(), None, &Quiet).unwrap();
        assert!((weighted.centres()[(0, 0)] - repeated.centres()[(0, 0)]).abs() < 1e-9);
        assert!((weighted.widths()[0] - repeated.widths()[0]).abs() < 1e-9);
    }
}
