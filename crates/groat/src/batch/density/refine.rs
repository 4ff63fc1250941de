//! Refinement of a density by expectation maximisation on all the data.

use super::mixture::{Density, squared_distance};
use crate::batch::{Progress, Watch};
use crate::error::Result;
use crate::kernels::Width;
use crate::matrix::{Matrix, Rows};
use rayon::prelude::*;

/// Rows of one parallel task; partial sums are added in order.
const BLOCK: usize = 512;

/// Sums over rows of one expectation step.
struct Sums {
    /// Mean of `log sum_i b_i k_i`, up to the norm of the kernel.
    log: f64,
    share: Vec<f64>,
    /// Share times coordinate.
    first: Matrix,
    /// Share times squared coordinate relative to the present centre, per feature.
    second: Vec<f64>,
}

/// The smallest part of its first width that a width may shrink to. Values that come again and again would
/// otherwise draw the width of their feature to nothing and the density to infinity.
const NARROWEST: f64 = 1e-2;

/// Between what the widths of a refined density stay.
pub(super) fn bounds(density: &Density) -> Vec<(f64, f64)> {
    density.widths().iter().map(|width| (NARROWEST * width, f64::INFINITY)).collect()
}

/// What a refinement may do.
#[derive(Clone, Copy)]
pub(super) struct Refinement<'a> {
    /// The least and the largest width of each feature.
    pub bounds: &'a [(f64, f64)],
    /// Most steps.
    pub steps: usize,
    /// The rise of the mean log density below which a step was the last.
    pub settled: f64,
}

/// One step over weights, centres and the widths that all kernels share. The mean log density of the rows does
/// not fall.
pub(super) fn step(
    density: &Density,
    x: Rows<'_>,
    weights: Option<&[f64]>,
    bounds: &[(f64, f64)],
) -> Result<Density> {
    maximisation(density, &expectation(density, x, weights), total(x, weights), bounds)
}

fn total(x: Rows<'_>, weights: Option<&[f64]>) -> f64 {
    weights.map_or(x.rows() as f64, |w| w.iter().sum())
}

/// Steps until the mean log density of the rows has settled.
pub(super) fn refine(
    mut density: Density,
    x: Rows<'_>,
    weights: Option<&[f64]>,
    refinement: Refinement<'_>,
    watch: &dyn Watch,
) -> Result<Density> {
    let (total, Refinement { bounds, steps, settled }) = (total(x, weights), refinement);
    let mut last = f64::NEG_INFINITY;
    for step in 0..steps {
        let sums = expectation(&density, x, weights);
        let now = sums.log / total + density.log_norm();
        let detail = format!("mean log density {now:.5}");
        watch.progress(&Progress { stage: "refining", done: step, total: Some(steps), detail });
        if now - last < settled || watch.stop_requested() {
            break;
        }
        last = now;
        density = maximisation(&density, &sums, total, bounds)?;
    }
    Ok(density)
}

fn expectation(density: &Density, x: Rows<'_>, weights: Option<&[f64]>) -> Sums {
    let (m, d) = (density.weights().len(), x.cols());
    let logs: Vec<f64> = density.weights().iter().map(|b| b.ln()).collect();
    let blocks: Vec<Sums> = (0..x.rows().div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let mut sums =
                Sums { log: 0.0, share: vec![0.0; m], first: Matrix::zeros(m, d), second: vec![0.0; d] };
            let mut exponents = vec![0.0; m];
            for k in block * BLOCK..((block + 1) * BLOCK).min(x.rows()) {
                let (row, weight) = (x.row(k), weights.map_or(1.0, |w| w[k]));
                for i in 0..m {
                    let r2 = squared_distance(row, density.centres().row(i), density.widths());
                    exponents[i] = logs[i] - 0.5 * r2;
                }
                let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = exponents.iter().map(|e| (e - top).exp()).sum();
                sums.log += weight * (top + sum.ln());
                for i in 0..m {
                    let share = weight * (exponents[i] - top).exp() / sum;
                    sums.share[i] += share;
                    let centre = density.centres().row(i);
                    for (f, first) in sums.first.row_mut(i).iter_mut().enumerate() {
                        *first += share * (row[f] - centre[f]);
                        sums.second[f] += share * (row[f] - centre[f]).powi(2);
                    }
                }
            }
            sums
        })
        .collect();
    let mut all = Sums { log: 0.0, share: vec![0.0; m], first: Matrix::zeros(m, d), second: vec![0.0; d] };
    for block in &blocks {
        all.log += block.log;
        add(&mut all.share, &block.share);
        add(all.first.data_mut(), block.first.data());
        add(&mut all.second, &block.second);
    }
    all
}

fn add(to: &mut [f64], from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

fn maximisation(density: &Density, sums: &Sums, total: f64, bounds: &[(f64, f64)]) -> Result<Density> {
    let mut centres = density.centres().clone();
    let mut second = sums.second.clone();
    for i in 0..centres.rows() {
        if sums.share[i] <= 0.0 {
            continue;
        }
        let shift: Vec<f64> = sums.first.row(i).iter().map(|s| s / sums.share[i]).collect();
        for (f, shift) in shift.iter().enumerate() {
            // The spread about the new centre is that about the old one less the square of the shift.
            second[f] -= sums.share[i] * shift * shift;
            centres.row_mut(i)[f] += shift;
        }
    }
    let width =
        |(second, (least, most)): (&f64, &(f64, f64))| (second / total).max(0.0).sqrt().clamp(*least, *most);
    let widths = second.iter().zip(bounds).map(width).collect();
    Density::new(Width::PerFeature(widths), centres, sums.share.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Quiet;

    #[test]
    fn values_that_come_again_and_again_do_not_collapse_a_width() {
        let data: Vec<f64> = (0..200).flat_map(|i| [f64::from(i % 3), (0.7 * f64::from(i)).sin()]).collect();
        let x = Rows::new(&data, 2).unwrap();
        let centres = Matrix::from_vec(vec![0.0, 0.1, 1.0, -0.2, 2.0, 0.3], 3, 2).unwrap();
        let start = Density::new(Width::Shared(0.2), centres, vec![1.0; 3]).unwrap();
        let bounds = bounds(&start);
        let refinement = Refinement { bounds: &bounds, steps: 60, settled: 1e-7 };
        let refined = refine(start.clone(), x, None, refinement, &Quiet).unwrap();
        assert!(refined.widths()[0] < 0.1 * start.widths()[0], "{:?}", refined.widths());
        assert!(refined.widths()[0] >= NARROWEST * start.widths()[0], "{:?}", refined.widths());
    }
}
