//! The exit code, decided here and nowhere else: 0 success, 1 the work failed, 2 the call was wrong, 130 the work
//! was interrupted and what there was has been written.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// The call was wrong: a contradiction between arguments that no data could cure.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Ctrl-C ended the work early, and its result so far was written; says which.
#[derive(Debug)]
pub struct Interrupted(pub String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Interrupted {}

/// Ends the command with [`Usage`].
pub fn usage<T>(message: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(message.into()).into())
}

/// Names the data in errors that speak of them and do not say which they are.
pub fn about(data: &Path) -> impl FnOnce(anyhow::Error) -> anyhow::Error {
    let name = if data == Path::new("-") { "standard input".to_owned() } else { data.display().to_string() };
    move |error| match error.downcast_ref::<groat::Error>() {
        Some(
            groat::Error::TooFew { .. } | groat::Error::Numerical { .. } | groat::Error::LinearAlgebra { .. },
        ) => error.context(name),
        _ => error,
    }
}

/// Reports a failure on standard error and turns the outcome into a code.
pub fn code(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    // Whoever reads our output has seen enough (`| head`): nothing went wrong.
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    // Nobody is left to tell if standard error is gone too.
    let _ = writeln!(io::stderr(), "groat: {}", message(&error));
    ExitCode::from(match () {
        // As shells count it: 128 and the number of the signal.
        () if error.is::<Interrupted>() => 130,
        () if is_wrong_call(&error) => 2,
        () => 1,
    })
}

/// The error and its causes, each said once: most errors name their cause already.
fn message(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| {
        if said.is_empty() {
            cause
        } else if said.contains(&cause) {
            said
        } else {
            format!("{said}: {cause}")
        }
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| match cause.downcast_ref::<groat::Error>() {
        Some(groat::Error::Io { source, .. }) => broken(source),
        _ => cause.downcast_ref::<io::Error>().is_some_and(broken),
    })
}

fn is_wrong_call(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<Usage>()
            || matches!(
                cause.downcast_ref::<groat::Error>(),
                Some(
                    groat::Error::Parameter { .. }
                        | groat::Error::Parse { .. }
                        | groat::Error::Setting { .. }
                )
            )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_said_once() {
        let full = groat::Error::io("out", io::Error::other("disk full"));
        assert_eq!(message(&anyhow::Error::from(full).context("saving")), "saving: out: disk full");
    }

    #[test]
    fn kinds_of_failure_are_told_apart() {
        let pipe = groat::Error::io("-", io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(is_broken_pipe(&anyhow::Error::from(pipe).context("writing")));
        assert!(is_wrong_call(&groat::Error::parameter("ridge", -1.0, "0 or above").into()));
        assert!(is_wrong_call(&usage::<()>("no").unwrap_err()));
        let full = groat::Error::io("out", io::Error::from(io::ErrorKind::StorageFull));
        assert!(!is_wrong_call(&full.into()));
    }
}
