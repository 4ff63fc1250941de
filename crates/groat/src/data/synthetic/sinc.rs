//! `f(x) = sin(pi x) / (pi x)` on an interval: the test function of document 000, (19).

use std::f64::consts::PI;

use rand_pcg::Pcg64;

use super::{Generator, Setting, add_noise, noise, numeric_table, uniform};

/// `sin(pi x) / (pi x)`.
pub fn sinc(x: f64) -> f64 {
    // Below this the quotient is 1 to working precision.
    if x.abs() < 1e-9 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

/// Samples of [`sinc`] on `[-reach, reach]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sinc {
    /// Half the length of the interval; 3 in document 000.
    pub reach: f64,
    /// Standard deviation of the noise on `y`; 0 in document 000.
    pub noise: f64,
    /// Equally spaced inputs instead of uniform random ones.
    pub equispaced: bool,
}

impl Default for Sinc {
    fn default() -> Self {
        Self { reach: 3.0, noise: 0.0, equispaced: false }
    }
}

impl Sinc {
    /// `n` inputs and their outputs.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = if self.equispaced {
            let last = n.saturating_sub(1).max(1) as f64;
            (0..n).map(|i| self.reach * (2.0 * i as f64 / last - 1.0)).collect()
        } else {
            (0..n).map(|_| uniform(random, -self.reach, self.reach)).collect()
        };
        let mut y = x.iter().map(|&x| sinc(x)).collect::<Vec<f64>>();
        add_noise(&mut y, self.noise, random);
        (x, y)
    }
}

pub(super) const GENERATOR: Generator = Generator {
    name: "sinc",
    about: "sin(pi x) / (pi x) for x uniform on an interval (A10)",
    settings: &[
        Setting { name: "reach", default: 3.0, range: (1e-3, 1e6), about: "x lies between -reach and reach" },
        noise(0.0),
        Setting { name: "equispaced", default: 0.0, range: (0.0, 1.0), about: "1 for equally spaced x" },
    ],
    rows: 100,
    make: |settings, rows, random| {
        let family = Sinc {
            reach: settings.get("reach"),
            noise: settings.get("noise"),
            equispaced: settings.get("equispaced") != 0.0,
        };
        let (x, y) = family.samples(rows, random);
        numeric_table([("x", x), ("y", y)])
    },
};
