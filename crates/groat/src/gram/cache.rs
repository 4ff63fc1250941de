//! Rows of a kernel matrix by number, of which the latest are kept.

use super::Gram;
use super::latest::{Latest, slots};
use crate::matrix::Real;
use crate::memory;

/// Rows of a kernel matrix under a limit of bytes: when a row is asked for that is not held, it is evaluated and
/// takes the place of the one that was not asked for the longest.
///
/// ```
/// use groat::{Kernel, Rows, gram::{Gram, Need, RowCache}};
/// let x = [0.0, 1.0, 3.0];
/// let gram = Gram::new(&Kernel::gaussian(1.0), Rows::new(&x, 1)?, Need::Rows, 1000.into())?;
/// let mut rows: RowCache = RowCache::new(gram, 1000);
/// assert!((rows.row(0)[1] - (-0.5f64).exp()).abs() < 1e-15);
/// assert_eq!((rows.row(0)[0], rows.evaluated()), (1.0, 1));
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Debug)]
pub struct RowCache<'a, T = f64> {
    gram: Gram<'a>,
    latest: Latest,
    /// Row after row, by their places.
    data: Vec<T>,
    evaluated: usize,
}

impl<'a, T: Real> RowCache<'a, T> {
    /// Rows of `gram` in `bytes` bytes; there is always room for two rows.
    pub fn new(gram: Gram<'a>, bytes: u64) -> Self {
        let latest = Latest::within(bytes, (gram.columns() * size_of::<T>()) as u64, gram.rows());
        // All at once: a buffer that grew would for a moment stand there twice. What is not used takes no memory.
        let data = memory::zeroed(latest.room() * gram.columns());
        Self { gram, latest, data, evaluated: 0 }
    }

    /// Rows that there is room for.
    pub fn room(&self) -> usize {
        self.latest.room()
    }

    /// How many rows have been evaluated so far.
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// Bytes of the rows that are held.
    pub fn bytes(&self) -> u64 {
        (self.latest.len() * self.gram.columns() * size_of::<T>()) as u64
    }

    /// The matrix itself.
    pub fn gram(&self) -> &Gram<'a> {
        &self.gram
    }

    /// Row `i`, which must be one of the matrix.
    pub fn row(&mut self, i: usize) -> &[T] {
        self.hold(&[i]);
        self.get(i).unwrap_or(&[])
    }

    /// Two rows at once.
    pub fn pair(&mut self, i: usize, j: usize) -> [&[T]; 2] {
        self.hold(&[i, j]);
        [i, j].map(|row| self.get(row).unwrap_or(&[]))
    }

    /// Sees to it that these rows, no more than there is room for, are all there at once; those that are not yet are
    /// evaluated together on all threads.
    pub(crate) fn hold(&mut self, rows: &[usize]) {
        let places = self.latest.take(rows);
        self.evaluated += places.len();
        self.gram.fill(&mut slots(&mut self.data, self.gram.columns(), &places));
    }

    /// Row `i` if it is there.
    pub(crate) fn get(&self, i: usize) -> Option<&[T]> {
        let (place, columns) = (self.latest.place(i)?, self.gram.columns());
        Some(&self.data[place * columns..(place + 1) * columns])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Need;
    use crate::{Kernel, Matrix};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_right_whatever_was_asked_before(
            asked in prop::collection::vec(0usize..12, 1..80),
            room in 2usize..14,
        ) {
            let x = Matrix::from_vec((0..24).map(|i| (f64::from(i) * 0.7).sin()).collect(), 12, 2).unwrap();
            let kernel = Kernel::gaussian(0.5);
            let whole = kernel.gram(x.view()).unwrap();
            let gram = Gram::new(&kernel, &x, Need::Rows, 1000.into()).unwrap();
            let mut cache: RowCache<'_> = RowCache::new(gram, (room * 12 * 8) as u64);
            // The textbook: a list, latest first.
            let (mut latest, mut misses): (Vec<usize>, usize) = (Vec::new(), 0);
            for i in asked {
                prop_assert_eq!(cache.row(i), whole.row(i));
                misses += usize::from(!latest.contains(&i));
                latest.retain(|j| *j != i);
                latest.insert(0, i);
                latest.truncate(room);
                prop_assert_eq!(cache.evaluated(), misses);
                prop_assert!(cache.bytes() <= (cache.room() * 12 * 8) as u64);
                let before = latest.get(1).copied().unwrap_or(i);
                prop_assert_eq!(cache.pair(before, i), [whole.row(before), whole.row(i)]);
            }
        }

        #[test]
        fn rows_held_together_are_all_there(
            asked in prop::collection::vec(prop::collection::vec(0usize..12, 1..6), 1..20),
            room in 6usize..14,
        ) {
            let x = Matrix::from_vec((0..24).map(|i| (f64::from(i) * 0.7).sin()).collect(), 12, 2).unwrap();
            let kernel = Kernel::gaussian(0.5);
            let whole = kernel.gram(x.view()).unwrap();
            let gram = Gram::new(&kernel, &x, Need::Rows, 1000.into()).unwrap();
            let mut cache: RowCache<'_> = RowCache::new(gram, (room * 12 * 8) as u64);
            for rows in asked {
                cache.hold(&rows);
                for i in rows {
                    prop_assert_eq!(cache.get(i), Some(whole.row(i)));
                }
            }
        }
    }
}
