//! Bands and bars.

use super::{Drawn, Plot, path};
use crate::layer::{Band, Bars};
use crate::number::Px;
use crate::thin;

pub(super) fn band(plot: &Plot<'_>, band: &Band) -> Drawn {
    let mut drawn = Drawn { points: band.points.len(), ..Drawn::default() };
    let placed: Vec<_> =
        band.points.iter().map(|&(x, low, high)| plot.place(x, low).zip(plot.place(x, high))).collect();
    drawn.skipped = placed.iter().filter(|p| p.is_none()).count();
    for piece in placed.split(|p| p.is_none()).filter(|piece| piece.len() > 1) {
        let (low, high): (Vec<_>, Vec<_>) = piece.iter().flatten().copied().unzip();
        let mut outline = thin::line(high);
        drawn.shown += outline.len();
        outline.extend(thin::line(low).into_iter().rev());
        drawn.body.empty("path", &[("class", &"band"), ("d", &(path(&outline) + "Z"))]);
    }
    drawn
}

pub(super) fn bars(plot: &Plot<'_>, bars: &Bars) -> Drawn {
    let mut drawn = Drawn { points: bars.bars.len(), ..Drawn::default() };
    // A logarithmic axis has no zero: bars stand on its lower end there.
    let (axis, scale) = if bars.lying { (plot.x_axis, &plot.x) } else { (plot.y_axis, &plot.y) };
    let ground = if axis.shows(0.0) { 0.0 } else { scale.range().0 };
    for [low, high] in bars.rectangles(ground) {
        let (Some(a), Some(b)) = (plot.place(low.0, low.1), plot.place(high.0, high.1)) else {
            drawn.skipped += 1;
            continue;
        };
        let (x, y) = (a.0.min(b.0), a.1.min(b.1));
        let (width, tall) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        // However many there are, each is seen.
        let (width, tall) = if bars.lying { (width, tall.max(0.5)) } else { (width.max(0.5), tall) };
        drawn.shown += 1;
        let at: [(&str, &dyn std::fmt::Display); 5] =
            [("class", &"bar"), ("x", &Px(x)), ("y", &Px(y)), ("width", &Px(width)), ("height", &Px(tall))];
        drawn.body.empty("rect", &at);
    }
    drawn
}
