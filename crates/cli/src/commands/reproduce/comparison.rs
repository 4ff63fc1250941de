//! One line of a comparison: what a paper says, what is obtained here, and whether that lies in its band.

use crate::output::summary::aligned;
use groat_report::{Table, number};
use serde::Serialize;
use std::fmt;

/// Where a number must lie, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Band {
    pub low: f64,
    pub high: f64,
}

impl Band {
    /// `value` plus or minus the share `relative` of it.
    pub fn about(value: f64, relative: f64) -> Self {
        let half = value.abs() * relative;
        Self { low: value - half, high: value + half }
    }

    /// Anything up to `high`.
    pub fn at_most(high: f64) -> Self {
        Self { low: f64::NEG_INFINITY, high }
    }

    /// From `low` to `high`.
    pub fn within(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Exactly `value`.
    pub fn exactly(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// The band of a mean over fewer realisations: `factor` times as far from its middle.
    pub fn widened(self, factor: f64) -> Self {
        let (middle, half) = ((self.low + self.high) / 2.0, (self.high - self.low) / 2.0 * factor);
        if half.is_finite() { Self { low: middle - half, high: middle + half } } else { self }
    }

    /// The band of a mean over fewer realisations whose values deviate by `deviation`: an upper limit moves by
    /// twice what the standard error grows from the `stated` number of realisations to `taken`.
    pub fn loosened(self, deviation: f64, stated: usize, taken: usize) -> Self {
        let error = |n: usize| deviation / (n as f64).sqrt();
        Self { high: self.high + 2.0 * (error(taken) - error(stated)).max(0.0), ..self }
    }

    fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (number(self.low), number(self.high));
        match () {
            () if self.low == f64::NEG_INFINITY => write!(f, "<= {high}"),
            () if low == high => f.write_str(&low),
            () => write!(f, "{low} .. {high}"),
        }
    }
}

/// What came of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Inside,
    Outside,
    /// Its data are not at hand: neither passed nor failed.
    Missing,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Inside => "inside",
            Verdict::Outside => "OUTSIDE",
            Verdict::Missing => "missing",
        })
    }
}

/// One line of a comparison. Field names are part of the command's interface.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What is compared.
    pub what: String,
    /// What the paper says; empty where it gives no number.
    pub paper: String,
    /// What is obtained here.
    pub ours: Option<f64>,
    /// Where it must lie.
    pub band: Option<Band>,
    /// Whether it does.
    pub verdict: Verdict,
    /// What another program gets on the same data; shown, not judged.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub peer: String,
}

impl Row {
    /// A number with its band.
    pub fn new(what: impl Into<String>, paper: impl Into<String>, ours: f64, band: Band) -> Self {
        let verdict = if band.holds(ours) { Verdict::Inside } else { Verdict::Outside };
        Self {
            what: what.into(),
            paper: paper.into(),
            ours: Some(ours),
            band: Some(band),
            verdict,
            peer: String::new(),
        }
    }

    /// A line that could not be run, and why.
    pub fn missing(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            paper: why.into(),
            ours: None,
            band: None,
            verdict: Verdict::Missing,
            peer: String::new(),
        }
    }

    /// The same line with what another program gets.
    pub fn beside(self, peer: impl Into<String>) -> Self {
        Self { peer: peer.into(), ..self }
    }

    fn cells(&self, peers: bool) -> Vec<String> {
        let mut cells = vec![
            self.what.clone(),
            self.paper.clone(),
            self.ours.map_or_else(|| "-".into(), number),
            self.band.map_or_else(|| "-".into(), |band| band.to_string()),
            self.verdict.to_string(),
        ];
        if peers {
            cells.push(if self.peer.is_empty() { "-".into() } else { self.peer.clone() });
        }
        cells
    }
}

/// The head of the table and its lines; with a column for other programs if there is anything to show in it.
fn cells(rows: &[Row]) -> (Vec<String>, Vec<Vec<String>>) {
    let peers = rows.iter().any(|row| !row.peer.is_empty());
    let head = ["what", "paper", "ours", "band", "verdict", "scikit-learn"];
    let head = head[..5 + usize::from(peers)].iter().map(|name| (*name).to_owned()).collect();
    (head, rows.iter().map(|row| row.cells(peers)).collect())
}

/// The lines as text with aligned columns.
pub fn text(rows: &[Row]) -> String {
    let (head, lines) = cells(rows);
    aligned(&std::iter::once(head).chain(lines).collect::<Vec<_>>())
}

/// The lines as a table of a page.
pub fn table(rows: &[Row]) -> Table {
    let (head, lines) = cells(rows);
    lines.into_iter().fold(Table::new("Comparison", head), Table::row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_band() {
        assert_eq!(Row::new("a", "", 1.04, Band::about(1.0, 0.05)).verdict, Verdict::Inside);
        assert_eq!(Row::new("a", "", 1.06, Band::about(1.0, 0.05)).verdict, Verdict::Outside);
        assert_eq!(Row::new("a", "", f64::NAN, Band::at_most(1.0)).verdict, Verdict::Outside);
        assert_eq!(Row::missing("a", "no data").verdict, Verdict::Missing);
    }

    #[test]
    fn bands_widen_about_their_middle() {
        assert_eq!(Band::within(1.0, 3.0).widened(2.0), Band::within(0.0, 4.0));
        assert_eq!(Band::at_most(1.0).widened(2.0), Band::at_most(1.0));
        assert_eq!(Band::within(1.0, 3.0).to_string(), "1 .. 3");
    }
}
