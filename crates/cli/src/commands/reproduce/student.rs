//! Student's distribution: how far a mean of few values may stray.

/// The distance that a variable of Student's distribution exceeds, in either direction, with probability `share`.
pub fn quantile(share: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while beyond(high, freedom) > share && high < 1e12 {
        high *= 2.0;
    }
    // Sixty halvings exhaust the digits of a double.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if beyond(middle, freedom) > share {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The probability of a value farther than `distance` from 0.
pub fn beyond(distance: f64, freedom: f64) -> f64 {
    incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + distance * distance))
}

/// The probability that a normal variable lies above `place`, in deviations.
pub fn above(place: f64) -> f64 {
    let tail = 0.5 * beyond(place, 1e9);
    if place < 0.0 { 1.0 - tail } else { tail }
}

/// The regularised incomplete beta function by its continued fraction (Abramowitz, Stegun, 26.5.8).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp() / a;
    let away = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() < 1e-15 * fraction.abs() {
            break;
        }
    }
    front * fraction
}

/// The logarithm of the gamma function for positive arguments: Stirling's series above 10, recurrence below.
fn log_gamma(x: f64) -> f64 {
    if x < 10.0 {
        return log_gamma(x + 1.0) - x.ln();
    }
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Two-sided 1 % and 5 % points of printed tables.
        for (share, freedom, expected) in [
            (0.01, 1.0, 63.657),
            (0.01, 5.0, 4.032),
            (0.01, 99.0, 2.626),
            (0.05, 9.0, 2.262),
            (0.01, 1e9, 2.576),
        ] {
            let found = quantile(share, freedom);
            assert!((found - expected).abs() < 1e-3, "{share}, {freedom}: {found}");
            assert!((beyond(found, freedom) - share).abs() < 1e-9);
        }
    }

    #[test]
    fn normal_tails_are_those_of_the_tables() {
        for (place, expected) in [(0.0, 0.5), (1.0, 0.158_655), (-2.0, 0.977_250)] {
            assert!((above(place) - expected).abs() < 1e-5, "{place}");
        }
    }

    #[test]
    fn gamma_of_whole_numbers_is_their_factorial() {
        for (x, factorial) in [(1.0, 1.0), (5.0, 24.0), (11.0, 3_628_800.0)] {
            assert!((log_gamma(x) - f64::ln(factorial)).abs() < 1e-8);
        }
    }
}
