//! D9: the experiments of Zhang, Genton and Liu on compactly supported kernels.
//!
//! Their Gaussian is `exp(-r^2 / sigma^2)`, so `width = sigma / sqrt 2`. The data of the green-red example are
//! drawn anew, ten centres per class and then the points, because theirs are not published; where the centres
//! of the textbook they quote are at hand, those are used too.

mod components;
mod least_squares;
mod ordering;
mod support;

use super::trial::Trial;
use super::{Experiment, Findings};
use groat::data::synthetic::GreenRed;
use groat::data::{ReadOptions, read_table};
use groat::{Kernel, Matrix};
use rand_pcg::Pcg64;
use std::path::Path;

pub const EXPERIMENT: Experiment = Experiment {
    name: "D9",
    title: "compactly supported kernels: sparse matrices, their tuning, least-squares SVM, kernel PCA",
    source: "Zhang, Genton, Liu, Compactly supported radial basis function kernels, North Carolina State \
             University, 2004",
    run,
};

/// `sigma` of the green-red example.
const SIGMA: f64 = 0.6;
/// `nu` throughout.
const POWER: u32 = 3;

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = ordering::run(trial)?;
    findings.extend(support::run(trial)?);
    findings.extend(least_squares::run(trial)?);
    findings.extend(components::run(trial)?);
    Ok(findings)
}

/// The base kernel `exp(-r^2 / sigma^2)`.
fn gaussian(sigma: f64) -> Kernel {
    Kernel::gaussian(sigma / 2f64.sqrt())
}

/// Points of the green-red classes, and their classes as codes.
fn green_red(family: &GreenRed, n: usize, random: &mut Pcg64) -> anyhow::Result<(Matrix, Vec<usize>)> {
    let (x, y) = family.samples(n, random);
    let codes = y.iter().map(|y| usize::from(*y > 0.0)).collect();
    Ok((Matrix::from_vec(x.concat(), n, 2)?, codes))
}

/// The classes with the published centres, if those are at hand.
fn published(trial: &Trial<'_>) -> anyhow::Result<Option<GreenRed>> {
    let Some(path) = trial.find(Path::new("esl_mixture/centres.csv.gz")) else { return Ok(None) };
    let table = read_table(path, &ReadOptions::default())?;
    let (x1, x2, y) = (table.numbers("x1")?, table.numbers("x2")?, table.numbers("y")?);
    let centres = |sign: f64| {
        let chosen = (0..y.len()).filter(|&i| y[i] * sign > 0.0);
        chosen.map(|i| [x1[i], x2[i]]).collect::<Vec<_>>()
    };
    Ok(Some(GreenRed::new(centres(-1.0), centres(1.0))?))
}
