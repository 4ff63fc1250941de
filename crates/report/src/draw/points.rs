//! Curves, clouds, marked points and guide lines.

use super::{Drawn, Plot, path};
use crate::layer::{Line, Marker, Rule, RuleKind, Scatter, Shape};
use crate::number::Px;
use crate::thin;

pub(super) fn line(plot: &Plot<'_>, line: &Line) -> Drawn {
    let mut drawn = Drawn { points: line.points.len(), ..Drawn::default() };
    let class = line.class();
    let placed: Vec<_> = line.points.iter().map(|&(x, y)| plot.place(x, y)).collect();
    // A point without any place is a gap that is meant.
    let gaps = line.points.iter().filter(|(x, y)| x.is_nan() && y.is_nan()).count();
    drawn.skipped = placed.iter().filter(|p| p.is_none()).count() - gaps;
    for piece in placed.split(|p| p.is_none()).filter(|piece| !piece.is_empty()) {
        let kept = thin::line(piece.iter().flatten().copied().collect());
        drawn.shown += kept.len();
        if let [(x, y)] = kept[..] {
            drawn.body.empty("circle", &[("class", &"marker"), ("cx", &Px(x)), ("cy", &Px(y)), ("r", &2)]);
            continue;
        }
        let corners = if line.steps { with_steps(&kept) } else { kept };
        drawn.body.empty("path", &[("class", &class), ("d", &path(&corners))]);
    }
    drawn
}

/// Each value is held until the next point.
fn with_steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut out = Vec::with_capacity(2 * points.len());
    for pair in points.windows(2) {
        out.extend([pair[0], (pair[1].0, pair[0].1)]);
    }
    out.extend(points.last());
    out
}

pub(super) fn scatter(plot: &Plot<'_>, scatter: &Scatter) -> Drawn {
    let mut drawn = Drawn { points: scatter.points.len(), ..Drawn::default() };
    let mut placed: Vec<_> = scatter.points.iter().filter_map(|&(x, y)| plot.place(x, y)).collect();
    drawn.skipped = drawn.points - placed.len();
    let before = placed.len();
    placed.retain(|p| plot.contains(*p));
    drawn.outside = before - placed.len();
    let kept = thin::cloud(placed);
    drawn.shown = kept.len();
    let radius = if kept.len() > 500 { 2.0 } else { 2.8 };
    for (x, y) in kept {
        symbol(&mut drawn, scatter.shape, (x, y), radius);
    }
    drawn
}

fn symbol(drawn: &mut Drawn, shape: Shape, (x, y): (f64, f64), radius: f64) {
    match shape {
        Shape::Dot => {
            drawn.body.empty("circle", &[("class", &"dot"), ("cx", &Px(x)), ("cy", &Px(y)), ("r", &radius)]);
        }
        Shape::Ring => {
            drawn.body.empty("circle", &[("class", &"ring"), ("cx", &Px(x)), ("cy", &Px(y)), ("r", &4.5)]);
        }
        Shape::Cross => {
            let d = path(&[(x - 3.0, y - 3.0), (x + 3.0, y + 3.0)])
                + &path(&[(x - 3.0, y + 3.0), (x + 3.0, y - 3.0)]);
            drawn.body.empty("path", &[("class", &"cross"), ("d", &d)]);
        }
    }
}

pub(super) fn marker(plot: &Plot<'_>, marker: &Marker) -> Drawn {
    let mut drawn = Drawn { points: 1, ..Drawn::default() };
    let Some((x, y)) = plot.place(marker.at.0, marker.at.1) else {
        drawn.skipped = 1;
        return drawn;
    };
    if !plot.contains((x, y)) {
        drawn.outside = 1;
        return drawn;
    }
    drawn.shown = 1;
    drawn.body.empty("circle", &[("class", &"marker"), ("cx", &Px(x)), ("cy", &Px(y)), ("r", &4.5)]);
    // Words go where there is room: towards the middle, above the point unless it is near the top.
    let (anchor, dx) = if x > 0.5 * plot.width { ("end", -8.0) } else { ("start", 8.0) };
    let dy = if y < 24.0 { 18.0 } else { -9.0 };
    let at = (Px(x + dx), Px(y + dy));
    drawn.body.text(
        "text",
        &[("class", &"label"), ("x", &at.0), ("y", &at.1), ("text-anchor", &anchor)],
        &marker.name,
    );
    drawn
}

pub(super) fn rule(plot: &Plot<'_>, rule: &Rule) -> Drawn {
    let mut drawn = Drawn { points: 1, ..Drawn::default() };
    let ((x0, x1), (y0, y1)) = (plot.x.range(), plot.y.range());
    let ends = match rule.kind {
        RuleKind::Horizontal(y) => [(x0, y), (x1, y)],
        RuleKind::Vertical(x) => [(x, y0), (x, y1)],
        RuleKind::Identity => {
            let (low, high) = (x0.max(y0), x1.min(y1));
            if low >= high {
                drawn.outside = 1;
                return drawn;
            }
            [(low, low), (high, high)]
        }
    };
    match ends.map(|(x, y)| plot.place(x, y)) {
        [Some(a), Some(b)] => {
            drawn.shown = 1;
            drawn.body.empty("path", &[("class", &"rule"), ("d", &path(&[a, b]))]);
        }
        _ => drawn.skipped = 1,
    }
    drawn
}
