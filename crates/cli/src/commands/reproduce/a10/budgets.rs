//! Figures 5 to 8: error and time against the size of the dictionary, for ten techniques.

use super::super::Findings;
use super::super::comparison::{Band, Row};
use super::super::trial::{Samples, Trial, mean, median, mse};
use super::{CONVERGED, draw, grid, reference, train};
use groat_report::{Axis, Chart, Line, Rule, Scatter, Section};
use std::time::Instant;

const SIZES: [usize; 9] = [4, 6, 8, 10, 12, 14, 16, 20, 24];
const QUICK_SIZES: [usize; 3] = [6, 8, 14];

/// What is expected at one size.
#[derive(Clone, Copy)]
enum Expected {
    /// Mean, and one standard error of the mean of 100 realisations; four of them are allowed.
    Mean(f64, f64),
    /// Mean, and the share of it that is allowed.
    Share(f64, f64),
    /// The mean of a technique that does as well as the reference.
    Converged,
    /// Median: the mean has heavy tails.
    Median(f64),
    /// Decided by rounding: no number can be given.
    Open,
}

use Expected::{Converged, Mean, Median, Open, Share};

/// A technique by its name in the report.
struct Technique {
    name: &'static str,
    preset: &'static str,
    settings: &'static str,
    expected: [Expected; 9],
}

const fn technique(
    name: &'static str,
    preset: &'static str,
    settings: &'static str,
    expected: [Expected; 9],
) -> Technique {
    Technique { name, preset, settings, expected }
}

/// Means of 1000 realisations by an independent program.
const TECHNIQUES: [Technique; 10] = [
    technique(
        "KLMS",
        "klms-reduce",
        "",
        [
            Open,
            Mean(6.3e-3, 5e-4),
            Mean(6.9e-3, 3e-4),
            Mean(1.91e-4, 1.4e-5),
            Mean(4.56e-5, 2.9e-6),
            Mean(4.70e-5, 3.2e-6),
            Converged,
            Converged,
            Converged,
        ],
    ),
    technique(
        "MKLMS",
        "mklms-reduce",
        "",
        [
            Mean(1.27e-2, 6e-4),
            Mean(4.3e-3, 2e-4),
            Mean(8.5e-4, 5e-5),
            Mean(2.28e-4, 1.4e-5),
            Mean(8.8e-5, 5e-6),
            Mean(5.65e-5, 3.8e-6),
            Converged,
            Converged,
            Converged,
        ],
    ),
    technique(
        "LS",
        "ls-reduce",
        "",
        [
            Mean(1.45e-2, 7e-4),
            Mean(5.7e-3, 4e-4),
            Mean(8.2e-4, 5e-5),
            Mean(1.84e-4, 1.2e-5),
            Mean(6.4e-5, 4e-6),
            Mean(4.99e-5, 3.6e-6),
            Converged,
            Converged,
            Converged,
        ],
    ),
    technique(
        "LS reg.",
        "lsr-reduce",
        "penalty=1e-6",
        [
            Mean(1.45e-2, 7e-4),
            Mean(5.7e-3, 4e-4),
            Mean(8.2e-4, 5e-5),
            Mean(1.72e-4, 1.2e-5),
            Mean(6.3e-5, 4e-6),
            Mean(5.07e-5, 3.6e-6),
            Converged,
            Converged,
            Converged,
        ],
    ),
    technique(
        "FKLMS",
        "fklms-reduce",
        "",
        [
            Mean(8.6e-2, 5e-3),
            Mean(3.5e-2, 3e-3),
            Mean(7.2e-3, 8e-4),
            Mean(1.19e-3, 1.1e-4),
            Mean(4.0e-4, 3e-5),
            Mean(2.4e-4, 2e-5),
            Mean(1.68e-4, 1.1e-5),
            Mean(1.29e-4, 9e-6),
            Mean(1.17e-4, 1.2e-5),
        ],
    ),
    technique(
        "FMKLMS",
        "fmklms-reduce",
        "",
        [
            Mean(1.28e-2, 5e-4),
            Mean(6.7e-3, 3e-4),
            Mean(2.4e-3, 2e-4),
            Mean(1.05e-3, 7e-5),
            Mean(6.3e-4, 4e-5),
            Mean(4.3e-4, 2e-5),
            Mean(3.2e-4, 2e-5),
            Mean(1.92e-4, 1e-5),
            Mean(1.36e-4, 8e-6),
        ],
    ),
    technique(
        "A7a",
        "afklms-reduce",
        "",
        [
            Open,
            Mean(6.3e-3, 5e-4),
            Mean(7.0e-3, 3e-4),
            Mean(4.0e-4, 3e-5),
            Mean(3.2e-4, 3e-5),
            Median(2.8e-4),
            Median(3.3e-4),
            Median(2.8e-4),
            Median(3.1e-4),
        ],
    ),
    technique(
        "A7b",
        "afmklms-reduce",
        "",
        [
            Mean(2.1e-2, 1e-3),
            Mean(9.6e-3, 6e-4),
            Mean(2.9e-3, 2e-4),
            Mean(8.9e-4, 7e-5),
            Mean(6.2e-4, 5e-5),
            Mean(5.2e-4, 4e-5),
            Mean(3.8e-4, 3e-5),
            Mean(3.0e-4, 2e-5),
            Mean(2.7e-4, 2e-5),
        ],
    ),
    technique(
        "NT",
        "number-truncation",
        "",
        [
            Share(1.67e-2, 0.1),
            Share(1.70e-2, 0.1),
            Share(1.76e-2, 0.1),
            Share(1.80e-2, 0.1),
            Share(1.74e-2, 0.1),
            Share(1.50e-2, 0.1),
            Share(1.15e-2, 0.1),
            Share(5.5e-3, 0.1),
            Share(4.2e-3, 0.1),
        ],
    ),
    technique(
        "AT",
        "number-truncation",
        "cost=oldest",
        [
            Share(0.143, 0.08),
            Share(0.135, 0.08),
            Share(0.129, 0.08),
            Share(0.123, 0.08),
            Share(0.117, 0.08),
            Share(0.111, 0.08),
            Share(0.106, 0.08),
            Share(0.098, 0.08),
            Share(0.090, 0.08),
        ],
    ),
];

/// What the penalty may change: 8 %. That was seen on means of 1000 realisations; with 100, the line at N_max 10
/// falls below it for some seeds, and is then reported as outside.
const PENALTY_BAND: Band = Band { low: 0.92, high: 1.08 };

/// Error and seconds of one run.
#[derive(Clone, Copy, Default)]
struct Run {
    mse: f64,
    seconds: f64,
}

/// All runs of all realisations: `runs[realisation][technique][size]`, and the reference of each realisation.
struct Runs<'a> {
    sizes: &'a [usize],
    reference: Vec<f64>,
    runs: Vec<Vec<Vec<Run>>>,
}

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let sizes: &[usize] = if trial.quick { &QUICK_SIZES } else { &SIZES };
    let grid = grid();
    let realise = |_, generator: &mut _| {
        let samples = draw(generator);
        let reference = mse(&reference(&samples)?, &grid)?;
        let techniques = TECHNIQUES.iter().map(|t| t.runs(sizes, &samples, &grid));
        Ok((reference, techniques.collect::<anyhow::Result<Vec<_>>>()?))
    };
    let (reference, runs) = trial.realise("sinc, fixed N_max", realise)?.into_iter().unzip();
    let all = Runs { sizes, reference, runs };
    let mut rows = vec![Row::new(
        "MSE of the reference technique",
        "4.76e-5",
        mean(all.reference.iter().copied()),
        CONVERGED.widened(trial.widening()),
    )];
    for (t, technique) in TECHNIQUES.iter().enumerate() {
        rows.extend(sizes.iter().enumerate().filter_map(|(s, _)| all.row(technique, t, s, trial.widening())));
    }
    rows.extend(all.orderings());
    Ok(Findings { rows, figures: vec![all.figures()] })
}

impl Technique {
    fn runs(&self, sizes: &[usize], samples: &Samples, grid: &Samples) -> anyhow::Result<Vec<Run>> {
        let one = |size: &usize| {
            let comma = if self.settings.is_empty() { "" } else { "," };
            let settings = format!("{}{comma}budget={size}", self.settings);
            let started = Instant::now();
            let learner = train(self.preset, &settings, samples)?;
            Ok(Run { seconds: started.elapsed().as_secs_f64(), mse: mse(&learner, grid)? })
        };
        sizes.iter().map(one).collect()
    }

    fn expected(&self, size: usize) -> Expected {
        SIZES.iter().position(|n| *n == size).map_or(Open, |at| self.expected[at])
    }
}

impl Runs<'_> {
    /// The errors of a technique at a size, over the realisations.
    fn errors(&self, technique: usize, size: usize) -> impl Iterator<Item = f64> + '_ {
        self.runs.iter().map(move |runs| runs[technique][size].mse)
    }

    /// The mean error of a technique by name at a size, where both were run.
    fn mean(&self, name: &str, size: usize) -> Option<f64> {
        let technique = TECHNIQUES.iter().position(|t| t.name == name)?;
        let size = self.sizes.iter().position(|n| *n == size)?;
        Some(mean(self.errors(technique, size)))
    }

    fn row(&self, technique: &Technique, t: usize, s: usize, widening: f64) -> Option<Row> {
        let size = self.sizes[s];
        let (band, ours) = match technique.expected(size) {
            Mean(value, error) => (Band::about(value, 4.0 * error / value), mean(self.errors(t, s))),
            Share(value, share) => (Band::about(value, share), mean(self.errors(t, s))),
            Converged => (CONVERGED, mean(self.errors(t, s))),
            Median(value) => (Band::about(value, 0.4), median(self.errors(t, s))),
            Open => return None,
        };
        let kind = if matches!(technique.expected(size), Median(_)) { "median MSE" } else { "MSE" };
        Some(Row::new(format!("{kind}, {}, N_max {size}", technique.name), "", ours, band.widened(widening)))
    }

    /// What the report claims of one technique against another.
    fn orderings(&self) -> Vec<Row> {
        let reference = mean(self.reference.iter().copied());
        let mut rows = Vec::new();
        let mut claim = |what: String, paper: &str, ours: Option<f64>, band: Band| {
            rows.extend(ours.map(|ours| Row::new(what, paper, ours, band)));
        };
        let ratio = |a: &str, b: &str, size| Some(self.mean(a, size)? / self.mean(b, size)?);
        let below_one = Band::at_most(1.0);
        for size in [6, 8] {
            claim(format!("MKLMS / KLMS at {size}"), "below 1", ratio("MKLMS", "KLMS", size), below_one);
        }
        for size in [4, 6, 8] {
            claim(format!("FMKLMS / FKLMS at {size}"), "below 1", ratio("FMKLMS", "FKLMS", size), below_one);
        }
        for size in [14, 16, 20, 24] {
            for name in ["KLMS", "MKLMS"] {
                let ours = self.mean(name, size).map(|mse| mse / reference);
                claim(
                    format!("{name} / reference at {size}"),
                    "closely in line",
                    ours,
                    Band::within(0.75, 1.25),
                );
            }
            for name in ["FKLMS", "FMKLMS"] {
                let ours = self.mean(name, size).map(|mse| mse / reference);
                claim(format!("{name} / reference at {size}"), "", ours, Band::within(2.0, 12.0));
            }
        }
        for size in SIZES.into_iter().filter(|n| *n >= 8) {
            claim(format!("LS / MKLMS at {size}"), "", ratio("LS", "MKLMS", size), Band::at_most(1.1));
            claim(format!("LS reg. / LS at {size}"), "", ratio("LS reg.", "LS", size), PENALTY_BAND);
        }
        rows
    }

    fn figures(&self) -> Section {
        let reference = mean(self.reference.iter().copied());
        let sizes = || self.sizes.iter().enumerate();
        let line = |t: usize, value: &dyn Fn(usize) -> f64| {
            Line::new(TECHNIQUES[t].name, sizes().map(|(s, n)| (*n as f64, value(s))).collect()).colour(t)
        };
        let errors = |title: &str, names: &[&str]| {
            let chosen = (0..TECHNIQUES.len()).filter(|t| names.contains(&TECHNIQUES[*t].name));
            Chart::new(title)
                .x(Axis::new("N_max"))
                .y(Axis::new("mean MSE").log())
                .layers(chosen.map(|t| line(t, &|s| mean(self.errors(t, s)))))
                .layer(Rule::horizontal("reference", reference))
        };
        let times = Chart::new("Time of 1000 presentations")
            .x(Axis::new("N_max"))
            .y(Axis::new("seconds").log())
            .layers(
                (0..TECHNIQUES.len())
                    .map(|t| line(t, &|s| mean(self.runs.iter().map(|runs| runs[t][s].seconds)))),
            );
        let paper = Scatter::new("reference of the report", vec![(24.0, 4.76e-5)]);
        Section::new("Error and time against the size of the dictionary")
            .chart(errors("Projections", &["KLMS", "MKLMS", "LS", "LS reg."]).layer(paper))
            .chart(errors("Fast projections", &["FKLMS", "FMKLMS", "A7a", "A7b"]))
            .chart(errors("Truncation", &["NT", "AT"]))
            .chart(times)
    }
}
