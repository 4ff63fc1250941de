"""Text columns as indicators, for learners whose number of features is fixed by the first rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from groat.estimators._engine import Rows

# Places that a column of text keeps for levels that come later.
SPARE = 8
# More different texts than this in the first rows are no categories.
MOST = 100


class Levels:
    """The levels of each column of text, every one with an indicator of its own.

    Indicators of spare places are 0 until a level comes that the first rows did not have. A level that finds no place left,
    and a text that is missing, have none: all indicators of the column are 0.
    """

    def __init__(self, rows: Rows) -> None:
        columns = rows.given if isinstance(rows.given, dict) else {}
        texts = (name for name, values in columns.items() if isinstance(values, list) or name in rows.categorical)
        self.places: dict[str, dict[str, int]] = {name: {} for name in texts}
        self.room: dict[str, int] = {}

    def learn(self, columns: dict[str, Any]) -> None:
        """Gives new levels their places."""
        for name, places in self.places.items():
            new = sorted({text for text in _texts(columns[name]) if text is not None and text not in places})
            if name not in self.room:
                if len(new) > MOST:
                    raise ValueError(f"column {name!r} holds {len(new)} different texts, more than {MOST}; leave it out")
                self.room[name] = len(new) + SPARE
            for text in new[: self.room[name] - len(places)]:
                places[text] = len(places)

    def encoded(self, columns: dict[str, Any]) -> NDArray[np.float64]:
        """The columns as rows of numbers."""
        return np.hstack([self._column(name, values) for name, values in columns.items()])

    def _column(self, name: str, values: Any) -> NDArray[np.float64]:
        if name not in self.places:
            if isinstance(values, list):
                raise ValueError(f"column {name!r} holds text, but held numbers when learning began")
            return np.asarray(values, dtype=np.float64)[:, np.newaxis]
        indicators = np.zeros((len(values), self.room[name]))
        places = self.places[name]
        for row, text in enumerate(_texts(values)):
            if text in places:
                indicators[row, places[text]] = 1.0
        return indicators


def _texts(values: Any) -> list[str | None]:
    """A column as texts, also where it is declared to be categories that are numbers."""
    if isinstance(values, list):
        return values
    return [None if value != value else f"{value:.17g}" for value in values.tolist()]
