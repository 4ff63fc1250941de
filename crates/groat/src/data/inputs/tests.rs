//! Tables as they come, well-formed and not.

use super::*;
use crate::data::{Column, Sparse};
use crate::matrix::{Matrix, PointSet};

fn table(names: &[&str], columns: Vec<Column>) -> Table {
    Table::new(names.iter().copied(), columns).unwrap()
}

fn training() -> Table {
    table(
        &["x", "colour", "y"],
        vec![
            Column::Numeric(vec![1.0, 2.0, 3.0]),
            Column::text(["red", "blue", "red"]),
            Column::Numeric(vec![0.1, 0.2, 0.3]),
        ],
    )
}

fn for_y() -> InputOptions {
    InputOptions { targets: vec!["y".into()], ..Default::default() }
}

#[test]
fn further_columns_are_ignored_and_order_does_not_matter() {
    let inputs = Inputs::fit(&training(), &for_y()).unwrap();
    let later = table(
        &["new", "colour", "x"],
        vec![Column::Numeric(vec![f64::NAN]), Column::text(["red"]), Column::Numeric(vec![9.0])],
    );
    assert_eq!(inputs.matrix(&later).unwrap().row(0), [9.0, 0.0, 1.0]);
}

#[test]
fn missing_columns_unseen_levels_and_missing_values_are_named() {
    let inputs = Inputs::fit(&training(), &for_y()).unwrap();
    let message = |t: &Table| inputs.matrix(t).unwrap_err().to_string();
    let x = || Column::Numeric(vec![1.0, f64::NAN]);
    assert_eq!(
        message(&table(&["x"], vec![x()])),
        "the table: there is no column \"colour\"; the columns are x"
    );
    assert_eq!(
        message(&table(&["x", "colour"], vec![x(), Column::text(["red", "red"])])),
        "the table, row 2, column x: the value is missing; fill or remove such rows first"
    );
    assert_eq!(
        message(&table(&["x", "colour"], vec![Column::Numeric(vec![1.0]), Column::text(["green"])])),
        "the table, row 1, column colour: found \"green\", which training did not have; \
         the known levels are blue, red"
    );
    assert!(
        message(&table(&["x", "colour"], vec![Column::text(["u"]), Column::text(["red"])]))
            .contains("column x: expected a number, found \"u\"")
    );
}

#[test]
fn bad_choices_are_errors() {
    let fail = |options: InputOptions| Inputs::fit(&training(), &options).unwrap_err().to_string();
    let listed = "the table: there is no column \"z\"; the columns are x, colour, y";
    assert_eq!(fail(InputOptions { targets: vec!["z".into()], ..Default::default() }), listed);
    assert_eq!(fail(InputOptions { features: vec!["z".into()], ..for_y() }), listed);
    assert_eq!(fail(InputOptions { exclude: vec!["z".into()], ..for_y() }), listed);
    assert!(
        fail(InputOptions { features: vec!["y".into()], ..for_y() })
            .contains("both a feature and the target")
    );
    assert!(
        fail(InputOptions { exclude: vec!["x".into(), "colour".into()], ..for_y() })
            .contains("no input column")
    );
    assert!(fail(InputOptions { max_levels: 1, ..for_y() }).contains("more than 1 different texts"));
    assert!(
        fail(InputOptions { embedding: Some(Embedding::new(1)), ..for_y() })
            .contains("only columns of numbers")
    );
}

#[test]
fn numbers_can_be_categories_whatever_their_spelling() {
    let codes = table(&["k"], vec![Column::Numeric(vec![2.0, 10.0, 2.0])]);
    let options = InputOptions { categorical: vec!["k".into()], ..Default::default() };
    let inputs = Inputs::fit(&codes, &options).unwrap();
    assert_eq!(inputs.feature_names(), ["k=2", "k=10"]);
    assert_eq!(inputs.matrix(&table(&["k"], vec![Column::text(["10"])])).unwrap().row(0), [0.0, 1.0]);
}

#[test]
fn without_names_the_count_decides() {
    let numbers = |cols: usize| {
        let names: Vec<String> = (1..=cols).map(|j| format!("x{j}")).collect();
        let columns = (1..=cols).map(|j| Column::Numeric(vec![j as f64])).collect();
        Table::new(names, columns).unwrap().unnamed(true)
    };
    let options = InputOptions { targets: vec!["2".into()], ..Default::default() };
    let inputs = Inputs::fit(&numbers(3), &options).unwrap();
    assert_eq!(inputs.matrix(&numbers(3)).unwrap().row(0), [1.0, 3.0]);
    assert_eq!(inputs.matrix(&numbers(2)).unwrap().row(0), [1.0, 2.0]);
    assert!(inputs.matrix(&numbers(4)).unwrap_err().to_string().contains("4 columns without names"));
    assert!(inputs.matrix(&numbers(1)).is_err());
}

#[test]
fn a_series_is_predicted_from_its_past() {
    let series = table(&["y"], vec![Column::Numeric(vec![1.0, 2.0, 3.0, 4.0])]);
    let inputs =
        Inputs::fit(&series, &InputOptions { embedding: Some(Embedding::new(2)), ..for_y() }).unwrap();
    assert_eq!(inputs.feature_names(), ["y[t-1]", "y[t-2]"]);
    let x = inputs.matrix(&series).unwrap();
    assert_eq!((x.rows(), x.row(1)), (2, &[3.0, 2.0][..]));
    assert!(inputs.matrix(&table(&["y"], vec![Column::Numeric(vec![1.0, 2.0])])).is_err());
    assert!(inputs.matrix(&table(&["z"], vec![Column::Numeric(vec![1.0; 9])])).is_err());
}

#[test]
fn several_targets_are_no_inputs() {
    let numbers = |k: f64| Column::Numeric(vec![k, 2.0 * k]);
    let names = ["a", "x", "b"];
    let data = table(&names, vec![numbers(1.0), numbers(2.0), numbers(3.0)]);
    let both = |first: &str| InputOptions { targets: vec![first.into(), "a".into()], ..Default::default() };
    let inputs = Inputs::fit(&data, &both("b")).unwrap();
    assert_eq!(inputs.matrix(&data).unwrap().data(), [2.0, 4.0]);
    let targets: Vec<_> = inputs.targets().iter().map(|t| (t.name.as_str(), t.position)).collect();
    assert_eq!(targets, [("b", 2), ("a", 0)]);
    let fail = |options: InputOptions| Inputs::fit(&data, &options).unwrap_err().to_string();
    assert_eq!(fail(both("a")), "the table: the target \"a\" is named twice");
    assert!(fail(InputOptions { exclude: vec!["a".into()], ..both("b") }).contains("\"a\" cannot be both"));
    assert!(
        fail(InputOptions { features: vec!["a".into()], ..both("b") }).contains("a feature and the target")
    );
    let embedding = Some(Embedding::new(1));
    assert_eq!(
        fail(InputOptions { embedding, ..both("b") }),
        "targets = 2 is not allowed: one column when a series is embedded"
    );
}

/// A table of sparse columns, one of numbers and one of texts, and the rows that it stands for.
fn sparse_table(values: &[f64], columns: usize) -> (Table, Matrix) {
    let rows = values.len() / columns;
    let x = Matrix::from_vec(values[..rows * columns].to_vec(), rows, columns).unwrap();
    let column = |j: usize| {
        let mut sparse = Sparse::default();
        (0..rows).filter(|i| x[(*i, j)] != 0.0).for_each(|i| sparse.push_at(i, x[(i, j)]));
        sparse.pad_to(rows);
        Column::Sparse(sparse)
    };
    let texts = Column::text((0..rows).map(|i| ["b", "a"][i % 2]));
    let all = [Column::Numeric(vec![2.0; rows]), texts].into_iter().chain((0..columns).map(column));
    let names = (0..columns + 2).map(|j| format!("c{j}"));
    let mut expected = Matrix::zeros(rows, columns + 3);
    for i in 0..rows {
        let coded = [2.0, (i % 2) as f64, 1.0 - (i % 2) as f64];
        expected.row_mut(i)[..3].copy_from_slice(&coded);
        expected.row_mut(i)[3..].copy_from_slice(x.row(i));
    }
    (Table::new(names, all.collect()).unwrap(), expected)
}

proptest::proptest! {
    #[test]
    fn sparse_rows_are_the_dense_ones(
        values in proptest::collection::vec(
            proptest::prop_oneof![9 => proptest::strategy::Just(0.0), 1 => -2.0f64..2.0], 60..400),
        columns in 1usize..30,
    ) {
        let (table, expected) = sparse_table(&values, columns);
        let inputs = Inputs::fit(&table, &InputOptions::default()).unwrap();
        let points = inputs.apply(&table).unwrap();
        proptest::prop_assert_eq!(&points.view().to_matrix(), &expected);
        proptest::prop_assert_eq!(&inputs.matrix(&table).unwrap(), &expected);
        // Whichever is the smaller: the table stores a number in every row of two columns.
        let stored = expected.data().iter().filter(|v| **v != 0.0).count();
        let smaller = 12 * stored + 8 * table.rows() < 8 * expected.data().len();
        proptest::prop_assert_eq!(matches!(points, PointSet::Sparse(_)), smaller);
    }
}

#[test]
fn a_missing_number_of_a_sparse_column_is_named() {
    let mut sparse = Sparse::zeros(1);
    sparse.push_at(1, f64::NAN);
    sparse.pad_to(100);
    let table = table(&["a"], vec![Column::Sparse(sparse)]);
    let message =
        Inputs::fit(&table, &InputOptions::default()).unwrap().apply(&table).unwrap_err().to_string();
    assert!(message.contains("row 2, column a: the value is missing"), "{message}");
}

#[test]
fn many_columns_are_found_at_once() {
    let names: Vec<String> = (0..50_000).map(|j| format!("c{j}")).collect();
    let columns = (0..50_000).map(|_| Column::Sparse(Sparse::zeros(1))).collect();
    let table = Table::new(names.clone(), columns).unwrap();
    let options = InputOptions {
        targets: names[..10_000].to_vec(),
        features: names[20_000..].to_vec(),
        exclude: names[10_000..30_000].to_vec(),
        ..Default::default()
    };
    // A look through all names for each of them would take minutes.
    let inputs = Inputs::fit(&table, &options).unwrap();
    assert_eq!((inputs.targets().len(), inputs.columns().len()), (10_000, 20_000));
    assert_eq!(inputs.apply(&table).unwrap().cols(), 20_000);
    assert_eq!(table.matrix(&names).unwrap().cols(), 50_000);
}
