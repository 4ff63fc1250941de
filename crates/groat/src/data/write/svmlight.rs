//! Writing samples in the form of LIBSVM.

use crate::data::svmlight::{entries_of, svmlight_indices, svmlight_labels};
use crate::data::{Answers, Dataset};
use crate::error::{Error, Result};
use crate::persist::write_atomically;
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
}
