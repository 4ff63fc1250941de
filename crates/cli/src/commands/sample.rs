//! `groat sample`: rows drawn from a density estimate.

use crate::args::SampleArgs;
use crate::output::page::feature_names;
use crate::output::summary::count;
use crate::output::tables::print_table;
use crate::session::{Session, check_output};
use crate::{exit, model};
use groat::batch::density::Density;
use groat::data::{Column, Table, write_table};
use groat::model::Task;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde_json::json;

/// Runs the command.
pub fn run(args: SampleArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(output) = &args.output {
        check_output(output, &[&args.model])?;
    }
    let model = model::load(&args.model)?;
    if *model.task() != Task::Density {
        return exit::usage(format!(
            "{} is no density estimate; `groat fit --task density` makes one",
            args.model.display()
        ));
    }
    let density = Density::from_model(&model)?;
    let rows = density.sample(args.rows as usize, &mut Pcg64::seed_from_u64(session.seed));
    let columns = (0..rows.cols()).map(|k| Column::Numeric(rows.column_to_vec(k))).collect();
    let table = Table::new(feature_names(&model), columns)?;
    let Some(output) = args.output else { return print_table(session, &table) };
    write_table(&output, &table)?;
    let answer = json!({ "rows": table.rows(), "seed": session.seed, "files": { "data": output } });
    session.answer(&answer, || {
        format!("{} drawn, written to {}\n", count(table.rows(), "row"), output.display())
    })
}
