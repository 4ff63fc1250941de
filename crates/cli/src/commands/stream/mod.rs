//! `groat stream`: learn from rows as they arrive, answering each before learning from it.

mod lines;
pub mod list;
mod page;
mod rows;
mod score;
mod state;

use crate::args::{MethodArgs, OnBadRow, StreamArgs};
use crate::exit;
use crate::output::progress::Bar;
use crate::output::summary::{Summary, duration};
use crate::session::{Session, check_output, write_file};
use groat::data::{Embedding, InputOptions, InputStream, Inputs, Record};
use groat::online::{Learner, Settings};
use groat::{Error, Model};
use groat_report::number;
use lines::Lines;
use rows::Rows;
use score::{History, Recent, Totals};
use serde::Serialize;
use state::{State, View};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The preset when none is named.
const DEFAULT: &str = "klms-coherence";
/// Between two looks at the clock.
const GLANCE: u64 = 64;
/// Between two updates of the progress line.
const REFRESH: Duration = Duration::from_millis(100);

/// The running stream.
struct Stream<'a> {
    args: &'a StreamArgs,
    learner: Learner,
    inputs: InputStream,
    lines: Lines,
    totals: Totals,
    recent: Recent,
    history: History,
    /// Whether lines have a standard deviation; unknown before the first sample.
    std: Option<bool>,
}

/// The result in numbers. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    source: String,
    target: String,
    features: Vec<String>,
    algorithm: String,
    kernel: String,
    settings: std::collections::BTreeMap<String, String>,
    rows: u64,
    steps: u64,
    skipped: u64,
    size: usize,
    memory_bytes: usize,
    mse: Option<f64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    save: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: StreamArgs, session: &Session) -> anyhow::Result<()> {
    if args.method.algorithm.as_deref() == Some("list") {
        return list::show(session);
    }
    for path in [&args.out, &args.save, &args.model, &args.report].into_iter().flatten() {
        check_output(path, &[&args.data])?;
    }
    let started = Instant::now();
    let waiting = bar(&args, session, "waiting for the first row");
    let mut rows = Rows::open(&args.data, &args.reading.options(), session)?;
    drop(waiting);
    let mut stream = Stream::open(&args, &rows, session)?;
    let source = rows.source().to_owned();
    let outcome = stream.follow(&mut rows, session, started);
    // Whatever ended the stream, what was learnt is kept.
    stream.lines.flush()?;
    stream.save()?;
    outcome?;
    let answer = stream.answer(source, started.elapsed());
    if let Some(path) = &args.model {
        let model = Model::new(stream.learner.expansion()?).with_inputs(stream.inputs.inputs().clone())?;
        model.save(path)?;
    }
    if let Some(path) = &args.report {
        write_file(path, page::page(&stream, &answer)?.as_bytes())?;
    }
    session.check_stop()?;
    // Standard output belongs to the lines unless they went to a file.
    if args.out.is_some() {
        return session.answer(&answer, || answer.text());
    }
    session.remark(&answer.sentence());
    Ok(())
}

/// A bar, unless lines of answers scroll by on the terminal.
fn bar<'a>(args: &StreamArgs, session: &'a Session, what: &str) -> Option<Bar<'a>> {
    let hidden = args.out.is_none() && io::stdout().is_terminal();
    (!hidden && session.shows_progress()).then(|| Bar::new(session, what))
}

impl<'a> Stream<'a> {
    /// A new stream, or one that goes on from a saved state.
    fn open(args: &'a StreamArgs, rows: &Rows, session: &Session) -> anyhow::Result<Self> {
        let (learner, inputs, totals, std) = match &args.resume {
            None => {
                let chosen = choose_inputs(args, rows)?;
                let learner = build(&args.method, chosen.features())?;
                (
                    learner,
                    InputStream::new(chosen, rows.source(), rows.names(), rows.is_named())?,
                    Totals::default(),
                    None,
                )
            }
            Some(path) => {
                let state = State::load(path)?;
                let mut inputs =
                    InputStream::new(state.inputs, rows.source(), rows.names(), rows.is_named())?;
                if let (Some(to), Some(from)) = (inputs.embedder_mut(), state.embedder) {
                    *to = from;
                }
                let next = state.totals.rows + 1;
                session.remark(&match args.replay {
                    true => format!(
                        "{}: going on at row {next}, after {} rows seen before",
                        path.display(),
                        next - 1
                    ),
                    false => {
                        format!("{}: the first row of this input is taken as row {next}", path.display())
                    }
                });
                (state.learner, inputs, state.totals, (state.totals.steps > 0).then_some(state.std))
            }
        };
        rows.check(inputs.inputs())?;
        let lines = Lines::open(args.out.as_deref(), session.json, rows.live, totals.steps)?;
        let history = History::new(totals.steps);
        Ok(Self { args, learner, inputs, lines, totals, recent: Recent::default(), history, std })
    }

    /// Takes in all rows.
    fn follow(&mut self, rows: &mut Rows, session: &Session, started: Instant) -> anyhow::Result<()> {
        let bar = bar(self.args, session, "waiting for rows");
        let mut shown = started;
        let before = self.totals.steps;
        let seen = if self.args.replay { self.totals.rows } else { 0 };
        let unread = rows.skip(usize::try_from(seen).unwrap_or(usize::MAX));
        for record in unread {
            self.take(record)?;
            let every = self.args.checkpoint_every;
            if every.is_some_and(|n| self.totals.rows.is_multiple_of(n)) {
                self.lines.flush()?;
                self.save()?;
            }
            if session.stop_requested() {
                break;
            }
            if let Some(bar) = &bar
                && (self.totals.rows.is_multiple_of(GLANCE) || self.args.data.as_os_str() == "-")
                && shown.elapsed() > REFRESH
            {
                shown = Instant::now();
                let speed = (self.totals.steps - before) as f64 / started.elapsed().as_secs_f64();
                bar.show(self.progress(speed), self.totals.steps, None);
            }
        }
        drop(bar);
        if session.stop_requested() {
            let rows = self.totals.rows;
            let next = self.args.save.as_ref().map_or_else(String::new, |path| {
                format!("; --resume {} goes on at row {}", path.display(), rows + 1)
            });
            session.remark(&format!("stopped after row {rows}{next}"));
        }
        Ok(())
    }

    fn progress(&self, speed: f64) -> String {
        let mse = number(self.recent.mse());
        format!("{}/s, size {}, running MSE {mse}, samples", number(speed.round()), self.learner.size())
    }

    /// Answers one row and learns from it; a bad one is an error or skipped.
    fn take(&mut self, record: groat::Result<Record>) -> anyhow::Result<()> {
        self.totals.rows += 1;
        let bad = match record {
            Ok(record) => self.learn(&record)?,
            Err(error @ Error::Data { .. }) => Some(error),
            Err(error) => return Err(error.into()),
        };
        let Some(error) = bad else { return Ok(()) };
        if self.args.on_bad_row == OnBadRow::Error {
            // The row was not taken in: a state saved now goes on with it.
            self.totals.rows -= 1;
            return Err(
                anyhow::Error::from(error).context("bad row (--on-bad-row skip leaves such rows out)")
            );
        }
        self.totals.skipped += 1;
        // Values around a gap are no neighbours in time.
        if let Some(past) = self.inputs.embedder_mut() {
            past.reset();
        }
        Ok(())
    }

    /// Answers a row and learns from it, or says what is wrong with it.
    fn learn(&mut self, record: &Record) -> anyhow::Result<Option<Error>> {
        let (place, cells) = (record.place, &record.cells[..]);
        let y = match self.inputs.target(place, cells) {
            Ok(y) => y,
            Err(error) => return Ok(Some(error)),
        };
        let x = match self.inputs.push(place, cells) {
            Ok(Some(x)) => x,
            Ok(None) => return Ok(None),
            Err(error) => return Ok(Some(error)),
        };
        // The spread is asked for first: it belongs to the prediction, before learning.
        let spread = |learner: &Learner| learner.variance(x).map(|v| v.map(f64::sqrt));
        let std = match self.std {
            Some(false) => Ok(None),
            _ => spread(&self.learner),
        };
        let outcome = std.and_then(|std| Ok((std, self.learner.learn_one(x, y)?)));
        let (std, step) = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                let (source_name, column) = (self.args.data.display().to_string(), "target".to_owned());
                return Ok(Some(Error::Data { source_name, place, column, reason: error.to_string() }));
            }
        };
        // Some methods know their spread only once there is a vector.
        let has_std = match self.std {
            Some(has_std) => has_std,
            None => std.is_some() || spread(&self.learner)?.is_some(),
        };
        self.std = Some(has_std);
        self.totals.add(&step);
        self.recent.add(&step);
        self.history.add(x, y, &step);
        self.lines.write(self.totals.steps, &step, has_std.then_some(std))?;
        Ok(None)
    }

    fn save(&self) -> anyhow::Result<()> {
        let Some(path) = &self.args.save else { return Ok(()) };
        View::new(&self.learner, &self.inputs, &self.totals, self.std.unwrap_or(false)).save(path)
    }

    /// The model with what it needs to be fed raw rows; none where there is no kernel expansion.
    fn model(&self) -> groat::Result<Option<Model>> {
        let snapshot = self.learner.snapshot()?;
        snapshot.map(|function| Model::new(function).with_inputs(self.inputs.inputs().clone())).transpose()
    }

    fn answer(&self, source: String, time: Duration) -> Answer {
        let (learner, inputs) = (&self.learner, self.inputs.inputs());
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Answer {
            source,
            target: inputs.targets().first().map_or_else(String::new, |target| target.name.clone()),
            features: inputs.feature_names(),
            algorithm: learner.algorithm().to_owned(),
            kernel: learner.kernel().to_string(),
            settings: learner.settings().iter().map(own).collect(),
            rows: self.totals.rows,
            steps: self.totals.steps,
            skipped: self.totals.skipped,
            size: learner.size(),
            memory_bytes: learner.memory_bytes(),
            mse: self.totals.mse(),
            seconds: time.as_secs_f64(),
            out: self.args.out.clone(),
            save: self.args.save.clone(),
        }
    }
}

fn choose_inputs(args: &StreamArgs, rows: &Rows) -> anyhow::Result<Inputs> {
    let embedding = args.embed.map(|lags| Embedding {
        lags: lags as usize,
        horizon: args.horizon as usize,
        feedback: !args.no_feedback,
    });
    if let Some(several) = args.target.as_ref().filter(|t| t.contains(',') && !rows.names().contains(t)) {
        return exit::usage(format!(
            "--target {several}: a stream predicts one column; run one stream for each, or `groat fit`, which takes several"
        ));
    }
    let options = InputOptions {
        targets: args.target.iter().cloned().collect(),
        features: args.features.clone(),
        embedding,
        ..InputOptions::default()
    };
    Ok(Inputs::choose(rows.source(), rows.names(), rows.is_named(), &options)?)
}

/// The learner that was asked for.
fn build(args: &MethodArgs, features: usize) -> anyhow::Result<Learner> {
    let mut settings = Settings::new();
    for pair in &args.set {
        settings.set_pair(pair)?;
    }
    let parts = [
        ("update", &args.update),
        ("novelty", &args.novelty),
        ("cost", &args.cost),
        ("projection", &args.projection),
        ("strategy", &args.strategy),
        ("loss", &args.loss),
    ];
    for (kind, part) in parts {
        if let Some(part) = part {
            settings.set(kind, part);
        }
    }
    let mut kernel = args.kernel.kernel.clone();
    if let Some(width) = args.width {
        if args.kernel.width_given || kernel.width().is_none() {
            return exit::usage("--width is for a kernel that has a width and was given none");
        }
        kernel = kernel.with_width(width);
    }
    Ok(Learner::new(args.algorithm.as_deref().unwrap_or(DEFAULT), &kernel, features, &settings)?)
}

impl Answer {
    fn text(&self) -> String {
        Summary::default()
            .line("data", &self.source)
            .line("target", &self.target)
            .line("algorithm", &self.algorithm)
            .line("kernel", &self.kernel)
            .line("rows", self.rows.to_string())
            .line("skipped", self.skipped.to_string())
            .line("samples", self.steps.to_string())
            .line("size", self.size.to_string())
            .line("MSE", self.mse.map_or_else(|| "-".into(), number))
            .line("time", duration(Duration::from_secs_f64(self.seconds)))
            .maybe("lines", self.out.as_ref().map(|path| path.display().to_string()))
            .maybe("state", self.save.as_ref().map(|path| path.display().to_string()))
            .to_text()
    }

    fn sentence(&self) -> String {
        format!(
            "{} samples from {} rows ({} skipped), size {}, MSE {}, {}",
            self.steps,
            self.rows,
            self.skipped,
            self.size,
            self.mse.map_or_else(|| "-".into(), number),
            duration(Duration::from_secs_f64(self.seconds))
        )
    }
}
