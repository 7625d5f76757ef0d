"""The printed values of a work, compared with a limit that they cannot exceed.

The limit is the first value of each comparison: a printed value that the rule decides to be higher
is impossible.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets._printed_values import (
    ALL_VALUES,
    Selection,
    compared,
    printed_source,
    read,
)
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons


@checked
def load(
    folder: Path,
    *,
    work: str = "pujol2023",
    selection: Selection = ALL_VALUES,
    limit: float = 1.0,
) -> PrintedComparisons:
    """The comparisons of the printed values with `limit`; `folder` is not used.

    Args:
        folder: the data folder.
        work: the name of the folder of the work in experiments/.
        selection: the values that are compared.
        limit: the largest possible value.

    Raises:
        DpfairError: the work has no such values.
    """
    values = read(work, selection)
    pairs = values.assign(mean_first=limit, std_first=values["std"])
    return compared(pairs, runs=1, second_runs=1)


DATASET = printed_source(load, "values of a work and their limit")
