//! Several targets, or class labels: one learner for each target or label, side by side on the same rows.

use super::build::{Recipe, inputs_of};
use super::lines::Lines;
use super::rows::Rows;
use crate::args::{OnBadRow, StreamArgs};
use crate::exit;
use crate::output::summary::{aligned, duration};
use crate::session::{Session, stdout_error};
use groat::data::{Cell, Inputs, Record};
use groat::online;
use groat_report::number;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::Instant;

/// Most class labels.
const MOST_LABELS: usize = 100;

/// What is predicted.
pub enum Targets {
    Columns(Vec<String>),
    Labels(String),
}

/// Whether there are several targets, or labels; nothing for one column of numbers.
pub fn wanted(args: &StreamArgs, rows: &mut Rows) -> anyhow::Result<Option<Targets>> {
    let Some(target) = args.target.as_ref().filter(|_| args.resume.is_none()) else { return Ok(None) };
    let found = if target.contains(',') && !rows.names().contains(target) {
        Some(Targets::Columns(target.split(',').map(|name| name.trim().to_owned()).collect()))
    } else {
        let at = rows.names().iter().position(|name| name == target);
        let text = at.is_some_and(|at| {
            matches!(rows.peek(), Some(Ok(record)) if matches!(record.cells.get(at), Some(Cell::Text(_))))
        });
        (args.classes || text).then(|| Targets::Labels(target.clone()))
    };
    let refused = [
        (args.save.is_some(), "--save"),
        (args.model.is_some(), "--model"),
        (args.report.is_some(), "--report"),
        (args.forecast.is_some(), "--forecast"),
        (args.key.is_some(), "--key"),
    ];
    match refused.iter().find(|(given, _)| *given) {
        Some((_, flag)) if found.is_some() => {
            exit::usage(format!("{flag} is for a stream with one target of numbers"))
        }
        _ => Ok(found),
    }
}

/// Runs the stream.
pub fn run(args: &StreamArgs, rows: Rows, targets: Targets, session: &Session) -> anyhow::Result<()> {
    match targets {
        Targets::Columns(names) => columns(args, rows, &names, session),
        Targets::Labels(name) => labels(args, rows, &name, session),
    }
}

/// A session that reads from these rows.
fn lane(args: &StreamArgs, rows: &Rows, inputs: Inputs) -> anyhow::Result<online::Session> {
    let mut session = Recipe::of(&args.method)?.session(args, inputs)?;
    session.read_from(rows.source(), rows.names(), rows.is_named())?;
    Ok(session)
}

/// How one target fared. Field names are part of the command's interface.
#[derive(Serialize)]
struct Fared {
    target: String,
    steps: u64,
    mean_squared: Option<f64>,
    against_baseline: Option<f64>,
    coverage: Option<f64>,
    advice: Vec<String>,
}

fn columns(args: &StreamArgs, mut rows: Rows, names: &[String], session: &Session) -> anyhow::Result<()> {
    let mut lanes = Vec::new();
    for name in names {
        let others: Vec<String> = names.iter().filter(|other| *other != name).cloned().collect();
        lanes.push((name, lane(args, &rows, inputs_of(args, &rows, name, &others)?)?));
    }
    let mut lines = Lines::open(args.out.as_deref(), session.json, rows.live, 0)?;
    for record in rows.by_ref() {
        let record = match record {
            Err(groat::Error::Data { .. }) if args.on_bad_row == OnBadRow::Skip => {
                lanes.iter_mut().for_each(|(_, lane)| lane.skip_row());
                continue;
            }
            record => record?,
        };
        for (name, lane) in &mut lanes {
            match lane.take(&record) {
                Ok(Some(answer)) if answer.step.is_none() || answer.number.is_multiple_of(args.every) => {
                    lines.about(name);
                    lines.write(&answer)?;
                }
                Ok(_) => {}
                Err(_) if args.on_bad_row == OnBadRow::Skip => lane.skip_row(),
                Err(error) => return Err(error.into()),
            }
        }
    }
    lines.flush()?;
    let fared = |(name, lane): &(&String, online::Session)| Fared {
        target: (*name).clone(),
        steps: lane.totals().steps,
        mean_squared: lane.totals().mean_squared(),
        against_baseline: lane.against_baseline(),
        coverage: lane.coverage().1,
        advice: lane.advice().into_iter().map(|advice| advice.text).collect(),
    };
    let all: Vec<Fared> = lanes.iter().map(fared).collect();
    let text = || {
        let head = ["target", "samples", "MSE", "of the best baseline"].map(str::to_owned).to_vec();
        let maybe = |value: Option<f64>| value.map_or_else(|| "-".into(), number);
        let line = |one: &Fared| {
            vec![
                one.target.clone(),
                one.steps.to_string(),
                maybe(one.mean_squared),
                maybe(one.against_baseline),
            ]
        };
        aligned(&std::iter::once(head).chain(all.iter().map(line)).collect::<Vec<_>>())
    };
    if args.out.is_some() {
        session.answer(&all, text)?;
    } else {
        session.remark(&format!("{} targets\n{}", all.len(), text().trim_end()));
    }
    all.iter().flat_map(|one| &one.advice).for_each(|advice| session.remark(advice));
    if lanes.iter().any(|(_, lane)| lane.has_diverged()) && !args.keep_going {
        anyhow::bail!(
            "a learner has diverged; its predictions are of no use (--keep-going ends with 0 all the same)"
        );
    }
    Ok(())
}

/// The result with labels. Field names are part of the command's interface.
#[derive(Serialize)]
struct Labelled {
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
    seconds: f64,
}

/// Learners by label, and how often the likeliest was right.
struct Classifier {
    target: usize,
    lanes: Vec<(String, online::Session)>,
    counts: BTreeMap<String, u64>,
    last: Option<String>,
    /// Right so far: the learners, the last label, the most frequent one.
    right: [u64; 3],
    steps: u64,
    rows: u64,
    skipped: u64,
}

impl Classifier {
    /// No label is known yet; rows have theirs in column `target`.
    fn new(target: usize) -> Self {
        let (lanes, counts, last) = (Vec::new(), BTreeMap::new(), None);
        Self { target, lanes, counts, last, right: [0; 3], steps: 0, rows: 0, skipped: 0 }
    }

    /// Answers a row and learns from it: the likeliest label, and the true one. A new label gets a learner of `make`.
    fn learn(
        &mut self,
        record: &Record,
        make: impl FnOnce() -> anyhow::Result<online::Session>,
    ) -> anyhow::Result<(Option<String>, Option<String>)> {
        let label = match record.cells.get(self.target) {
            None | Some(Cell::Missing) => None,
            Some(cell) => Some(cell.to_string()),
        };
        let is_new = label.as_ref().is_some_and(|label| self.lanes.iter().all(|(name, _)| name != label));
        if is_new && self.lanes.len() >= MOST_LABELS {
            anyhow::bail!("the target has more than {MOST_LABELS} labels: is it a number?");
        }
        let added = if is_new { Some(make()?) } else { None };
        let said = self.take(record, label.as_deref(), added)?;
        self.rows += 1;
        if let Some(label) = &label {
            self.judge(said.as_deref(), label);
        }
        Ok((said, label))
    }

    /// Leaves a bad row out.
    fn skip_row(&mut self) {
        self.rows += 1;
        self.skipped += 1;
        self.lanes.iter_mut().for_each(|(_, lane)| lane.skip_row());
    }

    /// What came of it.
    fn result(&self, source: &str, target: &str, seconds: f64) -> Labelled {
        let algorithm = self.lanes.first().map(|(_, lane)| lane.learner().algorithm().to_owned());
        let baselines = [("last label", 1), ("most frequent label", 2)];
        Labelled {
            source: source.to_owned(),
            target: target.to_owned(),
            algorithm: algorithm.unwrap_or_default(),
            labels: self.lanes.iter().map(|(name, _)| name.clone()).collect(),
            rows: self.rows,
            steps: self.steps,
            skipped: self.skipped,
            accuracy: self.accuracy(0),
            baselines: baselines.iter().filter_map(|(name, at)| Some((*name, self.accuracy(*at)?))).collect(),
            seconds,
        }
    }

    /// The likeliest label of a row, learnt from if its label is there.
    /// A learner for a label that was never seen before has no say in it.
    fn take(
        &mut self,
        record: &Record,
        label: Option<&str>,
        added: Option<online::Session>,
    ) -> groat::Result<Option<String>> {
        let mut best: Option<(f64, usize)> = None;
        let known = self.lanes.len();
        self.lanes.extend(added.zip(label).map(|(lane, label)| (label.to_owned(), lane)));
        for (at, (name, lane)) in self.lanes.iter_mut().enumerate() {
            let mut one = record.clone();
            one.cells[self.target] = match label {
                Some(label) => Cell::Number(if label == name { 1.0 } else { -1.0 }),
                None => Cell::Missing,
            };
            if let Some(answer) = lane.take(&one)? {
                let value = answer.prediction.value;
                if at < known && best.is_none_or(|(most, _)| value > most) {
                    best = Some((value, at));
                }
            }
        }
        Ok(best.map(|(_, at)| self.lanes[at].0.clone()))
    }

    /// Counts who was right.
    fn judge(&mut self, said: Option<&str>, label: &str) {
        let frequent = self.counts.iter().max_by_key(|(_, count)| **count).map(|(name, _)| name.as_str());
        for (right, guess) in self.right.iter_mut().zip([said, self.last.as_deref(), frequent]) {
            *right += u64::from(guess == Some(label));
        }
        self.steps += 1;
        *self.counts.entry(label.to_owned()).or_default() += 1;
        self.last = Some(label.to_owned());
    }

    fn accuracy(&self, who: usize) -> Option<f64> {
        (self.steps > 0).then(|| self.right[who] as f64 / self.steps as f64)
    }
}

fn labels(args: &StreamArgs, mut rows: Rows, target: &str, session: &Session) -> anyhow::Result<()> {
    let started = Instant::now();
    let inputs = inputs_of(args, &rows, target, &[])?;
    let Some(at) = rows.names().iter().position(|name| name == target) else {
        return exit::usage(format!("--target {target}: there is no such column"));
    };
    let mut learners = Classifier::new(at);
    let mut out: Box<dyn Write> = match &args.out {
        Some(path) => Box::new(BufWriter::new(File::create(path).map_err(|e| groat::Error::io(path, e))?)),
        None => Box::new(BufWriter::new(io::stdout().lock())),
    };
    let json = session.json && args.out.is_none();
    if !json {
        writeln!(out, "step,row,prediction,target,correct,accuracy").map_err(stdout_error)?;
    }
    while let Some(record) = rows.next() {
        let outcome = match record {
            Ok(record) => learners.learn(&record, || lane(args, &rows, inputs.clone())),
            Err(error) => Err(error.into()),
        };
        let (said, label) = match outcome {
            Ok(learnt) => learnt,
            Err(error) if args.on_bad_row == OnBadRow::Skip && is_bad_row(&error) => {
                learners.skip_row();
                continue;
            }
            Err(error) => return Err(error),
        };
        if label.is_none() || learners.steps.is_multiple_of(args.every) {
            write_label(&mut out, &learners, said.as_deref(), label.as_deref(), json)
                .map_err(stdout_error)?;
        }
        if rows.live {
            out.flush().map_err(stdout_error)?;
        }
    }
    out.flush().map_err(stdout_error)?;
    let labelled = learners.result(rows.source(), target, started.elapsed().as_secs_f64());
    if args.out.is_some() {
        return session.answer(&labelled, || labelled.sentence() + "\n");
    }
    session.remark(&labelled.sentence());
    Ok(())
}

/// Whether an error is about a row, and not about the whole.
fn is_bad_row(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<groat::Error>(),
        Some(groat::Error::Data { .. } | groat::Error::Shape { .. })
    )
}

/// One line: the likeliest label, the true one, and how often it was right so far.
fn write_label(
    out: &mut dyn Write,
    learners: &Classifier,
    said: Option<&str>,
    label: Option<&str>,
    json: bool,
) -> io::Result<()> {
    let (said, accuracy) = (said.unwrap_or_default(), learners.accuracy(0).unwrap_or_default());
    let correct = label.map(|label| label == said);
    if json {
        let line = serde_json::json!({
            "step": learners.steps, "row": learners.rows, "prediction": said, "target": label, "correct": correct,
            "accuracy": accuracy,
        });
        return writeln!(out, "{line}");
    }
    let correct = correct.map_or_else(String::new, |correct| u8::from(correct).to_string());
    let (steps, row) = (learners.steps, learners.rows);
    writeln!(out, "{steps},{row},{said},{},{correct},{accuracy:?}", label.unwrap_or_default())
}

impl Labelled {
    fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
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
            duration(std::time::Duration::from_secs_f64(self.seconds))
        )
    }
}
