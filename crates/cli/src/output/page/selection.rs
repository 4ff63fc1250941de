//! How the model was chosen: the error against the width, or against the number of vectors.

use groat::batch::Fitted;
use groat::kernels::Width;
use groat_report::{Axis, Chart, Line, Marker, Section, number};

/// Charts of the choice; nothing when there was none.
pub fn selection(fitted: &Fitted, classes: bool) -> Option<Section> {
    let charts: Vec<Chart> = [widths(fitted), growth(fitted, classes)].into_iter().flatten().collect();
    if charts.is_empty() {
        return None;
    }
    Some(charts.into_iter().fold(Section::new("Selection"), Section::chart))
}

/// For each width that was tried, the best score over the ridges.
fn widths(fitted: &Fitted) -> Option<Chart> {
    let mut best: Vec<(f64, f64)> = Vec::new();
    for trial in &fitted.trials {
        let Some(Width::Shared(width)) = trial.kernel.width() else { continue };
        match best.iter_mut().find(|(w, _)| w == width) {
            Some((_, score)) => *score = score.min(trial.score),
            None => best.push((*width, trial.score)),
        }
    }
    if best.len() < 2 {
        return None;
    }
    best.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Not always the lowest point: of nearly equal ones a method may prefer the smoother model.
    let chosen =
        best.iter().copied().find(|(width, _)| fitted.model.kernel().width() == Some(&Width::Shared(*width)));
    let positive = best.iter().all(|(_, score)| *score > 0.0);
    let score = Axis::new("leave-one-out error");
    let mut chart = Chart::new("Choice of the width")
        .describe("Leave-one-out error of the best ridge for each width")
        .x(Axis::new("width").log())
        .y(if positive { score.log() } else { score })
        .layer(Line::new("leave-one-out error", best));
    if let Some((width, score)) = chosen {
        chart = chart.layer(Marker::new(format!("width {}", number(width)), width, score).colour(1));
    }
    Some(chart)
}

/// The error as vectors are added one by one.
fn growth(fitted: &Fitted, classes: bool) -> Option<Chart> {
    if fitted.stages.is_empty() {
        return None;
    }
    let curve = |value: fn(&groat::batch::Stage) -> f64| {
        fitted.stages.iter().enumerate().map(|(i, stage)| ((i + 1) as f64, value(stage))).collect::<Vec<_>>()
    };
    let left_out = curve(|stage| stage.leave_one_out);
    let chosen = fitted.model.size().checked_sub(1).and_then(|last| left_out.get(last)).copied();
    let (training, left_out_name) = if classes {
        ("mean square error on the training rows", "leave-one-out error rate")
    } else {
        ("training", "leave-one-out")
    };
    let mut chart = Chart::new("Growth of the model")
        .describe("Error after each vector that was added")
        .x(Axis::new("vectors"))
        .y(Axis::new(if classes { "error" } else { "mean square error" }))
        .layer(Line::new(left_out_name, left_out).steps())
        .layer(Line::new(training, curve(|stage| stage.training)).steps().dashed());
    if let Some((terms, error)) = chosen {
        chart = chart.layer(Marker::new(format!("{terms} vectors"), terms, error).colour(0));
    }
    Some(chart)
}
