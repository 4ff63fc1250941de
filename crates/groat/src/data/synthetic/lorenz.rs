//! The Lorenz system `x' = s (y - x)`, `y' = x (r - z) - y`, `z' = x y - b z`, its first coordinate sampled.

use super::{Generator, Setting, add_noise, noise, numeric_table};

/// A sampled solution, stepped by fourth-order Runge-Kutta.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lorenz {
    /// `s`.
    pub sigma: f64,
    /// `r`.
    pub rho: f64,
    /// `b`.
    pub beta: f64,
    /// Step of the integrator.
    pub step: f64,
    /// Steps between samples.
    pub every: usize,
    /// Samples dropped at the start.
    pub dropped: usize,
    /// Where it starts.
    pub start: [f64; 3],
}

impl Default for Lorenz {
    fn default() -> Self {
        Self { sigma: 10.0, rho: 28.0, beta: 8.0 / 3.0, step: 0.01, every: 1, dropped: 1000, start: [1.0; 3] }
    }
}

impl Lorenz {
    /// `n` samples of all three coordinates.
    pub fn trajectory(&self, n: usize) -> Vec<[f64; 3]> {
        let mut state = self.start;
        let mut samples = Vec::with_capacity(n);
        for sample in 0..self.dropped.saturating_add(n) {
            if sample >= self.dropped {
                samples.push(state);
            }
            (0..self.every.max(1)).for_each(|_| state = self.advance(state));
        }
        samples
    }

    fn slope(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [self.sigma * (y - x), x * (self.rho - z) - y, x * y - self.beta * z]
    }

    fn advance(&self, state: [f64; 3]) -> [f64; 3] {
        let h = self.step;
        let moved = |by: f64, k: [f64; 3]| std::array::from_fn(|i| state[i] + by * k[i]);
        let k1 = self.slope(state);
        let k2 = self.slope(moved(0.5 * h, k1));
        let k3 = self.slope(moved(0.5 * h, k2));
        let k4 = self.slope(moved(h, k3));
        std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    }
}

pub(super) const GENERATOR: Generator = Generator {
    name: "lorenz",
    about: "first coordinate of the Lorenz system (B13); predict it with a time embedding",
    settings: &[
        Setting { name: "step", default: 0.01, range: (1e-4, 0.02), about: "step of the integrator" },
        Setting { name: "every", default: 1.0, range: (1.0, 1e4), about: "steps between samples" },
        Setting {
            name: "dropped",
            default: 1000.0,
            range: (0.0, 1e6),
            about: "samples dropped at the start",
        },
        noise(0.0),
    ],
    rows: 10_000,
    make: |settings, rows, random| {
        let family = Lorenz {
            step: settings.get("step"),
            every: settings.count("every"),
            dropped: settings.count("dropped"),
            ..Lorenz::default()
        };
        let mut y: Vec<f64> = family.trajectory(rows).into_iter().map(|[x, _, _]| x).collect();
        add_noise(&mut y, settings.get("noise"), random);
        numeric_table([("y", y)])
    },
};
