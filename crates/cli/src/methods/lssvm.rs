//! The least-squares SVM, dense or sparse.

use super::{Entry, Settings};
use crate::args::Bytes;
use groat::batch::{LeastSquaresSvm, Method, Search, Solver};

pub const ENTRY: Entry = Entry {
    name: "lssvm",
    about: "least-squares SVM; with --support on a sparse matrix, for many rows and few features",
    build,
};

fn build(settings: &Settings<'_>) -> anyhow::Result<Box<dyn Method>> {
    let default = LeastSquaresSvm::default();
    let memory = settings.memory.map_or(default.memory, |m| m.0);
    Ok(Box::new(LeastSquaresSvm {
        kernel: settings.kernel.kernel.clone(),
        widths: if settings.kernel.width_given { Search::Fixed } else { Search::Auto },
        support: settings.support.map(|support| support.rule(Some(Bytes(memory)))),
        ridge: settings.ridge.unwrap_or(default.ridge),
        ridges: if settings.ridge.is_some() { Search::Fixed } else { Search::Auto },
        solver: settings.solver.unwrap_or(Solver::Auto),
        leave_one_out: true,
        shift: settings.shift,
        memory,
        seed: settings.seed,
        ..default
    }))
}
