//! Choosing the width and the ridge by leave-one-out.
//!
//! With `K = U diag(l) U'`, every `C^-1 = U diag(1 / (l + ridge)) U'`: after one eigendecomposition per
//! width (`O(n^3)`), all ridges together cost two matrix products. Where there are more rows than that is quick for, the best
//! of the grid is the start of a walk to better neighbours on more of them, one factorisation each.

use super::solve::solve;
use super::{KernelRidge, close, right_hand_sides, root_weights, scale_both_sides};
use crate::batch::{Impatient, Problem, Progress, Quiet, Watch};
use crate::error::{Error, Result};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet};
use crate::tune::{
    Ladder, Place, Search, Steps, Trial, Trials, Walk, best, sample_rows, stablest, stepped, typical_distance,
};
use groat_linalg::{View, ViewMut, Write, eigh, product};

/// Widths of the first automatic grid: the typical distance times `2^(k/2)`.
const FIRST: std::ops::RangeInclusive<i32> = -5..=3;
/// How far the grid may be widened at either end.
const LAST: std::ops::RangeInclusive<i32> = -10..=7;
/// Rows that the grid looks at, and places that a walk on more rows may try.
const GRID_ROWS: usize = 800;
const WALK: usize = 12;

/// Multiplications of a search on so many rows.
pub(super) fn work(rows: f64) -> f64 {
    let grid = 200.0 * rows.min(GRID_ROWS as f64).powi(3);
    let walk = if rows > GRID_ROWS as f64 { WALK as f64 * rows.powi(3) / 3.0 } else { 0.0 };
    grid + walk
}

/// The part of the data that the search sees.
struct Sample {
    x: PointSet,
    y: Matrix,
    roots: Option<Vec<f64>>,
    bias: bool,
}

/// The trials, and a word on the rows. A request to stop ends it with those made so far.
pub(super) fn search(
    params: &KernelRidge,
    problem: &Problem<'_>,
    watch: &dyn Watch,
) -> Result<(Vec<Trial>, Option<String>)> {
    let n = problem.x.rows();
    let all = sample_rows(n, params.selection_rows, params.seed);
    let (used, seed) = (all.len(), params.seed);
    let rows: Vec<usize> = sample_rows(used, GRID_ROWS, seed).into_iter().map(|k| all[k]).collect();
    let note = (used < n)
        .then(|| format!("width and ridge were chosen on {used} of {n} rows, drawn with seed {seed}"));
    let sample = Sample {
        x: problem.x.select(&rows),
        y: problem.responses().view().select(&rows),
        roots: root_weights(problem).map(|s| rows.iter().map(|i| s[*i]).collect()),
        bias: params.bias,
    };
    let ridges = ridges(params, &sample);
    let judge = |kernel: &Kernel| {
        let trial = |(ridge, score): (&f64, f64)| Trial::new(kernel.clone(), *ridge, score);
        Ok(ridges.iter().zip(scores(kernel, &ridges, &sample)?).map(trial).collect())
    };
    let ladder = Ladder::new(typical_distance(sample.x.view(), params.seed), FIRST, LAST);
    let of =
        |widths: &[f64]| -> Vec<Kernel> { widths.iter().map(|w| params.kernel.with_width(*w)).collect() };
    let first = match &params.widths {
        Search::Grid(widths) if params.searches_width() => of(widths),
        Search::Auto if params.searches_width() => of(&ladder.values()),
        _ => vec![params.kernel.clone()],
    };
    let mut trials = Trials::new(watch);
    match go_through(params, &mut trials, &first, ladder, judge) {
        // One at least, so that there is a model to show.
        Err(Error::Stopped) if best(trials.tried()).is_none() => {
            trials = Trials::new(&Quiet);
            trials.side_by_side(&[first[first.len() / 2].clone()], judge)?;
        }
        Err(Error::Stopped) => {}
        outcome => outcome?,
    }
    if best(trials.tried()).is_none() {
        return Err(Error::Numerical {
            what: "choosing the width and the ridge",
            reason: "no leave-one-out error was finite; check the scale of the target".to_owned(),
        });
    }
    let trials = trials.into_tried();
    if used == rows.len() || watch.stop_requested() {
        return Ok((trials, note));
    }
    let on_more = walk(params, &problem.select(&all).problem()?, &trials, watch)?;
    Ok((if on_more.is_empty() { trials } else { on_more }, note))
}

/// Trials on more rows, from the best of some on: those of fewer rows are of another scale, and do not count beside them.
fn walk(
    params: &KernelRidge,
    problem: &Problem<'_>,
    trials: &[Trial],
    watch: &dyn Watch,
) -> Result<Vec<Trial>> {
    let Some(start) = stablest(trials) else { return Ok(Vec::new()) };
    let free = Walk {
        widths: params.searches_width() && params.widths == Search::Auto,
        ridges: params.ridges == Search::Auto,
        most: WALK,
    };
    // Two at a time, and each is factorised in place.
    let bytes = 2 * 8 * (problem.x.rows() as u64).pow(2);
    if !(free.widths || free.ridges) || !params.memory.holds(bytes) {
        return Ok(Vec::new());
    }
    let quick = KernelRidge { leave_one_out: true, ..params.clone() };
    let judge = |at: Steps| {
        let (kernel, ridge) = stepped(&start.kernel, start.ridge, at)?;
        let solution = solve(&quick, problem, &kernel, ridge, &Impatient(watch)).ok()?;
        let score = solution.leave_one_out?.mean_squared;
        Some(Place { at, score: if score.is_finite() { score } else { f64::INFINITY }, found: () })
    };
    watch
        .progress(&Progress::new("choosing the width", 0, None).detail(format!("{} rows", problem.x.rows())));
    let Some(first) = judge((0, 0)) else { return Ok(Vec::new()) };
    let (_, scores) = free.from(first, &|| watch.stop_requested(), judge);
    let trial = |(at, score): (Steps, f64)| {
        let (kernel, ridge) = stepped(&start.kernel, start.ridge, at)?;
        Some(Trial::new(kernel, ridge, score))
    };
    Ok(scores.into_iter().filter_map(trial).collect())
}

/// The first kernels, then others where the best of them lies at an end, then some around it.
fn go_through(
    params: &KernelRidge,
    trials: &mut Trials<'_>,
    first: &[Kernel],
    ladder: Ladder,
    judge: impl Fn(&Kernel) -> Result<Vec<Trial>> + Sync + Copy,
) -> Result<()> {
    trials.side_by_side(first, judge)?;
    if params.searches_width() {
        if params.widths == Search::Auto {
            trials.widen(&params.kernel, ladder, judge)?;
        }
        for round in 1..=params.finer {
            trials.side_by_side(&trials.around_best(round), judge)?;
        }
    }
    Ok(())
}

/// The ridges to try, in proportion to the diagonal of the kernel matrix.
fn ridges(params: &KernelRidge, sample: &Sample) -> Vec<f64> {
    match &params.ridges {
        Search::Fixed => vec![params.ridge],
        Search::Grid(values) => values.clone(),
        Search::Auto => {
            let rows = sample.x.rows() as f64;
            let diagonal =
                gram::diagonal(&params.kernel, sample.x.view()).iter().map(|k| k.abs()).sum::<f64>() / rows;
            let scale = if diagonal > 0.0 && diagonal.is_finite() { diagonal } else { 1.0 };
            (-12..=4).map(|k| scale * 10f64.powf(f64::from(k) / 2.0)).collect()
        }
    }
}

/// The weighted leave-one-out mean square error for every ridge; infinite where it cannot be had.
fn scores(kernel: &Kernel, ridges: &[f64], sample: &Sample) -> Result<Vec<f64>> {
    let n = sample.x.rows();
    let outputs = sample.y.cols();
    let roots = sample.roots.as_deref();
    let mut k = gram::matrix(kernel, sample.x.view())?;
    if let Some(s) = roots {
        scale_both_sides(&mut k, s);
    }
    let eigen = eigh(k.data(), n)?;
    let u = View::column_major(&eigen.vectors, n, n)?;
    let rhs = right_hand_sides(&sample.y, roots);
    let columns = outputs + 1;
    let mut rotated = vec![0.0; n * columns];
    let view = ViewMut::column_major(&mut rotated, n, columns)?;
    product(1.0, u.t(), View::column_major(&rhs, n, columns)?, Write::Replace, view)?;
    // All ridges at once: the solutions, then the diagonals of the inverses.
    let inverse: Vec<Vec<f64>> =
        ridges.iter().map(|r| eigen.values.iter().map(|l| 1.0 / (l.max(0.0) + r)).collect()).collect();
    let scaled: Vec<f64> = inverse
        .iter()
        .flat_map(|d| rotated.chunks_exact(n).flat_map(move |c| c.iter().zip(d).map(|(v, d)| v * d)))
        .collect();
    let mut solved = vec![0.0; scaled.len()];
    let width = columns * ridges.len();
    let to = ViewMut::column_major(&mut solved, n, width)?;
    product(1.0, u, View::column_major(&scaled, n, width)?, Write::Replace, to)?;
    let squares: Vec<f64> = eigen.vectors.iter().map(|v| v * v).collect();
    let flat: Vec<f64> = inverse.into_iter().flatten().collect();
    let mut diagonals = vec![0.0; n * ridges.len()];
    let to = ViewMut::column_major(&mut diagonals, n, ridges.len())?;
    product(
        1.0,
        View::column_major(&squares, n, n)?,
        View::column_major(&flat, n, ridges.len())?,
        Write::Replace,
        to,
    )?;
    let score = |(solved, diagonal): (&[f64], &[f64])| {
        let closed = close(solved, &rhs, Some(diagonal), roots, n, sample.bias);
        let squares = |errors: &Vec<f64>| -> f64 {
            errors.iter().enumerate().map(|(i, e)| roots.map_or(1.0, |s| s[i] * s[i]) * e * e).sum()
        };
        let total: f64 = closed.errors.iter().flatten().map(squares).sum();
        let mean = total / (n * outputs) as f64;
        if mean.is_finite() { mean } else { f64::INFINITY }
    };
    Ok(solved.chunks_exact(n * columns).zip(diagonals.chunks_exact(n)).map(score).collect())
}
