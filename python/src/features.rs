//! Explicit features of rows, by landmarks or at random.

use crate::arrays::{Input, array2, copied, finite_vector};
use crate::errors::{DataError, raise};
use crate::kernel::{PyKernel, kernel_of};
use crate::points::{Given, answered};
use crate::threads::detached;
use crate::watch::watched;
use groat::batch::{KernelChoice, Preparation, Prepared, Watch};
use groat::data::{Answers, Dataset, Inputs, Standardisation};
use groat::features::{LandmarkRule, Nystrom, RandomFeatures};
use groat::{Error, Matrix, PointSet, Points, Result};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_pcg::Pcg64;

/// A map from rows to explicit features, whose inner products are near a kernel.
#[pyclass(name = "FeatureMap", module = "groat._groat", frozen)]
pub(crate) struct PyFeatureMap {
    map: Map,
    standardisation: Option<Standardisation>,
    inputs: Option<Inputs>,
    notes: Vec<String>,
}

enum Map {
    Nystrom(Box<Nystrom>),
    Random(RandomFeatures),
}

/// What is drawn, before the rows are known.
enum Plan {
    Landmarks(LandmarkRule),
    Given(PointSet),
    Random { orthogonal: bool, paired: bool },
}

impl Plan {
    fn draw(
        &self,
        choice: &KernelChoice,
        x: Points<'_>,
        rank: usize,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<(Map, Option<String>)> {
        let (kernel, note) = choice.settled(x, seed);
        let map = match self {
            Plan::Landmarks(rule) => {
                let stop = || if watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) };
                let rows = match rule {
                    // The library takes the first rows there, having drawn them before.
                    LandmarkRule::Uniform => any_rows(x.rows(), rank, seed),
                    rule => rule.choose(&kernel, x, rank, seed, &stop)?,
                };
                Map::Nystrom(Box::new(Nystrom::new(&kernel, x.select(&rows).view())?))
            }
            // The set has been standardised as the rows were.
            Plan::Given(points) => Map::Nystrom(Box::new(Nystrom::new(&kernel, points.view())?)),
            Plan::Random { orthogonal, paired } => {
                Map::Random(RandomFeatures::draw(&kernel, x.cols(), rank, *orthogonal, *paired, seed)?)
            }
        };
        Ok((map, note))
    }
}

/// Some rows, in order.
fn any_rows(rows: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut drawn = sample(&mut Pcg64::seed_from_u64(seed), rows, count.min(rows)).into_vec();
    drawn.sort_unstable();
    drawn
}

impl Map {
    fn transform(&self, x: Points<'_>) -> Result<Matrix> {
        match self {
            Map::Nystrom(map) => map.transform(x),
            Map::Random(map) => map.transform(x),
        }
    }

    fn error(&self, x: Points<'_>) -> Result<f64> {
        match self {
            Map::Nystrom(map) => map.error(x),
            Map::Random(map) => map.error(x),
        }
    }

    fn kernel(&self) -> &groat::Kernel {
        match self {
            Map::Nystrom(map) => map.kernel(),
            Map::Random(map) => map.kernel(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Map::Nystrom(map) => map.size(),
            Map::Random(map) => map.size(),
        }
    }
}

#[pymethods]
impl PyFeatureMap {
    /// The map for rows like those of x. landmarks names a rule by which rows become landmarks, or are rows like x
    /// themselves; without any, random frequencies are drawn, in pairs of cosine and sine or as cosines with a phase.
    #[staticmethod]
    #[pyo3(signature = (x, kernel=None, *, rank=300, landmarks=None, orthogonal=true, paired=true, standardise=false,
        seed=0, categorical=Vec::new(), progress=None))]
    fn draw(
        x: &Bound<'_, PyAny>,
        kernel: Option<&Bound<'_, PyAny>>,
        rank: usize,
        landmarks: Option<&Bound<'_, PyAny>>,
        orthogonal: bool,
        paired: bool,
        standardise: bool,
        seed: u64,
        categorical: Vec<String>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let choice = kernel.map_or_else(|| Ok(KernelChoice::default()), kernel_of)?;
        let (samples, inputs) = Given::of("x", x)?.into_samples("x", None, categorical)?;
        let mut plan = match landmarks {
            None => Plan::Random { orthogonal, paired },
            Some(landmarks) => match landmarks.extract::<String>() {
                Ok(rule) => Plan::Landmarks(rule.parse().map_err(raise)?),
                Err(_) => Plan::Given(Given::of("landmarks", landmarks)?.like("landmarks", inputs.as_ref())?),
            },
        };
        let data = Dataset::new(samples, Answers::None).map_err(raise)?;
        let preparation = Preparation::new().standardise(standardise).seed(seed);
        let (map, standardisation, note) = watched(x.py(), progress, |watch| {
            let prepared = Prepared::new(&data, preparation)?;
            if let (Plan::Given(points), Some(standardisation)) = (&mut plan, prepared.standardisation()) {
                standardisation.apply_points(points)?;
            }
            let (map, note) = plan.draw(&choice, prepared.x(), rank, seed, watch)?;
            Ok((map, prepared.standardisation().cloned(), note))
        })?;
        Ok(Self { map, standardisation, inputs, notes: note.into_iter().collect() })
    }

    /// The features of rows, one row each.
    fn transform<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let features = answered(py, self.inputs.as_ref(), x, false, |x| match &self.standardisation {
            None => self.map.transform(x),
            Some(standardisation) => {
                let mut copy = x.to_set();
                standardisation.apply_points(&mut copy)?;
                self.map.transform(copy.view())
            }
        })?;
        array2(py, features)
    }

    /// The root mean square difference between inner products of features and the kernel, over all pairs of up to 300 of the
    /// rows given.
    fn error<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<f64> {
        let mut points = Given::of("x", x)?.like("x", self.inputs.as_ref())?;
        let error = || {
            if let Some(standardisation) = &self.standardisation {
                standardisation.apply_points(&mut points)?;
            }
            self.map.error(points.view())
        };
        detached(py, error)?.map_err(raise)
    }

    /// Number of features.
    #[getter]
    fn size(&self) -> usize {
        self.map.size()
    }

    /// The kernel that they stand for.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel { kernel: self.map.kernel().clone() }
    }

    /// The landmarks or the frequencies, one per row, as the kernel sees features. A copy.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.map {
            Map::Nystrom(map) => array2(py, map.landmarks().to_matrix()),
            Map::Random(map) => copied(py, map.frequencies()),
        }
    }

    /// What was chosen on the way.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let (py, this) = (slf.py(), slf.get());
        let state = PyDict::new(py);
        state.set_item("kernel", this.map.kernel().to_string())?;
        state.set_item("rows", this.rows(py)?)?;
        state.set_item("landmarks", matches!(this.map, Map::Nystrom(_)))?;
        if let Map::Random(map) = &this.map {
            state.set_item("phases", map.phases().map(|phases| phases.to_vec().into_pyarray(py)))?;
        }
        if let Some(standardisation) = &this.standardisation {
            let parts = (standardisation.mean().to_vec(), standardisation.scale().to_vec());
            state.set_item("standardisation", parts)?;
        }
        let text = serde_json::to_string(&this.inputs).map_err(|e| DataError::new_err(e.to_string()))?;
        state.set_item("inputs", text)?;
        state.set_item("notes", &this.notes)?;
        Ok((slf.get_type().getattr("from_state")?, (state,)))
    }

    /// The map that a pickle was made from.
    #[staticmethod]
    fn from_state(state: &Bound<'_, PyDict>) -> PyResult<Self> {
        let item = |name: &str| {
            state.get_item(name)?.ok_or_else(|| DataError::new_err(format!("the pickle holds no {name:?}")))
        };
        let kernel: groat::Kernel = kernel_of(&item("kernel")?)?;
        let rows = Input::<f64>::rows_of("rows", &item("rows")?)?.rows()?.to_matrix();
        let map = if item("landmarks")?.is_truthy()? {
            Map::Nystrom(Box::new(Nystrom::new(&kernel, rows.view()).map_err(raise)?))
        } else {
            let phases = item("phases")?;
            let phases = if phases.is_none() { None } else { Some(finite_vector("phases", &phases)?) };
            Map::Random(RandomFeatures::new(kernel, rows, phases).map_err(raise)?)
        };
        let standardisation = match state.get_item("standardisation")? {
            None => None,
            Some(parts) => {
                let (mean, scale): (Vec<f64>, Vec<f64>) = parts.extract()?;
                Some(Standardisation::new(mean, scale).map_err(raise)?)
            }
        };
        let text: String = item("inputs")?.extract()?;
        let inputs = serde_json::from_str(&text).map_err(|e| DataError::new_err(e.to_string()))?;
        Ok(Self { map, standardisation, inputs, notes: item("notes")?.extract()? })
    }
}
