"""Scores of classifiers and of numbers by scikit-learn, for the tests of groat.

Writes metrics.json next to this file:  python reference/metrics/make.py
Made with scikit-learn 1.9.1, NumPy 2.4.6.
"""

import json
import pathlib

import numpy as np
from sklearn import metrics

draw = np.random.default_rng(7)


def classes(count, rows):
    """Classes, decision values rounded so that some are equal, and the probabilities made of them."""
    truth = draw.choice(count, size=rows, p=np.arange(1, count + 1) / np.arange(1, count + 1).sum())
    scores = np.round(1.2 * np.eye(count)[truth] + draw.normal(size=(rows, count)), 1)
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    predicted = scores.argmax(axis=1)
    if count == 2:
        value = np.round(scores[:, 1] - scores[:, 0], 1)
        predicted = (value > 0).astype(int)
        area = metrics.roc_auc_score(truth, value)
        values = value[:, None]
    else:
        one_against_rest = [metrics.roc_auc_score(truth == k, scores[:, k]) for k in range(count)]
        area = float(np.mean(one_against_rest))
        values = scores
    precision, recall, f1, support = metrics.precision_recall_fscore_support(truth, predicted)
    return {
        "truth": truth.tolist(),
        "predicted": predicted.tolist(),
        "values": values.ravel().tolist(),
        "probabilities": probabilities.ravel().tolist(),
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "f1": f1.tolist(),
        "rows": support.tolist(),
        "macro_f1": metrics.f1_score(truth, predicted, average="macro"),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
        "area": area,
        "log_loss": metrics.log_loss(truth, probabilities),
    }


def numbers(rows):
    truth = np.round(draw.normal(size=rows), 3)
    predicted = np.round(truth + 0.3 * draw.standard_t(3, size=rows), 3)
    absolute = np.abs(truth - predicted)
    return {
        "truth": truth.tolist(),
        "predicted": predicted.tolist(),
        "r_squared": metrics.r2_score(truth, predicted),
        "mean_absolute": metrics.mean_absolute_error(truth, predicted),
        "median_absolute": metrics.median_absolute_error(truth, predicted),
        "absolute_90": float(np.quantile(absolute, 0.9)),
        "absolute_95": float(np.quantile(absolute, 0.95)),
    }


answer = {"two": classes(2, 60), "four": classes(4, 80), "numbers": numbers(50)}
(pathlib.Path(__file__).parent / "metrics.json").write_text(json.dumps(answer) + "\n")
