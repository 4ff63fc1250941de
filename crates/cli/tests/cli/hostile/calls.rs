//! Calls of the command: which one, on which file, with which settings, writing where.

use rand::{Rng, RngExt};

use super::inputs::{Drawn, EXTREMES, Stock, TEXTS};

/// One call.
pub struct Call {
    pub command: &'static str,
    /// What was wrong with its input, if anything.
    pub kind: String,
    pub arguments: Vec<String>,
    /// The files that it reads.
    pub inputs: Vec<Drawn>,
    pub json: bool,
    /// Whether lines of answers go to standard output.
    pub lines: bool,
}

fn pick<'a>(rng: &mut impl Rng, of: &[&'a str]) -> &'a str {
    of[rng.random_range(0..of.len())]
}

/// A name of a column, mostly one that is there.
fn column(rng: &mut impl Rng) -> String {
    match rng.random_range(0..10) {
        0 => pick(rng, &TEXTS).replace('\0', "0"),
        1 => pick(rng, &["1", "x1", "x3", "a,b", "t"]).to_owned(),
        _ => pick(rng, &["y", "y", "y", "a"]).to_owned(),
    }
}

/// A number for a setting, sensible or not.
fn value(rng: &mut impl Rng) -> String {
    match rng.random_bool(0.5) {
        true => pick(rng, &["0.1", "1", "2", "5", "0.5", "auto", "1e-6"]).to_owned(),
        false => pick(rng, &EXTREMES).to_owned(),
    }
}

const METHODS: [&str; 14] = [
    "sparse",
    "ols",
    "krr",
    "lssvm",
    "svc",
    "nu-svc",
    "svr",
    "nu-svr",
    "one-class",
    "linear-svc",
    "linear-svr",
    "logistic",
    "density",
    "nonsense",
];
const KERNELS: [&str; 14] = [
    "gaussian",
    "gaussian:width=1",
    "gaussian:width=1e300",
    "gaussian:width=1e-300",
    "gaussian:width=0",
    "gaussian:width=nan",
    "matern52:width=2",
    "linear",
    "polynomial:degree=3",
    "polynomial:degree=1000",
    "laplacian",
    "wendland:width=1",
    "gaussian:width=1,2",
    "nonsense:x=1",
];
const FIT: [&str; 14] = [
    "--ridge",
    "--candidates",
    "--max-terms",
    "--widths",
    "--cost",
    "--nu",
    "--folds",
    "--memory",
    "--tolerance",
    "--epsilon",
    "--penalty",
    "--passes",
    "--embed",
    "--finer",
];
const ALGORITHMS: [&str; 16] = [
    "auto",
    "klms",
    "klms-coherence",
    "krls-ald",
    "krls-tracker",
    "norma",
    "qklms",
    "exkrls",
    "knlms",
    "kapa",
    "rls",
    "lms",
    "phypass",
    "rff-klms",
    "silk",
    "nonsense",
];
const SETTINGS: [&str; 10] =
    ["eta", "mu0", "budget", "lambda", "ridge", "eps", "truncate", "max_age", "transition", "nonsense"];
const PLACES: [&str; 9] =
    ["/dev/null", "/dev/full", "no/such/folder/f.csv", ".", "old", "f.csv", "f.html", "d.csv", "/dev/stdout"];

impl Call {
    /// Draws one.
    pub fn draw(stock: &Stock, rng: &mut impl Rng) -> Self {
        let data = stock.data(rng);
        let mut call = match rng.random_range(0..20) {
            0..=5 => Self::fit(data, rng),
            6..=9 => Self::with_model(data, stock.model(rng), rng),
            10..=14 => Self::stream(data, stock, rng),
            15 | 16 => Self::points(data, rng),
            17 => Self::sample(stock.model(rng), rng),
            18 => Self::inspect(stock.model(rng), rng),
            _ => Self::generate(rng),
        };
        if rng.random_bool(0.4) {
            call.push(&["--json"]);
            call.json = true;
        }
        if rng.random_bool(0.2) {
            call.push(&["--quiet"]);
        }
        call.push(&["--threads", "1"]);
        call
    }

    fn new(command: &'static str, inputs: Vec<Drawn>) -> Self {
        let kind = inputs.last().map_or_else(|| "-".to_owned(), |input| input.kind.clone());
        let arguments =
            std::iter::once(command.to_owned()).chain(inputs.iter().map(|i| i.name.clone())).collect();
        Self { command, kind, arguments, inputs, json: false, lines: false }
    }

    fn push(&mut self, arguments: &[&str]) {
        self.arguments.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    }

    /// Somewhere to write to, for one flag in three.
    fn write(&mut self, flags: &[&str], rng: &mut impl Rng) {
        for flag in flags {
            if rng.random_bool(0.3) {
                self.push(&[flag, pick(rng, &PLACES)]);
            }
        }
    }

    fn fit(data: Drawn, rng: &mut impl Rng) -> Self {
        let mut call = Self::new("fit", vec![data]);
        if rng.random_bool(0.9) {
            call.push(&["-t", &column(rng)]);
        }
        if rng.random_bool(0.6) {
            call.push(&["--method", pick(rng, &METHODS)]);
        }
        if rng.random_bool(0.4) {
            call.push(&["--kernel", pick(rng, &KERNELS)]);
        }
        for _ in 0..rng.random_range(0..3) {
            call.push(&[pick(rng, &FIT), &value(rng)]);
        }
        let flags =
            ["--no-standardise", "--stream", "--per-feature", "--no-header", "--compare", "--balanced"];
        if rng.random_bool(0.2) {
            call.push(&[pick(rng, &flags)]);
        }
        let others = [
            ["--task", "density"],
            ["--task", "classification"],
            ["--missing", "median"],
            ["--drop", "t"],
            ["--delimiter", ";"],
            ["--weights", "b"],
            ["--categorical", "b"],
            ["--test", "0.9"],
            ["--max-line", "100"],
            ["--max-field", "3"],
        ];
        if rng.random_bool(0.5) {
            call.push(&others[rng.random_range(0..others.len())]);
        }
        call.write(&["-o", "--report", "--loo"], rng);
        call
    }

    fn with_model(data: Drawn, model: Drawn, rng: &mut impl Rng) -> Self {
        let command = if rng.random_bool(0.6) { "predict" } else { "evaluate" };
        let kind = if model.kind.starts_with("good") { data.kind.clone() } else { model.kind.clone() };
        let mut call = Self { kind, ..Self::new(command, vec![model, data]) };
        if command == "predict" {
            call.lines = true;
            let flags = ["--append", "--std", "--scores", "--interval=0.9", "--interval=2"];
            if rng.random_bool(0.3) {
                call.push(&[pick(rng, &flags)]);
            }
            call.write(&["-o"], rng);
        } else {
            if rng.random_bool(0.3) {
                call.push(&["-t", &column(rng)]);
            }
            if rng.random_bool(0.2) {
                call.push(&["--importance"]);
            }
            call.write(&["--report"], rng);
        }
        call
    }

    fn stream(data: Drawn, stock: &Stock, rng: &mut impl Rng) -> Self {
        let mut call = Self::new("stream", vec![data]);
        call.lines = true;
        if rng.random_bool(0.3) {
            let state = stock.state(rng);
            call.push(&["--resume", &state.name]);
            if !state.kind.starts_with("good") {
                call.kind.clone_from(&state.kind);
            }
            call.inputs.push(state);
        } else {
            call.push(&["-t", &column(rng)]);
            if rng.random_bool(0.7) {
                call.push(&["-a", pick(rng, &ALGORITHMS)]);
            }
            if rng.random_bool(0.4) {
                call.push(&["--set", &format!("{}={}", pick(rng, &SETTINGS), value(rng))]);
            }
            if rng.random_bool(0.2) {
                call.push(&["--kernel", pick(rng, &KERNELS)]);
            }
        }
        let others: [&[&str]; 12] = [
            &["--on-bad-row", "skip"],
            &["--on-bad-row", "skip", "--features", "a,b"],
            &["--embed", "2"],
            &["--embed", "3", "--forecast", "2"],
            &["--no-standardise"],
            &["--keep-going"],
            &["--classes"],
            &["--carry-forward"],
            &["--key", "t"],
            &["--replay"],
            &["--categorical", "t"],
            &["--compare", "lms,klms"],
        ];
        for _ in 0..rng.random_range(0..3) {
            call.push(others[rng.random_range(0..others.len())]);
        }
        call.write(&["-o", "--save", "--model", "--report"], rng);
        call
    }

    fn points(data: Drawn, rng: &mut impl Rng) -> Self {
        let pca = rng.random_bool(0.6);
        let mut call = Self::new(if pca { "pca" } else { "tune-support" }, vec![data]);
        if rng.random_bool(0.7) {
            call.push(&["--drop", "t"]);
        }
        if rng.random_bool(0.4) {
            call.push(&["--kernel", pick(rng, &KERNELS)]);
        }
        if pca && rng.random_bool(0.3) {
            call.push(&["--components", pick(rng, &["1", "0", "1000000", "-1"])]);
        }
        call.write(if pca { &["-o", "--scores", "--report"] } else { &["--report"] }, rng);
        call
    }

    fn sample(model: Drawn, rng: &mut impl Rng) -> Self {
        let mut call = Self::new("sample", vec![model]);
        call.push(&["-n", pick(rng, &["1", "10", "0", "-1", "1e3", "9000"])]);
        call.write(&["-o"], rng);
        call
    }

    fn inspect(model: Drawn, rng: &mut impl Rng) -> Self {
        let mut call = Self::new("inspect", vec![model]);
        if rng.random_bool(0.3) {
            call.push(&["--vectors"]);
        }
        call
    }

    fn generate(rng: &mut impl Rng) -> Self {
        let mut call = Self::new("generate", Vec::new());
        call.push(&[pick(rng, &["sinc", "mackey-glass", "lorenz", "green-red", "robot-arm", "none"])]);
        call.push(&["-n", pick(rng, &["1", "50", "0", "-3", "18446744073709551615"])]);
        if rng.random_bool(0.4) {
            call.push(&["--set", &format!("noise={}", value(rng))]);
        }
        call.write(&["-o"], rng);
        call
    }
}
