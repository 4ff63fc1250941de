//! One value of a table as text readers meet it.

use std::fmt;

/// A missing value, a number or a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Empty, `NA`, `N/A`, `NaN`, `null` or `?`, in any case.
    Missing,
    /// Anything that reads as a number, infinities included.
    Number(f64),
    /// Anything else.
    Text(String),
}

/// Spellings of a missing value, in lower case; the empty text is one too.
const MISSING: [&str; 6] = ["na", "n/a", "nan", "null", "none", "?"];

impl Cell {
    /// Reads one field; blanks around it do not count.
    pub fn parse(field: &str) -> Self {
        let field = field.trim();
        if field.is_empty() {
            return Cell::Missing;
        }
        match field.parse::<f64>() {
            Ok(number) if number.is_nan() => Cell::Missing,
            Ok(number) => Cell::Number(number),
            Err(_) if MISSING.iter().any(|m| field.eq_ignore_ascii_case(m)) => Cell::Missing,
            Err(_) => Cell::Text(field.to_owned()),
        }
    }

    /// The number, NaN when missing, nothing when it is text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Missing => Some(f64::NAN),
            Cell::Number(number) => Some(*number),
            Cell::Text(_) => None,
        }
    }
}

/// How a number is spelled as the label of a category.
///
/// A column that mixes `1`, `2` and `A` is text, yet a later file may hold only `1` and `2` of it and
/// so be numeric. One spelling for both (`1.0`, `01` and `1` are all `1`) lets the levels meet again.
pub(crate) fn number_label(number: f64) -> String {
    // `-0.0` and `0.0` are the same category.
    if number == 0.0 { "0".to_owned() } else { number.to_string() }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Missing => Ok(()),
            Cell::Number(number) => f.write_str(&number_label(*number)),
            Cell::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_have_many_spellings() {
        for text in ["", "  ", "NA", "na", "N/A", "NaN", "nan", "-nan", "null", "None", "?", " ? "] {
            assert_eq!(Cell::parse(text), Cell::Missing, "{text:?}");
        }
    }

    #[test]
    fn numbers_and_texts_are_told_apart() {
        assert_eq!(Cell::parse(" -1.5e3 "), Cell::Number(-1500.0));
        assert_eq!(Cell::parse("inf"), Cell::Number(f64::INFINITY));
        assert_eq!(Cell::parse("1,5"), Cell::Text("1,5".into()));
        assert_eq!(Cell::parse("0x10"), Cell::Text("0x10".into()));
    }

    #[test]
    fn labels_of_equal_numbers_are_equal() {
        for text in ["1", "01", "1.0", "1e0"] {
            assert_eq!(Cell::parse(text).to_string(), "1");
        }
        assert_eq!(Cell::parse("-0").to_string(), "0");
        assert_eq!(Cell::parse("0.1").to_string(), "0.1");
    }
}
