//! Every kind of chart on one page. Run with `cargo run -p groat-report --example gallery > gallery.html`.

use groat_report::{
    Axis, Band, Bars, Cells, Chart, Contours, Grid, Line, Marker, Page, Paint, Rule, Scatter, Section, Shape,
    Table,
};

/// A small generator, so that the page is the same each time.
fn noise(i: usize) -> f64 {
    ((i as f64 * 12.9898).sin() * 43_758.547).fract()
}

fn curves() -> Chart {
    let curve = |scale: f64| (1..400).map(move |i| (i as f64, scale / i as f64 + 1e-4));
    Chart::new("Learning curves")
        .describe("Mean squared error falls with the number of samples")
        .x(Axis::new("samples").log())
        .y(Axis::new("mean squared error").log())
        .layer(
            Band::new("± one deviation", curve(1.0).map(|(x, y)| (x, 0.6 * y, 1.7 * y)).collect()).colour(0),
        )
        .layer(Line::new("KLMS", curve(1.0).collect()).colour(0))
        .layer(Line::new("LMS", curve(9.0).collect()).colour(1).dashed())
        .layer(Rule::horizontal("noise floor", 1e-4))
}

fn scatter() -> Chart {
    let points = |n: usize| (0..n).map(|i| (noise(i) * 40.0, noise(i) * 40.0 + 4.0 * noise(i + 7))).collect();
    Chart::new("Predicted against true")
        .x(Axis::new("true"))
        .y(Axis::new("predicted"))
        .same_range()
        .layer(Scatter::new("training", points(20_000)))
        .layer(Scatter::new("test", points(60)).shape(Shape::Cross))
        .layer(Rule::identity("y = x"))
}

fn selection() -> Chart {
    let points: Vec<_> =
        (0..25).map(|i| 0.1 * 1.3f64.powi(i)).map(|w| (w, 0.2 + (w.ln() - 0.4).powi(2))).collect();
    Chart::new("Choice of the width")
        .x(Axis::new("width").log())
        .y(Axis::new("leave-one-out error"))
        .layer(Line::new("leave-one-out error", points).steps())
        .layer(Marker::new("width 1.49", 1.49, 0.2))
}

fn surface() -> (Grid, Vec<f64>) {
    let grid = Grid::new(80, 80, (-3.0, 3.0), (-3.0, 3.0));
    let values = grid.points().map(|(x, y)| (x * 1.2).sin() + (y - 0.4 * x).cos()).collect();
    (grid, values)
}

fn heat() -> Chart {
    let (grid, values) = surface();
    let grid = grid.with_values(values);
    Chart::new("A surface with its zero line")
        .x(Axis::new("x1"))
        .y(Axis::new("x2"))
        .layer(Cells::new("f", grid.clone(), Paint::Sequential))
        .layer(Contours::new("f = 0", grid, vec![0.0]))
}

fn regions() -> Chart {
    let (grid, values) = surface();
    let class = |v: f64| {
        if v > 0.5 {
            0
        } else if v > -0.5 {
            1
        } else {
            2
        }
    };
    let points = |k: usize| {
        let (grid, values) = surface();
        let points: Vec<_> =
            grid.points().zip(values).filter(|(_, v)| class(*v) == k).map(|(p, _)| p).collect();
        points.into_iter().step_by(37).collect::<Vec<_>>()
    };
    let names = ["green", "red", "blue"].map(String::from).to_vec();
    Chart::new("Decision regions")
        .x(Axis::new("x1"))
        .y(Axis::new("x2"))
        .layer(Cells::new(
            "regions",
            grid.with_values(values.iter().map(|v| class(*v) as f64)),
            Paint::Classes(names),
        ))
        .layers((0..3).map(|k| Scatter::new("", points(k)).colour(k)))
        .layer(
            Scatter::new("kept vectors", points(1).into_iter().step_by(5).collect())
                .shape(Shape::Ring)
                .colour(6),
        )
}

fn spy() -> Chart {
    let n = 4000;
    let entries = (0..n).flat_map(|i| (i.max(60) - 60..(i + 60).min(n)).step_by(7).map(move |j| (i, j)));
    Chart::new("Structure of a matrix")
        .x(Axis::new("column"))
        .y(Axis::new("row").upside_down())
        .layer(Cells::new("non-zeros", Grid::spy(n, n, 120, entries), Paint::Ink))
        .height(400.0)
}

fn main() {
    let residuals: Vec<f64> = (0..2000).map(|i| noise(i) + noise(3 * i + 1) + noise(7 * i + 2)).collect();
    let bad = vec![(0.0, f64::NAN), (1.0, 2.0), (2.0, f64::INFINITY), (3.0, 1.0)];
    let page = Page::new("Gallery")
        .lead("Every kind of chart that a report can hold.")
        .section(
            Section::new("Charts")
                .chart(curves())
                .chart(selection())
                .chart(scatter())
                .chart(spy())
                .chart(heat())
                .chart(regions())
                .chart(
                    Chart::new("Residuals")
                        .x(Axis::new("residual"))
                        .y(Axis::new("rows"))
                        .layer(Bars::histogram("residuals", &residuals)),
                )
                .chart(
                    Chart::new("Vectors per class")
                        .x(Axis::new("class").categories(["setosa", "versicolor", "virginica"]))
                        .y(Axis::new("vectors"))
                        .layer(Bars::categories("vectors", &[12.0, 40.0, 33.0])),
                )
                .chart(
                    Chart::new("Values that cannot be drawn")
                        .layer(Line::new("broken", bad.clone()))
                        .layer(Scatter::new("points", bad)),
                )
                .chart(Chart::new("Nothing at all").layer(Line::new("none", vec![]))),
        )
        .section(Section::new("Settings").settings([
            ("method", "kernel ridge"),
            ("kernel", "gaussian:width=1.49"),
            ("ridge", "1e-3"),
            ("seed", "7"),
        ]))
        .section(
            Section::new("Errors")
                .table(
                    Table::new("Errors", ["part", "rows", "root mean square", "R²"])
                        .row(["training", "800", "0.123", "0.98"])
                        .row(["test", "200", "0.151", "0.97"]),
                )
                .table(Table::confusion(
                    "Confusion",
                    &["green", "red", "blue"].map(String::from),
                    &[90, 5, 5, 2, 70, 8, 0, 0, 51],
                )),
        );
    println!("{}", page.to_html());
}
