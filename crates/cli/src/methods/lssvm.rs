//! The least-squares SVM, dense or sparse.

use super::{Entry, Settings};
use crate::args::Bytes;
use groat::batch::{LeastSquaresSvm, Method, Search, Solver};
use groat::gram::Memory;

pub const ENTRY: Entry = Entry {
    name: "lssvm",
    about: "least-squares SVM; with --support on a sparse matrix, for many rows and few features",
    build,
};

/// Up to this many rows a factorisation costs so little that it is made for the leave-one-out error alone.
const LEAVE_ONE_OUT_ROWS: usize = 5000;

fn build(settings: &Settings<'_>) -> anyhow::Result<Box<dyn Method>> {
    let default = LeastSquaresSvm::default();
    let memory = Memory::from(settings.memory.map(|m| m.0));
    let leave_one_out = match settings.solver {
        None | Some(Solver::Auto) => settings.rows <= LEAVE_ONE_OUT_ROWS,
        Some(solver) => solver != Solver::Iterative,
    };
    Ok(Box::new(LeastSquaresSvm {
        kernel: settings.kernel.kernel.clone(),
        widths: if settings.kernel.width_given { Search::Fixed } else { Search::Auto },
        support: settings.support.map(|support| support.rule(Some(Bytes(memory.limit())))),
        ridge: settings.ridge.unwrap_or(default.ridge),
        ridges: if settings.ridge.is_some() { Search::Fixed } else { Search::Auto },
        solver: settings.solver.unwrap_or(Solver::Auto),
        leave_one_out,
        shift: settings.shift,
        memory,
        seed: settings.seed,
        ..default
    }))
}
