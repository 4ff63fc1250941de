//! Distances to a run of consecutive points.

use crate::matrix::Rows;

/// Features summed before a distance is compared with the limit.
const STRIDE: usize = 16;

/// Calls `hit(row, squared distance)` for the rows nearer than `limit` (squared).
#[inline]
pub(super) fn scan(points: Rows<'_>, query: &[f64], limit: f64, mut hit: impl FnMut(usize, f64)) {
    match *query {
        [a] => {
            for (k, &x) in points.data().iter().enumerate() {
                let squared = (x - a) * (x - a);
                if squared < limit {
                    hit(k, squared);
                }
            }
        }
        [a, b] => {
            for (k, p) in points.data().chunks_exact(2).enumerate() {
                let squared = (p[0] - a) * (p[0] - a) + (p[1] - b) * (p[1] - b);
                if squared < limit {
                    hit(k, squared);
                }
            }
        }
        _ => {
            for (k, p) in points.iter().enumerate() {
                if let Some(squared) = nearer(p, query, limit) {
                    hit(k, squared);
                }
            }
        }
    }
}

/// The squared distance if it is below `limit`; gives up as soon as it is not.
#[inline]
fn nearer(p: &[f64], query: &[f64], limit: f64) -> Option<f64> {
    let mut squared = 0.0;
    for (p, q) in p.chunks(STRIDE).zip(query.chunks(STRIDE)) {
        let mut lanes = [0.0; 4];
        let (ps, qs) = (p.chunks_exact(4), q.chunks_exact(4));
        for (l, (a, b)) in ps.remainder().iter().zip(qs.remainder()).enumerate() {
            lanes[l] += (a - b) * (a - b);
        }
        for (p, q) in ps.zip(qs) {
            for l in 0..4 {
                lanes[l] += (p[l] - q[l]) * (p[l] - q[l]);
            }
        }
        squared += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        if squared.is_nan() || squared >= limit {
            return None;
        }
    }
    Some(squared)
}
