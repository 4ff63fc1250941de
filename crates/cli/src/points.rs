//! Rows without answers, read and brought to the form that a kernel sees.

use crate::args::PointArgs;
use crate::input::read_table;
use crate::session::Session;
use groat::data::{InputOptions, Inputs, Standardisation};
use groat::tune::typical_distance;
use groat::{Kernel, Matrix};

/// Rows, and how they came about.
pub struct Points {
    pub source: String,
    pub inputs: Inputs,
    /// As the kernel sees them.
    pub x: Matrix,
    pub standardisation: Option<Standardisation>,
    /// With its width settled.
    pub kernel: Kernel,
    pub notes: Vec<String>,
}

impl Points {
    /// Names of the features, with the unit that the kernel sees.
    pub fn axes(&self) -> Vec<String> {
        let unit = if self.standardisation.is_some() { " (standardised)" } else { "" };
        self.inputs.feature_names().into_iter().map(|name| name + unit).collect()
    }

    /// Reads the rows.
    pub fn read(args: &PointArgs, session: &Session) -> anyhow::Result<Self> {
        let table = read_table(&args.data.data, &args.data.reading.options(), session)?;
        let options = InputOptions {
            features: args.features.clone(),
            exclude: args.drop.clone(),
            categorical: args.data.reading.categorical.clone(),
            ..InputOptions::default()
        };
        let inputs = Inputs::fit(&table, &options)?;
        let mut x = inputs.matrix(&table)?;
        let standardisation = if args.no_standardise { None } else { Some(Standardisation::fit(x.view())?) };
        if let Some(standardisation) = &standardisation {
            standardisation.apply(&mut x)?;
        }
        let mut notes = Vec::new();
        let mut kernel = args.kernel.for_features(x.cols()).kernel;
        if !args.kernel.width_given && kernel.width().is_some() {
            let width = typical_distance(x.view(), session.seed);
            notes.push(format!("width {width:.4}, the median distance of the rows"));
            kernel = kernel.with_width(width);
        }
        Ok(Points { source: table.source().to_owned(), inputs, x, standardisation, kernel, notes })
    }
}
