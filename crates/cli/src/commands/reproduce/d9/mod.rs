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
use super::{Experiment, Findings, Introduction};
use groat::data::synthetic::{GreenRed, realisation};
use groat::{Kernel, Matrix};
use groat_report::{Contours, Grid, Scatter};
use rand_pcg::Pcg64;

pub const EXPERIMENT: Experiment = Experiment {
    name: "D9",
    title: "compactly supported kernels: sparse matrices, their tuning, SVM, least-squares SVM, kernel PCA",
    source: "Zhang, Genton, Liu, Compactly supported radial basis function kernels, North Carolina State \
             University, 2004",
    introduction: Introduction {
        claims: &[
            "A Gaussian times (1 - r / C)^3 within the radius C gives sparse Gram matrices, and C can be chosen before any \
             training by weighing alignment A against sparsity S.",
            "Support vector machines, least-squares machines and kernel PCA do as well with it as with the Gaussian, and a \
             linear system of 5,000 points is solved in 37 to 53 % of the time (tables 2 and 3).",
        ],
        protocol: &[
            "Green-red data: ten centres per class, points about them with variance 1/5; sigma 0.6, nu 3. Table 1: 2,000 \
             points. Table 2: 200 points, cost of the machine by ten folds, 1,000 points to test. Table 3: 5,000 points, \
             ridge by a set of 3,000 further points, 10,000 points to test.",
            "The paper drew its centres and points once. Rows say whether centres are drawn anew each time or are the \
             published ones of the textbook that the paper quotes; its numbers are compared as those of a single draw.",
            "The Gaussian is exp(-r^2 / sigma^2), as the paper prints it.",
        ],
        unclear: &[
            "Table 1 prints max b + 1, not the 2 max b + 1 of its text: a full matrix of 2,000 rows has 2,000 there. Shown \
             is max b, and the printed number less one.",
            "The four printed C of table 2 all lie on the grid sigma 2^(k/10); lines \"on the grid\" choose from it.",
            "(13) gives K + n lambda I and (14) has K + I / lambda; one ridge on the diagonal is used, from 0.03 to 100.",
            "The number of test points of table 3 is not given; 1,000 as in example 1.",
            "sigma of the kernel PCA example is not given; 0.5 is the value on whose grid the printed C lies.",
            "The figures hold no numbers, and no picture was at hand to read curves off; ours stand alone, and printed \
             optima are marked where the text gives them.",
        ],
    },
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
    if trial.fixed {
        findings.figures.push(sample::figure(trial)?);
    }
    findings.extend(least_squares::run(trial)?);
    if trial.fixed {
        findings.figures.push(bubbles::figure(trial)?);
    }
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

/// The classes with the published centres, or how to get those.
fn published(trial: &Trial<'_>) -> anyhow::Result<Result<GreenRed, String>> {
    let table = match trial.read("esl_mixture", "centres.csv.gz")? {
        Ok(table) => table,
        Err(why) => return Ok(Err(why)),
    };
    let (x1, x2, y) = (table.numbers("x1")?, table.numbers("x2")?, table.numbers("y")?);
    let centres = |sign: f64| {
        let chosen = (0..y.len()).filter(|&i| y[i] * sign > 0.0);
        chosen.map(|i| [x1[i], x2[i]]).collect::<Vec<_>>()
    };
    Ok(Ok(GreenRed::new(centres(-1.0), centres(1.0))?))
}

/// The published classes, or else a draw of their centres, and a generator for their points.
fn classes(trial: &Trial<'_>) -> anyhow::Result<(GreenRed, Pcg64)> {
    let mut random = realisation(trial.seed, 0);
    let family = published(trial)?.unwrap_or_else(|_| GreenRed::draw(&mut random));
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
