//! Charts as SVG, and one self-contained HTML page to put them on.
//!
//! A [`Chart`] is a frame (title, two [`Axis`]) with layers drawn one over the other: [`Line`], [`Band`],
//! [`Scatter`], [`Bars`], [`Cells`], [`Contours`], [`Rule`], [`Marker`]. A [`Page`] holds sections of text,
//! [`Table`]s, settings and charts, and renders to a single file without scripts or network access.
//!
//! What is drawn can be checked by a program: each layer is a group with `data-layer`, `data-series`,
//! `data-points` (how many came), `data-shown` (how many are drawn after thinning) and `data-skipped`
//! (how many are NaN, infinite, or not positive on a logarithmic axis). Skipped values are also said in a
//! note below the chart. All text is escaped.
//!
//! ```
//! use groat_report::{Axis, Chart, Line, Page, Section};
//! let curve = Line::new("leave-one-out error", vec![(0.1, 0.9), (1.0, 0.2), (10.0, 0.6)]);
//! let chart = Chart::new("Width").x(Axis::new("width").log()).y(Axis::new("error")).layer(curve);
//! let html = Page::new("A run").section(Section::new("Selection").chart(chart)).to_html();
//! assert!(html.contains("data-series=\"leave-one-out error\" data-points=\"3\""));
//! ```

mod axis;
mod chart;
mod contour;
mod draw;
mod grid;
mod layer;
mod markup;
mod number;
mod page;
mod palette;
mod table;
mod thin;

pub use axis::Axis;
pub use chart::Chart;
pub use grid::Grid;
pub use layer::{Band, Bars, Cells, Contours, Layer, Line, Marker, Paint, Rule, Scatter, Shape};
pub use number::number;
pub use page::{Page, Section};
pub use table::Table;
