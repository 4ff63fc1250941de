//! Features as the solvers see them: blocks of rows in, blocks of features out.
//!
//! Solvers work with `z = L^-1 phi`, whose penalty is `|w|^2`. For landmarks the rows can be made with `phi = k(x) - shift`
//! and `L` applied to sums afterwards, which halves the work: `n M^2` instead of `2 n M^2`. Sums of `k k'` lose digits where
//! landmarks depend on each other; then every row is multiplied by `L^-1` first and nothing remains to be done, as for
//! random features.

use super::{FeatureExpansion, Linear, Nystrom, RandomFeatures};
use crate::error::Result;
use crate::gram::{Side, Single};
use crate::matrix::{Matrix, Points};
use crate::model::Function;
use groat_linalg::Cholesky;
use rayon::prelude::*;

/// Landmarks with at least this much of their own allow sums of plain kernels, in double and in single precision.
const INDEPENDENT: f64 = 1e-5;
const INDEPENDENT_SINGLE: f64 = 1e-2;
/// Rows that one thread shifts.
const BLOCK: usize = 64;

/// A map from rows to features.
#[derive(Clone, Debug)]
pub(crate) enum FeatureMap {
    /// Functions of landmarks.
    Landmarks(Box<Nystrom>),
    /// Random features.
    Random(RandomFeatures),
}

/// How features are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Everything in double precision.
    Double,
    /// Products in single precision, sums over blocks in double.
    Single,
}

/// A map made ready for rows of one kind.
pub(crate) enum Ready<'m> {
    /// With the landmarks packed, and whether `L^-1` is applied to every row.
    Landmarks(&'m Nystrom, Box<Side>, bool),
    Random(&'m RandomFeatures),
}

/// A map made ready for passes, which leave the shift to sums as well as `L` where they can.
pub(crate) enum Passing<'m> {
    /// Plain kernels.
    Kernels(Box<Side>),
    /// Plain kernels in single precision.
    Single(Box<Single>),
    /// Features in full.
    Features(Ready<'m>),
}

impl FeatureMap {
    /// Number of features.
    pub(crate) fn size(&self) -> usize {
        match self {
            FeatureMap::Landmarks(nystrom) => nystrom.size(),
            FeatureMap::Random(random) => random.size(),
        }
    }

    /// Features that a row must have.
    pub(crate) fn dimension(&self) -> usize {
        match self {
            FeatureMap::Landmarks(nystrom) => nystrom.landmarks().cols(),
            FeatureMap::Random(random) => random.dimension(),
        }
    }

    /// `L`, where it remains to be applied to sums.
    pub(crate) fn remaining(&self, precision: Precision) -> Option<&Cholesky> {
        let least = if precision == Precision::Single { INDEPENDENT_SINGLE } else { INDEPENDENT };
        match self {
            FeatureMap::Landmarks(nystrom) => (nystrom.weakest() >= least).then(|| nystrom.factor()),
            FeatureMap::Random(_) => None,
        }
    }

    /// Whether every row is multiplied by `L^-1`.
    pub(crate) fn is_whitened(&self) -> bool {
        matches!(self, FeatureMap::Landmarks(_)) && self.remaining(Precision::Double).is_none()
    }

    /// The precision that pays where this one is wanted: with landmarks of which sums of plain kernels are sound in double
    /// precision alone, or not even there, single would have every row multiplied by `L^-1` for the sums and again for
    /// their refinement, which costs more than it saves.
    pub(crate) fn worthwhile(&self, wanted: Precision) -> Precision {
        match self {
            FeatureMap::Landmarks(_) if self.remaining(wanted).is_none() => Precision::Double,
            _ => wanted,
        }
    }

    /// What passes leave to sums beside `L`: the shift of plain kernels.
    pub(crate) fn remaining_shift(&self) -> Option<&[f64]> {
        match self {
            FeatureMap::Landmarks(nystrom) if self.remaining(Precision::Double).is_some() => {
                Some(nystrom.shift())
            }
            _ => None,
        }
    }

    /// The landmarks in single precision, where passes may take kernels in it.
    fn single(&self) -> Option<Single> {
        match self {
            FeatureMap::Landmarks(nystrom) if self.remaining_shift().is_some() => {
                Single::new(nystrom.kernel(), nystrom.landmarks().dense()?)
            }
            _ => None,
        }
    }

    /// Whether passes over dense rows may take kernels in single precision.
    pub(crate) fn passes_in_single(&self) -> bool {
        self.single().is_some()
    }

    /// Ready for passes over rows like those of `x`, in single precision where that is wanted and possible.
    pub(crate) fn passing(&self, x: Points<'_>, precision: Precision) -> Result<Passing<'_>> {
        if precision == Precision::Single
            && x.dense().is_some()
            && let Some(single) = self.single()
        {
            return Ok(Passing::Single(Box::new(single)));
        }
        Ok(match self.ready(x, Precision::Double)? {
            Ready::Landmarks(_, packed, false) => Passing::Kernels(packed),
            ready => Passing::Features(ready),
        })
    }

    /// Ready for rows like those of `x`.
    pub(crate) fn ready(&self, x: Points<'_>, precision: Precision) -> Result<Ready<'_>> {
        Ok(match self {
            FeatureMap::Landmarks(nystrom) => {
                let packed = Side::new(nystrom.kernel(), nystrom.landmarks(), x)?;
                Ready::Landmarks(nystrom, Box::new(packed), self.remaining(precision).is_none())
            }
            FeatureMap::Random(random) => Ready::Random(random),
        })
    }

    /// The whitened shift: `L^-1 k` is whitened rows and this.
    pub(crate) fn origin(&self) -> Result<Vec<f64>> {
        match self {
            FeatureMap::Landmarks(nystrom) => {
                let mut origin = nystrom.shift().to_vec();
                nystrom.factor().solve_lower(&mut origin)?;
                Ok(origin)
            }
            FeatureMap::Random(random) => Ok(vec![0.0; random.size()]),
        }
    }

    /// The function `bias + z.w` with `w` in columns, one per output.
    pub(crate) fn function(&self, w: &[f64], bias: Vec<f64>) -> Result<Function> {
        match self {
            FeatureMap::Landmarks(nystrom) => {
                let mut columns = w.to_vec();
                nystrom.factor().solve_upper(&mut columns)?;
                nystrom.shifted_expansion(&columns, bias).map(Function::from)
            }
            FeatureMap::Random(random) => {
                let mut weights = Matrix::zeros(random.size(), bias.len());
                for (c, column) in w.chunks_exact(random.size()).enumerate() {
                    column.iter().enumerate().for_each(|(j, v)| weights[(j, c)] = *v);
                }
                FeatureExpansion::new(random.clone(), Linear { weights, bias }).map(Function::from)
            }
        }
    }
}

impl Ready<'_> {
    /// Writes the features of some rows, one row after the other, on this thread.
    pub(crate) fn fill(&self, rows: Points<'_>, out: &mut [f64]) -> Result<()> {
        match self {
            Ready::Random(random) => random.fill(rows, out),
            Ready::Landmarks(nystrom, packed, whiten) => {
                let m = nystrom.size();
                packed.block(rows, out);
                for row in out.chunks_exact_mut(m) {
                    row.iter_mut().zip(nystrom.shift()).for_each(|(v, shift)| *v -= shift);
                }
                if *whiten {
                    nystrom.factor().solve_lower(out)?;
                }
                Ok(())
            }
        }
    }

    /// The features of many rows, on all threads.
    pub(crate) fn matrix(&self, rows: Points<'_>) -> Result<Matrix> {
        match self {
            Ready::Random(random) => random.transform(rows),
            Ready::Landmarks(nystrom, packed, whiten) => {
                let mut k = packed.matrix(rows);
                subtract(k.data_mut(), nystrom.shift());
                if *whiten {
                    nystrom.factor().solve_lower(k.data_mut())?;
                }
                Ok(k)
            }
        }
    }

    /// The features of many rows in single precision, on all threads.
    pub(crate) fn single(&self, rows: Points<'_>) -> Result<Matrix<f32>> {
        if let (Ready::Landmarks(nystrom, _, false), Some(rows)) = (self, rows.dense())
            && let Some(landmarks) = nystrom.landmarks().dense()
            && let Some(single) = Single::new(nystrom.kernel(), landmarks)
        {
            let m = nystrom.size();
            let mut k = Matrix::zeros(rows.rows(), m);
            k.data_mut().par_chunks_mut(BLOCK * m).enumerate().for_each(|(c, out)| {
                single.block(rows.slice(c * BLOCK, c * BLOCK + out.len() / m), out);
            });
            let shift: Vec<f32> = nystrom.shift().iter().map(|v| *v as f32).collect();
            subtract(k.data_mut(), &shift);
            return Ok(k);
        }
        let wide = self.matrix(rows)?;
        Matrix::from_vec(wide.data().iter().map(|v| *v as f32).collect(), wide.rows(), wide.cols())
    }
}

/// Takes the shift from every row.
fn subtract<T: Copy + std::ops::SubAssign + Send + Sync>(rows: &mut [T], shift: &[T]) {
    rows.par_chunks_mut(BLOCK * shift.len()).for_each(|rows| {
        for row in rows.chunks_exact_mut(shift.len()) {
            row.iter_mut().zip(shift).for_each(|(v, s)| *v -= *s);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Kernel;
    use crate::matrix::Rows;

    #[test]
    fn single_precision_is_taken_where_it_pays() {
        let taken = |width: f64| -> Precision {
            let landmarks: Vec<f64> = (0..6).map(f64::from).collect();
            let nystrom = Nystrom::new(&Kernel::gaussian(width), Rows::new(&landmarks, 1).unwrap()).unwrap();
            FeatureMap::Landmarks(Box::new(nystrom)).worthwhile(Precision::Single)
        };
        // Nearly orthogonal; less so; and so dependent that rows are multiplied by `L^-1` in either precision.
        assert_eq!(taken(0.5), Precision::Single);
        assert_eq!(taken(2.0), Precision::Double);
        assert_eq!(taken(5.0), Precision::Double);
    }
}
