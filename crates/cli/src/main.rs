//! The groat command.
fn main() {}
