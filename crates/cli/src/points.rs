//! Rows without answers, read and brought to the form that a kernel sees.

use crate::args::PointArgs;
use crate::input::read_table;
use crate::output::progress::Bar;
use crate::session::Session;
use groat::Kernel;
use groat::batch::{Preparation, Prepared};
use groat::data::{Dataset, InputOptions, Inputs, ReadOptions, Survey, SurveyOptions};
use std::path::Path;

/// Rows, and how they came about.
pub struct Points {
    /// As they were read.
    pub data: Dataset,
    /// How they are brought to the form that the kernel sees.
    pub preparation: Preparation,
    /// With its width settled.
    pub kernel: Kernel,
    pub notes: Vec<String>,
}

/// Rows of a batch where they are read in batches, and rows that are drawn then.
const BATCH: usize = 65_536;
const DRAWN: usize = 20_000;

impl Points {
    /// Names of the features, with the unit that the kernel sees.
    pub fn axes(&self) -> Vec<String> {
        Self::axes_of(&self.data, self.preparation)
    }

    /// The same of rows that are prepared so.
    pub fn axes_of(data: &Dataset, preparation: Preparation) -> Vec<String> {
        let unit = if preparation.standardise { " (standardised)" } else { "" };
        data.feature_names().iter().map(|name| format!("{name}{unit}")).collect()
    }

    /// The rows as the kernel sees them.
    pub fn prepared(&self) -> groat::Result<Prepared<'_>> {
        Prepared::new(&self.data, self.preparation)
    }

    /// How rows are brought to the form that the kernel sees.
    pub fn preparation(args: &PointArgs, session: &Session) -> Preparation {
        Preparation::new().standardise(!args.no_standardise).seed(session.seed)
    }

    fn inputs(args: &PointArgs) -> InputOptions {
        InputOptions {
            features: args.features.clone(),
            exclude: args.exclude.clone(),
            categorical: args.data.reading.categorical.clone(),
            ..InputOptions::default()
        }
    }

    /// Reads the rows.
    pub fn read(args: &PointArgs, session: &Session) -> anyhow::Result<Self> {
        let table = read_table(&args.data.data, &args.data.reading.options(), session)?;
        let inputs = Inputs::fit(&table, &Self::inputs(args))?;
        let data = Dataset::for_answers(&table, inputs, &[], &[])?;
        let preparation = Self::preparation(args, session);
        let (kernel, note) = args.kernel.settled(Prepared::new(&data, preparation)?.x(), session.seed);
        Ok(Points { kernel, notes: note.into_iter().collect(), preparation, data })
    }

    /// Looks the rows over without holding them; some are drawn.
    pub fn survey(args: &PointArgs, session: &Session, bar: &Bar<'_>) -> anyhow::Result<Survey> {
        let reading = ReadOptions { batch: BATCH, ..args.data.reading.options() };
        let mut options = SurveyOptions::default();
        (options.inputs, options.seed, options.drawn) = (Self::inputs(args), session.seed, DRAWN);
        look_over(&args.data.data, &reading, &options, session, bar)
    }
}

/// Looks a file over, and says how far it is.
pub fn look_over(
    path: &Path,
    reading: &ReadOptions,
    options: &SurveyOptions,
    session: &Session,
    bar: &Bar<'_>,
) -> anyhow::Result<Survey> {
    session.unless_stopped(Survey::of(path, reading, options, &mut |rows, total| {
        bar.show("looking the data over, rows:".into(), rows as u64, total.map(|total| total as u64));
        if session.stop_requested() { Err(groat::Error::Stopped) } else { Ok(()) }
    }))
}
