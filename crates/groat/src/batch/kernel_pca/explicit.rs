//! Kernel principal components through explicit features, for rows by the million, in memory or in a file.
//!
//! With features `z` whose inner products stand for the kernel (`L^-1 k(x)` of `M` landmarks, or random ones) the components
//! are the leading eigenvectors `v_j` of the covariance `sum (z - mean)(z - mean)'`: `M x M` numbers, summed in one pass over
//! blocks of rows. Component `j` of a row is `v_j.(z - mean)`, an expansion over the landmarks or a function of the random
//! features. Through landmarks the eigenvalues are those of the projected kernel matrix, below the exact ones by what the
//! landmarks leave unexplained; through random features they lie on either side. Shares are of the trace of the exact
//! matrix. Cost `n M^2 / 2` multiplications, memory `3 M^2` numbers and one block of rows.

use super::{KernelPca, PrincipalComponents, ZERO, sign};
use crate::batch::{Progress, Watch};
use crate::data::Batches;
use crate::error::{Error, Result};
use crate::features::{FeatureMap, Precision, Statistics};
use crate::gram;
use crate::matrix::{Points, Rows};
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
    /// The components of rows that are read in batches and never held, through explicit features. Landmarks are looked for
    /// among `sample`, some of the rows; targets of the batches play no part.
    ///
    /// Only with a [`rank`](KernelPca::rank): the exact matrix needs all rows.
    pub fn fit_batches(
        &self,
        data: &dyn Batches,
        sample: Points<'_>,
        watch: &dyn Watch,
    ) -> Result<PrincipalComponents> {
        self.check(sample)?;
        let rank = self.rank.ok_or_else(|| {
            Error::parameter("rank", "none", "a number of landmarks or random features, for data in batches")
        })?;
        let map = self.map(sample, rank, watch)?;
        let mut sums = Sums::new(self, &map)?;
        data.read(&mut |x, _| {
            x.check_finite("the features")?;
            sums.add(x, data.rows(), watch)
        })?;
        self.components_of(&map, &sums)
    }

    /// The components of rows in memory through `rank` features.
    pub(super) fn fit_features(
        &self,
        x: Points<'_>,
        rank: usize,
        watch: &dyn Watch,
    ) -> Result<PrincipalComponents> {
        let sample = x.select(&sample_rows(x.rows(), SEARCHED.max(rank), self.seed));
        let map = self.map(sample.view(), rank, watch)?;
        let mut sums = Sums::new(self, &map)?;
        sums.add(x, Some(x.rows()), watch)?;
        self.components_of(&map, &sums)
    }

    fn map(&self, sample: Points<'_>, rank: usize, watch: &dyn Watch) -> Result<FeatureMap> {
        watch.progress(&Progress::new("features", 0, None));
        let map = self.basis.map(&self.kernel, sample, rank, self.seed, watch)?;
        if self.components > map.size() {
            let expected = format!("at most the {} features that there are (raise rank)", map.size());
            return Err(Error::parameter("components", self.components, expected));
        }
        Ok(map)
    }

    fn components_of(&self, map: &FeatureMap, sums: &Sums<'_>) -> Result<PrincipalComponents> {
        let rows = sums.statistics.rows() as usize;
        if rows < 2 {
            return Err(Error::TooFew { what: "kernel PCA", unit: "rows", needed: 2, found: rows });
        }
        let whitened = match map.remaining(Precision::Double) {
            Some(factor) => sums.statistics.whitened(factor)?,
            None => sums.statistics.clone(),
        };
        let (m, weight, origin) = (map.size(), whitened.weight(), map.origin()?);
        // The mean of `z`, of which the rows were shifted.
        let mean: Vec<f64> =
            whitened.mean().iter().zip(&origin).map(|(mean, origin)| mean + origin).collect();
        let mut covariance = whitened.covariance(1.0, 0.0);
        if !self.centre {
            for (j, column) in covariance.chunks_exact_mut(m).enumerate() {
                column.iter_mut().zip(&mean).for_each(|(v, mean_i)| *v += weight * mean_i * mean[j]);
            }
        }
        let (values, mut vectors) = leading(&covariance, m, self.components)?;
        let floor = ZERO * values.first().copied().unwrap_or(0.0).max(0.0);
        let keep = values.iter().take_while(|v| **v > floor).count();
        if keep == 0 {
            let reason = "no eigenvalue is positive: all rows are equal".to_owned();
            return Err(Error::Numerical { what: "kernel PCA", reason });
        }
        vectors.truncate(keep * m);
        for v in vectors.chunks_exact_mut(m) {
            let turn = sign(v);
            v.iter_mut().for_each(|v| *v *= turn);
        }
        // `v.(z - mean)`, or `v.z`, in terms of the shifted rows.
        let along = |v: &[f64], point: &[f64]| v.iter().zip(point).map(|(v, p)| v * p).sum::<f64>();
        let bias = vectors.chunks_exact(m).map(|v| match self.centre {
            true => -along(v, &whitened.mean()),
            false => along(v, &origin),
        });
        let function = map.function(&vectors, bias.collect())?;
        let trace = sums.trace - if self.centre { weight * along(&mean, &mean) } else { 0.0 };
        let what = if let FeatureMap::Random(_) = map { "random features" } else { "landmarks" };
        let notes = vec![format!("through {m} {what}; the kernel matrix of {rows} rows was never formed")];
        let components = Components::new(function, values[..keep].to_vec(), trace)?;
        Ok(PrincipalComponents { components, rows, centre: self.centre, notes })
    }
}

/// What the covariance and its trace are made from.
struct Sums<'a> {
    map: &'a FeatureMap,
    kernel: &'a crate::Kernel,
    statistics: Statistics,
    /// `sum k(x, x)`.
    trace: f64,
}

impl<'a> Sums<'a> {
    fn new(settings: &'a KernelPca, map: &'a FeatureMap) -> Result<Self> {
        // The sums, their whitened form and its covariance.
        let bytes = 3 * Statistics::bytes_for(map.size()) + 8 * HELD as u64;
        settings.memory.check("features", bytes, "take a lower rank or allow more memory")?;
        Ok(Self { map, kernel: &settings.kernel, statistics: Statistics::new(map.size(), 1), trace: 0.0 })
    }

    /// Adds rows, of `total` in all where that is known.
    fn add(&mut self, x: Points<'_>, total: Option<usize>, watch: &dyn Watch) -> Result<()> {
        let (n, ready) = (x.rows(), self.map.ready(x, Precision::Double)?);
        let height = (HELD / self.map.size()).clamp(64, 8192);
        for start in (0..n).step_by(height) {
            if watch.stop_requested() {
                return Err(Error::Stopped);
            }
            let some = x.slice(start, (start + height).min(n));
            let features = ready.matrix(some)?;
            // There is nothing to predict.
            let nothing = vec![0.0; some.rows()];
            self.statistics.push(features.view(), Rows::new(&nothing, 1)?, None)?;
            self.trace += gram::diagonal(self.kernel, some).iter().sum::<f64>();
            watch.progress(&Progress::new("sums over rows", self.statistics.rows() as usize, total));
        }
        Ok(())
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
