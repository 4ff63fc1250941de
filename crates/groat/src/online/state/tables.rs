//! Per-vector tables that make the costs of report 836 cheap: each vector's nearest neighbour, and the
//! sum of squares of its row of the Gram matrix.
//!
//! Both are kept up to date in `O(m)` when a vector enters, from the row of kernel values that is there
//! anyway. A removal costs one kernel row, and one more for each vector whose neighbour left.

use super::dictionary::Dictionary;
use serde::{Deserialize, Serialize};

/// For each vector the largest coherence with another one, and with which.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Neighbours {
    /// Largest coherence of each vector with another; 0 when it is alone.
    pub coherence: Vec<f64>,
    /// The index of that other vector.
    pub who: Vec<usize>,
}

impl Neighbours {
    /// Takes in the vector that was just appended, with kernel values `k` to the others.
    pub fn push(&mut self, dictionary: &Dictionary, k: &[f64], kxx: f64) {
        let new = self.coherence.len();
        let (mut best, mut with) = (0.0, 0);
        for (i, k) in k.iter().enumerate() {
            let rho = dictionary.coherence(i, *k, kxx);
            if rho > self.coherence[i] || i == 0 && new == 1 {
                (self.coherence[i], self.who[i]) = (rho, new);
            }
            if rho > best {
                (best, with) = (rho, i);
            }
        }
        self.coherence.push(best);
        self.who.push(with);
    }

    /// Follows the removal of vector `r`, which has already left the dictionary.
    pub fn remove(&mut self, dictionary: &Dictionary, r: usize, scratch: &mut Rows) {
        self.coherence.remove(r);
        self.who.remove(r);
        for i in 0..self.who.len() {
            if self.who[i] == r {
                (self.coherence[i], self.who[i]) = scan(dictionary, i, scratch);
            } else if self.who[i] > r {
                self.who[i] -= 1;
            }
        }
    }

    /// The most coherent pair, older first; `None` below two vectors.
    pub fn pair(&self) -> Option<(usize, usize)> {
        if self.who.len() < 2 {
            return None;
        }
        let mut at = 0;
        for i in 1..self.who.len() {
            if self.coherence[i] > self.coherence[at] {
                at = i;
            }
        }
        let other = self.who[at];
        Some((at.min(other), at.max(other)))
    }

    /// The coherence of the dictionary, (9) of Pothin and Richard.
    pub fn largest(&self) -> f64 {
        self.coherence.iter().copied().fold(0.0, f64::max)
    }

    /// True when lengths and indices fit `order` vectors.
    pub fn fits(&self, order: usize) -> bool {
        self.coherence.len() == order
            && self.who.len() == order
            && self.who.iter().all(|i| *i < order.max(1))
            && self.coherence.iter().all(|v| v.is_finite())
    }
}

/// Scratch space: one vector and one row of kernel values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    x: Vec<f64>,
    k: Vec<f64>,
}

impl Rows {
    /// The kernel values of vector `i` with all vectors.
    pub fn of<'a>(&'a mut self, dictionary: &Dictionary, i: usize) -> &'a mut [f64] {
        self.x.resize(dictionary.centres().dim(), 0.0);
        self.k.resize(dictionary.len(), 0.0);
        dictionary.centres().copy_to(i, &mut self.x);
        dictionary.row(&self.x, &mut self.k);
        &mut self.k
    }
}

/// The nearest neighbour of vector `i`, from scratch.
fn scan(dictionary: &Dictionary, i: usize, scratch: &mut Rows) -> (f64, usize) {
    let k = scratch.of(dictionary, i);
    // Kernel values can underflow to 0; a vector is still not its own neighbour.
    let (mut best, mut with) = (0.0, usize::from(i == 0 && k.len() > 1));
    for (j, k) in k.iter().enumerate() {
        let rho = dictionary.coherence(j, *k, dictionary.diagonal(i));
        if j != i && rho > best {
            (best, with) = (rho, j);
        }
    }
    (best, with)
}

/// For each vector `sum_(j != i) k_ij^2`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Energy {
    /// The sums.
    pub squares: Vec<f64>,
}

impl Energy {
    /// Takes in the vector that was just appended.
    pub fn push(&mut self, k: &[f64]) {
        for (to, k) in self.squares.iter_mut().zip(k) {
            *to += k * k;
        }
        self.squares.push(k.iter().map(|k| k * k).sum());
    }

    /// Follows the removal of vector `r`, which is still in the dictionary.
    pub fn remove(&mut self, dictionary: &Dictionary, r: usize, scratch: &mut Rows) {
        let k = scratch.of(dictionary, r);
        for (to, k) in self.squares.iter_mut().zip(k) {
            *to = (*to - *k * *k).max(0.0);
        }
        self.squares.remove(r);
    }
}
