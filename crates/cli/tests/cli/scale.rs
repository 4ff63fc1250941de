//! Methods for very many rows from the command line: landmarks of the user's choice, components of files in batches.

use super::common::{Folder, waves};
use serde_json::Value;

#[test]
fn landmarks_from_a_file_are_the_vectors_of_the_model() {
    let folder = Folder::new();
    let text = waves(600);
    folder.put("d.csv", &text);
    // The header and twenty rows, columns in another order and the target left out.
    let mut landmarks = String::from("x2,x1\n");
    for line in text.lines().skip(1).take(20) {
        let values: Vec<&str> = line.split(',').collect();
        landmarks.push_str(&format!("{},{}\n", values[1], values[0]));
    }
    folder.put("l.csv", &landmarks);
    let held = "fit d.csv --target y --method nystrom --landmarks-from l.csv --width 0.7 --ridge 0.01 -o m.safetensors";
    assert!(folder.json(held)["vectors"].as_u64().is_some_and(|vectors| (15..=20).contains(&vectors)));
    let one = folder.run("predict m.safetensors d.csv");
    folder.run(&format!("{held} --stream"));
    let numbers =
        |text: &str| -> Vec<f64> { text.lines().skip(1).map(|line| line.parse().unwrap()).collect() };
    let (one, other) = (numbers(&one), numbers(&folder.run("predict m.safetensors d.csv")));
    // Other rows are held out as test.
    assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 0.3), "the same landmarks");
    let message = folder.fails("fit d.csv --target y --method krr --landmarks-from l.csv", 2);
    assert!(message.contains("nystrom and falkon"), "{message}");
    let twice = "fit d.csv --target y --method falkon --landmarks-from l.csv --landmarks uniform";
    assert!(folder.fails(twice, 2).contains("leave --landmarks out"));
}

#[test]
fn components_of_a_file_in_batches_are_those_of_its_rows() {
    let folder = Folder::new();
    folder.put("d.csv", waves(900));
    let variances = |answer: &Value| -> Vec<f64> {
        answer["variances"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    for features in ["--rank 50", "--rank 200 --random"] {
        let line =
            format!("pca d.csv --exclude y -k 3 --kernel gaussian:width=1 {features} -o m.safetensors");
        let held = folder.json(&line);
        let scores = folder.run("predict m.safetensors d.csv");
        let streamed = folder.json(&format!("{line} --stream --report page.html"));
        assert_eq!(streamed["rows"], 900);
        for (a, b) in variances(&held).iter().zip(variances(&streamed)) {
            assert!((a - b).abs() < 1e-9 * a, "{features}: {a} {b}");
        }
        assert_eq!(folder.run("predict m.safetensors d.csv").lines().count(), scores.lines().count());
        assert!(folder.read("page.html").contains("900 rows of"));
    }
    assert!(folder.fails("pca d.csv --stream", 2).contains("--rank"));
    assert!(folder.fails("pca - --rank 5 --stream", 2).contains("only once"));
}
