//! Fewer vectors, same function.

use super::Expansion;
use crate::matrix::Matrix;
use std::collections::HashMap;

impl Expansion {
    /// Joins vectors that are equal number for number, adding their weights, and drops those whose weights
    /// are all zero. The function does not change. Returns how many vectors went.
    pub fn merge_duplicates(&mut self) -> usize {
        let before = self.size();
        // The bits decide, with -0 read as 0; an expansion holds no NaN.
        let key = |row: &[f64]| row.iter().map(|v| (v + 0.0).to_bits()).collect::<Vec<_>>();
        let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut kept: Vec<(usize, Vec<f64>)> = Vec::new();
        for i in 0..before {
            let weights = self.weights.row(i);
            let at = *places.entry(key(&self.vectors.view().row(i))).or_insert(kept.len());
            match kept.get_mut(at) {
                Some((_, sum)) => sum.iter_mut().zip(weights).for_each(|(s, w)| *s += w),
                None => kept.push((i, weights.to_vec())),
            }
        }
        kept.retain(|(_, weights)| weights.iter().any(|w| *w != 0.0));
        let indices: Vec<usize> = kept.iter().map(|(i, _)| *i).collect();
        let mut weights = Matrix::zeros(kept.len(), self.outputs());
        for (row, (_, sum)) in kept.iter().enumerate() {
            weights.row_mut(row).copy_from_slice(sum);
        }
        self.vectors = self.vectors.view().select(&indices);
        self.weights = weights;
        self.local = Default::default();
        before - self.size()
    }
}
