//! The two nonlinear series of document 004 (E6).

use std::f64::consts::PI;

use rand_pcg::Pcg64;

use super::{Generator, Setting, add_noise, noise, normal, numeric_table};

/// `y_t = (0.8 - 0.5 e) y_{t-1} - (0.3 + 0.9 e) y_{t-2} + 0.1 sin(pi y_{t-1})`, `e = exp(-y_{t-1}^2)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PothinFirst {
    /// `y_1` and `y_2`.
    pub start: [f64; 2],
}

impl Default for PothinFirst {
    fn default() -> Self {
        Self { start: [0.1, 0.1] }
    }
}

impl PothinFirst {
    /// The first `n` values, the two starting ones included.
    pub fn series(&self, n: usize) -> Vec<f64> {
        let [mut before, mut last] = self.start;
        let mut series = Vec::with_capacity(n);
        for _ in 0..n {
            series.push(before);
            let e = (-last * last).exp();
            let next = (0.8 - 0.5 * e) * last - (0.3 + 0.9 * e) * before + 0.1 * (PI * last).sin();
            (before, last) = (last, next);
        }
        series
    }
}

/// `y_t = 0.5 y_{t-1} + 0.3 y_{t-1} u_t + 0.2 u_t + 0.05 y_{t-1}^2 + 0.6 u_t^2`, seen through noise.
///
/// From `y_1 = 10`, an unstable fixed point, about half of the trajectories diverge; such a one is
/// thrown away as soon as it exceeds 1000, and another is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PothinSecond {
    /// `y_1`.
    pub start: f64,
    /// Standard deviation of the input `u`; its variance is 0.1.
    pub input: f64,
    /// Standard deviation of the observation noise; its variance is 0.05.
    pub noise: f64,
}

impl Default for PothinSecond {
    fn default() -> Self {
        Self { start: 10.0, input: 0.1_f64.sqrt(), noise: 0.05_f64.sqrt() }
    }
}

impl PothinSecond {
    /// Trajectories tried before one that may diverge is cut at the bound instead.
    const TRIES: usize = 1000;
    /// Where a trajectory counts as diverged.
    const BOUND: f64 = 1e3;

    /// `n` inputs and observed outputs.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> (Vec<f64>, Vec<f64>) {
        let mut attempt = self.trajectory(n, random);
        for _ in 1..Self::TRIES {
            if attempt.1.iter().all(|y| y.abs() < Self::BOUND) {
                break;
            }
            attempt = self.trajectory(n, random);
        }
        let (u, mut y) = attempt;
        add_noise(&mut y, self.noise, random);
        (u, y)
    }

    fn trajectory(&self, n: usize, random: &mut Pcg64) -> (Vec<f64>, Vec<f64>) {
        let (mut inputs, mut outputs) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut y = self.start;
        for t in 0..n {
            let u = self.input * normal(random);
            if t > 0 {
                y = 0.5 * y + 0.3 * y * u + 0.2 * u + 0.05 * y * y + 0.6 * u * u;
                y = y.clamp(-Self::BOUND, Self::BOUND);
            }
            inputs.push(u);
            outputs.push(y);
        }
        (inputs, outputs)
    }
}

pub(super) const FIRST: Generator = Generator {
    name: "pothin-1",
    about: "the first benchmark series of E6; predict it from two lags",
    settings: &[noise(0.0)],
    rows: 302,
    make: |settings, rows, random| {
        let mut y = PothinFirst::default().series(rows);
        add_noise(&mut y, settings.get("noise"), random);
        numeric_table([("y", y)])
    },
};

pub(super) const SECOND: Generator = Generator {
    name: "pothin-2",
    about: "the second benchmark of E6: input and observed output of a quadratic recursion",
    settings: &[
        Setting { name: "start", default: 10.0, range: (-10.0, 10.0), about: "first value" },
        noise(0.223_606_797_749_978_97),
    ],
    rows: 230,
    make: |settings, rows, random| {
        let family = PothinSecond {
            start: settings.get("start"),
            noise: settings.get("noise"),
            ..PothinSecond::default()
        };
        let (u, y) = family.samples(rows, random);
        numeric_table([("u", u), ("y", y)])
    },
};
