//! How far a mean of few values may stray that are skewed or have heavy tails.
//!
//! Student's distribution is that of normal values. Errors of learners are skewed: a few realisations go wrong, and a
//! mean that missed them lies below the truth just when its spread seems small. Two things are therefore taken
//! from the values. Their skewness bends the statistic by a known cubic (P. Hall, On the removal of skewness by
//! transformation, 1992, (2.1) with its constants 1/3 and 1/6), whose inverse bends the interval. And their excess kurtosis
//! says how uncertain the spread is: the variance of a variance is `s^4 (2 / (n - 1) + excess / n)`, that of `f` degrees of
//! freedom `2 s^4 / f`. An interval is never narrower than Student's.

use super::student;
use super::trial::mean;

/// What the realisations say about the error of their mean.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Standard error of the mean.
    pub error: f64,
    /// Degrees of freedom of that error.
    pub freedom: f64,
    /// Skewness of the mean: that of the values over the root of their number.
    skewness: f64,
}

/// Degrees of freedom that even the heaviest tails are left with: fewer would be a guess from one value.
const LEAST: f64 = 4.0;

impl Shape {
    /// That of values which were drawn one independently of the other.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let centre = mean(values.iter().copied());
        let moment = |power: i32| mean(values.iter().map(|v| (v - centre).powi(power)));
        let variance = moment(2);
        if n < 2.0 || variance <= 0.0 {
            return Self { error: 0.0, freedom: (n - 1.0).max(1.0), skewness: 0.0 };
        }
        let (mut skewness, mut excess) = (0.0, 0.0);
        // The usual estimates, unbiased for normal values.
        if n > 2.0 {
            skewness = moment(3) / variance.powf(1.5) * (n * (n - 1.0)).sqrt() / (n - 2.0);
        }
        if n > 3.0 {
            let plain = moment(4) / (variance * variance) - 3.0;
            excess = (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * plain + 6.0);
        }
        let freedom = 2.0 / (2.0 / (n - 1.0) + excess.max(0.0) / n);
        Self {
            error: (variance / (n - 1.0)).sqrt(),
            freedom: freedom.max(LEAST).min(n - 1.0),
            skewness: skewness / n.sqrt(),
        }
    }

    /// An error that is known to this many degrees of freedom, of something that is not skewed.
    pub fn even(error: f64, freedom: f64) -> Self {
        Self { error, freedom, skewness: 0.0 }
    }

    /// How many standard errors the truth may lie below and above the mean, outside with probability `share`, on a
    /// scale whose second derivative over its first, times the error, is `bend`.
    pub fn reach(&self, share: f64, bend: f64) -> (f64, f64) {
        let student = student::quantile(share, self.freedom);
        let (a, shift) = (self.skewness / 3.0 + bend / 2.0, self.skewness / 6.0);
        // The inverse of u + a u^2 + a^2 u^3 / 3 + shift.
        let inverse = |y: f64| {
            let y = y - shift;
            if a.abs() < 1e-9 { y } else { ((1.0 + 3.0 * a * y).cbrt() - 1.0) / a }
        };
        (inverse(student).max(student), (-inverse(-student)).max(student))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error, skewness of the mean, degrees of freedom, reach below and above, by SciPy.
    const EXPECTED: [f64; 5] = [1.897367, 0.797890, 4.000000, 4.604095, 9.046513];

    #[test]
    fn even_values_have_students_interval() {
        let values: Vec<f64> = (0..11).map(|i| f64::from(i) - 5.0).collect();
        let shape = Shape::of(&values);
        assert_eq!(shape.freedom, 10.0);
        let (below, above) = shape.reach(0.01, 0.0);
        assert!((below - 3.16927).abs() < 1e-4 && (above - below).abs() < 1e-9, "{below}, {above}");
    }

    #[test]
    fn skewed_values_reach_farther_on_one_side() {
        let shape = Shape::of(&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0, 8.0, 21.0]);
        let (below, above) = shape.reach(0.01, 0.0);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-4, "{found}");
        near(shape.error, EXPECTED[0]);
        near(shape.skewness, EXPECTED[1]);
        near(shape.freedom, EXPECTED[2]);
        near(below, EXPECTED[3]);
        near(above, EXPECTED[4]);
    }

    #[test]
    fn reach_undoes_the_cubic() {
        let shape = Shape { error: 1.0, freedom: 19.0, skewness: 0.6 };
        let (_, above) = shape.reach(0.01, 0.0);
        let (u, a) = (-above, 0.2);
        let cubic = u + a * u * u + a * a * u * u * u / 3.0 + 0.1;
        assert!((cubic + student::quantile(0.01, 19.0)).abs() < 1e-9);
    }

    #[test]
    fn one_value_or_equal_ones_have_no_error() {
        assert_eq!(Shape::of(&[3.0]).error, 0.0);
        assert_eq!(Shape::of(&[3.0; 5]).error, 0.0);
        assert!(Shape::of(&[3.0, 4.0]).reach(0.01, 0.0).0 > 60.0);
    }
}
