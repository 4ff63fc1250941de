//! Sparse density estimates (system C5).
//!
//! The Parzen estimate at the samples is the target of a regression on wider kernels. The selection finds which
//! of them matter; their weights are then the minimiser of the same sum of squares on the simplex.

use super::mixture::{Density, log_norm};
use super::parzen::{Parzen, check_rows, check_width, likelihood_width_until};
use super::refine::{Refinement, bounds, refine, step};
use super::simplex::SimplexProgram;
use crate::batch::forward::{Criterion, Objective, Ols, Penalty, Selection, StopReason, stop_note};
use crate::batch::methods::OLS;
use crate::batch::{Estimate, Fitted, Grace, Impatient, Method, Problem, Progress, Sizes, Stage, Watch};
use crate::data::Split;
use crate::error::{Error, Result};
use crate::kernels::{Kernel, Width};
use crate::matrix::{Matrix, Rows};
use crate::model::Record;
use crate::tune::{Judgement, Trial, Trials, smallest_within_one_standard_error};

/// Multiples of the Parzen width that are tried when no width is given.
pub(super) const MULTIPLES: [f64; 8] = [1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0];

/// Rise of the mean log density below which a step of refinement was the last.
const SETTLED: f64 = 1e-7;

/// Parts of the data that an automatic width is validated on.
const FOLDS: usize = 5;

/// A sparse density estimate: a few Gaussians with nonnegative weights that sum to one.
///
/// ```
/// use groat::{Rows, batch::{Quiet, density::SparseDensity}};
/// let x: Vec<f64> = (0..200).map(|i| ((i * 37 % 200) as f64 / 100.0 - 1.0).powi(3)).collect();
/// let estimate = SparseDensity::new().width(0.3).estimate(Rows::new(&x, 1)?, None, &Quiet)?;
/// let weights = estimate.density.weights();
/// assert!(weights.len() < 20 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseDensity {
    pub(super) engine: Ols,
    pub(super) width: Option<Width>,
    pub(super) parzen_width: Option<Width>,
    pub(super) refinement: usize,
}

/// A sparse density and how it was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DensityEstimate {
    /// The estimate.
    pub density: Density,
    /// The width of the Parzen estimate that was the target.
    pub parzen_width: Width,
    /// The selected kernels in order, also those whose weight became zero.
    pub stages: Vec<Stage>,
    /// Rows that were candidates.
    pub candidates: usize,
    /// Widths that were tried, with minus the mean held-out log density.
    pub trials: Vec<Trial>,
    /// Steps of refinement that were taken.
    pub refined: usize,
    /// Why the selection ended.
    pub stop: StopReason,
    /// For each kernel of the density the stage that chose it.
    kept: Vec<usize>,
}

impl Default for SparseDensity {
    fn default() -> Self {
        Self {
            engine: Ols::new(Kernel::gaussian(1.0)).bias(false),
            width: None,
            parzen_width: None,
            refinement: 0,
        }
    }
}

impl From<&Ols> for SparseDensity {
    /// The settings of a selection, for a density. A Gaussian kernel's width is taken over, unless the width
    /// is to be searched for.
    fn from(ols: &Ols) -> Self {
        let width = if ols.search.is_some() { None } else { ols.kernel.width().cloned() };
        let engine = Ols { bias: false, search: None, ..ols.clone() };
        Self { engine, width, ..Self::default() }
    }
}

impl SparseDensity {
    /// Both widths chosen from the data.
    pub fn new() -> Self {
        Self::default()
    }

    /// The widths that are given.
    pub(in crate::batch) fn widths(self, width: Option<Width>, parzen_width: Option<Width>) -> Self {
        Self { width, parzen_width, ..self }
    }

    /// The width of the kernels. By default the multiple of the Parzen width that gives the smallest estimate
    /// among those whose held-out log density is within one standard error of the best.
    #[must_use]
    pub fn width(mut self, width: impl Into<Width>) -> Self {
        self.width = Some(width.into());
        self
    }

    /// The width of the Parzen estimate; by default by leave-one-out likelihood.
    #[must_use]
    pub fn parzen_width(mut self, width: impl Into<Width>) -> Self {
        self.parzen_width = Some(width.into());
        self
    }

    /// Settings of the selection: penalty, passes, patience, largest number of terms, candidates. Kernel, bias
    /// and search are not used. An absolute penalty is that of kernels that integrate to one.
    #[must_use]
    pub fn selection(mut self, settings: &Ols) -> Self {
        self.engine = Ols { bias: false, search: None, ..settings.clone() };
        self
    }

    /// Most steps of expectation maximisation (weights, centres and shared widths) on all the data after the
    /// selection (default 0: none). As many are taken as give the largest log density of held-out parts of the
    /// data, and none unless that gain is larger than its standard error.
    #[must_use]
    pub fn refinement(mut self, steps: usize) -> Self {
        self.refinement = steps;
        self
    }

    /// The estimate for the rows of `x`, which may have weights.
    pub fn estimate(
        &self,
        x: Rows<'_>,
        weights: Option<&[f64]>,
        watch: &dyn Watch,
    ) -> Result<DensityEstimate> {
        check_rows(x)?;
        check_width(self.width.as_ref(), x)?;
        self.refined(x, weights, watch)
    }

    fn refined(&self, x: Rows<'_>, weights: Option<&[f64]>, watch: &dyn Watch) -> Result<DensityEstimate> {
        let parzen_width = match &self.parzen_width {
            Some(width) => width.clone(),
            None => {
                let detail = "leave-one-out likelihood".to_owned();
                watch.progress(&Progress {
                    stage: "choosing the Parzen width",
                    done: 0,
                    total: None,
                    detail,
                });
                Width::Shared(likelihood_width_until(x, watch)?)
            }
        };
        let (width, trials) = match &self.width {
            Some(width) => (width.clone(), Vec::new()),
            None => self.choose_width(x, &parzen_width, watch)?,
        };
        // A search that was broken off is followed by the fit with the best width so far, as far as it gets in a short while.
        let (stopped, grace) = (watch.stop_requested(), Grace::new());
        let watch = if stopped { &grace } else { watch };
        let mut estimate = self.with_widths(x, weights, &parzen_width, &width, watch)?;
        estimate.trials = trials;
        if stopped {
            estimate.stop = StopReason::Requested;
        }
        if self.refinement > 0 && estimate.stop != StopReason::Requested {
            match self.steps(x, &parzen_width, &width, watch) {
                Err(Error::Stopped) => {}
                steps => {
                    estimate.refined = steps?;
                    let bounds = bounds(&estimate.density);
                    let refinement =
                        Refinement { bounds: &bounds, steps: estimate.refined, settled: SETTLED };
                    estimate.density = refine(estimate.density, x, weights, refinement, watch)?;
                }
            }
        }
        Ok(estimate)
    }

    fn with_widths(
        &self,
        x: Rows<'_>,
        weights: Option<&[f64]>,
        parzen_width: &Width,
        width: &Width,
        watch: &dyn Watch,
    ) -> Result<DensityEstimate> {
        let sample = weights.map_or_else(|| vec![1.0; x.rows()], <[f64]>::to_vec);
        let parzen = Density::new(parzen_width.clone(), x.to_matrix(), sample)?;
        let kernel = Kernel::gaussian(width.clone());
        kernel.check_for(x.cols())?;
        // Everything in units of the kernel's height c, so that the columns have entries up to one whatever
        // the dimension: y / c = Phi~ b. A penalty for normalised kernels becomes lambda / c^2.
        let log_height = log_norm(&width.per_feature(x.cols()));
        let targets = [parzen.log_density(x)?.iter().map(|p| (p - log_height).exp()).collect::<Vec<f64>>()];
        let penalty = match self.engine.penalty {
            Penalty::Absolute(lambda) => Penalty::Absolute(lambda * (-2.0 * log_height).exp()),
            relative => relative,
        };
        let engine = self.engine.with_kernel(kernel).penalty(penalty);
        engine.check(x.cols())?;
        let rows = engine.candidate_rows(x.rows());
        let ones = vec![1.0; x.rows()];
        let stop = || watch.stop_requested();
        let objective = Objective {
            targets: &targets,
            weights: &ones,
            constant: None,
            criterion: Criterion::MeanSquared,
            stop: &stop,
        };
        let (selection, candidates) = engine.select_terms(x, &rows, None, objective, watch)?;
        let (density, kept) = if selection.terms.is_empty() {
            unless_stopped(watch)?;
            // Few rows far from each other: there is nothing that could stand for the others.
            (parzen, Vec::new())
        } else {
            let simplex = program(&selection)?.solve()?;
            let kept: Vec<usize> = (0..simplex.len()).filter(|&i| simplex[i] > 0.0).collect();
            let centres = x.select(&kept.iter().map(|&i| rows[selection.terms[i]]).collect::<Vec<_>>());
            let shares = kept.iter().map(|&i| simplex[i]).collect();
            (Density::new(width.clone(), centres, shares)?, kept)
        };
        Ok(DensityEstimate {
            density,
            parzen_width: parzen_width.clone(),
            stages: stages(&selection, &rows, log_height.exp().powi(2)),
            candidates: candidates.count,
            trials: Vec::new(),
            refined: 0,
            stop: selection.stop,
            kept,
        })
    }

    fn choose_width(&self, x: Rows<'_>, parzen: &Width, watch: &dyn Watch) -> Result<(Width, Vec<Trial>)> {
        let kernels: Vec<Kernel> =
            MULTIPLES.iter().map(|multiple| Kernel::gaussian(parzen.scaled(*multiple))).collect();
        let mut trials = Trials::new(watch);
        let judge = |kernel: &Kernel, _: Option<&Trial>| {
            self.held_out(x, parzen, kernel.width().unwrap_or(parzen), watch)
        };
        trials.in_turn(&kernels, judge)?;
        let found = smallest_within_one_standard_error(trials.tried()).or(trials.tried().first());
        let width = found.and_then(|trial| trial.kernel.width()).unwrap_or(parzen).clone();
        Ok((width, trials.into_tried()))
    }

    /// The estimate for a part of the rows, which says nothing where it is broken off.
    fn part(&self, x: Rows<'_>, parzen: &Width, width: &Width, watch: &dyn Watch) -> Result<Density> {
        let density = self.with_widths(x, None, parzen, width, &Impatient(watch))?.density;
        unless_stopped(watch).map(|()| density)
    }

    /// Minus the log density of held-out rows.
    fn held_out(&self, x: Rows<'_>, parzen: &Width, width: &Width, watch: &dyn Watch) -> Result<Judgement> {
        let (mut losses, mut sizes) = (Vec::with_capacity(x.rows()), Vec::new());
        for (train, test) in held_out_parts(x)? {
            let density = self.part(train.view(), parzen, width, watch)?;
            sizes.push(density.weights().len() as f64);
            losses.extend(density.log_density(test.view())?.iter().map(|p| -p));
        }
        Ok(Judgement::of(&losses, sizes.iter().sum::<f64>() / sizes.len() as f64))
    }

    /// How many refining steps are worth taking, by the log density of held-out rows.
    fn steps(&self, x: Rows<'_>, parzen: &Width, width: &Width, watch: &dyn Watch) -> Result<usize> {
        // Of every held-out row, before refinement and after each step of it.
        let mut logs = vec![Vec::with_capacity(x.rows()); self.refinement + 1];
        for (train, test) in held_out_parts(x)? {
            let mut density = self.part(train.view(), parzen, width, watch)?;
            let bounds = bounds(&density);
            for (steps, logs) in logs.iter_mut().enumerate() {
                if steps > 0 {
                    unless_stopped(watch)?;
                    density = step(&density, train.view(), None, &bounds)?;
                }
                logs.extend(density.log_density(test.view())?);
            }
        }
        let gain = |above: &Vec<f64>| {
            let differences: Vec<f64> = above.iter().zip(&logs[0]).map(|(a, b)| a - b).collect();
            Judgement::of(&differences, 0.0)
        };
        let judged: Vec<Judgement> = logs.iter().map(gain).collect();
        let best = (1..judged.len()).max_by(|&a, &b| judged[a].mean.total_cmp(&judged[b].mean));
        Ok(best.filter(|&s| judged[s].mean > judged[s].standard_error).unwrap_or(0))
    }
}

fn unless_stopped(watch: &dyn Watch) -> Result<()> {
    if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) }
}

/// The rows in parts, each held out once.
fn held_out_parts(x: Rows<'_>) -> Result<impl Iterator<Item = (Matrix, Matrix)>> {
    let folds = Split::interleaved_folds(x.rows(), FOLDS.min(x.rows() / 2).max(2))?;
    Ok(folds.into_iter().map(move |fold| (x.select(&fold.train), x.select(&fold.test))))
}

impl DensityEstimate {
    /// The estimate of the density of `x` as a model, with what is known about it.
    pub fn into_fitted(self, x: Rows<'_>) -> Result<Fitted> {
        let growth = self.kept.iter().map(|&i| self.stages[i].leave_one_out).collect();
        let record = Record::new(OLS, x.rows()).with("candidates", self.candidates).with_growth(growth);
        let mut fitted = Fitted::new(self.density.to_model(record)?, self.candidates);
        let parzen = Parzen::new().width(self.parzen_width.clone());
        fitted.reference = Some(parzen.fit(x)?);
        let (size, selected) = (fitted.model.size(), self.stages.len());
        if selected == 0 {
            fitted.notes.push("no kernel could stand for others: every row is one".to_owned());
        }
        if size < selected {
            fitted.notes.push(format!("{} of {selected} selected kernels got weight zero", selected - size));
        }
        if self.refined > 0 {
            let steps =
                if self.refined == 1 { "1 step".to_owned() } else { format!("{} steps", self.refined) };
            fitted.notes.push(format!("refined by {steps} on all rows"));
        }
        // Where some of the selected kernels were not needed, more would not have been either.
        let note = stop_note(self.stop).filter(|_| self.stop != StopReason::MaxTerms || size == selected);
        fitted.notes.extend(note.map(str::to_owned));
        fitted.interrupted = self.stop == StopReason::Requested;
        if !self.trials.is_empty() {
            fitted.judged_by = "held-out log density".to_owned();
        }
        fitted.trials = self.trials;
        fitted.stages = self.stages;
        Ok(fitted)
    }
}

impl Method for SparseDensity {
    fn name(&self) -> &'static str {
        OLS
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        self.estimated(sizes)
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let x = problem.x.require_dense("dense rows for a density")?;
        Self::estimate(self, x, problem.weights, watch)?.into_fitted(x)
    }
}

/// `B = Phi'Phi = A' diag(w'w) A` and `v = Phi'y = A'W'y`, without another look at the data.
fn program(selection: &Selection) -> Result<SimplexProgram> {
    let basis = &selection.basis;
    let n = basis.len();
    let a = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => basis.terms.upper[j][i],
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 0.0,
    };
    let entry =
        |i: usize, j: usize| (0..=i.min(j)).map(|l| a(l, i) * basis.terms.energy[l] * a(l, j)).sum::<f64>();
    let matrix = (0..n * n).map(|ij| entry(ij / n, ij % n)).collect();
    let linear = (0..n).map(|i| (0..=i).map(|l| a(l, i) * basis.terms.projection[l][0]).sum()).collect();
    SimplexProgram::new(matrix, linear)
}

fn stages(selection: &Selection, rows: &[usize], unit: f64) -> Vec<Stage> {
    let basis = &selection.basis;
    let n = basis.eta.len() as f64;
    let squares = basis.terms.squares_after(0, basis.squares());
    selection
        .terms
        .iter()
        .zip(selection.curve[1..].iter().zip(squares))
        .map(|(&term, (loo, squares))| Stage {
            row: rows[term],
            leave_one_out: loo * unit,
            training: squares / n * unit,
        })
        .collect()
}
