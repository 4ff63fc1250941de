//! Rows of a radial kernel in single precision, over the columns that are still looked at.
//!
//! With few features a kernel value is evaluated faster than it is read back from memory, so that nothing is kept; with
//! many the latest rows stay, as far as the limit allows. When most columns have been left out, what is held shrinks to
//! the others.

use super::super::latest::{Latest, room, slots};
use super::{KEPT_FEATURES, add_held};
use crate::kernels::{Rough, Tiles};
use crate::memory;
use rayon::prelude::*;

pub(super) struct RoughRows {
    rough: Rough,
    /// The rows that are columns now, in ascending order.
    columns: Vec<usize>,
    tiles: Tiles,
    /// Columns that were left out, and the coefficients of that time.
    absent: Vec<(Vec<usize>, Vec<f64>)>,
    /// Which rows are held; their values stand in `data`, row after row.
    latest: Latest,
    data: Vec<f32>,
    /// Bytes that these may take.
    limit: u64,
    /// Kernel values that were evaluated.
    values: u64,
}

impl RoughRows {
    pub(super) fn new(rough: Rough, limit: u64) -> Self {
        let columns: Vec<usize> = (0..rough.len()).collect();
        let tiles = rough.tiles(&columns);
        let latest = Latest::within(limit, 4 * columns.len() as u64, rough.len());
        Self { rough, columns, tiles, absent: Vec::new(), latest, data: Vec::new(), limit, values: 0 }
    }

    /// Kernel values that were evaluated, in rows.
    pub(super) fn evaluated(&self) -> usize {
        self.values.div_ceil(self.rough.len().max(1) as u64) as usize
    }

    /// Bytes of the rows that are held, and of all rows in single precision, once as they are and once as columns.
    pub(super) fn bytes(&self) -> u64 {
        4 * (self.latest.len() * self.columns.len() + 2 * self.rough.len() * self.rough.dim()) as u64
    }

    /// Whether rows are kept.
    pub(super) fn keeps(&self) -> bool {
        self.rough.dim() >= KEPT_FEATURES
    }

    /// Looks at the columns of these rows alone, of those that it has. `beta` is what `f = K beta` stands at.
    pub(super) fn focus(&mut self, wanted: &[bool], beta: Vec<f64>) {
        let stay: Vec<usize> = (0..self.columns.len()).filter(|&c| wanted[self.columns[c]]).collect();
        let absent = self.columns.iter().copied().filter(|&i| !wanted[i]).collect();
        self.absent.push((absent, beta));
        let (before, after) = (self.columns.len(), stay.len());
        let held = self.latest.len();
        self.data[..held * before].par_chunks_mut(before.max(1)).for_each(|row| {
            stay.iter().enumerate().for_each(|(to, &from)| row[to] = row[from]);
        });
        (1..held).for_each(|place| {
            self.data.copy_within(place * before..place * before + after, place * after);
        });
        self.columns = stay.iter().map(|&place| self.columns[place]).collect();
        self.tiles = self.rough.tiles(&self.columns);
        self.latest.widen(room(self.limit, 4 * after as u64, self.rough.len()));
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Looks at all columns again: to those that were left out comes what has changed since.
    pub(super) fn widen(&mut self, beta: &[f64], f: &mut [f64]) {
        for (absent, before) in std::mem::take(&mut self.absent) {
            let changed: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != before[i]).collect();
            let factors: Vec<f64> = changed.iter().map(|&i| beta[i] - before[i]).collect();
            let mut sums = vec![0.0; absent.len()];
            self.rough.add_sums(&changed, &factors, &self.rough.tiles(&absent), &mut sums);
            absent.iter().zip(sums).for_each(|(&i, sum)| f[i] += sum);
            self.values += (changed.len() * absent.len()) as u64;
        }
        self.columns = (0..self.rough.len()).collect();
        self.tiles = self.rough.tiles(&self.columns);
        self.latest = Latest::within(self.limit, 4 * self.columns.len() as u64, self.rough.len());
    }

    /// The square block of these rows.
    pub(super) fn block(&mut self, rows: &[usize], out: &mut [f64]) {
        self.values += (rows.len() * rows.len()) as u64;
        self.rough.square(rows, out);
    }

    /// `f += sum_k factors[k] row(rows[k])` on the columns.
    pub(super) fn add(&mut self, rows: &[usize], factors: &[f64], f: &mut [f64]) {
        let width = self.columns.len();
        let mut sums = vec![0.0; width];
        if !self.keeps() || rows.len() > self.latest.room() {
            self.values += (rows.len() * width) as u64;
            self.rough.add_sums(rows, factors, &self.tiles, &mut sums);
        } else {
            self.hold(rows);
            let places = rows.iter().filter_map(|&i| self.latest.place(i));
            let held: Vec<&[f32]> = places.map(|place| &self.data[place * width..][..width]).collect();
            add_held(&held, factors, &mut sums);
        }
        self.columns.iter().zip(sums).for_each(|(&i, sum)| f[i] += sum);
    }

    /// Sees to it that these rows are there.
    fn hold(&mut self, rows: &[usize]) {
        let (places, width) = (self.latest.take(rows), self.columns.len());
        if self.data.is_empty() {
            // All at once; what is not used takes no memory.
            let (n, most) = (self.rough.len(), usize::try_from(self.limit / 4).unwrap_or(usize::MAX));
            self.data = memory::zeroed(most.min(n.saturating_mul(n)).max(2 * n));
        }
        self.values += (places.len() * width) as u64;
        let mut slots = slots(&mut self.data, width, &places);
        let (rough, tiles) = (&self.rough, &self.tiles);
        slots.par_chunks_mut(rough.together()).for_each(|rows| rough.values(rows, tiles));
    }
}
