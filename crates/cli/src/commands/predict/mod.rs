//! `groat predict`: a model's answers, batch by batch.

mod columns;

pub use columns::{columns, numbers};

use crate::args::PredictArgs;
use crate::evaluation::density_rows;
use crate::files::Files;
use crate::input::open_tables;
use crate::output::progress::Bar;
use crate::output::summary::count;
use crate::output::tables::{print_table, write_block};
use crate::session::{Session, stdout_error};
use crate::{exit, model};
use anyhow::Context;
use groat::batch::density::Density;
use groat::data::{Column, Format, Inputs, Table, TableReader, write_table};
use groat::model::Task;
use groat::{Matrix, Model, Points};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: PredictArgs, session: &Session) -> anyhow::Result<()> {
    let files = Files::default().reads(&args.model).reads(&args.data.data);
    files.writes_table("--output", args.output.as_ref()).check()?;
    let model = model::load(&args.model)?;
    if args.scores && model.classes().is_empty() {
        return exit::usage(
            "--scores: the model gives no classes, so there are no decision values beside its answers",
        );
    }
    if let Some(coverage) = args.interval {
        interval_is_possible(&model, coverage)?;
    }
    // Answers that scroll by are progress enough.
    let bar = Bar::shown_if(args.output.is_some() || !io::stdout().is_terminal(), session, "predicting");
    let reader = open_tables(&args.data.data, &args.data.reading.options(), session)?;
    let density = (*model.task() == Task::Density).then(|| Density::from_model(&model)).transpose()?;
    let mut answers = Predictions {
        model,
        density,
        inputs: None,
        unused: BTreeSet::new(),
        args: &args,
        session,
        bar,
        rows: 0,
    };
    match &args.output {
        Some(path) if Format::from_path(path) == Some(Format::Parquet) => {
            let whole = answers.whole(reader)?;
            session.check_stop()?;
            write_table(path, &whole)?;
        }
        Some(path) => to_file(path, &mut answers, reader)?,
        None if session.json => return print_table(session, &answers.whole(reader)?),
        None => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            answers.write(reader, &mut out, b',').map_err(Failure::at_stdout)?;
            return out.flush().map_err(stdout_error);
        }
    }
    let rows = answers.rows;
    drop(answers);
    let answer = json!({ "rows": rows, "files": { "predictions": args.output } });
    session.answer(&answer, || {
        let path = args.output.as_ref().map_or(String::new(), |path| path.display().to_string());
        format!("{} predicted, written to {path}\n", count(rows, "row"))
    })
}

/// Whether the model knows how far such an interval reaches.
fn interval_is_possible(model: &Model, coverage: f64) -> anyhow::Result<()> {
    match model.intervals().map(|intervals| intervals.half_widths(coverage)) {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => exit::usage(format!("--interval {coverage}: {error}")),
        None => exit::usage(
            "--interval: the model does not know how far off it is on other rows; regressions by `sparse` do",
        ),
    }
}

/// Writes the table as it comes; the file appears under its name only when it is complete.
fn to_file(path: &Path, answers: &mut Predictions<'_>, reader: TableReader) -> anyhow::Result<()> {
    let tab = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
    let mut failure = None;
    let written = groat::persist::write_atomically(path, |out| {
        answers.write(reader, out, if tab { b'\t' } else { b',' }).map_err(|error| match error {
            Failure::Writing(error) => error,
            // The caller shall see what went wrong, not that it happened while this file was being written.
            Failure::Working(error) => {
                failure = Some(error);
                io::Error::other("stopped")
            }
        })
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(written?),
    }
}

/// Why predictions stopped: the place they went to failed, or the work did.
enum Failure {
    Writing(io::Error),
    Working(anyhow::Error),
}

impl Failure {
    fn at_stdout(self) -> anyhow::Error {
        match self {
            Failure::Writing(error) => stdout_error(error),
            Failure::Working(error) => error,
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Working(error.into())
    }
}

/// Turns tables into answers.
struct Predictions<'a> {
    model: Model,
    /// What a density model stands for.
    density: Option<Density>,
    /// Settled by the first batch.
    inputs: Option<Inputs>,
    /// Columns that the model has no use for.
    unused: BTreeSet<String>,
    args: &'a PredictArgs,
    session: &'a Session,
    bar: Bar<'a>,
    rows: usize,
}

impl Predictions<'_> {
    /// Writes all answers as CSV.
    fn write(&mut self, reader: TableReader, out: &mut dyn Write, delimiter: u8) -> Result<(), Failure> {
        let mut first = true;
        self.each(reader, |answer| {
            write_block(out, answer, delimiter, std::mem::take(&mut first)).map_err(Failure::Writing)
        })
    }

    /// All answers in one table.
    fn whole(&mut self, reader: TableReader) -> anyhow::Result<Table> {
        let mut whole: Option<Table> = None;
        let gathered = self.each(reader, |answer| {
            match &mut whole {
                Some(whole) => whole.append(answer)?,
                None => whole = Some(answer.clone()),
            }
            Ok(())
        });
        gathered.map_err(Failure::at_stdout)?;
        whole.ok_or_else(|| {
            groat::Error::Source { source_name: "the data".into(), reason: "there are no rows".into() }.into()
        })
    }

    /// Hands out the answers batch by batch. An embedded series needs its past, and a repeated svmlight file all
    /// its columns: these are read whole.
    fn each(
        &mut self,
        reader: TableReader,
        mut take: impl FnMut(&Table) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let embedded = self.model.inputs().is_some_and(|inputs| inputs.embedding().is_some());
        if embedded || self.args.append {
            let table = self.session.unless_stopped(reader.read_all())?;
            take(&self.answer(&table)?)?;
            self.remark_unused();
            return Ok(());
        }
        for batch in reader {
            self.session.check_stop()?;
            take(&self.answer(&batch?)?)?;
        }
        self.remark_unused();
        Ok(())
    }

    fn answer(&mut self, table: &Table) -> anyhow::Result<Table> {
        let inputs = match self.inputs.take() {
            Some(inputs) => inputs,
            None => model::inputs(&self.model, table, &[])?,
        };
        // All columns are known by the first batch, unless only those that occur are there.
        if self.rows == 0 || table.is_open() {
            self.unused.extend(model::unused_columns(&inputs, table));
        }
        let x = inputs.apply(table)?;
        let values = match &self.density {
            Some(density) => Matrix::column(density.log_density(density_rows(x.view())?)?),
            None => self.model.values(x.view())?,
        };
        self.inputs = Some(inputs);
        self.rows += table.rows();
        self.bar.show("rows predicted:".into(), self.rows as u64, None);

        let lost = table.rows() - values.rows();
        let mut named = columns(&self.model, &values, lost, self.args.scores);
        if self.args.std {
            named.extend(self.deviations(x.view(), lost)?);
        }
        if let Some(coverage) = self.args.interval {
            let (lower, upper) = self.model.interval_of(values.view(), coverage)?;
            named.extend(numbers("lower", &self.model, &lower, lost));
            named.extend(numbers("upper", &self.model, &upper, lost));
        }
        let (mut names, mut columns): (Vec<String>, Vec<Column>) = named.into_iter().unzip();
        if self.args.append {
            // Values that were not read cannot be repeated.
            let known = table.names().iter().try_for_each(|name| table.find(name).map(drop));
            known.context("--append repeats every column")?;
            names.splice(0..0, table.names().iter().cloned());
            columns.splice(0..0, table.columns().iter().cloned());
        }
        Ok(Table::new(names, columns)?)
    }

    /// How far off each prediction may be.
    fn deviations(&self, x: Points<'_>, lost: usize) -> anyhow::Result<Vec<(String, Column)>> {
        if self.model.error_bars().is_none() {
            return exit::usage(
                "--std: the model has no error bars; regressions that select their vectors have them, and those on features \
                 that were fitted with --error-bars",
            );
        }
        let deviations = self.model.standard_deviation(x)?;
        Ok(numbers("std", &self.model, &deviations, lost))
    }

    /// Says which columns the model has no use for.
    fn remark_unused(&self) {
        if !self.unused.is_empty() && !self.args.append {
            let unused: Vec<String> = self.unused.iter().cloned().collect();
            self.session.remark(&model::unused_remark(&self.args.data.data.display().to_string(), &unused));
        }
    }
}
