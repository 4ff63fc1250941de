//! Boston housing: 456 rows to learn from, 50 to test.

use super::super::Findings;
use super::super::comparison::{Band, Row};
use super::super::trial::{Trial, mean};
use super::peers::Peers;
use super::sets::{Part, Set, unit_range};
use super::{spread, with_deviation};
use groat::batch::forward::{Ols, Penalty};
use groat::batch::{Fitted, KernelRidge, Method, Problem, Quiet, Search};
use groat::data::Standardisation;
use groat::{Kernel, Model};
use groat_report::{Axis, Chart, Line, Section};
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// Widths that the fresh lines choose from, on inputs scaled to 0..1.
const WIDTHS: [f64; 5] = [0.5, 0.7, 1.0, 1.4, 2.0];
/// Training sets, apart from those of the test, that choose it.
const CHOOSERS: u64 = 5;

struct Run {
    terms: f64,
    train: f64,
    test: f64,
}

pub fn run(trial: &Trial<'_>, peers: &Peers) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let set = match Set::load(trial, "boston_housing")? {
        Ok(set) => set,
        Err(why) => {
            findings.rows.push(Row::missing("Boston housing", why));
            return Ok(findings);
        }
    };
    let widen = trial.widening();
    let raw = stored(trial, &set, false, paper(100.0, 0))?;
    findings.rows.extend(lines(
        "Boston, agreement: raw inputs, width 100, literal stop",
        true,
        &raw,
        |what| peers.get(&format!("boston/raw/{what}")),
        |what| match what {
            "terms" => Band::within(45.0, 54.0).widened(widen),
            "training" => Band::about(14.48, 0.08).widened(widen),
            _ => Band::within(16.5, 19.5).widened(widen),
        },
    ));
    let scaled = stored(trial, &set, true, paper(1.0, 5))?;
    findings.rows.extend(lines(
        "Boston, agreement: inputs in 0..1, width 1, patience 5",
        false,
        &scaled,
        |what| peers.get(&format!("boston/scaled/{what}")),
        |what| match what {
            "terms" => Band::within(68.0, 83.0).widened(widen),
            "training" => Band::about(5.99, 0.05).widened(widen),
            _ => Band::within(9.6, 11.1).widened(widen),
        },
    ));
    findings.extend(fresh(trial, &set, peers)?);
    Ok(findings)
}

/// The paper's method as far as it is known: no constant, one small penalty, evidence passes.
fn paper(width: f64, patience: usize) -> Ols {
    Ols::new(Kernel::gaussian(width)).bias(false).penalty(Penalty::Absolute(1e-6)).patience(patience)
}

fn fit(train: &Part, settings: &Ols) -> anyhow::Result<Fitted> {
    Ok(settings.fit(&Problem::regression(train.x.view(), &train.y)?, &Quiet)?)
}

fn mse(model: &Model, part: &Part) -> anyhow::Result<f64> {
    let values = model.values(part.x.view())?;
    Ok(mean(values.data().iter().zip(&part.y).map(|(f, y)| (f - y).powi(2))))
}

fn stored(trial: &Trial<'_>, set: &Set, scale: bool, settings: Ols) -> anyhow::Result<Vec<Run>> {
    trial.realise("Boston housing", |r, _| {
        let (mut train, mut test) = set.parts(&set.splits[r % set.splits.len()]);
        if scale {
            unit_range(&mut train, &mut test);
        }
        let model = fit(&train, &settings)?.model;
        Ok(Run { terms: model.size() as f64, train: mse(&model, &train)?, test: mse(&model, &test)? })
    })
}

/// Terms, training and test error with their bands, beside the paper's numbers where they can be compared.
fn lines<'p>(
    what: &str,
    comparable: bool,
    runs: &[Run],
    peer: impl Fn(&str) -> &'p str,
    band: impl Fn(&str) -> Band,
) -> Vec<Row> {
    let part = |name: &'static str, paper: &str, value: fn(&Run) -> f64| {
        let (mean, deviation) = spread(runs, value);
        let title = with_deviation(&format!("{what}: {name}"), deviation);
        let paper = if comparable { paper.to_owned() } else { format!("{paper}, other scaling") };
        Row::new(title, paper, mean, band(name)).beside(peer(name))
    };
    vec![
        part("terms", "58.6 ± 11.3", |r| r.terms),
        part("training", "12.97 ± 2.66", |r| r.train),
        part("test", "17.42 ± 4.67 (SVM 23.18)", |r| r.test),
    ]
}

/// New splits; the width by leave-one-out on other training sets, inputs in 0..1, patience 5.
fn fresh(trial: &Trial<'_>, set: &Set, peers: &Peers) -> anyhow::Result<Findings> {
    let mut scores = [0.0; WIDTHS.len()];
    for chooser in 0..CHOOSERS {
        let mut generator = Pcg64::seed_from_u64(trial.seed ^ (0xb05 + chooser));
        let (mut train, mut test) = set.fresh(&mut generator);
        unit_range(&mut train, &mut test);
        for (score, width) in scores.iter_mut().zip(WIDTHS) {
            *score += fit(&train, &paper(width, 5))?.leave_one_out.map_or(f64::INFINITY, |l| l.mean_squared);
        }
    }
    let best = (0..WIDTHS.len()).min_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
    let width = WIDTHS[best];
    let runs = trial.realise("Boston housing, fresh", |_, generator| {
        let (mut train, mut test) = set.fresh(generator);
        let ridge = ridge(&train, &test)?;
        unit_range(&mut train, &mut test);
        let fitted = fit(&train, &paper(width, 5))?;
        let terms = fitted.model.size() as f64;
        Ok((Run { terms, train: ridge, test: mse(&fitted.model, &test)? }, fitted))
    })?;
    let (test, deviation) = spread(&runs, |r| r.0.test);
    let (ridge, _) = spread(&runs, |r| r.0.train);
    let (terms, _) = spread(&runs, |r| r.0.terms);
    let mut findings = Findings::default();
    let what = format!("Boston, fresh: inputs in 0..1, width {width} by leave-one-out: test");
    let beside = format!("(kernel ridge, same splits: {})", groat_report::number(ridge));
    let row = Row::new(with_deviation(&what, deviation), beside, test, Band::at_most(1.2 * ridge));
    findings.rows.push(row.beside(peers.get("boston/fresh/test")));
    let row = Row::new("Boston, fresh: terms", "58.6 ± 11.3, other scaling", terms, Band::at_most(90.0));
    findings.rows.push(row.beside(peers.get("boston/fresh/terms")));
    if let Some((_, fitted)) = runs.first() {
        findings.figures.push(Section::new("Boston housing: growth of a model").chart(growth(fitted)));
    }
    Ok(findings)
}

/// Kernel ridge regression at fixed settings on standardised inputs: the test error.
fn ridge(train: &Part, test: &Part) -> anyhow::Result<f64> {
    let standardisation = Standardisation::fit(train.x.view())?;
    let mut x = train.x.clone();
    standardisation.apply(&mut x)?;
    let settings = KernelRidge {
        kernel: Kernel::gaussian(3.5),
        widths: Search::Fixed,
        ridge: 0.1,
        ridges: Search::Fixed,
        ..KernelRidge::default()
    };
    let model = settings.fit(&Problem::regression(x.view(), &train.y)?, &Quiet)?.model;
    mse(&model.with_standardisation(Some(standardisation))?, test)
}

fn growth(fitted: &Fitted) -> Chart {
    let curve = |value: fn(&groat::batch::Stage) -> f64| {
        fitted.stages.iter().enumerate().map(|(i, s)| ((i + 1) as f64, value(s))).collect::<Vec<_>>()
    };
    Chart::new("Error against the number of terms")
        .describe("Leave-one-out and training error after each term of the final pass, first fresh split")
        .x(Axis::new("terms"))
        .y(Axis::new("mean square error").log())
        .layer(Line::new("leave-one-out", curve(|s| s.leave_one_out)))
        .layer(Line::new("training", curve(|s| s.training)).dashed())
}
