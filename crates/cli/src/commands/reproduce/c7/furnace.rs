//! An identification like that of the paper's diesel engine, whose data are not public: the gas furnace of Box
//! and Jenkins, y(k) from y(k-1), u(k-1), u(k-2); the first half to learn from, the rest to test.

use super::super::Findings;
use super::super::estimate::Estimate;
use super::super::line::Line as Compared;
use super::super::paper::Printed;
use super::super::trial::{Trial, mean};
use super::peers::Peers;
use groat::batch::forward::{Ols, WidthSearch};
use groat::batch::{KernelRidge, Method, Problem, Quiet};
use groat::data::Standardisation;
use groat::{Kernel, Matrix};
use groat_report::{Axis, Chart, Line, Section};

const PART: &str = "Gas furnace (in place of the engine)";

/// The table of the slide "Engine Data Set (continue)"; the data are not public.
fn engine() -> Vec<Compared> {
    let table = [("OLS", ["22", "0.000453", "0.000490"]), ("SVM", ["92", "0.000447", "0.000498"])];
    let columns = ["model size", "training MSE", "test MSE"];
    let cells =
        table.into_iter().flat_map(|(row, texts)| columns.into_iter().zip(texts).map(move |c| (row, c)));
    cells
        .map(|(row, (column, text))| Compared::quoted("Engine data", row, column, Printed::new(text)))
        .collect()
}

pub fn run(trial: &Trial<'_>, peers: &Peers) -> anyhow::Result<Findings> {
    let mut findings = Findings { lines: engine(), ..Findings::default() };
    let table = match trial.table("gas_furnace")? {
        Ok(table) => table,
        Err(why) => {
            findings.lines.push(Compared::missing(PART, "", why));
            return Ok(findings);
        }
    };
    let (u, y) = (table.numbers("u")?, table.numbers("y")?);
    let samples: Vec<usize> = (2..y.len()).collect();
    let (first, rest) = samples.split_at(samples.len() / 2);
    let part = |rows: &[usize]| -> groat::Result<(Matrix, Vec<f64>)> {
        let x = rows.iter().flat_map(|&k| [y[k - 1], u[k - 1], u[k - 2]]).collect();
        Ok((Matrix::from_vec(x, rows.len(), 3)?, rows.iter().map(|&k| y[k]).collect()))
    };
    let ((mut x, target), (xt, truth)) = (part(first)?, part(rest)?);
    let standardisation = Standardisation::fit(x.view())?;
    standardisation.apply(&mut x)?;
    let problem = Problem::regression(x.view(), &target)?;
    let judge = |method: &dyn Method| -> anyhow::Result<(usize, f64, Vec<f64>)> {
        let model =
            method.fit(&problem, &Quiet)?.model.with_standardisation(Some(standardisation.clone()))?;
        let values = model.values(xt.view())?.into_data();
        let mse = mean(values.iter().zip(&truth).map(|(f, y)| (f - y).powi(2)));
        Ok((model.size(), mse, values))
    };
    let ols = Ols::new(Kernel::gaussian(1.0)).search(WidthSearch::new().one_standard_error(true));
    let (terms, mse, values) = judge(&ols)?;
    let (_, ridge, _) = judge(&KernelRidge::default())?;
    let line = |row: &str, column: &str, ours: f64| Compared::new(PART, row, column, Estimate::exact(ours));
    findings.lines.extend([
        line("OLS", "test MSE", mse).beside(peers.get("furnace/test")),
        line("kernel ridge, all rows", "test MSE", ridge),
        line("OLS", "terms", terms as f64).beside(peers.get("furnace/terms")),
    ]);
    let curve =
        |values: &[f64]| rest.iter().map(|k| *k as f64).zip(values.iter().copied()).collect::<Vec<_>>();
    let chart = Chart::new("One step ahead on the second half")
        .describe("Measured output and its prediction")
        .x(Axis::new("sample"))
        .y(Axis::new("CO2 %"))
        .layer(Line::new("measured", curve(&truth)))
        .layer(Line::new(format!("{terms} terms"), curve(&values)).dashed());
    findings.figures.push(Section::new("Gas furnace").chart(chart));
    Ok(findings)
}
