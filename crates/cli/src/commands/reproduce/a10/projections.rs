//! Figures 2 and 3: five vectors with weight 1, the fourth one removed by three projections.
//!
//! The learner is led into that model through its own steps: five samples whose errors are `1 / eta`, the
//! vector to be removed last, then a sixth sample far away with error 0, for which the newest vector must leave.

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::Line as Compared;
use super::super::trial::learner;
use groat::online::Learner;
use groat_report::{Axis, Chart, Line, Scatter, Section};

/// The vectors, the one to be removed last.
const VECTORS: [f64; 5] = [-2.0, -1.0, 0.0, 2.0, 1.0];
/// Where nothing reaches.
const FAR: f64 = 1e6;

/// One panel of a figure: width, projection, weights, and the largest change of the model on [-4, 4].
struct Panel {
    sigma: f64,
    name: &'static str,
    projection: &'static str,
    weights: [f64; 4],
    change: f64,
}

const fn panel(
    sigma: f64,
    name: &'static str,
    projection: &'static str,
    weights: [f64; 4],
    change: f64,
) -> Panel {
    Panel { sigma, name, projection, weights, change }
}

/// Exact to the digits given (60-digit arithmetic).
const PANELS: [Panel; 6] = [
    panel(
        0.9,
        "KLMS",
        "orthogonal",
        [1.140575268950, 0.639631577123, 1.680990275631, 1.483142175051],
        0.4033,
    ),
    panel(
        0.9,
        "LS",
        "least-squares",
        [1.335650898735, 0.285077093572, 1.997214428413, 1.562905253431],
        0.2604,
    ),
    panel(0.9, "FKLMS", "fast", [1.003865920139, 1.084657988623, 1.539407507238, 1.539407507238], 0.4110),
    panel(
        0.5,
        "KLMS",
        "orthogonal",
        [1.002477905428, 0.981349125575, 1.137813188944, 1.135289052346],
        0.9630,
    ),
    panel(
        0.5,
        "LS",
        "least-squares",
        [1.009638608691, 0.945102189633, 1.270579028020, 1.260806714095],
        0.9281,
    ),
    panel(0.5, "FKLMS", "fast", [1.000000015230, 1.000335462628, 1.135335283237, 1.135335283237], 0.9634),
];

/// Costs of the removal: kappa for KLMS, lambda_LS for LS.
const COSTS: [(usize, &str, f64); 4] = [
    (0, "kappa", 0.402022829764),
    (1, "lambda_LS", 0.0175029537418),
    (3, "kappa", 0.963045887456),
    (4, "lambda_LS", 0.178761189376),
];

pub fn run() -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let mut pairs = Vec::new();
    for panel in &PANELS {
        let (before, after) = models(panel)?;
        findings.lines.extend(lines(panel, &before, &after)?);
        pairs.push((before, after));
    }
    for (at, name, expected) in COSTS {
        let (before, after) = &pairs[at];
        let cost = if name == "kappa" { change(before, after, 1.0)? } else { mean_squared(before, after)? };
        let (part, row) = (PANELS[at].part(), PANELS[at].name);
        let line = Compared::new(part, row, format!("{name} of the removal"), Estimate::exact(cost));
        let (words, slack) = ("its formula, 60 digits", 1e-10 * expected);
        findings.lines.push(line.claim(words, expected - slack, expected + slack));
    }
    for (sigma, coupling) in [(0.9, "strong"), (0.5, "moderate")] {
        let figure = if sigma == 0.9 { 2 } else { 3 };
        let mut section =
            Section::new(format!("Figure {figure}: projections with {coupling} coupling (width {sigma})"));
        for (panel, (before, after)) in PANELS.iter().zip(&pairs).filter(|(panel, _)| panel.sigma == sigma) {
            section = section.chart(chart(panel, before, after)?);
        }
        findings.figures.push(section);
    }
    Ok(findings)
}

impl Panel {
    fn part(&self) -> &'static str {
        if self.sigma == 0.9 { "Figure 2" } else { "Figure 3" }
    }
}

/// The model with five vectors, and what the projection leaves.
fn models(panel: &Panel) -> anyhow::Result<(Learner, Learner)> {
    let settings = format!("eta=1,budget=5,when=before,cost=newest,projection={}", panel.projection);
    let mut before = learner("klms-reduce", &format!("gaussian:width={}", panel.sigma), 1, &settings)?;
    for v in VECTORS {
        let y = before.predict_one(&[v])? + 1.0;
        before.learn_one(&[v], y)?;
    }
    let mut after = before.clone();
    after.learn_one(&[FAR], 0.0)?;
    Ok((before, after))
}

fn lines(panel: &Panel, before: &Learner, after: &Learner) -> anyhow::Result<[Compared; 2]> {
    let model = after.snapshot()?;
    let weights = model.as_ref().map_or(&[][..], |model| model.weights().data());
    anyhow::ensure!(weights.len() == 5, "expected five vectors, found {}", weights.len());
    let worst = panel.weights.iter().zip(weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let mut largest = 0.0_f64;
    for i in 0..=8000 {
        largest = largest.max(change(before, after, -4.0 + f64::from(i) / 1000.0)?.abs());
    }
    let line = |what: &str, ours: f64| Compared::new(panel.part(), panel.name, what, Estimate::exact(ours));
    let (low, high) = (panel.change - 6e-5, panel.change + 6e-5);
    Ok([
        // A rounding error: no two machines need have the same.
        line("distance from the exact weights", worst)
            .claim("(12), (14), (16) exactly", 0.0, 1e-10)
            .passing(),
        line("largest change on [-4, 4]", largest).claim("its formula, 60 digits", low, high),
    ])
}

fn change(before: &Learner, after: &Learner, x: f64) -> anyhow::Result<f64> {
    Ok(before.predict_one(&[x])? - after.predict_one(&[x])?)
}

/// Mean squared change at the five vectors, which is the cost of the LS technique.
fn mean_squared(before: &Learner, after: &Learner) -> anyhow::Result<f64> {
    let changes = VECTORS.map(|v| change(before, after, v));
    let mut sum = 0.0;
    for change in changes {
        sum += change?.powi(2);
    }
    Ok(sum / VECTORS.len() as f64)
}

fn chart(panel: &Panel, before: &Learner, after: &Learner) -> anyhow::Result<Chart> {
    let curve = |model: &Learner| -> groat::Result<Vec<(f64, f64)>> {
        (0..=200).map(|i| -4.0 + f64::from(i) / 25.0).map(|x| Ok((x, model.predict_one(&[x])?))).collect()
    };
    let kept = VECTORS[..4].iter().map(|v| (*v, 0.0)).collect();
    Ok(Chart::new(panel.name)
        .x(Axis::new("x"))
        .y(Axis::new("f(x)").range(-0.2, 2.6))
        .layer(Line::new("five vectors", curve(before)?))
        .layer(Line::new("four vectors", curve(after)?).dashed())
        .layer(Scatter::new("kept", kept)))
}
