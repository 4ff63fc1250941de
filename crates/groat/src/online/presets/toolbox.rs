//! The names that KAFBOX, the kernel adaptive filtering toolbox, has for algorithms and parameters.

/// A class of the toolbox, our name for it, and how its parameters are called here. A parameter `=value` is a constant of
/// the toolbox.
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    /// The class.
    pub class: &'static str,
    /// The preset.
    pub preset: &'static str,
    /// Names of the parameters there and here.
    pub parameters: &'static [(&'static str, &'static str)],
}

const fn translation(
    class: &'static str,
    preset: &'static str,
    parameters: &'static [(&'static str, &'static str)],
) -> Translation {
    Translation { class, preset, parameters }
}

/// Every class of the toolbox that has a preset.
pub const TOOLBOX: &[Translation] = &[
    translation("lms", "lms", &[("mu", "eta")]),
    translation("nlms", "nlms", &[("mu", "eta"), ("eps", "eps")]),
    translation("rls", "rls", &[("lambda", "lambda"), ("c", "ridge")]),
    // The random walk that the toolbox falls back to.
    translation("kalman", "kalman", &[("R", "sn2"), ("=0.1", "drift"), ("=1", "prior")]),
    translation(
        "problms",
        "problms",
        &[("sigma2_n", "sn2"), ("sigma2_d", "drift"), ("sigma2_k", "prior"), ("lambda", "lambda")],
    ),
    translation("memory_cell", "memory-cell", &[]),
    translation("klms", "klms", &[("eta", "eta"), ("M", "budget")]),
    translation("knlms", "knlms", &[("eta", "eta"), ("mu0", "mu0"), ("eps", "eps")]),
    translation("kap", "kapa", &[("eta", "eta"), ("mu0", "mu0"), ("eps", "eps"), ("p", "tau")]),
    translation("qklms", "qklms", &[("eta", "eta"), ("epsu", "epsu")]),
    translation("norma", "norma-toolbox", &[("eta", "eta"), ("lambda", "rho"), ("tau", "tau")]),
    translation("krls", "krls-ald", &[("nu", "nu"), ("M", "budget")]),
    translation(
        "krlst",
        "krls-tracker",
        &[("lambda", "lambda"), ("sn2", "sn2"), ("M", "budget"), ("jitter", "jitter")],
    ),
    translation("swkrls", "krls-window", &[("M", "tau"), ("c", "ridge")]),
    translation("fbkrls", "krls-fixed-budget", &[("M", "budget"), ("lambda", "ridge")]),
    translation("klms_csl1", "klms-csl1", &[("eta", "eta"), ("mu0", "mu0"), ("lambda", "shrink")]),
    translation(
        "klms_csal1",
        "klms-csal1",
        &[("eta", "eta"), ("mu0", "mu0"), ("lambda", "shrink"), ("eps_alpha", "eps_alpha")],
    ),
    translation("fbklms", "fbklms", &[("eta", "eta"), ("nu", "nu"), ("M", "budget"), ("=0", "eps")]),
    translation(
        "qklms_fb",
        "qklms-fb",
        &[("eta", "eta"), ("epsu", "epsu"), ("beta", "lambda"), ("M", "budget")],
    ),
    translation("lkapa", "lkapa", &[("eta", "eta"), ("lambda", "rho"), ("M", "budget"), ("P", "tau")]),
    translation(
        "nlkapa",
        "nlkapa",
        &[("eta", "eta"), ("eps", "eps"), ("lambda", "rho"), ("M", "budget"), ("P", "tau")],
    ),
    translation(
        "kapsm",
        "kapsm",
        &[
            ("mu", "eta"),
            ("M", "budget"),
            ("Q", "tau"),
            ("Delta", "radius"),
            ("loss", "loss"),
            ("loss_param", "loss_scale"),
        ],
    ),
    translation(
        "exkrls",
        "exkrls",
        &[("alphaf", "transition"), ("beta", "lambda"), ("lambda", "ridge"), ("q", "drift"), ("M", "budget")],
    ),
    translation(
        "mknlms_cs",
        "mknlms",
        &[("eta", "eta"), ("delta", "mu0"), ("rho", "eps"), ("kernelpars", "widths")],
    ),
    translation(
        "mxklms",
        "mxklms",
        &[("eta", "eta"), ("mu", "eta_gate"), ("M", "budget"), ("kernelpars", "widths")],
    ),
    // Equal weights omega cancel.
    translation("phypass", "phypass", &[("mu", "eta"), ("sigma", "mu0"), ("s", "active"), ("p", "tau")]),
    translation(
        "L2_s",
        "l2-s",
        &[
            ("eta", "eta"),
            ("eps", "eps"),
            ("kernelpars", "widths"),
            ("convex", "blend"),
            ("plat", "error_ratio"),
            ("s", "active"),
            ("dictmax", "budget"),
        ],
    ),
    translation("rffklms", "rff-klms", &[]),
];
