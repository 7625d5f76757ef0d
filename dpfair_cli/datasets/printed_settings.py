"""The printed values of a method, compared with its value at one value of a parameter."""

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
    setting,
    settings,
)
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons


@checked
def load(
    folder: Path,
    *,
    work: str = "pujol2023",
    selection: Selection = ALL_VALUES,
    of: str = "PrivBayes",
    along: str = "epsilon",
    reference: str = "0.1",
    runs: Count = 10,
) -> PrintedComparisons:
    """The comparisons of a value with the one at the parameter's `reference`.

    Args:
        folder: the data folder, which is not used.
        work: the name of the folder of the work in experiments/.
        selection: the values that are compared.
        of: the method of the values.
        along: the parameter.
        reference: the printed value of the parameter of the first values.
        runs: the number of runs of a value.

    Raises:
        DpfairError: the work has no such values.
    """
    values = read(work, selection)
    values = values[values["method"] == of]
    first = setting(values, along) == reference
    on = ["dataset", "metric", *(name for name in settings(values) if name != along)]
    return compared(paired(values[first], values[~first], on), runs=runs, second_runs=runs)


DATASET = printed_source(load, "values of a work at several settings")
