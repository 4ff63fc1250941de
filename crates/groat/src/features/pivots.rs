//! Randomly pivoted Cholesky: landmarks drawn in proportion to what those before leave unexplained.
//!
//! With `d_i` the diagonal of `K - F F'` after some columns, the next row is drawn with probability `d_i / sum d` and its
//! column joins `F` (Chen, Epperly, Tropp, Webber, Randomly pivoted Cholesky, 2022, algorithm 1). Drawn one by one that is
//! bound by memory. Here rows are proposed in blocks and each is accepted with probability `current d / d at the proposal`,
//! which is the same distribution, and the columns of a block are made by matrix products (Epperly, Tropp, Webber, Embrace
//! rejection, 2024, algorithms 2 and 3). `n M^2` multiplications, `n M` numbers.

use crate::error::Result;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::Points;
use groat_linalg::{Cholesky, View, ViewMut, Write, product};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Share of the trace below which nothing is left to explain.
const NOTHING: f64 = 1e-13;
/// Rounds without a row that end the search.
const PATIENCE: usize = 20;

/// Rows that were drawn, and what they explain of the others.
pub(crate) struct Pivots {
    /// Row numbers in the order drawn.
    pub rows: Vec<usize>,
    /// `F`, with `F F'` near the kernel matrix: one column per drawn row, one after the other.
    pub factor: Vec<f64>,
}

struct Search<'a> {
    kernel: &'a Kernel,
    x: Points<'a>,
    rows: Vec<usize>,
    /// Column-major, `n` numbers for each drawn row.
    factor: Vec<f64>,
    /// What is left of the diagonal.
    left: Vec<f64>,
}

/// Draws at most `count` rows of `x`; fewer where they explain all. `stop` is asked once a block.
pub(crate) fn pivots(
    kernel: &Kernel,
    x: Points<'_>,
    count: usize,
    seed: u64,
    stop: &dyn Fn() -> Result<()>,
) -> Result<Pivots> {
    let left = gram::diagonal(kernel, x);
    let trace: f64 = left.iter().sum();
    let mut search = Search { kernel, x, rows: Vec::new(), factor: Vec::new(), left };
    let mut rng = Pcg64::seed_from_u64(seed);
    let block = (count / 8).clamp(16, 192);
    let mut idle = 0;
    while search.rows.len() < count && idle < PATIENCE {
        stop()?;
        let proposed = search.propose(block, &mut rng, NOTHING * trace);
        if proposed.is_empty() {
            break;
        }
        let before = search.rows.len();
        search.take(&proposed, count - before, &mut rng)?;
        idle = if search.rows.len() > before { 0 } else { idle + 1 };
    }
    Ok(Pivots { rows: search.rows, factor: search.factor })
}

impl Search<'_> {
    /// Rows drawn in proportion to what is left of them; none where nothing is.
    fn propose(&self, count: usize, rng: &mut impl Rng, nothing: f64) -> Vec<usize> {
        let mut running = Vec::with_capacity(self.left.len());
        let mut total = 0.0;
        for left in &self.left {
            total += left.max(0.0);
            running.push(total);
        }
        if total.is_nan() || total <= nothing {
            return Vec::new();
        }
        let draw = |_| {
            let goal = total * rng.random::<f64>();
            running.partition_point(|sum| *sum <= goal).min(running.len() - 1)
        };
        (0..count).map(draw).collect()
    }

    /// Accepts or rejects what was proposed, and adds the columns of what was accepted.
    fn take(&mut self, proposed: &[usize], most: usize, rng: &mut impl Rng) -> Result<()> {
        let accepted = self.accept(proposed, most, rng)?;
        let Some((chosen, factor)) = accepted else { return Ok(()) };
        let (n, t) = (self.x.rows(), chosen.len());
        let mut columns = gram::cross(self.kernel, self.x, self.x.select(&chosen).view())?.into_data();
        self.subtract(&chosen, &mut columns)?;
        // Row by row: `G L^-T`, by solving for the rows as columns.
        factor.solve_lower(&mut columns)?;
        let from = self.factor.len();
        self.factor.resize(from + n * t, 0.0);
        for (j, column) in self.factor[from..].chunks_exact_mut(n).enumerate() {
            for ((v, left), row) in column.iter_mut().zip(&mut self.left).zip(columns.chunks_exact(t)) {
                *v = row[j];
                *left = (*left - row[j] * row[j]).max(0.0);
            }
        }
        chosen.iter().for_each(|&row| self.left[row] = 0.0);
        self.rows.extend(chosen);
        Ok(())
    }

    /// Takes from rows of kernels with the `chosen` what the columns so far explain.
    fn subtract(&self, chosen: &[usize], kernels: &mut [f64]) -> Result<()> {
        let (n, k, t) = (self.x.rows(), self.rows.len(), chosen.len());
        if k == 0 {
            return Ok(());
        }
        let own = self.rows_of_factor(chosen);
        let (all, own) = (View::column_major(&self.factor, n, k)?, View::column_major(&own, t, k)?);
        Ok(product(-1.0, all, own.t(), Write::Add, ViewMut::row_major(kernels, n, t)?)?)
    }

    /// Some rows of `F`, column-major.
    fn rows_of_factor(&self, rows: &[usize]) -> Vec<f64> {
        let columns = self.factor.chunks_exact(self.x.rows());
        columns.flat_map(|column| rows.iter().map(move |&row| column[row])).collect()
    }

    /// The accepted rows and the factor of what is left of the kernels between them.
    fn accept(
        &self,
        proposed: &[usize],
        most: usize,
        rng: &mut impl Rng,
    ) -> Result<Option<(Vec<usize>, Cholesky)>> {
        let (b, k) = (proposed.len(), self.rows.len());
        let mut h = gram::matrix(self.kernel, self.x.select(proposed).view())?.into_data();
        if k > 0 {
            let own = self.rows_of_factor(proposed);
            let own = View::column_major(&own, b, k)?;
            product(-1.0, own, own.t(), Write::Add, ViewMut::column_major(&mut h, b, b)?)?;
        }
        let whole = h.clone();
        let before: Vec<f64> = proposed.iter().map(|&row| self.left[row]).collect();
        let mut kept = Vec::new();
        for j in 0..b {
            let (now, draw) = (h[j * (b + 1)], rng.random::<f64>());
            if kept.len() == most || now <= 1e-10 * before[j] || draw * before[j] > now {
                continue;
            }
            kept.push(j);
            let column: Vec<f64> = h[j * b..(j + 1) * b].iter().map(|v| v / now.sqrt()).collect();
            for c in j..b {
                let factor = column[c];
                h[c * b..(c + 1) * b].iter_mut().zip(&column).for_each(|(v, e)| *v -= factor * e);
            }
        }
        let matrix: Vec<f64> = kept
            .iter()
            .flat_map(|&j| kept.iter().map(move |&i| (i, j)))
            .map(|(i, j)| whole[i + j * b])
            .collect();
        let rows = kept.iter().map(|&j| proposed[j]).collect();
        Ok(if kept.is_empty() { None } else { Cholesky::factor(matrix, kept.len()).ok().map(|f| (rows, f)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    fn points() -> Matrix {
        let number = |i: usize| (i as f64 * 12.9898).sin() * 43.5 % 1.0;
        Matrix::from_vec((0..900).map(number).collect(), 450, 2).unwrap()
    }

    #[test]
    fn columns_are_those_of_a_cholesky_factor() {
        let x = points();
        let kernel = Kernel::gaussian(0.4);
        let found = pivots(&kernel, (&x).into(), 60, 3, &|| Ok(())).unwrap();
        assert_eq!(found.rows.len(), 60);
        let whole = gram::matrix(&kernel, &x).unwrap();
        let entry = |i: usize, j: usize| -> f64 {
            found.factor.chunks_exact(450).map(|column| column[i] * column[j]).sum()
        };
        // Exact in the rows and columns that were drawn, and never too much on the diagonal.
        for &j in &found.rows {
            assert!((0..450).all(|i| (entry(i, j) - whole[(i, j)]).abs() < 1e-8));
        }
        assert!((0..450).all(|i| entry(i, i) < 1.0 + 1e-9));
    }

    #[test]
    fn drawn_rows_explain_more_than_rows_drawn_at_random() {
        // A dense cloud and a thin line: uniform draws spend themselves on the cloud.
        let number = |i: usize| (i as f64 * 12.9898).sin() * 43.5 % 1.0;
        let place = |i: usize| if i.is_multiple_of(20) { 3.0 * number(i) } else { 0.01 * number(i) };
        let x = Matrix::from_vec((0..1000).map(place).collect(), 500, 2).unwrap();
        let kernel = Kernel::gaussian(0.3);
        let left = |rows: &[usize]| {
            let chosen = x.view().select(rows);
            let mut k = gram::matrix(&kernel, &chosen).unwrap().into_data();
            (0..rows.len()).for_each(|j| k[j * (rows.len() + 1)] += 1e-9);
            let factor = Cholesky::factor(k, rows.len()).unwrap();
            let mut z = gram::cross(&kernel, &x, &chosen).unwrap().into_data();
            factor.solve_lower(&mut z).unwrap();
            500.0 - z.iter().map(|v| v * v).sum::<f64>()
        };
        let drawn = pivots(&kernel, (&x).into(), 30, 1, &|| Ok(())).unwrap();
        let random: Vec<usize> = (0..30).map(|i| (i * 167 + 5) % 500).collect();
        assert!(left(&drawn.rows) < 0.2 * left(&random), "{} {}", left(&drawn.rows), left(&random));
    }

    #[test]
    fn copies_are_drawn_once() {
        let x = Matrix::from_vec((0..200).map(|i| f64::from(i % 7)).collect(), 200, 1).unwrap();
        let found = pivots(&Kernel::gaussian(0.5), (&x).into(), 50, 0, &|| Ok(())).unwrap();
        assert_eq!(found.rows.len(), 7);
    }
}
