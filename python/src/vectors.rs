//! Which training rows became the vectors of a model.

use groat::data::Standardisation;
use groat::matrix::Point;
use groat::{Model, PointSet, Points, Result};
use std::collections::HashMap;

/// Rows that are looked at a time.
const BLOCK: usize = 4096;

/// For each vector the row, from 0, that it was; nothing when some vector is no row (as for linear machines, which keep
/// coefficients, random features, which keep none, and densities, which keep raw centres). Rows are compared bit by bit,
/// as the method has seen them; of equal rows the first ones stand.
pub(crate) fn rows_of_vectors(model: &Model, x: Points<'_>) -> Result<Option<Vec<usize>>> {
    let Some(vectors) = model.expansion().map(groat::Expansion::vectors) else { return Ok(None) };
    let mut wanted: HashMap<Vec<(u32, u64)>, Vec<usize>> = HashMap::new();
    // The last of equal vectors is handed out first, so that the first vector gets the first row.
    for i in (0..vectors.rows()).rev() {
        wanted.entry(key(vectors.point(i))).or_default().push(i);
    }
    let (mut found, mut left) = (vec![usize::MAX; vectors.rows()], vectors.rows());
    for start in (0..x.rows()).step_by(BLOCK) {
        let end = (start + BLOCK).min(x.rows());
        let block = seen(x.slice(start, end), model.standardisation())?;
        for i in 0..end - start {
            let Some(places) = wanted.get_mut(&key(block.view().point(i))) else { continue };
            if let Some(place) = places.pop() {
                found[place] = start + i;
                left -= 1;
            }
        }
        if left == 0 {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Rows as the method has seen them.
fn seen(x: Points<'_>, standardisation: Option<&Standardisation>) -> Result<PointSet> {
    let mut copy = x.to_set();
    match standardisation {
        Some(standardisation) => standardisation.apply_points(&mut copy).map(|()| copy),
        None => Ok(copy),
    }
}

/// The bits of the numbers that are not zero, with their places.
fn key(point: Point<'_>) -> Vec<(u32, u64)> {
    let bits = |(j, v): (u32, &f64)| (*v != 0.0).then(|| (j, v.to_bits()));
    match point {
        Point::Dense(row) => (0..).zip(row).filter_map(bits).collect(),
        Point::Sparse(columns, values) => columns.iter().copied().zip(values).filter_map(bits).collect(),
    }
}
