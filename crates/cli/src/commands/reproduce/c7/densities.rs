//! Densities in one and six dimensions, against the truth they were drawn from.

use super::super::Findings;
use super::super::comparison::{Band, Row};
use super::super::trial::{Trial, mean};
use super::peers::Peers;
use super::{spread, with_deviation};
use groat::batch::Quiet;
use groat::batch::density::{Density, Parzen, SparseDensity};
use groat::batch::forward::{Ols, Penalty};
use groat::{Kernel, Matrix, Rows};
use groat_report::{Axis, Chart, Line, Section};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// Test points of each run.
pub const TEST: usize = 10_000;

/// What one sample gives.
struct Run {
    parzen: f64,
    sparse: f64,
    refined: f64,
    kernels: f64,
    estimates: [Density; 2],
}

impl Run {
    /// The estimates of `x` with the paper's widths, measured at points drawn from the truth.
    fn of(x: Rows<'_>, points: Rows<'_>, truth: &[f64], width: f64, parzen: f64) -> anyhow::Result<Self> {
        let settings = SparseDensity::new().selection(&paper()).width(width).parzen_width(parzen);
        let parzen = Parzen::new().width(parzen).fit(x)?;
        let sparse = settings.estimate(x, None, &Quiet)?.density;
        let refined = settings.refinement(20).estimate(x, None, &Quiet)?.density;
        Ok(Run {
            parzen: l1(&parzen, points, truth)?,
            sparse: l1(&sparse, points, truth)?,
            refined: l1(&refined, points, truth)?,
            kernels: sparse.weights().len() as f64,
            estimates: [parzen, sparse],
        })
    }
}

/// Rows about a number of runs.
struct Lines<'a> {
    name: &'static str,
    peers: &'a Peers,
    rows: Vec<Row>,
}

impl Lines<'_> {
    fn add<R>(&mut self, runs: &[R], what: &str, paper: &str, peer: &str, value: fn(&R) -> f64, band: Band) {
        let (mean, deviation) = spread(runs, value);
        let what = with_deviation(&format!("{} density, fresh: {what}", self.name), deviation);
        self.rows.push(Row::new(what, paper, mean, band).beside(self.peers.get(peer)));
    }
}

pub fn run(trial: &Trial<'_>, peers: &Peers) -> anyhow::Result<Findings> {
    let mut findings = one_dimension(trial, peers)?;
    findings.extend(six_dimensions(trial, peers)?);
    Ok(findings)
}

/// The selection as in the paper.
fn paper() -> Ols {
    Ols::new(Kernel::gaussian(1.0)).penalty(Penalty::Absolute(1e-6)).patience(0)
}

fn normal(generator: &mut Pcg64) -> f64 {
    StandardNormal.sample(generator)
}

/// Half a Gaussian at 2, half a Laplacian at -2.
fn truth1(x: f64) -> f64 {
    let gauss = (-0.5 * (x - 2.0).powi(2)).exp() / (2.0 * std::f64::consts::TAU.sqrt());
    gauss + 0.7 / 4.0 * (-0.7 * (x + 2.0).abs()).exp()
}

pub fn draw1(n: usize, generator: &mut Pcg64) -> Vec<f64> {
    (0..n)
        .map(|_| {
            if generator.random::<bool>() {
                return 2.0 + normal(generator);
            }
            let u: f64 = generator.random::<f64>() - 0.5;
            -2.0 - u.signum() * (1.0 - 2.0 * u.abs()).max(f64::MIN_POSITIVE).ln() / 0.7
        })
        .collect()
}

/// Mean of `|p - f|` over points drawn from `p`.
fn l1(density: &Density, points: Rows<'_>, truth: &[f64]) -> anyhow::Result<f64> {
    Ok(mean(density.density(points)?.iter().zip(truth).map(|(f, p)| (f - p).abs())))
}

/// Kullback-Leibler divergence over [-15, 15] by the midpoint rule.
fn divergence(density: &Density) -> anyhow::Result<f64> {
    let step = 0.01;
    let grid: Vec<f64> = (0..3000).map(|i| -15.0 + (f64::from(i) + 0.5) * step).collect();
    let log = density.log_density(Rows::new(&grid, 1)?)?;
    Ok(grid.iter().zip(&log).map(|(x, f)| truth1(*x) * (truth1(*x).ln() - f) * step).sum())
}

fn one_dimension(trial: &Trial<'_>, peers: &Peers) -> anyhow::Result<Findings> {
    let runs = trial.realise("1-D density", |_, generator| {
        let (x, points) = (draw1(100, generator), draw1(TEST, generator));
        let truth: Vec<f64> = points.iter().map(|x| truth1(*x)).collect();
        Run::of(Rows::new(&x, 1)?, Rows::new(&points, 1)?, &truth, 1.1, 0.54)
    })?;
    let divergences =
        runs.iter().map(|run| divergence(&run.estimates[0])).collect::<anyhow::Result<Vec<f64>>>()?;
    let widen = trial.widening();
    let band = || Band::within(1.75, 2.3).widened(widen);
    let mut lines = Lines { name: "1-D", peers, rows: Vec::new() };
    let parzen = "Parzen, width 0.54, L1 x 100";
    lines.add(&runs, parzen, "1.996 ± 0.618", "density1/parzen", |r| 100.0 * r.parzen, band());
    lines.add(
        &divergences,
        "Parzen, divergence over [-15, 15]",
        "0.080 ± 0.052, range not given",
        "density1/divergence",
        |d| *d,
        Band::within(0.07, 0.12).widened(widen),
    );
    let sparse = "sparse, width 1.1, L1 x 100";
    lines.add(&runs, sparse, "2.021 ± 0.654", "density1/chosen", |r| 100.0 * r.sparse, band());
    let kernels = Band::within(4.5, 6.8).widened(widen);
    lines.add(&runs, "kernels", "5.1 ± 1.2", "density1/kernels", |r| r.kernels, kernels);
    lines.add(
        &runs,
        "sparse, refined where that helps rows held out, L1 x 100",
        "(beyond the paper)",
        "density1/chosen",
        |r| 100.0 * r.refined,
        Band::at_most(2.3),
    );
    let figures = runs.first().map(figure).transpose()?.into_iter().collect();
    Ok(Findings { rows: lines.rows, figures })
}

fn figure(run: &Run) -> anyhow::Result<Section> {
    let grid: Vec<f64> = (0..300).map(|i| -12.0 + f64::from(i) * 0.07).collect();
    let curve = |values: Vec<f64>| grid.iter().copied().zip(values).collect::<Vec<_>>();
    let rows = Rows::new(&grid, 1)?;
    let chart = Chart::new("A sample of 100 points")
        .describe("True density, Parzen estimate and sparse estimate of the first sample")
        .x(Axis::new("x"))
        .y(Axis::new("density"))
        .layer(Line::new("true", curve(grid.iter().map(|x| truth1(*x)).collect())).dashed())
        .layer(Line::new("Parzen", curve(run.estimates[0].density(rows)?)))
        .layer(Line::new(format!("sparse, {} kernels", run.kernels), curve(run.estimates[1].density(rows)?)));
    Ok(Section::new("Density in one dimension").chart(chart))
}

/// Centre and variances of the three Gaussians in six dimensions.
const MIXTURE: [(f64, [f64; 2]); 3] = [(1.0, [1.0, 2.0]), (-1.0, [2.0, 1.0]), (0.0, [2.0, 1.0])];

pub fn draw6(n: usize, generator: &mut Pcg64) -> groat::Result<Matrix> {
    let mut out = Matrix::zeros(n, 6);
    for i in 0..n {
        let (centre, variances) = MIXTURE[generator.random_range(0..3)];
        for (k, v) in out.row_mut(i).iter_mut().enumerate() {
            *v = centre + variances[k % 2].sqrt() * normal(generator);
        }
    }
    Ok(out)
}

fn truth6(x: &[f64]) -> f64 {
    let gauss = |(centre, variances): (f64, [f64; 2])| {
        let factor = |(k, x): (usize, &f64)| {
            let v = variances[k % 2];
            (-0.5 * (x - centre).powi(2) / v).exp() / (std::f64::consts::TAU * v).sqrt()
        };
        x.iter().enumerate().map(factor).product::<f64>()
    };
    mean(MIXTURE.map(gauss))
}

fn six_dimensions(trial: &Trial<'_>, peers: &Peers) -> anyhow::Result<Findings> {
    let runs = trial.realise("6-D density", |_, generator| {
        let (x, points) = (draw6(600, generator)?, draw6(TEST, generator)?);
        let truth: Vec<f64> = points.view().iter().map(truth6).collect();
        Run::of(x.view(), points.view(), &truth, 1.2, 0.65)
    })?;
    let widen = (trial.widening() / 2.0).max(1.0);
    let mut lines = Lines { name: "6-D", peers, rows: Vec::new() };
    let parzen = Band::within(3.4, 3.75).widened(widen);
    let what = "Parzen, width 0.65, L1 x 1e5";
    lines.add(&runs, what, "3.520 ± 0.162", "density6/parzen", |r| 1e5 * r.parzen, parzen);
    let sparse = "sparse, width 1.2, L1 x 1e5";
    lines.add(&runs, sparse, "3.113 ± 0.534", "density6/chosen", |r| 1e5 * r.sparse, Band::at_most(3.1));
    lines.add(
        &runs,
        "sparse, refined where that helps rows held out, L1 x 1e5",
        "(beyond the paper)",
        "density6/chosen",
        |r| 1e5 * r.refined,
        Band::at_most(3.1),
    );
    let kernels = Band::within(8.0, 13.0).widened(widen);
    lines.add(&runs, "kernels", "9.4 ± 1.9", "density6/kernels", |r| r.kernels, kernels);
    Ok(Findings { rows: lines.rows, figures: Vec::new() })
}
