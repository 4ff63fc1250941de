//! Mackey-Glass prediction on a series of our own: delay 30, Euler steps of 0.1 s, a value every 6 s, history 1.2,
//! the first 1000 s dropped. Each segment has 500 samples of 10 lags to learn from and 100 to test.

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::Line as Compared;
use super::super::trial::{Samples, Trial, mean, mse, normal, variance};
use super::Filter;
use groat_report::{Axis, Chart, Line, Section, number};

const LAGS: usize = 10;
const TRAIN: usize = 500;
const TEST: usize = 100;
const SEGMENT: usize = LAGS + TRAIN + TEST;
/// Segments for which mean and deviation are stated.
const SEGMENTS: usize = 100;

const FILTERS: [Filter; 3] = [
    Filter::Lms { step: 0.01 },
    Filter::Klms { gamma: 1.0, step: 0.2 },
    Filter::Coherence { gamma: 1.0, step: 0.1, threshold: 0.7 },
];

/// Noise level, mean squared errors of the three filters, size of the last.
const EXPECTED: [(f64, [f64; 3], f64); 2] =
    [(0.0, [5.5e-2, 6.5e-3, 1.56e-2], 21.0), (0.04, [5.7e-2, 1.13e-2, 2.1e-2], 25.0)];

/// What one segment gives for one filter.
struct Run {
    curve: Vec<f64>,
    mse: f64,
    size: f64,
}

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let series = series(SEGMENTS.max(trial.realisations) * SEGMENT);
    let stated = &series[..SEGMENTS * SEGMENT];
    let mut findings = Findings::default();
    let exact = |what: &str, ours: f64, numpy: &str| {
        Compared::new("Own Mackey-Glass series", "all values", what, Estimate::exact(ours)).beside(numpy)
    };
    findings.lines.push(exact("mean", mean(stated.iter().copied()), "NumPy 0.896"));
    findings.lines.push(exact("deviation", variance(stated).sqrt(), "NumPy 0.280"));
    let mut section = Section::new("Mackey-Glass: learning curves, mean of all segments");
    for (noise, expected, size) in EXPECTED {
        let runs = segments(trial, &series, noise)?;
        findings.lines.extend(lines(&runs, noise, expected, size));
        section = section.chart(chart(&runs, noise));
    }
    findings.figures.push(section);
    Ok(findings)
}

/// A series of `length` values.
fn series(length: usize) -> Vec<f64> {
    const STEPS: usize = 60;
    const DELAY: usize = 300;
    const DROPPED: usize = 10_000;
    let steps = DROPPED + length * STEPS;
    let mut x = vec![1.2_f64; DELAY + 1];
    x.reserve(steps);
    for t in 0..steps {
        let (now, then) = (x[t + DELAY], x[t]);
        x.push(now + 0.1 * (0.2 * then / (1.0 + then.powi(10)) - 0.1 * now));
    }
    x[DELAY + DROPPED..].iter().step_by(STEPS).take(length).copied().collect()
}

/// Runs of all filters on each segment.
fn segments(trial: &Trial<'_>, series: &[f64], noise: f64) -> anyhow::Result<Vec<Vec<Run>>> {
    trial.realise("Mackey-Glass", |r, generator| {
        let first = r * SEGMENT;
        let segment: Vec<f64> =
            series[first..first + SEGMENT].iter().map(|x| x + normal(generator, noise)).collect();
        let samples = Samples::embed(&segment, LAGS);
        let (train, test) = (samples.part(0, TRAIN)?, samples.part(TRAIN, TRAIN + TEST)?);
        let one = |filter: &Filter| {
            let (learner, curve) = filter.run(&train)?;
            Ok(Run { curve, mse: mse(&learner, &test)?, size: learner.size() as f64 })
        };
        FILTERS.iter().map(one).collect()
    })
}

fn lines(runs: &[Vec<Run>], noise: f64, expected: [f64; 3], size: f64) -> Vec<Compared> {
    let of = |f: usize, value: fn(&Run) -> f64| runs.iter().map(|run| value(&run[f])).collect::<Vec<f64>>();
    let line = |f: usize, what: &str, value: fn(&Run) -> f64, numpy: f64| {
        let part = format!("Own Mackey-Glass series, noise {noise}");
        let line = Compared::new(part, FILTERS[f].name(), what, Estimate::positive(&of(f, value)));
        line.beside(format!("NumPy {}", number(numpy)))
    };
    let mut lines: Vec<Compared> =
        (0..FILTERS.len()).map(|f| line(f, "MSE", |run| run.mse, expected[f])).collect();
    lines.push(line(2, "size", |run| run.size, size));
    let ratio = Estimate::ratio(&of(1, |run| run.mse), &of(0, |run| run.mse));
    let part = format!("Own Mackey-Glass series, noise {noise}");
    let row = format!("{} / LMS", FILTERS[1].name());
    lines.push(Compared::new(part, row, "MSE", ratio).claim("KLMS better than LMS", 0.0, 1.0));
    lines
}

fn chart(runs: &[Vec<Run>], noise: f64) -> Chart {
    let lines = FILTERS.iter().enumerate().map(|(f, filter)| {
        let at = |t: usize| mean(runs.iter().map(|run| run[f].curve[t]));
        Line::new(filter.name(), (0..TRAIN).map(|t| (t as f64 + 1.0, at(t))).collect())
            .colour(filter.colour())
    });
    Chart::new(format!("Observation noise {noise}"))
        .x(Axis::new("sample"))
        .y(Axis::new("mean squared error").log().range(1e-3, 2.0))
        .layers(lines)
}
