//! What the outputs of a model mean, and how they become an answer.

use serde::{Deserialize, Serialize};

/// What the outputs of a model mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Task {
    /// Numbers; one output per target.
    Regression {
        /// Names of the targets, or empty.
        targets: Vec<String>,
    },
    /// Classes.
    Classification {
        /// Names of the classes, in the order of their codes.
        classes: Vec<String>,
        /// How the outputs become a class.
        #[serde(default)]
        decision: Decision,
    },
    /// Whether a row is of the kind that was learnt: one output, not below 0 for those that are.
    OneClass,
    /// A probability density: one output, never negative.
    Density,
    /// Coordinates along principal components; one output per component.
    Components,
}

/// How the outputs of a classifier become a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// Two classes have one output, above 0 for the second; more have one output each, and the largest wins, ties
    /// going to the first.
    #[default]
    OneVsRest,
    /// One output for each pair of classes in the order (0, 1), (0, 2), .., (1, 2), ..: above 0 it is a vote for the
    /// first of the pair. Most votes win, ties going to the first.
    OneVsOne,
}

impl Decision {
    /// Outputs that a classifier of so many classes has.
    pub fn outputs(self, classes: usize) -> usize {
        match self {
            Decision::OneVsRest if classes <= 2 => 1,
            Decision::OneVsRest => classes,
            Decision::OneVsOne => classes * classes.saturating_sub(1) / 2,
        }
    }

    /// The class that a row of outputs stands for.
    ///
    /// ```
    /// use groat::model::Decision;
    /// assert_eq!(Decision::OneVsRest.class(&[0.3]), 1);
    /// assert_eq!(Decision::OneVsRest.class(&[0.3, 0.9, 0.1]), 1);
    /// assert_eq!(Decision::OneVsOne.class(&[-1.0, 1.0, 0.5]), 1); // 1 beats 0, 0 beats 2, 1 beats 2
    /// ```
    pub fn class(self, values: &[f64]) -> usize {
        match (self, values) {
            (Decision::OneVsRest, [single]) => usize::from(*single > 0.0),
            (Decision::OneVsRest, values) => first_largest(values),
            (Decision::OneVsOne, values) => {
                let mut votes = vec![0.0; classes_of_pairs(values.len())];
                for ((a, b), value) in pairs(votes.len()).zip(values) {
                    votes[if *value > 0.0 { a } else { b }] += 1.0;
                }
                first_largest(&votes)
            }
        }
    }
}

impl Decision {
    /// How clearly a row of outputs speaks for a class: above 0 where every other class is weaker, in units of the
    /// outputs.
    ///
    /// ```
    /// use groat::model::Decision;
    /// assert_eq!(Decision::OneVsRest.margin(&[0.3], 0), -0.3);
    /// assert_eq!(Decision::OneVsRest.margin(&[0.3, 1.0, 0.0], 1), 0.7);
    /// assert_eq!(Decision::OneVsOne.margin(&[-1.0, 1.0, 0.5], 1), 0.5); // against 0: 1.0, against 2: 0.5
    /// ```
    pub fn margin(self, values: &[f64], class: usize) -> f64 {
        match (self, values) {
            (Decision::OneVsRest, [single]) => {
                if class == 1 {
                    *single
                } else {
                    -single
                }
            }
            (Decision::OneVsRest, values) => {
                let others = values.iter().enumerate().filter(|(c, _)| *c != class).map(|(_, v)| *v);
                values.get(class).copied().unwrap_or(f64::NAN) - others.fold(f64::NEG_INFINITY, f64::max)
            }
            (Decision::OneVsOne, values) => pairs(classes_of_pairs(values.len()))
                .zip(values)
                .filter(|((a, b), _)| *a == class || *b == class)
                .map(|((a, _), value)| if a == class { *value } else { -value })
                .fold(f64::INFINITY, f64::min),
        }
    }
}

/// The pairs of classes in the order of their outputs.
pub(super) fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |a| (a + 1..classes).map(move |b| (a, b)))
}

/// Classes that have so many pairs.
fn classes_of_pairs(pairs: usize) -> usize {
    (0..).find(|k| k * (k - 1) / 2 >= pairs as i64 && *k > 0).map_or(1, |k| k as usize)
}

/// The place of the largest value, the first of equals.
fn first_largest(values: &[f64]) -> usize {
    let mut best = 0;
    for (c, v) in values.iter().enumerate() {
        if *v > values[best] {
            best = c;
        }
    }
    best
}

impl Task {
    /// Regression without names.
    pub fn regression() -> Self {
        Task::Regression { targets: Vec::new() }
    }

    /// Classification by one output for each class (one for two classes).
    pub fn classification(classes: Vec<String>) -> Self {
        Task::Classification { classes, decision: Decision::OneVsRest }
    }

    /// Classification with the names `0`, `1`, ...
    pub fn numbered_classes(count: usize) -> Self {
        Self::classification((0..count).map(|c| c.to_string()).collect())
    }

    /// The name of the task.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Regression { .. } => "regression",
            Task::Classification { .. } => "classification",
            Task::OneClass => "one-class",
            Task::Density => "density",
            Task::Components => "components",
        }
    }

    /// How outputs become a class, for a task that has classes.
    pub fn decision(&self) -> Option<Decision> {
        match self {
            Task::Classification { decision, .. } => Some(*decision),
            _ => None,
        }
    }

    /// Names of the classes; empty unless the task has some.
    pub fn classes(&self) -> &[String] {
        match self {
            Task::Classification { classes, .. } => classes,
            _ => &[],
        }
    }

    /// How many outputs a model for this task has, where the task decides it.
    pub(super) fn outputs(&self) -> Option<usize> {
        match self {
            Task::Regression { targets } if targets.is_empty() => None,
            Task::Regression { targets } => Some(targets.len()),
            Task::Classification { classes, decision } => Some(decision.outputs(classes.len())),
            Task::OneClass | Task::Density => Some(1),
            Task::Components => None,
        }
    }

    /// What the `k`-th output is called, where it has a name of its own.
    pub fn output_name(&self, k: usize) -> Option<String> {
        match self {
            Task::Regression { targets } => targets.get(k).cloned(),
            Task::Classification { classes, decision: Decision::OneVsRest } => classes.get(k).cloned(),
            Task::Classification { classes, decision: Decision::OneVsOne } => {
                pairs(classes.len()).nth(k).map(|(a, b)| format!("{} or {}", classes[a], classes[b]))
            }
            Task::Components => Some(format!("component{}", k + 1)),
            Task::OneClass | Task::Density => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_are_counted_pair_by_pair() {
        assert_eq!([1, 3, 6, 10].map(classes_of_pairs), [2, 3, 4, 5]);
        assert_eq!(pairs(3).collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
        // A circle of wins is a tie, which goes to the first.
        assert_eq!(Decision::OneVsOne.class(&[1.0, -1.0, 1.0]), 0);
        assert_eq!(Decision::OneVsOne.class(&[-1.0, -1.0, -1.0]), 2);
        assert_eq!(Decision::OneVsOne.class(&[-0.5]), 1);
        assert_eq!([2, 3].map(|k| Decision::OneVsOne.outputs(k)), [1, 3]);
        assert_eq!([2, 3].map(|k| Decision::OneVsRest.outputs(k)), [1, 3]);
    }

    #[test]
    fn outputs_have_names() {
        let classes = ["a", "b", "c"].map(str::to_owned).to_vec();
        let votes = Task::Classification { classes, decision: Decision::OneVsOne };
        assert_eq!(votes.output_name(1).as_deref(), Some("a or c"));
        assert_eq!(Task::Components.output_name(0).as_deref(), Some("component1"));
        assert_eq!(Task::Density.output_name(0), None);
    }
}
