//! Class labels: the likeliest one for each row, and how often it was right.

use super::lines;
use super::several::{Answers, Run};
use crate::args::StreamArgs;
use crate::output::page;
use crate::output::summary::{count, duration};
use crate::session::{Session, stdout_error};
use anyhow::Context;
use groat::data::Record;
use groat::online::{self, Labelled, Labels, Sessions};
use groat_report::{Axis, Chart, Line, Page, Section, Table, number};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

/// Most points of the curve of accuracy.
const POINTS: usize = 400;

/// The result with labels. Field names are part of the command's interface.
#[derive(Serialize)]
struct Outcome {
    source: String,
    target: String,
    algorithm: String,
    labels: Vec<String>,
    rows: u64,
    steps: u64,
    skipped: u64,
    accuracy: Option<f64>,
    /// Accuracy of repeating the last label, and of the most frequent one so far.
    baselines: BTreeMap<&'static str, f64>,
    /// How often each true label was answered by which.
    answers: BTreeMap<String, BTreeMap<String, u64>>,
    seconds: f64,
}

/// How many of a block of answers were right: the learners', the last label, the most frequent one.
#[derive(Clone, Copy, Default)]
struct Block {
    steps: u64,
    right: [u64; 3],
}

/// The course of the accuracy, in bounded memory: blocks, merged in pairs whenever there are too many.
struct Course {
    blocks: Vec<Block>,
    length: u64,
    first: u64,
}

/// The lines, and the course of the answers.
pub struct ByLabel<'a> {
    args: &'a StreamArgs,
    out: Box<dyn Write>,
    json: bool,
    /// Flush each line, because its reader may be waiting for it.
    live: bool,
    course: Course,
}

impl<'a> ByLabel<'a> {
    pub fn open(
        args: &'a StreamArgs,
        live: bool,
        sessions: &Sessions,
        session: &Session,
    ) -> anyhow::Result<Self> {
        let json = session.json && args.out.is_none();
        let (mut out, head) = open(args, sessions.rows())?;
        if head && !json {
            writeln!(out, "step,row,prediction,target,correct,accuracy").map_err(stdout_error)?;
        }
        let course = Course { blocks: Vec::new(), length: 1, first: sessions.steps() };
        Ok(Self { args, out, json, live, course })
    }
}

impl Answers for ByLabel<'_> {
    fn take(&mut self, sessions: &mut Sessions, row: &Record) -> anyhow::Result<()> {
        let answer = sessions.take_label(row)?;
        self.course.add(&answer);
        if answer.target.is_none() || answer.number.is_multiple_of(self.args.every) {
            let accuracy = sessions.labels().and_then(Labels::accuracy).unwrap_or_default();
            write_line(&mut self.out, &answer, accuracy, self.json).map_err(stdout_error)?;
        }
        if self.live {
            self.out.flush().map_err(stdout_error)?;
        }
        Ok(())
    }

    /// Labels have no forecast: it is refused before the first row.
    fn forecast(&mut self, _: &Sessions) -> anyhow::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.out.flush().map_err(stdout_error)
    }

    fn page(&self, run: &Run<'_>) -> anyhow::Result<String> {
        Ok(Outcome::new(run)?.page(&self.course, run.sessions))
    }

    fn conclude(&self, run: &Run<'_>, session: &Session) -> anyhow::Result<()> {
        let outcome = Outcome::new(run)?;
        if self.args.out.is_some() {
            return session.answer(&outcome, || outcome.sentence() + "\n");
        }
        session.remark(&outcome.sentence());
        Ok(())
    }
}

/// Where lines go, and whether they need a header; a file goes on after `seen` rows of an earlier run.
fn open(args: &StreamArgs, seen: u64) -> anyhow::Result<(Box<dyn Write>, bool)> {
    match &args.out {
        None => Ok((Box::new(BufWriter::new(io::stdout().lock())), true)),
        Some(path) if seen > 0 && path.is_file() => Ok((lines::cut(path, seen)?.0, false)),
        Some(path) => Ok((lines::open_output(path)?, true)),
    }
}

/// One line: the likeliest label, the true one, and how often it was right so far.
fn write_line(out: &mut dyn Write, answer: &Labelled, accuracy: f64, json: bool) -> io::Result<()> {
    let said = answer.prediction.as_deref().unwrap_or_default();
    let correct = answer.target.as_ref().map(|_| answer.right[0]);
    if json {
        let line = serde_json::json!({
            "step": answer.number, "row": answer.row, "prediction": said, "target": answer.target,
            "correct": correct, "accuracy": accuracy,
        });
        return writeln!(out, "{line}");
    }
    let correct = correct.map_or_else(String::new, |correct| u8::from(correct).to_string());
    let (said, label) = (lines::field(said), lines::field(answer.target.as_deref().unwrap_or_default()));
    writeln!(out, "{},{},{said},{label},{correct},{accuracy:?}", answer.number, answer.row)
}

impl Course {
    fn add(&mut self, answer: &Labelled) {
        if answer.target.is_none() {
            return;
        }
        if self.blocks.last().is_none_or(|block| block.steps >= self.length) {
            self.blocks.push(Block::default());
        }
        if let Some(block) = self.blocks.last_mut() {
            block.add(1, answer.right.map(u64::from));
        }
        if self.blocks.len() > POINTS {
            let merge = |pair: &[Block]| {
                let mut merged = pair[0];
                pair[1..].iter().for_each(|other| merged.add(other.steps, other.right));
                merged
            };
            self.blocks = self.blocks.chunks(2).map(merge).collect();
            self.length *= 2;
        }
    }

    /// Accuracy over a window of about a twentieth of the run, of the learners or of a baseline.
    fn curve(&self, who: usize) -> Vec<(f64, f64)> {
        let (window, mut step) = ((self.blocks.len() / 20).max(1), self.first);
        let point = |(i, block): (usize, &Block)| {
            step += block.steps;
            let recent = &self.blocks[(i + 1).saturating_sub(window)..=i];
            let (right, steps) = recent.iter().fold((0, 0), |(r, s), b| (r + b.right[who], s + b.steps));
            (step as f64, 100.0 * right as f64 / steps.max(1) as f64)
        };
        self.blocks.iter().enumerate().map(point).collect()
    }
}

impl Block {
    fn add(&mut self, steps: u64, right: [u64; 3]) {
        self.steps += steps;
        self.right.iter_mut().zip(right).for_each(|(sum, more)| *sum += more);
    }
}

impl Outcome {
    fn new(run: &Run<'_>) -> anyhow::Result<Self> {
        let sessions = run.sessions;
        let labels = sessions.labels().context("no labels were learnt")?;
        let algorithm = sessions.unseen().map(|unseen| unseen.learner().algorithm().to_owned());
        Ok(Self {
            source: run.source.to_owned(),
            target: labels.target.clone(),
            algorithm: algorithm.unwrap_or_default(),
            labels: sessions.members().iter().map(|(name, _)| name.clone()).collect(),
            rows: labels.rows,
            steps: labels.steps,
            skipped: labels.skipped,
            accuracy: labels.accuracy(),
            baselines: labels.baselines().into_iter().flatten().collect(),
            answers: labels.answers.clone(),
            seconds: run.time.as_secs_f64(),
        })
    }

    fn sentence(&self) -> String {
        let baselines: Vec<String> =
            self.baselines.iter().map(|(name, share)| format!("{name} {}", percent(*share))).collect();
        format!(
            "{} samples from {} rows ({} skipped), {} labels, accuracy {} ({}), {}",
            self.steps,
            self.rows,
            self.skipped,
            self.labels.len(),
            self.accuracy.map_or_else(|| "-".into(), percent),
            baselines.join(", "),
            duration(Duration::from_secs_f64(self.seconds))
        )
    }

    fn page(&self, course: &Course, sessions: &Sessions) -> String {
        let lead = format!(
            "{} learnt one at a time by {}, one learner for each of {}. Every answer was given before the label was seen.",
            count(self.steps as usize, "sample"),
            self.algorithm,
            count(self.labels.len(), "label")
        );
        let mut table = Table::new("Right answers", ["who", "share"])
            .row([self.algorithm.clone(), self.accuracy.map_or_else(|| "-".into(), percent)]);
        for (name, share) in &self.baselines {
            table = table.row([(*name).to_owned(), percent(*share)]);
        }
        let curve = Chart::new("Right answers of late")
            .x(Axis::new("sample"))
            .y(Axis::new("% right"))
            .layer(Line::new(self.algorithm.clone(), course.curve(0)))
            .layer(Line::new("last label", course.curve(1)).dashed())
            .layer(Line::new("most frequent label", course.curve(2)).dashed());
        Page::new(format!("{} in {}", self.target, page::file_name(&self.source)))
            .lead(lead)
            .section(Section::new("Beside the baselines").table(table).chart(curve))
            .section(Section::new("What was said").table(self.confusion()))
            .section(Section::new("Settings in force").settings(self.settings(sessions)))
            .foot(page::foot())
            .to_html()
    }

    /// True labels down, answers across.
    fn confusion(&self) -> Table {
        let head = ["true label".to_owned()]
            .into_iter()
            .chain(self.labels.iter().cloned())
            .chain(["no answer".to_owned(), "of them right".to_owned()]);
        let times = |counts: &BTreeMap<String, u64>, label: &str| counts.get(label).copied().unwrap_or(0);
        self.answers.iter().fold(Table::new("Answers by true label", head), |table, (label, counts)| {
            let all: u64 = counts.values().sum();
            let said = self.labels.iter().map(|answer| times(counts, answer).to_string());
            let right = percent(times(counts, label) as f64 / all.max(1) as f64);
            let row = [label.clone()].into_iter().chain(said).chain([times(counts, "").to_string(), right]);
            table.row(row.collect::<Vec<String>>())
        })
    }

    fn settings(&self, sessions: &Sessions) -> Vec<(String, String)> {
        let learner = sessions.unseen().map(online::Session::learner);
        let kernel =
            learner.and_then(|learner| learner.kernel()).map_or_else(|| "none".into(), ToString::to_string);
        let vectors: usize = sessions.members().iter().map(|(_, member)| member.learner().size()).sum();
        let in_force = learner.and_then(|learner| {
            online::presets::find(learner.algorithm()).ok()?.in_force(learner.settings()).ok()
        });
        let mut pairs = vec![
            ("data".to_owned(), self.source.clone()),
            ("algorithm".to_owned(), self.algorithm.clone()),
            ("kernel".to_owned(), kernel),
            ("vectors of all learners".to_owned(), number(vectors as f64)),
            ("rows skipped".to_owned(), self.skipped.to_string()),
        ];
        pairs.extend(
            in_force
                .iter()
                .flat_map(|all| all.iter().map(|(name, value)| (name.to_owned(), value.to_owned()))),
        );
        pairs
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
