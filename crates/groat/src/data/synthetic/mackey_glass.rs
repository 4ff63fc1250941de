//! The Mackey-Glass delay equation `x' = 0.2 x(t-D) / (1 + x(t-D)^10) - 0.1 x`.

use super::{Generator, Setting, add_noise, noise, numeric_table};

/// How the equation is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Explicit Euler.
    Euler,
    /// Fourth-order Runge-Kutta; the delayed value at the half step is the mean of its neighbours.
    RungeKutta,
}

/// A sampled solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MackeyGlass {
    /// The delay `D`.
    pub delay: f64,
    /// The constant value for `t <= 0`.
    pub history: f64,
    /// Step of the integrator; the delay and the sampling time are rounded to whole steps.
    pub step: f64,
    /// Time between samples.
    pub sampling: f64,
    /// Samples dropped at the start.
    pub dropped: usize,
    /// The integrator.
    pub integrator: Integrator,
}

impl Default for MackeyGlass {
    fn default() -> Self {
        Self {
            delay: 30.0,
            history: 1.2,
            step: 0.05,
            sampling: 6.0,
            dropped: 200,
            integrator: Integrator::RungeKutta,
        }
    }
}

impl MackeyGlass {
    /// `n` samples of the solution, the first after `dropped` sampling times.
    pub fn series(&self, n: usize) -> Vec<f64> {
        let steps = |time: f64| ((time / self.step).round() as usize).max(1);
        let (delay, between) = (steps(self.delay), steps(self.sampling));
        // A ring of the last `delay + 1` values; the oldest is x(t - D), the one after it x(t - D + h).
        let mut past = vec![self.history; delay + 1];
        let mut now = 0;
        let mut series = Vec::with_capacity(n);
        let mut sample = 0;
        while series.len() < n {
            if sample >= self.dropped {
                series.push(past[now]);
            }
            for _ in 0..between {
                let oldest = (now + 1) % (delay + 1);
                let next = self.advance(past[now], past[oldest], past[(oldest + 1) % (delay + 1)]);
                past[oldest] = next;
                now = oldest;
            }
            sample += 1;
        }
        series
    }

    /// One step from `x`, with the delayed value at its start and at its end.
    fn advance(&self, x: f64, delayed: f64, delayed_end: f64) -> f64 {
        let h = self.step;
        // `powf` rounds once where `powi` rounds at every product: the solution is chaotic, so the last
        // digit decides whether series of different programs stay together.
        let slope = |x: f64, delayed: f64| 0.2 * delayed / (1.0 + delayed.powf(10.0)) - 0.1 * x;
        match self.integrator {
            Integrator::Euler => x + h * slope(x, delayed),
            Integrator::RungeKutta => {
                let middle = 0.5 * (delayed + delayed_end);
                let k1 = slope(x, delayed);
                let k2 = slope(x + 0.5 * h * k1, middle);
                let k3 = slope(x + 0.5 * h * k2, middle);
                let k4 = slope(x + h * k3, delayed_end);
                x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            }
        }
    }
}

pub(super) const GENERATOR: Generator = Generator {
    name: "mackey-glass",
    about: "the Mackey-Glass chaotic series (B13); predict it with a time embedding",
    settings: &[
        Setting { name: "delay", default: 30.0, range: (0.1, 1e3), about: "delay of the equation" },
        Setting { name: "history", default: 1.2, range: (0.0, 10.0), about: "value before the start" },
        Setting { name: "step", default: 0.05, range: (1e-3, 1.0), about: "step of the integrator" },
        Setting { name: "sampling", default: 6.0, range: (1e-3, 1e3), about: "time between samples" },
        Setting { name: "dropped", default: 200.0, range: (0.0, 1e6), about: "samples dropped at the start" },
        Setting {
            name: "euler",
            default: 0.0,
            range: (0.0, 1.0),
            about: "1 for Euler steps, else Runge-Kutta",
        },
        noise(0.0),
    ],
    rows: 1000,
    make: |settings, rows, random| {
        let family = MackeyGlass {
            delay: settings.get("delay"),
            history: settings.get("history"),
            step: settings.get("step"),
            sampling: settings.get("sampling"),
            dropped: settings.count("dropped"),
            integrator: match settings.get("euler") {
                0.0 => Integrator::RungeKutta,
                _ => Integrator::Euler,
            },
        };
        let mut y = family.series(rows);
        add_noise(&mut y, settings.get("noise"), random);
        numeric_table([("y", y)])
    },
};
