//! The linear machine, beside which kernels are to be worth their vectors.
//!
//! Minimises `sum w (y - u'x - b)^2 + ridge |u|^2`, which is kernel ridge regression with the linear kernel; but however
//! many rows it learns from, the model is one vector per output: `u` itself. The ridge comes from leave-one-out on some of
//! the rows, for all ridges at once (`machine.rs`).
//!
//! Cost: `n d^2` for normal equations of up to [`NARROW`] features; beyond, conjugate gradients read the numbers that are
//! not 0 some dozen times.

use super::Sparse;
use super::climb::Part;
use super::folds::Stop;
use super::held::Held;
use super::machine::{Machine, Sample};
use super::samples::{Samples, Weights};
use super::search::grid;
use super::weigh::weigh;
use crate::error::Result;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, Point, PointSet, Points};
use crate::simd;
use crate::tune::{Search, Trial, stablest};
use rayon::prelude::*;

/// Features up to which there are normal equations.
const NARROW: usize = 600;
/// Rows that the ridge is chosen on, and landmarks among them: twice as many as features span them all.
const ROWS: usize = 1000;
const LANDMARKS: usize = 600;
/// Steps of conjugate gradients, and what may be left of the gradient, as a share.
const STEPS: usize = 300;
const SOLVED: f64 = 1e-6;

/// Whether the answer may be a linear machine: nobody asked for another kernel, or for a size that it cannot have.
fn possible(settings: &Sparse, outputs: usize) -> bool {
    settings.linear
        && settings.widths == Search::Auto
        && settings.ridges == Search::Auto
        && matches!(settings.kernel, Kernel::Gaussian { .. })
        && settings.per_feature.is_none()
        && settings.candidates.is_none()
        && settings.max_terms.is_none_or(|most| most >= outputs)
}

/// A linear machine of some rows.
pub(super) struct Line {
    /// One per output.
    pub vectors: PointSet,
    pub ridge: f64,
    model: Weights,
}

impl Line {
    /// Of some rows; none where there is nothing linear in them.
    pub(super) fn of(samples: &Samples<'_>, rows: &[usize], stop: Stop<'_>) -> Result<Option<Self>> {
        let distinct = samples.order.distinct(rows);
        match ridge(samples, &distinct)? {
            Some(ridge) => Self::with(samples, rows, ridge, stop),
            None => Ok(None),
        }
    }

    /// Of some rows under a ridge.
    pub(super) fn with(
        samples: &Samples<'_>,
        rows: &[usize],
        ridge: f64,
        stop: Stop<'_>,
    ) -> Result<Option<Self>> {
        let (d, q) = (samples.x.cols(), samples.outputs());
        let lines = if d <= NARROW {
            let units = PointSet::from(identity(d));
            let weights = weigh(samples, rows, &Kernel::Linear, units, ridge)?.model.weights;
            let transposed = (0..q).flat_map(|c| weights.column_to_vec(c)).collect();
            Matrix::from_vec(transposed, q, d)?
        } else {
            Wide::new(samples, rows, ridge).solve(stop)?
        };
        // A line that is level, or none, makes no equations for its weight.
        let sound = (0..q).all(|c| {
            let length = simd::dot(lines.row(c), lines.row(c));
            length > 0.0 && length.is_finite()
        });
        if !sound {
            return Ok(None);
        }
        let (vectors, weights) = (PointSet::from(lines), identity(q));
        let some = samples.points(rows);
        let answers = gram::weighted_sum(&Kernel::Linear, some.view(), vectors.view(), weights.view())?;
        let total: f64 = rows.iter().map(|&row| samples.weights[row]).sum();
        let mut bias = vec![0.0; q];
        for (k, &row) in rows.iter().enumerate() {
            let both = samples.y.row(row).iter().zip(answers.row(k));
            bias.iter_mut().zip(both).for_each(|(b, (y, f))| *b += samples.weights[row] * (y - f) / total);
        }
        Ok(Some(Self { vectors, ridge, model: Weights { kernel: Kernel::Linear, weights, bias } }))
    }

    /// The answers to some rows.
    fn answers(&self, samples: &Samples<'_>, rows: &[usize]) -> Result<Matrix> {
        samples.answers(rows, &self.model, self.vectors.view())
    }
}

/// Linear machines of every part, judged on its held-out rows; none where they may not be the answer.
pub(super) fn judged(
    settings: &Sparse,
    samples: &Samples<'_>,
    parts: &[Part],
    stop: Stop<'_>,
) -> Result<Option<Held>> {
    if !possible(settings, samples.outputs()) {
        return Ok(None);
    }
    let each = parts.par_iter().map(|part| {
        let line = Line::of(samples, &part.train, stop)?;
        line.map(|line| line.answers(samples, &part.held)).transpose()
    });
    let answers = each.collect::<Result<Option<Vec<Matrix>>>>()?;
    Ok(answers.map(|answers| Held::new(samples, parts, answers)))
}

fn identity(size: usize) -> Matrix {
    let mut identity = Matrix::zeros(size, size);
    (0..size).for_each(|j| identity[(j, j)] = 1.0);
    identity
}

/// The ridge by leave-one-out on the first of some distinct rows.
fn ridge(samples: &Samples<'_>, distinct: &[usize]) -> Result<Option<f64>> {
    let landmarks = (2 * samples.x.cols()).min(LANDMARKS);
    // Where features are many, every row has to be a landmark for all to be found.
    let rows = if landmarks < LANDMARKS { ROWS } else { LANDMARKS };
    let rows = &distinct[..distinct.len().min(rows)];
    let sample = Sample::new(samples, rows, landmarks);
    let ridges = grid(&Kernel::Linear, &sample.x);
    let Some(machine) = Machine::new(&Kernel::Linear, &sample)? else { return Ok(None) };
    let scores = machine.scores(&ridges)?;
    let trial = |(ridge, score): (&f64, f64)| Trial::new(Kernel::Linear, *ridge, score);
    let trials: Vec<Trial> = ridges.iter().zip(scores).map(trial).collect();
    Ok(stablest(&trials).map(|trial| trial.ridge))
}

/// Normal equations of very many features, which are never made.
struct Wide<'w, 'a> {
    samples: &'w Samples<'a>,
    rows: &'w [usize],
    x: PointSet,
    ridge: f64,
    total: f64,
}

impl<'w, 'a> Wide<'w, 'a> {
    fn new(samples: &'w Samples<'a>, rows: &'w [usize], ridge: f64) -> Self {
        let total = rows.iter().map(|&row| samples.weights[row]).sum();
        Self { samples, rows, x: samples.points(rows), ridge, total }
    }

    /// One row per output.
    fn solve(&self, stop: Stop<'_>) -> Result<Matrix> {
        let outputs = (0..self.samples.outputs()).into_par_iter();
        let lines: Vec<Vec<f64>> = outputs.map(|c| self.line(c, stop)).collect::<Result<_>>()?;
        Matrix::from_vec(lines.concat(), self.samples.outputs(), self.x.cols())
    }

    /// Conjugate gradients from zero on.
    fn line(&self, output: usize, stop: Stop<'_>) -> Result<Vec<f64>> {
        let y: Vec<f64> = self.rows.iter().map(|&row| self.samples.y[(row, output)]).collect();
        let mut left = self.back(y);
        let mut direction = left.clone();
        let mut line = vec![0.0; left.len()];
        let mut squares = simd::dot(&left, &left);
        let enough = SOLVED * SOLVED * squares;
        for _ in 0..STEPS {
            if squares <= enough || stop() {
                break;
            }
            let image = self.times(&direction)?;
            let length = squares / simd::dot(&direction, &image);
            if !length.is_finite() {
                break;
            }
            simd::axpy(length, &direction, &mut line);
            simd::axpy(-length, &image, &mut left);
            let next = simd::dot(&left, &left);
            direction.iter_mut().zip(&left).for_each(|(d, l)| *d = l + next / squares * *d);
            squares = next;
        }
        Ok(line)
    }

    /// `sum w (x - mean)(x - mean)' v + ridge v`.
    fn times(&self, v: &[f64]) -> Result<Vec<f64>> {
        let vector = Matrix::from_vec(v.to_vec(), 1, v.len())?;
        let values = gram::weighted_sum(&Kernel::Linear, self.x.view(), &vector, identity(1).view())?;
        let mut image = self.back(values.into_data());
        simd::axpy(self.ridge, v, &mut image);
        Ok(image)
    }

    /// `sum w x (value - mean)`: what is taken out of the values need not be taken out of the rows.
    fn back(&self, mut values: Vec<f64>) -> Vec<f64> {
        let weight = |k: usize| self.samples.weights[self.rows[k]];
        let mean = values.iter().enumerate().map(|(k, v)| weight(k) * v).sum::<f64>() / self.total;
        values.iter_mut().enumerate().for_each(|(k, v)| *v = weight(k) * (*v - mean));
        combined(self.x.view(), &values)
    }
}

/// `sum f x` over rows with a factor each.
fn combined(x: Points<'_>, factors: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.cols()];
    for (i, factor) in factors.iter().enumerate() {
        match x.point(i) {
            Point::Dense(row) => simd::axpy(*factor, row, &mut out),
            Point::Sparse(columns, row) => {
                columns.iter().zip(row).for_each(|(j, v)| out[*j as usize] += factor * v);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{KernelRidge, Method, Problem, Quiet};
    use crate::matrix::Csr;

    /// Rows that look random, a weight for each, and a noisy plane.
    fn plane(rows: usize, features: usize) -> (Matrix, Vec<f64>, Vec<f64>) {
        let at = |i: usize| ((i as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 0.5;
        let x = Matrix::from_vec((0..rows * features).map(at).collect(), rows, features).unwrap();
        let y = (0..rows).map(|i| x.row(i).iter().sum::<f64>() + 0.1 * at(7 * i + 3) + 3.0).collect();
        (x, y, (0..rows).map(|i| 0.5 + (i % 3) as f64 / 2.0).collect())
    }

    #[test]
    fn one_vector_answers_as_all_rows_of_a_linear_kernel_do() {
        let (x, y, weights) = plane(60, 4);
        let problem = Problem::regression(x.view(), &y).unwrap().with_weights(&weights).unwrap();
        let samples = Samples::of(&problem, &[], 0, false).unwrap();
        let all: Vec<usize> = (0..60).collect();
        let line = Line::with(&samples, &all, 0.3, &|| false).unwrap().unwrap();
        assert_eq!(line.vectors.rows(), 1);
        let exact = KernelRidge::fixed(Kernel::Linear, 0.3).fit(&problem, &Quiet).unwrap();
        let (ours, theirs) = (line.answers(&samples, &all).unwrap(), exact.model.values(x.view()).unwrap());
        assert!(ours.data().iter().zip(theirs.data()).all(|(a, b)| (a - b).abs() < 1e-8));
        // To weigh it anew on the same rows changes nothing.
        let weighed = weigh(&samples, &all, &Kernel::Linear, line.vectors, 0.3).unwrap();
        assert!((weighed.model.weights[(0, 0)] - 1.0).abs() < 1e-8);
    }

    #[test]
    fn conjugate_gradients_solve_the_normal_equations() {
        let (x, y, weights) = plane(80, 30);
        let sparse = Csr::from_rows(x.view());
        let target = Problem::regression(x.view(), &y).unwrap().target;
        for x in [Points::from(x.view()), sparse.view().into()] {
            let problem = Problem { x, target, weights: Some(&weights) };
            let samples = Samples::of(&problem, &[], 0, false).unwrap();
            let rows: Vec<usize> = (5..80).collect();
            let narrow = Line::with(&samples, &rows, 0.1, &|| false).unwrap().unwrap();
            let wide = Wide::new(&samples, &rows, 0.1).solve(&|| false).unwrap();
            let narrow = narrow.vectors.into_matrix();
            assert!(wide.data().iter().zip(narrow.data()).all(|(a, b)| (a - b).abs() < 1e-5), "{wide:?}");
        }
    }

    #[test]
    fn the_default_answers_with_a_line_where_that_does_as_well() {
        let (x, y, _) = plane(200, 3);
        let problem = Problem::regression(x.view(), &y).unwrap();
        let fitted = Sparse::default().fit(&problem, &Quiet).unwrap();
        assert_eq!((fitted.model.size(), &fitted.kernel), (1, &Kernel::Linear));
        assert!(
            fitted.notes.iter().any(|note| note.starts_with("a linear kernel does")),
            "{:?}",
            fitted.notes
        );
        assert!(fitted.expected.unwrap().error() < 0.05);
        let asked = Sparse { linear: false, ..Sparse::default() }.fit(&problem, &Quiet).unwrap();
        assert!(matches!(asked.kernel, Kernel::Gaussian { .. }));
        // A curve is none.
        let curve: Vec<f64> = (0..200).map(|i| (6.0 * x[(i, 0)]).sin()).collect();
        let problem = Problem::regression(x.view(), &curve).unwrap();
        assert!(Sparse::default().fit(&problem, &Quiet).unwrap().model.size() > 1);
    }

    #[test]
    fn more_features_than_rows_are_no_obstacle() {
        // Of 2,000 columns each row has 12; whether it is in the class is told by the first ones.
        let at = |i: usize| ((i as f64 * 78.233).sin() * 43758.5453).rem_euclid(1.0);
        let codes: Vec<usize> = (0..300).map(|i| i % 2).collect();
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for (i, code) in codes.iter().enumerate() {
            let place = |k: usize| match k {
                0..5 => (at(12 * i + k) * 40.0) as u32 + 40 * *code as u32,
                _ => 80 + (at(12 * i + k) * 1920.0) as u32,
            };
            let mut row: Vec<u32> = (0..12).map(place).collect();
            row.sort_unstable();
            row.dedup();
            columns.extend(row);
            starts.push(columns.len());
        }
        let values = vec![1.0; columns.len()];
        let x = Csr::new(2000, starts, columns, values).unwrap();
        let problem = Problem::classification(x.view(), &codes, 2).unwrap();
        let fitted = Sparse::default().fit(&problem, &Quiet).unwrap();
        assert_eq!((fitted.model.size(), &fitted.kernel), (1, &Kernel::Linear));
        assert!(fitted.expected.unwrap().error_rate.unwrap() < 0.1);
    }
}
