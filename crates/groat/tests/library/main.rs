//! The library from the outside. One program for all of it, because linking one is quicker than linking a dozen;
//! `online_allocations` is apart, because it counts what it allocates.

mod batch_laws;
mod compact;
mod data_files;
mod data_sets;
mod default_fit;
mod hostile_files;
mod impatient;
mod intervals;
mod kafbox;
mod metrics;
mod model_file;
mod ols;
mod ols_papers;
mod online_laws;
mod online_papers;
mod online_textbook;
mod skipping;
mod svm_reference;
