//! Sparse models by orthogonal least squares and leave-one-out.

use super::{Entry, Settings};
use groat::batch::Method;
use groat::batch::forward::{Ols, Penalty, WidthSearch};

pub const ENTRY: Entry =
    Entry { name: "ols", about: "few vectors, chosen one by one by leave-one-out; stops by itself", build };

fn build(settings: &Settings<'_>) -> anyhow::Result<Box<dyn Method>> {
    let mut ols = Ols::new(settings.kernel.kernel.clone()).seed(settings.seed);
    if !settings.kernel.width_given {
        ols = ols.search(WidthSearch::new());
    }
    if let Some(ridge) = settings.ridge {
        ols = ols.penalty(Penalty::Absolute(ridge));
    }
    if let Some(terms) = settings.max_terms {
        ols = ols.max_terms(terms);
    }
    if let Some(patience) = settings.patience {
        ols = ols.patience(patience);
    }
    if let Some(candidates) = settings.candidates {
        ols = ols.candidates(candidates);
    }
    if let Some(memory) = settings.memory {
        ols = ols.memory_limit(memory.0);
    }
    Ok(Box::new(ols))
}
