//! Figure 4: the points of both classes, their centres and the best boundary there is.

use super::{bayes, classes, clouds, green_red};
use crate::commands::reproduce::trial::Trial;
use groat_report::{Axis, Chart, Scatter, Section, Shape};

pub fn figure(trial: &Trial<'_>) -> anyhow::Result<Section> {
    let (family, mut random) = classes(trial)?;
    let mut section = Section::new("Figure 4: points, centres and the Bayes rule");
    for (title, rows) in [("200 points to learn from", 200), ("1,000 points to test with", 1000)] {
        let points = green_red(&family, rows, &mut random)?;
        let [green, red] = family.centres().map(|class| class.iter().map(|c| (c[0], c[1])).collect());
        section = section.chart(
            Chart::new(title)
                .x(Axis::new("x1"))
                .y(Axis::new("x2"))
                .layers(clouds(&points, rows))
                .layer(Scatter::new("centres of green", green).shape(Shape::Ring))
                .layer(Scatter::new("centres of red", red).shape(Shape::Ring))
                .layer(bayes(&family)),
        );
    }
    Ok(section)
}
