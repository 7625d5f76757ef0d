"""PC of PyBNesian, to be run in the environment of that library."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pybnesian

CASES: dict[str, tuple[pd.DataFrame, Callable]] = {}


def read(file: str) -> None:
    """Reads the records of a case, whose name is that of the file."""
    with np.load(file) as data:
        values, test = data["values"], pybnesian.LinearCorrelation
        columns = {f"v{j}": column for j, column in enumerate(values.T)}
        if data["categorical"]:
            columns = {name: pd.Categorical(column.astype(str)) for name, column in columns.items()}
            test = pybnesian.ChiSquare
    CASES[file] = pd.DataFrame(columns), test


def fit(file: str, cached_separators: bool) -> int:
    """The number of edges that PC finds at level 0.01.

    Arrows follow from the separators that were found, or from all sets of neighbours, the default.
    """
    records, test = CASES[file]
    found = pybnesian.PC().estimate(test(records), alpha=0.01, use_sepsets=cached_separators)
    return len(found.edges()) + len(found.arcs())
