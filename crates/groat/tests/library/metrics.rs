//! Scores of predictions against scikit-learn: the numbers of `reference/metrics/make.py`.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use groat::metrics::{ClassificationErrors, RegressionErrors, log_loss};
use groat::model::{Calibration, Task};
use groat::{Expansion, Kernel, Matrix, Model, Rows};
use serde_json::Value;

fn reference() -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/metrics/metrics.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn codes(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|v| v as usize).collect()
}

fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "{what}: {found}, expected {expected}");
}

/// A classifier of so many classes; its values are made up elsewhere.
fn classifier(classes: usize) -> Model {
    let outputs = if classes == 2 { 1 } else { classes };
    let f = Expansion::new(Kernel::gaussian(1.0), Matrix::zeros(1, 1), Matrix::zeros(1, outputs)).unwrap();
    let model = Model::new(f).with_task(Task::numbered_classes(classes)).unwrap();
    model.with_calibration(Some(Calibration::log_odds(outputs))).unwrap()
}

#[test]
fn classes_are_scored_as_scikit_learn_does() {
    for (name, classes) in [("two", 2), ("four", 4)] {
        let case = &reference()[name];
        let (truth, values) = (codes(&case["truth"]), numbers(&case["values"]));
        let model = classifier(classes);
        let rows = Rows::new(&values, model.outputs()).unwrap();
        let errors = ClassificationErrors::of_model(&model, rows, &truth).unwrap();
        let predicted = codes(&case["predicted"]);
        assert_eq!(errors.wrong, truth.iter().zip(&predicted).filter(|(t, p)| t != p).count(), "{name}");
        close(errors.area_under_curve.unwrap(), &case["area"], name);
        close(errors.mean_f1, &case["macro_f1"], name);
        close(errors.balanced_accuracy, &case["balanced_accuracy"], name);
        for (k, class) in errors.per_class.iter().enumerate() {
            close(class.precision.unwrap(), &case["precision"][k], name);
            close(class.recall.unwrap(), &case["recall"][k], name);
            close(class.f1.unwrap(), &case["f1"][k], name);
            close(class.rows as f64, &case["rows"][k], name);
        }
        let probabilities = numbers(&case["probabilities"]);
        close(
            log_loss(&truth, Rows::new(&probabilities, classes).unwrap()).unwrap(),
            &case["log_loss"],
            name,
        );
        if classes == 2 {
            // The difference of two log odds is the log odds ratio, up to the rounding of the values.
            assert!((errors.log_loss.unwrap() - case["log_loss"].as_f64().unwrap()).abs() < 1e-12);
        }
    }
}

#[test]
fn numbers_are_scored_as_scikit_learn_does() {
    let case = &reference()["numbers"];
    let errors = RegressionErrors::of(&numbers(&case["truth"]), &numbers(&case["predicted"])).unwrap();
    close(errors.r_squared.unwrap(), &case["r_squared"], "R2");
    close(errors.mean_absolute, &case["mean_absolute"], "mean absolute");
    close(errors.median_absolute, &case["median_absolute"], "median absolute");
    close(errors.absolute_90, &case["absolute_90"], "90 %");
    close(errors.absolute_95, &case["absolute_95"], "95 %");
}
