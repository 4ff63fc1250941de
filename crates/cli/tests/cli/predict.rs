//! `groat predict`, `evaluate` and `inspect`.

use super::common::{Folder, disc, noise, waves};

fn fitted() -> Folder {
    let f = Folder::new();
    f.put("waves.csv", waves(100));
    f.run("fit waves.csv -t y --method krr -o m.safetensors");
    f
}

#[test]
fn predictions_come_out_one_per_row() {
    let f = fitted();
    let text = f.run("predict m.safetensors waves.csv");
    assert_eq!(text.lines().count(), 101);
    assert_eq!(text.lines().next(), Some("prediction"));
    assert!(text.lines().skip(1).all(|line| line.parse::<f64>().is_ok()));
}

#[test]
fn columns_are_found_by_name() {
    let f = fitted();
    let moved: String = f
        .read("waves.csv")
        .lines()
        .map(|l| {
            let c: Vec<&str> = l.split(',').collect();
            format!("{},{}\n", c[1], c[0])
        })
        .collect();
    f.put("moved.csv", moved);
    assert_eq!(f.run("predict m.safetensors moved.csv"), f.run("predict m.safetensors waves.csv"));
}

#[test]
fn more_features_than_at_fit_time() {
    let f = fitted();
    let more: String = f.read("waves.csv").lines().map(|l| format!("{l},7\n")).collect();
    f.put("more.csv", more.replacen("y,7", "y,extra", 1));
    // With names the surplus is ignored, and said.
    let out = f.groat("predict m.safetensors more.csv").assert().success().get_output().clone();
    assert!(String::from_utf8_lossy(&out.stderr).contains("does not use: extra"));
    assert!(f.groat("predict m.safetensors more.csv -q").assert().success().get_output().stderr.is_empty());
    // Without names nobody can tell which is which.
    f.put("bare.csv", "1,2,3,4,5\n1,2,3,4,5\n");
    assert!(f.fails("predict m.safetensors bare.csv", 1).contains("5 columns"));
    f.put("fewer.csv", "x1,y\n1,2\n");
    assert!(f.fails("predict m.safetensors fewer.csv", 1).contains("x2"));
}

#[test]
fn answers_in_other_forms() {
    let f = fitted();
    f.run("predict m.safetensors waves.csv --append -o p.tsv");
    assert!(f.read("p.tsv").starts_with("x1\tx2\ty\tprediction\n"));
    f.run("predict m.safetensors waves.csv -o p.parquet");
    assert!(
        f.run("predict m.safetensors waves.csv -o q.csv").contains("100 rows predicted, written to q.csv")
    );
    let answer = f.json("predict m.safetensors waves.csv");
    assert_eq!(answer["columns"]["prediction"].as_array().unwrap().len(), 100);
    assert_eq!(f.json("predict m.safetensors waves.csv -o q.csv")["rows"], 100);
}

#[test]
fn classes_come_with_scores() {
    let f = Folder::new();
    f.put("disc.csv", disc(100));
    f.run("fit disc.csv -t class -o m.safetensors");
    let text = f.run("predict m.safetensors disc.csv --scores");
    let head = "prediction,score[outside],probability[inside],probability[outside]\n";
    assert!(text.starts_with(head), "{text}");
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0] == "outside", cells[1].parse::<f64>().unwrap() > 0.0, "{line}");
    }
}

#[test]
fn classes_are_scored_one_by_one() {
    let f = Folder::new();
    f.put("disc.csv", disc(150));
    f.run("fit disc.csv -t class -o m.safetensors");
    let errors = f.json("evaluate m.safetensors disc.csv")["errors"].clone();
    assert_eq!(errors["classes"], serde_json::json!(["inside", "outside"]));
    assert!(errors["area_under_curve"].as_f64().unwrap() > 0.9, "{errors}");
    assert!(errors["log_loss"].as_f64().unwrap() < 0.5, "{errors}");
    assert!(errors["per_class"][0]["precision"].as_f64().unwrap() > 0.7, "{errors}");
    let text = f.run("evaluate m.safetensors disc.csv");
    for part in ["mean F1", "AUC", "log loss", "recall", "as outside"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn intervals_hold_what_they_promise() {
    let f = Folder::new();
    let rough: String = (0..400)
        .map(|i| {
            let (a, e) = (4.0 * noise(i) - 2.0, noise(i * i) - 0.5);
            format!("{a},{}\n", (2.0 * a).sin() + e)
        })
        .collect();
    f.put("rough.csv", format!("x,y\n{rough}"));
    f.run("fit rough.csv -t y --test 0.5 -o m.safetensors --report r.html");
    assert!(f.read("r.html").contains("Prediction intervals"));
    let answers = f.run("predict m.safetensors rough.csv --interval 0.9");
    assert!(answers.starts_with("prediction,lower,upper\n"), "{answers}");
    let line: Vec<f64> = answers.lines().nth(1).unwrap().split(',').map(|v| v.parse().unwrap()).collect();
    assert!(line[1] < line[0] && line[0] < line[2], "{line:?}");
    let reached = f.json("evaluate m.safetensors rough.csv")["intervals"].clone();
    assert!((reached[0]["inside"].as_f64().unwrap() - 0.9).abs() < 0.06, "{reached}");
    assert!(f.run("evaluate m.safetensors rough.csv").contains("of 90 % hold"));
    assert!(f.fails("predict m.safetensors rough.csv --interval 0.9999", 2).contains("9999"));
    f.fails("predict m.safetensors rough.csv --interval 1", 2);
    f.run("fit rough.csv -t y --method krr --ridge 0.1 --kernel gaussian:width=1 -o k.safetensors");
    assert!(f.fails("predict k.safetensors rough.csv --interval 0.9", 2).contains("sparse"));
}

#[test]
fn columns_that_matter_stand_first() {
    let f = Folder::new();
    let rows: String = (0..200)
        .map(|i| {
            let (a, b, kind) = (noise(i), noise(i * i), i % 3);
            format!("{b},{},{a},{}\n", ["red", "green", "blue"][kind], 3.0 * kind as f64 + (5.0 * a).sin())
        })
        .collect();
    f.put("c.csv", format!("nothing,colour,wave,y\n{rows}"));
    f.run("fit c.csv -t y -o m.safetensors --report r.html");
    assert!(f.read("r.html").contains("Importance of the columns"));
    let found = f.json("evaluate m.safetensors c.csv --importance --report e.html")["importance"].clone();
    let names: Vec<&str> = (0..3).map(|k| found["columns"][k]["column"].as_str().unwrap()).collect();
    assert_eq!(names, ["colour", "wave", "nothing"], "{found}");
    assert!(found["columns"][0]["rise"].as_f64().unwrap() > 1.0, "{found}");
    assert!(f.read("e.html").contains("Importance of the columns"));
    assert!(f.run("evaluate m.safetensors c.csv --importance").contains("rise of the error"));
}

#[test]
fn categories_are_remembered() {
    let f = Folder::new();
    let rows: String = (0..60).map(|i| format!("{},{}\n", ["red", "green", "blue"][i % 3], i % 3)).collect();
    f.put("c.csv", format!("colour,y\n{rows}"));
    let answer = f.json("fit c.csv -t y --task regression -o m.safetensors");
    assert_eq!(answer["features"], 3);
    f.put("one.csv", "colour\ngreen\n");
    let text = f.run("predict m.safetensors one.csv");
    let value: f64 = text.lines().nth(1).unwrap().parse().unwrap();
    assert!((value - 1.0).abs() < 0.1, "{value}");
    f.put("odd.csv", "colour\nviolet\n");
    assert!(f.fails("predict m.safetensors odd.csv", 1).contains("violet"));
}

#[test]
fn evaluation_agrees_with_the_fit() {
    let f = Folder::new();
    f.put("waves.csv", waves(100));
    let fit = f.json("fit waves.csv -t y --test 0 -o m.safetensors");
    let evaluated = f.json("evaluate m.safetensors waves.csv");
    assert_eq!(evaluated["errors"], fit["training"]);
    let text = f.run("evaluate m.safetensors waves.csv");
    assert!(text.contains("root mean square") && text.contains("95 % below"), "{text}");
    f.put("blind.csv", "x1,x2\n1,2\n");
    assert!(f.fails("evaluate m.safetensors blind.csv", 1).contains("y"));
}

#[test]
fn models_can_be_looked_at() {
    let f = fitted();
    let answer = f.json("inspect m.safetensors");
    assert_eq!((answer["task"].as_str(), answer["vectors"].as_u64()), (Some("regression"), Some(80)));
    assert_eq!(answer["features"][1], "x2");
    assert!(f.run("inspect m.safetensors").contains("krr, from 80 rows"));
    let vectors = f.run("inspect m.safetensors --vectors");
    assert!(vectors.starts_with("weight,x1,x2\n"));
    // In the units of the data: the first vector is a row of the file.
    let row = vectors.lines().nth(1).unwrap();
    let x2: f64 = row.rsplit(',').next().unwrap().parse().unwrap();
    assert!((0.0..=1.0).contains(&x2));
    assert_eq!(vectors.lines().count(), 81);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_a_file_too() {
    let f = fitted();
    let whole = f.run("predict m.safetensors waves.csv");
    assert!(std::process::Command::new("mkfifo").arg(f.file("pipe.csv")).status().unwrap().success());
    let (pipe, rows) = (f.file("pipe.csv"), f.read("waves.csv"));
    let writer = std::thread::spawn(move || std::fs::write(pipe, rows));
    assert_eq!(f.run("predict m.safetensors pipe.csv"), whole);
    writer.join().unwrap().unwrap();
}

#[test]
fn progress_is_told_in_lines_when_asked_for() {
    let f = fitted();
    let told =
        |line: &str| String::from_utf8(f.groat(line).assert().success().get_output().stderr.clone()).unwrap();
    assert_eq!(told("predict m.safetensors waves.csv -o p.csv"), "");
    let lines = told("predict m.safetensors waves.csv -o p.csv --progress");
    assert_eq!(lines, "groat: predicting\ngroat: rows predicted: 100\n");
    assert!(told("fit waves.csv -t y --progress").contains("groat: the full machine "));
    assert!(f.fails("fit waves.csv -t y --progress --quiet", 2).contains("cannot be used with"));
}
