//! Going on from a model that was fitted before.

use super::SupportVectorMachine;
use super::dual::State;
use super::forms::SvmForm;
use super::machine::{Part, Settings};
use crate::error::{Error, Result};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use crate::model::Model;
use crate::tune::Search;
use std::collections::{HashMap, VecDeque};

/// Only a model of the same method can be gone on from.
pub(in crate::batch) fn check(start: &Model, method: &str) -> Result<()> {
    let found = &start.record().method;
    if found != method {
        let (found, expected) = (format!("a model of {found}"), format!("one of {method}"));
        return Err(Error::parameter("the model to start from", found, expected));
    }
    Ok(())
}

/// A number that the fit of a model settled.
pub(in crate::batch) fn known(start: &Model, name: &str) -> Option<f64> {
    start.record().settings.get(name).and_then(|text| text.parse().ok())
}

impl SupportVectorMachine {
    /// With what the model has settled in place of a search.
    pub(super) fn settled_by(&self, start: &Model) -> Self {
        let mut settled = self.clone();
        if let (Search::Auto, Some(width)) = (&self.widths, start.kernel().width())
            && self.kernel.with_width(width.clone()) == *start.kernel()
        {
            (settled.kernel, settled.widths) = (start.kernel().clone(), Search::Fixed);
        }
        if let (Search::Auto, Some(cost)) = (&self.costs, known(start, "cost")) {
            settled = settled.cost(cost);
        }
        settled.nu = self.nu.or_else(|| known(start, "nu"));
        settled.epsilon = self.epsilon.or_else(|| known(start, "epsilon"));
        settled
    }
}

/// States to start from, one for each part: rows that are vectors of the model take over its coefficients, as far as the
/// cost allows and brought to the sums that a nu form asks for.
pub(super) fn states(
    model: &Model,
    settings: &Settings,
    kernel: &Kernel,
    x: Points<'_>,
    parts: &[Part],
) -> Result<Vec<Option<State>>> {
    let Some(function) = model.expansion() else { return Ok(Vec::new()) };
    if function.outputs() != parts.len() || function.features() != x.cols() {
        return Ok(Vec::new());
    }
    // Rows that stand there several times take over one vector each.
    let mut known: HashMap<Vec<(u32, u64)>, VecDeque<usize>> = HashMap::new();
    for v in 0..function.size() {
        known.entry(function.vectors().point(v).key()).or_default().push_back(v);
    }
    let mut weights = Matrix::zeros(x.rows(), parts.len());
    for i in 0..x.rows() {
        if let Some(v) = known.get_mut(&x.point(i).key()).and_then(VecDeque::pop_front) {
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
    if settings.constant(part).is_some() {
        return Ok(None);
    }
    let chosen: Option<PointSet> = part.rows.as_ref().map(|rows| x.select(rows));
    let x = chosen.as_ref().map_or(x, PointSet::view);
    let beta = |k: usize| weights[(part.rows.as_ref().map_or(k, |rows| rows[k]), output)];
    let dual = settings.form.dual(&part.y, &part.weights, &settings.numbers);
    // The coefficients of a nu classification are scaled so that its margin is 1; the sums that it keeps say by how much, so
    // that bounds are looked at only after they were reached.
    let scaled = settings.form == SvmForm::NuClasses;
    let most = |v: usize| if scaled { f64::INFINITY } else { dual.upper[v] };
    let mut alpha: Vec<f64> =
        (0..dual.sign.len()).map(|v| (dual.sign[v] * beta(dual.row(v))).clamp(0.0, most(v))).collect();
    settings.form.complete(&dual, &part.weights, &settings.numbers, &mut alpha)?;
    let beta = dual.coefficients(&alpha);
    let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
    if used.is_empty() {
        return Ok(None);
    }
    let column = Matrix::column(used.iter().map(|&i| beta[i]).collect());
    let f = gram::weighted_sum(kernel, x, x.select(&used).view(), column.view())?.into_data();
    Ok(Some(State { alpha, f }))
}
