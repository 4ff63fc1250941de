//! Which preset to use when: a short answer by what is needed.

/// Presets that serve one purpose.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// The purpose.
    pub name: &'static str,
    /// The presets, the first choice first.
    pub presets: &'static [Suited],
}

/// A preset and why it suits.
#[derive(Clone, Copy, Debug)]
pub struct Suited {
    /// Its name.
    pub preset: &'static str,
    /// Work a sample; `m` vectors, `d` features.
    pub cost: &'static str,
    /// Numbers kept.
    pub memory: &'static str,
    /// When to use it.
    pub when: &'static str,
}

const fn suited(
    preset: &'static str,
    cost: &'static str,
    memory: &'static str,
    when: &'static str,
) -> Suited {
    Suited { preset, cost, memory, when }
}

/// What people need of an online learner.
pub const NEEDS: &[Need] = &[
    Need {
        name: "no idea yet",
        presets: &[suited(
            "auto",
            "5 m^2 + d^2",
            "5 m^2 + d^2",
            "any series or table: never much worse than the last value or a linear model, often far better",
        )],
    },
    Need {
        name: "cheapest a sample",
        presets: &[
            suited("rff-klms", "D d", "D d", "fixed cost, no dictionary; D random features"),
            suited("knlms", "m d", "m d", "a dictionary under a coherence threshold, normalised steps"),
            suited("qklms", "m d", "m d", "near samples share a vector; one step size to choose"),
        ],
    },
    Need {
        name: "best error at a fixed budget",
        presets: &[
            suited(
                "krls-tracker",
                "m^2",
                "1.5 m^2",
                "least squares on a budget; lambda=1 for a function that stays",
            ),
            suited(
                "krls-ald",
                "m^2",
                "m^2",
                "exact least squares in the span of a dictionary that is never full",
            ),
            suited("krls-fixed-budget", "m^2", "m^2", "least squares over the samples it keeps"),
            suited(
                "spl-coherence",
                "m^2 / 2",
                "m^2 / 2",
                "projection learning: half the cost, one step size",
            ),
        ],
    },
    Need {
        name: "tracks changes",
        presets: &[
            suited("krls-tracker", "m^2", "1.5 m^2", "forgets towards the prior: lambda=0.99 to 0.999"),
            suited("krls-window", "m^2", "m^2", "knows the last tau samples and nothing else"),
            suited("norma", "m d", "m d", "old samples fade; cheap"),
            suited("auto", "5 m^2 + d^2", "5 m^2 + d^2", "has predictors that forget and others that do not"),
        ],
    },
    Need {
        name: "with error bars of its own",
        presets: &[
            suited("krls-tracker", "m^2", "1.5 m^2", "the posterior of a Gaussian process"),
            suited("krls-ald", "m^2", "m^2", "the same in the span of its dictionary; ridge is the noise"),
            suited("kalman", "d^2", "d^2", "linear"),
        ],
    },
    Need {
        name: "classification (targets -1 and 1)",
        presets: &[
            suited("norma", "m d", "m d", "with --loss hinge or logistic"),
            suited("klms-coherence", "m d", "m d", "with --loss logistic: outputs are log-odds"),
            suited(
                "auto",
                "5 m^2 + d^2",
                "5 m^2 + d^2",
                "least squares on the labels; the sign is the class",
            ),
        ],
    },
    Need {
        name: "robust to outliers",
        presets: &[
            suited("klms-huber", "m d", "m d", "errors beyond loss_scale count linearly"),
            suited("klms-correntropy", "m d", "m d", "errors far beyond loss_scale hardly count"),
        ],
    },
    Need {
        name: "linear",
        presets: &[
            suited("rls", "d^2", "d^2", "recursive least squares; lambda below 1 forgets"),
            suited("nlms", "d", "d", "the cheapest; one step size"),
            suited("memory-cell", "1", "1", "repeats the last target: a baseline"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::presets::{TOOLBOX, find};

    #[test]
    fn every_name_is_a_preset_that_takes_what_is_said() {
        for suited in NEEDS.iter().flat_map(|need| need.presets) {
            find(suited.preset).unwrap();
        }
        for translation in TOOLBOX {
            let taken = find(translation.preset).unwrap().parameters();
            for (_, ours) in translation.parameters {
                assert!(
                    taken.iter().any(|item| item.parameter.name == *ours),
                    "{}: {ours}",
                    translation.class
                );
            }
        }
    }
}
