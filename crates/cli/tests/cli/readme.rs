//! The commands of the README work, and what it says they print is what they print.

use super::common::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that build or test the whole project, of which this test is a part.
const NOT_RUN: [&str; 2] = ["./test", "pip install ./python"];

/// Stands before the arguments where the program is not installed.
const BUILD_AND_RUN: &str = "cargo run --release -p groat-cli -- ";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every block between fences: its language and its text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
}

/// The commands of a block, without remarks; one that ends in a bar goes on in the next line.
fn commands(block: &str) -> Vec<String> {
    let lines = block.lines().map(|line| match line.split_once('#') {
        Some((before, _)) if before.is_empty() || before.ends_with(' ') => before.trim(),
        _ => line.trim(),
    });
    let text: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    text.join("\n").replace("|\n", "| ").lines().map(str::to_owned).collect()
}

/// What a shell prints that runs `command` in a folder with the built program on its path.
fn run(folder: &Folder, command: &str) -> String {
    let program = assert_cmd::cargo::cargo_bin!("groat");
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", command]).current_dir(folder.path()).env("PATH", path);
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// True when all lines of `excerpt` are lines of `whole`, in the same order.
fn shows(whole: &str, excerpt: &str) -> bool {
    let mut lines = whole.lines();
    excerpt.lines().all(|line| lines.any(|other| other == line))
}

#[test]
#[cfg(unix)]
fn the_commands_work_and_print_what_is_shown() {
    let page = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let folder = Folder::new();
    std::os::unix::fs::symlink(repository().join("datasets"), folder.file("datasets")).unwrap();
    let mut printed: Vec<String> = Vec::new();
    for (language, block) in blocks(&page) {
        match language {
            "sh" => {
                for command in commands(block).iter().filter(|command| !NOT_RUN.contains(&command.as_str())) {
                    let command = command.replace(BUILD_AND_RUN, "groat ");
                    assert!(command.starts_with("groat "), "no test runs {command:?}");
                    printed.push(run(&folder, &command));
                }
            }
            // A few lines of what one of the commands above it prints.
            "text" => assert!(printed.iter().any(|whole| shows(whole, block)), "nothing prints\n{block}"),
            other => panic!("a block of {other:?} is not tested"),
        }
    }
    assert!(printed.len() >= 5, "the README shows {} commands", printed.len());
}

#[test]
fn commands_are_taken_apart() {
    let page = "a\n```sh\ngroat a b   # why\n\n# then\ngroat c |\n  groat d#e\n```\nb\n```text\nx\n```\n";
    assert_eq!(blocks(page)[1], ("text", "x\n"));
    assert_eq!(commands(blocks(page)[0].1), ["groat a b", "groat c | groat d#e"]);
    assert!(shows("a\nb\nc\n", "a\nc\n") && !shows("a\nb\n", "b\na\n"));
}
