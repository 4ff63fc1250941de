//! What becomes of missing values: rows left out, or numbers and levels that stand in for them.

use serde::{Deserialize, Serialize};

use super::{InputColumn, Inputs, find_level};
use crate::data::column::Column;
use crate::data::table::Table;
use crate::error::{Error, Result};

/// What becomes of rows in which a value is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left out; a model made from the others refuses them too.
    Drop,
    /// The median of the training rows, or the most frequent level of a category, stands in, also when the model is fed
    /// later. Rows whose target or weight is missing are left out.
    Median,
    /// As [`Median`](Self::Median), with a further feature for each column that had missing values in the training rows: 1
    /// where the value is missing, else 0.
    Flag,
}

/// What stands in for a missing value of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Substitute {
    /// A number, or a level of a category.
    pub value: Replacement,
    /// Whether a further feature says where a value was missing.
    pub flag: bool,
}

/// A number, or a level of a category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Replacement {
    /// For a column of numbers.
    Number(f64),
    /// For a column of categories.
    Level(String),
}

impl Missing {
    /// The rows of a table that can be learnt from, among the columns that are inputs, targets or `weights`. Missing
    /// values are an error where they are refused, and in a series, which would break where a row is left out; see
    /// [`series`](Self::series).
    pub fn kept(self, table: &Table, inputs: &Inputs, weights: Option<&str>) -> Result<Vec<usize>> {
        if self != Missing::Refuse && inputs.embedding().is_some() {
            let expected =
                "refuse or drop, where a series is embedded: values that are made up would be its past";
            return Err(Error::parameter("missing", format!("{self:?}").to_lowercase(), expected));
        }
        self.whole(table, inputs, weights)
    }

    /// A series with missing values that is to be embedded: the samples that look at none of them, counted from 0, and
    /// a table of which all samples can be made. In it the last whole row stands in for one with a missing value, which is
    /// then in none of these samples.
    pub fn series(table: &Table, inputs: &Inputs, weights: Option<&str>) -> Result<(Table, Vec<usize>)> {
        let whole = Missing::Drop.whole(table, inputs, weights)?;
        let Some(first) = whole.first() else {
            return Err(table.error("every row has a missing value"));
        };
        let mut stand_ins = vec![*first; table.rows()];
        let (mut last, mut since) = (*first, 0);
        let (mut kept, lost) = (Vec::new(), inputs.lost_rows());
        let mut next = whole.iter().copied().peekable();
        for (row, stand_in) in stand_ins.iter_mut().enumerate() {
            match next.next_if_eq(&row) {
                Some(row) => (last, since) = (row, since + 1),
                None => since = 0,
            }
            *stand_in = last;
            if since > lost {
                kept.push(row - lost);
            }
        }
        Ok((table.select(&stand_ins), kept))
    }

    /// The rows without a missing value that matters.
    fn whole(self, table: &Table, inputs: &Inputs, weights: Option<&str>) -> Result<Vec<usize>> {
        let places = inputs.places(table)?;
        let weights = weights.map(|name| table.find(name)).transpose()?;
        let answers = places.targets.iter().flatten().copied().chain(weights);
        let filled = matches!(self, Missing::Median | Missing::Flag);
        let features = places.columns.iter().flatten().copied().filter(|_| !filled);
        let mut gone = vec![None; table.rows()];
        for index in features.chain(answers) {
            for row in missing_rows(table.column(index)) {
                gone[row].get_or_insert(index);
            }
        }
        let first = gone.iter().enumerate().find_map(|(row, index)| index.map(|index| (row, index)));
        if let (Missing::Refuse, Some((row, index))) = (self, first) {
            let reason = "the value is missing; fill it, or choose what becomes of such rows (missing: drop, median or flag)";
            return Err(table.error_at(row, index, reason));
        }
        Ok((0..table.rows()).filter(|row| gone[*row].is_none()).collect())
    }
}

impl Inputs {
    /// Remembers for every column what stands in for a missing value, as `missing` wants it and these (training) rows of a
    /// table suggest.
    pub fn with_substitutes(mut self, table: &Table, rows: &[usize], missing: Missing) -> Result<Self> {
        if !matches!(missing, Missing::Median | Missing::Flag) {
            return Ok(self);
        }
        let places = self.places(table)?;
        for (input, place) in self.columns.iter_mut().zip(places.columns) {
            // A column that an open table does not have is all zeros.
            let Some(index) = place else { continue };
            let column = table.column(index);
            let value = match &input.levels {
                None => median(column, rows).map(Replacement::Number),
                Some(levels) => most_frequent(column, rows, levels).map(Replacement::Level),
            };
            let Some(value) = value else {
                let reason =
                    format!("column {:?} has no value in the training rows; leave it out", input.name);
                return Err(table.error(reason));
            };
            let flag = missing == Missing::Flag && rows.iter().any(|row| is_missing(column, *row));
            input.missing = Some(Substitute { value, flag });
        }
        Ok(self)
    }

    /// The columns with missing values that these inputs fill, and how many there are.
    pub fn filled(&self, table: &Table) -> Result<Vec<(String, usize)>> {
        let places = self.places(table)?;
        let columns = self.columns.iter().zip(places.columns);
        let count = |(input, place): (&InputColumn, Option<usize>)| {
            let count = place.map_or(0, |index| missing_rows(table.column(index)).count());
            (input.missing.is_some() && count > 0).then(|| (input.name.clone(), count))
        };
        Ok(columns.filter_map(count).collect())
    }
}

impl InputColumn {
    /// The number that stands in for a missing one.
    pub(in crate::data) fn missing_number(&self) -> Option<f64> {
        match &self.missing {
            Some(Substitute { value: Replacement::Number(number), .. }) => Some(*number),
            _ => None,
        }
    }

    /// The index of the level that stands in for a missing one.
    pub(in crate::data) fn missing_level(&self) -> Option<usize> {
        match (&self.missing, &self.levels) {
            (Some(Substitute { value: Replacement::Level(level), .. }), Some(levels)) => {
                find_level(levels, level).ok()
            }
            _ => None,
        }
    }

    /// Whether its last feature says where values are missing.
    pub(in crate::data) fn is_flagged(&self) -> bool {
        self.missing.as_ref().is_some_and(|substitute| substitute.flag)
    }

    /// An error unless what stands in for a missing value is a value of such a column.
    pub(super) fn check_missing(&self) -> Result<()> {
        let sound = match (&self.missing, &self.levels) {
            (None, _) => true,
            (Some(_), None) => self.missing_number().is_some_and(f64::is_finite),
            (Some(_), Some(_)) => self.missing_level().is_some(),
        };
        if sound {
            return Ok(());
        }
        Err(Error::parameter("missing", &self.name, "a finite number, or one of the levels of the column"))
    }
}

/// Whether a row of a column has no value.
fn is_missing(column: &Column, row: usize) -> bool {
    match column {
        Column::Text(texts) => texts.code(row).is_none(),
        column => column.number(row).is_some_and(f64::is_nan),
    }
}

/// The rows of a column without a value, in order.
fn missing_rows(column: &Column) -> Box<dyn Iterator<Item = usize> + '_> {
    match column {
        Column::Sparse(sparse) => Box::new(sparse.entries().filter(|(_, v)| v.is_nan()).map(|(row, _)| row)),
        column => Box::new((0..column.len()).filter(|row| is_missing(column, *row))),
    }
}

/// The median of the finite numbers of some rows; nothing if there are none.
fn median(column: &Column, rows: &[usize]) -> Option<f64> {
    let numbers = rows.iter().filter_map(|row| column.number(*row));
    let mut numbers: Vec<f64> = numbers.filter(|v| v.is_finite()).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    let lower = numbers[(numbers.len() - 1) / 2];
    Some(lower + 0.5 * (upper - lower))
}

/// The most frequent level of some rows, the first of equals; nothing if all are missing.
fn most_frequent(column: &Column, rows: &[usize], levels: &[String]) -> Option<String> {
    let mut counts = vec![0usize; levels.len()];
    let places: std::collections::HashMap<&str, usize> = levels.iter().map(String::as_str).zip(0..).collect();
    for row in rows {
        if let Some(at) = column.label(*row).and_then(|label| places.get(label.as_ref()).copied()) {
            counts[at] += 1;
        }
    }
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    counts.iter().position(|count| *count == most).map(|at| levels[at].clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, InputOptions, InputStream, TaskChoice};

    const NONE: f64 = f64::NAN;

    fn table() -> Table {
        let columns = vec![
            Column::Numeric(vec![1.0, NONE, 3.0, 10.0, 2.0, 7.0]),
            Column::Text(
                [Some("red"), Some("blue"), None, Some("red"), Some("red"), Some("blue")]
                    .into_iter()
                    .collect(),
            ),
            Column::Numeric(vec![0.5; 6]),
            Column::Numeric(vec![1.0, 2.0, 3.0, 4.0, NONE, 6.0]),
        ];
        Table::new(["x", "colour", "whole", "y"], columns).unwrap()
    }

    fn inputs() -> Inputs {
        Inputs::fit(&table(), &InputOptions { targets: vec!["y".into()], ..Default::default() }).unwrap()
    }

    #[test]
    fn rows_are_kept_as_was_asked() {
        let kept = |missing: Missing| missing.kept(&table(), &inputs(), None);
        assert_eq!(kept(Missing::Drop).unwrap(), [0, 3, 5]);
        assert_eq!(kept(Missing::Median).unwrap(), [0, 1, 2, 3, 5]);
        assert_eq!(kept(Missing::Flag).unwrap(), [0, 1, 2, 3, 5]);
        let refused = kept(Missing::Refuse).unwrap_err().to_string();
        assert!(refused.contains("row 2, column x") && refused.contains("drop, median or flag"), "{refused}");
        let options = InputOptions { features: vec!["whole".into()], ..Default::default() };
        let whole = Inputs::fit(&table(), &options).unwrap();
        assert_eq!(Missing::Refuse.kept(&table(), &whole, None).unwrap().len(), 6);
        assert!(Missing::Refuse.kept(&table(), &whole, Some("y")).is_err());
    }

    #[test]
    fn samples_of_a_series_look_at_no_hole() {
        let y = vec![NONE, 1.0, 2.0, 3.0, NONE, 5.0, 6.0, 7.0, 8.0, NONE];
        let table = Table::new(["y"], vec![Column::Numeric(y)]).unwrap();
        let embedding = Some(crate::data::Embedding::new(2));
        let options = InputOptions { targets: vec!["y".into()], embedding, ..Default::default() };
        let inputs = Inputs::fit(&table, &options).unwrap();
        let (filled, kept) = Missing::series(&table, &inputs, None).unwrap();
        let data = Dataset::from_table(&filled, inputs.clone(), TaskChoice::Regression, None).unwrap().0;
        let data = data.select(&kept);
        assert_eq!(data.x().to_matrix().data(), [2.0, 1.0, 6.0, 5.0, 7.0, 6.0]);
        // Rows of the table.
        assert_eq!(data.places(), [3, 7, 8]);
        assert!(Missing::Drop.kept(&table, &inputs, None).is_err());
        let none = Table::new(["y"], vec![Column::Numeric(vec![NONE; 4])]).unwrap();
        assert!(Missing::series(&none, &inputs, None).is_err());
    }

    #[test]
    fn medians_and_levels_stand_in() {
        let training = [0, 1, 2, 3];
        let filled = inputs().with_substitutes(&table(), &training, Missing::Median).unwrap();
        assert_eq!(filled.feature_names(), ["x", "colour=blue", "colour=red", "whole"]);
        let x = filled.matrix(&table()).unwrap();
        // The median of 1, 3 and 10; red stands there twice and blue once.
        assert_eq!(x.row(1), [3.0, 1.0, 0.0, 0.5]);
        assert_eq!(x.row(2), [3.0, 0.0, 1.0, 0.5]);
        assert_eq!(filled.filled(&table()).unwrap(), [("x".to_owned(), 1), ("colour".to_owned(), 1)]);
        let even = inputs().with_substitutes(&table(), &[0, 2], Missing::Median).unwrap();
        assert_eq!(even.columns()[0].missing_number(), Some(2.0));
        // Nothing is known of colours in row 2.
        assert!(inputs().with_substitutes(&table(), &[2], Missing::Median).is_err());
        let unchanged = inputs().with_substitutes(&table(), &training, Missing::Drop).unwrap();
        assert!(unchanged.matrix(&table()).is_err());
    }

    #[test]
    fn flags_say_where() {
        let flagged = inputs().with_substitutes(&table(), &[0, 1, 3], Missing::Flag).unwrap();
        // The colour is there in all training rows, and so has no flag.
        assert_eq!(flagged.feature_names(), ["x", "x missing", "colour=blue", "colour=red", "whole"]);
        let x = flagged.matrix(&table()).unwrap();
        assert_eq!(x.row(0), [1.0, 0.0, 0.0, 1.0, 0.5]);
        assert_eq!(x.row(1), [5.5, 1.0, 1.0, 0.0, 0.5]);
        assert_eq!(x.row(2), [3.0, 0.0, 0.0, 1.0, 0.5]);
        // Row by row it is the same.
        let mut stream = InputStream::new(flagged.clone(), "s", table().names(), true).unwrap();
        for row in 0..6 {
            let sample = stream.push(table().place(row), &table().cells(row)).unwrap().unwrap();
            assert_eq!(sample, x.row(row));
        }
        let text = serde_json::to_string(&flagged).unwrap();
        assert_eq!(serde_json::from_str::<Inputs>(&text).unwrap(), flagged);
        for (good, bad) in [("5.5", "null"), ("5.5", "\"red\""), ("\"value\":\"red\"", "\"value\":\"green\"")]
        {
            assert!(text.contains(good), "{text}");
            assert!(serde_json::from_str::<Inputs>(&text.replacen(good, bad, 1)).is_err(), "{bad}");
        }
        let rows = Missing::Flag.kept(&table(), &inputs(), None).unwrap();
        let task = TaskChoice::Regression;
        let data = Dataset::from_table(&table().select(&rows), flagged, task, None).unwrap().0;
        assert_eq!(data.with_places(rows).unwrap().places(), [0, 1, 2, 3, 5]);
    }
}
