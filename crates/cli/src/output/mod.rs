//! What people and programs read back: summaries, progress, pages.

pub mod page;
pub mod progress;
pub mod summary;
pub mod tables;
