//! How LIBSVM and its data files know features and classes: both by numbers.

use super::inputs::index_of;
use crate::matrix::Point;
use std::collections::HashSet;

/// Classes as numbers: their own where all are whole numbers, else 0, 1, ...
pub(crate) fn svmlight_labels(classes: &[String]) -> Vec<f64> {
    let whole = |label: &String| label.parse::<f64>().ok().filter(|v| v.fract() == 0.0 && v.abs() < 1e9);
    let numbers: Option<Vec<f64>> = classes.iter().map(whole).collect();
    numbers.unwrap_or_else(|| (0..classes.len()).map(|c| c as f64).collect())
}

/// The index of each feature, from 1 on: by name where all are called by an index, else by place.
pub(crate) fn svmlight_indices(names: &[String], features: usize) -> Vec<usize> {
    let by_name: Option<Vec<usize>> =
        names.iter().map(|name| index_of(name).filter(|index| *index > 0)).collect();
    match by_name {
        Some(found) if found.len() == features && found.iter().collect::<HashSet<_>>().len() == features => {
            found
        }
        _ => (1..=features).collect(),
    }
}

/// What of a row is not 0, in ascending order of the indices.
pub(crate) fn entries_of(row: Point<'_>, indices: &[usize], entries: &mut Vec<(usize, f64)>) {
    entries.clear();
    let mut put = |column: usize, value: f64| {
        if value != 0.0 {
            entries.push((indices[column], value));
        }
    };
    match row {
        Point::Dense(row) => row.iter().enumerate().for_each(|(k, v)| put(k, *v)),
        Point::Sparse(columns, row) => columns.iter().zip(row).for_each(|(k, v)| put(*k as usize, *v)),
    }
    entries.sort_unstable_by_key(|(index, _)| *index);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_called_by_an_index_keep_it() {
        let names = |list: [&str; 3]| list.map(str::to_owned).to_vec();
        assert_eq!(svmlight_indices(&names(["x7", "x2", "x30"]), 3), [7, 2, 30]);
        for list in [["x7", "x7", "x30"], ["x0", "x1", "x2"], ["x1", "y", "x2"]] {
            assert_eq!(svmlight_indices(&names(list), 3), [1, 2, 3]);
        }
        let mut entries = Vec::new();
        entries_of(Point::Dense(&[1.0, 2.0, 0.0]), &[7, 2, 30], &mut entries);
        assert_eq!(entries, [(2, 2.0), (7, 1.0)]);
        let labels = |list: [&str; 2]| svmlight_labels(&list.map(str::to_owned));
        assert_eq!((labels(["-1", "1"]), labels(["-1", "b"])), (vec![-1.0, 1.0], vec![0.0, 1.0]));
    }
}
