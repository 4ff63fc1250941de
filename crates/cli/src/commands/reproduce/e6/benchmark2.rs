//! Benchmark 2: a bilinear series with an adaptive coherence threshold, figures 1 and 2.
//!
//! The series as printed leaves open what the input is, and its start y = 10 is an unstable fixed point, so that
//! about half of all trajectories diverge; those are drawn again. What is accepted is stated in the rows.

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::Line as Compared;
use super::super::paper::Printed;
use super::super::trial::{Samples, Trial, learn, learner, mean, normal};
use super::reading;
use groat_report::{Axis, Chart, Line, Scatter, Section, Shape, number};
use rand_pcg::Pcg64;

const KERNEL: &str = "gaussian:gamma=5";
const BUDGET: usize = 20;
/// Samples after which the coherence is read (figure 1).
const READ_AT: usize = 200;
/// Samples over which prediction errors are compared (figure 2).
const LATE: std::ops::Range<usize> = 150..230;
const SAMPLES: usize = 230;
/// A trajectory that leaves this range has diverged.
const DIVERGED: f64 = 1e3;

/// What the input of a sample is.
#[derive(Clone, Copy)]
enum Input {
    /// Past observations.
    Lags(usize),
    /// The last observation and the present excitation.
    LagAndExcitation,
}

/// What one realisation gives for one kind of input.
struct Run {
    /// Coherence after each sample.
    coherence: Vec<f64>,
    /// Whether the coherence rose once the dictionary was full.
    rose: bool,
    coherent_errors: Vec<f64>,
    spl_errors: Vec<f64>,
}

const INPUTS: [(Input, &str); 4] = [
    (Input::Lags(12), "12 lags"),
    (Input::Lags(2), "2 lags"),
    (Input::Lags(1), "1 lag"),
    (Input::LagAndExcitation, "lag and u"),
];

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let realise = |_, generator: &mut Pcg64| {
        let (observed, excitation) = draw(generator);
        INPUTS.iter().map(|(input, _)| Run::new(&input.samples(&observed, &excitation))).collect()
    };
    let runs: Vec<Vec<Run>> = trial.realise("SPL, benchmark 2", realise)?;
    let of = |i: usize| runs.iter().map(move |realisation| &realisation[i]);
    let rises = runs.iter().flatten().filter(|run| run.rose).count();
    let (part, full) = ("Benchmark 2", Estimate::exact(rises as f64));
    let what = "runs whose coherence rises once the dictionary is full";
    let mut lines = vec![Compared::new(part, "all inputs", what, full).claim("never: a theorem", 0.0, 0.0)];
    for (i, (_, name)) in INPUTS.iter().enumerate() {
        let after: Vec<f64> = of(i).map(|run| run.coherence[READ_AT - 1]).collect();
        let line = Compared::new(part, *name, "mean coherence after 200", Estimate::positive(&after));
        // Section 4, on figure 1: the mean of ten simulations. The other inputs cannot come near it.
        let paper = Printed::new("1.5").times(-4).runs(10);
        lines.push(if i == 0 { line.printed(paper) } else { line });
    }
    for (i, (_, name)) in INPUTS.iter().enumerate().skip(1) {
        let late = |errors: &[f64]| mean(errors[LATE].iter().copied());
        let coherent: Vec<f64> = of(i).map(|run| late(&run.coherent_errors)).collect();
        let spl: Vec<f64> = of(i).map(|run| late(&run.spl_errors)).collect();
        let what = "coherence SPL / SPL, squared error of samples 150-230";
        let line = Compared::new(part, *name, what, Estimate::ratio(&coherent, &spl));
        // Section 4, on figure 2.
        lines.push(line.claim("quite the same", 0.75, 1.25));
    }
    let at = |t: usize| mean(of(1).map(|run| run.coherence[t - 1]));
    let beyond = vec![format!(
        "The adaptive threshold falls slowly where the input has few dimensions: with two past values the mean coherence is {} \
         after 50 samples, {} after 100 and {} after 200; it cannot rise again once the dictionary is full.",
        number(at(50)),
        number(at(100)),
        number(at(200))
    )];
    let section = Section::new("Benchmark 2").chart(figure1(&runs)).chart(figure2(&runs));
    Ok(Findings { lines, figures: vec![section], beyond })
}

/// Observations and excitations of a trajectory that does not diverge.
fn draw(generator: &mut Pcg64) -> (Vec<f64>, Vec<f64>) {
    let (excite, observe) = (0.1_f64.sqrt(), 0.05_f64.sqrt());
    let length = SAMPLES + 12;
    loop {
        let (mut y, mut observed, mut excitation) = (10.0, Vec::new(), Vec::new());
        while observed.len() < length && f64::abs(y) < DIVERGED {
            let u = normal(generator, excite);
            if !observed.is_empty() {
                y = 0.5 * y + 0.3 * y * u + 0.2 * u + 0.05 * y * y + 0.6 * u * u;
            }
            observed.push(y + normal(generator, observe));
            excitation.push(u);
        }
        if f64::abs(y) < DIVERGED {
            return (observed, excitation);
        }
    }
}

impl Input {
    /// The first [`SAMPLES`] samples.
    fn samples(self, observed: &[f64], excitation: &[f64]) -> Samples {
        let lags = if let Input::Lags(lags) = self { lags } else { 1 };
        let mut samples = Samples::embed(&observed[..SAMPLES + lags], lags);
        if let Input::LagAndExcitation = self {
            samples.x = samples.x.iter().zip(&excitation[1..]).flat_map(|(x, u)| [*x, *u]).collect();
        }
        samples
    }
}

impl Run {
    fn new(samples: &Samples) -> anyhow::Result<Self> {
        let settings = format!("eta=0.2,mu0=adaptive,budget={BUDGET}");
        let mut coherent = learner("spl-coherence", KERNEL, samples.width(), &settings)?;
        let (mut coherence, mut coherent_errors, mut rose) = (Vec::new(), Vec::new(), false);
        for (x, y) in samples.rows()?.iter().zip(&samples.y) {
            let was_full = coherent.size() == BUDGET;
            coherent_errors.push(coherent.learn_one(x, *y)?.error.powi(2));
            let now = reading(&coherent, "coherence");
            rose |= was_full && coherence.last().is_some_and(|before| now > *before);
            coherence.push(now);
        }
        let mut spl = learner("spl", KERNEL, samples.width(), "eta=0.2")?;
        Ok(Self { coherence, rose, coherent_errors, spl_errors: learn(&mut spl, samples)? })
    }
}

/// A curve averaged over the realisations.
fn averaged(name: &str, runs: &[Vec<Run>], input: usize, values: fn(&Run) -> &[f64]) -> Line {
    let at = |t: usize| mean(runs.iter().map(|realisation| values(&realisation[input])[t]));
    Line::new(name, (0..SAMPLES).map(|t| (t as f64 + 1.0, at(t))).collect())
}

fn figure1(runs: &[Vec<Run>]) -> Chart {
    let lines = INPUTS.iter().enumerate().map(|(i, (_, name))| averaged(name, runs, i, |run| &run.coherence));
    Chart::new("Figure 1: mean coherence of the dictionary")
        .x(Axis::new("sample"))
        .y(Axis::new("coherence").log())
        .layers(lines)
        .layer(Scatter::new("paper, 1.5e-4 after 200", vec![(200.0, 1.5e-4)]).shape(Shape::Cross).colour(6))
}

fn figure2(runs: &[Vec<Run>]) -> Chart {
    Chart::new("Figure 2: mean squared prediction error, 2 lags")
        .x(Axis::new("sample"))
        .y(Axis::new("squared error").log())
        .layer(averaged("coherence SPL", runs, 1, |run| &run.coherent_errors).colour(8))
        .layer(averaged("SPL", runs, 1, |run| &run.spl_errors).colour(9))
}
