//! What a paper says: a number with its rounding, a claim in words with the range that it is read as, or nothing.

use serde::Serialize;
use std::fmt;

/// What the paper says about a line.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Paper {
    /// It gives no number.
    #[default]
    Silent,
    Number(Printed),
    Claim(Claim),
}

/// A claim in words, and where a number must lie for the claim to be true.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    pub words: &'static str,
    pub low: f64,
    pub high: f64,
}

/// A number as printed. Field names are part of the command's interface.
#[derive(Clone, Debug, Serialize)]
pub struct Printed {
    /// The digits in the paper's own spelling; several where the number is worked out from several.
    pub texts: Vec<&'static str>,
    pub value: f64,
    /// How far the unrounded number may lie from it: half a unit of the last digit.
    pub half: f64,
    /// The standard deviation of one realisation, where the paper prints it.
    pub deviation: Option<f64>,
    /// Realisations that it is the mean of.
    pub runs: Option<usize>,
    /// Cases that a share was counted on.
    pub cases: Option<usize>,
    /// Digits after the point.
    decimals: i32,
}

impl Printed {
    /// A number of an English text: `4.76`, `1,122`.
    pub fn new(text: &'static str) -> Self {
        Self::read(text, &text.replace(',', ""))
    }

    /// A number of a Spanish text: `46.695,8`.
    pub fn spanish(text: &'static str) -> Self {
        Self::read(text, &text.replace('.', "").replace(',', "."))
    }

    fn read(text: &'static str, plain: &str) -> Self {
        let decimals = plain.split_once('.').map_or(0, |(_, digits)| digits.len() as i32);
        Self {
            texts: vec![text],
            // What cannot be read agrees with nothing.
            value: plain.parse().unwrap_or(f64::NAN),
            half: 0.5 * 10f64.powi(-decimals),
            deviation: None,
            runs: None,
            cases: None,
            decimals,
        }
    }

    /// One printed number minus another.
    pub fn difference(a: &'static str, b: &'static str) -> Self {
        let (first, second) = (Self::new(a), Self::new(b));
        let (value, half) = (first.value - second.value, first.half + second.half);
        Self { texts: vec![a, b], value, half, ..first }
    }

    /// One printed number over another, to first order in their rounding.
    pub fn quotient(a: &'static str, b: &'static str) -> Self {
        let (first, second) = (Self::new(a), Self::new(b));
        let value = first.value / second.value;
        let half = value.abs() * (first.half / first.value + second.half / second.value).abs();
        let decimals = if half > 0.0 { (1.0 - half.log10()) as i32 } else { first.decimals };
        Self { texts: vec![a, b], value, half, decimals, ..first }
    }

    /// The number is the mean over this many realisations.
    pub fn runs(self, runs: usize) -> Self {
        Self { runs: Some(runs), ..self }
    }

    /// The paper prints this deviation of one realisation.
    pub fn deviation(mut self, text: &'static str) -> Self {
        self.deviation = Some(Self::new(text).value);
        self.texts.push(text);
        self
    }

    /// The number is a share of this many cases.
    pub fn cases(self, cases: usize) -> Self {
        Self { cases: Some(cases), ..self }
    }

    /// The number in another unit: `10^-5` printed beside it, or percent for a share.
    pub fn times(mut self, power: i32) -> Self {
        let factor = 10f64.powi(power);
        self.value *= factor;
        self.half *= factor;
        self.deviation = self.deviation.map(|d| d * factor);
        self.decimals -= power;
        self
    }

    /// The number less one, where the paper counts one more than we do.
    pub fn less_one(self) -> Self {
        Self { value: self.value - 1.0, ..self }
    }

    fn digits(&self, value: f64) -> String {
        if value != 0.0 && value.abs() < 1e-4 {
            let digits = self.decimals + value.abs().log10().floor() as i32;
            return format!("{value:.*e}", digits.max(0) as usize);
        }
        format!("{value:.*}", self.decimals.max(0) as usize)
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.digits(self.value))?;
        self.deviation.map_or(Ok(()), |deviation| write!(f, " ± {}", self.digits(deviation)))
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Paper::Silent => f.write_str("-"),
            Paper::Number(printed) => printed.fmt(f),
            Paper::Claim(claim) => f.write_str(claim.words),
        }
    }
}

impl From<Printed> for Paper {
    fn from(printed: Printed) -> Self {
        Paper::Number(printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_rounding_they_were_printed_with() {
        let s = Printed::new("0.185");
        assert_eq!((s.value, s.half), (0.185, 0.5e-3));
        let mse = Printed::new("4.76").times(-5);
        assert!((mse.value - 4.76e-5).abs() < 1e-18 && (mse.half - 5e-8).abs() < 1e-18);
        assert_eq!(mse.to_string(), "4.76e-5");
        assert_eq!(Printed::new("1,122").value, 1122.0);
        assert_eq!(Printed::spanish("46.695,8").value, 46_695.8);
        assert_eq!(Printed::new("0.272").times(2).to_string(), "27.2");
        assert_eq!(Printed::new("17.4157").deviation("4.6670").to_string(), "17.4157 ± 4.6670");
        assert!(Printed::new("n/a").value.is_nan());
    }

    #[test]
    fn rounding_is_carried_through() {
        let points = Printed::difference("0.272", "0.216").times(2);
        assert!((points.value - 5.6).abs() < 1e-12 && (points.half - 0.1).abs() < 1e-12);
        let faster = Printed::quotient("23.93", "8.95");
        assert!((faster.value - 2.673_74).abs() < 1e-5 && faster.half < 0.003, "{faster:?}");
        assert_eq!(faster.to_string(), "2.674");
    }
}
