//! B11: linear against Gaussian support vector machines, the table of the slides on the sets at hand.

use super::comparison::{Band, Row};
use super::trial::Trial;
use super::{Experiment, Findings};
use groat::batch::{LinearLoss, LinearMachine, Method, Problem, Quiet, SupportVectorMachine, SvmForm};
use groat::data::{ReadOptions, Split, read_table};
use groat::tune::sample_rows;
use groat::{Kernel, Matrix, Model};
use groat_report::{Section, Table, number};
use std::path::Path;
use std::time::Instant;

pub const EXPERIMENT: Experiment = Experiment {
    name: "B11",
    title: "linear against Gaussian support vector machines: accuracy and time",
    source: "Santamaria, Van Vaerenbergh, Online and scalable kernel methods, 2022, table of linear and non-linear SVM",
    run,
};

/// A data set, its settings and what is expected of it.
struct Case {
    name: &'static str,
    split: &'static str,
    /// What each feature is multiplied with; 0 brings all to mean 0 and deviation 1.
    scale: f64,
    /// Classes of the positive side.
    positive: f64,
    linear_cost: f64,
    cost: f64,
    width: f64,
    /// The slides' accuracies in percent, linear and Gaussian.
    paper: [&'static str; 2],
    bands: [Band; 2],
    /// Training rows of the quick form.
    quick: usize,
}

const CASES: [Case; 3] = [
    Case {
        name: "ijcnn1",
        split: "std",
        scale: 1.0,
        positive: 1.0,
        linear_cost: 1.0,
        cost: 32.0,
        width: 0.5,
        paper: ["91.81", "98.69"],
        bands: [Band { low: 91.3, high: 92.8 }, Band { low: 98.2, high: 99.2 }],
        quick: 4000,
    },
    Case {
        name: "mnist38",
        split: "std",
        scale: 1.0 / 255.0,
        positive: 1.0,
        linear_cost: 0.1,
        cost: 10.0,
        width: 5.0,
        paper: ["96.82", "99.70"],
        bands: [Band { low: 96.0, high: 97.8 }, Band { low: 99.4, high: 99.9 }],
        quick: 1000,
    },
    Case {
        name: "covtype20k",
        split: "rnd001",
        scale: 0.0,
        positive: 2.0,
        linear_cost: 1.0,
        cost: 10.0,
        width: 2.0,
        paper: ["76.37 (all 581,012 rows)", "96.11 (all 581,012 rows)"],
        bands: [Band { low: 70.0, high: 90.0 }, Band { low: 80.0, high: 97.0 }],
        quick: 2000,
    },
];

/// Rows of the quick form's test part.
const QUICK_TEST: usize = 5000;

struct Data {
    train: (Matrix, Vec<usize>),
    test: (Matrix, Vec<usize>),
}

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let head = [
        "set",
        "training rows",
        "test rows",
        "linear, s",
        "linear, %",
        "Gaussian, s",
        "Gaussian, %",
        "vectors",
    ];
    let mut table = Table::new("Linear against Gaussian", head);
    for (k, case) in CASES.iter().enumerate() {
        trial.bar.show(case.name.to_owned(), k as u64, Some(CASES.len() as u64));
        let Some(data) = load(trial, case)? else {
            findings.rows.push(Row::missing(case.name, format!("no {} (--data)", case.name)));
            continue;
        };
        let problem = Problem::classification(data.train.0.view(), &data.train.1, 2)?;
        let linear = LinearMachine::new(LinearLoss::Hinge).cost(case.linear_cost);
        let machine =
            SupportVectorMachine::fixed(SvmForm::Classes, Kernel::gaussian(case.width)).cost(case.cost);
        let (linear, linear_seconds) = timed(&linear, &problem)?;
        let (machine, seconds) = timed(&machine, &problem)?;
        let accuracy = [right(&linear, &data.test)?, right(&machine, &data.test)?];
        for ((name, found), (paper, band)) in
            ["linear", "Gaussian"].iter().zip(accuracy).zip(case.paper.iter().zip(case.bands))
        {
            // Fewer rows teach less.
            let band = if trial.quick { Band::within(band.low - 6.0, 100.0) } else { band };
            findings.rows.push(Row::new(format!("{}: {name}, % right", case.name), *paper, found, band));
        }
        let gain = accuracy[1] - accuracy[0];
        let what = format!("{}: points that the Gaussian gains", case.name);
        findings.rows.push(Row::new(
            what,
            "",
            gain,
            Band::within(if trial.quick { -1.0 } else { 1.0 }, 100.0),
        ));
        let cells = [linear_seconds, accuracy[0], seconds, accuracy[1]].map(number);
        let sizes = [data.train.1.len(), data.test.1.len()].map(|n| n.to_string());
        let cells = std::iter::once(case.name.to_owned()).chain(sizes).chain(cells);
        table = table.row(cells.chain([machine.size().to_string()]));
        let what = format!("{}: seconds of training, Gaussian (linear: {linear_seconds:.2})", case.name);
        findings.rows.push(Row::new(what, "", seconds, Band::within(0.0, f64::INFINITY)));
    }
    findings.figures.push(Section::new("Time and accuracy").table(table));
    Ok(findings)
}

fn timed(method: &dyn Method, problem: &Problem<'_>) -> anyhow::Result<(Model, f64)> {
    let started = Instant::now();
    let model = method.fit(problem, &Quiet)?.model;
    Ok((model, started.elapsed().as_secs_f64()))
}

fn right(model: &Model, (x, codes): &(Matrix, Vec<usize>)) -> anyhow::Result<f64> {
    let found = model.classify(x.view())?;
    let right = found.iter().zip(codes).filter(|(a, b)| a == b).count();
    Ok(100.0 * right as f64 / codes.len() as f64)
}

fn load(trial: &Trial<'_>, case: &Case) -> anyhow::Result<Option<Data>> {
    let file =
        ["data.parquet", "data.csv.gz"].iter().find_map(|file| trial.find(&Path::new(case.name).join(file)));
    let splits = trial.find(&Path::new(case.name).join("splits.csv.gz"));
    let (Some(file), Some(splits)) = (file, splits) else { return Ok(None) };
    let table = read_table(file, &ReadOptions::default())?;
    let target = table.names().len() - 1;
    let mut x = table.matrix(&table.names()[..target])?;
    let codes: Vec<usize> =
        table.numbers(&table.names()[target])?.iter().map(|y| usize::from(*y == case.positive)).collect();
    let mut split = Split::from_file(&format!("{}:{}", splits.display(), case.split), codes.len())?;
    if trial.quick {
        let some = |rows: &[usize], most: usize| {
            sample_rows(rows.len(), most, trial.seed).into_iter().map(|k| rows[k]).collect::<Vec<_>>()
        };
        split = Split { train: some(&split.train, case.quick), test: some(&split.test, QUICK_TEST) };
    }
    if case.scale == 0.0 {
        groat::data::Standardisation::fit(x.view().select(&split.train).view())?.apply(&mut x)?;
    } else {
        x.data_mut().iter_mut().for_each(|v| *v *= case.scale);
    }
    let part = |rows: &[usize]| (x.view().select(rows), rows.iter().map(|&i| codes[i]).collect());
    Ok(Some(Data { train: part(&split.train), test: part(&split.test) }))
}
