//! `groat fit --task density`, and what can be done with such a model.

use super::common::Folder;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;
use std::fmt::Write;

/// A normal number, the same each time.
fn normal(i: usize) -> f64 {
    let mut rng = Pcg64::seed_from_u64(i as u64);
    let (u, v) = (rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Two clusters, and a column that a density of them must not see.
fn clusters(rows: usize) -> String {
    let mut text = "a,b,label\n".to_owned();
    for i in 0..rows {
        let centre = if i % 3 == 0 { 5.0 } else { -5.0 };
        writeln!(text, "{},{},{}", centre + normal(i), 1000.0 + 50.0 * normal(i + 7000), i % 3).unwrap();
    }
    text
}

fn log_density(answer: &Value) -> f64 {
    answer["mean_log_density"].as_f64().unwrap()
}

#[test]
fn a_density_in_two_dimensions_is_fitted_shown_and_used() {
    let f = Folder::new();
    f.put("d.csv", clusters(600));
    let answer = f.json("fit d.csv --task density --features a,b -o m.safetensors --report r.html");
    assert_eq!(answer["task"], "density");
    assert!(answer["vectors"].as_u64().unwrap() < 40, "{answer}");
    // The truth: log(1/3) or log(2/3) for the cluster, and two normal densities with deviations 1 and 50.
    let entropy = -(1.0f64 / 3.0 * 3.0f64.ln() + 2.0 / 3.0 * 1.5f64.ln())
        - (1.0 + std::f64::consts::TAU.ln())
        - 50.0f64.ln();
    assert!((log_density(&answer["test"]) - entropy).abs() < 0.35, "{answer} {entropy}");
    assert!((log_density(&answer["parzen_test"]) - entropy).abs() < 0.35, "{answer}");
    let page = f.read("r.html");
    for part in
        ["Density of ", "Parzen estimate, 480 kernels", "kept vectors", "Log density", "Growth of the model"]
    {
        assert!(page.contains(part), "{part:?} is not in the page");
    }

    let scored = f.json("evaluate m.safetensors d.csv --report e.html");
    assert!((log_density(&scored["errors"]) - log_density(&answer["training"])).abs() < 0.2, "{scored}");
    assert!(f.fails("evaluate m.safetensors d.csv --target label", 2).contains("no target"));

    let text = f.run("predict m.safetensors d.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("density,log_density"));
    let row: Vec<f64> = lines.next().unwrap().split(',').map(|v| v.parse().unwrap()).collect();
    assert!((row[0].ln() - row[1]).abs() < 1e-9 && row[0] > 0.0, "{row:?}");
    f.put("far.csv", "a,b\n1e6,1e6\n");
    let far = f.run("predict m.safetensors far.csv");
    let far: f64 = far.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert!(far.is_finite() && far < -1e6, "{far}");

    let shown = f.json("inspect m.safetensors");
    assert_eq!(shown["task"], "density");
    assert_eq!(shown["terms"].as_array().unwrap().len() as u64, shown["vectors"].as_u64().unwrap());
}

#[test]
fn draws_look_like_the_data() {
    let f = Folder::new();
    f.put("d.csv", clusters(600));
    f.run("fit d.csv --task density --drop label -o m.safetensors");
    let text = f.run("sample m.safetensors -n 4000 --seed 3");
    assert_eq!(text, f.run("sample m.safetensors -n 4000 --seed 3"));
    assert_ne!(text, f.run("sample m.safetensors -n 4000 --seed 4"));
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    assert_eq!((text.lines().next(), rows.len()), (Some("a,b"), 4000));
    let right = rows.iter().filter(|r| r[0] > 0.0).count() as f64 / 4000.0;
    let mean = rows.iter().map(|r| r[1]).sum::<f64>() / 4000.0;
    assert!((right - 1.0 / 3.0).abs() < 0.05 && (mean - 1000.0).abs() < 10.0, "{right} {mean}");
    f.run("sample m.safetensors -n 10 -o s.csv");
    assert_eq!(f.read("s.csv").lines().count(), 11);
}

#[test]
fn one_dimension_is_drawn_beside_parzen() {
    let f = Folder::new();
    f.put("d.csv", clusters(200));
    let text = f.run("fit d.csv --task density --features a -o m.safetensors --report r.html");
    for part in ["density", "Parzen, test", "held-out log density", "mean log density"] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let page = f.read("r.html");
    assert!(page.contains("data-chart=\"Density\"") && page.contains("data-series=\"Parzen, 160 kernels\""));
    assert!(page.contains("data-layer=\"bars\" data-series=\"rows\""));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let f = Folder::new();
    f.put("d.csv", clusters(60));
    for (line, said) in [
        ("fit d.csv --task density --target a", "no target"),
        ("fit d.csv --task density --method krr", "krr knows no density; sparse and ols and one-class do"),
        ("fit d.csv --task density --kernel laplacian", "Gaussian"),
        ("fit d.csv --task density --embed 2", "--embed"),
        (
            "fit d.csv --target a --method krr --max-terms 3",
            "--max-terms: krr knows no max_terms; sparse and ols do",
        ),
        ("fit d.csv --target a --class-weights balanced", "--class-weights"),
    ] {
        assert!(f.fails(line, 2).contains(said), "{line}");
    }
    f.run("fit d.csv --target a -o m.safetensors");
    assert!(f.fails("sample m.safetensors", 2).contains("no density"));
}
