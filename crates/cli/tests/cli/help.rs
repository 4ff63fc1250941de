//! Help and completions.

use super::common::Folder;

#[test]
fn help_has_examples() {
    let f = Folder::new();
    for command in ["fit", "predict", "evaluate", "inspect", "generate"] {
        let text = f.run(&format!("help {command}"));
        assert!(text.contains("Examples:") && text.contains(&format!("groat {command}")), "{text}");
    }
    let fit = f.run("help fit");
    assert!(fit.contains("krr") && fit.contains("ols"), "the methods are listed: {fit}");
    assert!(f.run("--version").starts_with("groat "));
}

#[test]
fn completions_for_every_shell() {
    let f = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(f.run(&format!("completions {shell}")).contains("evaluate"));
    }
}
