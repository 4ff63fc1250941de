//! Benchmark 1: a nonlinear difference equation, with and without noise.

use super::super::Findings;
use super::super::comparison::{Band, Row};
use super::super::trial::{Samples, Trial, learn, learner, mean, mse, normal, variance};
use super::reading;
use groat::online::Learner;
use groat_report::{Axis, Chart, Line, Scatter, Section};

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
    let mut rows = exact_rows(&spl, &coherent);
    rows.extend(noisy_rows(trial)?);
    Ok(Findings { rows, figures: vec![figures(&clean, &spl, &coherent)?] })
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

fn exact_rows(spl: &Run, coherent: &Run) -> Vec<Row> {
    let size = |run: &Run| run.learner.size() as f64;
    let exact = |value| Band::about(value, 1e-6);
    vec![
        Row::new("SPL, no noise: kernels", "24", size(spl), Band::exactly(24.0)),
        Row::new("SPL, no noise: NRMSE", "7.07e-4", spl.nrmse, exact(7.030_588_236_520_73e-4)),
        Row::new("coherence SPL, no noise: kernels", "24", size(coherent), Band::exactly(24.0)),
        Row::new("coherence SPL, no noise: NRMSE", "6.02e-4", coherent.nrmse, exact(5.875_879_513_922_52e-4)),
        Row::new(
            "coherence SPL, no noise: replacements",
            "",
            reading(&coherent.learner, "evicted"),
            Band::exactly(14.0),
        ),
        Row::new(
            "coherence SPL, no noise: final coherence",
            "",
            reading(&coherent.learner, "coherence"),
            exact(0.909_570_379_805_970_7),
        ),
    ]
}

fn noisy_rows(trial: &Trial<'_>) -> anyhow::Result<Vec<Row>> {
    let clean = series();
    let runs = trial.realise("SPL, benchmark 1 with noise", |_, generator| {
        let noisy: Vec<f64> = clean.iter().map(|y| y + normal(generator, NOISE)).collect();
        let samples = Samples::embed(&noisy, 2);
        let (spl, coherent) = (run_on("spl", &samples)?, run_on("spl-coherence", &samples)?);
        Ok((spl.nrmse, spl.learner.size() as f64, coherent.nrmse))
    })?;
    let (spl, coherent) = (mean(runs.iter().map(|r| r.0)), mean(runs.iter().map(|r| r.2)));
    let kernels = mean(runs.iter().map(|r| r.1));
    let band = |low, high| Band::within(low, high).widened(trial.widening());
    Ok(vec![
        Row::new("SPL, noise 0.1: mean NRMSE", "0.057", spl, band(0.047, 0.057)),
        Row::new("SPL, noise 0.1: mean kernels", "42", kernels, band(38.0, 41.0)),
        Row::new("coherence SPL, noise 0.1: mean NRMSE", "0.0598", coherent, band(0.049, 0.060)),
        Row::new("coherence SPL / SPL, noise 0.1", "1.049", coherent / spl, band(1.0, 1.1)),
    ])
}

fn figures(samples: &Samples, spl: &Run, coherent: &Run) -> anyhow::Result<Section> {
    let curve = |name: &str, run: &Run| {
        Line::new(name, run.errors.iter().enumerate().map(|(t, e)| (t as f64 + 1.0, *e)).collect())
    };
    let errors = Chart::new("Squared error before each step")
        .x(Axis::new("sample"))
        .y(Axis::new("squared error").log())
        .layer(curve("SPL", spl))
        .layer(curve("coherence SPL", coherent));
    let cloud = samples.rows()?.iter().map(|x| (x[1], x[0])).collect();
    let mut plane = Chart::new("Where the kernels are")
        .x(Axis::new("y[t-1]"))
        .y(Axis::new("y[t-2]"))
        .layer(Scatter::new("samples", cloud));
    for (name, run) in [("SPL", spl), ("coherence SPL", coherent)] {
        if let Some(model) = run.learner.snapshot()? {
            let vectors = model.expansion().vectors().to_matrix();
            let points = vectors.view().iter().map(|v| (v[1], v[0])).collect();
            plane = plane.layer(Scatter::new(name, points));
        }
    }
    Ok(Section::new("Benchmark 1, no noise").chart(errors).chart(plane))
}
