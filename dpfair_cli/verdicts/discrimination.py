"""What a verdict is worth: how often the same rule passes a method beside the published value of
another one.

And what a variant is worth as an explanation: of the cells of a method that differ, how many its
best variant explains beside their own published values, and how many beside those of another
method. The more variants, the more of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.comparison import comparison
from dpfair_cli.verdicts.levels import DIGITS, WIDEST, Level
from dpfair_cli.verdicts.means import to_records

COLUMNS = ["cell", "beside", "pair", "is_far", "passes"]
VARIANT_COLUMNS = ["cell", "beside", "pair", "is_own", "passes"]
Line = dict[str, object]


class Share(NamedTuple):
    """How many of some pairings pass."""

    passed: int
    pairings: int

    def __str__(self) -> str:
        """Such as "3 of 60 (5 %)"."""
        return f"{self.passed} of {self.pairings}" + (
            f" ({100 * self.passed / self.pairings:.0f} %)" if self.pairings else ""
        )


def pair_wrongly(cells: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line for each compared cell and published value of another method in the same place.

    `cells` are those of `compare_cells`. `cell` is what ours is, `beside` the method whose value it
    is set against, `pair` the experiments of both (equal where two tables pair the same numbers),
    `is_far` whether the two published values differ by more than what can pass, `passes` whether
    ours passes.
    """
    lines = [
        _pairing(ours, other, spec)
        for place in _places(cells)
        for ours, other in permutations(place, 2)
        if ours["published_method"] != other["published_method"] and ours["verdict"] in list(Level)
    ]
    return pd.DataFrame(lines, columns=COLUMNS)


def share_of_wrong_pairings(pairings: pd.DataFrame, *, far_only: bool) -> Share:
    """How many of the pairings pass; `far_only` leaves those whose published values can be told
    apart.
    """
    chosen = pairings[pairings["is_far"].astype(bool)] if far_only else pairings
    return _share(chosen)


def pair_variants(cells: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line for each cell of a method with variants and each published value in its place that
    it differs from.

    `cells` are those of `compare_cells`; one alone in its place is left out, so that right and
    wrong pairings are taken from the same cells. `is_own` says that the published value is the
    cell's own, `passes` whether the variant passes that explains most beside all values of the
    method `beside`: one for all cells, as in deviations.yaml.
    """
    others = cells[~cells["is_default"].astype(bool) & cells["verdict"].isin(list(Level))]
    variants = {str(cell): to_records(group) for cell, group in others.groupby("cell", sort=False)}
    pairs: dict[tuple[str, str], list[_Outcome]] = {}
    for place in _places(cells):
        names = {str(line["published_method"]) for line in place}
        for ours, beside in product(place, repeat=2) if len(names) > 1 else ():
            found = variants.get(str(ours["cell"]), []) if ours["verdict"] in list(Level) else []
            if found and (beside is ours or beside["published_method"] != ours["published_method"]):
                methods = str(ours["published_method"]), str(beside["published_method"])
                pairs.setdefault(methods, []).append(_outcome(ours, beside, found, spec))
    lines = [
        (one.cell, beside, one.pair, ours == beside, one.cell in explained)
        for (ours, beside), outcomes in pairs.items()
        for explained in [_explained(outcomes)]
        for one in outcomes
        if one.level == Level.DIFFERS
    ]
    return pd.DataFrame(lines, columns=VARIANT_COLUMNS)


class _Outcome(NamedTuple):
    """A cell beside a published value: the level of the default variant, and whether each of the
    others passes.
    """

    cell: str
    pair: str
    level: Level
    passes: dict[str, bool]


def _outcome(ours: Line, beside: Line, variants: list[Line], spec: Spec) -> _Outcome:
    published = _published(beside)
    level = comparison(ours | published, spec).level
    passes = {
        str(line["method"]): comparison(line | published, spec).level.passes for line in variants
    }
    return _Outcome(str(ours["cell"]), _pair(ours, beside), level, passes)


def _explained(outcomes: list[_Outcome]) -> set[str]:
    """The cells that differ and come out under the best variant, of those under which more come out
    than by default.
    """
    best: set[str] = set()
    for variant in dict.fromkeys(name for one in outcomes for name in one.passes):
        run = [one for one in outcomes if variant in one.passes]
        explained = {one.cell for one in run if one.level == Level.DIFFERS and one.passes[variant]}
        if sum(one.passes[variant] for one in run) > sum(one.level.passes for one in run):
            best = max(best, explained, key=len)
    return best


def share_of_variants(pairings: pd.DataFrame, *, own: bool) -> Share:
    """How many of the pairings of `pair_variants` pass, of those with their own published value or
    of the others.
    """
    chosen = pairings[pairings["is_own"].astype(bool) == own]
    return _share(chosen)


def _share(pairings: pd.DataFrame) -> Share:
    return Share(int(pairings["passes"].sum()), len(pairings))


def _places(cells: pd.DataFrame) -> Iterator[list[Line]]:
    """The default lines of each place: of the same data set, score and setting, whatever the
    method.
    """
    default = cells[cells["is_default"].astype(bool)]
    after = default.columns.get_loc("published_method")
    place = [name for name in default.columns[:after] if name != "method"]
    for _, group in default.groupby(place, dropna=False, sort=False):
        yield to_records(group)


def _pairing(ours: Line, other: Line, spec: Spec) -> tuple[str, str, str, bool, bool]:
    """Ours beside the published value of another method."""
    right, wrong = comparison(ours, spec), comparison(ours | _published(other), spec)
    apart = round(abs(right.published.mean - wrong.published.mean), DIGITS)
    is_far = apart > WIDEST * min(right.scale, wrong.scale)
    return (
        str(ours["cell"]),
        str(other["published_method"]),
        _pair(ours, other),
        is_far,
        wrong.level.passes,
    )


def _pair(ours: Line, other: Line) -> str:
    """The experiments of both; one that was not run has none, and is called by its cell."""
    return f"{ours['experiment']} beside {other['experiment'] or other['cell']}"


def _published(line: Line) -> Line:
    """What a line has of the paper."""
    return {name: line[name] for name in ("published_mean", "published_std")}
