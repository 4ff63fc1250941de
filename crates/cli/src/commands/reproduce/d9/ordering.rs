//! Table 1 and figure 2: the band of the reordered matrix.

use super::{POWER, SIGMA, gaussian, green_red, published};
use crate::commands::reproduce::Findings;
use crate::commands::reproduce::estimate::Estimate;
use crate::commands::reproduce::line::{Kind, Line};
use crate::commands::reproduce::paper::Printed;
use crate::commands::reproduce::trial::Trial;
use crate::output::page::spy;
use groat::data::synthetic::GreenRed;
use groat::gram::SparseGram;
use groat::tune::{SupportRule, SupportTuning};
use groat::{Kernel, Matrix};
use groat_report::{Section, number};
use rand_pcg::Pcg64;

/// Rows of the matrix.
const ROWS: usize = 2000;
/// Draws of the centres.
const DRAWS: usize = 6;
/// Table 1: sparsity, and the paper's bandwidth.
const LINES: [(f64, &str); 3] = [(0.95, "325"), (0.75, "824"), (0.50, "1,122")];
const PART: &str = "Table 1";
const OTHER_POINTS: &str = "the paper's 2,000 points are another draw, about centres that it does not print";

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let few = Trial { realisations: trial.realisations.min(DRAWS), data: trial.data.clone(), ..*trial };
    let centres = published(trial)?;
    let mut findings = Findings::default();
    findings.lines.extend(table(&few, "centres drawn", None)?);
    match &centres {
        Ok(family) => findings.lines.extend(table(&few, "published centres", Some(family))?),
        Err(why) => findings.lines.push(Line::missing(PART, "published centres", why.clone())),
    }
    if trial.fixed {
        findings.extend(figure(trial)?);
    }
    Ok(findings)
}

/// The lines of the table for given centres, or for centres drawn anew each time.
fn table(trial: &Trial<'_>, which: &str, family: Option<&GreenRed>) -> anyhow::Result<Vec<Line>> {
    let reaches = trial.realise("table 1: bandwidths", |_, random| {
        let x = sample(family, random)?;
        LINES.iter().map(|(tau, _)| Ok(narrow(&matrix(&x, *tau)?)?.bandwidth().reach as f64)).collect()
    })?;
    let line = |(k, (tau, paper)): (usize, &(f64, &'static str))| {
        let ours: Vec<f64> = reaches.iter().map(|r: &Vec<f64>| r[k]).collect();
        let row = format!("max b after reverse Cuthill-McKee, {which}");
        let line = Line::new(PART, row, format!("{:.0} % zeros", 100.0 * tau), Estimate::positive(&ours));
        line.printed(Printed::new(paper).less_one().runs(1)).because(Kind::Data, OTHER_POINTS)
    };
    Ok(LINES.iter().enumerate().map(line).collect())
}

fn sample(family: Option<&GreenRed>, random: &mut Pcg64) -> anyhow::Result<Matrix> {
    let drawn = family.is_none().then(|| GreenRed::draw(random));
    let family = family.or(drawn.as_ref()).ok_or_else(|| anyhow::anyhow!("no centres"))?;
    Ok(green_red(family, ROWS, random)?.0)
}

/// The matrix with the given share of zeros.
fn matrix(x: &Matrix, tau: f64) -> anyhow::Result<SparseGram> {
    let tuning = SupportTuning::for_kernel(&Kernel::compact(gaussian(SIGMA), 1.0, POWER), x.view(), 0)?;
    let support = tuning.choose(SupportRule::Sparsity(tau))?.support;
    Ok(SparseGram::assemble(&tuning.kernel_with(support), x.view(), u64::MAX)?)
}

fn narrow(gram: &SparseGram) -> groat::Result<SparseGram> {
    gram.reordered(&gram.reverse_cuthill_mckee())
}

fn figure(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let one = Trial { realisations: 1, data: trial.data.clone(), ..*trial };
    let x = one.realise("figure 2", |_, random| sample(None, random))?.swap_remove(0);
    let mut section = Section::new("Figure 2: the reordered matrix");
    let mut beyond = Vec::new();
    for tau in [0.95, 0.75, 0.5] {
        let gram = matrix(&x, tau)?;
        let percent = 100.0 * tau;
        let narrow = narrow(&gram)?;
        let little_fill = gram.reordered(&gram.minimum_degree()?)?;
        beyond.push(format!(
            "{percent:.0} % zeros, 2,000 points: the Cholesky factor has {} nonzeros after minimum degree and {} after reverse \
             Cuthill-McKee, of {} of a full one.",
            number(little_fill.factor_fill()? as f64),
            number(narrow.factor_fill()? as f64),
            number((ROWS * (ROWS + 1) / 2) as f64),
        ));
        section = section
            .chart(spy(&format!("Reverse Cuthill-McKee, {percent:.0} % zeros"), &narrow))
            .chart(spy(&format!("Minimum degree, {percent:.0} % zeros"), &little_fill));
    }
    Ok(Findings { lines: Vec::new(), figures: vec![section], beyond })
}
