//! `groat stream` for somebody who knows nothing of its algorithms: defaults, baselines, advice, comparison, labels.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use assert_cmd::cargo::cargo_bin_cmd;
use std::fs;

/// The path of a data set of this repository.
fn sunspots() -> String {
    format!("{}/../../datasets/sunspots.csv", env!("CARGO_MANIFEST_DIR"))
}

fn groat(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let output = cargo_bin_cmd!("groat").arg("stream").args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn defaults_beat_the_baselines_on_a_real_series() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("o.csv").display().to_string();
    let (code, answer, _) =
        groat(&[&sunspots(), "-t", "sunspots", "--embed", "12", "--out", &out, "--json"], "");
    let answer = json(&answer);
    assert_eq!(code, Some(0));
    assert!(answer["against_baseline"].as_f64().unwrap() < 0.9, "{answer}");
    assert!((answer["baselines"]["last value"].as_f64().unwrap() - 590.0).abs() < 1.0, "{answer}");
    assert!(answer["baselines"]["linear RLS"].as_f64().unwrap() < 452.0, "{answer}");
    assert!((answer["coverage"]["found"].as_f64().unwrap() - 0.9).abs() < 0.02, "{answer}");
    let lines = fs::read_to_string(out).unwrap();
    let last: Vec<&str> = lines.lines().last().unwrap().split(',').collect();
    assert_eq!((last[0], last[4]), ("297", "309"), "step and row");
}

/// A step size that is far too large, as the papers' protocols allow it.
#[test]
fn divergence_is_loud() {
    let rows: String = (0..400).map(|i| format!("{},{}\n", f64::from(i % 17), f64::from(i % 5))).collect();
    let bare = ["-", "-t", "y", "-a", "lms", "--set", "eta=1,bounded=false", "--no-standardise"];
    let (code, _, said) = groat(&bare, &format!("x,y\n{rows}"));
    assert!(code == Some(1) && said.contains("has diverged") && said.contains("eta"), "{said}");
    let (code, _, said) = groat(&[&bare[..], &["--keep-going"]].concat(), &format!("x,y\n{rows}"));
    assert!(code == Some(0) && said.contains("has diverged"), "{said}");
    let (code, _, said) = groat(&["-", "-t", "y", "-a", "lms", "--set", "eta=1"], &format!("x,y\n{rows}"));
    assert!(code == Some(0), "{said}");
}

#[test]
fn a_narrow_kernel_and_a_worse_learner_get_advice() {
    let arguments = [&sunspots(), "-t", "sunspots", "--embed", "12", "-a", "krls-ald", "--width", "0.01"];
    let (code, _, said) = groat(&arguments, "");
    assert!(
        code == Some(0) && said.contains("raise --width") && said.contains("times that of the"),
        "{said}"
    );
}

#[test]
fn algorithms_are_ranked_and_tuned_and_the_command_repeats_the_result() {
    let file = sunspots();
    let series = [&file, "-t", "sunspots", "--embed", "12"];
    let (_, ranking, _) = groat(&[&series[..], &["--compare", "auto,rls,knlms", "--json"]].concat(), "");
    let ranking = json(&ranking);
    let places = ranking["places"].as_array().unwrap();
    assert_eq!(places.len(), 6, "three algorithms and three baselines");
    let errors: Vec<f64> = places.iter().map(|place| place["mean_squared"].as_f64().unwrap()).collect();
    assert!(errors.is_sorted() && places[0]["algorithm"] == "auto", "{ranking}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("o.csv").display().to_string();
    // Settings alone, a width that is found and then tried around, a kernel without a width, and how rows are read.
    let kinds: [&[&str]; 4] = [
        &["-a", "rls"],
        &["-a", "krls-tracker"],
        &["-a", "knlms", "--kernel", "matern52", "--on-drift", "restart"],
        &["-a", "knlms", "--set", "mu0=0.5", "--delimiter", ",", "--on-bad-row", "skip", "--no-standardise"],
    ];
    for kind in kinds {
        let (_, tuned, said) = groat(&[&series[..], &["--tune", "--json"], kind].concat(), "");
        let tuned = json(if tuned.is_empty() { &said } else { &tuned });
        let command = tuned["command"].as_str().unwrap();
        let words: Vec<&str> = command.split(' ').skip(2).chain(["--json", "--out", &out]).collect();
        let (_, again, said) = groat(&words, "");
        assert!(!again.is_empty(), "{command}: {said}");
        assert_eq!(json(&again)["mean_squared"], tuned["best"][0]["mean_squared"], "{command}");
    }
}

/// What a person meets first and last: too few rows, labels with commas, labels where numbers are wanted.
#[test]
fn small_mishaps_get_a_sentence() {
    let (code, _, said) = groat(&["-", "-t", "y", "--embed", "12"], "y\n1\n2\n4\n");
    assert!(code == Some(0) && said.contains("all 3 rows only fill the past of 12 lags"), "{said}");
    let (_, lines, _) = groat(&["-", "-t", "y", "--embed", "1"], "y\n7\n7.5\n8\n");
    assert!(lines.lines().nth(1).unwrap().starts_with("1,7.0,0.5,"), "the last value is known: {lines}");
    let rows = "x,way\n1,\"up, up\"\n2,down\n1,\"up, up\"\n";
    let (code, lines, said) = groat(&["-", "-t", "way"], rows);
    assert!(code == Some(0) && lines.lines().nth(1).unwrap().contains(",\"up, up\","), "{lines}{said}");
    for search in [&["--tune"][..], &["--compare", "auto,rls"]] {
        let (code, _, said) = groat(&[&["-", "-t", "way"], search].concat(), rows);
        assert!(code == Some(2) && said.contains("way holds labels"), "{said}");
    }
    let rows: String = (0..60).map(|i| format!("{i},{}e155\n", i % 7)).collect();
    let (_, _, said) = groat(&["-", "-t", "y"], &format!("x,y\n{rows}"));
    assert!(said.contains("beyond what a number can hold") && said.contains("divide the target"), "{said}");
}

#[test]
fn a_series_is_forecast_and_open_rows_are_answered() {
    let rows: String = (0..120).map(|i| format!("{:.6}\n", (f64::from(i) * 0.4).sin())).collect();
    let (code, lines, error) =
        groat(&["-", "-t", "y", "--embed", "4", "--forecast", "5"], &format!("y\n{rows}"));
    assert_eq!(code, Some(0), "{error}");
    let ahead: Vec<&str> = lines.lines().rev().take(5).collect();
    for (i, line) in ahead.iter().rev().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let want = ((120 + i) as f64 * 0.4).sin();
        assert!(cells[0].is_empty() && cells[4] == (121 + i).to_string(), "{line}");
        assert!((cells[1].parse::<f64>().unwrap() - want).abs() < 0.1, "{line}: {want}");
    }
    let (code, lines, error) = groat(&["-", "-t", "y", "--embed", "4"], &format!("y\n{rows}NA\n0.2\n"));
    assert!(code == Some(0) && lines.lines().count() == 1 + 118, "{error}");
    assert!(lines.lines().nth(117).unwrap().starts_with(','), "{lines}");
}

#[test]
fn targets_come_later_by_their_key_and_inputs_are_carried_forward() {
    let rows: String =
        (0..60).map(|i| format!("k{i},{},{}\n", f64::from(i % 7), f64::from(i % 7) * 2.0)).collect();
    let late = format!("id,x,y\n{rows}a,3,\nb,4,\na,,6\nb,,8\n");
    let (code, lines, error) = groat(&["-", "-t", "y", "--key", "id"], &late);
    assert_eq!(code, Some(0), "{error}");
    let last: Vec<Vec<&str>> = lines.lines().skip(61).map(|line| line.split(',').collect()).collect();
    let steps: Vec<&str> = last.iter().map(|cells| cells[0]).collect();
    assert_eq!(steps, ["", "", "61", "62"], "{lines}");
    assert!(last.iter().zip(61..).all(|(cells, row)| cells[4] == row.to_string()), "{lines}");
    let gap = "x,y\n1,2\n2,4\n,4\n3,6\n";
    assert_eq!(groat(&["-", "-t", "y"], gap).0, Some(1));
    assert_eq!(groat(&["-", "-t", "y", "--carry-forward"], gap).1.lines().count(), 5);
}

#[test]
fn labels_are_learnt_with_their_accuracy_and_several_targets_side_by_side() {
    let label = |i: u32| if (f64::from(i) * 0.7).sin() > 0.0 { "up" } else { "down" };
    let rows: String =
        (0..300).map(|i| format!("{:.4},{}\n", (f64::from(i) * 0.7).sin(), label(i))).collect();
    let (code, lines, said) = groat(&["-", "-t", "way", "--every", "100"], &format!("x,way\n{rows}0.9,\n"));
    assert!(code == Some(0) && said.contains("2 labels"), "{said}");
    let last: Vec<&str> = lines.lines().last().unwrap().split(',').collect();
    assert_eq!((last[1], last[2], last[3]), ("301", "up", ""), "{lines}");
    assert!(last[5].parse::<f64>().unwrap() > 0.9 && lines.lines().count() == 5, "{lines}");
    let rows: String = (0..100).map(|i| format!("{i},{},{}\n", 2 * i, 3 * i)).collect();
    let (code, lines, said) = groat(&["-", "-t", "a,b", "--json"], &format!("x,a,b\n{rows}"));
    assert!(code == Some(0) && lines.lines().count() == 200, "{said}");
    assert_eq!(json(lines.lines().last().unwrap())["target"], "b");
}

/// Half of the rows, a pause, the other half: the lines, the model and the page are those of one run.
#[test]
fn labels_and_several_targets_are_saved_resumed_modelled_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let x = |i: u32| (f64::from(i) * 0.7).sin();
    let label = |i: u32| if x(i) > 0.4 { "up" } else { "down" };
    let rows: Vec<String> = (0..240)
        .map(|i| format!("{:.4},{},{:.4},{:.4}\n", x(i), label(i), 2.0 * x(i), x(i) * x(i)))
        .collect();
    let table = |range: std::ops::Range<usize>| format!("x,way,a,b\n{}", rows[range].concat());
    fs::write(file("all.csv"), table(0..240)).unwrap();
    for target in ["way", "a,b"] {
        let common = ["--features", "x", "-a", "krls-ald", "--quiet"];
        let new = [&["-", "-t", target][..], &common].concat();
        let (code, whole, said) = groat(&[&new[..], &["--model", &file("m")]].concat(), &table(0..240));
        assert_eq!(code, Some(0), "{said}");
        let (code, first, said) = groat(&[&new[..], &["--save", &file("state")]].concat(), &table(0..130));
        assert_eq!(code, Some(0), "{said}");
        let (code, again, _) = groat(&["-", "--resume", &file("state"), "--quiet"], &table(130..240));
        assert_eq!(code, Some(0));
        let rest = again.split_once('\n').unwrap().1;
        assert_eq!(format!("{first}{rest}"), whole, "{target}");
        // From the beginning again, rows that were seen are left out.
        let replay = ["--resume", &file("state"), "--replay", "--report", &file("page.html"), "--quiet"];
        let (code, replayed, said) = groat(&[&[&file("all.csv")[..]][..], &replay].concat(), "");
        assert_eq!((code, replayed), (Some(0), again), "{said}");
        let page = fs::read_to_string(file("page.html")).unwrap();
        let words: &[&str] = if target == "way" {
            &["Right answers", "Answers by true label"]
        } else {
            &["a: Signal", "b: Signal"]
        };
        assert!(words.iter().all(|word| page.contains(word)), "{target}");
        let mut command = cargo_bin_cmd!("groat");
        let answer = command.args(["evaluate", &file("m"), &file("all.csv"), "--json"]).output().unwrap();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
        let (code, _, said) = groat(&["-", "-t", "a", "--resume", &file("state")], &table(130..240));
        assert!(code == Some(2) && said.contains("knows its columns"), "{said}");
    }
}

#[test]
fn settings_are_tuned_while_the_stream_runs() {
    let rows: String = (0..900)
        .map(|i| format!("{:.4},{:.4}\n", (f64::from(i) * 0.7).sin(), (f64::from(i) * 1.4).sin()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("o.csv").display().to_string();
    let arguments = ["-", "-t", "y", "-a", "krls-tracker", "--tune-live", "--out", &out, "--json"];
    let (code, answer, said) = groat(&arguments, &format!("x,y\n{rows}"));
    assert_eq!(code, Some(0), "{said}");
    assert!(json(&answer)["trials"]["tried"].as_u64().unwrap() >= 3, "{answer}");
}

/// What a learner cannot give is refused before the first row is answered, and the refusal says what would do.
#[test]
fn a_model_that_auto_does_not_have_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.safetensors").display().to_string();
    let rows = "x,y,z\n1,2,3\n2,4,1\n3,6,2\n";
    for target in [&["-t", "y"][..], &["-t", "y,z"], &["-t", "z", "--classes"]] {
        let (code, lines, said) = groat(&[&["-", "--model", &model], target].concat(), rows);
        assert!(code == Some(2) && lines.is_empty(), "{code:?}, {lines}");
        assert!(said.contains("auto knows no model") && said.contains("krls-tracker"), "{said}");
        assert!(!fs::exists(&model).unwrap());
        let (code, _, said) =
            groat(&[&["-", "--model", &model, "-a", "krls-tracker"], target].concat(), rows);
        assert!(code == Some(0) && fs::exists(&model).unwrap(), "{said}");
        fs::remove_file(&model).unwrap();
    }
}
