//! Several targets, or class labels: one session for each target or label, side by side on the same rows.

use super::build::{Recipe, announce, inputs_of, refuse_columns};
use super::history::History;
use super::lines::Lines;
use super::rows::Rows;
use super::summary::Outcome;
use super::{labels, page};
use crate::args::{OnBadRow, StreamArgs};
use crate::exit;
use crate::output::summary::aligned;
use crate::session::{Session, write_file};
use groat::data::{Cell, Inputs, Record};
use groat::online::{self, Sessions};
use groat_report::number;
use serde::Serialize;
use std::time::Instant;

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

fn follow(args: &StreamArgs, rows: Rows, mut sessions: Sessions, session: &Session) -> anyhow::Result<()> {
    sessions.read_from(rows.source(), rows.names(), rows.is_named())?;
    if sessions.labels().is_none() {
        return columns(args, rows, sessions, session);
    }
    let refused = [(args.forecast.is_some(), "--forecast"), (args.key.is_some(), "--key")];
    match refused.iter().find(|(given, _)| *given) {
        Some((_, flag)) => exit::usage(format!("{flag} is for targets that are numbers")),
        None => labels::run(args, rows, sessions, session),
    }
}

/// Gives every row to `take`; bad rows are skipped if asked, the state is saved at checkpoints and, whatever ended the
/// stream, at its end.
pub fn take_rows(
    args: &StreamArgs,
    rows: &mut Rows,
    sessions: &mut Sessions,
    session: &Session,
    mut take: impl FnMut(&mut Sessions, &Record) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let seen = if args.replay { sessions.rows() } else { 0 };
    let save = |sessions: &Sessions| args.save.as_ref().map_or(Ok(()), |path| sessions.save(path));
    let mut outcome = Ok(());
    for record in rows.skip(usize::try_from(seen).unwrap_or(usize::MAX)) {
        let taken = record.map_err(anyhow::Error::from).and_then(|record| take(sessions, &record));
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

/// An error if the wish to stop ended the stream, which says how to go on.
pub fn check_stop(args: &StreamArgs, sessions: &Sessions, session: &Session) -> anyhow::Result<()> {
    if !session.stop_requested() {
        return Ok(());
    }
    Err(super::interruption(args, sessions.rows()).into())
}

/// Whether an error is about a row, and not about the whole.
fn is_bad_row(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<groat::Error>(),
        Some(groat::Error::Data { .. } | groat::Error::Shape { .. })
    )
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

impl Fared {
    fn of((name, session): &(String, online::Session)) -> Self {
        Self {
            target: name.clone(),
            steps: session.totals().steps,
            mean_squared: session.totals().mean_squared(),
            against_baseline: session.against_baseline(),
            coverage: session.coverage().1,
            advice: session.advice().into_iter().map(|advice| advice.text).collect(),
        }
    }
}

fn columns(
    args: &StreamArgs,
    mut rows: Rows,
    mut sessions: Sessions,
    session: &Session,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let key = args.key.as_ref().and_then(|key| rows.names().iter().position(|name| name == key));
    let mut lines = Lines::open(args.out.as_deref(), session.json, rows.live, sessions.rows())?;
    let start = |(_, session): &(String, online::Session)| History::new(session.totals().steps);
    let mut histories: Vec<History> = sessions.members().iter().map(start).collect();
    let outcome = take_rows(args, &mut rows, &mut sessions, session, |sessions, record| {
        let key = key.and_then(|at| record.cells.get(at)).map(ToString::to_string);
        let mut failed = Ok(());
        sessions.take(record, key.as_deref(), |at, name, answer| {
            lines.about(name);
            if failed.is_ok() {
                failed = super::put(args.every, &mut histories[at], &mut lines, answer);
            }
            Ok(())
        })?;
        failed
    });
    lines.flush()?;
    outcome?;
    forecast(args, &sessions, &mut histories, &mut lines)?;
    if let Some(path) = &args.model {
        sessions.model()?.save(path)?;
    }
    if let Some(path) = &args.report {
        let fared = |((_, member), history)| {
            let outcome = Outcome::new(args, member, rows.source().to_owned(), started.elapsed());
            (member, history, outcome)
        };
        let members: Vec<(&online::Session, &History, Outcome)> = sessions
            .members()
            .iter()
            .map(|(name, member)| (name, member))
            .zip(&histories)
            .map(fared)
            .collect();
        write_file(path, page::page_of_targets(&members, rows.source())?.as_bytes())?;
    }
    check_stop(args, &sessions, session)?;
    finish(args, &sessions, session)
}

/// Predictions of each target beyond the last row.
fn forecast(
    args: &StreamArgs,
    sessions: &Sessions,
    histories: &mut [History],
    lines: &mut Lines,
) -> anyhow::Result<()> {
    let Some(count) = args.forecast else { return Ok(()) };
    for ((name, member), history) in sessions.members().iter().zip(histories) {
        lines.about(name);
        let forecasts = member.forecast(count)?;
        for forecast in &forecasts {
            lines.forecast(sessions.rows() + forecast.ahead, forecast.value)?;
        }
        history.forecast(&forecasts);
    }
    lines.flush()
}

/// The table of targets and advice; and exit code 1 if a learner has diverged.
fn finish(args: &StreamArgs, sessions: &Sessions, session: &Session) -> anyhow::Result<()> {
    let all: Vec<Fared> = sessions.members().iter().map(Fared::of).collect();
    let text = || {
        let head = ["target", "samples", "MSE", "of the best baseline"].map(str::to_owned).to_vec();
        let maybe = |value: Option<f64>| value.map_or_else(|| "-".into(), number);
        let line = |one: &Fared| {
            let share = one.against_baseline.map(|times| (1e3 * times).round() / 1e3);
            vec![one.target.clone(), one.steps.to_string(), maybe(one.mean_squared), maybe(share)]
        };
        aligned(&std::iter::once(head).chain(all.iter().map(line)).collect::<Vec<_>>())
    };
    if args.out.is_some() {
        session.answer(&all, text)?;
    } else {
        session.remark(&format!("{} targets\n{}", all.len(), text().trim_end()));
    }
    for one in &all {
        one.advice.iter().for_each(|advice| session.remark(&format!("{}: {advice}", one.target)));
    }
    if sessions.members().iter().any(|(_, member)| member.has_diverged()) && !args.keep_going {
        anyhow::bail!(
            "a learner has diverged; its predictions are of no use (--keep-going ends with 0 all the same)"
        );
    }
    Ok(())
}
