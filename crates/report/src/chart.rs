//! The frame around the layers: title, key, axes, ticks, notes.

mod key;

use crate::axis::{Axis, Scale};
use crate::draw::{Drawn, Plot};
use crate::layer::Layer;
use crate::markup::Markup;
use crate::number::Px;
use crate::palette;

/// A chart: a frame with layers drawn in the order they were added.
///
/// The drawing is 420 units wide with letters of 12 to 14 units, so that it stays readable on a phone.
#[derive(Clone, Debug)]
pub struct Chart {
    title: String,
    description: String,
    x: Axis,
    y: Axis,
    layers: Vec<Layer>,
    same_range: bool,
    height: f64,
}

const WIDTH: f64 = 420.0;
const RIGHT: f64 = 14.0;
/// Room for tick labels and the axis label below the plot area.
const BELOW: f64 = 46.0;
/// Height of a line of small text.
const TEXT_LINE: f64 = 17.0;
/// Lines of the key for which a chart of the stated height has room.
const KEY_LINES: f64 = 2.0;
/// Height of a line of the title, and the width of one of its letters, estimated.
const TITLE_LINE: f64 = 18.0;
const TITLE_LETTER: f64 = 7.7;

/// Lowest and highest value along an axis; nothing when no layer has any.
type Extent = Option<(f64, f64)>;

/// Where the plot area lies.
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: impl Into<String>) -> Self {
        Chart {
            title: title.into(),
            description: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            layers: Vec::new(),
            same_range: false,
            height: 320.0,
        }
    }

    /// What the chart shows, in words, for readers who cannot see it.
    pub fn describe(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// The horizontal axis.
    pub fn x(mut self, axis: Axis) -> Self {
        self.x = axis;
        self
    }

    /// The vertical axis.
    pub fn y(mut self, axis: Axis) -> Self {
        self.y = axis;
        self
    }

    /// Adds a layer on top.
    pub fn layer(mut self, layer: impl Into<Layer>) -> Self {
        self.layers.push(layer.into());
        self
    }

    /// Adds several layers on top.
    pub fn layers<L: Into<Layer>>(mut self, layers: impl IntoIterator<Item = L>) -> Self {
        self.layers.extend(layers.into_iter().map(Into::into));
        self
    }

    /// Gives both axes one range, and a taller frame, for comparing like with like.
    pub fn same_range(mut self) -> Self {
        self.same_range = true;
        self.height = 400.0;
        self
    }

    /// Sets the height of the drawing (the width is 420).
    pub fn height(mut self, height: f64) -> Self {
        self.height = if height.is_finite() { height.clamp(160.0, 1200.0) } else { self.height };
        self
    }

    /// An `svg` element for a page that has the charts' style (see [`crate::Page`]).
    pub fn to_svg(&self) -> String {
        self.render("")
    }

    /// A file of its own, with the style inside.
    pub fn to_svg_file(&self) -> String {
        self.render(palette::CHART_STYLE)
    }

    fn render(&self, style: &str) -> String {
        let (x_extent, y_extent) = self.extents();
        let tight = self.layers.iter().any(|l| matches!(l, Layer::Cells(_)));
        let title = key::lines(&self.title, WIDTH - 20.0, TITLE_LETTER);
        let key = key::Key::of(&self.layers);
        let (below_title, key_height) = (TITLE_LINE * (title.len() as f64 - 1.0), key.height(WIDTH - RIGHT));
        let above = 30.0 + below_title + key_height;
        // A long title or key makes the drawing taller, not the plot area smaller.
        let longer = below_title + (key_height - KEY_LINES * TEXT_LINE).max(0.0);
        // Tick labels on the left decide how wide the plot area is; they depend on its height alone.
        let height = (self.height + longer - above - BELOW - 4.0).max(40.0);
        let y = self.y.scale(y_extent, tight, height);
        let room = if self.y.has_categories() { TEXT_LINE } else { 45.0 };
        let y_ticks = self.y.ticks(&y, (height / room) as usize + 1);
        let widest = y_ticks.iter().map(|(_, text)| key::text_width(text)).fold(0.0, f64::max).min(120.0);
        let left = widest + 30.0;
        let width = WIDTH - left - RIGHT;
        let x = self.x.scale(x_extent, tight, width);
        let x_ticks = self.x.ticks(&x, 6);
        let plot = Plot { x_axis: &self.x, y_axis: &self.y, x, y, width, height };
        let drawn: Vec<Drawn> = self.layers.iter().map(|layer| plot.draw(layer)).collect();
        let notes = notes(&drawn);
        let bottom = self.height + longer;
        let total = bottom + TEXT_LINE * notes.len() as f64;

        let area = Area { left, top: above, width, height };
        let mut m = Markup::default();
        self.open(&mut m, style, total, &title);
        key.write(&mut m, 10.0, 40.0 + below_title, WIDTH - RIGHT);
        self.axes(&mut m, &area, &x, &x_ticks, &y, &y_ticks);
        self.write_layers(&mut m, &area, drawn);
        for (i, note) in notes.iter().enumerate() {
            let y = Px(bottom + TEXT_LINE * i as f64 + 6.0);
            m.text("text", &[("class", &"note"), ("x", &10), ("y", &y)], note);
        }
        m.close("svg");
        m.finish()
    }

    fn open(&self, m: &mut Markup, style: &str, height: f64, title: &[String]) {
        let view = format!("0 0 {WIDTH} {}", Px(height));
        m.open(
            "svg",
            &[
                ("xmlns", &"http://www.w3.org/2000/svg"),
                ("class", &"chart"),
                ("viewBox", &view),
                ("role", &"img"),
                ("aria-label", &self.title),
                ("data-chart", &self.title),
                ("data-layers", &self.layers.len()),
            ],
        );
        m.text("title", &[], &self.title);
        if !self.description.is_empty() {
            m.text("desc", &[], &self.description);
        }
        if !style.is_empty() {
            m.open("style", &[]);
            m.raw(style);
            m.close("style");
        }
        for (i, line) in title.iter().enumerate() {
            let y = Px(20.0 + TITLE_LINE * i as f64);
            m.text("text", &[("class", &"title"), ("x", &10), ("y", &y)], line);
        }
    }

    fn axes(
        &self,
        m: &mut Markup,
        area: &Area,
        x: &Scale,
        x_ticks: &[(f64, String)],
        y: &Scale,
        y_ticks: &[(f64, String)],
    ) {
        let bottom = area.top + area.height;
        m.open("g", &[("class", &"axes")]);
        for (value, text) in x_ticks {
            let at = Px(area.left + x.at(*value));
            m.empty(
                "line",
                &[("class", &"grid"), ("x1", &at), ("x2", &at), ("y1", &Px(area.top)), ("y2", &Px(bottom))],
            );
            let y = Px(bottom + 16.0);
            m.text("text", &[("class", &"tick"), ("x", &at), ("y", &y), ("text-anchor", &"middle")], text);
        }
        for (value, text) in y_ticks {
            let at = bottom - y.at(*value);
            let (from, to) = (Px(area.left), Px(area.left + area.width));
            m.empty(
                "line",
                &[("class", &"grid"), ("x1", &from), ("x2", &to), ("y1", &Px(at)), ("y2", &Px(at))],
            );
            let (x, y) = (Px(area.left - 6.0), Px(at + 4.0));
            m.text("text", &[("class", &"tick"), ("x", &x), ("y", &y), ("text-anchor", &"end")], text);
        }
        let (middle, low) = (Px(area.left + 0.5 * area.width), Px(bottom + 36.0));
        m.text("text", &[("x", &middle), ("y", &low), ("text-anchor", &"middle")], &self.x.label);
        let turn = format!("translate(15 {}) rotate(-90)", Px(area.top + 0.5 * area.height));
        m.text("text", &[("transform", &turn), ("text-anchor", &"middle")], &self.y.label);
        m.close("g");
    }

    /// The layers stand in an inner `svg`, which cuts off what reaches beyond the plot area.
    fn write_layers(&self, m: &mut Markup, area: &Area, drawn: Vec<Drawn>) {
        let place = [Px(area.left), Px(area.top), Px(area.width), Px(area.height)];
        let nothing = drawn.iter().all(|d| d.shown == 0);
        m.open(
            "svg",
            &[
                ("x", &place[0]),
                ("y", &place[1]),
                ("width", &place[2]),
                ("height", &place[3]),
                ("class", &"plot"),
            ],
        );
        for ((layer, drawn), colour) in self.layers.iter().zip(drawn).zip(colours(&self.layers)) {
            m.open(
                "g",
                &[
                    ("class", &colour.map(palette::series).unwrap_or_default()),
                    ("data-layer", &layer.kind()),
                    ("data-series", &layer.name()),
                    ("data-points", &drawn.points),
                    ("data-shown", &drawn.shown),
                    ("data-skipped", &drawn.skipped),
                ],
            );
            m.raw(&drawn.body.finish());
            m.close("g");
        }
        m.close("svg");
        if nothing {
            let (x, y) = (Px(area.left + 0.5 * area.width), Px(area.top + 0.5 * area.height));
            let at: [(&str, &dyn std::fmt::Display); 4] =
                [("class", &"note empty"), ("x", &x), ("y", &y), ("text-anchor", &"middle")];
            m.text("text", &at, "nothing to draw: no finite values");
        }
        m.empty(
            "rect",
            &[
                ("class", &"frame"),
                ("x", &place[0]),
                ("y", &place[1]),
                ("width", &place[2]),
                ("height", &place[3]),
            ],
        );
    }

    /// What the layers cover along x and y.
    fn extents(&self) -> (Extent, Extent) {
        let (mut x, mut y): (Extent, Extent) = (None, None);
        for (px, py) in self.layers.iter().flat_map(Layer::corners) {
            // A point without a place in one direction (other than a guide line) is not drawn at all.
            let (in_x, in_y) = (self.x.shows(px), self.y.shows(py));
            if in_x && (in_y || py.is_nan() || py == 0.0) {
                widen(&mut x, px);
            }
            if in_y && (in_x || px.is_nan()) {
                widen(&mut y, py);
            }
        }
        if self.same_range {
            for (low, high) in [x, y].into_iter().flatten() {
                widen(&mut x, low);
                widen(&mut x, high);
            }
            y = x;
        }
        (x, y)
    }
}

fn widen(range: &mut Extent, value: f64) {
    let (low, high) = range.unwrap_or((value, value));
    *range = Some((low.min(value), high.max(value)));
}

/// The series colour of each layer: its own wish, or the next one.
fn colours(layers: &[Layer]) -> Vec<Option<usize>> {
    let mut next = 0;
    let mut pick = |wish: Option<usize>| {
        wish.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    layers.iter().map(|layer| layer.colour().map(&mut pick)).collect()
}

/// What could not be shown, in words.
fn notes(drawn: &[Drawn]) -> Vec<String> {
    let total = |count: fn(&Drawn) -> usize| drawn.iter().map(count).sum::<usize>();
    let (skipped, outside) = (total(|d| d.skipped), total(|d| d.outside));
    let mut notes = Vec::new();
    if skipped > 0 {
        notes.push(format!("{skipped} not drawn: not finite, or not positive on a log axis"));
    }
    if outside > 0 {
        notes.push(format!("{outside} outside the range shown"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bars, Cells, Contours, Grid, Line, Marker, Paint, Rule, Scatter};

    #[test]
    fn every_layer_says_what_it_shows() {
        let grid = Grid::new(4, 4, (0.0, 1.0), (0.0, 1.0)).with_values((0..16).map(f64::from));
        let svg = Chart::new("All")
            .layer(Cells::new("map", grid.clone(), Paint::Sequential))
            .layer(Contours::new("levels", grid, vec![3.0, 7.5]))
            .layer(Line::new("curve", vec![(0.0, 0.0), (0.5, f64::NAN), (1.0, 1.0)]))
            .layer(Scatter::new("cloud", vec![(0.2, 0.2); 3]))
            .layer(Bars::categories("bars", &[1.0]))
            .layer(Bars::categories("lying", &[1.0, 2.0]).lying())
            .layer(Rule::identity("y = x"))
            .layer(Marker::new("best", 0.5, 0.5))
            .to_svg();
        for text in [
            "data-layer=\"cells\" data-series=\"map\" data-points=\"16\" data-shown=\"16\" data-skipped=\"0\"",
            "data-layer=\"contours\" data-series=\"levels\" data-points=\"2\"",
            "data-layer=\"line\" data-series=\"curve\" data-points=\"3\" data-shown=\"2\" data-skipped=\"1\"",
            "data-layer=\"scatter\" data-series=\"cloud\" data-points=\"3\"",
            "data-layer=\"bars\" data-series=\"bars\" data-points=\"1\"",
            "data-layer=\"bars\" data-series=\"lying\" data-points=\"2\" data-shown=\"2\"",
            "data-layer=\"marker\" data-series=\"best\"",
            "1 not drawn",
        ] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
    }

    #[test]
    fn hostile_values_and_names_are_harmless() {
        let bad = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308, -1e308, 0.0, 1e-320];
        let points: Vec<_> = bad.iter().flat_map(|x| bad.map(|y| (*x, y))).collect();
        for log in [false, true] {
            let axis = |label: &str| if log { Axis::new(label).log() } else { Axis::new(label) };
            let svg = Chart::new("<script>")
                .x(axis("\"x\""))
                .y(axis("&"))
                .layer(Line::new("'", points.clone()))
                .layer(Scatter::new("</svg>", points.clone()))
                .layer(Bars::histogram("h", &bad))
                .to_svg();
            assert!(!svg.contains("<script>") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert_eq!(svg.matches("</svg>").count(), 2);
        }
    }

    #[test]
    fn long_titles_and_keys_make_the_drawing_taller_not_the_plot_smaller() {
        let plot = |svg: &str| {
            let at = svg.find("class=\"plot\"").unwrap();
            let height = svg[..at].rfind("height=\"").unwrap() + 8;
            svg[height..].split('"').next().unwrap().parse::<f64>().unwrap()
        };
        let line = |name: String| Line::new(name, vec![(0.0, 0.0), (1.0, 1.0)]);
        let few = Chart::new("Short").layer(line("a".into())).layer(line("b".into())).to_svg();
        let title = "A title of so many words that it cannot stand on one line of a chart";
        let many =
            Chart::new(title).layers((0..9).map(|k| line(format!("a rather long name of a series, {k}"))));
        let many = many.to_svg();
        assert!(plot(&many) >= plot(&few) - TEXT_LINE, "{} {}", plot(&few), plot(&many));
        assert_eq!(many.matches("class=\"title\"").count(), 2);
    }

    #[test]
    fn empty_charts_say_so() {
        assert!(Chart::new("Empty").layer(Line::new("none", vec![])).to_svg().contains("nothing to draw"));
        assert!(Chart::new("Empty").to_svg_file().contains("<style>"));
    }
}
