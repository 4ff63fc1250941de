"""The one road of all batch estimators: parameters -> engine -> fitted attributes."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from groat._groat import BatchLearner, Model
from groat.errors import ParameterError
from groat.estimators._callbacks import CallbackSupportMixin, Steps, together, with_callbacks
from groat.estimators._engine import ProgressBar, Rows, rows_of, seed_of, threads_of, weights_of
from groat.estimators._kernels import kernel_of
from groat.frames import name_of


class BatchEstimator(CallbackSupportMixin, BaseEstimator):
    """Fits by a method of the engine's table. Subclasses name it, and say how their parameters are called there."""

    _method: ClassVar[str]
    _task: ClassVar[str]
    # Parameters whose names differ in the engine, by their names here. The others are passed on as they are.
    _renamed: ClassVar[dict[str, str]] = {
        "C": "cost",
        "alpha": "ridge",
        "tol": "tolerance",
        "max_iter": "max_iterations",
        "n_components": "rank",
        "fit_intercept": "bias",
        "probability": "probabilities",
    }
    # Parameters that are not the method's.
    _own: ClassVar[tuple[str, ...]] = (
        "method", "kernel", "gamma", "degree", "coef0", "standardise", "class_weight", "random_state", "n_jobs", "verbose",
    )  # fmt: skip
    _takes_sparse: ClassVar[bool] = True
    _least_rows: ClassVar[int] = 2

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags

    def _method_name(self) -> str:
        return self._method

    def _settings(self) -> dict[str, Any]:
        """The method's settings under the engine's names; None leaves a default."""
        # What was not changed is left to the engine, whose defaults are the same, and which may not know the setting.
        defaults = inspect.signature(type(self)).parameters
        given = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in self._own and value is not defaults[name].default
        }
        settings = {self._renamed.get(name, name): value for name, value in given.items()}
        return settings

    def _kernel(self, rows: Rows) -> Any:
        return kernel_of(self, rows, self.n_features_in_) if hasattr(self, "kernel") else None

    @with_callbacks
    def _learn(self, x: Any, y: Any, sample_weight: Any) -> None:
        """The fit itself: y has been looked at, except that it may be absent."""
        rows = rows_of(self, x, reset=True, sparse=self._takes_sparse, least=self._least_rows)
        target = None if y is None else name_of(y)
        answers = None if y is None else self._answers(y)
        if answers is not None and len(answers) != rows.count:
            check_consistent_length(np.empty(rows.count), answers)
        weights = self._weights(weights_of(sample_weight, x), answers)
        chosen = None
        if weights is not None and np.any(weights == 0.0):
            # A row that counts for nothing is one that is not there.
            chosen = weights > 0.0
            rows, weights = rows.take(chosen), weights[chosen]
            answers = None if answers is None else answers[chosen]
            if rows.count < self._least_rows:
                raise ValueError(f"only {rows.count} sample(s) have a weight above 0, at least {self._least_rows} are needed")
        if isinstance(rows.given, dict) and target in rows.given:
            target = None
        bar = ProgressBar(type(self).__name__) if self.verbose else None
        listeners = [listener for listener in (bar, Steps.of(self)) if listener is not None]
        with threads_of(self.n_jobs):
            learner = self._learner_for(rows, weights)
            learner.fit(
                rows.given,
                answers,
                sample_weight=weights,
                target_name=target,
                categorical=rows.categorical,
                landmarks=self._given_landmarks(),
                progress=together(listeners),
            )
        for listener in listeners:
            listener.close()
        self._finish(learner, chosen)

    def _learner_for(self, rows: Rows, weights: Any) -> BatchLearner:
        settings = self._settings()
        if weights is not None and settings.get("ridge") is not None:
            # The engine brings weights to mean 1; here a weight of 2 is a row that stands there twice.
            settings["ridge"] = np.asarray(settings["ridge"]) / np.mean(weights)
        try:
            return BatchLearner(
                self._method_name(),
                self._kernel(rows),
                task=self._task,  # type: ignore[arg-type]
                standardise=self.standardise,
                seed=seed_of(getattr(self, "random_state", None)),
                **settings,
            )
        except ParameterError as error:
            # The engine speaks of its own names.
            here = [f"{ours} is called {name} here" for name, ours in self._renamed.items() if f"{ours} " in str(error)]
            raise ParameterError("; ".join([str(error), *here])) from error

    def _given_landmarks(self) -> Any:
        """Points that the function shall stand on, where the user has chosen them."""
        return None

    def _finish(self, learner: BatchLearner, chosen: Any) -> None:
        self._learner = learner
        support = learner.support
        self._support = None if support is None else (support if chosen is None else np.flatnonzero(chosen)[support])

    def _answers(self, y: Any) -> Any:
        return None

    def _weights(self, weights: Any, answers: Any) -> Any:
        return weights

    def _rows(self, x: Any) -> Any:
        check_is_fitted(self, "_learner")
        return rows_of(self, x, reset=False, sparse=self._takes_sparse).given

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner")

    @property
    def model_(self) -> Model:
        """groat.Model: the fitted model; ``model_.save(path)`` writes the file that the command ``groat`` reads."""
        return self._fitted().model

    @property
    def notes_(self) -> list[str]:
        """list of str: what was chosen and why, and what was cut short."""
        return self._fitted().notes

    @property
    def n_iter_(self) -> int:
        """int: steps of the solver; 1 for a method that solves at once."""
        return max(1, int(float(self._fitted().model.record["settings"].get("iterations", 1))))

    def _fitted(self) -> BatchLearner:
        learner = self.__dict__.get("_learner")
        if learner is None:
            raise AttributeError(f"this {type(self).__name__} has not been fitted; call fit first")
        return learner  # type: ignore[no-any-return]


class VectorsMixin:
    """What a machine tells of its vectors."""

    @property
    def support_(self) -> Any:
        """array of shape (n_vectors,): the training rows that became vectors, in the order of ``dual_coef_``. The vectors of the
        default fit are no rows: they moved to where they serve best."""
        self._fitted()  # type: ignore[attr-defined]
        if self._support is None:  # type: ignore[attr-defined]
            raise AttributeError("the vectors of this model are no training rows")
        return self._support  # type: ignore[attr-defined]

    @property
    def support_vectors_(self) -> Any:
        """array of shape (n_vectors, n_features): the vectors in the units of X; text columns as indicators."""
        model = self.model_  # type: ignore[attr-defined]
        if model.standardisation is None:
            return model.vectors
        mean, scale = model.standardisation
        return model.vectors * scale + mean

    @property
    def dual_coef_(self) -> Any:
        """array of shape (n_outputs, n_vectors): weights of the vectors. Two classes have one output, above 0 for the second; more
        have one each, or one per pair of classes for support vector machines."""
        return self.model_.weights.T  # type: ignore[attr-defined]

    @property
    def intercept_(self) -> Any:
        """array of shape (n_outputs,): the constant of each output."""
        model = self.model_  # type: ignore[attr-defined]
        return np.zeros(model.outputs) if model.bias is None else model.bias


class LinearMixin:
    """What a linear machine tells of its coefficients."""

    @property
    def coef_(self) -> Any:
        """array of shape (n_outputs, n_features): coefficients in the units of X, whatever was standardised."""
        return self._linear()[0]

    @property
    def intercept_(self) -> Any:
        """array of shape (n_outputs,): the constant of each output, in the units of X."""
        return self._linear()[1]

    def _linear(self) -> tuple[Any, Any]:
        model = self.model_  # type: ignore[attr-defined]
        coefficients = model.weights.T @ model.vectors
        constant = np.zeros(model.outputs) if model.bias is None else model.bias
        if model.standardisation is not None:
            mean, scale = model.standardisation
            coefficients = coefficients / scale
            constant = constant - coefficients @ mean
        return coefficients, constant


class Regressor(RegressorMixin, BatchEstimator):
    """Predicts numbers."""

    _task = "regression"
    _several_targets: ClassVar[bool] = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several_targets
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            One row per sample. Text columns of a frame become categories.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            What is to be predicted.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts: 2 is a row that stands there twice, 0 one that is not there.

        Returns
        -------
        self : object
        """
        self._learn(x=X, y=_required(self, y), sample_weight=sample_weight)
        return self

    def _answers(self, y: Any) -> Any:
        if not self._several_targets:
            y = column_or_1d(y, warn=True)
        answers = _check_y(y, multi_output=self._several_targets, y_numeric=True, estimator=self)
        return np.asarray(answers, dtype=np.float64)

    def predict(self, X: Any) -> Any:
        """The predicted numbers, one row per row of X (one-dimensional for one target)."""
        return self._fitted_rows(X, "predict")

    def _fitted_rows(self, x: Any, name: str) -> Any:
        rows = self._rows(x)
        with threads_of(self.n_jobs):
            return getattr(self._learner, name)(rows)

    def predict_std(self, X: Any) -> Any:
        """Standard deviation of what will be observed at each row, for methods that select their vectors, and on explicit
        features where ``error_bars`` asks for it."""
        return self._fitted_rows(X, "predict_std")

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Any:
        """Intervals that hold what will be observed with a stated probability.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
        coverage : float, default=0.9

        Returns
        -------
        lower, upper : arrays of the shape of ``predict``
            Ends of the intervals; from rows that nothing was chosen on, where the method keeps such.
        """
        rows = self._rows(X)
        with threads_of(self.n_jobs):
            return self.model_.predict_interval(rows, coverage)


class Classifier(ClassifierMixin, BatchEstimator):
    """Predicts labels."""

    _task = "classification"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            One row per sample. Text columns of a frame become categories.
        y : array of shape (n_samples,)
            Labels of any type that can be sorted.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts: 2 is a row that stands there twice, 0 one that is not there.

        Returns
        -------
        self : object
        """
        self._learn(x=X, y=_required(self, y), sample_weight=sample_weight)
        return self

    def _answers(self, y: Any) -> Any:
        answers = column_or_1d(y, warn=True)
        check_classification_targets(answers)
        classes = np.unique(answers)
        if len(classes) < 2:
            raise ValueError(f"{type(self).__name__} needs samples of at least 2 classes, but y has one class: {classes[0]!r}")
        return answers

    def _weights(self, weights: Any, answers: Any) -> Any:
        asked = getattr(self, "class_weight", None)
        if not isinstance(asked, dict):
            return weights
        factors = compute_sample_weight(asked, answers)
        return factors if weights is None else factors * weights

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        asked = getattr(self, "class_weight", None)
        if asked == "balanced":
            settings["class_weights"] = "balanced"
        elif asked is not None and not isinstance(asked, dict):
            raise ValueError(f"class_weight = {asked!r} is not allowed: 'balanced', a dict of factors by label, or None")
        return settings

    @property
    def classes_(self) -> Any:
        """array of shape (n_classes,): the labels, sorted."""
        return self._fitted().classes

    def predict(self, X: Any) -> Any:
        """The predicted label of each row."""
        rows = self._rows(X)
        with threads_of(self.n_jobs):
            return self._learner.predict(rows)

    def decision_function(self, X: Any) -> Any:
        """How clearly each row speaks for each class.

        Returns
        -------
        values : array of shape (n_samples,) for two classes, above 0 for the second; else (n_samples, n_classes)
            Where classes are told apart pair by pair, the votes of each, with ties broken by the sums of the outputs.
        """
        rows = self._rows(X)
        with threads_of(self.n_jobs):
            values = self._learner.decision_function(rows)
        if self.model_.decision == "one-vs-one" and values.ndim == 2:
            return votes_of(values, len(self.classes_))
        return values

    def _has_probabilities(self) -> bool:
        learner = self.__dict__.get("_learner")
        return self._promises_probabilities() if learner is None else learner.model.has_probabilities

    def _promises_probabilities(self) -> bool:
        """Whether a fit with these parameters will tell probabilities."""
        return True

    def _probabilities(self, x: Any) -> Any:
        rows = self._rows(x)
        with threads_of(self.n_jobs):
            shares = self._learner.predict_proba(rows)
            decided = self.model_.codes(rows)
        return agreeing(shares, decided)


def votes_of(values: Any, classes: int) -> Any:
    """Votes of one-vs-one outputs; a fraction below one vote says how clear they were."""
    votes, sums = np.zeros((len(values), classes)), np.zeros((len(values), classes))
    pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
    for (a, b), column in zip(pairs, values.T, strict=True):
        votes[:, a] += column > 0
        votes[:, b] += column <= 0
        sums[:, a] += column
        sums[:, b] -= column
    return votes + sums / (3 * (np.abs(sums) + 1))


def agreeing(shares: Any, decided: Any) -> Any:
    """Probabilities of which none is larger than that of the class that ``predict`` gives. Each class is calibrated by
    itself, so near a border the two may differ: both then get their mean."""
    likeliest = shares.argmax(axis=1)
    at = np.flatnonzero(likeliest != decided)
    mean = (shares[at, likeliest[at]] + shares[at, decided[at]]) / 2
    shares[at, likeliest[at]], shares[at, decided[at]] = np.nextafter(mean, 0), mean
    return shares


def _required(estimator: Any, y: Any) -> Any:
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    return y
