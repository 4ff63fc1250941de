//! Whatever comes in: a message that says what, where and what to do, and nothing lost.

use super::common::{Folder, waves};

/// A file that cannot be learnt from, and what the message must say.
fn refuses(name: &str, content: &str, options: &str, parts: &[&str]) {
    let f = Folder::new();
    f.put(name, content);
    let message = f.fails(&format!("fit {name} {options}"), 1);
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
    assert_eq!(f.names(), [name], "nothing may be left behind");
}

#[test]
fn values_that_are_not_finite() {
    refuses("d.csv", "x,y\n1,2\nnan,3\n4,5\n", "-t y", &["d.csv", "line 3", "x"]);
    refuses("d.csv", "x,y\n1,2\n2,inf\n4,5\n", "-t y", &["d.csv", "line 3", "y"]);
    refuses("d.csv", "x,y\n1,2\n,3\n4,5\n", "-t y", &["d.csv", "line 3", "x"]);
    refuses("d.csv", "x,y\n1,2\n2,\n4,5\n", "-t y", &["d.csv", "line 3", "y"]);
}

#[test]
fn files_with_too_little_in_them() {
    refuses("d.csv", "", "-t y", &["d.csv"]);
    refuses("d.csv", "x,y\n", "-t y", &["d.csv", "no rows"]);
    refuses("d.csv", "x,y\n1,2\n", "-t y", &["d.csv", "rows", "found 1"]);
    refuses("d.csv", "x,y\n1,2\n", "-t y --test 0", &["d.csv", "rows", "found 1"]);
    refuses("d.csv", "y\n1\n2\n3\n", "-t y", &["no input column"]);
}

#[test]
fn targets_that_are_not_there_or_not_numbers() {
    refuses("d.csv", &waves(20), "-t price", &["price", "x1"]);
    refuses("d.csv", &waves(20), "-t y --drop x1,y", &["d.csv", "\"y\" cannot be both"]);
    refuses("d.csv", "x,y\n1,a\n2,b\n3,a\n", "-t y --task regression", &["d.csv", "y", "number"]);
    let f = Folder::new();
    f.put("d.csv", waves(20));
    let message = f.fails("fit d.csv", 2);
    assert!(message.contains("--target") && message.contains("x1, x2, y"), "{message}");
}

#[test]
fn a_slip_in_a_column_of_numbers_is_found() {
    let rows: String = (0..60)
        .map(|i| format!("{i},{}\n", if i == 40 { "oops".into() } else { (0.5 * i as f64).to_string() }))
        .collect();
    refuses("d.csv", &format!("x,y\n{rows}"), "-t y", &["d.csv, line 42, column y", "oops", "numbers"]);
}

#[test]
fn a_slip_among_the_numbers_of_a_feature_is_found() {
    let rows = |slip: &str| -> String {
        let x = |i: usize| if i == 40 { slip.to_owned() } else { format!("{}.5", i % 30) };
        (0..60).map(|i| format!("{},{i}\n", x(i))).collect()
    };
    let table = format!("x,y\n{}", rows("0x10"));
    refuses("d.csv", &table, "-t y", &["d.csv, line 42, column x", "0x10", "30 different numbers"]);
    let f = Folder::new();
    f.put("d.csv", table);
    assert_eq!(f.json("fit d.csv -t y --categorical x")["features"], 31);
}

#[test]
fn numbers_too_large_to_square_are_named() {
    let table = waves(20) + "1e300,0,1\n";
    refuses("d.csv", &table, "-t y --test 0", &["d.csv", "feature 1", "too large"]);
}

#[test]
fn weights_below_zero_are_named() {
    let weight = |i: usize| if i == 0 { "w".to_owned() } else { (3.0 - i as f64).to_string() };
    let weigh = |(i, line): (usize, &str)| format!("{line},{}\n", weight(i));
    let table: String = waves(20).lines().enumerate().map(weigh).collect();
    refuses("d.csv", &table, "-t y --weights w", &["d.csv, line 5, column w", "0 or above"]);
}

#[test]
fn one_class_is_not_enough() {
    refuses("d.csv", "x,y\n1,a\n2,a\n3,a\n4,a\n5,a\n", "-t y", &["classes", "found 1"]);
}

#[test]
fn constant_features_are_said_and_do_no_harm() {
    let f = Folder::new();
    let text: String = waves(60)
        .lines()
        .enumerate()
        .map(|(i, l)| format!("{l},{}\n", if i == 0 { "c" } else { "0.1" }))
        .collect();
    f.put("d.csv", text);
    let answer = f.json("fit d.csv -t y");
    assert!(answer["notes"][0].as_str().unwrap().contains("without influence: c"), "{answer}");
    assert!(answer["test"]["r_squared"].as_f64().unwrap() > 0.9);
}

#[test]
fn repeated_rows_are_said_and_do_no_harm() {
    let f = Folder::new();
    let text = waves(40);
    let rows: String = text.lines().skip(1).map(|l| format!("{l}\n")).collect();
    f.put("d.csv", format!("x1,x2,y\n{rows}{rows}"));
    let answer = f.json("fit d.csv -t y");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("repeat the features of an earlier one"), "{notes}");
    assert!(answer["test"]["root_mean_squared"].as_f64().unwrap().is_finite());
}

#[test]
fn a_constant_target_is_no_disaster() {
    let f = Folder::new();
    f.put("d.csv", "x,y\n1,5\n2,5\n3,5\n4,5\n5,5\n6,5\n");
    let answer = f.json("fit d.csv -t y --task regression");
    assert!(answer["training"]["r_squared"].is_null());
    assert!(answer["training"]["root_mean_squared"].as_f64().unwrap() < 1e-6, "{answer}");
}

#[test]
fn ragged_and_binary_files() {
    refuses("d.csv", "x,y\n1,2\n1,2,3\n", "-t y", &["d.csv", "line 3"]);
    refuses("d.csv", "\u{0}\u{1}\u{2}\u{3}", "-t y", &["d.csv"]);
    refuses("d.parquet", "PAR1 and then nothing", "-t y", &["d.parquet"]);
    refuses("d.npy", "\u{93}NUMPY", "-t 1", &["d.npy"]);
}

/// Lists, records and bytes in a Parquet file, as pyarrow writes them: `x`, `tags` (list of strings), `place`
/// (struct), `raw` (binary) and `y`, 40 rows in three groups.
#[test]
fn nested_columns_can_be_left_out() {
    let f = Folder::new();
    f.put("d.parquet", include_bytes!("nested.parquet"));
    let asked = |line: &str| {
        let message = f.fails(line, 1);
        assert!(message.contains("d.parquet: column \"tags\" holds values of type List"), "{message}");
        assert!(message.contains("leave it out"), "{message}");
    };
    asked("fit d.parquet -t y");
    asked("fit d.parquet -t tags --features x");
    asked("fit d.parquet -t y --features x,tags");
    asked("fit d.parquet -t y --features x --weights tags");
    asked("stream d.parquet -t y --features tags --width 1");
    asked("stream d.parquet -t tags --features x --width 1");
    let rows = f.json("fit d.parquet -t y --drop tags,place,raw -o m.safetensors")["rows"].clone();
    assert_eq!(rows, 40);
    assert_eq!(f.json("fit d.parquet -t y --features x -o n.safetensors")["rows"], 40);
    assert_eq!(f.json("fit d.parquet -t y --features x -o n.safetensors --stream")["rows"], 40);
    assert_eq!(f.run("predict m.safetensors d.parquet").lines().count(), 41);
    assert_eq!(f.json("evaluate m.safetensors d.parquet")["rows"], 40);
    assert_eq!(f.run("stream d.parquet -t y --features x --width 1").lines().count(), 41);
    let message = f.fails("predict m.safetensors d.parquet --append", 1);
    assert!(message.contains("--append repeats every column: d.parquet: column \"tags\""), "{message}");
}

#[test]
fn paths_that_cannot_be_read() {
    let f = Folder::new();
    f.put("file", "x,y\n1,2\n");
    assert!(f.fails("fit none.csv -t y", 1).contains("none.csv"));
    assert!(f.fails("fit file/below.csv -t y", 1).contains("file/below.csv"));
    assert!(f.fails("fit . -t y", 1).contains('.'));
    assert!(f.fails("predict none.safetensors file", 1).contains("none.safetensors"));
    assert!(f.fails("inspect none.safetensors", 1).contains("none.safetensors"));
}

#[test]
fn model_files_that_are_none() {
    let f = Folder::new();
    f.put("d.csv", waves(40));
    f.put("m.safetensors", "this is not a model");
    let message = f.fails("predict m.safetensors d.csv", 1);
    assert!(message.starts_with("groat: m.safetensors: not a usable groat model"), "{message}");
    f.run("fit d.csv -t y -o whole.safetensors");
    let bytes = std::fs::read(f.file("whole.safetensors")).unwrap();
    f.put("half.safetensors", &bytes[..bytes.len() / 2]);
    assert!(f.fails("inspect half.safetensors", 1).contains("not a usable groat model"));
}

#[test]
fn wrong_calls_have_code_2() {
    let f = Folder::new();
    f.put("d.csv", waves(30));
    for line in [
        "",
        "fit",
        "fit d.csv -t y --kernel cosine",
        "fit d.csv -t y --kernel gaussian:width=-1",
        "fit d.csv -t y --method magic",
        "fit d.csv -t y --test 1.5",
        "fit d.csv -t y --ridge -1",
        "fit d.csv -t y --threads 0",
        "fit d.csv -t y -o -",
        "fit d.csv -t y -o a --report a",
        "fit d.csv -t y --delimiter ab",
        // What the method or the task has no use for.
        "fit d.csv -t y --support 2",
        "fit d.csv -t y --solver dense",
        "fit d.csv -t y --shift",
        "fit d.csv -t y --method krr --shift",
        "fit d.csv -t y --refinement 3",
        "fit d.csv --task density --folds 3",
        "fit d.csv --task density --per-feature",
        "fit d.csv --task density --class-weights balanced",
        "predict d.csv",
        "completions tcsh2",
    ] {
        let message = f.fails(line, 2);
        assert!(!message.is_empty(), "{line:?} says nothing");
    }
    assert_eq!(f.names(), ["d.csv"]);
}
