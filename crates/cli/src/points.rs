//! Rows without answers, read and brought to the form that a kernel sees.

use crate::args::PointArgs;
use crate::input::read_table;
use crate::session::Session;
use groat::Kernel;
use groat::batch::{Preparation, Prepared};
use groat::data::{Dataset, InputOptions, Inputs};

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

impl Points {
    /// Names of the features, with the unit that the kernel sees.
    pub fn axes(&self) -> Vec<String> {
        let unit = if self.preparation.standardise { " (standardised)" } else { "" };
        self.data.feature_names().iter().map(|name| format!("{name}{unit}")).collect()
    }

    /// The rows as the kernel sees them.
    pub fn prepared(&self) -> groat::Result<Prepared<'_>> {
        Prepared::new(&self.data, self.preparation)
    }

    /// Reads the rows.
    pub fn read(args: &PointArgs, session: &Session) -> anyhow::Result<Self> {
        let table = read_table(&args.data.data, &args.data.reading.options(), session)?;
        let options = InputOptions {
            features: args.features.clone(),
            exclude: args.exclude.clone(),
            categorical: args.data.reading.categorical.clone(),
            ..InputOptions::default()
        };
        let inputs = Inputs::fit(&table, &options)?;
        let data = Dataset::for_answers(&table, inputs, &[], &[])?;
        let preparation = Preparation::new().standardise(!args.no_standardise).seed(session.seed);
        let (kernel, note) = args.kernel.settled(Prepared::new(&data, preparation)?.x(), session.seed);
        Ok(Points { kernel, notes: note.into_iter().collect(), preparation, data })
    }
}
