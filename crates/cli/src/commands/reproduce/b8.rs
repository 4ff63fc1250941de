//! B8: error against the number of features on KIN40K, for random features, orthogonal ones, landmarks by every rule, and
//! the exact machine.

use super::estimate::Estimate;
use super::line::Line as Compared;
use super::trial::{Trial, mean};
use super::{Experiment, Findings, Introduction, data};
use groat::batch::{Basis, FeatureRidge, KernelRidge, Method, Problem, Search, Watch};
use groat::data::{ReadOptions, Split, Standardisation, read_table};
use groat::features::LandmarkRule;
use groat::{Kernel, Matrix};
use groat_report::{Axis, Chart, Line, Section, Table, number};
use std::path::Path;

pub const EXPERIMENT: Experiment = Experiment {
    name: "B8",
    title: "low-rank kernel ridge regression on KIN40K: error against the number of features",
    source: "Santamaria, Van Vaerenbergh, Online and scalable kernel methods, 2022, random features and Nystrom",
    introduction: Introduction {
        claims: &[
            "Random Fourier features and Nystrom landmarks approximate the kernel matrix by a low rank, so that kernel ridge \
                   regression scales; the slides print no number for them.",
        ],
        protocol: &[
            "KIN40K, standard split, standardised features, Gaussian kernel of width 2, ridge 1e-3; error: mean square over \
                     the variance of the test targets. Every number is a mean over five draws of the features or \
                     landmarks (three in the quick form).",
            "Beside these the kernel and ridge that `groat fit --method nystrom` chooses on the training rows, with a width \
                     for each feature.",
        ],
        unclear: &[
            "Nothing is stated but the methods; the exact machine and kernel LMS on the same rows stand beside them.",
        ],
    },
    run,
};

/// Of the Gaussian kernel of standardised features, and what is added to its diagonal: near what `groat fit --method nystrom`
/// chooses on the training rows.
const WIDTH: f64 = 2.0;
const RIDGE: f64 = 1e-3;
/// Draws of features or landmarks at the most: their spread is small beside the differences between the rules.
const DRAWS: usize = 5;
const QUICK_DRAWS: usize = 3;
/// Normalised mean square errors of kernel LMS and of coherence KLMS after one pass over these 10,000 rows.
const KLMS: [f64; 2] = [0.0772, 0.193];

struct Data {
    x: Matrix,
    y: Vec<f64>,
    new: Matrix,
    truth: Vec<f64>,
}

fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let Some(data) = load(trial)? else {
        findings.lines.push(Compared::missing(PART, "", data::help("kin40k", "data.csv.gz")));
        return Ok(findings);
    };
    let sizes: &[usize] = if trial.quick { &[125, 250, 500] } else { &[250, 500, 1000, 2000] };
    let mut curves = Vec::new();
    for (k, (name, basis)) in bases().into_iter().enumerate() {
        trial.show(name, k as u64, bases().len() as u64);
        let one = |seed: u64| {
            sizes.iter().map(|&rank| data.error(&low_rank(basis.clone(), rank, seed), trial.bar)).collect()
        };
        curves.push(Curve { name, draws: draws(trial, one)? });
    }
    let tuned = draws(trial, |seed| data.tuned(sizes, seed, trial))?;
    let on_all_rows: Vec<f64> = tuned.iter().filter_map(|one| one.exact).collect();
    curves.push(Curve { name: TUNED, draws: tuned.into_iter().map(|one| one.errors).collect() });
    judge(&mut findings, &curves, sizes);
    if !trial.quick {
        findings.lines.push(Compared::new(PART, TUNED, "all rows", Estimate::positive(&on_all_rows)));
    }
    if trial.fixed {
        let exact = data.exact(Kernel::gaussian(WIDTH), RIDGE, trial.bar)?;
        findings.lines.push(Compared::new(PART, "exact machine", "all rows", Estimate::exact(exact)));
        findings.figures.push(figure(&curves, sizes, exact));
    }
    Ok(findings)
}

/// The errors of one way to make features: for each draw one for each number of features.
struct Curve {
    name: &'static str,
    draws: Vec<Vec<f64>>,
}

impl Curve {
    /// The errors of all draws with the k-th number of features.
    fn at(&self, k: usize) -> Vec<f64> {
        self.draws.iter().map(|errors| errors[k]).collect()
    }

    fn means(&self, sizes: &[usize]) -> Vec<f64> {
        (0..sizes.len()).map(|k| mean(self.at(k))).collect()
    }
}

/// Each draw has a seed of its own, and no two runs share one.
fn draws<T>(trial: &Trial<'_>, one: impl Fn(u64) -> anyhow::Result<T>) -> anyhow::Result<Vec<T>> {
    let most = if trial.quick { QUICK_DRAWS } else { DRAWS };
    let number = trial.realisations.min(most) as u64;
    (0..number).map(|r| one(trial.seed.wrapping_mul(DRAWS as u64).wrapping_add(r))).collect()
}

fn figure(curves: &[Curve], sizes: &[usize], exact: f64) -> Section {
    let mut chart = Chart::new("Error against the number of features")
        .x(Axis::new("features").log())
        .y(Axis::new("normalised mean square error").log());
    let mut table = Table::new("Normalised mean square error", head(sizes));
    for curve in curves {
        let means = curve.means(sizes);
        table = table.row(std::iter::once(curve.name.to_owned()).chain(means.iter().map(|e| number(*e))));
        chart = chart.layer(Line::new(curve.name, sizes.iter().map(|m| *m as f64).zip(means).collect()));
    }
    table = table.row(std::iter::once("exact".to_owned()).chain(sizes.iter().map(|_| number(exact))));
    let ends = [sizes[0] as f64, sizes[sizes.len() - 1] as f64];
    let flat = |name: &str, value: f64| Line::new(name, ends.iter().map(|m| (*m, value)).collect());
    chart = chart
        .layer(flat("exact", exact))
        .layer(flat("kernel LMS", KLMS[0]))
        .layer(flat("coherence KLMS", KLMS[1]));
    Section::new("KIN40K").chart(chart).table(table)
}

fn head(sizes: &[usize]) -> Vec<String> {
    std::iter::once("features".to_owned()).chain(sizes.iter().map(|m| m.to_string())).collect()
}

fn bases() -> Vec<(&'static str, Basis)> {
    vec![
        ("random features", Basis::Random { orthogonal: false, paired: true }),
        ("orthogonal random features", Basis::Random { orthogonal: true, paired: true }),
        ("landmarks, uniform", Basis::Landmarks(LandmarkRule::Uniform)),
        ("landmarks, k-means++", Basis::Landmarks(LandmarkRule::KMeans)),
        ("landmarks, leverage", Basis::Landmarks(LandmarkRule::Leverage)),
        ("landmarks, pivoted Cholesky", Basis::Landmarks(LandmarkRule::Pivoted)),
    ]
}

fn low_rank(basis: Basis, rank: usize, seed: u64) -> FeatureRidge {
    fixed(Kernel::gaussian(WIDTH), RIDGE, basis, rank, seed)
}

fn fixed(kernel: Kernel, ridge: f64, basis: Basis, rank: usize, seed: u64) -> FeatureRidge {
    FeatureRidge {
        kernel,
        widths: Search::Fixed,
        ridge,
        ridges: Search::Fixed,
        basis,
        rank,
        estimate: false,
        seed,
        ..FeatureRidge::default()
    }
}

const PART: &str = "KIN40K";
const TUNED: &str = "a width for each feature, pivoted landmarks";

/// Errors of the kernel that a fit chooses.
struct Tuned {
    /// For each number of landmarks.
    errors: Vec<f64>,
    /// On all rows, in the long form.
    exact: Option<f64>,
}

/// The lines of the comparison: every error, how far each curve falls, and landmarks over random features.
fn judge(findings: &mut Findings, curves: &[Curve], sizes: &[usize]) {
    let mut add = |row: &str, column: String, values: &[f64]| {
        findings.lines.push(Compared::new(PART, row, column, Estimate::positive(values)));
    };
    let quotients = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| a / b).collect::<Vec<f64>>();
    let last = sizes.len() - 1;
    for curve in curves {
        for (k, size) in sizes.iter().enumerate() {
            add(curve.name, format!("{size} features"), &curve.at(k));
        }
        add(curve.name, "last over first".into(), &quotients(curve.at(last), curve.at(0)));
    }
    let row = "pivoted landmarks over orthogonal random features";
    let over = quotients(curves[5].at(last), curves[1].at(last));
    add(row, format!("{} features", sizes[last]), &over);
}

impl Data {
    /// The error of the exact machine.
    fn exact(&self, kernel: Kernel, ridge: f64, watch: &dyn Watch) -> anyhow::Result<f64> {
        self.error(&KernelRidge { leave_one_out: false, ..KernelRidge::fixed(kernel, ridge) }, watch)
    }

    /// The errors with the kernel and the ridge that a fit of as many landmarks as possible chooses on the training rows.
    fn tuned(&self, sizes: &[usize], seed: u64, trial: &Trial<'_>) -> anyhow::Result<Tuned> {
        let watch = trial.bar;
        let rank = sizes[sizes.len() - 1];
        let chosen = FeatureRidge { rank, estimate: false, seed, ..FeatureRidge::default() };
        let chosen = chosen.fit(&Problem::regression(&self.x, &self.y)?, watch)?;
        let ridge = chosen.model.record().settings.get("ridge").and_then(|text| text.parse().ok());
        let (kernel, ridge) = (chosen.kernel, ridge.unwrap_or(RIDGE));
        let error = |&rank: &usize| {
            let basis = Basis::Landmarks(LandmarkRule::Pivoted);
            self.error(&fixed(kernel.clone(), ridge, basis, rank, seed), watch)
        };
        let errors = sizes.iter().map(error).collect::<anyhow::Result<_>>()?;
        let exact = (!trial.quick).then(|| self.exact(kernel.clone(), ridge, watch)).transpose()?;
        Ok(Tuned { errors, exact })
    }

    /// The normalised mean square error on the test rows.
    fn error(&self, method: &dyn Method, watch: &dyn Watch) -> anyhow::Result<f64> {
        let model = method.fit(&Problem::regression(&self.x, &self.y)?, watch)?.model;
        let answers = model.values(self.new.view())?;
        let mean = self.truth.iter().sum::<f64>() / self.truth.len() as f64;
        let squares: f64 = answers.data().iter().zip(&self.truth).map(|(a, y)| (a - y).powi(2)).sum();
        let variance: f64 = self.truth.iter().map(|y| (y - mean).powi(2)).sum();
        Ok(squares / variance)
    }
}

fn load(trial: &Trial<'_>) -> anyhow::Result<Option<Data>> {
    let (file, splits) =
        (trial.find(Path::new("kin40k/data.csv.gz")), trial.find(Path::new("kin40k/splits.csv.gz")));
    let (Some(file), Some(splits)) = (file, splits) else { return Ok(None) };
    let table = read_table(file, &ReadOptions::default())?;
    let target = table.names().len() - 1;
    let mut x = table.matrix(&table.names()[..target])?;
    let y = table.numbers(&table.names()[target])?;
    let split = Split::from_file(&format!("{}:std", splits.display()), y.len())?;
    Standardisation::fit(x.view().select(&split.train).view())?.apply(&mut x)?;
    let train = if trial.quick { &split.train[..3000] } else { &split.train[..] };
    let part = |rows: &[usize]| (x.view().select(rows), rows.iter().map(|&i| y[i]).collect::<Vec<f64>>());
    let ((a, b), (c, d)) = (part(train), part(&split.test));
    Ok(Some(Data { x: a, y: b, new: c, truth: d }))
}
