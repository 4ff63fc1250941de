"""The parameters that estimators share, described once. Each class lists those it takes, in its own order; what it has
after a fit is told by the properties themselves."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from groat._groat import Method

_Class = TypeVar("_Class", bound=type)

# Name here, type and default, what it means; groat's own name stands in brackets where it is another one.
PARAMETERS: dict[str, tuple[str, str]] = {
    "C": ("float, sequence of floats or None, default=None",
          "What a violated margin, or an error beyond epsilon, costs (``cost``). A sequence is chosen from; None searches."),
    "alpha": ("float, sequence of floats or None, default=None",
              "Penalty on large weights, added to the diagonal of the kernel matrix (``ridge``). A sequence is chosen from; "
              "None searches."),
    "algorithm": ("str, default={default}",
                  "One of ``groat.algorithms()``. 'auto' needs no settings: last value, running mean, linear and kernel "
                  "predictors side by side, weighted by how they did."),
    "best": ("bool, default=False", "Take the number of vectors with the least error, instead of the tolerance."),
    "candidates": ("int or None, default=None", "How many rows, drawn at random, may become vectors; None leaves it to the data."),
    "centre": ("bool, default=True", "Whether components are those of the centred kernel matrix."),
    "class_weight": ("dict, 'balanced' or None, default=None",
                     "How much each class counts, by label; 'balanced' lets all classes count the same (``class_weights``)."),
    "coef0": ("float, default={default}", "Constant of the kernels 'poly' and 'sigmoid' (``offset``)."),
    "coverage": ("float, default=0.9", "Share of targets that intervals hold in the long run."),
    "degree": ("int, default=3", "Degree of the kernel 'poly'."),
    "epsilon": ("float or None, default=None",
                "Errors up to this cost nothing; None takes a quarter of the error that the search finds possible, "
                "or a twentieth of the target's deviation where nothing is searched."),
    "error_bars": ("{{'none', 'sr', 'dtc', 'fitc'}}, default='none'",
                   "Whether ``predict_std`` is there: 'sr', the deviations of the subset of regressors, 'dtc', those of the "
                   "deterministic training conditional, which grow where landmarks are far, or 'fitc', those of the fully "
                   "independent training conditional, which also trusts rows less that landmarks do not explain."),
    "estimate": ("bool, default=True",
                 "Whether the error that new rows will see is estimated on rows that nothing was chosen on. Intervals and "
                 "probabilities come from there."),
    "fit_intercept": ("bool, default=True", "Whether the model has a constant (``bias``)."),
    "form": ("{{'paired', 'cosine'}}, default='paired'",
             "A cosine and a sine for each random frequency, or a cosine with a random phase."),
    "gamma": ("float, 'scale', 'auto' or None, default=None",
              "exp(-gamma r^2) of 'rbf', exp(-gamma r) of 'laplacian', the factor of 'poly' and 'sigmoid'. 'scale' and 'auto' "
              "are scikit-learn's, for features as the kernel sees them. None has the width found; gamma = 1 / (2 width^2)."),
    "kernel": ("str or groat.Kernel, default={default}",
               "'rbf' (``gaussian``), 'laplacian', 'matern32', 'matern52', 'inverse-multiquadric', 'wendland', 'linear', "
               "'poly', 'sigmoid'; a text such as 'matern32:width=2'; or a ``groat.Kernel``."),
    "landmarks": ("{{'pivoted', 'uniform', 'kmeans++', 'leverage'}} or rows like X, default='pivoted'",
                  "Which rows become landmarks: by what those before leave unexplained, any, by distance, or by leverage; or the "
                  "landmarks themselves, in the units of X, as many as there are."),
    "leave_one_out": ("bool or None, default=None", "Whether the leave-one-out error is worked out."),
    "loss": ("str, default={default}",
             "'hinge' or 'squared-hinge': a violated margin costs its size, or the square of it. On explicit features 'squared', "
             "or 'logistic', which gives probabilities."),
    "max_iter": ("int, default=-1", "Most steps of the solver, -1 for no limit but the method's own (``max_iterations``)."),
    "max_terms": ("int or None, default=None", "The largest number of vectors; None leaves it to the data."),
    "memory": ("str or None, default=None", "What matrices may take, such as '2GiB'; None takes half of the machine's memory."),
    "method": ("str, default={default}",
               f"{Method.SPARSE!r}: the smallest model within a tolerance of the full machine. {Method.OLS!r}: vectors chosen one "
               "by one until the leave-one-out error stops falling."),
    "n_components": ("int, default={default}", "How many landmarks or random features there are (``rank``)."),
    "n_jobs": ("int or None, default=None",
               "Threads to work on; -1 is one per core; None follows ``groat.set_threads``. Never changes the result."),
    "n_landmarks": ("int or None, default=None",
                    "Go through so many landmarks instead of the kernel matrix of all rows, for very many rows (``rank``)."),
    "n_random_features": ("int or None, default=None",
                          "Go through so many random features instead of the kernel matrix of all rows, for very many rows (``rank``, "
                          "``random``)."),
    "nu": ("float, default={default}", "Share of rows with a violated margin, outside the tube, or outside the one class."),
    "on_drift": ("{{'note', 'forget', 'restart'}}, default='note'",
                 "What to do when the errors have grown: say so, forget all but recent samples, or start anew."),
    "orthogonal": ("bool, default=True", "Whether random frequencies stand at right angles, which lowers their error."),
    "parzen_width": ("float or None, default=None",
                     "Width of the Parzen estimate that the density stands for; None finds it by leave-one-out likelihood."),
    "penalise_bias": ("bool, default=False", "Whether the constant is kept small like the coefficients, as LIBLINEAR does."),
    "per_feature": ("bool or None, default=None",
                    "Whether each feature gets a width of its own; None, for the default fit, where that clearly lowers the error."),
    "precision": ("{{'double', 'single'}}, default='double'",
                  "Precision of kernels and products in sums over rows. Residuals are taken in double precision either way; with 'single' "
                  "conjugate gradients end where they are 1e-4 of the right-hand side."),
    "probability": ("bool, default=False",
                    "Whether ``predict_proba`` is there, from decision values of rows left out (``probabilities``)."),
    "random_state": ("int, RandomState or None, default=None",
                     "Seed of every random choice; None is seed 0, so that a fit repeats itself (``seed``)."),
    "selection_rows": ("int or None, default=None", "Rows, drawn at random, that a search looks at."),
    "settings": ("dict or None, default=None",
                 "Settings of the algorithm by name: ``groat.algorithm_settings(algorithm)`` lists them. Presets that are mixes "
                 "take other parts by name, such as {{'novelty': 'coherence', 'cost': 'oldest'}}."),
    "shuffle": ("bool, default=True",
                "Whether ``fit`` takes rows in random order: those of a table are often sorted, which no stream is. "
                "``partial_fit`` never does."),
    "smallest": ("bool, default=False", "Take the smallest model within one standard error of the best."),
    "solver": ("str or None, default=None", "How to solve the system; None takes what suits the data."),
    "standardise": ("bool, default={default}",
                    "Whether every feature is brought to mean 0 and deviation 1 first, as the command does. The model "
                    "remembers it. Sparse matrices are taken as they are."),
    "support": ("float, str or None, default=None",
                "Distance from which on the kernel is zero, or a rule that finds one, such as 'combined=1': the system is "
                "then sparse."),
    "tol": ("float or None, default={default}", "What is near enough for the solver (``tolerance``)."),
    "verbose": ("int, default=0", "Above 0 a progress bar is shown on the standard error output."),
    "width": ("float, sequence of floats or None, default=None",
              "Width of the kernel: exp(-r^2 / (2 width^2)). A sequence is chosen from; None searches."),
}  # fmt: skip


# What every fitted estimator has, beside its properties.
_FITTED = (
    "    n_features_in_ : int",
    "        Columns of X.",
    "    feature_names_in_ : array of shape (n_features_in_,)",
    "        Their names, where X had names.",
)


def keep(estimator: Any, given: dict[str, Any]) -> None:
    """Sets the arguments of a constructor, ``locals()`` there, as attributes."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def _attributes(cls: type) -> list[str]:
    """The properties that a fit gives. Their first line is a type, a colon, and what they are."""
    lines = []
    for name, member in inspect.getmembers(cls, lambda member: isinstance(member, property)):
        if name.endswith("_") and not name.startswith("_"):
            kind, _, meaning = inspect.cleandoc(member.__doc__ or "").partition(": ")
            lines += [f"    {name} : {kind}", f"        {meaning[:1].upper()}{meaning[1:]}".replace("\n", "\n        ")]
    return [*lines, *_FITTED]


def documented(**own: str) -> Any:
    """Puts parameters and attributes before the examples of a class's docstring; ``own`` says of some parameters what they
    mean for this class."""

    def fill(cls: _Class) -> _Class:
        lines = ["    Parameters", "    ----------"]
        for name, parameter in inspect.signature(cls).parameters.items():
            kind, meaning = PARAMETERS[name]
            kind = kind.format(default=repr(parameter.default))
            lines += [f"    {name} : {kind}", f"        {own.get(name, meaning).format()}"]
        lines += ["", "    Attributes", "    ----------", *_attributes(cls), "", ""]
        before, examples, after = (cls.__doc__ or "").partition("    Examples\n")
        cls.__doc__ = before + "\n".join(lines) + examples + after
        return cls

    return fill
