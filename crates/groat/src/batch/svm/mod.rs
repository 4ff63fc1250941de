//! Support vector machines (systems B11 and D5): classification, regression and one class, solved exactly.
//!
//! Classification with a cost minimises `1/2 |f|^2 + cost sum_i w_i max(0, 1 - y_i f(x_i))` over `f(x) = b + sum_i
//! beta_i k(x_i, x)`, regression the errors beyond `epsilon`; in the nu forms a share of rows takes the place of the cost
//! (or of `epsilon`), and one class finds where rows are without an answer. All are cases of one dual problem
//! ([`dual`]), solved in blocks ([`decompose`], [`smo`]) to a stated violation of the conditions of a solution. Several
//! classes are told apart pair by pair over one shared set of vectors.
//!
//! A sample weight multiplies its cost: weight 2 is a row that stands there twice, weight 0 one that is not there.
//!
//! **Cost**: `n` kernel values for every coefficient that a block changes, two to three per vector of the model; radial
//! kernels are evaluated in single precision while that cannot be seen in the result, which the solver checks. **Memory**: a
//! few numbers per row where there are few features; with many, and for kernels that are not radial, also the rows of the
//! kernel matrix that the limit allows. A kernel with compact support has sparse rows, and memory and time follow the
//! nonzeros. Where there are too many rows for that, `chunk` trains on parts of the data and carries the vectors on
//! ([`chunks`]).
//!
//! ```
//! use groat::{Kernel, Rows, batch::{Method, Problem, Quiet, SupportVectorMachine, SvmForm}};
//! let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 10.0).collect();
//! let codes: Vec<usize> = x.iter().map(|x| usize::from(x.sin() > 0.0)).collect();
//! let machine = SupportVectorMachine::fixed(SvmForm::Classes, Kernel::gaussian(0.7)).cost(10.0);
//! let fitted = machine.fit(&Problem::classification(Rows::new(&x, 1)?, &codes, 2)?, &Quiet)?;
//! assert_eq!(fitted.model.predict_one(&[1.5])?, [1.0]);
//! assert!(fitted.model.size() < 30);
//! # Ok::<(), groat::Error>(())
//! ```

mod advice;
mod build;
mod calibrate;
mod chunks;
mod cost;
mod decompose;
mod dual;
mod forms;
mod machine;
mod one_pass;
mod search;
mod smo;
mod start;
mod subsample;

pub(in crate::batch) use build::{build_nu_svc, build_nu_svr, build_one_class, build_svc, build_svr};
pub(in crate::batch) use calibrate::sigmoid;
pub(in crate::batch) use decompose::Stop;
pub use forms::SvmForm;
pub(in crate::batch) use search::folds;
pub(in crate::batch) use start::{check as check_start, known};
pub use subsample::Subsampling;

use crate::batch::forward::ClassWeights;
use crate::batch::methods::{NU_SVC, NU_SVR, ONE_CLASS, SVC, SVR};
use crate::batch::{
    Batches, Estimate, Fitted, Grace, Method, Problem, Progress, Sizes, Target, TaskKind, Watch,
};
use crate::error::{Error, Result, check_not_negative, check_positive};
use crate::gram::Memory;
use crate::kernels::Kernel;
use crate::matrix::Points;
use crate::model::{Model, Record};
use crate::tune::{Search, Trial, Validation, stablest, typical_distance};
use decompose::Limits;
use forms::Numbers;
use machine::{Machine, Settings, assemble, parts, task};
use std::time::Duration;

/// Share of rows that a one-class machine leaves outside where nothing is said.
const ONE_CLASS_NU: f64 = 0.1;
/// What the width of a one-class machine is found by, where nothing is said.
const MEDIAN_DISTANCE: &str = "the median distance of the rows";
/// `nu` of the other machines where nothing is said and nothing is searched.
const NU: f64 = 0.5;
/// Errors that a regression forgives where nothing is said, in deviations of the target.
pub(in crate::batch) const EPSILON_SHARE: f64 = 0.05;

/// Parameters of a support vector machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SupportVectorMachine {
    /// Which machine.
    pub form: SvmForm,
    /// The kernel. Its width is a placeholder unless `widths` is [`Search::Fixed`].
    pub kernel: Kernel,
    /// How the width is found.
    pub widths: Search,
    /// What a violated margin or an error beyond `epsilon` costs, when `costs` is [`Search::Fixed`].
    pub cost: f64,
    /// How the cost is found.
    pub costs: Search,
    /// Errors that a regression forgives. Where it is not given, a quarter of the error that the search for width or cost
    /// first finds possible, or a twentieth of the target's deviation where nothing is searched.
    pub epsilon: Option<f64>,
    /// Share of violated margins, of rows outside the tube, or of rows outside the one class; chosen where it is not
    /// given.
    pub nu: Option<f64>,
    /// How much each class counts.
    pub class_weights: ClassWeights,
    /// Violation of the conditions of a solution at which the solver stops, in deviations of the target for a
    /// regression.
    pub tolerance: f64,
    /// Most steps of two variables; the model so far is returned with its gap.
    pub max_iterations: Option<u64>,
    /// Most seconds of the solver; the model so far is returned with its gap.
    pub max_seconds: Option<f64>,
    /// Whether probabilities of the classes are worked out, on decision values of rows that were left out.
    pub probabilities: bool,
    /// Rows that are trained on at a time, their support vectors being carried on; all at once where it is not given.
    pub chunk: Option<usize>,
    /// Most vectors that are carried from chunk to chunk.
    pub carry: usize,
    /// Most passes over the chunks.
    pub chunk_passes: usize,
    /// Whether two classes are learnt in one pass over the rows, approximately.
    pub one_pass: bool,
    /// Rows to learn from in place of all.
    pub subsample: Option<usize>,
    /// How these are chosen.
    pub subsampling: Subsampling,
    /// Parts of the rows on which settings are judged and probabilities are worked out, each left out once.
    pub folds: usize,
    /// The search uses at most this many rows, drawn at random; the fit uses all.
    pub selection_rows: usize,
    /// What rows of the kernel matrix may take; half a GiB where it is not given.
    pub memory: Memory,
    /// Seed of the random draw.
    pub seed: u64,
}

impl SupportVectorMachine {
    /// The defaults: width and cost are searched for.
    pub fn new(form: SvmForm) -> Self {
        Self {
            form,
            kernel: Kernel::gaussian(1.0),
            widths: Search::Auto,
            cost: 1.0,
            costs: Search::Auto,
            epsilon: None,
            nu: None,
            class_weights: ClassWeights::Equal,
            tolerance: 1e-3,
            max_iterations: None,
            max_seconds: None,
            probabilities: false,
            chunk: None,
            carry: 20_000,
            chunk_passes: 5,
            one_pass: false,
            subsample: None,
            subsampling: Subsampling::Random,
            folds: 5,
            selection_rows: 1000,
            memory: Memory::default(),
            seed: 0,
        }
    }

    /// The given kernel, cost 1, nothing searched.
    pub fn fixed(form: SvmForm, kernel: Kernel) -> Self {
        Self { kernel, widths: Search::Fixed, costs: Search::Fixed, nu: Some(NU), ..Self::new(form) }
    }

    /// This cost and no other.
    #[must_use]
    pub fn cost(self, cost: f64) -> Self {
        Self { cost, costs: Search::Fixed, ..self }
    }

    /// This share.
    #[must_use]
    pub fn nu(self, nu: f64) -> Self {
        Self { nu: Some(nu), ..self }
    }

    /// These forgiven errors.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Self { epsilon: Some(epsilon), ..self }
    }

    /// This violation at the end.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// At most so many steps.
    #[must_use]
    pub fn max_iterations(self, steps: u64) -> Self {
        Self { max_iterations: Some(steps), ..self }
    }

    fn check(&self, problem: &Problem<'_>) -> Result<()> {
        let known = match problem.target {
            Target::Classes { .. } => self.form.classifies(),
            Target::Values(_) => matches!(self.form, SvmForm::Values | SvmForm::NuValues),
            Target::Density => self.form == SvmForm::OneClass,
        };
        if !known {
            let expected = match self.form {
                SvmForm::Classes | SvmForm::NuClasses => "classification",
                SvmForm::Values | SvmForm::NuValues => "regression",
                SvmForm::OneClass => "density: rows without an answer",
            };
            return Err(Error::parameter("task", TaskKind::of(&problem.target), expected));
        }
        self.kernel.check_for(problem.x.cols())?;
        check_positive("cost", self.cost)?;
        check_positive("tolerance", self.tolerance)?;
        self.widths.check("width")?;
        self.costs.check("cost")?;
        if let Some(seconds) = self.max_seconds {
            check_positive("max_time", seconds)?;
        }
        if let Some(epsilon) = self.epsilon {
            check_not_negative("epsilon", epsilon)?;
        }
        if let Some(nu) = self.nu.filter(|nu| !(*nu > 0.0 && *nu <= 1.0)) {
            return Err(Error::parameter("nu", nu, "above 0 and at most 1"));
        }
        if let Target::Classes { codes, count } = problem.target {
            let pairs = (count as u64).saturating_mul(count as u64 - 1) / 2;
            let advice = "one against all others takes less: linear-svc, lssvm or ols";
            self.memory.check(
                "coefficients of every row for every pair of classes",
                pairs.saturating_mul(8 * codes.len() as u64),
                advice,
            )?;
        }
        if self.folds < 2 {
            return Err(Error::parameter("folds", self.folds, "at least 2"));
        }
        if self.selection_rows < 10 {
            return Err(Error::parameter("selection_rows", self.selection_rows, "at least 10"));
        }
        Ok(())
    }

    /// What a tolerance is counted in: the target's deviation for a regression.
    fn unit(&self, problem: &Problem<'_>) -> f64 {
        deviation(problem)
    }

    /// The numbers before anything is searched.
    fn numbers(&self, problem: &Problem<'_>) -> Numbers {
        let nu = if self.form == SvmForm::OneClass { ONE_CLASS_NU } else { NU };
        let epsilon = self.epsilon.unwrap_or_else(|| EPSILON_SHARE * deviation(problem));
        Numbers { cost: self.cost, epsilon, nu: self.nu.unwrap_or(nu) }
    }

    fn settings(&self, numbers: Numbers, problem: &Problem<'_>) -> Settings {
        let time = time_limit(self.max_seconds);
        let tolerance = self.tolerance * self.unit(problem);
        let limits = Limits { tolerance, iterations: self.max_iterations, time };
        Settings { form: self.form, numbers, limits, memory: self.memory }
    }

    fn run(&self, problem: &Problem<'_>, start: Option<&Model>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked_with_zeros()?;
        self.check(&problem)?;
        let factors = self.class_weights.factors(&problem)?;
        let mut notes = Vec::new();
        let (kernel, numbers, trials) = match self.found(&problem, &factors, watch, &mut notes) {
            Err(Error::Stopped) => return self.hurried(&problem),
            found => found?,
        };
        kernel.check_for(problem.x.cols())?;
        if self.one_pass {
            return self.in_one_pass(&kernel, &numbers, &problem, &factors, watch);
        }
        let (settings, parts) = (self.settings(numbers, &problem), parts(&problem, &factors));
        let starts = match start {
            Some(model) => start::states(model, &settings, &kernel, problem.x, &parts)?,
            None => Vec::new(),
        };
        let machines = settings.train(&kernel, problem.x, &parts, &starts, watch)?;
        let function = assemble(&kernel, problem.x, &parts, &machines)?;
        let mut interrupted = machines.iter().any(|machine| machine.report.stop == Stop::Asked);
        let record = self.record(&problem, &settings, &machines);
        notes.extend(self.remarks(&machines, &kernel, problem.x));
        let mut model = Model::new(function).with_task(task(&problem))?.with_record(record);
        if self.probabilities && self.form.classifies() && !interrupted {
            match calibrate::calibration(self, &settings, &kernel, &problem, &model, watch) {
                Ok((calibration, note)) => {
                    model = model.with_calibration(Some(calibration))?;
                    notes.extend(note);
                }
                // The machine itself is solved.
                Err(Error::Stopped) => {
                    interrupted = true;
                    notes.push("it was asked to stop before there were probabilities".to_owned());
                }
                Err(other) => return Err(other),
            }
        }
        let mut fitted = Fitted::new(model, problem.x.rows());
        if !trials.is_empty() {
            fitted.judged_by = Validation::Folds(self.folds).to_string();
        } else if self.form == SvmForm::OneClass && self.widths == Search::Auto && kernel.width().is_some() {
            fitted.judged_by = MEDIAN_DISTANCE.to_owned();
        }
        (fitted.trials, fitted.notes, fitted.interrupted) = (trials, notes, interrupted);
        fitted.matrix =
            machines.iter().filter_map(|machine| machine.report.matrix).max_by_key(|plan| plan.bytes);
        Ok(fitted)
    }

    /// What there is to show where the search was broken off: the machine of a width and a cost that suit most data, as far
    /// as it comes in a moment.
    fn hurried(&self, problem: &Problem<'_>) -> Result<Fitted> {
        let numbers = self.numbers(problem);
        let mut usual = Self { nu: Some(numbers.nu), probabilities: false, ..self.clone() };
        if self.widths != Search::Fixed && self.kernel.width().is_some() {
            usual.kernel = self.kernel.with_width(typical_distance(problem.x, self.seed));
            usual.widths = Search::Fixed;
        }
        if self.costs != Search::Fixed {
            usual = usual.cost(deviation(problem));
        }
        let grace = Grace::new();
        // The first step has been taken: nothing but the time counts.
        grace.progress(&Progress::new("search", 1, None));
        let mut fitted = usual.run(problem, None, &grace)?;
        fitted.interrupted = true;
        fitted.notes.insert(0, "the search was broken off: a usual width and cost stand in".to_owned());
        Ok(fitted)
    }

    /// The approximate machine of one pass over the rows.
    fn in_one_pass(
        &self,
        kernel: &Kernel,
        numbers: &Numbers,
        problem: &Problem<'_>,
        factors: &[f64],
        watch: &dyn Watch,
    ) -> Result<Fitted> {
        let (function, violation) = self.one_pass_over(kernel, numbers, problem, factors, watch)?;
        let record = Record::new(self.name(), problem.x.rows())
            .with("cost", numbers.cost)
            .with("one_pass", true)
            .with("violation", violation);
        let mut notes = vec![format!(
            "learnt in one pass: violation {violation:.1e} among the vectors, rows that were passed by apart"
        )];
        let model = Model::new(function).with_task(task(problem))?.with_record(record);
        let model = self.calibrated_on_some(model, (kernel, *numbers), problem, watch, &mut notes)?;
        let mut fitted = Fitted::new(model, problem.x.rows());
        fitted.notes = notes;
        Ok(fitted)
    }

    /// Kernel and numbers, as given or as found.
    fn found(
        &self,
        problem: &Problem<'_>,
        factors: &[f64],
        watch: &dyn Watch,
        notes: &mut Vec<String>,
    ) -> Result<(Kernel, Numbers, Vec<Trial>)> {
        let mut numbers = self.numbers(problem);
        if self.form == SvmForm::OneClass {
            if self.kernel.width().is_none() {
                return Ok((self.kernel.clone(), numbers, Vec::new()));
            }
            let kernel = match &self.widths {
                Search::Fixed => self.kernel.clone(),
                Search::Grid(widths) if widths.len() == 1 => self.kernel.with_width(widths[0]),
                Search::Grid(_) => {
                    let expected = "one for one-class: without a target nothing tells which is best";
                    return Err(Error::parameter("width", "several", expected));
                }
                Search::Auto => {
                    let width = typical_distance(problem.x, self.seed);
                    notes.push(format!(
                        "width {width:.4}, {MEDIAN_DISTANCE}: without a target nothing tells a better one"
                    ));
                    self.kernel.with_width(width)
                }
            };
            return Ok((kernel, numbers, Vec::new()));
        }
        let search::Outcome { trials, epsilon, note } = search::search(self, problem, factors, watch)?;
        notes.extend(note);
        numbers.epsilon = epsilon.unwrap_or(numbers.epsilon);
        let Some(best) = stablest(&trials) else { return Ok((self.kernel.clone(), numbers, trials)) };
        match search::Searched::of(self.form) {
            search::Searched::Cost => numbers.cost = 1.0 / best.ridge,
            search::Searched::Nu => numbers.nu = best.ridge,
        }
        Ok((best.kernel.clone(), numbers, trials))
    }

    fn record(&self, problem: &Problem<'_>, settings: &Settings, machines: &[Machine]) -> Record {
        let numbers = settings.numbers;
        let sum = |of: fn(&Machine) -> f64| machines.iter().map(of).sum::<f64>();
        let worst = machines.iter().map(|m| m.report.violation).fold(0.0, f64::max);
        let mut record = Record::new(self.name(), problem.x.rows())
            .with("tolerance", self.tolerance)
            .with("violation", worst)
            .with("objective", sum(|m| m.report.objective))
            .with("duality_gap", sum(|m| m.report.gap))
            .with("iterations", machines.iter().map(|m| m.report.steps).sum::<u64>())
            .with("kernel_rows", machines.iter().map(|m| m.report.evaluated).sum::<usize>())
            .with("at_bound", machines.iter().map(|m| m.report.bounded).sum::<usize>());
        if self.form.takes_cost() {
            record = record.with("cost", numbers.cost);
        }
        if self.form.takes_nu() {
            record = record.with("nu", numbers.nu);
        }
        match (self.form, machines) {
            (SvmForm::Values, _) => record.with("epsilon", numbers.epsilon),
            (SvmForm::NuValues, [one]) => record.with("epsilon", one.epsilon.unwrap_or(0.0)),
            _ => record,
        }
    }

    /// What a person should know of how it went.
    fn remarks(&self, machines: &[Machine], kernel: &Kernel, x: Points<'_>) -> Vec<String> {
        let worst = machines.iter().max_by(|a, b| a.report.violation.total_cmp(&b.report.violation));
        let Some(Machine { report, .. }) = worst else { return Vec::new() };
        // Of the larger of the primal and the dual objective, which agree at the solution.
        let size = (report.gap - report.objective).abs().max(report.objective.abs());
        let gap = if size > 0.0 { (report.gap / size).max(0.0) } else { 0.0 };
        let state = format!("violation {:.1e}, duality gap {gap:.1e} of the objective", report.violation);
        let mut notes = vec![format!("solved to {state}, in {} steps", report.steps)];
        if let Some(why) = report.stop.why() {
            let advice = advice::advice(x, kernel, report.stop == Stop::Stalled, self.form.takes_cost());
            notes = vec![format!("not solved: {why} at {state}; {advice}")];
        }
        notes.extend(kernel.warning_for(x.cols()));
        notes
    }
}

impl Method for SupportVectorMachine {
    fn name(&self) -> &'static str {
        match self.form {
            SvmForm::Classes => SVC,
            SvmForm::NuClasses => NU_SVC,
            SvmForm::Values => SVR,
            SvmForm::NuValues => NU_SVR,
            SvmForm::OneClass => ONE_CLASS,
        }
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        self.estimated(sizes)
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        if let Some(counting) = problem.checked_with_zeros()?.counting() {
            return self.fit(&counting.problem()?, watch);
        }
        problem.check_classes_apart()?;
        if let Some(rows) = subsample::chosen(self, problem) {
            let some = problem.select(&rows);
            let mut fitted = Self { subsample: None, ..self.clone() }.fit(&some.problem()?, watch)?;
            let how = if self.subsampling == Subsampling::Boundary {
                "near the boundary and at random"
            } else {
                "at random"
            };
            fitted.notes.push(format!(
                "learnt from {} of {} rows, chosen {how}",
                rows.len(),
                problem.x.rows()
            ));
            return Ok(fitted);
        }
        if self.chunk.is_some() {
            if problem.weights.is_some() {
                let expected = "left out: parts of weighted rows are not trained on in turn";
                return Err(Error::parameter("chunk", self.chunk.unwrap_or(0), expected));
            }
            let responses = problem.responses();
            return self.chunked(&(problem.x, responses.view()), problem, watch);
        }
        self.run(problem, None, watch)
    }

    fn fit_from(&self, start: &Model, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let parts = [("chunk", self.chunk.is_some()), ("subsample", self.subsample.is_some())];
        for (name, given) in parts.into_iter().chain([("one_pass", self.one_pass)]) {
            if given {
                return Err(Error::parameter(name, "given", "left out where a model is gone on from"));
            }
        }
        check_start(start, self.name())?;
        let counting = problem.checked_with_zeros()?.counting();
        let counting = counting.as_ref().map(|some| some.problem()).transpose()?;
        let problem = counting.as_ref().unwrap_or(problem);
        problem.check_classes_apart()?;
        self.settled_by(start).run(problem, Some(start), watch)
    }

    fn fit_batches(&self, data: &dyn Batches, sample: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        self.chunked(data, sample, watch)
    }
}

/// A limit of seconds as a duration; beyond a century it is none.
pub(in crate::batch) fn time_limit(seconds: Option<f64>) -> Option<Duration> {
    seconds.filter(|seconds| *seconds < 3e9).map(Duration::from_secs_f64)
}

/// The deviation of the target, mean over its columns; 1 where it does not vary.
pub(in crate::batch) fn deviation(problem: &Problem<'_>) -> f64 {
    let Target::Values(y) = problem.target else { return 1.0 };
    let (n, columns) = (y.rows() as f64, y.cols());
    let of = |c: usize| {
        let mean = y.iter().map(|row| row[c]).sum::<f64>() / n;
        (y.iter().map(|row| (row[c] - mean).powi(2)).sum::<f64>() / n).sqrt()
    };
    let mean = (0..columns).map(of).sum::<f64>() / columns as f64;
    if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
}

#[cfg(test)]
mod tests;
