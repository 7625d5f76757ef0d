"""Interventions whose scores all equal those of the method without the intervention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb, prod

from dpfair_cli.addons.forensics.chances import chance_of_equal
from dpfair_cli.addons.forensics.declaration import found
from dpfair_cli.addons.forensics.finding import Kind, NumberTest
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper, groups

Pair = tuple[PrintedCell, PrintedCell]  # a cell with an intervention, and the one without


def check_unchanged(paper: PrintedPaper) -> Iterator[NumberTest]:
    """Yields a test for each declared intervention on each data set of an artefact."""
    cells = {_identity(one, one.published.method): one for one in paper.cells}
    pairs = []
    for one in paper.cells:
        baseline = found(paper.declaration.baseline, one.published)
        other = cells.get(_identity(one, baseline.of)) if baseline else None
        if other and other is not one and chance_of_equal([one]) is not None:
            pairs.append((one, other))
    for own in groups(pairs, lambda pair: _place(pair[0])).values():
        yield _test(own)


def _identity(cell: PrintedCell, method: str) -> tuple[object, ...]:
    one = cell.published
    return one.artefact, one.dataset, method, one.metric, tuple(one.parameters.items())


def _place(cell: PrintedCell) -> tuple[object, ...]:
    one = cell.published
    return one.artefact, one.dataset, one.method


def _test(pairs: Sequence[Pair]) -> NumberTest:
    """The test whether an intervention changes a score in each setting of its parameters.

    The scores of a setting depend on each other. Therefore the chance that all are equal is bounded
    by the smallest chance of one. There are C(m, g) choices of g unchanged settings of m.
    """
    settings: Mapping[object, list[Pair]] = groups(
        pairs, lambda pair: tuple(pair[0].published.parameters.items())
    )
    equal = [own for own in settings.values() if all(_is_equal(*pair) for pair in own)]
    if not equal:
        return NumberTest(Kind.UNCHANGED, [one for one, _ in pairs], 1.0)
    chances = [min(chance_of_equal(pair) or 1.0 for pair in own) for own in equal]
    chance = comb(len(settings), len(equal)) * prod(chances)
    cells = [one for own in equal for one, _ in own]
    name = equal[0][0][1].published.method
    what = (
        f"all scores equal those of {name} to the last digit in {len(equal)} of {len(settings)} "
        "settings"
    )
    return NumberTest(Kind.UNCHANGED, cells, min(chance, 1.0), what)


def _is_equal(one: PrintedCell, other: PrintedCell) -> bool:
    stds = [each.std.value if each.std else None for each in (one, other)]
    return one.mean.value == other.mean.value and stds[0] == stds[1]
