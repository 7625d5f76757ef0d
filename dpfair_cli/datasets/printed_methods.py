"""The printed values of two methods of a work, compared at every data set, score and parameter.

The values are read from experiments/<work>/published.csv.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpfair_cli import paths
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import Count, checked
from dpfair_cli.formats import printed_values
from dpfair_cli.formats.printed_values import ALL_VALUES, Selection
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons


@checked
def load(
    folder: Path,
    *,
    work: str = "demelius2025",
    selection: Selection = ALL_VALUES,
    first: str = "SGD, tuned",
    second: str = "DP-SGD, tuned",
    runs: Count = 5,
    second_runs: Count = 5,
) -> PrintedComparisons:
    """The comparisons of the method `second` with the method `first`; `folder` is not used.

    Args:
        folder: the data folder.
        work: the name of the folder of the work in experiments/.
        selection: the values that are compared.
        first: the method of the first values.
        second: the method of the second values.
        runs: the number of runs of a first value.
        second_runs: the number of runs of a second value.

    Raises:
        DpfairError: the work has no such values.
    """
    values = printed_values.read_printed_values(paths.folder("experiments") / work, selection)
    pairs = printed_values.paired(
        values,
        first=lambda value: value.method == first,
        second=lambda value: value.method == second,
        place=lambda value: (value.dataset, value.metric, value.settings),
    )
    return printed_values.comparisons(pairs, runs=runs, second_runs=second_runs)


def content(*, work: str, **options: Any) -> str:
    """A digest of the file with the values."""
    return printed_values.digest(paths.folder("experiments") / work)


DATASET = DataSource(
    load=load,
    content=content,
    note="made: printed values of two methods of a work, from published.csv; no person",
    task="printed_differences",
)
