//! Quick forms of the reproduced experiments.
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The answer of a quick run, and its exit code.
fn quick(arguments: &[&str]) -> (Value, Option<i32>) {
    let output =
        cargo_bin_cmd!("groat").args(["reproduce", "--quick", "--json"]).args(arguments).output().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

/// Nothing is unexplained, changed or missing, and every number of the paper stands in its text.
fn agrees((answer, code): &(Value, Option<i32>), document: &str) {
    let tally = &answer["tally"];
    for count in ["unexplained", "changed", "missing", "unrecorded"] {
        assert_eq!(tally[count], 0, "{count}: {tally:#}");
    }
    assert_eq!(*code, Some(0));
    let Some(folder) = groat::testing::shared("seeds") else { return };
    let text = fs::read_to_string(folder.join(document)).unwrap();
    for line in lines(answer) {
        for digits in line["paper"]["number"]["texts"].as_array().into_iter().flatten() {
            let digits = digits.as_str().unwrap();
            let alone = |at: usize| {
                let (before, after) = (&text[..at], &text[at + digits.len()..]);
                let numeric = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
                !numeric(before.chars().next_back()) && !numeric(after.chars().next())
            };
            assert!(
                text.match_indices(digits).any(|(at, _)| alone(at)),
                "{digits} of {} is not printed",
                line["what"]
            );
        }
    }
}

fn lines(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["experiments"].as_array().unwrap().iter().flat_map(|e| e["lines"].as_array().unwrap())
}

const REDUCTION: &str = "000_d8967aaca20e60ce.txt";
const SLIDES: &str = "001_c654c80cb0876b6a.txt";
const UNIFIED: &str = "002_6be9f4c2a5cf465c.txt";
const COMPACT: &str = "003_4c02024c521f1ff6.txt";
const COHERENCE: &str = "004_ae2881df802f225f.txt";

#[test]
fn reduction_of_kernel_models() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a10.html");
    agrees(&quick(&["A10", "--report", page.to_str().unwrap()]), REDUCTION);
    assert!(fs::read_to_string(page).unwrap().contains("data-series=\"FMKLMS\""));
}

#[test]
fn sequential_projection_learning() {
    let answer = quick(&["E6"]);
    agrees(&answer, COHERENCE);
    // The same seed gives the same numbers, whatever the number of threads.
    assert_eq!(
        answer.0["experiments"][0]["lines"],
        quick(&["E6", "--threads", "1"]).0["experiments"][0]["lines"]
    );
}

#[test]
fn kernel_lms_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    agrees(&quick(&["B13", "--data", data.to_str().unwrap()]), SLIDES);
}

#[test]
fn linear_against_gaussian_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    agrees(&quick(&["B11", "--data", data.to_str().unwrap()]), SLIDES);
}

#[test]
fn low_rank_machines_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    // The slides print no number.
    let (answer, code) = quick(&["B8", "--data", data.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    for count in ["changed", "missing", "unrecorded", "agree"] {
        assert_eq!(answer["tally"][count], 0, "{count}: {:#}", answer["tally"]);
    }
    assert!(lines(&answer).count() > 20);
}

#[test]
fn missing_data_are_never_passed() {
    let empty = tempfile::tempdir().unwrap();
    let (answer, code) = quick(&["B13", "--data", empty.path().to_str().unwrap()]);
    assert_eq!((&answer["tally"]["missing"], code), (&3.into(), Some(1)));
    let missing = lines(&answer).filter(|line| line["against"] == "missing");
    assert!(missing.into_iter().all(|line| line["ours"]["missing"].as_str().unwrap().contains("--data")));
}

#[test]
fn compact_kernels_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("d9.html");
    let answer = quick(&["D9", "--data", data.to_str().unwrap(), "--report", page.to_str().unwrap()]);
    agrees(&answer, COMPACT);
    let page = fs::read_to_string(page).unwrap();
    for figure in 1..=8 {
        assert!(page.contains(&format!("Figure {figure}:")), "{figure}");
    }
    assert!(page.len() < 3_000_000, "{}", page.len());
}

/// The densities need no data; the other sets are missed, and the paper's rows stand there all the same.
#[test]
fn sets_of_the_sparse_models_are_missed_and_peers_are_shown() {
    let empty = tempfile::tempdir().unwrap();
    let (answer, code) = quick(&["C7", "-n", "2", "--data", empty.path().to_str().unwrap()]);
    assert_eq!((&answer["tally"]["missing"], code), (&4.into(), Some(1)), "{:#}", answer["tally"]);
    let peer = |line: &Value| line["peer"].as_str().is_some_and(|peer| peer.contains("KernelDensity"));
    assert_eq!(lines(&answer).filter(|line| peer(line)).count(), 9);
    assert!(lines(&answer).filter(|line| line["against"] == "quoted").count() > 20);
}

/// Two splits tell little, but every part is run, and the numbers of the paper are read again.
#[test]
fn sparse_models_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    agrees(&quick(&["C7", "-n", "2", "--data", data.to_str().unwrap()]), UNIFIED);
}

/// A record that was written is the committed one, and a number that is not what it was fails.
#[test]
fn records_are_written_by_the_command() {
    let folder = tempfile::tempdir().unwrap();
    quick(&["E6", "--record", folder.path().to_str().unwrap()]);
    let read = |path: &Path| -> Value { serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap() };
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands/reproduce/record/e6-quick.json");
    let (written, committed) = (read(&folder.path().join("e6-quick.json")), read(&committed));
    assert_eq!(
        written["lines"].as_object().unwrap().keys().collect::<Vec<_>>(),
        committed["lines"].as_object().unwrap().keys().collect::<Vec<_>>()
    );
    assert_eq!(written["realisations"], committed["realisations"]);
}

/// Other seeds: the share of numbers beyond their intervals is small, and no run fails.
#[test]
fn seeds_stay_within_their_intervals() {
    let told = quick(&["E6", "--seeds", "12"]).0;
    let of = |name: &str| told[0][name].as_f64().unwrap();
    assert!(of("comparisons") > 100.0 && of("share") < 0.05, "{told:#}");
    assert_eq!(of("failed"), 0.0, "{told:#}");
}
