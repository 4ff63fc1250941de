//! Numbers that begin where a cache line does.

use std::ops::{Deref, DerefMut};

/// Doubles in a cache line.
const LINE: usize = 8;

/// A list of numbers that begins at a cache line, so that eight of them are read from one line and not from two.
#[derive(Debug, Default)]
pub(crate) struct Aligned {
    room: Vec<f64>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// Makes room for `n` numbers and for those that make the last eight whole; what they are is not said. What
    /// writes eight at a time can then do so to the end; [`truncate`](Self::truncate) takes the surplus away.
    pub fn make_room(&mut self, n: usize) {
        let whole = n.next_multiple_of(LINE);
        self.reserve(whole);
        self.len = whole;
    }

    /// Appends a number.
    pub fn push(&mut self, value: f64) {
        self.reserve(self.len + 1);
        self.room[self.start + self.len] = value;
        self.len += 1;
    }

    fn reserve(&mut self, n: usize) {
        if self.start + n > self.room.len() {
            let mut room = vec![0.0; 2 * n + LINE];
            // Where the address cannot be known, the start is as good as any.
            let start = room.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
            room[start..start + self.len].copy_from_slice(self);
            (self.room, self.start) = (room, start);
        }
    }

    /// Cuts what is beyond `n`.
    pub fn truncate(&mut self, n: usize) {
        self.len = self.len.min(n);
    }

    /// Takes number `i` out and closes the gap.
    pub fn remove(&mut self, i: usize) -> f64 {
        let value = self[i];
        self.copy_within(i + 1.., i);
        self.len -= 1;
        value
    }
}

impl Deref for Aligned {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.room[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.room[self.start..self.start + self.len]
    }
}

/// The same numbers at an address of their own.
impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.make_room(self.len);
        copy.truncate(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_at_a_line_however_it_grows() {
        let mut list = Aligned::default();
        assert!(list.is_empty());
        for n in [3usize, 8, 9, 40, 7, 100, 1000] {
            list.make_room(n);
            assert_eq!(list.len(), n.next_multiple_of(8));
            assert_eq!(list.as_ptr() as usize % 64, 0);
            list.truncate(n);
            list.iter_mut().enumerate().for_each(|(i, v)| *v = i as f64);
            let copy = list.clone();
            assert_eq!((&copy[..], copy.as_ptr() as usize % 64), (&list[..], 0));
            list.push(n as f64);
            assert_eq!((list.len(), list[n - 1], list[n]), (n + 1, (n - 1) as f64, n as f64));
            assert_eq!(list.as_ptr() as usize % 64, 0);
            list.truncate(n);
            assert_eq!(list.remove(1), 1.0);
            assert_eq!((list.len(), list[1], list[n - 2]), (n - 1, 2.0, (n - 1) as f64));
        }
    }
}
