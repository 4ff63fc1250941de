//! The page of results: for each experiment what the paper claims and how it was read, its tables with paper, ours
//! and difference, figures, findings beyond, and every line with its verdicts.

use super::answer::{Answer, Answers, Tally, reasons};
use super::estimate::COVERAGE;
use super::line::{Ours, Reason};
use super::paper::Paper;
use super::verdict::{Against, Judged};
use crate::output::page;
use groat_report::{Page, Section, Table, number};

/// The page as HTML.
pub fn html(answers: &Answers) -> String {
    let title = match answers.experiments.as_slice() {
        [one] => format!("{}: {}", one.experiment.name, one.experiment.title),
        _ => "The experiments of five papers, repeated".to_owned(),
    };
    let page =
        Page::new(title).lead(format!("{}.", answers.tally)).section(reading()).section(counts(answers));
    let page = answers.experiments.iter().map(section).fold(page, Page::section);
    page.foot(page::foot()).to_html()
}

/// What the words of the tables mean.
fn reading() -> Section {
    let coverage = format!("{:.0} %", 100.0 * COVERAGE);
    Section::new("How to read this page").list([
        format!(
            "Every interval is worked out from the realisations themselves and has a coverage of {coverage}: Student's, \
             corrected for skewed values and heavy tails, on a logarithmic scale for errors, sizes and ratios, on log odds \
             for rates; Wilson's for a single share. What is not random has none. How often the numbers of other seeds \
             left their intervals is in seeds.txt beside this page (`groat reproduce --seeds`)."
        ),
        "Agrees: the paper's number lies within the joint uncertainty, ours and the paper's own, and its rounding. The \
         paper's own uncertainty comes from the deviation that it prints, or else from ours, and from its number of \
         realisations."
            .into(),
        "Differs: by how many joint standard errors (s.e.), with the number of its reason. Doubtful: beyond the interval \
         of one line, but not beyond what one of so many lines does by chance. Unexplained: beyond that, without a reason."
            .into(),
        "Record: our number when it was last recorded. Unchanged means equal to rounding with the same seed and \
         realisations, and within the joint uncertainty otherwise."
            .into(),
    ])
}

/// How many lines of each experiment got which verdict.
fn counts(answers: &Answers) -> Section {
    let head = [
        "experiment",
        "agree",
        "doubtful",
        "differ, with a reason",
        "unexplained",
        "no number",
        "unchanged",
        "changed",
    ];
    let row = |name: String, t: Tally| {
        let counts = [t.agree, t.doubtful, t.differ, t.unexplained, t.silent, t.unchanged, t.changed];
        std::iter::once(name).chain(counts.map(|count| count.to_string())).collect::<Vec<_>>()
    };
    let mut table = Table::new("Verdicts", head).stacking();
    for answer in &answers.experiments {
        let name =
            format!("{}, {} realisations, seed {}", answer.experiment.name, answer.realisations, answer.seed);
        table = table.row(row(name, Tally::of(&answer.lines)));
    }
    if answers.experiments.len() > 1 {
        table = table.row(row("all".into(), answers.tally));
    }
    Section::new("Verdicts").table(table)
}

/// One experiment.
fn section(answer: &Answer) -> Section {
    let experiment = answer.experiment;
    let about = &experiment.introduction;
    let form = if answer.quick { " Short form: fewer realisations and settings." } else { "" };
    let mut section = Section::new(format!("{}: {}", experiment.name, experiment.title))
        .text(format!("{}.{form}", experiment.source))
        .text(answer.tally_line())
        .heading("What is claimed")
        .list(about.claims.iter().copied())
        .heading("Protocol as read")
        .list(about.protocol.iter().copied())
        .heading("What was unclear")
        .list(about.unclear.iter().copied());
    let reasons = reasons(&answer.lines);
    section = section.heading("Tables in the paper's layout");
    for part in parts(&answer.lines) {
        section = section.table(layout(part, &answer.lines, &reasons));
    }
    if !reasons.is_empty() {
        let items = reasons.iter().enumerate().map(|(i, r)| format!("({}) {}: {}.", i + 1, r.kind, r.why));
        section = section.heading("Why numbers differ").list(items);
    }
    section = answer.figures.iter().cloned().fold(section, Section::join);
    if !answer.beyond.is_empty() {
        section = section.heading("Found beyond the paper").list(answer.beyond.clone());
    }
    let (told, silent): (Vec<&Judged>, Vec<&Judged>) =
        answer.lines.iter().partition(|judged| judged.against != Against::Silent);
    section = section.heading("Every line").table(lines(
        &format!("{}: verdicts", experiment.name),
        &told,
        &reasons,
    ));
    if silent.is_empty() {
        return section;
    }
    let name = format!("{}: record alone", experiment.name);
    section.folded_table(
        format!("{} lines for which the paper gives no number", silent.len()),
        lines(&name, &silent, &reasons),
    )
}

/// The parts of the paper, in the order of their first line.
fn parts(lines: &[Judged]) -> Vec<&str> {
    in_order(lines.iter().map(|judged| judged.line.part.as_str()))
}

fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// Names of several lists, each once; one that an earlier list lacks goes before its successor.
fn merged<'a>(lists: impl Iterator<Item = Vec<&'a str>>) -> Vec<&'a str> {
    let mut seen: Vec<&str> = Vec::new();
    for list in lists {
        for (k, name) in list.iter().enumerate().filter(|(_, name)| !seen.contains(name)).collect::<Vec<_>>()
        {
            let next = list[k + 1..].iter().find_map(|later| seen.iter().position(|known| known == later));
            seen.insert(next.unwrap_or(seen.len()), *name);
        }
    }
    seen
}

/// Columns that a phone shows side by side; wider tables are stacked there, so that no verdict is out of sight.
const WIDE: usize = 2;

/// A part of the paper as a table: its rows and columns, each row as paper, ours and difference.
fn layout(part: &str, lines: &[Judged], reasons: &[&Reason]) -> Table {
    let here: Vec<&Judged> = lines.iter().filter(|judged| judged.line.part == part).collect();
    let columns = in_order(here.iter().map(|judged| judged.line.column.as_str()));
    let rows = merged(columns.iter().map(|column| {
        here.iter()
            .filter(|judged| judged.line.column == *column)
            .map(|judged| judged.line.row.as_str())
            .collect()
    }));
    let compared = here.iter().any(|judged| !matches!(judged.line.paper, Paper::Silent));
    let head = [""].into_iter().chain(compared.then_some("")).chain(columns.iter().copied());
    let mut table = Table::new(part, head);
    if columns.len() > WIDE {
        table = table.stacking();
    }
    for row in rows {
        let find = |column: &&str| here.iter().find(|j| j.line.row == row && j.line.column == **column);
        let cells: Vec<Option<&&Judged>> = columns.iter().map(find).collect();
        let line = |label: &str, name: &str, text: &dyn Fn(&Judged) -> String| {
            let texts = cells.iter().map(|cell| cell.map_or_else(String::new, |judged| text(judged)));
            let names = [label.to_owned()].into_iter().chain(compared.then(|| name.to_owned()));
            names.chain(texts).collect::<Vec<String>>()
        };
        if !compared {
            table = table.row(line(row, "", &with_interval));
            continue;
        }
        let said = cells.iter().flatten().any(|j| !matches!(j.line.paper, Paper::Silent));
        let ours = cells.iter().flatten().any(|j| !matches!(j.line.ours, Ours::Quoted));
        if said {
            table = table.row(line(row, "paper", &|judged| judged.line.paper.to_string()));
        }
        if ours {
            table = table.row(line(if said { "" } else { row }, "ours", &with_interval));
        }
        if said && ours {
            table = table.row(line("", "difference", &|judged| difference(judged, reasons)));
        }
    }
    table
}

fn with_interval(judged: &Judged) -> String {
    let interval = judged.line.found().map(|ours| ours.interval()).unwrap_or_default();
    match (&judged.line.ours, interval.is_empty()) {
        (Ours::Missing(help), _) => help.clone(),
        (Ours::Quoted, _) => "not run".into(),
        (_, true) => judged.ours(),
        (_, false) => format!("{} [{}]", judged.ours(), interval.replace(" .. ", ", ")),
    }
}

/// How much larger ours is, and the verdict: in points where the unit is percent, else in percent of the paper's.
fn difference(judged: &Judged, reasons: &[&Reason]) -> String {
    let verdict = match judged.against {
        Against::Silent | Against::Quoted | Against::Missing => return String::new(),
        _ => judged.against(reasons),
    };
    let (Paper::Number(printed), Some(ours)) = (&judged.line.paper, judged.line.found()) else {
        return verdict;
    };
    let gap = ours.value - printed.value;
    let sign = if gap < 0.0 { "−" } else { "+" };
    let column = &judged.line.column;
    let size = match judged.relative() {
        _ if column.contains('%') || column.starts_with("points") => format!("{} points", number(gap.abs())),
        Some(share) => format!("{} %", number((1000.0 * share).abs().round() / 10.0)),
        None => number(gap.abs()),
    };
    format!("{sign}{size}, {verdict}")
}

/// Lines with their verdicts.
fn lines(name: &str, lines: &[&Judged], reasons: &[&Reason]) -> Table {
    let peers = lines.iter().any(|judged| !judged.line.peer.is_empty());
    let head = ["what", "against the paper", "record", "paper", "ours", "interval", "another program"];
    let head = &head[..head.len() - usize::from(!peers)];
    let mut table = Table::new(name, head.iter().copied()).stacking();
    for judged in lines {
        let mut cells = vec![
            judged.what.clone(),
            judged.against(reasons),
            judged.record.to_string(),
            judged.line.paper.to_string(),
            judged.ours(),
            judged.line.found().map(|ours| ours.interval()).unwrap_or_default(),
        ];
        if peers {
            cells.push(judged.line.peer.clone());
        }
        table = table.row(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn rows_keep_the_order_of_every_column() {
        let lists = [vec!["6", "8", "14"], vec!["4", "6", "8", "10", "14", "16"]];
        assert_eq!(merged(lists.into_iter()), ["4", "6", "8", "10", "14", "16"]);
    }
}
