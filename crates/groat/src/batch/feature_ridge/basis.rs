//! What features a fit stands on.

use crate::batch::Watch;
use crate::error::{Error, Result};
use crate::features::{FeatureMap, LandmarkRule, Nystrom, RandomFeatures};
use crate::kernels::Kernel;
use crate::matrix::{PointSet, Points};

/// What the features are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Basis {
    /// Functions of rows that a rule finds.
    Landmarks(LandmarkRule),
    /// Functions of these points.
    Given(PointSet),
    /// Random features.
    Random {
        /// Whether frequencies stand at right angles.
        orthogonal: bool,
        /// Whether each frequency gives a cosine and a sine, instead of a cosine with a phase.
        paired: bool,
    },
}

impl Default for Basis {
    fn default() -> Self {
        Basis::Landmarks(LandmarkRule::default())
    }
}

impl Basis {
    /// The map of so many features, with landmarks among these rows.
    pub(in crate::batch) fn map(
        &self,
        kernel: &Kernel,
        rows: Points<'_>,
        size: usize,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<FeatureMap> {
        let stop = || if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) };
        match self {
            Basis::Given(points) => landmark_map(kernel, points.view()),
            Basis::Random { .. } => self.random_map(kernel, rows.cols(), size, seed),
            Basis::Landmarks(rule) => {
                let chosen = rule.choose(kernel, rows, size, seed, &stop)?;
                landmark_map(kernel, rows.select(&chosen).view())
            }
        }
    }

    pub(super) fn random_map(
        &self,
        kernel: &Kernel,
        features: usize,
        size: usize,
        seed: u64,
    ) -> Result<FeatureMap> {
        let (orthogonal, paired) = match self {
            Basis::Random { orthogonal, paired } => (*orthogonal, *paired),
            _ => (true, true),
        };
        RandomFeatures::draw(kernel, features, size, orthogonal, paired, seed).map(FeatureMap::Random)
    }
}

/// The map of these landmarks.
pub(super) fn landmark_map(kernel: &Kernel, landmarks: Points<'_>) -> Result<FeatureMap> {
    Ok(FeatureMap::Landmarks(Box::new(Nystrom::new(kernel, landmarks)?)))
}
