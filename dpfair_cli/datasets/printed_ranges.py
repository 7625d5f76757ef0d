"""The printed values of a work, compared with a limit that they cannot exceed.

The values are read from experiments/<work>/published.csv. The limit is the first
value of each comparison: a printed value that the rule decides to be higher is impossible.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dpfair_cli import paths
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.formats import printed_values
from dpfair_cli.formats.printed_values import ALL_VALUES, Selection
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
    values = printed_values.read_printed_values(paths.folder("experiments") / work, selection)
    pairs = [(replace(value, mean=limit), value) for value in values]
    return printed_values.comparisons(pairs, runs=1, second_runs=1)


def content(*, work: str, **options: Any) -> str:
    """A digest of the file with the values."""
    return printed_values.digest(paths.folder("experiments") / work)


DATASET = DataSource(
    load=load,
    content=content,
    note="made: printed values of a work and their limit, from published.csv; no person",
    task="printed_differences",
)
