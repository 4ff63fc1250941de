//! The result of a stream in numbers and sentences.

use crate::args::StreamArgs;
use crate::output::summary::{Summary, duration};
use groat::data::Inputs;
use groat::online::{self, BASELINES, presets};
use groat_report::number;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The result in numbers. Field names are part of the command's interface.
#[derive(Serialize)]
pub struct Outcome {
    pub source: String,
    pub target: String,
    pub features: Vec<String>,
    pub algorithm: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Settings as given.
    pub settings: BTreeMap<String, String>,
    /// Settings in force, defaults included.
    pub in_force: BTreeMap<String, String>,
    pub standardised: bool,
    pub rows: u64,
    pub steps: u64,
    pub skipped: u64,
    pub unanswered: u64,
    pub waiting: usize,
    pub size: usize,
    pub refused: u64,
    pub memory_bytes: usize,
    pub mean_squared: Option<f64>,
    /// Mean squared errors of the baselines by name.
    pub baselines: BTreeMap<&'static str, f64>,
    /// Mean squared error as a multiple of that of the best baseline.
    pub against_baseline: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// The share of targets that should lie inside their intervals, and the share that did.
    pub coverage: Coverage,
    /// How often other settings were tried on the way, and how often they took over (--tune-live).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<Trials>,
    /// Steps at which the errors had grown.
    pub drifts: Vec<u64>,
    pub diverged: bool,
    pub advice: Vec<Advice>,
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save: Option<PathBuf>,
}

/// Coverage of the intervals.
#[derive(Serialize)]
pub struct Coverage {
    pub asked: f64,
    pub found: Option<f64>,
}

/// Trials of other settings while the stream ran.
#[derive(Serialize)]
pub struct Trials {
    pub tried: u64,
    pub taken: u64,
}

/// What is wrong, and what to change.
#[derive(Serialize)]
pub struct Advice {
    pub concern: &'static str,
    pub text: String,
}

impl Outcome {
    /// What became of a stream.
    pub fn new(args: &StreamArgs, session: &online::Session, source: String, time: Duration) -> Self {
        let (learner, inputs, totals) = (session.learner(), session.inputs(), session.totals());
        let target = inputs.and_then(|inputs| inputs.targets().first());
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let in_force =
            presets::find(learner.algorithm()).and_then(|preset| preset.in_force(learner.settings()));
        let said = BASELINES.into_iter().zip(session.baselines());
        let (asked, found) = session.coverage();
        let advice = session.advice().into_iter();
        Self {
            source,
            target: target.map_or_else(String::new, |target| target.name.clone()),
            features: inputs.map_or_else(Vec::new, Inputs::feature_names),
            algorithm: learner.algorithm().to_owned(),
            kernel: learner.kernel().map(ToString::to_string),
            settings: learner.settings().iter().map(own).collect(),
            in_force: in_force.map_or_else(|_| BTreeMap::new(), |all| all.iter().map(own).collect()),
            standardised: session.standardises()
                || presets::find(learner.algorithm()).is_ok_and(presets::Preset::scales_itself)
                    && learner.settings().get("standardise") != Some("false"),
            rows: totals.rows,
            steps: totals.steps,
            skipped: totals.skipped,
            unanswered: totals.unanswered,
            waiting: session.waiting(),
            size: learner.size(),
            refused: learner.refused(),
            memory_bytes: session.memory_bytes(),
            mean_squared: totals.mean_squared(),
            baselines: said.filter_map(|(name, error)| Some((name, error?))).collect(),
            against_baseline: session.against_baseline(),
            accuracy: if session.has_labels() { totals.accuracy() } else { None },
            coverage: Coverage { asked, found: found.filter(|_| !session.has_labels()) },
            trials: session.trials().map(|(tried, taken)| Trials { tried, taken }),
            drifts: session.drifts().to_vec(),
            diverged: session.has_diverged(),
            advice: advice.map(|a| Advice { concern: a.concern.name(), text: a.text }).collect(),
            seconds: time.as_secs_f64(),
            out: args.out.clone(),
            save: args.save.clone(),
        }
    }

    /// The summary for a person.
    pub fn text(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let covered = self.coverage.found.map(|found| {
            format!(
                "{} of targets inside their intervals, {} asked for",
                percent(found),
                percent(self.coverage.asked)
            )
        });
        Summary::default()
            .line("data", &self.source)
            .line("target", &self.target)
            .line("algorithm", &self.algorithm)
            .maybe("kernel", self.kernel.clone())
            .line("rows", self.rows.to_string())
            .line("skipped", self.skipped.to_string())
            .maybe("without target", (self.unanswered > 0).then(|| self.unanswered.to_string()))
            .line("samples", self.steps.to_string())
            .line("size", self.size.to_string())
            .line("MSE", self.mean_squared.map_or_else(|| "-".into(), number))
            .maybe("baselines", self.baseline_words())
            .maybe("accuracy", self.accuracy.map(percent))
            .maybe("coverage", covered)
            .maybe("drift", self.drift_words())
            .maybe("tuned", self.tuned_words())
            .line("time", duration(Duration::from_secs_f64(self.seconds)))
            .maybe("lines", self.out.as_ref().map(|path| path.display().to_string()))
            .maybe("state", self.save.as_ref().map(|path| path.display().to_string()))
            .to_text()
    }

    /// The same in one line, below lines of answers.
    pub fn sentence(&self) -> String {
        let open = match self.unanswered {
            0 => String::new(),
            count => format!(", {count} without target"),
        };
        let accuracy = self.accuracy.map(|share| format!(", accuracy {:.1} %", 100.0 * share));
        format!(
            "{} samples from {} rows ({} skipped{open}), size {}, MSE {}{}{}{}, {}",
            self.steps,
            self.rows,
            self.skipped,
            self.size,
            self.mean_squared.map_or_else(|| "-".into(), number),
            accuracy.unwrap_or_default(),
            self.baseline_words().map_or_else(String::new, |words| format!(" ({words})")),
            self.drift_words().map_or_else(String::new, |words| format!(", drift {words}"))
                + &self.tuned_words().map_or_else(String::new, |words| format!(", {words}")),
            duration(Duration::from_secs_f64(self.seconds))
        )
    }

    /// `last value 590, running mean 1570, linear RLS 452; 0.79 of the best`.
    pub fn baseline_words(&self) -> Option<String> {
        let known = BASELINES.iter().filter_map(|name| {
            let error = self.baselines.get(name)?;
            Some(format!("{name} {}", number(*error)))
        });
        let words: Vec<String> = known.collect();
        let times = self.against_baseline.map_or_else(String::new, |times| {
            format!("; {} of the best", number((1000.0 * times).round() / 1000.0))
        });
        (!words.is_empty()).then(|| words.join(", ") + &times)
    }

    /// `3 of 12 trials took over: gaussian:width=2, sn2=1e-3`.
    fn tuned_words(&self) -> Option<String> {
        let trials = self.trials.as_ref()?;
        let kernel = self.kernel.iter().cloned();
        let now: Vec<String> =
            kernel.chain(self.settings.iter().map(|(name, value)| format!("{name}={value}"))).collect();
        Some(format!("{} of {} trials took over; now {}", trials.taken, trials.tried, now.join(", ")))
    }

    /// `at sample 1022, 1054`.
    pub fn drift_words(&self) -> Option<String> {
        let shown: Vec<String> = self.drifts.iter().take(5).map(u64::to_string).collect();
        let more = if self.drifts.len() > shown.len() {
            format!(" and {} more", self.drifts.len() - 5)
        } else {
            String::new()
        };
        (!shown.is_empty()).then(|| format!("at sample {}{more}", shown.join(", ")))
    }
}
