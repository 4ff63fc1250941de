//! Laws that every batch method of the table must keep. A new row is held to them without a new test: the made-up method
//! at the end of this file is one, added through the door that CONTRIBUTING names.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use crate::impatient::Impatient;
use groat::batch::methods::{KERNEL_RIDGE, OLS, ONE_CLASS, SPARSE};
use groat::batch::{BoxedMethod, Quiet, Taken};
use groat::batch::{
    Estimate, Fitted, KernelChoice, Method, MethodPlan, MethodRow, Methods, Problem, Sizes, Target, TaskKind,
    Watch,
};
use groat::settings::{Parameter, Range, Settings};
use groat::{Error, Expansion, Kernel, Matrix, Model, Result};

/// The methods under test: those of the library, and one that is made up here.
fn methods() -> Methods {
    Methods::standard().with(MEAN)
}

/// Calls a law for every method and each of its tasks.
fn for_each(law: impl Fn(&MethodRow, TaskKind)) {
    for row in methods().rows() {
        row.tasks.iter().for_each(|task| law(row, *task));
    }
}

/// Rows with answers for every task.
#[derive(Clone)]
struct Data {
    x: Matrix,
    y: Vec<f64>,
    codes: Vec<usize>,
    weights: Option<Vec<f64>>,
}

impl Data {
    /// Two features in 0..1 that look random, a smooth answer and a class that depends on both.
    fn new(rows: usize) -> Self {
        let at = |i: usize, step: f64| (i as f64 * step).fract();
        let x: Vec<f64> = (0..rows).flat_map(|i| [at(i, 0.754_877), at(i, 0.569_84)]).collect();
        let y = x.chunks(2).map(|x| (6.0 * x[0]).sin() + 0.5 * x[1]).collect();
        let codes = x.chunks(2).map(|x| usize::from(x[0] > 0.3 + 0.4 * x[1])).collect();
        Self { x: Matrix::from_vec(x, rows, 2).unwrap(), y, codes, weights: None }
    }

    fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.view().select(rows),
            y: rows.iter().map(|&row| self.y[row]).collect(),
            codes: rows.iter().map(|&row| self.codes[row]).collect(),
            weights: None,
        }
    }

    fn problem(&self, task: TaskKind) -> Problem<'_> {
        let x = self.x.view();
        let problem = match task {
            TaskKind::Regression => Problem::regression(x, &self.y),
            TaskKind::Classification => Problem::classification(x, &self.codes, 2),
            _ => Problem::density(x),
        };
        let problem = problem.unwrap();
        self.weights.as_ref().map_or(problem, |weights| problem.with_weights(weights).unwrap())
    }
}

/// The settings that a method takes for a task, out of those offered.
fn taken(row: &MethodRow, task: TaskKind, offered: &[(&str, &str)]) -> Settings {
    let fits = |name: &str| row.parameter(name).is_some_and(|taken| taken.tasks.contains(&task));
    let given = offered.iter().filter(|(name, _)| fits(name));
    given.fold(Settings::new(), |settings, (name, value)| settings.with(name, value))
}

/// Everything given that would otherwise be found on some order of the rows.
const GIVEN: &[(&str, &str)] = &[
    ("ridge", "0.01"),
    ("parzen_width", "0.1"),
    ("refinement", "0"),
    ("cost", "10"),
    ("epsilon", "0.05"),
    ("nu", "0.3"),
    ("tolerance", "1e-10"),
];

fn build(row: &MethodRow, kernel: &str, settings: &Settings) -> BoxedMethod {
    let kernel = if row.takes_kernel() { kernel.parse().unwrap() } else { KernelChoice::default() };
    methods().build(row.name, &kernel, &[], settings).unwrap()
}

fn fit(row: &MethodRow, kernel: &str, settings: &Settings, data: &Data, task: TaskKind) -> Result<Fitted> {
    build(row, kernel, settings).fit(&data.problem(task), &Quiet)
}

fn answers(fitted: &Fitted) -> Vec<f64> {
    fitted.model.values(Data::new(97).x.view()).unwrap().data().to_vec()
}

/// The largest difference of two models' answers, in units of the largest answer.
fn difference(a: &Fitted, b: &Fitted) -> f64 {
    scaled_difference(a, b, 1.0)
}

/// The same where the answers of `b` are `factor` times as large.
fn scaled_difference(a: &Fitted, b: &Fitted, factor: f64) -> f64 {
    let (a, b) = (answers(a), answers(b));
    let largest = a.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
    a.iter().zip(&b).map(|(a, b)| (a - b / factor).abs()).fold(0.0, f64::max) / largest
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for_each(|row, task| {
        let data = Data::new(90);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(row, "gaussian", &Settings::new(), &data, task).unwrap())
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.model.to_bytes().unwrap(), three.model.to_bytes().unwrap(), "{} {task}", row.name);
        assert_eq!(one.trials, three.trials, "{} {task}", row.name);
    });
}

#[test]
fn every_method_tells_what_a_fit_will_take() {
    for_each(|row, task| {
        let method = build(row, "gaussian", &Settings::new());
        let told = |rows: usize| method.estimate(&Sizes::new(rows, 5, task)).unwrap();
        let (few, many) = (told(1000), told(4000));
        let name = row.name;
        assert!(!few.solver.is_empty() && few.work.is_finite() && few.work > 0.0, "{name} {task}");
        assert!(many.work > few.work && many.bytes > few.bytes, "{name} {task}: {few:?} {many:?}");
        for estimate in [few, many] {
            assert!(estimate.matrix.is_none_or(|plan| plan.bytes <= plan.limit), "{name} {task}");
        }
    });
}

#[test]
fn a_method_with_a_kernel_matrix_says_how_it_stood() {
    for_each(|row, task| {
        let method = build(row, "gaussian:width=0.3", &taken(row, task, GIVEN));
        let (data, sizes) = (Data::new(60), Sizes::new(60, 2, task));
        let told = method.estimate(&sizes).unwrap().matrix;
        let fitted = method.fit(&data.problem(task), &Quiet).unwrap();
        // A density has many matrices of which none is its own.
        if task != TaskKind::Density {
            assert_eq!(
                fitted.matrix.map(|plan| plan.form),
                told.map(|plan| plan.form),
                "{} {task}",
                row.name
            );
        }
    });
}

#[test]
fn predictions_change_nothing_and_a_file_keeps_everything() {
    for_each(|row, task| {
        let fitted = fit(row, "gaussian:width=0.3", &Settings::new(), &Data::new(60), task).unwrap();
        let before = fitted.model.to_bytes().unwrap();
        let first = answers(&fitted);
        assert_eq!(first, answers(&fitted), "{} {task}", row.name);
        assert_eq!(before, fitted.model.to_bytes().unwrap(), "{} {task}", row.name);
        let read = Fitted::new(Model::from_bytes(&before).unwrap(), 0);
        assert_eq!(answers(&read), first, "{} {task}", row.name);
        assert_eq!(read.model.record().method, row.name);
        assert_eq!(read.model.to_bytes().unwrap(), before, "{} {task}", row.name);
    });
}

#[test]
fn the_order_of_rows_does_not_matter() {
    for_each(|row, task| {
        let data = Data::new(80);
        let order: Vec<usize> = (0..80).map(|i| (i * 37 + 11) % 80).collect();
        let settings = taken(row, task, GIVEN);
        let fit = |data: &Data| fit(row, "gaussian:width=0.3", &settings, data, task).unwrap();
        let off = difference(&fit(&data), &fit(&data.select(&order)));
        assert!(off < 1e-6, "{} {task}: off by {off:e}", row.name);
    });
}

/// Weights of mean 1 under a ridge are the repetition of rows under that ridge times the mean count, or under the
/// cost divided by it.
#[test]
fn weights_are_repetition() {
    for_each(|row, task| {
        let data = Data::new(80);
        let counts: Vec<usize> = (0..80).map(|i| 1 + i % 3).collect();
        let mean = counts.iter().sum::<usize>() as f64 / 80.0;
        let repeated: Vec<usize> = (0..80).flat_map(|i| vec![i; counts[i]]).collect();
        let mut weighted = data.clone();
        weighted.weights = Some(counts.iter().map(|&count| count as f64 / mean).collect());
        // Leaving out a row is not leaving out one of its copies, so that a selection may take another vector; the first
        // of this regression is the same.
        if task == TaskKind::Density || (row.name == OLS && task == TaskKind::Classification) {
            return;
        }
        let offered = [GIVEN, &[("passes", "1"), ("max_terms", "1")]].concat();
        let with_ridge = |ridge: f64| {
            taken(row, task, &offered).with_taken(row, "ridge", ridge).with_taken(row, "cost", 0.1 / ridge)
        };
        let fit =
            |data: &Data, ridge: f64| fit(row, "gaussian:width=0.3", &with_ridge(ridge), data, task).unwrap();
        let (weighted, repeated) = (fit(&weighted, 0.01), fit(&data.select(&repeated), 0.01 * mean));
        // How much a row is of the one class is counted in rows.
        let rows = if row.name == ONE_CLASS { mean } else { 1.0 };
        let off = scaled_difference(&weighted, &repeated, rows);
        // Vectors of the default fit go downhill from where those of the parts of the rows went, which are other parts where
        // rows are repeated: the same place, as near as a few steps come to it.
        let near = if row.name == SPARSE { 1e-3 } else { 1e-6 };
        assert!(off < near, "{} {task}: off by {off:e}", row.name);
    });
}

/// One more setting, where the method takes it.
trait WithTaken {
    fn with_taken(self, row: &MethodRow, name: &str, value: f64) -> Self;
}

impl WithTaken for Settings {
    fn with_taken(self, row: &MethodRow, name: &str, value: f64) -> Self {
        if row.parameter(name).is_some() { self.with(name, value) } else { self }
    }
}

#[test]
fn a_constant_target_is_answered_by_the_constant() {
    for_each(|row, task| {
        let mut data = Data::new(40);
        data.y.fill(7.0);
        data.codes.fill(0);
        if task == TaskKind::Density {
            return;
        }
        let fitted = fit(row, "gaussian:width=0.3", &Settings::new(), &data, task);
        // A machine between classes has nothing to stand between.
        let margin = row.parameter("cost").is_some() || row.parameter("nu").is_some();
        if margin && task == TaskKind::Classification {
            assert!(matches!(fitted, Err(Error::TooFew { needed: 2, found: 1, .. })), "{}", row.name);
            return;
        }
        let fitted = fitted.unwrap();
        let constant = if task == TaskKind::Regression { 7.0 } else { -1.0 };
        let off = answers(&fitted).iter().map(|v| (v - constant).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{} {task}: off by {off:e}", row.name);
    });
}

#[test]
fn one_row_or_two_alike_give_a_model_or_a_clear_error() {
    for_each(|row, task| {
        for rows in [vec![3], vec![3, 3]] {
            let data = Data::new(9).select(&rows);
            for kernel in ["gaussian", "gaussian:width=0.3"] {
                match fit(row, kernel, &Settings::new(), &data, task) {
                    Ok(fitted) => assert!(answers(&fitted).iter().all(|v| v.is_finite()), "{}", row.name),
                    Err(
                        Error::TooFew { .. }
                        | Error::Numerical { .. }
                        | Error::LinearAlgebra { .. }
                        | Error::Parameter { .. },
                    ) => {}
                    Err(other) => panic!("{} {task}, {} rows: {other}", row.name, rows.len()),
                }
            }
        }
    });
}

#[test]
fn what_a_method_does_not_know_is_refused_with_advice() {
    let methods = methods();
    let kernel = KernelChoice::default();
    for row in methods.rows() {
        let said = |name: &str, value: &str| {
            let settings = Settings::new().with(name, value);
            methods.build(row.name, &kernel, &[], &settings).err().unwrap().to_string()
        };
        assert!(said("wings", "2").starts_with(&format!("{} knows no wings; it takes ", row.name)));
        for parameter in methods.parameters() {
            if row.parameter(parameter.name).is_some() {
                assert!(said(parameter.name, "?").contains(parameter.name), "{}", parameter.name);
            } else {
                let refused = said(parameter.name, "1");
                assert!(
                    refused.starts_with(&format!("{} knows no {}; ", row.name, parameter.name)),
                    "{refused}"
                );
                assert!(refused.ends_with(" does") || refused.ends_with(" do"), "{refused}");
            }
        }
    }
}

#[test]
fn defaults_said_aloud_change_nothing() {
    for_each(|row, task| {
        let data = Data::new(50);
        let silent = fit(row, "gaussian", &Settings::new(), &data, task).unwrap();
        let aloud: Vec<(&str, &str)> =
            row.parameters.iter().map(|t| (t.setting.parameter.name, t.setting.default)).collect();
        let aloud = fit(row, "gaussian", &taken(row, task, &aloud), &data, task).unwrap();
        assert_eq!(silent.model.to_bytes().unwrap(), aloud.model.to_bytes().unwrap(), "{} {task}", row.name);
    });
}

#[test]
fn a_request_to_stop_ends_in_a_model_or_says_so() {
    for_each(|row, task| {
        let data = Data::new(60);
        for reports in [0, 1, 2, 5, 11] {
            let watch = Impatient::after(reports);
            match build(row, "gaussian", &Settings::new()).fit(&data.problem(task), &watch) {
                Ok(fitted) => assert!(answers(&fitted).iter().all(|v| v.is_finite()), "{} {task}", row.name),
                Err(Error::Stopped) => {}
                Err(other) => panic!("{} {task} after {reports} reports: {other}", row.name),
            }
        }
    });
}

#[test]
fn tasks_that_a_method_does_not_know_are_errors() {
    let data = Data::new(20);
    for row in methods().rows() {
        for task in [TaskKind::Regression, TaskKind::Classification, TaskKind::Density] {
            let fitted = fit(row, "gaussian:width=0.3", &Settings::new(), &data, task);
            assert_eq!(fitted.is_ok(), row.knows(task), "{} {task}", row.name);
            let checked = methods().check_task(row.name, task, &Settings::new());
            assert_eq!(checked.is_ok(), row.knows(task), "{} {task}", row.name);
        }
    }
}

/// A made-up method: the mean of the target, drawn towards 0.
struct Mean {
    shrink: f64,
}

const SHRINK: Parameter =
    Parameter { name: "shrink", meaning: "share of the mean that is taken away", range: Range::Unit };

const MEAN: MethodRow = MethodRow {
    name: "mean",
    summary: "the mean of the target",
    tasks: &[TaskKind::Regression],
    abilities: &[],
    parameters: &[Taken::new(&SHRINK, "0")],
    build: |plan: &MethodPlan<'_>| Ok(Box::new(Mean { shrink: plan.values.number("shrink")? })),
};

impl Method for Mean {
    fn name(&self) -> &'static str {
        MEAN.name
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        Ok(Estimate::new(8 * sizes.rows as u64, sizes.rows as f64, "one sum"))
    }

    fn fit(&self, problem: &Problem<'_>, _: &dyn Watch) -> Result<Fitted> {
        let Target::Values(y) = problem.target else {
            return Err(Error::parameter("task", TaskKind::of(&problem.target), "regression"));
        };
        let weight = |row: usize| problem.weights.map_or(1.0, |weights| weights[row]);
        let total: f64 = (0..y.rows()).map(weight).sum();
        let mean = |c: usize| (0..y.rows()).map(|i| weight(i) * y.row(i)[c]).sum::<f64>() / total;
        let bias = (0..y.cols()).map(|c| (1.0 - self.shrink) * mean(c)).collect();
        let record = groat::model::Record::new(self.name(), y.rows());
        let nothing = Matrix::zeros(1, y.cols());
        let model =
            Expansion::new(Kernel::Linear, Matrix::zeros(1, problem.x.cols()), nothing)?.with_bias(bias)?;
        Ok(Fitted::new(Model::new(model).with_record(record), 1))
    }
}

#[test]
fn a_made_up_method_is_built_by_name() {
    let data = Data::new(10);
    let half =
        fit(&MEAN, "gaussian", &Settings::new().with("shrink", 0.5), &data, TaskKind::Regression).unwrap();
    let mean = data.y.iter().sum::<f64>() / 10.0;
    assert!((half.model.predict_one(&[0.5, 0.5]).unwrap()[0] - 0.5 * mean).abs() < 1e-12);
    let refused = methods().check("mean", &Settings::new().with("shrink", 2)).unwrap_err();
    assert_eq!(refused.to_string(), "shrink = 2 is not allowed: a number from 0 to 1");
    let said = methods().check(KERNEL_RIDGE, &Settings::new().with("shrink", 1)).unwrap_err();
    assert_eq!(said.to_string(), "krr knows no shrink; mean does");
    assert!(methods().find(KERNEL_RIDGE).is_ok() && Methods::standard().find("mean").is_err());
}
