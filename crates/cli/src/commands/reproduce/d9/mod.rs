//! D9: the experiments of Zhang, Genton and Liu on compactly supported kernels.
//!
//! Their Gaussian is `exp(-r^2 / sigma^2)`, so `width = sigma / sqrt 2`. The data of the green-red example are
//! drawn anew, ten centres per class and then the points, because theirs are not published; where the centres
//! of the textbook they quote are at hand, those are used too.

mod bubbles;
mod components;
mod least_squares;
mod machines;
mod ordering;
mod sample;
mod support;

use super::trial::Trial;
use super::{Experiment, Findings};
use groat::data::synthetic::{GreenRed, realisation};
use groat::data::{ReadOptions, read_table};
use groat::{Kernel, Matrix};
use groat_report::{Contours, Grid, Scatter};
use rand_pcg::Pcg64;
use std::path::Path;

pub const EXPERIMENT: Experiment = Experiment {
    name: "D9",
    title: "compactly supported kernels: sparse matrices, their tuning, SVM, least-squares SVM, kernel PCA",
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
    findings.extend(machines::run(trial)?);
    findings.figures.push(sample::figure(trial)?);
    findings.extend(least_squares::run(trial)?);
    findings.figures.push(bubbles::figure(trial)?);
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

/// The published classes, or else a draw of their centres, and a generator for their points.
fn classes(trial: &Trial<'_>) -> anyhow::Result<(GreenRed, Pcg64)> {
    let mut random = realisation(trial.seed, 0);
    let family = published(trial)?.unwrap_or_else(|| GreenRed::draw(&mut random));
    Ok((family, random))
}

/// The part of the plane that figures show.
fn plane(cells: usize) -> Grid {
    Grid::new(cells, cells, (-3.0, 4.2), (-2.5, 3.7))
}

/// Where the Bayes rule changes its mind.
fn bayes(family: &GreenRed) -> Contours {
    let grid = plane(96);
    let values: Vec<f64> = grid.points().map(|(x, y)| family.red_probability(&[x, y]) - 0.5).collect();
    Contours::new("Bayes rule", grid.with_values(values), vec![0.0])
}

/// Up to `most` points of either class.
fn clouds((x, codes): &(Matrix, Vec<usize>), most: usize) -> [Scatter; 2] {
    [("green", 0), ("red", 1)].map(|(name, code)| {
        let chosen = (0..x.rows().min(most)).filter(|&i| codes[i] == code);
        Scatter::new(name, chosen.map(|i| (x[(i, 0)], x[(i, 1)])).collect())
    })
}
