//! Rows of a stream as samples, one at a time.

use super::cell::Cell;
use super::embed::Embedder;
use super::inputs::{Inputs, Places, find_level};
use super::table::{not_finite, unknown_column};
use crate::error::{Error, Place, Result, quoted};

/// One row with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Where in the source it stands.
    pub place: Place,
    /// One value a column.
    pub cells: Vec<Cell>,
}

/// Turns rows of cells into samples as [`Inputs::matrix`] turns tables into matrices.
///
/// A row that is refused leaves the state as it was, so that a caller may skip it; the series then
/// closes over the gap unless [`Embedder::reset`] is called on [`embedder_mut`](Self::embedder_mut).
#[derive(Clone, Debug)]
pub struct InputStream {
    inputs: Inputs,
    source: String,
    names: Vec<String>,
    places: Places,
    embedder: Option<Embedder>,
    present: Vec<f64>,
    sample: Vec<f64>,
    /// The last value of each input column of numbers, where missing ones are carried forward; NaN before the first.
    carried: Option<Vec<f64>>,
}

impl InputStream {
    /// For rows of a source with these columns; there is at most one target.
    pub fn new(inputs: Inputs, source: &str, names: &[String], named: bool) -> Result<Self> {
        if inputs.targets().len() > 1 {
            let count = inputs.targets().len();
            return Err(Error::parameter("targets", count, "one column when rows come one at a time"));
        }
        let places = inputs.locate(source, names, named, false)?;
        let embedder = match inputs.embedding() {
            Some(embedding) => Some(Embedder::new(embedding, inputs.columns().len())?),
            None => None,
        };
        let (source, names, sample) = (source.to_owned(), names.to_vec(), vec![0.0; inputs.features()]);
        Ok(Self { inputs, source, names, places, embedder, present: Vec::new(), sample, carried: None })
    }

    /// From now on a missing number among the inputs is taken to be what it was in the row before, starting from
    /// `last` where that is given.
    pub fn carry_forward(&mut self, last: Option<Vec<f64>>) {
        let columns = self.inputs.columns().len();
        let last = last.filter(|last| last.len() == columns);
        self.carried = Some(last.unwrap_or_else(|| vec![f64::NAN; columns]));
    }

    /// The last value of each input column, where missing ones are carried forward.
    pub fn carried(&self) -> Option<&[f64]> {
        self.carried.as_deref()
    }

    /// What the samples are made of.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The past of the series, to be saved with a model.
    pub fn embedder(&self) -> Option<&Embedder> {
        self.embedder.as_ref()
    }

    /// The past of the series, to be restored or forgotten.
    pub fn embedder_mut(&mut self) -> Option<&mut Embedder> {
        self.embedder.as_mut()
    }

    /// Index of the target among the cells, if the source has it.
    pub fn target_position(&self) -> Option<usize> {
        self.places.target()
    }

    /// The number to be predicted in a row.
    pub fn target(&self, place: Place, cells: &[Cell]) -> Result<f64> {
        match self.places.target() {
            Some(index) => self.number(place, cells, index),
            None => Err(Error::Source {
                source_name: self.source.clone(),
                reason: unknown_column(self.inputs.target().unwrap_or_default(), &self.names),
            }),
        }
    }

    /// The sample of a row; nothing while a time embedding fills its past.
    pub fn push(&mut self, place: Place, cells: &[Cell]) -> Result<Option<&[f64]>> {
        crate::error::check_len("values in a row", self.names.len(), cells.len())?;
        let feedback = self.inputs.embedding().is_some_and(|embedding| embedding.feedback);
        let output = if feedback { Some(self.target(place, cells)?) } else { None };
        self.push_with(place, cells, output)
    }

    /// The same with a target that the caller has found, or has not: then a series that feeds on its own past goes on with
    /// 0, to be [mended](Embedder::mend) by what is predicted. While its past fills, it needs targets.
    pub fn push_with(&mut self, place: Place, cells: &[Cell], target: Option<f64>) -> Result<Option<&[f64]>> {
        crate::error::check_len("values in a row", self.names.len(), cells.len())?;
        let feedback = self.inputs.embedding().is_some_and(|embedding| embedding.feedback);
        if feedback && target.is_none() && self.embedder.as_ref().is_some_and(|past| !past.is_filled()) {
            self.target(place, cells)?;
        }
        let mut present = std::mem::take(&mut self.present);
        let encoded = self.encode(place, cells, &mut present);
        self.present = present;
        encoded?;
        self.remember(cells);
        let output = if feedback { target.unwrap_or(0.0) } else { 0.0 };
        match &mut self.embedder {
            None => {
                self.sample.copy_from_slice(&self.present);
                Ok(Some(&self.sample))
            }
            Some(embedder) => {
                let ready = embedder.push(&self.present, output, &mut self.sample)?;
                Ok(ready.then_some(&self.sample[..]))
            }
        }
    }

    fn encode(&self, place: Place, cells: &[Cell], present: &mut Vec<f64>) -> Result<()> {
        present.clear();
        for (at, (input, index)) in self.inputs.columns().iter().zip(&self.places.columns).enumerate() {
            let carried = self.carried.as_ref().map(|carried| carried[at]).filter(|last| last.is_finite());
            match (index, &input.levels) {
                // A column that the source lacks is 0, in all the places that its levels take.
                (None, levels) => {
                    present.resize(present.len() + levels.as_ref().map_or(1, Vec::len), 0.0);
                }
                (Some(index), None) => {
                    let substitute =
                        carried.or(input.missing_number()).filter(|_| is_missing(&cells[*index]));
                    present.push(substitute.map_or_else(|| self.number(place, cells, *index), Ok)?);
                }
                (Some(index), Some(levels)) => {
                    let substitute = input.missing_level().filter(|_| is_missing(&cells[*index]));
                    let known = || self.level(place, &cells[*index], *index, levels);
                    let level = substitute.map_or_else(known, Ok)?;
                    let first = present.len();
                    present.resize(first + levels.len(), 0.0);
                    present[first + level] = 1.0;
                }
            }
            if input.is_flagged() {
                present.push(f64::from(u8::from(index.is_some_and(|index| is_missing(&cells[index])))));
            }
        }
        Ok(())
    }

    /// Keeps the numbers of a row that was taken in, for rows that lack some.
    fn remember(&mut self, cells: &[Cell]) {
        let Some(carried) = &mut self.carried else { return };
        for (last, index) in carried.iter_mut().zip(&self.places.columns) {
            let number = index.and_then(|index| cells[index].number()).filter(|number| number.is_finite());
            *last = number.unwrap_or(*last);
        }
    }

    fn number(&self, place: Place, cells: &[Cell], index: usize) -> Result<f64> {
        match cells[index].number() {
            Some(number) if number.is_finite() => Ok(number),
            Some(number) => Err(self.error(place, index, not_finite(number))),
            None => Err(self.error(
                place,
                index,
                format!("expected a number, found {}", quoted(&cells[index].to_string())),
            )),
        }
    }

    fn level(&self, place: Place, cell: &Cell, index: usize, levels: &[String]) -> Result<usize> {
        if *cell == Cell::Missing {
            return Err(self.error(place, index, not_finite(f64::NAN)));
        }
        find_level(levels, &cell.to_string()).map_err(|reason| self.error(place, index, reason))
    }

    fn error(&self, place: Place, index: usize, reason: String) -> Error {
        Error::Data { source_name: self.source.clone(), place, column: self.names[index].clone(), reason }
    }
}

fn is_missing(cell: &Cell) -> bool {
    *cell == Cell::Missing || cell.number().is_some_and(f64::is_nan)
}

#[cfg(test)]
mod tests {
    use super::super::{Column, Embedding, InputOptions, Table};
    use super::*;

    fn samples(table: &Table, inputs: &Inputs) -> Vec<Vec<f64>> {
        let mut stream = InputStream::new(inputs.clone(), "s", table.names(), true).unwrap();
        let push = |row| stream.push(table.place(row), &table.cells(row)).unwrap().map(<[f64]>::to_vec);
        (0..table.rows()).filter_map(push).collect()
    }

    #[test]
    fn a_stream_gives_the_rows_of_the_matrix() {
        let numbers = |k: f64| Column::Numeric((0..9).map(|i| (k * f64::from(i)).sin()).collect());
        let colours = Column::text((0..9).map(|i| ["red", "blue", "7"][i % 3]));
        let mixed = Table::new(["u", "colour", "y"], vec![numbers(1.0), colours, numbers(2.0)]).unwrap();
        let plain = Table::new(["u", "y"], vec![numbers(1.0), numbers(2.0)]).unwrap();
        for (table, embedding) in
            [(&mixed, None), (&plain, Some(Embedding { horizon: 2, ..Embedding::new(3) }))]
        {
            let options = InputOptions { targets: vec!["y".into()], embedding, ..Default::default() };
            let inputs = Inputs::fit(table, &options).unwrap();
            let matrix = inputs.matrix(table).unwrap();
            let rows: Vec<Vec<f64>> = matrix.view().iter().map(<[f64]>::to_vec).collect();
            assert_eq!(samples(table, &inputs), rows);
        }
    }

    #[test]
    fn a_refused_row_leaves_no_trace() {
        let names = ["u".to_owned(), "y".to_owned()];
        let options = InputOptions {
            targets: vec!["y".into()],
            embedding: Some(Embedding::new(1)),
            ..Default::default()
        };
        let inputs = Inputs::choose("s", &names, true, &options).unwrap();
        let mut stream = InputStream::new(inputs, "s", &names, true).unwrap();
        let row = |u: f64, y: f64| [Cell::Number(u), Cell::Number(y)];
        assert!(stream.push(Place::Line(2), &row(1.0, 10.0)).unwrap().is_none());
        for bad in [Cell::Missing, Cell::Text("t".into()), Cell::Number(f64::INFINITY)] {
            let message = stream.push(Place::Line(3), &[Cell::Number(2.0), bad]).unwrap_err().to_string();
            assert!(message.starts_with("s, line 3, column y: "), "{message}");
        }
        assert!(stream.push(Place::Line(4), &[Cell::Number(1.0)]).is_err());
        assert_eq!(stream.push(Place::Line(5), &row(3.0, 30.0)).unwrap(), Some(&[3.0, 10.0][..]));
    }
}
