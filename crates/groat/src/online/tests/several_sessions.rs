//! Sessions side by side: several targets, class labels, and settings that are tuned on the way.

use crate::data::{Cell, Embedding, InputOptions, Inputs, Record};
use crate::error::Place;
use crate::kernels::Kernel;
use crate::matrix::Rows;
use crate::online::{Learner, Resumed, Session, Sessions, Settings};

fn names() -> [String; 3] {
    ["x".to_owned(), "a".to_owned(), "b".to_owned()]
}

fn record(i: u32, cells: [Cell; 3]) -> Record {
    Record { place: Place::Line(u64::from(i) + 2), cells: cells.to_vec() }
}

/// A feature and two targets that follow from it.
fn row(i: u32) -> Record {
    let x = (f64::from(i) * 0.7).sin();
    record(i, [Cell::Number(x), Cell::Number(3.0 * x + 1.0), Cell::Number(100.0 * x * x)])
}

fn session(algorithm: &str, target: &str, other: &str, embedding: Option<Embedding>) -> Session {
    let options = InputOptions {
        targets: vec![target.into()],
        exclude: vec![other.into()],
        embedding,
        ..Default::default()
    };
    let inputs = Inputs::choose("s", &names(), true, &options).unwrap();
    let learner = Learner::new(algorithm, None, inputs.features(), &Settings::new()).unwrap();
    Session::new(learner).unwrap().with_inputs(inputs).unwrap().standardised(true).unwrap()
}

fn targets(algorithm: &str, embedding: Option<Embedding>) -> Sessions {
    let members = [("a", "b"), ("b", "a")]
        .map(|(target, other)| (target.to_owned(), session(algorithm, target, other, embedding)));
    let mut sessions = Sessions::of_targets(members.to_vec()).unwrap();
    sessions.read_from("s", &names(), true).unwrap();
    sessions
}

fn resumed(sessions: &Sessions) -> Sessions {
    let mut again = Sessions::from_bytes(&sessions.to_bytes().unwrap()).unwrap();
    again.read_from("s", &names(), true).unwrap();
    again
}

#[test]
fn each_of_several_targets_is_learnt_as_if_it_were_alone_also_after_a_pause() {
    for algorithm in ["auto", "krls-ald"] {
        for embedding in [None, Some(Embedding::new(2))] {
            let mut several = targets(algorithm, embedding);
            let mut alone = session(algorithm, "b", "a", embedding);
            alone.read_from("s", &names(), true).unwrap();
            for i in 0..80 {
                let mut again = resumed(&several);
                let (mut said, mut said_again) = (Vec::new(), Vec::new());
                several
                    .take(&row(i), None, |_, _, answer| {
                        said.push(answer.prediction);
                        Ok(())
                    })
                    .unwrap();
                again
                    .take(&row(i), None, |_, _, answer| {
                        said_again.push(answer.prediction);
                        Ok(())
                    })
                    .unwrap();
                let one = alone.take(&row(i)).unwrap().map(|answer| answer.prediction);
                assert_eq!((said.last().copied(), &said), (one, &said_again), "{algorithm}, row {i}");
                assert_eq!(several.to_bytes().unwrap(), again.to_bytes().unwrap());
            }
            assert_eq!((several.rows(), several.members().len()), (80, 2));
        }
    }
}

#[test]
fn a_row_that_one_target_cannot_read_is_taken_by_none() {
    let mut several = targets("krls-ald", None);
    (0..10).for_each(|i| several.take(&row(i), None, |_, _, _| Ok(())).unwrap());
    let before = several.to_bytes().unwrap();
    let bad = record(10, [Cell::Number(0.1), Cell::Number(1.3), Cell::Text("oops".into())]);
    assert!(several.take(&bad, None, |_, _, _| Ok(())).is_err());
    assert_eq!(several.to_bytes().unwrap(), before);
    several.skip_row();
    assert_eq!(several.rows(), 11);
}

#[test]
fn the_model_of_several_targets_gives_what_the_sessions_give() {
    let mut several = targets("krls-ald", None);
    (0..300).for_each(|i| several.take(&row(i), None, |_, _, _| Ok(())).unwrap());
    let model = several.model().unwrap();
    for x in [-0.8, 0.1, 0.6] {
        let values = model.values(Rows::one(&[x])).unwrap();
        for (value, (name, session)) in values.data().iter().zip(several.members()) {
            let want = session.predict_one(&[x]).unwrap();
            assert!((value - want).abs() < 1e-9 * (1.0 + want.abs()), "{name}: {value} and {want}");
        }
    }
    let targets: Vec<_> =
        model.inputs().unwrap().targets().iter().map(|target| target.name.clone()).collect();
    assert_eq!(targets, ["a", "b"]);
    // Each target would have its own past among its features.
    let mut embedded = super::several_sessions::targets("krls-ald", Some(Embedding::new(2)));
    (0..50).for_each(|i| embedded.take(&row(i), None, |_, _, _| Ok(())).unwrap());
    assert!(embedded.model().unwrap_err().to_string().contains("its own past"));
}

/// A feature and its sign or third as a label; `c` comes late.
fn labelled(i: u32) -> Record {
    let x = (f64::from(i) * 0.7).sin();
    let label = match () {
        () if i > 100 && x > 0.5 => "c",
        () if x > 0.0 => "a",
        () => "b",
    };
    record(i, [Cell::Number(x), Cell::Text(label.into()), Cell::Number(0.0)])
}

fn labels(algorithm: &str) -> Sessions {
    let mut sessions = Sessions::of_labels(session(algorithm, "a", "b", None)).unwrap();
    sessions.read_from("s", &names(), true).unwrap();
    sessions
}

#[test]
fn labels_are_learnt_saved_and_become_a_model_that_answers_alike() {
    for algorithm in ["krls-ald", "auto"] {
        let mut sessions = labels(algorithm);
        for i in 0..400 {
            if i % 50 == 0 {
                sessions = resumed(&sessions);
            }
            let mut again = if i % 40 == 7 { Some(resumed(&sessions)) } else { None };
            let answer = sessions.take_label(&labelled(i)).unwrap();
            if let Some(again) = &mut again {
                assert_eq!(again.take_label(&labelled(i)).unwrap(), answer);
                assert_eq!(again.to_bytes().unwrap(), sessions.to_bytes().unwrap());
            }
        }
        let counted = sessions.labels().unwrap();
        assert!(counted.accuracy().unwrap() > 0.8, "{algorithm}: {:?}", counted.accuracy());
        assert!(counted.baselines().unwrap().iter().all(|(_, share)| *share < 0.7));
        let all: u64 = counted.answers.values().flat_map(|said| said.values()).sum();
        assert_eq!((all, counted.steps, counted.rows), (400, 400, 400));
        if algorithm == "auto" {
            assert!(sessions.model().is_err(), "a mix of predictors is no expansion");
            continue;
        }
        let model = sessions.model().unwrap();
        assert_eq!(model.classes(), ["b", "a", "c"]);
        for i in 400..450 {
            let record = labelled(i);
            let Cell::Number(x) = record.cells[0] else { panic!("a number") };
            let said = sessions.take_label(&record).unwrap().prediction.unwrap();
            // The sessions went on learning, the model did not: it may differ at the borders.
            if (x - 0.5).abs() > 0.1 && x.abs() > 0.1 {
                let class = model.classify(Rows::one(&[x])).unwrap()[0];
                assert_eq!(model.classes()[class], said, "at {x}");
            }
        }
    }
}

#[test]
fn the_model_of_two_labels_has_one_output_and_their_decision() {
    let mut sessions = labels("krls-ald");
    (0..90).for_each(|i| drop(sessions.take_label(&labelled(i)).unwrap()));
    let model = sessions.model().unwrap();
    assert_eq!((model.outputs(), model.classes().len()), (1, 2));
    for x in [-0.9, -0.3, 0.3, 0.9] {
        let outputs: Vec<f64> =
            sessions.members().iter().map(|(_, session)| session.predict_one(&[x]).unwrap()).collect();
        let value = model.values(Rows::one(&[x])).unwrap().data()[0];
        assert!((value - (outputs[1] - outputs[0]) / 2.0).abs() < 1e-9);
    }
}

#[test]
fn a_state_of_several_says_what_it_is() {
    let folder = std::env::temp_dir().join(format!("groat-several-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("state.json");
    let mut sessions = labels("knlms");
    (0..20).for_each(|i| drop(sessions.take_label(&labelled(i)).unwrap()));
    sessions.save(&path).unwrap();
    assert!(matches!(Resumed::load(&path).unwrap(), Resumed::Several(_)));
    assert!(Session::load(&path).unwrap_err().to_string().contains("several targets or labels"));
    sessions.members()[0].1.save(&path).unwrap();
    assert!(matches!(Resumed::load(&path).unwrap(), Resumed::One(_)));
    let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
    let version = "\"version\":4";
    assert!(text.contains(version));
    std::fs::write(&path, text.replacen(version, "\"version\":3", 1)).unwrap();
    let message = Resumed::load(&path).unwrap_err().to_string();
    assert!(message.contains("version 3") && message.contains("learn anew"), "{message}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A width ten times too small is left by the shadows, also across a pause.
#[test]
fn shadows_find_better_settings() {
    let make = || {
        let learner = Learner::new("krls-tracker", &Kernel::gaussian(0.1), 2, &Settings::new()).unwrap();
        Session::new(learner).unwrap().standardised(false).unwrap()
    };
    let (mut tuned, mut bare) = (make().with_tuning(), make());
    let (mut late, mut late_bare) = (0.0, 0.0);
    for i in 0..3000_u32 {
        let x = [(f64::from(i) * 0.7).sin(), (f64::from(i) * 0.317).cos()];
        let y = (2.0 * x[0]).sin() + x[1] * x[0] + 0.1 * (f64::from(i) * f64::from(i) * 0.7).sin();
        if i % 500 == 99 {
            tuned = Session::from_bytes(&tuned.to_bytes().unwrap()).unwrap();
        }
        let (found, without) = (tuned.learn_one(&x, y).unwrap().error, bare.learn_one(&x, y).unwrap().error);
        if i >= 2000 {
            late += found * found;
            late_bare += without * without;
        }
    }
    let (trials, taken) = tuned.trials().unwrap();
    assert!(trials >= 10 && taken >= 1, "{taken} of {trials}");
    assert!(late < 0.8 * late_bare, "{late} and {late_bare}");
    assert_ne!(tuned.learner().kernel(), bare.learner().kernel());
}
