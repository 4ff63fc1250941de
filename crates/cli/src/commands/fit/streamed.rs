//! A fit to data that are read batch by batch and never held: regression, and classification by its codes.
//!
//! Besides the readings of the selection itself there is one that looks the file over, and (unless told otherwise)
//! one that finds means and deviations. The width is chosen, and errors are measured, on rows drawn at random.

use super::Outcome;
use super::plan::Plan;
use crate::evaluation::Evaluation;
use crate::output::progress::Bar;
use crate::session::Session;
use groat::Matrix;
use groat::batch::Fitted;
use groat::batch::forward::FileBatches;
use groat::data::{Answers, Classes, Column, Dataset, Inputs, ReadOptions, Split, Table, TableReader};
use groat::model::Task;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::HashSet;
use std::time::Instant;

/// Rows of a batch: a reading has few of them, and one takes little memory.
const BATCH: usize = 65_536;

/// Rows of each part that are drawn to choose the width, to measure errors and to be shown.
const DRAWN: usize = 10_000;

pub fn fit(plan: Plan, session: &Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let bar = Bar::new(session, "reading");
    let options = ReadOptions { batch: BATCH, ..plan.reading.clone() };
    let survey = Survey::of(&plan, &options, session, &bar)?;
    let Survey { inputs, train, test, .. } = &survey;
    let mut batches = FileBatches::new(&plan.data, &options, inputs.clone())?;
    if let Answers::Classes { labels, .. } = &train.answers() {
        batches = batches.classes(labels.clone())?;
    }
    if plan.test_fraction() > 0.0 {
        batches = batches.without(plan.test_fraction(), session.seed);
    }
    if plan.standardise {
        batches = batches.standardised()?;
    }
    let mut fitted = learn(&plan, &bar, train, &batches)?;
    let mut notes = vec![
        "the data were read batch by batch and never held".to_owned(),
        format!("errors are those of {} training and {} test rows, drawn at random", train.len(), test.len()),
    ];
    notes.append(&mut fitted.notes);
    let record = fitted.model.record().clone().with("seed", session.seed).with("source", &survey.source);
    let task = match train.answers() {
        Answers::Classes { labels, .. } => Task::classification(labels.clone()),
        Answers::Values { names, .. } => Task::Regression { targets: names.clone() },
        _ => Task::Density,
    };
    let error_bars =
        fitted.model.error_bars().cloned().filter(|_| matches!(train.answers(), Answers::Values { .. }));
    fitted.model = fitted
        .model
        .with_error_bars(error_bars)?
        .with_task(task)?
        .with_standardisation(batches.standardisation().cloned())?
        .with_inputs(inputs.clone())?
        .with_record(record);
    let test = (test.len() > 0).then(|| test.select(&(0..test.len()).collect::<Vec<_>>()));
    let train_answers = Evaluation::of(&fitted.model, train)?;
    fitted.notes = notes;
    let test_answers = test.as_ref().map(|test| Evaluation::of(&fitted.model, test)).transpose()?;
    Ok(Outcome {
        source: survey.source,
        rows: survey.counts[0] + survey.counts[1],
        training_rows: survey.counts[0],
        test_rows: survey.counts[1],
        task_reason: survey.reason,
        split: format!("{}% at random, seed {}", 100.0 * plan.test_fraction(), session.seed),
        train: survey.train,
        test,
        train_answers,
        test_answers,
        fitted,
        parzen_test: None,
        seconds: started.elapsed().as_secs_f64(),
        plan,
    })
}

/// Chooses the kernel on the drawn rows and fits it to all.
fn learn(plan: &Plan, bar: &Bar<'_>, drawn: &Dataset, batches: &FileBatches) -> anyhow::Result<Fitted> {
    let mut scaled = drawn.clone();
    if let Some(standardisation) = batches.standardisation() {
        scaled.standardise(standardisation)?;
    }
    Ok(plan.method_for(drawn)?.fit_batches(batches, &scaled.problem()?, bar)?)
}

/// What the file holds.
struct Survey {
    source: String,
    inputs: Inputs,
    reason: Option<String>,
    /// Rows for training and for test.
    counts: [usize; 2],
    /// Some rows of each part.
    train: Dataset,
    test: Dataset,
}

impl Survey {
    /// Reads the file once.
    fn of(plan: &Plan, options: &ReadOptions, session: &Session, bar: &Bar<'_>) -> anyhow::Result<Self> {
        let mut reader = TableReader::open(&plan.data, options)?.peekable();
        let Some(Ok(first)) = reader.peek() else {
            return match reader.next() {
                Some(Err(error)) => Err(error.into()),
                _ => anyhow::bail!("{} has no rows", plan.data.display()),
            };
        };
        let targets = plan.targets(first)?;
        anyhow::ensure!(!targets.is_empty(), "a density is not read in batches");
        let inputs = Inputs::fit(first, &plan.input_options(&targets))?;
        let (look, reason) = Dataset::from_table(first, inputs.clone(), plan.task.into(), None)?;
        let classes = matches!(look.answers(), Answers::Classes { .. });
        let source = first.source().to_owned();
        let mut parts = [Reservoir::new(session.seed), Reservoir::new(session.seed ^ 1)];
        let mut seen = HashSet::new();
        let mut rows = 0;
        for table in reader {
            let table = table?;
            session.check_stop()?;
            let x = inputs.apply(&table)?;
            let column = table.column(table.find(&targets[0])?);
            let values = if classes { Matrix::zeros(0, 0) } else { table.matrix(&targets)? };
            for row in 0..table.rows() {
                let answer = if classes {
                    Given::Label(column.label(row).unwrap_or_default().into_owned())
                } else {
                    Given::Numbers(values.row(row).to_vec())
                };
                if let Given::Label(label) = &answer
                    && !seen.contains(label)
                {
                    seen.insert(label.clone());
                }
                let test = Split::holds_out(rows + row, plan.test_fraction(), session.seed);
                parts[usize::from(test)].offer(x.row(row), answer);
            }
            rows += table.rows();
            bar.show("looking the data over, rows:".into(), rows as u64, None);
        }
        let labels = labels(seen)?;
        let counts = [parts[0].offered, parts[1].offered];
        let [train, test] = parts.map(|part| part.samples(&inputs, &targets, &labels));
        Ok(Survey { source, inputs, reason, counts, train: train?, test: test? })
    }
}

/// The labels in their usual order; empty when the answers are numbers.
fn labels(seen: HashSet<String>) -> groat::Result<Vec<String>> {
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    Ok(Classes::of(&Table::new(["class"], vec![Column::text(seen)])?, "class")?.labels)
}

/// The answer of one row.
enum Given {
    /// One for each target.
    Numbers(Vec<f64>),
    Label(String),
}

/// A uniform sample of what it is offered.
struct Reservoir {
    rng: Pcg64,
    offered: usize,
    kept: Vec<(Vec<f64>, Given)>,
}

impl Reservoir {
    fn new(seed: u64) -> Self {
        Self { rng: Pcg64::seed_from_u64(seed), offered: 0, kept: Vec::new() }
    }

    fn offer(&mut self, x: &[f64], answer: Given) {
        self.offered += 1;
        if self.kept.len() < DRAWN {
            return self.kept.push((x.to_vec(), answer));
        }
        let at = self.rng.random_range(0..self.offered);
        if let Some(place) = self.kept.get_mut(at) {
            *place = (x.to_vec(), answer);
        }
    }

    /// What was kept; answers are classes if there are labels.
    fn samples(self, inputs: &Inputs, targets: &[String], labels: &[String]) -> groat::Result<Dataset> {
        let (mut x, mut values, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        for (row, answer) in &self.kept {
            x.extend(row);
            match answer {
                Given::Numbers(numbers) => values.extend(numbers),
                Given::Label(label) => codes.extend(labels.iter().position(|l| l == label)),
            }
        }
        let x = Matrix::from_vec(x, self.kept.len(), inputs.features())?;
        let truth = if labels.is_empty() {
            let y = Matrix::from_vec(values, self.kept.len(), targets.len())?;
            Answers::Values { names: targets.to_vec(), y }
        } else {
            Answers::Classes { codes, labels: labels.to_vec() }
        };
        Dataset::new(x, truth)?.with_inputs(inputs.clone())
    }
}
