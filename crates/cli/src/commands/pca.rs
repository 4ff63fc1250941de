//! `groat pca`: principal components in the feature space of a kernel.

use crate::args::PcaArgs;
use crate::exit;
use crate::files::Files;
use crate::input::is_live;
use crate::output::page::foot;
use crate::output::progress::Bar;
use crate::output::summary::Summary;
use crate::points::Points;
use crate::session::{Session, write_file};
use groat::batch::{Basis, KernelPca, Prepared, PrincipalComponents};
use groat::data::{Column, Table, write_table};
use groat::gram::Memory;
use groat::model::Model;
use groat::settings::Bytes;
use groat::tune::SupportTuning;
use groat::{Kernel, Matrix, Rows};
use groat_report::{Axis, Bars, Cells, Chart, Contours, Grid, Page, Paint, Scatter, Section, number};
use serde::Serialize;
use std::path::PathBuf;

/// Components that get a map on the page.
const MAPS: usize = 8;
/// Cells along each side of a map.
const CELLS: usize = 56;

/// The result. Field names are part of the command's interface.
#[derive(Serialize)]
struct Answer {
    source: String,
    rows: usize,
    kernel: String,
    centred: bool,
    components: usize,
    /// Of the kernel matrix, divided by the number of rows.
    variances: Vec<f64>,
    explained: Vec<f64>,
    notes: Vec<String>,
    model: Option<PathBuf>,
    scores: Option<PathBuf>,
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: PcaArgs, session: &Session) -> anyhow::Result<()> {
    let files = Files::default().reads(&args.points.data.data).writes("--output", args.output.as_ref());
    files.writes_table("--scores", args.scores.as_ref()).writes("--report", args.report.as_ref()).check()?;
    let bar = Bar::new(session, "reading");
    let found = if streams(&args)? { streamed(&args, session, &bar)? } else { held(&args, session, &bar)? };
    session.check_stop()?;
    drop(bar);
    let Analysed { fitted, model, rows, source, notes, page } = found;
    let answer = Answer {
        rows,
        kernel: model.kernel().to_string(),
        centred: !args.no_centre,
        components: fitted.eigenvalues().len(),
        variances: fitted.eigenvalues().iter().map(|v| v / rows as f64).collect(),
        explained: fitted.explained(),
        notes,
        model: args.output.clone(),
        scores: args.scores,
        report: args.report,
        source,
    };
    if let (Some(path), Some(page)) = (&answer.report, page) {
        write_file(path, page.as_bytes())?;
    }
    if let Some(path) = &args.output {
        model.save(path)?;
    }
    session.answer(&answer, || answer.text())
}

/// An analysis that is done.
struct Analysed {
    fitted: PrincipalComponents,
    model: Model,
    rows: usize,
    source: String,
    notes: Vec<String>,
    page: Option<String>,
}

/// Whether the data are to be read in batches instead of being held.
fn streams(args: &PcaArgs) -> anyhow::Result<bool> {
    let path = &args.points.data.data;
    if args.stream && is_live(path) {
        return exit::usage(format!(
            "--stream reads the data twice, and {} can be read only once; write it to a file first",
            path.display()
        ));
    }
    let memory = Memory::from(args.memory.map(|Bytes(bytes)| bytes)).limit();
    // Data in memory take about eight times their file.
    let large = args.rank.is_some() && args.scores.is_none() && !is_live(path);
    Ok(args.stream || (large && path.metadata().is_ok_and(|file| file.len() > memory / 8)))
}

/// What was asked for, with the kernel settled.
fn analysis(args: &PcaArgs, kernel: Kernel, session: &Session) -> KernelPca {
    KernelPca {
        kernel,
        components: args.components as usize,
        centre: !args.no_centre,
        memory: args.memory.map(|m| m.0).into(),
        rank: args.rank.map(|rank| rank as usize),
        basis: match args.random {
            true => Basis::Random { orthogonal: true, paired: true },
            false => Basis::Landmarks(args.landmarks.unwrap_or_default()),
        },
        seed: session.seed,
        ..KernelPca::default()
    }
}

/// The components of rows in memory.
fn held(args: &PcaArgs, session: &Session, bar: &Bar<'_>) -> anyhow::Result<Analysed> {
    let points = Points::read(&args.points, session)?;
    session.check_stop()?;
    let prepared = points.prepared()?;
    let (mut kernel, mut notes) = (points.kernel.clone(), points.notes.clone());
    if let Some(support) = args.support {
        let x = prepared.x().require_dense("dense rows for a compact support")?;
        let tuning = SupportTuning::for_kernel(&kernel, x, session.seed)?;
        let choice = tuning.choose(args.memory.map_or(support, |Bytes(bytes)| support.within(bytes)))?;
        notes.push(format!("support {choice}"));
        kernel = tuning.kernel_with(choice.support);
    }
    let fitted = analysis(args, kernel, session).fit(prepared.x(), bar)?;
    notes.extend(fitted.notes().iter().cloned());
    let scores = fitted.transform(prepared.x())?;
    session.check_stop()?;
    if let Some(path) = &args.scores {
        let names = (1..=scores.cols()).map(|j| format!("component{j}"));
        let columns = (0..scores.cols()).map(|j| Column::Numeric(scores.column_to_vec(j))).collect();
        write_table(path, &Table::new(names, columns)?)?;
    }
    let (rows, source) = (points.data.len(), points.data.source().to_owned());
    let lead = format!("{rows} rows of {source}");
    let model = prepared.finish_model(fitted.clone().into_model())?;
    let page =
        args.report.is_some().then(|| page(&lead, &points.axes(), &model, prepared.x(), &fitted, &scores));
    Ok(Analysed { page: page.transpose()?, model, fitted, rows, source, notes })
}

/// The components of rows that are read batch by batch; pictures show some of them.
fn streamed(args: &PcaArgs, session: &Session, bar: &Bar<'_>) -> anyhow::Result<Analysed> {
    let survey = Points::survey(&args.points, session, bar)?;
    let preparation = Points::preparation(&args.points, session);
    let (prepared, batches) = Prepared::surveyed(&survey, preparation)?;
    let (kernel, note) = args.points.kernel.settled(prepared.x(), session.seed);
    let pca = analysis(args, kernel, session);
    let fitted = session.unless_stopped(pca.fit_batches(&batches, prepared.x(), bar))?;
    let mut notes: Vec<String> = note.into_iter().chain(fitted.notes().iter().cloned()).collect();
    notes.push("the data were read batch by batch and never held".to_owned());
    let (rows, source) = (survey.training_rows, survey.train.source().to_owned());
    let model = prepared.finish_model(fitted.clone().into_model())?;
    let page = match args.report {
        None => None,
        Some(_) => {
            let scores = fitted.transform(prepared.x())?;
            let lead = format!("{rows} rows of {source}, of which {} are shown", scores.rows());
            let axes = Points::axes_of(&survey.train, preparation);
            Some(page(&lead, &axes, &model, prepared.x(), &fitted, &scores)?)
        }
    };
    Ok(Analysed { page, model, fitted, rows, source, notes })
}

impl Answer {
    fn text(&self) -> String {
        let mut summary = Summary::default()
            .line("rows", self.rows.to_string())
            .line("kernel", &self.kernel)
            .line("centred", if self.centred { "yes" } else { "no" });
        for note in &self.notes {
            summary = summary.line("note", note);
        }
        let files = [("model", &self.model), ("scores", &self.scores), ("report", &self.report)];
        for (name, file) in files {
            summary = summary.maybe(name, file.as_ref().map(|f| f.display().to_string()));
        }
        let mut text = summary.to_text();
        text.push_str("\ncomponent   variance  explained\n");
        for (j, (variance, share)) in self.variances.iter().zip(&self.explained).enumerate() {
            text.push_str(&format!("{:>9}  {:>9}  {:>8.2} %\n", j + 1, number(*variance), 100.0 * share));
        }
        text
    }
}

fn page(
    lead: &str,
    axes: &[String],
    model: &Model,
    x: groat::Points<'_>,
    fitted: &PrincipalComponents,
    scores: &Matrix,
) -> anyhow::Result<String> {
    let bars = Chart::new("Explained variance")
        .x(Axis::new("component").categories((1..=scores.cols()).map(|j| j.to_string())))
        .y(Axis::new("share"))
        .layer(Bars::categories("share", &fitted.explained()));
    let mut section = Section::new("Components").chart(bars);
    if scores.cols() >= 2 {
        let cloud = (0..scores.rows()).map(|i| (scores[(i, 0)], scores[(i, 1)])).collect();
        section = section.chart(
            Chart::new("The rows")
                .x(Axis::new("component 1"))
                .y(Axis::new("component 2"))
                .layer(Scatter::new("rows", cloud)),
        );
    }
    let mut page =
        Page::new("Kernel principal components").lead(format!("{lead}, {}", model.kernel())).section(section);
    if let (2, Some(x)) = (x.cols(), x.dense()) {
        page = page.section(maps("The components over the plane", axes, x, fitted)?);
    }
    Ok(page.foot(foot()).to_html())
}

/// Each component over the plane of two features with these names, in the units that the kernel sees.
pub fn maps(
    title: &str,
    names: &[String],
    x: Rows<'_>,
    fitted: &PrincipalComponents,
) -> groat::Result<Section> {
    // One range for both features, so that the map fills its frame and distances look as they are.
    let values = x.data().iter();
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let margin = if high > low { 0.1 * (high - low) } else { 1.0 };
    let range = (low - margin, high + margin);
    let grid = Grid::new(CELLS, CELLS, range, range);
    let axis = |j: usize| Axis::new(names.get(j).cloned().unwrap_or_default());
    let places: Vec<f64> = grid.points().flat_map(|(x, y)| [x, y]).collect();
    let values = fitted.transform(Rows::new(&places, 2)?)?;
    let rows: Vec<(f64, f64)> = x.iter().map(|row| (row[0], row[1])).collect();
    let mut section = Section::new(title);
    for j in 0..values.cols().min(MAPS) {
        let filled = grid.clone().with_values((0..values.rows()).map(|i| values[(i, j)]));
        let title = format!("Component {}, eigenvalue {}", j + 1, number(fitted.eigenvalues()[j]));
        section = section.chart(
            Chart::new(title)
                .same_range()
                .x(axis(0))
                .y(axis(1))
                .layer(Cells::new("value", filled.clone(), Paint::Sequential))
                .layer(Contours::new("zero", filled, vec![0.0]))
                .layer(Scatter::new("rows", rows.clone()).colour(1)),
        );
    }
    Ok(section)
}
