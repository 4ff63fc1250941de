//! Which rows of a matrix are held, where, and in which order they were asked for.

use std::collections::{BTreeMap, HashMap};

/// Rows by number that stand in so many places: when a further one is asked for, it takes the place of the one that
/// was not asked for the longest. What stands in the places is the caller's.
#[derive(Debug)]
pub(super) struct Latest {
    room: usize,
    /// Where a row stands, and when it was asked for.
    held: HashMap<usize, (usize, u64)>,
    /// The rows held, by the time when they were asked for.
    ages: BTreeMap<u64, usize>,
    clock: u64,
}

impl Latest {
    /// Room for so many rows, at least two.
    pub(super) fn new(room: usize) -> Self {
        Self { room: room.max(2), held: HashMap::new(), ages: BTreeMap::new(), clock: 0 }
    }

    /// Room for as many rows of so many bytes as `bytes` allow, at least two and at most `all`.
    pub(super) fn within(bytes: u64, row: u64, all: usize) -> Self {
        Self::new(room(bytes, row, all))
    }

    /// Rows that there is room for.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// From now on there is more room.
    pub(super) fn widen(&mut self, room: usize) {
        self.room = self.room.max(room);
    }

    /// How many rows are held; they stand in the first places.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Where row `i` stands, if it is held.
    pub(super) fn place(&self, i: usize) -> Option<usize> {
        self.held.get(&i).map(|&(place, _)| place)
    }

    /// Makes these rows, no more than there is room for, the latest. Those that were not held are returned with their
    /// places, in the order of the places: they have to be filled.
    pub(super) fn take(&mut self, rows: &[usize]) -> Vec<(usize, usize)> {
        // Those that are there become the latest first, so that none of them has to make room.
        let (there, missing): (Vec<usize>, Vec<usize>) = rows.iter().partition(|i| self.held.contains_key(i));
        for i in there {
            if let Some(&(place, asked)) = self.held.get(&i) {
                self.ages.remove(&asked);
                self.note(i, place);
            }
        }
        let mut places = Vec::with_capacity(missing.len());
        for i in missing {
            if !self.held.contains_key(&i) {
                let place = self.make_room();
                self.note(i, place);
                places.push((place, i));
            }
        }
        places.sort_unstable();
        places
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

/// How many rows of so many bytes there is room for: at least two, at most all.
pub(super) fn room(bytes: u64, row: u64, all: usize) -> usize {
    usize::try_from(bytes / row.max(1)).unwrap_or(usize::MAX).clamp(2, all.max(2))
}

/// The slices of `data`, rows of one length after each other, that belong to ascending places, each beside the number of
/// its row.
pub(super) fn slots<'d, T>(
    data: &'d mut [T],
    length: usize,
    places: &[(usize, usize)],
) -> Vec<(usize, &'d mut [T])> {
    let (mut rest, mut start) = (data, 0);
    let mut slots = Vec::with_capacity(places.len());
    for &(place, i) in places {
        let (_, from) = std::mem::take(&mut rest).split_at_mut((place - start) * length);
        let (row, after) = from.split_at_mut(length);
        slots.push((i, row));
        (rest, start) = (after, place + 1);
    }
    slots
}
