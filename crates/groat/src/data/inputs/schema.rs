//! Columns and levels of a training table, found batch by batch.

use std::collections::{HashMap, HashSet};

use super::{InputOptions, Inputs, LevelSet};
use crate::data::table::{Table, open_column_order};
use crate::error::Result;

/// What the batches so far have shown.
pub(in crate::data) struct Schema {
    source: String,
    named: bool,
    names: Vec<String>,
    /// The names of an open table, which may have more columns in every batch.
    open: Option<HashSet<String>>,
    /// The levels of each column that holds categories.
    levels: HashMap<String, LevelSet>,
}

impl Schema {
    /// What the first batch shows. It settles which columns hold categories.
    pub fn new(first: &Table, options: &InputOptions) -> Result<Self> {
        let mut schema = Self {
            source: first.source().to_owned(),
            named: first.is_named(),
            names: first.names().to_vec(),
            open: first.is_open().then(|| first.names().iter().cloned().collect()),
            levels: HashMap::new(),
        };
        let levels = || LevelSet::new(options.max_levels);
        if first.is_open() {
            // All are numbers, and those that are called categories may be still to come.
            schema.levels.extend(options.categorical.iter().map(|name| (name.clone(), levels())));
            return schema.add(first).map(|()| schema);
        }
        let categorical: HashSet<&String> = options.categorical.iter().collect();
        for input in Inputs::choose(first.source(), first.names(), first.is_named(), options)?.columns {
            first.check_usable(input.position)?;
            let (text, asked) = (first.column(input.position).is_text(), categorical.contains(&input.name));
            if text || asked {
                let mut levels = levels();
                levels.add(first, input.position)?;
                if !asked {
                    levels.refuse_slips(first, input.position)?;
                }
                schema.levels.insert(input.name, levels);
            }
        }
        Ok(schema)
    }

    /// Takes in a batch.
    pub fn add(&mut self, batch: &Table) -> Result<()> {
        if let Some(known) = &mut self.open {
            let new: Vec<String> =
                batch.names().iter().filter(|name| !known.contains(*name)).cloned().collect();
            known.extend(new.iter().cloned());
            self.names.extend(new);
        }
        for (name, levels) in &mut self.levels {
            match batch.position(name) {
                Some(index) => levels.add(batch, index)?,
                // An absent column of an open table is all zeros.
                None => levels.insert("0"),
            }
        }
        Ok(())
    }

    #[cfg(feature = "files")]
    /// True when later batches can add columns or levels.
    pub fn may_grow(&self) -> bool {
        self.open.is_some() || !self.levels.is_empty()
    }

    /// The inputs that the options choose among all columns, with all their levels.
    pub fn inputs(mut self, options: &InputOptions) -> Result<Inputs> {
        if self.open.is_some() {
            self.names.sort_by_cached_key(|name| open_column_order(name));
        }
        let mut inputs = Inputs::choose(&self.source, &self.names, self.named, options)?;
        for input in &mut inputs.columns {
            input.levels = self.levels.get(&input.name).map(|levels| levels.clone().into_levels());
        }
        inputs.check_embedding()?;
        Ok(inputs)
    }
}
