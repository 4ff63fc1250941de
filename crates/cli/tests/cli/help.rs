//! Help and completions.

use super::common::{Folder, disc, noise, waves};
use assert_cmd::cargo::cargo_bin;
use std::fmt::Write;
use std::process::Command;

#[test]
fn help_has_examples() {
    let f = Folder::new();
    for command in [
        "fit",
        "predict",
        "evaluate",
        "inspect",
        "generate",
        "sample",
        "tune-support",
        "pca",
        "stream",
        "convert",
    ] {
        let text = f.run(&format!("help {command}"));
        assert!(text.contains("Examples:") && text.contains(&format!("groat {command}")), "{text}");
    }
    let fit = f.run("help fit");
    assert!(fit.contains("krr") && fit.contains("ols"), "the methods are listed: {fit}");
    assert!(f.run("--version").starts_with("groat "));
}

/// The files that the examples speak of.
fn example_files() -> Folder {
    let f = Folder::new();
    let renamed = |text: String, names: &str| text.replacen(text.lines().next().unwrap(), names, 1);
    for name in ["houses.csv", "later.csv"] {
        f.put(name, renamed(waves(60), "rooms,age,price"));
    }
    f.put("map.csv", renamed(waves(300), "x,y,height"));
    f.put("motor.csv", renamed(waves(60), "speed,torque,heat"));
    f.put("log.csv", renamed(waves(60), "rooms,age,price"));
    f.put("series.csv", renamed(waves(60), "u,v,y").replace(",v,", ",w,"));
    f.put("big.csv", waves(60));
    f.put("iris.csv", renamed(disc(60), "length,width,species"));
    f.put("test.csv", renamed(disc(60), "length,width,class"));
    f.put("cells.csv", renamed(disc(60), "size,shade,kind"));
    let mut new = "rooms,age,length,width,size,shade,kind,x,y\n".to_owned();
    for i in 0..9 {
        let [a, b] = [noise(i), noise(i + 50)];
        writeln!(new, "{a},{b},{a},{b},{a},{b},inside,{a},{b}").unwrap();
    }
    f.put("new.csv", new);
    f
}

#[test]
fn every_example_runs_as_it_stands() {
    let f = example_files();
    let program = cargo_bin("groat");
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let shell = |line: &str| {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("set -e -o pipefail; {line}")]).env("PATH", &path).current_dir(f.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    };
    shell("gzip -k big.csv");
    // Models that examples of other commands take for granted.
    shell("groat fit log.csv --target price -o model.safetensors");
    let mut ran = 0;
    for command in
        ["fit", "predict", "evaluate", "inspect", "generate", "sample", "tune-support", "pca", "convert"]
    {
        let help = f.run(&format!("help {command}"));
        let examples = help.split("Examples:").nth(1).unwrap();
        for line in examples.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   ")) {
            shell(line.trim());
            ran += 1;
        }
        // Its second example writes the same model by another method.
        if command == "fit" {
            shell("groat fit houses.csv --target price");
        }
    }
    assert!(ran > 20, "{ran} examples were found");
}

#[test]
fn completions_for_every_shell() {
    let f = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(f.run(&format!("completions {shell}")).contains("evaluate"));
    }
}
