//! Quick forms of the reproduced experiments.
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::cargo::cargo_bin_cmd;
use std::fs;

/// The answer of a quick run, and its exit code.
fn quick(arguments: &[&str]) -> (serde_json::Value, Option<i32>) {
    let output =
        cargo_bin_cmd!("groat").args(["reproduce", "--quick", "--json"]).args(arguments).output().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

#[test]
fn reduction_of_kernel_models() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a10.html");
    let (answer, code) = quick(&["A10", "--report", page.to_str().unwrap()]);
    assert_eq!((&answer["outside"], code), (&serde_json::json!(0), Some(0)), "{answer:#}");
    assert!(fs::read_to_string(page).unwrap().contains("data-series=\"FMKLMS\""));
}

#[test]
fn sequential_projection_learning() {
    let (answer, code) = quick(&["E6"]);
    assert_eq!((&answer["outside"], code), (&serde_json::json!(0), Some(0)), "{answer:#}");
    // The same seed gives the same numbers, whatever the number of threads.
    assert_eq!(answer["rows"], quick(&["E6", "--threads", "1"]).0["rows"]);
}

#[test]
fn kernel_lms_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    let (answer, code) = quick(&["B13", "--data", data.to_str().unwrap()]);
    assert_eq!((&answer["outside"], &answer["missing"], code), (&0.into(), &0.into(), Some(0)), "{answer:#}");
}

#[test]
fn linear_against_gaussian_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    let (answer, code) = quick(&["B11", "--data", data.to_str().unwrap()]);
    assert_eq!((&answer["outside"], &answer["missing"], code), (&0.into(), &0.into(), Some(0)), "{answer:#}");
}

#[test]
fn missing_data_are_never_passed() {
    let empty = tempfile::tempdir().unwrap();
    let (answer, code) = quick(&["B13", "--data", empty.path().to_str().unwrap()]);
    assert_eq!((&answer["outside"], &answer["missing"], code), (&0.into(), &3.into(), Some(1)));
}

#[test]
fn compact_kernels_with_data() {
    let Some(data) = groat::testing::shared("data") else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("d9.html");
    let (answer, code) = quick(&["D9", "--data", data.to_str().unwrap(), "--report", page.to_str().unwrap()]);
    assert_eq!((&answer["outside"], &answer["missing"], code), (&0.into(), &0.into(), Some(0)), "{answer:#}");
    let page = fs::read_to_string(page).unwrap();
    for figure in 1..=8 {
        assert!(page.contains(&format!("Figure {figure}:")), "{figure}");
    }
    assert!(page.len() < 3_000_000, "{}", page.len());
}

#[test]
fn sets_of_the_sparse_models_are_missed_and_peers_are_shown() {
    let empty = tempfile::tempdir().unwrap();
    let (answer, code) = quick(&["C7", "-n", "2", "--data", empty.path().to_str().unwrap()]);
    // The gas furnace, Boston housing, breast cancer and diabetes; the densities need no data.
    assert_eq!((&answer["missing"], code), (&4.into(), Some(1)), "{answer:#}");
    let rows = answer["rows"].as_array().unwrap();
    let peer =
        |row: &serde_json::Value| row["peer"].as_str().is_some_and(|peer| peer.contains("KernelDensity"));
    assert_eq!(rows.iter().filter(|row| peer(row)).count(), rows.len() - 4, "{answer:#}");
}
