"""The printed values of two methods of a work, compared at every data set, score and parameter."""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.parameters import Count, checked
from dpfair_cli.datasets._printed_values import (
    ALL_VALUES,
    Selection,
    compared,
    paired,
    printed_source,
    read,
    settings,
)
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
    values = read(work, selection)
    one, two = (values[values["method"] == name] for name in (first, second))
    on = ["dataset", "metric", *settings(values)]
    return compared(paired(one, two, on), runs=runs, second_runs=second_runs)


DATASET = printed_source(load, "values of two methods of a work")
