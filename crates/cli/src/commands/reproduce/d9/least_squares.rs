//! Table 3: the least-squares SVM on 5,000 points, and figure 6's boundaries.
//!
//! The ridge is chosen on a tuning set from a grid up to 100. The paper's 27.2 % at 90 % zeros appears only
//! with almost no ridge.

use super::{POWER, SIGMA, bayes, clouds, gaussian, green_red, plane, published};
use crate::commands::reproduce::Findings;
use crate::commands::reproduce::comparison::{Band, Row};
use crate::commands::reproduce::trial::Trial;
use groat::batch::{LeastSquaresSvm, Method, Problem, Quiet};
use groat::data::synthetic::{GreenRed, realisation};
use groat::tune::{SupportRule, SupportTuning};
use groat::{Kernel, Matrix, Model, Rows};
use groat_report::{Axis, Chart, Contours, Section};
use rand_pcg::Pcg64;
use std::time::Instant;

/// Draws of the centres beside the published ones.
const DRAWS: u64 = 3;
const RIDGES: [f64; 6] = [0.03, 0.3, 1.0, 3.0, 10.0, 100.0];
/// `tau`, the paper's `C` and error, and the band of `C` from the published centres (the third `C` of the
/// paper repeats the second: a slip).
const LINES: [(f64, &str, &str, f64); 4] = [
    (0.9, "0.717", "27.2 %", 0.717),
    (0.8, "1.060", "23.0 %", 1.058),
    (0.7, "1.060 (repeats the line above)", "21.8 %", 1.351),
    (0.5, "1.927", "21.5 %", 1.914),
];

struct Data {
    train: (Matrix, Vec<usize>),
    tune: (Matrix, Vec<usize>),
    test: (Matrix, Vec<usize>),
}

/// The best machine for a kernel: its model, test error in percent, and the seconds of its solution.
struct Machine {
    model: Model,
    error: f64,
    seconds: f64,
}

impl Data {
    fn draw(family: &GreenRed, n: usize, random: &mut Pcg64) -> anyhow::Result<Self> {
        Ok(Data {
            train: green_red(family, n, random)?,
            tune: green_red(family, 3000, random)?,
            test: green_red(family, 10_000, random)?,
        })
    }

    fn tuning(&self, seed: u64) -> groat::Result<SupportTuning<'_>> {
        SupportTuning::for_kernel(&Kernel::compact(gaussian(SIGMA), 1.0, POWER), self.train.0.view(), seed)
    }
}

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let n = if trial.quick { 1500 } else { 5000 };
    let mut findings = Findings::default();
    match published(trial)? {
        Some(family) => findings.extend(table(trial, &family, n)?),
        None => {
            findings.rows.push(Row::missing("table 3, published centres", "no esl_mixture/centres.csv.gz"))
        }
    }
    // The band for other centres is stated for 5,000 points, which the quick form does not draw.
    if trial.quick {
        return Ok(findings);
    }
    let mut above = [0.0; LINES.len()];
    for r in 0..DRAWS {
        trial.bar.show("table 3: other centres".into(), r, Some(DRAWS));
        let mut random = realisation(trial.seed, r);
        let data = Data::draw(&GreenRed::draw(&mut random), n, &mut random)?;
        let full = best(&gaussian(SIGMA), &data)?.error;
        let tuning = data.tuning(trial.seed)?;
        for (above, (tau, ..)) in above.iter_mut().zip(&LINES) {
            let kernel = tuning.kernel_with(tuning.choose(SupportRule::Sparsity(*tau))?.support);
            *above += (best(&kernel, &data)?.error - full) / DRAWS as f64;
        }
    }
    for (above, (tau, _, error_paper, _)) in above.into_iter().zip(LINES) {
        let what = format!(
            "table 3, mean of {DRAWS} draws of the centres: above the Gaussian at tau = {tau}, points"
        );
        let paper = format!("{error_paper} (Gaussian 21.6 %)");
        findings.rows.push(Row::new(what, paper, above, Band::within(-1.0, 1.0)));
    }
    Ok(findings)
}

/// The table for the published centres, and the boundaries.
fn table(trial: &Trial<'_>, family: &GreenRed, n: usize) -> anyhow::Result<Findings> {
    let data = Data::draw(family, n, &mut realisation(trial.seed, 0))?;
    let tuning = data.tuning(trial.seed)?;
    trial.bar.show("table 3: Gaussian".into(), 0, Some(LINES.len() as u64 + 1));
    let full = best(&gaussian(SIGMA), &data)?;
    let mut findings = Findings::default();
    let faster = |tau: f64, paper: &str, machine: &Machine, least: f64| {
        let what = format!("table 3: times faster than dense at tau = {tau} (assembly and solution)");
        let band = Band::within(if trial.quick { 0.0 } else { least }, f64::INFINITY);
        Row::new(what, paper, full.seconds / machine.seconds, band)
    };
    for (k, (tau, c_paper, error_paper, c)) in LINES.iter().enumerate() {
        trial.bar.show(format!("table 3: {tau} zeros"), k as u64 + 1, Some(LINES.len() as u64 + 1));
        let support = tuning.choose(SupportRule::Sparsity(*tau))?.support;
        let what = format!("table 3: C at tau = {tau}, published centres");
        findings.rows.push(Row::new(what, *c_paper, support, Band::about(*c, 0.04)));
        let sparse = best(&tuning.kernel_with(support), &data)?;
        let what =
            format!("table 3: test error at tau = {tau} above the Gaussian's {:.1} %, points", full.error);
        let paper = format!("{error_paper} (Gaussian 21.6 %)");
        findings.rows.push(Row::new(what, paper, sparse.error - full.error, Band::within(-1.0, 1.0)));
        if *tau == 0.9 {
            findings.rows.push(faster(*tau, "2.7", &sparse, 2.5));
            findings.figures.push(figure(&data, &full.model, &sparse.model, family)?);
        }
    }
    let sparsest = tuning.kernel_with(tuning.choose(SupportRule::Sparsity(0.99))?.support);
    findings.rows.push(faster(0.99, "", &best(&sparsest, &data)?, 20.0));
    Ok(findings)
}

fn best(kernel: &Kernel, data: &Data) -> anyhow::Result<Machine> {
    let problem = Problem::classification(data.train.0.view(), &data.train.1, 2)?;
    let mut found: Option<(f64, Machine)> = None;
    for ridge in RIDGES {
        let machine = LeastSquaresSvm { kernel: kernel.clone(), ridge, ..Default::default() };
        let started = Instant::now();
        let model = machine.fit(&problem, &Quiet)?.model;
        let seconds = started.elapsed().as_secs_f64();
        let score = wrong(&model, &data.tune)?;
        if found.as_ref().is_none_or(|(least, _)| score < *least) {
            let error = wrong(&model, &data.test)?;
            found = Some((score, Machine { model, error, seconds }));
        }
    }
    found.map(|(_, machine)| machine).ok_or_else(|| anyhow::anyhow!("no ridge was tried"))
}

/// Percent of points put into the wrong class.
fn wrong(model: &Model, (x, codes): &(Matrix, Vec<usize>)) -> anyhow::Result<f64> {
    let predicted = model.classify(x.view())?;
    let wrong = predicted.iter().zip(codes).filter(|(a, b)| a != b).count();
    Ok(100.0 * wrong as f64 / codes.len() as f64)
}

/// Boundaries of the Bayes rule, the Gaussian and the compact kernel.
fn figure(data: &Data, full: &Model, sparse: &Model, family: &GreenRed) -> anyhow::Result<Section> {
    let grid = plane(96);
    let places: Vec<f64> = grid.points().flat_map(|(x, y)| [x, y]).collect();
    let border = |name: &str, model: &Model| -> anyhow::Result<Contours> {
        let values = model.values(Rows::new(&places, 2)?)?.into_data();
        Ok(Contours::new(name, grid.clone().with_values(values), vec![0.0]))
    };
    let chart = Chart::new("Boundaries of the least-squares SVM")
        .x(Axis::new("x1"))
        .y(Axis::new("x2"))
        .layers(clouds(&data.train, 400))
        .layer(bayes(family))
        .layer(border("Gaussian", full)?.colour(2))
        .layer(border("compact, 90 % zeros", sparse)?.colour(3));
    Ok(Section::new("Figure 6: boundaries (by the least-squares SVM)").chart(chart))
}
