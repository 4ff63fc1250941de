//! Sessions: saved and resumed at any row, with and without inputs, and the models they give.

use crate::data::{Cell, Embedding, InputOptions, Inputs, Record};
use crate::error::{Error, Place};
use crate::kernels::Kernel;
use crate::matrix::Rows;
use crate::model::Task;
use crate::online::presets::PRESETS;
use crate::online::{Learner, Session, Settings};

fn names() -> [String; 2] {
    ["u".to_owned(), "y".to_owned()]
}

/// Row `i` of a driven series; a label where classes are wanted.
fn row(i: usize, label: bool) -> Record {
    let (u, y) = ((i as f64 * 0.3).sin(), (i as f64 * 0.17).cos());
    let y = if label { y.signum() } else { y };
    Record { place: Place::Line(i as u64 + 2), cells: vec![Cell::Number(u), Cell::Number(y)] }
}

fn inputs(embedding: Option<Embedding>) -> Inputs {
    let options = InputOptions { targets: vec!["y".into()], embedding, ..Default::default() };
    Inputs::choose("s", &names(), true, &options).unwrap()
}

fn session(algorithm: &str, settings: &str, embedding: Option<Embedding>) -> Session {
    let inputs = inputs(embedding);
    let settings: Settings = settings.parse().unwrap();
    let learner = Learner::new(algorithm, None, inputs.features(), &settings).unwrap();
    Session::new(learner).unwrap().with_inputs(inputs).unwrap()
}

fn read(session: &mut Session) {
    session.read_from("s", &names(), true).unwrap();
}

#[test]
fn a_session_resumed_at_any_row_is_the_uninterrupted_one() {
    for preset in PRESETS {
        let mut whole = session(preset.name, "", Some(Embedding::new(3)));
        read(&mut whole);
        for i in 0..40 {
            let mut resumed = Session::from_bytes(&whole.to_bytes().unwrap()).unwrap();
            read(&mut resumed);
            let label = true;
            let (a, b) = (whole.take(&row(i, label)).unwrap(), resumed.take(&row(i, label)).unwrap());
            assert_eq!(
                a.map(|a| (a.number, a.step, a.prediction)),
                b.map(|b| (b.number, b.step, b.prediction)),
                "{}",
                preset.name
            );
            assert_eq!(whole.to_bytes().unwrap(), resumed.to_bytes().unwrap(), "{}", preset.name);
        }
        assert_eq!((whole.totals().rows, whole.totals().steps), (40, 37), "{}", preset.name);
    }
}

#[test]
fn a_bad_row_changes_nothing_until_it_is_skipped() {
    let mut session = session("klms", "", Some(Embedding::new(2)));
    read(&mut session);
    (0..5).for_each(|i| assert!(session.take(&row(i, false)).is_ok()));
    let before = session.to_bytes().unwrap();
    let bad = Record { place: Place::Line(7), cells: vec![Cell::Missing, Cell::Number(1.0)] };
    assert!(matches!(session.take(&bad), Err(Error::Data { .. })));
    assert_eq!(session.to_bytes().unwrap(), before);
    session.skip_row();
    assert_eq!((session.totals().rows, session.totals().skipped, session.totals().steps), (6, 1, 3));
    // The past starts anew.
    assert!(session.take(&row(6, false)).unwrap().is_none());
}

#[test]
fn a_target_that_the_loss_cannot_use_is_a_bad_row() {
    let mut session = session("klms", "loss=hinge", Some(Embedding::new(2)));
    read(&mut session);
    (0..3).for_each(|i| assert!(session.take(&row(i, true)).is_ok()));
    let before = session.to_bytes().unwrap();
    let message = session.take(&row(3, false)).unwrap_err().to_string();
    assert!(message.contains("line 5") && message.contains("-1 or 1"), "{message}");
    assert_eq!(session.to_bytes().unwrap(), before);
    assert!(session.take(&row(3, true)).unwrap().is_some());
}

/// Rows of a table and rows of numbers feed the same learner, and count alike.
#[test]
fn numbers_continue_a_session_of_rows_and_the_reverse() {
    let mut rows = session("krls-ald", "", None);
    let mut numbers = Session::new(rows.learner().clone()).unwrap();
    read(&mut rows);
    let cells = |i: usize| row(i, false).cells.iter().map(|cell| cell.number().unwrap()).collect::<Vec<_>>();
    for i in 0..30 {
        rows.take(&row(i, false)).unwrap();
        numbers.learn_one(&cells(i)[..1], cells(i)[1]).unwrap();
    }
    let x: Vec<f64> = (30..60).map(|i| cells(i)[0]).collect();
    let y: Vec<f64> = (30..60).map(|i| cells(i)[1]).collect();
    let mut loaded = Session::from_bytes(&rows.to_bytes().unwrap()).unwrap();
    let steps = loaded.learn_many(Rows::new(&x, 1).unwrap(), &y).unwrap();
    assert_eq!(steps, numbers.learn_many(Rows::new(&x, 1).unwrap(), &y).unwrap());
    assert_eq!(loaded.totals(), numbers.totals());
    let mut named =
        Session::from_bytes(&numbers.to_bytes().unwrap()).unwrap().with_inputs(inputs(None)).unwrap();
    for session in [&mut loaded, &mut named] {
        read(session);
    }
    assert_eq!(
        loaded.take(&row(60, false)).unwrap().map(|a| (a.number, a.step)),
        named.take(&row(60, false)).unwrap().map(|a| (a.number, a.step))
    );
    assert!(numbers.read_from("s", &names(), true).is_err() && numbers.take(&row(0, false)).is_err());
}

/// Of rows given at once those before a bad one were learnt, and counted.
#[test]
fn totals_follow_rows_up_to_a_bad_one() {
    let mut session = Session::new(Learner::new("klms", None, 1, &Settings::new()).unwrap()).unwrap();
    let x = [0.1, 0.2, f64::NAN, 0.4];
    assert!(session.learn_many(Rows::new(&x, 1).unwrap(), &[1.0; 4]).is_err());
    assert_eq!((session.totals().steps, session.learner().steps()), (2, 2));
    assert!(session.totals().mean_squared().unwrap() > 0.0);
}

#[test]
fn models_are_finished() {
    let mut regression = session("klms-coherence", "eta=0.3", None);
    read(&mut regression);
    (0..20).for_each(|i| assert!(regression.take(&row(i, false)).is_ok()));
    let model = regression.model().unwrap();
    assert_eq!(*model.task(), Task::Regression { targets: vec!["y".into()] });
    assert_eq!((model.record().method.as_str(), model.record().rows), ("klms-coherence", 20));
    let settings = &model.record().settings;
    assert_eq!((settings["eta"].as_str(), settings["mu0"].as_str()), ("0.3", "0.5"), "given and default");
    assert_eq!(settings["update"], "lms");
    assert_eq!((model.feature_names(), model.inputs()), (&["u".to_owned()][..], regression.inputs()));
    for (algorithm, loss) in [("klms", "hinge"), ("klms-coherence", "logistic"), ("kapsm", "hinge")] {
        let mut session = session(algorithm, &format!("loss={loss}"), None);
        read(&mut session);
        (0..20).for_each(|i| assert!(session.take(&row(i, true)).is_ok()));
        let classes = Task::classification(vec!["-1".into(), "1".into()]);
        let model = session.model().unwrap();
        assert_eq!(
            (model.task(), model.calibration().is_some()),
            (&classes, loss == "logistic"),
            "{algorithm}"
        );
        let alone = session.learner().snapshot().unwrap().unwrap();
        assert_eq!((alone.task(), alone.inputs()), (&classes, None));
    }
}

#[test]
fn other_files_are_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let mut session = Session::new(Learner::new("lms", None, 1, &Settings::new()).unwrap()).unwrap();
    session.learn_one(&[1.0], 2.0).unwrap();
    session.save(&path).unwrap();
    assert_eq!(Session::load(&path).unwrap().to_bytes().unwrap(), session.to_bytes().unwrap());
    let text = String::from_utf8(session.to_bytes().unwrap()).unwrap();
    for (from, to, advice) in [
        ("\"version\":4", "\"version\":2", "learn anew"),
        ("\"format\":\"groat session\",\"version\":4", "\"version\":1", "learn anew"),
        ("\"format\":\"groat session\"", "\"format\":\"other\"", "no session"),
        ("\"steps\":1", "\"steps\":-1", "state.json"),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let message = Session::load(&path).unwrap_err().to_string();
        assert!(message.contains(advice), "{message}");
    }
    let learner = Learner::new("klms", &Kernel::gaussian(1.0), 2, &Settings::new()).unwrap();
    assert!(Session::new(learner).unwrap().with_inputs(inputs(None)).is_err(), "one feature, not two");
    assert!(Session::load(folder.path().join("none")).is_err());
}
