//! What `--algorithm list`, `--algorithm list=NAME` and `--help` say, from the library's tables.

use crate::output::summary::aligned;
use crate::session::Session;
use groat::online::parts::KINDS;
use groat::online::presets::{self, NEEDS, PRESETS, Preset, TOOLBOX};
use groat::settings::Parameter;
use serde::Serialize;

/// A preset as JSON. Field names are part of the command's interface.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    /// What it is good for.
    needs: Vec<&'static str>,
    /// When to use it, cost and memory, where the short table has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<&'static str>,
    source: &'static str,
    parts: Vec<(&'static str, &'static str)>,
    parameters: Vec<Taken>,
    /// Its name in KAFBOX, and the names of its parameters there.
    #[serde(skip_serializing_if = "Option::is_none")]
    toolbox: Option<String>,
}

/// A parameter that a preset takes.
#[derive(Serialize)]
struct Taken {
    name: &'static str,
    default: &'static str,
    range: String,
    meaning: &'static str,
}

/// A line of the short table.
#[derive(Serialize)]
struct Choice {
    need: &'static str,
    name: &'static str,
    cost: &'static str,
    memory: &'static str,
    when: &'static str,
}

/// What `--algorithm list` or `--algorithm list=NAME` asks for: all presets, or one; nothing for other names.
pub fn wanted(algorithm: &str) -> Option<Option<&str>> {
    match algorithm.strip_prefix("list")? {
        "" => Some(None),
        rest => rest.strip_prefix('=').map(Some),
    }
}

/// Answers `--algorithm list`, and with a name `--algorithm list=NAME`.
pub fn show(name: Option<&str>, all: bool, session: &Session) -> anyhow::Result<()> {
    if let Some(name) = name {
        let entry = entry(find(name.trim())?);
        return session.answer(&entry, || entry.text());
    }
    if all {
        let entries: Vec<Entry> = PRESETS.iter().map(entry).collect();
        return session.answer(&entries, || entries.iter().map(Entry::text).collect::<String>() + &parts());
    }
    let choice = |need: &presets::Need| {
        let name = need.name;
        need.presets.iter().map(move |suited| Choice {
            need: name,
            name: suited.preset,
            cost: suited.cost,
            memory: suited.memory,
            when: suited.when,
        })
    };
    let choices: Vec<Choice> = NEEDS.iter().flat_map(choice).collect();
    session.answer(&choices, || short(&choices))
}

/// A preset by its own name or by that of the toolbox.
fn find(name: &str) -> groat::Result<&'static Preset> {
    let known = TOOLBOX.iter().find(|translation| translation.class == name);
    match presets::find(name) {
        Err(_) if known.is_some() => presets::find(known.map_or(name, |translation| translation.preset)),
        found => found,
    }
}

/// The short table: which algorithm when.
fn short(choices: &[Choice]) -> String {
    let mut lines =
        vec![["", "algorithm", "work a sample", "numbers kept", "when"].map(str::to_owned).to_vec()];
    let mut need = "";
    for choice in choices {
        let first = if choice.need == need { "" } else { choice.need };
        need = choice.need;
        lines.push([first, choice.name, choice.cost, choice.memory, choice.when].map(str::to_owned).to_vec());
    }
    format!(
        "{}\nm vectors (--set budget=m), d features. In doubt: --compare all ranks every algorithm on your rows, --tune \
         looks for settings.\n--algorithm list=NAME tells of one, also by its KAFBOX name; --algorithm list --all of all {}.\n",
        aligned(&lines),
        PRESETS.len()
    )
}

/// The end of `groat help stream`.
pub fn help() -> String {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let mut text = format!(
        "Algorithms (--algorithm list says which when, list=NAME tells of one): {}\n\n{}\nParameters:\n",
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
    let serving = || NEEDS.iter().filter(|need| need.presets.iter().any(|s| s.preset == preset.name));
    let suited = serving().flat_map(|need| need.presets).find(|suited| suited.preset == preset.name);
    Entry {
        name: preset.name,
        summary: preset.summary,
        needs: serving().map(|need| need.name).collect(),
        when: suited.map(|suited| suited.when),
        cost: suited.map(|suited| suited.cost),
        memory: suited.map(|suited| suited.memory),
        source: preset.source,
        parts,
        parameters: parameters.collect(),
        toolbox: TOOLBOX.iter().find(|translation| translation.preset == preset.name).map(toolbox),
    }
}

/// `krlst (M is budget)`; parameters of the same name are left out.
fn toolbox(translation: &presets::Translation) -> String {
    let renamed =
        translation.parameters.iter().filter(|(theirs, ours)| theirs != ours && !theirs.starts_with('='));
    let pairs: Vec<String> = renamed.map(|(theirs, ours)| format!("{theirs} is {ours}")).collect();
    if pairs.is_empty() {
        return translation.class.to_owned();
    }
    format!("{} ({})", translation.class, pairs.join(", "))
}

impl Entry {
    fn text(&self) -> String {
        let mut text = format!("{}\n    {}\n    {}\n", self.name, self.summary, self.source);
        if let (Some(when), Some(cost), Some(memory)) = (self.when, self.cost, self.memory) {
            text += &format!("    use it for: {}; {when}\n", self.needs.join(", "));
            text += &format!("    work a sample {cost}, numbers kept {memory} (m vectors, d features)\n");
        }
        if let Some(toolbox) = &self.toolbox {
            text += &format!("    in KAFBOX: {toolbox}\n");
        }
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
