//! Writing samples in the form of LIBSVM.

use crate::data::inputs::index_of;
use crate::data::{Answers, Dataset};
use crate::error::{Error, Result};
use crate::matrix::Point;
use crate::persist::write_atomically;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

/// Writes samples as svmlight text, a line `label index:value ...` for each, as LIBSVM reads it; what is 0 is left out.
///
/// Features that are called `x1`, `x2`, ... have these indices, others are numbered. Labels that are no whole numbers are
/// written as 0, 1, ... in the order of the classes; samples without an answer have the label 0. A model that was written for
/// LIBSVM numbers both alike.
pub fn write_svmlight(path: impl AsRef<Path>, data: &Dataset) -> Result<()> {
    let labels = labels(data)?;
    let indices = svmlight_indices(data.feature_names(), data.x().cols());
    write_atomically(path.as_ref(), |out| lines(out, data, &labels, &indices))
}

fn lines(out: &mut dyn Write, data: &Dataset, labels: &[f64], indices: &[usize]) -> io::Result<()> {
    let mut entries = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        write!(out, "{label}")?;
        entries_of(data.x().point(i), indices, &mut entries);
        entries.iter().try_for_each(|(index, value)| write!(out, " {index}:{value}"))?;
        writeln!(out)?;
    }
    Ok(())
}

/// The label of each sample.
fn labels(data: &Dataset) -> Result<Vec<f64>> {
    Ok(match data.answers() {
        Answers::Values { y, .. } if y.cols() == 1 => y.column_to_vec(0),
        Answers::Values { y, .. } => {
            return Err(Error::parameter("targets", y.cols(), "one: a svmlight file has room for no other"));
        }
        Answers::Classes { labels, codes } => {
            let numbers = svmlight_labels(labels);
            codes.iter().map(|code| numbers[*code]).collect()
        }
        Answers::None => vec![0.0; data.len()],
    })
}

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
    use crate::Matrix;

    fn text(data: &Dataset) -> String {
        let indices = svmlight_indices(data.feature_names(), data.x().cols());
        let mut out = Vec::new();
        lines(&mut out, data, &labels(data).unwrap(), &indices).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn samples_are_lines_of_what_is_not_zero() {
        let x = Matrix::from_vec(vec![0.5, 0.0, 2.0, 0.0, -1e-9, 0.0], 2, 3).unwrap();
        let classes = Answers::Classes { labels: vec!["no".into(), "yes".into()], codes: vec![1, 0] };
        let data = Dataset::new(x.clone(), classes).unwrap();
        assert_eq!(text(&data), "1 1:0.5 3:2\n0 2:-0.000000001\n");
        let data = Dataset::new(x, Answers::values("y", vec![0.25, -3.0])).unwrap();
        assert_eq!(text(&data), "0.25 1:0.5 3:2\n-3 2:-0.000000001\n");
    }

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
