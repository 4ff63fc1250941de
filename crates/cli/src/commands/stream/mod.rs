//! `groat stream`: learn from rows as they arrive, answering each before learning from it.

mod lines;
pub mod list;
mod page;
mod rows;
mod score;

use crate::args::{MethodArgs, OnBadRow, StreamArgs};
use crate::exit;
use crate::output::progress::Bar;
use crate::output::summary::{Summary, duration};
use crate::session::{Session, check_output, write_file};
use groat::data::{Embedding, InputOptions, Inputs, Record};
use groat::online::{self, Learner, Settings};
use groat::{Error, Kernel};
use groat_report::number;
use lines::Lines;
use rows::Rows;
use score::{History, Recent};
use serde::Serialize;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
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
    session: online::Session,
    lines: Lines,
    recent: Recent,
    history: History,
}

/// The result in numbers. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    source: String,
    target: String,
    features: Vec<String>,
    algorithm: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    settings: std::collections::BTreeMap<String, String>,
    rows: u64,
    steps: u64,
    skipped: u64,
    size: usize,
    memory_bytes: usize,
    mean_squared: Option<f64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    save: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: StreamArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(wanted) = args.method.algorithm.as_deref().and_then(list::wanted) {
        return list::show(wanted, session);
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
        stream.session.model()?.save(path)?;
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
        let mut learning = match &args.resume {
            None => {
                let inputs = choose_inputs(args, rows)?;
                online::Session::new(build(&args.method, inputs.features())?).with_inputs(inputs)?
            }
            Some(path) => resume(args, path, rows, session)?,
        };
        learning.read_from(rows.source(), rows.names(), rows.is_named())?;
        learning.inputs().map_or(Ok(()), |inputs| rows.check(inputs))?;
        let steps = learning.totals().steps;
        let lines = Lines::open(args.out.as_deref(), session.json, rows.live, steps)?;
        Ok(Self { args, session: learning, lines, recent: Recent::default(), history: History::new(steps) })
    }

    /// Takes in all rows.
    fn follow(&mut self, rows: &mut Rows, session: &Session, started: Instant) -> anyhow::Result<()> {
        let bar = bar(self.args, session, "waiting for rows");
        let mut shown = started;
        let before = self.session.totals().steps;
        let seen = if self.args.replay { self.session.totals().rows } else { 0 };
        let unread = rows.skip(usize::try_from(seen).unwrap_or(usize::MAX));
        for record in unread {
            self.take(record)?;
            let totals = *self.session.totals();
            let every = self.args.checkpoint_every;
            if every.is_some_and(|n| totals.rows.is_multiple_of(n)) {
                self.lines.flush()?;
                self.save()?;
            }
            if session.stop_requested() {
                break;
            }
            if let Some(bar) = &bar
                && (totals.rows.is_multiple_of(GLANCE) || self.args.data.as_os_str() == "-")
                && shown.elapsed() > REFRESH
            {
                shown = Instant::now();
                let speed = (totals.steps - before) as f64 / started.elapsed().as_secs_f64();
                bar.show(self.progress(speed), totals.steps, None);
            }
        }
        drop(bar);
        if session.stop_requested() {
            let rows = self.session.totals().rows;
            let next = self.args.save.as_ref().map_or_else(String::new, |path| {
                format!("; --resume {} goes on at row {}", path.display(), rows + 1)
            });
            session.remark(&format!("stopped after row {rows}{next}"));
        }
        Ok(())
    }

    fn progress(&self, speed: f64) -> String {
        let mse = number(self.recent.mean_squared());
        format!(
            "{}/s, size {}, running MSE {mse}, samples",
            number(speed.round()),
            self.session.learner().size()
        )
    }

    /// Answers one row and learns from it; a bad one is an error or skipped.
    fn take(&mut self, record: groat::Result<Record>) -> anyhow::Result<()> {
        let outcome = match record {
            Ok(record) => self.session.take(&record),
            Err(error @ Error::Data { .. }) => Err(error),
            Err(error) => return Err(error.into()),
        };
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some(answer)) => {
                self.recent.add(&answer.step);
                self.history.add(answer.x, answer.y, &answer.step);
                self.lines.write(answer.number, &answer.step, answer.has_std.then_some(answer.std))
            }
            Err(_) if self.args.on_bad_row == OnBadRow::Skip => {
                self.session.skip_row();
                Ok(())
            }
            Err(error) => {
                Err(anyhow::Error::from(error).context("bad row (--on-bad-row skip leaves such rows out)"))
            }
        }
    }

    fn save(&self) -> anyhow::Result<()> {
        self.args.save.as_ref().map_or(Ok(()), |path| Ok(self.session.save(path)?))
    }

    fn answer(&self, source: String, time: Duration) -> Answer {
        let (learner, inputs, totals) =
            (self.session.learner(), self.session.inputs(), self.session.totals());
        let target = inputs.and_then(|inputs| inputs.targets().first());
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Answer {
            source,
            target: target.map_or_else(String::new, |target| target.name.clone()),
            features: inputs.map_or_else(Vec::new, Inputs::feature_names),
            algorithm: learner.algorithm().to_owned(),
            kernel: learner.kernel().map(ToString::to_string),
            settings: learner.settings().iter().map(own).collect(),
            rows: totals.rows,
            steps: totals.steps,
            skipped: totals.skipped,
            size: learner.size(),
            memory_bytes: learner.memory_bytes(),
            mean_squared: totals.mean_squared(),
            seconds: time.as_secs_f64(),
            out: self.args.out.clone(),
            save: self.args.save.clone(),
        }
    }
}

/// The session of a saved state. One without inputs (its samples were numbers) learns which columns they are now.
fn resume(args: &StreamArgs, path: &Path, rows: &Rows, session: &Session) -> anyhow::Result<online::Session> {
    let mut learning = online::Session::load(path)?;
    let columns_given = args.target.is_some() || !args.features.is_empty() || args.embed.is_some();
    match (learning.inputs(), columns_given) {
        (Some(_), true) => {
            return exit::usage(format!(
                "{} knows its columns: leave out --target, --features and --embed",
                path.display()
            ));
        }
        (Some(_), false) => {}
        (None, _) if args.target.is_none() => {
            return exit::usage(format!("{} knows no columns: name the --target", path.display()));
        }
        (None, _) => learning = learning.with_inputs(choose_inputs(args, rows)?)?,
    }
    let next = learning.totals().rows + 1;
    session.remark(&match args.replay {
        true => format!("{}: going on at row {next}, after {} rows seen before", path.display(), next - 1),
        false => format!("{}: the first row of this input is taken as row {next}", path.display()),
    });
    Ok(learning)
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
    for text in &args.set {
        settings.set_pairs(text)?;
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
        part.as_ref().map_or(Ok(()), |part| settings.add(kind, part))?;
    }
    let algorithm = args.algorithm.as_deref().unwrap_or(DEFAULT);
    Ok(Learner::new(algorithm, kernel(args)?.as_ref(), features, &settings)?)
}

/// The kernel that was asked for, if any was.
fn kernel(args: &MethodArgs) -> anyhow::Result<Option<Kernel>> {
    let given = args.kernel.as_ref();
    let Some(width) = args.width else { return Ok(given.map(|given| given.kernel.clone())) };
    let kernel = given.map_or_else(|| Kernel::gaussian(width), |given| given.kernel.clone());
    if given.is_some_and(|given| given.width_given) || kernel.width().is_none() {
        return exit::usage("--width is for a kernel that has a width and was given none");
    }
    Ok(Some(kernel.with_width(width)))
}

impl Answer {
    fn text(&self) -> String {
        Summary::default()
            .line("data", &self.source)
            .line("target", &self.target)
            .line("algorithm", &self.algorithm)
            .maybe("kernel", self.kernel.clone())
            .line("rows", self.rows.to_string())
            .line("skipped", self.skipped.to_string())
            .line("samples", self.steps.to_string())
            .line("size", self.size.to_string())
            .line("MSE", self.mean_squared.map_or_else(|| "-".into(), number))
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
            self.mean_squared.map_or_else(|| "-".into(), number),
            duration(Duration::from_secs_f64(self.seconds))
        )
    }
}
