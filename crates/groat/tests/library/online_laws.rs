//! Laws that every online learner must keep: whatever the stream, no NaN, no panic, a bounded dictionary;
//! a saved state continues bit by bit; wrong input is an error and changes nothing.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use groat::online::presets::{PRESETS, Preset};
use groat::online::{Learner, Settings};
use groat::{Error, Kernel, Rows};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Some samples with two features.
type Stream = Vec<([f64; 2], f64)>;

fn smooth(n: usize) -> Stream {
    let sample = |i: usize| {
        let t = i as f64;
        let x = [(0.7 * t).sin() * 1.5, (0.31 * t).cos() * 1.5];
        (x, if (x[0] * 2.0).sin() + 0.5 * x[1] > 0.0 { 1.0 } else { -1.0 })
    };
    (0..n).map(sample).collect()
}

/// A preset on two features, with a Gaussian kernel where it takes one.
fn build(preset: &Preset, width: f64, settings: &Settings) -> Result<Learner, Error> {
    let kernel = Kernel::gaussian(width);
    Learner::new(preset.name, preset.takes_kernel().then_some(&kernel), 2, settings)
}

/// Settings that a preset takes, out of those offered.
fn taken(name: &str, offered: &[(&str, &str)]) -> Settings {
    let preset = PRESETS.iter().find(|preset| preset.name == name).unwrap();
    let mut settings = Settings::new();
    for (key, value) in offered {
        if preset.parameters().iter().any(|item| item.parameter.name == *key) {
            settings.set(key, value);
        }
    }
    settings
}

/// A small budget for all that have one.
const SMALL: &[(&str, &str)] = &[("budget", "12"), ("tau", "12")];

#[test]
fn degenerate_streams_do_no_harm() {
    let constant: Stream = vec![([0.3, -0.2], 1.0); 300];
    let duplicates: Stream = smooth(300).into_iter().enumerate().map(|(i, _)| smooth(10)[i % 10]).collect();
    let huge: Stream = smooth(200).into_iter().map(|(x, y)| (x.map(|v| v * 1e8), y)).collect();
    let streams =
        [("constant", constant), ("duplicates", duplicates), ("huge", huge), ("smooth", smooth(300))];
    for preset in PRESETS {
        for (stream_name, stream) in &streams {
            for width in [1e-6, 1.0, 1e6] {
                for eta in ["0.5", "5", "1000"] {
                    let mut offered = SMALL.to_vec();
                    offered.push(("eta", eta));
                    let what = format!("{}, {stream_name}, width {width}, eta {eta}", preset.name);
                    let settings = taken(preset.name, &offered);
                    let mut learner = build(preset, width, &settings).unwrap();
                    for (x, y) in stream {
                        let step = learner.learn_one(x, *y).unwrap_or_else(|e| panic!("{what}: {e}"));
                        assert!(step.prediction.is_finite() && step.error.is_finite(), "{what}");
                        assert!(step.std.is_none_or(f64::is_finite), "{what}");
                        assert!(step.size <= 6 * stream.len(), "{what}");
                        if settings.get("budget").is_some() && !preset.parts().contains(&"limit") {
                            // The default has several kernel predictors, each with a dictionary.
                            let dictionaries = if preset.name == "auto" { 6 } else { 1 };
                            assert!(step.size <= 12 * dictionaries, "{what}: {} vectors", step.size);
                        }
                    }
                    assert!(learner.predict_one(&[0.1, 0.2]).unwrap().is_finite(), "{what}");
                    let variance = learner.variance(&[0.1, 0.2]).unwrap();
                    assert!(
                        variance.is_none_or(|v| v.is_finite() && v >= 0.0),
                        "{what}: variance {variance:?}"
                    );
                    assert!(learner.diagnostics().iter().all(|r| r.value.is_finite()), "{what}");
                }
            }
        }
    }
}

/// Kernels that are not radial, not positive definite, or have one width per feature: a method takes them
/// or says at once that it cannot.
#[test]
fn other_kernels_do_no_harm() {
    let kernels = [
        "laplacian:width=0.7",
        "polynomial:degree=3,scale=1,offset=1",
        "linear",
        "sigmoid:scale=2,offset=-1",
    ];
    let parsed = kernels.iter().map(|text| text.parse::<Kernel>().unwrap());
    for kernel in parsed.chain([Kernel::gaussian(vec![0.4, 2.0])]) {
        for preset in PRESETS {
            let settings = taken(preset.name, SMALL);
            let mut learner = match Learner::new(preset.name, &kernel, 2, &settings) {
                Ok(learner) => learner,
                Err(Error::Parse { what: "kernel", .. }) => continue,
                Err(other) => panic!("{} with {kernel}: {other}", preset.name),
            };
            for (x, y) in smooth(200) {
                let step =
                    learner.learn_one(&x, y).unwrap_or_else(|e| panic!("{} with {kernel}: {e}", preset.name));
                assert!(step.prediction.is_finite(), "{} with {kernel}", preset.name);
            }
            let saved = learner.save().unwrap();
            assert_eq!(
                Learner::load(&saved).unwrap().save().unwrap(),
                saved,
                "{} with {kernel}",
                preset.name
            );
        }
    }
}

#[test]
fn a_saved_state_continues_bit_by_bit() {
    for preset in PRESETS {
        let settings = taken(preset.name, SMALL);
        let mut whole = build(preset, 0.7, &settings).unwrap();
        let stream = smooth(120);
        for (x, y) in &stream[..60] {
            whole.learn_one(x, *y).unwrap();
        }
        let saved = whole.save().unwrap();
        let mut resumed = Learner::load(&saved).unwrap();
        assert_eq!(resumed.save().unwrap(), saved, "{}", preset.name);
        for (x, y) in &stream[60..] {
            assert_eq!(whole.learn_one(x, *y).unwrap(), resumed.learn_one(x, *y).unwrap(), "{}", preset.name);
        }
        assert_eq!(whole.save().unwrap(), resumed.save().unwrap(), "{}", preset.name);
    }
}

/// Rows given at once are looked at ahead; what comes out must not know.
#[test]
fn rows_at_once_give_what_rows_one_by_one_give() {
    let stream = smooth(400);
    let x: Vec<f64> = stream.iter().flat_map(|(x, _)| *x).collect();
    let y: Vec<f64> = stream.iter().map(|(_, y)| *y).collect();
    for preset in PRESETS {
        let settings = taken(preset.name, SMALL);
        let mut one = build(preset, 0.7, &settings).unwrap();
        let mut many = one.clone();
        let (mut from, mut sizes) = (0, [1usize, 100, 7, 8, 9, 64, 3].into_iter().cycle());
        while from < stream.len() {
            let to = stream.len().min(from + sizes.next().unwrap());
            // A row that cannot be learnt from ends the call, and the rows ahead of it are forgotten.
            let mut rows = x[2 * from..2 * to].to_vec();
            if to - from == 9 {
                rows[7] = f64::NAN;
                assert!(many.learn_many(Rows::new(&rows, 2).unwrap(), &y[from..to]).is_err());
                for i in from..from + 3 {
                    one.learn_one(&stream[i].0, y[i]).unwrap();
                }
                from += 3;
            } else {
                let steps = many.learn_many(Rows::new(&rows, 2).unwrap(), &y[from..to]).unwrap();
                for (i, got) in (from..to).zip(steps) {
                    assert_eq!(got, one.learn_one(&stream[i].0, y[i]).unwrap(), "{}, row {i}", preset.name);
                }
                from = to;
            }
            assert_eq!(many.save().unwrap(), one.save().unwrap(), "{}", preset.name);
        }
    }
}

/// Where nobody reads the weights the model is kept in a basis of the span. A truncation that never acts reads them,
/// and must change nothing but the rounding.
#[test]
fn a_basis_gives_what_the_weights_give() {
    let updates = ["gradient", "normalised-gradient", "decay-first"];
    let novelties = ["always", "coherence", "dependency", "rkhs-distance", "surprise", "distance-error"];
    let costs = ["oldest", "newest", "crowding", "coherent-pair", "energy"];
    let strategies = [
        &[("strategy", "budget"), ("when", "after"), ("budget", "12")][..],
        &[("strategy", "budget"), ("when", "before"), ("budget", "12")],
        &[("strategy", "window"), ("tau", "12")],
        &[("strategy", "limit"), ("budget", "20"), ("lambda_max", "0.3")],
        &[("strategy", "freeze"), ("budget", "12")],
    ];
    let mut evicted = 0;
    for (update, novelty) in updates.iter().flat_map(|u| novelties.map(|n| (u, n))) {
        for (cost, strategy) in costs.iter().flat_map(|c| strategies.map(|s| (c, s))) {
            let mut settings = Settings::new()
                .with("update", update)
                .with("novelty", novelty)
                .with("cost", cost)
                .with("projection", "orthogonal")
                .with("rho", 0.1)
                .with("floor", 1e-3)
                .with("jitter", if *cost == "newest" { 1e-2 } else { 0.0 });
            strategy.iter().for_each(|(key, value)| settings.set(key, value));
            if novelty == "coherence" {
                settings.set("fill", "5");
            }
            let what = format!("{settings:?}");
            let learner = |settings: &Settings| {
                Learner::new("spl-coherence", &Kernel::gaussian(0.7), 2, settings)
                    .unwrap_or_else(|error| panic!("{what}: {error}"))
            };
            let mut basis = learner(&settings);
            settings.set("truncate", "1e-300");
            let mut weights = learner(&settings);
            for (x, y) in smooth(150) {
                let y = y + x[0];
                let (got, want) = (basis.learn_one(&x, y).unwrap(), weights.learn_one(&x, y).unwrap());
                assert!((got.prediction - want.prediction).abs() < 1e-9, "{what}: {got:?} and {want:?}");
                assert_eq!((got.size, got.evicted), (want.size, want.evicted), "{what}");
                evicted += got.evicted;
            }
            let text = |learner: &Learner| String::from_utf8(learner.save().unwrap()).unwrap();
            assert!(
                text(&basis).contains("\"weights\"") && !text(&weights).contains("\"weights\""),
                "{what}"
            );
            let (got, want) = (basis.model().unwrap(), weights.model().unwrap());
            assert_eq!(got.expansion().unwrap().vectors(), want.expansion().unwrap().vectors(), "{what}");
            for (got, want) in got.weights().data().iter().zip(want.weights().data()) {
                assert!((got - want).abs() < 1e-9 * want.abs().max(1.0), "{what}: {got} and {want}");
            }
            let one: Vec<f64> = smooth(9).iter().map(|(x, _)| basis.predict_one(x).unwrap()).collect();
            let rows: Vec<f64> = smooth(9).iter().flat_map(|(x, _)| *x).collect();
            assert_eq!(basis.predict_many(Rows::new(&rows, 2).unwrap()).unwrap(), one, "{what}");
        }
    }
    assert!(evicted > 10_000, "{evicted}");
}

#[test]
fn damaged_states_are_errors() {
    let mut learner = Learner::new("krls-ald", &Kernel::gaussian(0.7), 2, &Settings::new()).unwrap();
    for (x, y) in smooth(40) {
        learner.learn_one(&x, y).unwrap();
    }
    let saved = String::from_utf8(learner.save().unwrap()).unwrap();
    for (from, to) in [
        ("\"version\":6", "\"version\":9"),
        ("\"dimension\":2", "\"dimension\":3"),
        ("krls-ald", "krls-all"),
        ("\"order\":", "\"order\":1"),
        ("\"alpha\":\"", "\"alpha\":\"0000000000000000"),
        ("\"alpha\":\"", "\"alpha\":\"7ff8000000000000"),
        ("\"alpha\":\"", "\"alpha\":\"0"),
        ("\"weights\":\"", "\"weights\":\"0000000000000000"),
        ("\"weights\":\"", "\"weights\":\"7ff8000000000000"),
    ] {
        assert!(saved.contains(from), "{from}");
        assert!(Learner::load(saved.replacen(from, to, 1).as_bytes()).is_err(), "{from} -> {to}");
    }
    for cut in (0..saved.len()).step_by(97) {
        assert!(Learner::load(&saved.as_bytes()[..cut]).is_err());
    }
}

#[test]
fn wrong_input_is_an_error_and_changes_nothing() {
    for preset in PRESETS {
        let mut learner = build(preset, 0.7, &Settings::new()).unwrap();
        for (x, y) in smooth(20) {
            learner.learn_one(&x, y).unwrap();
        }
        let before = learner.save().unwrap();
        assert!(matches!(learner.learn_one(&[1.0], 1.0), Err(Error::Shape { .. })));
        assert!(matches!(learner.learn_one(&[1.0, f64::NAN], 1.0), Err(Error::NotFinite { column: 1, .. })));
        assert!(matches!(learner.learn_one(&[1.0, 2.0], f64::INFINITY), Err(Error::NotFinite { .. })));
        assert!(learner.predict_one(&[1.0, 2.0, 3.0]).is_err());
        assert!(matches!(
            learner.learn_many(Rows::new(&[f64::NAN, 0.0], 2).unwrap(), &[1.0]),
            Err(Error::NotFinite { row: 0, .. })
        ));
        assert_eq!(learner.save().unwrap(), before, "{}", preset.name);
    }
}

#[test]
fn snapshots_predict_what_the_learner_predicts() {
    for preset in PRESETS {
        let settings = taken(preset.name, SMALL);
        let mut learner = build(preset, 0.7, &settings).unwrap();
        for (x, y) in smooth(100) {
            learner.learn_one(&x, y).unwrap();
        }
        let Some(model) = learner.snapshot().unwrap() else { continue };
        let x = [0.4, -0.3];
        let value = model.values(Rows::one(&x)).unwrap().data()[0];
        let want = learner.predict_one(&x).unwrap();
        assert!((value - want).abs() <= 1e-9 * want.abs().max(1.0), "{}: {value} and {want}", preset.name);
    }
}

/// Parts can be mixed freely; those that cannot work together say so, and these are all: recursive least squares keeps
/// its vectors (4 of 6 strategies remove some), and least squares over the dictionary lets them go by orthogonal
/// projection alone (3 of the 13 pairs of cost and projection here).
#[test]
fn parts_mix() {
    let kernel = Kernel::gaussian(0.7);
    let names = |kind: &str| -> Vec<&'static str> {
        groat::online::parts::KINDS
            .iter()
            .find(|(k, _)| *k == kind)
            .unwrap()
            .1
            .iter()
            .map(|p| p.name)
            .collect()
    };
    let (mut worked, mut refused) = (0, 0);
    for update in names("update") {
        for novelty in names("novelty") {
            for (cost, projection) in names("cost").into_iter().zip(names("projection").into_iter().cycle()) {
                for strategy in names("strategy") {
                    let mut settings = Settings::new().with("update", update).with("novelty", novelty);
                    settings.set("cost", cost);
                    settings.set("projection", projection);
                    settings.set("strategy", strategy);
                    if strategy == "budget" {
                        settings.set("budget", 9);
                    }
                    let mut learner = match Learner::new("klms", &kernel, 2, &settings) {
                        Ok(learner) => learner,
                        Err(Error::Parse { .. }) => {
                            refused += 1;
                            continue;
                        }
                        Err(other) => panic!("{other}"),
                    };
                    for (x, y) in smooth(30) {
                        let step = learner.learn_one(&x, y).unwrap();
                        assert!(step.prediction.is_finite());
                        assert!(strategy != "budget" || step.size <= 9);
                    }
                    worked += 1;
                }
            }
        }
    }
    assert_eq!((worked, refused), (4256, 8 * 13 * 4 + 8 * 10 * 4));
}

/// Hinge and logistic losses learn to classify; robust losses are not thrown by outliers.
#[test]
fn losses_do_their_work() {
    let kernel = Kernel::gaussian(0.7);
    for loss in ["hinge", "logistic"] {
        let settings = Settings::new().with("loss", loss).with("eta", 0.5);
        let mut learner = Learner::new("qklms", &kernel, 2, &settings).unwrap();
        for (x, y) in smooth(600) {
            learner.learn_one(&x, y).unwrap();
        }
        let wrong =
            smooth(700)[600..].iter().filter(|(x, y)| learner.predict_one(x).unwrap() * y <= 0.0).count();
        assert!(wrong <= 10, "{loss}: {wrong} of 100 wrong");
        assert!(learner.learn_one(&[0.0, 0.0], 0.5).is_err());
    }
    let error = |loss: &str| {
        let settings = Settings::new().with("loss", loss).with("eta", 0.3);
        let mut learner = Learner::new("klms-coherence", &kernel, 2, &settings).unwrap();
        for (i, (x, _)) in smooth(800).iter().enumerate() {
            let y = if i % 10 == 9 { 50.0 } else { 0.3 * x[0] };
            learner.learn_one(x, y).unwrap();
        }
        smooth(50).iter().map(|(x, _)| (learner.predict_one(x).unwrap() - 0.3 * x[0]).powi(2)).sum::<f64>()
            / 50.0
    };
    let squared = error("squared");
    assert!(error("huber") < 0.1 * squared && error("correntropy") < 0.01 * squared);
}

/// Fast KLMS under a fixed limit that tests the newest vector needs the model and little more: N (D + 1) numbers.
#[test]
fn fast_reduction_needs_little_memory() {
    let settings = Settings::new().with("strategy", "limit").with("scan", "newest").with("lambda_max", 0.2);
    let mut learner = Learner::new("fklms-reduce", &Kernel::gaussian(0.5), 2, &settings).unwrap();
    for (x, y) in smooth(2000) {
        learner.learn_one(&x, y).unwrap();
    }
    let size = learner.size();
    assert!((10..200).contains(&size), "{size} vectors");
    assert_eq!(learner.memory_bytes(), size * 3 * 8);
}

/// One feature and a dictionary that takes the first samples in unconditionally: some nearly coincide. The default
/// floor keeps the inverse Gram matrix sound, and with it the errors at the size of the noise.
#[test]
fn coherence_spl_stands_crowded_dictionaries() {
    let kernel: Kernel = "gaussian:gamma=5".parse().unwrap();
    let settings = Settings::new().with("eta", 0.2).with("mu0", "adaptive").with("budget", 20);
    let mut worst: f64 = 0.0;
    for seed in 0..700 {
        let mut generator = Pcg64::seed_from_u64(seed);
        let mut learner = Learner::new("spl-coherence", &kernel, 1, &settings).unwrap();
        let mut before = 0.0;
        for _ in 0..230 {
            let noise: f64 = (0..4).map(|_| generator.random_range(-1.0..1.0)).sum();
            let y = 0.1 + 0.225 * noise;
            worst = worst.max(learner.learn_one(&[before], y).unwrap().error.abs());
            before = y;
        }
    }
    assert!(worst < 1.5, "an error of {worst}");
}

/// The normalised step is the plain one with `eta / (eps + |k|^2)`: where all kernel values are known to be 1 or
/// 0, both can be told apart by the first weights alone.
#[test]
fn every_plain_lms_step_has_a_normalised_one() {
    for name in ["klms-csl1", "klms-csal1", "rff-klms", "qklms-fb"] {
        let normalised = taken(name, &[("normalised", "true"), ("eps", "1"), ("eta", "1.5")]);
        let mut learner = Learner::new(name, &Kernel::gaussian(0.7), 2, &normalised).unwrap();
        let mut late = 0.0;
        for (i, (x, y)) in smooth(1500).into_iter().enumerate() {
            let step = learner.learn_one(&x, y).unwrap();
            late += if i >= 1400 { step.error * step.error / 100.0 } else { 0.0 };
        }
        // The plain step of this size diverges for the two on coherent vectors.
        assert!(late < 0.8, "{name}: {late}");
    }
    let polynomial = Kernel::Polynomial { degree: 2, scale: 1.0, offset: 1.0 };
    let settings = Settings::new().with("normalised", "true").with("eps", 0).with("eta", 0.5);
    let mut learner = Learner::new("qklms-fb", &polynomial, 2, &settings).unwrap();
    learner.learn_one(&[2.0, 1.0], 3.0).unwrap();
    assert!(
        (learner.predict_one(&[2.0, 1.0]).unwrap() - 1.5).abs() < 1e-12,
        "half of the error is taken away"
    );
}

/// Methods with several kernels are expansions when there is one of them; the others say why there is none.
#[test]
fn expansions_are_given_or_refused_with_a_reason() {
    let kernel = Kernel::gaussian(0.7);
    for name in ["mknlms", "mxklms", "l2-s", "rff-klms"] {
        let learnt = |settings: Settings| {
            let mut learner = Learner::new(name, &kernel, 2, &settings).unwrap();
            smooth(60).iter().for_each(|(x, y)| assert!(learner.learn_one(x, *y).is_ok()));
            learner
        };
        let several = learnt(Settings::new());
        let reason = several.model().unwrap_err().to_string();
        assert!(reason.contains(name) && reason.contains("several kernels"), "{reason}");
        assert!(several.predict_one(&[0.4, -0.3]).is_ok() && several.save().is_ok());
        if name != "rff-klms" {
            let one = learnt(Settings::new().with("widths", "1.5"));
            let x = [0.4, -0.3];
            let value = one.model().unwrap().values(Rows::one(&x)).unwrap().data()[0];
            assert!((value - one.predict_one(&x).unwrap()).abs() < 1e-9, "{name}");
        }
    }
    let empty = Learner::new("klms", &kernel, 2, &Settings::new()).unwrap();
    assert!(empty.model().unwrap_err().to_string().contains("no vector"));
}

/// A kernel is for algorithms that use one; the others refuse it, and say none.
#[test]
fn linear_algorithms_take_no_kernel() {
    let linear: Vec<&str> = PRESETS.iter().filter(|p| !p.takes_kernel()).map(|p| p.name).collect();
    assert_eq!(linear, ["lms", "nlms", "rls", "kalman", "problms", "memory-cell"]);
    for name in linear {
        let message =
            Learner::new(name, &Kernel::gaussian(1.0), 2, &Settings::new()).unwrap_err().to_string();
        assert!(message.contains(name) && message.contains("no kernel"), "{message}");
        assert_eq!(Learner::new(name, None, 2, &Settings::new()).unwrap().kernel(), None);
    }
    let learner = Learner::new("klms", None, 2, &Settings::new()).unwrap();
    assert_eq!(learner.kernel(), Some(&Kernel::gaussian(1.0)));
}

/// Kivinen, Smola and Williamson (10)-(12) take the error of `f` and then let it decay; the toolbox takes the error of
/// what the decay leaves.
#[test]
fn both_forms_of_norma() {
    let (eta, rho) = (0.5, 0.2);
    let kernel = Kernel::gaussian(0.7);
    for (name, decay_first) in [("norma", false), ("norma-toolbox", true)] {
        let settings = Settings::new().with("eta", eta).with("rho", rho).with("tau", 12);
        let mut learner = Learner::new(name, &kernel, 2, &settings).unwrap();
        let mut terms: Vec<([f64; 2], f64)> = Vec::new();
        for (x, y) in smooth(60) {
            let output: f64 = terms.iter().map(|(v, alpha)| alpha * kernel.eval(v, &x)).sum();
            let decay = 1.0 - eta * rho;
            let error = y - if decay_first { decay * output } else { output };
            terms.iter_mut().for_each(|(_, alpha)| *alpha *= decay);
            terms.push((x, eta * error));
            if terms.len() > 12 {
                terms.remove(0);
            }
            let got = learner.learn_one(&x, y).unwrap().prediction;
            assert!((got - output).abs() < 1e-12, "{name}: {got} and {output}");
        }
    }
}

/// The number of features is that of the frequencies, where they are given; another one is refused.
#[test]
fn given_frequencies_say_how_many_features_there_are() {
    let given = Settings::new().with("frequencies", "1,2,3,4").with("phases", "0.5,1");
    let build = |settings: &Settings| Learner::new("rff-klms", None, 2, settings);
    assert_eq!(build(&given).unwrap().size(), 2);
    assert_eq!(build(&given.clone().with("features", 2)).unwrap().size(), 2);
    let message = build(&given.with("features", 200)).unwrap_err().to_string();
    assert!(message.contains("features") && message.contains("200"), "{message}");
}

/// Every budget can be unlimited.
#[test]
fn a_budget_can_be_unlimited() {
    for preset in PRESETS {
        let settings = taken(preset.name, &[("budget", "unlimited"), ("tau", "12")]);
        if settings.get("budget").is_none() {
            continue;
        }
        let mut learner = build(preset, 0.7, &settings).unwrap();
        for (x, y) in smooth(150) {
            assert!(learner.learn_one(&x, y).unwrap().prediction.is_finite(), "{}", preset.name);
        }
        let saved = learner.save().unwrap();
        assert_eq!(Learner::load(&saved).unwrap().save().unwrap(), saved, "{}", preset.name);
    }
    let klms = |budget: &str| {
        let settings = Settings::new().with("budget", budget);
        let mut learner = Learner::new("klms", None, 2, &settings).unwrap();
        smooth(50).iter().for_each(|(x, y)| assert!(learner.learn_one(x, *y).is_ok()));
        learner.size()
    };
    assert_eq!((klms("7"), klms("unlimited")), (7, 50));
    assert!(Learner::new("klms", None, 2, &Settings::new().with("budget", 0)).is_err());
}
