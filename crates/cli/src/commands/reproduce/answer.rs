//! What the command says: the lines with their two verdicts, the reasons, and the count of them.

use super::Experiment;
use super::estimate::COVERAGE;
use super::line::{Line, Ours, Reason};
use super::record::Record;
use super::verdict::{Against, Judged, Memory};
use crate::output::summary::{aligned, duration};
use groat_report::{Section, number};
use serde::{Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// The result of one experiment. Field names are part of the command's interface.
#[derive(Serialize)]
pub struct Answer {
    #[serde(serialize_with = "name")]
    pub experiment: &'static Experiment,
    pub quick: bool,
    pub realisations: usize,
    pub seed: u64,
    pub seconds: f64,
    pub lines: Vec<Judged>,
    /// Findings beyond the paper.
    pub beyond: Vec<String>,
    #[serde(skip)]
    pub figures: Vec<Section>,
}

fn name<S: Serializer>(experiment: &&'static Experiment, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(experiment.name)
}

/// The result of all experiments that were run. Field names are part of the command's interface.
#[derive(Serialize)]
pub struct Answers {
    pub coverage: f64,
    pub tally: Tally,
    pub experiments: Vec<Answer>,
}

/// How many lines got which verdict. Field names are part of the command's interface.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Tally {
    pub agree: usize,
    pub doubtful: usize,
    pub differ: usize,
    pub unexplained: usize,
    pub silent: usize,
    pub quoted: usize,
    pub missing: usize,
    pub unchanged: usize,
    pub changed: usize,
    pub unrecorded: usize,
}

impl Tally {
    /// Counts the verdicts.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a Judged>) -> Self {
        let mut tally = Self::default();
        for line in lines {
            *match line.against {
                Against::Agrees => &mut tally.agree,
                Against::Doubtful => &mut tally.doubtful,
                Against::Differs => &mut tally.differ,
                Against::Unexplained => &mut tally.unexplained,
                Against::Silent => &mut tally.silent,
                Against::Quoted => &mut tally.quoted,
                Against::Missing => &mut tally.missing,
            } += 1;
            match line.record {
                Memory::Unchanged => tally.unchanged += 1,
                Memory::Changed => tally.changed += 1,
                Memory::Absent => tally.unrecorded += 1,
                Memory::Passing => {}
            }
        }
        tally
    }

    /// Whether a line that should agree does not, or is not what it was.
    pub fn failed(&self) -> bool {
        self.unexplained + self.changed > 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some =
            |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
        write!(
            f,
            "{} agree{}, {} differ with a reason, {} unexplained{}{}; record: {} unchanged, {} changed{}",
            self.agree,
            some(self.doubtful, "doubtful"),
            self.differ,
            self.unexplained,
            some(self.silent, "without a number of the paper"),
            some(self.missing, "missing"),
            self.unchanged,
            self.changed,
            some(self.unrecorded, "not in it"),
        )
    }
}

impl Answers {
    /// All results together.
    pub fn new(experiments: Vec<Answer>) -> Self {
        let tally = Tally::of(experiments.iter().flat_map(|answer| &answer.lines));
        Self { coverage: COVERAGE, tally, experiments }
    }

    /// For a person; the last line counts.
    pub fn text(&self) -> String {
        let mut text: String = self.experiments.iter().map(Answer::text).collect();
        if self.experiments.len() > 1 {
            text.push_str(&format!("{}\n", self.tally));
        }
        text
    }

    /// Fails unless every line was run, agrees or has a reason, and is what it was.
    pub fn verdict(&self) -> anyhow::Result<()> {
        let Tally { unexplained, changed, missing, .. } = self.tally;
        match (unexplained, changed, missing) {
            (0, 0, 0) => Ok(()),
            (0, 0, missing) => {
                anyhow::bail!(
                    "{missing} parts were not run: data are missing; their lines say how to get them"
                )
            }
            (unexplained, changed, _) => anyhow::bail!(
                "{unexplained} lines differ from their paper without a reason, {changed} from the record"
            ),
        }
    }
}

impl Answer {
    /// The numbers as a record.
    pub fn record(&self) -> Record {
        let lines: Vec<Line> = self.lines.iter().map(|judged| judged.line.clone()).collect();
        Record::of(self.experiment.name, self.quick, self.seed, self.realisations, &lines)
    }

    fn text(&self) -> String {
        let Experiment { name, title, source, .. } = self.experiment;
        let reasons = reasons(&self.lines);
        let lines = aligned(&self.cells(&reasons));
        let notes: String = reasons.iter().enumerate().map(|(i, r)| note(i, r)).collect();
        let beyond: String = self.beyond.iter().map(|line| format!("beyond the paper: {line}\n")).collect();
        format!("{name}: {title}\n{source}\n\n{lines}\n{notes}{beyond}{}\n", self.tally_line())
    }

    /// The count of the lines, and what they were run with.
    pub fn tally_line(&self) -> String {
        let time = duration(Duration::from_secs_f64(self.seconds));
        let (name, realisations, seed) = (self.experiment.name, self.realisations, self.seed);
        let tally = Tally::of(&self.lines);
        format!("{name}, {realisations} realisations, seed {seed}, {time}: {tally}")
    }

    fn cells(&self, reasons: &[&Reason]) -> Vec<Vec<String>> {
        let peers = self.lines.iter().any(|judged| !judged.line.peer.is_empty());
        let head =
            ["what", "paper", "ours", "99 % interval", "against the paper", "record", "another program"];
        let width = head.len() - usize::from(!peers);
        let head = head[..width].iter().map(|name| (*name).to_owned()).collect();
        let line = |judged: &Judged| {
            let mut cells = vec![
                judged.what.clone(),
                judged.line.paper.to_string(),
                judged.ours(),
                judged.line.found().map(|ours| ours.interval()).unwrap_or_default(),
                judged.against(reasons),
                judged.record.to_string(),
            ];
            if peers {
                cells.push(judged.line.peer.clone());
            }
            cells
        };
        std::iter::once(head).chain(self.lines.iter().map(line)).collect()
    }
}

/// The reasons of the lines that differ, each once.
pub fn reasons(lines: &[Judged]) -> Vec<&Reason> {
    let mut reasons: Vec<&Reason> = Vec::new();
    for reason in
        lines.iter().filter(|line| line.against == Against::Differs).filter_map(|l| l.line.reason.as_ref())
    {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// A reason with the number by which lines refer to it.
fn note(index: usize, reason: &Reason) -> String {
    format!("({}) {}: {}\n", index + 1, reason.kind, reason.why)
}

impl Judged {
    /// Our number as text.
    pub fn ours(&self) -> String {
        match &self.line.ours {
            Ours::Found(ours) => number(ours.value),
            Ours::Quoted => "not run".into(),
            Ours::Missing(_) => "-".into(),
        }
    }

    /// The verdict against the paper as text, with the number of its reason.
    pub fn against(&self, reasons: &[&Reason]) -> String {
        let far = self.errors.map_or_else(
            || self.relative().map(|share| format!(" by {} %", number(100.0 * share))).unwrap_or_default(),
            |errors| format!(", {errors:.1} s.e."),
        );
        match self.against {
            Against::Agrees => "agrees".into(),
            Against::Doubtful => format!("doubtful{far}"),
            Against::Differs => {
                let place = reasons.iter().position(|r| Some(*r) == self.line.reason.as_ref());
                format!("differs{far} ({})", place.map_or(0, |at| at + 1))
            }
            Against::Unexplained => format!("UNEXPLAINED{far}"),
            Against::Silent => "no number".into(),
            Against::Quoted => "the paper's alone".into(),
            Against::Missing => match &self.line.ours {
                Ours::Missing(help) => format!("missing: {help}"),
                _ => "missing".into(),
            },
        }
    }

    /// The share by which our number is larger than the paper's.
    pub fn relative(&self) -> Option<f64> {
        let super::paper::Paper::Number(printed) = &self.line.paper else { return None };
        let ours = self.line.found()?;
        (printed.value != 0.0).then(|| ours.value / printed.value - 1.0)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Memory::Unchanged => "unchanged",
            Memory::Changed => "CHANGED",
            Memory::Absent => "no record",
            Memory::Passing => "-",
        })
    }
}
