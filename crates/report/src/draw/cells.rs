//! Cells and contours of a grid.

use super::{Drawn, Plot, path};
use crate::contour;
use crate::layer::{Cells, Contours, Paint};
use crate::number::Px;
use crate::palette;

/// Shades that a quantity is shown in; neighbours of one shade become one rectangle.
const SHADES: f64 = 48.0;
/// Shades between one strength of ink and the next.
const INK: usize = 8;

pub(super) fn cells(plot: &Plot<'_>, cells: &Cells) -> Drawn {
    let grid = &cells.grid;
    let mut drawn = Drawn { points: grid.values().len(), ..Drawn::default() };
    let range = grid.value_range().unwrap_or((0.0, 1.0));
    for row in 0..grid.rows() {
        let mut column = 0;
        while column < grid.columns() {
            let shade = shade(&cells.paint, grid.value(column, row), range);
            let start = column;
            while column < grid.columns()
                && self::shade(&cells.paint, grid.value(column, row), range) == shade
            {
                column += 1;
            }
            let Some(shade) = shade else {
                drawn.skipped += column - start;
                continue;
            };
            let corners = [(start, 0.0, 0.0), (column - 1, 1.0, 1.0)];
            let placed = corners.map(|(c, px, py)| plot.place(grid.x_at(c, px), grid.y_at(row, py)));
            if let [Some(a), Some(b)] = placed {
                drawn.shown += column - start;
                rectangle(&mut drawn, &cells.paint, shade, a, b);
            } else {
                drawn.skipped += column - start;
            }
        }
    }
    drawn
}

/// Which shade a value has; `None` when it has none.
fn shade(paint: &Paint, value: f64, (low, high): (f64, f64)) -> Option<usize> {
    if !value.is_finite() {
        return None;
    }
    let part = |v: f64, high: f64| if high > 0.0 { (SHADES * v / high).round() as usize } else { 0 };
    match paint {
        Paint::Sequential => Some(part(value - low, high - low)),
        Paint::Classes(_) => (value >= 0.0).then_some(value as usize),
        // Counts differ by orders of magnitude; a single entry must still be seen. Few shades make few pieces.
        Paint::Ink => {
            let part = part(value.max(0.0).ln_1p(), high.ln_1p());
            Some((part / INK * INK).max((value > 0.0) as usize * INK))
        }
    }
}

fn rectangle(drawn: &mut Drawn, paint: &Paint, shade: usize, a: (f64, f64), b: (f64, f64)) {
    // Edges are rounded before they are subtracted, so that neighbours share theirs.
    let round = |(x, y): (f64, f64)| (Px(x).rounded(), Px(y).rounded());
    let (a, b) = (round(a), round(b));
    let (x, y) = (a.0.min(b.0), a.1.min(b.1));
    let (width, height) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
    let place: [(&str, &dyn std::fmt::Display); 4] =
        [("x", &Px(x)), ("y", &Px(y)), ("width", &Px(width)), ("height", &Px(height))];
    let part = shade as f64 / SHADES;
    let (class, fill, opacity) = match paint {
        Paint::Sequential => (String::new(), palette::sequential(part), String::new()),
        Paint::Classes(_) => (format!("region {}", palette::series(shade)), String::new(), String::new()),
        Paint::Ink if shade == 0 => return,
        Paint::Ink => ("ink".into(), String::new(), format!("{part:.2}")),
    };
    let style = [("class", class), ("fill", fill), ("fill-opacity", opacity)];
    let mut attributes = place.to_vec();
    for (name, value) in style.iter().filter(|(_, value)| !value.is_empty()) {
        attributes.push((name, value));
    }
    drawn.body.empty("rect", &attributes);
}

pub(super) fn contours(plot: &Plot<'_>, contours: &Contours) -> Drawn {
    let mut drawn = Drawn { points: contours.levels.len(), ..Drawn::default() };
    for &level in &contours.levels {
        let mut d = String::new();
        for [a, b] in contour::segments(&contours.grid, level) {
            if let (Some(a), Some(b)) = (plot.place(a.0, a.1), plot.place(b.0, b.1)) {
                d += &path(&[a, b]);
            }
        }
        if level.is_finite() {
            drawn.shown += 1;
            drawn.body.empty("path", &[("class", &contours.class()), ("data-level", &level), ("d", &d)]);
        } else {
            drawn.skipped += 1;
        }
    }
    drawn
}
