//! Predicted against true, and what is left over.

use super::{CHARTED, Part, targets, titled};
use groat::Model;
use groat::data::Answers;
use groat::model::{Decision, Task};
use groat_report::{Axis, Bars, Chart, Line, Rule, Scatter, Section};

/// Charts of the answers: for numbers predicted against true and the residuals, for classes how sure the
/// decisions are, for a density how well it foretold the rows.
pub fn answers(model: &Model, parts: &[Part<'_>]) -> Section {
    match parts.first().map(|part| part.samples.answers()) {
        Some(Answers::Values { .. }) => {
            let series = model.inputs().is_some_and(|inputs| inputs.embedding().is_some());
            values(parts, series)
        }
        Some(Answers::Classes { .. }) => margins(model.task().decision().unwrap_or_default(), parts),
        Some(_) if *model.task() == Task::OneClass => belonging(parts),
        Some(_) => log_densities(parts),
        None => Section::new("Answers"),
    }
}

fn values(parts: &[Part<'_>], series: bool) -> Section {
    let all = targets(parts);
    let section = Section::new("Predictions");
    let section = match all.len() {
        count if count > CHARTED => section
            .text(format!("Charts of the first {CHARTED} of {count} targets; the table of errors has all.")),
        _ => section,
    };
    let section = match series {
        true => (0..all.len().min(CHARTED)).map(|k| over_time(parts, k)).fold(section, Section::chart),
        false => section,
    };
    (0..all.len().min(CHARTED)).flat_map(|k| charts(parts, k)).fold(section, Section::chart)
}

/// True values and predictions of target `k` of a series, one part after the other.
fn over_time(parts: &[Part<'_>], k: usize) -> Chart {
    let all = targets(parts);
    let (mut truth, mut predicted, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        let Answers::Values { y, .. } = part.samples.answers() else { continue };
        starts.push((part.name, truth.len() as f64));
        let place = |at: usize, values: Vec<f64>| -> Vec<(f64, f64)> {
            values.into_iter().enumerate().map(|(i, value)| ((at + i) as f64, value)).collect()
        };
        let at = truth.len();
        truth.extend(place(at, y.column_to_vec(k)));
        predicted.extend(place(at, part.answers.values.column_to_vec(k)));
    }
    let later = starts.into_iter().skip(1);
    Chart::new(titled("Over time", &all[k], all))
        .describe("The series and what the model says of each value, training rows first")
        .x(Axis::new("sample"))
        .y(Axis::new(all[k].clone()))
        .layer(Line::new("true", truth))
        .layer(Line::new("predicted", predicted))
        .layers(later.map(|(name, at)| Rule::vertical(format!("{name} part begins"), at)))
}

/// The charts of target `k`.
fn charts(parts: &[Part<'_>], k: usize) -> Vec<Chart> {
    let all = targets(parts);
    let target = &all[k];
    let pairs = |part: &Part<'_>| -> Vec<(f64, f64)> {
        let Answers::Values { y, .. } = part.samples.answers() else { return Vec::new() };
        y.column_to_vec(k).into_iter().zip(part.answers.values.column_to_vec(k)).collect()
    };
    let cloud = |points: fn((f64, f64)) -> (f64, f64)| {
        parts.iter().map(move |part| Scatter::new(part.name, pairs(part).into_iter().map(points).collect()))
    };
    let against = Chart::new(titled("Predicted against true", target, all))
        .describe("Each point is a row; on the dashed line the prediction is right")
        .x(Axis::new(format!("{target}, true")))
        .y(Axis::new(format!("{target}, predicted")))
        .same_range()
        .layers(cloud(|pair| pair))
        .layer(Rule::identity("right"));
    let residuals = Chart::new(titled("Residuals", target, all))
        .describe("True minus predicted, against the prediction")
        .x(Axis::new(format!("{target}, predicted")))
        .y(Axis::new("true − predicted"))
        .layers(cloud(|(truth, predicted)| (predicted, truth - predicted)))
        .layer(Rule::horizontal("right", 0.0));
    let distribution = |part: &Part<'_>| {
        let left: Vec<f64> = pairs(part).into_iter().map(|(truth, predicted)| truth - predicted).collect();
        let title = format!("Distribution of the residuals, {}", part.name);
        Chart::new(titled(&title, target, all))
            .x(Axis::new("true − predicted"))
            .y(Axis::new("rows").whole())
            .layer(Bars::histogram("residuals", &left))
    };
    [against.height(320.0), residuals].into_iter().chain(parts.iter().map(distribution)).collect()
}

/// How clearly each row was given to its true class.
fn margins(decision: Decision, parts: &[Part<'_>]) -> Section {
    let mut section = Section::new("Decisions");
    for part in parts {
        let Answers::Classes { codes, .. } = part.samples.answers() else { continue };
        let rows = part.answers.values.view();
        let all: Vec<f64> =
            rows.iter().zip(codes).map(|(values, code)| decision.margin(values, *code)).collect();
        let chart = Chart::new(format!("Margins, {}", part.name))
            .describe("Value of the true class less that of the strongest other; rows left of 0 are wrong")
            .x(Axis::new("margin of the true class"))
            .y(Axis::new("rows").whole())
            .layer(Bars::histogram("margins", &all))
            .layer(Rule::vertical("wrong | right", 0.0));
        section = section.chart(chart);
    }
    section
}

/// How the rows lie to the border of the one class.
fn belonging(parts: &[Part<'_>]) -> Section {
    parts.iter().fold(Section::new("Rows and the border"), |section, part| {
        let chart = Chart::new(format!("Values, {}", part.name))
            .describe("How far rows lie inside the border of the one class; those left of 0 are outside")
            .x(Axis::new("value"))
            .y(Axis::new("rows").whole())
            .layer(Bars::histogram("rows", part.answers.values.data()))
            .layer(Rule::vertical("outside | inside", 0.0));
        section.chart(chart)
    })
}

fn log_densities(parts: &[Part<'_>]) -> Section {
    parts.iter().fold(Section::new("Log density of the rows"), |section, part| {
        let chart = Chart::new(format!("Log density, {}", part.name))
            .describe(
                "How the log density of the rows is distributed; rows far to the left were not foretold",
            )
            .x(Axis::new("log density"))
            .y(Axis::new("rows").whole())
            .layer(Bars::histogram("rows", part.answers.values.data()));
        section.chart(chart)
    })
}
