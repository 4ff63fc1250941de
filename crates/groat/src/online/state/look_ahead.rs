//! Kernel values and images of the samples that come next.
//!
//! Where a dictionary has come to rest, what a sample is to it does not depend on the samples before. Rows that are
//! given all at once are therefore looked at two by two, so that the matrix is read half as often. A change of the
//! basis makes what was prepared worthless; a basis that has changed of late is not looked ahead for.

use super::dictionary::Dictionary;
use super::inverse::{InverseGram, Orthonormal};
use crate::matrix::Rows;
use crate::simd::Aligned;

/// What is known of the next samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct LookAhead {
    samples: Vec<Ahead>,
    next: usize,
    count: usize,
    /// [`InverseGram::changes`] when they were looked at.
    changes: u64,
}

/// One sample.
#[derive(Clone, Debug, Default)]
struct Ahead {
    k: Aligned,
    image: Aligned,
}

impl LookAhead {
    /// Looks at the next rows, if the basis is the same as at the last call.
    pub fn prepare(&mut self, dictionary: &Dictionary, basis: &mut InverseGram<Orthonormal>, x: Rows<'_>) {
        self.clear();
        let rests = self.changes == basis.changes();
        self.changes = basis.changes();
        if !rests || dictionary.len() == 0 {
            return;
        }
        self.count = x.rows() / 2 * 2;
        self.samples.resize_with(self.count.max(self.samples.len()), Ahead::default);
        for (sample, x) in self.samples.iter_mut().zip(x.iter()).take(self.count) {
            dictionary.row_into(x, &mut sample.k);
            sample.image.make_room(dictionary.len());
        }
        for pair in self.samples[..self.count].as_chunks_mut::<2>().0 {
            let [first, second] = pair;
            basis.see_two([&first.k, &second.k], [&mut first.image, &mut second.image]);
            pair.iter_mut().for_each(|sample| sample.image.truncate(dictionary.len()));
        }
    }

    /// Hands over kernel values and image of the next sample; false when they are not known.
    pub fn take(&mut self, changes: u64, k: &mut Aligned, image: &mut Aligned) -> bool {
        let at = self.next;
        self.next += 1;
        let known = at < self.count && changes == self.changes;
        if known {
            std::mem::swap(k, &mut self.samples[at].k);
            std::mem::swap(image, &mut self.samples[at].image);
        }
        known
    }

    /// Other samples come next.
    pub fn clear(&mut self) {
        (self.next, self.count) = (0, 0);
    }
}
