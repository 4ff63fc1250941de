//! From what was typed to a session: columns, learner, standardisation.

use super::rows::Rows;
use crate::args::{MethodArgs, OnDriftArg, StreamArgs};
use crate::exit;
use crate::session::Session;
use groat::Kernel;
use groat::data::{Embedding, InputOptions, Inputs, find_inputs};
use groat::online::{self, Learner, OnDrift, Settings};

/// The preset when none is named.
pub const DEFAULT: &str = "auto";

/// What makes a learner, besides its algorithm.
#[derive(Clone)]
pub struct Recipe {
    pub algorithm: String,
    pub kernel: Option<Kernel>,
    pub width_given: bool,
    pub settings: Settings,
}

impl Recipe {
    /// What was typed.
    pub fn of(args: &MethodArgs) -> anyhow::Result<Self> {
        let mut settings = Settings::new();
        for text in &args.set {
            settings.set_pairs(text)?;
        }
        let parts = [
            ("update", &args.update),
            ("novelty", &args.novelty),
            ("cost", &args.cost),
            ("projection", &args.projection),
            ("strategy", &args.strategy),
            ("loss", &args.loss),
        ];
        for (kind, part) in parts {
            part.as_ref().map_or(Ok(()), |part| settings.add(kind, part))?;
        }
        // Parts belong to a mix; without a name it is the plainest one.
        let mixed = parts.iter().any(|(_, part)| part.is_some());
        let named = args.algorithm.clone();
        let algorithm = named.unwrap_or_else(|| if mixed { "klms-coherence" } else { DEFAULT }.to_owned());
        let kernel = kernel(args)?;
        let width_given = args.width.is_some() || args.kernel.as_ref().is_some_and(|given| given.width_given);
        Ok(Self { algorithm, kernel, width_given, settings })
    }

    /// A session of this learner on these inputs, with the habits that were asked for.
    pub fn session(&self, args: &StreamArgs, inputs: Inputs) -> anyhow::Result<online::Session> {
        let mut settings = self.settings.clone();
        let bare = args.method.no_standardise;
        if bare && online::presets::find(&self.algorithm)?.scales_itself() {
            settings.set("standardise", false);
        }
        let learner = Learner::new(&self.algorithm, self.kernel.as_ref(), inputs.features(), &settings)?;
        let mut session = online::Session::new(learner)?.with_coverage(args.coverage)?;
        if args.carry_forward {
            session = session.with_carried_inputs();
        }
        session = session.with_on_drift(on_drift(args.on_drift)).with_inputs(inputs)?;
        if !bare {
            session = session.standardised(!self.width_given)?;
        }
        if args.search.tune_live {
            session = session.with_tuning();
        }
        Ok(session)
    }
}

fn on_drift(asked: OnDriftArg) -> OnDrift {
    match asked {
        OnDriftArg::Note => OnDrift::Note,
        OnDriftArg::Forget => OnDrift::Forget,
        OnDriftArg::Restart => OnDrift::Restart,
    }
}

/// The session of a saved state. One without inputs (its samples were numbers) learns which columns they are now.
pub fn resume(
    args: &StreamArgs,
    mut learning: online::Session,
    rows: &Rows,
    session: &Session,
) -> anyhow::Result<online::Session> {
    if learning.inputs().is_some() {
        refuse_columns(args)?;
    } else if args.target.is_none() {
        return exit::usage(format!("{} knows no columns: name the --target", resumed_from(args)));
    } else {
        learning = learning.with_inputs(choose_inputs(args, rows)?)?;
    }
    announce(args, learning.totals().rows, session);
    Ok(learning)
}

fn resumed_from(args: &StreamArgs) -> String {
    args.resume.as_ref().map_or_else(String::new, |path| path.display().to_string())
}

/// Fails when columns are named for a state that knows its own.
pub fn refuse_columns(args: &StreamArgs) -> anyhow::Result<()> {
    if args.target.is_some() || !args.features.is_empty() || args.embed.is_some() {
        return exit::usage(format!(
            "{} knows its columns: leave out --target, --features and --embed",
            resumed_from(args)
        ));
    }
    Ok(())
}

/// Says where a state that has seen some rows goes on.
pub fn announce(args: &StreamArgs, seen: u64, session: &Session) {
    let (from, next) = (resumed_from(args), seen + 1);
    session.remark(&match args.replay {
        true => format!("{from}: going on at row {next}, after {seen} rows seen before"),
        false => format!("{from}: the first row of this input is taken as row {next}"),
    });
}

/// The columns that were asked for.
pub fn choose_inputs(args: &StreamArgs, rows: &Rows) -> anyhow::Result<Inputs> {
    let target = args.target.clone().unwrap_or_default();
    if target.contains(',') && !rows.names().contains(&target) {
        return exit::usage(format!("--target {target}: a state without columns takes one target"));
    }
    inputs_of(args, rows, &target, &[])
}

/// The columns for one of several targets; the others are no features.
pub fn inputs_of(args: &StreamArgs, rows: &Rows, target: &str, others: &[String]) -> anyhow::Result<Inputs> {
    let embedding = args.embed.map(|lags| Embedding {
        lags: lags as usize,
        horizon: args.horizon as usize,
        feedback: !args.no_feedback,
    });
    let options = InputOptions {
        targets: vec![target.to_owned()],
        features: args.features.clone(),
        exclude: args.key.iter().chain(others).cloned().collect(),
        embedding,
        categorical: args.reading.categorical.clone(),
        ..InputOptions::default()
    };
    if !options.categorical.is_empty() {
        if rows.live {
            return exit::usage(
                "--categorical: the categories must be known before the first row, so it takes a file that can be read twice",
            );
        }
        let (path, reading) = (&args.data, args.reading.options());
        return Ok(find_inputs(path, &reading, &options, &mut |_, _| rows.check_stop())?);
    }
    Ok(Inputs::choose(rows.source(), rows.names(), rows.is_named(), &options)?)
}

/// The kernel that was asked for, if any was.
fn kernel(args: &MethodArgs) -> anyhow::Result<Option<Kernel>> {
    let given = args.kernel.as_ref();
    let Some(width) = args.width else { return Ok(given.map(|given| given.kernel.clone())) };
    let kernel = given.map_or_else(|| Kernel::gaussian(width), |given| given.kernel.clone());
    if given.is_some_and(|given| given.width_given) || kernel.width().is_none() {
        return exit::usage("--width is for a kernel that has a width and was given none");
    }
    Ok(Some(kernel.with_width(width)))
}
