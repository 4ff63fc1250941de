//! How much the model needs each column.

use super::Part;
use groat::Model;
use groat::data::Answers;
use groat::metrics::Importance;
use groat_report::{Axis, Bars, Chart, Section, number};

/// Times that each column is shuffled.
pub const REPEATS: usize = 5;

/// Differences between a number and one of a vector that a picture may cost: about a second.
const COST: usize = 1_000_000_000;
/// Fewer rows than this say little.
const FEWEST: usize = 50;
/// Most columns that are drawn.
const DRAWN: usize = 30;
/// Most letters of a name that is drawn.
const LETTERS: usize = 20;

/// The importance of each column for the last part (the test part, where there is one), measured on as many rows as do
/// not take long; nothing without answers, for sparse rows, or where hardly any row could be afforded.
pub fn measured(model: &Model, parts: &[Part<'_>], seed: u64) -> groat::Result<Option<Importance>> {
    let Some(part) = parts.last() else { return Ok(None) };
    let dense = part.samples.x().dense().is_some();
    if !dense || matches!(part.samples.answers(), Answers::None) {
        return Ok(None);
    }
    let columns = model.inputs().map_or(model.features(), |inputs| inputs.columns().len());
    let each = model.size().max(1).saturating_mul(model.features()).saturating_mul(columns * REPEATS);
    let rows = (COST / each.max(1)).min(part.samples.len());
    if rows < FEWEST.min(part.samples.len()) || columns < 2 {
        return Ok(None);
    }
    // Spread over all of them, should they have an order.
    let some: Vec<usize> = (0..rows).map(|k| k * part.samples.len() / rows).collect();
    Importance::of(model, &part.samples.select(&some), REPEATS, seed).map(Some)
}

/// The section with a bar for each column.
pub fn importance(model: &Model, found: &Importance) -> Section {
    let what = if model.classes().is_empty() { "root mean square error" } else { "error rate" };
    let shown = &found.columns[..found.columns.len().min(DRAWN)];
    let name = |name: &String| match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.clone(),
    };
    let rises: Vec<f64> = shown.iter().map(|column| column.rise).collect();
    let chart = Chart::new("Importance of the columns")
        .describe("How much the error rises when the values of a column are shuffled")
        .x(Axis::new(format!("rise of the {what}")))
        .y(Axis::new("").categories(shown.iter().map(|column| name(&column.column))).upside_down())
        .layer(Bars::categories("rise", &rises).lying())
        .height(110.0 + 19.0 * shown.len() as f64);
    let section = Section::new("Importance").text(format!(
        "What the {what}, {} on {} rows, rises by when the values of one column are shuffled (mean of {REPEATS} times). Of \
         columns that say the same, one may stand in for another.",
        number(found.error),
        found.rows
    ));
    let more = found.columns.len() - shown.len();
    let section = if more > 0 { section.text(format!("{more} more columns rise less.")) } else { section };
    section.chart(chart)
}
