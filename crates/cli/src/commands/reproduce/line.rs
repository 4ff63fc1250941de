//! One line of a comparison: where it stands in the paper, what the paper says, what is obtained here.

use super::estimate::Estimate;
use super::paper::{Claim, Paper, Printed};
use serde::Serialize;
use std::fmt;

/// One line of a comparison. Field names are part of the command's interface.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Table, figure or passage of the paper, or what of it is taken further.
    pub part: String,
    /// Row and column there.
    pub row: String,
    pub column: String,
    pub paper: Paper,
    pub ours: Ours,
    /// Why the two differ, should they.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What another program gets on the same data; shown, not judged.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub peer: String,
    /// Whether the value is one that the record keeps: not so for times and for rounding errors.
    #[serde(skip)]
    pub kept: bool,
}

/// What there is of ours.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ours {
    Found(Estimate),
    /// The paper's own comparison with others, not run here.
    Quoted,
    /// Its data are not at hand: what to do about it.
    Missing(String),
}

/// Why a number differs from the paper's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    pub kind: Kind,
    pub why: String,
}

/// Kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Misprint,
    /// The paper's own definitions do not lead to its number.
    Unreachable,
    /// The paper leaves a setting open.
    Unstated,
    /// Not the paper's data.
    Data,
    Hardware,
}

impl Line {
    /// A line with our number.
    pub fn new(
        part: impl Into<String>,
        row: impl Into<String>,
        column: impl Into<String>,
        ours: Estimate,
    ) -> Self {
        Self {
            part: part.into(),
            row: row.into(),
            column: column.into(),
            paper: Paper::Silent,
            ours: Ours::Found(ours),
            reason: None,
            peer: String::new(),
            kept: true,
        }
    }

    /// A number of the paper beside which there is none of ours.
    pub fn quoted(
        part: impl Into<String>,
        row: impl Into<String>,
        column: impl Into<String>,
        paper: Printed,
    ) -> Self {
        let line = Self::new(part, row, column, Estimate::exact(f64::NAN)).printed(paper);
        Self { ours: Ours::Quoted, ..line }
    }

    /// Lines that could not be run, and what would help.
    pub fn missing(part: impl Into<String>, row: impl Into<String>, help: impl Into<String>) -> Self {
        let line = Self::new(part, row, "", Estimate::exact(f64::NAN));
        Self { ours: Ours::Missing(help.into()), ..line }
    }

    /// The number that the paper prints.
    pub fn printed(self, paper: Printed) -> Self {
        Self { paper: paper.into(), ..self }
    }

    /// What the paper says in words, and where the number must lie for it to be true.
    pub fn claim(self, words: &'static str, low: f64, high: f64) -> Self {
        Self { paper: Paper::Claim(Claim { words, low, high }), ..self }
    }

    /// Why it differs, should it.
    pub fn because(self, kind: Kind, why: impl Into<String>) -> Self {
        Self { reason: Some(Reason { kind, why: why.into() }), ..self }
    }

    /// What another program gets.
    pub fn beside(self, peer: impl Into<String>) -> Self {
        Self { peer: peer.into(), ..self }
    }

    /// The record does not keep this number.
    pub fn passing(self) -> Self {
        Self { kept: false, ..self }
    }

    /// What is compared, in one phrase; lines of an experiment differ in it.
    pub fn what(&self) -> String {
        match (self.row.as_str(), self.column.as_str()) {
            ("", "") => self.part.clone(),
            (row, "") => format!("{}, {row}", self.part),
            ("", column) => format!("{}: {column}", self.part),
            (row, column) => format!("{}, {row}: {column}", self.part),
        }
    }

    /// Our number, if there is one.
    pub fn found(&self) -> Option<&Estimate> {
        if let Ours::Found(estimate) = &self.ours { Some(estimate) } else { None }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Misprint => "misprint",
            Kind::Unreachable => "unreachable as written",
            Kind::Unstated => "setting not stated",
            Kind::Data => "other data",
            Kind::Hardware => "hardware",
        })
    }
}
