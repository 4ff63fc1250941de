//! Figure 7: how large the coefficients of the least-squares SVM are, and where.
//!
//! The panel of the standard SVM is left out: it belongs to another method.

use super::{POWER, SIGMA, classes, gaussian, green_red};
use crate::commands::reproduce::trial::Trial;
use groat::batch::{LeastSquaresSvm, Method, Problem, Quiet};
use groat::tune::{SupportRule, SupportTuning};
use groat::{Kernel, Matrix};
use groat_report::{Axis, Chart, Line, Section};
use std::f64::consts::TAU;

const ROWS: usize = 200;
const RIDGE: f64 = 1.0;
/// Radius of the bubble of the largest coefficient.
const LARGEST: f64 = 0.15;
/// Corners of a bubble.
const CORNERS: u32 = 12;

pub fn figure(trial: &Trial<'_>) -> anyhow::Result<Section> {
    let (family, mut random) = classes(trial)?;
    let (x, codes) = green_red(&family, ROWS, &mut random)?;
    let tuning = SupportTuning::for_kernel(&Kernel::compact(gaussian(SIGMA), 1.0, POWER), x.view(), 0)?;
    let tuned = tuning.choose(SupportRule::Combined(0.5))?.support;
    let tenth = tuning.choose(SupportRule::Sparsity(0.9))?.support;
    let panels = [
        ("Gaussian".to_owned(), None),
        (format!("C = {tuned:.2}, by A + 0.5 S"), Some(tuned)),
        (format!("C = {tenth:.2}, nearer than 90 % of the distances"), Some(tenth)),
    ];
    let mut section = Section::new("Figure 7: coefficients of the least-squares SVM").text(
        "The larger a bubble, the larger its point's coefficient. Only points within the dashed circle \
               count for a prediction at its middle.",
    );
    for (title, support) in panels {
        let kernel = support.map_or_else(|| gaussian(SIGMA), |c| tuning.kernel_with(c));
        let machine = LeastSquaresSvm { kernel, ridge: RIDGE, ..Default::default() };
        let fitted = machine.fit(&Problem::classification(x.view(), &codes, 2)?, &Quiet)?;
        let mut chart = Chart::new(title).x(Axis::new("x1")).y(Axis::new("x2"));
        for (name, code) in [("green", 0), ("red", 1)] {
            chart = chart.layer(Line::new(name, bubbles(&x, &codes, code, fitted.model.weights().data())));
        }
        if let Some(radius) = support {
            let (middle, around) = ((1.0, 0.5), 48);
            chart = chart.layer(Line::new("support", circle(middle, radius, around).collect()).dashed());
        }
        section = section.chart(chart);
    }
    Ok(section)
}

/// Circles around the points of one class, as one line with gaps.
fn bubbles(x: &Matrix, codes: &[usize], code: usize, weights: &[f64]) -> Vec<(f64, f64)> {
    let most = weights.iter().fold(f64::MIN_POSITIVE, |most, w| most.max(w.abs()));
    let chosen = (0..x.rows()).filter(|&i| codes[i] == code);
    let bubble = |i: usize| {
        let radius = LARGEST * weights[i].abs() / most;
        circle((x[(i, 0)], x[(i, 1)]), radius, CORNERS).chain([(f64::NAN, f64::NAN)])
    };
    chosen.flat_map(bubble).collect()
}

fn circle((x, y): (f64, f64), radius: f64, corners: u32) -> impl Iterator<Item = (f64, f64)> {
    let angle = move |k: u32| TAU * f64::from(k) / f64::from(corners);
    (0..=corners).map(move |k| (x + radius * angle(k).cos(), y + radius * angle(k).sin()))
}
