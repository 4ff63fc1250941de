//! One look at a data file that is too large to be held.

use std::path::Path;

use super::dataset::Dataset;
use super::file_batches::FileBatches;
use super::inputs::{InputOptions, Inputs, Missing, Schema};
use super::moments::Moments;
use super::read::{ReadOptions, TableReader};
use super::reservoir::Reservoir;
use super::split::Split;
use super::table::Table;
use super::task::{TargetClasses, TaskChoice};
use crate::error::{Error, Result};

/// What to take from the file, and how much of it to draw.
#[derive(Clone, Debug)]
pub struct SurveyOptions {
    /// The columns; a time embedding is not possible in batches.
    pub inputs: InputOptions,
    /// What the target holds.
    pub task: TaskChoice,
    /// Part of the rows that is held out for the test, from 0 (none) to below 1.
    pub test_fraction: f64,
    /// Decides which rows are held out and which are drawn.
    pub seed: u64,
    /// Most rows of each part that are drawn.
    pub drawn: usize,
    /// What becomes of rows with missing values. What stands in for these comes from training rows, drawn at random in a
    /// reading of its own.
    pub missing: Missing,
}

impl Default for SurveyOptions {
    fn default() -> Self {
        let (inputs, task) = (InputOptions::default(), TaskChoice::Auto);
        Self { inputs, task, test_fraction: 0.0, seed: 0, drawn: 10_000, missing: Missing::Refuse }
    }
}

/// What a file holds: everything that a fit needs to know before it reads the file batch by batch.
///
/// Every level of a category and every class is known, wherever in the file it occurs. Where there are categories, or the
/// file is in svmlight format, they are found in a reading of their own before the one that counts, measures and draws.
/// Memory is that of one batch and of the drawn rows.
#[non_exhaustive]
pub struct Survey {
    /// The training rows of the file, not standardised.
    pub batches: FileBatches,
    /// Why the target is taken as it is, where that was decided here.
    pub reason: Option<String>,
    /// Number of training rows.
    pub training_rows: usize,
    /// Number of test rows.
    pub test_rows: usize,
    /// Rows that were left out because a value is missing.
    pub left_out: usize,
    /// Means and variances of the features of the training rows.
    pub moments: Moments,
    /// Training rows, drawn at random.
    pub train: Dataset,
    /// Test rows, drawn at random.
    pub test: Dataset,
}

/// Is told the number of rows read so far and, where it is known, of all; an error ends the reading.
pub type ReadProgress<'a> = dyn FnMut(usize, Option<usize>) -> Result<()> + 'a;

impl Survey {
    /// Looks the file over.
    pub fn of(
        path: impl AsRef<Path>,
        reading: &ReadOptions,
        options: &SurveyOptions,
        progress: &mut ReadProgress<'_>,
    ) -> Result<Self> {
        options.check()?;
        let path = path.as_ref();
        let inputs = find_inputs(path, reading, &options.inputs, progress)?;
        let inputs = with_substitutes(path, reading, inputs, options, progress)?;
        let batches = FileBatches::new(path, reading, inputs.clone())?.missing(options.missing);
        let mut found: Option<Found> = None;
        let mut first_row = 0;
        read(path, reading, progress, &mut |table| {
            let found = match &mut found {
                Some(found) => found,
                None => found.insert(Found::new(&table, &inputs, options)?),
            };
            found.add(&table, first_row, &inputs, options)?;
            first_row += table.rows();
            Ok(true)
        })?;
        let none = Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 };
        found.ok_or(none)?.finish(batches, inputs, options)
    }
}

impl SurveyOptions {
    /// Whether a row of the file is for the test.
    fn holds_out(&self, row: usize) -> bool {
        Split::holds_out(row, self.test_fraction, self.seed)
    }

    fn check(&self) -> Result<()> {
        if self.inputs.embedding.is_some() {
            return Err(Error::parameter("embed", "batches", "data that are held in memory"));
        }
        if !(0.0..1.0).contains(&self.test_fraction) {
            let expected = "a number from 0 to below 1";
            return Err(Error::parameter("test fraction", self.test_fraction, expected));
        }
        Ok(())
    }
}

/// Hands out the batches of a file for as long as `visit` says so.
fn read(
    path: &Path,
    reading: &ReadOptions,
    progress: &mut ReadProgress<'_>,
    visit: &mut dyn FnMut(Table) -> Result<bool>,
) -> Result<()> {
    let reader = TableReader::open(path, reading)?;
    let (mut rows, total) = (0, reader.total_rows());
    for table in reader {
        let table = table?;
        rows += table.rows();
        if !visit(table)? {
            break;
        }
        progress(rows, total)?;
    }
    Ok(())
}

/// The inputs that a file has, with all levels of its categories. Where all are numbers and the columns are known, the
/// first batch tells.
pub fn find_inputs(
    path: &Path,
    reading: &ReadOptions,
    options: &InputOptions,
    progress: &mut ReadProgress<'_>,
) -> Result<Inputs> {
    let mut schema: Option<Schema> = None;
    read(path, reading, progress, &mut |table| {
        match &mut schema {
            None => schema = Some(Schema::new(&table, options)?),
            Some(schema) => schema.add(&table)?,
        }
        Ok(schema.as_ref().is_some_and(Schema::may_grow))
    })?;
    let none = Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 };
    schema.ok_or(none)?.inputs(options)
}

/// The inputs with what stands in for missing values, where something does.
fn with_substitutes(
    path: &Path,
    reading: &ReadOptions,
    inputs: Inputs,
    options: &SurveyOptions,
    progress: &mut ReadProgress<'_>,
) -> Result<Inputs> {
    if !matches!(options.missing, Missing::Median | Missing::Flag) {
        return Ok(inputs);
    }
    let (mut part, mut first_row) = (None, 0);
    read(path, reading, progress, &mut |table| {
        let part = part.get_or_insert_with(|| Part::new(&table, options.drawn, options.seed));
        let mut rows = options.missing.kept(&table, &inputs, None)?;
        rows.retain(|row| !options.holds_out(first_row + row));
        part.offer(&table, &rows, first_row)?;
        first_row += table.rows();
        Ok(true)
    })?;
    let Some(part) = part else { return Ok(inputs) };
    let (drawn, _) = part.rows();
    inputs.with_substitutes(&drawn, &(0..drawn.rows()).collect::<Vec<_>>(), options.missing)
}

/// What the batches so far have shown.
struct Found {
    /// None where there is no target.
    classes: Option<TargetClasses>,
    moments: Moments,
    train: Part,
    test: Part,
    left_out: usize,
}

impl Found {
    fn new(first: &Table, inputs: &Inputs, options: &SurveyOptions) -> Result<Self> {
        Ok(Self {
            classes: match inputs.targets() {
                [] => None,
                _ => Some(TargetClasses::new(first, inputs, options.task)?),
            },
            moments: Moments::new(inputs.features()),
            train: Part::new(first, options.drawn, options.seed),
            test: Part::new(first, options.drawn, options.seed ^ 1),
            left_out: 0,
        })
    }

    fn add(
        &mut self,
        table: &Table,
        first_row: usize,
        inputs: &Inputs,
        options: &SurveyOptions,
    ) -> Result<()> {
        let kept = match options.missing {
            Missing::Refuse => (0..table.rows()).collect(),
            missing => missing.kept(table, inputs, None)?,
        };
        self.left_out += table.rows() - kept.len();
        let (test, train): (Vec<usize>, Vec<usize>) =
            kept.iter().partition(|row| options.holds_out(first_row + **row));
        let whole = test.is_empty() && train.len() == table.rows();
        if let Some(classes) = &mut self.classes {
            classes.add(&if kept.len() < table.rows() { table.select(&kept) } else { table.clone() })?;
        }
        self.test.offer(table, &test, first_row)?;
        self.train.offer(table, &train, first_row)?;
        let learnt = if whole { inputs.apply(table)? } else { inputs.apply(&table.select(&train))? };
        self.moments.push(learnt.view())
    }

    fn finish(self, batches: FileBatches, inputs: Inputs, options: &SurveyOptions) -> Result<Survey> {
        let (labels, reason) = self.classes.map(TargetClasses::finish).unwrap_or_default();
        let (training_rows, test_rows) = (self.train.rows.offered(), self.test.rows.offered());
        let mut batches = batches;
        if !labels.is_empty() {
            batches = batches.classes(labels.clone())?;
        }
        if options.test_fraction > 0.0 {
            batches = batches.without(options.test_fraction, options.seed);
        }
        Ok(Survey {
            batches: batches.counted(training_rows),
            reason,
            training_rows,
            test_rows,
            left_out: self.left_out,
            moments: self.moments,
            train: self.train.samples(&inputs, &labels)?,
            test: self.test.samples(&inputs, &labels)?,
        })
    }
}

/// Rows of the training or the test part, drawn at random. They are kept as they stand in the file, since it is
/// the end of the file that tells which classes there are.
struct Part {
    /// Rows of the file.
    rows: Reservoir<usize>,
    /// All rows that were ever drawn, of which some may have been replaced since, and where in the file they stand.
    drawn: Table,
    places: Vec<usize>,
}

impl Part {
    fn new(first: &Table, count: usize, seed: u64) -> Self {
        Self { rows: Reservoir::new(count, seed), drawn: first.select(&[]), places: Vec::new() }
    }

    /// Offers some rows of a batch that begins at row `first_row` of the file.
    fn offer(&mut self, table: &Table, rows: &[usize], first_row: usize) -> Result<()> {
        rows.iter().for_each(|row| self.rows.offer(|| first_row + row));
        let mut new: Vec<usize> = self.rows.kept().filter_map(|row| row.checked_sub(first_row)).collect();
        if new.is_empty() {
            return Ok(());
        }
        new.sort_unstable();
        self.drawn.append(&table.select(&new))?;
        self.places.extend(new.iter().map(|row| first_row + row));
        Ok(())
    }

    /// The drawn rows, and where in the file they stand.
    fn rows(self) -> (Table, Vec<usize>) {
        let places: Vec<usize> = self.rows.into_kept().into_iter().map(|(_, row)| row).collect();
        let kept: Vec<usize> = places.iter().filter_map(|row| self.places.binary_search(row).ok()).collect();
        (self.drawn.select(&kept), places)
    }

    fn samples(self, inputs: &Inputs, labels: &[String]) -> Result<Dataset> {
        let targets: Vec<String> = inputs.targets().iter().map(|target| target.name.clone()).collect();
        let (drawn, places) = self.rows();
        Dataset::for_answers(&drawn, inputs.clone(), &targets, labels)?.with_places(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::batch::Quiet;
    use crate::batch::forward::Ols;
    use crate::data::{Answers, Batches, Standardisation, read_table};
    use std::fmt::Write;

    fn in_file<T>(name: &str, text: &str, work: impl FnOnce(&Path) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        work(&path)
    }

    fn for_y() -> InputOptions {
        InputOptions { targets: vec!["y".into()], ..Default::default() }
    }

    fn survey(path: &Path, batch: usize, options: &SurveyOptions) -> Result<Survey> {
        let reading = ReadOptions { batch, ..ReadOptions::default() };
        Survey::of(path, &reading, options, &mut |_, _| Ok(()))
    }

    #[test]
    fn a_level_of_the_last_row_is_known() {
        let mut text = String::from("x,colour,y\n");
        for i in 0..70_000 {
            let colour = if i == 69_999 { "violet" } else { ["red", "blue"][i % 2] };
            writeln!(text, "{},{colour},{}", i % 97, (i % 97) * (i % 97)).unwrap();
        }
        in_file("late.csv", &text, |path| {
            let options = SurveyOptions { inputs: for_y(), drawn: 500, ..Default::default() };
            let found = survey(path, 65_536, &options).unwrap();
            assert_eq!(found.train.feature_names(), ["x", "colour=blue", "colour=red", "colour=violet"]);
            assert_eq!((found.training_rows, found.train.len(), found.test.len()), (70_000, 500, 0));
            assert_eq!(found.batches.rows(), Some(70_000));
            let batches =
                found.batches.with_standardisation(found.moments.standardisation().unwrap()).unwrap();
            let ols = Ols::new(Kernel::gaussian(1.0)).passes(1).candidates(20).max_terms(3);
            assert_eq!(ols.fit_batches(&batches, &Quiet).unwrap().model.size(), 3);
        });
    }

    #[test]
    fn what_is_found_is_what_the_whole_table_shows() {
        let mut text = String::from("x,kind,y\n");
        for i in 0..200 {
            writeln!(text, "{},{},{}", (f64::from(i) * 0.7).sin(), ["u", "v", "w"][i as usize % 3], i % 2)
                .unwrap();
        }
        in_file("data.csv", &text, |path| {
            let table = read_table(path, &ReadOptions::default()).unwrap();
            let inputs = Inputs::fit(&table, &for_y()).unwrap();
            let (all, reason) = Dataset::from_table(&table, inputs, TaskChoice::Auto, None).unwrap();
            let options =
                SurveyOptions { inputs: for_y(), test_fraction: 0.3, seed: 5, ..Default::default() };
            let found = survey(path, 7, &options).unwrap();
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..200).partition(|row| Split::holds_out(*row, 0.3, 5));
            assert_eq!((found.train, found.test), (all.select(&train), all.select(&test)));
            assert_eq!((found.training_rows, found.test_rows), (train.len(), test.len()));
            assert_eq!(found.reason, reason);
            let standardisation = Standardisation::fit(all.select(&train).x()).unwrap();
            let merged = found.moments.standardisation().unwrap();
            for (a, b) in merged.scale().iter().zip(standardisation.scale()) {
                assert!((a - b).abs() < 1e-13);
            }
            let mut rows = 0;
            let count = &mut |x: crate::Points<'_>, y: crate::Rows<'_>| {
                rows += x.rows();
                assert_eq!((x.cols(), y.cols()), (4, 1));
                Ok(())
            };
            found.batches.read(count).unwrap();
            assert_eq!(rows, train.len());
        });
    }

    #[test]
    fn two_values_may_come_late_and_a_third_later() {
        let rows = |values: &[i32]| {
            values.iter().enumerate().fold("x,y\n".to_owned(), |text, (i, v)| text + &format!("{i},{v}\n"))
        };
        let answers = |text: &str| {
            in_file("d.csv", text, |path| {
                let options = SurveyOptions { inputs: for_y(), ..Default::default() };
                survey(path, 2, &options).unwrap().train.answers().clone()
            })
        };
        assert!(
            matches!(answers(&rows(&[4, 4, 7, 4])), Answers::Classes { labels, .. } if labels == ["4", "7"])
        );
        assert!(matches!(answers(&rows(&[4, 7, 7, 9])), Answers::Values { .. }));
    }

    #[test]
    fn sparse_columns_may_come_late() {
        let mut text = String::new();
        for i in 0..60 {
            writeln!(text, "{} {}:1 {}:0.5", i % 5, 1 + i, 100 + 3 * i).unwrap();
        }
        in_file("d.svm", &text, |path| {
            let options = SurveyOptions { inputs: for_y(), ..Default::default() };
            let found = survey(path, 8, &options).unwrap();
            let table = read_table(path, &ReadOptions::default()).unwrap();
            let all =
                Dataset::from_table(&table, Inputs::fit(&table, &for_y()).unwrap(), TaskChoice::Auto, None);
            assert_eq!(found.train, all.unwrap().0);
            assert!(found.train.x().dense().is_none() && found.train.x().cols() == 120);
            let standardisation = Standardisation::fit(found.train.x()).unwrap();
            let merged = found.moments.standardisation().unwrap();
            assert_eq!(merged.mean(), standardisation.mean());
            let stays_sparse = &mut |x: crate::Points<'_>, _: crate::Rows<'_>| {
                assert!(x.dense().is_none() && x.cols() == 120);
                Ok(())
            };
            found.batches.read(stays_sparse).unwrap();
            let (mut rows, batches) = (Vec::new(), found.batches.with_standardisation(merged).unwrap());
            let mut keep = |x: crate::Points<'_>, _: crate::Rows<'_>| {
                // Sparse rows stay so, unless they are brought to mean 0.
                rows.extend(x.to_matrix().into_data());
                Ok(())
            };
            batches.read(&mut keep).unwrap();
            let mut expected = found.train.clone();
            expected.standardise(&standardisation).unwrap();
            let expected = expected.x().to_matrix();
            assert!(rows.iter().zip(expected.data()).all(|(a, b)| (a - b).abs() < 1e-12));
            assert_eq!(rows.len(), expected.data().len());
        });
    }

    #[test]
    fn without_a_target_all_columns_are_features() {
        in_file("d.csv", "x,y\n1,2\n3,4\n", |path| {
            let found = survey(path, 1, &SurveyOptions::default()).unwrap();
            assert_eq!((found.training_rows, found.train.x().cols()), (2, 2));
            assert_eq!(found.train.answers(), &Answers::None);
            let mut shapes = Vec::new();
            let mut look = |x: crate::matrix::Points<'_>, y: crate::Rows<'_>| {
                shapes.push((x.rows(), x.cols(), y.rows(), y.cols()));
                Ok(())
            };
            found.batches.read(&mut look).unwrap();
            assert_eq!(shapes, [(1, 2, 1, 0), (1, 2, 1, 0)]);
        });
    }

    #[test]
    fn missing_values_are_met_as_in_a_table_that_is_held() {
        let mut text = String::from("x,kind,y\n");
        for i in 0..300 {
            let x = if i % 7 == 0 { String::new() } else { format!("{}", (f64::from(i) * 0.7).sin()) };
            let y = if i % 50 == 3 { String::new() } else { (i % 11).to_string() };
            writeln!(text, "{x},{},{y}", ["u", "v", ""][i as usize % 3]).unwrap();
        }
        in_file("holes.csv", &text, |path| {
            let table = read_table(path, &ReadOptions::default()).unwrap();
            let plain = Inputs::fit(&table, &for_y()).unwrap();
            for missing in [Missing::Drop, Missing::Median, Missing::Flag] {
                let kept = missing.kept(&table, &plain, None).unwrap();
                let (test, train): (Vec<usize>, Vec<usize>) =
                    (0..kept.len()).partition(|k| Split::holds_out(kept[*k], 0.25, 3));
                let rows = table.select(&kept);
                let inputs = plain.clone().with_substitutes(&rows, &train, missing).unwrap();
                let all = Dataset::from_table(&rows, inputs, TaskChoice::Regression, None).unwrap().0;
                let all = all.with_places(kept.clone()).unwrap();
                let options = SurveyOptions {
                    inputs: for_y(),
                    task: TaskChoice::Regression,
                    test_fraction: 0.25,
                    seed: 3,
                    missing,
                    ..Default::default()
                };
                let found = survey(path, 32, &options).unwrap();
                assert_eq!((found.train, found.test), (all.select(&train), all.select(&test)), "{missing:?}");
                assert_eq!(found.left_out, 300 - kept.len());
                let mut read = 0;
                found
                    .batches
                    .read(&mut |x, _| {
                        read += x.rows();
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(read, train.len());
            }
            let refused = SurveyOptions { inputs: for_y(), ..Default::default() };
            assert!(survey(path, 32, &refused).is_err());
        });
    }

    #[test]
    fn what_cannot_be_read_in_batches_is_refused() {
        in_file("d.csv", "x,y\n1,2\n3,4\n", |path| {
            let fails = |options: SurveyOptions| survey(path, 1, &options).is_err();
            let embedding = Some(crate::data::Embedding::new(1));
            assert!(fails(SurveyOptions {
                inputs: InputOptions { embedding, ..for_y() },
                ..Default::default()
            }));
            assert!(fails(SurveyOptions { inputs: for_y(), test_fraction: 1.0, ..Default::default() }));
            let stopped = Survey::of(
                path,
                &ReadOptions::default(),
                &SurveyOptions { inputs: for_y(), ..Default::default() },
                &mut |_, _| Err(Error::Stopped),
            );
            assert!(matches!(stopped, Err(Error::Stopped)));
        });
    }
}
