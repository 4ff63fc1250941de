//! Rows without answers, as typed: which columns to take and how.

use super::{DataArgs, KernelArg};
use clap::Args;
use groat::features::LandmarkRule;
use groat::settings::Bytes;
use groat::tune::SupportRule;
use std::path::PathBuf;

/// Rows to look at.
#[derive(Args, Debug)]
pub struct PointArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Columns to take [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub features: Vec<String>,
    /// Columns to leave out
    #[arg(long, alias = "drop", value_name = "NAME,...", value_delimiter = ',', conflicts_with = "features")]
    pub exclude: Vec<String>,
    /// Take features as they are instead of bringing each to mean 0 and deviation 1
    #[arg(long)]
    pub no_standardise: bool,
    /// Kernel, e.g. `gaussian`, `matern52:width=2`; a width not given is the median distance of the rows
    #[arg(long, value_name = "KERNEL", default_value = "gaussian")]
    pub kernel: KernelArg,
}

/// Choose how far a kernel with compact support reaches.
#[derive(Args, Debug)]
#[command(after_help = "\
Prints alignment (how much of the full kernel matrix the sparse one still tells) and the share of zeros for \
supports of all sizes, and the support that a rule chooses.

Examples:
  groat tune-support map.csv --exclude height --kernel gaussian:width=0.5
  groat tune-support map.csv --exclude height --rule sparsity=0.99 --report support.html
      The best aligned matrix with 99 % zeros; a page with the curves and pictures of the matrix
  groat tune-support big.csv --rule memory=2GiB --json")]
pub struct TuneSupportArgs {
    #[command(flatten)]
    pub points: PointArgs,
    /// auto, alignment=MU, sparsity=TAU, combined=GAMMA (largest alignment + GAMMA x share of zeros), memory=SIZE,
    /// or a support
    #[arg(long, value_name = "RULE", default_value = "auto")]
    pub rule: SupportRule,
    /// With `auto`: memory that the matrix may take, e.g. 2GiB
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// Also reorder the matrix, by reverse Cuthill-McKee and by minimum degree, and tell bandwidth and fill
    #[arg(long)]
    pub orders: bool,
    /// Write a page with charts, pictures of the matrix among them
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// Find the principal components of rows in the feature space of a kernel.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat pca cells.csv --components 3 --scores scores.csv
  groat pca big.csv --rank 500 --components 10
      A million rows through 500 landmarks, in one pass
  groat pca big.csv --rank 50 --stream -o big.safetensors
      A file that does not fit memory; `groat predict big.safetensors big.csv` gives the components of its rows
  groat pca map.csv --support sparsity=0.99 -o map.safetensors
      On a sparse matrix; `groat predict map.safetensors new.csv` gives the components of new rows")]
pub struct PcaArgs {
    #[command(flatten)]
    pub points: PointArgs,
    /// Number of components
    #[arg(short = 'k', long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub components: u32,
    /// Take the origin of the feature space as it is instead of the mean of the rows
    #[arg(long)]
    pub no_centre: bool,
    /// Distance from which on the kernel is zero: a number, `auto`, or a rule as for tune-support
    #[arg(long, value_name = "SUPPORT")]
    pub support: Option<SupportRule>,
    /// Through so many landmarks, or random features, instead of the kernel matrix of all rows: for very many rows
    #[arg(long, value_name = "M", conflicts_with = "support", value_parser = clap::value_parser!(u32).range(1..))]
    pub rank: Option<u32>,
    /// With --rank, which rows become landmarks: pivoted, uniform, kmeans++ or leverage
    #[arg(long, value_name = "RULE", requires = "rank")]
    pub landmarks: Option<LandmarkRule>,
    /// With --rank, go through random Fourier features instead of landmarks
    #[arg(long, requires = "rank", conflicts_with = "landmarks")]
    pub random: bool,
    /// With --rank, read the data batch by batch, twice, instead of holding them: for files that do not fit memory
    /// [default: when the file is larger than an eighth of --memory]
    #[arg(long, requires = "rank", conflicts_with = "scores")]
    pub stream: bool,
    /// Memory that the matrix may take, e.g. 2GiB
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// Model file to write
    #[arg(short, long, visible_alias = "out", value_name = "FILE", help_heading = "Writing")]
    pub output: Option<PathBuf>,
    /// Table of the rows' components to write, .csv, .tsv or .parquet
    #[arg(long, value_name = "FILE", help_heading = "Writing")]
    pub scores: Option<PathBuf>,
    /// Also write a page with charts
    #[arg(long, value_name = "FILE.html", help_heading = "Writing")]
    pub report: Option<PathBuf>,
}
