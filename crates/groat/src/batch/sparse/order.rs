//! An order of the rows that depends on what they hold and on the seed, not on where they stand.
//!
//! Draws and folds made from it are the same for rows in another order. Copies of a row fall into different folds, as
//! they fall into the rows that were learnt from and those that are still to come.

use crate::data::synthetic::scatter;
use crate::matrix::{Point, Points};

/// A word for every row, equal for equal features.
pub(in crate::batch) struct Order {
    words: Vec<u64>,
}

/// The word of a point, which depends on its numbers and the seed alone.
pub(in crate::batch) fn word(point: Point<'_>, seed: u64) -> u64 {
    let start = scatter(seed ^ 0x5a17);
    let mix = |word: u64, column: usize, value: f64| {
        // Zeros are left out, so that sparse and dense rows agree; -0 is 0.
        if value == 0.0 { word } else { scatter(word ^ scatter(column as u64) ^ value.to_bits()) }
    };
    match point {
        Point::Dense(row) => row.iter().enumerate().fold(start, |w, (j, v)| mix(w, j, *v)),
        Point::Sparse(columns, row) => {
            columns.iter().zip(row).fold(start, |w, (j, v)| mix(w, *j as usize, *v))
        }
    }
}

/// A number for every row by which rows are drawn: those with the least come first. It depends on what a row holds and on the
/// seed, not on where the row stands, so that whoever holds some of the rows can tell which of them are among the first.
pub fn drawing_order(x: Points<'_>, seed: u64) -> Vec<u64> {
    (0..x.rows()).map(|i| scatter(word(x.point(i), seed))).collect()
}

impl Order {
    pub(super) fn of(x: Points<'_>, seed: u64) -> Self {
        Self { words: (0..x.rows()).map(|i| word(x.point(i), seed)).collect() }
    }

    /// The word of a row.
    pub(in crate::batch) fn word(&self, row: usize) -> u64 {
        self.words[row]
    }

    /// Rows in an order that depends on what they hold, so that sums over them have the same bits wherever they stand.
    pub(super) fn sorted(&self, rows: &[usize]) -> Vec<usize> {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable_by_key(|&row| (self.words[row], row));
        sorted
    }

    /// The first row of each kind, in random order.
    pub(in crate::batch) fn distinct(&self, rows: &[usize]) -> Vec<usize> {
        let mut kinds: Vec<(u64, usize)> = rows.iter().map(|&i| (self.words[i], i)).collect();
        kinds.sort_unstable();
        kinds.dedup_by_key(|(word, _)| *word);
        kinds.sort_unstable_by_key(|(word, _)| scatter(*word));
        kinds.into_iter().map(|(_, row)| row).collect()
    }

    /// Distinct rows in another order: the strata (such as classes) take turns, so that a rare one is well represented
    /// among the first.
    pub(super) fn in_turn(&self, distinct: &[usize], strata: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut seen = std::collections::HashMap::new();
        let mut ranked: Vec<(usize, usize)> = distinct
            .iter()
            .map(|&row| {
                let rank = seen.entry(strata(row)).or_insert(0usize);
                *rank += 1;
                (*rank, row)
            })
            .collect();
        // Stable, so that the order within a rank stays random.
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, row)| row).collect()
    }

    /// The fold of each of `rows`: those of a stratum (such as a class) are dealt out in turn, copies in the order of `tie`.
    pub(super) fn folds(
        &self,
        rows: &[usize],
        strata: impl Fn(usize) -> usize,
        tie: impl Fn(usize) -> u64,
        count: usize,
    ) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let key = |k: &usize| {
            let (row, word) = (rows[*k], self.words[rows[*k]]);
            (strata(row), scatter(word ^ 1), word, tie(row), row)
        };
        order.sort_by_cached_key(key);
        let mut folds = vec![0; rows.len()];
        order.iter().enumerate().for_each(|(dealt, k)| folds[*k] = dealt % count);
        folds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, Matrix};

    fn rows() -> Matrix {
        let numbers = (0..120).map(|i| f64::from(i / 2 % 50 % 7) * 0.5).collect();
        Matrix::from_vec(numbers, 60, 2).unwrap()
    }

    #[test]
    fn copies_are_spread_over_folds_and_the_place_of_a_row_does_not_matter() {
        let x = rows();
        let all: Vec<usize> = (0..60).collect();
        let folds = Order::of((&x).into(), 3).folds(&all, |i| usize::from(x[(i, 0)] > 1.0), |_| 0, 4);
        // For each kind of row, how many of its copies each fold has.
        let shares = |x: &Matrix, folds: &[usize]| {
            let mut shares = std::collections::BTreeMap::new();
            for i in 0..60 {
                let kind: Vec<u64> = x.row(i).iter().map(|v| v.to_bits()).collect();
                shares.entry(kind).or_insert([0usize; 4])[folds[i]] += 1;
            }
            shares
        };
        let found = shares(&x, &folds);
        assert!(found.values().all(|of| of.iter().max().unwrap() - of.iter().min().unwrap() <= 1));
        let moved: Vec<usize> = (0..60).map(|i| (i * 7 + 3) % 60).collect();
        let y = x.view().select(&moved);
        let again = Order::of((&y).into(), 3).folds(&all, |i| usize::from(y[(i, 0)] > 1.0), |_| 0, 4);
        assert_eq!(shares(&y, &again), found);
    }

    #[test]
    fn a_rare_stratum_is_well_represented_among_the_first() {
        let x = Matrix::column((0..100).map(f64::from).collect());
        let order = Order::of((&x).into(), 0);
        let all: Vec<usize> = (0..100).collect();
        let drawn = order.in_turn(&order.distinct(&all), |row| usize::from(row % 10 == 0));
        assert_eq!(drawn[..10].iter().filter(|row| *row % 10 == 0).count(), 5);
        assert_eq!(drawn.len(), 100);
    }

    #[test]
    fn sparse_rows_are_drawn_like_dense_ones() {
        let x = rows();
        let sparse = Csr::from_rows(x.view());
        let all: Vec<usize> = (0..60).collect();
        let draw = |x: Points<'_>, seed| Order::of(x, seed).distinct(&all);
        assert_eq!(draw((&x).into(), 1), draw(sparse.view().into(), 1));
        assert_eq!(draw((&x).into(), 1).len(), 7);
        assert_ne!(draw((&x).into(), 1), draw((&x).into(), 2));
    }
}
