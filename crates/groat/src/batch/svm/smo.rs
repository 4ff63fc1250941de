//! Sequential minimal optimisation of a few variables whose kernel block is at hand.
//!
//! Each step changes two variables: the one that violates the conditions of a solution most, and the partner that lowers
//! the objective most to second order (Fan, Chen, Lin 2005). Variables that stand firmly at a bound are left out of the
//! scans from time to time (shrinking) and looked at again before the end.

/// A curvature that is not positive is taken for this.
const FLAT: f64 = 1e-12;
/// Steps between two looks at what can be left out.
const SHRINK_EVERY: usize = 1000;

/// The variables of a block.
pub(super) struct Block {
    /// `k(i, j)`, row by row.
    pub kernel: Vec<f64>,
    pub sign: Vec<f64>,
    pub upper: Vec<f64>,
    pub alpha: Vec<f64>,
    /// `e` of every variable.
    pub error: Vec<f64>,
    /// Group whose sum is kept.
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
}

impl Block {
    /// Steps until the violation within the block is at most `tolerance`.
    pub(super) fn solve(&mut self, tolerance: f64, most: u64) -> Outcome {
        let mut active: Vec<usize> = (0..self.alpha.len()).collect();
        let (mut steps, mut next_look, mut stuck) = (0, SHRINK_EVERY as u64, false);
        while steps < most {
            if steps >= next_look {
                next_look = steps + SHRINK_EVERY as u64;
                self.shrink(&mut active);
            }
            let Some(pair) = self.select(&active, tolerance) else {
                if active.len() == self.alpha.len() {
                    break;
                }
                // What was left out has had its errors kept, so that it can come back as it is.
                active = (0..self.alpha.len()).collect();
                continue;
            };
            if !self.step(&pair) {
                stuck = true;
                break;
            }
            steps += 1;
        }
        Outcome { steps, stuck }
    }

    fn is_up(&self, v: usize) -> bool {
        if self.sign[v] > 0.0 { self.alpha[v] < self.upper[v] } else { self.alpha[v] > 0.0 }
    }

    fn is_low(&self, v: usize) -> bool {
        if self.sign[v] > 0.0 { self.alpha[v] > 0.0 } else { self.alpha[v] < self.upper[v] }
    }

    /// The pair of the next step, unless the violation is within the tolerance.
    fn select(&self, active: &[usize], tolerance: f64) -> Option<Pair> {
        let mut first = [usize::MAX; 2];
        let (mut least, mut largest) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for &v in active {
            let (e, g) = (self.error[v], self.group[v]);
            if self.is_up(v) && e < least[g] {
                (least[g], first[g]) = (e, v);
            }
            if self.is_low(v) && e > largest[g] {
                largest[g] = e;
            }
        }
        let violates = [0, 1].map(|g| largest[g] - least[g] > tolerance);
        if !violates[0] && !violates[1] {
            return None;
        }
        let n = self.alpha.len();
        let row = |g: usize| if violates[g] { &self.kernel[first[g] * n..(first[g] + 1) * n] } else { &[] };
        let (rows, own) = ([row(0), row(1)], first.map(|i| self.kernel.get(i.wrapping_mul(n + 1)).copied()));
        let mut best = (0.0, None);
        for &v in active {
            let g = self.group[v];
            let apart = self.error[v] - least[g];
            if apart > 0.0 && violates[g] && self.is_low(v) {
                let curvature = own[g].unwrap_or(0.0) + self.kernel[v * (n + 1)] - 2.0 * rows[g][v];
                let gain = apart * apart / curvature.max(FLAT);
                if gain > best.0 {
                    best = (gain, Some(Pair { up: first[g], low: v }));
                }
            }
        }
        best.1
    }

    /// Moves the pair as far as lowers the objective; false when that changes nothing.
    fn step(&mut self, &Pair { up: i, low: j }: &Pair) -> bool {
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
        crate::gram::loops::add_rows(&[first, second], &[step, -step], &mut self.error);
        (self.alpha[i], self.alpha[j]) != before
    }

    /// Leaves out variables at a bound that the present extremes would only press further against it.
    fn shrink(&self, active: &mut Vec<usize>) {
        let (mut least, mut largest) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for &v in active.iter() {
            let (e, g) = (self.error[v], self.group[v]);
            if self.is_up(v) {
                least[g] = least[g].min(e);
            }
            if self.is_low(v) {
                largest[g] = largest[g].max(e);
            }
        }
        active.retain(|&v| {
            let (e, g) = (self.error[v], self.group[v]);
            match (self.is_up(v), self.is_low(v)) {
                (true, false) => e <= largest[g],
                (false, true) => e >= least[g],
                (both, _) => both,
            }
        });
    }
}
