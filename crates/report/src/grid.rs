//! A quantity on a regular grid over a rectangle.

/// Values at the centres of `columns` x `rows` cells; the first row lies at the low end of y.
#[derive(Clone, Debug)]
pub struct Grid {
    columns: usize,
    rows: usize,
    x: (f64, f64),
    y: (f64, f64),
    values: Vec<f64>,
}

impl Grid {
    /// A grid without values yet (all NaN) over `x.0..x.1` and `y.0..y.1`. At most 512 x 512 cells.
    pub fn new(columns: usize, rows: usize, x: (f64, f64), y: (f64, f64)) -> Self {
        let (columns, rows) = (columns.clamp(1, 512), rows.clamp(1, 512));
        Grid { columns, rows, x, y, values: vec![f64::NAN; columns * rows] }
    }

    /// The centres of the cells, row by row: evaluate a model there, then call [`Grid::with_values`].
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        (0..self.rows)
            .flat_map(move |j| (0..self.columns).map(move |i| (self.x_at(i, 0.5), self.y_at(j, 0.5))))
    }

    /// Fills the cells in the order of [`Grid::points`]. Missing values stay NaN, surplus ones are dropped.
    pub fn with_values(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        for (cell, value) in self.values.iter_mut().zip(values) {
            *cell = value;
        }
        self
    }

    /// Where the non-zeros of a `rows` x `columns` matrix lie, counted into at most `cells` x `cells` squares.
    /// The first matrix row is the first grid row: give the y axis [`crate::Axis::upside_down`].
    pub fn spy(
        rows: usize,
        columns: usize,
        cells: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let grid = Grid::new(columns.min(cells), rows.min(cells), (0.0, columns as f64), (0.0, rows as f64));
        let mut counts = vec![0.0; grid.values.len()];
        for (i, j) in entries.into_iter().filter(|&(i, j)| i < rows && j < columns) {
            // Products in 128 bits: an index times 512 may not fit in 64.
            let row = (i as u128 * grid.rows as u128 / rows as u128) as usize;
            let column = (j as u128 * grid.columns as u128 / columns as u128) as usize;
            counts[row * grid.columns + column] += 1.0;
        }
        grid.with_values(counts)
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn value(&self, column: usize, row: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// x at a part (0 to 1) of a column.
    pub(crate) fn x_at(&self, column: usize, part: f64) -> f64 {
        self.x.0 + (self.x.1 - self.x.0) * ((column as f64 + part) / self.columns as f64)
    }

    /// y at a part (0 to 1) of a row.
    pub(crate) fn y_at(&self, row: usize, part: f64) -> f64 {
        self.y.0 + (self.y.1 - self.y.0) * ((row as f64 + part) / self.rows as f64)
    }

    pub(crate) fn corners(&self) -> [(f64, f64); 2] {
        [(self.x.0, self.y.0), (self.x.1, self.y.1)]
    }

    /// Lowest and highest finite value.
    pub(crate) fn value_range(&self) -> Option<(f64, f64)> {
        self.values.iter().filter(|v| v.is_finite()).fold(None, |range, &v| {
            let (low, high) = range.unwrap_or((v, v));
            Some((v.min(low), v.max(high)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn cells_are_visited_row_by_row() {
        let grid = Grid::new(2, 2, (0.0, 2.0), (0.0, 4.0));
        assert_eq!(grid.points().collect::<Vec<_>>(), [(0.5, 1.0), (1.5, 1.0), (0.5, 3.0), (1.5, 3.0)]);
        let grid = grid.with_values([1.0, 2.0, 3.0]);
        assert_eq!(grid.value(0, 1), 3.0);
        assert!(grid.value(1, 1).is_nan());
        assert_eq!(grid.value_range(), Some((1.0, 3.0)));
    }

    #[test]
    fn spy_counts_every_entry_inside() {
        let entries = (0..1000).map(|i| (i, i)).chain([(5000, 0)]);
        let grid = Grid::spy(1000, 1000, 100, entries);
        assert_eq!(grid.values().iter().sum::<f64>(), 1000.0);
        assert_eq!(grid.value(7, 7), 10.0);
    }
}
