//! Which rows a low-rank approximation of the kernel matrix is built on.

use super::pivots::pivots;
use crate::error::{Error, Result};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use groat_linalg::Cholesky;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::fmt;
use std::str::FromStr;

/// How landmarks are found among rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LandmarkRule {
    /// In proportion to what those before leave unexplained: randomly pivoted Cholesky. `n M^2` multiplications.
    #[default]
    Pivoted,
    /// Any rows, all alike.
    Uniform,
    /// In proportion to the squared distance from the nearest one before (Arthur, Vassilvitskii, k-means++, 2007).
    KMeans,
    /// In proportion to approximate ridge leverage scores (Rudi, Calandriello, Carratino, Rosasco, On fast leverage score
    /// sampling and optimal learning, 2018, equation 4): `l_i = (k_ii - k_iS (K_SS + t I)^-1 k_Si) / t` for rows `S` drawn
    /// uniformly, with `t = trace(K_SS) / M`.
    Leverage,
}

impl LandmarkRule {
    /// Every rule by name.
    pub const NAMES: &'static [&'static str] = &["pivoted", "uniform", "kmeans++", "leverage"];
    const ALL: [LandmarkRule; 4] =
        [LandmarkRule::Pivoted, LandmarkRule::Uniform, LandmarkRule::KMeans, LandmarkRule::Leverage];

    /// At most `count` different rows of `x`, whose rows stand in random order. `stop` is asked now and then.
    pub fn choose(
        self,
        kernel: &Kernel,
        x: Points<'_>,
        count: usize,
        seed: u64,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<usize>> {
        let count = count.min(x.rows());
        match self {
            _ if count == x.rows() => Ok((0..count).collect()),
            LandmarkRule::Uniform => Ok((0..count).collect()),
            LandmarkRule::Pivoted => Ok(pivots(kernel, x, count, seed, stop)?.rows),
            LandmarkRule::KMeans => by_distance(kernel, x, count, seed, stop),
            LandmarkRule::Leverage => by_leverage(kernel, x, count, seed),
        }
    }
}

impl fmt::Display for LandmarkRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Self::ALL.iter().position(|rule| rule == self).unwrap_or(0);
        f.write_str(Self::NAMES[at])
    }
}

impl FromStr for LandmarkRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let at = Self::NAMES.iter().position(|name| *name == text);
        at.map(|at| Self::ALL[at]).ok_or_else(|| {
            Error::parse("landmarks", text, format!("expected one of {}", Self::NAMES.join(", ")))
        })
    }
}

/// Draws rows in proportion to their squared distance from the nearest drawn so far, as the kernel measures it.
fn by_distance(
    kernel: &Kernel,
    x: Points<'_>,
    count: usize,
    seed: u64,
    stop: &dyn Fn() -> Result<()>,
) -> Result<Vec<usize>> {
    let scaled: Option<Matrix> = match x.dense() {
        Some(rows) if kernel.is_radial() => {
            Some(Matrix::from_vec(kernel.distance_coordinates(rows).into_owned(), rows.rows(), rows.cols())?)
        }
        _ => None,
    };
    let x = scaled.as_ref().map_or(x, Points::from);
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut nearest = vec![f64::INFINITY; x.rows()];
    let mut chosen = vec![rng.random_range(0..x.rows())];
    while chosen.len() < count {
        stop()?;
        let last = x.point(chosen[chosen.len() - 1]);
        nearest.par_iter_mut().with_min_len(1024).enumerate().for_each(|(i, nearest)| {
            *nearest = nearest.min(x.point(i).squared_distance(last));
        });
        let total: f64 = nearest.iter().sum();
        if total.is_nan() || total <= 0.0 {
            break;
        }
        let (mut sum, goal) = (0.0, total * rng.random::<f64>());
        let next = nearest.iter().position(|d| {
            sum += d;
            sum > goal
        });
        chosen.push(next.unwrap_or(x.rows() - 1));
    }
    Ok(chosen)
}

/// Rows of the set that leverage scores are estimated on.
const ESTIMATED_ON: usize = 1000;

fn by_leverage(kernel: &Kernel, x: Points<'_>, count: usize, seed: u64) -> Result<Vec<usize>> {
    let s = x.rows().min(ESTIMATED_ON);
    let some: PointSet = x.slice(0, s).to_set();
    let mut between = gram::matrix(kernel, some.view())?.into_data();
    let trace: f64 = (0..s).map(|i| between[i * (s + 1)]).sum();
    let shift = (trace / count as f64).max(f64::MIN_POSITIVE);
    (0..s).for_each(|i| between[i * (s + 1)] += shift);
    let factor = Cholesky::factor(between, s).map_err(Error::linear_algebra("leverage scores"))?;
    let mut columns = gram::cross(kernel, x, some.view())?.into_data();
    factor.solve_lower(&mut columns)?;
    let diagonal = gram::diagonal(kernel, x);
    let scores = columns.chunks_exact(s).zip(&diagonal).map(|(column, diagonal)| {
        (diagonal - column.iter().map(|v| v * v).sum::<f64>()).max(f64::EPSILON * diagonal.abs())
    });
    // Drawing without repetition in proportion to scores: the largest `ln(u) / score` (Efraimidis, Spirakis 2006).
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut keys: Vec<(f64, usize)> =
        scores.enumerate().map(|(i, score)| (rng.random::<f64>().ln() / score, i)).collect();
    keys.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(keys.into_iter().take(count).map(|(_, row)| row).collect())
}
