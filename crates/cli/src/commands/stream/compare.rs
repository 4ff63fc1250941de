//! `--compare`: several algorithms on the same rows, ranked.

use super::build::{Recipe, choose_inputs};
use super::rows::Rows;
use crate::args::{OnBadRow, StreamArgs};
use crate::exit;
use crate::output::page;
use crate::output::summary::aligned;
use crate::session::{Session, write_file};
use groat::data::Record;
use groat::online::presets::{self, PRESETS};
use groat::online::{self, BASELINES, Settings};
use groat_report::{Axis, Bars, Chart, Page, Section, Table, number};
use rayon::prelude::*;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Rows that all algorithms take before the next are read.
const BLOCK: usize = 512;

/// One algorithm on the way.
struct Lane {
    session: online::Session,
    time: Duration,
    failed: Option<String>,
}

/// How an algorithm fared. Field names are part of the command's interface.
#[derive(Serialize)]
pub struct Place {
    pub algorithm: String,
    pub mean_squared: Option<f64>,
    pub against_baseline: Option<f64>,
    pub size: usize,
    pub microseconds: Option<f64>,
    pub memory_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    pub diverged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The ranking.
#[derive(Serialize)]
pub struct Ranking {
    pub source: String,
    pub rows: u64,
    pub samples: u64,
    pub places: Vec<Place>,
}

/// Runs the comparison.
pub fn run(args: &StreamArgs, rows: Rows, session: &Session) -> anyhow::Result<()> {
    let names = wanted(args)?;
    let inputs = choose_inputs(args, &rows)?;
    let mut lanes = Vec::new();
    for name in &names {
        let mut recipe = Recipe::of(&args.method)?;
        let preset = presets::find(name)?;
        recipe.algorithm = preset.name.to_owned();
        recipe.settings = taken(preset, &recipe.settings);
        if !preset.takes_kernel() {
            recipe.kernel = None;
        }
        let mut learning = recipe.session(args, inputs.clone())?;
        learning.read_from(rows.source(), rows.names(), rows.is_named())?;
        lanes.push(Lane { session: learning, time: Duration::ZERO, failed: None });
    }
    let source = rows.source().to_owned();
    follow(&mut lanes, rows, args, session)?;
    let ranking = rank(&lanes, source);
    if let Some(path) = &args.report {
        write_file(path, page(&ranking, &lanes).as_bytes())?;
    }
    session.check_stop()?;
    session.answer(&ranking, || text(&ranking))
}

/// The names that were asked for.
fn wanted(args: &StreamArgs) -> anyhow::Result<Vec<String>> {
    match &args.search.compare[..] {
        [all] if all == "all" => Ok(PRESETS.iter().map(|preset| preset.name.to_owned()).collect()),
        names => {
            if let Some(double) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
                return exit::usage(format!("--compare names {} twice", double.1));
            }
            Ok(names.iter().map(|name| name.trim().to_owned()).collect())
        }
    }
}

/// The settings that a preset takes; others are for other presets.
fn taken(preset: &presets::Preset, settings: &Settings) -> Settings {
    let known = preset.parameters();
    let kept = settings.iter().filter(|(name, _)| known.iter().any(|taken| taken.parameter.name == *name));
    kept.fold(Settings::new(), |all, (name, value)| all.with(name, value))
}

/// Gives every row to every algorithm; blocks of rows go to the algorithms in parallel.
fn follow(lanes: &mut [Lane], rows: Rows, args: &StreamArgs, session: &Session) -> anyhow::Result<()> {
    let mut block: Vec<Record> = Vec::with_capacity(BLOCK);
    let mut rows = rows.peekable();
    while rows.peek().is_some() && !session.stop_requested() {
        for record in rows.by_ref().take(BLOCK) {
            match record {
                Ok(record) => block.push(record),
                Err(groat::Error::Data { .. }) if args.on_bad_row == OnBadRow::Skip => {}
                Err(error) => return Err(error.into()),
            }
        }
        let skip = args.on_bad_row == OnBadRow::Skip;
        lanes.par_iter_mut().try_for_each(|lane| lane.take(&block, skip))?;
        block.clear();
    }
    Ok(())
}

impl Lane {
    /// Takes rows. An algorithm that cannot go on is out; a row that is bad for all is an error.
    fn take(&mut self, rows: &[Record], skip: bool) -> groat::Result<()> {
        if self.failed.is_some() {
            return Ok(());
        }
        let started = Instant::now();
        let mut next = 0;
        while next < rows.len() {
            let taken = self.session.take_ahead(&rows[next..], |_| Ok(()))?;
            next += taken;
            if taken > 0 {
                continue;
            }
            let outcome = self.session.take(&rows[next]).map(|_| ());
            match outcome {
                Ok(()) => {}
                Err(_) if skip => self.session.skip_row(),
                Err(error) if self.session.totals().steps == 0 => return Err(error),
                Err(error) => {
                    self.failed = Some(error.to_string());
                    break;
                }
            }
            next += 1;
        }
        self.time += started.elapsed();
        Ok(())
    }

    fn place(&self) -> Place {
        let (session, totals) = (&self.session, self.session.totals());
        let each = (totals.steps > 0).then(|| 1e6 * self.time.as_secs_f64() / totals.steps as f64);
        Place {
            algorithm: session.learner().algorithm().to_owned(),
            mean_squared: totals.mean_squared(),
            against_baseline: session.against_baseline(),
            size: session.learner().size(),
            microseconds: each,
            memory_bytes: Some(session.learner().memory_bytes()),
            accuracy: if session.has_labels() { totals.accuracy() } else { None },
            diverged: session.has_diverged(),
            failed: self.failed.clone(),
        }
    }
}

/// All places, the baselines among them, by error; those that failed last.
fn rank(lanes: &[Lane], source: String) -> Ranking {
    let mut places: Vec<Place> = lanes.iter().map(Lane::place).collect();
    if let Some(lane) = lanes.first() {
        let best = lane.session.best_baseline().map_or(0.0, |(_, error)| error);
        for (name, error) in BASELINES.into_iter().zip(lane.session.baselines()) {
            places.push(Place {
                algorithm: format!("({name})"),
                mean_squared: error,
                against_baseline: error.filter(|_| best > 0.0).map(|error| error / best),
                size: 0,
                microseconds: None,
                memory_bytes: None,
                accuracy: None,
                diverged: false,
                failed: None,
            });
        }
    }
    let key = |place: &Place| match (&place.failed, place.mean_squared) {
        (None, Some(error)) => error,
        _ => f64::INFINITY,
    };
    places.sort_by(|a, b| key(a).total_cmp(&key(b)));
    let totals = lanes.first().map(|lane| *lane.session.totals()).unwrap_or_default();
    Ranking { source, rows: totals.rows, samples: totals.steps, places }
}

const HEAD: [&str; 6] = ["algorithm", "MSE", "of the best baseline", "vectors", "us a sample", "bytes"];

impl Place {
    fn cells(&self) -> [String; 6] {
        let maybe = |value: Option<f64>| value.map_or_else(|| "-".into(), number);
        let note = match () {
            () if self.failed.is_some() => " (failed)",
            () if self.diverged => " (diverged)",
            () => "",
        };
        [
            format!("{}{note}", self.algorithm),
            maybe(self.mean_squared),
            self.against_baseline.map_or_else(|| "-".into(), |times| number((1e3 * times).round() / 1e3)),
            if self.memory_bytes.is_some() { self.size.to_string() } else { "-".into() },
            self.microseconds.map_or_else(|| "-".into(), |us| format!("{us:.1}")),
            self.memory_bytes.map_or_else(|| "-".into(), |bytes| bytes.to_string()),
        ]
    }
}

fn text(ranking: &Ranking) -> String {
    let mut lines = vec![HEAD.map(str::to_owned).to_vec()];
    lines.extend(ranking.places.iter().map(|place| place.cells().to_vec()));
    format!("{} samples of {}\n{}", ranking.samples, ranking.source, aligned(&lines))
}

fn page(ranking: &Ranking, lanes: &[Lane]) -> String {
    let table =
        ranking.places.iter().fold(Table::new("Ranking", HEAD), |table, place| table.row(place.cells()));
    let drawn: Vec<&Place> =
        ranking.places.iter().filter(|place| place.against_baseline.is_some_and(|t| t < 5.0)).collect();
    let heights: Vec<f64> = drawn.iter().filter_map(|place| place.against_baseline).collect();
    let chart = Chart::new("Mean squared error over that of the best baseline")
        .x(Axis::new("algorithm").categories(drawn.iter().map(|place| place.algorithm.clone())))
        .y(Axis::new("times the best baseline"))
        .layer(Bars::categories("error", &heights));
    let lead = format!(
        "{} algorithms learnt the same {} samples one at a time; errors are those before each sample was learnt from.",
        lanes.len(),
        ranking.samples
    );
    Page::new(format!("Algorithms on {}", page::file_name(&ranking.source)))
        .lead(lead)
        .section(Section::new("Ranking").table(table).chart(chart))
        .foot(page::foot())
        .to_html()
}
