//! Candidate columns made from a kernel.

use super::columns::{Columns, Stored};
use crate::error::Result;
use crate::gram::{Form, Memory, Need, Plan, Side, loops};
use crate::kernels::Kernel;
use crate::matrix::{PointSet, Points, Real};
use crate::simd;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows that are evaluated at a time: a piece of a column stays in the first-level cache.
const CHUNK: usize = super::basis::ROWS;

/// Candidates of one parallel task. Fixed, so that sums do not depend on the thread count.
const BLOCK: usize = 16;

/// How candidate columns are kept between stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// Double precision when small, else single, else none when single would pass the memory limit.
    #[default]
    Auto,
    /// `8 N M` bytes.
    Double,
    /// `4 N M` bytes. Candidates are ranked with rounded columns and the best of them evaluated with exact
    /// ones, so the model is made of exact numbers; the choice between candidates whose criteria agree to
    /// about seven digits may differ. When the chosen terms leave too little of the candidates for rounded
    /// columns to tell them apart, the selection goes on with exact ones.
    Single,
    /// Nothing: columns are evaluated anew at every stage. Slower by the cost of the kernel.
    Recompute,
}

/// The kernel, the samples and the candidates.
pub(crate) struct Source {
    samples: Side,
    candidates: PointSet,
    /// Square roots of the sample weights.
    root: Option<Vec<f64>>,
}

impl Source {
    /// Candidates are the given rows of `x`.
    pub(crate) fn new(
        kernel: &Kernel,
        x: Points<'_>,
        rows: &[usize],
        root: Option<Vec<f64>>,
    ) -> Result<Self> {
        Ok(Self { samples: Side::new(kernel, x, x)?, candidates: x.select(rows), root })
    }

    fn rows(&self) -> usize {
        self.samples.len()
    }

    /// Column `j` from row `start` on, a multiple of the chunk.
    fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        self.samples.row(self.candidates.view().point(j), start, out);
        if let Some(root) = &self.root {
            for (out, root) in out.iter_mut().zip(&root[start..]) {
                *out *= root;
            }
        }
    }

    fn column(&self, j: usize, out: &mut [f64]) {
        self.piece(j, 0, out);
    }

    /// All columns, stored.
    fn stored<T: Real>(&self) -> Stored<T> {
        self.samples.stored(self.candidates.view(), self.root.as_deref())
    }

    /// The columns in the given kind of storage; `memory` bounds what `Auto` may use. `whole` says that
    /// whole columns will be asked for, not products alone. Also tells what they take.
    pub(crate) fn into_columns(
        self,
        storage: Storage,
        memory: Memory,
        whole: bool,
    ) -> (Box<dyn Columns>, Plan) {
        let (rows, count) = (self.rows(), self.candidates.rows());
        let told = |form: Form, bytes: u64| Plan { form, bytes, limit: memory.limit() };
        let entries = rows as u64 * count as u64;
        let plan = || Plan::choose(Need::RoughProducts, count, rows, self.candidates.view().bytes(), memory);
        let storage = match storage {
            Storage::Auto => match plan().map_or(Form::Blocked, |plan| plan.form) {
                Form::Double => Storage::Double,
                Form::Single => Storage::Single,
                _ => Storage::Recompute,
            },
            chosen => chosen,
        };
        let store_exact = memory.holds(8 * entries);
        match storage {
            Storage::Double => (Box::new(self.stored::<f64>()), told(Form::Double, 8 * entries)),
            // As many candidates as rows are all of them, in order.
            Storage::Single if rows == count && self.root.is_none() && !whole => {
                let stored = self.samples.half(self.candidates.view());
                (
                    Box::new(Rounded { stored, source: Arc::new(self), store_exact }),
                    told(Form::Single, 2 * entries),
                )
            }
            Storage::Single => {
                let stored = self.stored::<f32>();
                (
                    Box::new(Rounded { stored, source: Arc::new(self), store_exact }),
                    told(Form::Single, 4 * entries),
                )
            }
            _ => {
                let bytes = 2 * self.candidates.view().bytes();
                (Box::new(Recomputed::new(Arc::new(self))), told(Form::Blocked, bytes))
            }
        }
    }
}

/// Columns in single precision, with the exact ones at hand.
struct Rounded<S> {
    stored: S,
    source: Arc<Source>,
    /// Whether there is memory for the exact ones too.
    store_exact: bool,
}

impl<S: Columns> Columns for Rounded<S> {
    fn rows(&self) -> usize {
        self.stored.rows()
    }

    fn count(&self) -> usize {
        self.stored.count()
    }

    fn energies(&self) -> &[f64] {
        self.stored.energies()
    }

    fn column(&self, j: usize, out: &mut [f64]) {
        self.source.column(j, out);
    }

    fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        self.source.piece(j, start, out);
    }

    fn rough_column(&self, j: usize, out: &mut [f64]) {
        self.stored.column(j, out);
    }

    fn products(&self, vectors: &[&[f64]], out: &mut [f64]) {
        self.stored.products(vectors, out);
    }

    fn rounding(&self) -> f64 {
        self.stored.rounding()
    }

    fn exact(&self) -> Option<Box<dyn Columns + '_>> {
        Some(if self.store_exact {
            Box::new(self.source.stored::<f64>())
        } else {
            Box::new(Recomputed { source: self.source.clone(), energies: self.energies().to_vec() })
        })
    }
}

/// Columns that are never stored.
struct Recomputed {
    source: Arc<Source>,
    energies: Vec<f64>,
}

impl Recomputed {
    fn new(source: Arc<Source>) -> Self {
        let mut energies = vec![0.0; source.candidates.rows()];
        energies.par_iter_mut().enumerate().for_each_init(
            || vec![0.0; source.rows()],
            |column, (j, energy)| {
                source.column(j, column);
                *energy = simd::dot(column, column);
            },
        );
        Self { source, energies }
    }
}

impl Columns for Recomputed {
    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn count(&self) -> usize {
        self.energies.len()
    }

    fn energies(&self) -> &[f64] {
        &self.energies
    }

    fn column(&self, j: usize, out: &mut [f64]) {
        self.source.column(j, out);
    }

    fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        self.source.piece(j, start, out);
    }

    fn products(&self, vectors: &[&[f64]], out: &mut [f64]) {
        let (r, rows) = (vectors.len(), self.rows());
        out.par_chunks_mut(BLOCK * r).enumerate().for_each_init(
            || (vec![0.0; BLOCK * CHUNK], vec![0.0; BLOCK * r]),
            |(block, part), (b, out)| {
                out.fill(0.0);
                let count = out.len() / r;
                for start in (0..rows).step_by(CHUNK) {
                    let len = CHUNK.min(rows - start);
                    for (i, column) in block.chunks_mut(len).take(count).enumerate() {
                        self.source.piece(b * BLOCK + i, start, column);
                    }
                    let pieces: Vec<&[f64]> = vectors.iter().map(|v| &v[start..start + len]).collect();
                    loops::products(&block[..count * len], len, &pieces, &mut part[..count * r]);
                    for (out, part) in out.iter_mut().zip(part.iter()) {
                        *out += part;
                    }
                }
            },
        );
    }

    fn rounding(&self) -> f64 {
        f64::EPSILON
    }
}
