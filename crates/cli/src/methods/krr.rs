//! Exact kernel ridge regression.

use super::{Entry, Settings};
use groat::batch::{KernelRidge, Method, Search};

pub const ENTRY: Entry =
    Entry { name: "krr", about: "exact kernel ridge regression; keeps every training row", build };

fn build(settings: &Settings<'_>) -> anyhow::Result<Box<dyn Method>> {
    let default = KernelRidge::default();
    Ok(Box::new(KernelRidge {
        kernel: settings.kernel.kernel.clone(),
        widths: if settings.kernel.width_given { Search::Fixed } else { Search::Auto },
        ridge: settings.ridge.unwrap_or(default.ridge),
        ridges: if settings.ridge.is_some() { Search::Fixed } else { Search::Auto },
        seed: settings.seed,
        memory: settings.memory.map(|m| m.0).into(),
        ..default
    }))
}
