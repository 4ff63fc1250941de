//! Several targets that are numbers: a line for each of them and row, and how each fared.

use super::history::History;
use super::lines::Lines;
use super::page;
use super::rows::Rows;
use super::several::{Answers, Run};
use super::summary::Outcome;
use crate::args::StreamArgs;
use crate::output::summary::aligned;
use crate::session::Session;
use groat::data::Record;
use groat::online::{self, Sessions};
use groat_report::number;
use serde::Serialize;

/// The lines, and the course of each target.
pub struct Columns<'a> {
    args: &'a StreamArgs,
    lines: Lines,
    histories: Vec<History>,
    /// Where the key stands in a row.
    key: Option<usize>,
}

impl<'a> Columns<'a> {
    pub fn open(
        args: &'a StreamArgs,
        rows: &Rows,
        sessions: &Sessions,
        session: &Session,
    ) -> anyhow::Result<Self> {
        let key = args.key.as_ref().and_then(|key| rows.names().iter().position(|name| name == key));
        let lines = Lines::open(args.out.as_deref(), session.json, rows.live, sessions.rows())?;
        let start = |(_, session): &(String, online::Session)| History::new(session.totals().steps);
        Ok(Self { args, lines, histories: sessions.members().iter().map(start).collect(), key })
    }
}

impl Answers for Columns<'_> {
    fn take(&mut self, sessions: &mut Sessions, row: &Record) -> anyhow::Result<()> {
        let key = self.key.and_then(|at| row.cells.get(at)).map(ToString::to_string);
        let mut failed = Ok(());
        sessions.take(row, key.as_deref(), |at, name, answer| {
            self.lines.about(name);
            if failed.is_ok() {
                failed = super::put(self.args.every, &mut self.histories[at], &mut self.lines, answer);
            }
            Ok(())
        })?;
        failed
    }

    fn forecast(&mut self, sessions: &Sessions) -> anyhow::Result<()> {
        let Some(count) = self.args.forecast else { return Ok(()) };
        for ((name, member), history) in sessions.members().iter().zip(&mut self.histories) {
            self.lines.about(name);
            let forecasts = member.forecast(count)?;
            for forecast in &forecasts {
                self.lines.forecast(sessions.rows() + forecast.ahead, forecast.value)?;
            }
            history.forecast(&forecasts);
        }
        self.lines.flush()
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.lines.flush()
    }

    fn page(&self, run: &Run<'_>) -> anyhow::Result<String> {
        let outcome =
            |member: &online::Session| Outcome::new(self.args, member, run.source.to_owned(), run.time);
        let members = run.sessions.members().iter().zip(&self.histories);
        let members: Vec<(&online::Session, &History, Outcome)> =
            members.map(|((_, member), history)| (member, history, outcome(member))).collect();
        page::page_of_targets(&members, run.source)
    }

    /// The table of targets and advice; and exit code 1 if a learner has diverged.
    fn conclude(&self, run: &Run<'_>, session: &Session) -> anyhow::Result<()> {
        let members = run.sessions.members();
        let all: Vec<Fared> = members.iter().map(Fared::of).collect();
        if self.args.out.is_some() {
            session.answer(&all, || table(&all))?;
        } else {
            session.remark(&format!("{} targets\n{}", all.len(), table(&all).trim_end()));
        }
        for one in &all {
            one.advice.iter().for_each(|advice| session.remark(&format!("{}: {advice}", one.target)));
        }
        if members.iter().any(|(_, member)| member.has_diverged()) && !self.args.keep_going {
            anyhow::bail!(
                "a learner has diverged; its predictions are of no use (--keep-going ends with 0 all the same)"
            );
        }
        Ok(())
    }
}

fn table(all: &[Fared]) -> String {
    let head = ["target", "samples", "MSE", "of the best baseline"].map(str::to_owned).to_vec();
    let maybe = |value: Option<f64>| value.map_or_else(|| "-".into(), number);
    let line = |one: &Fared| {
        let share = one.against_baseline.map(|times| (1e3 * times).round() / 1e3);
        vec![one.target.clone(), one.steps.to_string(), maybe(one.mean_squared), maybe(share)]
    };
    aligned(&std::iter::once(head).chain(all.iter().map(line)).collect::<Vec<_>>())
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
