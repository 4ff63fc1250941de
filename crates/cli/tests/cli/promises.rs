//! What must not pass in silence, and what help promises to read.

use super::common::{Folder, waves};

/// A step so large that no step is carried out.
#[test]
fn a_learner_that_learns_nothing_says_so() {
    let f = Folder::new();
    f.put("d.csv", waves(80));
    let run = f.groat("stream d.csv -t y -a klms-coherence --set eta=1e300 -o o.csv").assert().success();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("80 of 80 steps were not carried out: lower the step (--set eta=...)"), "{said}");
}

#[test]
fn a_replay_needs_a_state() {
    let f = Folder::new();
    f.put("d.csv", waves(30));
    assert!(f.fails("stream d.csv -t y --replay -o o.csv", 2).contains("--resume <FILE>"));
    assert_eq!(f.names(), ["d.csv"]);
}

/// Numbers whose squares overflow: JSON has no infinity.
#[test]
fn lines_of_a_stream_are_json_whatever_the_numbers() {
    let f = Folder::new();
    let rows: String = (0..120).map(|i| format!("{i},{}e307\n", i % 17)).collect();
    f.put("d.csv", format!("x,y\n{rows}"));
    for algorithm in ["lms", "klms-coherence", "krls-tracker"] {
        let lines =
            f.run(&format!("stream d.csv -t y -a {algorithm} --no-standardise --keep-going --json -q"));
        for line in lines.lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{algorithm}: {line}");
        }
        assert!(lines.lines().count() >= 120, "{algorithm}");
    }
}

/// A search of hours, or of more memory than there is, is refused before it begins.
#[test]
fn widths_are_not_sought_one_by_one_for_thousands_of_features() {
    let f = Folder::new();
    let names: String = (0..1001).map(|k| format!("x{k},")).collect();
    let rows: String = (0..12).map(|i| format!("{}{i}\n", format!("{},", i % 5).repeat(1001))).collect();
    f.put("wide.csv", format!("{names}y\n{rows}"));
    let message = f.fails("fit wide.csv -t y --method ols --per-feature", 2);
    assert!(message.contains("1001 here") && message.contains("sparse"), "{message}");
    f.run("fit wide.csv -t y --per-feature -o m.safetensors --quiet");
}

/// A Parquet file of pyarrow with times of Berlin in `when`, beside the numbers `x` and `y`; 30 rows.
#[test]
fn times_with_a_zone_are_read() {
    let f = Folder::new();
    f.put("d.parquet", include_bytes!("zone.parquet"));
    assert_eq!(f.json("fit d.parquet -t y --method krr -o m.safetensors")["rows"], 30);
    assert_eq!(f.json("fit d.parquet -t y --method krr --drop when -o m.safetensors")["features"], 1);
    assert_eq!(f.run("stream d.parquet -t y --features x").lines().count(), 31);
}
