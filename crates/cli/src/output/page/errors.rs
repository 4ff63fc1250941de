//! The table of errors, and for classes which was taken for which.

use super::Part;
use crate::evaluation::{ClassErrors, Errors, TargetErrors, share};
use groat::batch::{Expected, LeaveOneOut};
use groat::metrics::{ClassificationErrors, RegressionErrors};
use groat_report::{Section, Table, number};

/// Errors of every part, leave-one-out included where the method knows it.
pub fn errors(
    parts: &[Part<'_>],
    expected: Option<&Expected>,
    leave_one_out: Option<&LeaveOneOut>,
) -> Section {
    let mut section = match parts.first().map(|part| &part.answers.errors) {
        Some(Errors::Density(_)) => return Section::new("Log density").table(density_table(parts)),
        Some(Errors::OneClass(_)) => return Section::new("Rows outside").table(outside_table(parts)),
        Some(Errors::Classification(_)) => {
            Section::new("Errors").table(class_table(parts, expected, leave_one_out))
        }
        _ => Section::new("Errors").table(value_table(parts, expected, leave_one_out)),
    };
    for part in parts {
        if let Errors::Classification(ClassErrors { classes, errors }) = &part.answers.errors {
            let name = format!("Confusion matrix, {}", part.name);
            section = section.table(each_class(part.name, classes, errors)).table(Table::confusion(
                name,
                classes,
                &errors.confusion,
            ));
        }
    }
    match intervals_table(parts) {
        Some(table) => section.table(table),
        None => section,
    }
}

/// What prediction intervals hold; nothing where the model has none.
fn intervals_table(parts: &[Part<'_>]) -> Option<Table> {
    let table = Table::new("Prediction intervals", ["part", "asked for", "true values inside", "half width"]);
    let rows = parts.iter().flat_map(|part| {
        part.answers.intervals.iter().map(|reached| {
            let half: Vec<String> = reached.half_widths.iter().copied().map(number).collect();
            let cells = [number(reached.coverage), number(reached.inside), half.join(", ")];
            std::iter::once(part.name.to_owned()).chain(cells)
        })
    });
    let mut rows = rows.peekable();
    rows.peek()?;
    Some(rows.fold(table, Table::row))
}

fn density_table(parts: &[Part<'_>]) -> Table {
    let head = ["part", "rows", "mean log density", "standard error"];
    parts.iter().fold(Table::new("Mean log density", head), |table, part| match &part.answers.errors {
        Errors::Density(e) => {
            let numbers = [e.mean_log_density, e.standard_error].map(number);
            table.row([part.name.to_owned(), e.rows.to_string()].into_iter().chain(numbers))
        }
        _ => table,
    })
}

fn outside_table(parts: &[Part<'_>]) -> Table {
    let table = Table::new("Rows outside the one class", ["part", "rows", "outside", "share"]);
    parts.iter().fold(table, |table, part| match &part.answers.errors {
        Errors::OneClass(e) => {
            table.row([part.name.to_owned(), e.rows.to_string(), e.outside.to_string(), number(e.share)])
        }
        _ => table,
    })
}

fn value_table(
    parts: &[Part<'_>],
    expected: Option<&Expected>,
    leave_one_out: Option<&LeaveOneOut>,
) -> Table {
    let head = ["part", "rows", "root mean square", "mean square", "mean absolute", "median", "90 %", "95 %"];
    let head = head.into_iter().chain(["largest", "R²"]);
    let mut table = Table::new("Errors of the predicted numbers", head);
    for part in parts {
        match &part.answers.errors {
            Errors::Regression(e) => table = table.row(value_cells(part.name.to_owned(), e)),
            Errors::Several(all) => {
                let row = |e: &TargetErrors| value_cells(format!("{}, {}", part.name, e.target), &e.errors);
                table = all.iter().map(row).fold(table, Table::row);
            }
            Errors::Classification(_) | Errors::Density(_) | Errors::OneClass(_) => {}
        }
    }
    // Neither is measured on one part: the first on rows left out of every choice, the second with the vectors kept.
    let expected = expected.map(|e| ("expected", &e.predictions, e.mean_squared));
    let left_out = leave_one_out.map(|loo| ("leave-one-out", &loo.predictions, loo.mean_squared));
    for (name, predictions, mean_squared) in expected.into_iter().chain(left_out) {
        let all = if predictions.cols() > 1 { ", all targets" } else { "" };
        let counts = [format!("{name}{all}"), predictions.rows().to_string()];
        let numbers = [number(mean_squared.sqrt()), number(mean_squared)];
        let unknown = std::iter::repeat_n(share(None), 6);
        table = table.row(counts.into_iter().chain(numbers).chain(unknown));
    }
    table
}

fn value_cells(name: String, e: &RegressionErrors) -> Vec<String> {
    let squares = [e.root_mean_squared, e.mean_squared];
    let absolute = [e.mean_absolute, e.median_absolute, e.absolute_90, e.absolute_95, e.largest];
    let numbers = squares.into_iter().chain(absolute).map(number);
    [name, e.rows.to_string()].into_iter().chain(numbers).chain([share(e.r_squared)]).collect()
}

/// How well each class was told from the others.
fn each_class(part: &str, classes: &[String], errors: &ClassificationErrors) -> Table {
    let head = ["class", "rows", "predicted", "precision", "recall", "F1"];
    let table = Table::new(format!("Each class, {part}"), head);
    classes.iter().zip(&errors.per_class).fold(table, |table, (class, e)| {
        let counts = [class.clone(), e.rows.to_string(), e.predicted.to_string()];
        table.row(counts.into_iter().chain([e.precision, e.recall, e.f1].map(share)))
    })
}

fn class_table(
    parts: &[Part<'_>],
    expected: Option<&Expected>,
    leave_one_out: Option<&LeaveOneOut>,
) -> Table {
    let head = ["part", "rows", "wrong", "error rate", "balanced accuracy", "mean F1", "AUC", "log loss"];
    let mut table = Table::new("Errors of the predicted classes", head);
    for part in parts {
        if let Errors::Classification(ClassErrors { errors: e, .. }) = &part.answers.errors {
            let counts = [part.name.to_owned(), e.rows.to_string(), e.wrong.to_string()];
            let numbers = [e.error_rate, e.balanced_accuracy, e.mean_f1].map(number);
            let more = [e.area_under_curve, e.log_loss].map(share);
            table = table.row(counts.into_iter().chain(numbers).chain(more));
        }
    }
    let expected = expected.map(|e| ("expected", e.predictions.rows(), e.error_rate));
    let left_out = leave_one_out.map(|loo| ("leave-one-out", loo.predictions.rows(), loo.error_rate));
    for (name, rows, rate) in expected.into_iter().chain(left_out) {
        let Some(rate) = rate else { continue };
        let wrong = (rate * rows as f64).round();
        let cells = [name.to_owned(), rows.to_string(), format!("{wrong}"), number(rate)];
        table = table.row(cells.into_iter().chain(std::iter::repeat_n(share(None), 4)));
    }
    table
}
