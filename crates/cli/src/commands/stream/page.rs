//! The page of `groat stream --report`.

use super::Stream;
use super::history::{History, Moment, Point};
use super::summary::Outcome;
use crate::evaluation::Evaluation;
use crate::output::page::{self, Part};
use crate::output::summary::count;
use groat::Matrix;
use groat::data::{Answers, Dataset};
use groat::online::{self, BASELINES};
use groat_report::{Axis, Band, Chart, Line, Page, Rule, Section, Table, number};

/// Fewer samples than these are told to be few.
const FEW: u64 = 50;

/// The whole page.
pub fn page(stream: &Stream<'_>, outcome: &Outcome) -> anyhow::Result<String> {
    let page =
        Page::new(format!("{} in {}", outcome.target, page::file_name(&outcome.source))).lead(lead(outcome));
    let page = target(page, "", &stream.session, &stream.history, outcome)?;
    Ok(page.section(settings(outcome)).foot(page::foot()).to_html())
}

/// The page of several targets.
pub fn page_of_targets(
    targets: &[(&online::Session, &History, Outcome)],
    source: &str,
) -> anyhow::Result<String> {
    let names: Vec<&str> = targets.iter().map(|(.., outcome)| outcome.target.as_str()).collect();
    let mut page = Page::new(format!("{} in {}", names.join(", "), page::file_name(source)));
    for (session, history, outcome) in targets {
        page = page.lead(format!("{}: {}", outcome.target, lead(outcome)));
        page = target(page, &format!("{}: ", outcome.target), session, history, outcome)?;
    }
    if let Some((.., outcome)) = targets.first() {
        page = page.section(settings(outcome));
    }
    Ok(page.foot(page::foot()).to_html())
}

fn lead(outcome: &Outcome) -> String {
    let grown = outcome.drift_words().map_or_else(String::new, |at| format!(" The errors had grown {at}."));
    let few = match outcome.steps {
        0..FEW => " So few samples tell little: the next ones may fare otherwise.",
        _ => "",
    };
    format!(
        "{} learnt one at a time by {}; {} kept. Every prediction was made before its target was seen.{grown}{few}",
        count(outcome.steps as usize, "sample"),
        outcome.algorithm,
        count(outcome.size, "vector")
    )
}

/// What there is to say of one target; headings begin with `about`.
fn target(
    mut page: Page,
    about: &str,
    session: &online::Session,
    history: &History,
    outcome: &Outcome,
) -> anyhow::Result<Page> {
    for advice in &outcome.advice {
        page = page.lead(format!("Take note: {about}{}.", advice.text));
    }
    page = page
        .section(errors(about, outcome))
        .section(signal(about, history, outcome))
        .section(course(about, history, outcome));
    if let Some(section) = function(session, history, &outcome.target)? {
        page = page.section(section);
    }
    Ok(page.section(readings(about, session, outcome)))
}

/// How the learner compares.
fn errors(about: &str, outcome: &Outcome) -> Section {
    let own = outcome.mean_squared.unwrap_or(f64::NAN);
    let share = format!("{}'s as a multiple", outcome.algorithm);
    let head = ["predictor".to_owned(), "mean squared error".to_owned(), share];
    let mut table = Table::new("Errors", head).row([outcome.algorithm.clone(), number(own), "1".into()]);
    for name in BASELINES {
        if let Some(error) = outcome.baselines.get(name) {
            let times = if *error > 0.0 { number((1e3 * own / error).round() / 1e3) } else { "-".into() };
            table = table.row([name.to_owned(), number(*error), times]);
        }
    }
    Section::new(format!("{about}Beside the baselines")).table(table)
}

/// Target and prediction over time.
fn signal(about: &str, history: &History, outcome: &Outcome) -> Section {
    let whole: Vec<Moment> = history.whole.clone();
    let newest: Vec<Moment> = history.newest.iter().copied().collect();
    let section = Section::new(format!("{about}Signal and prediction"));
    // The newest moments of a short run are all there are, with what is expected after them.
    if newest.first().zip(whole.first()).is_none_or(|(newest, whole)| newest.step <= whole.step) {
        return section.chart(moments("The whole run", &newest, outcome));
    }
    section.chart(moments("The whole run", &whole, outcome)).chart(moments("The last part", &newest, outcome))
}

fn moments(title: &str, moments: &[Moment], outcome: &Outcome) -> Chart {
    let band = moments.iter().filter_map(|m| m.interval.map(|(low, high)| (m.step, low, high))).collect();
    let targets = moments.iter().filter_map(|m| Some((m.step, m.target?))).collect();
    let place = |m: &Moment| (m.step, m.prediction);
    let ahead = moments.iter().position(|m| m.forecast).unwrap_or(moments.len());
    let predictions = moments[..ahead].iter().map(place).collect();
    // The forecast hangs on the last prediction.
    let from = if ahead < moments.len() { ahead.saturating_sub(1) } else { ahead };
    let forecast: Vec<(f64, f64)> = moments[from..].iter().map(place).collect();
    let first = moments.first().map_or(0.0, |m| m.step);
    let drifts = outcome.drifts.iter().map(|at| *at as f64).filter(|at| *at >= first);
    let inside = format!("{} % interval", number((100.0 * outcome.coverage.asked).round()));
    Chart::new(title)
        .x(Axis::new("sample"))
        .y(Axis::new(outcome.target.clone()))
        .layer(Band::new(inside, band).colour(1))
        // Where rows are dense the one on top would hide the other.
        .layer(Line::new("prediction", predictions).broad().colour(1))
        .layer(Line::new("target", targets).colour(0))
        .layers((!forecast.is_empty()).then(|| Line::new("forecast", forecast).dashed().colour(1)))
        .layers(marks(drifts))
}

/// Upright lines where errors had grown; the legend names them once.
fn marks(at: impl Iterator<Item = f64>) -> impl Iterator<Item = Rule> {
    at.enumerate().map(|(i, at)| Rule::vertical(if i == 0 { "drift" } else { "" }, at))
}

fn course(about: &str, history: &History, outcome: &Outcome) -> Section {
    let points: Vec<Point> = history.points().collect();
    let drifts = || marks(outcome.drifts.iter().map(|at| *at as f64));
    let curve = |k: usize, decibel: bool| -> Vec<(f64, f64)> {
        let value = |error: f64| if decibel { 10.0 * error.log10() } else { error };
        points.iter().map(|point| (point.step, value(point.errors[k]))).collect()
    };
    let known =
        |(k, name): (usize, &'static str)| outcome.baselines.contains_key(name).then_some((k + 1, name));
    let names: Vec<(usize, &str)> = BASELINES.into_iter().enumerate().filter_map(known).collect();
    let drawn = |title: &str, axis: Axis, decibel: bool| {
        let baselines = names.iter().map(|(k, name)| Line::new(*name, curve(*k, decibel)).dashed());
        Chart::new(title)
            .x(Axis::new("sample"))
            .y(axis)
            .layer(Line::new("squared error", curve(0, decibel)))
            .layers(baselines)
            .layers(drifts())
    };
    let sizes = Chart::new("Size of the dictionary")
        .x(Axis::new("sample"))
        .y(Axis::new("vectors"))
        .layer(Line::new("size", points.iter().map(|point| (point.step, point.size)).collect()).steps());
    Section::new(format!("{about}The course of this run"))
        .chart(drawn("Learning curve, smoothed", Axis::new("mean squared error").log(), false))
        .chart(sizes)
        .folded_chart("The learning curve in decibels", drawn("Learning curve in dB", Axis::new("dB"), true))
}

/// The function over one or two features, with the dictionary.
fn function(session: &online::Session, history: &History, target: &str) -> anyhow::Result<Option<Section>> {
    let d = session.learner().dimension();
    if d > 2 || history.y.is_empty() || session.learner().snapshot()?.is_none() {
        return Ok(None);
    }
    let model = session.model()?;
    let x = Matrix::from_vec(history.x.clone(), history.y.len(), d)?;
    let samples = Dataset::new(x, Answers::values(target, history.y.clone()))?;
    let answers = Evaluation::of(&model, &samples)?;
    let part = Part { name: "samples", samples: &samples, answers: &answers };
    Ok(page::space(&model, &[part])?)
}

/// What the learner says of itself, with advice beside what calls for it.
fn readings(about: &str, session: &online::Session, outcome: &Outcome) -> Section {
    let advice = |reading: &str| {
        let concern = match reading {
            "refused" => "refused",
            "size" => "saturated",
            "largest_step" => "diverged",
            _ => return String::new(),
        };
        outcome.advice.iter().find(|a| a.concern == concern).map_or_else(String::new, |a| a.text.clone())
    };
    let readings = session.learner().diagnostics();
    let said = readings.iter().any(|reading| !advice(reading.name).is_empty());
    let head = ["reading", "value", "meaning"].into_iter().chain(said.then_some("advice"));
    let table = readings.iter().fold(Table::new("Readings", head), |table, reading| {
        let cells = [reading.name.to_owned(), number(reading.value), reading.meaning.to_owned()];
        table.row(cells.into_iter().chain(said.then(|| advice(reading.name))))
    });
    Section::new(format!("{about}What the learner says of itself")).table(table)
}

fn settings(outcome: &Outcome) -> Section {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let mut pairs = vec![
        ("data".to_owned(), outcome.source.clone()),
        ("algorithm".to_owned(), outcome.algorithm.clone()),
        ("kernel".to_owned(), outcome.kernel.clone().unwrap_or_else(|| "none".into())),
        ("standardised".to_owned(), if outcome.standardised { "yes" } else { "no" }.to_owned()),
        ("features".to_owned(), outcome.features.join(", ")),
        ("mean squared error".to_owned(), outcome.mean_squared.map_or_else(|| "-".into(), number)),
        ("coverage asked for".to_owned(), percent(outcome.coverage.asked)),
        ("coverage found".to_owned(), outcome.coverage.found.map_or_else(|| "-".into(), percent)),
        ("rows skipped".to_owned(), outcome.skipped.to_string()),
    ];
    pairs.extend(outcome.in_force.iter().map(|(name, value)| {
        let given = if outcome.settings.contains_key(name) { "" } else { " (default)" };
        (name.to_owned(), format!("{value}{given}"))
    }));
    Section::new("Settings in force").settings(pairs)
}
