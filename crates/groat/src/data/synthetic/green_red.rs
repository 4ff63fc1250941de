//! The green-red classes of document 003, examples 1 and 2 (D9): two mixtures of ten Gaussians.

use rand_distr::{Distribution, Uniform};
use rand_pcg::Pcg64;

use super::{Generator, Setting, normal, realisation, samples_table};
use crate::error::{Error, Result};

/// The centres of both classes; around each, `N(centre, I / 5)`.
#[derive(Clone, Debug, PartialEq)]
pub struct GreenRed {
    green: Vec<[f64; 2]>,
    red: Vec<[f64; 2]>,
}

impl GreenRed {
    /// Variance around a centre.
    const VARIANCE: f64 = 0.2;

    /// Ten centres a class, from `N((1, 0), I)` for green and `N((0, 1), I)` for red.
    pub fn draw(random: &mut Pcg64) -> Self {
        let mut centres =
            |x: f64, y: f64| (0..10).map(|_| [x + normal(random), y + normal(random)]).collect();
        let green = centres(1.0, 0.0);
        Self { green, red: centres(0.0, 1.0) }
    }

    /// Given centres, at least one a class.
    pub fn new(green: Vec<[f64; 2]>, red: Vec<[f64; 2]>) -> Result<Self> {
        let found = green.len().min(red.len());
        if found == 0 {
            return Err(Error::TooFew { what: "a mixture", unit: "centres a class", needed: 1, found });
        }
        Ok(Self { green, red })
    }

    /// The centres, green then red.
    pub fn centres(&self) -> [&[[f64; 2]]; 2] {
        [&self.green, &self.red]
    }

    /// `n` points, green (-1) and red (+1) in turn.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> (Vec<Vec<f64>>, Vec<f64>) {
        let deviation = Self::VARIANCE.sqrt();
        let sample = |i: usize| {
            let (centres, label) = if i.is_multiple_of(2) { (&self.green, -1.0) } else { (&self.red, 1.0) };
            // A range with at least one element cannot fail; the first centre stands in otherwise.
            let pick = Uniform::new(0, centres.len()).map_or(0, |range| range.sample(random));
            let [x, y] = centres[pick];
            (vec![x + deviation * normal(random), y + deviation * normal(random)], label)
        };
        (0..n).map(sample).unzip()
    }

    /// The probability of red at a point when both classes are equally frequent. Deciding by 1/2 is
    /// the Bayes rule.
    pub fn red_probability(&self, x: &[f64; 2]) -> f64 {
        let density = |centres: &[[f64; 2]]| {
            let terms = centres.iter().map(|c| {
                let squared = (x[0] - c[0]).powi(2) + (x[1] - c[1]).powi(2);
                (-0.5 * squared / Self::VARIANCE).exp()
            });
            terms.sum::<f64>() / centres.len() as f64
        };
        let (green, red) = (density(&self.green), density(&self.red));
        if green + red > 0.0 { red / (green + red) } else { 0.5 }
    }
}

pub(super) const GENERATOR: Generator = Generator {
    name: "green-red",
    about: "two classes, each a mixture of ten Gaussians in the plane (D9)",
    settings: &[Setting {
        name: "centres",
        default: 0.0,
        range: (0.0, 4294967295.0),
        about: "seed of the centres; keep it to draw a test set from the same classes",
    }],
    rows: 200,
    make: |settings, rows, random| {
        let family = GreenRed::draw(&mut realisation(settings.get("centres") as u64, u64::MAX));
        let (x, y) = family.samples(rows, random);
        samples_table(&x, Some(("y", y)))
    },
};
