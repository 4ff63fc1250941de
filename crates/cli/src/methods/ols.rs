//! Sparse models by orthogonal least squares and leave-one-out.

use super::{Entry, Settings};
use crate::args::{ClassWeightsArg, SelectionArgs};
use crate::exit;
use groat::batch::Method;
use groat::batch::forward::{ClassWeights, Ols, Penalty, SparseDensity, Validation, WidthSearch};
use groat::kernels::Kernel;

pub const ENTRY: Entry =
    Entry { name: "ols", about: "few vectors, chosen one by one by leave-one-out; stops by itself", build };

/// Steps of refinement that a density is offered.
const REFINEMENT: u32 = 20;

fn build(settings: &Settings<'_>) -> anyhow::Result<Box<dyn Method>> {
    Ok(Box::new(ols(settings)?))
}

fn search(given: &SelectionArgs) -> WidthSearch {
    let search =
        WidthSearch::new().one_standard_error(given.one_standard_error).per_feature(given.per_feature);
    match given.folds {
        Some(folds) => search.validation(Validation::Folds(folds as usize)),
        None => search,
    }
}

/// How a width is judged.
pub fn validation(settings: &Settings<'_>) -> Validation {
    search(settings.selection).validation_for(!settings.classes.is_empty())
}

/// The method for a target.
pub fn ols(settings: &Settings<'_>) -> anyhow::Result<Ols> {
    let given = settings.selection;
    let mut ols = Ols::new(settings.kernel.kernel.clone()).seed(settings.seed);
    if !settings.kernel.width_given {
        ols = ols.search(search(given));
    }
    if let Some(ridge) = settings.ridge {
        ols = ols.penalty(Penalty::Absolute(ridge));
    }
    if let Some(terms) = given.max_terms {
        ols = ols.max_terms(terms as usize);
    }
    if let Some(patience) = given.stop {
        ols = ols.patience(patience as usize);
    }
    if let Some(candidates) = given.candidates {
        ols = ols.candidates(candidates as usize);
    }
    if let Some(memory) = settings.memory {
        ols = ols.memory(memory.0);
    }
    Ok(match &given.class_weights {
        Some(weights) => ols.class_weights(class_weights(weights, settings.classes)?),
        None => ols,
    })
}

/// The method for a density.
pub fn density(settings: &Settings<'_>) -> anyhow::Result<SparseDensity> {
    let Kernel::Gaussian { width } = &settings.kernel.kernel else {
        return exit::usage(
            "a density is made of Gaussian kernels: leave --kernel out, or give gaussian:width=..",
        );
    };
    let steps = settings.selection.refinement.unwrap_or(REFINEMENT);
    let density = SparseDensity::new().selection(&ols(settings)?).refinement(steps as usize);
    Ok(if settings.kernel.width_given { density.width(width.clone()) } else { density })
}

fn class_weights(weights: &ClassWeightsArg, classes: &[String]) -> anyhow::Result<ClassWeights> {
    let named = match weights {
        _ if classes.is_empty() => return exit::usage("--class-weights needs a target with classes"),
        ClassWeightsArg::Balanced => return Ok(ClassWeights::Balanced),
        ClassWeightsArg::Named(named) => named,
    };
    if let Some((label, _)) = named.iter().find(|(label, _)| !classes.contains(label)) {
        let known = classes.join(", ");
        return exit::usage(format!("--class-weights names the class {label:?}; the classes are {known}"));
    }
    let factor = |class: &String| named.iter().find(|(label, _)| label == class).map_or(1.0, |(_, f)| *f);
    Ok(ClassWeights::PerClass(classes.iter().map(factor).collect()))
}
