//! What a session does beside its learner: scales, baselines, intervals, drift, rows without targets.

use crate::data::{Cell, Embedding, InputOptions, Inputs, Record};
use crate::error::Place;
use crate::kernels::Kernel;
use crate::matrix::Rows;
use crate::online::presets::PRESETS;
use crate::online::{Concern, Learner, OnDrift, Session, Settings};

fn names() -> [String; 2] {
    ["u".to_owned(), "y".to_owned()]
}

fn record(i: u64, cells: [Cell; 2]) -> Record {
    Record { place: Place::Line(i + 2), cells: cells.to_vec() }
}

/// Row `i` of a driven series.
fn row(i: u64) -> Record {
    let (u, y) = ((i as f64 * 0.3).sin(), (i as f64 * 0.17).cos());
    record(i, [Cell::Number(u), Cell::Number(y)])
}

fn session(algorithm: &str, settings: &str, embedding: Option<Embedding>) -> Session {
    let options = InputOptions { targets: vec!["y".into()], embedding, ..Default::default() };
    let inputs = Inputs::choose("s", &names(), true, &options).unwrap();
    let settings: Settings = settings.parse().unwrap();
    let learner = Learner::new(algorithm, None, inputs.features(), &settings).unwrap();
    Session::new(learner).unwrap().with_inputs(inputs).unwrap().standardised(true).unwrap()
}

fn reading(mut session: Session) -> Session {
    session.read_from("s", &names(), true).unwrap();
    session
}

/// Noise from a multiplicative sequence, in [-1, 1].
fn noise(i: u64) -> f64 {
    2.0 * ((i * 7919 + 13) % 1009) as f64 / 1009.0 - 1.0
}

#[test]
fn a_standardised_session_resumed_at_any_row_is_the_uninterrupted_one() {
    for preset in PRESETS {
        let mut whole = reading(session(preset.name, "", Some(Embedding::new(2))));
        for i in 0..36 {
            let mut resumed = reading(Session::from_bytes(&whole.to_bytes().unwrap()).unwrap());
            let (a, b) = (whole.take(&row(i)).unwrap(), resumed.take(&row(i)).unwrap());
            assert_eq!(
                a.map(|a| (a.number, a.step, a.prediction, a.drift)),
                b.map(|b| (b.number, b.step, b.prediction, b.drift)),
                "{}",
                preset.name
            );
            assert_eq!(whole.to_bytes().unwrap(), resumed.to_bytes().unwrap(), "{}", preset.name);
        }
    }
}

/// Rows that are at hand are looked at ahead; what comes out must not know.
#[test]
fn rows_ahead_give_what_rows_one_by_one_give() {
    let rows: Vec<Record> = (0..400)
        .map(|i| if i == 321 { record(i, [Cell::Number(0.1), Cell::Missing]) } else { row(i) })
        .collect();
    for algorithm in ["krls-ald", "spl-coherence", "auto", "rls"] {
        for embedding in [None, Some(Embedding::new(3))] {
            let mut one = reading(session(algorithm, "", embedding));
            let mut many = one.clone();
            let (mut next, mut predictions) = (0, Vec::new());
            while next < rows.len() {
                let taken = many.take_ahead(&rows[next..], |answer| {
                    predictions.push(answer.prediction);
                    Ok(())
                });
                let taken = taken.unwrap();
                next += taken;
                if taken == 0 {
                    predictions.extend(many.take(&rows[next]).unwrap().map(|answer| answer.prediction));
                    next += 1;
                }
            }
            let want: Vec<_> =
                rows.iter().filter_map(|row| one.take(row).unwrap().map(|a| a.prediction)).collect();
            assert_eq!(predictions, want, "{algorithm}");
            assert_eq!(one.to_bytes().unwrap(), many.to_bytes().unwrap(), "{algorithm}");
        }
    }
}

/// Units are no part of a problem: in others the predictions are the same numbers in these units. A power of two
/// changes no digit.
#[test]
fn units_do_not_matter() {
    for algorithm in ["auto", "krls-tracker", "knlms", "klms"] {
        let make = || {
            let learner = Learner::new(algorithm, None, 2, &Settings::new()).unwrap();
            Session::new(learner).unwrap().standardised(true).unwrap()
        };
        let (mut plain, mut other) = (make(), make());
        let (small, large) = (2f64.powi(-20), 2f64.powi(20));
        for i in 0..300 {
            let x = [(i as f64 * 0.7).sin(), (i as f64 * 0.31).cos()];
            let y = x[0] * x[1] + 0.1 * noise(i);
            let a = plain.learn_one(&x, y).unwrap();
            let b = other.learn_one(&x.map(|v| v * small), y * large).unwrap();
            // The very first rows have no scale yet.
            assert!(i < 2 || a.prediction * large == b.prediction, "{algorithm}, row {i}: {a:?} and {b:?}");
        }
    }
}

/// Targets whose squares no number holds are predicted as any others, and whoever reads their errors is told.
#[test]
fn targets_beyond_squares_are_predicted_and_told_of() {
    let run = |unit: f64| {
        let learner = Learner::new("auto", None, 2, &Settings::new()).unwrap();
        let mut session = Session::new(learner).unwrap();
        let steps = (0..80).map(|i| {
            let x = [(i as f64 * 0.7).sin(), (i as f64 * 0.31).cos()];
            session.learn_one(&x, unit * (x[0] * x[1] + 0.1 * noise(i))).unwrap().prediction / unit
        });
        let predictions: Vec<f64> = steps.collect();
        (predictions, session.advice().iter().any(|advice| advice.concern == Concern::Units))
    };
    let (usual, told) = run(1.0);
    assert!(!told);
    for unit in [2f64.powi(-540), 2f64.powi(515)] {
        let (found, told) = run(unit);
        let apart = usual.iter().zip(&found).skip(2).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(told && apart < 1e-6, "unit {unit}: {apart}");
    }
}

/// Whatever the preset, the units and the width: a learner follows, or the session says that it has diverged.
#[test]
fn nothing_diverges_silently() {
    let sample = |i: u64| [(i as f64 * 0.7).sin(), (i as f64 * 0.31).cos()];
    let scales = [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6];
    // Every unit at the usual width, the ends of the range at the widths between which one would look.
    let mut cases: Vec<(f64, f64, f64, bool)> = scales
        .iter()
        .flat_map(|s| [(*s, *s, 1.0, true), (*s, 1.0, 1.0, true), (*s, *s, 1.0, false)])
        .collect();
    for scale in [1e-6, 1.0, 1e6] {
        cases.extend([1e-3, 0.03, 30.0, 1e3].map(|width| (scale, 1.0, width, true)));
    }
    let (mut diverged, mut bare) = (Vec::new(), 0);
    for preset in PRESETS {
        for (inputs, target, width, standardise) in &cases {
            let kernel = Kernel::gaussian(*width);
            let kernel = preset.takes_kernel().then_some(&kernel);
            let learner = Learner::new(preset.name, kernel, 2, &Settings::new()).unwrap();
            let mut session = Session::new(learner).unwrap();
            if *standardise {
                session = session.standardised(false).unwrap();
            }
            let (mut own, mut square) = (0.0, 0.0);
            for i in 0..150 {
                let x = sample(i);
                let y = target * ((2.0 * x[0]).sin() + 0.5 * x[1]);
                let error = session.learn_one(&x.map(|v| v * inputs), y).unwrap().error;
                assert!(error.is_finite());
                own += error * error;
                square += y * y;
            }
            let told = session.advice().iter().any(|advice| advice.concern == Concern::Diverged);
            assert_eq!(told, session.has_diverged());
            let what = format!(
                "{}, inputs {inputs}, target {target}, width {width}, standardised {standardise}",
                preset.name
            );
            assert!(told || own <= 12.0 * square, "{what}: {own} of {square}");
            bare += usize::from(told && !standardise);
            if told && *standardise && *width == 1.0 {
                diverged.push(what);
            }
        }
    }
    assert!(diverged.is_empty(), "standardised and at their defaults: {diverged:?}");
    assert!(bare > 0, "bare learners in wild units diverge, and this test has seen none");
}

/// Intervals around the predictions of learners that have to follow: a switch, and a slow turn under noise that grows.
#[test]
fn coverage_is_what_was_asked_for_through_abrupt_and_slow_changes() {
    for algorithm in ["auto", "krls-tracker", "knlms", "rls"] {
        for slow in [false, true] {
            for coverage in [0.8, 0.95] {
                let learner = Learner::new(algorithm, None, 2, &"budget=30".parse().unwrap())
                    .or_else(|_| Learner::new(algorithm, None, 2, &Settings::new()));
                let session = Session::new(learner.unwrap()).unwrap().with_coverage(coverage).unwrap();
                let mut session = session.standardised(true).unwrap();
                for i in 0..4000_u64 {
                    let (x, t) = ([noise(i), noise(3 * i + 1)], i as f64 / 4000.0);
                    let y = match slow {
                        true => (4.0 * t).cos() * x[0] + (4.0 * t).sin() * x[1] + 0.5 * t * noise(5 * i + 2),
                        false if i < 2000 => x[0] + 0.1 * noise(5 * i + 2),
                        false => 3.0 - 5.0 * x[1] * x[0] + noise(5 * i + 2),
                    };
                    session.learn_one(&x, y).unwrap();
                }
                let found = session.coverage().1.unwrap();
                assert!((found - coverage).abs() < 0.01, "{algorithm}, slow {slow}: {found} of {coverage}");
            }
        }
    }
}

#[test]
fn the_model_of_a_standardised_session_takes_raw_features() {
    for algorithm in ["krls-ald", "rls", "knlms"] {
        let learner = Learner::new(algorithm, None, 1, &Settings::new()).unwrap();
        let mut session = Session::new(learner).unwrap().standardised(true).unwrap();
        for i in 0..300 {
            let x = 1000.0 + 50.0 * (i as f64 * 0.7).sin();
            session.learn_one(&[x], 3.0 * x + 0.1 * noise(i)).unwrap();
        }
        let (x, model) = (1010.0, session.model().unwrap());
        let (found, want) =
            (model.values(Rows::one(&[x])).unwrap().data()[0], session.predict_one(&[x]).unwrap());
        assert!((found - want).abs() < 1e-9 * want.abs(), "{algorithm}: {found} and {want}");
        assert!((want - 3.0 * x).abs() < 50.0, "{algorithm}: {want}");
    }
}

#[test]
fn baselines_are_what_they_say() {
    let mut session = reading(session("auto", "", Some(Embedding { feedback: true, ..Embedding::new(1) })));
    let y = |i: u64| (i as f64 * 0.17).cos();
    let (mut last, mut mean, mut sum) = (0.0, 0.0, 0.0);
    for i in 0..100 {
        let answer = session.take(&row(i)).unwrap();
        if i == 0 {
            continue;
        }
        let said = answer.unwrap().prediction.baselines;
        let expected = if i == 1 { y(0) } else { sum / (i - 1) as f64 };
        assert!((said[0].unwrap() - y(i - 1)).abs() < 1e-12 && (said[1].unwrap() - expected).abs() < 1e-12);
        last += (y(i) - y(i - 1)).powi(2);
        mean += (y(i) - expected).powi(2);
        sum += y(i);
    }
    let [found_last, found_mean, linear] = session.baselines().map(Option::unwrap);
    assert!((found_last - last / 99.0).abs() < 1e-12 && (found_mean - mean / 99.0).abs() < 1e-12);
    assert!(linear < found_mean, "{linear} and {found_mean}");
    assert!(session.against_baseline().unwrap() < 1.1);
}

/// A channel that changes half way: the change is seen, and acting on it helps a learner that does not forget.
#[test]
fn drift_is_seen_and_acted_upon() {
    let run = |on_drift: OnDrift| {
        let learner = Learner::new("krls-ald", None, 2, &"nu=1e-2".parse().unwrap()).unwrap();
        let mut session = Session::new(learner).unwrap().with_on_drift(on_drift).standardised(true).unwrap();
        for i in 0..2000 {
            let x = [noise(i), noise(3 * i + 1)];
            let y = if i < 1000 { x[0] + x[1] * x[1] } else { x[1] - x[0] };
            session.learn_one(&x, y + 0.05 * noise(5 * i + 2)).unwrap();
        }
        session
    };
    let note = run(OnDrift::Note);
    let seen = note.drifts().iter().filter(|at| (1000..1100).contains(*at)).count();
    assert!(seen >= 1 && note.drifts().iter().all(|at| *at >= 1000), "{:?}", note.drifts());
    let error = |session: &Session| session.totals().mean_squared().unwrap();
    for acted in [run(OnDrift::Forget), run(OnDrift::Restart)] {
        assert!(error(&acted) < 0.7 * error(&note), "{} and {}", error(&acted), error(&note));
        let saved = acted.to_bytes().unwrap();
        assert_eq!(Session::from_bytes(&saved).unwrap().to_bytes().unwrap(), saved);
    }
}

#[test]
fn a_row_without_target_is_answered_and_a_later_one_brings_it() {
    let mut whole = reading(session("krls-ald", "", None));
    let mut delayed = whole.clone();
    for i in 0..40 {
        whole.take(&row(i)).unwrap();
        delayed.take_keyed(&row(i), &i.to_string()).unwrap();
    }
    let open = record(40, [Cell::Number(0.25), Cell::Missing]);
    let answer = delayed.take_keyed(&open, "late").unwrap().unwrap();
    assert!(answer.step.is_none() && answer.y.is_none() && answer.row == 41);
    assert_eq!(answer.prediction.value, whole.predict_one(&[0.25]).unwrap());
    assert_eq!(delayed.waiting(), 1);
    let mut delayed = reading(Session::from_bytes(&delayed.to_bytes().unwrap()).unwrap());
    // The features of the row that brings the target do not count.
    let late = record(41, [Cell::Missing, Cell::Number(0.5)]);
    let found = delayed.take_keyed(&late, "late").unwrap().unwrap().step;
    let want = whole.take(&record(40, [Cell::Number(0.25), Cell::Number(0.5)])).unwrap().unwrap().step;
    assert_eq!((found, delayed.waiting()), (want, 0));
}

#[test]
fn a_forecast_is_a_row_without_target_after_another() {
    let mut session = reading(session("krls-ald", "", Some(Embedding::new(3))));
    (0..60).for_each(|i| assert!(session.take(&row(i)).is_ok()));
    let forecast = session.forecast(3).unwrap();
    assert_eq!(forecast, session.forecast(3).unwrap(), "nothing changes");
    // A driver stays at its last value.
    let last = match &row(59).cells[0] {
        Cell::Number(last) => *last,
        other => panic!("{other:?}"),
    };
    for expected in forecast {
        let open = record(60 + expected.ahead, [Cell::Number(last), Cell::Missing]);
        assert_eq!(session.take(&open).unwrap().unwrap().prediction.value, expected.value);
    }
    assert_eq!(session.totals().unanswered, 3);
}

#[test]
fn missing_inputs_are_carried_forward_if_asked() {
    let bare = session("krls-ald", "", None);
    let mut carried = reading(bare.clone().with_carried_inputs());
    let mut whole = reading(bare);
    let gap = record(5, [Cell::Missing, Cell::Number(0.3)]);
    for i in 0..5 {
        whole.take(&row(i)).unwrap();
        carried.take(&row(i)).unwrap();
    }
    assert!(whole.take(&gap).is_err());
    let mut carried = reading(Session::from_bytes(&carried.to_bytes().unwrap()).unwrap());
    let filled = record(5, [row(4).cells[0].clone(), Cell::Number(0.3)]);
    assert_eq!(carried.take(&gap).unwrap().unwrap().step, whole.take(&filled).unwrap().unwrap().step);
}

/// A stream that wanders off takes its scales along: errors of late are small against what the target has wandered.
#[test]
fn scales_follow_a_stream_that_wanders_off() {
    let learner = Learner::new("krls-ald", None, 1, &"nu=1e-2".parse().unwrap()).unwrap();
    let mut session = Session::new(learner).unwrap().standardised(true).unwrap();
    let mut late = 0.0;
    for i in 0..2100 {
        let far = if i < 300 { 0.0 } else { 500.0 };
        let x = far + (i as f64 * 0.37).sin();
        let error = session.learn_one(&[x], 3.0 * x).unwrap().error;
        if i >= 1100 {
            late += error * error / 1000.0;
        }
    }
    assert!(late < 0.1, "{late}");
    let saved = session.to_bytes().unwrap();
    assert_eq!(Session::from_bytes(&saved).unwrap().to_bytes().unwrap(), saved);
}
