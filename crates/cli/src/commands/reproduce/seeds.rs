//! `--seeds`: the same experiments with other seeds, to see whether the intervals hold what they promise.
//!
//! For each line and seed, the number is compared with the mean of the same line over all other seeds, by the interval
//! that it states itself and the error of that mean. If the intervals are honest, the share of comparisons
//! beyond the interval is what the coverage leaves out. Lines of one seed share their realisations, so the share itself
//! is uncertain as a mean over the seeds is. Beside it: how often a verdict against the paper is not the one of most
//! seeds, and how many runs would have failed.

use super::answer::{Answer, Tally};
use super::estimate::{COVERAGE, Estimate};
use super::student;
use super::trial::{mean, variance};
use super::verdict::{Against, Judged};
use super::{Experiment, Purpose};
use crate::args::ReproduceArgs;
use crate::exit::Interrupted;
use crate::output::summary::aligned;
use crate::session::Session;
use groat_report::number;
use serde::Serialize;

/// What the seeds say. Field names are part of the command's interface.
#[derive(Serialize)]
struct Told {
    experiment: &'static str,
    seeds: usize,
    realisations: usize,
    coverage: f64,
    /// Lines whose numbers depend on the seed.
    lines: usize,
    /// Comparisons, and those beyond the interval.
    comparisons: usize,
    beyond: usize,
    /// Share beyond the interval, its standard error over the seeds, and the share that the coverage leaves out.
    share: f64,
    share_error: f64,
    expected: f64,
    /// Verdicts against the paper, those that are not the one of most seeds, and how many of these the errors of the
    /// lines let expect.
    verdicts: usize,
    flips: usize,
    expected_flips: f64,
    /// Runs with an unexplained or changed line.
    failed: usize,
    /// Lines that are beyond most often.
    worst: Vec<(String, usize)>,
}

/// Runs the experiments with as many seeds, beginning with that of the session.
pub fn run(
    args: &ReproduceArgs,
    chosen: &[&'static Experiment],
    seeds: u32,
    session: &Session,
) -> anyhow::Result<()> {
    let mut told = Vec::new();
    for experiment in chosen {
        let mut answers = Vec::new();
        for k in 0..seeds {
            let label = format!("{}, seed {} of {seeds}: ", experiment.name, k + 1);
            let seed = session.seed.wrapping_add(u64::from(k));
            match experiment.answer(args, Purpose::Seeds { seed, label: &label }, session) {
                Ok(answer) => answers.push(answer),
                // What was found so far is told, if it is anything.
                Err(_) if session.stop_requested() && answers.len() >= FEWEST => break,
                Err(error) => return Err(error),
            }
        }
        told.push(tell(experiment.name, &answers));
        if session.stop_requested() {
            break;
        }
    }
    session.answer(&told, || told.iter().map(Told::text).collect())?;
    if session.stop_requested() {
        return Err(Interrupted("stopped; above is what the seeds so far say".into()).into());
    }
    Ok(())
}

/// Seeds that say something about each other.
const FEWEST: usize = 3;

/// The same line with every seed.
struct Series<'a>(Vec<&'a Judged>);

impl Series<'_> {
    fn estimates(&self) -> Vec<&Estimate> {
        self.0.iter().filter_map(|judged| judged.line.found()).collect()
    }

    /// Whether the numbers depend on the seed.
    fn varies(&self) -> bool {
        let all = self.estimates();
        all.len() == self.0.len() && all[0].is_random() && all.iter().any(|e| e.value != all[0].value)
    }

    /// Whether each seed's number lies beyond the interval about the mean of the others.
    fn beyond(&self) -> Vec<bool> {
        let all = self.estimates();
        let rest = all.len() as f64 - 1.0;
        let sum: f64 = all.iter().map(|e| e.value).sum();
        let squares: f64 = all.iter().map(|e| e.plain_error().powi(2)).sum();
        let outside = |e: &&Estimate| {
            let truth = (sum - e.value) / rest;
            let error = (squares - e.plain_error().powi(2)).max(0.0).sqrt() / rest * e.scale.slope(truth);
            let gap = (e.scale.of(e.value) - e.scale.of(truth)).abs();
            gap > student::quantile(1.0 - COVERAGE, e.freedom) * e.error_towards(truth).hypot(error)
        };
        all.iter().map(outside).collect()
    }

    /// Whether each seed's number agrees; nothing where the paper gives no number.
    fn agrees(&self) -> Option<Vec<bool>> {
        let judged = |judged: &&Judged| match judged.against {
            Against::Agrees => Some(true),
            Against::Doubtful | Against::Differs | Against::Unexplained => Some(false),
            Against::Silent | Against::Quoted | Against::Missing => None,
        };
        self.0.iter().map(judged).collect()
    }

    /// The probability that one seed's verdict is not the one of most: the distances from either edge of what the paper
    /// says are taken to be normal, with their mean and deviation over the seeds.
    fn flip_probability(&self) -> f64 {
        let margins: Vec<[f64; 2]> = self.0.iter().filter_map(|judged| judged.margins()).collect();
        let limit = student::quantile(1.0 - COVERAGE, self.estimates().first().map_or(1e9, |e| e.freedom));
        let beyond = |side: usize| {
            let all: Vec<f64> = margins.iter().map(|both| both[side]).collect();
            let (centre, spread) = (mean(all.iter().copied()), variance(&all).sqrt());
            if spread > 0.0 { student::above((limit - centre) / spread) } else { 0.0 }
        };
        let differs = beyond(0) + beyond(1);
        differs.min(1.0 - differs).max(0.0)
    }
}

fn tell(experiment: &'static str, answers: &[Answer]) -> Told {
    let lines = answers.first().map_or(0, |answer| answer.lines.len());
    let series = |k: usize| Series(answers.iter().filter_map(|answer| answer.lines.get(k)).collect());
    let all: Vec<Series<'_>> = (0..lines).map(series).filter(Series::varies).collect();
    let strays: Vec<Vec<bool>> = all.iter().map(Series::beyond).collect();
    let count = |flags: &Vec<bool>| flags.iter().filter(|flag| **flag).count();
    let named = all.iter().zip(&strays).map(|(series, flags)| (series.0[0].what.clone(), count(flags)));
    let mut worst: Vec<(String, usize)> = named.filter(|(_, count)| *count > 0).collect();
    worst.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (comparisons, beyond) = (all.len() * answers.len(), strays.iter().map(count).sum());
    let of_seed = |k: usize| strays.iter().filter(|flags| flags[k]).count() as f64 / all.len().max(1) as f64;
    let share = Estimate::mean(&(0..answers.len()).map(of_seed).collect::<Vec<f64>>());
    worst.truncate(5);
    let (mut verdicts, mut flips, mut expected_flips) = (0, 0, 0.0);
    for series in &all {
        let Some(agrees) = series.agrees() else { continue };
        let yes = agrees.iter().filter(|a| **a).count();
        verdicts += agrees.len();
        flips += yes.min(agrees.len() - yes);
        expected_flips += series.flip_probability() * agrees.len() as f64;
    }
    Told {
        experiment,
        seeds: answers.len(),
        realisations: answers.first().map_or(0, |answer| answer.realisations),
        coverage: COVERAGE,
        lines: all.len(),
        comparisons,
        beyond,
        share: share.value,
        share_error: share.error,
        expected: 1.0 - COVERAGE,
        verdicts,
        flips,
        expected_flips,
        failed: answers.iter().filter(|answer| Tally::of(&answer.lines).failed()).count(),
        worst,
    }
}

impl Told {
    fn text(&self) -> String {
        let percent = |share: f64| format!("{} %", number(100.0 * share));
        let row = |name: &str, found: String, expected: String| vec![name.to_owned(), found, expected];
        let table = aligned(&[
            row(
                &format!("{}, {} seeds, {} realisations", self.experiment, self.seeds, self.realisations),
                "found".into(),
                "expected".into(),
            ),
            row(
                &format!("numbers beyond their interval, of {}", self.comparisons),
                format!("{} ({} ± {})", self.beyond, percent(self.share), percent(self.share_error)),
                percent(self.expected),
            ),
            row(
                &format!("verdicts that are not those of most seeds, of {}", self.verdicts),
                format!("{}", self.flips),
                number(self.expected_flips),
            ),
            row(
                &format!("runs that fail, of {}", self.seeds),
                format!("{}", self.failed),
                format!("at most {}", percent(self.expected)),
            ),
        ]);
        let worst =
            self.worst.iter().map(|(what, count)| format!("beyond in {count}: {what}\n")).collect::<String>();
        format!("{table}{worst}\n")
    }
}
