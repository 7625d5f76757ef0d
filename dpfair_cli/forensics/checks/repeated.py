"""Means that are identical to the last digit over epsilons, or over methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

from dpfair_cli.forensics.chances import chance_of_equal
from dpfair_cli.forensics.finding import Kind, Test
from dpfair_cli.forensics.printed import PrintedCell, PrintedPaper, groups


def check_epsilons(paper: PrintedPaper) -> Iterator[Test]:
    """Yields tests of the cells of one method and score over its epsilons."""
    private = [one for one in paper.cells if one.uses_epsilon]
    series = groups(private, lambda one: (*_place(one), one.published.method))
    for cells in series.values():
        yield from _tests(Kind.REPEATED_EPSILON, cells)


def check_methods(paper: PrintedPaper) -> Iterator[Test]:
    """Yields tests of the cells of one score over the methods, at the same epsilon."""
    private = [one for one in paper.cells if one.uses_epsilon]
    for cells in groups(private, lambda one: (*_place(one), one.epsilon)).values():
        yield from _tests(Kind.REPEATED_METHODS, cells)


def _place(cell: PrintedCell) -> tuple[object, ...]:
    one = cell.published
    return one.artefact, one.dataset, one.metric, cell.setting


def _tests(kind: Kind, cells: Sequence[PrintedCell]) -> Iterator[Test]:
    """Yields a test for each value that several of the cells print, or one that found nothing.

    That g given cells print the same mean has at most the chance p^(g-1), where p is the largest
    chance of two of them. Equal deviations make it smaller. There are C(m, g) choices of g of m
    cells.
    """
    known = [one for one in cells if chance_of_equal([one]) is not None]
    if len(known) < 2:
        return
    repeated = [
        same for same in groups(known, lambda one: one.mean.value).values() if len(same) > 1
    ]
    if not repeated:
        yield Test(kind, known, 1.0)
    for same in repeated:
        pair = chance_of_equal(same) or 1.0
        chance = comb(len(known), len(same)) * pair ** (len(same) - 1)
        what = f"{same[0].as_printed} stands in {len(same)} of {len(known)} cells"
        yield Test(kind, same, min(chance, 1.0), what)
