//! `groat tune-support`: how far shall a compact kernel reach?

use crate::args::TuneSupportArgs;
use crate::output::page::{foot, spy, support_curves};
use crate::output::progress::Bar;
use crate::output::summary::Summary;
use crate::points::Points;
use crate::session::{Session, check_output, write_file};
use groat::gram::SparseGram;
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

/// Runs the command.
pub fn run(args: TuneSupportArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(report) = &args.report {
        check_output(report, &[&args.points.data.data])?;
    }
    let bar = Bar::new(session, "reading");
    let points = Points::read(&args.points, session.seed)?;
    session.check_stop()?;
    let tuning = SupportTuning::for_kernel(&points.kernel, points.x.view(), session.seed)?;
    let rule = args.rule.rule(args.memory);
    let choice = tuning.choose(rule)?;
    let kernel = tuning.kernel_with(choice.support);
    let expected = SparseGram::expect(&kernel, points.x.view(), session.seed)?;
    let curve = tuning.curve(POINTS);
    let mut notes = points.notes.clone();
    notes.extend(kernel.warning_for(points.x.cols()));
    session.check_stop()?;
    if let Some(path) = &args.report {
        let gram = SparseGram::assemble(&kernel, points.x.view(), PICTURE_BYTES).ok();
        write_file(path, page(&points, &curve, &choice, gram.as_ref())?.as_bytes())?;
    }
    drop(bar);
    let answer = Answer {
        source: points.source,
        rows: points.x.rows(),
        kernel: kernel.to_string(),
        rule: rule.to_string(),
        support: choice.support,
        standard_error: choice.error,
        alignment: choice.alignment,
        sparsity: choice.sparsity,
        nonzeros: expected.nonzeros,
        bytes: expected.bytes,
        exact: tuning.is_exact(),
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

fn page(
    points: &Points,
    curve: &[CurvePoint],
    choice: &SupportChoice,
    gram: Option<&SparseGram>,
) -> anyhow::Result<String> {
    let curves = Section::new("Alignment and sparsity")
        .text(format!("Chosen: support {choice}."))
        .chart(support_curves("Alignment and sparsity", curve, Some(choice)));
    let mut page = Page::new("The support of a compact kernel")
        .lead(format!("{} rows of {}, {}", points.x.rows(), points.source, points.kernel))
        .section(curves);
    if let Some(gram) = gram {
        let mut table = Table::new("Orders", ["order", "max b", "max b + 1", "2 max b + 1"]);
        let mut section = Section::new("The matrix at the chosen support").text(format!(
            "{} nonzeros, {} bytes stored",
            gram.nonzeros(),
            gram.memory()
        ));
        let orders = [
            ("as given", None),
            ("reverse Cuthill-McKee", Some(gram.reverse_cuthill_mckee())),
            ("minimum degree", Some(gram.minimum_degree()?)),
        ];
        for (name, order) in orders {
            let reordered = order.map(|order| gram.reordered(&order)).transpose()?;
            let gram = reordered.as_ref().unwrap_or(gram);
            let b = gram.bandwidth();
            let numbers = [b.reach, b.half(), b.full()].map(|v| v.to_string());
            table = table.row(std::iter::once(name.to_owned()).chain(numbers));
            section = section.chart(spy(name, gram));
        }
        page = page.section(section.table(table));
    }
    Ok(page.foot(foot()).to_html())
}
