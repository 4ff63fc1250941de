//! `groat fit`.

use super::common::{Folder, disc, noise, waves};

#[test]
fn missing_values_are_answered_by_a_choice() {
    let f = Folder::new();
    let row = |i: usize| {
        let (a, kind) = (noise(i), i % 2);
        let y = 3.0 * a + kind as f64;
        let a = if i % 7 == 3 { String::new() } else { a.to_string() };
        let kind = if i % 11 == 5 { "" } else { ["red", "blue"][kind] };
        format!("{a},{kind},{}\n", if i == 20 { String::new() } else { y.to_string() })
    };
    f.put("m.csv", format!("a,kind,y\n{}", (0..140).map(row).collect::<String>()));
    let refused = f.fails("fit m.csv -t y -o m.safetensors", 1);
    assert!(refused.contains("line 5, column a") && refused.contains("drop, median or flag"), "{refused}");
    f.put("new.csv", "a,kind\n,red\n0.5,\n");
    let features = |missing: &str| {
        let answer =
            f.json(&format!("fit m.csv -t y -o {missing}.st --test 0.25 --missing {missing} --loo l.csv"));
        (answer["features"].as_u64().unwrap(), answer["notes"][0].as_str().unwrap().to_owned())
    };
    let (count, note) = features("drop");
    assert!(count == 3 && note.contains("of 140 rows were left out"), "{note}");
    // The other rows keep their numbers.
    let row_number = |line: &str| line.split(',').next().unwrap().parse::<usize>().unwrap();
    let rows: Vec<usize> = f.read("l.csv").lines().skip(1).map(row_number).collect();
    assert!(rows.iter().all(|row| (row - 1) % 7 != 3) && rows.iter().any(|row| *row > 125), "{rows:?}");
    assert!(f.fails("predict drop.st new.csv", 1).contains("missing"));
    let (count, note) = features("median");
    assert!(count == 3 && note.contains("1 of 140 rows"), "{note}");
    assert_eq!(f.run("predict median.st new.csv").lines().count(), 3);
    assert_eq!(features("flag").0, 5);
    assert_eq!(f.run("predict flag.st new.csv").lines().count(), 3);
    assert!(f.run("inspect flag.st").contains("a missing"));
    f.fails("fit m.csv -t y --missing flag --embed 3", 2);
    // Of a series the samples that would look at a missing value are left out.
    let series = f.json("fit m.csv -t y --features a -o e.st --missing drop --embed 2").to_string();
    assert!(series.contains("samples were left out: they look at a missing value"), "{series}");
    let streamed = f.json("fit m.csv -t y -o s.st --test 0.25 --missing flag --stream");
    assert_eq!(streamed["features"], 5);
    let notes = streamed["notes"].to_string();
    assert!(notes.contains("1 row left out") && notes.contains("stands in for missing"), "{notes}");
    assert_eq!(f.run("predict s.st new.csv").lines().count(), 3);
}

#[test]
fn one_command_gives_a_model_and_a_summary() {
    let f = Folder::new();
    f.put("waves.csv", waves(200));
    let text = f.run("fit waves.csv --target y");
    for part in [
        "rows            200 (160 to learn from, 40 to test",
        "features        2",
        "chosen by leave-one-out",
        "of 160; error ",
        "of the full machine",
        "expected error  root mean square ",
        "10 parts, each left out of every choice in turn",
        "leave-one-out",
        "test error",
        "time",
        "model           waves.safetensors",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert_eq!(f.names(), ["waves.csv", "waves.safetensors"]);
}

#[test]
fn tables_aligned_by_blanks_are_read_like_any_other() {
    let f = Folder::new();
    f.put("waves.csv", waves(60));
    f.put("waves.txt", waves(60).replace(',', "   ").replace('\n', "  \n  "));
    let errors = ["waves.csv", "waves.txt", "waves.txt --delimiter blanks"].map(|file| {
        let answer = f.json(&format!("fit {file} --target y -o m.safetensors"));
        assert_eq!(answer["rows"], 60, "{file}");
        answer["leave_one_out"].clone()
    });
    assert!(errors[0] == errors[1] && errors[1] == errors[2] && !errors[0].is_null(), "{errors:?}");
}

#[test]
fn json_has_the_numbers() {
    let f = Folder::new();
    f.put("waves.csv", waves(200));
    let answer = f.json("fit waves.csv --target y -o m.safetensors");
    assert_eq!(
        (answer["rows"].as_u64(), answer["training_rows"].as_u64(), answer["test_rows"].as_u64()),
        (Some(200), Some(160), Some(40))
    );
    assert_eq!(answer["task"], "regression");
    assert!(answer["test"]["r_squared"].as_f64().unwrap() > 0.99, "{answer}");
    assert!(answer["leave_one_out"]["mean_squared"].as_f64().unwrap() < 0.01);
    assert_eq!(answer["files"]["model"], "m.safetensors");
}

#[test]
fn text_targets_are_classes() {
    let f = Folder::new();
    f.put("disc.csv", disc(200));
    let answer = f.json("fit disc.csv --target class");
    assert_eq!(answer["task"], "classification");
    assert_eq!(answer["classes"][0], "inside");
    assert!(answer["test"]["error_rate"].as_f64().unwrap() < 0.1, "{answer}");
    assert_eq!(answer["test"]["confusion"].as_array().unwrap().len(), 4);
}

#[test]
fn what_judged_the_widths_is_said() {
    let f = Folder::new();
    f.put("disc.csv", disc(100));
    f.put("waves.csv", waves(60));
    let choice = |line: &str| f.json(line)["kernel_choice"].as_str().unwrap().to_owned();
    assert_eq!(
        choice("fit disc.csv -t class --method ols"),
        "chosen by 5-fold cross-validation among 10 widths"
    );
    assert_eq!(choice("fit waves.csv -t y --method ols"), "chosen by leave-one-out among 10 widths");
    assert_eq!(
        choice("fit waves.csv -t y --method ols --folds 3"),
        "chosen by 3-fold cross-validation among 10 widths"
    );
    assert_eq!(choice("fit waves.csv -t y --method ols --kernel gaussian:width=1"), "as given");
    f.run("fit disc.csv -t class --report page.html");
    assert!(f.read("page.html").contains("leave-one-out error"));
}

#[test]
fn numbers_are_classes_when_two_or_when_asked() {
    let f = Folder::new();
    f.put("two.csv", disc(100).replace("inside", "1").replace("outside", "-1"));
    assert_eq!(f.json("fit two.csv --target class")["task"], "classification");
    assert_eq!(f.json("fit two.csv --target class --task regression")["task"], "regression");
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let f = Folder::new();
    f.put("waves.csv", waves(150));
    for (threads, seed, name) in [(1, 0, "a"), (2, 0, "b"), (2, 1, "c")] {
        f.run(&format!("fit waves.csv -t y --threads {threads} --seed {seed} -o {name}.safetensors"));
    }
    let bytes = |name: &str| std::fs::read(f.file(name)).unwrap();
    assert!(bytes("a.safetensors") == bytes("b.safetensors"), "the models of 1 and 2 threads differ");
    assert!(bytes("a.safetensors") != bytes("c.safetensors"), "the seed changes nothing");
}

#[test]
fn nothing_is_chosen_when_all_is_given() {
    let f = Folder::new();
    f.put("waves.csv", waves(60));
    let answer =
        f.json("fit waves.csv -t y --kernel matern52:width=1.5 --ridge 0.01 --test 0 --no-standardise");
    assert_eq!(answer["kernel"], "matern52:width=1.5");
    assert_eq!(answer["kernel_choice"], "as given");
    assert!(answer["test"].is_null());
    assert_eq!(answer["training_rows"], 60);
}

#[test]
fn columns_can_be_chosen() {
    let f = Folder::new();
    f.put("waves.csv", waves(60));
    assert_eq!(f.json("fit waves.csv -t y --features x1")["features"], 1);
    assert_eq!(f.json("fit waves.csv -t y --drop x1")["features"], 1);
    assert!(f.fails("fit waves.csv -t y --features x1,x9", 1).contains("x9"));
    assert!(f.fails("fit waves.csv -t y --features x1 --drop x2", 2).contains("cannot be used with"));
}

#[test]
fn a_split_file_decides() {
    let f = Folder::new();
    f.put("waves.csv", waves(60));
    let marks: String = (0..60).map(|i| format!("{}\n", u8::from(i % 3 == 0))).collect();
    f.put("split.csv", format!("part\n{marks}"));
    let answer = f.json("fit waves.csv -t y --split split.csv:part");
    assert_eq!((answer["training_rows"].as_u64(), answer["test_rows"].as_u64()), (Some(40), Some(20)));
    assert_eq!(f.json("fit waves.csv -t y --split split.csv")["test_rows"], 20);
    assert!(f.fails("fit waves.csv -t y --split waves.csv", 1).contains("which column"));
    f.put("short.csv", "part\n0\n1\n");
    assert!(f.fails("fit waves.csv -t y --split short.csv:part", 1).contains("60"));
}

#[test]
fn a_series_is_embedded_and_tested_on_its_end() {
    let f = Folder::new();
    let series: String = (0..200).map(|t| format!("{}\n", (0.3 * t as f64).sin())).collect();
    f.put("series.csv", format!("y\n{series}"));
    let answer = f.json("fit series.csv -t y --embed 3");
    assert_eq!(answer["features"], 3);
    assert!(answer["split"].as_str().unwrap().contains("last"));
    assert!(answer["test"]["r_squared"].as_f64().unwrap() > 0.999);
    let text = f.run("predict series.safetensors series.csv");
    assert_eq!(text.lines().count(), 201);
    assert_eq!(text.lines().nth(1), Some("\"\""), "the first rows only fill the past:\n{text}");
}

#[test]
fn standard_input_is_a_file_too() {
    let f = Folder::new();
    f.groat("fit - -t y --json").write_stdin(waves(60)).assert().success();
    assert_eq!(f.names(), ["model.safetensors"]);
}

#[test]
fn svmlight_files_know_their_target() {
    let f = Folder::new();
    let rows: String = (0..40)
        .map(|i| format!("{} 1:{} 3:{}\n", if i % 2 == 0 { 1 } else { -1 }, i % 2, 0.1 * i as f64))
        .collect();
    f.put("data.svm", rows);
    let answer = f.json("fit data.svm --format svmlight");
    assert_eq!(answer["task"], "classification");
    assert_eq!(answer["test"]["wrong"], 0);
}

#[test]
fn leave_one_out_predictions_and_error_bars_can_be_had() {
    let f = Folder::new();
    f.put("waves.csv", waves(200));
    let answer = f.json("fit waves.csv -t y -o m.safetensors --loo left.csv");
    let rows: Vec<Vec<f64>> = f
        .read("left.csv")
        .lines()
        .skip(1)
        .map(|l| l.split(',').map(|v| v.parse().unwrap()).collect())
        .collect();
    assert_eq!(f.read("left.csv").lines().next(), Some("row,true,prediction"));
    let mean = rows.iter().map(|r| (r[1] - r[2]).powi(2)).sum::<f64>() / rows.len() as f64;
    assert!((mean / answer["leave_one_out"]["mean_squared"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    let text = f.run("predict m.safetensors waves.csv --std");
    assert_eq!(text.lines().next(), Some("prediction,std"));
    let std: f64 = text.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert!(std > 0.0 && std < 1.0, "{std}");
    f.run("fit waves.csv -t y -o k.safetensors --method krr");
    assert!(f.fails("predict k.safetensors waves.csv --std", 2).contains("error bars"));
}

#[test]
fn rows_and_classes_have_weights() {
    let f = Folder::new();
    let weighted: String = disc(300)
        .lines()
        .enumerate()
        .map(|(i, line)| if i == 0 { format!("{line},w\n") } else { format!("{line},{}\n", 1 + i % 3) })
        .collect();
    f.put("disc.csv", weighted);
    let answer = f.json("fit disc.csv -t class --weights w --class-weights inside=3,outside=1");
    assert_eq!(answer["features"], 2, "the weights are no feature: {answer}");
    f.run("fit disc.csv -t class --weights w --class-weights balanced");
    assert!(f.fails("fit disc.csv -t class --class-weights within=3", 2).contains("inside, outside"));
    assert!(f.fails("fit disc.csv -t class --weights v", 1).contains('v'));
}

#[test]
fn terms_are_shown_in_order_of_selection() {
    let f = Folder::new();
    f.put("waves.csv", waves(200));
    let answer = f.json("fit waves.csv -t y --method ols -o m.safetensors");
    let shown = f.json("inspect m.safetensors");
    let terms = shown["terms"].as_array().unwrap();
    assert_eq!(terms.len() as u64, answer["vectors"].as_u64().unwrap());
    let errors: Vec<f64> = terms.iter().map(|t| t["leave_one_out"].as_f64().unwrap()).collect();
    let last = answer["leave_one_out"]["mean_squared"].as_f64().unwrap();
    assert!((errors.last().unwrap() / last - 1.0).abs() < 1e-6, "{errors:?}");
    assert!(f.run("inspect m.safetensors").contains("term  leave-one-out  weight"));
    let csv = f.run("inspect m.safetensors --vectors");
    assert!(csv.starts_with("leave_one_out,weight,x1,x2\n"), "{csv}");
}

#[test]
fn data_can_be_read_in_batches_instead_of_being_held() {
    let f = Folder::new();
    f.put("waves.csv", waves(3000));
    let held =
        f.json("fit waves.csv -t y --kernel gaussian:width=0.8 --max-terms 10 --test 0 -o a.safetensors");
    let line = "fit waves.csv -t y --kernel gaussian:width=0.8 --max-terms 10 --test 0 -o b.safetensors --report r.html";
    let read = f.json(&format!("{line} --stream"));
    let loo = |answer: &serde_json::Value| answer["leave_one_out"]["mean_squared"].as_f64().unwrap();
    assert!(loo(&read) < 2.0 * loo(&held), "{held} {read}");
    assert!(read["notes"].to_string().contains("never held"), "{read}");
    assert!(f.read("r.html").contains("Growth of the model"));
    // A file beyond the memory is read in batches without being told; the test part is about a fifth.
    let small = f.json("fit waves.csv -t y --memory 500KB --max-terms 20 -o c.safetensors");
    assert!(small["notes"].to_string().contains("never held"), "{small}");
    let test = small["test_rows"].as_u64().unwrap();
    assert!((500..700).contains(&test) && small["test"]["r_squared"].as_f64().unwrap() > 0.9, "{small}");
    assert!(f.fails("fit waves.csv -t y --stream --method krr", 2).contains("--stream"));
    assert!(f.fails("fit waves.csv -t y --stream --loo l.csv", 2).contains("--loo"));
}

#[test]
fn classes_can_be_read_in_batches() {
    let f = Folder::new();
    f.put("disc.csv", disc(2000));
    let answer = f.json("fit disc.csv -t class --stream --max-terms 30");
    assert_eq!(answer["classes"][1], "outside");
    assert!(answer["test"]["error_rate"].as_f64().unwrap() < 0.1, "{answer}");
}

#[test]
fn settings_are_flags_or_pairs_and_refusals_teach() {
    let f = Folder::new();
    f.put("waves.csv", waves(60));
    let vectors = |line: &str| f.json(&format!("fit waves.csv -t y {line}"))["vectors"].as_u64().unwrap();
    assert!(vectors("--max-terms 4") <= 4 && vectors("--set max-terms=4") <= 4);
    assert_eq!(
        vectors("--method ols --width 0.7 --patience 1"),
        vectors("--method ols --kernel gaussian:width=0.7 --stop 1")
    );
    for (line, said) in [
        ("--method lssvm --max-terms 3", "--max-terms: lssvm knows no max_terms; sparse and ols do"),
        ("--set wings=2", "sparse knows no wings; it takes width, ridge"),
        ("--max-terms 0", "--max-terms: max_terms = 0 is not allowed: a whole number, 1 or above"),
        (
            "--ridge -1",
            "--ridge: ridge = -1 is not allowed: a finite number, 0 or above, or several to choose from, or auto",
        ),
        ("--width -1", "above 0"),
        ("--width 1 --kernel gaussian:width=2", "given once"),
        ("--ridge 1 --ridge 2", "cannot be used multiple times"),
        ("--ridge 1 --set ridge=2", "ridge is given twice"),
        (
            "--method ols --task regression --refinement 3",
            "--refinement: ols knows no refinement for regression; it is for density",
        ),
        (
            "--method krr --stream",
            "krr knows no reading in batches; sparse and ols and nystrom and falkon and rff and svc and svr do",
        ),
    ] {
        let message = f.fails(&format!("fit waves.csv -t y {line}"), 2);
        assert!(message.contains(said), "{said:?} is not in {message:?}");
    }
}
