//! A model's values as named columns.

use groat::data::Column;
use groat::expansion::winner;
use groat::{Expansion, Matrix};

/// The prediction and, if asked for, the score of each class. The first `lost` rows, which only fill the past
/// of a series, have no answer.
pub fn columns(model: &Expansion, values: &Matrix, lost: usize, scores: bool) -> Vec<(String, Column)> {
    let numbers = |k: usize| {
        let known = values.view().iter().map(move |row| row[k]);
        Column::Numeric(std::iter::repeat_n(f64::NAN, lost).chain(known).collect())
    };
    let classes = model.classes();
    if classes.is_empty() {
        let name = |k: usize| {
            if values.cols() == 1 { "prediction".into() } else { format!("prediction[{}]", k + 1) }
        };
        return (0..values.cols()).map(|k| (name(k), numbers(k))).collect();
    }
    let label = |row: &[f64]| classes.get(winner(row)).map_or("", String::as_str);
    let labels = std::iter::repeat_n("", lost).chain(values.view().iter().map(label));
    let mut columns = vec![("prediction".to_owned(), Column::text(labels))];
    if scores {
        // Two classes share one value, which speaks for the second.
        let speaking = classes.iter().skip(usize::from(values.cols() == 1));
        columns.extend(speaking.enumerate().map(|(k, class)| (format!("score[{class}]"), numbers(k))));
    }
    columns
}
