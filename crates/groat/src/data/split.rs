//! Dividing rows into training and test parts. Row order within each part is that of the data.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use crate::error::{Error, Result};

/// Training and test rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Training rows, ascending.
    pub train: Vec<usize>,
    /// Test rows, ascending.
    pub test: Vec<usize>,
}

impl Split {
    /// The same division of some of the rows, ascending, counted anew: row `kept[i]` becomes row `i`.
    #[must_use]
    pub fn among(&self, kept: &[usize]) -> Self {
        let place = |row: &usize| kept.binary_search(row).ok();
        Self {
            train: self.train.iter().filter_map(place).collect(),
            test: self.test.iter().filter_map(place).collect(),
        }
    }

    /// A random part of about `fraction` of `rows` for the test, at least one row on each side.
    ///
    /// ```
    /// let split = groat::data::Split::fraction(10, 0.2, 1)?;
    /// assert_eq!((split.train.len(), split.test.len()), (8, 2));
    /// # Ok::<(), groat::Error>(())
    /// ```
    pub fn fraction(rows: usize, fraction: f64, seed: u64) -> Result<Self> {
        let test = test_size(rows, fraction)?;
        let order = shuffled(rows, seed);
        Ok(Self::from_test(rows, &order[..test]))
    }

    /// Whether a row belongs to the test part of about `fraction` of the rows, decided by seed for each row on its
    /// own: for data whose number of rows is not known.
    ///
    /// ```
    /// let held_out = (0..10_000).filter(|row| groat::data::Split::holds_out(*row, 0.2, 1)).count();
    /// assert!((1900..2100).contains(&held_out));
    /// ```
    pub fn holds_out(row: usize, fraction: f64, seed: u64) -> bool {
        let word = super::synthetic::scatter(super::synthetic::scatter(seed) ^ row as u64);
        // 53 bits make a number in 0..1.
        ((word >> 11) as f64) * 2f64.powi(-53) < fraction
    }

    /// The last rows, about `fraction` of them, for the test: the right way for a series.
    pub fn last(rows: usize, fraction: f64) -> Result<Self> {
        let start = rows - test_size(rows, fraction)?;
        Ok(Self { train: (0..start).collect(), test: (start..rows).collect() })
    }

    /// From a column of a split file: 0 marks a training row, 1 a test row.
    pub fn from_marks(marks: &[f64]) -> Result<Self> {
        if let Some((row, mark)) = marks.iter().enumerate().find(|(_, m)| **m != 0.0 && **m != 1.0) {
            let found = format!("{mark} in row {}", row + 1);
            return Err(Error::parameter("split", found, "0 (training) or 1 (test) for every row"));
        }
        let rows_with = |wanted: f64| (0..marks.len()).filter(|&row| marks[row] == wanted).collect();
        Ok(Self { train: rows_with(0.0), test: rows_with(1.0) })
    }

    /// From a split file given as `FILE:COLUMN`, or `FILE` alone if it has one column. It must have `rows` rows.
    #[cfg(feature = "files")]
    pub fn from_file(place: &str, rows: usize) -> Result<Self> {
        let (file, column) = match place.rsplit_once(':') {
            Some((file, column)) if !std::path::Path::new(place).exists() => (file, Some(column)),
            _ => (place, None),
        };
        let table = super::read_table(file, &super::ReadOptions::default())?;
        let column = match (column, table.names()) {
            (Some(column), _) => column,
            (None, [only]) => only,
            (None, names) => {
                let reason = format!("say which column marks the test rows, as in {file}:{}", names[0]);
                return Err(Error::Source { source_name: file.to_owned(), reason });
            }
        };
        let marks = table.numbers(column)?;
        if marks.len() != rows {
            let reason = format!("the split has {} rows, but the data have {rows}", marks.len());
            return Err(Error::Source { source_name: file.to_owned(), reason });
        }
        Self::from_marks(&marks)
    }

    /// `k` parts of nearly equal size, each the test part once.
    pub fn folds(rows: usize, k: usize, seed: u64) -> Result<Vec<Self>> {
        check_folds(rows, k)?;
        let order = shuffled(rows, seed);
        Ok((0..k).map(|fold| Self::from_test(rows, &order[fold * rows / k..(fold + 1) * rows / k])).collect())
    }

    /// `k` parts of nearly equal size, each the test part once, to each of which every class gives nearly the same
    /// number of its rows; `codes` are the classes of the rows.
    ///
    /// ```
    /// let folds = groat::data::Split::stratified_folds(&[0, 0, 0, 1, 1, 1], 3, 7)?;
    /// assert!(folds.iter().all(|fold| fold.test[0] < 3 && fold.test[1] >= 3));
    /// # Ok::<(), groat::Error>(())
    /// ```
    pub fn stratified_folds(codes: &[usize], k: usize, seed: u64) -> Result<Vec<Self>> {
        check_folds(codes.len(), k)?;
        let mut order = shuffled(codes.len(), seed);
        // Stable, so that the order within a class stays random. The rows are then dealt out like cards.
        order.sort_by_key(|&row| codes[row]);
        Ok(Self::dealt(&order, k))
    }

    /// `k` parts, each the test part once, where row `i` is tested in part `i % k`: for rows whose order is random
    /// already.
    pub fn interleaved_folds(rows: usize, k: usize) -> Result<Vec<Self>> {
        check_folds(rows, k)?;
        Ok(Self::dealt(&(0..rows).collect::<Vec<_>>(), k))
    }

    /// Deals rows out to `k` test parts in turn.
    fn dealt(order: &[usize], k: usize) -> Vec<Self> {
        let part = |fold: usize| order.iter().copied().skip(fold).step_by(k).collect::<Vec<_>>();
        (0..k).map(|fold| Self::from_test(order.len(), &part(fold))).collect()
    }

    fn from_test(rows: usize, test: &[usize]) -> Self {
        let mut is_test = vec![false; rows];
        test.iter().for_each(|&row| is_test[row] = true);
        let (test, train) = (0..rows).partition(|&row| is_test[row]);
        Self { train, test }
    }
}

fn test_size(rows: usize, fraction: f64) -> Result<usize> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(Error::parameter("test fraction", fraction, "a number between 0 and 1"));
    }
    if rows < 2 {
        return Err(Error::TooFew { what: "a split", unit: "rows", needed: 2, found: rows });
    }
    Ok(((rows as f64 * fraction).round() as usize).clamp(1, rows - 1))
}

fn check_folds(rows: usize, k: usize) -> Result<()> {
    if k < 2 {
        return Err(Error::parameter("folds", k, "at least 2"));
    }
    if rows < k {
        return Err(Error::TooFew { what: "a division into folds", unit: "rows", needed: k, found: rows });
    }
    Ok(())
}

/// The numbers below `rows` in an order by seed.
pub(crate) fn shuffled(rows: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut Pcg64::seed_from_u64(seed));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(split: &Split) -> Vec<usize> {
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        all
    }

    #[test]
    fn every_row_is_on_one_side() {
        for (rows, fraction, expected) in [(10, 0.25, 3), (2, 0.01, 1), (2, 0.99, 1), (1000, 0.3, 300)] {
            let split = Split::fraction(rows, fraction, 7).unwrap();
            assert_eq!(split.test.len(), expected);
            assert_eq!(joined(&split), (0..rows).collect::<Vec<_>>());
        }
        assert_eq!(Split::last(5, 0.4).unwrap().test, [3, 4]);
    }

    #[test]
    fn the_seed_decides() {
        let split = |seed| Split::fraction(100, 0.5, seed).unwrap();
        assert_eq!(split(3), split(3));
        assert_ne!(split(3), split(4));
    }

    #[test]
    fn folds_test_every_row_once() {
        let folds = Split::folds(11, 3, 0).unwrap();
        let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..11).collect::<Vec<_>>());
        assert!(folds.iter().all(|fold| joined(fold).len() == 11 && fold.test.len() >= 3));
    }

    #[test]
    fn interleaved_folds_take_rows_in_turn() {
        let folds = Split::interleaved_folds(7, 3).unwrap();
        assert_eq!(
            folds.iter().map(|fold| fold.test.clone()).collect::<Vec<_>>(),
            [vec![0, 3, 6], vec![1, 4], vec![2, 5]]
        );
        assert_eq!(folds[1].train, [0, 2, 3, 5, 6]);
    }

    proptest::proptest! {
        #[test]
        fn stratified_folds_share_every_class(
            codes in proptest::collection::vec(0usize..4, 5..80), k in 2usize..6, seed in 0u64..9
        ) {
            let folds = Split::stratified_folds(&codes, k, seed).unwrap();
            let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
            tested.sort_unstable();
            proptest::prop_assert_eq!(tested, (0..codes.len()).collect::<Vec<_>>());
            for fold in &folds {
                proptest::prop_assert_eq!(joined(fold).len(), codes.len());
                proptest::prop_assert!(fold.test.len().abs_diff(codes.len() / k) <= 1);
                for class in 0..4 {
                    let of_class = |rows: &[usize]| rows.iter().filter(|&&row| codes[row] == class).count();
                    let all: Vec<usize> = (0..codes.len()).collect();
                    proptest::prop_assert!(of_class(&fold.test).abs_diff(of_class(&all) / k) <= 1);
                }
            }
        }
    }

    #[test]
    fn impossible_splits_are_errors() {
        assert!(Split::fraction(1, 0.5, 0).is_err());
        for fraction in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(Split::fraction(10, fraction, 0).is_err());
        }
        assert!(Split::folds(3, 1, 0).is_err());
        assert!(Split::folds(3, 4, 0).is_err());
        assert!(Split::from_marks(&[0.0, 2.0]).is_err());
        assert_eq!(Split::from_marks(&[0.0, 1.0, 0.0]).unwrap().train, [0, 2]);
    }
}
