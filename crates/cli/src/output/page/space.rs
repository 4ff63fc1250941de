//! The model over the space of its features, where that has one or two dimensions.

use super::vectors::{feature_names, raw_vectors};
use super::{CHARTED, Part, is_linear, targets, titled};
use groat::batch::methods;
use groat::data::Answers;
use groat::model::Task;
use groat::{Model, Rows};
use groat_report::{Axis, Cells, Chart, Contours, Grid, Line, Paint, Scatter, Section, Shape};

/// Cells along each side of a map.
pub(super) const CELLS: usize = 96;

/// The curve of one feature, or the map of two, for each target; nothing for more features.
pub fn space(model: &Model, parts: &[Part<'_>]) -> groat::Result<Option<Section>> {
    let mut charts = Vec::new();
    for k in 0..targets(parts).len().min(CHARTED) {
        match model.features() {
            1 => charts.extend(curve(model, parts, k)?),
            2 => charts.extend(surface(model, parts, k)?),
            _ => {}
        }
    }
    if model.features() == 2 && !model.classes().is_empty() {
        charts.extend(regions(model, parts)?);
    }
    if model.features() == 2 && *model.task() == Task::OneClass {
        charts.extend(border(model, parts)?);
    }
    let section = Section::new("The model over its features");
    Ok((!charts.is_empty()).then(|| charts.into_iter().fold(section, Section::chart)))
}

/// Range of a feature over all parts, a little widened.
pub(super) fn range(parts: &[Part<'_>], feature: usize) -> Option<(f64, f64)> {
    let rows = |part: &Part<'_>| (0..part.samples.len()).map(|i| part.samples.x().row(i)[feature]).collect();
    let values = parts.iter().flat_map(|part| -> Vec<f64> { rows(part) });
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = if high > low { 0.05 * (high - low) } else { 1.0 };
    (low <= high).then_some((low - margin, high + margin))
}

fn curve(model: &Model, parts: &[Part<'_>], k: usize) -> groat::Result<Option<Chart>> {
    let Some((low, high)) = range(parts, 0) else { return Ok(None) };
    let xs: Vec<f64> = (0..=400).map(|i| low + (high - low) * i as f64 / 400.0).collect();
    let ys = model.values(Rows::new(&xs, 1)?)?;
    let name = feature_names(model).swap_remove(0);
    let points = parts.iter().filter_map(|part| match part.samples.answers() {
        Answers::Values { y, .. } => {
            let x = part.samples.x().to_matrix().into_data().into_iter();
            Some(Scatter::new(part.name, x.zip(y.column_to_vec(k)).collect()))
        }
        _ => None,
    });
    let all = targets(parts);
    let chart = Chart::new(titled("The fitted curve", &all[k], all))
        .x(Axis::new(name))
        .y(Axis::new(&all[k]))
        .layers(points)
        .layer(Line::new("model", xs.into_iter().zip(ys.column_to_vec(k)).collect()).colour(3));
    if is_linear(model) {
        return Ok(Some(chart));
    }
    let places = raw_vectors(model);
    let heights = model.values(places.view())?.column_to_vec(k);
    Ok(Some(with_vectors(chart, places.data(), &heights, 2)))
}

/// A grid over both features, filled with what `value` makes of the model's outputs.
fn grid(model: &Model, parts: &[Part<'_>], value: impl Fn(&[f64]) -> f64) -> groat::Result<Option<Grid>> {
    let (Some(x), Some(y)) = (range(parts, 0), range(parts, 1)) else { return Ok(None) };
    let grid = Grid::new(CELLS, CELLS, x, y);
    let places: Vec<f64> = grid.points().flat_map(|(x, y)| [x, y]).collect();
    let values = model.values(Rows::new(&places, 2)?)?;
    let filled: Vec<f64> = values.view().iter().map(value).collect();
    Ok(Some(grid.with_values(filled)))
}

fn surface(model: &Model, parts: &[Part<'_>], k: usize) -> groat::Result<Option<Chart>> {
    let Some(grid) = grid(model, parts, |values| values[k])? else { return Ok(None) };
    let all = targets(parts);
    let chart = plane(&titled("The fitted surface", &all[k], all), model).layer(Cells::new(
        &all[k],
        grid,
        Paint::Sequential,
    ));
    Ok(Some(with_vectors_in_plane(chart, model, 1)))
}

fn regions(model: &Model, parts: &[Part<'_>]) -> groat::Result<Option<Chart>> {
    let Some(classes) = grid(model, parts, |values| model.class_of(values) as f64)? else { return Ok(None) };
    let labels = model.classes();
    let mut chart = plane("Decision regions", model)
        .describe("Which class the model gives to each place, with the rows and the kept vectors")
        .layer(Cells::new("regions", classes, Paint::Classes(labels.to_vec())));
    let border = if model.outputs() == 1 { grid(model, parts, |values| values[0])? } else { None };
    if let Some(values) = border {
        if has_margin(model) {
            chart = chart.layer(Contours::new("margin", values.clone(), vec![-1.0, 1.0]));
        }
        chart = chart.layer(Contours::new("border", values, vec![0.0]).strong());
    }
    for class in 0..labels.len() {
        let points = parts.iter().flat_map(|part| {
            let codes: &[usize] = match part.samples.answers() {
                Answers::Classes { codes, .. } => codes,
                _ => &[],
            };
            let place = |i: usize| (part.samples.x().row(i)[0], part.samples.x().row(i)[1]);
            (0..codes.len()).filter(|&i| codes[i] == class).map(place).collect::<Vec<_>>()
        });
        // The key names the classes once, for the regions.
        chart = chart.layer(Scatter::new("", points.collect()).colour(class));
    }
    Ok(Some(with_vectors_in_plane(chart, model, labels.len())))
}

/// Whether values of -1 and 1 have a meaning of their own: the margin of a support vector machine.
fn has_margin(model: &Model) -> bool {
    [methods::SVC, methods::NU_SVC, methods::LINEAR_SVC].contains(&model.record().method.as_str())
}

/// Where the one class ends.
fn border(model: &Model, parts: &[Part<'_>]) -> groat::Result<Option<Chart>> {
    let Some(values) = grid(model, parts, |values| values[0])? else { return Ok(None) };
    let mut chart = plane("The border of the one class", model)
        .describe("Rows outside the line are not of the kind that was learnt")
        .layer(Cells::new("value", values.clone(), Paint::Sequential))
        .layer(Contours::new("border", values, vec![0.0]));
    for part in parts {
        let place = |i: usize| (part.samples.x().row(i)[0], part.samples.x().row(i)[1]);
        chart = chart.layer(Scatter::new(part.name, (0..part.samples.len()).map(place).collect()));
    }
    Ok(Some(chart))
}

/// An empty chart over two features.
pub(super) fn plane(title: &str, model: &Model) -> Chart {
    let mut names = feature_names(model).into_iter();
    let mut axis = || Axis::new(names.next().unwrap_or_default());
    Chart::new(title).x(axis()).y(axis()).height(400.0)
}

/// Rings around the vectors of a sparse model; around every row they would only hide the picture.
pub(super) fn with_vectors(chart: Chart, x: &[f64], y: &[f64], colour: usize) -> Chart {
    if x.len() > 200 {
        return chart;
    }
    let places = x.iter().copied().zip(y.iter().copied()).collect();
    chart.layer(Scatter::new("kept vectors", places).shape(Shape::Ring).colour(colour))
}

/// The same over two features.
pub(super) fn with_vectors_in_plane(chart: Chart, model: &Model, colour: usize) -> Chart {
    if is_linear(model) {
        return chart;
    }
    let places = raw_vectors(model);
    let axis = |feature: usize| places.view().iter().map(|v| v[feature]).collect::<Vec<_>>();
    with_vectors(chart, &axis(0), &axis(1), colour)
}
