//! What an experiment is given: how many realisations, which seed, where the data are.

use super::data;
use crate::output::progress::Bar;
use groat::batch::Watch;
use groat::data::{ReadOptions, Table, read_table};
use groat::online::{Learner, Settings, presets};
use groat::{Kernel, Rows};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A run of an experiment.
pub struct Trial<'a> {
    /// Realisations of random experiments.
    pub realisations: usize,
    /// The short form.
    pub quick: bool,
    pub seed: u64,
    /// Folder with the data sets, if there is one.
    pub data: Option<PathBuf>,
    pub bar: &'a Bar<'a>,
    /// What goes before everything that the bar shows.
    pub label: &'a str,
    /// Whether parts are run that no seed changes, and figures drawn.
    pub fixed: bool,
    /// Folder to write random splits and samples to instead of running the experiment.
    pub draws: Option<&'a Path>,
    /// File with the results of other programs.
    pub peers: Option<&'a Path>,
}

impl Trial<'_> {
    /// Runs `work` once per realisation, in parallel; realisation `r` draws from a generator seeded by (seed, r).
    pub fn realise<T: Send>(
        &self,
        what: &str,
        work: impl Fn(usize, &mut Pcg64) -> anyhow::Result<T> + Sync,
    ) -> anyhow::Result<Vec<T>> {
        let done = AtomicU64::new(0);
        let one = |r: usize| {
            if self.bar.stop_requested() {
                return Err(groat::Error::Stopped.into());
            }
            let result = work(r, &mut generator(self.seed, r as u64));
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            self.show(what, count, self.realisations as u64);
            result
        };
        (0..self.realisations).into_par_iter().map(one).collect()
    }

    /// Shows how far a part of the work is.
    pub fn show(&self, what: &str, done: u64, total: u64) {
        self.bar.show(format!("{}{what}", self.label), done, Some(total));
    }

    /// Reads a file of a data set, or says how to get it.
    pub fn read(&self, set: &str, file: &str) -> anyhow::Result<Result<Table, String>> {
        self.find(&Path::new(set).join(file)).map_or_else(
            || Ok(Err(data::help(set, file))),
            |path| Ok(Ok(read_table(path, &ReadOptions::default())?)),
        )
    }

    /// Reads a data set, or says how to get it.
    pub fn table(&self, set: &str) -> anyhow::Result<Result<Table, String>> {
        self.read(set, "data.csv.gz")
    }

    /// A file of the data folder, in it or in a folder `data` in it.
    pub fn find(&self, file: &Path) -> Option<PathBuf> {
        let folder = self.data.as_ref()?;
        [folder.join(file), folder.join("data").join(file)].into_iter().find(|path| path.is_file())
    }
}

/// Independent generators for the realisations of one seed (the mixing function of SplitMix64).
fn generator(seed: u64, realisation: u64) -> Pcg64 {
    let mut z = seed.wrapping_add(realisation.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Pcg64::seed_from_u64(z ^ (z >> 31))
}

/// A draw from the normal distribution with mean 0 and this deviation (Box and Muller).
pub fn normal(generator: &mut Pcg64, deviation: f64) -> f64 {
    let (u, v): (f64, f64) = (generator.random(), generator.random());
    // 1 - u is never 0.
    deviation * (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Inputs and targets.
#[derive(Clone, Default)]
pub struct Samples {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

impl Samples {
    /// Every `lags` values of a series, oldest first, with the value that follows.
    pub fn embed(series: &[f64], lags: usize) -> Self {
        let windows = series.windows(lags + 1);
        let x = windows.clone().flat_map(|w| &w[..lags]).copied().collect();
        Self { x, y: windows.map(|w| w[lags]).collect() }
    }

    /// Features of a sample.
    pub fn width(&self) -> usize {
        self.x.len() / self.y.len().max(1)
    }

    /// Samples `from` to `to`.
    pub fn part(&self, from: usize, to: usize) -> anyhow::Result<Self> {
        let d = self.width();
        anyhow::ensure!(from <= to && to <= self.y.len(), "{} samples are too few", self.y.len());
        Ok(Self { x: self.x[from * d..to * d].to_vec(), y: self.y[from..to].to_vec() })
    }

    /// The inputs as rows.
    pub fn rows(&self) -> groat::Result<Rows<'_>> {
        Rows::new(&self.x, self.width())
    }
}

/// A preset with its settings, ready to learn.
pub fn learner(algorithm: &str, kernel: &str, features: usize, settings: &str) -> anyhow::Result<Learner> {
    let kernel: Kernel = kernel.parse()?;
    let kernel = presets::find(algorithm)?.takes_kernel().then_some(&kernel);
    Ok(Learner::new(algorithm, kernel, features, &settings.parse::<Settings>()?)?)
}

/// Learns the samples in order; the squared errors before each step.
pub fn learn(learner: &mut Learner, samples: &Samples) -> anyhow::Result<Vec<f64>> {
    let steps = learner.learn_many(samples.rows()?, &samples.y)?;
    Ok(steps.iter().map(|step| step.error * step.error).collect())
}

/// Outputs at the samples, one after the other (realisations already take all threads).
pub fn outputs(learner: &Learner, samples: &Samples) -> anyhow::Result<Vec<f64>> {
    let rows = samples.rows()?;
    Ok(rows.iter().map(|x| learner.predict_one(x)).collect::<groat::Result<_>>()?)
}

/// Mean squared error at the samples.
pub fn mse(learner: &Learner, samples: &Samples) -> anyhow::Result<f64> {
    let errors = outputs(learner, samples)?.into_iter().zip(&samples.y).map(|(f, y)| (f - y) * (f - y));
    Ok(errors.sum::<f64>() / samples.y.len() as f64)
}

/// The mean.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (count, sum) = values.into_iter().fold((0, 0.0), |(n, sum), v| (n + 1, sum + v));
    sum / f64::from(count)
}

/// The median; the upper one of two.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The mean squared deviation from the mean.
pub fn variance(values: &[f64]) -> f64 {
    let centre = mean(values.iter().copied());
    mean(values.iter().map(|v| (v - centre) * (v - centre)))
}
