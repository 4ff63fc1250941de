//! Several targets, or class labels: one session for each target or label, side by side on the same rows.

use super::build::{Recipe, announce, inputs_of, refuse_columns};
use super::columns::Columns;
use super::labels::ByLabel;
use super::rows::Rows;
use crate::args::{OnBadRow, StreamArgs};
use crate::exit;
use crate::session::{Session, write_file};
use groat::data::{Cell, Inputs, Record};
use groat::online::Sessions;
use std::time::{Duration, Instant};

/// What is done with the answers of several sessions.
pub trait Answers {
    /// Takes in a row and writes its answers.
    fn take(&mut self, sessions: &mut Sessions, row: &Record) -> anyhow::Result<()>;

    /// Writes what is expected beyond the last row, if that was asked for.
    fn forecast(&mut self, sessions: &Sessions) -> anyhow::Result<()>;

    /// Writes out what is still in memory.
    fn flush(&mut self) -> anyhow::Result<()>;

    /// The page of the report.
    fn page(&self, run: &Run<'_>) -> anyhow::Result<String>;

    /// The summary, and an error if the sessions were of no use.
    fn conclude(&self, run: &Run<'_>, session: &Session) -> anyhow::Result<()>;
}

/// A stream whose rows have ended.
pub struct Run<'a> {
    pub sessions: &'a Sessions,
    pub source: &'a str,
    pub time: Duration,
}

/// What is predicted.
pub enum Targets {
    Columns(Vec<String>),
    Labels(String),
}

/// Whether there are several targets, or labels; nothing for one column of numbers.
pub fn wanted(args: &StreamArgs, rows: &mut Rows) -> anyhow::Result<Option<Targets>> {
    let Some(target) = &args.target else { return Ok(None) };
    if target.contains(',') && !rows.names().contains(target) {
        let names = target.split(',').map(|name| name.trim().to_owned()).collect();
        return Ok(Some(Targets::Columns(names)));
    }
    let at = rows.names().iter().position(|name| name == target);
    let text = at.is_some_and(
        |at| matches!(rows.peek(), Some(Ok(record)) if matches!(record.cells.get(at), Some(Cell::Text(_)))),
    );
    Ok((args.classes || text).then(|| Targets::Labels(target.clone())))
}

/// Runs a new stream.
pub fn run(args: &StreamArgs, rows: Rows, targets: Targets, session: &Session) -> anyhow::Result<()> {
    let make = |inputs: Inputs| {
        let member = Recipe::of(&args.method)?.session(args, inputs)?;
        super::check_model(args, &member).map(|()| member)
    };
    let sessions = match targets {
        Targets::Columns(names) => {
            let mut members = Vec::new();
            for name in &names {
                let others: Vec<String> = names.iter().filter(|other| *other != name).cloned().collect();
                members.push((name.clone(), make(inputs_of(args, &rows, name, &others)?)?));
            }
            Sessions::of_targets(members)?
        }
        Targets::Labels(name) => Sessions::of_labels(make(inputs_of(args, &rows, &name, &[])?)?)?,
    };
    follow(args, rows, sessions, session)
}

/// Goes on from a saved state.
pub fn go_on(args: &StreamArgs, rows: Rows, sessions: Sessions, session: &Session) -> anyhow::Result<()> {
    refuse_columns(args)?;
    sessions.members().iter().try_for_each(|(_, member)| super::check_model(args, member))?;
    announce(args, sessions.rows(), session);
    follow(args, rows, sessions, session)
}

fn follow(
    args: &StreamArgs,
    mut rows: Rows,
    mut sessions: Sessions,
    session: &Session,
) -> anyhow::Result<()> {
    sessions.read_from(rows.source(), rows.names(), rows.is_named())?;
    let refused = [(args.forecast.is_some(), "--forecast"), (args.key.is_some(), "--key")];
    let mut answers: Box<dyn Answers + '_> = match sessions.labels() {
        None => Box::new(Columns::open(args, &rows, &sessions, session)?),
        Some(_) => match refused.iter().find(|(given, _)| *given) {
            Some((_, flag)) => return exit::usage(format!("{flag} is for targets that are numbers")),
            None => Box::new(ByLabel::open(args, rows.live, &sessions, session)?),
        },
    };
    let started = Instant::now();
    let outcome = take_rows(args, &mut rows, &mut sessions, session, &mut *answers);
    answers.flush()?;
    outcome?;
    answers.forecast(&sessions)?;
    if let Some(path) = &args.model {
        sessions.model()?.save(path)?;
    }
    let run = Run { sessions: &sessions, source: rows.source(), time: started.elapsed() };
    if let Some(path) = &args.report {
        write_file(path, answers.page(&run)?.as_bytes())?;
    }
    if session.stop_requested() {
        return Err(super::interruption(args, sessions.rows()).into());
    }
    answers.conclude(&run, session)
}

/// Takes in every row; bad ones are skipped if asked, the state is saved at checkpoints and, whatever ended the stream, at
/// its end.
fn take_rows(
    args: &StreamArgs,
    rows: &mut Rows,
    sessions: &mut Sessions,
    session: &Session,
    answers: &mut dyn Answers,
) -> anyhow::Result<()> {
    let seen = if args.replay { sessions.rows() } else { 0 };
    let save = |sessions: &Sessions| args.save.as_ref().map_or(Ok(()), |path| sessions.save(path));
    let mut outcome = Ok(());
    for record in rows.skip(usize::try_from(seen).unwrap_or(usize::MAX)) {
        let taken = record.map_err(anyhow::Error::from).and_then(|record| answers.take(sessions, &record));
        match taken {
            Err(error) if args.on_bad_row == OnBadRow::Skip && is_bad_row(&error) => sessions.skip_row(),
            Err(error) if is_bad_row(&error) => {
                outcome = Err(error.context("bad row (--on-bad-row skip leaves such rows out)"));
                break;
            }
            taken => outcome = taken,
        }
        if args.checkpoint_every.is_some_and(|n| sessions.rows().is_multiple_of(n)) {
            save(sessions)?;
        }
        if outcome.is_err() || session.stop_requested() {
            break;
        }
    }
    save(sessions)?;
    outcome
}

/// Whether an error is about a row, and not about the whole.
fn is_bad_row(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<groat::Error>(),
        Some(groat::Error::Data { .. } | groat::Error::Shape { .. })
    )
}
