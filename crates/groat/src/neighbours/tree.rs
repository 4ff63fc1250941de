//! A k-d tree with the dimension known at run time.
//!
//! Balanced by position: every node halves its points at the median of the feature in which they spread
//! most, so equal coordinates cannot unbalance it, and its shape follows from the number of points alone.
//! A node is visited only if its bounding box comes nearer to the query than the radius.

use crate::matrix::Rows;

/// Points in a leaf, at most.
const LEAF: usize = 24;

#[derive(Clone, Debug)]
pub(super) struct Tree {
    points: usize,
    dimension: usize,
    /// Lower then upper corner of every node's box; nodes in heap order.
    boxes: Vec<f64>,
}

impl Tree {
    /// Brings `order` into the tree's order.
    pub(super) fn new(x: Rows<'_>, order: &mut [u32]) -> Tree {
        arrange(x, order);
        Tree { points: order.len(), dimension: x.cols(), boxes: Vec::new() }
    }

    /// Completes the tree with the boxes of the points, now in the tree's order.
    pub(super) fn with_boxes(mut self, points: Rows<'_>) -> Tree {
        let mut nodes = 1;
        let mut size = self.points;
        while size > LEAF {
            size = size.div_ceil(2);
            nodes = 2 * nodes + 1;
        }
        self.boxes = vec![0.0; nodes * 2 * self.dimension];
        self.fill_box(points, 0, 0, self.points);
        self
    }

    fn fill_box(&mut self, points: Rows<'_>, node: usize, from: usize, to: usize) {
        let d = self.dimension;
        let corners = &mut self.boxes[node * 2 * d..(node + 1) * 2 * d];
        let (low, high) = corners.split_at_mut(d);
        low.fill(f64::INFINITY);
        high.fill(f64::NEG_INFINITY);
        for row in points.slice(from, to).iter() {
            for k in 0..d {
                low[k] = low[k].min(row[k]);
                high[k] = high[k].max(row[k]);
            }
        }
        if to - from > LEAF {
            let middle = middle(from, to);
            self.fill_box(points, 2 * node + 1, from, middle);
            self.fill_box(points, 2 * node + 2, middle, to);
        }
    }

    /// Calls `run(from, to)` for the leaves that can hold points nearer than `limit` (squared).
    pub(super) fn runs(&self, query: &[f64], limit: f64, run: &mut impl FnMut(usize, usize)) {
        self.descend(0, 0, self.points, query, limit, run);
    }

    fn descend(
        &self,
        node: usize,
        from: usize,
        to: usize,
        query: &[f64],
        limit: f64,
        run: &mut impl FnMut(usize, usize),
    ) {
        if from == to || self.distance_to_box(node, query) >= limit {
            return;
        }
        if to - from <= LEAF {
            return run(from, to);
        }
        let middle = middle(from, to);
        self.descend(2 * node + 1, from, middle, query, limit, run);
        self.descend(2 * node + 2, middle, to, query, limit, run);
    }

    fn distance_to_box(&self, node: usize, query: &[f64]) -> f64 {
        let d = self.dimension;
        let corners = &self.boxes[node * 2 * d..(node + 1) * 2 * d];
        let mut squared = 0.0;
        for k in 0..d {
            let gap = (corners[k] - query[k]).max(query[k] - corners[d + k]).max(0.0);
            squared += gap * gap;
        }
        squared
    }
}

/// The larger half first, so that depths follow from the size alone.
fn middle(from: usize, to: usize) -> usize {
    from + (to - from).div_ceil(2)
}

/// The feature in which the given rows spread most; the first of equals.
pub(super) fn widest(x: Rows<'_>, rows: &[u32]) -> usize {
    let spread = |k: usize| {
        let values = rows.iter().map(|&i| x.row(i as usize)[k]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        high - low
    };
    let first = (0, spread(0));
    (1..x.cols())
        .map(|k| (k, spread(k)))
        .fold(first, |best, next| if next.1 > best.1 { next } else { best })
        .0
}

fn arrange(x: Rows<'_>, order: &mut [u32]) {
    if order.len() <= LEAF {
        return;
    }
    let axis = widest(x, order);
    let value = |i: u32| x.row(i as usize)[axis];
    let half = middle(0, order.len());
    order.select_nth_unstable_by(half, |&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
    let (left, right) = order.split_at_mut(half);
    rayon::join(|| arrange(x, left), || arrange(x, right));
}
