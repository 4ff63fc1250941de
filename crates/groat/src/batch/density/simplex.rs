//! Weights on the simplex: `min b'Bb / 2 - v'b` subject to `b >= 0` and `sum b = 1`.
//!
//! Multiplicative nonnegative quadratic programming (MNQP), the method of the source paper, repeats
//!
//! ```text
//! c_i = b_i / (B b)_i,   h = (1 - c'v) / (1'c),   b_i <- c_i (v_i + h)
//! ```
//!
//! from `b = 1/n`. It keeps the sum, needs `B` without negative entries (kernels are positive), and decreases
//! the objective; but a weight whose optimum is zero gets there only in the limit. So its result is the
//! starting point of an active-set method, which ends at the exact solution.

use crate::error::{Error, Result, check_len};
use groat_linalg::Cholesky;

/// The computation, as errors name it.
const WHAT: &str = "weights on the simplex";

/// Iterations of MNQP before the active-set method takes over.
pub const MNQP_STEPS: usize = 200;

/// A quadratic programme on the simplex.
#[derive(Clone, Debug)]
pub struct SimplexProgram {
    b: Vec<f64>,
    v: Vec<f64>,
}

impl SimplexProgram {
    /// `b` is the symmetric matrix, row by row, and `v` the linear part.
    pub fn new(b: Vec<f64>, v: Vec<f64>) -> Result<Self> {
        if v.is_empty() {
            return Err(Error::TooFew { what: "a simplex programme", unit: "weights", needed: 1, found: 0 });
        }
        check_len("entries of the matrix of a simplex programme", v.len() * v.len(), b.len())?;
        for (what, values, cols) in [("matrix of the programme", &b, v.len()), ("linear part", &v, 1)] {
            if let Some(at) = values.iter().position(|x| !x.is_finite()) {
                return Err(Error::NotFinite { what, row: at / cols, column: at % cols, value: values[at] });
            }
        }
        Ok(Self { b, v })
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.v.len()
    }

    /// Never true: a programme has at least one weight.
    pub fn is_empty(&self) -> bool {
        self.v.is_empty()
    }

    fn times(&self, weights: &[f64]) -> Vec<f64> {
        self.b.chunks_exact(self.len()).map(|row| row.iter().zip(weights).map(|(b, w)| b * w).sum()).collect()
    }

    /// `b'Bb / 2 - v'b`.
    pub fn objective(&self, weights: &[f64]) -> f64 {
        self.times(weights).iter().zip(weights).zip(&self.v).map(|((bw, w), v)| w * (0.5 * bw - v)).sum()
    }

    /// `steps` iterations of MNQP from equal weights.
    pub fn mnqp(&self, steps: usize) -> Vec<f64> {
        let n = self.len();
        let mut weights = vec![1.0 / n as f64; n];
        for _ in 0..steps {
            let product = self.times(&weights);
            // A weight at zero stays there; a product of zero means that its column vanished.
            let c: Vec<f64> =
                weights.iter().zip(&product).map(|(w, p)| if *p > 0.0 { w / p } else { 0.0 }).collect();
            let total: f64 = c.iter().sum();
            if !(total > 0.0 && total.is_finite()) {
                break;
            }
            let h = (1.0 - c.iter().zip(&self.v).map(|(c, v)| c * v).sum::<f64>()) / total;
            for i in 0..n {
                weights[i] = (c[i] * (self.v[i] + h)).max(0.0);
            }
            normalise(&mut weights);
        }
        weights
    }

    /// The minimiser: MNQP finished by an active-set method.
    pub fn solve(&self) -> Result<Vec<f64>> {
        let n = self.len();
        let mut weights = self.mnqp(MNQP_STEPS);
        let mut free: Vec<bool> = weights.iter().map(|w| *w > 1e-3 / n as f64).collect();
        for i in 0..n {
            if !free[i] {
                weights[i] = 0.0;
            }
        }
        normalise(&mut weights);
        // Each variable enters and leaves a few times at most; the limit only guards against cycling in the
        // last bits, where any of the visited points is a solution to rounding.
        for _ in 0..20 * n + 20 {
            let (target, h) = self.on_face(&free)?;
            if self.step(&mut weights, &mut free, &target) {
                continue;
            }
            let gradient: Vec<f64> = self.times(&weights).iter().zip(&self.v).map(|(p, v)| p - v).collect();
            let scale = gradient.iter().fold(h.abs(), |m, g| m.max(g.abs()));
            let worst = (0..n).filter(|&i| !free[i]).min_by(|&i, &j| gradient[i].total_cmp(&gradient[j]));
            match worst {
                Some(i) if gradient[i] < h - 1e-13 * scale => free[i] = true,
                _ => break,
            }
        }
        normalise(&mut weights);
        Ok(weights)
    }

    /// Moves towards the optimum of the face; true when a weight reached zero on the way and left the face.
    fn step(&self, weights: &mut [f64], free: &mut [bool], target: &[f64]) -> bool {
        let mut length = 1.0;
        let mut hit = None;
        for i in (0..free.len()).filter(|&i| free[i]) {
            if target[i] < 0.0 {
                let reach = weights[i] / (weights[i] - target[i]);
                if reach < length {
                    (length, hit) = (reach, Some(i));
                }
            }
        }
        for i in 0..weights.len() {
            weights[i] =
                if free[i] { (weights[i] + length * (target[i] - weights[i])).max(0.0) } else { 0.0 };
        }
        if let Some(i) = hit {
            weights[i] = 0.0;
            free[i] = false;
        }
        hit.is_some()
    }

    /// The minimiser with the weights outside `free` at zero and no sign constraint, and the multiplier of the
    /// sum: `B z = v + h` on the face.
    fn on_face(&self, free: &[bool]) -> Result<(Vec<f64>, f64)> {
        let face: Vec<usize> = (0..free.len()).filter(|&i| free[i]).collect();
        let (n, k) = (self.len(), face.len());
        let sub: Vec<f64> = face.iter().flat_map(|&i| face.iter().map(move |&j| self.b[i * n + j])).collect();
        let factor = factor_with_jitter(sub, k)?;
        let mut z: Vec<f64> = face.iter().map(|&i| self.v[i]).collect();
        let mut one = vec![1.0; k];
        factor.solve(&mut z).map_err(Error::linear_algebra(WHAT))?;
        factor.solve(&mut one).map_err(Error::linear_algebra(WHAT))?;
        let h = (1.0 - z.iter().sum::<f64>()) / one.iter().sum::<f64>();
        let mut weights = vec![0.0; n];
        for (i, &at) in face.iter().enumerate() {
            weights[at] = z[i] + h * one[i];
        }
        Ok((weights, h))
    }
}

/// Cholesky with the smallest multiple of the largest diagonal entry that makes it succeed.
fn factor_with_jitter(matrix: Vec<f64>, n: usize) -> Result<Cholesky> {
    let largest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
    let mut jitter = 0.0;
    loop {
        let mut shifted = matrix.clone();
        for i in 0..n {
            shifted[i * n + i] += jitter * largest;
        }
        match Cholesky::factor(shifted, n) {
            Ok(factor) => return Ok(factor),
            Err(_) if jitter < 1e-6 && largest > 0.0 => jitter = (jitter * 10.0).max(1e-15),
            Err(e) => return Err(Error::linear_algebra(WHAT)(e)),
        }
    }
}

fn normalise(weights: &mut [f64]) {
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        for w in weights {
            *w /= total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_optimality_conditions_hold(
            n in 1usize..8,
            entries in prop::collection::vec(0.0f64..1.0, 80),
            targets in prop::collection::vec(0.0f64..1.0, 10),
        ) {
            // B = P'P and v = P'y with ten rows: nonnegative, positive semidefinite.
            let p = |k: usize, i: usize| entries[k * 8 + i];
            let b: Vec<f64> = (0..n * n).map(|ij| (0..10).map(|k| p(k, ij / n) * p(k, ij % n)).sum()).collect();
            let v: Vec<f64> = (0..n).map(|i| (0..10).map(|k| p(k, i) * targets[k]).sum()).collect();
            let program = SimplexProgram::new(b, v).unwrap();
            let weights = program.solve().unwrap();
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(weights.iter().all(|w| *w >= 0.0));
            let gradient: Vec<f64> =
                program.times(&weights).iter().zip(&program.v).map(|(p, v)| p - v).collect();
            let multiplier: f64 = gradient.iter().zip(&weights).map(|(g, w)| g * w).sum();
            for (g, w) in gradient.iter().zip(&weights) {
                prop_assert!(*g >= multiplier - 1e-9, "gradient {g} below the multiplier {multiplier}");
                prop_assert!((g - multiplier) * w < 1e-9, "complementary slackness");
            }
            prop_assert!(program.objective(&weights) <= program.objective(&program.mnqp(500)) + 1e-12);
        }
    }

    #[test]
    fn mnqp_lowers_the_objective_and_keeps_the_sum() {
        let program = SimplexProgram::new(vec![2.0, 0.5, 0.5, 1.0], vec![0.3, 1.5]).unwrap();
        let mut last = f64::INFINITY;
        for steps in 0..30 {
            let weights = program.mnqp(steps);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let now = program.objective(&weights);
            assert!(now <= last + 1e-15);
            last = now;
        }
        assert_eq!(program.solve().unwrap(), [0.0, 1.0]);
    }
}
