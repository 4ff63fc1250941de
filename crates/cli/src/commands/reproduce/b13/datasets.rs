//! The same filters on given data sets: the Mackey-Glass series of the toolbox, and KIN40K. Nothing is random here,
//! so the numbers are exact.

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::Line as Compared;
use super::super::trial::{Samples, Trial, mse};
use super::Filter::{self, Coherence, Klms, Lms};
use groat::data::Table;
use groat_report::{Axis, Chart, Line, Section, number};
use rayon::prelude::*;

const LAGS: usize = 10;

/// A filter, with its test error and the size of its dictionary by an independent program.
type Case = (Filter, f64, usize);

/// A data set, how much of it is used, and the cases.
struct Part {
    set: &'static str,
    train: usize,
    test: usize,
    cases: &'static [Case],
}

const PARTS: [Part; 3] = [
    Part {
        set: "mackey_glass30",
        train: 200,
        test: 100,
        cases: &[
            (Lms { step: 0.01 }, 0.084276092983674, 0),
            (Klms { gamma: 0.5, step: 0.2 }, 0.00939507283903667, 200),
            (Klms { gamma: 1.0, step: 0.1 }, 0.0133530244231489, 200),
            (Klms { gamma: 1.0, step: 0.2 }, 0.00777927589153985, 200),
            (Klms { gamma: 1.0, step: 0.5 }, 0.00541995155861326, 200),
            (Coherence { gamma: 1.0, step: 0.1, threshold: 0.5 }, 0.014639657144002, 9),
            (Coherence { gamma: 1.0, step: 0.1, threshold: 0.7 }, 0.014581561750719, 20),
            (Coherence { gamma: 1.0, step: 0.2, threshold: 0.7 }, 0.0135879870057991, 20),
            (Coherence { gamma: 1.0, step: 0.05, threshold: 0.9 }, 0.0191344291795393, 64),
            (Coherence { gamma: 0.5, step: 0.1, threshold: 0.7 }, 0.0244352443354169, 9),
        ],
    },
    Part {
        set: "mackey_glass30",
        train: 4000,
        test: 900,
        cases: &[
            (Lms { step: 0.01 }, 0.0281357318408308, 0),
            (Klms { gamma: 0.5, step: 0.2 }, 0.00239994078983591, 4000),
            (Klms { gamma: 1.0, step: 0.1 }, 0.00172476536420747, 4000),
            (Klms { gamma: 1.0, step: 0.2 }, 0.00111068072898263, 4000),
            (Klms { gamma: 1.0, step: 0.5 }, 0.000928569535826704, 4000),
            (Coherence { gamma: 1.0, step: 0.1, threshold: 0.5 }, 0.00700473279442883, 12),
            (Coherence { gamma: 1.0, step: 0.1, threshold: 0.7 }, 0.00770011275119058, 23),
            (Coherence { gamma: 1.0, step: 0.2, threshold: 0.7 }, 0.00991142309364622, 23),
            (Coherence { gamma: 1.0, step: 0.05, threshold: 0.9 }, 0.00796650811703132, 130),
            (Coherence { gamma: 0.5, step: 0.1, threshold: 0.7 }, 0.00732689892517816, 12),
        ],
    },
    Part {
        set: "kin40k",
        train: 5000,
        test: 2000,
        cases: &[
            (Lms { step: 0.001 }, 0.955581764322517, 0),
            (Klms { gamma: 0.5, step: 0.1 }, 0.318381911279834, 5000),
            (Klms { gamma: 0.5, step: 0.5 }, 0.116545684324967, 5000),
            (Coherence { gamma: 0.5, step: 0.1, threshold: 0.3 }, 0.340219183510583, 1163),
            (Coherence { gamma: 0.5, step: 0.5, threshold: 0.3 }, 0.232365467651947, 1163),
            (Coherence { gamma: 0.5, step: 0.1, threshold: 0.5 }, 0.247862783585113, 2948),
            (Coherence { gamma: 0.5, step: 0.1, threshold: 0.7 }, 0.233635243208815, 4667),
        ],
    },
];

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    for part in &PARTS {
        match part.load(trial)? {
            Ok((train, test)) => findings.extend(part.run(&train, &test)?),
            Err(why) => findings.lines.push(Compared::missing(part.name(), "", why)),
        }
    }
    Ok(findings)
}

impl Part {
    fn name(&self) -> String {
        format!("{}, {} / {}", self.set, self.train, self.test)
    }

    /// Training and test samples, or why there are none.
    fn load(&self, trial: &Trial<'_>) -> anyhow::Result<Result<(Samples, Samples), String>> {
        let table = match trial.table(self.set)? {
            Ok(table) => table,
            Err(why) => return Ok(Err(why)),
        };
        let (train, test) = (self.train, self.test);
        if self.set == "mackey_glass30" {
            let samples = Samples::embed(&table.numbers("y")?, LAGS);
            return Ok(Ok((samples.part(0, train)?, samples.part(train, train + test)?)));
        }
        let marks = match trial.read(self.set, "splits.csv.gz")? {
            Ok(marks) => marks.numbers("std")?,
            Err(why) => return Ok(Err(why)),
        };
        Ok(Ok((rows(&table, &marks, 0.0, train)?, rows(&table, &marks, 1.0, test)?)))
    }

    fn run(&self, train: &Samples, test: &Samples) -> anyhow::Result<Findings> {
        let one = |(filter, expected, size): &Case| {
            let (learner, curve) = filter.run(train)?;
            let line = |what: &str, ours: f64, numpy: f64| {
                let line = Compared::new(self.name(), filter.name(), what, Estimate::exact(ours));
                line.beside(format!("NumPy {}", number(numpy)))
            };
            let lines = [
                line("MSE", mse(&learner, test)?, *expected),
                line("size", learner.size() as f64, *size as f64),
            ];
            let error = lines[0].found().map_or(f64::INFINITY, |ours| ours.value);
            Ok((
                lines,
                (filter.colour(), error, Line::new(filter.name(), smooth(&curve)).colour(filter.colour())),
            ))
        };
        let results = self.cases.par_iter().map(one).collect::<anyhow::Result<Vec<_>>>()?;
        let (compared, curves): (Vec<_>, Vec<_>) = results.into_iter().unzip();
        // The best filter of each family: more curves than that cannot be told apart.
        let best = (0..3).filter_map(|family| {
            let of_family = curves.iter().filter(|(colour, ..)| *colour == family);
            of_family.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(_, _, line)| line.clone())
        });
        let chart = Chart::new(format!("{}: running mean of squared errors", self.name()))
            .x(Axis::new("sample"))
            .y(Axis::new("mean squared error").log())
            .layers(best);
        let section =
            Section::new(format!("Learning curves on {}, best of each family", self.name())).chart(chart);
        let lines = compared.into_iter().flatten().collect();
        Ok(Findings { lines, figures: vec![section], beyond: Vec::new() })
    }
}

/// The first `count` rows of the table with this mark.
fn rows(table: &Table, marks: &[f64], mark: f64, count: usize) -> anyhow::Result<Samples> {
    let chosen = marks.iter().enumerate().filter(|(_, m)| **m == mark).map(|(row, _)| row);
    let chosen: Vec<usize> = chosen.take(count).collect();
    let part = table.select(&chosen);
    let columns = (1..=8).map(|c| part.numbers(&format!("x{c}"))).collect::<groat::Result<Vec<_>>>()?;
    let x = (0..chosen.len()).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    Ok(Samples { x, y: part.numbers("y")? })
}

/// Means over the fiftieth part of a curve.
fn smooth(curve: &[f64]) -> Vec<(f64, f64)> {
    let block = (curve.len() / 50).max(1);
    let middle = |i: usize| (i * block) as f64 + block as f64 / 2.0;
    let mean = |chunk: &[f64]| chunk.iter().sum::<f64>() / chunk.len() as f64;
    curve.chunks(block).enumerate().map(|(i, chunk)| (middle(i), mean(chunk))).collect()
}
