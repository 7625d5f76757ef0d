"""Means that are identical to the last digit over epsilons, or over methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod

from dpfair_cli.addons.forensics.chances import chance_of_equal
from dpfair_cli.addons.forensics.finding import Kind, NumberTest
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper, groups

MOST_VALUES = 3  # that a finding names


@dataclass(frozen=True, eq=False)
class _Repetition:
    """Cells of one line of a table that print the same mean."""

    cells: Sequence[PrintedCell]
    of: int  # the number of cells of the line

    @property
    def chance(self) -> float:
        """At most the chance of such a repetition in the line.

        That g given cells print the same mean has at most the chance p^(g-1), where p is the
        largest chance of two of them. There are C(m, g) choices of g of m cells.
        """
        pair = chance_of_equal(self.cells) or 1.0
        return min(1.0, comb(self.of, len(self.cells)) * pair ** (len(self.cells) - 1))

    def __str__(self) -> str:
        return f"{self.cells[0].as_printed} stands in {len(self.cells)} of {self.of} cells"


def check_epsilons(paper: PrintedPaper) -> Iterator[NumberTest]:
    """Yields a test for each method and score: its cells over epsilons, at each setting."""
    private = [one for one in paper.cells if one.uses_epsilon]
    for cells in groups(private, lambda one: (*_place(one), one.published.method)).values():
        lines = groups(cells, lambda one: one.setting)
        yield from _tests(Kind.REPEATED_EPSILON, lines.values())


def check_methods(paper: PrintedPaper) -> Iterator[NumberTest]:
    """Yields a test for each score: its cells over methods, at each epsilon and setting."""
    private = [one for one in paper.cells if one.uses_epsilon]
    for cells in groups(private, _place).values():
        lines = groups(cells, lambda one: (one.epsilon, one.setting))
        yield from _tests(Kind.REPEATED_METHODS, lines.values())


def _place(cell: PrintedCell) -> tuple[object, ...]:
    one = cell.published
    return one.artefact, one.dataset, one.metric


def _tests(kind: Kind, lines: Iterable[Sequence[PrintedCell]]) -> Iterator[NumberTest]:
    """Yields the test whether lines of a table repeat a mean, if two cells of a line can be tested.

    The chance is the product of the chances of the repetitions, times the number of choices of
    their lines. A repetition that can be by chance does not count.
    """
    testable = [[one for one in line if chance_of_equal([one]) is not None] for line in lines]
    testable = [line for line in testable if len(line) > 1]
    repetitions = [one for line in testable for one in _repetitions(line) if one.chance < 1]
    if not testable:
        return
    if not repetitions:
        yield NumberTest(kind, [one for line in testable for one in line], 1.0)
        return
    choices = comb(max(len(testable), len(repetitions)), len(repetitions))
    chance = choices * prod(one.chance for one in repetitions)
    more = len(repetitions) - MOST_VALUES
    what = "; ".join(map(str, repetitions[:MOST_VALUES]))
    cells = [cell for one in repetitions for cell in one.cells]
    yield NumberTest(
        kind, cells, min(chance, 1.0), f"{what}; and {more} more" if more > 0 else what
    )


def _repetitions(line: Sequence[PrintedCell]) -> list[_Repetition]:
    """The values that several cells of a line print."""
    values = groups(line, lambda one: one.mean.value)
    return [_Repetition(same, len(line)) for same in values.values() if len(same) > 1]
