//! A model file that was read, ready to be fed tables.

use groat::Expansion;
use groat::data::{InputOptions, Inputs, Table};
use std::path::Path;

/// Reads a model file.
pub fn load(path: &Path) -> anyhow::Result<Expansion> {
    Expansion::load(path).map_err(|error| match error {
        // A failure to read names the file already; what is wrong inside does not.
        groat::Error::Model(_) => anyhow::Error::from(error).context(path.display().to_string()),
        _ => error.into(),
    })
}

/// Whether the model gives principal components, which nothing can be compared with.
pub fn gives_components(model: &Expansion) -> bool {
    model.record().method == "kpca"
}

/// What the model takes from a table: as it remembers, or (when it was not made from a table) its features by
/// name, or all columns but the target.
pub fn inputs(model: &Expansion, table: &Table, target: Option<&str>) -> groat::Result<Inputs> {
    if let Some(inputs) = model.inputs() {
        return Ok(inputs.clone());
    }
    let options = InputOptions {
        target: target.map(str::to_owned),
        features: if table.is_named() { model.feature_names().to_vec() } else { Vec::new() },
        ..InputOptions::default()
    };
    Inputs::fit(table, &options)
}

/// Columns of a table that the model has no use for, the target apart.
pub fn unused_columns(inputs: &Inputs, table: &Table, target: Option<&str>) -> Vec<String> {
    if !table.is_named() || table.is_open() {
        return Vec::new();
    }
    let used = |name: &String| {
        inputs.columns().iter().any(|column| column.name == *name)
            || [inputs.target(), target].contains(&Some(name.as_str()))
    };
    table.names().iter().filter(|name| !used(name)).cloned().collect()
}
