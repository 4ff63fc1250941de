//! A row of the table: what a batch method is called, knows and takes, and how it is built.

use super::KernelChoice;
use crate::batch::{Method, Target};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::settings::{Bytes, Parameter, Setting, Settings, Values};
use crate::tune::Search;
use std::fmt;
use std::str::FromStr;

/// A method that is ready to fit, on any thread.
pub type BoxedMethod = Box<dyn Method + Send + Sync>;

/// What a model is to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskKind {
    /// Numbers.
    Regression,
    /// Classes.
    Classification,
    /// How likely a row is.
    Density,
}

impl TaskKind {
    /// Every task.
    pub const ALL: &'static [TaskKind] = &[TaskKind::Regression, TaskKind::Classification, TaskKind::Density];

    /// What the target asks for.
    pub fn of(target: &Target<'_>) -> Self {
        match target {
            Target::Values(_) => TaskKind::Regression,
            Target::Classes { .. } => TaskKind::Classification,
            Target::Density => TaskKind::Density,
        }
    }
}

impl fmt::Display for TaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TaskKind::Regression => "regression",
            TaskKind::Classification => "classification",
            TaskKind::Density => "density",
        })
    }
}

impl FromStr for TaskKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|task| task.to_string() == text).ok_or_else(|| {
            let known: Vec<String> = Self::ALL.iter().map(ToString::to_string).collect();
            Error::parse("task", text, format!("known are {}", known.join(", ")))
        })
    }
}

/// What not every method can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ability {
    /// Learn from data that are read in batches and never held.
    Batches,
    /// Say what each row is predicted as when it is left out.
    LeaveOneOut,
    /// Say how far a prediction may be off.
    ErrorBars,
    /// Go on from an earlier model.
    WarmStart,
}

/// A parameter that a method takes.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// The parameter and its default.
    pub setting: Setting,
    /// The tasks it has a meaning for.
    pub tasks: &'static [TaskKind],
}

impl Taken {
    /// A parameter that has a meaning for every task.
    pub const fn new(parameter: &'static Parameter, default: &'static str) -> Self {
        Self { setting: Setting { parameter, default }, tasks: TaskKind::ALL }
    }

    /// The same for some tasks only.
    #[must_use]
    pub const fn only(self, tasks: &'static [TaskKind]) -> Self {
        Self { tasks, ..self }
    }
}

/// What a method is built from.
#[derive(Debug)]
pub struct MethodPlan<'a> {
    /// The kernel.
    pub kernel: &'a KernelChoice,
    /// Labels of the classes in the order of their codes; empty where there are none or they have no names.
    pub classes: &'a [String],
    /// Every parameter of the method, checked.
    pub values: &'a Values,
    /// What the caller gave of them.
    pub given: &'a Settings,
}

impl MethodPlan<'_> {
    /// The kernel, and how its width is found: as given, or by a search.
    pub fn kernel_and_widths(&self) -> Result<(Kernel, Search)> {
        let kernel = self.kernel.kernel.clone();
        let text = self.values.text("width")?;
        match self.given.get("width") {
            None if self.kernel.width_given => Ok((kernel, Search::Fixed)),
            None => Ok((kernel, Search::Auto)),
            Some("auto") => Ok((kernel, Search::Auto)),
            Some(_) if kernel.width().is_none() => {
                Err(Error::parameter("width", text, "left out: this kernel has none"))
            }
            Some(_) if self.kernel.width_given => {
                Err(Error::parameter("width", text, "given once: in the kernel or by itself"))
            }
            Some(_) => match self.values.numbers("width")?.as_slice() {
                [width] => Ok((kernel.with_width(*width), Search::Fixed)),
                several => Ok((kernel, Search::Grid(several.to_vec()))),
            },
        }
    }

    /// The ridge, and how it is found; `placeholder` stands where it is searched for.
    pub fn ridge(&self, placeholder: f64) -> Result<(f64, Search)> {
        self.one_or_several("ridge", placeholder)
    }

    /// The cost, and how it is found; `placeholder` stands where it is searched for.
    pub fn cost(&self, placeholder: f64) -> Result<(f64, Search)> {
        self.one_or_several("cost", placeholder)
    }

    fn one_or_several(&self, name: &'static str, placeholder: f64) -> Result<(f64, Search)> {
        if self.values.text(name)? == "auto" {
            return Ok((placeholder, Search::Auto));
        }
        Ok(match self.values.numbers(name)?.as_slice() {
            [value] => (*value, Search::Fixed),
            several => (placeholder, Search::Grid(several.to_vec())),
        })
    }

    /// Bytes that matrices may take, where they were given.
    pub fn memory(&self) -> Result<Option<u64>> {
        Ok(self.values.unless_auto("memory")?.map(|Bytes(bytes)| bytes))
    }
}

/// One batch method.
#[derive(Clone, Copy, Debug)]
pub struct MethodRow {
    /// Its name, the same in every face and in model files.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The tasks it knows.
    pub tasks: &'static [TaskKind],
    /// What it can do besides.
    pub abilities: &'static [Ability],
    /// The parameters it takes.
    pub parameters: &'static [Taken],
    /// Makes it from checked values.
    pub build: fn(&MethodPlan<'_>) -> Result<BoxedMethod>,
}

impl MethodRow {
    /// The parameter called `name`, if the method takes it.
    pub fn parameter(&self, name: &str) -> Option<&'static Taken> {
        self.parameters.iter().find(|taken| taken.setting.parameter.name == name)
    }

    /// Whether a kernel means anything to it.
    pub fn takes_kernel(&self) -> bool {
        self.parameter("width").is_some()
    }

    /// Whether the method knows a task.
    pub fn knows(&self, task: TaskKind) -> bool {
        self.tasks.contains(&task)
    }

    /// Whether the method can do something.
    pub fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }
}
