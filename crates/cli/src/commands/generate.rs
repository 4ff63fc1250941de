//! `groat generate`: synthetic data sets.

use crate::args::GenerateArgs;
use crate::exit;
use crate::files::Files;
use crate::output::summary::count;
use crate::output::tables::print_table;
use crate::session::Session;
use groat::data::synthetic::{self, Generator};
use groat::data::write_table;
use groat::gram::Memory;
use serde_json::{Value, json};
use std::fmt::Write;

/// Memory for a row: a few numbers, and room to make them.
const HELD: u64 = 64;

/// Runs the command.
pub fn run(args: GenerateArgs, session: &Session) -> anyhow::Result<()> {
    let Some(name) = args.name.filter(|_| !args.list) else { return list(session) };
    Files::default().writes_table("--output", args.output.as_ref()).check()?;
    let generator = synthetic::find(&name)?;
    let rows = args.rows.unwrap_or(generator.rows);
    if (rows as u64).saturating_mul(HELD) > Memory::default().limit() {
        return exit::usage(format!(
            "--rows {rows}: so many rows do not fit into the memory; write them in parts"
        ));
    }
    let settings: Vec<(&str, f64)> = args.set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let table = generator.generate(rows, session.seed, &settings)?;
    session.check_stop()?;
    let Some(output) = args.output else { return print_table(session, &table) };
    write_table(&output, &table)?;
    let answer = json!({ "rows": table.rows(), "columns": table.names(), "seed": session.seed, "files": { "data": output } });
    session.answer(&answer, || {
        format!(
            "{} of {} ({}), written to {}\n",
            count(table.rows(), "row"),
            name,
            table.names().join(", "),
            output.display()
        )
    })
}

/// What there is.
fn list(session: &Session) -> anyhow::Result<()> {
    let all = synthetic::generators();
    let described: Vec<Value> = all.iter().map(description).collect();
    session.answer(&described, || all.iter().map(text).collect())
}

fn description(generator: &Generator) -> Value {
    let settings = generator.settings.iter().map(
        |s| json!({ "name": s.name, "default": s.default, "range": [s.range.0, s.range.1], "about": s.about }),
    );
    json!({
        "name": generator.name,
        "about": generator.about,
        "rows": generator.rows,
        "settings": settings.collect::<Value>(),
    })
}

fn text(generator: &Generator) -> String {
    let mut text = format!("{}: {} ({} rows)\n", generator.name, generator.about, generator.rows);
    for setting in generator.settings {
        let (low, high) = setting.range;
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "    {}={}  {}, {low} to {high}", setting.name, setting.default, setting.about);
    }
    text
}
