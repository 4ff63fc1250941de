//! The vectors of a model and their weights, in order of insertion.

use super::bits;
use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::kernels::{Centres, Evaluator, Kernel};
use crate::matrix::Matrix;
use crate::simd::{Aligned, dot, largest_magnitude};
use serde::{Deserialize, Serialize};

/// `f(x) = sum_i alpha_i k(v_i, x)`; vector 0 is the oldest.
///
/// A model of several outputs has one column of weights for each. Learners have one output, so the first column stands by
/// itself, contiguous, and whoever knows of no other reads and writes it alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Saved", try_from = "Saved")]
pub(crate) struct Dictionary {
    kernel: Kernel,
    evaluator: Evaluator,
    centres: Centres,
    /// The weights of the first output.
    pub alpha: Vec<f64>,
    /// The weights of each further output.
    further: Vec<Vec<f64>>,
    /// `k(v_i, v_i)`, kept only where it is not 1.
    diagonal: Option<Vec<f64>>,
}

impl Dictionary {
    /// An empty one of one output.
    pub fn new(kernel: &Kernel, dimension: usize) -> Result<Self> {
        Ok(Self {
            kernel: kernel.clone(),
            evaluator: kernel.evaluator(),
            centres: Centres::new(dimension)?,
            alpha: Vec::new(),
            further: Vec::new(),
            diagonal: (!kernel.is_radial()).then(Vec::new),
        })
    }

    /// The same for `outputs` of them, as long as there is no vector.
    pub fn with_outputs(mut self, outputs: usize) -> Self {
        self.further.resize(outputs.saturating_sub(1), Vec::new());
        self
    }

    /// Vectors.
    pub fn len(&self) -> usize {
        self.alpha.len()
    }

    /// The weights, output by output.
    pub fn columns(&self) -> impl Iterator<Item = &[f64]> {
        std::iter::once(&self.alpha).chain(&self.further).map(Vec::as_slice)
    }

    /// The weights, output by output.
    pub fn columns_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        std::iter::once(&mut self.alpha).chain(&mut self.further).map(Vec::as_mut_slice)
    }

    /// Sum of squares of the weights of vector `i` over the outputs.
    pub fn squared_weight(&self, i: usize) -> f64 {
        let further: f64 = self.further.iter().map(|alpha| alpha[i] * alpha[i]).sum();
        self.alpha[i] * self.alpha[i] + further
    }

    /// Euclidean norm of the weights of vector `i` over the outputs.
    pub fn magnitude(&self, i: usize) -> f64 {
        // Squaring and the root would round.
        if self.further.is_empty() { self.alpha[i].abs() } else { self.squared_weight(i).sqrt() }
    }

    /// The vectors themselves.
    pub fn centres(&self) -> &Centres {
        &self.centres
    }

    /// `k(x, v_i)` for all `i`, into `out`.
    pub fn row(&self, x: &[f64], out: &mut [f64]) {
        self.evaluator.row(x, &self.centres, out);
    }

    /// `k(x, v_i)` for all `i`, into a list that gets as many places.
    pub fn row_into(&self, x: &[f64], out: &mut Aligned) {
        out.make_room(self.len());
        self.evaluator.whole_row(x, &self.centres, out);
        out.truncate(self.len());
    }

    /// `k(x, y)`.
    pub fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.evaluator.eval(x, y)
    }

    /// `k(x, x)`.
    pub fn diag(&self, x: &[f64]) -> f64 {
        if self.diagonal.is_none() { 1.0 } else { self.evaluator.eval(x, x) }
    }

    /// `k(v_i, v_i)`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.diagonal.as_ref().map_or(1.0, |d| d[i])
    }

    /// Normalised kernel value `|k_i| / sqrt(k(x,x) k(v_i,v_i))` of a row entry.
    pub fn coherence(&self, i: usize, k: f64, kxx: f64) -> f64 {
        match &self.diagonal {
            None => k.abs(),
            Some(d) => {
                let norm = (kxx * d[i]).sqrt();
                if norm > 0.0 { k.abs() / norm } else { 0.0 }
            }
        }
    }

    /// The largest coherence among the kernel values of a row; 0 without vectors.
    pub fn largest_coherence(&self, k: &[f64], kxx: f64) -> f64 {
        if self.diagonal.is_none() {
            return largest_magnitude(k);
        }
        k.iter().enumerate().map(|(i, k)| self.coherence(i, *k, kxx)).fold(0.0, f64::max)
    }

    /// The first output at `x`.
    pub fn output(&self, x: &[f64]) -> f64 {
        super::scratch::with_scratch(self.len(), |k| {
            self.row(x, k);
            dot(k, &self.alpha)
        })
    }

    /// Appends a vector with its weight for the first output; those for further outputs are 0.
    pub fn push(&mut self, x: &[f64], weight: f64, kxx: f64) {
        // The length was checked at the door, so this cannot fail.
        if self.centres.push(x).is_ok() {
            self.alpha.push(weight);
            self.further.iter_mut().for_each(|alpha| alpha.push(0.0));
            if let Some(diagonal) = &mut self.diagonal {
                diagonal.push(kxx);
            }
        }
    }

    /// Puts another vector in the place of vector `r`, with its weight for the first output.
    pub fn replace(&mut self, r: usize, x: &[f64], weight: f64, kxx: f64) {
        self.centres.set(r, x);
        self.alpha[r] = weight;
        self.further.iter_mut().for_each(|alpha| alpha[r] = 0.0);
        if let Some(diagonal) = &mut self.diagonal {
            diagonal[r] = kxx;
        }
    }

    /// Removes vector `r`.
    pub fn remove(&mut self, r: usize) {
        self.centres.remove(r);
        self.alpha.remove(r);
        self.further.iter_mut().for_each(|alpha| {
            alpha.remove(r);
        });
        if let Some(diagonal) = &mut self.diagonal {
            diagonal.remove(r);
        }
    }

    /// Multiplies all weights.
    pub fn decay(&mut self, factor: f64) {
        if factor != 1.0 {
            self.columns_mut().flatten().for_each(|weight| *weight *= factor);
        }
    }

    /// The vector equal to `x`, given its kernel values.
    pub fn position(&self, x: &[f64], k: &[f64], kxx: f64) -> Option<usize> {
        let same = |i: usize| x.iter().enumerate().all(|(j, v)| self.centres.get(i, j) == *v);
        // Equal vectors have equal kernel values up to rounding; this spares most comparisons.
        (0..self.len()).find(|&i| (k[i] - kxx).abs() <= 1e-9 * kxx.abs() && same(i))
    }

    /// The vector nearest to `x` (the lowest index of several) and its Euclidean distance.
    pub fn nearest(&self, x: &[f64]) -> Option<(usize, f64)> {
        let square = |i: usize| -> f64 {
            x.iter().enumerate().map(|(j, v)| (v - self.centres.get(i, j)).powi(2)).sum()
        };
        let mut best: Option<(usize, f64)> = None;
        for i in 0..self.len() {
            let distance = square(i);
            if best.is_none_or(|(_, least)| distance < least) {
                best = Some((i, distance));
            }
        }
        best.map(|(i, distance)| (i, distance.sqrt()))
    }

    /// Bytes of vectors and weights.
    pub fn memory_bytes(&self) -> usize {
        let numbers = self.len() * (self.centres.dim() + 1 + self.further.len())
            + self.diagonal.as_ref().map_or(0, Vec::len);
        numbers * size_of::<f64>()
    }

    /// The model as an expansion; `None` when there is no vector yet.
    pub fn snapshot(&self) -> Result<Option<Expansion>> {
        if self.len() == 0 {
            return Ok(None);
        }
        let columns: Vec<&[f64]> = self.columns().collect();
        let weights = (0..self.len()).flat_map(|i| columns.iter().map(move |alpha| alpha[i])).collect();
        let weights = Matrix::from_vec(weights, self.len(), columns.len())?;
        Expansion::new(self.kernel.clone(), self.centres.to_matrix(), weights).map(Some)
    }

    /// Fails unless a state read from a file fits samples of `dimension` features.
    pub fn check(&self, dimension: usize) -> Result<()> {
        check_len("features of a saved vector", dimension, self.centres.dim())
    }
}

/// A dictionary as it stands in a file.
#[derive(Serialize, Deserialize)]
struct Saved {
    kernel: Kernel,
    dimension: usize,
    #[serde(with = "bits")]
    vectors: Vec<f64>,
    #[serde(with = "bits")]
    alpha: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    further: Vec<Column>,
}

/// The weights of a further output.
#[derive(Serialize, Deserialize)]
struct Column(#[serde(with = "bits")] Vec<f64>);

impl From<Dictionary> for Saved {
    fn from(dictionary: Dictionary) -> Self {
        let dimension = dictionary.centres.dim();
        let vectors = dictionary.centres.to_matrix().into_data();
        let further = dictionary.further.into_iter().map(Column).collect();
        Self { kernel: dictionary.kernel, dimension, vectors, alpha: dictionary.alpha, further }
    }
}

impl TryFrom<Saved> for Dictionary {
    type Error = Error;

    fn try_from(saved: Saved) -> Result<Self> {
        let Saved { kernel, dimension, vectors, alpha, further } = saved;
        let further: Vec<Vec<f64>> = further.into_iter().map(|column| column.0).collect();
        kernel.check_for(dimension)?;
        check_len("numbers in saved vectors", alpha.len().saturating_mul(dimension), vectors.len())?;
        for column in &further {
            check_len("weights of a further output", alpha.len(), column.len())?;
        }
        if vectors.iter().chain(&alpha).chain(further.iter().flatten()).any(|v| !v.is_finite()) {
            return Err(Error::parse(
                "saved state of a learner",
                "dictionary",
                "it holds a number that is not finite",
            ));
        }
        let mut dictionary = Self::new(&kernel, dimension)?;
        for (x, weight) in vectors.chunks_exact(dimension).zip(alpha) {
            let kxx = dictionary.diag(x);
            dictionary.push(x, weight, kxx);
        }
        dictionary.further = further;
        Ok(dictionary)
    }
}
