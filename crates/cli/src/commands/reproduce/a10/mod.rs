//! A10: the experiments of report 836, *Reduction of kernel models*.
//!
//! One hundred points of the sinc function, drawn uniformly on [-3, 3], are presented ten times in the same
//! order with eta = 0.1 and a Gaussian kernel of width 0.5; the error is the mean square over 601 points.
//! The mean over realisations is compared for each technique and each size of the dictionary.

mod budgets;
mod limits;
mod projections;

use super::comparison::Band;
use super::trial::{Samples, Trial, learner};
use super::{Experiment, Findings};
use groat::online::Learner;
use rand::RngExt;
use rand_pcg::Pcg64;

pub const EXPERIMENT: Experiment = Experiment {
    name: "A10",
    title: "reduction of kernel models",
    source: "Mitchinson, Dodd, Harrison, Reduction of kernel models, report 836, Sheffield, 2003",
    run,
};

const KERNEL: &str = "gaussian:width=0.5";
const PASSES: usize = 10;
/// Means of techniques that have converged to the reference, whatever the technique.
const CONVERGED: Band = Band { low: 3.6e-5, high: 6.4e-5 };

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = projections::run()?;
    findings.extend(budgets::run(trial)?);
    findings.extend(limits::run(trial)?);
    Ok(findings)
}

fn sinc(x: f64) -> f64 {
    let t = std::f64::consts::PI * x;
    if t == 0.0 { 1.0 } else { t.sin() / t }
}

/// Samples of the function at the given points.
fn at(points: impl Iterator<Item = f64>) -> Samples {
    let x: Vec<f64> = points.collect();
    let y = x.iter().map(|x| sinc(*x)).collect();
    Samples { x, y }
}

/// One training set.
fn draw(generator: &mut Pcg64) -> Samples {
    at((0..100).map(|_| generator.random_range(-3.0..3.0)))
}

/// The points at which the error is taken.
fn grid() -> Samples {
    at((0..601).map(|i| -3.0 + f64::from(i) / 100.0))
}

/// A technique after all presentations.
fn train(technique: &str, settings: &str, train: &Samples) -> anyhow::Result<Learner> {
    let mut learner = learner(technique, KERNEL, 1, settings)?;
    for _ in 0..PASSES {
        for (x, y) in train.rows()?.iter().zip(&train.y) {
            learner.learn_one(x, *y)?;
        }
    }
    Ok(learner)
}

/// The reference technique: nothing is reduced.
fn reference(samples: &Samples) -> anyhow::Result<Learner> {
    train("klms", "eta=0.1,novelty=distinct,strategy=unlimited", samples)
}
