"""The printed values of a work, compared with a limit that they cannot exceed.

The values are those of one artefact in experiments/<work>/published.csv. The limit is the first
value of each comparison: a printed value that the rule decides to be higher is impossible.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dpfair_cli import paths
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.formats import printed_values
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons


@checked
def load(
    folder: Path,
    *,
    work: str = "pujol2023",
    artefact: str = "table-not-run",
    metrics: tuple[str, ...] = ("accuracy_parity",),
    limit: float = 1.0,
    along: str = "",
    at: str = "",
) -> PrintedComparisons:
    """The comparisons of the printed values with `limit`; `folder` is not used.

    Args:
        folder: the data folder.
        work: the name of the folder of the work in experiments/.
        artefact: the artefact of the values.
        metrics: the scores of the values.
        limit: the largest possible value.
        along: a parameter of the values; all values if empty.
        at: the printed value of the parameter.

    Raises:
        DpfairError: the work has no such values.
    """
    values = printed_values.read_printed_values(paths.folder("experiments") / work, artefact)
    chosen = [
        value
        for value in values
        if value.metric in metrics and (not along or value.with_setting(along) == at)
    ]
    if not chosen:
        raise DpfairError(f"{work} prints no value of {', '.join(metrics)} with these options")
    pairs = [(replace(value, mean=limit), value) for value in chosen]
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
