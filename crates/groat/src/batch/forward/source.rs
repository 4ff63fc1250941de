//! Candidate columns made from a kernel.

use super::columns::{Columns, Stored};
use super::loops;
use super::symmetric::Symmetric;
use crate::error::Result;
use crate::kernels::{Centres, Evaluator, Kernel};
use crate::matrix::{Matrix, Rows};
use crate::simd;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows that are evaluated at a time: a piece of a column stays in the first-level cache.
const CHUNK: usize = super::basis::ROWS;

/// Candidates of one parallel task. Fixed, so that sums do not depend on the thread count.
const BLOCK: usize = 16;

/// Columns up to this many bytes in double precision are stored in double precision: they fit a cache, and
/// single precision would gain nothing.
const SMALL: u64 = 16 << 20;

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
    evaluator: Evaluator<f64>,
    chunks: Vec<Centres>,
    rows: usize,
    candidates: Matrix,
    /// Square roots of the sample weights.
    root: Option<Vec<f64>>,
}

impl Source {
    pub(crate) fn new(
        kernel: &Kernel,
        x: Rows<'_>,
        candidates: Matrix,
        root: Option<Vec<f64>>,
    ) -> Result<Self> {
        kernel.check_for(x.cols())?;
        let chunks = (0..x.rows())
            .step_by(CHUNK)
            .map(|start| Centres::from_rows(x.slice(start, (start + CHUNK).min(x.rows()))))
            .collect();
        Ok(Self { evaluator: kernel.evaluator(), chunks, rows: x.rows(), candidates, root })
    }

    /// Column `j` over chunk `c` of the rows.
    fn chunk(&self, j: usize, c: usize, out: &mut [f64]) {
        self.evaluator.row(self.candidates.row(j), &self.chunks[c], out);
        if let Some(root) = &self.root {
            for (out, root) in out.iter_mut().zip(&root[c * CHUNK..]) {
                *out *= root;
            }
        }
    }

    /// Column `j` from row `start` on, a multiple of the chunk.
    fn piece(&self, j: usize, start: usize, out: &mut [f64]) {
        for (c, out) in (start / CHUNK..).zip(out.chunks_mut(CHUNK)) {
            self.chunk(j, c, out);
        }
    }

    fn column(&self, j: usize, out: &mut [f64]) {
        self.piece(j, 0, out);
    }

    /// The columns in the given kind of storage; `limit` bounds the bytes that `Auto` may use. `whole` says that
    /// whole columns will be asked for, not products alone.
    pub(crate) fn into_columns(self, storage: Storage, limit: u64, whole: bool) -> Box<dyn Columns> {
        let (rows, count) = (self.rows, self.candidates.rows());
        let bytes = 8 * rows as u64 * count as u64;
        let storage = match storage {
            Storage::Auto if bytes <= SMALL.min(limit) => Storage::Double,
            Storage::Auto if bytes / 2 <= limit => Storage::Single,
            Storage::Auto => Storage::Recompute,
            chosen => chosen,
        };
        let store_exact = bytes <= limit;
        match storage {
            Storage::Double => Box::new(Stored::<f64>::fill(rows, count, |j, out| self.column(j, out))),
            // As many candidates as rows are all of them, in order.
            Storage::Single if rows == count && self.root.is_none() && !whole => {
                let stored = Symmetric::new(&self.evaluator, self.candidates.view());
                Box::new(Rounded { stored, source: Arc::new(self), store_exact })
            }
            Storage::Single => {
                let stored = Stored::<f32>::fill(rows, count, |j, out| self.column(j, out));
                Box::new(Rounded { stored, source: Arc::new(self), store_exact })
            }
            _ => Box::new(Recomputed::new(Arc::new(self))),
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
            Box::new(Stored::<f64>::fill(self.rows(), self.count(), |j, out| self.source.column(j, out)))
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
            || vec![0.0; source.rows],
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
        self.source.rows
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
        let r = vectors.len();
        out.par_chunks_mut(BLOCK * r).enumerate().for_each_init(
            || (vec![0.0; BLOCK * CHUNK], vec![0.0; BLOCK * r]),
            |(block, part), (b, out)| {
                out.fill(0.0);
                let count = out.len() / r;
                for (c, chunk) in self.source.chunks.iter().enumerate() {
                    let (start, len) = (c * CHUNK, chunk.len());
                    for (i, column) in block.chunks_mut(len).take(count).enumerate() {
                        self.source.chunk(b * BLOCK + i, c, column);
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
