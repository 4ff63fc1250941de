//! Several targets: one model for all of them, from `fit` to `inspect`.

use super::common::{Folder, noise};
use std::fmt::Write;

/// `a = sin(3 x) + z`, `b = z cos(2 x)`, and a text.
fn both(rows: usize) -> String {
    let mut text = "x,z,a,b,colour\n".to_owned();
    for i in 0..rows {
        let (x, z) = (4.0 * noise(i) - 2.0, noise(7 * i + 3));
        let colour = ["red", "blue"][i % 2];
        writeln!(text, "{x},{z},{},{},{colour}", (3.0 * x).sin() + z, z * (2.0 * x).cos()).unwrap();
    }
    text
}

/// The columns of a CSV file by name.
fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|head| head == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

/// Exact ridge regression knows no exchange between outputs: the joint model must be the single ones side by side.
#[test]
fn a_joint_model_is_the_single_ones_side_by_side() {
    let f = Folder::new();
    f.put("d.csv", both(80));
    let fit = |targets: &str, drop: &str, file: &str| {
        let settings = "--method krr --kernel gaussian:width=0.7 --ridge 1e-3";
        f.json(&format!("fit d.csv -t {targets} --drop {drop} {settings} -o {file} --loo {file}.csv"))
    };
    let joint = fit("a,b", "colour", "ab");
    let predicted = f.run("predict ab d.csv");
    assert_eq!(predicted.lines().next(), Some("prediction[a],prediction[b]"));
    let left_out = f.read("ab.csv");
    assert_eq!(left_out.lines().next(), Some("row,true[a],true[b],prediction[a],prediction[b]"));
    assert_eq!(joint["targets"], serde_json::json!(["a", "b"]));
    assert!(joint.get("target").is_none());
    for (k, target, other) in [(0, "a", "b"), (1, "b", "a")] {
        let single = fit(target, &format!("colour,{other}"), target);
        let close = |joint: &[f64], single: &[f64]| {
            assert_eq!(joint.len(), single.len());
            assert!(joint.iter().zip(single).all(|(p, q)| (p - q).abs() < 1e-9));
        };
        let alone = f.run(&format!("predict {target} d.csv"));
        close(&column(&predicted, &format!("prediction[{target}]")), &column(&alone, "prediction"));
        let alone = f.read(&format!("{target}.csv"));
        close(&column(&left_out, &format!("true[{target}]")), &column(&alone, "true"));
        close(&column(&left_out, &format!("prediction[{target}]")), &column(&alone, "prediction"));
        for part in ["training", "test"] {
            assert_eq!(joint[part][k]["target"], target);
            let error = |answer: &serde_json::Value| answer["root_mean_squared"].as_f64().unwrap();
            assert!((error(&joint[part][k]) - error(&single[part])).abs() < 1e-9);
        }
    }
}

#[test]
fn every_method_takes_several() {
    let f = Folder::new();
    f.put("d.csv", both(150));
    for method in ["--method ols", "--method krr", "--method lssvm", "--stream"] {
        let answer = f.json(&format!("fit d.csv -t b,a --drop colour {method} -o m"));
        for (k, target) in ["b", "a"].into_iter().enumerate() {
            assert_eq!(answer["test"][k]["target"], target, "{method}");
            assert!(answer["test"][k]["r_squared"].as_f64().unwrap() > 0.99, "{method}: {answer}");
        }
        let errors = f.json("evaluate m d.csv")["errors"].clone();
        assert!(errors[1]["target"] == "a" && errors[1]["r_squared"].as_f64().unwrap() > 0.99, "{errors}");
        assert_eq!(f.json("inspect m")["targets"], serde_json::json!(["b", "a"]));
    }
}

#[test]
fn people_are_told_target_by_target() {
    let f = Folder::new();
    f.put("d.csv", both(120));
    let text = f.run("fit d.csv -t a,b --drop colour -o m --report r.html");
    for part in ["a, b, regression", "all targets together", "a: root mean square", "; b: root mean square"] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(f.run("evaluate m d.csv --report e.html").contains("; b: root mean square"));
    assert!(f.run("inspect m").contains("weight[a]"));
    assert!(f.run("inspect m --vectors").starts_with("weight[a],weight[b],x,z\n"));
    assert!(f.run("predict m d.csv --std").starts_with("prediction[a],prediction[b],std[a],std[b]\n"));
    for name in ["r.html", "e.html"] {
        let page = f.read(name);
        for target in ["a", "b"] {
            for chart in ["Predicted against true", "Residuals", "The fitted surface"] {
                assert!(page.contains(&format!("data-chart=\"{chart}, {target}\"")), "{chart} in {name}");
            }
        }
    }
}

#[test]
fn a_page_of_many_targets_has_charts_of_the_first() {
    let f = Folder::new();
    let names: Vec<String> = (1..=8).map(|k| format!("y{k}")).collect();
    let mut text = format!("x,{}\n", names.join(","));
    for i in 0..40 {
        let x = noise(i);
        let values: Vec<String> = (1..=8).map(|k| (f64::from(k) * x).sin().to_string()).collect();
        writeln!(text, "{x},{}", values.join(",")).unwrap();
    }
    f.put("d.csv", text);
    f.run(&format!("fit d.csv -t {} --report r.html", names.join(",")));
    let page = f.read("r.html");
    assert!(page.contains("Charts of the first 6 of 8 targets"));
    assert!(page.contains("The fitted curve, y6") && !page.contains("The fitted curve, y7"));
    assert!(page.contains("test, y8"));
}

#[test]
fn what_takes_one_target_says_so() {
    let f = Folder::new();
    f.put("d.csv", both(40));
    for (line, code, parts) in [
        (
            "fit d.csv -t a,b --task classification",
            2,
            &["--task classification takes one target", "a, b"][..],
        ),
        ("fit d.csv -t a,b --drop colour --embed 2", 2, &["--embed takes one target"]),
        ("fit d.csv -t a,b --task density", 2, &["there is no target to learn here"]),
        ("fit d.csv -t a,colour", 1, &["d.csv, line 2, column colour", "\"red\"", "one target at a time"]),
        ("fit d.csv -t a,colour --stream", 1, &["d.csv, line 2, column colour", "one target at a time"]),
        ("fit d.csv -t a,a", 1, &["\"a\" is named twice"]),
        ("fit d.csv -t a,none", 1, &["there is no column \"none\""]),
        ("fit d.csv -t a, --drop colour", 1, &["there is no column \"\""]),
        ("fit d.csv -t a,b --drop b", 1, &["both left out and the target"]),
        (
            "stream d.csv -t a,b --tune",
            2,
            &["--compare and --tune take one target: name one of a, b at a time"],
        ),
    ] {
        let message = f.fails(line, code);
        assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
    }
    assert_eq!(f.names(), ["d.csv"]);
}

#[test]
fn answers_are_matched_by_name() {
    let f = Folder::new();
    f.put("d.csv", both(60));
    f.run("fit d.csv -t a,b --drop colour -o m");
    let errors = |line: &str| f.json(line)["errors"].clone();
    let own = errors("evaluate m d.csv");
    assert_eq!(errors("evaluate m d.csv -t b,a"), own);
    f.put("later.csv", both(60).replacen("a,b", "p,q", 1));
    let renamed = errors("evaluate m later.csv -t p,q");
    assert_eq!((&renamed[0]["target"], &renamed[0]["rows"]), (&"p".into(), &60.into()));
    assert_eq!(renamed[1]["mean_squared"], own[1]["mean_squared"]);
    let message = f.fails("evaluate m d.csv -t a", 2);
    assert!(message.contains("--target names 1 column, but the model predicts 2: a, b"), "{message}");
    f.run("fit d.csv -t a --drop colour,b -o one");
    let message = f.fails("evaluate one d.csv -t a,b", 2);
    assert!(message.contains("--target names 2 columns, but the model predicts 1: a"), "{message}");
}

#[test]
fn a_name_may_hold_a_comma() {
    let f = Folder::new();
    f.put("d.csv", both(40).replacen("x,z,a,b,colour", "x,z,a,\"z,a\",colour", 1));
    let answer = f.json("fit d.csv -t z,a --drop colour,a -o m");
    assert_eq!((&answer["target"], &answer["features"]), (&"z,a".into(), &2.into()));
    assert_eq!(f.json("evaluate m d.csv")["target"], "z,a");
}

#[test]
fn targets_of_unlike_units_are_remarked_on() {
    let f = Folder::new();
    let text = both(60);
    f.put("even.csv", &text);
    let mut uneven = "x,z,a,b\n".to_owned();
    for ((x, z), (a, b)) in column(&text, "x")
        .iter()
        .zip(column(&text, "z"))
        .zip(column(&text, "a").iter().zip(column(&text, "b")))
    {
        writeln!(uneven, "{x},{z},{},{b}", 1e3 * a).unwrap();
    }
    f.put("uneven.csv", uneven);
    let notes = |line: &str| f.json(line)["notes"].to_string();
    assert!(!notes("fit even.csv -t a,b --drop colour -o m").contains("like units"));
    for more in ["", "--stream"] {
        let notes = notes(&format!("fit uneven.csv -t a,b -o m {more}"));
        assert!(notes.contains("a varies") && notes.contains("like units"), "{notes}");
    }
}
