//! Table 1 and figure 2: the band of the reordered matrix.

use super::{POWER, SIGMA, gaussian, green_red, published};
use crate::commands::reproduce::Findings;
use crate::commands::reproduce::comparison::{Band, Row};
use crate::commands::reproduce::trial::{Trial, mean};
use crate::output::page::spy;
use groat::data::synthetic::GreenRed;
use groat::gram::SparseGram;
use groat::tune::{SupportRule, SupportTuning};
use groat::{Kernel, Matrix};
use groat_report::Section;
use rand_pcg::Pcg64;

/// Rows of the matrix.
const ROWS: usize = 2000;
/// Draws of the centres.
const DRAWS: usize = 6;
/// Sparsity, the paper's number, and the band of `max b` over draws of the centres.
const LINES: [(f64, &str, Band); 3] = [
    (0.95, "325", Band { low: 250.0, high: 420.0 }),
    (0.75, "824", Band { low: 600.0, high: 1000.0 }),
    (0.50, "1122", Band { low: 850.0, high: 1450.0 }),
];

pub fn run(trial: &Trial<'_>) -> anyhow::Result<Findings> {
    let few = Trial { realisations: trial.realisations.min(DRAWS), data: trial.data.clone(), ..*trial };
    let centres = published(trial)?;
    let mut findings = Findings::default();
    findings.rows.extend(table(&few, "centres drawn", None)?);
    match &centres {
        Some(family) => findings.rows.extend(table(&few, "published centres", Some(family))?),
        None => {
            findings.rows.push(Row::missing("table 1, published centres", "no esl_mixture/centres.csv.gz"))
        }
    }
    findings.figures.push(figure(trial)?);
    Ok(findings)
}

/// The lines of the table for given centres, or for centres drawn anew each time.
fn table(trial: &Trial<'_>, which: &str, family: Option<&GreenRed>) -> anyhow::Result<Vec<Row>> {
    let reaches = trial.realise("table 1: bandwidths", |_, random| {
        let x = sample(family, random)?;
        LINES.iter().map(|(tau, ..)| Ok(narrow(&matrix(&x, *tau)?)?.bandwidth().reach as f64)).collect()
    })?;
    let line = |(k, (tau, paper, band)): (usize, &(f64, &str, Band))| {
        let ours = mean(reaches.iter().map(|r: &Vec<f64>| r[k]));
        let what = format!("table 1, {which}: max b after reverse Cuthill-McKee, {:.0} % zeros", 100.0 * tau);
        // The paper prints max b + 1, not the 2 max b + 1 of its text: a full matrix has 2,000 there.
        Row::new(what, format!("{paper} (max b + 1)"), ours, *band)
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

fn figure(trial: &Trial<'_>) -> anyhow::Result<Section> {
    let one = Trial { realisations: 1, data: trial.data.clone(), ..*trial };
    let x = one.realise("figure 2", |_, random| sample(None, random))?.swap_remove(0);
    let mut section = Section::new("Figure 2: the reordered matrix");
    for tau in [0.95, 0.75, 0.5] {
        let gram = matrix(&x, tau)?;
        let percent = 100.0 * tau;
        let narrow = narrow(&gram)?;
        let little_fill = gram.reordered(&gram.minimum_degree()?)?;
        section = section
            .chart(spy(&format!("Reverse Cuthill-McKee, {percent:.0} % zeros"), &narrow))
            .chart(spy(&format!("Minimum degree, {percent:.0} % zeros"), &little_fill));
    }
    Ok(section)
}
