//! From a selection to a model, its leave-one-out results and its error bars.

use super::ols::{Candidates, Ols};
use super::select::{Criterion, Selection, StopReason, stop_note};
use crate::batch::methods::OLS;
use crate::batch::{ErrorBars, Fitted, Growth, LeaveOneOut, Orthogonal, Problem, Stage, Target};
use crate::error::Result;
use crate::matrix::Matrix;
use crate::model::{Model, Record};
use crate::tune::{losses, mean_squared};

/// A finished selection together with what it was made from.
pub(crate) struct Outcome {
    selection: Selection,
    /// Rows of the training data that the candidates stand for.
    rows: Vec<usize>,
    /// One row per sample, not scaled.
    responses: Matrix,
    weights: Vec<f64>,
    /// Square roots of the weights, when they are not all one.
    root: Option<Vec<f64>>,
    bias: bool,
    by_error_rate: bool,
    candidates: Candidates,
}

impl Outcome {
    pub(crate) fn new(
        selection: Selection,
        rows: Vec<usize>,
        responses: Matrix,
        weights: Vec<f64>,
        root: Option<Vec<f64>>,
        bias: bool,
        criterion: Criterion<'_>,
        candidates: Candidates,
    ) -> Self {
        let by_error_rate = !matches!(criterion, Criterion::MeanSquared);
        Self { selection, rows, responses, weights, root, bias, by_error_rate, candidates }
    }

    /// Number of terms.
    pub(crate) fn size(&self) -> usize {
        self.selection.terms.len()
    }

    /// Rows that became centres, in order of selection.
    pub(crate) fn centres(&self) -> Vec<usize> {
        self.selection.terms.iter().map(|&t| self.rows[t]).collect()
    }

    /// What each sample is predicted as when it is left out: one row per sample.
    pub(crate) fn predictions(&self) -> Matrix {
        let basis = &self.selection.basis;
        let mut out = self.responses.clone();
        for c in 0..out.cols() {
            for k in 0..out.rows() {
                let error = basis.residual[c][k] / basis.eta[k];
                out[(k, c)] -= self.root.as_ref().map_or(error, |root| error / root[k]);
            }
        }
        out
    }

    /// The loss of every sample when it is left out: squared error (mean over outputs), or 1 for a wrong class.
    pub(crate) fn losses(&self, target: &Target<'_>) -> Vec<f64> {
        losses(target, &self.predictions())
    }

    fn leave_one_out(&self, target: &Target<'_>) -> LeaveOneOut {
        let predictions = self.predictions();
        let mean = |loss: &dyn Fn(usize) -> f64| {
            let sum: f64 = self.weights.iter().enumerate().map(|(k, w)| w * loss(k)).sum();
            sum / self.weights.iter().sum::<f64>()
        };
        let error_rate = matches!(target, Target::Classes { .. }).then(|| {
            let losses = self.losses(target);
            mean(&|k| losses[k])
        });
        let mean_squared = mean(&|k| mean_squared(predictions.row(k), self.responses.row(k)));
        LeaveOneOut { mean_squared, error_rate, predictions }
    }

    /// The growth of the final model, term by term.
    fn stages(&self) -> Vec<Stage> {
        let basis = &self.selection.basis;
        let outputs = self.responses.cols();
        let total: f64 = self.weights.iter().sum::<f64>() * outputs as f64;
        let share = if self.by_error_rate { 1.0 } else { 1.0 / outputs as f64 };
        let squares = basis.terms.squares_after(usize::from(self.bias), basis.squares());
        let curve = &self.selection.curve[1..];
        self.centres()
            .into_iter()
            .zip(curve.iter().zip(squares))
            .map(|(row, (loo, squares))| Stage { row, leave_one_out: loo * share, training: squares / total })
            .collect()
    }

    fn error_bars(&self) -> ErrorBars {
        let basis = &self.selection.basis;
        let n = self.weights.len() as f64;
        // A left-out sample has predictive variance sigma^2 / eta, so eps^2 / eta estimates sigma^2.
        let noise = basis
            .residual
            .iter()
            .map(|eps| eps.iter().zip(&basis.eta).map(|(e, h)| e * e / h).sum::<f64>() / n)
            .collect();
        ErrorBars::new(self.form(), basis.terms.penalised_energies(), noise)
    }

    fn form(&self) -> Orthogonal {
        Orthogonal::new(self.bias, self.selection.basis.terms.upper.clone())
    }

    /// The model with all that is known about it.
    pub(crate) fn into_fitted(self, settings: &Ols, problem: &Problem<'_>) -> Result<Fitted> {
        let outputs = self.responses.cols();
        let vectors = problem.x.select(&self.centres());
        let terms = &self.selection.basis.terms;
        let function = terms.expansion(settings.kernel(), vectors, outputs, self.bias)?;
        let stages = self.stages();
        let record = Record::new(OLS, problem.x.rows())
            .with("patience", settings.patience)
            .with("passes", settings.passes)
            .with("candidates", self.candidates.count)
            .with("criterion", if self.by_error_rate { "error-rate" } else { "mean-squared" })
            .with_growth(stages.iter().map(|s| s.leave_one_out).collect());
        let error_bars = matches!(problem.target, Target::Values(_)).then(|| self.error_bars());
        let model = Model::new(function)
            .with_task(problem.task())?
            .with_record(record)
            .with_error_bars(error_bars)?;
        let mut fitted = Fitted::new(model, self.candidates.count);
        fitted.leave_one_out = Some(self.leave_one_out(&problem.target));
        fitted.stages = stages;
        fitted.matrix = Some(self.candidates.matrix);
        fitted.growth = Some(Growth::new(self.form(), self.selection.basis.terms.weights(outputs)));
        fitted.interrupted = self.selection.stop == StopReason::Requested;
        fitted.notes = self.notes(problem.x.rows(), settings.max_terms);
        Ok(fitted)
    }

    fn notes(&self, rows: usize, most: usize) -> Vec<String> {
        let mut notes = Vec::new();
        if self.candidates.count < rows {
            notes.push(format!("{} of {rows} rows, drawn at random, were candidates", self.candidates.count));
        }
        // Where the best number of terms is a smaller one, more would not have helped.
        let limited = self.selection.stop != StopReason::MaxTerms || self.selection.terms.len() >= most;
        notes.extend(stop_note(self.selection.stop).filter(|_| limited).map(str::to_owned));
        notes
    }
}
