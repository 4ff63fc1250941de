//! The page of `groat fit --report`.

use super::{Outcome, answer, comparison};
use crate::evaluation::Targets;
use crate::output::page::{self, Part};
use crate::output::summary::{count, duration};
use groat::model::Task;
use groat_report::{Page, Section};
use std::time::Duration;

/// The whole page.
pub fn page(outcome: &Outcome) -> anyhow::Result<String> {
    let model = &outcome.fitted.model;
    let mut parts = vec![Part { name: "training", samples: &outcome.train, answers: &outcome.train_answers }];
    if let (Some(samples), Some(answers)) = (&outcome.test, &outcome.test_answers) {
        parts.push(Part { name: "test", samples, answers });
    }
    let classes = !model.classes().is_empty();
    let lead = format!(
        "{} from {} with {}; {}, in {}.",
        match () {
            () if classes => "Classification",
            () if outcome.fitted.reference.is_some() => "Density",
            () if *model.task() == Task::OneClass => "One class",
            () => "Regression",
        },
        count(outcome.rows, "row"),
        count(model.features(), "feature"),
        if page::is_linear(model) {
            "a linear model".to_owned()
        } else {
            let candidates = count(outcome.fitted.candidates, "candidate");
            format!("{} kept of {candidates}", count(model.size(), "vector"))
        },
        duration(Duration::from_secs_f64(outcome.seconds))
    );
    let subject = Targets::new(&outcome.targets()).text().unwrap_or_else(|| model.task().name().to_owned());
    let mut page = Page::new(format!("{subject} from {}", page::file_name(&outcome.source)))
        .lead(outcome.interruption().map_or(lead.clone(), |said| format!("{lead} The fit was {said}.")))
        .section(page::errors(
            &parts,
            outcome.fitted.expected.as_ref(),
            outcome.fitted.leave_one_out.as_ref(),
        ))
        .section(page::answers(model, &parts));
    let space = match &outcome.fitted.reference {
        Some(parzen) => page::density(model, &parts, Some(parzen))?,
        None => page::space(model, &parts)?,
    };
    for section in [space, page::selection(&outcome.fitted, &parts)?].into_iter().flatten() {
        page = page.section(section);
    }
    if let Some(compared) = &outcome.compared {
        page = page.section(comparison::section(compared));
    }
    if let Some(found) = page::measured(model, &parts, outcome.plan.seed)? {
        page = page.section(page::importance(model, &found));
    }
    let kept =
        page::coefficients(model).unwrap_or_else(|| page::vectors(model, Some(outcome.fitted.candidates)));
    let page = page.section(kept).section(settings(outcome));
    Ok(page.foot(page::foot()).to_html())
}

fn settings(outcome: &Outcome) -> Section {
    let model = &outcome.fitted.model;
    let mut pairs = vec![
        ("data".to_owned(), outcome.source.clone()),
        (
            "target".to_owned(),
            Targets::new(&outcome.targets())
                .text()
                .unwrap_or_else(|| format!("none, {}", model.task().name())),
        ),
        ("method".to_owned(), model.record().method.clone()),
        ("kernel".to_owned(), model.kernel().to_string()),
        ("kernel choice".to_owned(), answer::kernel_choice(&outcome.fitted)),
        ("test part".to_owned(), outcome.split.clone()),
        ("standardised".to_owned(), if outcome.plan.standardise { "yes" } else { "no" }.to_owned()),
        ("features".to_owned(), model.feature_names().join(", ")),
    ];
    let more = model.record().settings.iter().filter(|(name, _)| *name != "source");
    pairs.extend(more.map(|(name, value)| (name.clone(), value.clone())));
    let section = Section::new("Settings").settings(pairs);
    outcome.fitted.notes.iter().fold(section, |section, note| section.text(format!("Note: {note}.")))
}
