//! Several methods on the same folds: error, size and time side by side.

use super::methods::{KERNEL_RIDGE, LEAST_SQUARES_SVM, LINEAR_SVR, LOGISTIC, SPARSE, SVC, SVR};
use super::{KernelChoice, Methods, Preparation, Progress, TaskKind, Watch, learn};
use crate::data::{Answers, Dataset};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::settings::Settings;
use crate::tune::{Judgement, mean_squared, sample_rows};
use serde::Serialize;
use std::time::Instant;

/// Parts of the rows, each left out once.
const FOLDS: usize = 3;

/// How a method fared with its defaults.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Compared {
    /// The method.
    pub method: String,
    /// Root mean square error on the left-out parts, or the share of wrong classes.
    pub error: f64,
    /// Standard error of that.
    pub standard_error: f64,
    /// Vectors of a model, the mean over the parts.
    pub vectors: f64,
    /// Bytes of a model, the mean over the parts.
    pub bytes: f64,
    /// Seconds of a fit, the mean over the parts.
    pub fit_seconds: f64,
    /// Seconds to predict a thousand rows.
    pub predict_seconds: f64,
    /// Why there is no result, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The methods that are compared where none are named: the full machine, few vectors, the support vector machines, and a
/// linear one that shows what a kernel is worth.
pub fn usual(task: TaskKind) -> &'static [&'static str] {
    match task {
        TaskKind::Regression => &[KERNEL_RIDGE, SPARSE, LEAST_SQUARES_SVM, SVR, LINEAR_SVR],
        TaskKind::Classification => &[KERNEL_RIDGE, SPARSE, LEAST_SQUARES_SVM, SVC, LOGISTIC],
        TaskKind::Density => &[],
    }
}

/// Fits each method with its defaults to the same parts of at most `rows` rows, drawn by the seed of the preparation, and
/// measures it on the parts left out. A method that fails says why and does not end the others.
pub fn compare(
    data: &Dataset,
    names: &[&str],
    kernel: &KernelChoice,
    rows: usize,
    preparation: Preparation,
    watch: &dyn Watch,
) -> Result<Vec<Compared>> {
    let drawn = sample_rows(data.len(), rows, preparation.seed);
    let data = data.select(&drawn).without_landmarks();
    let parts: Vec<(Dataset, Dataset)> = data
        .folds(FOLDS.min(data.len()), preparation.seed)?
        .iter()
        .map(|split| (data.select(&split.train), data.select(&split.test)))
        .collect();
    let mut out = Vec::new();
    for (k, name) in names.iter().enumerate() {
        watch.progress(&Progress::new("comparing methods", k, Some(names.len())).detail(*name));
        match measure(name, kernel, &parts, preparation, watch) {
            Ok(compared) => out.push(compared),
            Err(Error::Stopped) => return Err(Error::Stopped),
            Err(error) => out.push(failed(name, &error)),
        }
        if watch.stop_requested() {
            return Err(Error::Stopped);
        }
    }
    out.sort_by(|a, b| a.error.total_cmp(&b.error));
    Ok(out)
}

fn measure(
    name: &str,
    kernel: &KernelChoice,
    parts: &[(Dataset, Dataset)],
    preparation: Preparation,
    watch: &dyn Watch,
) -> Result<Compared> {
    let methods = Methods::standard();
    // The estimate of its own error would be made three times for nothing.
    let mut settings = Settings::new().with("seed", preparation.seed);
    if methods.find(name)?.parameter("estimate").is_some() {
        settings = settings.with("estimate", false);
    }
    let (mut losses, mut vectors, mut bytes, mut fit, mut predict, mut predicted) =
        (Vec::new(), 0.0, 0.0, 0.0, 0.0, 0);
    for (train, test) in parts {
        let classes: &[String] = match train.answers() {
            Answers::Classes { labels, .. } => labels,
            _ => &[],
        };
        let kernel = match methods.find(name)?.takes_kernel() {
            true => kernel.for_features(train.x().cols()),
            false => KernelChoice::default(),
        };
        let method = methods.build(name, &kernel, classes, &settings)?;
        let started = Instant::now();
        let model = learn(train, &*method, preparation, watch)?.model;
        fit += started.elapsed().as_secs_f64();
        let started = Instant::now();
        losses.extend(losses_of(&model, test)?);
        predict += started.elapsed().as_secs_f64();
        predicted += test.len();
        vectors += model.size() as f64;
        bytes += model.memory_bytes() as f64;
    }
    let (count, judged) = (parts.len() as f64, Judgement::of(&losses, vectors));
    let classes = matches!(parts[0].0.answers(), Answers::Classes { .. });
    let root = judged.mean.sqrt();
    Ok(Compared {
        method: name.to_owned(),
        error: if classes { judged.mean } else { root },
        // Of a root: that of the mean over twice the root.
        standard_error: match classes {
            true => judged.standard_error,
            false => judged.standard_error / (2.0 * root).max(f64::MIN_POSITIVE),
        },
        vectors: vectors / count,
        bytes: bytes / count,
        fit_seconds: fit / count,
        predict_seconds: 1000.0 * predict / predicted.max(1) as f64,
        failed: None,
    })
}

/// Squared error of every row (the mean over outputs), or 1 for a wrong class.
fn losses_of(model: &Model, test: &Dataset) -> Result<Vec<f64>> {
    match test.answers() {
        Answers::Values { y, .. } => {
            let values = model.values(test.x())?;
            Ok((0..test.len()).map(|i| mean_squared(values.row(i), y.row(i))).collect())
        }
        Answers::Classes { codes, .. } => {
            let found = model.classify(test.x())?;
            Ok(found.iter().zip(codes).map(|(a, b)| f64::from(u8::from(a != b))).collect())
        }
        _ => Err(Error::parameter("task", "density", "numbers or classes, to compare methods by")),
    }
}

fn failed(name: &str, error: &Error) -> Compared {
    let none = f64::NAN;
    Compared {
        method: name.to_owned(),
        error: none,
        standard_error: none,
        vectors: none,
        bytes: none,
        fit_seconds: none,
        predict_seconds: none,
        failed: Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Quiet;
    use crate::matrix::Matrix;

    #[test]
    fn methods_are_ranked_on_the_same_parts_and_a_failure_is_told() {
        let x: Vec<f64> = (0..90).map(|i| f64::from(i) / 9.0).collect();
        let y = x.iter().map(|x| x.sin()).collect();
        let data = Dataset::new(Matrix::column(x), Answers::values("y", y)).unwrap();
        let kernel = KernelChoice::default();
        let names = [LINEAR_SVR, SPARSE, KERNEL_RIDGE, SVC];
        let ranked = compare(&data, &names, &kernel, 60, Preparation::new(), &Quiet).unwrap();
        let order: Vec<&str> = ranked.iter().map(|c| c.method.as_str()).collect();
        assert_eq!(order[2..], [LINEAR_SVR, SVC]);
        assert!(ranked[0].error < 0.05 && ranked[2].error > 0.5, "{ranked:?}");
        assert!(ranked[3].failed.as_ref().is_some_and(|why| !why.is_empty()));
        let sparse = ranked.iter().find(|c| c.method == SPARSE).unwrap();
        assert!(sparse.vectors < 30.0 && sparse.bytes > 0.0);
    }
}
