//! The levels of categories: what they are, and which one a value is.

use std::collections::HashSet;

use crate::data::column::{Column, sort_labels};
use crate::data::table::Table;
use crate::error::{Result, quoted, shortened};

/// More different numbers than this in a column make a text among them a slip rather than a category.
const NUMBERS: usize = 10;

/// The distinct labels of a column, collected from any number of tables.
#[derive(Clone, Debug)]
pub(in crate::data) struct LevelSet {
    seen: HashSet<String>,
    most: usize,
}

impl LevelSet {
    /// None yet, and never more than `most`.
    pub fn new(most: usize) -> Self {
        Self { seen: HashSet::new(), most }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Takes in the labels of a column; false, with some of them left out, when there are too many.
    pub fn collect(&mut self, column: &Column) -> bool {
        match column {
            Column::Text(texts) => texts.levels().iter().for_each(|level| self.insert(level)),
            column => {
                for row in 0..column.len() {
                    column.label(row).iter().for_each(|label| self.insert(label));
                    if self.seen.len() > self.most {
                        break;
                    }
                }
            }
        }
        self.seen.len() <= self.most
    }

    /// Takes in the labels of a column; too many are an error that names one of them.
    pub fn add(&mut self, table: &Table, index: usize) -> Result<()> {
        let column = table.column(index);
        if self.collect(column) {
            return Ok(());
        }
        let is_text = |row: &usize| column.label(*row).is_some_and(|label| label.parse::<f64>().is_err());
        let first = (0..table.rows()).find(is_text).unwrap_or(0);
        let text = column.label(first).unwrap_or_default();
        let reason = format!(
            "found {text:?} in a column of more than {} different texts; if it should hold numbers, mend this \
             value, else leave the column out",
            self.most
        );
        Err(table.error_at(first, index, reason))
    }

    /// Takes in one label.
    pub fn insert(&mut self, label: &str) {
        if !self.seen.contains(label) {
            self.seen.insert(label.to_owned());
        }
    }

    /// Fails when a column of many different numbers holds a few texts: one of them would otherwise turn each number
    /// into a category.
    pub fn refuse_slips(&self, table: &Table, index: usize) -> Result<()> {
        let (numbers, mut texts): (Vec<&String>, Vec<&String>) =
            self.seen.iter().partition(|level| level.parse::<f64>().is_ok());
        if numbers.len() <= NUMBERS || texts.is_empty() || texts.len() > numbers.len() / NUMBERS {
            return Ok(());
        }
        texts.sort_unstable();
        let is_text =
            |row: &usize| table.column(index).label(*row).is_some_and(|label| label == texts[0].as_str());
        let row = (0..table.rows()).find(is_text).unwrap_or(0);
        let reason = format!(
            "found {} among {} different numbers; mend this value, or ask for the column to be taken as categories",
            quoted(texts[0]),
            numbers.len()
        );
        Err(table.error_at(row, index, reason))
    }

    /// The labels in order: numbers by value, then texts by spelling.
    pub fn into_levels(self) -> Vec<String> {
        let mut levels: Vec<String> = self.seen.into_iter().collect();
        sort_labels(&mut levels);
        levels
    }
}

/// The index of a level, or what is wrong with it.
pub(in crate::data) fn find_level(levels: &[String], label: &str) -> std::result::Result<usize, String> {
    levels.iter().position(|level| level == label).ok_or_else(|| unknown_level(levels, label))
}

/// What to say of a label that training did not have.
pub(super) fn unknown_level(levels: &[String], label: &str) -> String {
    let known: Vec<_> = levels.iter().map(|level| shortened(level)).collect();
    format!("found {}, which training did not have; the known levels are {}", quoted(label), known.join(", "))
}
