//! [`Inputs`] as they stand in a file.

use serde::{Deserialize, Serialize};

use super::{InputColumn, Inputs};
use crate::data::Embedding;
use crate::error::{Error, Result};

/// As it stands in a file, not yet checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    columns: Vec<InputColumn>,
    #[serde(default)]
    target: StoredTargets,
    named: bool,
    table_width: usize,
    embedding: Option<Embedding>,
}

/// One target stands in a file as itself, as it did before there could be several.
#[derive(Default, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredTargets {
    #[default]
    None,
    One(InputColumn),
    Several(Vec<InputColumn>),
}

impl From<Inputs> for Stored {
    fn from(inputs: Inputs) -> Self {
        let Inputs { columns, mut targets, named, table_width, embedding } = inputs;
        let target = match targets.len() {
            0 => StoredTargets::None,
            1 => StoredTargets::One(targets.remove(0)),
            _ => StoredTargets::Several(targets),
        };
        Self { columns, target, named, table_width, embedding }
    }
}

impl TryFrom<Stored> for Inputs {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { columns, target, named, table_width, embedding } = stored;
        let targets = match target {
            StoredTargets::None => Vec::new(),
            StoredTargets::One(target) => vec![target],
            StoredTargets::Several(targets) => targets,
        };
        if columns.iter().chain(&targets).any(|column| column.position >= table_width) {
            return Err(Error::parameter("position", table_width, "columns within the training table"));
        }
        columns.iter().try_for_each(InputColumn::check_missing)?;
        if let (Some(_), Some(column)) = (embedding, columns.iter().find(|column| column.missing.is_some())) {
            return Err(Error::parameter("missing", &column.name, "nothing, where a series is embedded"));
        }
        let inputs = Self { columns, targets, named, table_width, embedding };
        inputs.check_embedding()?;
        Ok(inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, InputOptions, Table};

    fn inputs(targets: &[&str]) -> Inputs {
        let columns = (0..4).map(|_| Column::Numeric(vec![1.0])).collect();
        let table = Table::new(["a", "x", "b", "c"], columns).unwrap();
        let targets = targets.iter().map(|name| name.to_string()).collect();
        Inputs::fit(&table, &InputOptions { targets, ..Default::default() }).unwrap()
    }

    #[test]
    fn any_number_of_targets_survives() {
        for targets in [&[][..], &["b"], &["b", "a"], &["c", "a", "b"]] {
            let inputs = inputs(targets);
            let text = serde_json::to_string(&inputs).unwrap();
            assert_eq!(serde_json::from_str::<Inputs>(&text).unwrap(), inputs, "{text}");
        }
    }

    #[test]
    fn files_from_before_several_targets_are_read_and_written_alike() {
        let column =
            |name: &str, at: usize| format!("{{\"name\":\"{name}\",\"position\":{at},\"levels\":null}}");
        for (target, count) in [("null".to_owned(), 0), (column("y", 1), 1)] {
            let rest = "\"named\":true,\"table_width\":2,\"embedding\":null";
            let text = format!("{{\"columns\":[{}],\"target\":{target},{rest}}}", column("x", 0));
            let inputs: Inputs = serde_json::from_str(&text).unwrap();
            assert_eq!(inputs.targets().len(), count);
            assert_eq!(serde_json::to_string(&inputs).unwrap(), text);
        }
    }

    #[test]
    fn what_a_file_says_is_checked() {
        for targets in [&["b"][..], &["b", "a"]] {
            let text = serde_json::to_string(&inputs(targets)).unwrap();
            for hostile in ["\"table_width\":1", "\"table_width\":3"] {
                assert!(serde_json::from_str::<Inputs>(&text.replace("\"table_width\":4", hostile)).is_err());
            }
            assert!(
                serde_json::from_str::<Inputs>(&text.replace("\"position\":2", "\"position\":4")).is_err()
            );
        }
    }
}
