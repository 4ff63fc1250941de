//! An identification like that of the paper's diesel engine, whose data are not public: the gas furnace of Box
//! and Jenkins, y(k) from y(k-1), u(k-1), u(k-2); the first half to learn from, the rest to test.

use super::super::Findings;
use super::super::comparison::{Band, Row};
use super::super::trial::{Trial, mean};
use super::peers::Peers;
use groat::batch::forward::{Ols, WidthSearch};
use groat::batch::{KernelRidge, Method, Problem, Quiet};
use groat::data::Standardisation;
use groat::{Kernel, Matrix};
use groat_report::{Axis, Chart, Line, Section};

pub fn run(trial: &Trial<'_>, peers: &Peers) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let table = match trial.table("gas_furnace")? {
        Ok(table) => table,
        Err(why) => {
            findings.rows.push(Row::missing("gas furnace", why));
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
    let beside = format!("(kernel ridge on all rows: {})", groat_report::number(ridge));
    let row = Row::new("gas furnace: test MSE", beside, mse, Band::at_most(1.3 * ridge));
    findings.rows.push(row.beside(peers.get("furnace/test")));
    let paper = "22 on the engine data, which are not public";
    let row = Row::new("gas furnace: terms", paper, terms as f64, Band::at_most(30.0));
    findings.rows.push(row.beside(peers.get("furnace/terms")));
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
