"""The engine under one name for each method and task. Features are taken as they are, so that what is compared with
other programs is the method alone."""

from __future__ import annotations

from functools import partial

from groat._groat import BatchLearner

KernelRidge = partial(BatchLearner, "krr", standardise=False)
LeastSquaresSvm = partial(BatchLearner, "lssvm", standardise=False)
OlsRegressor = partial(BatchLearner, "ols", standardise=False)
OlsClassifier = partial(BatchLearner, "ols", task="classification", standardise=False)
OlsDensity = partial(BatchLearner, "ols", task="density", standardise=False)
