//! A model file that was read, ready to be fed tables.

use groat::Expansion;
use groat::data::{InputOptions, Inputs, Table};
use groat::expansion::Task;
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
    model.record().method == groat::batch::methods::KERNEL_PCA
}

/// Titles of something that there is one of for each output: `name`, with the target or class it belongs to where
/// there are several.
pub fn per_output(name: &str, model: &Expansion) -> Vec<String> {
    let labels: &[String] = match model.task() {
        Task::Regression { targets } => targets,
        Task::Classification { classes } => classes,
        Task::Density => &[],
    };
    let title = |k: usize| match labels.get(k) {
        _ if model.outputs() == 1 => name.to_owned(),
        Some(label) => format!("{name}[{label}]"),
        None => format!("{name}[{}]", k + 1),
    };
    (0..model.outputs()).map(title).collect()
}

/// What the model takes from a table: as it remembers, or (when it was not made from a table) its features by
/// name, or all columns but the targets.
pub fn inputs(model: &Expansion, table: &Table, targets: &[String]) -> groat::Result<Inputs> {
    if let Some(inputs) = model.inputs() {
        return Ok(inputs.clone());
    }
    let options = InputOptions {
        targets: targets.to_vec(),
        features: if table.is_named() { model.feature_names().to_vec() } else { Vec::new() },
        ..InputOptions::default()
    };
    Inputs::fit(table, &options)
}

/// Columns of a table that the model has no use for, the targets apart.
pub fn unused_columns(inputs: &Inputs, table: &Table) -> Vec<String> {
    if !table.is_named() || table.is_open() {
        return Vec::new();
    }
    let known = || inputs.columns().iter().chain(inputs.targets());
    let used = |name: &String| known().any(|column| column.name == *name);
    table.names().iter().filter(|name| !used(name)).cloned().collect()
}
