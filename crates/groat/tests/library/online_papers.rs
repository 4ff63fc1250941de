//! Online learners against the numbers of their papers, computed elsewhere with 60 digits or by a second
//! implementation (`reference/papers/online_*`).

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use groat::online::{Learner, Settings, presets};
use groat::testing::shared;
use groat::{Kernel, Rows};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = match path.extension().is_some_and(|e| e == "gz") {
        false => std::fs::read_to_string(path).unwrap(),
        true => {
            let mut text = String::new();
            flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            text
        }
    };
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[track_caller]
fn close(got: f64, want: f64, relative: f64, what: &str) {
    assert!((got - want).abs() <= relative * want.abs(), "{what}: {got:e} instead of {want:e}");
}

/// A learner, with the kernel where it takes one.
fn learner_of(name: &str, kernel: &Kernel, dimension: usize, settings: &Settings) -> Learner {
    let kernel = presets::find(name).unwrap().takes_kernel().then_some(kernel);
    Learner::new(name, kernel, dimension, settings).unwrap()
}

/// LMS, KLMS and coherence-KLMS step by step on twelve samples.
#[test]
fn filter_traces() {
    let Some(path) = shared("reference/papers/online_filter_traces.json") else { return };
    let file = json(&path);
    let (x, d) = (list(&file["x"]), list(&file["d"]));
    let kernel: Kernel = "gaussian:gamma=1".parse().unwrap();
    let learner = |name: &str, settings: Settings| learner_of(name, &kernel, 1, &settings);
    let mut lms = learner("lms", Settings::new().with("eta", 0.25));
    let mut klms = learner("klms", Settings::new().with("eta", 0.5));
    let mut coherence = learner("klms-coherence", Settings::new().with("eta", 0.5).with("mu0", 0.75));
    for (n, (x, d)) in x.iter().zip(&d).enumerate() {
        let step = lms.learn_one(&[*x], *d).unwrap();
        assert!((step.error - file["lms"][n]["error"].as_f64().unwrap()).abs() < 1e-14);
        assert!((lms.predict_one(&[1.0]).unwrap() - file["lms"][n]["w"].as_f64().unwrap()).abs() < 1e-14);
        let step = klms.learn_one(&[*x], *d).unwrap();
        assert!((step.error - file["klms_error"][n].as_f64().unwrap()).abs() < 1e-14);
        let step = coherence.learn_one(&[*x], *d).unwrap();
        let want = &file["coherence_klms"][n];
        assert!((step.error - want["error"].as_f64().unwrap()).abs() < 1e-14);
        assert_eq!(step.admitted, want["inserted"].as_bool().unwrap());
        let model = coherence.snapshot().unwrap().unwrap();
        for (got, want) in model.weights().data().iter().zip(list(&want["alpha"])) {
            assert!((got - want).abs() < 1e-14);
        }
    }
    let model = coherence.snapshot().unwrap().unwrap();
    assert_eq!(model.expansion().unwrap().vectors().to_matrix().data(), list(&file["dictionary"]));
}

/// The ten techniques of report 836 on one training set: final error and, at 10 vectors, the model.
#[test]
fn reduction_of_the_sinc_model() {
    let (Some(train), Some(expected), Some(models)) = (
        shared("reference/papers/online_sinc_train.csv"),
        shared("reference/papers/online_sinc_expected.csv"),
        shared("reference/papers/online_sinc_models_nmax10.json"),
    ) else {
        return;
    };
    let samples: Vec<(f64, f64)> =
        lines(&train).iter().map(|row| (row[1].parse().unwrap(), row[2].parse().unwrap())).collect();
    let models = json(&models);
    let sinc =
        |x: f64| if x == 0.0 { 1.0 } else { (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x) };
    let grid: Vec<f64> = (0..601).map(|i| -3.0 + i as f64 / 100.0).collect();
    for row in lines(&expected) {
        let (technique, budget, want) = (row[0].as_str(), row[1].as_str(), row[2].parse::<f64>().unwrap());
        let preset = match technique {
            "KLMS" => "klms-reduce",
            "MKLMS" => "mklms-reduce",
            "LS" => "ls-reduce",
            "LS_reg" => "lsr-reduce",
            "FKLMS" => "fklms-reduce",
            "FMKLMS" => "fmklms-reduce",
            "AFKLMS" => "afklms-reduce",
            "AFMKLMS" => "afmklms-reduce",
            _ => "number-truncation",
        };
        let mut settings = Settings::new().with("eta", 0.1).with("floor", 0);
        settings.set("budget", if technique == "REF" { "1000" } else { budget });
        if technique == "AT" {
            settings.set("cost", "oldest");
        }
        let mut learner = Learner::new(preset, &Kernel::gaussian(0.5), 1, &settings).unwrap();
        let mut evicted = 0;
        for _ in 0..10 {
            for (x, y) in &samples {
                evicted += learner.learn_one(&[*x], *y).unwrap().evicted;
            }
        }
        let outputs = learner.predict_many(Rows::new(&grid, 1).unwrap()).unwrap();
        let mse = outputs.iter().zip(&grid).map(|(f, x)| (f - sinc(*x)).powi(2)).sum::<f64>() / 601.0;
        println!("{technique:8} {budget:>3}: {mse:.6e} instead of {want:.6e}, {evicted} removals");
        let what = format!("{technique} at {budget}");
        close(mse, want, 1e-5, &what);
        assert_eq!(learner.size().to_string(), row[3], "{what}: size");
        assert_eq!(evicted.to_string(), row[4], "{what}: reductions");
        if budget == "10" {
            let model = learner.snapshot().unwrap().unwrap();
            let want = &models["models"][technique];
            let index: Vec<usize> = list(&want["train_index"]).iter().map(|i| *i as usize).collect();
            let vectors: Vec<f64> = index.iter().map(|i| samples[*i].0).collect();
            assert_eq!(model.expansion().unwrap().vectors().to_matrix().data(), vectors, "{what}: vectors");
            for (got, want) in model.weights().data().iter().zip(list(&want["alpha"])) {
                assert!((got - want).abs() < 1e-5, "{what}: weight {got} instead of {want}");
            }
        }
    }
}

/// Benchmark 1 of Pothin and Richard without noise: six readings of the text.
#[test]
fn sequential_projection_learning() {
    let (Some(series), Some(expected)) = (
        shared("reference/papers/online_spl_series.csv"),
        shared("reference/papers/online_spl_expected.json"),
    ) else {
        return;
    };
    let y: Vec<f64> = lines(&series).iter().map(|row| row[1].parse().unwrap()).collect();
    let pair = |i: usize| ([y[i + 1], y[i]], y[i + 2]);
    let kernel: Kernel = "gaussian:gamma=3.73".parse().unwrap();
    for run in json(&expected)["runs"].as_array().unwrap() {
        let variant = run["variant"].as_str().unwrap();
        let settings = match variant {
            "no decremental step" => Settings::new().with("decrement", "never"),
            "decremental step only after an insertion" => Settings::new().with("decrement", "insertion"),
            "decremental step after every sample" => Settings::new(),
            "criterion (10) from the first sample, m0 never reached" => Settings::new().with("fill", 0),
            other if other.ends_with("the newer leaves") => Settings::new().with("leaves", "newer"),
            _ => Settings::new().with("leaves", "older"),
        };
        let name = if run["algorithm"] == "SPL" { "spl" } else { "spl-coherence" };
        // The paper lets every vector of the filled dictionary in, however near to the span of the others.
        let settings = settings.with("floor", 0);
        let mut learner = learner_of(name, &kernel, 2, &settings);
        let mut evicted = 0;
        for i in 0..200 {
            let (x, y) = pair(i);
            evicted += learner.learn_one(&x, y).unwrap().evicted;
        }
        let mse =
            (200..300).map(|i| (pair(i).1 - learner.predict_one(&pair(i).0).unwrap()).powi(2)).sum::<f64>()
                / 100.0;
        println!("{name}, {variant}: {} kernels, {mse:.6e}", learner.size());
        assert_eq!(learner.size() as u64, run["kernels"].as_u64().unwrap(), "{variant}");
        close(mse, run["mse_test"].as_f64().unwrap(), 1e-6, variant);
        if let Some(removals) = run["removals"].as_u64() {
            assert_eq!(evicted as u64, removals, "{variant}");
        }
        let model = learner.snapshot().unwrap().unwrap();
        let index = list(&run["pair_index"]);
        for (i, row) in index.iter().zip(model.expansion().unwrap().vectors().to_matrix().view().iter()) {
            assert_eq!(row, pair(*i as usize).0, "{variant}: vectors");
        }
        for (got, want) in model.weights().data().iter().zip(list(&run["alpha"])) {
            assert!((got - want).abs() < 1e-6, "{variant}: weight {got} instead of {want}");
        }
    }
}

/// The linear and kernel LMS filters of the slides on Mackey-Glass and kin40k.
#[test]
fn filters_on_shared_data() {
    let (Some(expected), Some(series), Some(kin)) = (
        shared("reference/papers/online_filters_expected.csv"),
        shared("data/mackey_glass30/data.csv.gz"),
        shared("data/kin40k/data.csv.gz"),
    ) else {
        return;
    };
    let series: Vec<f64> = lines(&series).iter().map(|row| row[row.len() - 1].parse().unwrap()).collect();
    let lagged =
        |n: usize| -> (Vec<f64>, f64) { ((0..10).map(|l| series[n + 9 - l]).collect(), series[n + 10]) };
    let splits = lines(&shared("data/kin40k/splits.csv.gz").unwrap());
    let kin: Vec<Vec<f64>> =
        lines(&kin).iter().map(|row| row.iter().map(|v| v.parse().unwrap()).collect()).collect();
    let part = |name: &str, rows: usize| -> Vec<(Vec<f64>, f64)> {
        let chosen = kin.iter().zip(&splits).filter(|(_, split)| split[split.len() - 1] == name).take(rows);
        chosen.map(|(row, _)| (row[..8].to_vec(), row[8])).collect()
    };
    for row in lines(&expected) {
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        let (n_train, n_test) = (number(1) as usize, number(2) as usize);
        let (train, test) = if row[0] == "mackey_glass30" {
            ((0..n_train).map(lagged).collect(), (n_train..n_train + n_test).map(lagged).collect::<Vec<_>>())
        } else if number(5) == 0.5 && row[3] != "LMS" {
            (part("0", n_train), part("1", n_test))
        } else {
            continue;
        };
        let kernel: Kernel =
            format!("gaussian:gamma={}", if row[4].is_empty() { "1" } else { &row[4] }).parse().unwrap();
        let settings = Settings::new().with("eta", number(5));
        let (name, settings) = match row[3].as_str() {
            "LMS" => ("lms", settings),
            "KLMS" => ("klms", settings),
            _ => ("klms-coherence", settings.with("mu0", number(6))),
        };
        let mut learner = learner_of(name, &kernel, train[0].0.len(), &settings);
        for (x, y) in &train {
            learner.learn_one(x, *y).unwrap();
        }
        let flat: Vec<f64> = test.iter().flat_map(|(x, _)| x.clone()).collect();
        let outputs = learner.predict_many(Rows::new(&flat, test[0].0.len()).unwrap()).unwrap();
        let mse = outputs.iter().zip(&test).map(|(f, (_, y))| (f - y).powi(2)).sum::<f64>() / n_test as f64;
        let what = row.join(" ");
        close(mse, number(8), 1e-8, &what);
        assert_eq!(learner.size(), number(7) as usize, "{what}");
        if let Ok(largest) = row[10].parse::<f64>() {
            let readings = learner.diagnostics();
            let reading = readings.iter().find(|r| r.name == "largest_step").unwrap();
            close(reading.value, largest, 1e-4, &what);
        }
    }
}
