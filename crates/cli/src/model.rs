//! A model file that was read, ready to be fed tables.

use groat::Model;
use groat::data::{InputOptions, Inputs, Table};
use std::collections::HashSet;
use std::path::Path;

/// Reads a model file.
pub fn load(path: &Path) -> anyhow::Result<Model> {
    Model::load(path).map_err(|error| match error {
        // A failure to read names the file already; what is wrong inside does not.
        groat::Error::Model(_) => anyhow::Error::from(error).context(path.display().to_string()),
        _ => error.into(),
    })
}

/// Titles of something that there is one of for each output: `name`, with the target or class it belongs to where
/// there are several.
pub fn per_output(name: &str, model: &Model) -> Vec<String> {
    let title = |k: usize| match model.task().output_name(k) {
        _ if model.outputs() == 1 => name.to_owned(),
        Some(label) => format!("{name}[{label}]"),
        None => format!("{name}[{}]", k + 1),
    };
    (0..model.outputs()).map(title).collect()
}

/// What the model takes from a table: as it remembers, or (when it was not made from a table, like those of LIBSVM) its
/// features by name or by index, or all columns but the targets.
pub fn inputs(model: &Model, table: &Table, targets: &[String]) -> groat::Result<Inputs> {
    if let Some(inputs) = model.inputs() {
        return Ok(inputs.clone());
    }
    let by_index: Vec<String> = (1..=model.features()).map(|i| format!("x{i}")).collect();
    if table.is_open() {
        // Columns of which all values are 0 are not there, so the table cannot be asked for its names.
        let names: Vec<String> = table.names().iter().take(1).cloned().chain(by_index.clone()).collect();
        let options =
            InputOptions { targets: names[..1].to_vec(), features: by_index, ..InputOptions::default() };
        return Inputs::choose(table.source(), &names, true, &options);
    }
    let features = match model.feature_names() {
        [] if by_index.iter().all(|name| table.names().contains(name)) => by_index,
        names => names.to_vec(),
    };
    let features = if table.is_named() { features } else { Vec::new() };
    let options = InputOptions { targets: targets.to_vec(), features, ..InputOptions::default() };
    let found = Inputs::fit(table, &options)?;
    if found.features() != model.features() {
        let reason = format!(
            "the model has {} features and does not know their names, and the table has {}: leave others out, or call the \
             features x1, x2, ...",
            model.features(),
            found.features()
        );
        return Err(groat::Error::Source { source_name: table.source().to_owned(), reason });
    }
    Ok(found)
}

/// Columns of a table that the model has no use for, the targets apart.
pub fn unused_columns(inputs: &Inputs, table: &Table) -> Vec<String> {
    if !table.is_named() {
        return Vec::new();
    }
    let known: HashSet<&str> =
        inputs.columns().iter().chain(inputs.targets()).map(|column| column.name.as_str()).collect();
    // The label of a svmlight file has no name of its own.
    let passed = usize::from(table.is_open());
    table.names().iter().skip(passed).filter(|name| !known.contains(name.as_str())).cloned().collect()
}

/// A remark on columns that the model has no use for.
pub fn unused_remark(source: &str, unused: &[String]) -> String {
    const SHOWN: usize = 10;
    let more = if unused.len() > SHOWN { format!(", ... ({} in all)", unused.len()) } else { String::new() };
    let list = unused[..unused.len().min(SHOWN)].join(", ");
    format!("{source} has columns that the model does not use: {list}{more}")
}
