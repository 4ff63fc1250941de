//! A uniform sample of things that come one after the other, in any number.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Keeps `capacity` of the things it is offered, each choice of them being equally likely (Vitter 1985, algorithm R).
///
/// ```
/// use groat::data::Reservoir;
/// let mut reservoir = Reservoir::new(3, 1);
/// for row in 0..1000 {
///     reservoir.offer(|| row);
/// }
/// assert_eq!((reservoir.offered(), reservoir.into_kept().len()), (1000, 3));
/// ```
#[derive(Clone, Debug)]
pub struct Reservoir<T> {
    rng: Pcg64,
    capacity: usize,
    offered: usize,
    /// When it was offered, and what it is.
    kept: Vec<(usize, T)>,
}

impl<T> Reservoir<T> {
    /// Room for `capacity` things; the seed decides which stay.
    pub fn new(capacity: usize, seed: u64) -> Self {
        Self { rng: Pcg64::seed_from_u64(seed), capacity, offered: 0, kept: Vec::new() }
    }

    /// Offers a thing, which is made only if it is kept.
    pub fn offer(&mut self, make: impl FnOnce() -> T) {
        let turn = self.offered;
        self.offered += 1;
        if self.kept.len() < self.capacity {
            self.kept.push((turn, make()));
        } else if let Some(place) = self.kept.get_mut(self.rng.random_range(0..=turn)) {
            *place = (turn, make());
        }
    }

    /// How many were offered.
    pub fn offered(&self) -> usize {
        self.offered
    }

    /// What is kept at present, in no order.
    pub fn kept(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().map(|(_, thing)| thing)
    }

    /// What was kept, in the order of the offers, each with its number among them from 0.
    pub fn into_kept(mut self) -> Vec<(usize, T)> {
        self.kept.sort_unstable_by_key(|(turn, _)| *turn);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(offers: usize, seed: u64) -> Vec<(usize, usize)> {
        let mut reservoir = Reservoir::new(4, seed);
        (0..offers).for_each(|i| reservoir.offer(|| 10 * i));
        reservoir.into_kept()
    }

    #[test]
    fn few_are_kept_all_and_in_order() {
        assert_eq!(sample(3, 5), [(0, 0), (1, 10), (2, 20)]);
        let many = sample(100, 5);
        assert!(many.len() == 4 && many.is_sorted() && many.iter().all(|(turn, thing)| *thing == 10 * turn));
        assert_eq!(many, sample(100, 5));
        assert_ne!(many, sample(100, 6));
    }

    #[test]
    fn each_is_kept_equally_often() {
        let mut counts = [0; 20];
        for seed in 0..5000 {
            sample(20, seed).iter().for_each(|(turn, _)| counts[*turn] += 1);
        }
        // 1000 are expected of each, with deviation 28.
        assert!(counts.iter().all(|count| (870..1130).contains(count)), "{counts:?}");
    }
}
