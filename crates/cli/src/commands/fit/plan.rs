//! What a call of `groat fit` means, settled before any data are read.

use crate::args::{Bytes, FitArgs, KernelArg, SelectionArgs, SupportArg, TaskArg};
use crate::evaluation::named_targets;
use crate::exit;
use crate::methods::Settings;
use crate::session::{Session, check_output};
use groat::data::{Answers, Dataset, Embedding, InputOptions, Inputs, ReadOptions, Split, Table};
use std::path::{Path, PathBuf};

/// Memory that a fit may take unless told otherwise. Data in memory take about eight times their file.
const MEMORY: u64 = 2 << 30;

/// Everything that was asked for.
pub struct Plan {
    pub data: PathBuf,
    pub reading: ReadOptions,
    target: Option<String>,
    pub task: TaskArg,
    features: Vec<String>,
    exclude: Vec<String>,
    categorical: Vec<String>,
    embedding: Option<Embedding>,
    pub standardise: bool,
    pub method: String,
    pub kernel: KernelArg,
    pub ridge: Option<f64>,
    pub support: Option<SupportArg>,
    pub solver: Option<groat::batch::Solver>,
    pub shift: bool,
    pub memory: Option<Bytes>,
    pub selection: SelectionArgs,
    pub weights: Option<String>,
    test: TestPart,
    seed: u64,
    pub model: PathBuf,
    pub loo: Option<PathBuf>,
    pub report: Option<PathBuf>,
}

/// Which rows are held out.
enum TestPart {
    Fraction(f64),
    File(String),
}

impl Plan {
    /// Checks the arguments against each other, and that there is a place for the output.
    pub fn new(args: FitArgs, session: &Session) -> anyhow::Result<Self> {
        method_knows(&args)?;
        if args.task == TaskArg::Density {
            density_is_possible(&args)?;
        }
        let embedding = args.embed.map(|lags| Embedding {
            lags: lags as usize,
            horizon: args.horizon as usize,
            feedback: !args.no_feedback,
        });
        let test = match args.split {
            Some(place) => TestPart::File(place),
            None => TestPart::Fraction(args.test.unwrap_or(0.2)),
        };
        let model = args.output.unwrap_or_else(|| default_model(&args.data.data));
        if model == Path::new("-") {
            return exit::usage("a model is not text: give --output a file name");
        }
        let outputs: Vec<&PathBuf> = std::iter::once(&model).chain(&args.report).chain(&args.loo).collect();
        if (1..outputs.len()).any(|i| outputs[..i].contains(&outputs[i])) {
            return exit::usage("--output, --report and --loo must name different files");
        }
        let mut inputs = vec![args.data.data.as_path()];
        if let TestPart::File(place) = &test {
            inputs.push(Path::new(place.rsplit_once(':').map_or(place.as_str(), |(file, _)| file)));
        }
        for output in outputs {
            check_output(output, &inputs)?;
        }
        let reading = args.data.reading.options();
        Ok(Plan {
            data: args.data.data,
            target: args.target,
            task: args.task,
            features: args.features,
            exclude: args.drop,
            categorical: args.data.reading.categorical,
            reading,
            embedding,
            standardise: !args.no_standardise,
            method: args.method,
            kernel: args.kernel,
            ridge: args.ridge,
            support: args.support,
            solver: args.solver,
            shift: args.shift,
            memory: args.memory,
            selection: args.selection,
            weights: args.weights,
            test,
            seed: session.seed,
            model,
            loo: args.loo,
            report: args.report,
        })
    }

    /// Whether the data are to be read again and again instead of being held.
    pub fn streams(&self) -> anyhow::Result<bool> {
        let obstacle = [
            ("--task density", self.task == TaskArg::Density),
            ("another --method", self.method != "ols"),
            ("--embed", self.embedding.is_some()),
            ("--split", matches!(self.test, TestPart::File(_))),
            ("--weights", self.weights.is_some()),
            ("--class-weights", self.selection.class_weights.is_some()),
            ("--loo", self.loo.is_some()),
            ("standard input", self.data == Path::new("-")),
        ]
        .into_iter()
        .find_map(|(what, there)| there.then_some(what));
        match obstacle {
            Some(what) if self.selection.stream => {
                exit::usage(format!("--stream does not go together with {what}"))
            }
            Some(_) => Ok(false),
            None => {
                let memory = self.memory.map_or(MEMORY, |memory| memory.0);
                let large = self.data.metadata().is_ok_and(|file| file.len() > memory / 8);
                Ok(self.selection.stream || large)
            }
        }
    }

    /// What a method may want to know.
    pub fn settings<'a>(&'a self, samples: &'a Dataset, seed: u64) -> Settings<'a> {
        let classes: &[String] = match samples.answers() {
            Answers::Classes { labels, .. } => labels,
            _ => &[],
        };
        Settings {
            kernel: self.kernel.for_features(samples.x().cols()),
            ridge: self.ridge,
            support: self.support,
            solver: self.solver,
            shift: self.shift,
            rows: samples.len(),
            memory: self.memory,
            selection: &self.selection,
            classes,
            seed,
        }
    }

    /// Part of the rows that is held out, chosen by seed.
    pub fn test_fraction(&self) -> f64 {
        match self.test {
            TestPart::Fraction(part) => part,
            TestPart::File(_) => 0.0,
        }
    }

    /// The columns to predict; none for a density.
    pub fn targets(&self, table: &Table) -> anyhow::Result<Vec<String>> {
        let targets = match &self.target {
            _ if self.task == TaskArg::Density => Vec::new(),
            Some(typed) => named_targets(table, typed)?,
            // A svmlight file puts the answer first and has room for no other.
            None if table.is_open() => vec![table.names()[0].clone()],
            None => {
                return exit::usage(format!(
                    "--target is missing: say which column of {} to predict ({})",
                    table.source(),
                    table.names().join(", ")
                ));
            }
        };
        let alone = [
            ("--task classification", self.task == TaskArg::Classification),
            ("--embed", self.embedding.is_some()),
        ];
        match alone.into_iter().find(|(_, asked)| *asked && targets.len() > 1) {
            Some((argument, _)) => exit::usage(format!(
                "{argument} takes one target: fit a model for each of {}",
                targets.join(", ")
            )),
            None => Ok(targets),
        }
    }

    /// Which columns to learn from.
    pub fn input_options(&self, targets: &[String]) -> InputOptions {
        // Chosen features leave the weights out by themselves.
        let weights = self.weights.iter().filter(|_| self.features.is_empty());
        InputOptions {
            targets: targets.to_vec(),
            features: self.features.clone(),
            exclude: self.exclude.iter().chain(weights).cloned().collect(),
            categorical: self.categorical.clone(),
            embedding: self.embedding,
            ..InputOptions::default()
        }
    }

    /// Training and test rows among the samples, and how they were chosen.
    pub fn split(&self, samples: usize, inputs: &Inputs) -> anyhow::Result<(Split, String)> {
        match &self.test {
            TestPart::Fraction(0.0) => {
                Ok((Split { train: (0..samples).collect(), test: Vec::new() }, "no test part".into()))
            }
            TestPart::Fraction(part) if inputs.embedding().is_some() => {
                Ok((Split::last(samples, *part)?, format!("the last {}% of the series", 100.0 * part)))
            }
            TestPart::Fraction(part) => {
                let how = format!("{}% at random, seed {}", 100.0 * part, self.seed);
                Ok((Split::fraction(samples, *part, self.seed)?, how))
            }
            TestPart::File(place) => {
                let lost = inputs.lost_rows();
                let split = Split::from_file(place, samples + lost)?;
                // The first rows of an embedded series have no sample.
                let moved =
                    |rows: Vec<usize>| rows.into_iter().filter_map(|row| row.checked_sub(lost)).collect();
                let split = Split { train: moved(split.train), test: moved(split.test) };
                Ok((split, format!("as {place} says")))
            }
        }
    }
}

/// Nothing that was typed is passed over in silence because the method or the task has no use for it.
fn method_knows(args: &FitArgs) -> anyhow::Result<()> {
    let lssvm =
        [("--support", args.support.is_some()), ("--solver", args.solver.is_some()), ("--shift", args.shift)];
    let lssvm = lssvm.into_iter().find_map(|(argument, given)| given.then_some(argument));
    match (args.method.as_str(), args.selection.given(), lssvm) {
        (method, Some(argument), _) if method != "ols" => {
            exit::usage(format!("{argument} needs --method ols"))
        }
        (method, _, Some(argument)) if method != "lssvm" => {
            exit::usage(format!("{argument} needs --method lssvm"))
        }
        _ if args.selection.refinement.is_some() && args.task != TaskArg::Density => {
            exit::usage("--refinement needs --task density")
        }
        _ => Ok(()),
    }
}

/// A density has no target, and only one method knows it.
fn density_is_possible(args: &FitArgs) -> anyhow::Result<()> {
    match () {
        () if args.target.is_some() => exit::usage(
            "a density has no target: leave --target out, and name columns with --features or --drop",
        ),
        () if args.embed.is_some() => exit::usage("--embed needs a target, which a density has not"),
        () if args.method != "ols" => exit::usage("--task density needs --method ols"),
        () if args.loo.is_some() => exit::usage("--loo needs a target, which a density has not"),
        () if args.selection.class_weights.is_some() => {
            exit::usage("--class-weights needs classes, which a density has not")
        }
        () if args.selection.folds.is_some() || args.selection.per_feature => exit::usage(
            "--folds and --per-feature need a target: a density judges its widths by the log density of held-out rows",
        ),
        () => Ok(()),
    }
}

/// `a/b.csv.gz` becomes `b.safetensors`.
fn default_model(data: &Path) -> PathBuf {
    let name = data.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split('.').find(|part| !part.is_empty()).filter(|stem| *stem != "-").unwrap_or("model");
    PathBuf::from(format!("{stem}.safetensors"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_files_are_named_after_the_data() {
        for (data, model) in
            [("a/b.csv.gz", "b.safetensors"), ("-", "model.safetensors"), (".x", "x.safetensors")]
        {
            assert_eq!(default_model(Path::new(data)), Path::new(model));
        }
    }
}
