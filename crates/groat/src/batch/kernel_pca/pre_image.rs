//! Approximate pre-images: which point has these components?
//!
//! The components `beta` name the feature-space point `P = sum_i g_i Phi(x_i)` with
//! `g = alpha beta` (plus `(1 - sum g) / n` when centred, the mean). The pre-image is the `z` whose `Phi(z)`
//! comes nearest, which for a radial kernel `psi(r^2)` maximises `G(z) = sum_i g_i psi(|z - x_i|^2)`. Where the
//! gradient vanishes,
//!
//! ```text
//! z = sum_i g_i psi'(r_i^2) x_i / sum_i g_i psi'(r_i^2)
//! ```
//!
//! (Schoelkopf et al. 1998; Mika et al. 1999 for the Gaussian), which is iterated from the training row with
//! the nearest components. A step that does not raise `G` is halved, so the iteration cannot leave the
//! neighbourhood of the data as the plain one may. `psi'` is a central difference, good to nine digits.

use rayon::prelude::*;

use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::kernels::{Evaluator, Width};
use crate::matrix::{Matrix, Points, Rows};

const MAX_STEPS: usize = 200;
/// Relative movement at which the iteration ends.
const CLOSE: f64 = 1e-10;

pub(super) fn pre_images(model: &Expansion, components: Rows<'_>) -> Result<Matrix> {
    check_len("components per row", model.outputs(), components.cols())?;
    components.check_finite("the components")?;
    if !model.kernel().is_radial() {
        return Err(Error::parameter("kernel", model.kernel(), "a radial kernel for pre-images"));
    }
    let Points::Dense(vectors) = model.vectors() else {
        return Err(Error::parameter("features", "sparse", "dense rows for pre-images"));
    };
    let scores = model.values(vectors)?;
    let search = Search::new(model, vectors);
    let rows: Vec<Vec<f64>> =
        components.data().par_chunks(components.cols()).map(|beta| search.find(beta, &scores)).collect();
    Matrix::from_vec(rows.concat(), components.rows(), vectors.cols())
}

struct Search<'a> {
    vectors: Rows<'a>,
    /// The vectors as distances see them.
    points: Vec<f64>,
    weights: Rows<'a>,
    centred: bool,
    evaluator: Evaluator<f64>,
    /// Squared length on which the kernel changes.
    scale: f64,
    inverse_widths: Option<Vec<f64>>,
}

impl<'a> Search<'a> {
    fn new(model: &'a Expansion, vectors: Rows<'a>) -> Self {
        let kernel = model.kernel();
        let (scale, inverse_widths) = match kernel.width() {
            Some(Width::Shared(width)) => (width.min(kernel.support().unwrap_or(f64::INFINITY)), None),
            Some(Width::PerFeature(w)) => (1.0, Some(w.iter().map(|w| 1.0 / w).collect())),
            None => (1.0, None),
        };
        Self {
            vectors,
            points: kernel.distance_coordinates(vectors).into_owned(),
            weights: model.weights(),
            centred: model.bias().is_some(),
            evaluator: kernel.evaluator(),
            scale: scale * scale,
            inverse_widths,
        }
    }

    fn find(&self, beta: &[f64], scores: &Matrix) -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(beta).map(|(a, b)| a * b).sum::<f64>();
        let mut g: Vec<f64> = self.weights.iter().map(dot).collect();
        if self.centred {
            let rest = (1.0 - g.iter().sum::<f64>()) / g.len() as f64;
            g.iter_mut().for_each(|v| *v += rest);
        }
        let gap = |row: &[f64]| row.iter().zip(beta).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let start = (0..scores.rows()).min_by(|&a, &b| gap(scores.row(a)).total_cmp(&gap(scores.row(b))));
        let mut z = self.vectors.row(start.unwrap_or(0)).to_vec();
        let mut value = self.objective(&g, &z);
        for _ in 0..MAX_STEPS {
            let Some(target) = self.fixed_point(&g, &z) else { break };
            let mut share = 1.0;
            let (next, reached) = loop {
                let next: Vec<f64> = z.iter().zip(&target).map(|(z, t)| z + share * (t - z)).collect();
                let reached = self.objective(&g, &next);
                if reached >= value || share < 1e-3 {
                    break (next, reached);
                }
                share *= 0.5;
            };
            if reached < value {
                break;
            }
            let moved: f64 = z.iter().zip(&next).map(|(a, b)| (a - b) * (a - b)).sum();
            (z, value) = (next, reached);
            if moved <= CLOSE * CLOSE * self.scale {
                break;
            }
        }
        z
    }

    /// Squared distances of `z` to all vectors, as the kernel sees them.
    fn squared(&self, z: &[f64]) -> Vec<f64> {
        let z: Vec<f64> = match &self.inverse_widths {
            Some(c) => z.iter().zip(c).map(|(z, c)| z * c).collect(),
            None => z.to_vec(),
        };
        let square = |p: &[f64]| p.iter().zip(&z).map(|(a, b)| (a - b) * (a - b)).sum();
        self.points.chunks_exact(z.len()).map(square).collect()
    }

    fn objective(&self, g: &[f64], z: &[f64]) -> f64 {
        let mut k = self.squared(z);
        self.evaluator.radial(&mut k);
        k.iter().zip(g).map(|(k, g)| k * g).sum()
    }

    /// The weighted mean of the vectors; `None` where the weights cancel.
    fn fixed_point(&self, g: &[f64], z: &[f64]) -> Option<Vec<f64>> {
        let squared = self.squared(z);
        let h = 1e-6 * self.scale;
        let mut above: Vec<f64> = squared.iter().map(|s| s + h).collect();
        let mut below: Vec<f64> = squared.iter().map(|s| (s - h).max(0.0)).collect();
        let widths: Vec<f64> = above.iter().zip(&below).map(|(a, b)| a - b).collect();
        self.evaluator.radial(&mut above);
        self.evaluator.radial(&mut below);
        let mut total = 0.0;
        let mut size = 0.0;
        let mut mean = vec![0.0; z.len()];
        for (i, v) in self.vectors.iter().enumerate() {
            // psi falls, so its derivative is negative and the weight has the sign of g.
            let w = g[i] * (below[i] - above[i]) / widths[i];
            total += w;
            size += w.abs();
            mean.iter_mut().zip(v).for_each(|(m, v)| *m += w * v);
        }
        if total.abs() <= 1e-12 * size || size == 0.0 {
            return None;
        }
        mean.iter_mut().for_each(|m| *m /= total);
        mean.iter().all(|m| m.is_finite()).then_some(mean)
    }
}
