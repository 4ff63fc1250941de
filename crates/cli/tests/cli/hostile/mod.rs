//! Bad and extreme inputs without end: files, models, settings and places to write to, drawn by seed, against every
//! command. Whatever comes, some laws hold:
//!
//! - the exit code is 0, 1 or 2, and no signal ended the command; there is no word of a panic;
//! - it ends in time and within its memory;
//! - a failure is told in a few lines that say `groat:` or, for a call that cannot be read, `error:`;
//! - with `--json` what is printed is JSON;
//! - no input is changed, nothing is left half written, and a model that was written can be read.
//!
//! A few thousand cases are part of the tests. `GROAT_HOSTILE=100000` in the environment asks for more, and
//! `GROAT_HOSTILE_SEED` for others; `comparisons/hostile` does so and shows the counts by kind.

mod calls;
mod inputs;
mod laws;

use std::collections::BTreeMap;
use std::path::Path;

use rand::SeedableRng;
use rand_pcg::Pcg64;

use super::common::Folder;

/// Cases of each of the four tests.
const CASES: u64 = 550;

/// How many cases ended how.
type Counts = BTreeMap<String, u64>;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A quarter of the cases: those whose number leaves this rest.
fn attack(quarter: u64) {
    let cases = number("GROAT_HOSTILE").map_or(CASES, |all| all.div_ceil(4));
    let seed = number("GROAT_HOSTILE_SEED").unwrap_or(0);
    let folder = Folder::new();
    let stock = inputs::Stock::new(folder.path());
    let (mut counts, mut broken) = (Counts::new(), Vec::new());
    for case in (0..cases).map(|case| 4 * case + quarter) {
        let mut rng = Pcg64::seed_from_u64(seed << 32 | case);
        let call = calls::Call::draw(&stock, &mut rng);
        let (outcome, wrong) = laws::check(&call, folder.path());
        *counts.entry(format!("{:13} {:22} {outcome}", call.command, call.kind)).or_default() += 1;
        broken
            .extend(wrong.map(|wrong| format!("case {case}: groat {}\n  {wrong}", call.arguments.join(" "))));
        clean(folder.path(), &stock.kept);
    }
    tell(&counts);
    assert!(broken.is_empty(), "{} of {cases} cases:\n{}", broken.len(), broken.join("\n"));
}

/// Removes what a case has written.
fn clean(folder: &Path, kept: &[String]) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if !kept.iter().any(|name| entry.file_name().to_str() == Some(name)) {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// The counts, where the long form was asked for.
fn tell(counts: &Counts) {
    if number("GROAT_HOSTILE").is_some() {
        counts.iter().for_each(|(kind, count)| println!("{count:8}  {kind}"));
    }
}

#[test]
fn first_quarter() {
    attack(0);
}

#[test]
fn second_quarter() {
    attack(1);
}

#[test]
fn third_quarter() {
    attack(2);
}

#[test]
fn fourth_quarter() {
    attack(3);
}
