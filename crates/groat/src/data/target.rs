//! The column to be predicted: as numbers, as classes, and the facts that decide between the two.

use std::collections::{HashMap, HashSet};

use super::column::Column;
use super::inputs::LevelSet;
use super::table::{Table, not_finite};
use crate::error::Result;

/// What a column looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnFacts {
    /// It holds texts.
    pub text: bool,
    /// All its values are whole numbers.
    pub whole: bool,
    /// Number of distinct values, missing ones apart.
    pub distinct: usize,
    /// Number of missing values.
    pub missing: usize,
}

impl ColumnFacts {
    /// Most distinct whole numbers that are still taken for classes.
    pub const MOST_CLASSES: usize = 20;

    /// The facts of one column.
    pub fn of(table: &Table, name: &str) -> Result<Self> {
        let column = table.column(table.find(name)?);
        if let Column::Text(texts) = column {
            let missing = (0..table.rows()).filter(|&row| texts.code(row).is_none()).count();
            return Ok(Self { text: true, whole: false, distinct: texts.levels().len(), missing });
        }
        let numbers = column.numbers().unwrap_or_default();
        let present = || numbers.iter().copied().filter(|v| !v.is_nan());
        // Adding 0 makes -0 and 0 one value.
        let distinct = present().map(|v| (v + 0.0).to_bits()).collect::<HashSet<u64>>().len();
        let missing = numbers.len() - present().count();
        Ok(Self { text: false, whole: present().all(|v| v.fract() == 0.0), distinct, missing })
    }

    /// Texts, or at most [`MOST_CLASSES`](Self::MOST_CLASSES) distinct whole numbers.
    pub fn look_like_classes(&self) -> bool {
        self.text || (self.whole && self.distinct <= Self::MOST_CLASSES)
    }
}

/// A column as classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// The distinct labels: numbers by value, then texts by spelling.
    pub labels: Vec<String>,
    /// For each row the index of its label.
    pub codes: Vec<usize>,
}

impl Classes {
    /// Most classes of one target.
    pub(super) const MOST: usize = 1000;

    /// The classes that a training table has.
    pub fn of(table: &Table, name: &str) -> Result<Self> {
        let mut labels = LevelSet::new(Self::MOST);
        labels.add(table, table.find(name)?)?;
        let labels = labels.into_levels();
        let codes = Self::codes(table, name, &labels)?;
        Ok(Self { labels, codes })
    }

    /// The rows of a table in terms of known labels; another label is an error that names its place.
    pub fn codes(table: &Table, name: &str, labels: &[String]) -> Result<Vec<usize>> {
        let index = table.find(name)?;
        let column = table.column(index);
        let codes: HashMap<&str, usize> = labels.iter().map(String::as_str).zip(0..).collect();
        let code = |row: usize| {
            let label = column.label(row).ok_or_else(|| table.error_at(row, index, not_finite(f64::NAN)))?;
            codes.get(label.as_ref()).copied().ok_or_else(|| {
                let known = labels.join(", ");
                table.error_at(row, index, format!("found the class {label:?}, expected one of {known}"))
            })
        };
        (0..table.rows()).map(code).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![
            Column::Numeric(vec![1.0, -1.0, 1.0]),
            Column::text(["b", "a", "b"]),
            Column::Numeric(vec![0.5, f64::NAN, 0.5]),
        ];
        Table::new(["sign", "name", "real"], columns).unwrap()
    }

    #[test]
    fn facts_tell_classes_from_numbers() {
        let looks = |name| ColumnFacts::of(&table(), name).unwrap().look_like_classes();
        assert_eq!(["sign", "name", "real"].map(looks), [true, true, false]);
        let facts = ColumnFacts::of(&table(), "real").unwrap();
        assert_eq!(facts, ColumnFacts { text: false, whole: false, distinct: 1, missing: 1 });
        assert!(ColumnFacts::of(&table(), "none").is_err());
    }

    #[test]
    fn classes_are_coded_in_order() {
        let classes = Classes::of(&table(), "sign").unwrap();
        assert_eq!((classes.labels, classes.codes), (vec!["-1".into(), "1".into()], vec![1, 0, 1]));
        assert_eq!(Classes::of(&table(), "name").unwrap().codes, [1, 0, 1]);
    }

    #[test]
    fn unknown_and_missing_classes_are_named() {
        let known = ["b".to_owned(), "c".to_owned()];
        assert_eq!(
            Classes::codes(&table(), "name", &known).unwrap_err().to_string(),
            "the table, row 2, column name: found the class \"a\", expected one of b, c"
        );
        assert!(Classes::of(&table(), "real").unwrap_err().to_string().contains("row 2, column real"));
    }
}
