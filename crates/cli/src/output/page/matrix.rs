//! Pictures of compact kernels: the curves of alignment and sparsity, and the structure of the matrix.

use groat::gram::SparseGram;
use groat::tune::{CurvePoint, SupportChoice};
use groat_report::{Axis, Cells, Chart, Grid, Line, Marker, Paint, Rule};

/// Cells along the side of a picture of a matrix.
const SIDE: usize = 128;

/// Alignment and sparsity over the support.
pub fn support_curves(title: &str, curve: &[CurvePoint], choice: Option<&SupportChoice>) -> Chart {
    let line = |name: &str, value: fn(&CurvePoint) -> f64| {
        Line::new(name, curve.iter().map(|p| (p.support, value(p))).collect())
    };
    let chart = Chart::new(title)
        .describe("How alignment with the full matrix grows and the share of zeros falls with the support")
        .x(Axis::new("support").log())
        .y(Axis::new("").range(0.0, 1.0))
        .layer(line("alignment", |p| p.alignment))
        .layer(line("share of zeros", |p| p.sparsity).dashed());
    match choice {
        Some(c) => chart.layer(Rule::vertical("chosen", c.support)).layer(Marker::new(
            format!("{:.3}", c.alignment),
            c.support,
            c.alignment,
        )),
        None => chart,
    }
}

/// Where the nonzeros of a matrix lie.
pub fn spy(title: &str, gram: &SparseGram) -> Chart {
    let n = gram.n();
    let side = SIDE.min(n);
    let size = n as f64;
    let grid = Grid::new(side, side, (0.0, size), (0.0, size));
    // A cell is as dark as it is full: where the rows do not divide evenly, some cells hold more entries.
    let mut rows = vec![0.0; side];
    (0..n).for_each(|i| rows[i * side / n] += 1.0);
    let share = |(at, count): (usize, u64)| count as f64 / (rows[at / side] * rows[at % side]);
    let shares = gram.picture(side).into_iter().enumerate().map(share);
    Chart::new(title)
        .describe("Each dot is a part of the matrix with nonzeros")
        .same_range()
        .x(Axis::new("column"))
        .y(Axis::new("row").upside_down())
        .layer(Cells::new("nonzeros", grid.with_values(shares), Paint::Ink))
}
