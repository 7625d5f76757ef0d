"""The printed values of a method, compared with its value at one value of a parameter.

The values are read from experiments/<work>/published.csv.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpfair_cli import paths
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import Count, checked
from dpfair_cli.formats import printed_values
from dpfair_cli.formats.printed_values import ALL_VALUES, PrintedValue, Selection
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

    def others(value: PrintedValue) -> tuple[tuple[str, str], ...]:
        return tuple(pair for pair in value.settings if pair[0] != along)

    values = printed_values.read_printed_values(paths.folder("experiments") / work, selection)
    pairs = printed_values.paired(
        values,
        first=lambda value: value.method == of and value.with_setting(along) == reference,
        second=lambda value: value.method == of and value.with_setting(along) != reference,
        place=lambda value: (value.dataset, value.metric, others(value)),
    )
    return printed_values.comparisons(pairs, runs=runs, second_runs=runs)


def content(*, work: str, **options: Any) -> str:
    """A digest of the file with the values."""
    return printed_values.digest(paths.folder("experiments") / work)


DATASET = DataSource(
    load=load,
    content=content,
    note="made: printed values of a work at several settings, from published.csv; no person",
    task="printed_differences",
)
