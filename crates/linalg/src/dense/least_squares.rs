//! Least squares for tall matrices.

use faer::linalg::solvers::SolveLstsqCore;
use faer::{Conj, MatMut};

use super::view::View;
use crate::error::{Error, Result, check_len};

/// The `x` (column-major, `n x k`) that minimises `|a x - b|` for each column of `b` (column-major, `m x k`).
///
/// QR with column pivoting, one thread, about `2 m n^2` operations. A column is called dependent when
/// its pivot falls below `m eps` of the largest one.
///
/// ```
/// use groat_linalg::{View, least_squares};
/// let a = View::row_major(&[1.0, 0.0, 1.0, 1.0, 1.0, 2.0], 3, 2)?;
/// let x = least_squares(a, &[1.0, 3.0, 5.0], 1)?;
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
/// # Ok::<(), groat_linalg::Error>(())
/// ```
pub fn least_squares(a: View<'_>, b: &[f64], k: usize) -> Result<Vec<f64>> {
    let (m, n) = (a.rows(), a.cols());
    check_len("numbers in the right-hand side", m.saturating_mul(k), b.len())?;
    if m < n {
        return Err(Error::RankDeficient { rank: m, columns: n });
    }
    let qr = a.faer().col_piv_qr();
    let pivots = qr.thin_R().diagonal().column_vector();
    let largest = if n == 0 { 0.0 } else { pivots[0].abs() };
    // Written so that a NaN pivot counts as dependent.
    let rank = (0..n).take_while(|&j| pivots[j].abs() > m as f64 * f64::EPSILON * largest).count();
    if rank < n {
        return Err(Error::RankDeficient { rank, columns: n });
    }
    let mut work = b.to_vec();
    qr.solve_lstsq_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(&mut work, m, k));
    Ok((0..k).flat_map(|j| work[j * m..j * m + n].iter().copied()).collect())
}
