//! `groat reproduce`: the experiments of the papers, repeated and compared. A further experiment gets a
//! module here and a line in [`EXPERIMENTS`].

mod a10;
mod b11;
mod b13;
mod c7;
mod comparison;
mod d9;
mod e6;
mod trial;

use crate::args::ReproduceArgs;
use crate::output::page;
use crate::output::progress::Bar;
use crate::output::summary::duration;
use crate::session::{Session, check_output, write_file};
use clap::builder::{PossibleValue, PossibleValuesParser};
use comparison::{Row, Verdict};
use groat_report::{Page, Section};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trial::Trial;

/// An experiment of a paper.
pub struct Experiment {
    name: &'static str,
    title: &'static str,
    source: &'static str,
    run: fn(&Trial<'_>) -> anyhow::Result<Findings>,
}

/// What an experiment found.
#[derive(Default)]
struct Findings {
    rows: Vec<Row>,
    figures: Vec<Section>,
}

impl Findings {
    /// Adds what a part of the experiment found.
    fn extend(&mut self, other: Findings) {
        self.rows.extend(other.rows);
        self.figures.extend(other.figures);
    }
}

const EXPERIMENTS: &[Experiment] =
    &[a10::EXPERIMENT, b11::EXPERIMENT, b13::EXPERIMENT, c7::EXPERIMENT, d9::EXPERIMENT, e6::EXPERIMENT];

/// The names, for help and for checking what was typed.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPERIMENTS.iter().map(|e| PossibleValue::new(e.name).help(e.title)))
}

/// The result in numbers. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    experiment: &'static str,
    title: &'static str,
    source: &'static str,
    realisations: usize,
    seed: u64,
    inside: usize,
    outside: usize,
    missing: usize,
    seconds: f64,
    rows: Vec<Row>,
}

/// Runs the command.
pub fn run(args: ReproduceArgs, session: &Session) -> anyhow::Result<()> {
    let experiment = EXPERIMENTS.iter().find(|e| Some(e.name) == args.experiment.as_deref());
    let Some(experiment) = experiment else { return list(session) };
    if let Some(report) = &args.report {
        check_output(report, &[])?;
    }
    let started = Instant::now();
    let bar = Bar::new(session, experiment.title);
    let wanted = args.realisations as usize;
    let trial = Trial {
        realisations: if args.quick { wanted.min(20) } else { wanted },
        quick: args.quick,
        seed: session.seed,
        data: args.data.or_else(data_folder),
        bar: &bar,
        draws: args.draws.as_deref(),
        peers: args.peers.as_deref(),
    };
    let findings = (experiment.run)(&trial)?;
    let realisations = trial.realisations;
    drop(bar);
    let count = |verdict| findings.rows.iter().filter(|row| row.verdict == verdict).count();
    let answer = Answer {
        experiment: experiment.name,
        title: experiment.title,
        source: experiment.source,
        realisations,
        seed: session.seed,
        inside: count(Verdict::Inside),
        outside: count(Verdict::Outside),
        missing: count(Verdict::Missing),
        seconds: started.elapsed().as_secs_f64(),
        rows: findings.rows,
    };
    if let Some(path) = &args.report {
        write_file(path, answer.page(findings.figures).as_bytes())?;
    }
    session.answer(&answer, || answer.text())?;
    answer.verdict()
}

/// The folder with data sets when none is named.
fn data_folder() -> Option<PathBuf> {
    std::env::var_os("GROAT_DATA")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from("../shared/data")))
        .filter(|folder| folder.is_dir())
}

fn list(session: &Session) -> anyhow::Result<()> {
    let names: Vec<_> = EXPERIMENTS.iter().map(|e| (e.name, e.title, e.source)).collect();
    let line = |(name, title, source): &(&str, &str, &str)| format!("{name:<5} {title}\n      {source}\n");
    session.answer(&names, || names.iter().map(line).collect())
}

impl Answer {
    fn text(&self) -> String {
        format!("{}: {}\n{}\n\n{}{}\n", self.experiment, self.title, self.source, self.lines(), self.tally())
    }

    fn lines(&self) -> String {
        comparison::text(&self.rows)
    }

    fn tally(&self) -> String {
        format!(
            "{} inside, {} outside, {} missing; {} realisations, seed {}, {}",
            self.inside,
            self.outside,
            self.missing,
            self.realisations,
            self.seed,
            duration(Duration::from_secs_f64(self.seconds))
        )
    }

    fn page(&self, figures: Vec<Section>) -> String {
        let comparison = Section::new("Comparison").text(self.tally()).table(comparison::table(&self.rows));
        let page = Page::new(format!("{}: {}", self.experiment, self.title)).lead(self.source);
        let page = figures.into_iter().fold(page, Page::section);
        page.section(comparison).foot(page::foot()).to_html()
    }

    /// Fails unless every line was run and lies in its band.
    fn verdict(&self) -> anyhow::Result<()> {
        match (self.outside, self.missing) {
            (0, 0) => Ok(()),
            (0, missing) => {
                anyhow::bail!("{missing} lines of {} were not run: data are missing", self.experiment)
            }
            (outside, _) => anyhow::bail!("{outside} lines of {} lie outside their band", self.experiment),
        }
    }
}
