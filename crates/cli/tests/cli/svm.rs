//! Support vector machines from the command line.
#![allow(missing_docs, clippy::unwrap_used)]

use super::common::Folder;
use std::fmt::Write;

/// Two moons, a number and three kinds.
fn data() -> Folder {
    let f = Folder::new();
    let mut text = String::from("a,b,moon,kind,height\n");
    for i in 0..240 {
        let (t, upper) = (f64::from(i % 120) / 38.0, i < 120);
        let noise = (f64::from(i) * 12.9898).sin() * 0.15;
        let (a, b) = if upper {
            (t.cos() + noise, t.sin() - noise)
        } else {
            (1.0 - t.cos() - noise, 0.4 - t.sin() + noise)
        };
        let kind = ["left", "middle", "right"][((a + 1.3) / 1.2).clamp(0.0, 2.0) as usize];
        writeln!(text, "{a},{b},{},{kind},{}", if upper { "up" } else { "down" }, (2.0 * a).sin() + b)
            .unwrap();
    }
    f.put("moons.csv", &text);
    f
}

#[test]
fn every_machine_is_fitted_by_name() {
    let f = data();
    for line in [
        "-t moon --method svc",
        "-t moon --method svc --cost 10 --probabilities --class-weights balanced",
        "-t moon --method nu-svc",
        "-t moon --method nu-svc --nu 0.2 --kernel matern52",
        "-t kind --method svc --cost 10",
        "-t kind --method linear-svc",
        "-t moon --method logistic",
        "-t moon --method svc --chunk 60 --cost 10 --kernel gaussian:width=0.7",
        "-t moon --method svc --cost 10 --kernel gaussian:width=0.7 --stream",
    ] {
        let answer = f.json(&format!("fit moons.csv --features a,b {line} -o m.safetensors --report m.html"));
        let rate = answer["test"]["error_rate"].as_f64().unwrap();
        assert!(rate < 0.3, "{line}: {rate}");
        assert_eq!(f.run("predict m.safetensors moons.csv --scores").lines().count(), 241, "{line}");
    }
    for line in [
        "--method svr",
        "--method nu-svr --cost 10",
        "--method linear-svr",
        "--method svr --epsilon 0.1 --chunk 60",
    ] {
        let answer = f.json(&format!("fit moons.csv -t height --features a,b {line} -o m.safetensors"));
        assert!(
            answer["test"]["r_squared"].as_f64().unwrap() > if line.contains("linear") { -0.2 } else { 0.9 },
            "{line}: {answer:#}"
        );
    }
}

#[test]
fn one_class_needs_no_target() {
    let f = data();
    let answer =
        f.json("fit moons.csv --features a,b --method one-class --nu 0.1 -o m.safetensors --report m.html");
    assert_eq!(answer["task"], "one-class");
    let share = answer["training"]["share"].as_f64().unwrap();
    assert!(share > 0.02 && share < 0.15, "{share}");
    assert!(f.read("m.html").contains("The border of the one class"));
}

#[test]
fn the_page_shows_margin_and_cost() {
    let f = data();
    f.json("fit moons.csv -t moon --features a,b --method svc -o m.safetensors --report m.html");
    let page = f.read("m.html");
    for what in ["Decision regions", "margin", "Choice of the cost", "Vectors against cost"] {
        assert!(page.contains(what), "{what}");
    }
}

#[test]
fn libsvm_files_go_in_and_out() {
    let f = data();
    f.json("fit moons.csv -t moon --features a,b --method svc --cost 10 --no-standardise -o m.libsvm");
    assert!(f.read("m.libsvm").starts_with("svm_type c_svc\nkernel_type rbf\n"));
    let told = f.json("inspect m.libsvm");
    assert_eq!(told["task"], "classification");
    let refused = f.fails("fit moons.csv -t moon --features a,b --method svc --cost 10 -o m.libsvm", 2);
    assert!(refused.contains("--no-standardise"), "{refused}");
}

/// The files of somebody who comes from LIBSVM, model and data, answer as they are.
#[test]
fn a_model_of_libsvm_takes_svmlight_data_and_columns_by_index() {
    let f = Folder::new();
    f.put(
        "theirs.model",
        "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 3:2\n-1 1:1\n",
    );
    f.put("rows.svm", "+1 1:5 3:4\n-1 2:7\n+1 3:1\n-1 1:2\n");
    f.put("rows.csv", "y,x3,x1,x2\n1,4,5,0\n-1,0,0,7\n1,1,0,0\n-1,0,2,0\n");
    for data in ["rows.svm", "rows.csv"] {
        let answers = f.run(&format!("predict theirs.model {data} --scores"));
        let lines: Vec<&str> = answers.lines().skip(1).collect();
        assert!(lines[0].starts_with("1,") && lines[1].starts_with("-1,"), "{data}: {answers}");
        // 2 x3 - 0.5.
        assert!(lines[0].contains("7.5") && lines[2].contains("1.5"), "{data}: {answers}");
    }
    let told = f.json("evaluate theirs.model rows.svm");
    assert_eq!(told["errors"]["wrong"], 0, "{told:#}");
    f.put("wide.csv", "a,b,c,d\n1,2,3,4\n");
    let refused = f.fails("predict theirs.model wide.csv", 1);
    assert!(refused.contains("does not know their names"), "{refused}");
}

#[test]
fn limits_say_what_to_do() {
    let f = data();
    let answer = f.json(
        "fit moons.csv -t moon --features a,b --method svc --cost 10 --max-iterations 5 -o m.safetensors",
    );
    assert!(answer["notes"].to_string().contains("max_iterations was reached"), "{answer:#}");
    for (line, said) in [
        ("fit moons.csv -t moon --method svc --epsilon 1", "svc knows no epsilon; svr and linear-svr do"),
        ("fit moons.csv -t moon --method svc --cost 0", "--cost"),
        ("fit moons.csv -t height --method svc", "svc knows no regression"),
        ("fit moons.csv -t height --method one-class", "no target"),
        (
            "fit moons.csv -t moon --method linear-svc --kernel gaussian",
            "left out: linear-svc takes none, sparse and",
        ),
    ] {
        let refused = f.fails(line, 2);
        assert!(refused.contains(said), "{line}: {refused}");
    }
}

#[test]
fn a_saved_model_is_gone_on_from() {
    let f = data();
    let fit = |more: &str| {
        f.json(&format!("fit moons.csv -t moon --features a,b --method svc --tolerance 1e-6 {more}"))
    };
    let given = "--kernel matern52:width=0.7 --cost 10";
    fit(&format!("{given} --max-iterations 20 -o cut.safetensors"));
    let whole = fit(&format!("{given} -o whole.safetensors"));
    let on = fit("--warm-start cut.safetensors -o on.safetensors");
    // Kernel and cost are those of the model, and the answers those of a fit from nothing.
    assert_eq!(on["kernel"], whole["kernel"]);
    let scores = |model: &str| {
        let text = f.run(&format!("predict {model} moons.csv --scores"));
        let number =
            |line: &str| line.split(',').filter_map(|cell| cell.parse::<f64>().ok()).collect::<Vec<_>>();
        text.lines().skip(1).map(number).collect::<Vec<Vec<f64>>>()
    };
    let (a, b) = (scores("on.safetensors"), scores("whole.safetensors"));
    assert_eq!((a.len(), a[0].len()), (240, b[0].len()));
    assert!(!a[0].is_empty());
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
    // A model may be gone on from in its own place, to another cost.
    fit("--warm-start on.safetensors --cost 20 -o on.safetensors");
    for (line, said) in [
        ("-t moon --features a,b --method logistic --warm-start on.safetensors", "a model of svc"),
        ("-t moon --features a,b --method krr --warm-start on.safetensors", "krr knows no going on"),
        ("-t moon --features a,b --method svc --stream --warm-start on.safetensors", "--stream"),
        ("-t moon --features a,b --method svc --chunk 60 --warm-start on.safetensors", "chunk"),
        ("-t height --features a,b --method svr --warm-start on.safetensors", "a model of svc"),
        ("-t kind --features a,b --method svc --warm-start on.safetensors", "the classes down, up"),
        ("-t moon --features a,height --method svc --warm-start on.safetensors", "the feature b"),
        ("-t moon --features a --method svc --warm-start on.safetensors", "2 features"),
        ("-t moon --features a,b --method svc --no-standardise --warm-start on.safetensors", "standardised"),
    ] {
        let refused = f.fails(&format!("fit moons.csv {line}"), 2);
        assert!(refused.contains(said), "{line}: {refused}");
    }
}

#[test]
fn a_linear_machine_is_gone_on_from() {
    let f = data();
    for method in ["linear-svc", "logistic"] {
        let fit = |more: &str| {
            f.json(&format!("fit moons.csv -t moon --features a,b --method {method} --tolerance 1e-6 {more}"))
        };
        let whole = fit("--cost 10 -o whole.safetensors");
        fit("--cost 10 --max-iterations 2 -o cut.safetensors");
        let on = fit("--warm-start cut.safetensors -o on.safetensors");
        let error = |answer: &serde_json::Value| answer["training"].clone();
        assert_eq!(error(&on), error(&whole));
        assert_eq!(f.run("predict on.safetensors moons.csv"), f.run("predict whole.safetensors moons.csv"));
    }
}

/// Features keep their indices through a model file, also where some index never occurs.
#[test]
fn data_and_models_for_libsvm_number_features_alike() {
    let f = Folder::new();
    let mut text = String::new();
    for i in 1..=60 {
        let (a, b) = ((f64::from(i) * 0.7).sin(), (f64::from(i) * 0.31).cos());
        writeln!(text, "{} 2:{a} 7:{b}", if a * b > 0.0 { 3 } else { -2 }).unwrap();
    }
    f.put("gaps.svm", &text);
    f.json("fit gaps.svm --method svc --cost 10 --kernel gaussian:width=0.5 --no-standardise -o m.libsvm");
    let model = f.read("m.libsvm");
    let vectors = model.split("SV\n").nth(1).unwrap();
    assert!(vectors.lines().all(|line| line.contains(" 2:") && line.contains(" 7:")), "{model}");
    assert_eq!(f.json("evaluate m.libsvm gaps.svm")["errors"]["wrong"], 0);
    let told = f.json("convert gaps.svm -o again.svm");
    assert_eq!((told["rows"].as_u64(), told["features"].as_u64()), (Some(60), Some(2)));
    assert_eq!(f.read("again.svm"), text);
    f.put("words.csv", "colour,size,kind\nred,0,b\nblue,2.5,a\n");
    f.run("convert words.csv -t kind -o words.svm --quiet");
    assert_eq!(f.read("words.svm"), "1 2:1\n0 1:1 3:2.5\n");
    f.put("more.csv", "kind,size,colour\na,1,red\n");
    f.json("fit words.csv -t kind --method svc --cost 1 --kernel gaussian:width=1 --test 0 -o w.safetensors");
    f.run("convert more.csv --model w.safetensors -o more.svm --quiet");
    assert_eq!(f.read("more.svm"), "0 2:1 3:1\n");
    let refused = f.fails("convert words.csv -t kind -o words.csv", 2);
    assert!(refused.contains("overwritten"), "{refused}");
}
