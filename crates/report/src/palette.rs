//! Colours. Series colours are CSS variables, so that a page can change them for dark screens and for paper;
//! colours that stand for numbers are fixed and readable on both.

/// Style shared by charts on a page and by charts that stand alone.
pub(crate) const CHART_STYLE: &str = include_str!("chart.css");

/// How many series colours there are before they repeat.
const SERIES: usize = 10;

/// The class that gives an element the colour of series `index`.
pub(crate) fn series(index: usize) -> String {
    format!("c{}", index % SERIES)
}

/// Dark blue over green to yellow: even steps of lightness, also for colour-blind readers and in grey print.
const SEQUENTIAL: [[f64; 3]; 6] = [
    [68.0, 1.0, 84.0],
    [65.0, 68.0, 135.0],
    [42.0, 120.0, 142.0],
    [34.0, 168.0, 132.0],
    [122.0, 209.0, 81.0],
    [253.0, 231.0, 37.0],
];

/// The colour of a part between 0 and 1.
pub(crate) fn sequential(part: f64) -> String {
    let part = if part.is_nan() { 0.0 } else { part };
    let place = part.clamp(0.0, 1.0) * (SEQUENTIAL.len() - 1) as f64;
    let low = (place as usize).min(SEQUENTIAL.len() - 2);
    let t = place - low as f64;
    let mix = |c: usize| (SEQUENTIAL[low][c] * (1.0 - t) + SEQUENTIAL[low + 1][c] * t).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_scale() {
        assert_eq!(sequential(0.0), "#440154");
        assert_eq!(sequential(1.0), "#fde725");
        assert_eq!(sequential(f64::NAN), sequential(0.0));
    }
}
