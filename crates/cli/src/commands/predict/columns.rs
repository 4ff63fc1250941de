//! A model's values as named columns.

use crate::model::per_output;
use groat::data::Column;
use groat::model::Task;
use groat::{Matrix, Model};

/// The prediction and, if asked for, the score of each class; for a density, whose values are logarithms, the
/// density and its logarithm. The first `lost` rows, which only fill the past of a series, have no answer.
pub fn columns(model: &Model, values: &Matrix, lost: usize, scores: bool) -> Vec<(String, Column)> {
    let classes = model.classes();
    if *model.task() == Task::Density {
        let density = values.data().iter().map(|log| log.exp()).collect();
        let log_density = Column::Numeric(values.data().to_vec());
        return vec![("density".into(), Column::Numeric(density)), ("log_density".into(), log_density)];
    }
    if classes.is_empty() {
        return numbers("prediction", model, values, lost);
    }
    let label = |row: &[f64]| classes.get(model.class_of(row)).map_or("", String::as_str);
    let labels = std::iter::repeat_n("", lost).chain(values.view().iter().map(label));
    let mut columns = vec![("prediction".to_owned(), Column::text(labels))];
    if scores {
        // Two classes share one value, which speaks for the second; a pair of several has one of its own.
        let title = |k: usize| match model.task().output_name(k) {
            _ if values.cols() == 1 => classes.last().cloned().unwrap_or_default(),
            named => named.unwrap_or_default(),
        };
        let scores = (0..values.cols()).map(|k| (format!("score[{}]", title(k)), column(values, k, lost)));
        columns.extend(scores);
        if let Ok(probabilities) = model.probabilities_of(values.view()) {
            let each = classes.iter().enumerate();
            columns.extend(
                each.map(|(k, class)| (format!("probability[{class}]"), column(&probabilities, k, lost))),
            );
        }
    }
    columns
}

/// One column per output, named after it when there are several.
pub fn numbers(name: &str, model: &Model, values: &Matrix, lost: usize) -> Vec<(String, Column)> {
    let titles = match model.task() {
        Task::Components => (0..model.outputs()).filter_map(|k| model.task().output_name(k)).collect(),
        _ => per_output(name, model),
    };
    titles.into_iter().enumerate().map(|(k, title)| (title, column(values, k, lost))).collect()
}

fn column(values: &Matrix, k: usize, lost: usize) -> Column {
    let known = values.view().iter().map(|row| row[k]);
    Column::Numeric(std::iter::repeat_n(f64::NAN, lost).chain(known).collect())
}
