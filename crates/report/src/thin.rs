//! Fewer points for the same picture: what the eye cannot tell apart is drawn once.
//! Both rules depend only on the points, so that the same run gives the same file.

/// How many points one series may leave in the file.
const MOST: usize = 2000;

/// Thins a line given in drawing units: in each of a fixed number of pieces, in the order given, the first,
/// lowest, highest and last point stay, so that peaks survive.
pub(crate) fn line(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= MOST {
        return points;
    }
    let pieces = MOST / 4;
    let mut kept = Vec::with_capacity(MOST);
    for piece in 0..pieces {
        let (start, end) = (piece * points.len() / pieces, (piece + 1) * points.len() / pieces);
        let range = start..end;
        let by_height = |a: &usize, b: &usize| points[*a].1.total_cmp(&points[*b].1);
        let (Some(low), Some(high)) = (range.clone().min_by(by_height), range.max_by(by_height)) else {
            continue;
        };
        let mut stay = [start, low, high, end - 1];
        stay.sort_unstable();
        let mut last = None;
        for i in stay {
            if last != Some(i) {
                kept.push(points[i]);
                last = Some(i);
            }
        }
    }
    kept
}

/// Thins a cloud given in drawing units: a point that falls into the same small square as an earlier one
/// goes; if that is not enough, the squares grow.
pub(crate) fn cloud(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut points = points;
    let mut square = 0.5;
    while points.len() > MOST && square < 1e3 {
        let mut taken = std::collections::HashSet::new();
        points.retain(|(x, y)| taken.insert(((x / square).floor() as i64, (y / square).floor() as i64)));
        square *= 1.5;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_series_are_left_alone() {
        let points = vec![(0.0, 1.0), (0.0, 1.0), (2.0, 1.0)];
        assert_eq!(line(points.clone()), points);
        assert_eq!(cloud(points.clone()), points);
    }

    #[test]
    fn a_peak_survives_and_the_file_stays_small() {
        let mut points: Vec<_> = (0..100_000).map(|i| (i as f64 / 300.0, 0.0)).collect();
        points[61_234].1 = 99.0;
        let kept = line(points.clone());
        assert!(kept.len() <= MOST);
        assert!(kept.contains(&points[61_234]));
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
    }

    #[test]
    fn clouds_are_thinned_alike_each_time() {
        let points: Vec<_> = (0..50_000u64)
            .map(|i| ((i * 7919 % 50_021) as f64 / 125.0, (i * 104_729 % 30_011) as f64 / 100.0))
            .collect();
        let kept = cloud(points.clone());
        assert!(kept.len() <= MOST && kept.len() > MOST / 10, "{}", kept.len());
        assert_eq!(kept, cloud(points));
    }
}
