//! `groat sample`: rows drawn from a density estimate.

use crate::args::SampleArgs;
use crate::files::Files;
use crate::output::page::feature_names;
use crate::output::progress::Bar;
use crate::output::summary::count;
use crate::output::tables::{print_table, write_block};
use crate::session::{Session, stdout_error};
use crate::{exit, model};
use groat::batch::density::Density;
use groat::data::{Column, Format, Table, write_table};
use groat::gram::Memory;
use groat::model::Task;
use groat::persist::write_atomically;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde_json::json;
use std::io::{self, BufWriter, Write};

/// Rows that are drawn before they are written.
const BLOCK: u64 = 8192;
/// Memory for a number of a table that is held: as a number, as text, in a file.
const HELD: u64 = 32;

/// Runs the command.
pub fn run(args: SampleArgs, session: &Session) -> anyhow::Result<()> {
    Files::default().reads(&args.model).writes_table("--output", args.output.as_ref()).check()?;
    let model = model::load(&args.model)?;
    if *model.task() != Task::Density {
        return exit::usage(format!(
            "{} is no density estimate; `groat fit --task density` makes one",
            args.model.display()
        ));
    }
    let draws = Draws {
        density: Density::from_model(&model)?,
        names: feature_names(&model),
        rng: Pcg64::seed_from_u64(session.seed),
        left: u64::from(args.rows),
        session,
    };
    let Some(output) = args.output else {
        return match session.json {
            true => print_table(session, &draws.whole("--json")?),
            false => draws.write(&mut BufWriter::new(io::stdout().lock()), b',').map_err(stdout_error),
        };
    };
    if Format::from_path(&output) == Some(Format::Parquet) {
        write_table(&output, &draws.whole("Parquet")?)?;
    } else {
        let delimiter = if output.extension().is_some_and(|ending| ending == "tsv") { b'\t' } else { b',' };
        write_atomically(&output, |out| draws.write(out, delimiter)).or_else(|error| {
            session.check_stop()?;
            Err(anyhow::Error::from(error))
        })?;
    }
    let answer = json!({ "rows": args.rows, "seed": session.seed, "files": { "data": output } });
    session.answer(&answer, || {
        format!("{} drawn, written to {}\n", count(args.rows as usize, "row"), output.display())
    })
}

/// Rows that are drawn in blocks, the same ones whatever the blocks.
struct Draws<'a> {
    density: Density,
    names: Vec<String>,
    rng: Pcg64,
    left: u64,
    session: &'a Session,
}

impl Draws<'_> {
    /// The next rows.
    fn draw(&mut self, most: u64) -> groat::Result<Table> {
        let count = self.left.min(most);
        self.left -= count;
        let rows = self.density.sample(count as usize, &mut self.rng);
        let columns = (0..rows.cols()).map(|k| Column::Numeric(rows.column_to_vec(k))).collect();
        Table::new(self.names.clone(), columns)
    }

    /// All rows at once, where they fit.
    fn whole(mut self, form: &str) -> anyhow::Result<Table> {
        let needed = HELD.saturating_mul(self.left).saturating_mul(self.names.len() as u64);
        if needed > Memory::default().limit() {
            return exit::usage(format!(
                "-n {}: as {form} so many rows would have to be held in memory; CSV is written as they are drawn",
                self.left
            ));
        }
        Ok(self.draw(u64::MAX)?)
    }

    /// Writes all rows as they are drawn.
    fn write(mut self, out: &mut dyn Write, delimiter: u8) -> io::Result<()> {
        let total = self.left;
        let bar = Bar::new(self.session, "drawing");
        while self.left > 0 {
            let is_first = self.left == total;
            let block = self.draw(BLOCK).map_err(io::Error::other)?;
            write_block(out, &block, delimiter, is_first)?;
            bar.show("rows drawn:".into(), total - self.left, Some(total));
            if self.session.stop_requested() {
                return Err(io::Error::other(groat::Error::Stopped));
            }
        }
        out.flush()
    }
}
