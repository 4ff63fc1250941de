//! All points within a radius of a query, in any dimension.
//!
//! What a compactly supported kernel needs: only points nearer than its support contribute. The index is
//! chosen by dimension and data: a cell grid up to three features (unless the radius is so small that
//! cells would outnumber the points by far), a k-d tree up to seven, blocked brute force above, where
//! neighbour search cannot pay. Duplicates, lattices and constant features are ordinary input: cells and
//! leaves hold any number of equal points, and the tree splits by position, not by value.
//!
//! ```
//! use groat::{Rows, neighbours::Neighbours};
//! let x = [0.0, 0.4, 0.9, 2.0];
//! let index = Neighbours::new(Rows::new(&x, 1)?, 1.0)?;
//! let mut near: Vec<u32> = index.within(&[0.0]).iter().map(|hit| hit.index).collect();
//! near.sort();
//! assert_eq!(near, [0, 1, 2]);
//! # Ok::<(), groat::Error>(())
//! ```

mod brute;
mod dissection;
mod grid;
mod tree;

use crate::error::{Error, Result, check_positive};
use crate::matrix::{Matrix, Rows};
use grid::Grid;
use tree::Tree;

/// From this dimension on, boxes around points overlap so much that searching them cannot pay.
const BRUTE_FROM: usize = 8;

/// A point within the radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its row in the set the index was made from.
    pub index: u32,
    /// Squared Euclidean distance to the query.
    pub squared: f64,
}

/// Points arranged for searches with one fixed radius.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// The points in the index's own order.
    points: Matrix,
    /// Row `k` of `points` is row `order[k]` of the original set.
    order: Vec<u32>,
    radius: f64,
    /// Squared distances below this belong to distances below the radius, rounding included.
    limit: f64,
    index: Index,
}

#[derive(Clone, Debug)]
enum Index {
    Grid(Grid),
    Tree(Tree),
    Brute,
}

impl Neighbours {
    /// Arranges the rows of `x`; all must be finite.
    pub fn new(x: Rows<'_>, radius: f64) -> Result<Neighbours> {
        check_positive("radius", radius)?;
        x.check_finite("points")?;
        if x.rows() > u32::MAX as usize {
            return Err(Error::parameter("points", x.rows(), "at most 4294967295 rows"));
        }
        let mut order: Vec<u32> = (0..x.rows() as u32).collect();
        let grid = if x.cols() <= 3 { Grid::new(x, radius, &mut order) } else { None };
        let index = match grid {
            Some(grid) => Index::Grid(grid),
            None if x.cols() < BRUTE_FROM => Index::Tree(Tree::new(x, &mut order)),
            None => Index::Brute,
        };
        let selected: Vec<usize> = order.iter().map(|&i| i as usize).collect();
        let points = x.select(&selected);
        let index = match index {
            Index::Tree(tree) => Index::Tree(tree.with_boxes(points.view())),
            other => other,
        };
        Ok(Neighbours { points, order, radius, limit: squared_limit(radius), index })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True when there is no point.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The original row numbers in an order in which near points stand near each other.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The points in that order.
    pub(crate) fn points(&self) -> Rows<'_> {
        self.points.view()
    }

    /// What kind of search the data led to: `grid`, `tree` or `brute`.
    pub fn kind(&self) -> &'static str {
        match self.index {
            Index::Grid(_) => "grid",
            Index::Tree(_) => "tree",
            Index::Brute => "brute",
        }
    }

    /// Calls `visit(original row, squared distance)` for every point strictly nearer than the radius.
    ///
    /// The order of the calls depends on the index alone. A query with a NaN or another number of
    /// features has no neighbours.
    pub fn visit(&self, query: &[f64], mut visit: impl FnMut(u32, f64)) {
        self.visit_places(query, |place, squared| visit(self.order[place], squared));
    }

    /// [`Neighbours::visit`] with places in [`Neighbours::order`] instead of rows.
    pub(crate) fn visit_places(&self, query: &[f64], mut visit: impl FnMut(usize, f64)) {
        if query.len() != self.points.cols() {
            return;
        }
        let limit = self.limit;
        let mut run = |from: usize, to: usize| {
            let points = self.points.view().slice(from, to);
            brute::scan(points, query, limit, |k, squared| visit(from + k, squared));
        };
        match &self.index {
            Index::Grid(grid) => grid.runs(query, &mut run),
            Index::Tree(tree) => tree.runs(query, limit, &mut run),
            Index::Brute => run(0, self.len()),
        }
    }

    /// The points strictly nearer than the radius.
    pub fn within(&self, query: &[f64]) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.visit(query, |index, squared| hits.push(Hit { index, squared }));
        hits
    }

    /// How many points are strictly nearer than the radius.
    pub fn count(&self, query: &[f64]) -> usize {
        let mut count = 0;
        self.visit(query, |_, _| count += 1);
        count
    }
}

/// The least `s` whose root is not below the radius: `s < limit` exactly when `sqrt(s) < radius`.
///
/// `radius^2` itself may be rounded up, and then a pair at just the radius would count as nearer.
fn squared_limit(radius: f64) -> f64 {
    let mut limit = radius * radius;
    while limit > 0.0 && limit.next_down().sqrt() >= radius {
        limit = limit.next_down();
    }
    while limit.sqrt() < radius {
        limit = limit.next_up();
    }
    limit
}

#[cfg(test)]
mod tests;
