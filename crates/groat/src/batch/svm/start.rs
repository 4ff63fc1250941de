//! Going on from a model that was fitted before.

use super::dual::{Dual, State};
use super::forms::SvmForm;
use super::machine::{Part, Settings};
use crate::error::Result;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use crate::model::Model;
use std::collections::HashMap;

/// States to start from, one for each part: rows that are vectors of the model take over its coefficients as far as the
/// cost allows. The nu forms, whose sums are fixed, start anew.
pub(super) fn states(
    model: &Model,
    settings: &Settings,
    kernel: &Kernel,
    x: Points<'_>,
    parts: &[Part],
) -> Result<Vec<Option<State>>> {
    let Some(function) = model.expansion() else { return Ok(Vec::new()) };
    if settings.form.takes_nu() || function.outputs() != parts.len() || function.features() != x.cols() {
        return Ok(Vec::new());
    }
    let bits = |row: &[f64]| row.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    let known: HashMap<Vec<u64>, usize> =
        (0..function.size()).map(|v| (bits(&function.vectors().row(v)), v)).collect();
    let mut weights = Matrix::zeros(x.rows(), parts.len());
    let mut used = vec![false; function.size()];
    for i in 0..x.rows() {
        // Of rows that stand there twice the first one takes all.
        if let Some(&v) = known.get(&bits(&x.row(i)))
            && !std::mem::replace(&mut used[v], true)
        {
            weights.row_mut(i).copy_from_slice(function.weights().row(v));
        }
    }
    parts.iter().enumerate().map(|(c, part)| state(settings, kernel, x, part, &weights, c)).collect()
}

fn state(
    settings: &Settings,
    kernel: &Kernel,
    x: Points<'_>,
    part: &Part,
    weights: &Matrix,
    output: usize,
) -> Result<Option<State>> {
    let chosen: Option<PointSet> = part.rows.as_ref().map(|rows| x.select(rows));
    let x = chosen.as_ref().map_or(x, PointSet::view);
    let beta = |k: usize| weights[(part.rows.as_ref().map_or(k, |rows| rows[k]), output)];
    let dual = settings.form.dual(&part.y, &part.weights, &settings.numbers);
    let mut alpha: Vec<f64> =
        (0..dual.sign.len()).map(|v| (dual.sign[v] * beta(dual.row(v))).clamp(0.0, dual.upper[v])).collect();
    balance(&dual, settings.form, &mut alpha);
    let beta = dual.coefficients(&alpha);
    let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
    if used.is_empty() {
        return Ok(None);
    }
    let column = Matrix::column(used.iter().map(|&i| beta[i]).collect());
    let f = gram::weighted_sum(kernel, x, x.select(&used).view(), column.view())?.into_data();
    Ok(Some(State { alpha, f }))
}

/// Brings the signed sum to 0 by making the heavier side lighter.
fn balance(dual: &Dual, form: SvmForm, alpha: &mut [f64]) {
    if !matches!(form, SvmForm::Classes | SvmForm::Values) {
        return;
    }
    let of = |sign: f64, alpha: &[f64]| {
        alpha.iter().zip(&dual.sign).filter(|(_, s)| **s == sign).map(|(a, _)| a).sum::<f64>()
    };
    let (above, below) = (of(1.0, alpha), of(-1.0, alpha));
    let (sign, ratio) = if above > below { (1.0, below / above) } else { (-1.0, above / below) };
    if ratio.is_finite() {
        alpha.iter_mut().zip(&dual.sign).filter(|(_, s)| **s == sign).for_each(|(a, _)| *a *= ratio);
    }
}
