//! An axis: what it measures, its range, where its ticks stand, and how values map to the drawing.

use crate::number::{power_of_ten, significant};

/// Values beyond this magnitude are treated like infinite ones: differences of larger ones overflow.
const LARGEST: f64 = 1e300;

/// What one axis shows.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    pub(crate) label: String,
    log: bool,
    range: Option<(f64, f64)>,
    categories: Vec<String>,
    upside_down: bool,
    whole: bool,
}

impl Axis {
    /// A linear axis whose range follows the data.
    pub fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// Make it logarithmic; values that are not positive are then skipped (and counted).
    pub fn log(mut self) -> Self {
        self.log = true;
        self
    }

    /// Fix the range; what lies outside is cut off. An empty or non-finite range is ignored.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Name the positions 0, 1, 2, ... instead of showing numbers.
    pub fn categories(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// Whether positions have names.
    pub(crate) fn has_categories(&self) -> bool {
        !self.categories.is_empty()
    }

    /// Let values grow downwards (or leftwards), as the rows of a matrix do.
    pub fn upside_down(mut self) -> Self {
        self.upside_down = true;
        self
    }

    /// Let ticks stand at whole numbers alone, as for things that are counted.
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Whether a value has a place on this axis.
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.abs() <= LARGEST && (!self.log || value > 1.0 / LARGEST)
    }

    /// Settles the range. `extent` is what the layers cover; `tight` keeps it without a margin.
    pub(crate) fn scale(&self, extent: Option<(f64, f64)>, tight: bool, length: f64) -> Scale {
        let fixed = self.range.filter(|(low, high)| self.shows(*low) && self.shows(*high) && low < high);
        let (low, high) = fixed.or(extent).unwrap_or(if self.log { (1.0, 10.0) } else { (0.0, 1.0) });
        let (mut low, mut high) = (self.forward(low), self.forward(high));
        let smallest = 1e-9 * low.abs().max(high.abs()).max(1e-290);
        if high - low < smallest {
            let margin = if low == 0.0 || self.log { 0.5 } else { 0.5 * low.abs() };
            (low, high) = (low - margin, high + margin);
        } else if fixed.is_none() && !tight {
            let margin = 0.04 * (high - low);
            (low, high) = (low - margin, high + margin);
        }
        Scale { low, high, length, log: self.log, flipped: self.upside_down }
    }

    /// Places of the ticks with their text.
    pub(crate) fn ticks(&self, scale: &Scale, most: usize) -> Vec<(f64, String)> {
        if !self.categories.is_empty() {
            return self.category_ticks(most);
        }
        if self.log {
            let ticks = log_ticks(scale.low, scale.high, most);
            if ticks.len() > 1 {
                return ticks;
            }
            return linear_ticks(scale.low.exp(), scale.high.exp(), most);
        }
        let mut ticks = linear_ticks(scale.low, scale.high, most);
        if self.whole {
            ticks.retain(|(value, _)| value.fract() == 0.0);
        }
        ticks
    }

    fn category_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let every = self.categories.len().div_ceil(most.max(1)).max(1);
        self.categories.iter().enumerate().step_by(every).map(|(i, name)| (i as f64, name.clone())).collect()
    }

    fn forward(&self, value: f64) -> f64 {
        if self.log { value.ln() } else { value }
    }
}

/// A settled axis: maps a value to a distance along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    length: f64,
    log: bool,
    flipped: bool,
}

impl Scale {
    /// Distance from the start of the axis.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.ln() } else { value };
        let part = (value - self.low) / (self.high - self.low);
        self.length * if self.flipped { 1.0 - part } else { part }
    }

    /// The value range shown.
    pub fn range(&self) -> (f64, f64) {
        if self.log { (self.low.exp(), self.high.exp()) } else { (self.low, self.high) }
    }
}

/// Multiples of 1, 2, 2.5 or 5 times a power of ten, at most `most` of them.
fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let wanted = (high - low) / most.max(2) as f64;
    let unit = 10f64.powf(wanted.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0].into_iter().map(|m| m * unit).find(|s| *s >= wanted).unwrap_or(10.0 * unit);
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    // Enough digits to tell neighbouring ticks apart.
    let magnitude = low.abs().max(high.abs());
    let digits = ((magnitude / step).log10().floor().max(0.0) as usize + 3).min(15);
    let count = ((last - first) as usize).min(2 * most + 2);
    (0..=count)
        .map(|i| (first + i as f64) * step)
        .filter(|tick| *tick <= high + 1e-9 * step)
        .map(|tick| if tick.abs() < 1e-9 * step { 0.0 } else { tick })
        .map(|tick| (tick, significant(tick, digits)))
        .collect()
}

/// Powers of ten, with 2 and 5 between them where there is room.
fn log_ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let inside = |value: f64| (low - 1e-9..=high + 1e-9).contains(&value.ln());
    let (first, last) =
        ((low / std::f64::consts::LN_10).floor() as i32, (high / std::f64::consts::LN_10).ceil() as i32);
    let decades = (last - first).max(1) as usize;
    let every = decades.div_ceil(most.max(1)).max(1);
    let within: &[f64] = if 3 * decades <= most + 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks = Vec::new();
    for exponent in (first..=last).step_by(every) {
        for digit in within {
            let value = digit * 10f64.powi(exponent);
            if inside(value) {
                let text = if *digit == 1.0 { power_of_ten(exponent) } else { significant(value, 2) };
                ticks.push((value, text));
            }
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(texts(linear_ticks(0.0, 1.0, 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(texts(linear_ticks(-3.1, 4.9, 5)), ["-2", "0", "2", "4"]);
        assert_eq!(
            texts(linear_ticks(1000.001, 1000.004, 4)),
            ["1000.001", "1000.002", "1000.003", "1000.004"]
        );
    }

    #[test]
    fn counts_have_whole_ticks() {
        let axis = Axis::new("vectors").whole();
        let scale = axis.scale(Some((1.0, 3.0)), true, 100.0);
        assert_eq!(texts(axis.ticks(&scale, 6)), ["1", "2", "3"]);
    }

    #[test]
    fn log_ticks_thin_out() {
        assert_eq!(texts(log_ticks(0.1f64.ln(), 10f64.ln(), 6)), ["0.1", "0.2", "0.5", "1", "2", "5", "10"]);
        assert!(log_ticks(1e-200f64.ln(), 1e200f64.ln(), 6).len() <= 7);
    }

    #[test]
    fn odd_ranges_still_give_a_scale() {
        for extent in [(0.0, 0.0), (5.0, 5.0), (-1e300, 1e300), (1e-300, 2e-300), (3.0, 3.0 + 1e-13)] {
            let axis = Axis::new("x");
            let scale = axis.scale(Some(extent), false, 100.0);
            let at = scale.at(extent.0);
            assert!((0.0..=100.0).contains(&at), "{extent:?} gives {at}");
            assert!(axis.ticks(&scale, 6).len() < 20);
        }
    }

    #[test]
    fn logarithmic_axes_show_only_positive_values() {
        let axis = Axis::new("x").log();
        assert!(!axis.shows(0.0) && !axis.shows(-1.0) && !axis.shows(f64::NAN) && axis.shows(1e-9));
        let scale = axis.scale(Some((1.0, 100.0)), true, 100.0);
        assert!((scale.at(10.0) - 50.0).abs() < 1e-9);
    }
}
