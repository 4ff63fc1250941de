//! [`Dataset`]: rows with their answers, owned, as every face hands them to a fit.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::inputs::Inputs;
use super::split::Split;
use super::standardise::Standardisation;
use super::table::Table;
use super::target::Classes;
use super::task::{TargetClasses, TaskChoice};
use crate::batch::{Problem, Target};
use crate::error::{Error, Result, check_len, check_not_negative};
use crate::matrix::{Matrix, PointSet, Points};
use rayon::prelude::*;

/// What the rows are to be mapped to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answers {
    /// Numbers.
    Values {
        /// Names of the targets, one per column, or none.
        names: Vec<String>,
        /// One row per sample, one column per target.
        y: Matrix,
    },
    /// Classes.
    Classes {
        /// The classes by name.
        labels: Vec<String>,
        /// For each sample the index of its label.
        codes: Vec<usize>,
    },
    /// None: a density or components are wanted.
    None,
}

impl Answers {
    /// Numbers of one target.
    pub fn values(name: impl Into<String>, y: Vec<f64>) -> Self {
        Answers::Values { names: vec![name.into()], y: Matrix::column(y) }
    }

    /// Some of the answers.
    fn select(&self, rows: &[usize]) -> Self {
        match self {
            Answers::Values { names, y } => {
                Answers::Values { names: names.clone(), y: y.view().select(rows) }
            }
            Answers::Classes { labels, codes } => {
                Answers::Classes { labels: labels.clone(), codes: rows.iter().map(|&i| codes[i]).collect() }
            }
            Answers::None => Answers::None,
        }
    }

    /// Fails unless there is one sensible answer for each of `rows` samples.
    fn check(&self, rows: usize) -> Result<()> {
        match self {
            Answers::Values { names, y } => {
                check_len("rows of the target", rows, y.rows())?;
                if !names.is_empty() {
                    check_len("names of the targets", y.cols(), names.len())?;
                }
                y.view().check_finite("the target")
            }
            Answers::Classes { labels, codes } => {
                check_len("class codes", rows, codes.len())?;
                match codes.iter().find(|code| **code >= labels.len()) {
                    Some(code) => Err(Error::parameter("class code", code, "below the number of classes")),
                    None => Ok(()),
                }
            }
            Answers::None => Ok(()),
        }
    }

    /// The borrowed form.
    fn target(&self) -> Target<'_> {
        match self {
            Answers::Values { y, .. } => Target::Values(y.view()),
            Answers::Classes { labels, codes } => Target::Classes { codes, count: labels.len() },
            Answers::None => Target::Density,
        }
    }
}

/// Samples with their answers, and what is known of where they came from.
///
/// ```
/// use groat::data::{Answers, Column, Dataset, InputOptions, Inputs, Table, TaskChoice};
/// let table = Table::new(["x", "kind"], vec![
///     Column::Numeric(vec![0.1, 0.2, 2.0]),
///     Column::text(["low", "low", "high"]),
/// ])?;
/// let options = InputOptions { targets: vec!["kind".into()], ..Default::default() };
/// let inputs = Inputs::fit(&table, &options)?;
/// let (data, why) = Dataset::from_table(&table, inputs, TaskChoice::Auto, None)?;
/// assert_eq!(why.as_deref(), Some("the target is text"));
/// assert!(matches!(data.answers(), Answers::Classes { codes, .. } if codes == &[1, 1, 0]));
/// let last = data.select(&[2]);
/// assert_eq!((last.len(), last.places()), (1, &[2][..]));
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    x: PointSet,
    answers: Answers,
    weights: Option<Vec<f64>>,
    inputs: Option<Inputs>,
    features: Vec<String>,
    source: String,
    places: Vec<usize>,
    landmarks: Option<PointSet>,
}

impl Dataset {
    /// Rows with their answers; sizes must agree, numbers be finite and class codes lie below the number of labels.
    /// The features have no names.
    pub fn new(x: impl Into<PointSet>, answers: Answers) -> Result<Self> {
        let x = x.into();
        x.view().check_finite("the features")?;
        answers.check(x.rows())?;
        let places = (0..x.rows()).collect();
        let (features, source) = (Vec::new(), "memory".to_owned());
        Ok(Self { x, answers, weights: None, inputs: None, features, source, places, landmarks: None })
    }

    /// Says how much each sample counts: a finite number, 0 or above. Not every method takes a weight of 0.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        check_len("sample weights", self.len(), weights.len())?;
        weights.iter().try_for_each(|weight| check_not_negative("sample weight", *weight))?;
        self.weights = Some(weights);
        Ok(self)
    }

    /// Names the features.
    pub fn with_features(mut self, names: Vec<String>) -> Result<Self> {
        check_len("names of the features", self.x.cols(), names.len())?;
        self.features = names;
        Ok(self)
    }

    /// Says how the rows were made from a table; names the features as well.
    pub fn with_inputs(self, inputs: Inputs) -> Result<Self> {
        let mut named = self.with_features(inputs.feature_names())?;
        named.inputs = Some(inputs);
        Ok(named)
    }

    /// Says where the rows come from.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<String>) -> Self {
        self.source = source.into();
        self
    }

    /// Says in which row of the source, from 0, each sample stands.
    pub fn with_places(mut self, places: Vec<usize>) -> Result<Self> {
        check_len("places of the samples", self.len(), places.len())?;
        self.places = places;
        Ok(self)
    }

    /// Says on which points a method that stands on landmarks shall stand, in the units of the rows.
    pub fn with_landmarks(mut self, landmarks: impl Into<PointSet>) -> Result<Self> {
        let landmarks = landmarks.into();
        check_len("features of the landmarks", self.x.cols(), landmarks.cols())?;
        landmarks.view().check_finite("the landmarks")?;
        self.landmarks = Some(landmarks);
        Ok(self)
    }

    /// The same samples, landmarks left to the method.
    #[must_use]
    pub fn without_landmarks(mut self) -> Self {
        self.landmarks = None;
        self
    }

    /// The samples of a table for a new model; `weights` names the column that says how much each counts, which the
    /// inputs should leave out. Returns also why the answers are taken as they are, where that was decided here.
    pub fn from_table(
        table: &Table,
        inputs: Inputs,
        task: TaskChoice,
        weights: Option<&str>,
    ) -> Result<(Self, Option<String>)> {
        if task == TaskChoice::Density {
            return Ok((Self::of_table(table, inputs, Answers::None, weights)?, None));
        }
        let targets: Vec<String> = inputs.targets().iter().map(|target| target.name.clone()).collect();
        let mut classes = TargetClasses::new(table, &inputs, task)?;
        classes.add(table)?;
        let (labels, reason) = classes.finish();
        let answers = read_answers(table, &inputs, &targets, &labels)?;
        Ok((Self::of_table(table, inputs, answers, weights)?, reason))
    }

    /// The samples of a table with answers that a model knows: classes where there are `labels`, numbers otherwise,
    /// none without targets.
    pub fn for_answers(table: &Table, inputs: Inputs, targets: &[String], labels: &[String]) -> Result<Self> {
        let answers = read_answers(table, &inputs, targets, labels)?;
        Self::of_table(table, inputs, answers, None)
    }

    fn of_table(table: &Table, inputs: Inputs, answers: Answers, weights: Option<&str>) -> Result<Self> {
        let lost = inputs.lost_rows();
        let weights = weights.map(|name| read_weights(table, name)).transpose()?;
        let places = (lost..table.rows()).collect();
        let data = Self::new(inputs.apply(table)?, answers)?
            .with_inputs(inputs)?
            .with_source(table.source())
            .with_places(places)?;
        match weights {
            Some(weights) => data.with_weights(weights[lost..].to_vec()),
            None => Ok(data),
        }
    }

    /// The features.
    pub fn x(&self) -> Points<'_> {
        self.x.view()
    }

    /// What the rows are to be mapped to.
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// How much each sample counts; all alike when absent.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// On which points a method that stands on landmarks shall stand, where that is given.
    pub fn landmarks(&self) -> Option<Points<'_>> {
        self.landmarks.as_ref().map(PointSet::view)
    }

    /// How the rows were made from a table.
    pub fn inputs(&self) -> Option<&Inputs> {
        self.inputs.as_ref()
    }

    /// Names of the features, or none.
    pub fn feature_names(&self) -> &[String] {
        &self.features
    }

    /// Where the rows come from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// For each sample its row in the source, from 0.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.x.rows()
    }

    /// True when there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A copy of the samples with the given indices, in that order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.view().select(rows),
            answers: self.answers.select(rows),
            weights: self.weights.as_ref().map(|weights| rows.iter().map(|&i| weights[i]).collect()),
            inputs: self.inputs.clone(),
            features: self.features.clone(),
            source: self.source.clone(),
            places: rows.iter().map(|&i| self.places[i]).collect(),
            landmarks: self.landmarks.clone(),
        }
    }

    /// `k` divisions into training and test samples, each sample being tested once. Every class has about the same
    /// share of all parts.
    pub fn folds(&self, k: usize, seed: u64) -> Result<Vec<Split>> {
        match &self.answers {
            Answers::Classes { codes, .. } => Split::stratified_folds(codes, k, seed),
            _ => Split::folds(self.len(), k, seed),
        }
    }

    /// Shifts and scales the features.
    pub fn standardise(&mut self, standardisation: &Standardisation) -> Result<()> {
        self.landmarks.iter_mut().try_for_each(|landmarks| standardisation.apply_points(landmarks))?;
        standardisation.apply_points(&mut self.x)
    }

    /// The borrowed form that methods take.
    pub fn problem(&self) -> Result<Problem<'_>> {
        Problem { x: self.x(), target: self.answers.target(), weights: self.weights() }.checked_with_zeros()
    }

    /// How many samples repeat the features of an earlier one, and the first such pair with the later one first
    /// (counted from 1).
    ///
    /// ```
    /// use groat::{Matrix, data::{Answers, Dataset}};
    /// let data = Dataset::new(Matrix::column(vec![0.0, 1.0, -0.0, 1.0]), Answers::None)?;
    /// assert_eq!(data.repeated(), Some((2, (3, 1))));
    /// # Ok::<(), groat::Error>(())
    /// ```
    pub fn repeated(&self) -> Option<(usize, (usize, usize))> {
        let x = self.x();
        let mut marked: Vec<(u64, usize)> =
            (0..self.len()).into_par_iter().map(|i| (x.point(i).mark(), i)).collect();
        marked.par_sort_unstable();
        let (mut first, mut count): (Option<(usize, usize)>, _) = (None, 0);
        for alike in marked.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            // The same features have the same mark; other features may have it by chance.
            let mut seen = HashMap::new();
            for &(_, i) in alike {
                match seen.entry(x.point(i).key()) {
                    Entry::Vacant(new) => drop(new.insert(i)),
                    Entry::Occupied(earlier) => {
                        count += 1;
                        let pair = (i + 1, earlier.get() + 1);
                        first = Some(first.map_or(pair, |found| found.min(pair)));
                    }
                }
            }
        }
        first.map(|pair| (count, pair))
    }
}

/// The answers that some columns of a table give, from the first row that has a sample on.
fn read_answers(table: &Table, inputs: &Inputs, targets: &[String], labels: &[String]) -> Result<Answers> {
    let lost = inputs.lost_rows().min(table.rows());
    match targets {
        [] => Ok(Answers::None),
        [target] if !labels.is_empty() => {
            let codes = Classes::codes(table, target, labels)?[lost..].to_vec();
            Ok(Answers::Classes { labels: labels.to_vec(), codes })
        }
        targets => {
            let y = table.matrix(targets)?.view().slice(lost, table.rows()).to_matrix();
            Ok(Answers::Values { names: targets.to_vec(), y })
        }
    }
}

/// The weights of all rows of a table, none below 0.
fn read_weights(table: &Table, name: &str) -> Result<Vec<f64>> {
    let index = table.find(name)?;
    let weights = table.numbers(name)?;
    match weights.iter().position(|weight| *weight < 0.0) {
        Some(row) => {
            let reason = format!("found the weight {}, expected a number, 0 or above", weights[row]);
            Err(table.error_at(row, index, reason))
        }
        None => Ok(weights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Embedding, InputOptions};
    use crate::matrix::Csr;

    fn table() -> Table {
        let columns = vec![
            Column::Numeric((0..6).map(f64::from).collect()),
            Column::text(["a", "b", "b", "a", "b", "a"]),
            Column::Numeric(vec![1.0, 2.0, 1.0, 2.0, 1.0, 1.0]),
            Column::Numeric(vec![0.5, 1.0, 2.0, 4.0, 8.0, 16.0]),
        ];
        Table::new(["x", "kind", "two", "w"], columns).unwrap()
    }

    fn inputs(targets: &[&str], embedding: Option<Embedding>) -> Inputs {
        let targets = targets.iter().map(|t| t.to_string()).collect();
        let options = InputOptions { targets, features: vec!["x".into()], embedding, ..Default::default() };
        Inputs::fit(&table(), &options).unwrap()
    }

    fn read(targets: &[&str], task: TaskChoice) -> Result<(Dataset, Option<String>)> {
        Dataset::from_table(&table(), inputs(targets, None), task, None)
    }

    #[test]
    fn the_column_decides_unless_somebody_says() {
        use TaskChoice::{Auto, Classification, Density, Regression};
        let labels = |targets: &[&str], task| match read(targets, task).unwrap().0.answers {
            Answers::Classes { labels, .. } => labels,
            _ => Vec::new(),
        };
        assert_eq!(labels(&["kind"], Auto), ["a", "b"]);
        assert_eq!(labels(&["two"], Auto), ["1", "2"]);
        assert_eq!(labels(&["w"], Auto).len(), 0);
        assert_eq!(labels(&["w"], Classification).len(), 6);
        assert_eq!(labels(&["two"], Regression).len(), 0);
        assert!(read(&["two"], Auto).unwrap().1.unwrap().contains("two values"));
        assert!(read(&["two"], Regression).unwrap().1.is_none());
        assert_eq!(read(&["two"], Density).unwrap().0.answers, Answers::None);
        assert_eq!(read(&[], Auto).unwrap().0.answers, Answers::None);
        assert!(
            matches!(read(&["two", "w"], Auto).unwrap().0.answers, Answers::Values { y, .. } if y.cols() == 2)
        );
        assert!(read(&["two", "w"], Classification).is_err());
        let text = read(&["two", "kind"], Auto).unwrap_err().to_string();
        assert!(text.contains("column kind") && text.contains("one target at a time"), "{text}");
    }

    #[test]
    fn many_different_texts_are_taken_for_a_slip() {
        let rows = || (0..40).map(|i| format!("v{i}"));
        let columns = vec![Column::Numeric(vec![0.0; 40]), Column::text(rows())];
        let table = Table::new(["x", "y"], columns).unwrap();
        let options = InputOptions { targets: vec!["y".into()], ..Default::default() };
        let read = |task| Dataset::from_table(&table, Inputs::fit(&table, &options).unwrap(), task, None);
        let message = read(TaskChoice::Auto).unwrap_err().to_string();
        assert!(message.contains("row 1, column y: found the text \"v0\" among 40"), "{message}");
        assert!(read(TaskChoice::Classification).is_ok());
    }

    #[test]
    fn weights_answers_and_places_go_with_their_rows() {
        let embedded = inputs(&["two"], Some(Embedding::new(2)));
        let (data, _) = Dataset::from_table(&table(), embedded, TaskChoice::Auto, Some("w")).unwrap();
        assert_eq!((data.len(), data.places()), (4, &[2, 3, 4, 5][..]));
        let some = data.select(&[3, 0]);
        assert_eq!((some.places(), some.weights()), (&[5, 2][..], Some(&[16.0, 2.0][..])));
        assert_eq!(some.x().row(1), data.x().row(0));
        let Answers::Values { names, y } = some.answers() else { panic!("numbers were asked for") };
        assert_eq!((&names[..], y.data()), (&["two".to_owned()][..], &[1.0, 1.0][..]));
        let problem = some.problem().unwrap();
        assert_eq!((problem.x.rows(), problem.weights), (2, some.weights()));
        assert!(data.select(&[]).problem().is_err());
    }

    #[test]
    fn a_model_knows_its_classes() {
        let known = ["b".to_owned(), "a".to_owned(), "c".to_owned()];
        let target = ["kind".to_owned()];
        let data = Dataset::for_answers(&table(), inputs(&["kind"], None), &target, &known).unwrap();
        assert!(matches!(data.answers(), Answers::Classes { codes, .. } if codes == &[1, 0, 0, 1, 0, 1]));
        assert!(Dataset::for_answers(&table(), inputs(&["kind"], None), &target, &known[..1]).is_err());
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let x = || Matrix::column(vec![1.0, 2.0]);
        let classes = |codes: &[usize]| Answers::Classes { labels: vec!["a".into()], codes: codes.to_vec() };
        assert!(Dataset::new(x(), classes(&[0, 0])).is_ok());
        assert!(Dataset::new(x(), classes(&[0, 1])).is_err());
        assert!(Dataset::new(x(), classes(&[0])).is_err());
        assert!(Dataset::new(x(), Answers::values("y", vec![1.0])).is_err());
        assert!(Dataset::new(x(), Answers::values("y", vec![1.0, f64::NAN])).is_err());
        assert!(Dataset::new(Matrix::column(vec![f64::INFINITY]), Answers::None).is_err());
        let data = Dataset::new(x(), Answers::None).unwrap();
        assert!(data.clone().with_weights(vec![1.0, -1.0]).is_err());
        assert!(data.clone().with_weights(vec![1.0]).is_err());
        assert!(data.clone().with_features(vec![]).is_err());
        assert!(data.feature_names().is_empty());
    }

    #[test]
    fn repetitions_are_alike_dense_or_sparse() {
        let dense = Matrix::from_vec(vec![0.0, 1.0, -0.0, 1.0, 1.0, 0.0, 0.0, 1.0], 4, 2).unwrap();
        let sparse = Csr::from_rows(dense.view());
        let repeated = |x: PointSet| Dataset::new(x, Answers::None).unwrap().repeated();
        assert_eq!(repeated(dense.into()), Some((2, (2, 1))));
        assert_eq!(repeated(sparse.into()), Some((2, (2, 1))));
        assert_eq!(repeated(Matrix::column(vec![1.0, 2.0]).into()), None);
    }

    /// Reads svmlight text of `rows` rows with 20 numbers each, which occur in `columns` columns.
    #[cfg(feature = "files")]
    fn read_svmlight(rows: usize, columns: usize) -> Dataset {
        use crate::data::{ReadOptions, TableReader};
        use std::fmt::Write;
        let mut text = String::new();
        for row in 0..rows {
            write!(text, "{}", row % 2).unwrap();
            let taken: std::collections::BTreeSet<usize> =
                (0..20).map(|k| (row * 7919 + k * 104_729) % columns).collect();
            taken.iter().for_each(|j| write!(text, " {}:{}", j + 1, row + j + 1).unwrap());
            text.push('\n');
        }
        let started = std::time::Instant::now();
        let table = TableReader::from_reader("d.svm", std::io::Cursor::new(text), &ReadOptions::default());
        let table = table.unwrap().read_all().unwrap();
        let options = InputOptions { targets: vec!["y".into()], ..Default::default() };
        let inputs = Inputs::fit(&table, &options).unwrap();
        let (data, _) = Dataset::from_table(&table, inputs, TaskChoice::Auto, None).unwrap();
        let (x, seconds) = (data.x(), started.elapsed().as_secs_f64());
        println!("{rows} rows, {} columns: {} bytes after {seconds:.2} s", x.cols(), x.bytes());
        data
    }

    #[cfg(feature = "files")]
    #[test]
    fn an_svmlight_file_stays_sparse() {
        let data = read_svmlight(500, 20_000);
        let Points::Sparse(x) = data.x() else { panic!("the rows were filled with zeros") };
        let numbers: Vec<usize> =
            data.feature_names().iter().map(|name| name[1..].parse().unwrap()).collect();
        assert!(numbers.is_sorted() && x.rows() == 500 && x.nonzeros() == 20 * 500);
        for (row, (columns, values)) in x.iter().enumerate() {
            for (j, value) in columns.iter().zip(values) {
                assert_eq!(*value, (row + numbers[*j as usize]) as f64);
            }
        }
        assert!(data.x().bytes() < 200_000);
    }

    #[cfg(feature = "files")]
    #[test]
    #[ignore = "says how long large files take"]
    fn large_svmlight_files_are_read_in_seconds() {
        for (rows, columns) in [(50_000, 100_000), (500_000, 100_000)] {
            assert_eq!(read_svmlight(rows, columns).x().bytes(), (12 * 20 + 8) * rows as u64);
        }
    }
}
