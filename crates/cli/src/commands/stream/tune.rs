//! `--tune`: settings by trial on the first rows of a file, and the command that repeats the best.

use super::build::{DEFAULT, Recipe, choose_inputs};
use super::rows::Rows;
use crate::args::{OnBadRow, OnDriftArg, StreamArgs};
use crate::output::summary::aligned;
use crate::session::Session;
use clap::ValueEnum;
use groat::data::{Inputs, Record};
use groat::online::presets::{self, Preset};
use groat_report::number;
use rayon::prelude::*;
use serde::Serialize;

/// What is tried where no algorithm is named: the default and one of each kind that differs from it.
const TRIED: [&str; 5] = [DEFAULT, "krls-tracker", "krls-ald", "knlms", "rls"];

/// Multiples of the width that are tried.
const WIDTHS: [f64; 4] = [0.25, 0.5, 2.0, 4.0];
/// How often all parameters are gone through.
const ROUNDS: usize = 2;

/// What was tried, and how it fared.
#[derive(Clone, Serialize)]
struct Trial {
    algorithm: String,
    width: Option<f64>,
    settings: std::collections::BTreeMap<String, String>,
    mean_squared: f64,
    against_baseline: Option<f64>,
}

impl Trial {
    /// `name=value,name=value`.
    fn pairs(&self) -> String {
        let pairs: Vec<String> =
            self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join(",")
    }
}

/// The answer. Field names are part of the command's interface.
#[derive(Serialize)]
struct Tuned {
    rows: usize,
    trials: usize,
    best: Vec<Trial>,
    command: String,
}

/// Where a search stands.
struct Candidate {
    recipe: Recipe,
    trial: Trial,
}

/// What candidates are tried on.
struct Ground<'a> {
    args: &'a StreamArgs,
    inputs: Inputs,
    source: String,
    names: Vec<String>,
    named: bool,
    rows: Vec<Record>,
}

/// Runs the search.
pub fn run(args: &StreamArgs, rows: Rows, session: &Session) -> anyhow::Result<()> {
    let inputs = choose_inputs(args, &rows)?;
    let (source, names, named) = (rows.source().to_owned(), rows.names().to_vec(), rows.is_named());
    let most = usize::try_from(args.search.tune_rows).unwrap_or(usize::MAX);
    let mut read = Vec::new();
    for record in rows.take(most) {
        match record {
            Ok(record) => read.push(record),
            Err(groat::Error::Data { .. }) if args.on_bad_row == OnBadRow::Skip => {}
            Err(error) => return Err(error.into()),
        }
    }
    let ground = Ground { args, inputs, source, names, named, rows: read };
    let given = Recipe::of(&args.method)?;
    let tried: Vec<&str> = match &args.method.algorithm {
        None if given.algorithm == DEFAULT => TRIED.to_vec(),
        _ => vec![&given.algorithm],
    };
    let (mut best, mut trials) = (Vec::new(), 0);
    for algorithm in tried {
        session.check_stop()?;
        let (candidate, count) = ground.search(algorithm)?;
        trials += count;
        best.extend(candidate);
    }
    best.sort_by(|a, b| a.trial.mean_squared.total_cmp(&b.trial.mean_squared));
    let Some(first) = best.first() else {
        anyhow::bail!("nothing that was tried could learn from these rows")
    };
    let command = ground.command(first);
    let best: Vec<Trial> = best.into_iter().map(|candidate| candidate.trial).collect();
    let tuned = Tuned { rows: ground.rows.len(), trials, best, command };
    session.answer(&tuned, || tuned.text())
}

impl Ground<'_> {
    /// The best of one algorithm, parameter by parameter, and how many trials that took.
    fn search(&self, algorithm: &str) -> anyhow::Result<(Option<Candidate>, usize)> {
        let preset = presets::find(algorithm)?;
        let mut recipe = Recipe::of(&self.args.method)?;
        recipe.algorithm = preset.name.to_owned();
        if !preset.takes_kernel() {
            recipe.kernel = None;
        }
        let mut best = self.attempt(recipe)?;
        let mut trials = 1;
        for _ in 0..ROUNDS {
            let before = best.as_ref().map(|best| best.trial.mean_squared);
            for step in steps(preset, self.args) {
                let Some(current) = &best else { return Ok((None, trials)) };
                let recipes = step.recipes(current);
                trials += recipes.len();
                let found: Vec<anyhow::Result<Option<Candidate>>> =
                    recipes.into_par_iter().map(|recipe| self.attempt(recipe)).collect();
                for candidate in found {
                    let better = |a: &Candidate| {
                        best.as_ref().is_none_or(|b| a.trial.mean_squared < b.trial.mean_squared)
                    };
                    if let Some(candidate) = candidate?.filter(better) {
                        best = Some(candidate);
                    }
                }
            }
            if best.as_ref().map(|best| best.trial.mean_squared) == before {
                break;
            }
        }
        Ok((best, trials))
    }

    /// Runs one candidate over the rows; nothing if it fails or diverges.
    fn attempt(&self, recipe: Recipe) -> anyhow::Result<Option<Candidate>> {
        let mut learning = recipe.session(self.args, self.inputs.clone())?;
        learning.read_from(&self.source, &self.names, self.named)?;
        let mut next = 0;
        while next < self.rows.len() {
            let taken = learning.take_ahead(&self.rows[next..], |_| Ok(()))?;
            next += taken.max(1);
            if taken == 0
                && let Err(error) = learning.take(&self.rows[next - 1])
            {
                if self.args.on_bad_row == OnBadRow::Error {
                    return Err(error.into());
                }
                learning.skip_row();
            }
        }
        let Some(error) = learning.totals().mean_squared().filter(|_| !learning.has_diverged()) else {
            return Ok(None);
        };
        let learner = learning.learner();
        let shared = |kernel: &groat::Kernel| match kernel.width() {
            Some(groat::kernels::Width::Shared(width)) => Some(*width),
            _ => None,
        };
        let trial = Trial {
            algorithm: recipe.algorithm.clone(),
            width: learner.kernel().and_then(shared),
            settings: recipe.settings.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
            mean_squared: error,
            against_baseline: learning.against_baseline(),
        };
        Ok(Some(Candidate { recipe, trial }))
    }

    /// The command line that repeats a trial, on all rows of the file.
    fn command(&self, candidate: &Candidate) -> String {
        let (args, Candidate { recipe, trial }) = (self.args, candidate);
        let mut typed = Typed(vec!["groat stream".to_owned(), quoted(&args.data.display().to_string())]);
        args.reading.typed().into_iter().for_each(|(name, value)| typed.value(name, Some(value)));
        typed.value("target", args.target.clone());
        typed.value("features", (!args.features.is_empty()).then(|| args.features.join(",")));
        typed.value("embed", args.embed.map(|lags| lags.to_string()));
        typed.value("horizon", (args.horizon != 1).then(|| args.horizon.to_string()));
        typed.flag("no-feedback", args.no_feedback);
        typed.flag("carry-forward", args.carry_forward);
        typed.flag("no-standardise", args.method.no_standardise);
        typed.choice("on-bad-row", args.on_bad_row, OnBadRow::Error);
        typed.choice("on-drift", args.on_drift, OnDriftArg::Note);
        typed.value("algorithm", Some(trial.algorithm.clone()));
        match (&recipe.kernel, &args.method.kernel) {
            (Some(kernel), Some(_)) => typed.value("kernel", Some(kernel_text(kernel, recipe.width_given))),
            (Some(_), None) => typed.value("width", trial.width.map(|width| width.to_string())),
            (None, _) => {}
        }
        typed.value("set", (!trial.settings.is_empty()).then(|| trial.pairs()));
        typed.0.join(" ")
    }
}

/// A kernel as it is typed; a width that is to be found is left out.
fn kernel_text(kernel: &groat::Kernel, width_given: bool) -> String {
    let text = kernel.to_string();
    match text.split_once(':') {
        Some((name, pairs)) if !width_given => {
            let kept: Vec<&str> = pairs.split(',').filter(|pair| !pair.starts_with("width=")).collect();
            if kept.is_empty() { name.to_owned() } else { format!("{name}:{}", kept.join(",")) }
        }
        _ => text,
    }
}

/// The words of a command line.
struct Typed(Vec<String>);

impl Typed {
    fn flag(&mut self, name: &str, given: bool) {
        if given {
            self.0.push(format!("--{name}"));
        }
    }

    fn value(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) if value.is_empty() => self.flag(name, true),
            Some(value) => self.0.push(format!("--{name} {}", quoted(&value))),
            None => {}
        }
    }

    fn choice<T: ValueEnum + PartialEq>(&mut self, name: &str, value: T, default: T) {
        let other = value.to_possible_value().filter(|_| value != default);
        self.value(name, other.map(|value| value.get_name().to_owned()));
    }
}

/// One parameter to go through.
enum Try {
    Width,
    Value(&'static str, &'static [&'static str]),
}

/// What is tried for a preset; what was given stays.
fn steps(preset: &Preset, args: &StreamArgs) -> Vec<Try> {
    let given =
        |name: &str| args.method.set.iter().any(|text| text.split(',').any(|pair| pair.starts_with(name)));
    let mut steps = Vec::new();
    if preset.takes_kernel() && args.method.width.is_none() {
        steps.push(Try::Width);
    }
    let free = preset.tunable().filter(|(name, _)| !given(name));
    steps.extend(free.map(|(name, values)| Try::Value(name, values)));
    steps
}

impl Try {
    /// The candidates that differ from the current one in this parameter.
    fn recipes(&self, current: &Candidate) -> Vec<Recipe> {
        let recipe = &current.recipe;
        match self {
            Try::Width => {
                let Some(width) = current.trial.width else { return Vec::new() };
                let base = recipe.kernel.clone().unwrap_or_else(|| groat::Kernel::gaussian(width));
                let wide = |by: &f64| {
                    let kernel = Some(base.with_width(width * by));
                    Recipe { kernel, width_given: true, ..recipe.clone() }
                };
                WIDTHS.iter().map(wide).collect()
            }
            Try::Value(name, values) => {
                let set = |value: &&str| Recipe {
                    settings: recipe.settings.clone().with(name, value),
                    ..recipe.clone()
                };
                values.iter().filter(|value| recipe.settings.get(name) != Some(**value)).map(set).collect()
            }
        }
    }
}

impl Tuned {
    fn text(&self) -> String {
        let head =
            ["algorithm", "MSE", "of the best baseline", "width", "settings"].map(str::to_owned).to_vec();
        let line = |trial: &Trial| {
            let times =
                trial.against_baseline.map_or_else(|| "-".into(), |t| number((1e3 * t).round() / 1e3));
            vec![
                trial.algorithm.clone(),
                number(trial.mean_squared),
                times,
                trial.width.map_or_else(|| "-".into(), number),
                trial.pairs(),
            ]
        };
        let lines: Vec<Vec<String>> = std::iter::once(head).chain(self.best.iter().map(line)).collect();
        format!(
            "{} trials on {} rows; the best of each algorithm:\n{}\nThe best again:\n  {}\n",
            self.trials,
            self.rows,
            aligned(&lines),
            self.command
        )
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
