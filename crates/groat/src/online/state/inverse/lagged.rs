//! A symmetric matrix that loses a rank-one term at every step.
//!
//! Writing each term into the matrix at once would cost a sweep that reads and writes all of it, as much time
//! as a product. The last few terms are therefore kept beside it: a product subtracts what they give, `O(m)`
//! each, and when there are eight one sweep takes them all in. More would save little: the multiplications
//! stay the same.

use super::lower::{Line, SIDE};
use super::packed::Packed;
use super::tiles;
use crate::error::{Error, Result};
use crate::online::state::bits;
use crate::simd::make_room;
use serde::{Deserialize, Serialize};

/// `A - U^T U`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Saved", try_from = "Saved")]
pub(crate) struct Lagged {
    matrix: Packed,
    /// `U`, eight rows as a panel of tiles; those from `count` on are zero.
    terms: Vec<Line>,
    count: usize,
}

impl Lagged {
    /// Appends a row and column: `factor off` left of the diagonal, `corner` on it.
    pub fn push_scaled(&mut self, off: &[f64], factor: f64, corner: f64) {
        self.settle();
        self.matrix.push_scaled(off, factor, corner);
        self.terms.resize(self.matrix.order().next_multiple_of(SIDE), Line::default());
    }

    /// `out = (A - U^T U) x`, which gets as many places.
    pub fn multiply_into(&self, x: &[f64], out: &mut Vec<f64>) {
        let n = self.matrix.order();
        self.matrix.multiply_into(x, out);
        if self.count > 0 {
            make_room(out, n);
            tiles::subtract_products(&self.terms, &x[..n], out);
            out.truncate(n);
        }
    }

    /// Subtracts `share v v^T`, `share >= 0`.
    pub fn subtract(&mut self, share: f64, v: &[f64]) {
        if self.count == SIDE {
            self.settle();
        }
        tiles::write_row(&mut self.terms, self.count, share.sqrt(), &v[..self.matrix.order()]);
        self.count += 1;
    }

    /// Takes the terms into the matrix.
    fn settle(&mut self) {
        if self.count > 0 {
            self.matrix.subtract_squares(&self.terms);
            self.terms.fill(Line::default());
            self.count = 0;
        }
    }

    /// Bytes of the matrix and of the terms.
    pub fn memory_bytes(&self) -> usize {
        self.matrix.memory_bytes() + size_of_val(self.terms.as_slice())
    }

    /// Fails unless the matrix is of the given order and holds finite numbers.
    pub fn check(&self, order: usize) -> Result<()> {
        self.matrix.check(order)?;
        if self.terms.iter().any(|line| line.0.iter().any(|v| !v.is_finite())) {
            return Err(damaged());
        }
        Ok(())
    }
}

fn damaged() -> Error {
    Error::parse("saved state of a learner", "terms", "they do not fit the matrix")
}

/// A matrix and its terms, row after row, as they stand in a file.
#[derive(Serialize, Deserialize)]
struct Saved {
    matrix: Packed,
    #[serde(with = "bits")]
    terms: Vec<f64>,
}

impl From<Lagged> for Saved {
    fn from(lagged: Lagged) -> Self {
        let Lagged { matrix, terms, count } = lagged;
        let row = |r: usize| terms.chunks_exact(SIDE).flat_map(move |tile| tile[r].0).take(matrix.order());
        Self { terms: (0..count).flat_map(row).collect(), matrix }
    }
}

impl TryFrom<Saved> for Lagged {
    type Error = Error;

    fn try_from(saved: Saved) -> Result<Self> {
        let Saved { matrix, terms } = saved;
        let order = matrix.order();
        let room = order.next_multiple_of(SIDE);
        let mut lagged = Self { matrix, terms: vec![Line::default(); room], count: 0 };
        if terms.is_empty() {
            return Ok(lagged);
        }
        if order == 0 || terms.len() % order != 0 || terms.len() / order > SIDE {
            return Err(damaged());
        }
        // A share of one writes the rows as they are.
        terms.chunks_exact(order).for_each(|row| lagged.subtract(1.0, row));
        Ok(lagged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::dot;

    #[test]
    fn agrees_with_terms_taken_in_at_once() {
        for n in [1usize, 7, 8, 20] {
            let (mut lagged, mut plain) = (Lagged::default(), Packed::default());
            for _ in 0..n {
                lagged.push_scaled(&vec![0.0; n], 1.0, 1.0);
                plain.push_unit();
            }
            let (mut got, mut want) = (vec![0.0; n], vec![0.0; n]);
            for step in 0..3 * SIDE {
                let v: Vec<f64> = (0..n).map(|i| ((i + 3 * step) as f64 * 0.7).sin()).collect();
                lagged.multiply_into(&v, &mut got);
                plain.multiply(&v, &mut want);
                for (got, want) in got.iter().zip(&want) {
                    assert!((got - want).abs() < 1e-13, "order {n}, step {step}: {got} and {want}");
                }
                let share = 1.0 / (1.0 + dot(&v, &got));
                lagged.subtract(share, &got);
                plain.rank_one(-share, &want);
                let saved = Saved::from(lagged.clone());
                let back = Lagged::try_from(saved).unwrap();
                assert_eq!((back.terms, back.count), (lagged.terms.clone(), lagged.count));
            }
            lagged.push_scaled(&vec![0.0; n], 1.0, 1.0);
            assert!(lagged.check(n + 1).is_ok() && lagged.check(n).is_err());
            let terms = vec![0.5; n + 2];
            assert!(Lagged::try_from(Saved { matrix: lagged.matrix, terms }).is_err());
        }
    }
}
