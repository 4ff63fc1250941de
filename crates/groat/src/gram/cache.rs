//! Rows of a kernel matrix by number, of which the latest are kept.

use super::Gram;
use crate::matrix::Real;
use crate::memory;
use std::collections::{BTreeMap, HashMap};

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
    /// Rows that there is room for, at least two.
    room: usize,
    data: Vec<T>,
    /// Where in `data` a row stands, and when it was asked for.
    held: HashMap<usize, (usize, u64)>,
    /// The rows held, by the time when they were asked for.
    ages: BTreeMap<u64, usize>,
    clock: u64,
    evaluated: usize,
    exact: Vec<f64>,
}

impl<'a, T: Real> RowCache<'a, T> {
    /// Rows of `gram` in `bytes` bytes; there is always room for two rows.
    pub fn new(gram: Gram<'a>, bytes: u64) -> Self {
        let row = (gram.columns() * size_of::<T>()).max(1) as u64;
        let room = usize::try_from(bytes / row).unwrap_or(usize::MAX).clamp(2, gram.rows().max(2));
        let exact = vec![0.0; gram.columns()];
        let (held, ages) = (HashMap::new(), BTreeMap::new());
        // All at once: a buffer that grew would for a moment stand there twice. What is not used takes no memory.
        let data = memory::zeroed(room * gram.columns());
        Self { gram, room, data, held, ages, clock: 0, evaluated: 0, exact }
    }

    /// Rows that there is room for.
    pub fn room(&self) -> usize {
        self.room
    }

    /// How many rows have been evaluated so far.
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// The matrix itself.
    pub fn gram(&self) -> &Gram<'a> {
        &self.gram
    }

    /// Row `i`, which must be one of the matrix.
    pub fn row(&mut self, i: usize) -> &[T] {
        let (place, columns) = (self.place(i), self.gram.columns());
        &self.data[place * columns..(place + 1) * columns]
    }

    /// Two rows at once.
    pub fn pair(&mut self, i: usize, j: usize) -> [&[T]; 2] {
        let (places, columns) = ([self.place(i), self.place(j)], self.gram.columns());
        places.map(|place| &self.data[place * columns..(place + 1) * columns])
    }

    /// Sees to it that these rows, no more than there is room for, are all there at once; those that are not yet are
    /// evaluated together on all threads.
    pub(crate) fn hold(&mut self, rows: &[usize]) {
        let columns = self.gram.columns();
        // Those that are there become the latest first, so that none of them has to make room.
        let (there, missing): (Vec<usize>, Vec<usize>) = rows.iter().partition(|i| self.held.contains_key(i));
        for i in there {
            self.place(i);
        }
        let mut places: Vec<(usize, usize)> = Vec::with_capacity(missing.len());
        for i in missing {
            if !self.held.contains_key(&i) {
                let place = self.make_room();
                self.note(i, place);
                places.push((place, i));
            }
        }
        places.sort_unstable();
        self.evaluated += places.len();
        let (mut slots, mut rest, mut start) = (Vec::with_capacity(places.len()), &mut self.data[..], 0);
        for (place, i) in places {
            let (_, from) = rest.split_at_mut((place - start) * columns);
            let (row, after) = from.split_at_mut(columns);
            slots.push((i, row));
            (rest, start) = (after, place + 1);
        }
        self.gram.fill(&mut slots);
    }

    /// Row `i` if it is there.
    pub(crate) fn get(&self, i: usize) -> Option<&[T]> {
        let (place, columns) = (self.held.get(&i)?.0, self.gram.columns());
        Some(&self.data[place * columns..(place + 1) * columns])
    }

    /// Where row `i` stands once it is there.
    fn place(&mut self, i: usize) -> usize {
        let columns = self.gram.columns();
        let place = match self.held.get(&i) {
            Some(&(place, asked)) => {
                self.ages.remove(&asked);
                place
            }
            None => {
                let place = self.make_room();
                self.gram.row(i, &mut self.exact);
                self.evaluated += 1;
                let to = &mut self.data[place * columns..(place + 1) * columns];
                to.iter_mut().zip(&self.exact).for_each(|(to, from)| *to = T::from_f64(*from));
                place
            }
        };
        self.note(i, place);
        place
    }

    /// Remembers that row `i` stands at a place and was asked for just now.
    fn note(&mut self, i: usize, place: usize) {
        self.clock += 1;
        self.held.insert(i, (place, self.clock));
        self.ages.insert(self.clock, i);
    }

    /// A place for one more row: a new one, or that of the row not asked for the longest.
    fn make_room(&mut self) -> usize {
        if self.held.len() >= self.room
            && let Some((_, oldest)) = self.ages.pop_first()
            && let Some((place, _)) = self.held.remove(&oldest)
        {
            return place;
        }
        self.held.len()
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
                prop_assert!(cache.data.len() <= cache.room() * 12);
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
