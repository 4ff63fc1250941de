//! What is read, and what is refused: inputs without end, svmlight files beside models with names, numbers whose squares are
//! none, damaged files, formats by name.

use super::common::{Folder, disc, noise, waves};
use std::fmt::Write;

/// A table with names that no svmlight file has.
fn houses(rows: usize) -> String {
    waves(rows).replacen("x1,x2,y", "area,age,price", 1)
}

/// Rows in svmlight form, the two features under these indices.
fn sparse(rows: usize, first: usize, second: usize) -> String {
    let mut text = String::new();
    for i in 0..rows {
        let (a, b) = (4.0 * noise(i) - 2.0, noise(7 * i + 3));
        writeln!(text, "{} {first}:{a} {second}:{b}", (3.0 * a).sin() + b).unwrap();
    }
    text
}

#[test]
fn svmlight_data_meet_a_model_by_index_or_not_at_all() {
    let f = Folder::new();
    f.put("named.csv", houses(60));
    f.put("d.svm", sparse(60, 1, 2));
    f.put("zero.svm", sparse(60, 0, 1));
    f.put("more.svm", sparse(60, 1, 2).replace('\n', " 7:1 9:2\n"));
    f.run("fit named.csv -t price -o named.safetensors --quiet");
    f.run("fit d.svm -o sparse.safetensors --quiet");
    for line in ["predict named.safetensors d.svm", "evaluate named.safetensors d.svm -t y"] {
        let message = f.fails(line, 1);
        assert!(message.contains("know their columns by index") && message.contains("area"), "{message}");
    }
    for line in ["predict sparse.safetensors zero.svm", "evaluate sparse.safetensors zero.svm"] {
        assert!(f.fails(line, 1).contains("the indices begin at 0"), "{line}");
    }
    for line in ["predict sparse.safetensors more.svm", "evaluate sparse.safetensors more.svm"] {
        let said = f.groat(line).assert().success().get_output().stderr.clone();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains("columns that the model does not use: x7, x9"), "{line}: {said}");
    }
    // The same numbers by index, whether the file with the names x1, x2 is sparse or not.
    f.put("d.csv", waves(60));
    assert_eq!(f.run("predict sparse.safetensors d.svm"), f.run("predict sparse.safetensors d.csv --quiet"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_has_no_end_is_refused() {
    let f = Folder::new();
    f.put("d.csv", waves(60));
    f.run("fit d.csv -t y -o m.safetensors --quiet");
    for line in
        ["fit /dev/zero -t y -o n.safetensors", "predict m.safetensors /dev/zero", "stream /dev/zero -t y"]
    {
        let message = f.fails(line, 1);
        assert!(message.contains("line 1 has more than 16 MiB"), "{line}: {message}");
    }
    for line in ["predict /dev/zero d.csv", "inspect /dev/zero", "stream d.csv --resume /dev/zero"] {
        assert!(f.fails(line, 1).contains("/dev/zero"), "{line}");
    }
    assert!(std::process::Command::new("mkfifo").arg(f.file("pipe")).status().unwrap().success());
    assert!(f.fails("fit pipe -t y --method ols --stream", 2).contains("can be read only once"));
    let all = "fit d.csv -t y --method ols --stream --candidates 1000000000 --memory 10KB";
    assert!(f.fails(all, 1).contains("the products of all candidates would need"));
    f.put("long.csv", format!("x1,x2,y\n1,2,3\n1,{},3\n", "7".repeat(3000)));
    let message = f.fails("fit long.csv -t y --max-field 1000", 1);
    assert!(message.contains("line 3, column x2: the field has 3000 bytes"), "{message}");
    assert!(f.fails("fit long.csv -t y --max-line 2KB", 1).contains("line 3 has more than 2000 bytes"));
    assert_eq!(f.names(), ["d.csv", "long.csv", "m.safetensors", "pipe"]);
}

/// Four thousand million rows would take 64 GB at once.
#[test]
fn a_large_sample_is_written_as_it_is_drawn() {
    use super::running::Running;
    use std::io::Read;
    let f = Folder::new();
    f.put("d.csv", waves(60));
    f.run("fit d.csv --task density --drop y -o m.safetensors --quiet");
    let mut sample = Running::groat(f.path(), "sample m.safetensors -n 4000000000".split_whitespace());
    let mut first = vec![0; 1 << 20];
    sample.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    drop(sample.stdout.take());
    assert_eq!(sample.wait().code(), Some(0));
    assert!(first.starts_with(b"x1,x2\n"));
    // In blocks or at once, the rows are the same.
    let lines = String::from_utf8(first).unwrap();
    assert!(lines.starts_with(&f.run("sample m.safetensors -n 20")));
    f.run("sample m.safetensors -n 9000 -o s.csv --quiet");
    f.run("sample m.safetensors -n 9000 -o s.parquet --quiet");
    assert_eq!(f.read("s.csv"), f.run("sample m.safetensors -n 9000"));
    assert!(
        f.fails("sample m.safetensors -n 4000000000 -o t.parquet", 2)
            .contains("CSV is written as they are drawn")
    );
}

#[test]
fn numbers_whose_squares_are_none_are_refused() {
    let f = Folder::new();
    let scaled = |x: f64, y: f64| {
        let mut text = "x1,x2,y\n".to_owned();
        for i in 0..60 {
            let (a, b) = (4.0 * noise(i) - 2.0, noise(7 * i + 3));
            writeln!(text, "{:e},{b},{:e}", x * a, y * ((3.0 * a).sin() + b)).unwrap();
        }
        text
    };
    for (x, y, said) in [
        (1.0, 1e155, "y is too large to square"),
        (1.0, 1e300, "y is too large to square"),
        (1.0, 1e-163, "y is too small to square"),
        (1.0, 1e-300, "y is too small to square"),
        (1e-200, 1.0, "feature 1 are below 1e-145 and too small to square"),
        (1e200, 1.0, "feature 1 are too large to square"),
    ] {
        f.put("d.csv", scaled(x, y));
        for method in ["sparse", "ols", "krr", "lssvm", "svr"] {
            let message = f.fails(&format!("fit d.csv -t y --method {method} -o m.safetensors"), 1);
            assert!(message.contains(said), "{method}: {message}");
            assert!(message.contains("d.csv"), "{message}");
        }
        let message = f.fails("fit d.csv -t y --no-standardise -o m.safetensors", 1);
        assert!(message.contains(said) && !message.contains("standardis"), "{message}");
    }
    // Just within.
    for (x, y) in [(1e-130, 1e-130), (1e130, 1e130)] {
        f.put("d.csv", scaled(x, y));
        let answer = f.json("fit d.csv -t y --method ols -o m.safetensors");
        let error = answer["training"]["root_mean_squared"].as_f64().unwrap();
        assert!(error > 0.0 && error < y, "{answer}");
        f.run("predict m.safetensors d.csv");
    }
}

/// Every flipped bit in the text at the head of a model, and in a saved state, is noticed.
#[test]
fn damaged_files_are_refused_by_name() {
    let f = Folder::new();
    f.put("d.csv", waves(40));
    f.run("fit d.csv -t y -o m.safetensors --quiet");
    f.run("stream d.csv -t y -a klms-coherence --save s.json -o o.csv --quiet");
    for (name, line) in
        [("m.safetensors", "predict bad d.csv"), ("s.json", "stream d.csv --resume bad -o p.csv")]
    {
        let whole = std::fs::read(f.file(name)).unwrap();
        let head = whole.len().min(3000);
        for at in (9..head).step_by(head / 40) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            f.put("bad", damaged);
            let message = f.fails(line, 1);
            assert!(message.contains("bad") && message.contains("not a usable"), "byte {at}: {message}");
            for advice in ["fill", "the data", "d.csv"] {
                assert!(!message.contains(advice), "byte {at}: {message}");
            }
        }
    }
}

#[test]
fn formats_are_read_or_named() {
    let f = Folder::new();
    let rows: String = (0..40).map(|i| format!("{{\"x\":{},\"y\":{}}}\n", noise(i), noise(3 * i))).collect();
    f.put("bom.ndjson", format!("\u{feff}{rows}"));
    f.put("bom", format!("\u{feff}{rows}"));
    f.put("mac.csv", waves(40).replace('\n', "\r"));
    f.put("d.csv", waves(40));
    for line in
        ["fit bom.ndjson -t y -o m1", "fit bom -t y -o m2", "fit mac.csv -t y -o m3", "fit d.csv -t y -o m4"]
    {
        f.run(&format!("{line} --quiet"));
    }
    assert_eq!(f.run("predict m3 mac.csv"), f.run("predict m4 d.csv"));
    let array = rows.trim_end().replace('\n', ",");
    for (name, bytes, said) in [
        ("d.xlsx", b"PK\x03\x04\x14\0xl/workbook.xml".to_vec(), "zip archive (.zip, .xlsx"),
        ("d.csv.bz2", b"BZh91AY&SY\x01\x02".to_vec(), "compressed by bzip2"),
        ("d.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), "Excel workbook"),
        ("a.json", format!("[{array}]").into_bytes(), "jq -c '.[]'"),
        ("b.json", format!("[\n{}\n]\n", rows.trim_end().replace('\n', ",\n")).into_bytes(), "jq -c '.[]'"),
        ("c.json", b"{\n  \"x\": 1\n}\n".to_vec(), "jq -c ."),
    ] {
        f.put(name, bytes);
        for line in [format!("fit {name} -t y"), format!("stream {name} -t y")] {
            let message = f.fails(&line, 1);
            assert!(message.contains(said) && message.contains(name), "{line}: {message}");
        }
    }
}

#[test]
fn a_stream_takes_categories_of_a_file() {
    let f = Folder::new();
    let mut text = "u,kind,y\n".to_owned();
    for i in 0..200 {
        let kind = i * 7 % 3;
        writeln!(text, "{},{kind},{}", noise(i), noise(i) + [0.0, 5.0, -5.0][kind]).unwrap();
    }
    f.put("d.csv", &text);
    let line = "stream d.csv -t y -a krls-tracker --categorical kind -o o.csv";
    let answer = f.json(&format!("{line} --save s.json"));
    assert_eq!(answer["features"], serde_json::json!(["u", "kind=0", "kind=1", "kind=2"]));
    f.run("stream d.csv --resume s.json -o p.csv --quiet");
    let refused = f.groat("stream - -t y --categorical kind").write_stdin(text).assert().code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("read twice"));
}

#[test]
fn a_quote_without_an_end_costs_a_stream_one_row() {
    let f = Folder::new();
    let rows = waves(80);
    let mut lines: Vec<String> = rows.lines().map(str::to_owned).collect();
    lines[30] = format!("\"{}", lines[30]);
    f.put("d.csv", lines.join("\n") + "\n");
    let answer = f.json("stream d.csv -t y -a klms-coherence --on-bad-row skip -o o.csv");
    assert_eq!((answer["rows"].as_u64(), answer["skipped"].as_u64()), (Some(80), Some(1)));
    assert!(f.fails("stream d.csv -t y -o p.csv", 1).contains("line 31, column x1"));
}

#[test]
fn messages_are_short_and_say_whose_fault_it_is() {
    let f = Folder::new();
    f.put("d.csv", waves(60));
    f.put("long.csv", waves(60) + &format!("{},1,2\n", "a".repeat(5000)));
    let message = f.fails("fit long.csv -t y", 1);
    assert!(message.contains("(5000 characters)") && message.len() < 400, "{message}");
    f.put("name.csv", waves(60).replacen("x1", &"n".repeat(3000), 1));
    assert!(f.fails("fit name.csv -t z", 1).len() < 400);
    assert!(f.fails("fit d.csv -t y --ridge nan", 2).contains("ridge = nan is not allowed"));
    let message = f.fails("fit d.csv --task density --drop y --kernel gaussian:width=1e6", 2);
    assert!(message.contains("width = 1000000 is not allowed: at most 1000 times"), "{message}");
    // A file that is no state or no model is a bad file, not a bad call.
    f.put("class.csv", disc(60));
    f.run("fit d.csv -t y -o m.safetensors --quiet");
    assert!(f.fails("stream d.csv --resume m.safetensors", 1).contains("m.safetensors"));
    assert!(f.fails("stream d.csv --resume d.csv", 1).contains("no session that groat saved"));
    assert!(f.fails("predict d.csv d.csv", 1).contains("d.csv: not a usable groat model"));
}

/// The factors of this learner vanish after some steps; what divided by them gave states that nobody could read.
#[test]
fn every_state_that_is_saved_can_be_resumed() {
    let f = Folder::new();
    f.put("d.csv", waves(400));
    for settings in
        ["transition=0.1,budget=1000", "transition=0.01,drift=1", "transition=1e-300", "lambda=1e-3"]
    {
        let line = format!(
            "stream d.csv -t y -a exkrls --set {settings} --save s.json -o o.csv --keep-going --quiet"
        );
        f.run(&line);
        f.run("stream d.csv --resume s.json -o p.csv --keep-going --quiet");
    }
}

/// A state passes the checks that its settings pass, also where its checksum was taken out.
#[test]
fn an_edited_state_is_refused() {
    let f = Folder::new();
    f.put("d.csv", waves(60));
    f.run("stream d.csv -t y -a klms-coherence --save s.json -o o.csv --quiet");
    let state = f.read("s.json");
    let mark = "\"checksum\":\"";
    let at = state.find(mark).unwrap();
    let unsealed = format!("{}{}", &state[..at], &state[at + mark.len() + 10..]);
    f.put("s.json", &unsealed);
    f.run("stream d.csv --resume s.json -o p.csv --quiet");
    for (from, to) in [("\"magnitude\":0.0", "\"magnitude\":0.5"), ("\"age\":0", "\"age\":3")] {
        for text in [&unsealed, &state] {
            assert!(text.contains(from));
            f.put("s.json", text.replacen(from, to, 1));
            let message = f.fails("stream d.csv --resume s.json -o p.csv", 1);
            let said =
                if text == &state { "checksum" } else { "its parts are not those that its settings name" };
            assert!(message.contains("s.json") && message.contains(said), "{message}");
        }
    }
    f.put("s.json", unsealed.replacen("\"totals\"", "\"tptals\"", 1));
    assert!(f.fails("stream d.csv --resume s.json -o p.csv", 1).contains("unknown field `tptals`"));
}

#[test]
fn notes_say_what_was_decided() {
    let f = Folder::new();
    f.put("d.csv", waves(3200));
    for method in ["krr", "lssvm"] {
        let answer = f.json(&format!("fit d.csv -t y --method {method} -o m.safetensors"));
        assert!(answer["notes"].to_string().contains("were chosen on 2500 of 2560 rows"), "{answer}");
    }
    // Where fewer terms than are allowed do best, the limit did not matter.
    f.put("few.csv", waves(150));
    for most in [3, 30, 36, 40, 44] {
        let answer = f.json(&format!("fit few.csv -t y --method ols --max-terms {most} -o m.safetensors"));
        let limited = answer["notes"].to_string().contains("largest allowed number of terms");
        assert_eq!(limited, answer["vectors"].as_u64() == Some(most), "{most}: {answer}");
    }
}
