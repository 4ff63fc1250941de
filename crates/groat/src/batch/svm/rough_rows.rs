//! Rows of a radial kernel in single precision, over the columns that are still looked at.
//!
//! With few features a kernel value is evaluated faster than it is read back from memory, so that nothing is kept; with
//! many the rows stay, as far as the limit allows. When most columns have been left out, what is held shrinks to the others.

use crate::gram::loops::add_rows;
use crate::kernels::{Rough, Tiles};
use rayon::prelude::*;
use std::collections::HashMap;

/// Features from which on rows are kept.
const KEPT_FEATURES: usize = 48;
/// Columns that one task of a sum handles; fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 2048;

pub(super) struct RoughRows {
    rough: Rough,
    /// The rows that are columns now, in ascending order.
    columns: Vec<usize>,
    tiles: Tiles,
    /// Columns that were left out, and the coefficients of that time.
    absent: Vec<(Vec<usize>, Vec<f64>)>,
    /// When a row was asked for last, and its values.
    held: HashMap<usize, (u64, Vec<f32>)>,
    clock: u64,
    limit: u64,
    /// Kernel values that were evaluated.
    values: u64,
}

impl RoughRows {
    pub(super) fn new(rough: Rough, limit: u64) -> Self {
        let columns: Vec<usize> = (0..rough.len()).collect();
        let tiles = rough.tiles(&columns);
        Self { rough, columns, tiles, absent: Vec::new(), held: HashMap::new(), clock: 0, limit, values: 0 }
    }

    /// Kernel values that were evaluated, in rows.
    pub(super) fn evaluated(&self) -> usize {
        self.values.div_ceil(self.rough.len().max(1) as u64) as usize
    }

    /// Looks at the columns of these rows alone, of those that it has. `beta` is what `f = K beta` stands at.
    pub(super) fn focus(&mut self, wanted: &[bool], beta: Vec<f64>) {
        let stay: Vec<usize> = (0..self.columns.len()).filter(|&c| wanted[self.columns[c]]).collect();
        let absent = self.columns.iter().copied().filter(|&i| !wanted[i]).collect();
        self.absent.push((absent, beta));
        self.held
            .par_iter_mut()
            .for_each(|(_, (_, row))| *row = stay.iter().map(|&place| row[place]).collect());
        self.columns = stay.iter().map(|&place| self.columns[place]).collect();
        self.tiles = self.rough.tiles(&self.columns);
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
        self.held.clear();
        self.columns = (0..self.rough.len()).collect();
        self.tiles = self.rough.tiles(&self.columns);
    }

    /// The square block of these rows.
    pub(super) fn block(&mut self, rows: &[usize], out: &mut [f64]) {
        self.values += (rows.len() * rows.len()) as u64;
        self.rough.square(rows, out);
    }

    /// `f += sum_k factors[k] row(rows[k])` on the columns.
    pub(super) fn add(&mut self, rows: &[usize], factors: &[f64], f: &mut [f64]) {
        let mut sums = vec![0.0; self.columns.len()];
        let room = (self.limit / (4 * self.columns.len().max(1)) as u64) as usize;
        if self.rough.dim() < KEPT_FEATURES || rows.len() > room {
            self.values += (rows.len() * self.columns.len()) as u64;
            self.rough.add_sums(rows, factors, &self.tiles, &mut sums);
        } else {
            self.hold(rows, room);
            let rows: Vec<&[f32]> =
                rows.iter().filter_map(|i| self.held.get(i)).map(|(_, row)| row.as_slice()).collect();
            sums.par_chunks_mut(CHUNK).enumerate().for_each(|(c, sums)| {
                let parts: Vec<&[f32]> = rows.iter().map(|row| &row[c * CHUNK..][..sums.len()]).collect();
                add_rows(&parts, factors, sums);
            });
        }
        self.columns.iter().zip(sums).for_each(|(&i, sum)| f[i] += sum);
    }

    /// Sees to it that these rows are there, and no more than there is room for: those that were not asked for the
    /// longest go first.
    fn hold(&mut self, rows: &[usize], room: usize) {
        self.clock += 1;
        let mut missing = Vec::new();
        for &i in rows {
            match self.held.get_mut(&i) {
                Some((asked, _)) => *asked = self.clock,
                None => missing.push(i),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        let excess = (self.held.len() + missing.len()).saturating_sub(room);
        if excess > 0 {
            let mut ages: Vec<(u64, usize)> = self.held.iter().map(|(&i, (asked, _))| (*asked, i)).collect();
            ages.sort_unstable();
            for (_, i) in ages.into_iter().take(excess) {
                self.held.remove(&i);
            }
        }
        let evaluate = |pair: &[usize]| {
            let (i, j) = (pair[0], pair[pair.len() - 1]);
            let [mut first, mut second] = [(); 2].map(|()| vec![0.0; self.columns.len()]);
            self.rough.values([i, j], &self.tiles, [&mut first, &mut second]);
            [(i, first), (j, second)]
        };
        let found: Vec<[(usize, Vec<f32>); 2]> = missing.par_chunks(2).map(evaluate).collect();
        self.values += (missing.len() * self.columns.len()) as u64;
        self.held.extend(found.into_iter().flatten().map(|(i, row)| (i, (self.clock, row))));
    }
}
