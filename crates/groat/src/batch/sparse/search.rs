//! A first width and ridge: leave-one-out of kernel ridge regression on landmarks, for every width and ridge of a grid.

use super::machine::{Machine, Sample};
use super::samples::Samples;
use crate::batch::Watch;
use crate::error::{Error, Result};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::PointSet;
use crate::tune::{Judgement, Ladder, Search, Trial, Trials, best, typical_distance};

/// Widths of the first automatic grid: the typical distance times `2^(k/2)`.
const FIRST: std::ops::RangeInclusive<i32> = -6..=4;
/// How far the grid may be widened at either end.
const LAST: std::ops::RangeInclusive<i32> = -11..=9;
/// Rows that the grid looks at, and landmarks among them.
const ROWS: usize = 1000;
const LANDMARKS: usize = 120;
/// Ridges, as powers of the root of ten, in units of the kernel's diagonal.
const RIDGES: std::ops::RangeInclusive<i32> = -16..=4;

/// Tries widths and ridges on some of the distinct rows given; with `per_feature` it goes on to one width per feature.
pub(in crate::batch) fn search(
    samples: &Samples<'_>,
    distinct: &[usize],
    kernel: &Kernel,
    (widths, ridges): (&Search, &Search),
    per_feature: bool,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<Trial>> {
    let rows = &distinct[..distinct.len().min(ROWS)];
    let sample = Sample::new(samples, rows, LANDMARKS);
    let ridges = match ridges {
        Search::Grid(values) => values.clone(),
        _ => grid(kernel, &sample.x),
    };
    let judge = |kernel: &Kernel| {
        let trial = |(ridge, score): (&f64, f64)| Trial::new(kernel.clone(), *ridge, score);
        Ok(ridges.iter().zip(scores(kernel, &ridges, &sample)?).map(trial).collect())
    };
    let mut trials = Trials::new(watch);
    match widths {
        Search::Grid(widths) => {
            let kernels: Vec<Kernel> = widths.iter().map(|w| kernel.with_width(*w)).collect();
            trials.side_by_side(&kernels, judge)?;
        }
        Search::Auto if kernel.width().is_some() => {
            let ladder = Ladder::new(typical_distance(sample.x.view(), seed), FIRST, LAST);
            let kernels: Vec<Kernel> = ladder.values().iter().map(|w| kernel.with_width(*w)).collect();
            trials.side_by_side(&kernels, judge)?;
            trials.widen(kernel, ladder, judge)?;
        }
        _ => trials.side_by_side(std::slice::from_ref(kernel), judge)?,
    }
    let Some(found) = best(trials.tried()).cloned() else {
        return Err(Error::Numerical {
            what: "choosing the width and the ridge",
            reason: "no leave-one-out error was finite; check the scale of the target".to_owned(),
        });
    };
    if per_feature && kernel.width().is_some() {
        let least = |kernel: &Kernel, _: Option<&Trial>| {
            let mean = scores(kernel, &ridges, &sample)?.into_iter().fold(f64::INFINITY, f64::min);
            Ok(Judgement { mean, standard_error: 0.0, size: 0.0 })
        };
        let each = trials.per_feature(&found, samples.x.cols(), least)?;
        return judge(&each);
    }
    Ok(trials.into_tried())
}

/// Mean of the kernel's diagonal, which ridges are in proportion to.
pub(super) fn diagonal(kernel: &Kernel, x: &PointSet) -> f64 {
    let diagonal = gram::diagonal(kernel, x.view());
    let mean = diagonal.iter().map(|k| k.abs()).sum::<f64>() / diagonal.len().max(1) as f64;
    if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
}

/// The ridges that are tried, in proportion to the kernel's diagonal.
pub(super) fn grid(kernel: &Kernel, x: &PointSet) -> Vec<f64> {
    let scale = diagonal(kernel, x);
    RIDGES.map(|k| scale * 10f64.powf(f64::from(k) / 2.0)).collect()
}

/// The weighted leave-one-out mean square error for every ridge; infinite where it cannot be had.
fn scores(kernel: &Kernel, ridges: &[f64], sample: &Sample) -> Result<Vec<f64>> {
    match Machine::new(kernel, sample)? {
        Some(machine) => machine.scores(ridges),
        None => Ok(vec![f64::INFINITY; ridges.len()]),
    }
}
