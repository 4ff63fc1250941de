//! The default fit on data that it was not built with: what it promises of itself must hold on rows it never saw.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use groat::batch::{Preparation, Quiet, Sparse, learn};
use groat::data::{Dataset, InputOptions, Inputs, ReadOptions, Split, TaskChoice, read_table};
use groat::testing::shared;

/// Training and test part of a set by the first column of its splits.
fn parts(name: &str, task: TaskChoice) -> Option<(Dataset, Dataset)> {
    let folder = shared(&format!("data/{name}"))?;
    let table = read_table(folder.join("data.csv.gz"), &ReadOptions::default()).unwrap();
    let options = InputOptions { targets: vec!["y".to_owned()], ..InputOptions::default() };
    let inputs = Inputs::fit(&table, &options).unwrap();
    let (data, _) = Dataset::from_table(&table, inputs, task, None).unwrap();
    let splits = read_table(folder.join("splits.csv.gz"), &ReadOptions::default()).unwrap();
    let marks = splits.numbers(&splits.names()[0].clone()).unwrap();
    let split = Split::from_marks(&marks).unwrap();
    Some((data.select(&split.train), data.select(&split.test)))
}

/// The error on the test rows: root mean square, or the share of wrong classes.
fn test_error(model: &groat::Model, test: &Dataset) -> f64 {
    use groat::data::Answers;
    let n = test.len() as f64;
    match test.answers() {
        Answers::Values { y, .. } => {
            let p = model.values(test.x()).unwrap();
            (y.data().iter().zip(p.data()).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / n).sqrt()
        }
        Answers::Classes { codes, .. } => {
            let p = model.classify(test.x()).unwrap();
            p.iter().zip(codes).filter(|(a, b)| a != b).count() as f64 / n
        }
        _ => f64::NAN,
    }
}

/// No model may be much worse on new rows than its own estimate: weights that blow up would show here.
#[test]
fn no_test_error_is_far_above_the_expected_one() {
    let sets = [
        ("yacht", TaskChoice::Regression),
        ("concrete", TaskChoice::Regression),
        ("energy", TaskChoice::Regression),
        ("boston_housing", TaskChoice::Regression),
        ("ida_banana", TaskChoice::Classification),
        ("ida_image", TaskChoice::Classification),
        ("ida_german", TaskChoice::Classification),
        ("ida_waveform", TaskChoice::Classification),
        ("ripley_synth", TaskChoice::Classification),
    ];
    for (name, task) in sets {
        let Some((train, test)) = parts(name, task) else { return };
        let fitted = learn(&train, &Sparse::default(), Preparation::new(), &Quiet).unwrap();
        let expected = fitted.expected.as_ref().unwrap();
        let found = test_error(&fitted.model, &test);
        assert!(found < 1.5 * expected.error(), "{name}: {found} against {}", expected.error());
        let full = fitted.full.as_ref().unwrap();
        let own = fitted.sizes.iter().find(|at| at.terms == fitted.model.size()).unwrap().error;
        assert!(own < 1.1 * full.error, "{name}: {own} against {} of the full machine", full.error);
        assert!(fitted.model.size() * 2 < train.len(), "{name}: {} vectors", fitted.model.size());
    }
}
