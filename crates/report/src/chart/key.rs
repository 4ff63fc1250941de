//! The key: which colour means what.

use super::{TEXT_LINE, colours};
use crate::layer::{Layer, Paint, Shape};
use crate::markup::Markup;
use crate::number::{Px, number};
use crate::palette;

/// One entry of the key.
struct Entry {
    swatch: Swatch,
    class: String,
    text: String,
}

enum Swatch {
    Stroke(&'static str),
    Dot(&'static str),
    Area(&'static str),
    Scale,
}

pub(super) struct Key(Vec<Entry>);

/// Width of a small text, estimated: fonts differ, so a little too much.
pub(super) fn text_width(text: &str) -> f64 {
    7.0 * text.chars().count() as f64
}

/// Words in lines that fit; a word alone may be longer.
pub(super) fn lines(text: &str, width: f64, letter: f64) -> Vec<String> {
    let most = (width / letter) as usize;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.len() - 1;
        if lines[line].is_empty() {
            lines[line].push_str(word);
        } else if lines[line].chars().count() + 1 + word.chars().count() <= most {
            lines[line].push(' ');
            lines[line].push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

const SWATCH: f64 = 22.0;
const GAP: f64 = 14.0;

impl Key {
    pub fn of(layers: &[Layer]) -> Self {
        let mut entries = Vec::new();
        for (layer, colour) in layers.iter().zip(colours(layers)) {
            let class = colour.map(palette::series).unwrap_or_default();
            let mut add = |swatch, class: String, text: String| {
                if !text.is_empty() {
                    entries.push(Entry { swatch, class, text });
                }
            };
            let name = layer.name().to_owned();
            match layer {
                Layer::Line(l) => add(Swatch::Stroke(l.class()), class, name),
                Layer::Band(_) => add(Swatch::Area("band"), class, name),
                Layer::Bars(_) => add(Swatch::Area("bar"), class, name),
                Layer::Rule(_) => add(Swatch::Stroke("rule"), class, name),
                Layer::Contours(l) => add(Swatch::Stroke(l.class()), class, name),
                Layer::Scatter(l) => add(
                    Swatch::Dot(match l.shape {
                        Shape::Dot => "dot",
                        Shape::Ring => "ring",
                        Shape::Cross => "cross",
                    }),
                    class,
                    name,
                ),
                // The words stand beside the point itself.
                Layer::Marker(_) => {}
                Layer::Cells(l) => match &l.paint {
                    Paint::Sequential => {
                        let (low, high) = l.grid.value_range().unwrap_or((f64::NAN, f64::NAN));
                        add(
                            Swatch::Scale,
                            String::new(),
                            format!("{name} {} to {}", number(low), number(high)),
                        );
                    }
                    Paint::Classes(names) => names
                        .iter()
                        .enumerate()
                        .for_each(|(i, n)| add(Swatch::Area("region"), palette::series(i), n.clone())),
                    Paint::Ink => add(Swatch::Area("ink"), String::new(), name),
                },
            }
        }
        // One series needs no key beyond the title and the axes.
        if entries.len() == 1 && !matches!(entries[0].swatch, Swatch::Scale) {
            entries.clear();
        }
        Key(entries)
    }

    pub fn height(&self, width: f64) -> f64 {
        TEXT_LINE * self.places(width).last().map_or(0.0, |(_, line)| *line as f64 + 1.0)
    }

    pub fn write(&self, m: &mut Markup, left: f64, top: f64, width: f64) {
        for (entry, (x, line)) in self.0.iter().zip(self.places(width)) {
            let (x, y) = (left + x, top + TEXT_LINE * line as f64);
            m.open("g", &[("class", &entry.class), ("data-key", &entry.text)]);
            entry.swatch.write(m, x, y - 4.0);
            m.text("text", &[("class", &"tick"), ("x", &Px(x + SWATCH)), ("y", &Px(y))], &entry.text);
            m.close("g");
        }
    }

    /// Each entry's distance from the left and its line.
    fn places(&self, width: f64) -> Vec<(f64, usize)> {
        let (mut x, mut line) = (0.0, 0);
        let mut places = Vec::with_capacity(self.0.len());
        for entry in &self.0 {
            let wide = SWATCH + text_width(&entry.text) + GAP;
            if x > 0.0 && x + wide > width {
                (x, line) = (0.0, line + 1);
            }
            places.push((x, line));
            x += wide;
        }
        places
    }
}

impl Swatch {
    fn write(&self, m: &mut Markup, x: f64, y: f64) {
        match self {
            Swatch::Stroke(class) => {
                let d = format!("M{} {}h16", Px(x), Px(y));
                m.empty("path", &[("class", class), ("d", &d)]);
            }
            Swatch::Dot("cross") => {
                let d = format!("M{} {}l6 6m-6 0l6 -6", Px(x + 5.0), Px(y - 3.0));
                m.empty("path", &[("class", &"cross"), ("d", &d)]);
            }
            Swatch::Dot(class) => {
                m.empty("circle", &[("class", class), ("cx", &Px(x + 8.0)), ("cy", &Px(y)), ("r", &4)]);
            }
            Swatch::Area(class) => {
                let (x, y) = (Px(x), Px(y - 5.0));
                m.empty("rect", &[("class", class), ("x", &x), ("y", &y), ("width", &16), ("height", &10)]);
            }
            Swatch::Scale => {
                for i in 0..8 {
                    let (x, y) = (Px(x + 2.0 * i as f64), Px(y - 5.0));
                    let fill = palette::sequential(i as f64 / 7.0);
                    m.empty("rect", &[("fill", &fill), ("x", &x), ("y", &y), ("width", &2), ("height", &10)]);
                }
            }
        }
    }
}
