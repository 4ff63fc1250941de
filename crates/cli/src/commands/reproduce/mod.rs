//! `groat reproduce`: the experiments of the papers, repeated and compared. A further experiment gets a
//! module here, a line in [`EXPERIMENTS`], and two records (`--record`).

mod a10;
mod answer;
mod b11;
mod b13;
mod b8;
mod c7;
mod d9;
mod data;
mod e6;
mod estimate;
mod line;
mod page;
mod paper;
mod record;
mod seeds;
mod skewed;
mod student;
mod trial;
mod verdict;

use crate::args::ReproduceArgs;
use crate::files::Files;
use crate::output::progress::Bar;
use crate::session::{Session, write_file};
use answer::{Answer, Answers};
use clap::builder::{PossibleValue, PossibleValuesParser};
use groat_report::Section;
use line::Line;
use record::Record;
use std::path::PathBuf;
use std::time::Instant;
use trial::Trial;

/// An experiment of a paper.
pub struct Experiment {
    name: &'static str,
    title: &'static str,
    source: &'static str,
    introduction: Introduction,
    run: fn(&Trial<'_>) -> anyhow::Result<Findings>,
}

/// What a reader of the page should know before the numbers.
struct Introduction {
    /// What the paper claims.
    claims: &'static [&'static str],
    /// The protocol as it was read.
    protocol: &'static [&'static str],
    /// What was unclear, and how it was read.
    unclear: &'static [&'static str],
}

/// What an experiment found.
#[derive(Default)]
struct Findings {
    lines: Vec<Line>,
    figures: Vec<Section>,
    /// What was found beyond the paper: short sentences with numbers.
    beyond: Vec<String>,
}

impl Findings {
    /// Adds what a part of the experiment found.
    fn extend(&mut self, other: Findings) {
        self.lines.extend(other.lines);
        self.figures.extend(other.figures);
        self.beyond.extend(other.beyond);
    }
}

const EXPERIMENTS: &[Experiment] = &[
    a10::EXPERIMENT,
    b8::EXPERIMENT,
    b11::EXPERIMENT,
    b13::EXPERIMENT,
    c7::EXPERIMENT,
    d9::EXPERIMENT,
    e6::EXPERIMENT,
];

/// The name that stands for all experiments.
const ALL: &str = "all";

/// The names, for help and for checking what was typed.
pub fn names() -> PossibleValuesParser {
    let each = EXPERIMENTS.iter().map(|e| PossibleValue::new(e.name).help(e.title));
    PossibleValuesParser::new(each.chain([PossibleValue::new(ALL).help("every one of them")]))
}

/// Runs the command.
pub fn run(args: ReproduceArgs, session: &Session) -> anyhow::Result<()> {
    let wanted = |e: &&Experiment| args.experiments.iter().any(|name| name == e.name || name == ALL);
    let chosen: Vec<&Experiment> = EXPERIMENTS.iter().filter(wanted).collect();
    if chosen.is_empty() {
        return list(session);
    }
    let files = args.peers.iter().fold(Files::default(), |files, peers| files.reads(peers));
    files.writes("--report", args.report.as_ref()).check()?;
    if let Some(seeds) = args.seeds {
        return seeds::run(&args, &chosen, seeds, session);
    }
    let mut answers = Vec::new();
    for experiment in chosen {
        let answer = experiment.answer(&args, Purpose::Judge { seed: session.seed }, session)?;
        if let Some(folder) = &args.record {
            answer.record().write(folder)?;
        }
        answers.push(answer);
    }
    if args.draws.is_some() {
        return Ok(());
    }
    let answers = Answers::new(answers);
    if let Some(path) = &args.report {
        write_file(path, page::html(&answers).as_bytes())?;
    }
    session.answer(&answers, || answers.text())?;
    if args.record.is_some() { Ok(()) } else { answers.verdict() }
}

/// What a run is for.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// A judgement of every line.
    Judge { seed: u64 },
    /// One of many seeds, whose number goes before what the bar shows.
    Seeds { seed: u64, label: &'a str },
}

impl Experiment {
    /// Runs the experiment and judges what it found.
    fn answer(
        &'static self,
        args: &ReproduceArgs,
        purpose: Purpose<'_>,
        session: &Session,
    ) -> anyhow::Result<Answer> {
        let (seed, label) = match purpose {
            Purpose::Judge { seed } => (seed, ""),
            Purpose::Seeds { seed, label } => (seed, label),
        };
        let started = Instant::now();
        let bar = Bar::new(session, self.title);
        let wanted = args.realisations as usize;
        let trial = Trial {
            realisations: if args.quick { wanted.min(20) } else { wanted },
            quick: args.quick,
            seed,
            fixed: matches!(purpose, Purpose::Judge { .. }),
            label,
            data: args.data.clone().or_else(data_folder),
            bar: &bar,
            draws: args.draws.as_deref(),
            peers: args.peers.as_deref(),
        };
        let findings = (self.run)(&trial)?;
        let record = Record::committed(self.name, args.quick)?;
        let same = (record.seed, record.realisations) == (seed, trial.realisations);
        Ok(Answer {
            experiment: self,
            quick: args.quick,
            realisations: trial.realisations,
            seed,
            seconds: started.elapsed().as_secs_f64(),
            lines: verdict::judge(findings.lines, &record, same),
            beyond: findings.beyond,
            figures: findings.figures,
        })
    }
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
