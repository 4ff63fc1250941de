//! C7: sparse kernel modelling by orthogonal least squares and leave-one-out.
//!
//! Two kinds of lines are kept apart. *Agreement*: settings that were chosen with an eye on the result, on the
//! stored splits; they must come out as an independent prototype's, and say nothing about new data. *Fresh*: new
//! random splits or samples that played no part in choosing a setting. Where a number of the paper is not
//! reached, its column says so.

mod boston;
mod classes;
mod densities;
mod draws;
mod furnace;
mod peers;
mod sets;

use super::trial::{Trial, mean, variance};
use super::{Experiment, Findings};
use peers::Peers;

pub const EXPERIMENT: Experiment = Experiment {
    name: "C7",
    title: "Sparse regression, classification and density by orthogonal least squares",
    source: "Chen, Hong and Harris: Sparse Kernel Modelling, a Unified Approach (IDEAL 2007)",
    run,
};

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    if let Some(folder) = trial.draws {
        draws::write(trial, folder)?;
        return Ok(findings);
    }
    let peers = Peers::read(trial.peers)?;
    findings.extend(furnace::run(trial, &peers)?);
    findings.extend(boston::run(trial, &peers)?);
    findings.extend(classes::run(trial, &peers)?);
    findings.extend(densities::run(trial, &peers)?);
    Ok(findings)
}

/// Mean and standard deviation of one number of all runs.
fn spread<T>(runs: &[T], value: impl Fn(&T) -> f64) -> (f64, f64) {
    let values: Vec<f64> = runs.iter().map(value).collect();
    (mean(values.iter().copied()), variance(&values).sqrt())
}

/// A title with the standard deviation in it.
fn with_deviation(what: &str, deviation: f64) -> String {
    format!("{what} (sd {})", groat_report::number(deviation))
}
