//! Nested dissection by straight cuts: an elimination order for the matrices of compact kernels.
//!
//! Points farther apart than the radius share no entry, so a strip as wide as the radius separates what lies
//! on its two sides. Eliminating both sides first and the strip last leaves the two independent of each
//! other; each is cut again in the same way (George 1973). In two dimensions the factor gets about as full as
//! by minimum degree, in more it stays emptier; the order costs a small part of the time, because it looks at
//! coordinates and not at entries, and its tree is balanced, which is what threads need.

use super::Neighbours;
use super::tree::widest;

/// Parts with so few points are not cut any further.
const SMALL: usize = 64;
/// A strip with more points than so many times the smaller side does not pay.
const WORST: usize = 8;

/// Where to cut: points below `at` are on the left, those from `at` plus the radius on are on the right.
struct Cut {
    axis: usize,
    at: f64,
    /// Points in the strip, and on the smaller side.
    strip: usize,
    smaller: usize,
}

impl Neighbours {
    /// An order of elimination: entry `k` is the place, in [`Neighbours::order`], of the point that comes as
    /// number `k`.
    pub(crate) fn nested_dissection(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.len() as u32).collect();
        let mut marks = vec![0; self.len()];
        self.dissect(&mut places, &mut marks, &mut 0);
        places
    }

    /// Brings a part into the order left, right, strip, and so within left and right.
    fn dissect(&self, part: &mut [u32], marks: &mut [u32], cuts: &mut u32) {
        if part.len() <= SMALL {
            return;
        }
        let Some(cut) = self.cut(part, widest(self.points.view(), part)) else { return };
        *cuts += 1;
        let (left, right, strip) = self.sides(part, &cut, marks, *cuts);
        let (first, rest) = part.split_at_mut(left.len());
        let (second, last) = rest.split_at_mut(right.len());
        first.copy_from_slice(&left);
        second.copy_from_slice(&right);
        last.copy_from_slice(&strip);
        self.dissect(first, marks, cuts);
        self.dissect(second, marks, cuts);
    }

    /// The best cut across one axis, if any pays. Neither side gets less than a third of the other.
    fn cut(&self, part: &[u32], axis: usize) -> Option<Cut> {
        let mut values: Vec<f64> = part.iter().map(|&p| self.points.row(p as usize)[axis]).collect();
        values.sort_unstable_by(f64::total_cmp);
        let mut best: Option<Cut> = None;
        let mut far = 0;
        for (left, &at) in values.iter().enumerate() {
            while far < values.len() && values[far] - at < self.radius {
                far += 1;
            }
            let right = values.len() - far;
            let (smaller, strip) = (left.min(right), far - left);
            // Of equal values only the first is a place to cut.
            let inside = left > 0 && values[left - 1] == at;
            if inside || 4 * smaller < left + right || smaller == 0 || strip > WORST * smaller {
                continue;
            }
            if best.as_ref().is_none_or(|b| strip * b.smaller < b.strip * smaller) {
                best = Some(Cut { axis, at, strip, smaller });
            }
        }
        best
    }

    /// Left, right and strip. Points of the strip that see none on the left can go right.
    fn sides(
        &self,
        part: &[u32],
        cut: &Cut,
        marks: &mut [u32],
        number: u32,
    ) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let value = |p: u32| self.points.row(p as usize)[cut.axis];
        let (left, others): (Vec<u32>, Vec<u32>) = part.iter().partition(|p| value(**p) < cut.at);
        for &p in &left {
            marks[self.order[p as usize] as usize] = number;
        }
        let sees_left = |p: u32| {
            let mut sees = false;
            self.visit(self.points.row(p as usize), |row, _| sees |= marks[row as usize] == number);
            sees
        };
        let (strip, right): (Vec<u32>, Vec<u32>) =
            others.into_iter().partition(|&p| value(p) - cut.at < self.radius && sees_left(p));
        (left, right, strip)
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::Rows;
    use crate::neighbours::Neighbours;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn every_point_comes_once_and_sides_do_not_touch(
            d in 1usize..5,
            data in prop::collection::vec(0.0f64..1.0, 1..3000),
            lattice in any::<bool>(),
            radius in 0.01f64..0.5,
        ) {
            let rows = (data.len() / d).max(1);
            let mut data = data;
            data.resize(rows * d, 0.5);
            if lattice {
                data.iter_mut().for_each(|v| *v = (*v * 8.0).round() / 8.0);
            }
            let index = Neighbours::new(Rows::new(&data, d).unwrap(), radius).unwrap();
            let mut order = index.nested_dissection();
            // The first cut: whatever precedes the strip falls into two parts without a common pair.
            let part: Vec<u32> = (0..rows as u32).collect();
            for axis in 0..d {
                if let Some(cut) = index.cut(&part, axis) {
                    let mut marks = vec![0; rows];
                    let (left, right, strip) = index.sides(&part, &cut, &mut marks, 1);
                    prop_assert_eq!(left.len() + right.len() + strip.len(), rows);
                    prop_assert!(strip.len() <= cut.strip && !left.is_empty() && !right.is_empty());
                    for &p in &right {
                        index.visit(index.points.row(p as usize), |row, _| assert_ne!(marks[row as usize], 1));
                    }
                }
            }
            order.sort_unstable();
            prop_assert_eq!(order, part);
        }
    }
}
