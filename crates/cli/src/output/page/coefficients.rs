//! The coefficients of a linear function, which say more than its vectors do.

use super::vectors::feature_names;
use crate::model::per_output;
use groat::{Kernel, Matrix, Model};
use groat_report::{Axis, Bars, Chart, Section, Table, number};

/// Most features that are drawn.
const DRAWN: usize = 30;
/// Most features that are listed.
const LISTED: usize = 200;

/// Whether the vectors are no places but coefficients: those of a linear kernel, at most one for each output.
pub fn is_linear(model: &Model) -> bool {
    *model.kernel() == Kernel::Linear && model.expansion().is_some() && model.size() <= model.outputs()
}

/// One row per feature, one column per output, for features as the kernel sees them.
fn coefficients(model: &Model) -> Option<Matrix> {
    let expansion = model.expansion()?;
    let mut out = Matrix::zeros(model.features(), model.outputs());
    for (v, weights) in expansion.weights().iter().enumerate() {
        for (j, x) in expansion.vectors().row(v).iter().enumerate() {
            for (k, weight) in weights.iter().enumerate() {
                out[(j, k)] += weight * x;
            }
        }
    }
    Some(out)
}

/// What a linear model makes of each feature, the largest first; nothing for other models.
pub fn section(model: &Model) -> Option<Section> {
    if !is_linear(model) {
        return None;
    }
    let (found, names) = (coefficients(model)?, feature_names(model));
    let size = |j: usize| found.row(j).iter().map(|c| c * c).sum::<f64>().sqrt();
    let mut order: Vec<usize> = (0..found.rows()).collect();
    order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
    let unit = if model.standardisation().is_some() { "deviation" } else { "unit" };
    let drawn = &order[..order.len().min(DRAWN)];
    let heights: Vec<f64> =
        drawn.iter().map(|&j| if found.cols() == 1 { found[(j, 0)] } else { size(j) }).collect();
    let what = if found.cols() == 1 { "coefficient" } else { "size of the coefficients of all outputs" };
    let chart = Chart::new("Coefficients")
        .describe(format!("What the answer changes by for one {unit} of each feature, the largest first"))
        .x(Axis::new(format!("{what}, for one {unit}")))
        .y(Axis::new("").categories(drawn.iter().map(|&j| names[j].clone())).upside_down())
        .layer(Bars::categories("coefficient", &heights).lying())
        .height(110.0 + 19.0 * drawn.len() as f64);
    let titles = ["feature".to_owned()].into_iter().chain(per_output("coefficient", model));
    let mut table = Table::new("", titles);
    let listed = &order[..order.len().min(LISTED)];
    for &j in listed {
        let cells = found.row(j).iter().map(|c| number(*c));
        table = table.row([names[j].clone()].into_iter().chain(cells));
    }
    let line = format!("The {} largest, for one {unit} of the feature", listed.len());
    let text = "The model is linear: a constant and one coefficient for each feature and output, no vectors.";
    Some(Section::new("Coefficients").text(text).chart(chart).folded_table(line, table))
}
