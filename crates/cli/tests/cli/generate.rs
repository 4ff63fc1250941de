//! `groat generate`.

use super::common::Folder;

#[test]
fn every_data_set_can_be_written() {
    let f = Folder::new();
    let all = f.groat("generate --list --json").assert().success().get_output().stdout.clone();
    let all: serde_json::Value = serde_json::from_slice(&all).unwrap();
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|g| g["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"sinc") && names.contains(&"mackey-glass"), "{names:?}");
    for name in &names {
        let text = f.run(&format!("generate {name} --rows 20 --seed 3"));
        assert_eq!(text.lines().count(), 21, "{name}");
        assert!(f.run("generate --list").contains(name));
    }
}

#[test]
fn seeds_decide_and_formats_agree() {
    let f = Folder::new();
    f.run("generate sinc -n 50 --seed 1 --set noise=0.1 -o a.csv");
    assert_eq!(f.read("a.csv"), f.run("generate sinc -n 50 --seed 1 --set noise=0.1"));
    assert_ne!(f.read("a.csv"), f.run("generate sinc -n 50 --seed 2 --set noise=0.1"));
    assert!(f.run("generate sinc -n 50 --seed 1 --set noise=0.1 -o a.parquet").contains("50 rows of sinc"));
    let fit = |name: &str| f.json(&format!("fit {name} -t y -o m.safetensors"))["test"].clone();
    assert_eq!(fit("a.csv"), fit("a.parquet"));
    assert_eq!(f.json("generate sinc -n 5")["columns"]["x"].as_array().unwrap().len(), 5);
}

#[test]
fn a_series_goes_straight_into_a_fit() {
    let f = Folder::new();
    let series = f.run("generate mackey-glass -n 300");
    let column = series.lines().next().unwrap().split(',').next_back().unwrap().to_owned();
    f.groat(&format!("fit - -t {column} --embed 7")).write_stdin(series).assert().success();
}

#[test]
fn wrong_names_and_settings() {
    let f = Folder::new();
    assert!(f.fails("generate cosine", 2).contains("sinc"));
    assert!(f.fails("generate sinc --set loudness=1", 2).contains("noise"));
    assert!(f.fails("generate sinc --set noise", 2).contains("NAME=NUMBER"));
    assert!(f.fails("generate sinc -n 0", 2).contains("rows"));
    assert!(f.fails("generate sinc -o no/such/folder/a.csv", 1).contains("folder"));
    assert!(f.fails("generate", 2).contains("NAME"));
}
