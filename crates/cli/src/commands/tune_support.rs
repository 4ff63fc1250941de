//! `groat tune-support`: how far shall a compact kernel reach?

use crate::args::TuneSupportArgs;
use crate::files::Files;
use crate::output::page::{foot, spy, support_curves};
use crate::output::progress::Bar;
use crate::output::summary::Summary;
use crate::points::Points;
use crate::session::{Session, write_file};
use groat::gram::SparseGram;
use groat::settings::Bytes;
use groat::tune::{CurvePoint, SupportChoice, SupportTuning};
use groat_report::{Page, Section, Table, number};
use serde::Serialize;
use std::path::PathBuf;

/// Points of the curve in JSON and on the page; every fourth is printed.
const POINTS: usize = 81;
/// A matrix above this many bytes is not made for its picture.
const PICTURE_BYTES: u64 = 1 << 30;

/// The result. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    source: String,
    rows: usize,
    kernel: String,
    rule: String,
    support: f64,
    standard_error: Option<f64>,
    alignment: f64,
    sparsity: f64,
    nonzeros: f64,
    bytes: f64,
    exact: bool,
    /// With `--orders` or a page, where the matrix is small enough to be reordered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    orders: Vec<Order>,
    curve: Vec<Point>,
    notes: Vec<String>,
    report: Option<PathBuf>,
}

#[derive(Serialize)]
struct Point {
    support: f64,
    alignment: f64,
    sparsity: f64,
}

/// The matrix in one order.
#[derive(Serialize)]
struct Order {
    name: &'static str,
    /// `max b_i`, the distance of the farthest nonzero from the diagonal.
    reach: usize,
    /// `max b_i + 1`.
    half_bandwidth: usize,
    /// `2 max b_i + 1`.
    bandwidth: usize,
    /// Numbers in the Cholesky factor.
    fill: usize,
    #[serde(skip)]
    gram: SparseGram,
}

impl Order {
    fn new(name: &'static str, gram: SparseGram) -> groat::Result<Self> {
        let b = gram.bandwidth();
        let fill = gram.factor_fill()?;
        Ok(Self { name, reach: b.reach, half_bandwidth: b.half(), bandwidth: b.full(), fill, gram })
    }

    /// As given, narrow, and with little fill.
    fn all(gram: SparseGram) -> groat::Result<Vec<Self>> {
        let narrow = gram.reordered(&gram.reverse_cuthill_mckee())?;
        let sparse = gram.reordered(&gram.minimum_degree()?)?;
        let named = [("as given", gram), ("reverse Cuthill-McKee", narrow), ("minimum degree", sparse)];
        named.into_iter().map(|(name, gram)| Order::new(name, gram)).collect()
    }
}

/// Runs the command.
pub fn run(args: TuneSupportArgs, session: &Session) -> anyhow::Result<()> {
    Files::default().reads(&args.points.data.data).writes("--report", args.report.as_ref()).check()?;
    let bar = Bar::new(session, "reading");
    let points = Points::read(&args.points, session)?;
    session.check_stop()?;
    let prepared = points.prepared()?;
    let x = prepared.x().require_dense("dense rows for a compact support")?;
    let tuning = SupportTuning::for_kernel(&points.kernel, x, session.seed)?;
    let rule = args.memory.map_or(args.rule, |Bytes(bytes)| args.rule.within(bytes));
    let choice = tuning.choose(rule)?;
    let kernel = tuning.kernel_with(choice.support);
    let expected = SparseGram::expect(&kernel, x, session.seed)?;
    let curve = tuning.curve(POINTS);
    let mut notes = points.notes.clone();
    notes.extend(kernel.warning_for(x.cols()));
    session.check_stop()?;
    let mut orders = Vec::new();
    if args.orders || args.report.is_some() {
        match SparseGram::assemble(&kernel, x, PICTURE_BYTES) {
            Ok(gram) => orders = Order::all(gram)?,
            Err(error) => notes.push(format!("the matrix was not reordered: {error}")),
        }
    }
    session.check_stop()?;
    if let Some(path) = &args.report {
        write_file(path, page(&points, &curve, &choice, &orders).as_bytes())?;
    }
    drop(bar);
    let answer = Answer {
        source: points.data.source().to_owned(),
        rows: x.rows(),
        kernel: kernel.to_string(),
        rule: rule.to_string(),
        support: choice.support,
        standard_error: choice.error,
        alignment: choice.alignment,
        sparsity: choice.sparsity,
        nonzeros: expected.nonzeros,
        bytes: expected.bytes,
        exact: tuning.is_exact(),
        orders,
        curve: curve
            .iter()
            .map(|p| Point { support: p.support, alignment: p.alignment, sparsity: p.sparsity })
            .collect(),
        notes,
        report: args.report,
    };
    session.answer(&answer, || answer.text())
}

impl Answer {
    fn text(&self) -> String {
        let error = self.standard_error.map_or(String::new(), |e| format!(" ± {}", number(e)));
        let mut summary = Summary::default()
            .line("support", format!("{}{error}", number(self.support)))
            .line("alignment", number(self.alignment))
            .line("zeros", format!("{} %", number(100.0 * self.sparsity)))
            .line("matrix", format!("{} nonzeros, {} MB", number(self.nonzeros), number(self.bytes / 1e6)))
            .line("kernel", &self.kernel)
            .line("pairs", if self.exact { "all" } else { "a million at random" });
        for note in &self.notes {
            summary = summary.line("note", note);
        }
        for order in &self.orders {
            let told = format!("max b {}, {} numbers in the factor", order.reach, order.fill);
            summary = summary.line(order.name, told);
        }
        let mut text = summary.to_text();
        text.push_str("\n   support  alignment      zeros\n");
        for p in self.curve.iter().step_by(4) {
            text.push_str(&format!(
                "{:>10}  {:>9.4}  {:>8.3} %\n",
                number(p.support),
                p.alignment,
                100.0 * p.sparsity
            ));
        }
        text
    }
}

fn page(points: &Points, curve: &[CurvePoint], choice: &SupportChoice, orders: &[Order]) -> String {
    let curves = Section::new("Alignment and sparsity")
        .text(format!("Chosen: support {choice}."))
        .chart(support_curves("Alignment and sparsity", curve, Some(choice)));
    let mut page = Page::new("The support of a compact kernel")
        .lead(format!("{} rows of {}, {}", points.data.len(), points.data.source(), points.kernel))
        .section(curves);
    if let Some(first) = orders.first() {
        let (nonzeros, bytes) = (first.gram.nonzeros(), first.gram.memory());
        let mut section = Section::new("The matrix at the chosen support")
            .text(format!("{nonzeros} nonzeros, {bytes} bytes stored"));
        let head = ["order", "max b", "max b + 1", "2 max b + 1", "numbers in the factor"];
        let mut table = Table::new("Orders", head);
        for order in orders {
            let numbers = [order.reach, order.half_bandwidth, order.bandwidth, order.fill];
            let cells = numbers.map(|v| v.to_string());
            table = table.row(std::iter::once(order.name.to_owned()).chain(cells));
            section = section.chart(spy(order.name, &order.gram));
        }
        page = page.section(section.table(table));
    }
    page.foot(foot()).to_html()
}
