//! `groat stream`: learn from rows as they arrive, answering each before learning from it.

mod build;
mod columns;
mod compare;
mod history;
mod labels;
mod lines;
pub mod list;
mod page;
mod rows;
mod several;
mod summary;
mod tune;

use crate::args::{OnBadRow, StreamArgs};
use crate::exit::{self, Interrupted};
use crate::files::Files;
use crate::output::progress::Bar;
use crate::session::{Session, write_file};
use build::{Recipe, choose_inputs, resume};
use groat::Error;
use groat::data::Record;
use groat::online;
use groat::persist::{Claim, Destination};
use groat_report::number;
use history::History;
use lines::Lines;
use rows::Rows;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};
use summary::Outcome;

/// Between two looks at the clock.
const GLANCE: u64 = 64;
/// Between two updates of the progress line.
const REFRESH: Duration = Duration::from_millis(100);
/// Rows that are read ahead of the learner where nobody waits for answers.
const AHEAD: usize = 64;

/// The running stream.
struct Stream<'a> {
    args: &'a StreamArgs,
    session: online::Session,
    lines: Lines,
    history: History,
    /// Where the key stands in a row.
    key: Option<usize>,
}

/// Runs the command.
pub fn run(args: StreamArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(wanted) = args.method.algorithm.as_deref().and_then(list::wanted) {
        return list::show(wanted, args.method.all, session);
    }
    let files = Files::default().reads(&args.data).goes_on_from(args.resume.as_ref(), "--save");
    let files = files.writes("--out", args.out.as_ref()).writes("--save", args.save.as_ref());
    files.writes("--model", args.model.as_ref()).writes("--report", args.report.as_ref()).check()?;
    let _claim = claim(&args)?;
    let started = Instant::now();
    let waiting = bar(&args, session, "waiting for the first row");
    let mut rows = Rows::open(&args.data, &args.reading.options(), session)?;
    drop(waiting);
    if args.search.tune || !args.search.compare.is_empty() {
        refuse_several(&args, &mut rows)?;
    }
    if !args.search.compare.is_empty() {
        return compare::run(&args, rows, session);
    }
    if args.search.tune {
        return tune::run(&args, rows, session);
    }
    let resumed = args.resume.as_ref().map(online::Resumed::load).transpose()?;
    let learning = match resumed {
        Some(online::Resumed::Several(sessions)) => {
            return several::go_on(&args, rows, *sessions, session);
        }
        Some(online::Resumed::One(learning)) => resume(&args, *learning, &rows, session)?,
        None => match several::wanted(&args, &mut rows)? {
            Some(targets) => return several::run(&args, rows, targets, session),
            None => Recipe::of(&args.method)?.session(&args, choose_inputs(&args, &rows)?)?,
        },
    };
    let mut stream = Stream::open(&args, learning, &rows, session)?;
    let source = rows.source().to_owned();
    let outcome = stream.follow(&mut rows, session, started);
    // Whatever ended the stream, what was learnt is kept, also where nobody takes its lines any more.
    let written = stream.lines.flush();
    stream.save()?;
    let written = match outcome {
        // That nobody takes the lines is told at the end.
        Err(error) if stream.lines.has_failed() => Err(error),
        other => other.and(written),
    };
    if written.is_err() && !stream.lines.has_failed() {
        return written;
    }
    let written = written.and_then(|()| stream.forecast());
    stream.finish(Outcome::new(&args, &stream.session, source, started.elapsed()), written, session)
}

/// Algorithms are compared and tuned on one target of numbers.
fn refuse_several(args: &StreamArgs, rows: &mut Rows) -> anyhow::Result<()> {
    match several::wanted(args, rows)? {
        None => Ok(()),
        Some(several::Targets::Columns(names)) => exit::usage(format!(
            "--compare and --tune take one target: name one of {} at a time",
            names.join(", ")
        )),
        Some(several::Targets::Labels(name)) => exit::usage(format!(
            "--compare and --tune take a target of numbers, and {name} holds labels: make a column that is 1 for one \
             label and -1 for the others, and name that"
        )),
    }
}

/// The right to write the state: a second process would overwrite what the first has learnt.
fn claim(args: &StreamArgs) -> anyhow::Result<Option<Claim>> {
    let Some(path) = &args.save else { return Ok(None) };
    let file = Destination::of(path).map_err(|e| Error::io(path, e))?;
    Ok(file.file().map(Claim::of).transpose()?)
}

/// A learner that has no model is refused before the first row, not after the last.
fn check_model(args: &StreamArgs, learning: &online::Session) -> anyhow::Result<()> {
    if args.model.is_some() {
        learning.learner().check_model()?;
    }
    Ok(())
}

/// A bar, unless lines of answers scroll by on the terminal.
fn bar<'a>(args: &StreamArgs, session: &'a Session, what: &str) -> Option<Bar<'a>> {
    let hidden = args.out.is_none() && io::stdout().is_terminal();
    (!hidden && session.shows_progress()).then(|| Bar::new(session, what))
}

impl<'a> Stream<'a> {
    /// A stream whose session is new, or goes on from a saved state.
    fn open(
        args: &'a StreamArgs,
        mut learning: online::Session,
        rows: &Rows,
        session: &Session,
    ) -> anyhow::Result<Self> {
        check_model(args, &learning)?;
        learning.read_from(rows.source(), rows.names(), rows.is_named())?;
        learning.inputs().map_or(Ok(()), |inputs| rows.check(inputs))?;
        let steps = learning.totals().steps;
        let seen = learning.totals().rows;
        let lines = Lines::open(args.out.as_deref(), session.json, rows.live, seen)?;
        let key = args.key.as_ref().and_then(|key| rows.names().iter().position(|name| name == key));
        Ok(Self { args, session: learning, lines, history: History::new(steps), key })
    }

    /// Takes in all rows.
    fn follow(&mut self, rows: &mut Rows, session: &Session, started: Instant) -> anyhow::Result<()> {
        let bar = bar(self.args, session, "waiting for rows");
        let mut shown = started;
        let before = self.session.totals().steps;
        let seen = if self.args.replay { self.session.totals().rows } else { 0 };
        let most = if rows.live || self.key.is_some() { 1 } else { AHEAD };
        self.pass_over(rows, seen, session)?;
        let mut ahead = Vec::with_capacity(most);
        loop {
            // A checkpoint falls between rows, so no more are read ahead than there are before the next one.
            let every = self.args.checkpoint_every;
            let until = every.map_or(u64::MAX, |n| n - self.session.totals().rows % n);
            let limit = most.min(usize::try_from(until).unwrap_or(most));
            ahead.extend(rows.by_ref().take(limit));
            if ahead.is_empty() {
                break;
            }
            self.take_all(&mut ahead)?;
            let totals = *self.session.totals();
            if every.is_some_and(|n| totals.rows.is_multiple_of(n)) {
                let written = self.lines.flush();
                self.save()?;
                written?;
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
        Ok(())
    }

    /// Passes over the rows that the state has seen.
    fn pass_over(&self, rows: &mut Rows, seen: u64, session: &Session) -> anyhow::Result<()> {
        for passed in 0..seen {
            if rows.next().is_none() && !session.stop_requested() {
                return exit::usage(format!(
                    "--replay: the state has seen {seen} rows, and {} ends after {passed}: it is another input",
                    rows.source()
                ));
            }
        }
        Ok(())
    }

    fn progress(&self, speed: f64) -> String {
        let mse = self.session.totals().recent_mean_squared().map_or_else(|| "-".into(), number);
        format!(
            "{}/s, size {}, running MSE {mse}, samples",
            number(speed.round()),
            self.session.learner().size()
        )
    }

    /// Answers rows that are at hand, several at once where that is faster.
    fn take_all(&mut self, ahead: &mut Vec<groat::Result<Record>>) -> anyhow::Result<()> {
        let mut records: Vec<Record> = Vec::with_capacity(ahead.len());
        let mut rest = ahead.drain(..);
        loop {
            let next = rest.next();
            match next {
                Some(Ok(record)) if self.key.is_none() => records.push(record),
                other => {
                    self.take_records(&records)?;
                    records.clear();
                    match other {
                        Some(record) => self.take(record)?,
                        None => return Ok(()),
                    }
                }
            }
        }
    }

    fn take_records(&mut self, records: &[Record]) -> anyhow::Result<()> {
        let mut next = 0;
        while next < records.len() {
            let (every, history, lines) = (self.args.every, &mut self.history, &mut self.lines);
            let mut failed = Ok(());
            let taken = self.session.take_ahead(&records[next..], |answer| {
                if failed.is_ok() {
                    failed = put(every, history, lines, &answer);
                }
                Ok(())
            })?;
            failed?;
            next += taken;
            if taken == 0 {
                self.take(Ok(records[next].clone()))?;
                next += 1;
            }
        }
        Ok(())
    }

    /// Answers one row and learns from it; a bad one is an error or skipped.
    fn take(&mut self, record: groat::Result<Record>) -> anyhow::Result<()> {
        let (session, key) = (&mut self.session, self.key);
        let outcome = match &record {
            Ok(record) => match key.and_then(|key| record.cells.get(key)) {
                Some(cell) => session.take_keyed(record, &cell.to_string()),
                None => session.take(record),
            },
            Err(Error::Data { .. }) => record.map(|_| None),
            Err(_) => return Ok(record.map(|_| ())?),
        };
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some(answer)) => put(self.args.every, &mut self.history, &mut self.lines, &answer),
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

    /// Predictions beyond the last row.
    fn forecast(&mut self) -> anyhow::Result<()> {
        let Some(count) = self.args.forecast else { return Ok(()) };
        let row = self.session.totals().rows;
        let forecasts = self.session.forecast(count)?;
        for forecast in &forecasts {
            self.lines.forecast(row + forecast.ahead, forecast.value)?;
        }
        self.history.forecast(&forecasts);
        self.lines.flush()
    }

    /// Model, page and summary, whether or not the lines could be written; and exit code 1 if the learner has diverged.
    fn finish(&self, outcome: Outcome, written: anyhow::Result<()>, session: &Session) -> anyhow::Result<()> {
        if let Some(path) = &self.args.model {
            self.session.model()?.save(path)?;
        }
        if let Some(path) = &self.args.report {
            write_file(path, page::page(self, &outcome)?.as_bytes())?;
        }
        written?;
        if session.stop_requested() {
            return Err(interruption(self.args, self.session.totals().rows).into());
        }
        // Standard output belongs to the lines unless they went to a file.
        if self.args.out.is_some() {
            session.answer(&outcome, || outcome.text())?;
        } else {
            session.remark(&outcome.sentence());
        }
        for advice in &outcome.advice {
            session.remark(&advice.text);
        }
        if self.session.has_diverged() && !self.args.keep_going {
            anyhow::bail!(
                "the learner has diverged; its predictions are of no use (--keep-going ends with 0 all the same)"
            );
        }
        Ok(())
    }
}

/// That the wish to stop ended the stream, and how to go on.
fn interruption(args: &StreamArgs, rows: u64) -> Interrupted {
    let next = args.save.as_ref().map_or_else(String::new, |path| {
        format!("; --resume {} goes on at row {}", path.display(), rows + 1)
    });
    Interrupted(format!("stopped after row {rows}{next}"))
}

/// Writes the answer to a row and remembers it for the page.
fn put(
    every: u64,
    history: &mut History,
    lines: &mut Lines,
    answer: &online::Answer<'_>,
) -> anyhow::Result<()> {
    history.add(answer);
    if answer.step.is_none() || answer.drift || answer.number.is_multiple_of(every) {
        lines.write(answer)?;
    }
    Ok(())
}
