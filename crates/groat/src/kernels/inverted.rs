//! Sparse rows as centres of a kernel.
//!
//! Inner products come from compressed columns (an inverted index): every nonzero of a query meets the nonzeros of
//! its own column and no others, so the cost follows the pairs that meet, whatever the number of features.
//! Distances are `|x|^2 + |y|^2 - 2 x'y`; where that cancels, the pair is looked at again, difference by difference.

use super::kernel::Width;
use super::profile::Form;
use super::{Evaluator, Kernel, NEAR};
use crate::matrix::{Csr, Point, Points};

/// Centres by column.
#[derive(Clone, Debug)]
pub(super) struct Inverted {
    evaluator: Evaluator<f64>,
    widths: Option<Vec<f64>>,
    /// The centres as distances see them.
    rows: Csr,
    /// Their squared lengths.
    lengths: Vec<f64>,
    /// Columns that hold a nonzero, ascending.
    columns: Vec<u32>,
    /// Where each of them starts in `places` and `values`, and the end.
    starts: Vec<usize>,
    /// Rows of the nonzeros, ascending within a column.
    places: Vec<u32>,
    values: Vec<f64>,
}

impl Inverted {
    pub(super) fn new(kernel: &Kernel, centres: Points<'_>) -> Self {
        let widths = match kernel.width() {
            Some(Width::PerFeature(widths)) => Some(widths.clone()),
            _ => None,
        };
        let mut rows = match centres {
            Points::Dense(x) => Csr::from_rows(x),
            Points::Sparse(x) => x.to_csr(),
        };
        if let Some(widths) = &widths {
            rows.entries_mut().for_each(|(k, v)| *v /= widths[k]);
        }
        let lengths = rows.view().iter().map(|(c, v)| Point::Sparse(c, v).squared_length()).collect();
        let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(rows.nonzeros());
        for (place, (columns, values)) in rows.view().iter().enumerate() {
            entries.extend(columns.iter().zip(values).map(|(c, v)| (*c, place as u32, *v)));
        }
        entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
        let (mut columns, mut starts) = (Vec::new(), Vec::new());
        for (at, entry) in entries.iter().enumerate() {
            if columns.last() != Some(&entry.0) {
                columns.push(entry.0);
                starts.push(at);
            }
        }
        starts.push(entries.len());
        let (places, values) = entries.iter().map(|entry| (entry.1, entry.2)).unzip();
        Self { evaluator: kernel.evaluator(), widths, rows, lengths, columns, starts, places, values }
    }

    pub(super) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Kernel values of a query against the centres from number `first` on, as far as `out` goes.
    pub(super) fn row(&self, query: Point<'_>, first: usize, out: &mut [f64]) {
        let mut scaled = Vec::new();
        let query = self.scaled(query, &mut scaled);
        self.products(query, first, out);
        if self.evaluator.form != Form::Product {
            self.to_distances(query, first, out);
        }
        self.evaluator.radial(out);
    }

    /// The query as distances see it.
    fn scaled<'a>(&self, query: Point<'a>, buffer: &'a mut Vec<f64>) -> Point<'a> {
        let Some(widths) = &self.widths else { return query };
        match query {
            Point::Dense(x) => {
                buffer.extend(x.iter().zip(widths).map(|(v, w)| v / w));
                Point::Dense(buffer)
            }
            Point::Sparse(columns, values) => {
                buffer.extend(columns.iter().zip(values).map(|(c, v)| v / widths[*c as usize]));
                Point::Sparse(columns, buffer)
            }
        }
    }

    /// Inner products, each added up in the order of the columns.
    fn products(&self, query: Point<'_>, first: usize, out: &mut [f64]) {
        out.fill(0.0);
        match query {
            Point::Dense(x) => {
                for (slot, column) in self.columns.iter().enumerate() {
                    let v = x[*column as usize];
                    if v != 0.0 {
                        self.add(slot, v, first, out);
                    }
                }
            }
            Point::Sparse(columns, values) => {
                let mut from = 0;
                for (column, v) in columns.iter().zip(values) {
                    from += gallop(&self.columns[from..], *column);
                    if self.columns.get(from) == Some(column) {
                        self.add(from, *v, first, out);
                    }
                }
            }
        }
    }

    /// Adds `v` times a column.
    fn add(&self, slot: usize, v: f64, first: usize, out: &mut [f64]) {
        let range = self.starts[slot]..self.starts[slot + 1];
        let (mut places, mut values) = (&self.places[range.clone()], &self.values[range]);
        if first > 0 {
            let from = places.partition_point(|p| (*p as usize) < first);
            (places, values) = (&places[from..], &values[from..]);
        }
        for (place, value) in places.iter().zip(values) {
            let Some(out) = out.get_mut(*place as usize - first) else { break };
            *out += v * value;
        }
    }

    /// Turns inner products into squared distances. Equal rows are exactly 0 apart.
    fn to_distances(&self, query: Point<'_>, first: usize, out: &mut [f64]) {
        let length = query.squared_length();
        for (j, (out, other)) in out.iter_mut().zip(&self.lengths[first..]).enumerate() {
            let both = length + other;
            let squared = both - 2.0 * *out;
            // Also where lengths beyond the number range have led to no number at all.
            let near = squared < NEAR * both || squared.is_nan();
            *out = if near {
                let (columns, values) = self.rows.view().row(first + j);
                query.squared_distance(Point::Sparse(columns, values))
            } else {
                squared
            };
        }
    }
}

/// How many of the ascending `columns` lie below `wanted`, looked for from the front in growing steps.
fn gallop(columns: &[u32], wanted: u32) -> usize {
    let mut step = 1;
    while step < columns.len() && columns[step] < wanted {
        step *= 2;
    }
    let (low, high) = (step / 2, columns.len().min(step + 1));
    low + columns[low..high].partition_point(|c| *c < wanted)
}
