//! The record: what each experiment gave at a stated seed and number of realisations. `--record` writes it; nobody
//! types it in.

use super::line::Line;
use crate::session::write_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Numbers of one experiment in one form.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    pub experiment: String,
    pub quick: bool,
    pub seed: u64,
    pub realisations: usize,
    lines: BTreeMap<String, Entry>,
}

/// One recorded number: value, standard error on the scale of its line, realisations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub value: f64,
    pub error: f64,
    pub runs: usize,
}

impl Entry {
    /// Degrees of freedom of the error.
    pub fn freedom(&self) -> f64 {
        if self.runs > 1 { self.runs as f64 - 1.0 } else { f64::INFINITY }
    }
}

/// The committed records: experiment, form, text.
const RECORDS: &[(&str, bool, &str)] = &[
    ("A10", true, include_str!("record/a10-quick.json")),
    ("A10", false, include_str!("record/a10.json")),
    ("B8", true, include_str!("record/b8-quick.json")),
    ("B8", false, include_str!("record/b8.json")),
    ("B11", true, include_str!("record/b11-quick.json")),
    ("B11", false, include_str!("record/b11.json")),
    ("B13", true, include_str!("record/b13-quick.json")),
    ("B13", false, include_str!("record/b13.json")),
    ("C7", true, include_str!("record/c7-quick.json")),
    ("C7", false, include_str!("record/c7.json")),
    ("D9", true, include_str!("record/d9-quick.json")),
    ("D9", false, include_str!("record/d9.json")),
    ("E6", true, include_str!("record/e6-quick.json")),
    ("E6", false, include_str!("record/e6.json")),
];

impl Record {
    /// The committed record of an experiment in a form; an empty one where there is none.
    pub fn committed(experiment: &str, quick: bool) -> anyhow::Result<Self> {
        let found = RECORDS.iter().find(|(name, form, _)| *name == experiment && *form == quick);
        found.map_or_else(|| Ok(Self::default()), |(_, _, text)| Ok(serde_json::from_str(text)?))
    }

    /// The numbers of these lines.
    pub fn of(experiment: &str, quick: bool, seed: u64, realisations: usize, lines: &[Line]) -> Self {
        let kept = lines.iter().filter(|line| line.kept).filter_map(|line| {
            let ours = line.found().filter(|ours| ours.scale != super::estimate::Scale::Time)?;
            Some((line.what(), Entry { value: ours.value, error: ours.error, runs: ours.runs }))
        });
        Self { experiment: experiment.into(), quick, seed, realisations, lines: kept.collect() }
    }

    /// What was recorded for a line.
    pub fn find(&self, what: &str) -> Option<&Entry> {
        self.lines.get(what)
    }

    /// Writes the file of this record to a folder.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let form = if self.quick { "-quick" } else { "" };
        let path = folder.join(format!("{}{form}.json", self.experiment.to_lowercase()));
        write_file(&path, format!("{}\n", serde_json::to_string_pretty(self)?).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::EXPERIMENTS;
    use super::*;

    #[test]
    fn every_experiment_has_its_records() {
        for experiment in EXPERIMENTS {
            for quick in [false, true] {
                let record = Record::committed(experiment.name, quick).unwrap();
                assert_eq!((record.experiment.as_str(), record.quick), (experiment.name, quick));
                assert!(!record.lines.is_empty());
            }
        }
    }
}
