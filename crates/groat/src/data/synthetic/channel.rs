//! Signals through channels: a nonlinear one to be inverted (B13), and one that changes (B6).

use rand_distr::{Distribution, StandardUniform};
use rand_pcg::Pcg64;

use super::{Generator, Setting, noise, normal, numeric_table, samples_table};

/// Bits `s = -1, +1` through `z = s_n + 0.5 s_{n-1}`, received as `r = z - 0.9 z^2 + noise`. The task
/// is to recover `s_{n - lag}` from the last `taps` received values, the newest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equaliser {
    /// Received values in a sample.
    pub taps: usize,
    /// How far back the wanted bit lies.
    pub lag: usize,
    /// Standard deviation of the noise.
    pub noise: f64,
}

impl Default for Equaliser {
    fn default() -> Self {
        Self { taps: 5, lag: 2, noise: 0.4 }
    }
}

impl Equaliser {
    /// `n` samples and the bits wanted.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> (Vec<Vec<f64>>, Vec<f64>) {
        let first = self.taps.max(self.lag + 1);
        let length = n + first;
        let bits: Vec<f64> =
            (0..length).map(|_| if StandardUniform.sample(random) { 1.0 } else { -1.0 }).collect();
        let received: Vec<f64> = (0..length)
            .map(|t| {
                let z = bits[t] + if t > 0 { 0.5 * bits[t - 1] } else { 0.0 };
                z - 0.9 * z * z + self.noise * normal(random)
            })
            .collect();
        let sample = |t: usize| (0..self.taps).map(|back| received[t - back]).collect();
        ((first..length).map(sample).collect(), (first..length).map(|t| bits[t - self.lag]).collect())
    }
}

/// Gaussian input through a linear channel and a saturation, the channel changing once:
/// `y = tanh(sum_j h_j u_{n-j}) + noise`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelSwitch {
    /// The row at which the second channel takes over.
    pub switch: usize,
    /// Standard deviation of the noise.
    pub noise: f64,
}

impl ChannelSwitch {
    /// The impulse responses before and after the change.
    pub const RESPONSES: [[f64; 5]; 2] = [[1.0, -0.38, 0.21, -0.09, 0.04], [0.5, 0.8, -0.46, 0.17, -0.06]];

    /// `n` inputs and outputs.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> (Vec<f64>, Vec<f64>) {
        let input: Vec<f64> = (0..n).map(|_| normal(random)).collect();
        let output = |t: usize| {
            let response = Self::RESPONSES[usize::from(t >= self.switch)];
            let linear: f64 = response.iter().zip(input[..=t].iter().rev()).map(|(h, u)| h * u).sum();
            linear.tanh()
        };
        let output = (0..n).map(|t| output(t) + self.noise * normal(random)).collect();
        (input, output)
    }
}

pub(super) const EQUALISER: Generator = Generator {
    name: "equaliser",
    about: "bits through a nonlinear channel, to be recovered from received values (B13)",
    settings: &[
        Setting { name: "taps", default: 5.0, range: (1.0, 1000.0), about: "received values in a sample" },
        Setting {
            name: "lag",
            default: 2.0,
            range: (0.0, 1000.0),
            about: "how far back the wanted bit lies",
        },
        noise(0.4),
    ],
    rows: 1000,
    make: |settings, rows, random| {
        let family = Equaliser {
            taps: settings.count("taps"),
            lag: settings.count("lag"),
            noise: settings.get("noise"),
        };
        let (x, y) = family.samples(rows, random);
        samples_table(&x, Some(("y", y)))
    },
};

pub(super) const SWITCH: Generator = Generator {
    name: "channel-switch",
    about: "input and output of a nonlinear channel that changes half way (B6)",
    settings: &[
        Setting {
            name: "switch",
            default: 0.5,
            range: (0.0, 1.0),
            about: "where it changes, as a share of the rows",
        },
        noise(0.1),
    ],
    rows: 1000,
    make: |settings, rows, random| {
        let switch = (settings.get("switch") * rows as f64).round() as usize;
        let (u, y) = ChannelSwitch { switch, noise: settings.get("noise") }.samples(rows, random);
        numeric_table([("u", u), ("y", y)])
    },
};
