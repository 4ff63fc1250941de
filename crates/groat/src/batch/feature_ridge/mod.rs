//! Kernel ridge regression for many rows (systems B7, B8, B9): ridge regression on explicit features.
//!
//! The features are functions of `rank` landmarks ([`Nystrom`](crate::features::Nystrom)) or random ones
//! ([`RandomFeatures`](crate::features::RandomFeatures)); what is minimised is
//! `sum_i w_i (y_i - b - w.phi(x_i))^2 + ridge |w|^2` with a free constant `b`. With landmarks that is kernel ridge
//! regression restricted to their span, and with all rows as landmarks kernel ridge regression itself. Classes are coded as
//! -1 and +1, one output each where there are more than two; `loss = logistic` goes on from there to the logistic loss.
//!
//! | step | what | where |
//! |---|---|---|
//! | choose | width on a sample, ridge on the statistics of all rows | `choose.rs` |
//! | features | landmarks, or frequencies | [`crate::features`] |
//! | plan | normal equations in one pass, or conjugate gradients: whichever is quicker | `cost.rs` |
//! | solve | both end at the same residual of the same equations | `solve.rs`, `pass.rs` |
//! | estimate | the error on rows that nothing was chosen on, from statistics without them | here |
//!
//! Cost: `n M^2 / 2` multiplications at the speed of a matrix product for `M` features, or some 25 passes of `n M` kernels;
//! memory a few times `M^2` numbers, whatever the number of rows. Use it from some ten thousand rows on, where accuracy
//! matters more than a small model; for few vectors take `sparse`, for all of them `krr` or `krr-cg`.
//!
//! ```
//! use groat::{Rows, batch::{FeatureRidge, Method, Problem, Quiet}};
//! let x: Vec<f64> = (0..900).map(|i| f64::from(i) / 90.0).collect();
//! let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
//! let fitted = FeatureRidge { rank: 30, ..FeatureRidge::default() }
//!     .fit(&Problem::regression(Rows::new(&x, 1)?, &y)?, &Quiet)?;
//! assert!(fitted.model.size() <= 30);
//! assert!((fitted.model.predict_one(&[1.1])?[0] - 1.1f64.sin()).abs() < 1e-3);
//! # Ok::<(), groat::Error>(())
//! ```

mod basis;
mod build;
mod choose;
mod cost;
mod elsewhere;
mod logistic;
mod pass;
mod solve;
mod source;
mod variance;

#[cfg(test)]
mod tests;

pub use basis::Basis;
pub(in crate::batch) use build::{build_falkon, build_nystrom, build_random};
pub use elsewhere::RowSums;
pub use variance::Variance;

use super::forward::ClassWeights;
use super::methods::{FALKON, NYSTROM, RANDOM_FEATURES};
use super::sparse::{Samples, expected};
use super::{Batches, BoxedMethod, ErrorBars, Estimate, Expected, Fitted, Method, Problem, Sizes, Watch};
use crate::error::{Result, check_not_negative};
use crate::features::{FeatureMap, FoldStatistics, Precision, Statistics};
use crate::gram::Memory;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use crate::model::{Calibration, Function, Model, Record};
use crate::tune::{Search, Trial};
use choose::{Choice, best_ridge, choose, rows};
use cost::{Features, Plan};
use pass::{Data, Moments, statistics};
use solve::{Solution, System};
use source::{Division, HELD, InMemory, Read, Source};

/// Rows among which landmarks are looked for, for each of them, and the least and the most.
const PER_LANDMARK: usize = 4;
const SEARCHED: [usize; 2] = [5_000, 50_000];
/// Numbers that the search for landmarks may hold.
const SEARCH_NUMBERS: usize = 1 << 26;
/// Passes of refinement after a direct solution.
const REFINEMENTS: usize = 8;
/// A residual that is worth a word.
const COARSE: f64 = 1e-4;
/// The residual at which passes end in single precision: what predictions are off by, as a share of their size.
const SINGLE_TOLERANCE: f64 = 1e-4;

/// How the equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeatureSolver {
    /// Whichever is quicker.
    Auto,
    /// Normal equations in one pass.
    Direct,
    /// Conjugate gradients with a sampled preconditioner: the scheme of FALKON.
    Iterative,
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeatureLoss {
    /// Squared errors, for classes too.
    Squared,
    /// The logistic loss of classes, which gives probabilities.
    Logistic,
}

/// Parameters of ridge regression on features.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureRidge {
    /// The kernel. Its width is a placeholder unless `widths` is [`Search::Fixed`].
    pub kernel: Kernel,
    /// How the width is found.
    pub widths: Search,
    /// What is added to the diagonal of the kernel matrix, when `ridges` is [`Search::Fixed`].
    pub ridge: f64,
    /// How the ridge is found.
    pub ridges: Search,
    /// What the features are.
    pub basis: Basis,
    /// How many of them.
    pub rank: usize,
    /// How the equations are solved.
    pub solver: FeatureSolver,
    /// Precision of kernels and products in sums over rows. Residuals are taken in double precision either way; with
    /// [`Precision::Single`] conjugate gradients end where these are `1e-5` of the right-hand side.
    pub precision: Precision,
    /// What is minimised.
    pub loss: FeatureLoss,
    /// Which standard deviations predictions of numbers are given, if any.
    pub error_bars: Option<Variance>,
    /// How much each class counts.
    pub class_weights: ClassWeights,
    /// Whether the error that new rows will see is estimated on rows that nothing was chosen on.
    pub estimate: bool,
    /// Widths are judged on at most this many rows.
    pub selection_rows: usize,
    /// Relative residual of conjugate gradients.
    pub tolerance: f64,
    /// Most passes of conjugate gradients.
    pub max_iterations: usize,
    /// What sums and factors may take.
    pub memory: Memory,
    /// Seed of every draw.
    pub seed: u64,
}

impl Default for FeatureRidge {
    fn default() -> Self {
        Self {
            kernel: Kernel::gaussian(1.0),
            widths: Search::Auto,
            ridge: 1e-2,
            ridges: Search::Auto,
            basis: Basis::default(),
            rank: 1000,
            solver: FeatureSolver::Auto,
            precision: Precision::Double,
            loss: FeatureLoss::Squared,
            error_bars: None,
            class_weights: ClassWeights::Equal,
            estimate: true,
            selection_rows: 5000,
            tolerance: 1e-8,
            max_iterations: 300,
            memory: Memory::default(),
            seed: 0,
        }
    }
}

/// What a fit found.
struct Found {
    function: Function,
    kernel: Kernel,
    ridge: f64,
    trials: Vec<Trial>,
    notes: Vec<String>,
    error_bars: Option<ErrorBars>,
    /// What the rows of the sample that were held out are answered by a fit without them.
    held: Option<(Vec<usize>, Matrix)>,
}

impl Method for FeatureRidge {
    fn name(&self) -> &'static str {
        match (&self.basis, self.solver) {
            (Basis::Random { .. }, _) => RANDOM_FEATURES,
            (_, FeatureSolver::Iterative) => FALKON,
            _ => NYSTROM,
        }
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked()?;
        let factors = self.class_weights.factors(&problem)?;
        let samples = Samples::of(&problem, &factors, self.seed, false)?;
        self.check(&problem, &samples)?;
        let division = Division::new(self.estimate, Some(samples.rows()), self.seed);
        let open = rows(&samples, &division);
        // Few rows: every one of them may be a landmark, so that those held out need a fit of their own.
        if self.estimate && self.rank + self.rank / 4 >= open.len() {
            let found = self.find(&InMemory::of(&samples), &samples, Division::none(), watch)?;
            let held = self.without_parts(&problem, &samples, &division, watch)?;
            return self.fitted(&problem, &samples, samples.rows(), Found { held, ..found });
        }
        let found = self.find(&InMemory::of(&samples), &samples, division, watch)?;
        self.fitted(&problem, &samples, samples.rows(), found)
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        let rows = sizes.rows;
        let size = self.rank.min(rows);
        let parts = if self.ridges == Search::Fixed { 2 } else { 4 };
        let plan = Plan::choose(self.solver, rows, size, parts, self.memory)?;
        let (m, searched) = (size as f64, self.searched().min(rows) as f64);
        let landmarks = if matches!(self.basis, Basis::Random { .. }) { 0.0 } else { searched * m * m / 2.0 };
        let widths = match self.widths {
            Search::Fixed => 0.0,
            _ => choose::work(self.selection_rows.min(rows), size),
        };
        let block = 8 * pass::HELD_NUMBERS as u64 + 8 * (searched * m) as u64;
        Ok(Estimate::new(plan.bytes + block, plan.work + landmarks + widths, plan.text(rows, size)))
    }

    fn spreads(&self) -> bool {
        true
    }

    fn on_landmarks(&self, landmarks: Points<'_>) -> Result<BoxedMethod> {
        if let Basis::Random { .. } = self.basis {
            return Err(super::no_landmarks(self.name()));
        }
        let (basis, rank) = (Basis::Given(landmarks.to_set()), landmarks.rows());
        Ok(Box::new(Self { basis, rank, ..self.clone() }))
    }

    fn fit_batches(&self, data: &dyn Batches, sample: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let sample = sample.checked()?;
        let samples = Samples::of(&sample, &[], self.seed, false)?;
        self.check(&sample, &samples)?;
        let source = Read(data);
        let division = Division::new(self.estimate, source.rows(), self.seed);
        let found = self.find(&source, &samples, division, watch)?;
        self.fitted(&sample, &samples, data.rows().unwrap_or(samples.rows()), found)
    }
}

impl FeatureRidge {
    fn check(&self, problem: &Problem<'_>, samples: &Samples<'_>) -> Result<()> {
        self.kernel.check_for(problem.x.cols())?;
        check_not_negative("ridge", self.ridge)?;
        if self.loss == FeatureLoss::Logistic && !samples.classes() {
            return Err(crate::Error::parameter("loss", "logistic", "squared, where the target is numbers"));
        }
        Ok(())
    }

    /// Rows among which landmarks are looked for.
    fn searched(&self) -> usize {
        let wanted = (PER_LANDMARK * self.rank).clamp(SEARCHED[0], SEARCHED[1]);
        wanted.min(SEARCH_NUMBERS / self.rank.max(1)).max(self.rank)
    }

    /// The ridge that a search starts from.
    fn start(&self, found: f64) -> f64 {
        if self.ridges == Search::Fixed { self.ridge } else { found.max(1e-10) }
    }

    /// The features for a kernel.
    fn map(
        &self,
        kernel: &Kernel,
        samples: &Samples<'_>,
        open: &[usize],
        watch: &dyn Watch,
    ) -> Result<FeatureMap> {
        let some = samples.x.select(&open[..open.len().min(self.searched())]);
        self.basis.map(kernel, some.view(), self.rank, self.seed, watch)
    }

    /// Chooses, solves, and answers the rows that were held out.
    fn find(
        &self,
        source: &dyn Source,
        samples: &Samples<'_>,
        division: Division,
        watch: &dyn Watch,
    ) -> Result<Found> {
        let Choice { kernel, ridge, mut trials } = choose(self, samples, &division, watch)?;
        let open = rows(samples, &division);
        let map = self.map(&kernel, samples, &open, watch)?;
        let division = if self.ridges == Search::Fixed { division } else { division.judged(map.size()) };
        let count = source.rows().unwrap_or(usize::MAX >> 32);
        let features = Features {
            size: map.size(),
            dimension: map.dimension(),
            whitened: map.is_whitened(),
            single: source.remote().is_none() && map.passes_in_single(),
        };
        let plan = Plan::among(self.solver, count, features, division.parts(), open.len(), self.memory)?;
        let mut notes = vec![plan.text(count, map.size())];
        let effective = map.worthwhile(self.precision);
        if !plan.iterative && effective != self.precision {
            notes.push(
                "sums in double precision: landmarks depend on each other too much for single".to_owned(),
            );
        }
        let sampled = plan.iterative.then(|| Sampled::new(samples, &open[..plan.sample.min(open.len())]));
        let sampled_source = sampled.as_ref().map(Sampled::source);
        let summed: &dyn Source = sampled_source.as_ref().map_or(source, |sampled| sampled);
        let sums = Data::new(summed, &map, division, watch);
        let folds = self.whitened_statistics(&sums, samples.outputs(), None)?;
        let ridge = match &self.ridges {
            Search::Fixed => self.ridge,
            Search::Grid(values) => self.best_of(&folds, &kernel, values, &division, &mut trials)?,
            Search::Auto => {
                let judges: Vec<usize> = (1..=division.judges).collect();
                let judged = judges.iter().any(|&part| folds.parts()[part].rows() > 0);
                if judged { best_ridge(&folds, &judges, &[HELD], ridge)?.0 } else { ridge }
            }
        };
        let data = Data::new(source, &map, division, watch);
        let held = self.held(samples, &division);
        let exact = !plan.iterative && effective == Precision::Double;
        let fit = Fit { settings: self, data: &data, folds: &folds, iterative: plan.iterative, exact, ridge };
        let (mut start, mut answers) = (None, None);
        if !held.is_empty() {
            let solution = fit.solve(samples, false, None)?;
            answers = Some(
                map.function(&solution.w, solution.bias.clone())?.values(samples.x.select(&held).view())?,
            );
            start = Some(solution.w);
        }
        let solution = fit.solve(samples, true, start)?;
        if plan.iterative || solution.residual > COARSE {
            let Weights { passes, residual, .. } = &solution;
            notes.push(format!("{passes} passes of conjugate gradients, relative residual {residual:.1e}"));
        }
        if let FeatureMap::Random(random) = &map {
            let error = random.error(samples.x.select(&open[..open.len().min(300)]).view())?;
            notes.push(format!(
                "random features differ from the kernel by {error:.4} (root mean square over pairs)"
            ));
        }
        let function = map.function(&solution.w, solution.bias)?;
        let error_bars = match self.error_bars {
            Some(kind) if !samples.classes() => {
                // Conjugate gradients have had the sums of a sample alone.
                let discount = kind.discount(ridge);
                let all = if plan.iterative || discount.is_some() {
                    self.whitened_statistics(&data, samples.outputs(), discount)?
                } else {
                    folds
                };
                let weight = solution.weight;
                Some(variance::error_bars(kind, &map, &all.total()?, weight, ridge)?)
            }
            _ => None,
        };
        let held = answers.map(|answers| (held, answers));
        Ok(Found { function, kernel, ridge, trials, notes, error_bars, held })
    }

    /// The statistics of every part for whitened features.
    fn whitened_statistics(
        &self,
        data: &Data<'_>,
        outputs: usize,
        discount: Option<f64>,
    ) -> Result<FoldStatistics> {
        let precision = if discount.is_some() { Precision::Double } else { self.precision };
        let precision = data.map.worthwhile(precision);
        let folds = statistics(data, outputs, precision, discount)?;
        let Some(factor) = data.map.remaining(precision) else { return Ok(folds) };
        let parts = folds.parts().iter().map(|part| {
            // A part without rows stays what it is.
            if part.rows() == 0 { Ok(part.clone()) } else { part.whitened(factor) }
        });
        FoldStatistics::from_parts(parts.collect::<Result<_>>()?)
    }

    /// The best of some ridges, judged by the parts.
    fn best_of(
        &self,
        folds: &FoldStatistics,
        kernel: &Kernel,
        ridges: &[f64],
        division: &Division,
        trials: &mut Vec<Trial>,
    ) -> Result<f64> {
        let judges: Vec<usize> = (1..=division.judges).collect();
        let scores = folds.validate(ridges, &judges, &[HELD])?;
        let tried = ridges.iter().zip(scores).map(|(ridge, score)| Trial::new(kernel.clone(), *ridge, score));
        let tried: Vec<Trial> = tried.collect();
        let found = crate::tune::best(&tried).map_or(self.ridge, |trial| trial.ridge);
        trials.extend(tried);
        Ok(found)
    }

    /// The rows of the sample that are held out.
    fn held(&self, samples: &Samples<'_>, division: &Division) -> Vec<usize> {
        if !division.holds_out() {
            return Vec::new();
        }
        (0..samples.rows()).filter(|&row| division.part_of_word(samples.order.word(row)) == HELD).collect()
    }

    /// The held-out rows, answered by a fit to the others alone: everything again.
    fn without_parts(
        &self,
        problem: &Problem<'_>,
        samples: &Samples<'_>,
        division: &Division,
        watch: &dyn Watch,
    ) -> Result<Option<(Vec<usize>, Matrix)>> {
        let held = self.held(samples, division);
        let rest: Vec<usize> = (0..samples.rows()).filter(|row| held.binary_search(row).is_err()).collect();
        if held.is_empty() || rest.len() < 5 {
            return Ok(None);
        }
        let subset = problem.select(&rest);
        let smaller = Self { estimate: false, ..self.clone() };
        let model = smaller.fit(&subset.problem()?, watch)?.model;
        let answers = model.values(samples.x.select(&held).view())?;
        Ok(Some((held, answers)))
    }

    fn fitted(
        &self,
        problem: &Problem<'_>,
        samples: &Samples<'_>,
        rows: usize,
        found: Found,
    ) -> Result<Fitted> {
        let classes = samples.classes();
        let expected: Option<Expected> = found.held.map(|(rows, answers)| {
            let by = format!("{} rows that were held out from every choice", rows.len());
            expected(samples, rows, answers, 1.0, by)
        });
        let record = Record::new(self.name(), rows)
            .with("ridge", found.ridge)
            .with("rank", self.rank)
            .with("precision", if self.precision == Precision::Single { "single" } else { "double" });
        let record = match &self.basis {
            Basis::Landmarks(rule) => record.with("landmarks", rule),
            Basis::Given(_) => record.with("landmarks", "given"),
            Basis::Random { orthogonal, paired } => {
                record.with("orthogonal", orthogonal).with("form", if *paired { "paired" } else { "cosine" })
            }
        };
        let calibration = match &expected {
            _ if !classes => None,
            _ if self.loss == FeatureLoss::Logistic => Some(Calibration::log_odds(samples.outputs())),
            Some(expected) => Some(expected.calibration()?),
            None => None,
        };
        let intervals = expected.as_ref().filter(|_| !classes).map(Expected::intervals).transpose()?;
        let model = Model::new(found.function)
            .with_task(problem.task())?
            .with_record(record)
            .with_calibration(calibration)?
            .with_error_bars(found.error_bars)?
            .with_intervals(intervals)?;
        let mut fitted = Fitted::new(model, samples.rows());
        fitted.kernel = found.kernel;
        fitted.judged_by =
            if found.trials.is_empty() { String::new() } else { "parts left out of the sums".to_owned() };
        (fitted.trials, fitted.notes, fitted.expected) = (found.trials, found.notes, expected);
        Ok(fitted)
    }
}

/// Rows that a preconditioner is made from.
struct Sampled {
    x: PointSet,
    y: Matrix,
    weights: Vec<f64>,
}

impl Sampled {
    fn new(samples: &Samples<'_>, rows: &[usize]) -> Self {
        let weights = rows.iter().map(|&row| samples.weights[row]).collect();
        Self { x: samples.x.select(rows), y: samples.y.view().select(rows), weights }
    }

    fn source(&self) -> InMemory<'_> {
        InMemory { x: self.x.view(), y: &self.y, weights: Some(&self.weights) }
    }
}

/// Everything is chosen; what remains are weights.
struct Fit<'a> {
    settings: &'a FeatureRidge,
    data: &'a Data<'a>,
    folds: &'a FoldStatistics,
    iterative: bool,
    /// Whether the sums are those of all rows in double precision.
    exact: bool,
    ridge: f64,
}

/// Weights and how they were reached.
struct Weights {
    /// Of whitened features, one column per output.
    w: Vec<f64>,
    bias: Vec<f64>,
    /// What the rows count together.
    weight: f64,
    passes: usize,
    residual: f64,
}

impl Fit<'_> {
    /// Solves for all rows, or without those that are held out.
    fn solve(&self, samples: &Samples<'_>, everything: bool, start: Option<Vec<f64>>) -> Result<Weights> {
        let settings = self.settings;
        let mut sums = self.folds.total()?;
        if !everything {
            sums.remove(&self.folds.parts()[HELD])?;
        }
        let exact = self.exact;
        let Moments { weight: total, level, mean, right } =
            if exact { self.of_sums(&sums)? } else { self.of_rows(samples.outputs(), everything)? };
        // The sums of a sample stand for those of all rows.
        let factor = sums.factor(if self.iterative { total / sums.weight() } else { 1.0 }, self.ridge)?;
        let system = System { data: self.data, mean, right, ridge: self.ridge, everything };
        // From nothing the first step is the solution of the sums, and costs the pass that judges it.
        let start = start.filter(|_| self.iterative).unwrap_or_else(|| vec![0.0; system.right.len()]);
        let tolerance = match settings.precision {
            Precision::Single if self.iterative => settings.tolerance.max(SINGLE_TOLERANCE),
            _ => settings.tolerance,
        };
        let Solution { w, passes, residual } = match (exact, everything) {
            (false, _) => {
                let most = if self.iterative { settings.max_iterations } else { REFINEMENTS };
                system.solve_in_rounds(&factor, start, tolerance, most)?
            }
            (true, true) => system.solve(&factor, start, tolerance, REFINEMENTS)?,
            // For an estimate of the error the solution is good enough as it is.
            (true, false) => {
                let mut w = system.right.clone();
                factor.solve(&mut w)?;
                Solution { w, passes: 0, residual: 0.0 }
            }
        };
        let bias = self.bias(&w, &system.mean, &level)?;
        let mut solved = Weights { bias, w, weight: total, passes, residual };
        if settings.loss == FeatureLoss::Logistic {
            let start = logistic::Start { w: solved.w, bias: solved.bias };
            let problem = logistic::Logistic { system: &system, factor: &factor, weight: total };
            let found = problem.solve(start, settings.tolerance)?;
            (solved.w, solved.bias, solved.passes) = (found.w, found.bias, solved.passes + found.passes);
        }
        Ok(solved)
    }

    /// Means and right-hand sides from sums in double precision.
    fn of_sums(&self, sums: &Statistics) -> Result<Moments> {
        let mean = match self.data.map.remaining(Precision::Double) {
            None => sums.mean(),
            // Passes make features before `L` is applied.
            Some(factor) => factor.lower_times(&sums.mean())?,
        };
        let right = sums.covariances_with_targets();
        Ok(Moments { weight: sums.weight(), level: sums.level(), mean, right })
    }

    /// The same from the rows, where the sums are those of a sample or in single precision.
    fn of_rows(&self, outputs: usize, everything: bool) -> Result<Moments> {
        let mut moments = Moments::of(self.data, outputs, everything)?;
        if let Some(factor) = self.data.map.remaining(Precision::Double) {
            factor.solve_lower(&mut moments.right)?;
        }
        Ok(moments)
    }

    /// The constants: the features less their means have none.
    fn bias(&self, w: &[f64], mean: &[f64], level: &[f64]) -> Result<Vec<f64>> {
        let mut columns = w.to_vec();
        if let Some(factor) = self.data.map.remaining(Precision::Double) {
            factor.solve_upper(&mut columns)?;
        }
        let along = columns.chunks_exact(mean.len()).map(|v| crate::simd::dot(v, mean));
        Ok(level.iter().zip(along).map(|(level, along)| level - along).collect())
    }
}
