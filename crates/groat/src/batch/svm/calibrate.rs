//! Probabilities from decision values of rows that were left out.
//!
//! A sigmoid for each output, `p = 1 / (1 + exp(-(slope f + offset)))`, is fitted by Newton's method to the classes of
//! rows whose `f` comes from machines trained without them (Platt 2000, in the form of Lin, Lin and Weng 2007).

use super::SupportVectorMachine;
use super::forms::Numbers;
use super::machine::{Settings, assemble, parts};
use super::search::folds;
use crate::batch::{Problem, Progress, Target, Watch};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::model::{Calibration, Model};
use crate::tune::sample_rows;

const STEPS: usize = 100;
const GRADIENT: f64 = 1e-5;

impl SupportVectorMachine {
    /// The model with probabilities that were worked out on some of its rows, for machines that never see all rows at once.
    pub(super) fn calibrated_on_some(
        &self,
        model: Model,
        (kernel, numbers): (&Kernel, Numbers),
        problem: &Problem<'_>,
        watch: &dyn Watch,
        notes: &mut Vec<String>,
    ) -> Result<Model> {
        if !self.probabilities {
            return Ok(model);
        }
        let rows = sample_rows(problem.x.rows(), self.selection_rows, self.seed);
        let some = problem.select(&rows);
        let some = some.problem()?;
        let settings = self.settings(numbers, &some);
        let (calibration, note) = calibration(self, &settings, kernel, &some, &model, watch)?;
        notes.push(format!(
            "probabilities were worked out on {} rows, by machines of these alone",
            rows.len()
        ));
        notes.extend(note);
        model.with_calibration(Some(calibration))
    }
}

/// The sigmoids, and a word where the larger probability is not that of the class that is predicted.
pub(super) fn calibration(
    params: &SupportVectorMachine,
    settings: &Settings,
    kernel: &Kernel,
    problem: &Problem<'_>,
    model: &Model,
    watch: &dyn Watch,
) -> Result<(Calibration, Option<String>)> {
    let Target::Classes { codes, count } = problem.target else {
        return Err(Error::parameter("probabilities", "true", "classes"));
    };
    let factors = params.class_weights.factors(problem)?;
    let (n, outputs) = (problem.x.rows(), model.outputs());
    let mut values = vec![vec![0.0; outputs]; n];
    for (k, fold) in folds(problem, params.folds.min(n)).iter().enumerate() {
        watch.progress(&Progress::new("probabilities", k, Some(params.folds)));
        if watch.stop_requested() {
            return Err(Error::Stopped);
        }
        let (train, test) = (problem.select(&fold.train), problem.x.select(&fold.test));
        let train = train.problem()?;
        let parts = parts(&train, &factors);
        let machines = settings.train(kernel, train.x, &parts, &[], watch)?;
        let found = assemble(kernel, train.x, &parts, &machines)?.values(test.view())?;
        fold.test.iter().zip(found.view().iter()).for_each(|(&i, row)| values[i].copy_from_slice(row));
    }
    let (mut slopes, mut offsets) = (Vec::new(), Vec::new());
    for c in 0..outputs {
        // For two classes the output speaks for the second, for a pair of several for the first of the pair.
        let pair = if count == 2 { (1, 0) } else { pair(c, count) };
        let own: Vec<(f64, bool)> = (0..n)
            .filter(|&i| codes[i] == pair.0 || codes[i] == pair.1)
            .map(|i| (values[i][c], codes[i] == pair.0))
            .collect();
        let (slope, offset) = sigmoid(&own);
        slopes.push(slope);
        offsets.push(offset);
    }
    let note = (count == 2).then(|| disagreement(&values, slopes[0], offsets[0])).flatten();
    Ok((Calibration::new(slopes, offsets)?, note))
}

/// The `k`-th pair of classes.
fn pair(k: usize, classes: usize) -> (usize, usize) {
    (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).nth(k).unwrap_or((0, 0))
}

/// Says where the two answers part.
fn disagreement(values: &[Vec<f64>], slope: f64, offset: f64) -> Option<String> {
    let apart = values.iter().filter(|f| (slope * f[0] + offset > 0.0) != (f[0] > 0.0)).count();
    (apart > 0).then(|| {
        format!(
            "the class that is predicted is not the more probable one for {apart} of {} rows: the sigmoid, found on rows \
             left out, crosses one half at the decision value {:.3}, the prediction changes at 0",
            values.len(),
            -offset / slope
        )
    })
}

/// Slope and offset of the likeliest sigmoid; targets are drawn a little towards the middle, as if each class had one row
/// more of the other kind.
pub(in crate::batch) fn sigmoid(values: &[(f64, bool)]) -> (f64, f64) {
    let above = values.iter().filter(|(_, yes)| *yes).count() as f64;
    let below = values.len() as f64 - above;
    let (high, low) = ((above + 1.0) / (above + 2.0), 1.0 / (below + 2.0));
    let target = |yes: bool| if yes { high } else { low };
    // -log likelihood of z = slope f + offset.
    let loss = |slope: f64, offset: f64| -> f64 {
        let one = |&(f, yes): &(f64, bool)| {
            let z = slope * f + offset;
            let softplus = z.max(0.0) + (-z.abs()).exp().ln_1p();
            softplus - target(yes) * z
        };
        values.iter().map(one).sum()
    };
    let (mut slope, mut offset) = (0.0, ((above + 1.0) / (below + 1.0)).ln());
    let mut present = loss(slope, offset);
    for _ in 0..STEPS {
        let (mut g, mut h) = ([0.0; 2], [1e-12, 0.0, 1e-12]);
        for &(f, yes) in values {
            let p = 1.0 / (1.0 + (-(slope * f + offset)).exp());
            let (first, second) = (p - target(yes), p * (1.0 - p));
            g = [g[0] + f * first, g[1] + first];
            h = [h[0] + f * f * second, h[1] + f * second, h[2] + second];
        }
        if g[0].abs() < GRADIENT && g[1].abs() < GRADIENT {
            break;
        }
        let determinant = h[0] * h[2] - h[1] * h[1];
        let step = [-(h[2] * g[0] - h[1] * g[1]) / determinant, -(h[0] * g[1] - h[1] * g[0]) / determinant];
        let slant = g[0] * step[0] + g[1] * step[1];
        let mut length = 1.0;
        loop {
            let (new_slope, new_offset) = (slope + length * step[0], offset + length * step[1]);
            let new = loss(new_slope, new_offset);
            if new < present + 1e-4 * length * slant {
                (slope, offset, present) = (new_slope, new_offset, new);
                break;
            }
            length /= 2.0;
            if length < 1e-10 {
                return (slope, offset);
            }
        }
    }
    (slope, offset)
}
