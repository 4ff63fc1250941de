//! A density over one or two features, beside the Parzen estimate where there is one.

use super::Part;
use super::space::{CELLS, plane, range, with_vectors, with_vectors_in_plane};
use super::vectors::{feature_names, raw_vectors};
use groat::batch::density::Density;
use groat::{Model, Rows};
use groat_report::{Axis, Bars, Cells, Chart, Grid, Line, Paint, Section};

/// The curve of one feature, or the maps of two; nothing for more.
pub fn density(
    model: &Model,
    parts: &[Part<'_>],
    parzen: Option<&Density>,
) -> groat::Result<Option<Section>> {
    let section = Section::new("The density over its features");
    Ok(match model.features() {
        1 => curve(model, parts, parzen)?.map(|chart| section.chart(chart)),
        2 => {
            let mut section = section;
            let sparse = Density::from_model(model)?;
            let title = format!("Density of {} kernels", model.size());
            let Some(chart) = map(&title, model, &sparse, parts)? else { return Ok(None) };
            section = section.chart(with_vectors_in_plane(chart, model, 1));
            if let Some(parzen) = parzen {
                let title = format!("Parzen estimate, {} kernels", parzen.weights().len());
                section = map(&title, model, parzen, parts)?.into_iter().fold(section, Section::chart);
            }
            Some(section)
        }
        _ => None,
    })
}

fn curve(model: &Model, parts: &[Part<'_>], parzen: Option<&Density>) -> groat::Result<Option<Chart>> {
    let Some((low, high)) = range(parts, 0) else { return Ok(None) };
    let xs: Vec<f64> = (0..=400).map(|i| low + (high - low) * f64::from(i) / 400.0).collect();
    let line = |name: String, density: &Density| -> groat::Result<Line> {
        Ok(Line::new(name, xs.iter().copied().zip(density.density(Rows::new(&xs, 1)?)?).collect()))
    };
    let name = feature_names(model).swap_remove(0);
    let mut chart = Chart::new("Density").x(Axis::new(name)).y(Axis::new("density")).layers(histogram(parts));
    if let Some(parzen) = parzen {
        chart = chart
            .layer(line(format!("Parzen, {} kernels", parzen.weights().len()), parzen)?.dashed().colour(1));
    }
    let sparse = Density::from_model(model)?;
    chart = chart.layer(line(format!("{} kernels", model.size()), &sparse)?.colour(3));
    let places = raw_vectors(model);
    let heights = sparse.density(places.view())?;
    Ok(Some(with_vectors(chart, places.data(), &heights, 2)))
}

/// The rows as bars of area one.
fn histogram(parts: &[Part<'_>]) -> Option<Bars> {
    const BARS: usize = 40;
    let (low, high) = range(parts, 0)?;
    let width = (high - low) / BARS as f64;
    let mut counts = [0.0; BARS];
    let rows: Vec<f64> = parts.iter().flat_map(|part| part.samples.x().to_matrix().into_data()).collect();
    for x in &rows {
        counts[(((x - low) / width) as usize).min(BARS - 1)] += 1.0 / (width * rows.len() as f64);
    }
    let bar = |(i, height): (usize, &f64)| (low + i as f64 * width, low + (i + 1) as f64 * width, *height);
    Some(Bars::new("rows", counts.iter().enumerate().map(bar).collect()))
}

fn map(title: &str, model: &Model, density: &Density, parts: &[Part<'_>]) -> groat::Result<Option<Chart>> {
    let (Some(x), Some(y)) = (range(parts, 0), range(parts, 1)) else { return Ok(None) };
    let grid = Grid::new(CELLS, CELLS, x, y);
    let places: Vec<f64> = grid.points().flat_map(|(x, y)| [x, y]).collect();
    let values = density.density(Rows::new(&places, 2)?)?;
    Ok(Some(plane(title, model).layer(Cells::new("density", grid.with_values(values), Paint::Sequential))))
}
