//! The page of `groat stream --report`.

use super::score::History;
use super::{Answer, Stream};
use crate::evaluation::Evaluation;
use crate::output::page::{self, Part};
use crate::output::summary::count;
use groat::Matrix;
use groat::data::{Answers, Dataset};
use groat_report::{Axis, Chart, Line, Page, Section, Table, number};

/// The whole page.
pub fn page(stream: &Stream<'_>, answer: &Answer) -> anyhow::Result<String> {
    let lead = format!(
        "{} learnt one at a time by {}; {} kept.",
        count(answer.steps as usize, "sample"),
        answer.algorithm,
        count(answer.size, "vector")
    );
    let mut page = Page::new(format!("{} in {}", answer.target, answer.source))
        .lead(lead)
        .section(course(&stream.history));
    if let Some(section) = function(stream, &answer.target)? {
        page = page.section(section);
    }
    let readings = stream.session.learner().diagnostics();
    let table =
        readings.iter().fold(Table::new("Readings", ["reading", "value", "meaning"]), |table, reading| {
            table.row([reading.name.to_owned(), number(reading.value), reading.meaning.to_owned()])
        });
    let page =
        page.section(Section::new("What the learner says of itself").table(table)).section(settings(answer));
    Ok(page.foot(page::foot()).to_html())
}

fn course(history: &History) -> Section {
    let line = |name: &str, value: fn((f64, f64, f64)) -> f64| {
        Line::new(name, history.points().map(|point| (point.0, value(point))).collect())
    };
    let errors = Chart::new("Learning curve")
        .x(Axis::new("sample"))
        .y(Axis::new("mean squared error before learning").log())
        .layer(line("squared error", |point| point.1));
    let sizes = Chart::new("Size of the dictionary")
        .x(Axis::new("sample"))
        .y(Axis::new("vectors"))
        .layer(line("size", |point| point.2).steps());
    Section::new("The course of this run").chart(errors).chart(sizes)
}

/// The function over one or two features, with the dictionary.
fn function(stream: &Stream<'_>, target: &str) -> anyhow::Result<Option<Section>> {
    let (d, history) = (stream.session.learner().dimension(), &stream.history);
    if d > 2 || history.y.is_empty() || stream.session.learner().snapshot()?.is_none() {
        return Ok(None);
    }
    let model = stream.session.model()?;
    let x = Matrix::from_vec(history.x.clone(), history.y.len(), d)?;
    let samples = Dataset::new(x, Answers::values(target, history.y.clone()))?;
    let answers = Evaluation::of(&model, &samples)?;
    let part = Part { name: "samples", samples: &samples, answers: &answers };
    Ok(page::space(&model, &[part])?)
}

fn settings(answer: &Answer) -> Section {
    let mut pairs = vec![
        ("data".to_owned(), answer.source.clone()),
        ("algorithm".to_owned(), answer.algorithm.clone()),
        ("kernel".to_owned(), answer.kernel.clone().unwrap_or_else(|| "none".into())),
        ("features".to_owned(), answer.features.join(", ")),
        ("mean squared error".to_owned(), answer.mean_squared.map_or_else(|| "-".into(), number)),
        ("rows skipped".to_owned(), answer.skipped.to_string()),
    ];
    pairs.extend(answer.settings.iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
    Section::new("Settings").settings(pairs)
}
