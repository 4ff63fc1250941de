//! B13: the online experiments of the slides *Online and scalable kernel methods*: LMS, kernel LMS and
//! coherence-based kernel LMS on Mackey-Glass prediction, channel equalisation and KIN40K.

mod datasets;
mod equaliser;
mod mackey_glass;

use super::trial::{Samples, Trial, learn, learner};
use super::{Experiment, Findings, Introduction};
use groat::online::Learner;

pub const EXPERIMENT: Experiment = Experiment {
    name: "B13",
    title: "LMS, kernel LMS and coherence-based kernel LMS",
    source: "Santamaria, Van Vaerenbergh, Online and scalable kernel methods, 2022",
    introduction: Introduction {
        claims: &[
            "KLMS predicts the Mackey-Glass series, inverts a nonlinear channel better than LMS, and with a coherence \
             criterion keeps a small dictionary on KIN40K (slides with pictures alone).",
        ],
        protocol: &[
            "The slides print no number, no setting and no data for these examples, so nothing can agree or differ but \
             the claim that KLMS does better than LMS. Everything else stands against the record.",
            "Equaliser: z = s + 0.5 s(n-1), r = z - 0.9 z^2 + noise, five taps, the symbol two steps back, 1000 symbols to \
             learn from and 1000 to test. Mackey-Glass: delay 30, ten lags. KIN40K: the first 5000 training and the \
             first 2000 test rows of the standard split.",
        ],
        unclear: &[
            "The gradient slide prints -2e in one place; J = e^2 / 2 gives -e x, and the printed update is right.",
            "Coherence KLMS as printed is not normalised and diverges when the step times the squared norm of the kernel \
             vector stays above 2; the steps here are below that.",
        ],
    },
    run,
};

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = equaliser::run(trial)?;
    findings.extend(mackey_glass::run(trial)?);
    if trial.fixed {
        findings.extend(datasets::run(trial)?);
    }
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

    /// The colour of its family in all figures.
    fn colour(&self) -> usize {
        match self {
            Filter::Lms { .. } => 0,
            Filter::Klms { .. } => 1,
            Filter::Coherence { .. } => 2,
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
