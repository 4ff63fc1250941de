//! Synthetic data: every simulated set of the source documents, seeded.
//!
//! Each family is a plain struct of its parameters, for use from Rust, and a [`Generator`] in a
//! table, for use by name. The same name, settings, rows and seed give the same numbers.
//!
//! ```
//! use groat::data::synthetic;
//! let sinc = synthetic::find("sinc")?.generate(100, 1, &[("noise", 0.1)])?;
//! assert_eq!(sinc.names(), ["x", "y"]);
//! assert_eq!(sinc.rows(), 100);
//! # Ok::<(), groat::Error>(())
//! ```

mod channel;
mod clusters;
mod green_red;
mod lorenz;
mod mackey_glass;
mod mixture;
mod pothin;
mod robot_arm;
mod sinc;

pub use channel::{ChannelSwitch, Equaliser};
pub use clusters::ThreeClusters;
pub use green_red::GreenRed;
pub use lorenz::Lorenz;
pub use mackey_glass::{Integrator, MackeyGlass};
pub use mixture::{GaussianLaplacian, GaussianMixture};
pub use pothin::{PothinFirst, PothinSecond};
pub use robot_arm::RobotArm;
pub use sinc::{Sinc, sinc};

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rand_pcg::Pcg64;

use super::column::Column;
use super::table::Table;
use crate::error::{Error, Result};

/// The random numbers of realisation `realisation` of an experiment with base seed `seed`.
///
/// Both numbers are scattered over the whole state, so neighbouring realisations share nothing.
pub fn realisation(seed: u64, realisation: u64) -> Pcg64 {
    let mut bytes = [0; 32];
    for (word, chunk) in (0_u64..).zip(bytes.chunks_exact_mut(8)) {
        chunk.copy_from_slice(&scatter(scatter(seed ^ word) ^ realisation).to_le_bytes());
    }
    Pcg64::from_seed(bytes)
}

/// The finaliser of SplitMix64: a bijection of 64-bit words without visible pattern.
pub(crate) fn scatter(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A setting of a generator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its value unless given.
    pub default: f64,
    /// Least and greatest value allowed.
    pub range: (f64, f64),
    /// What it means.
    pub about: &'static str,
}

/// A family of data sets known by name.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Its name, as on the command line.
    pub name: &'static str,
    /// What it is and where it comes from.
    pub about: &'static str,
    /// Its settings.
    pub settings: &'static [Setting],
    /// Rows unless given.
    pub rows: usize,
    make: fn(&Settings<'_>, usize, &mut Pcg64) -> Result<Table>,
}

/// All generators, by name.
pub fn generators() -> &'static [Generator] {
    &[
        channel::SWITCH,
        channel::EQUALISER,
        green_red::GENERATOR,
        lorenz::GENERATOR,
        mackey_glass::GENERATOR,
        mixture::ONE_DIMENSION,
        mixture::SIX_DIMENSIONS,
        pothin::FIRST,
        pothin::SECOND,
        robot_arm::GENERATOR,
        sinc::GENERATOR,
        clusters::GENERATOR,
    ]
}

/// The generator of that name, or an error that lists those there are.
pub fn find(name: &str) -> Result<&'static Generator> {
    generators().iter().find(|generator| generator.name == name).ok_or_else(|| {
        let names: Vec<&str> = generators().iter().map(|generator| generator.name).collect();
        Error::parse("generator", name, format!("there are {}", names.join(", ")))
    })
}

impl Generator {
    /// Most rows of one table.
    const MOST_ROWS: usize = 1 << 28;

    /// A table of `rows` rows. Settings that are not given keep their defaults.
    pub fn generate(&self, rows: usize, seed: u64, settings: &[(&str, f64)]) -> Result<Table> {
        if !(1..=Self::MOST_ROWS).contains(&rows) {
            return Err(Error::parameter("rows", rows, "1 to 268435456"));
        }
        for (name, value) in settings {
            let Some(setting) = self.settings.iter().find(|setting| setting.name == *name) else {
                let names: Vec<&str> = self.settings.iter().map(|setting| setting.name).collect();
                let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(Error::parse("setting", name, format!("{} knows {known}", self.name)));
            };
            let (least, most) = setting.range;
            if !(*value >= least && *value <= most) {
                let reason = format!("{value} lies outside {least} to {most}");
                return Err(Error::parse("setting", name, reason));
            }
        }
        (self.make)(&Settings { known: self.settings, given: settings }, rows, &mut realisation(seed, 0))
    }
}

/// Settings by name, defaults filled in.
struct Settings<'a> {
    known: &'static [Setting],
    given: &'a [(&'a str, f64)],
}

impl Settings<'_> {
    fn get(&self, name: &str) -> f64 {
        let given = self.given.iter().rev().find(|(n, _)| *n == name).map(|(_, value)| *value);
        given.unwrap_or_else(|| self.known.iter().find(|s| s.name == name).map_or(f64::NAN, |s| s.default))
    }

    fn count(&self, name: &str) -> usize {
        self.get(name) as usize
    }
}

/// Standard deviation of noise, a setting that many families share.
const fn noise(default: f64) -> Setting {
    Setting { name: "noise", default, range: (0.0, 1e6), about: "standard deviation of the noise" }
}

fn normal(random: &mut Pcg64) -> f64 {
    StandardNormal.sample(random)
}

fn uniform(random: &mut Pcg64, low: f64, high: f64) -> f64 {
    let unit: f64 = StandardUniform.sample(random);
    low + (high - low) * unit
}

/// Adds noise of the given standard deviation to every value; draws nothing when it is 0.
fn add_noise(values: &mut [f64], deviation: f64, random: &mut Pcg64) {
    if deviation > 0.0 {
        values.iter_mut().for_each(|value| *value += deviation * normal(random));
    }
}

/// A table of columns of numbers.
fn numeric_table<const N: usize>(columns: [(&str, Vec<f64>); N]) -> Result<Table> {
    let (names, columns): (Vec<&str>, Vec<Column>) =
        columns.into_iter().map(|(name, numbers)| (name, Column::Numeric(numbers))).unzip();
    Table::new(names, columns)
}

/// Rows of inputs as columns `x1`, `x2`, ..., and a last column.
fn samples_table(rows: &[Vec<f64>], last: Option<(&str, Vec<f64>)>) -> Result<Table> {
    let width = rows.first().map_or(0, Vec::len);
    let mut names: Vec<String> = (1..=width).map(|j| format!("x{j}")).collect();
    let mut columns: Vec<Column> =
        (0..width).map(|j| Column::Numeric(rows.iter().map(|row| row[j]).collect())).collect();
    if let Some((name, numbers)) = last {
        names.push(name.to_owned());
        columns.push(Column::Numeric(numbers));
    }
    Table::new(names, columns)
}

#[cfg(test)]
mod tests;
