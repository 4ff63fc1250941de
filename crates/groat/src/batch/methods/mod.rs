//! The table of batch methods: what there is, what each knows and takes, how each is built.
//!
//! Command-line arguments and their help, the refusals of what a method has no use for, and the laws that every method
//! is tested by come from this table. A method is built from settings by name:
//!
//! ```
//! use groat::batch::{Method, Problem, Quiet, method};
//! use groat::{Rows, settings::Settings};
//! let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 6.0).collect();
//! let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
//! let few = method("ols", &"gaussian".parse()?, &Settings::new().with("max_terms", 9))?;
//! let fitted = few.fit(&Problem::regression(Rows::new(&x, 1)?, &y)?, &Quiet)?;
//! assert!(fitted.model.size() <= 9);
//!
//! let refused = method("lssvm", &"gaussian".parse()?, &Settings::new().with("max_terms", 9));
//! assert_eq!(refused.err().map(|e| e.to_string()).as_deref(), Some("lssvm knows no max_terms; sparse and ols do"));
//! # Ok::<(), groat::Error>(())
//! ```

mod kernel_choice;
mod parameters;
mod row;
mod table;
mod weights;

pub use kernel_choice::KernelChoice;
pub use row::{Ability, BoxedMethod, MethodPlan, MethodRow, Taken, TaskKind};
pub use table::{
    FALKON, ITERATIVE_RIDGE, KERNEL_PCA, KERNEL_RIDGE, LEAST_SQUARES_SVM, LINEAR_SVC, LINEAR_SVR, LOGISTIC,
    NU_SVC, NU_SVR, NYSTROM, OLS, ONE_CLASS, RANDOM_FEATURES, SPARSE, SVC, SVR,
};
pub(super) use weights::class_weights;

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::settings::{Parameter, Setting, Settings, Values};

/// The method called `name`, with this kernel and these settings; all others have their defaults.
pub fn method(name: &str, kernel: &KernelChoice, settings: &Settings) -> Result<BoxedMethod> {
    Methods::standard().build(name, kernel, &[], settings)
}

/// Rows of the table. Those of this crate, and any that a caller adds.
#[derive(Clone, Debug)]
pub struct Methods {
    rows: Vec<MethodRow>,
}

impl Methods {
    /// The methods of this crate; the first is what a person gets without asking.
    pub fn standard() -> Self {
        Self { rows: table::ROWS.to_vec() }
    }

    /// The same and one more, which takes the place of one with its name.
    #[must_use]
    pub fn with(mut self, row: MethodRow) -> Self {
        self.rows.retain(|other| other.name != row.name);
        self.rows.push(row);
        self
    }

    /// The rows in order.
    pub fn rows(&self) -> &[MethodRow] {
        &self.rows
    }

    /// The method that a person gets for a task without asking: the first that knows it.
    pub fn default_for(&self, task: TaskKind) -> Result<&MethodRow> {
        let known = self.rows.iter().find(|row| row.knows(task));
        known.ok_or_else(|| Error::parse("task", &task.to_string(), "no method knows it"))
    }

    /// The row called `name`, or an error that lists the known ones.
    pub fn find(&self, name: &str) -> Result<&MethodRow> {
        self.rows.iter().find(|row| row.name == name).ok_or_else(|| {
            let known: Vec<_> = self.rows.iter().map(|row| row.name).collect();
            Error::parse("method", name, format!("known are {}", known.join(", ")))
        })
    }

    /// Every parameter that some method takes, once, in the order of the table.
    pub fn parameters(&self) -> Vec<&'static Parameter> {
        let mut all: Vec<&'static Parameter> = Vec::new();
        for taken in self.rows.iter().flat_map(|row| row.parameters) {
            if !all.iter().any(|other| other.name == taken.setting.parameter.name) {
                all.push(taken.setting.parameter);
            }
        }
        all
    }

    /// Builds a method; `classes` are the labels of the classes in the order of their codes, where they have names.
    pub fn build(
        &self,
        name: &str,
        kernel: &KernelChoice,
        classes: &[String],
        settings: &Settings,
    ) -> Result<BoxedMethod> {
        let values = self.check(name, settings)?;
        let row = self.find(name)?;
        if kernel.given && !row.takes_kernel() && kernel.kernel != Kernel::Linear {
            let others = self.who(MethodRow::takes_kernel);
            let expected = format!("left out: {name} takes none, {others}");
            return Err(Error::parameter("kernel", &kernel.kernel, expected));
        }
        (row.build)(&MethodPlan { kernel, classes, values: &values, given: settings })
    }

    /// The values of all parameters, or an error for a setting that the method does not take or that lies outside its
    /// range.
    pub fn check(&self, name: &str, settings: &Settings) -> Result<Values> {
        let row = self.find(name)?;
        if let Some((setting, _)) = settings.iter().find(|(setting, _)| row.parameter(setting).is_none()) {
            let others = self.who(|other| other.parameter(setting).is_some());
            if !others.is_empty() {
                return Err(Error::Setting { method: name.into(), setting: setting.into(), advice: others });
            }
        }
        let taken: Vec<Setting> = row.parameters.iter().map(|taken| taken.setting).collect();
        Values::new(name, &taken, settings)
    }

    /// An error unless the method knows the task, and for this task each of the settings that are given.
    pub fn check_task(&self, name: &str, task: TaskKind, settings: &Settings) -> Result<()> {
        let row = self.find(name)?;
        let refuse =
            |setting: String, advice: String| Error::Setting { method: name.into(), setting, advice };
        if !row.knows(task) {
            return Err(refuse(task.to_string(), self.who(|other| other.knows(task))));
        }
        for (given, _) in settings.iter() {
            if let Some(taken) = row.parameter(given).filter(|taken| !taken.tasks.contains(&task)) {
                let tasks: Vec<String> = taken.tasks.iter().map(ToString::to_string).collect();
                let advice = format!("it is for {}", tasks.join(" and "));
                return Err(refuse(format!("{given} for {task}"), advice));
            }
        }
        Ok(())
    }

    /// An error unless the method can do something; `what` says it in words.
    pub fn check_ability(&self, name: &str, ability: Ability, what: &str) -> Result<()> {
        match self.find(name)? {
            row if row.can(ability) => Ok(()),
            _ => Err(Error::Setting {
                method: name.into(),
                setting: what.into(),
                advice: self.who(|row| row.can(ability)),
            }),
        }
    }

    /// "ols does", "krr and lssvm do", or nothing.
    fn who(&self, fits: impl Fn(&MethodRow) -> bool) -> String {
        let names: Vec<&str> = self.rows.iter().filter(|row| fits(row)).map(|row| row.name).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => format!("{one} does"),
            several => format!("{} do", several.join(" and ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Problem, Quiet};
    use crate::matrix::Rows;

    #[test]
    fn every_default_lies_in_its_range_and_every_method_is_built_from_defaults() {
        for row in Methods::standard().rows() {
            for Taken { setting, .. } in row.parameters {
                let checked = setting.parameter.check(setting.default);
                assert!(checked.is_ok(), "{}: {checked:?}", row.name);
            }
            let built = method(row.name, &KernelChoice::default(), &Settings::new()).unwrap();
            assert_eq!(built.name(), row.name);
        }
    }

    #[test]
    fn refusals_teach() {
        let said = |name: &str, setting: &str, value: &str| {
            let settings = Settings::new().with(setting, value);
            method(name, &"gaussian".parse().unwrap(), &settings).err().unwrap().to_string()
        };
        assert_eq!(said("lssvm", "max_terms", "3"), "lssvm knows no max_terms; sparse and ols do");
        assert_eq!(said("ols", "leave_one_out", "true"), "ols knows no leave_one_out; krr and lssvm do");
        assert!(said("krr", "wings", "2").starts_with("krr knows no wings; it takes width, ridge"));
        assert!(said("ols", "max_terms", "0").contains("a whole number, 1 or above"));
        assert!(said("lssvm", "support", "sparsity=2").contains("alignment=MU"));
        assert!(said("krr", "memory", "2XB").contains("2GiB, or auto"));
        assert!(said("magic", "ridge", "1").contains("ols, krr, lssvm"));
        assert!(said("ols", "width", "-1").contains("above 0"));
        let task = |task, settings: Settings| Methods::standard().check_task("ols", task, &settings);
        let refused = task(TaskKind::Regression, Settings::new().with("refinement", 3)).unwrap_err();
        assert_eq!(refused.to_string(), "ols knows no refinement for regression; it is for density");
        assert!(task(TaskKind::Density, Settings::new().with("refinement", 3)).is_ok());
        let refused = Methods::standard().check_task("krr", TaskKind::Density, &Settings::new());
        assert_eq!(refused.unwrap_err().to_string(), "krr knows no density; sparse and ols and one-class do");
    }

    #[test]
    fn a_task_has_one_name() {
        for task in TaskKind::ALL {
            assert_eq!(task.to_string().parse::<TaskKind>().unwrap(), *task);
        }
        let refused = "clustering".parse::<TaskKind>().unwrap_err().to_string();
        assert!(refused.contains("regression, classification, density"), "{refused}");
    }

    #[test]
    fn several_ridges_are_tried_by_methods_that_search() {
        let x: Vec<f64> = (0..30).map(f64::from).collect();
        let problem = Problem::regression(Rows::new(&x, 1).unwrap(), &x).unwrap();
        let kernel = "gaussian:width=3".parse().unwrap();
        for name in [KERNEL_RIDGE, LEAST_SQUARES_SVM] {
            let several = method(name, &kernel, &Settings::new().with("ridge", "0.1;10")).unwrap();
            let ridges: Vec<f64> =
                several.fit(&problem, &Quiet).unwrap().trials.iter().map(|trial| trial.ridge).collect();
            assert_eq!(ridges, [0.1, 10.0], "{name}");
        }
        let said = |ridge: &str| {
            method(OLS, &kernel, &Settings::new().with("ridge", ridge)).err().unwrap().to_string()
        };
        assert!(said("0.1;10").contains("one number, or auto"));
        assert!(said("-1").contains("0 or above") && said(" ").contains("0 or above"));
    }

    #[test]
    fn a_width_is_taken_once() {
        let built = |kernel: &str, width: &str| {
            method("krr", &kernel.parse().unwrap(), &Settings::new().with("width", width)).map(|_| ())
        };
        assert!(built("gaussian", "2").is_ok() && built("gaussian", "1;2").is_ok());
        assert!(built("gaussian:width=1", "2").unwrap_err().to_string().contains("given once"));
        assert!(built("linear", "2").unwrap_err().to_string().contains("has none"));
    }
}
