//! E6: the experiments of Pothin and Richard on sequential projection learning (SPL) under a coherence criterion.

mod benchmark1;
mod benchmark2;

use super::trial::Trial;
use super::{Experiment, Findings};
use groat::online::Learner;

pub const EXPERIMENT: Experiment = Experiment {
    name: "E6",
    title: "sequential projection learning under a coherence criterion",
    source: "Pothin, Richard, Online learning with kernels: a new approach for sparsity control based on a \
             coherence criterion, MLSP 2006",
    run,
};

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = benchmark1::run(trial)?;
    findings.extend(benchmark2::run(trial)?);
    Ok(findings)
}

/// A reading of the learner by name.
fn reading(learner: &Learner, name: &str) -> f64 {
    learner
        .diagnostics()
        .iter()
        .find(|reading| reading.name == name)
        .map_or(f64::NAN, |reading| reading.value)
}
