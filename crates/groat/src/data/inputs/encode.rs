//! From tables to rows of numbers.

use std::collections::HashMap;

use super::levels::unknown_level;
use super::{Inputs, Places, find_level};
use crate::data::column::Column;
use crate::data::embed::{Embedder, Embedding};
use crate::data::table::{Table, not_finite, unknown_column};
use crate::error::{Error, Result};
use crate::matrix::{Csr, Matrix, PointSet};

impl Inputs {
    /// The samples of a table, from row [`lost_rows`](Self::lost_rows) on, not yet standardised. They stay sparse where
    /// the table has sparse columns and that takes less memory.
    pub fn apply(&self, table: &Table) -> Result<PointSet> {
        let places = self.places(table)?;
        if self.embedding.is_none() && self.stays_sparse(table, &places.columns) {
            return self.encode_sparse(table, &places.columns).map(PointSet::Sparse);
        }
        self.encode_or_embed(table, &places).map(PointSet::Dense)
    }

    /// As [`apply`](Self::apply), with every zero stored.
    pub fn matrix(&self, table: &Table) -> Result<Matrix> {
        self.encode_or_embed(table, &self.places(table)?)
    }

    /// Fails when the table lacks an input column, or holds neither numbers nor text in one of them or a target.
    pub fn check(&self, table: &Table) -> Result<()> {
        self.places(table)?.targets.iter().flatten().try_for_each(|&index| table.check_usable(index))
    }

    /// Where the columns stand in a table; the inputs can be used.
    pub(super) fn places(&self, table: &Table) -> Result<Places> {
        let places = self.locate(table.source(), table.names(), table.is_named(), table.is_open())?;
        places.columns.iter().flatten().try_for_each(|&index| table.check_usable(index))?;
        Ok(places)
    }

    fn encode_or_embed(&self, table: &Table, places: &Places) -> Result<Matrix> {
        match self.embedding {
            None => self.encode(table, &places.columns, self.features()),
            Some(embedding) => self.embed(table, places, embedding),
        }
    }

    /// True when sparse rows take less memory: 12 bytes for each number and 8 for each row, instead of 8 for each
    /// number.
    fn stays_sparse(&self, table: &Table, places: &[Option<usize>]) -> bool {
        let rows = table.rows();
        let stored = |(input, place): (&super::InputColumn, &Option<usize>)| match (place, &input.levels) {
            (None, None) => 0,
            (Some(index), None) => match table.column(*index) {
                Column::Sparse(sparse) => sparse.entries().len(),
                _ => rows,
            },
            (_, Some(_)) => rows,
        };
        let is_sparse = |index: &usize| matches!(table.column(*index), Column::Sparse(_));
        let any = table.is_open() || places.iter().flatten().any(is_sparse);
        let dense = rows.saturating_mul(self.features()).saturating_mul(8);
        let fits = u32::try_from(self.features()).is_ok();
        any && fits && 12 * self.columns.iter().zip(places).map(stored).sum::<usize>() + 8 * rows < dense
    }

    /// Hands out every number of the inputs at each row's own time that may differ from 0, feature by feature, the rows
    /// of each in order: `put(row, feature, value)`.
    fn entries(
        &self,
        table: &Table,
        places: &[Option<usize>],
        mut put: impl FnMut(usize, usize, f64),
    ) -> Result<()> {
        let mut first = 0;
        for (input, place) in self.columns.iter().zip(places) {
            let flag = input.is_flagged().then(|| first + input.width() - 1);
            let mut put_both = |row: usize, feature: usize, value: f64, missing: bool| {
                if value != 0.0 {
                    put(row, feature, value);
                }
                flag.iter().filter(|_| missing).for_each(|flag| put(row, *flag, 1.0));
            };
            match (*place, &input.levels) {
                (None, None) => {}
                (Some(index), None) => {
                    let substitute = input.missing_number();
                    numbers(table, index, substitute, |row, v, missing| put_both(row, first, v, missing))?;
                }
                (Some(index), Some(levels)) => {
                    let substitute = input.missing_level();
                    levels_of_rows(table, index, (levels, substitute), |row, level, missing| {
                        put_both(row, first + level, 1.0, missing);
                    })?;
                }
                (None, Some(levels)) => {
                    // An absent column of an open table is all zeros, which must be a level.
                    let level = find_level(levels, "0").map_err(|reason| table.error(reason))?;
                    (0..table.rows()).for_each(|row| put(row, first + level, 1.0));
                }
            }
            first += input.width();
        }
        Ok(())
    }

    fn encode(&self, table: &Table, places: &[Option<usize>], features: usize) -> Result<Matrix> {
        let mut x = Matrix::zeros(table.rows(), features);
        self.entries(table, places, |row, feature, value| x[(row, feature)] = value)?;
        Ok(x)
    }

    /// Two readings of the columns: one counts the numbers of each row, one puts them into their places.
    fn encode_sparse(&self, table: &Table, places: &[Option<usize>]) -> Result<Csr> {
        let mut starts = vec![0; table.rows() + 1];
        self.entries(table, places, |row, _, _| starts[row + 1] += 1)?;
        (0..table.rows()).for_each(|row| starts[row + 1] += starts[row]);
        let count = starts[table.rows()];
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; count], vec![0.0; count]);
        self.entries(table, places, |row, feature, value| {
            (columns[next[row]], values[next[row]]) = (feature as u32, value);
            next[row] += 1;
        })?;
        Csr::new(self.features(), starts, columns, values)
    }

    fn embed(&self, table: &Table, places: &Places, embedding: Embedding) -> Result<Matrix> {
        let lost = embedding.lost_rows();
        if table.rows() <= lost {
            let what = "the time embedding";
            return Err(Error::TooFew { what, unit: "rows", needed: lost + 1, found: table.rows() });
        }
        // All inputs are numbers here.
        let present = self.encode(table, &places.columns, self.columns.len())?;
        let output = match (embedding.feedback, places.target()) {
            (false, _) => vec![0.0; table.rows()],
            (true, Some(index)) => table.numbers(&table.names()[index])?,
            (true, None) => {
                let target = self.target().unwrap_or_default();
                let reason = format!("{}; its past is an input", unknown_column(target, table.names()));
                return Err(table.error(reason));
            }
        };
        let mut embedder = Embedder::new(embedding, self.columns.len())?;
        let mut x = Matrix::zeros(table.rows() - lost, embedder.width());
        let mut spare = vec![0.0; embedder.width()];
        for row in 0..table.rows() {
            let out = if row < lost { &mut spare[..] } else { x.row_mut(row - lost) };
            embedder.push(present.row(row), output[row], out)?;
        }
        Ok(x)
    }
}

/// Hands out the numbers of a column, a substitute for those that are missing, and whether they are.
fn numbers(
    table: &Table,
    index: usize,
    substitute: Option<f64>,
    mut put: impl FnMut(usize, f64, bool),
) -> Result<()> {
    let mut take = |(row, value): (usize, f64)| {
        match substitute.filter(|_| value.is_nan()) {
            Some(substitute) => put(row, substitute, true),
            None => {
                table.check_number(row, index, value)?;
                put(row, value, false);
            }
        }
        Ok(())
    };
    match table.column(index) {
        Column::Sparse(sparse) => sparse.entries().try_for_each(take),
        _ => table.numbers_at(index)?.iter().copied().enumerate().try_for_each(&mut take),
    }
}

/// Hands out the index of the level of every row, a substitute for those that are missing, and whether they are.
fn levels_of_rows(
    table: &Table,
    index: usize,
    (levels, substitute): (&[String], Option<usize>),
    mut put: impl FnMut(usize, usize, bool),
) -> Result<()> {
    let places: HashMap<&str, usize> = levels.iter().map(String::as_str).zip(0..).collect();
    for row in 0..table.rows() {
        match (table.column(index).label(row), substitute) {
            (Some(label), _) => {
                let level = places.get(label.as_ref());
                let level = level.ok_or_else(|| table.error_at(row, index, unknown_level(levels, &label)))?;
                put(row, *level, false);
            }
            (None, Some(substitute)) => put(row, substitute, true),
            (None, None) => return Err(table.error_at(row, index, not_finite(f64::NAN))),
        }
    }
    Ok(())
}
