//! Sequential minimal optimisation of a few variables whose kernel block is at hand.
//!
//! Each step changes two variables: the one that violates the conditions of a solution most, and the partner that lowers
//! the objective most to second order (Fan, Chen, Lin 2005). A variable that may not be raised, or lowered, has infinity
//! added to its error, so that the scans over all variables need no branch.

use crate::gram::loops::add_rows;
use crate::simd::{Arithmetic, Eight, Number, multiversion};

/// A curvature that is not positive is taken for this.
const FLAT: f64 = 1e-12;
/// Variables that are compared before it is asked whether one of them was meant.
const LOOK: usize = 64;

/// The variables of a block.
pub(super) struct Block {
    /// `k(i, j)`, row by row.
    pub kernel: Vec<f64>,
    pub sign: Vec<f64>,
    pub upper: Vec<f64>,
    pub alpha: Vec<f64>,
    /// `e` of every variable.
    pub error: Vec<f64>,
    /// Group whose sum is kept, 0 or 1.
    pub group: Vec<usize>,
}

/// How a block came out.
pub(super) struct Outcome {
    pub steps: u64,
    /// True when a pair was left whose step is lost in rounding.
    pub stuck: bool,
}

/// The pair of a step, as places in the block.
struct Pair {
    up: usize,
    low: usize,
    gain: f64,
}

/// Who may move within a group whose sum is kept: 0 for those who may be raised (lowered), infinity for the others.
struct Bars {
    up: Vec<f64>,
    low: Vec<f64>,
}

/// What the scans read and write besides.
struct Scan {
    groups: Vec<Bars>,
    diagonal: Vec<f64>,
    gains: Vec<f64>,
}

impl Block {
    /// Steps until the violation within the block is at most `tolerance`.
    pub(super) fn solve(&mut self, tolerance: f64, most: u64) -> Outcome {
        let n = self.alpha.len();
        let groups = 1 + self.group.iter().max().copied().unwrap_or(0);
        let closed = || vec![f64::INFINITY; n];
        let mut scan = Scan {
            groups: (0..groups).map(|_| Bars { up: closed(), low: closed() }).collect(),
            diagonal: (0..n).map(|v| self.kernel[v * (n + 1)]).collect(),
            gains: vec![0.0; n],
        };
        (0..n).for_each(|v| self.mark(v, &mut scan));
        let mut steps = 0;
        while steps < most {
            let Some(pair) = self.select(&mut scan, tolerance) else { break };
            if !self.step(&pair) {
                return Outcome { steps, stuck: true };
            }
            self.mark(pair.up, &mut scan);
            self.mark(pair.low, &mut scan);
            steps += 1;
        }
        Outcome { steps, stuck: false }
    }

    /// Notes whether a variable may be raised and lowered.
    fn mark(&self, v: usize, scan: &mut Scan) {
        let (more, less) = (self.alpha[v] < self.upper[v], self.alpha[v] > 0.0);
        let (up, low) = if self.sign[v] > 0.0 { (more, less) } else { (less, more) };
        let bars = &mut scan.groups[self.group[v]];
        let bar = |open: bool| if open { 0.0 } else { f64::INFINITY };
        (bars.up[v], bars.low[v]) = (bar(up), bar(low));
    }

    /// The pair of the next step, unless the violation is within the tolerance.
    fn select(&self, scan: &mut Scan, tolerance: f64) -> Option<Pair> {
        let (n, mut best) = (self.alpha.len(), None::<Pair>);
        for bars in &scan.groups {
            let ([least, largest], up) = extremes(&self.error, &bars.up, &bars.low);
            let apart = largest - least;
            if apart <= tolerance || apart.is_nan() {
                continue;
            }
            let row = &self.kernel[up * n..(up + 1) * n];
            let from = [least, scan.diagonal[up]];
            let (gain, low) = gains(&self.error, &bars.low, row, &scan.diagonal, from, &mut scan.gains);
            if gain > best.as_ref().map_or(0.0, |best| best.gain) {
                best = Some(Pair { up, low, gain });
            }
        }
        best
    }

    /// Moves the pair as far as lowers the objective; false when that changes nothing.
    fn step(&mut self, &Pair { up: i, low: j, .. }: &Pair) -> bool {
        let n = self.alpha.len();
        let (own, other) = (self.kernel[i * (n + 1)], self.kernel[j * (n + 1)]);
        let curvature = (own + other - 2.0 * self.kernel[i * n + j]).max(FLAT);
        let room_up = if self.sign[i] > 0.0 { self.upper[i] - self.alpha[i] } else { self.alpha[i] };
        let room_down = if self.sign[j] > 0.0 { self.alpha[j] } else { self.upper[j] - self.alpha[j] };
        let wanted = (self.error[j] - self.error[i]) / curvature;
        let step = wanted.min(room_up).min(room_down);
        let before = (self.alpha[i], self.alpha[j]);
        // A bound that is reached is reached exactly.
        let moved =
            |alpha: f64, sign: f64, upper: f64, whole: bool, up: bool| match (whole, (sign > 0.0) == up) {
                (true, true) => upper,
                (true, false) => 0.0,
                (false, true) => (alpha + step).min(upper),
                (false, false) => (alpha - step).max(0.0),
            };
        self.alpha[i] = moved(self.alpha[i], self.sign[i], self.upper[i], step == room_up, true);
        self.alpha[j] = moved(self.alpha[j], self.sign[j], self.upper[j], step == room_down, false);
        let (first, second) = (&self.kernel[i * n..(i + 1) * n], &self.kernel[j * n..(j + 1) * n]);
        add_rows(&[first, second], &[step, -step], &mut self.error);
        (self.alpha[i], self.alpha[j]) != before
    }
}

#[inline(always)]
fn extremes_body<A: Arithmetic>(error: &[f64], up: &[f64], low: &[f64]) -> ([f64; 2], usize) {
    let (errors, rest) = error.as_chunks::<8>();
    let ((ups, up_rest), (lows, low_rest)) = (up.as_chunks::<8>(), low.as_chunks::<8>());
    let (mut least, mut largest) = (A::F64::splat(f64::INFINITY), A::F64::splat(f64::NEG_INFINITY));
    for ((e, up), low) in errors.iter().zip(ups).zip(lows) {
        let e = A::F64::load(e);
        least = least.min(e.add(A::F64::load(up)));
        largest = largest.max(e.sub(A::F64::load(low)));
    }
    let (mut smallest, mut greatest) = ([0.0; 8], [0.0; 8]);
    least.store(&mut smallest);
    largest.store(&mut greatest);
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    for k in 0..8 {
        ends = [ends[0].min(smallest[k]), ends[1].max(greatest[k])];
    }
    for ((e, up), low) in rest.iter().zip(up_rest).zip(low_rest) {
        ends = [ends[0].min(e + up), ends[1].max(e - low)];
    }
    for (start, (error, up)) in error.chunks(LOOK).zip(up.chunks(LOOK)).enumerate() {
        let mut found = false;
        for (e, up) in error.iter().zip(up) {
            found |= e + up == ends[0];
        }
        if found {
            let at = error.iter().zip(up).position(|(e, up)| e + up == ends[0]);
            return (ends, start * LOOK + at.unwrap_or(0));
        }
    }
    (ends, 0)
}
multiversion! {
    /// The least error of those who may be raised, the largest of those who may be lowered, and the first that has the
    /// least.
    fn extremes(error: &[f64], up: &[f64], low: &[f64]) -> ([f64; 2], usize) = extremes_body
}

#[inline(always)]
fn gains_body<A: Arithmetic>(
    error: &[f64],
    low: &[f64],
    row: &[f64],
    diagonal: &[f64],
    from: [f64; 2],
    out: &mut [f64],
) -> (f64, usize) {
    let n = out.len();
    let (error, low, row, diagonal) = (&error[..n], &low[..n], &row[..n], &diagonal[..n]);
    for k in 0..n {
        let apart = error[k] - from[0] - low[k];
        let apart = if apart > 0.0 { apart } else { 0.0 };
        let curvature = from[1] + diagonal[k] - 2.0 * row[k];
        let curvature = if curvature > FLAT { curvature } else { FLAT };
        out[k] = apart * apart / curvature;
    }
    let (eights, rest) = out.as_chunks::<8>();
    let mut most = A::F64::splat(0.0);
    for v in eights {
        most = most.max(A::F64::load(v));
    }
    let mut lanes = [0.0; 8];
    most.store(&mut lanes);
    let mut best: f64 = 0.0;
    for v in lanes.iter().chain(rest) {
        best = best.max(*v);
    }
    for (start, values) in out.chunks(LOOK).enumerate() {
        let mut found = false;
        for v in values {
            found |= *v == best;
        }
        if found {
            return (best, start * LOOK + values.iter().position(|v| *v == best).unwrap_or(0));
        }
    }
    (best, 0)
}
multiversion! {
    /// What a step between a variable of error `from[0]` and diagonal `from[1]`, whose kernel row is given, and each of
    /// those who may be lowered would gain; the largest of it, and who has that.
    fn gains(
        error: &[f64], low: &[f64], row: &[f64], diagonal: &[f64], from: [f64; 2], out: &mut [f64],
    ) -> (f64, usize) = gains_body
}
