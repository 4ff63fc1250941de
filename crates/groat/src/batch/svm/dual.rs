//! The one quadratic problem that every support vector machine here is a case of.
//!
//! Over variables `a_v` with a sign `s_v`, each belonging to a row of the data,
//!
//! ```text
//! minimise  1/2 b'K b + p'a     with  b_i = sum of s_v a_v over the variables of row i,
//! such that 0 <= a_v <= u_v  and  sum_v s_v a_v stays what it is,
//! ```
//!
//! in the nu forms separately for either sign. Only `f = K b`, one number per row, is carried along; the gradient of
//! variable `v` times its sign is `e_v = f_i + s_v p_v`. A variable may be raised in the direction of its sign while it
//! is in the upper set, lowered while in the lower one, and the solution is reached when no `e` of the lower set exceeds
//! one of the upper set (by more than the tolerance).

/// What is to be solved.
#[derive(Clone, Debug)]
pub(super) struct Dual {
    /// Rows of the data; variables beyond them belong to the rows once more.
    pub rows: usize,
    /// `s_v`, +1 or -1.
    pub sign: Vec<f64>,
    /// `p_v`.
    pub linear: Vec<f64>,
    /// `u_v`.
    pub upper: Vec<f64>,
    /// Whether the sum over each sign is kept by itself.
    pub by_sign: bool,
}

/// Values of the variables and what follows from them.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// `a_v`.
    pub alpha: Vec<f64>,
    /// `f = K b`.
    pub f: Vec<f64>,
}

/// Where the extremes of a group of variables stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extremes {
    /// The least `e` of the upper set.
    pub least_up: f64,
    /// The largest `e` of the lower set.
    pub largest_low: f64,
}

impl Default for Extremes {
    fn default() -> Self {
        Self { least_up: f64::INFINITY, largest_low: f64::NEG_INFINITY }
    }
}

impl Extremes {
    /// By how much the conditions of a solution are violated.
    pub(super) fn violation(&self) -> f64 {
        let gap = self.largest_low - self.least_up;
        if gap.is_finite() { gap.max(0.0) } else { 0.0 }
    }

    /// A value in the middle of what is possible.
    fn middle(&self) -> f64 {
        match (self.least_up.is_finite(), self.largest_low.is_finite()) {
            (true, true) => (self.least_up + self.largest_low) / 2.0,
            (true, false) => self.least_up,
            (false, true) => self.largest_low,
            (false, false) => 0.0,
        }
    }
}

impl Dual {
    /// The row that a variable belongs to.
    pub(super) fn row(&self, v: usize) -> usize {
        if v < self.rows { v } else { v - self.rows }
    }

    /// `e_v`.
    pub(super) fn error(&self, state: &State, v: usize) -> f64 {
        state.f[self.row(v)] + self.sign[v] * self.linear[v]
    }

    /// Whether a variable may be raised in the direction of its sign.
    pub(super) fn is_up(&self, state: &State, v: usize) -> bool {
        if self.sign[v] > 0.0 { state.alpha[v] < self.upper[v] } else { state.alpha[v] > 0.0 }
    }

    /// Whether it may be lowered.
    pub(super) fn is_low(&self, state: &State, v: usize) -> bool {
        if self.sign[v] > 0.0 { state.alpha[v] > 0.0 } else { state.alpha[v] < self.upper[v] }
    }

    /// The group whose sum is kept: 0 for all, or for -1; 1 for +1 in the nu forms.
    pub(super) fn group(&self, v: usize) -> usize {
        usize::from(self.by_sign && self.sign[v] > 0.0)
    }

    /// The extremes of both groups among these variables.
    pub(super) fn extremes(&self, state: &State, variables: impl Iterator<Item = usize>) -> [Extremes; 2] {
        let mut found = [Extremes::default(); 2];
        for v in variables {
            let (e, group) = (self.error(state, v), &mut found[self.group(v)]);
            if self.is_up(state, v) {
                group.least_up = group.least_up.min(e);
            }
            if self.is_low(state, v) {
                group.largest_low = group.largest_low.max(e);
            }
        }
        found
    }

    /// The value of `e` at which a group is in balance: the mean over its variables strictly within their bounds, or
    /// the middle of what is possible where there is none.
    pub(super) fn balance(&self, state: &State, group: usize) -> f64 {
        let free =
            |v: &usize| self.group(*v) == group && state.alpha[*v] > 0.0 && state.alpha[*v] < self.upper[*v];
        let (mut sum, mut count) = (0.0, 0.0);
        for v in (0..self.sign.len()).filter(free) {
            (sum, count) = (sum + self.error(state, v), count + 1.0);
        }
        if count > 0.0 { sum / count } else { self.extremes(state, 0..self.sign.len())[group].middle() }
    }

    /// `b`, one number per row.
    pub(super) fn coefficients(&self, alpha: &[f64]) -> Vec<f64> {
        let mut beta = vec![0.0; self.rows];
        for (v, a) in alpha.iter().enumerate() {
            beta[self.row(v)] += self.sign[v] * a;
        }
        beta
    }

    /// `1/2 b'K b + p'a`.
    pub(super) fn objective(&self, state: &State) -> f64 {
        self.half_square(state) + state.alpha.iter().zip(&self.linear).map(|(a, p)| a * p).sum::<f64>()
    }

    /// `1/2 b'K b`.
    fn half_square(&self, state: &State) -> f64 {
        let beta = self.coefficients(&state.alpha);
        beta.iter().zip(&state.f).map(|(b, f)| b * f).sum::<f64>() / 2.0
    }

    /// The objective that this one is the dual of, which the negative of [`objective`](Self::objective) bounds from below:
    /// `1/2 b'K b + sum_v u_v max(0, -s_v (e_v - m))  - sum over groups of m sum_v s_v a_v`, with the value `m` at which the
    /// group of `v` is in balance.
    pub(super) fn primal(&self, state: &State) -> f64 {
        let groups = 1 + usize::from(self.by_sign);
        let balances: Vec<f64> = (0..groups).map(|group| self.balance(state, group)).collect();
        let loss = |v: usize| {
            let (sign, balance) = (self.sign[v], balances[self.group(v)]);
            let beyond = (-sign * (self.error(state, v) - balance)).max(0.0);
            // A bound of 0 leaves nothing to lose, however far it is beyond.
            let lost = if self.upper[v] > 0.0 { self.upper[v] * beyond } else { 0.0 };
            lost - balance * sign * state.alpha[v]
        };
        self.half_square(state) + (0..self.sign.len()).map(loss).sum::<f64>()
    }
}
