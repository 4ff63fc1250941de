//! What a command reads and writes, checked in one place before any work: no output is one of the inputs, no two outputs
//! are one file, under whatever names and links, and each can be written.

use crate::exit;
use anyhow::Context;
use groat::persist::Destination;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The files of a command.
#[derive(Default)]
pub struct Files<'a> {
    inputs: Vec<Input<'a>>,
    outputs: Vec<Output<'a>>,
}

struct Input<'a> {
    path: &'a Path,
    /// The output that may replace it.
    replaced_by: Option<&'static str>,
}

struct Output<'a> {
    flag: &'static str,
    path: &'a Path,
    is_table: bool,
}

impl<'a> Files<'a> {
    /// A file that is read, `-` for standard input.
    pub fn reads(mut self, path: &'a Path) -> Self {
        self.inputs.push(Input { path, replaced_by: None });
        self
    }

    /// A file that is read, and that one output may replace.
    pub fn goes_on_from(mut self, path: Option<&'a PathBuf>, flag: &'static str) -> Self {
        self.inputs.extend(path.map(|path| Input { path, replaced_by: Some(flag) }));
        self
    }

    /// A file that is written, by the name of its argument.
    pub fn writes(mut self, flag: &'static str, path: Option<&'a PathBuf>) -> Self {
        self.outputs.extend(path.map(|path| Output { flag, path, is_table: false }));
        self
    }

    /// The same for a table, whose name says in which form it is written.
    pub fn writes_table(mut self, flag: &'static str, path: Option<&'a PathBuf>) -> Self {
        self.outputs.extend(path.map(|path| Output { flag, path, is_table: true }));
        self
    }

    /// An error that says what to do unless everything can be read and written without loss.
    pub fn check(&self) -> anyhow::Result<()> {
        for (at, output) in self.outputs.iter().enumerate() {
            let place = Identity::of(output.path);
            for input in self.inputs.iter().filter(|input| input.replaced_by != Some(output.flag)) {
                if place.is_some() && Identity::of(input.path) == place {
                    return exit::usage(format!(
                        "{} is read by this command and would be overwritten by {}; write to another file",
                        input.path.display(),
                        output.flag
                    ));
                }
            }
            let same = |other: &&Output<'_>| place.is_some() && Identity::of(other.path) == place;
            if let Some(other) = self.outputs[..at].iter().find(same) {
                return exit::usage(format!(
                    "{} and {} must name different files, and both name {}",
                    other.flag,
                    output.flag,
                    output.path.display()
                ));
            }
        }
        self.outputs.iter().try_for_each(Output::check)?;
        self.check_standard_output()
    }

    /// Standard output that goes to a file is one more output.
    fn check_standard_output(&self) -> anyhow::Result<()> {
        let Some(place) = Identity::of_stdout() else { return Ok(()) };
        if let Some(input) =
            self.inputs.iter().find(|input| Identity::of(input.path).as_ref() == Some(&place))
        {
            return exit::usage(format!(
                "{} is read by this command, and standard output goes to it too; write to another file",
                input.path.display()
            ));
        }
        // `/dev/stdout` may well be what it is.
        let replaced = |path: &Path| Destination::of(path).is_ok_and(|found| found.file().is_some());
        let same = |output: &&Output<'_>| {
            Identity::of(output.path).as_ref() == Some(&place) && replaced(output.path)
        };
        match self.outputs.iter().find(same) {
            None => Ok(()),
            Some(output) => exit::usage(format!(
                "{} names {}, where standard output goes; write to another file",
                output.flag,
                output.path.display()
            )),
        }
    }
}

impl Output<'_> {
    /// Whether it can be written.
    fn check(&self) -> anyhow::Result<()> {
        let path = self.path;
        if path.as_os_str().is_empty() {
            return exit::usage(format!("{} is given an empty name", self.flag));
        }
        if path.is_dir() {
            return exit::usage(format!("{} is a folder: name a file in it to write to", path.display()));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            anyhow::bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
        }
        if self.is_table {
            groat::data::check_table_name(path)
                .or_else(|error| exit::usage(format!("{}: {error}", self.flag)))?;
        }
        let cannot = || format!("cannot write {}", path.display());
        match Destination::of(path).with_context(cannot)? {
            // A file without a name shows whether one can be made.
            Destination::File(_) => tempfile::tempfile_in(folder).map(drop).with_context(cannot),
            Destination::Special(_) | Destination::Descriptor(_) => Ok(()),
        }
    }
}

/// What makes a file the same file under other names. Devices and pipes have none: several may share them.
#[derive(PartialEq)]
enum Identity {
    #[cfg(unix)]
    Node(u64, u64),
    Name(PathBuf),
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        if path == Path::new("-") {
            return Self::of_stdin();
        }
        match path.metadata() {
            Ok(found) => Self::of_file(&found, path),
            // One that is not there yet is the same as another of the same name.
            Err(_) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
                Some(Self::Name(folder.join(path.file_name()?)))
            }
        }
    }

    #[cfg(unix)]
    fn of_file(found: &Metadata, _: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        found.is_file().then(|| Self::Node(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn of_file(found: &Metadata, path: &Path) -> Option<Self> {
        found.is_file().then(|| path.canonicalize().ok().map(Self::Name)).flatten()
    }

    #[cfg(unix)]
    fn of_handle(handle: &impl std::os::fd::AsFd) -> Option<Self> {
        let file = File::from(handle.as_fd().try_clone_to_owned().ok()?);
        Self::of_file(&file.metadata().ok()?, Path::new(""))
    }

    #[cfg(unix)]
    fn of_stdin() -> Option<Self> {
        Self::of_handle(&io::stdin())
    }

    #[cfg(unix)]
    fn of_stdout() -> Option<Self> {
        Self::of_handle(&io::stdout())
    }

    #[cfg(not(unix))]
    fn of_stdin() -> Option<Self> {
        None
    }

    #[cfg(not(unix))]
    fn of_stdout() -> Option<Self> {
        None
    }
}
