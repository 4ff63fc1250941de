//! B13: the online experiments of the slides *Online and scalable kernel methods*: LMS, kernel LMS and
//! coherence-based kernel LMS on Mackey-Glass prediction, channel equalisation and KIN40K.

mod datasets;
mod equaliser;
mod mackey_glass;

use super::trial::{Samples, Trial, learn, learner};
use super::{Experiment, Findings};
use groat::online::Learner;

pub const EXPERIMENT: Experiment = Experiment {
    name: "B13",
    title: "LMS, kernel LMS and coherence-based kernel LMS",
    source: "Santamaria, Van Vaerenbergh, Online and scalable kernel methods, 2022",
    run,
};

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = equaliser::run(trial)?;
    findings.extend(mackey_glass::run(trial)?);
    findings.extend(datasets::run(trial)?);
    Ok(findings)
}

/// One of the three filters with its settings.
#[derive(Clone, Copy)]
enum Filter {
    Lms { step: f64 },
    Klms { gamma: f64, step: f64 },
    Coherence { gamma: f64, step: f64, threshold: f64 },
}

impl Filter {
    fn name(&self) -> String {
        match self {
            Filter::Lms { step } => format!("LMS, step {step}"),
            Filter::Klms { gamma, step } => format!("KLMS, gamma {gamma}, step {step}"),
            Filter::Coherence { gamma, step, threshold } => {
                format!("coherence KLMS, gamma {gamma}, step {step}, threshold {threshold}")
            }
        }
    }

    /// The filter after learning the samples in order, and its squared errors before each step.
    fn run(&self, samples: &Samples) -> anyhow::Result<(Learner, Vec<f64>)> {
        let (preset, gamma, settings) = match self {
            Filter::Lms { step } => ("lms", &1.0, format!("eta={step}")),
            Filter::Klms { gamma, step } => ("klms", gamma, format!("eta={step}")),
            Filter::Coherence { gamma, step, threshold } => {
                ("klms-coherence", gamma, format!("eta={step},mu0={threshold}"))
            }
        };
        let mut learner = learner(preset, &format!("gaussian:gamma={gamma}"), samples.width(), &settings)?;
        let errors = learn(&mut learner, samples)?;
        Ok((learner, errors))
    }
}
