//! Kernel principal components through landmarks, for rows by the million.
//!
//! With the features `z = L^-1 k(x)` of `M` landmarks ([`Nystrom`]), whose inner products stand for the kernel, the
//! components are the leading eigenvectors `v_j` of the covariance `sum (z - mean)(z - mean)'`: `M x M` numbers, summed in one
//! pass over blocks of rows. Component `j` of a row is `v_j.(z - mean)`, an expansion over the landmarks. The eigenvalues are
//! those of the projected kernel matrix, below the exact ones by what the landmarks leave unexplained; shares are of the
//! trace of the exact one. Cost `n M^2 / 2` multiplications, memory `3 M^2` numbers and one block of rows.

use super::{KernelPca, PrincipalComponents, ZERO, sign};
use crate::batch::{Progress, Watch};
use crate::error::{Error, Result};
use crate::features::{Nystrom, Statistics};
use crate::gram;
use crate::matrix::{Matrix, Points, Rows};
use crate::model::Components;
use crate::tune::sample_rows;
use groat_linalg::{Lanczos, View, ViewMut, Write, eigh, product};

/// Rows among which landmarks are looked for.
const SEARCHED: usize = 20_000;
/// Numbers that are held at a time.
const HELD: usize = 1 << 22;
/// Products after which Lanczos iterations give up.
const MAX_PRODUCTS: usize = 20_000;

impl KernelPca {
    /// The components through at most `rank` landmarks.
    pub(super) fn fit_landmarks(
        &self,
        x: Points<'_>,
        rank: usize,
        watch: &dyn Watch,
    ) -> Result<PrincipalComponents> {
        let n = x.rows();
        let stop = || if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) };
        watch.progress(&Progress::new("landmarks", 0, None));
        let some = x.select(&sample_rows(n, SEARCHED.max(rank), self.seed));
        let chosen = self.landmarks.choose(&self.kernel, some.view(), rank, self.seed, &stop)?;
        let map = Nystrom::new(&self.kernel, some.view().select(&chosen).view())?;
        let sums = self.sums(&map, x, watch)?;
        let m = map.size();
        if self.components > m {
            let expected = "at most the landmarks that are left (raise rank)";
            return Err(Error::parameter("components", self.components, expected));
        }
        let weight = sums.weight();
        let mean = sums.mean();
        let shift = if self.centre { vec![0.0; m] } else { mean.clone() };
        let mut covariance = sums.covariance(1.0, 0.0);
        for (j, column) in covariance.chunks_exact_mut(m).enumerate() {
            column.iter_mut().zip(&shift).for_each(|(v, s)| *v += weight * s * shift[j]);
        }
        let (values, mut vectors) = leading(&covariance, m, self.components)?;
        let floor = ZERO * values.first().copied().unwrap_or(0.0).max(0.0);
        let keep = values.iter().take_while(|v| **v > floor).count();
        if keep == 0 {
            let reason = "no eigenvalue is positive: all rows are equal".to_owned();
            return Err(Error::Numerical { what: "kernel PCA", reason });
        }
        let mut weights = Matrix::zeros(m, keep);
        let mut bias = vec![0.0; keep];
        for (j, v) in vectors.chunks_exact_mut(m).take(keep).enumerate() {
            let turn = sign(v);
            for i in 0..m {
                weights[(i, j)] = turn * v[i];
                bias[j] -= weights[(i, j)] * mean[i];
            }
        }
        let bias = if self.centre { bias } else { vec![0.0; keep] };
        let function = map.expansion(&crate::features::Linear { weights, bias })?;
        let mut trace: f64 = gram::diagonal(&self.kernel, x).iter().sum();
        if self.centre {
            trace -= weight * mean.iter().map(|v| v * v).sum::<f64>();
        }
        let notes = vec![format!("through {m} landmarks; the kernel matrix of {n} rows was never formed")];
        let components = Components::new(function, values[..keep].to_vec(), trace)?;
        Ok(PrincipalComponents { components, rows: n, notes })
    }

    fn sums(&self, map: &Nystrom, x: Points<'_>, watch: &dyn Watch) -> Result<Statistics> {
        let (n, m) = (x.rows(), map.size());
        let height = (HELD / m).clamp(64, 8192);
        let mut sums = Statistics::new(m, 1);
        for start in (0..n).step_by(height) {
            if watch.stop_requested() {
                return Err(Error::Stopped);
            }
            let end = (start + height).min(n);
            let nothing = vec![0.0; end - start];
            sums.push(map.transform(x.slice(start, end))?.view(), Rows::new(&nothing, 1)?, None)?;
            watch.progress(&Progress::new("sums over rows", end, Some(n)));
        }
        Ok(sums)
    }
}

/// The largest eigenvalues of a symmetric matrix and their vectors, one after the other.
fn leading(matrix: &[f64], m: usize, count: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    if count > m / 8 || m <= 200 {
        let all = eigh(matrix, m)?;
        let order = (0..count).map(|j| m - 1 - j);
        let vectors = order.clone().flat_map(|j| all.vector(j).iter().copied()).collect();
        return Ok((order.map(|j| all.values[j]).collect(), vectors));
    }
    let solver = Lanczos { wanted: count, tolerance: 1e-12, max_products: MAX_PRODUCTS };
    let view = View::column_major(matrix, m, m)?;
    let pairs = solver.largest(m, |v: &[f64], out: &mut [f64]| {
        product(1.0, view, View::column_major(v, m, 1)?, Write::Replace, ViewMut::column_major(out, m, 1)?)
    })?;
    Ok((pairs.values, pairs.vectors))
}
