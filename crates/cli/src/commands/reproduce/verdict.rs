//! Two questions about a line: does it agree with the paper, and is it what it was.
//!
//! *Against the paper.* The distance between the two numbers, less the rounding of the printed one, is measured in
//! joint standard errors: ours, and the paper's own. The latter comes from the deviation it prints or else from
//! ours, and from its number of realisations; a number of a single draw strays as one of our realisations does. Up to
//! the quantile of the coverage the line agrees. So one line in a hundred would differ by chance alone; a line
//! counts as unexplained only where even the largest of all lines' distances would seldom be as large
//! (Bonferroni), and in between it is doubtful.
//!
//! *Against the record.* With the seed and the realisations of the record a number must be the same to rounding;
//! otherwise the two must agree within their joint error, again at the level of all lines together.

use super::estimate::{COVERAGE, Estimate, Scale};
use super::line::{Line, Ours};
use super::paper::{Paper, Printed};
use super::record::{Entry, Record};
use super::student;
use serde::Serialize;

/// Relative difference that is rounding.
const ROUNDING: f64 = 1e-6;

/// What came of a line beside the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    Agrees,
    /// Beyond the interval, but not beyond what one of so many lines may do.
    Doubtful,
    /// Differs, and why is known.
    Differs,
    Unexplained,
    /// The paper gives no number.
    Silent,
    /// A number of the paper alone.
    Quoted,
    /// Its data are not at hand.
    Missing,
}

/// What came of a line beside the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Memory {
    Unchanged,
    Changed,
    /// There is none for this line in this form.
    Absent,
    /// Nothing that a record would keep.
    Passing,
}

/// A line with its verdicts. Field names are part of the command's interface.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    pub what: String,
    #[serde(flatten)]
    pub line: Line,
    pub against: Against,
    /// Distance from the paper beyond its rounding, in joint standard errors; none where nothing is random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<f64>,
    pub record: Memory,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<f64>,
}

/// A distance, negative on the near side, and the error that it is to be measured by, with its degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    pub gap: f64,
    pub error: f64,
    pub freedom: f64,
}

impl Judged {
    /// How far our number lies below and above what the paper says, in joint standard errors; negative inside.
    pub fn margins(&self) -> Option<[f64; 2]> {
        let edges = edges(self.line.found()?, &self.line.paper)?;
        Some(edges.map(|edge| edge.gap / edge.error))
    }
}

impl Distance {
    /// Standard errors; none where nothing is random.
    pub fn errors(&self) -> Option<f64> {
        (self.error > 0.0).then(|| self.gap.max(0.0) / self.error)
    }

    /// Whether chance goes so far with more than this probability.
    fn within(&self, share: f64) -> bool {
        match self.errors() {
            Some(errors) => errors <= student::quantile(share, self.freedom),
            // A computed number carries some rounding of its own.
            None => self.gap <= 1e-12,
        }
    }
}

/// Judges the lines of an experiment.
pub fn judge(lines: Vec<Line>, record: &Record, same: bool) -> Vec<Judged> {
    let random = |line: &&Line| line.found().is_some_and(Estimate::is_random);
    let together = (1.0 - COVERAGE) / lines.iter().filter(random).count().max(1) as f64;
    let one = |line: Line| {
        let what = line.what();
        let entry = record.find(&what);
        let (against, errors) = against(&line, together);
        let memory = memory(&line, entry, same, together);
        Judged { what, against, errors, record: memory, recorded: entry.map(|e| e.value), line }
    };
    lines.into_iter().map(one).collect()
}

fn against(line: &Line, together: f64) -> (Against, Option<f64>) {
    let ours = match &line.ours {
        Ours::Found(ours) => ours,
        Ours::Quoted => return (Against::Quoted, None),
        Ours::Missing(_) => return (Against::Missing, None),
    };
    let Some([below, above]) = edges(ours, &line.paper) else { return (Against::Silent, None) };
    let distance = if below.gap > above.gap { below } else { above };
    let against = match () {
        () if distance.within(1.0 - COVERAGE) => Against::Agrees,
        () if line.reason.is_some() => Against::Differs,
        () if distance.within(together) => Against::Doubtful,
        () => Against::Unexplained,
    };
    (against, distance.errors())
}

/// How far our number lies below and above what the paper says; nothing where the paper gives none.
fn edges(ours: &Estimate, paper: &Paper) -> Option<[Distance; 2]> {
    let (low, high, ours, error) = match paper {
        Paper::Silent => return None,
        Paper::Claim(claim) => (claim.low, claim.high, *ours, 0.0),
        Paper::Number(printed) => {
            // Near 0, log odds stretch the spread of single draws until it covers everything.
            let ours = if printed.runs.is_some() { ours.unbounded() } else { *ours };
            (printed.value - printed.half, printed.value + printed.half, ours, papers_error(&ours, printed))
        }
    };
    let distance = |from: f64, to: f64, edge: f64, inside: bool| {
        let gap = ours.scale.of(from) - ours.scale.of(to);
        // What has no place on the scale (a printed 0 among logarithms) is infinitely far away.
        let far = if inside { f64::NEG_INFINITY } else { f64::INFINITY };
        Distance {
            gap: if gap.is_nan() { far } else { gap },
            error: ours.error_towards(edge).hypot(error),
            freedom: ours.freedom,
        }
    };
    let value = ours.value;
    Some([distance(low, value, low, value >= low), distance(value, high, high, value <= high)])
}

/// The standard error of the paper's own number, on the scale of ours.
fn papers_error(ours: &Estimate, printed: &Printed) -> f64 {
    if !ours.is_random() {
        return 0.0;
    }
    let runs = printed.runs.map(|runs| (runs as f64).sqrt());
    match (printed.deviation, runs, printed.cases) {
        (Some(deviation), Some(runs), _) => deviation / runs * ours.scale.slope(printed.value),
        (None, Some(runs), _) => ours.deviation() / runs,
        (_, None, Some(cases)) => binomial(ours.scale, ours.value, printed.value, cases),
        (_, None, None) => 0.0,
    }
}

/// The error of a share of `cases`; percent where ours is above 1.
fn binomial(scale: Scale, ours: f64, value: f64, cases: usize) -> f64 {
    let unit = if scale != Scale::Logit && ours > 1.0 { 100.0 } else { 1.0 };
    let share = value / unit;
    unit * (share * (1.0 - share) / cases as f64).sqrt() * scale.slope(value)
}

fn memory(line: &Line, entry: Option<&Entry>, same: bool, together: f64) -> Memory {
    let Some(ours) = line.found().filter(|ours| line.kept && ours.scale != Scale::Time) else {
        return Memory::Passing;
    };
    // One draw of another seed cannot be compared.
    let comparable = same || ours.scale != Scale::Single;
    let Some(entry) = entry.filter(|_| comparable) else { return Memory::Absent };
    let equal = (ours.value - entry.value).abs() <= ROUNDING * ours.value.abs().max(entry.value.abs());
    let unchanged = equal || !same && ours.is_random() && between(ours, entry).within(together);
    if unchanged { Memory::Unchanged } else { Memory::Changed }
}

/// How far our number lies from a recorded one.
pub fn between(ours: &Estimate, entry: &Entry) -> Distance {
    let gap = (ours.scale.of(ours.value) - ours.scale.of(entry.value)).abs();
    let freedom = ours.freedom.min(entry.freedom());
    if gap.is_finite() {
        return Distance { gap, error: ours.error_towards(entry.value).hypot(entry.error), freedom };
    }
    // All or none was recorded, which no scale of shares has a place for: our own error in plain numbers tells.
    Distance { gap: (ours.value - entry.value).abs(), error: ours.plain_error(), freedom }
}

#[cfg(test)]
mod tests {
    use super::super::line::Kind;
    use super::*;

    fn line(ours: Estimate) -> Line {
        Line::new("table 2", "0.99", "S", ours)
    }

    fn verdict(line: Line) -> (Against, Option<f64>) {
        let judged = judge(vec![line], &Record::default(), false).swap_remove(0);
        (judged.against, judged.errors)
    }

    /// Ten values about `middle` with a standard error of `error`.
    fn about(middle: f64, error: f64) -> Estimate {
        // The deviation of -1.5, -0.5, 0.5, 1.5 (with divisor n - 1 over ten such values) makes the error.
        let values: Vec<f64> = (0..10).map(|i| f64::from(i) - 4.5).collect();
        let unit = Estimate::mean(&values).error;
        Estimate::mean(&values.iter().map(|v| middle + v * error / unit).collect::<Vec<_>>())
    }

    #[test]
    fn agreement_is_within_the_interval_and_the_rounding() {
        // The quantile of 9 degrees of freedom is 3.25.
        assert_eq!(verdict(line(about(1.3, 0.1)).printed(Printed::new("1.0"))).0, Against::Agrees);
        assert_eq!(verdict(line(about(1.36, 0.1)).printed(Printed::new("1.0"))).0, Against::Agrees);
        let (against, errors) = verdict(line(about(1.45, 0.1)).printed(Printed::new("1.0")));
        assert_eq!(against, Against::Unexplained);
        assert!((errors.unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(verdict(line(about(9.0, 0.1))).0, Against::Silent);
    }

    #[test]
    fn a_number_of_one_draw_strays_as_one_draw_does() {
        let one = Printed::new("1.5").runs(1);
        assert_eq!(verdict(line(about(1.0, 0.1)).printed(one.clone())).0, Against::Agrees);
        assert_eq!(verdict(line(about(1.0, 0.1)).printed(one.runs(100))).0, Against::Unexplained);
        // The paper's own deviation counts where it is printed.
        let printed = Printed::new("1.50").deviation("0.01").runs(100);
        assert_eq!(verdict(line(about(1.0, 0.1)).printed(printed)).0, Against::Unexplained);
    }

    /// Table 2 of D9: S of 0.02 with a deviation of 0.02 in 30 draws is not the 0.185 of one draw.
    #[test]
    fn shares_near_zero_do_not_agree_with_everything() {
        let values: Vec<f64> = (0..30).map(|i| 0.001 + 0.002 * f64::from(i % 23)).collect();
        let ours = line(Estimate::rate(&values, 40_000));
        assert_eq!(verdict(ours.clone().printed(Printed::new("0.185").runs(1))).0, Against::Unexplained);
        assert_eq!(verdict(ours.printed(Printed::new("0.040").runs(1))).0, Against::Agrees);
    }

    /// Example 3 of D9: all points of 20 draws were recorded, and with another seed one of them strays.
    #[test]
    fn a_share_beside_all_or_none_is_compared_in_plain_numbers() {
        let recorded = Entry { value: 1.0, error: 0.55, runs: 20 };
        let strays =
            |count: usize| -> Vec<f64> { (0..20).map(|i| if i < count { 0.98 } else { 1.0 }).collect() };
        let distance = |count| between(&Estimate::rate(&strays(count), 50), &recorded);
        assert!(distance(1).within(1.0 - COVERAGE));
        assert!(!distance(15).within(1.0 - COVERAGE));
    }

    #[test]
    fn reasons_are_asked_for_only_where_numbers_differ() {
        let far = line(about(2.0, 0.1)).printed(Printed::new("1.0"));
        assert_eq!(
            verdict(far.clone().because(Kind::Misprint, "repeats the line above")).0,
            Against::Differs
        );
        let near = line(about(1.0, 0.1)).printed(Printed::new("1.0"));
        assert_eq!(verdict(near.because(Kind::Misprint, "")).0, Against::Agrees);
        assert_eq!(
            verdict(line(Estimate::exact(f64::NAN)).printed(Printed::new("1"))).0,
            Against::Unexplained
        );
    }

    #[test]
    fn what_is_exact_agrees_to_the_printed_digits() {
        let printed = || Printed::new("7.07").times(-4);
        assert_eq!(verdict(line(Estimate::exact(7.0712e-4)).printed(printed())), (Against::Agrees, None));
        assert_eq!(
            verdict(line(Estimate::exact(7.0306e-4)).printed(printed())),
            (Against::Unexplained, None)
        );
    }

    #[test]
    fn claims_hold_unless_the_interval_leaves_them() {
        let claim = |value| verdict(line(about(value, 0.1)).claim("below 1", f64::NEG_INFINITY, 1.0)).0;
        assert_eq!(
            (claim(0.5), claim(1.2), claim(2.0)),
            (Against::Agrees, Against::Agrees, Against::Unexplained)
        );
    }

    #[test]
    fn among_many_lines_one_may_stray() {
        // 3.6 errors of 9 degrees of freedom: beyond 99 %, not beyond what one of a hundred lines does.
        let lines: Vec<Line> =
            (0..100).map(|_| line(about(1.41, 0.1)).printed(Printed::new("1.0"))).collect();
        let judged = judge(lines, &Record::default(), false);
        assert!(judged.iter().all(|line| line.against == Against::Doubtful));
    }

    #[test]
    fn records_are_equal_or_within_the_joint_error() {
        let ours = about(1.0, 0.1);
        let entry = |value| Entry { value, error: 0.1, runs: 10 };
        let told = |value, same| memory(&line(ours), Some(&entry(value)), same, 0.01);
        assert_eq!(told(1.0 + 1e-9, true), Memory::Unchanged);
        assert_eq!(told(1.3, true), Memory::Changed);
        assert_eq!(told(1.3, false), Memory::Unchanged);
        assert_eq!(told(2.3, false), Memory::Changed);
        assert_eq!(memory(&line(ours), None, true, 0.01), Memory::Absent);
        assert_eq!(memory(&line(Estimate::time(1.0)), Some(&entry(9.0)), true, 0.01), Memory::Passing);
        let draw = line(Estimate::one_draw(1.0));
        assert_eq!(memory(&draw, Some(&entry(1.1)), true, 0.01), Memory::Changed);
        assert_eq!(memory(&draw, Some(&entry(1.1)), false, 0.01), Memory::Absent);
        // What is exact has no room, whatever the seed.
        let exact = line(Estimate::exact(1.0));
        assert_eq!(
            memory(&exact, Some(&Entry { value: 1.1, error: 0.0, runs: 1 }), false, 0.01),
            Memory::Changed
        );
    }
}
