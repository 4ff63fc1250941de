//! The lower triangle of a matrix in tiles of eight by eight.
//!
//! Half the memory of a square and one stream through memory for a product. Eight rows are a panel; panel
//! `p` holds the tiles of columns `8 q..8 q + 8` for `q = 0..=p`, a tile holds its eight rows one after the
//! other, and a row of a tile fills a cache line, so that growing by a row writes into a panel or appends
//! one. Rows and columns beyond the order hold zeros.

use super::triangle;
use crate::online::state::bits;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Rows and columns of a tile.
pub(super) const SIDE: usize = 8;

/// One row of a tile.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Line(pub [f64; SIDE]);

/// A lower triangle by tiles. What stands above the diagonal in the tiles on it is left to whoever owns it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Saved", try_from = "Saved")]
pub(super) struct Lower {
    pub lines: Vec<Line>,
    pub order: usize,
}

/// Where panel `p` begins.
pub(super) const fn panel(p: usize) -> usize {
    SIDE * p * (p + 1) / 2
}

/// Where the line with row `i` and the columns of tile `q` is.
pub(super) const fn line(i: usize, q: usize) -> usize {
    panel(i / SIDE) + SIDE * q + i % SIDE
}

impl Lower {
    /// Takes all rows out, keeping the room.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.order = 0;
    }

    /// Bytes of the tiles.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }

    /// Panels.
    pub fn panels(&self) -> usize {
        self.order.div_ceil(SIDE)
    }

    /// Element `(i, j)`, `j <= i`.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.lines[line(i, j / SIDE)].0[j % SIDE]
    }

    /// Element `(i, i)`.
    pub fn diagonal_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.lines[line(i, i / SIDE)].0[i % SIDE]
    }

    /// Appends a row: `factor off` left of the diagonal, `corner` on it. Returns its index.
    pub fn push(&mut self, off: &[f64], factor: f64, corner: f64) -> usize {
        let i = self.order;
        self.order += 1;
        self.lines.resize(panel(self.panels()), Line::default());
        for (q, values) in off.chunks(SIDE).enumerate() {
            let to = &mut self.lines[line(i, q)].0;
            to.iter_mut().zip(values).for_each(|(to, value)| *to = value * factor);
        }
        *self.diagonal_mut(i) = corner;
        i
    }

    /// Takes the last row out.
    pub fn pop(&mut self) {
        let last = self.order - 1;
        for q in 0..=last / SIDE {
            self.lines[line(last, q)] = Line::default();
        }
        self.order = last;
        self.lines.truncate(panel(self.panels()));
    }

    /// The rows one after the other, without gaps.
    pub fn write_rows(&self, rows: &mut Vec<f64>) {
        rows.clear();
        for i in 0..self.order {
            for q in 0..=i / SIDE {
                rows.extend_from_slice(&self.lines[line(i, q)].0[..SIDE.min(i + 1 - q * SIDE)]);
            }
        }
    }

    /// Takes the values of such rows, which are as many as there are.
    pub fn read_rows(&mut self, rows: &[f64]) {
        let mut rest = rows;
        for i in 0..self.order {
            let (row, tail) = rest.split_at(i + 1);
            for (q, values) in row.chunks(SIDE).enumerate() {
                self.lines[line(i, q)].0[..values.len()].copy_from_slice(values);
            }
            rest = tail;
        }
    }

    /// Fails unless the matrix is of the given order and holds finite numbers.
    pub fn check(&self, order: usize) -> Result<()> {
        let finite = self.lines.iter().all(|line| line.0.iter().all(|v| v.is_finite()));
        if self.order != order || !finite {
            return Err(damaged(order));
        }
        Ok(())
    }
}

fn damaged(order: usize) -> Error {
    Error::parse("saved state of a learner", "matrix", format!("expected {order} finite rows"))
}

/// A triangle as it stands in a file, row after row.
#[derive(Serialize, Deserialize)]
struct Saved {
    #[serde(with = "bits")]
    data: Vec<f64>,
    order: usize,
}

impl From<Lower> for Saved {
    fn from(lower: Lower) -> Self {
        let mut data = Vec::with_capacity(triangle::start(lower.order));
        lower.write_rows(&mut data);
        Self { data, order: lower.order }
    }
}

impl TryFrom<Saved> for Lower {
    type Error = Error;

    fn try_from(saved: Saved) -> Result<Self> {
        let Saved { data, order } = saved;
        let expected = order.checked_add(1).and_then(|next| order.checked_mul(next));
        if expected != data.len().checked_mul(2) {
            return Err(damaged(order));
        }
        let mut lower = Self { lines: Vec::new(), order };
        lower.lines.resize(panel(lower.panels()), Line::default());
        lower.read_rows(&data);
        Ok(lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_saved_form_is_the_plain_triangle() {
        for n in [0, 1, 8, 19] {
            let mut a = Lower::default();
            for i in 0..n {
                let off: Vec<f64> = (0..i).map(|j| ((i * 7 + j * 13) as f64).sin()).collect();
                a.push(&off, 1.0, 2.0 + i as f64);
            }
            let saved = Saved::from(a.clone());
            let rows: Vec<f64> =
                (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| a.get(i, j)).collect();
            assert_eq!(saved.data, rows);
            assert_eq!(Lower::try_from(saved).unwrap().lines, a.lines);
            assert!(Lower::try_from(Saved { data: rows, order: n + 1 }).is_err());
            if n > 0 {
                a.pop();
                assert!(a.check(n - 1).is_ok() && a.lines.len() == panel((n - 1).div_ceil(SIDE)));
            }
        }
        assert!(Lower::try_from(Saved { data: Vec::new(), order: usize::MAX }).is_err());
    }
}
