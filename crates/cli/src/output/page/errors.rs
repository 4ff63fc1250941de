//! The table of errors, and for classes which was taken for which.

use super::Part;
use crate::evaluation::{Errors, TargetErrors};
use groat::batch::LeaveOneOut;
use groat::data::Answers;
use groat::metrics::RegressionErrors;
use groat_report::{Section, Table, number};

/// Errors of every part, leave-one-out included where the method knows it.
pub fn errors(parts: &[Part<'_>], leave_one_out: Option<&LeaveOneOut>) -> Section {
    let mut section = match parts.first().map(|part| &part.answers.errors) {
        Some(Errors::Density(_)) => return Section::new("Log density").table(density_table(parts)),
        Some(Errors::OneClass(_)) => return Section::new("Rows outside").table(outside_table(parts)),
        Some(Errors::Classification(_)) => Section::new("Errors").table(class_table(parts, leave_one_out)),
        _ => Section::new("Errors").table(value_table(parts, leave_one_out)),
    };
    for part in parts {
        if let (Errors::Classification(errors), Answers::Classes { labels, .. }) =
            (&part.answers.errors, part.samples.answers())
        {
            let name = format!("Confusion matrix, {}", part.name);
            section = section.table(Table::confusion(name, labels, &errors.confusion));
        }
    }
    section
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

fn value_table(parts: &[Part<'_>], leave_one_out: Option<&LeaveOneOut>) -> Table {
    let head = ["part", "rows", "root mean square", "mean square", "mean absolute", "largest", "R²"];
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
    if let Some(loo) = leave_one_out {
        let several = loo.predictions.cols() > 1;
        let name = if several { "leave-one-out, all targets" } else { "leave-one-out" };
        let rows = loo.predictions.rows().to_string();
        let dash = || "–".to_owned();
        let numbers = [number(loo.mean_squared.sqrt()), number(loo.mean_squared), dash(), dash(), dash()];
        table = table.row([name.to_owned(), rows].into_iter().chain(numbers));
    }
    table
}

fn value_cells(name: String, e: &RegressionErrors) -> Vec<String> {
    let numbers = [e.root_mean_squared, e.mean_squared, e.mean_absolute, e.largest].map(number);
    let fit = e.r_squared.map_or("–".to_owned(), number);
    [name, e.rows.to_string()].into_iter().chain(numbers).chain([fit]).collect()
}

fn class_table(parts: &[Part<'_>], leave_one_out: Option<&LeaveOneOut>) -> Table {
    let head = ["part", "rows", "wrong", "error rate", "balanced accuracy"];
    let mut table = Table::new("Errors of the predicted classes", head);
    for part in parts {
        if let Errors::Classification(e) = &part.answers.errors {
            let numbers = [e.wrong.to_string(), number(e.error_rate), number(e.balanced_accuracy)];
            table = table.row([part.name.to_owned(), e.rows.to_string()].into_iter().chain(numbers));
        }
    }
    if let Some((loo, rate)) = leave_one_out.and_then(|loo| loo.error_rate.map(|rate| (loo, rate))) {
        let rows = loo.predictions.rows();
        let wrong = (rate * rows as f64).round();
        let cells = [rows.to_string(), format!("{wrong}"), number(rate), "–".to_owned()];
        table = table.row(std::iter::once("leave-one-out".to_owned()).chain(cells));
    }
    table
}
