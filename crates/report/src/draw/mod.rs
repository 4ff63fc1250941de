//! Turning layers into SVG, one file per family.

mod areas;
mod cells;
mod points;

use crate::axis::{Axis, Scale};
use crate::layer::Layer;
use crate::markup::Markup;

/// The plot area: both axes settled, y pointing up.
pub(crate) struct Plot<'a> {
    pub x_axis: &'a Axis,
    pub y_axis: &'a Axis,
    pub x: Scale,
    pub y: Scale,
    pub width: f64,
    pub height: f64,
}

/// What a layer became.
#[derive(Default)]
pub(crate) struct Drawn {
    pub body: Markup,
    /// Points (bars, cells, pieces) given.
    pub points: usize,
    /// Points drawn, after thinning.
    pub shown: usize,
    /// Points that have no place: NaN, infinite, not positive on a logarithmic axis.
    pub skipped: usize,
    /// Points beyond a fixed range.
    pub outside: usize,
}

impl Plot<'_> {
    /// Where a data point stands, if it has a place. Far-off places are drawn in to keep the numbers small.
    pub fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let shown = self.x_axis.shows(x) && self.y_axis.shows(y);
        let near = |v: f64| v.clamp(-1e4, 1e4);
        shown.then(|| (near(self.x.at(x)), near(self.height - self.y.at(y))))
    }

    /// Whether a place lies in the plot area.
    pub fn contains(&self, (x, y): (f64, f64)) -> bool {
        (-0.01..=self.width + 0.01).contains(&x) && (-0.01..=self.height + 0.01).contains(&y)
    }

    /// Draws one layer.
    pub fn draw(&self, layer: &Layer) -> Drawn {
        match layer {
            Layer::Line(l) => points::line(self, l),
            Layer::Scatter(l) => points::scatter(self, l),
            Layer::Marker(l) => points::marker(self, l),
            Layer::Rule(l) => points::rule(self, l),
            Layer::Band(l) => areas::band(self, l),
            Layer::Bars(l) => areas::bars(self, l),
            Layer::Cells(l) => cells::cells(self, l),
            Layer::Contours(l) => cells::contours(self, l),
        }
    }
}

/// `M x y L x y ...`
pub(crate) fn path(points: &[(f64, f64)]) -> String {
    use crate::number::Px;
    use std::fmt::Write;
    let mut d = String::with_capacity(12 * points.len());
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, Px(*x), Px(*y));
    }
    d
}
