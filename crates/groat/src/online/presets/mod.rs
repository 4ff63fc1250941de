//! Named algorithms of the literature: what each is, which parameters it takes, how it is built.
//!
//! A preset is a row of [`PRESETS`]: either a mix of [parts](super::parts) with the paper's settings, or
//! a method with a state of its own. A mix also takes the names of parts as settings, so that any part of
//! any preset can be exchanged: `spl` with `cost=magnitude` is spelled exactly so.

mod needs;
pub mod parameters;
mod table;
mod toolbox;

pub use crate::settings::Setting;
pub(crate) use crate::settings::Values;
pub use needs::{NEEDS, Need, Suited};
pub use table::PRESETS;
pub use toolbox::{TOOLBOX, Translation};

use super::composed::Composed;
use super::methods::AnyMethod;
use super::parts::{KINDS, Part, unknown};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::settings::Settings;
use parameters::parameter;

/// Names with default values.
pub(crate) type Defaults = &'static [(&'static str, &'static str)];

/// A named algorithm.
#[derive(Debug)]
pub struct Preset {
    /// Its name, the same in every face.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The paper, with equation numbers.
    pub source: &'static str,
    recipe: Recipe,
}

/// How a preset is made.
#[derive(Debug)]
enum Recipe {
    /// Parts in the order of [`KINDS`], and the values that differ from the parts' own defaults.
    Mix { parts: [&'static str; 6], values: Defaults },
    /// A method of its own; a linear one works on the inputs themselves.
    Own { linear: bool, values: Defaults, build: fn(&Plan<'_>) -> Result<AnyMethod> },
}

/// What a method is built from.
pub(crate) struct Plan<'a> {
    /// The kernel; the linear one for methods that work on the inputs themselves.
    pub kernel: &'a Kernel,
    /// Features of a sample.
    pub dimension: usize,
    /// Every parameter of the preset, checked.
    pub values: &'a Values,
}

/// Parameters that every mix takes besides those of its parts.
const COMMON: Defaults = &[("truncate", "0"), ("max_age", "0"), ("floor", "1e-10"), ("jitter", "0")];

/// Values worth trying when an algorithm is tuned, by parameter, in the order in which they are tried.
pub const TUNED: &[(&str, &[&str])] = &[
    ("eta", &["0.05", "0.1", "0.2", "0.5", "1"]),
    ("mu0", &["0.3", "0.5", "0.7", "0.9", "0.95", "0.99"]),
    ("nu", &["1e-1", "1e-2", "1e-3", "1e-4"]),
    ("epsu", &["0.1", "0.3", "1"]),
    ("sn2", &["1e-1", "1e-2", "1e-3", "1e-4"]),
    ("ridge", &["1e-1", "1e-2", "1e-3", "1e-4"]),
    ("lambda", &["1", "0.9999", "0.999", "0.998", "0.99", "0.98"]),
    ("budget", &["30", "60", "100", "200"]),
];

/// The preset called `name`, or an error that lists the known ones.
pub fn find(name: &str) -> Result<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let known: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
        Error::parse("algorithm", name, format!("known are {}", known.join(", ")))
    })
}

impl Preset {
    /// The parameters it takes, with their defaults, as long as no part is exchanged.
    pub fn parameters(&self) -> Vec<Setting> {
        self.resolve(&Settings::new()).unwrap_or_default()
    }

    /// The parameters it takes that are worth tuning, with [values](TUNED) to try.
    pub fn tunable(&self) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        let taken = self.parameters();
        let known = move |name: &str| taken.iter().any(|taken| taken.parameter.name == name);
        TUNED.iter().copied().filter(move |(name, _)| known(name))
    }

    /// True when parts can be exchanged by name.
    pub fn is_mix(&self) -> bool {
        matches!(self.recipe, Recipe::Mix { .. })
    }

    /// The names of its parts in the order of [`KINDS`]; empty for a method of its own.
    pub fn parts(&self) -> &[&'static str] {
        match &self.recipe {
            Recipe::Mix { parts, .. } => parts,
            Recipe::Own { .. } => &[],
        }
    }

    /// False when it works on the inputs themselves, without a kernel.
    pub fn takes_kernel(&self) -> bool {
        !matches!(self.recipe, Recipe::Own { linear: true, .. })
    }

    /// True when it takes samples of any scale and standardises them by itself.
    pub fn scales_itself(&self) -> bool {
        matches!(&self.recipe, Recipe::Own { values, .. } if values.iter().any(|(name, _)| *name == "standardise"))
    }

    /// The kernel in use when `given` was asked for: the Gaussian one of width 1 where none was.
    pub(crate) fn kernel(&self, given: Option<&Kernel>) -> Result<Option<Kernel>> {
        match (given, self.takes_kernel()) {
            (given, true) => Ok(Some(given.cloned().unwrap_or_else(|| Kernel::gaussian(1.0)))),
            (None, false) => Ok(None),
            (Some(kernel), false) => {
                let reason = format!("{} works on the inputs themselves and takes no kernel", self.name);
                Err(Error::parse("kernel", &kernel.to_string(), reason))
            }
        }
    }

    /// Builds the method.
    pub(crate) fn build(
        &self,
        kernel: Option<&Kernel>,
        dimension: usize,
        settings: &Settings,
    ) -> Result<AnyMethod> {
        let kernel = kernel.unwrap_or(&Kernel::Linear);
        kernel.check_for(dimension)?;
        let values = self.values(settings)?;
        let plan = Plan { kernel, dimension, values: &values };
        match self.recipe {
            Recipe::Mix { .. } => Composed::new(&plan).map(AnyMethod::from),
            Recipe::Own { build, .. } => build(&plan),
        }
    }

    /// Every parameter with the value it has under these settings, defaults included.
    pub fn in_force(&self, settings: &Settings) -> Result<Settings> {
        let values = self.values(settings)?;
        Ok(values.iter().fold(Settings::new(), |all, (name, value)| all.with(name, value)))
    }

    fn values(&self, settings: &Settings) -> Result<Values> {
        Values::new(self.name, &self.resolve(settings)?, settings)
    }

    /// The parameters taken under these settings: those of the chosen parts.
    fn resolve(&self, settings: &Settings) -> Result<Vec<Setting>> {
        let (parts, values) = match &self.recipe {
            Recipe::Own { values, .. } => return Ok(values.iter().filter_map(setting).collect()),
            Recipe::Mix { parts, values } => (parts, values),
        };
        let mut taken: Vec<Setting> = Vec::new();
        for ((kind, table), default) in KINDS.iter().zip(parts) {
            taken.extend(setting(&(*kind, *default)));
            taken.extend(
                choose(kind, table, settings.get(kind).unwrap_or(default))?
                    .parameters
                    .iter()
                    .filter_map(setting),
            );
        }
        taken.extend(COMMON.iter().filter_map(setting));
        // The preset's own values replace those of the parts; the first mention of a name counts.
        let mut unique: Vec<Setting> = Vec::with_capacity(taken.len());
        for mut item in taken {
            if let Some((_, value)) = values.iter().find(|(name, _)| *name == item.parameter.name) {
                item.default = value;
            }
            if !unique.iter().any(|other| other.parameter.name == item.parameter.name) {
                unique.push(item);
            }
        }
        Ok(unique)
    }
}

/// The part called `name`, or an error that lists the known ones.
fn choose(kind: &'static str, table: &'static [Part], name: &str) -> Result<&'static Part> {
    table.iter().find(|part| part.name == name).ok_or_else(|| unknown(kind, name, table))
}

impl Values {
    /// The regulariser `eps` of a normalised step if the settings ask for one.
    pub(crate) fn normaliser(&self) -> Result<Option<f64>> {
        if self.flag("normalised")? { self.number("eps").map(Some) } else { Ok(None) }
    }
}

/// Looks a name up in the table of parameters.
fn setting((name, default): &(&'static str, &'static str)) -> Option<Setting> {
    parameter(name).map(|parameter| Setting { parameter, default })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::Learner;

    #[test]
    fn every_default_lies_in_its_range_and_every_preset_is_built_from_defaults() {
        let kernel = Kernel::gaussian(1.0);
        for preset in PRESETS {
            let values = match &preset.recipe {
                Recipe::Mix { values, .. } | Recipe::Own { values, .. } => values,
            };
            let taken = preset.parameters();
            for (name, _) in *values {
                assert!(
                    taken.iter().any(|s| s.parameter.name == *name),
                    "{}: {name} is not taken",
                    preset.name
                );
            }
            for item in &taken {
                assert!(
                    item.parameter.check(item.default).is_ok(),
                    "{}: {}",
                    preset.name,
                    item.parameter.name
                );
            }
            let kernel = preset.takes_kernel().then_some(&kernel);
            Learner::new(preset.name, kernel, 2, &Settings::new()).unwrap();
        }
        for (kind, table) in KINDS {
            for part in table {
                for (name, default) in part.parameters {
                    let row = parameter(name)
                        .unwrap_or_else(|| panic!("{kind} {}: {name} is in no table", part.name));
                    assert!(row.check(default).is_ok(), "{kind} {}: {name}", part.name);
                }
            }
        }
    }

    #[test]
    fn unknown_names_are_errors_that_list_what_is_known() {
        let kernel = Kernel::gaussian(1.0);
        let message = |algorithm: &str, settings: Settings| {
            Learner::new(algorithm, &kernel, 1, &settings).unwrap_err().to_string()
        };
        assert!(message("klmz", Settings::new()).contains("klms-coherence"));
        assert!(message("klms", Settings::new().with("mu0", 0.5)).contains("eta"));
        assert!(message("klms", Settings::new().with("cost", "kapa")).contains("kappa-alpha"));
        assert!(message("klms", Settings::new().with("eta", "-1")).contains("above 0"));
    }
}
