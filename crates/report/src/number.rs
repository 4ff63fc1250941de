//! Numbers as people read them: few digits, no trailing zeros, powers of ten where zeros would pile up.

use std::fmt;

/// A number with four significant digits, e.g. `0.01235`, `1.2e-9`, `NaN`.
pub fn number(value: f64) -> String {
    significant(value, 4)
}

pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        // Rounding is done once, on the value itself.
        trimmed(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A power of ten with a raised exponent, e.g. `10⁻⁵`; from 0.001 to 1000 it is written out.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    match exponent {
        -3..=3 => significant(10f64.powi(exponent), 1),
        _ => {
            let raise = |c: char| match c {
                '-' => '⁻',
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                digit => char::from_u32('⁰' as u32 + (digit as u32 - '0' as u32)).unwrap_or(digit),
            };
            format!("10{}", exponent.to_string().chars().map(raise).collect::<String>())
        }
    }
}

/// A coordinate in the drawing: a tenth of a unit is finer than any screen shows.
#[derive(Clone, Copy)]
pub(crate) struct Px(pub f64);

impl Px {
    /// The coordinate as it is written.
    pub fn rounded(self) -> f64 {
        // `+ 0.0` turns -0 into 0.
        (self.0 * 10.0).round() / 10.0 + 0.0
    }
}

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rounded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.0123456, "0.01235"),
            (123456.0, "123456"),
            (1234567.0, "1.235e6"),
            (1.2e-9, "1.2e-9"),
            (-0.5, "-0.5"),
            (9.99996, "10"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn powers_are_raised() {
        assert_eq!(power_of_ten(-13), "10⁻¹³");
        assert_eq!(power_of_ten(4), "10⁴");
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(Px(-0.01).to_string(), "0");
        assert_eq!(Px(12.34).to_string(), "12.3");
    }
}
