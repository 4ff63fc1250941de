//! What a call of `groat fit` means, settled before any data are read.

use crate::args::{FitArgs, KernelArg, TaskArg, flag_name};
use crate::evaluation::named_targets;
use crate::exit;
use crate::files::Files;
use crate::input::{is_live, read_table};
use crate::session::Session;
use groat::batch::{Ability, BoxedMethod, Methods, TaskKind};
use groat::data::{Answers, Dataset, Embedding, InputOptions, Inputs, Missing, ReadOptions, Split, Table};
use groat::gram::Memory;
use groat::model::Model;
use groat::settings::{Bytes, Settings};
use std::path::{Path, PathBuf};

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
    pub missing: Missing,
    pub standardise: bool,
    pub method: String,
    pub kernel: KernelArg,
    /// A model to go on from.
    pub start: Option<Model>,
    settings: Settings,
    stream: bool,
    pub weights: Option<String>,
    test: TestPart,
    pub seed: u64,
    pub model: PathBuf,
    pub loo: Option<PathBuf>,
    pub report: Option<PathBuf>,
    /// A file of landmarks.
    landmarks: Option<PathBuf>,
    /// Methods to compare; empty for the usual ones.
    pub compare: Option<Vec<String>>,
}

/// Name of the parameter that holds rows out in stretches.
const BLOCKS: &str = "blocks";

/// Name of the parameter that says which rows become landmarks.
const LANDMARKS: &str = "landmarks";

/// Which rows are held out.
enum TestPart {
    Fraction(f64),
    File(String),
}

impl Plan {
    /// Checks the arguments against each other, and that there is a place for the output.
    pub fn new(mut args: FitArgs, session: &Session) -> anyhow::Result<Self> {
        // A method that knows nothing else says by its name that there is no target.
        if let (TaskArg::Auto, Some(method)) = (args.task, &args.method)
            && Methods::standard().find(method)?.tasks == [TaskKind::Density]
        {
            args.task = TaskArg::Density;
        }
        let mut settings = args.settings.clone().with_seed(session.seed);
        let method = match &args.method {
            Some(method) => method.clone(),
            None => default_method(args.task)?,
        };
        as_typed(method_knows(&method, args.task, &settings))?;
        if args.landmarks_from.is_some() {
            stands_on_landmarks(&method, &settings)?;
        }
        if args.task == TaskArg::Density {
            density_is_possible(&args)?;
        }
        let embedding = args.embed.map(|lags| Embedding {
            lags: lags as usize,
            horizon: args.horizon as usize,
            feedback: !args.no_feedback,
        });
        // The neighbours of a sample of a series share its past, so parts are held out in stretches.
        let in_blocks = Methods::standard().find(&method)?.parameter(BLOCKS).is_some();
        if embedding.is_some() && in_blocks && settings.get(BLOCKS).is_none() {
            settings.set(BLOCKS, true);
        }
        let test = match args.split {
            Some(place) => TestPart::File(place),
            None => TestPart::Fraction(args.test.unwrap_or(0.2)),
        };
        let model = args.output.unwrap_or_else(|| default_model(&args.data.data));
        if model == Path::new("-") {
            return exit::usage("a model is not text: give --output a file name");
        }
        let mut files = Files::default().reads(&args.data.data).writes("--output", Some(&model));
        if let TestPart::File(place) = &test {
            files = files.reads(Path::new(place.rsplit_once(':').map_or(place.as_str(), |(file, _)| file)));
        }
        if let Some(landmarks) = &args.landmarks_from {
            files = files.reads(landmarks);
        }
        files.writes("--report", args.report.as_ref()).writes_table("--loo", args.loo.as_ref()).check()?;
        let reading = args.data.reading.options();
        let start = args.warm_start.as_deref().map(|path| start_from(path, &method)).transpose()?;
        // A model of another method is refused where it is used: its kernel is none of this method's business.
        let takes_over = |start: &&Model| start.record().method == method && settings.get("width").is_none();
        let known = start.as_ref().filter(takes_over).map(Model::kernel);
        let kernel = args.kernel.or_else(|| known.map(|kernel| kernel.clone().into())).unwrap_or_default();
        Ok(Plan {
            data: args.data.data,
            target: args.target,
            task: args.task,
            features: args.features,
            exclude: args.exclude,
            categorical: args.data.reading.categorical,
            reading,
            embedding,
            missing: args.missing.into(),
            standardise: !args.no_standardise,
            method,
            kernel,
            start,
            settings,
            stream: args.stream,
            weights: args.weights,
            test,
            seed: session.seed,
            model,
            loo: args.loo,
            report: args.report,
            landmarks: args.landmarks_from,
            compare: args.compare,
        })
    }

    /// Whether the data are to be read again and again instead of being held.
    pub fn streams(&self) -> anyhow::Result<bool> {
        let methods = Methods::standard();
        if self.stream {
            let able = methods.check_ability(&self.method, Ability::Batches, "reading in batches");
            able.or_else(|error| exit::usage(format!("--stream: {error}")))?;
        }
        let obstacle = [
            ("--task density", self.task == TaskArg::Density),
            ("another --method", !methods.find(&self.method)?.can(Ability::Batches)),
            ("--embed", self.embedding.is_some()),
            ("--split", matches!(self.test, TestPart::File(_))),
            ("--weights", self.weights.is_some()),
            ("--class-weights", self.settings.get("class_weights").is_some()),
            ("--loo", self.loo.is_some()),
            ("--warm-start", self.start.is_some()),
            ("standard input", self.data == Path::new("-")),
        ]
        .into_iter()
        .find_map(|(what, there)| there.then_some(what));
        if self.stream && is_live(&self.data) {
            return exit::usage(format!(
                "--stream reads the data several times, and {} can be read only once; write it to a file first",
                self.data.display()
            ));
        }
        match obstacle {
            Some(what) if self.stream => exit::usage(format!("--stream does not go together with {what}")),
            Some(_) => Ok(false),
            None => {
                let given = self.settings.get("memory").and_then(|text| text.parse::<Bytes>().ok());
                let memory = Memory::from(given.map(|Bytes(bytes)| bytes)).limit();
                // Data in memory take about eight times their file.
                let large = self.data.metadata().is_ok_and(|file| file.len() > memory / 8);
                Ok(self.stream || large)
            }
        }
    }

    /// The method for samples like these.
    pub fn method_for(&self, samples: &Dataset) -> anyhow::Result<BoxedMethod> {
        let (task, classes): (TaskKind, &[String]) = match samples.answers() {
            Answers::Values { .. } => (TaskKind::Regression, &[]),
            Answers::Classes { labels, .. } => (TaskKind::Classification, labels),
            _ => (TaskKind::Density, &[]),
        };
        let methods = Methods::standard();
        as_typed(methods.check_task(&self.method, task, &self.settings))?;
        let kernel = self.kernel.for_features(samples.x().cols());
        as_typed(methods.build(&self.method, &kernel, classes, &self.settings))
    }

    /// The samples with the landmarks that were given, if any were.
    pub fn with_landmarks(&self, samples: Dataset, session: &Session) -> anyhow::Result<Dataset> {
        let (Some(path), Some(inputs)) = (&self.landmarks, samples.inputs()) else { return Ok(samples) };
        let table = read_table(path, &self.reading, session)?;
        let landmarks = inputs.apply(&table)?;
        Ok(samples.with_landmarks(landmarks)?)
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

/// Landmarks of the user's choice are for methods that look for some otherwise.
fn stands_on_landmarks(method: &str, settings: &Settings) -> anyhow::Result<()> {
    let methods = Methods::standard();
    let able = |name: &str| methods.find(name).is_ok_and(|row| row.parameter(LANDMARKS).is_some());
    if !able(method) {
        let able: Vec<&str> = methods.rows().iter().map(|row| row.name).filter(|name| able(name)).collect();
        return exit::usage(format!(
            "--landmarks-from: {method} has no landmarks; {} have",
            able.join(" and ")
        ));
    }
    if settings.get(LANDMARKS).is_some() {
        return exit::usage("--landmarks-from says which rows are landmarks: leave --landmarks out");
    }
    Ok(())
}

/// The model to go on from, for a method that can.
fn start_from(path: &Path, method: &str) -> anyhow::Result<Model> {
    let able = Methods::standard().check_ability(method, Ability::WarmStart, "going on from a model");
    able.or_else(|error| exit::usage(format!("--warm-start: {error}")))?;
    crate::model::load(path)
}

/// What a person gets who asks for no method.
fn default_method(task: TaskArg) -> groat::Result<String> {
    let task = if task == TaskArg::Density { TaskKind::Density } else { TaskKind::Regression };
    Ok(Methods::standard().default_for(task)?.name.to_owned())
}

/// Nothing that was typed is passed over in silence because the method or the task has no use for it.
fn method_knows(method: &str, typed: TaskArg, settings: &Settings) -> groat::Result<()> {
    let methods = Methods::standard();
    methods.check(method, settings)?;
    let task = |task| methods.check_task(method, task, settings);
    match typed {
        TaskArg::Regression => task(TaskKind::Regression),
        TaskArg::Classification => task(TaskKind::Classification),
        TaskArg::Density => task(TaskKind::Density),
        // Numbers or classes: the data will tell.
        TaskArg::Auto => task(TaskKind::Classification).or_else(|_| task(TaskKind::Regression)),
    }
}

/// A refusal of the library that names the flag as it was typed.
fn as_typed<T>(checked: groat::Result<T>) -> anyhow::Result<T> {
    let has_flag =
        |name: &str| Methods::standard().parameters().iter().any(|parameter| parameter.name == name);
    checked.or_else(|error| {
        let name = match &error {
            // A task may stand behind the name.
            groat::Error::Setting { setting, .. } => setting.split(' ').next().unwrap_or_default(),
            groat::Error::Parameter { name, .. } => name,
            _ => return Err(error.into()),
        };
        if has_flag(name) { exit::usage(format!("{}: {error}", flag_name(name))) } else { Err(error.into()) }
    })
}

/// A density has no target.
fn density_is_possible(args: &FitArgs) -> anyhow::Result<()> {
    match () {
        () if args.target.is_some() => exit::usage(
            "there is no target to learn here: leave --target out, and name columns with --features or --exclude",
        ),
        () if args.embed.is_some() => exit::usage("--embed needs a target, which a density has not"),
        () if args.loo.is_some() => exit::usage("--loo needs a target, which a density has not"),
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
