//! Benchmark 1: a nonlinear difference equation, with and without noise.

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::{Kind, Line as Compared};
use super::super::paper::Printed;
use super::super::trial::{Samples, Trial, learn, learner, mse, normal, variance};
use super::reading;
use groat::online::Learner;
use groat_report::{Axis, Chart, Line, Scatter, Section, Shape};

const KERNEL: &str = "gaussian:gamma=3.73";
const PAIRS: usize = 300;
const TRAIN: usize = 200;
const NOISE: f64 = 0.1;

/// One run of one algorithm.
struct Run {
    learner: Learner,
    nrmse: f64,
    errors: Vec<f64>,
}

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let clean = Samples::embed(&series(), 2);
    let (spl, coherent) = (run_on("spl", &clean)?, run_on("spl-coherence", &clean)?);
    let mut lines = exact_lines(&spl, &coherent);
    lines.extend(noisy_lines(trial)?);
    Ok(Findings { lines, figures: vec![figures(&clean, &spl, &coherent)?], beyond: Vec::new() })
}

fn series() -> Vec<f64> {
    let mut y = vec![0.1_f64, 0.1];
    while y.len() < PAIRS + 2 {
        let (last, before) = (y[y.len() - 1], y[y.len() - 2]);
        let bump = (-last * last).exp();
        let wave = (std::f64::consts::PI * last).sin();
        y.push((0.8 - 0.5 * bump) * last - (0.3 + 0.9 * bump) * before + 0.1 * wave);
    }
    y
}

/// Learns the first 200 pairs and measures (22) on the others, with the variance of all targets.
fn run_on(algorithm: &str, samples: &Samples) -> anyhow::Result<Run> {
    // The paper lets every vector of the filled dictionary in, however near to the span of the others.
    let mut learner = learner(algorithm, KERNEL, 2, "floor=0")?;
    let errors = learn(&mut learner, &samples.part(0, TRAIN)?)?;
    let nrmse = mse(&learner, &samples.part(TRAIN, PAIRS)?)? / variance(&samples.y);
    Ok(Run { learner, nrmse, errors })
}

const RATE: &str = "the learning rate is not printed; 0.45, found by search, is the one rate that comes near both errors with \
    24 kernels, and reading 300 values as 298 pairs would bring the first to 7.067e-4";

/// Section 4, the paragraph after (22), up to the noisy case.
fn exact_lines(spl: &Run, coherent: &Run) -> Vec<Compared> {
    let line = |row: &str, column: &str, ours: f64| {
        Compared::new("Benchmark 1, no noise", row, column, Estimate::exact(ours))
    };
    let size = |run: &Run| run.learner.size() as f64;
    let error = |row: &str, run: &Run, paper: Printed| {
        line(row, "NRMSE", run.nrmse).printed(paper).because(Kind::Unstated, RATE)
    };
    vec![
        line("SPL", "kernels", size(spl)).printed(Printed::new("24")),
        error("SPL", spl, Printed::new("7.07").times(-4)),
        line("coherence SPL", "kernels", size(coherent)).printed(Printed::new("24")),
        error("coherence SPL", coherent, Printed::new("6.02").times(-4)),
        line("coherence SPL", "replacements", reading(&coherent.learner, "evicted")),
        line("coherence SPL", "final coherence", reading(&coherent.learner, "coherence")),
        Compared::quoted("Benchmark 1, no noise", "SPL of [6]", "kernels", Printed::new("47")),
        Compared::quoted("Benchmark 1, no noise", "SPL of [6]", "NRMSE", Printed::new("6.1").times(-3)),
    ]
}

/// The end of the same paragraph.
fn noisy_lines(trial: &Trial<'_>) -> anyhow::Result<Vec<Compared>> {
    let clean = series();
    let runs = trial.realise("SPL, benchmark 1 with noise", |_, generator| {
        let noisy: Vec<f64> = clean.iter().map(|y| y + normal(generator, NOISE)).collect();
        let samples = Samples::embed(&noisy, 2);
        let (spl, coherent) = (run_on("spl", &samples)?, run_on("spl-coherence", &samples)?);
        Ok([spl.nrmse, spl.learner.size() as f64, coherent.nrmse])
    })?;
    let of = |k: usize| runs.iter().map(|run| run[k]).collect::<Vec<f64>>();
    let line = |row: &str, column: &str, ours: Estimate, paper: Printed| {
        Compared::new("Benchmark 1, noise 0.1", row, column, ours).printed(paper.runs(1))
    };
    let ratio = Estimate::ratio(&of(2), &of(0));
    Ok(vec![
        line("SPL", "NRMSE", Estimate::positive(&of(0)), Printed::new("0.057")),
        line("SPL", "kernels", Estimate::positive(&of(1)), Printed::new("42")),
        line("coherence SPL", "NRMSE", Estimate::positive(&of(2)), Printed::new("0.0598")),
        line("coherence SPL / SPL", "NRMSE", ratio, Printed::quotient("0.0598", "0.057")),
    ])
}

fn figures(samples: &Samples, spl: &Run, coherent: &Run) -> anyhow::Result<Section> {
    let curve = |name: &str, run: &Run| {
        Line::new(name, run.errors.iter().enumerate().map(|(t, e)| (t as f64 + 1.0, *e)).collect())
    };
    let errors = Chart::new("Squared error before each step")
        .x(Axis::new("sample"))
        .y(Axis::new("squared error").log())
        .layer(curve("coherence SPL", coherent).colour(8))
        .layer(curve("SPL", spl).colour(9));
    let cloud = samples.rows()?.iter().map(|x| (x[1], x[0])).collect();
    let mut plane = Chart::new("Where the kernels are")
        .x(Axis::new("y[t-1]"))
        .y(Axis::new("y[t-2]"))
        .layer(Scatter::new("samples", cloud).colour(0));
    for (name, run, colour) in [("SPL", spl, 9), ("coherence SPL", coherent, 8)] {
        if let Some(function) = run.learner.snapshot()?.as_ref().and_then(groat::Model::expansion) {
            let vectors = function.vectors().to_matrix();
            let points = vectors.view().iter().map(|v| (v[1], v[0])).collect();
            plane = plane.layer(Scatter::new(name, points).shape(Shape::Ring).colour(colour));
        }
    }
    Ok(Section::new("Benchmark 1, no noise").chart(errors).chart(plane))
}
