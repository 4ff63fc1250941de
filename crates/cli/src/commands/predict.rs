//! `groat predict`: a model's answers, batch by batch.

use crate::args::PredictArgs;
use crate::model;
use crate::output::progress::Bar;
use crate::output::summary::count;
use crate::session::{Session, check_output, print, stdout_error};
use groat::Expansion;
use groat::data::{Column, Format, Inputs, Table, TableReader, write_csv, write_table};
use groat::expansion::winner;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: PredictArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(output) = &args.output {
        check_output(output, &[&args.model, &args.data.data])?;
    }
    let model = model::load(&args.model)?;
    let reader = TableReader::open(&args.data.data, &args.data.reading.options())?;
    let mut answers = Predictions {
        model,
        inputs: None,
        args: &args,
        session,
        bar: Bar::new(session, "predicting"),
        rows: 0,
    };
    match &args.output {
        Some(path) if Format::from_path(path) == Some(Format::Parquet) => {
            let whole = answers.whole(reader)?;
            session.check_stop()?;
            write_table(path, &whole)?;
        }
        Some(path) => to_file(path, &mut answers, reader)?,
        None if session.json => return as_json(&answers.whole(reader)?),
        None => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            answers.write(reader, &mut out, b',').map_err(Failure::at_stdout)?;
            return out.flush().map_err(stdout_error);
        }
    }
    let rows = answers.rows;
    let answer = json!({ "rows": rows, "files": { "predictions": args.output } });
    session.answer(&answer, || {
        let path = args.output.as_ref().map_or(String::new(), |path| path.display().to_string());
        format!("{} predicted, written to {path}\n", count(rows, "row"))
    })
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

/// The whole answer as an object of columns.
fn as_json(table: &Table) -> anyhow::Result<()> {
    let column = |column: &Column| -> Vec<serde_json::Value> {
        let cell = |row: usize| match column.number(row) {
            Some(number) => json!(number),
            None => json!(column.label(row)),
        };
        (0..table.rows()).map(cell).collect()
    };
    let columns: serde_json::Map<_, _> =
        table.names().iter().zip(table.columns()).map(|(name, c)| (name.clone(), json!(column(c)))).collect();
    print(&format!("{:#}\n", json!({ "rows": table.rows(), "columns": columns })))
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
    model: Expansion,
    /// Settled by the first batch.
    inputs: Option<Inputs>,
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
            let mut text = Vec::new();
            write_csv(&mut text, answer, delimiter).map_err(Failure::Writing)?;
            let mut header = Vec::new();
            if !first {
                write_csv(&mut header, &answer.select(&[]), delimiter).map_err(Failure::Writing)?;
            }
            first = false;
            out.write_all(&text[header.len()..]).map_err(Failure::Writing)
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
            let table = reader.read_all()?;
            return take(&self.answer(&table)?);
        }
        for batch in reader {
            self.session.check_stop()?;
            take(&self.answer(&batch?)?)?;
        }
        Ok(())
    }

    fn answer(&mut self, table: &Table) -> anyhow::Result<Table> {
        if self.inputs.is_none() {
            let inputs = model::inputs(&self.model, table, None)?;
            let unused = model::unused_columns(&inputs, table, None);
            if !unused.is_empty() && !self.args.append {
                self.session.remark(&format!(
                    "{} has columns that the model does not use: {}",
                    table.source(),
                    unused.join(", ")
                ));
            }
            self.inputs = Some(inputs);
        }
        let Some(inputs) = &self.inputs else { anyhow::bail!("the model takes no inputs") };
        let values = self.model.values(inputs.apply(table)?.view())?;
        self.rows += table.rows();
        self.bar.show("rows predicted:".into(), self.rows as u64, None);

        let mut names: Vec<String> = Vec::new();
        let mut columns = Vec::new();
        if self.args.append {
            names.extend_from_slice(table.names());
            columns.extend_from_slice(table.columns());
        }
        // Rows that only fill the past of a series have no answer.
        let lost = table.rows() - values.rows();
        let numbers = |k: usize| {
            let column =
                std::iter::repeat_n(f64::NAN, lost).chain(values.view().iter().map(move |row| row[k]));
            Column::Numeric(column.collect())
        };
        let classes = self.model.classes();
        if classes.is_empty() {
            for k in 0..values.cols() {
                names.push(if values.cols() == 1 {
                    "prediction".into()
                } else {
                    format!("prediction[{}]", k + 1)
                });
                columns.push(numbers(k));
            }
        } else {
            names.push("prediction".into());
            let label = |row: &[f64]| classes.get(winner(row)).map_or("", String::as_str);
            let labels = std::iter::repeat_n("", lost).chain(values.view().iter().map(label));
            columns.push(Column::text(labels));
            if self.args.scores {
                // Two classes share one value, which speaks for the second.
                let skip = usize::from(values.cols() == 1);
                for (k, class) in classes.iter().skip(skip).enumerate() {
                    names.push(format!("score[{class}]"));
                    columns.push(numbers(k));
                }
            }
        }
        Ok(Table::new(names, columns)?)
    }
}
