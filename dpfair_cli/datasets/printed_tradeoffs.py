"""The best printed trade-offs of accuracy and fairness of two stages of intervention, compared.

The trade-off of a method is sqrt((1 - accuracy)^2 / 2 + gap^2 / 2), as in Angelozzi and Arcolezi
2026: the smaller, the better. The best method of a stage is chosen at every seed and epsilon. The
values are read from experiments/<work>/published.csv.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpfair_cli import paths
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.formats import printed_values
from dpfair_cli.formats.printed_values import PrintedValue, Selection
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons

AT_EPSILON_2 = Selection(only_setting="epsilon", only_value="2")
SEED = "random_seed"  # the column with the seed of a printed run
Place = tuple[str, tuple[tuple[str, str], ...]]  # the data set and the parameters


@checked
def load(
    folder: Path,
    *,
    work: str = "verona2026",
    selection: Selection = AT_EPSILON_2,
    gap: str = "spd",
    first: tuple[str, ...] = ("reweighing", "disparate-impact remover"),
    second: tuple[str, ...] = ("reject option", "equalized odds"),
) -> PrintedComparisons:
    """The comparisons of the best method in `second` with the best in `first`.

    Args:
        folder: the data folder, which is not used.
        work: the name of the folder of the work in experiments/.
        selection: the values that are compared.
        gap: the score of the fairness gap.
        first: the methods of the first stage.
        second: the methods of the second stage.

    Raises:
        DpfairError: the work has no such values.
    """
    values = printed_values.read_printed_values(paths.folder("experiments") / work, selection)
    gaps = {(v.method, _place(v)): v for v in values if v.metric == gap}
    tradeoffs = [
        _tradeoff(value, gaps[value.method, _place(value)])
        for value in values
        if value.metric == "accuracy" and value.with_setting(SEED)
    ]
    one, two = (_best(tradeoffs, first), _best(tradeoffs, second))
    pairs = printed_values.paired(
        [*one.values(), *two.values()],
        first=_is_in(first),
        second=_is_in(second),
        place=_place,
    )
    found = printed_values.comparisons(pairs, runs=1, second_runs=1)
    return replace(found, names=tuple(f"seed {value.with_setting(SEED)}" for _, value in pairs))


def _place(value: PrintedValue) -> Place:
    return value.dataset, value.settings


def _is_in(methods: Sequence[str]) -> Callable[[PrintedValue], bool]:
    return lambda value: value.method in methods


def _tradeoff(accuracy: PrintedValue, gap: PrintedValue) -> PrintedValue:
    """The trade-off of a method, from its printed accuracy and its printed gap."""
    score = math.hypot(1 - accuracy.mean, gap.mean) / math.sqrt(2)
    return replace(accuracy, metric="tradeoff", mean=score)


def _best(
    tradeoffs: Sequence[PrintedValue], methods: Sequence[str]
) -> Mapping[Place, PrintedValue]:
    """The smallest trade-off among `methods`, at every place."""
    found: dict[Place, PrintedValue] = {}
    for value in filter(_is_in(methods), tradeoffs):
        best = found.setdefault(_place(value), value)
        found[_place(value)] = min(best, value, key=lambda one: one.mean)
    return found


def content(*, work: str, **options: Any) -> str:
    """A digest of the file with the values."""
    return printed_values.digest(paths.folder("experiments") / work)


DATASET = DataSource(
    load=load,
    content=content,
    note="made: printed trade-offs of two stages of a work, from published.csv; no person",
    task="printed_differences",
)
