//! How the model was chosen: the error against the width, or against the number of vectors.

use super::Part;
use crate::output::summary::count;
use groat::Model;
use groat::batch::{Fitted, Stage};
use groat::data::Answers;
use groat::kernels::Width;
use groat_report::{Axis, Bars, Chart, Line, Marker, Rule, Section, number};

/// Most features that a chart of them shows.
const MOST_BARS: usize = 30;

/// Charts of the choice of the kernel and of the vectors; nothing when there was none.
pub fn selection(fitted: &Fitted, parts: &[Part<'_>]) -> groat::Result<Option<Section>> {
    let grown = if fitted.sizes.is_empty() { growth(fitted, parts)? } else { Some(sizes(fitted, parts)?) };
    let charts: Vec<Chart> =
        [widths(fitted), relevance(fitted), costs(fitted), vectors_of_costs(fitted), grown]
            .into_iter()
            .flatten()
            .collect();
    Ok((!charts.is_empty()).then(|| charts.into_iter().fold(Section::new("Selection"), Section::chart)))
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
        best.iter().copied().find(|(width, _)| fitted.kernel.width() == Some(&Width::Shared(*width)));
    let judge = &fitted.judged_by;
    let density = *fitted.model.task() == groat::model::Task::Density;
    // A logarithm of a density is no amount: it may have either sign.
    let amount = !density && best.iter().all(|(_, score)| *score > 0.0);
    let name = if density { format!("minus the {judge}") } else { format!("{judge} error") };
    let score = Axis::new(&name);
    let mut chart = Chart::new("Choice of the width")
        .describe("The error of each width that was tried, at its best ridge where there is one")
        .x(Axis::new("width").log())
        .y(if amount { score.log() } else { score })
        .layer(Line::new(name, best));
    if let Some((width, score)) = chosen {
        chart = chart.layer(Marker::new(format!("width {}", number(width)), width, score).colour(1));
    }
    Some(chart)
}

/// One over the width of each feature, where each has its own: how much a step along it changes the answer.
fn relevance(fitted: &Fitted) -> Option<Chart> {
    let mut order = fitted.relevance();
    if order.is_empty() {
        return None;
    }
    let names = fitted.model.feature_names();
    let name = |j: usize| names.get(j).cloned().unwrap_or_else(|| format!("feature {}", j + 1));
    order.truncate(MOST_BARS);
    let heights: Vec<f64> = order.iter().map(|(_, share)| *share).collect();
    let chart = Chart::new("Relevance of the features")
        .describe(
            "One over the width of each feature: the higher, the more a step along it changes the answer",
        )
        .x(Axis::new("feature").categories(order.iter().map(|(j, _)| name(*j))))
        .y(Axis::new("1 / width, as a share of the largest"));
    Some(chart.layer(Bars::categories("relevance", &heights)))
}

/// The held-out error for each number of vectors, where the model was cut, and the full machine; the test rows beside it.
fn sizes(fitted: &Fitted, parts: &[Part<'_>]) -> groat::Result<Chart> {
    let rate = !fitted.model.classes().is_empty();
    let density = *fitted.model.task() == groat::model::Task::Density;
    let size = fitted.model.size();
    // Beyond twice the size there is nothing to see.
    let shown = fitted.sizes.iter().filter(|at| at.terms >= 1 && at.terms <= (2 * size).max(20));
    let held_out: Vec<(f64, f64)> = shown.map(|at| (at.terms as f64, at.error)).collect();
    let mut chart = Chart::new("Growth of the model")
        .describe("Error on held-out parts for each number of vectors; the model was cut at the mark")
        .x(Axis::new("vectors").whole())
        .y(Axis::new(match (density, rate) {
            (true, _) => "minus the log density",
            (_, true) => "error rate",
            _ => "root mean square error",
        }))
        .layer(Line::new("held-out parts", held_out.clone()).steps());
    if let Some(growth) = &fitted.growth {
        for part in parts.iter().filter(|part| part.name == "test") {
            let by_rate = rate.then_some(&fitted.model);
            let losses = growth.mean_losses(&fitted.model, part.samples.x(), |row, values| {
                loss(part.samples.answers(), by_rate, row, values)
            })?;
            let shown = |loss: f64| if rate { loss } else { loss.sqrt() };
            let points = losses.into_iter().enumerate().map(|(i, e)| ((i + 1) as f64, shown(e))).collect();
            chart = chart.layer(Line::new(part.name, points).steps().dashed());
        }
    }
    if let Some(full) = &fitted.full {
        let name = if density { "Parzen estimate" } else { "full machine" };
        chart = chart.layer(Rule::horizontal(format!("{name}, {}", number(full.error)), full.error));
    }
    if let Some((terms, error)) = held_out.iter().find(|(terms, _)| *terms == size as f64) {
        chart = chart.layer(Marker::new(count(*terms as usize, "vector"), *terms, *error).colour(0));
    }
    Ok(chart)
}

/// What a support vector machine was tried with beside the width: costs, or values of nu.
struct Tried {
    name: &'static str,
    chosen: f64,
    /// Cost or nu, error and vectors of the trials of the chosen kernel.
    points: Vec<(f64, f64, f64)>,
}

/// The trials of the chosen kernel; nothing where neither a cost nor nu was chosen.
fn tried(fitted: &Fitted) -> Option<Tried> {
    let settings = &fitted.model.record().settings;
    let name = ["cost", "nu"].into_iter().find(|name| settings.contains_key(*name))?;
    let chosen = settings[name].parse().ok()?;
    // A trial holds what stands beside the width as a ridge, of which a cost is the inverse.
    let value = |ridge: f64| if name == "cost" { 1.0 / ridge } else { ridge };
    let own = fitted.trials.iter().filter(|trial| trial.kernel == fitted.kernel && trial.score.is_finite());
    let mut points: Vec<(f64, f64, f64)> =
        own.map(|trial| (value(trial.ridge), trial.score, trial.size)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    (points.len() > 1).then_some(Tried { name, chosen, points })
}

impl Tried {
    /// A line through the trials with a mark at what was chosen.
    fn chart(&self, title: String, axis: Axis, line: String, height: fn(&(f64, f64, f64)) -> f64) -> Chart {
        let points = self.points.iter().map(|point| (point.0, height(point))).collect();
        let chart = Chart::new(title).x(Axis::new(self.name).log()).y(axis).layer(Line::new(line, points));
        // As the inverse of a ridge it need not be the same number to the last bit.
        let at = |point: &&(f64, f64, f64)| (point.0 / self.chosen - 1.0).abs() < 1e-9;
        match self.points.iter().find(at) {
            Some(point) => {
                let label = format!("{} {}", self.name, number(point.0));
                chart.layer(Marker::new(label, point.0, height(point)).colour(1))
            }
            None => chart,
        }
    }
}

/// The error of each cost (or nu) that was tried with the chosen kernel.
fn costs(fitted: &Fitted) -> Option<Chart> {
    let (tried, name) = (tried(fitted)?, format!("{} error", fitted.judged_by));
    let title = match tried.name {
        "cost" => "Choice of the cost".to_owned(),
        other => format!("Choice of {other}"),
    };
    let axis = Axis::new(&name);
    let axis = if tried.points.iter().all(|point| point.1 > 0.0) { axis.log() } else { axis };
    let chart = tried.chart(title, axis, name, |point| point.1);
    Some(chart.describe(format!("The error of each {} that was tried with the chosen kernel", tried.name)))
}

/// How many vectors a machine has at each cost (or nu).
fn vectors_of_costs(fitted: &Fitted) -> Option<Chart> {
    let tried = tried(fitted)?;
    // A linear machine is one vector whatever it costs.
    if tried.points.iter().all(|point| point.2 == tried.points[0].2) {
        return None;
    }
    let axis = Axis::new("support vectors").whole();
    let title = format!("Vectors against {}", tried.name);
    let chart = tried.chart(title, axis, "support vectors".to_owned(), |point| point.2);
    Some(chart.describe(
        "Mean number of support vectors on the rows that the search looked at, with the chosen kernel",
    ))
}

/// The error as vectors are added one by one: left out, on the training rows, and on the test rows.
fn growth(fitted: &Fitted, parts: &[Part<'_>]) -> groat::Result<Option<Chart>> {
    if fitted.stages.is_empty() {
        return Ok(None);
    }
    let numbered = |errors: Vec<f64>| {
        errors.into_iter().enumerate().map(|(i, error)| ((i + 1) as f64, error)).collect::<Vec<_>>()
    };
    let stages = |value: fn(&Stage) -> f64| numbered(fitted.stages.iter().map(value).collect());
    let by_error_rate = fitted.model.record().settings.get("criterion").is_some_and(|c| c == "error-rate");
    let left_out = stages(|stage| stage.leave_one_out);
    let chosen = left_out.last().copied();
    let mut chart = Chart::new("Growth of the model")
        .describe("Error after each vector that was added")
        .x(Axis::new("vectors").whole())
        .y(Axis::new(if by_error_rate { "error rate" } else { "mean square error" }))
        .layer(Line::new("leave-one-out", left_out).steps());
    for part in parts {
        let errors = match &fitted.growth {
            Some(growth) => {
                let answers = part.samples.answers();
                let by_rate = by_error_rate.then_some(&fitted.model);
                let loss = |row: usize, values: &[f64]| loss(answers, by_rate, row, values);
                numbered(growth.mean_losses(&fitted.model, part.samples.x(), loss)?)
            }
            // The weights of a density change with every kernel that joins; only the fit itself knows its errors.
            None if part.name == "training" => stages(|stage| stage.training),
            None => continue,
        };
        chart = chart.layer(Line::new(part.name, errors).steps().dashed());
    }
    if let Some((terms, error)) = chosen {
        chart = chart.layer(Marker::new(count(terms as usize, "vector"), terms, error).colour(0));
    }
    Ok(Some(chart))
}

/// What a row adds to the error that the selection lowers: squared error (mean over the outputs), of the codes for
/// classes, or 1 for a wrong class where the error rate of a model is counted.
fn loss(truth: &Answers, by_error_rate: Option<&Model>, row: usize, values: &[f64]) -> f64 {
    match (truth, by_error_rate) {
        (Answers::Values { y, .. }, _) => {
            let squares = values.iter().zip(y.row(row)).map(|(v, y)| (v - y).powi(2));
            squares.sum::<f64>() / values.len() as f64
        }
        (Answers::Classes { codes, .. }, Some(model)) => {
            f64::from(u8::from(model.class_of(values) != codes[row]))
        }
        (Answers::Classes { codes, .. }, None) => {
            let positive = |c: usize| if values.len() == 1 { codes[row] == 1 } else { codes[row] == c };
            let square = |(c, v): (usize, &f64)| (v - if positive(c) { 1.0 } else { -1.0 }).powi(2);
            values.iter().enumerate().map(square).sum::<f64>() / values.len() as f64
        }
        _ => 0.0,
    }
}
