//! Compact kernels from the command line: `tune-support`, `fit --method lssvm`, `pca`.
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Points of a square, and a wave over it.
fn square(rows: usize) -> String {
    let noise = |i: usize, step: f64| ((i as f64 + 0.5) * step).fract();
    let mut text = "a,b,y,class\n".to_owned();
    for i in 0..rows {
        let (a, b) = (noise(i, 0.754_877_666_246_693), noise(i, 0.569_840_290_998_053));
        let y = (6.0 * a).sin() * (4.0 * b).cos() + 0.1 * noise(i * i + 7, 0.618_033_988_749_895);
        let class = ["low", "middle", "high"][(y + 1.0) as usize % 3];
        writeln!(text, "{a},{b},{y},{class}").unwrap();
    }
    text
}

/// Three clusters in the plane.
fn clusters() -> String {
    let noise = |i: usize, step: f64| ((i as f64 + 0.5) * step).fract() - 0.5;
    let mut text = "a,b\n".to_owned();
    for i in 0..90 {
        let (x, y) = [(-0.5, -0.2), (0.0, 0.6), (0.5, 0.0)][i % 3];
        let (dx, dy) = (0.35 * noise(i, 0.754_877_666), 0.35 * noise(i, 0.569_840_291));
        writeln!(text, "{},{}", x + dx, y + dy).unwrap();
    }
    text
}

fn folder(name: &str, content: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    folder
}

/// What the command answers, as JSON.
fn json(folder: &Path, line: &str) -> Value {
    let output = run(folder, &format!("{line} --json"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Why the command fails.
fn failure(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert!(!output.status.success() && output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn run(folder: &Path, line: &str) -> std::process::Output {
    cargo_bin_cmd!("groat").current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn notes(answer: &Value) -> String {
    answer["notes"].to_string()
}

#[test]
fn supports_are_tuned_by_every_rule() {
    let folder = folder("square.csv", &square(600));
    let tune = |rest: &str| {
        json(
            folder.path(),
            &format!("tune-support square.csv --features a,b --kernel gaussian:width=0.3 {rest}"),
        )
    };
    let aligned = tune("--rule alignment=0.9");
    assert!(number(&aligned["alignment"]) >= 0.9 && aligned["exact"] == true);
    let sparse = tune("--rule sparsity=0.95");
    assert!(number(&sparse["sparsity"]) >= 0.95);
    // The matrix that is promised is the one that is assembled.
    let zeros = 1.0 - number(&sparse["nonzeros"]) / (600.0 * 600.0);
    assert!((zeros - number(&sparse["sparsity"])).abs() < 1e-12, "{zeros}");
    let combined = tune("--rule combined=0.5");
    let score = |p: &Value| number(&p["alignment"]) + 0.5 * number(&p["sparsity"]);
    let curve = combined["curve"].as_array().unwrap();
    assert!(
        curve.len() > 50
            && curve.iter().all(|p| score(p) <= score(&combined) + 1e-12 || p["sparsity"] == 0.0)
    );
    assert!(number(&tune("--rule memory=50KB")["bytes"]) <= 50_000.0);
    assert_eq!(tune("--rule auto")["support"], tune("--rule alignment=0.95")["support"]);
    assert!(number(&tune("--rule auto --memory 50KB")["bytes"]) <= 50_000.0);
    assert_eq!(tune("--rule 0.2")["support"], 0.2);
}

#[test]
fn orders_are_told_and_drawn() {
    let folder = folder("square.csv", &square(400));
    let line = "tune-support square.csv --features a,b --rule sparsity=0.95 --report page.html";
    let answer = json(folder.path(), line);
    let order = |name: &str| {
        let orders = answer["orders"].as_array().unwrap();
        orders.iter().find(|o| o["name"] == name).unwrap().clone()
    };
    let (given, narrow, sparse) =
        (order("as given"), order("reverse Cuthill-McKee"), order("minimum degree"));
    assert!(number(&narrow["reach"]) < 0.5 * number(&given["reach"]), "{answer:#}");
    assert_eq!(number(&narrow["bandwidth"]), 2.0 * number(&narrow["reach"]) + 1.0);
    assert!(number(&sparse["fill"]) < 0.5 * number(&given["fill"]));
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    for part in ["data-series=\"alignment\"", "data-series=\"nonzeros\"", "minimum degree"] {
        assert!(page.contains(part), "{part}");
    }
    let text = String::from_utf8(run(folder.path(), line).stdout).unwrap();
    assert!(text.contains("reverse Cuthill-McKee") && text.contains("numbers in the factor"), "{text}");
}

#[test]
fn every_solver_gives_the_same_machine() {
    let folder = folder("square.csv", &square(500));
    let fit = |rest: &str| {
        let line =
            "fit square.csv --target y --drop class --method lssvm --kernel gaussian:width=0.5 --ridge 0.01";
        json(folder.path(), &format!("{line} {rest}"))
    };
    let machines =
        ["auto", "dense", "sparse", "iterative"].map(|s| fit(&format!("--support 0.8 --solver {s}")));
    for (machine, solver) in machines.iter().zip(["", "dense", "sparse", "iterative"]) {
        let gap = number(&machine["test"]["mean_squared"]) - number(&machines[1]["test"]["mean_squared"]);
        assert!(gap.abs() < 1e-10, "{machine:#}");
        assert!(notes(machine).contains(&format!("{solver} solver: ")), "{machine:#}");
        assert_eq!(machine["leave_one_out"].is_null(), notes(machine).contains("conjugate"), "{machine:#}");
    }
    let loo = |machine: &Value| number(&machine["leave_one_out"]["mean_squared"]);
    assert!((loo(&machines[1]) - loo(&machines[2])).abs() < 1e-10);
    assert!(
        failure(folder.path(), "fit square.csv --target y --method lssvm --solver quick").contains("quick")
    );
}

#[test]
fn the_support_can_be_left_to_the_command() {
    let folder = folder("square.csv", &square(500));
    let line = "fit square.csv --target y --drop class --method lssvm --support auto";
    let answer = json(folder.path(), line);
    assert!(notes(&answer).contains("(rule auto)"), "{answer:#}");
    assert!(answer["kernel"].as_str().unwrap().contains("support="), "{answer:#}");
    assert!(number(&answer["test"]["mean_squared"]) < 0.02, "{answer:#}");
    // A wide kernel keeps its shape only with a support beyond the data, and this is said.
    let wide = json(folder.path(), &format!("{line} --kernel gaussian:width=5 --ridge 0.1"));
    assert!(notes(&wide).contains("nothing is saved") && notes(&wide).contains("sparsity=0.75"), "{wide:#}");
    let classes =
        json(folder.path(), "fit square.csv --target class --drop y --method lssvm --support sparsity=0.9");
    assert_eq!(classes["classes"].as_array().unwrap().len(), 3);
    assert!(number(&classes["test"]["error_rate"]) < 0.2, "{classes:#}");
}

#[test]
fn memory_is_refused_with_advice_or_kept() {
    let folder = folder("square.csv", &square(1000));
    let line =
        "fit square.csv --target y --drop class --method lssvm --kernel gaussian:width=0.5 --ridge 0.1";
    let refused = failure(folder.path(), &format!("{line} --support 2 --memory 100KB"));
    assert!(refused.contains("memory") && refused.contains("smaller support"), "{refused}");
    let dense = failure(folder.path(), &format!("{line} --memory 100KB"));
    assert!(dense.contains("compact support"), "{dense}");
    // More memory than the whole matrix takes is no mistake.
    let whole = json(folder.path(), &format!("{line} --support memory=2GiB"));
    assert!(notes(&whole).contains("nothing is saved"), "{whole:#}");
    let kept = json(folder.path(), &format!("{line} --support auto --memory 1MB"));
    assert!(notes(&kept).contains("support"), "{kept:#}");
}

#[test]
fn indefinite_kernels_are_named_and_can_be_shifted() {
    let folder = folder("square.csv", &square(500));
    let line = "fit square.csv --target y --drop class --no-standardise --method lssvm --ridge 0.001 \
                --kernel gaussian:width=20,support=0.7,power=1";
    let named = failure(folder.path(), line);
    assert!(named.contains("not positive definite") && named.contains("ridge of"), "{named}");
    assert!(named.contains("--shift"), "{named}");
    let shifted = json(folder.path(), &format!("{line} --shift"));
    assert!(notes(&shifted).contains("was raised from 0.001"), "{shifted:#}");
    assert!(notes(&shifted).contains("power 2 would be enough"), "{shifted:#}");
}

#[test]
fn components_of_new_rows_are_those_of_the_old() {
    let folder = folder("three.csv", &clusters());
    let line = "pca three.csv --kernel gaussian:width=0.35 --no-standardise -k 8 --support combined=0.3";
    let answer =
        json(folder.path(), &format!("{line} -o three.safetensors --scores scores.csv --report page.html"));
    let variances: Vec<f64> = answer["variances"].as_array().unwrap().iter().map(number).collect();
    assert!(variances.len() == 8 && variances.is_sorted_by(|a, b| a >= b));
    assert!(variances[1] > 2.0 * variances[2], "two components tell three clusters apart: {variances:?}");
    assert!(notes(&answer).contains("support"), "{answer:#}");
    let predicted = run(folder.path(), "predict three.safetensors three.csv");
    let read = |text: &str| -> Vec<f64> {
        text.lines()
            .skip(1)
            .flat_map(|l| l.split(',').map(|v| v.parse().unwrap()).collect::<Vec<f64>>())
            .collect()
    };
    let scores = read(&std::fs::read_to_string(folder.path().join("scores.csv")).unwrap());
    let predicted = String::from_utf8(predicted.stdout).unwrap();
    assert!(predicted.starts_with("component1,component2,component3,"), "{predicted}");
    let again = read(&predicted);
    assert_eq!(scores.len(), again.len());
    assert!(scores.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-9));
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("data-layer=\"contours\"") && page.contains("Component 8"));
    run(folder.path(), "pca three.csv --report standard.html");
    let standard = std::fs::read_to_string(folder.path().join("standard.html")).unwrap();
    assert!(standard.contains("(standardised)</text>") && !page.contains("(standardised)"));
    assert!(failure(folder.path(), "pca three.csv -k 0").contains('0'));
    assert_eq!(json(folder.path(), "inspect three.safetensors")["task"], "components");
    assert!(failure(folder.path(), "evaluate three.safetensors three.csv").contains("principal components"));
}
