//! The three clusters of document 003, example 3 (D9): `N(centre, 0.01 I)` in the plane.

use rand_pcg::Pcg64;

use super::{Generator, Setting, normal, samples_table};

/// Three round clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreeClusters {
    /// Standard deviation of each coordinate; 0.1 in the document.
    pub deviation: f64,
}

impl Default for ThreeClusters {
    fn default() -> Self {
        Self { deviation: 0.1 }
    }
}

impl ThreeClusters {
    /// The centres.
    pub const CENTRES: [[f64; 2]; 3] = [[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]];

    /// `n` points, a third of them in each cluster one after the other, and the cluster from 1 to 3.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> (Vec<Vec<f64>>, Vec<f64>) {
        let sample = |i: usize| {
            let cluster = i * 3 / n;
            let [x, y] = Self::CENTRES[cluster];
            let point = vec![x + self.deviation * normal(random), y + self.deviation * normal(random)];
            (point, (cluster + 1) as f64)
        };
        (0..n).map(sample).unzip()
    }
}

pub(super) const GENERATOR: Generator = Generator {
    name: "three-clusters",
    about: "three round clusters in the plane, for kernel PCA (D9)",
    settings: &[Setting {
        name: "deviation",
        default: 0.1,
        range: (0.0, 1e3),
        about: "standard deviation of each coordinate",
    }],
    rows: 90,
    make: |settings, rows, random| {
        let (x, cluster) = ThreeClusters { deviation: settings.get("deviation") }.samples(rows, random);
        samples_table(&x, Some(("cluster", cluster)))
    },
};
