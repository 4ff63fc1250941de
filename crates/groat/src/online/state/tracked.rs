//! A dictionary together with what costs, projections and criteria need to know about it.

use super::dictionary::Dictionary;
use super::inverse::{InverseGram, Orthonormal};
use super::look_ahead::LookAhead;
use super::tables::{Energy, Neighbours, Rows};
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::matrix;
use crate::simd::{Aligned, axpy, dot};
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// Below this share of `k(x, x)` a residual is rounding error.
pub(crate) const ROUNDING: f64 = 1e-14;

/// What a part needs kept up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Residuals of samples and their projections on the span of the dictionary.
    pub span: bool,
    /// The weights at any time and, beside the span, the elements of the inverse Gram matrix.
    pub weights: bool,
    /// Nearest neighbours.
    pub neighbours: bool,
    /// Row sums of squared kernel values.
    pub energy: bool,
}

impl Needs {
    /// Nothing.
    pub const NONE: Needs = Needs { span: false, weights: false, neighbours: false, energy: false };
    /// Residuals and projections alone.
    pub const SPAN: Needs = Needs { span: true, ..Needs::NONE };
    /// The weights alone.
    pub const WEIGHTS: Needs = Needs { weights: true, ..Needs::NONE };
    /// The elements of the inverse.
    pub const INVERSE: Needs = Needs { span: true, weights: true, ..Needs::NONE };
    /// Neighbours alone.
    pub const NEIGHBOURS: Needs = Needs { neighbours: true, ..Needs::NONE };
    /// Sums alone.
    pub const ENERGY: Needs = Needs { energy: true, ..Needs::NONE };

    /// What either needs.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            span: self.span || other.span,
            weights: self.weights || other.weights,
            neighbours: self.neighbours || other.neighbours,
            energy: self.energy || other.energy,
        }
    }

    /// This, and the weights if `asked`.
    pub fn with_weights(self, asked: bool) -> Needs {
        Needs { weights: self.weights || asked, ..self }
    }
}

/// A sample as the parts see it.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    /// The input.
    pub x: &'a [f64],
    /// Kernel values with the vectors of the dictionary.
    pub k: &'a [f64],
    /// `k(x, x)`.
    pub kxx: f64,
    /// The projection on the span of the dictionary: its weights `nu = Q k`, or its coordinates `z` in a basis;
    /// empty without either.
    pub image: &'a [f64],
    /// `k(x,x) + ridge - k . Q k`; `k(x, x)` without an inverse.
    pub residual: f64,
    /// The target.
    pub y: f64,
    /// Target minus output.
    pub error: f64,
    /// Minus the derivative of the loss.
    pub pull: f64,
    /// The weight that `k(x, .)` would get.
    pub weight: f64,
    /// The nearest vector and its distance, once it was looked for.
    pub nearest: Cell<Option<(usize, f64)>>,
}

impl<'a> Sample<'a> {
    /// A sample of which only its place in the dictionary is known.
    pub fn of(x: &'a [f64], k: &'a [f64], kxx: f64, image: &'a [f64], residual: f64) -> Self {
        let (y, error, pull, weight) = (0.0, 0.0, 0.0, 0.0);
        Self { x, k, kxx, image, residual, y, error, pull, weight, nearest: Cell::new(None) }
    }

    /// The weight with which it would meet its target without touching the outputs at the other vectors; none for
    /// a sample that lies in their span, where there is no such weight.
    pub fn fitted_weight(&self) -> f64 {
        if self.residual > 0.0 { self.error / self.residual } else { 0.0 }
    }

    /// The nearest vector and its distance.
    pub fn nearest(&self, dictionary: &Dictionary) -> Option<(usize, f64)> {
        if self.nearest.get().is_none() {
            self.nearest.set(dictionary.nearest(self.x));
        }
        self.nearest.get()
    }
}

/// A dictionary and the tables about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tracked {
    /// Vectors and, unless there is a basis, weights.
    pub dictionary: Dictionary,
    /// Inverse Gram matrix, where a part needs its elements.
    pub inverse: Option<InverseGram>,
    /// Orthonormal basis of the span with the function in it, where residuals and projections are all that is needed. The
    /// weights in the dictionary are then zero.
    pub basis: Option<InverseGram<Orthonormal>>,
    /// Nearest neighbours, where a part needs them.
    pub neighbours: Option<Neighbours>,
    /// Row sums, where a part needs them.
    pub energy: Option<Energy>,
    #[serde(skip)]
    look_ahead: LookAhead,
    #[serde(skip)]
    pub(crate) scratch: Scratch,
}

/// Buffers that are kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// One kernel row of a vector.
    pub rows: Rows,
    /// One column of a matrix.
    pub column: Vec<f64>,
    /// One more.
    pub second: Vec<f64>,
}

impl Scratch {
    /// Two buffers of `m` numbers.
    pub fn two(&mut self, m: usize) -> (&mut [f64], &mut [f64]) {
        self.column.resize(m.max(self.column.len()), 0.0);
        self.second.resize(m.max(self.second.len()), 0.0);
        (&mut self.column[..m], &mut self.second[..m])
    }
}

impl Tracked {
    /// A model without tables.
    pub fn new(dictionary: Dictionary) -> Self {
        Self {
            dictionary,
            inverse: None,
            basis: None,
            neighbours: None,
            energy: None,
            look_ahead: LookAhead::default(),
            scratch: Scratch::default(),
        }
    }

    /// The vectors and weights of an expansion of any number of outputs, with what `needs` names; `jitter` goes on the
    /// diagonal of the Gram matrix. Costs and projections then reduce it as they reduce a learner's dictionary.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the way in for fitted models, which nothing reduces yet")
    )]
    pub fn of(model: &Expansion, needs: Needs, jitter: f64) -> Result<Self> {
        let (vectors, weights) = (model.vectors(), model.weights());
        let dictionary = Dictionary::new(model.kernel(), vectors.cols())?.with_outputs(weights.cols());
        let mut tracked = Self::new(dictionary);
        // A basis holds the function of one output.
        tracked.keep(needs.with_weights(true), jitter);
        let (mut k, mut image) = (Aligned::default(), Aligned::default());
        for i in 0..vectors.rows() {
            let x = &*vectors.row(i);
            let kxx = tracked.dictionary.diag(x);
            let (residual, _) = tracked.observe(x, kxx, &mut k, &mut image);
            if residual <= ROUNDING * kxx {
                let reason = format!("vector {i} lies in the span of those before it; add a jitter");
                return Err(Error::Numerical { what: "inverting the Gram matrix", reason });
            }
            tracked.push(&Sample::of(x, &k, kxx, &image, residual), 0.0);
            for (column, weight) in tracked.dictionary.columns_mut().zip(weights.row(i)) {
                column[i] = *weight;
            }
        }
        Ok(tracked)
    }

    /// Keeps the tables that `needs` names from now on; the dictionary is still empty.
    pub fn keep(&mut self, needs: Needs, ridge: f64) {
        self.inverse = (needs.span && needs.weights).then(|| InverseGram::new(ridge));
        self.basis = (needs.span && !needs.weights).then(|| InverseGram::new(ridge));
        self.neighbours = needs.neighbours.then(Neighbours::default);
        self.energy = needs.energy.then(Energy::default);
    }

    /// Vectors.
    pub fn len(&self) -> usize {
        self.dictionary.len()
    }

    /// Looks at the rows that come next, where that saves work.
    pub fn look_ahead(&mut self, x: matrix::Rows<'_>) {
        if let Some(basis) = &mut self.basis {
            self.look_ahead.prepare(&self.dictionary, basis, x);
        }
    }

    /// Other rows come next.
    pub fn drop_look_ahead(&mut self) {
        self.look_ahead.clear();
    }

    /// Writes kernel values and image of `x`; returns its residual and the output at it.
    pub fn observe(&mut self, x: &[f64], kxx: f64, k: &mut Aligned, image: &mut Aligned) -> (f64, f64) {
        if let Some(basis) = &self.basis
            && self.look_ahead.take(basis.changes(), k, image)
        {
            return basis.measure(kxx, image);
        }
        self.dictionary.row_into(x, k);
        self.observe_row(kxx, k, image)
    }

    /// The same for kernel values that are there already.
    pub fn observe_row(&mut self, kxx: f64, k: &[f64], image: &mut Aligned) -> (f64, f64) {
        let seen = match (&mut self.basis, &self.inverse) {
            (Some(basis), _) => {
                image.make_room(k.len());
                basis.see(k, kxx, image)
            }
            (None, Some(inverse)) => {
                image.make_room(k.len());
                (inverse.solve(k, kxx, image), dot(k, &self.dictionary.alpha))
            }
            (None, None) => return (kxx, dot(k, &self.dictionary.alpha)),
        };
        image.truncate(k.len());
        seen
    }

    /// True when residuals of samples are known.
    pub fn knows_residuals(&self) -> bool {
        self.inverse.is_some() || self.basis.is_some()
    }

    /// Kernel values and image of `x`, and its residual, where those are known.
    pub fn residual(&self, x: &[f64], k: &mut [f64], image: &mut [f64]) -> Option<f64> {
        self.dictionary.row(x, k);
        let kxx = self.dictionary.diag(x);
        match (&self.basis, &self.inverse) {
            (Some(basis), _) => Some(basis.solve(k, kxx, image)),
            (None, Some(inverse)) => Some(inverse.solve(k, kxx, image)),
            (None, None) => None,
        }
    }

    /// The output at `x`; `buffer` holds two numbers for every vector.
    pub fn output(&self, x: &[f64], buffer: &mut [f64]) -> f64 {
        let (k, weights) = buffer.split_at_mut(self.len());
        self.dictionary.row(x, k);
        match &self.basis {
            Some(basis) => {
                basis.alpha(weights);
                dot(k, weights)
            }
            None => dot(k, &self.dictionary.alpha),
        }
    }

    /// The dictionary with its weights, where they are not kept.
    pub fn explicit(&self) -> Option<Dictionary> {
        let basis = self.basis.as_ref()?;
        let mut dictionary = self.dictionary.clone();
        basis.alpha(&mut dictionary.alpha);
        Some(dictionary)
    }

    /// Multiplies the function.
    pub fn decay(&mut self, factor: f64) {
        if factor != 1.0 {
            self.weights_mut().iter_mut().for_each(|weight| *weight *= factor);
        }
    }

    /// Adds `weight` times the projection of a sample on the span.
    pub fn add_image(&mut self, weight: f64, sample: &Sample<'_>) {
        axpy(weight, sample.image, self.weights_mut());
    }

    /// The weights of the function, in the vectors or in the basis.
    fn weights_mut(&mut self) -> &mut [f64] {
        match &mut self.basis {
            Some(basis) => basis.weights_mut(),
            None => &mut self.dictionary.alpha,
        }
    }

    /// Takes in a sample with the given weight. Returns the residual with which it entered.
    pub fn push(&mut self, sample: &Sample<'_>, weight: f64) -> f64 {
        let Sample { x, k, kxx, image, mut residual, .. } = *sample;
        if let Some(neighbours) = &mut self.neighbours {
            neighbours.push(&self.dictionary, k, kxx);
        }
        if let Some(energy) = &mut self.energy {
            energy.push(k);
        }
        if let Some(inverse) = &mut self.inverse {
            residual = inverse.grow(k, kxx, image, residual);
        }
        if let Some(basis) = &mut self.basis {
            residual = basis.grow(k, kxx, image, residual);
            basis.add_newest(weight, residual);
            self.dictionary.push(x, 0.0, kxx);
        } else {
            self.dictionary.push(x, weight, kxx);
        }
        residual
    }

    /// Takes in a sample with the weight that least squares gives it, `e / s`, the others moving by
    /// `-nu e / s`: the change that meets the target without touching the outputs elsewhere in the
    /// dictionary. In a basis that is its new coordinate alone, `e / sqrt(s)`. Returns the residual `s` with which
    /// it entered.
    pub fn push_fitted(&mut self, sample: &Sample<'_>) -> f64 {
        let s = self.push(sample, 0.0);
        let m = sample.k.len();
        if let Some(inverse) = &self.inverse {
            // The corner of the grown inverse is 1 / s.
            let weight = sample.error * inverse.inverse().diagonal(m);
            axpy(-weight, inverse.entered(), &mut self.dictionary.alpha[..m]);
            self.dictionary.alpha[m] = weight;
        }
        if let Some(basis) = &mut self.basis {
            basis.weights_mut()[m] = sample.error / s.sqrt();
        }
        s
    }

    /// Removes vector `r`; a projection that [releases](crate::online::parts::projection::Project::release) its weight
    /// comes first. On return the scratch column holds the column of the inverse that left, where there is one.
    pub fn remove(&mut self, r: usize) {
        if let Some(energy) = &mut self.energy {
            energy.remove(&self.dictionary, r, &mut self.scratch.rows);
        }
        if let Some(inverse) = &mut self.inverse {
            let (column, _) = self.scratch.two(inverse.len());
            inverse.shrink(r, column);
        }
        if let Some(basis) = &mut self.basis {
            basis.shrink(r);
        }
        self.dictionary.remove(r);
        if let Some(neighbours) = &mut self.neighbours {
            neighbours.remove(&self.dictionary, r, &mut self.scratch.rows);
        }
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        let neighbours =
            self.neighbours.as_ref().map_or(0, |n| n.who.len() * (size_of::<usize>() + size_of::<f64>()));
        self.dictionary.memory_bytes()
            + self.inverse.as_ref().map_or(0, InverseGram::memory_bytes)
            + self.basis.as_ref().map_or(0, InverseGram::memory_bytes)
            + neighbours
            + self.energy.as_ref().map_or(0, |e| size_of_val(e.squares.as_slice()))
    }

    /// Fails unless a state read from a file holds what `needs` says, with lengths that agree.
    pub fn check(&self, dimension: usize, needs: Needs) -> Result<()> {
        self.dictionary.check(dimension)?;
        let m = self.len();
        let fits = self.inverse.is_some() == (needs.span && needs.weights)
            && self.basis.is_some() == (needs.span && !needs.weights)
            && self.neighbours.is_some() == needs.neighbours
            && self.energy.is_some() == needs.energy;
        let tables = self.neighbours.as_ref().is_none_or(|n| n.fits(m))
            && self
                .energy
                .as_ref()
                .is_none_or(|e| e.squares.len() == m && e.squares.iter().all(|v| v.is_finite()));
        if !fits || !tables {
            return Err(Error::parse("saved state of a learner", "tables", "they do not fit the dictionary"));
        }
        self.inverse.as_ref().map_or(Ok(()), |inverse| inverse.check(m))?;
        self.basis.as_ref().map_or(Ok(()), |basis| basis.check(m))
    }
}
