//! The strategy of a fixed `lambda_max`, and truncation alone.

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::Line;
use super::super::trial::{Samples, Trial, mse};
use super::{draw, grid, train};
use groat_report::{Axis, Chart, Scatter, Section, number};

/// A setting, with the size and error it leads to (means of 40 realisations by an independent program).
struct Case {
    name: &'static str,
    preset: &'static str,
    settings: &'static str,
    size: f64,
    mse: f64,
}

const fn case(name: &'static str, preset: &'static str, settings: &'static str, size: f64, mse: f64) -> Case {
    Case { name, preset, settings, size, mse }
}

const CASES: [Case; 26] = [
    case("KLMS, lambda_max 0.1", "klms-reduce", "lambda_max=0.1", 11.3, 4.7e-5),
    case("KLMS, lambda_max 0.1, newest", "klms-reduce", "lambda_max=0.1,scan=newest", 12.6, 6.8e-5),
    case("KLMS, lambda_max 0.01", "klms-reduce", "lambda_max=0.01", 14.7, 4.7e-5),
    case("KLMS, lambda_max 0.01, newest", "klms-reduce", "lambda_max=0.01,scan=newest", 16.6, 4.8e-5),
    case("KLMS, lambda_max 1e-3", "klms-reduce", "lambda_max=1e-3", 17.6, 4.8e-5),
    case("KLMS, lambda_max 1e-3, newest", "klms-reduce", "lambda_max=1e-3,scan=newest", 19.6, 4.8e-5),
    case("MKLMS, lambda_max 1e-4", "mklms-reduce", "lambda_max=1e-4", 6.8, 9.6e-4),
    case("MKLMS, lambda_max 1e-4, newest", "mklms-reduce", "lambda_max=1e-4,scan=newest", 8.6, 6.5e-4),
    case("MKLMS, lambda_max 1e-5", "mklms-reduce", "lambda_max=1e-5", 10.7, 8.0e-5),
    case("MKLMS, lambda_max 1e-5, newest", "mklms-reduce", "lambda_max=1e-5,scan=newest", 13.1, 7.3e-5),
    case("MKLMS, lambda_max 1e-6", "mklms-reduce", "lambda_max=1e-6", 13.5, 5.0e-5),
    case("MKLMS, lambda_max 1e-6, newest", "mklms-reduce", "lambda_max=1e-6,scan=newest", 16.9, 4.9e-5),
    case("FKLMS, lambda_max 0.3", "fklms-reduce", "lambda_max=0.3", 10.3, 6.2e-4),
    case("FKLMS, lambda_max 0.3, newest", "fklms-reduce", "lambda_max=0.3,scan=newest", 10.3, 6.2e-4),
    case("FKLMS, lambda_max 0.2", "fklms-reduce", "lambda_max=0.2", 13.1, 2.0e-4),
    case("FKLMS, lambda_max 0.2, newest", "fklms-reduce", "lambda_max=0.2,scan=newest", 13.1, 2.0e-4),
    case("FKLMS, lambda_max 0.1", "fklms-reduce", "lambda_max=0.1", 17.6, 1.2e-4),
    case("FKLMS, lambda_max 0.1, newest", "fklms-reduce", "lambda_max=0.1,scan=newest", 17.6, 1.2e-4),
    case("FMKLMS, lambda_max 1e-4", "fmklms-reduce", "lambda_max=1e-4", 8.9, 8.8e-4),
    case("FMKLMS, lambda_max 1e-5", "fmklms-reduce", "lambda_max=1e-5", 19.4, 1.6e-4),
    case("MT, threshold 1e-3", "magnitude-truncation", "lambda_max=1e-3", 96.0, 4.65e-5),
    case("MT, threshold 3e-3", "magnitude-truncation", "lambda_max=3e-3", 86.0, 5.4e-5),
    case("MT, threshold 1e-2", "magnitude-truncation", "lambda_max=1e-2", 52.0, 3.9e-4),
    case("MT, threshold 3e-2", "magnitude-truncation", "lambda_max=3e-2", 13.0, 1.8e-2),
    // A vector leaves once more than max_age presentations have passed; its repeat comes with the hundredth.
    case("AT, 99 presentations", "age-truncation", "max_age=98", 99.0, 2.7e-2),
    case("AT, 100 presentations", "age-truncation", "max_age=99", 100.0, 4.82e-5),
];

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let grid = grid();
    let realise = |_, generator: &mut _| {
        let samples = draw(generator);
        CASES.iter().map(|case| case.run(&samples, &grid)).collect::<anyhow::Result<Vec<_>>>()
    };
    let runs = trial.realise("sinc, fixed lambda_max", realise)?;
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for (c, case) in CASES.iter().enumerate() {
        let of = |value: fn(&(f64, f64)) -> f64| runs.iter().map(|run| value(&run[c])).collect::<Vec<f64>>();
        let (size, mse) = (Estimate::positive(&of(|run| run.0)), Estimate::positive(&of(|run| run.1)));
        points.push((case.name, size.value, mse.value));
        let part = "Section 4, fixed lambda_max and truncation";
        let expected = format!("NumPy {} (40 realisations)", number(case.size));
        findings.lines.push(Line::new(part, case.name, "N", size).beside(expected));
        let expected = format!("NumPy {} (40 realisations)", number(case.mse));
        findings.lines.push(Line::new(part, case.name, "MSE", mse).beside(expected));
    }
    findings.figures.push(figure(&points));
    Ok(findings)
}

impl Case {
    /// Size and error after one run.
    fn run(&self, samples: &Samples, grid: &Samples) -> anyhow::Result<(f64, f64)> {
        let truncates = self.preset.ends_with("truncation");
        let settings = if truncates {
            self.settings.to_owned()
        } else {
            format!("{},strategy=limit,budget=1000", self.settings)
        };
        let learner = train(self.preset, &settings, samples)?;
        Ok((learner.size() as f64, mse(&learner, grid)?))
    }
}

/// The colour of a technique in all figures.
fn colour(family: &str) -> usize {
    super::budgets::TECHNIQUES.iter().position(|t| t.name == family).unwrap_or(8)
}

fn figure(points: &[(&str, f64, f64)]) -> Section {
    let families = ["KLMS", "MKLMS", "FKLMS", "FMKLMS", "MT"];
    let layers = families.iter().map(|family| {
        let of_family = points.iter().filter(|(name, ..)| name.split(',').next() == Some(family));
        let points = of_family.map(|(_, size, mse)| (*size, *mse)).collect();
        // The colours of the other figures.
        Scatter::new(*family, points).colour(colour(family))
    });
    let chart = Chart::new("Fixed lambda_max")
        .x(Axis::new("mean size of the dictionary"))
        .y(Axis::new("mean MSE").log())
        .layers(layers);
    Section::new("A fixed limit instead of a fixed size").chart(chart)
}
