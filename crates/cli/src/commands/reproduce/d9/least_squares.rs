//! Table 3: the least-squares SVM on 5,000 points, and figure 6's boundaries.
//!
//! The ridge is chosen on a tuning set from a grid up to 100.

use super::{POWER, SIGMA, bayes, clouds, gaussian, green_red, plane, published};
use crate::commands::reproduce::Findings;
use crate::commands::reproduce::estimate::Estimate;
use crate::commands::reproduce::line::{Kind, Line};
use crate::commands::reproduce::paper::Printed;
use crate::commands::reproduce::trial::Trial;
use groat::batch::{LeastSquaresSvm, Method, Problem, Quiet};
use groat::data::synthetic::{GreenRed, realisation};
use groat::tune::{SupportRule, SupportTuning};
use groat::{Kernel, Matrix, Model, Rows};
use groat_report::{Axis, Chart, Contours, Section, number};
use rand_pcg::Pcg64;
use std::time::Instant;

/// Draws of the centres beside the published ones.
const DRAWS: u64 = 3;
const RIDGES: [f64; 6] = [0.03, 0.3, 1.0, 3.0, 10.0, 100.0];
/// Test points of ours, and those that the paper's errors are read as shares of.
const TEST: usize = 10_000;
const THEIRS: usize = 1000;
/// Further samples that say how much `C` varies.
const SAMPLES: u64 = 6;
/// Table 3: `tau`, and the paper's `C`, error and seconds.
const LINES: [(f64, [&str; 3]); 4] = [
    (0.9, ["0.717", "0.272", "8.95"]),
    (0.8, ["1.060", "0.230", "9.73"]),
    (0.7, ["1.060", "0.218", "9.65"]),
    (0.5, ["1.927", "0.215", "12.73"]),
];
/// Its last row, the Gaussian: error and seconds.
const GAUSSIAN: [&str; 2] = ["0.216", "23.93"];
const PART: &str = "Table 3";
const REPEATED: &str = "the printed C repeats the row above; the 30th percentile of the distances is 1.35";
const RIDGE: &str = "27 % at 90 % zeros appear only with next to no ridge (0.003 gives 27.0 %); the ridge that the paper's own tuning set \
    asks for does not lose";
const MACHINE: &str = "times of another machine and another solver: a good dense factorisation leaves less to gain than MATLAB's of 2004";
const OTHER_POINTS: &str =
    "the paper's 5,000 points are another draw, and whether about these centres it does not say";
const FEWER: &str = "the short form has 1,500 points in place of 5,000";

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
            test: green_red(family, TEST, random)?,
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
        Ok(family) => findings.extend(table(trial, &family, n)?),
        Err(why) => findings.lines.push(Line::missing(PART, "published centres", why)),
    }
    if !trial.quick {
        findings.lines.extend(other_centres(trial, n)?);
    }
    Ok(findings)
}

/// Points above the Gaussian for further draws of the centres.
fn other_centres(trial: &Trial<'_>, n: usize) -> anyhow::Result<Vec<Line>> {
    let mut above = [const { Vec::new() }; LINES.len()];
    for r in 0..DRAWS {
        trial.show("table 3: other centres", r, DRAWS);
        let mut random = realisation(trial.seed, r);
        let data = Data::draw(&GreenRed::draw(&mut random), n, &mut random)?;
        let full = best(&gaussian(SIGMA), &data)?.error;
        let tuning = data.tuning(trial.seed)?;
        for (above, (tau, _)) in above.iter_mut().zip(&LINES) {
            let kernel = tuning.kernel_with(tuning.choose(SupportRule::Sparsity(*tau))?.support);
            above.push(best(&kernel, &data)?.error - full);
        }
    }
    let line = |(above, (tau, [_, error, _])): (Vec<f64>, (f64, [&'static str; 3]))| {
        let row = format!("tau = {tau}, centres drawn");
        let line = Line::new(PART, row, "points above the Gaussian", Estimate::mean(&above));
        let paper = Printed::difference(error, GAUSSIAN[0]).times(2).runs(1);
        line.printed(paper).because(Kind::Unstated, RIDGE)
    };
    Ok(above.into_iter().zip(LINES).map(line).collect())
}

/// The table for the published centres, and the boundaries.
fn table(trial: &Trial<'_>, family: &GreenRed, n: usize) -> anyhow::Result<Findings> {
    let data = Data::draw(family, n, &mut realisation(trial.seed, 0))?;
    let tuning = data.tuning(trial.seed)?;
    let others = supports(trial, family, n)?;
    let steps = LINES.len() as u64 + 1;
    trial.show("table 3: Gaussian", 0, steps);
    let full = best(&gaussian(SIGMA), &data)?;
    let mut findings = Findings::default();
    let short = |line: Line| if trial.quick { line.because(Kind::Data, FEWER) } else { line };
    let wrong = |error: f64| Estimate::counted(error / 100.0, TEST).times(100.0);
    let share = |text: &'static str| Printed::new(text).times(2).cases(THEIRS);
    let line = |row: &str, column: &str, ours: Estimate| Line::new(PART, row, column, ours);
    findings
        .lines
        .push(short(line("Gaussian", "test error %", wrong(full.error)).printed(share(GAUSSIAN[0]))));
    for (k, (tau, [c, error, seconds])) in LINES.iter().enumerate() {
        trial.show(&format!("table 3: {tau} zeros"), k as u64 + 1, steps);
        let row = format!("tau = {tau}, published centres");
        let support = tuning.choose(SupportRule::Sparsity(*tau))?.support;
        let spread: Vec<f64> = others.iter().map(|sample| sample[k]).collect();
        let size = line(&row, "C", Estimate::single(support, &spread)).printed(Printed::new(c).runs(1));
        let size = size.because(Kind::Data, OTHER_POINTS);
        findings.lines.push(if *tau == 0.7 { size.because(Kind::Misprint, REPEATED) } else { short(size) });
        let sparse = best(&tuning.kernel_with(support), &data)?;
        let errors = line(&row, "test error %", wrong(sparse.error)).printed(share(error));
        findings.lines.push(errors.because(Kind::Unstated, RIDGE));
        let above = Estimate::one_draw(sparse.error - full.error);
        findings.lines.push(line(&row, "points above the Gaussian", above));
        let faster = Estimate::time(full.seconds / sparse.seconds);
        let paper = Printed::quotient(GAUSSIAN[1], seconds);
        let times = line(&row, "times faster than the Gaussian", faster).printed(paper);
        findings.lines.push(times.because(Kind::Hardware, MACHINE));
        if *tau == 0.9 {
            findings.figures.push(figure(&data, &full.model, &sparse.model, family)?);
            findings.beyond.push(neighbours(&data, &full.model, &sparse.model)?);
        }
    }
    let sparsest = tuning.kernel_with(tuning.choose(SupportRule::Sparsity(0.99))?.support);
    let faster = Estimate::time(full.seconds / best(&sparsest, &data)?.seconds);
    findings.lines.push(line("tau = 0.99, published centres", "times faster than the Gaussian", faster));
    Ok(findings)
}

/// The supports in further samples of the same size.
fn supports(trial: &Trial<'_>, family: &GreenRed, n: usize) -> anyhow::Result<Vec<Vec<f64>>> {
    let one = |r: u64| {
        let x = green_red(family, n, &mut realisation(trial.seed, 1 + r))?.0;
        let tuning =
            SupportTuning::for_kernel(&Kernel::compact(gaussian(SIGMA), 1.0, POWER), x.view(), trial.seed)?;
        LINES.iter().map(|(tau, _)| Ok(tuning.choose(SupportRule::Sparsity(*tau))?.support)).collect()
    };
    (0..SAMPLES).map(one).collect()
}

/// What a prediction costs that visits the neighbours alone.
fn neighbours(data: &Data, full: &Model, sparse: &Model) -> anyhow::Result<String> {
    let seconds = |model: &Model| -> anyhow::Result<f64> {
        let started = Instant::now();
        model.values(data.test.0.view())?;
        Ok(started.elapsed().as_secs_f64())
    };
    let (dense, near) = (seconds(full)?, seconds(sparse)?);
    Ok(format!(
        "A prediction that visits the neighbours within C alone takes {} us a point at 90 % zeros, beside {} us of the Gaussian \
         ({} points, this machine).",
        number(1e6 * near / TEST as f64),
        number(1e6 * dense / TEST as f64),
        data.train.1.len(),
    ))
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
