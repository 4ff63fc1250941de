//! Contour lines by marching squares, between the centres of the cells of a grid.

use crate::grid::Grid;

/// A piece of a contour in data coordinates.
pub(crate) type Segment = [(f64, f64); 2];

/// The pieces of the line on which the grid takes `level`. Squares with a value that is not finite are left out.
pub(crate) fn segments(grid: &Grid, level: f64) -> Vec<Segment> {
    let mut out = Vec::new();
    for row in 0..grid.rows().saturating_sub(1) {
        for column in 0..grid.columns().saturating_sub(1) {
            square(grid, column, row, level, &mut out);
        }
    }
    out
}

fn square(grid: &Grid, column: usize, row: usize, level: f64, out: &mut Vec<Segment>) {
    // Corners anticlockwise from the lower left.
    let places = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
    let values = places.map(|(i, j)| grid.value(i, j) - level);
    if values.iter().any(|v| !v.is_finite()) {
        return;
    }
    let corner = |k: usize| (grid.x_at(places[k].0, 0.5), grid.y_at(places[k].1, 0.5));
    let crossing = |k: usize| {
        let next = (k + 1) % 4;
        if (values[k] > 0.0) == (values[next] > 0.0) {
            return None;
        }
        let t = values[k] / (values[k] - values[next]);
        let ((x0, y0), (x1, y1)) = (corner(k), corner(next));
        Some((x0 + t * (x1 - x0), y0 + t * (y1 - y0)))
    };
    let crossings: Vec<(f64, f64)> = (0..4).filter_map(crossing).collect();
    match crossings[..] {
        [a, b] => out.push([a, b]),
        // A saddle: the mean decides which corners are joined.
        [a, b, c, d] => {
            let middle = values.iter().sum::<f64>() > 0.0;
            if middle == (values[0] > 0.0) {
                out.extend([[a, b], [c, d]]);
            } else {
                out.extend([[d, a], [b, c]]);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_comes_out_round() {
        let grid = Grid::new(80, 80, (-2.0, 2.0), (-2.0, 2.0));
        let values: Vec<f64> = grid.points().map(|(x, y)| x * x + y * y).collect();
        let pieces = segments(&grid.with_values(values), 1.0);
        assert!(pieces.len() > 50);
        let length: f64 = pieces.iter().map(|[a, b]| (a.0 - b.0).hypot(a.1 - b.1)).sum();
        assert!((length - 2.0 * std::f64::consts::PI).abs() < 0.02, "{length}");
    }

    #[test]
    fn nothing_without_values() {
        assert!(segments(&Grid::new(5, 5, (0.0, 1.0), (0.0, 1.0)), 0.0).is_empty());
        assert!(segments(&Grid::new(1, 1, (0.0, 1.0), (0.0, 1.0)), 0.0).is_empty());
    }
}
