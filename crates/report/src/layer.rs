//! What can be drawn, as plain values in data coordinates.

use crate::grid::Grid;

/// One thing drawn in a chart.
#[derive(Clone, Debug)]
pub enum Layer {
    /// See [`Line`].
    Line(Line),
    /// See [`Band`].
    Band(Band),
    /// See [`Scatter`].
    Scatter(Scatter),
    /// See [`Bars`].
    Bars(Bars),
    /// See [`Cells`].
    Cells(Cells),
    /// See [`Contours`].
    Contours(Contours),
    /// See [`Rule`].
    Rule(Rule),
    /// See [`Marker`].
    Marker(Marker),
}

/// A curve through points in the order given. A point that cannot be drawn breaks it.
#[derive(Clone, Debug)]
pub struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) colour: Option<usize>,
    pub(crate) dashed: bool,
    pub(crate) broad: bool,
    pub(crate) steps: bool,
}

/// The area between two curves, e.g. mean plus and minus a deviation: `(x, low, high)`.
#[derive(Clone, Debug)]
pub struct Band {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64, f64)>,
    pub(crate) colour: Option<usize>,
}

/// A cloud of points. One layer per class gives class colours.
#[derive(Clone, Debug)]
pub struct Scatter {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) colour: Option<usize>,
    pub(crate) shape: Shape,
}

/// How a point of a [`Scatter`] looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// A filled, slightly transparent disc.
    #[default]
    Dot,
    /// A circle, to mark chosen points over dots.
    Ring,
    /// A small cross.
    Cross,
}

/// Bars `(from, to, height)` standing on zero, or lying beside it.
#[derive(Clone, Debug)]
pub struct Bars {
    pub(crate) name: String,
    pub(crate) bars: Vec<(f64, f64, f64)>,
    pub(crate) lying: bool,
    pub(crate) colour: Option<usize>,
}

/// Coloured cells of a grid: a heat map, decision regions, or the structure of a matrix.
#[derive(Clone, Debug)]
pub struct Cells {
    pub(crate) name: String,
    pub(crate) grid: Grid,
    pub(crate) paint: Paint,
}

/// What the numbers of [`Cells`] mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paint {
    /// A quantity, shown on a scale from dark to light with a key.
    Sequential,
    /// The index of a class, shown in a pale shade of that series' colour; the names make the key.
    Classes(Vec<String>),
    /// A count, shown as more or less ink; zero leaves the paper blank.
    Ink,
}

/// Lines along which a quantity on a grid takes the given levels.
#[derive(Clone, Debug)]
pub struct Contours {
    pub(crate) name: String,
    pub(crate) grid: Grid,
    pub(crate) levels: Vec<f64>,
    pub(crate) strong: bool,
    pub(crate) colour: Option<usize>,
}

/// A straight guide line across the chart.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(crate) name: String,
    pub(crate) kind: RuleKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RuleKind {
    Horizontal(f64),
    Vertical(f64),
    Identity,
}

/// One marked point with words beside it, e.g. the optimum of a curve.
#[derive(Clone, Debug)]
pub struct Marker {
    pub(crate) name: String,
    pub(crate) at: (f64, f64),
    pub(crate) colour: Option<usize>,
}

impl Line {
    /// A solid curve.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Line { name: name.into(), points, colour: None, dashed: false, broad: false, steps: false }
    }

    /// Draw it dashed.
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// Draw it broad and pale, so that another curve that lies on it can be told from it.
    pub fn broad(mut self) -> Self {
        self.broad = true;
        self
    }

    /// How its stroke looks.
    pub(crate) fn class(&self) -> &'static str {
        match (self.broad, self.dashed) {
            (true, _) => "line broad",
            (false, true) => "line dashed",
            (false, false) => "line",
        }
    }

    /// Hold each value until the next point.
    pub fn steps(mut self) -> Self {
        self.steps = true;
        self
    }
}

impl Band {
    /// The area between `low` and `high` of each `(x, low, high)`.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64, f64)>) -> Self {
        Band { name: name.into(), points, colour: None }
    }
}

impl Scatter {
    /// A cloud of dots.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Scatter { name: name.into(), points, colour: None, shape: Shape::Dot }
    }

    /// Choose another shape.
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }
}

impl Bars {
    /// Bars from explicit `(from, to, height)`.
    pub fn new(name: impl Into<String>, bars: Vec<(f64, f64, f64)>) -> Self {
        Bars { name: name.into(), bars, lying: false, colour: None }
    }

    /// A histogram of the finite values with equal bins (Freedman and Diaconis' width, 5 to 60 bins).
    /// Values that are not finite become one bar that cannot be drawn each, and so are counted as skipped.
    pub fn histogram(name: impl Into<String>, values: &[f64]) -> Self {
        let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.abs() <= 1e300).collect();
        finite.sort_by(f64::total_cmp);
        let mut bars = vec![(f64::NAN, f64::NAN, f64::NAN); values.len() - finite.len()];
        if let (Some(&low), Some(&high)) = (finite.first(), finite.last()) {
            let n = finite.len();
            let spread = finite[3 * (n - 1) / 4] - finite[(n - 1) / 4];
            let width = 2.0 * spread / (n as f64).cbrt();
            let wanted = if width > 0.0 { ((high - low) / width).ceil() } else { 10.0 };
            let count = if high > low { wanted.clamp(5.0, 60.0) as usize } else { 1 };
            let edge = |i: usize| {
                if count == 1 { low - 0.5 + i as f64 } else { low + (high - low) * (i as f64 / count as f64) }
            };
            let mut heights = vec![0usize; count];
            for v in &finite {
                let part = if high > low { (v - low) / (high - low) } else { 0.0 };
                heights[((part * count as f64) as usize).min(count - 1)] += 1;
            }
            bars.extend(heights.iter().enumerate().map(|(i, &h)| (edge(i), edge(i + 1), h as f64)));
        }
        Bars::new(name, bars)
    }

    /// One bar per category, at positions 0, 1, 2, ... (see [`crate::Axis::categories`]).
    pub fn categories(name: impl Into<String>, heights: &[f64]) -> Self {
        let bar = |(i, &h): (usize, &f64)| (i as f64 - 0.4, i as f64 + 0.4, h);
        Bars::new(name, heights.iter().enumerate().map(bar).collect())
    }

    /// Lets the bars lie: `from` and `to` stand on the y axis, where long names have room.
    pub fn lying(mut self) -> Self {
        self.lying = true;
        self
    }

    /// Opposite corners of each bar, the first on the ground.
    pub(crate) fn rectangles(&self, ground: f64) -> impl Iterator<Item = [(f64, f64); 2]> {
        self.bars.iter().map(move |&(from, to, height)| match self.lying {
            false => [(from, ground), (to, height)],
            true => [(ground, from), (height, to)],
        })
    }
}

impl Cells {
    /// Cells of a grid.
    pub fn new(name: impl Into<String>, grid: Grid, paint: Paint) -> Self {
        Cells { name: name.into(), grid, paint }
    }
}

impl Contours {
    /// Lines at the given levels.
    pub fn new(name: impl Into<String>, grid: Grid, levels: Vec<f64>) -> Self {
        Contours { name: name.into(), grid, levels, strong: false, colour: None }
    }

    /// Draw them strong, so that they stand out from others.
    pub fn strong(mut self) -> Self {
        self.strong = true;
        self
    }

    /// How their strokes look.
    pub(crate) fn class(&self) -> &'static str {
        if self.strong { "contour strong" } else { "contour" }
    }
}

impl Rule {
    /// A level line at `y`.
    pub fn horizontal(name: impl Into<String>, y: f64) -> Self {
        Rule { name: name.into(), kind: RuleKind::Horizontal(y) }
    }

    /// An upright line at `x`.
    pub fn vertical(name: impl Into<String>, x: f64) -> Self {
        Rule { name: name.into(), kind: RuleKind::Vertical(x) }
    }

    /// The line `y = x`.
    pub fn identity(name: impl Into<String>) -> Self {
        Rule { name: name.into(), kind: RuleKind::Identity }
    }
}

impl Marker {
    /// A marked point; the name is written beside it.
    pub fn new(name: impl Into<String>, x: f64, y: f64) -> Self {
        Marker { name: name.into(), at: (x, y), colour: None }
    }
}

macro_rules! coloured {
    ($($kind:ident),*) => {$(
        impl $kind {
            /// Take the colour of series `index` instead of the next free one.
            pub fn colour(mut self, index: usize) -> Self {
                self.colour = Some(index);
                self
            }
        }
    )*};
}
coloured!(Line, Band, Scatter, Bars, Contours, Marker);

macro_rules! into_layer {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Layer {
            fn from(layer: $kind) -> Layer {
                Layer::$kind(layer)
            }
        }
    )*};
}
into_layer!(Line, Band, Scatter, Bars, Cells, Contours, Rule, Marker);

impl Layer {
    /// Name of the kind, as in `data-layer`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Layer::Line(_) => "line",
            Layer::Band(_) => "band",
            Layer::Scatter(_) => "scatter",
            Layer::Bars(_) => "bars",
            Layer::Cells(_) => "cells",
            Layer::Contours(_) => "contours",
            Layer::Rule(_) => "rule",
            Layer::Marker(_) => "marker",
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Layer::Line(l) => &l.name,
            Layer::Band(l) => &l.name,
            Layer::Scatter(l) => &l.name,
            Layer::Bars(l) => &l.name,
            Layer::Cells(l) => &l.name,
            Layer::Contours(l) => &l.name,
            Layer::Rule(l) => &l.name,
            Layer::Marker(l) => &l.name,
        }
    }

    /// `None`: this kind has no series colour. `Some(None)`: the next free one.
    pub(crate) fn colour(&self) -> Option<Option<usize>> {
        match self {
            Layer::Line(l) => Some(l.colour),
            Layer::Band(l) => Some(l.colour),
            Layer::Scatter(l) => Some(l.colour),
            Layer::Bars(l) => Some(l.colour),
            Layer::Marker(l) => Some(l.colour),
            // In ink unless one is asked for.
            Layer::Contours(l) => l.colour.map(Some),
            Layer::Cells(_) | Layer::Rule(_) => None,
        }
    }

    /// Corners of what the layer covers, in data coordinates; NaN where it does not mind.
    pub(crate) fn corners(&self) -> Vec<(f64, f64)> {
        match self {
            Layer::Line(l) => l.points.clone(),
            Layer::Scatter(l) => l.points.clone(),
            Layer::Band(l) => l.points.iter().flat_map(|&(x, low, high)| [(x, low), (x, high)]).collect(),
            Layer::Bars(l) => l.rectangles(0.0).flatten().collect(),
            Layer::Cells(l) => l.grid.corners().to_vec(),
            Layer::Contours(l) => l.grid.corners().to_vec(),
            Layer::Marker(l) => vec![l.at],
            Layer::Rule(l) => match l.kind {
                RuleKind::Horizontal(y) => vec![(f64::NAN, y)],
                RuleKind::Vertical(x) => vec![(x, f64::NAN)],
                RuleKind::Identity => Vec::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bars;

    #[test]
    fn histograms_count_every_value_once() {
        let mut values: Vec<f64> = (0..1000).map(|i| (i as f64 * 0.37).sin()).collect();
        values.push(f64::NAN);
        let bars = Bars::histogram("h", &values).bars;
        let drawn: f64 = bars.iter().filter(|b| b.2.is_finite()).map(|b| b.2).sum();
        assert_eq!(drawn, 1000.0);
        assert_eq!(bars.iter().filter(|b| b.2.is_nan()).count(), 1);
    }

    #[test]
    fn histograms_of_little_or_nothing() {
        assert!(Bars::histogram("h", &[]).bars.is_empty());
        assert_eq!(Bars::histogram("h", &[2.0, 2.0]).bars, [(1.5, 2.5, 2.0)]);
    }
}
