//! What a fit will take, told before it begins.

use crate::error::Result;
use groat_linalg::{View, ViewMut, Write, product};
use std::time::Instant;

/// Side of the product that the machine's speed is measured with.
const SIDE: usize = 512;
/// Times that it is measured; the quickest counts.
const TIMES: usize = 3;

/// What a fit takes, as far as its sizes tell. Choices such as a width are counted in where they are left to the method.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Bytes besides the data.
    pub bytes: u64,
    /// Multiplications, in the time that a matrix product takes for one.
    pub work: f64,
    /// How the equations are solved, in words.
    pub solver: String,
}

impl Estimate {
    /// So many bytes and multiplications by a solver.
    pub fn new(bytes: u64, work: f64, solver: impl Into<String>) -> Self {
        Self { bytes, work, solver: solver.into() }
    }

    /// Seconds on this machine, as busy as it is now: a matrix product of a few milliseconds tells its speed.
    pub fn seconds(&self) -> Result<f64> {
        let a: Vec<f64> = (0..SIDE * SIDE).map(|i| (i % 17) as f64).collect();
        let mut out = vec![0.0; SIDE * SIDE];
        let mut quickest = f64::INFINITY;
        for _ in 0..TIMES {
            let started = Instant::now();
            let view = View::row_major(&a, SIDE, SIDE)?;
            product(1.0, view, view, Write::Replace, ViewMut::row_major(&mut out, SIDE, SIDE)?)?;
            quickest = quickest.min(started.elapsed().as_secs_f64());
        }
        Ok(self.work * quickest / (SIDE as f64).powi(3))
    }
}
