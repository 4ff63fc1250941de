//! Every file of the shared data sets loads, with the rows, columns and moments its manifest states.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![cfg(feature = "arrow")]

use std::collections::BTreeSet;

use groat::data::{ReadOptions, Split, Table, TableReader, read_table};
use groat::testing::shared;

fn moments(y: &[f64]) -> [f64; 4] {
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let deviation = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let least = y.iter().copied().fold(f64::INFINITY, f64::min);
    let most = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [mean, deviation, least, most]
}

/// Rows, columns and all values of `y`, read in batches so that the largest files stay small.
fn summary(table: TableReader) -> (usize, BTreeSet<String>, Vec<f64>) {
    let (mut rows, mut names, mut y) = (0, BTreeSet::new(), Vec::new());
    for batch in table {
        let batch: Table = batch.unwrap();
        rows += batch.rows();
        if batch.position("y").is_some() {
            y.extend(batch.numbers("y").unwrap());
        }
        names.extend(batch.names().iter().cloned());
    }
    (rows, names, y)
}

#[test]
fn every_file_is_as_its_manifest_says() {
    let Some(manifest) = shared("data/manifest.csv") else { return };
    let folder = manifest.parent().unwrap().to_owned();
    let options = ReadOptions { text: vec!["train_rows".into()], ..Default::default() };
    let manifest = read_table(&manifest, &options).unwrap();
    let column = |name: &str| manifest.column(manifest.find(name).unwrap());
    let mut files = 0;
    for row in 0..manifest.rows() {
        let text = |name: &str| column(name).label(row).unwrap_or_default().into_owned();
        let number = |name: &str| column(name).number(row).unwrap();
        let name = format!("{}/{}", text("set"), text("file"));
        let table = TableReader::open(folder.join(&name), &ReadOptions::default()).unwrap();
        let (rows, names, y) = summary(table);
        assert_eq!(rows as f64, number("rows"), "{name}");
        // Of a sparse file the manifest states the largest index.
        let index = |name: &String| name.strip_prefix('x').and_then(|index| index.parse().ok());
        let columns = match name.contains(".svm") {
            true => names.iter().filter_map(index).max().unwrap(),
            false => names.len(),
        };
        assert_eq!(columns as f64, number("columns"), "{name}");
        if !number("y_mean").is_nan() {
            let expected = ["y_mean", "y_std", "y_min", "y_max"].map(number);
            for (ours, theirs) in moments(&y).into_iter().zip(expected) {
                // Eight digits are printed; a mean of nearly 0 carries the rounding of its sum.
                let allowed = 1e-7 * theirs.abs() + 1e-9 * expected[1];
                assert!((ours - theirs).abs() <= allowed, "{name}: {ours} instead of {theirs}");
            }
        }
        files += 1;
    }
    assert!(files > 60, "{files}");
}

#[test]
fn split_files_divide_the_rows() {
    let Some(path) = shared("data/kin40k/splits.csv.gz") else { return };
    let split = Split::from_file(&format!("{}:std", path.display()), 40_000).unwrap();
    assert_eq!((split.train.len(), split.test.len()), (10_000, 30_000));
    assert!(Split::from_file(&format!("{}:std", path.display()), 5).is_err());
    assert!(Split::from_file(&format!("{}:none", path.display()), 40_000).is_err());
    assert!(Split::from_file("splits", 40_000).is_err());
}
