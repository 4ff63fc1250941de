//! `--compare`: other methods beside the one that was fitted.

use super::plan::Plan;
use crate::output::summary::aligned;
use groat::batch::{Compared, Preparation, Watch, compare, usual_methods};
use groat::data::{Answers, Dataset};
use groat_report::{Axis, Chart, Scatter, Section, Table, number};

/// Rows that a comparison looks at.
const ROWS: usize = 4000;

/// Rows up to which a report has one without being asked.
const UNASKED: usize = 1500;

/// The comparison that was asked for, or that a report has by itself; nothing for a density.
pub fn comparison(plan: &Plan, train: &Dataset, watch: &dyn Watch) -> groat::Result<Option<Vec<Compared>>> {
    let unasked = plan.report.is_some() && train.len() <= UNASKED && plan.compare.is_none();
    let Some(task) = task(train).filter(|_| unasked || plan.compare.is_some()) else { return Ok(None) };
    let named: Vec<&str> = plan.compare.iter().flatten().map(String::as_str).collect();
    let names = if named.is_empty() { usual_methods(task).to_vec() } else { named };
    let preparation = Preparation::new().standardise(plan.standardise).seed(plan.seed);
    compare(train, &names, &plan.kernel, ROWS, preparation, watch).map(Some)
}

fn task(train: &Dataset) -> Option<groat::batch::TaskKind> {
    match train.answers() {
        Answers::Values { .. } => Some(groat::batch::TaskKind::Regression),
        Answers::Classes { .. } => Some(groat::batch::TaskKind::Classification),
        _ => None,
    }
}

/// The cells of a row: error, size and times.
fn cells(compared: &Compared) -> Vec<String> {
    if let Some(why) = &compared.failed {
        return vec![compared.method.clone(), format!("failed: {why}")];
    }
    let whole = |value: f64| format!("{value:.0}");
    let numbers = [
        number(compared.error),
        number(compared.standard_error),
        whole(compared.vectors),
        whole(compared.bytes),
        number(compared.fit_seconds),
        number(1e3 * compared.predict_seconds),
    ];
    [compared.method.clone()].into_iter().chain(numbers).collect()
}

const HEAD: [&str; 7] = ["method", "error", "± s.e.", "vectors", "bytes", "fit, s", "predict 1000, ms"];

/// The table for a person.
pub fn text(compared: &[Compared]) -> String {
    let mut lines = vec![HEAD.map(str::to_owned).to_vec()];
    lines.extend(compared.iter().map(cells));
    format!("\nmethods with their defaults on the same three parts, each left out once:\n{}", aligned(&lines))
}

/// The table and the picture of a page.
pub fn section(compared: &[Compared]) -> Section {
    let table = compared.iter().map(cells).fold(Table::new("Methods on the same parts", HEAD), Table::row);
    let shown = compared.iter().filter(|c| c.failed.is_none());
    let mut chart = Chart::new("Error against vectors")
        .describe("Each mark is a method with its defaults; lower and further left is better")
        .x(Axis::new("vectors").log())
        .y(Axis::new("error on left-out parts"));
    for compared in shown {
        chart = chart
            .layer(Scatter::new(compared.method.clone(), vec![(compared.vectors.max(1.0), compared.error)]));
    }
    Section::new("Other methods").table(table).chart(chart)
}
