//! A feature map as bytes, so that others can make the very same features.

use super::{FeatureMap, Nystrom, RandomFeatures};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::persist::{Container, Tensor};
use groat_linalg::Cholesky;

const LANDMARKS: &str = "landmarks";
const RANDOM: &str = "random-features";

impl FeatureMap {
    /// The map as bytes: for landmarks with their factor, since one found anew might differ in its last digits.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let (mut file, kernel) = match self {
            FeatureMap::Landmarks(nystrom) => {
                let mut file = Container::new(LANDMARKS);
                file.put("landmarks", Tensor::matrix(&nystrom.landmarks().to_matrix()));
                file.put("triangle", Tensor::vector(&nystrom.factor().triangle()));
                file.put("shift", Tensor::vector(nystrom.shift()));
                file.put("weakest", Tensor::vector(&[nystrom.weakest()]));
                (file, nystrom.kernel())
            }
            FeatureMap::Random(random) => {
                let mut file = Container::new(RANDOM);
                file.put("frequencies", Tensor::matrix(&random.frequencies().to_matrix()));
                if let Some(phases) = random.phases() {
                    file.put("phases", Tensor::vector(phases));
                }
                (file, random.kernel())
            }
        };
        file.put_text("kernel", kernel.to_string());
        file.to_bytes()
    }

    /// A map from bytes. Whatever the bytes are, the answer is a map or an error.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut file = Container::from_bytes(bytes)?;
        let kernel: Kernel = file.text("kernel")?.parse()?;
        let map = match file.kind() {
            LANDMARKS => {
                let landmarks = file.take("landmarks")?.into_matrix("landmarks")?;
                let triangle = file.take("triangle")?.into_vector("triangle")?;
                let factor = Cholesky::from_triangle(&triangle, landmarks.rows())?;
                let shift = file.take("shift")?.into_vector("shift")?;
                let weakest = file.take("weakest")?.into_vector("weakest")?;
                let weakest = weakest.first().copied().unwrap_or(0.0);
                let nystrom = Nystrom::from_parts(kernel, landmarks, factor, shift, weakest)?;
                FeatureMap::Landmarks(Box::new(nystrom))
            }
            RANDOM => {
                let frequencies = file.take("frequencies")?.into_matrix("frequencies")?;
                let phases = file.take_optional("phases").map(|p| p.into_vector("phases")).transpose()?;
                FeatureMap::Random(RandomFeatures::new(kernel, frequencies, phases)?)
            }
            other => return Err(Error::parse("a feature map", other, "the bytes hold something else")),
        };
        file.nothing_left()?;
        Ok(map)
    }
}
