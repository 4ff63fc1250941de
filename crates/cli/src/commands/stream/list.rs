//! What `--algorithm list`, `--algorithm list=NAME` and `--help` say: every preset and part with its parameters, from the library's tables.

use crate::session::Session;
use groat::online::parts::KINDS;
use groat::online::presets::{self, PRESETS, Preset};
use groat::settings::Parameter;
use serde::Serialize;

/// A preset as JSON. Field names are part of the command's interface.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parts: Vec<(&'static str, &'static str)>,
    parameters: Vec<Taken>,
}

/// A parameter that a preset takes.
#[derive(Serialize)]
struct Taken {
    name: &'static str,
    default: &'static str,
    range: String,
    meaning: &'static str,
}

/// What `--algorithm list` or `--algorithm list=NAME` asks for: all presets, or one; nothing for other names.
pub fn wanted(algorithm: &str) -> Option<Option<&str>> {
    match algorithm.strip_prefix("list")? {
        "" => Some(None),
        rest => rest.strip_prefix('=').map(Some),
    }
}

/// Answers `--algorithm list`, and with a name `--algorithm list=NAME`.
pub fn show(name: Option<&str>, session: &Session) -> anyhow::Result<()> {
    if let Some(name) = name {
        let entry = entry(presets::find(name.trim())?);
        return session.answer(&entry, || entry.text());
    }
    let entries: Vec<Entry> = PRESETS.iter().map(entry).collect();
    session.answer(&entries, || entries.iter().map(Entry::text).collect::<String>() + &parts())
}

/// The end of `groat help stream`.
pub fn help() -> String {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let mut text = format!(
        "Algorithms (--algorithm list tells more, list=NAME of one): {}\n\n{}\nParameters:\n",
        names.join(", "),
        parts()
    );
    for Parameter { name, meaning, range } in presets::parameters::PARAMETERS {
        if !KINDS.iter().any(|(kind, _)| kind == name) {
            text += &format!("  {name:<14} {meaning} ({})\n", range.text());
        }
    }
    text
}

fn entry(preset: &Preset) -> Entry {
    let parts = KINDS.iter().map(|(kind, _)| *kind).zip(preset.parts().iter().copied()).collect();
    let taken = preset
        .parameters()
        .into_iter()
        .filter(|item| !preset.is_mix() || !KINDS.iter().any(|(kind, _)| *kind == item.parameter.name));
    let parameters = taken.map(|item| Taken {
        name: item.parameter.name,
        default: item.default,
        range: item.parameter.range.text(),
        meaning: item.parameter.meaning,
    });
    Entry {
        name: preset.name,
        summary: preset.summary,
        source: preset.source,
        parts,
        parameters: parameters.collect(),
    }
}

impl Entry {
    fn text(&self) -> String {
        let mut text = format!("{}\n    {}\n    {}\n", self.name, self.summary, self.source);
        if !self.parts.is_empty() {
            let parts: Vec<String> = self.parts.iter().map(|(kind, part)| format!("{kind} {part}")).collect();
            text += &format!("    {}\n", parts.join(", "));
        }
        for Taken { name, default, range, meaning } in &self.parameters {
            text += &format!("      {:<20} {meaning} ({range})\n", format!("{name}={default}"));
        }
        text
    }
}

fn parts() -> String {
    let mut text = String::from("Parts, to be exchanged in any preset that has them:\n");
    for (kind, table) in KINDS {
        text += &format!("  --{kind}\n");
        for part in table {
            text += &format!("      {:<26} {}\n", part.name, part.meaning);
        }
    }
    text
}
