//! What an error costs, and the best value of one dual variable while the others stay.
//!
//! The dual coefficient `b_i` of a row enters the model as `w = sum_i b_i x_i`. With `q = |x_i|^2` and `f` the present
//! answer, each function gives the new coefficient and by how much the old one missed the conditions of a solution.

/// What an error costs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LinearLoss {
    /// `max(0, 1 - y f)`: the linear support vector machine.
    Hinge,
    /// Its square.
    SquaredHinge,
    /// `log(1 + exp(-y f))`: logistic regression.
    Logistic,
    /// `max(0, |y - f| - epsilon)`: linear support vector regression.
    Epsilon,
}

/// How near to its bend a loss counts as bent, in units of the answer.
const BEND: f64 = 1e-2;

/// One row as the update sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    /// -1 or +1, or a number.
    pub y: f64,
    /// Its cost, above 0.
    pub cost: f64,
    pub square: f64,
    /// The present coefficient and answer.
    pub beta: f64,
    pub f: f64,
}

/// What an update comes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    pub beta: f64,
    /// The slope of the objective along the variable, 0 where a bound holds it.
    pub violation: f64,
    /// By how much the slope presses against the bound at which the variable stands; 0 for one that is free.
    pub pressed: f64,
}

impl LinearLoss {
    /// The coefficient to start from.
    pub(super) fn start(self, y: f64, cost: f64) -> f64 {
        match self {
            // Within its bounds, where the entropy has a slope.
            LinearLoss::Logistic => y * (1e-3 * cost).min(1e-8),
            _ => 0.0,
        }
    }

    /// The coefficient that the answer `f` asks for: how steeply the loss falls there. Where it bends, within [`BEND`], the
    /// slopes of both sides are mixed.
    pub(super) fn slope(self, y: f64, cost: f64, f: f64, epsilon: f64) -> f64 {
        let share = |beyond: f64| (beyond / BEND + 0.5).clamp(0.0, 1.0);
        match self {
            LinearLoss::Hinge => y * cost * share(1.0 - y * f),
            LinearLoss::SquaredHinge => y * 2.0 * cost * (1.0 - y * f).max(0.0),
            LinearLoss::Logistic => y * cost * (1.0 / (1.0 + (y * f).exp())).clamp(1e-12, 1.0 - 1e-12),
            LinearLoss::Epsilon => cost * (share(y - f - epsilon) - share(f - y - epsilon)),
        }
    }

    /// The best coefficient of one row while the others stay.
    pub(super) fn update(self, row: Single, epsilon: f64) -> Update {
        match self {
            LinearLoss::Hinge => margin(row, row.cost, 0.0),
            LinearLoss::SquaredHinge => margin(row, f64::INFINITY, 0.5 / row.cost),
            LinearLoss::Logistic => logistic(row),
            LinearLoss::Epsilon => tube(row, epsilon),
        }
    }

    /// What an answer costs, for a row of cost 1.
    pub(super) fn loss(self, y: f64, f: f64, epsilon: f64) -> f64 {
        match self {
            LinearLoss::Hinge => (1.0 - y * f).max(0.0),
            LinearLoss::SquaredHinge => (1.0 - y * f).max(0.0).powi(2),
            LinearLoss::Logistic => (-y * f).max(0.0) + (-(y * f).abs()).exp().ln_1p(),
            LinearLoss::Epsilon => ((y - f).abs() - epsilon).max(0.0),
        }
    }

    /// What a coefficient adds to the dual objective, besides `-|w|^2 / 2`.
    pub(super) fn conjugate(self, y: f64, cost: f64, beta: f64, epsilon: f64) -> f64 {
        let a = y * beta;
        let entropy = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        match self {
            LinearLoss::Hinge => a,
            LinearLoss::SquaredHinge => a - a * a / (4.0 * cost),
            LinearLoss::Logistic => -cost * (entropy(a / cost) + entropy(1.0 - a / cost)),
            LinearLoss::Epsilon => y * beta - epsilon * beta.abs(),
        }
    }
}

/// Hsieh et al. 2008: `a = y b` between 0 and `most`, `more` on the diagonal.
fn margin(row: Single, most: f64, more: f64) -> Update {
    let a = row.y * row.beta;
    let slope = row.y * row.f - 1.0 + more * a;
    let new = (a - slope / (row.square + more)).clamp(0.0, most);
    let (violation, pressed) = match () {
        () if a <= 0.0 => (slope.min(0.0), slope.max(0.0)),
        () if a >= most => (slope.max(0.0), -slope.min(0.0)),
        () => (slope, 0.0),
    };
    Update { beta: row.y * new, violation: violation.abs(), pressed }
}

/// Ho and Lin 2012: `b` between `-cost` and `cost`, with `epsilon |b|` in the objective.
fn tube(row: Single, epsilon: f64) -> Update {
    let (slope, b, q) = (row.f - row.y, row.beta, row.square);
    let (above, below) = (slope + epsilon, slope - epsilon);
    let wanted = match () {
        () if above < q * b => b - above / q,
        () if below > q * b => b - below / q,
        () => 0.0,
    };
    let new = wanted.clamp(-row.cost, row.cost);
    let (violation, pressed) = match () {
        () if b == 0.0 => ((-above).max(below).max(0.0), above.min(-below).max(0.0)),
        () if b >= row.cost => (above.max(0.0), (-above).max(0.0)),
        () if b <= -row.cost => ((-below).max(0.0), below.max(0.0)),
        () if b > 0.0 => (above.abs(), 0.0),
        () => (below.abs(), 0.0),
    };
    Update { beta: new, violation, pressed }
}

/// Yu, Huang and Lin 2011, with `a = cost / (1 + exp(-t))`: the slope `q (a - a_0) + y f + t` rises with `t` at least as
/// fast as `t` itself, so that Newton's steps between two bounds find its zero safely.
fn logistic(row: Single) -> Update {
    let (a, q, cost) = (row.y * row.beta, row.square, row.cost);
    let margin = row.y * row.f;
    let share = |t: f64| 1.0 / (1.0 + (-t).exp());
    let (mut low, mut high) = (-margin - q * (cost - a), -margin + q * a);
    let mut t = (a / cost).ln() - (1.0 - a / cost).ln();
    for _ in 0..50 {
        if !(t > low && t < high) {
            t = (low + high) / 2.0;
        }
        let p = share(t);
        let slope = q * (cost * p - a) + margin + t;
        if slope > 0.0 {
            high = t
        } else {
            low = t
        }
        let step = slope / (q * cost * p * (1.0 - p) + 1.0);
        t -= step;
        if step.abs() <= 1e-13 * (1.0 + t.abs()) {
            break;
        }
    }
    let violation = (a / cost - share(-margin)).abs();
    Update { beta: row.y * cost * share(t), violation, pressed: 0.0 }
}
