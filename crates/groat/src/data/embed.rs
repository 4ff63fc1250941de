//! Time embedding (system B5): a series, or input and output columns, as lagged regressors.
//!
//! With `L` lags and horizon `h` the sample at time `t` is, newest value first,
//! `u[t-h+1], ..., u[t-h-L+2]` for every input column `u`, then `y[t-h], ..., y[t-h-L+1]` for the
//! target. With the usual `h = 1` these are the last `L` inputs, the present one included, and the
//! last `L` outputs. A series alone has no inputs, only its own past. The first `L + h - 1` rows only
//! fill the past.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, check_len};

/// How a series is turned into regressors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embedding {
    /// Number of lags `L` of each column.
    pub lags: usize,
    /// How many steps ahead the target lies, `h`.
    pub horizon: usize,
    /// Whether the target's own past is among the regressors.
    pub feedback: bool,
}

impl Embedding {
    /// `lags` lags of every column, one step ahead, the target's past included.
    pub fn new(lags: usize) -> Self {
        Self { lags, horizon: 1, feedback: true }
    }

    /// Fails unless there is at least one lag and one step.
    pub fn check(&self) -> Result<()> {
        const MOST: usize = 1 << 20;
        if !(1..=MOST).contains(&self.lags) {
            return Err(Error::parameter("embed", self.lags, "1 to 1048576 lags"));
        }
        if !(1..=MOST).contains(&self.horizon) {
            return Err(Error::parameter("horizon", self.horizon, "1 to 1048576 steps"));
        }
        Ok(())
    }

    /// Rows at the start that only fill the past.
    pub fn lost_rows(&self) -> usize {
        // Inputs look back to t-h-L+2, outputs one step further.
        self.lags + self.horizon - if self.feedback { 1 } else { 2 }
    }

    /// Names of the regressors, in their order: `u[t]`, `u[t-1]`, ..., `y[t-1]`, ...
    pub fn names(&self, inputs: &[String], target: Option<&str>) -> Vec<String> {
        let back = |name: &str, steps: usize| match steps {
            0 => format!("{name}[t]"),
            _ => format!("{name}[t-{steps}]"),
        };
        let lags = 0..self.lags;
        let mut names: Vec<String> = inputs
            .iter()
            .flat_map(|u| lags.clone().map(move |lag| back(u, self.horizon - 1 + lag)))
            .collect();
        if let (true, Some(y)) = (self.feedback, target) {
            names.extend(lags.map(|lag| back(y, self.horizon + lag)));
        }
        names
    }
}

/// Embeds a stream one row at a time; it remembers just the rows that are still needed.
///
/// ```
/// use groat::data::{Embedder, Embedding};
/// let mut series = Embedder::new(Embedding::new(2), 0)?;
/// let mut x = vec![0.0; 2];
/// assert!(!series.push(&[], 1.0, &mut x)?);
/// assert!(!series.push(&[], 2.0, &mut x)?);
/// assert!(series.push(&[], 3.0, &mut x)?); // 3 is to be predicted from its past
/// assert_eq!(x, [2.0, 1.0]);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Embedder {
    embedding: Embedding,
    inputs: usize,
    /// Rows of inputs and then the output, the newest first.
    past: VecDeque<Vec<f64>>,
}

/// As it stands in a file, not yet checked.
#[derive(Deserialize)]
struct Stored {
    embedding: Embedding,
    inputs: usize,
    past: VecDeque<Vec<f64>>,
}

impl TryFrom<Stored> for Embedder {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let mut embedder = Embedder::new(stored.embedding, stored.inputs)?;
        embedder.past = stored.past;
        embedder.past.truncate(embedder.embedding.lost_rows() + 1);
        embedder
            .past
            .iter()
            .try_for_each(|row| check_len("values of a past row", stored.inputs + 1, row.len()))?;
        Ok(embedder)
    }
}

impl Embedder {
    /// An embedder of `inputs` input columns and one output, with no past yet.
    pub fn new(embedding: Embedding, inputs: usize) -> Result<Self> {
        embedding.check()?;
        if inputs > 1 << 20 {
            return Err(Error::parameter("inputs", inputs, "at most 1048576 columns to embed"));
        }
        if inputs == 0 && !embedding.feedback {
            return Err(Error::parameter("feedback", false, "true when there are no input columns"));
        }
        Ok(Self { embedding, inputs, past: VecDeque::new() })
    }

    /// Number of regressors.
    pub fn width(&self) -> usize {
        self.embedding.lags * (self.inputs + usize::from(self.embedding.feedback))
    }

    /// Takes the row of time `t` and writes its regressors into `out`; false while the past is
    /// filling. `output` is not among the regressors of its own time.
    pub fn push(&mut self, inputs: &[f64], output: f64, out: &mut [f64]) -> Result<bool> {
        check_len("input columns to embed", self.inputs, inputs.len())?;
        check_len("lagged regressors", self.width(), out.len())?;
        let lost = self.embedding.lost_rows();
        let mut row =
            if self.past.len() > lost { self.past.pop_back().unwrap_or_default() } else { Vec::new() };
        row.clear();
        row.extend_from_slice(inputs);
        row.push(output);
        self.past.push_front(row);
        if self.past.len() <= lost {
            return Ok(false);
        }
        let Embedding { lags, horizon, feedback } = self.embedding;
        let (by_input, by_output) = out.split_at_mut(lags * self.inputs);
        for (column, lagged) in by_input.chunks_exact_mut(lags).enumerate() {
            for (lag, value) in lagged.iter_mut().enumerate() {
                *value = self.past[horizon - 1 + lag][column];
            }
        }
        if feedback {
            for (lag, value) in by_output.iter_mut().enumerate() {
                *value = self.past[horizon + lag][self.inputs];
            }
        }
        Ok(true)
    }

    /// Puts a value in the place of the newest output, which was not known when its row came.
    pub fn mend(&mut self, output: f64) {
        if let Some(newest) = self.past.front_mut().and_then(|row| row.last_mut()) {
            *newest = output;
        }
    }

    /// The inputs of the newest row.
    pub fn newest(&self) -> Option<&[f64]> {
        self.past.front().map(|row| &row[..self.inputs])
    }

    /// True when the next row has all the past it needs.
    pub fn is_filled(&self) -> bool {
        self.past.len() >= self.embedding.lost_rows()
    }

    /// Forgets the past, as after a gap in the series.
    pub fn reset(&mut self) {
        self.past.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The definition, by indices into the whole series.
        #[test]
        fn streaming_equals_the_definition(
            lags in 1_usize..5, horizon in 1_usize..4, inputs in 0_usize..3, feedback: bool,
            series in proptest::collection::vec(-9.0_f64..9.0, 0..60),
        ) {
            prop_assume!(inputs > 0 || feedback);
            let embedding = Embedding { lags, horizon, feedback };
            let columns = inputs + 1;
            let rows: Vec<&[f64]> = series.chunks_exact(columns).collect();
            let mut embedder = Embedder::new(embedding, inputs).unwrap();
            let mut x = vec![0.0; embedder.width()];
            for t in 0..rows.len() {
                let ready = embedder.push(&rows[t][..inputs], rows[t][inputs], &mut x).unwrap();
                prop_assert_eq!(ready, t >= embedding.lost_rows());
                if !ready { continue; }
                let mut expected = Vec::new();
                for u in 0..inputs {
                    expected.extend((0..lags).map(|lag| rows[t + 1 - horizon - lag][u]));
                }
                if feedback {
                    expected.extend((0..lags).map(|lag| rows[t - horizon - lag][inputs]));
                }
                prop_assert_eq!(&x, &expected);
            }
        }
    }

    #[test]
    fn names_say_the_lag() {
        let names = Embedding::new(2).names(&["u".into()], Some("y"));
        assert_eq!(names, ["u[t]", "u[t-1]", "y[t-1]", "y[t-2]"]);
    }

    #[test]
    fn useless_embeddings_are_refused() {
        assert!(Embedder::new(Embedding::new(0), 1).is_err());
        assert!(Embedder::new(Embedding { horizon: 0, ..Embedding::new(1) }, 1).is_err());
        assert!(Embedder::new(Embedding { feedback: false, ..Embedding::new(1) }, 0).is_err());
        assert!(Embedder::new(Embedding::new(usize::MAX), 1).is_err());
    }

    #[test]
    fn a_saved_embedder_goes_on_where_it_was() {
        let mut embedder = Embedder::new(Embedding::new(2), 0).unwrap();
        let mut x = [0.0; 2];
        for value in [1.0, 2.0] {
            embedder.push(&[], value, &mut x).unwrap();
        }
        let mut restored: Embedder =
            serde_json::from_str(&serde_json::to_string(&embedder).unwrap()).unwrap();
        assert!(restored.push(&[], 3.0, &mut x).unwrap());
        assert_eq!(x, [2.0, 1.0]);
        let damaged = r#"{"embedding":{"lags":1,"horizon":1,"feedback":true},"inputs":1,"past":[[1.0]]}"#;
        assert!(serde_json::from_str::<Embedder>(damaged).is_err());
    }
}
