//! Equal cells for up to three features.
//!
//! The cell side is the radius (and a little), so all neighbours of a query lie in its cell and the ones around it.
//! Points are stored cell by cell, the first feature running fastest: the three cells side by side along
//! it are one contiguous run.

use crate::matrix::Rows;

/// Cells per point above which a grid would be mostly empty.
const MAX_CELLS_PER_POINT: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Per feature: smallest value and number of cells. Always three, the missing ones with one cell.
    low: [f64; 3],
    cells: [usize; 3],
    inverse_side: f64,
    dimension: usize,
    /// Points of cell `c` are `starts[c]..starts[c + 1]`.
    starts: Vec<u32>,
}

impl Grid {
    /// Sorts `order` by cell; `None` when there would be too many cells (or no points).
    pub(super) fn new(x: Rows<'_>, radius: f64, order: &mut [u32]) -> Option<Grid> {
        let dimension = x.cols();
        if x.is_empty() {
            return None;
        }
        // A little wider than the radius: then rounding cannot put neighbours two cells apart.
        let side = radius * (1.0 + 1e-5);
        let mut low = [0.0; 3];
        let mut cells = [1; 3];
        let mut total = 1.0;
        for k in 0..dimension {
            let values = || x.iter().map(|row| row[k]);
            low[k] = values().fold(f64::INFINITY, f64::min);
            let extent = values().fold(f64::NEG_INFINITY, f64::max) - low[k];
            let count = (extent / side).floor() + 1.0;
            total *= count;
            if total.is_nan() || total > (MAX_CELLS_PER_POINT * x.rows() + 64) as f64 {
                return None;
            }
            cells[k] = count as usize;
        }
        let mut grid = Grid { low, cells, inverse_side: 1.0 / side, dimension, starts: Vec::new() };
        let cell_of: Vec<u32> = x.iter().map(|row| grid.cell(row) as u32).collect();
        // A counting sort, which keeps the order within a cell.
        let mut starts = vec![0_u32; cells.iter().product::<usize>() + 1];
        for &c in &cell_of {
            starts[c as usize + 1] += 1;
        }
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut next = starts.clone();
        for (i, &c) in cell_of.iter().enumerate() {
            order[next[c as usize] as usize] = i as u32;
            next[c as usize] += 1;
        }
        grid.starts = starts;
        Some(grid)
    }

    /// Cell coordinate along feature `k`, which may lie outside for a query.
    fn coordinate(&self, k: usize, value: f64) -> f64 {
        ((value - self.low[k]) * self.inverse_side).floor()
    }

    fn cell(&self, row: &[f64]) -> usize {
        let mut at = [0; 3];
        for k in 0..self.dimension {
            at[k] = (self.coordinate(k, row[k]) as usize).min(self.cells[k] - 1);
        }
        (at[2] * self.cells[1] + at[1]) * self.cells[0] + at[0]
    }

    /// Calls `run(from, to)` for the runs of points that can hold neighbours.
    pub(super) fn runs(&self, query: &[f64], mut run: impl FnMut(usize, usize)) {
        let mut first = [0; 3];
        let mut last = [0; 3];
        for k in 0..self.dimension {
            let c = self.coordinate(k, query[k]);
            let top = (self.cells[k] - 1) as f64;
            // Also refuses NaN.
            if !(c >= -2.0 && c <= top + 2.0) {
                return;
            }
            first[k] = (c - 1.0).max(0.0).min(top) as usize;
            last[k] = (c + 1.0).max(0.0).min(top) as usize;
        }
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                let row = (z * self.cells[1] + y) * self.cells[0];
                let (from, to) = (self.starts[row + first[0]], self.starts[row + last[0] + 1]);
                if from < to {
                    run(from as usize, to as usize);
                }
            }
        }
    }
}
