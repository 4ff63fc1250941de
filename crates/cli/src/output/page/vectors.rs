//! The kept vectors: how heavy they are, and where they lie.

use crate::model::per_output;
use groat::{Matrix, Model};
use groat_report::{Axis, Chart, Line, Section, Table, number};

/// Most vectors listed on a page; the model file has them all.
const LISTED: usize = 200;

/// A chart of the weights and a list of the heaviest vectors.
pub fn vectors(model: &Model, candidates: Option<usize>) -> Section {
    let mut order: Vec<(usize, f64)> =
        model.weights().iter().map(|w| w.iter().map(|v| v * v).sum::<f64>().sqrt()).enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let sizes: Vec<(f64, f64)> =
        order.iter().enumerate().map(|(rank, (_, size))| ((rank + 1) as f64, *size)).collect();
    let positive = sizes.iter().any(|(_, size)| *size > 0.0);
    let axis = Axis::new("size of the weight");
    let chart = Chart::new("Weights")
        .describe("Size of each vector's weight, the heaviest first")
        .x(Axis::new("vector, by weight").whole())
        .y(if positive { axis.log() } else { axis })
        .layer(Line::new("weights", sizes));
    let kept = match candidates {
        Some(candidates) => format!("{} of {candidates} candidate vectors were kept.", model.size()),
        None => format!("The model has {} vectors.", model.size()),
    };
    let listed = order.len().min(LISTED);
    let line = format!("The {listed} heaviest vectors, in the units of the data");
    Section::new("Kept vectors").text(kept).chart(chart).folded_table(line, list(model, &order[..listed]))
}

fn list(model: &Model, chosen: &[(usize, f64)]) -> Table {
    let raw = raw_vectors(model);
    let names = column_names(model);
    let mut table = Table::new("", names);
    for (i, _) in chosen {
        let cells = model.weights().row(*i).iter().chain(raw.row(*i)).map(|v| number(*v));
        table = table.row(cells);
    }
    table
}

/// Names of the columns of a list of vectors: the weights, then the features where there are vectors.
pub fn column_names(model: &Model) -> Vec<String> {
    let features = if model.expansion().is_some() { feature_names(model) } else { Vec::new() };
    per_output("weight", model).into_iter().chain(features).collect()
}

/// Names of the features, or their numbers.
pub fn feature_names(model: &Model) -> Vec<String> {
    match model.feature_names() {
        [] => (1..=model.features()).map(|i| i.to_string()).collect(),
        names => names.to_vec(),
    }
}

/// The vectors in the units of the data; random features have none, and their rows no columns.
pub fn raw_vectors(model: &Model) -> Matrix {
    let Some(expansion) = model.expansion() else { return Matrix::zeros(model.size(), 0) };
    let mut raw = expansion.vectors().to_matrix();
    if let Some(s) = model.standardisation() {
        for i in 0..raw.rows() {
            for ((v, mean), scale) in raw.row_mut(i).iter_mut().zip(s.mean()).zip(s.scale()) {
                *v = *v * scale + mean;
            }
        }
    }
    raw
}
