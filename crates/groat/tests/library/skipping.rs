//! A test without its data is counted, and fails where it must not be skipped.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::process::{Command, Output};

/// This test program once more: the tests that begin so, with no data at hand.
fn without_data(tests: &str, variable: &str, value: &str) -> Output {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.arg(tests).env("GROAT_DATA", "/nowhere").env_remove("GROAT_REQUIRE_DATA").env(variable, value);
    command.output().unwrap()
}

#[test]
fn skipped_tests_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("skipped");
    let output = without_data("ols_papers::", "GROAT_SKIPPED", file.to_str().unwrap());
    assert!(output.status.success(), "{output:?}");
    let noted = std::fs::read_to_string(&file).unwrap();
    let tests: BTreeSet<&str> = noted.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
    let ran = String::from_utf8(output.stdout).unwrap();
    assert!(ran.contains(&format!("{} passed", tests.len())) && tests.len() > 3, "{ran}{noted}");
}

#[test]
fn required_data_must_be_there() {
    let output = without_data("ols_papers::", "GROAT_REQUIRE_DATA", "1");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success() && said.contains("0 passed"), "{said}");
    assert!(said.contains("GROAT_REQUIRE_DATA forbids to skip this test: data/boston_housing"), "{said}");
}
