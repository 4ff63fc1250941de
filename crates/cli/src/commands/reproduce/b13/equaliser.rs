//! Equalisation of a nonlinear channel: `z = s + 0.5 s[n-1]`, `r = z - 0.9 z^2 + noise`; five taps of `r`, the
//! symbol two steps back is wanted. 1000 symbols to learn from, 1000 to test. The learning curves are means over
//! the realisations (system B1).

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::Line as Compared;
use super::super::trial::{Samples, Trial, mean, normal, outputs};
use super::Filter;
use groat_report::{Axis, Chart, Line, Section, number};
use rand::RngExt;
use rand_pcg::Pcg64;

const TRAIN: usize = 1000;
const TEST: usize = 1000;
const TAPS: usize = 5;
const DELAY: usize = 2;

/// A filter at a noise level, with what an independent program found.
struct Case {
    noise: f64,
    filter: Filter,
    mse: f64,
    /// Bit error rate, where it is large enough to be compared.
    errors: Option<f64>,
    size: Option<f64>,
}

const CASES: [Case; 8] = [
    Case { noise: 0.4, filter: Filter::Lms { step: 0.005 }, mse: 0.590, errors: Some(0.221), size: None },
    Case {
        noise: 0.4,
        filter: Filter::Klms { gamma: 0.1, step: 0.1 },
        mse: 0.215,
        errors: Some(0.059),
        size: None,
    },
    Case {
        noise: 0.4,
        filter: Filter::Klms { gamma: 0.5, step: 0.2 },
        mse: 0.178,
        errors: Some(0.047),
        size: None,
    },
    Case {
        noise: 0.4,
        filter: Filter::Coherence { gamma: 0.5, step: 0.1, threshold: 0.5 },
        mse: 0.215,
        errors: Some(0.052),
        size: Some(160.0),
    },
    Case { noise: 0.1, filter: Filter::Lms { step: 0.005 }, mse: 0.557, errors: Some(0.201), size: None },
    Case { noise: 0.1, filter: Filter::Klms { gamma: 0.1, step: 0.1 }, mse: 0.121, errors: None, size: None },
    Case {
        noise: 0.1,
        filter: Filter::Klms { gamma: 0.5, step: 0.2 },
        mse: 0.0177,
        errors: None,
        size: None,
    },
    Case {
        noise: 0.1,
        filter: Filter::Coherence { gamma: 0.5, step: 0.2, threshold: 0.7 },
        mse: 0.051,
        errors: None,
        size: Some(46.0),
    },
];

/// What one realisation of a case gives.
struct Run {
    curve: Vec<f64>,
    mse: f64,
    errors: f64,
    size: f64,
}

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let realise = |_, generator: &mut Pcg64| {
        let draws = [(0.4, draw(generator, 0.4)), (0.1, draw(generator, 0.1))];
        let of = |case: &Case| &draws[usize::from(case.noise != draws[0].0)].1;
        CASES.iter().map(|case| case.run(of(case))).collect::<anyhow::Result<Vec<_>>>()
    };
    let runs = trial.realise("equaliser", realise)?;
    let of = |c: usize, value: fn(&Run) -> f64| runs.iter().map(|run| value(&run[c])).collect::<Vec<f64>>();
    let mut lines = Vec::new();
    for (c, case) in CASES.iter().enumerate() {
        let (part, row) = (format!("Equaliser, noise {}", case.noise), case.filter.name());
        let line = |what: &str, ours: Estimate, numpy: f64| {
            let line = Compared::new(part.clone(), row.clone(), what, ours);
            line.beside(format!("NumPy {}", number(numpy)))
        };
        lines.push(line("MSE", Estimate::positive(&of(c, |run| run.mse)), case.mse));
        let rates = || Estimate::rate(&of(c, |run| run.errors), TEST);
        lines.extend(case.errors.map(|numpy| line("error rate", rates(), numpy)));
        lines.extend(case.size.map(|numpy| line("size", Estimate::positive(&of(c, |run| run.size)), numpy)));
    }
    // KLMS against LMS, the claim of the slides.
    for (klms, lms) in [(1, 0), (2, 0), (5, 4), (6, 4)] {
        let part = format!("Equaliser, noise {}", CASES[klms].noise);
        let row = format!("{} / LMS", CASES[klms].filter.name());
        let both = |value: fn(&Run) -> f64| (of(klms, value), of(lms, value));
        let (mse, errors) = (both(|run| run.mse), both(|run| run.errors));
        let ratio = |what: &str, ours: Estimate| {
            Compared::new(part.clone(), row.clone(), what, ours).claim("KLMS better than LMS", 0.0, 1.0)
        };
        lines.push(ratio("MSE", Estimate::ratio(&mse.0, &mse.1)));
        // At the lower noise KLMS often makes no error at all.
        lines.push(ratio("errors", Estimate::ratio_of_rates(&errors.0, &errors.1, TEST)));
    }
    let figures = Section::new("Equaliser: learning curves, mean of all realisations")
        .chart(chart(&runs, 0.4))
        .chart(chart(&runs, 0.1));
    Ok(Findings { lines, figures: vec![figures], beyond: Vec::new() })
}

/// Taps and symbols.
fn draw(generator: &mut Pcg64, noise: f64) -> Samples {
    let count = TRAIN + TEST + TAPS;
    let symbols: Vec<f64> = (0..count).map(|_| if generator.random::<bool>() { 1.0 } else { -1.0 }).collect();
    let received: Vec<f64> = symbols
        .windows(2)
        .map(|pair| pair[1] + 0.5 * pair[0])
        .map(|z| z - 0.9 * z * z + normal(generator, noise))
        .collect();
    // received[n] belongs to symbols[n + 1].
    let windows = received.windows(TAPS).take(TRAIN + TEST);
    let x = windows.clone().flatten().copied().collect();
    let y = (0..windows.len()).map(|first| symbols[first + TAPS - DELAY]).collect();
    Samples { x, y }
}

impl Case {
    fn run(&self, samples: &Samples) -> anyhow::Result<Run> {
        let (learner, curve) = self.filter.run(&samples.part(0, TRAIN)?)?;
        let test = samples.part(TRAIN, TRAIN + TEST)?;
        let outputs = outputs(&learner, &test)?;
        let pairs = || outputs.iter().zip(&test.y);
        Ok(Run {
            curve,
            mse: mean(pairs().map(|(f, y)| (f - y) * (f - y))),
            errors: mean(pairs().map(|(f, y)| f64::from(u8::from((*f >= 0.0) != (*y >= 0.0))))),
            size: learner.size() as f64,
        })
    }
}

/// Learning curves: the mean over realisations, and over ten samples to make the lines readable.
fn chart(runs: &[Vec<Run>], noise: f64) -> Chart {
    let lines = CASES.iter().enumerate().filter(|(_, case)| case.noise == noise).map(|(c, case)| {
        let at = |block: usize| {
            mean(runs.iter().flat_map(|run| run[c].curve[10 * block..10 * block + 10].iter().copied()))
        };
        let line =
            Line::new(case.filter.name(), (0..TRAIN / 10).map(|b| (10.0 * b as f64 + 5.0, at(b))).collect());
        let line = line.colour(case.filter.colour());
        // Of two with the colour of KLMS, the one with the wider kernel is dashed.
        if matches!(case.filter, Filter::Klms { gamma, .. } if gamma < 0.5) { line.dashed() } else { line }
    });
    Chart::new(format!("Noise {noise}"))
        .x(Axis::new("symbol"))
        .y(Axis::new("mean squared error").log().range(0.01, 2.0))
        .layers(lines)
}
