//! A fit to data that are read batch by batch and never held: regression, and classification by its codes.
//!
//! Besides the readings of the selection itself there is one that looks the file over, and (unless told otherwise)
//! one that finds means and deviations. The width is chosen, and errors are measured, on rows drawn at random.

use super::Outcome;
use super::plan::Plan;
use crate::dataset::{Answers, Samples, Truth, takes_classes};
use crate::methods;
use crate::output::progress::Bar;
use crate::session::Session;
use groat::Matrix;
use groat::batch::forward::FileBatches;
use groat::batch::{Fitted, Problem, Trial};
use groat::data::{Classes, Column, Inputs, ReadOptions, Split, Table, TableReader};
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
    if let Truth::Classes { labels, .. } = &train.truth {
        batches = batches.classes(labels.clone())?;
    }
    if plan.test_fraction() > 0.0 {
        batches = batches.without(plan.test_fraction(), session.seed);
    }
    if plan.standardise {
        batches = batches.standardised()?;
    }
    let (mut fitted, trials) = learn(&plan, session, &bar, train, &batches)?;
    fitted.trials = trials;
    let mut notes = vec![
        "the data were read batch by batch and never held".to_owned(),
        format!("errors are those of {} training and {} test rows, drawn at random", train.len(), test.len()),
    ];
    notes.extend(super::uneven_targets(train));
    notes.append(&mut fitted.notes);
    let record = fitted.model.record().clone().with("seed", session.seed).with("source", &survey.source);
    let kernel = fitted.model.kernel().clone();
    let regression = matches!(train.truth, Truth::Values { .. });
    fitted.model = fitted
        .model
        .with_task(super::task(&train.truth))?
        .with_standardisation(batches.standardisation().cloned())?
        .with_error_bars(fitted.error_bars.clone().filter(|_| regression))?
        .with_inputs(inputs.clone())?
        .with_record(record);
    let test = (test.len() > 0).then(|| test.select(&(0..test.len()).collect::<Vec<_>>()));
    let train_answers = Answers::of(&fitted.model, train)?;
    let test_answers = test.as_ref().map(|test| Answers::of(&fitted.model, test)).transpose()?;
    Ok(Outcome {
        source: survey.source,
        rows: survey.counts[0] + survey.counts[1],
        training_rows: survey.counts[0],
        test_rows: survey.counts[1],
        targets: survey.targets,
        task_reason: survey.reason,
        split: format!("{}% at random, seed {}", 100.0 * plan.test_fraction(), session.seed),
        places: Vec::new(),
        train: survey.train,
        test,
        train_answers,
        test_answers,
        fitted,
        kernel,
        reference: None,
        notes,
        seconds: started.elapsed().as_secs_f64(),
        plan,
    })
}

/// Chooses the kernel on the drawn rows and fits it to all.
fn learn(
    plan: &Plan,
    session: &Session,
    bar: &Bar<'_>,
    drawn: &Samples,
    batches: &FileBatches,
) -> anyhow::Result<(Fitted, Vec<Trial>)> {
    let ols = methods::ols::ols(&plan.settings(drawn, session.seed))?;
    let mut x = drawn.x.clone();
    if let Some(standardisation) = batches.standardisation() {
        standardisation.apply(&mut x)?;
    }
    let problem = match &drawn.truth {
        Truth::Classes { codes, labels } => Problem::classification(x.view(), codes, labels.len())?,
        Truth::Values { y, .. } => Problem::multi_output(x.view(), y.view())?,
        Truth::Nothing => Problem::density(x.view())?,
    };
    let (kernel, trials) = ols.choose_kernel(&problem, bar)?;
    session.check_stop()?;
    Ok((ols.with_kernel(kernel).fit_batches(batches, bar)?, trials))
}

/// What the file holds.
struct Survey {
    source: String,
    inputs: Inputs,
    targets: Vec<String>,
    reason: Option<String>,
    /// Rows for training and for test.
    counts: [usize; 2],
    /// Some rows of each part.
    train: Samples,
    test: Samples,
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
        let (classes, reason) = takes_classes(first, &inputs, &targets, plan.task)?;
        let source = first.source().to_owned();
        let mut parts = [Reservoir::new(session.seed), Reservoir::new(session.seed ^ 1)];
        let mut seen = HashSet::new();
        let mut rows = 0;
        for table in reader {
            let table = table?;
            session.check_stop()?;
            let x = inputs.matrix(&table)?;
            let column = table.column(table.find(&targets[0])?);
            let values = if classes { Matrix::zeros(0, 0) } else { table.matrix(&targets)? };
            for row in 0..table.rows() {
                let answer = if classes {
                    Answer::Label(column.label(row).unwrap_or_default().into_owned())
                } else {
                    Answer::Numbers(values.row(row).to_vec())
                };
                if let Answer::Label(label) = &answer
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
        let [train, test] = parts.map(|part| part.samples(inputs.features(), &targets, &labels));
        Ok(Survey { source, inputs, targets, reason, counts, train: train?, test: test? })
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
enum Answer {
    /// One for each target.
    Numbers(Vec<f64>),
    Label(String),
}

/// A uniform sample of what it is offered.
struct Reservoir {
    rng: Pcg64,
    offered: usize,
    kept: Vec<(Vec<f64>, Answer)>,
}

impl Reservoir {
    fn new(seed: u64) -> Self {
        Self { rng: Pcg64::seed_from_u64(seed), offered: 0, kept: Vec::new() }
    }

    fn offer(&mut self, x: &[f64], answer: Answer) {
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
    fn samples(self, features: usize, targets: &[String], labels: &[String]) -> groat::Result<Samples> {
        let (mut x, mut values, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        for (row, answer) in &self.kept {
            x.extend(row);
            match answer {
                Answer::Numbers(numbers) => values.extend(numbers),
                Answer::Label(label) => codes.extend(labels.iter().position(|l| l == label)),
            }
        }
        let x = Matrix::from_vec(x, self.kept.len(), features)?;
        let truth = if labels.is_empty() {
            let y = Matrix::from_vec(values, self.kept.len(), targets.len())?;
            Truth::Values { targets: targets.to_vec(), y }
        } else {
            Truth::Classes { codes, labels: labels.to_vec() }
        };
        Ok(Samples { x, truth })
    }
}
