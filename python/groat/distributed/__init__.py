"""Fits on a cluster: the rows stay where they are, and sums over them are added up.

``fit`` takes what Dask holds, a ``dask.array``, a ``dask.dataframe`` or a list of Parquet files, and runs the methods
``nystrom``, ``falkon`` and ``rff`` on the cluster of a ``distributed.Client``. The model is that of one machine, however many
workers and parts there are. ``pip install groat[dask]`` brings what it needs; docs/distributed.md says what a fit costs.

For another engine than Dask, ``fit_parts`` needs an object with one method (see ``Engine``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groat._groat import BatchLearner, Method
from groat.distributed._fit import Engine, Serial, fit_parts
from groat.distributed._parts import ParquetPart

__all__ = ["Engine", "ParquetPart", "Serial", "fit", "fit_parts"]


def fit(
    data: Any,
    y: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    method: str = Method.NYSTROM,
    kernel: Any = None,
    task: str = "regression",
    standardise: bool = True,
    client: Any = None,
    progress: Any = None,
    **settings: Any,
) -> BatchLearner:
    """Fit a model to rows that are spread over a Dask cluster.

    Parameters
    ----------
    data : dask.array of shape (rows, features), dask.dataframe, or list of Parquet files that all workers can read
        Columns must be numbers.
    y : dask.array or dask Series, where the target is no column of data
    target : str or list of str
        The columns of a frame or of files that are to be predicted.
    method : {'nystrom', 'falkon', 'rff'}
    kernel : groat.Kernel or str, default='gaussian'
        A width that is not given is chosen on rows that are drawn from all parts.
    task : {'regression', 'classification'}
    standardise : bool, default=True
    client : distributed.Client, default=the current one
    progress : callable, as for ``BatchLearner.fit``
    settings : the settings of the method, such as ``rank=1000``, ``ridge=1e-3`` or ``precision='single'``

    Returns
    -------
    learner : BatchLearner
        ``learner.model`` is the model; ``learner.model.save(path)`` writes the file that the command ``groat`` reads.
    """
    from groat.distributed._dask import DaskEngine, parts_of

    parts, features, name = parts_of(data, y, target)
    return fit_parts(
        DaskEngine(parts, client),
        method,
        kernel,
        task=task,
        standardise=standardise,
        feature_names=features,
        target_name=name,
        progress=progress,
        **settings,
    )
