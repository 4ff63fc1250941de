//! Where rows come from: memory, or batches that are read again and again; and which part each row belongs to.

use crate::batch::Batches;
use crate::batch::sparse::{Samples, word};
use crate::data::RemoteSums;
use crate::data::synthetic::scatter;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, PointSet, Points, Rows};
use serde::{Deserialize, Serialize};

/// Rows that are handed on at a time from memory.
const BATCH: usize = 1 << 16;

/// Rows with their answers and weights.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub x: Points<'a>,
    pub y: Rows<'a>,
    pub weights: Option<&'a [f64]>,
}

impl<'a> Block<'a> {
    /// The rows `start..end`.
    pub(super) fn slice(&self, start: usize, end: usize) -> Block<'a> {
        Block {
            x: self.x.slice(start, end),
            y: self.y.slice(start, end),
            weights: self.weights.map(|weights| &weights[start..end]),
        }
    }
}

/// Data that can be gone through as often as needed.
pub(super) trait Source: Sync {
    /// Number of rows, where it is known.
    fn rows(&self) -> Option<usize>;
    /// Where the rows are not here: who makes sums over them.
    fn remote(&self) -> Option<&dyn RemoteSums> {
        None
    }
    /// Hands on all rows in order.
    fn each(&self, visit: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()>;
}

/// Rows in memory.
pub(super) struct InMemory<'a> {
    pub x: Points<'a>,
    pub y: &'a Matrix,
    pub weights: Option<&'a [f64]>,
}

impl<'a> InMemory<'a> {
    pub(super) fn of(samples: &'a Samples<'_>) -> Self {
        let alike = samples.weights.iter().all(|w| *w == samples.weights[0]);
        Self { x: samples.x, y: &samples.y, weights: (!alike).then_some(&samples.weights) }
    }
}

impl Source for InMemory<'_> {
    fn rows(&self) -> Option<usize> {
        Some(self.x.rows())
    }

    fn each(&self, visit: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        for start in (0..self.x.rows()).step_by(BATCH) {
            let end = (start + BATCH).min(self.x.rows());
            let weights = self.weights.map(|weights| &weights[start..end]);
            visit(Block { x: self.x.slice(start, end), y: self.y.view().slice(start, end), weights })?;
        }
        Ok(())
    }
}

/// Rows that are read.
pub(super) struct Read<'a>(pub &'a dyn Batches);

impl Source for Read<'_> {
    fn rows(&self) -> Option<usize> {
        self.0.rows()
    }

    fn remote(&self) -> Option<&dyn RemoteSums> {
        self.0.remote()
    }

    fn each(&self, visit: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        self.0.read(&mut |x, y| {
            x.check_finite("the features")?;
            y.check_finite("the target")?;
            visit(Block { x, y, weights: None })
        })
    }
}

/// Some rows, owned.
pub(super) struct Owned {
    x: PointSet,
    y: Matrix,
    weights: Option<Vec<f64>>,
}

impl Owned {
    pub(super) fn select(rows: Block<'_>, chosen: &[usize]) -> Self {
        let weights = rows.weights.map(|weights| chosen.iter().map(|&i| weights[i]).collect());
        Self { x: rows.x.select(chosen), y: rows.y.select(chosen), weights }
    }

    pub(super) fn view(&self) -> Block<'_> {
        Block { x: self.x.view(), y: self.y.view(), weights: self.weights.as_deref() }
    }
}

/// Which part a row belongs to, by what it holds: copies of a row share a part, wherever they stand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Division {
    seed: u64,
    /// Share of the rows that nothing is chosen on.
    held: f64,
    /// Parts of the others that judge a ridge, each of the same size.
    pub judges: usize,
    /// Whether there is a further part, four times as large, that judges nothing.
    pub rest: bool,
}

/// The part of rows that are kept out of everything.
pub(super) const HELD: usize = 0;
/// Most rows that are worth keeping apart.
const ENOUGH: f64 = 10_000.0;

impl Division {
    /// All rows in one part.
    pub(super) fn none() -> Self {
        Self { seed: 0, held: 0.0, judges: 0, rest: true }
    }

    /// A fifth of the rows, at most ten thousand, kept apart where an estimate is wanted.
    pub(super) fn new(estimate: bool, rows: Option<usize>, seed: u64) -> Self {
        let share = rows.map_or(0.2, |rows| (ENOUGH / rows.max(1) as f64).min(0.2));
        Self { seed, held: if estimate { share } else { 0.0 }, judges: 0, rest: true }
    }

    /// The same with parts that judge a ridge: three for small statistics, one beside a rest for large ones.
    pub(super) fn judged(self, features: usize) -> Self {
        if features <= 1500 { Self { judges: 3, rest: false, ..self } } else { Self { judges: 1, ..self } }
    }

    /// An error unless it is one that a fit can have asked for.
    pub(super) fn check(&self) -> Result<()> {
        let parts = self.judges + usize::from(self.rest);
        if (1..=4).contains(&parts) && (0.0..1.0).contains(&self.held) {
            return Ok(());
        }
        Err(Error::parameter("parts of the rows", parts, "1 to 4, and less than all of the rows held out"))
    }

    pub(super) fn holds_out(&self) -> bool {
        self.held > 0.0
    }

    /// Parts with the one that is held out.
    pub(super) fn parts(&self) -> usize {
        1 + self.judges + usize::from(self.rest)
    }

    pub(super) fn part_of_word(&self, word: u64) -> usize {
        let share = |salt: u64| scatter(word ^ salt) as f64 / u64::MAX as f64;
        if share(self.seed ^ 0x6865_6c64) < self.held {
            return HELD;
        }
        let sizes = self.judges + 4 * usize::from(self.rest);
        let place = (share(self.seed ^ 0x666f_6c64) * sizes.max(1) as f64) as usize;
        1 + place.min(self.parts() - 2)
    }

    /// The part of every row.
    pub(super) fn of(&self, x: Points<'_>) -> Vec<usize> {
        if self.parts() == 2 && self.held == 0.0 {
            return vec![1; x.rows()];
        }
        (0..x.rows()).map(|i| self.part_of_word(word(x.point(i), self.seed))).collect()
    }
}
