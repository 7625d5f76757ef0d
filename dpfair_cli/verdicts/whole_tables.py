"""What the cells of a table say together: the order of its methods, and its columns.

**Order of methods.** A reader of a table asks which method is better, and less how large a number
is. Two printed values of different methods in one place (data set, score and parameters) that are
more than a margin apart have an order. It is confirmed if one-sided tests show that our means have
the same order, and reversed if they show the opposite one.

The tests are those of a claim "A > B": the runs of both methods are paired by seed, because what
runs of one seed share, such as the split, cancels in their difference. The printed values only say
which order is tested. How uncertain they are does not count: a verdict is about our runs.

**Columns.** Papers often print means of five runs, and a single cell is then undecided whatever we
run. All cells of a *column*, which are those of one method and one score of an artefact, know more.
The column agrees if the root mean square of the true differences, each divided by its margin, is
certainly below 1, and it differs if it is certainly above 1.

The observed differences are the true ones plus noise: of our means and of the printed ones, with a
covariance that our runs tell. Runs with one seed share their data (a graph, a split), so that their
scores vary together. A p-value is the share of draws of noise that lead from true differences at
the distance 1 to the observed distance, or further from 1. The true differences lie where noise is
largest: from others, fewer draws lead there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.verdicts.cells.comparison import DIGITS, FEWEST, Comparison
from dpfair_cli.verdicts.cells.judging import Experiment, JudgedCell, JudgedVariant, rivals
from dpfair_cli.verdicts.claims.point_results import (
    UNKNOWN,
    Scores,
    StandardError,
    difference_of,
    student_test,
)
from dpfair_cli.verdicts.claims.verdict import ClaimLevels, ClaimVerdict, PValues

FEWEST_CELLS = 2  # of a column
FEWEST_RUNS = 5  # of ours in each of its cells: fewer say little about a covariance
DRAWS = 50_000
SAME_DATA = ("epsilon", "group")  # parameters of which runs with one seed share their data
SEED = 0  # of draws, so that a page has the same p-values each time


class OrderVerdict(StrEnum):
    """The verdict on the order of two methods in one place."""

    CONFIRMED = "confirmed"
    REVERSED = "reversed"
    UNDECIDED = "undecided"


ORDER_OF_CLAIM = {  # the verdict on "A > B" -> that on the order of A and B
    ClaimVerdict.HOLDS: OrderVerdict.CONFIRMED,
    ClaimVerdict.FAILS: OrderVerdict.REVERSED,
    ClaimVerdict.UNDECIDED: OrderVerdict.UNDECIDED,
}


@dataclass(frozen=True, eq=False)
class JudgedOrder:
    """The order of two cells that a paper prints more than a margin apart."""

    higher: JudgedCell  # the cell with the larger printed value
    lower: JudgedCell
    difference: float  # our mean of the higher cell minus that of the lower one
    p_values: PValues  # of the statement that the difference is positive, and of its opposite
    levels: ClaimLevels

    @cached_property
    def verdict(self) -> OrderVerdict:
        """Whether our means have the printed order."""
        return ORDER_OF_CLAIM[self.levels.verdict(self.p_values)]

    @property
    def pair(self) -> frozenset[Experiment | str]:
        """The two numbers, equal for tables that print the same two."""
        return frozenset(cell.experiment or cell.description for cell in (self.higher, self.lower))


def judge_orders(cells: Sequence[JudgedCell], levels: ClaimLevels) -> list[JudgedOrder]:
    """The verdict on the order of each two cells of an artefact that have one, at these levels."""
    return [_judge_order(one, other, levels) for one, other in _ordered_pairs(cells)]


def _ordered_pairs(cells: Sequence[JudgedCell]) -> Iterator[tuple[JudgedCell, JudgedCell]]:
    """Yields each two compared cells of different methods in one place with distant values.

    The cell with the larger printed value comes first.
    """
    compared = {cell.published: cell for cell in cells if cell.verdict.is_compared}
    for published, others in rivals(compared).items():
        for other in others:
            higher, lower = compared[published], compared[other]
            margin = max(one.variants[0].comparison.margin for one in (higher, lower))
            if round(published.mean - other.mean, DIGITS) > margin:
                yield higher, lower


def _judge_order(higher: JudgedCell, lower: JudgedCell, levels: ClaimLevels) -> JudgedOrder:
    sides = [cell.variants[0] for cell in (higher, lower)]
    one, other = (_scores(side) for side in sides)
    difference, error = difference_of(one, other, _largest_deviation(sides))
    found = student_test(difference, error)
    if not difference and found.is_certain:  # means that do not vary, and are equal, have no order
        found = PValues(1.0, 1.0)
    return JudgedOrder(higher, lower, difference, found, levels)


def _scores(variant: JudgedVariant) -> Scores:
    seeds, values = list(variant.scores), list(variant.scores.values())
    return Scores(np.array(seeds, dtype=np.int64), np.array(values, dtype=float))


def _largest_deviation(sides: Sequence[JudgedVariant]) -> StandardError:
    """The largest standard deviation that the artefact knows, which cells of few runs borrow."""
    known = [side.comparison.spread for side in sides if side.ours.runs < FEWEST]
    spread = max((one for one in known if not math.isnan(one)), default=math.nan)
    return UNKNOWN if math.isnan(spread) else StandardError(spread, math.inf)


class ColumnVerdict(StrEnum):
    """The verdict on all cells of one method and one score."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"


COLUMN_OF_CLAIM = {  # the verdict on "the differences are below a margin" -> that on the column
    ClaimVerdict.HOLDS: ColumnVerdict.AGREES,
    ClaimVerdict.FAILS: ColumnVerdict.DIFFERS,
    ClaimVerdict.UNDECIDED: ColumnVerdict.UNDECIDED,
}


@dataclass(frozen=True, eq=False)
class JudgedColumn:
    """The compared cells of one method and one score of an artefact."""

    method: str  # as published
    metric: str
    cells: tuple[JudgedCell, ...]
    distance: float  # root mean square of our means minus the printed ones, in margins
    p_values: PValues  # of the statement that the true distance is below 1, and of its opposite
    levels: ClaimLevels

    @cached_property
    def verdict(self) -> ColumnVerdict:
        """Whether the cells agree together."""
        return COLUMN_OF_CLAIM[self.levels.verdict(self.p_values)]

    @property
    def numbers(self) -> frozenset[Experiment | str]:
        """The numbers of the column, equal for tables that print the same ones."""
        return frozenset(cell.experiment or cell.description for cell in self.cells)


def judge_columns(cells: Iterable[JudgedCell], levels: ClaimLevels) -> list[JudgedColumn]:
    """The verdict on each column of an artefact, at these levels.

    A cell takes part if it was compared with at least FEWEST_RUNS runs of ours, and has a margin.
    """
    columns: dict[tuple[str, str], list[JudgedCell]] = {}
    for cell in cells:
        enough = cell.default and cell.default.ours.runs >= FEWEST_RUNS
        # a printed 0 of a score that is no rate has the margin 0
        if enough and cell.verdict.is_compared and cell.variants[0].comparison.margin:
            columns.setdefault((cell.published.method, cell.published.metric), []).append(cell)
    return [
        _judge_column(method, metric, own, levels)
        for (method, metric), own in columns.items()
        if len(own) >= FEWEST_CELLS
    ]


def _judge_column(
    method: str, metric: str, cells: Sequence[JudgedCell], levels: ClaimLevels
) -> JudgedColumn:
    compared = [cell.variants[0].comparison for cell in cells]
    margins = np.array([one.margin for one in compared])  # (cells,)
    apart = np.array([round(one.signed, DIGITS) for one in compared]) / margins  # (cells,)
    distance = math.sqrt(float(np.mean(apart**2)))
    covariance = _covariance(cells) / np.outer(margins, margins)
    found = _p_values(distance, covariance, min(map(_freedom, compared)))
    return JudgedColumn(method, metric, tuple(cells), distance, found, levels)


def _freedom(one: Comparison) -> int:
    """The degrees of freedom of the deviations that count in a cell: the fewest runs minus 1."""
    has_own = not math.isnan(one.published.std) and one.published.runs > 1
    return min(one.ours.runs, one.published.runs if has_own else one.ours.runs) - 1


def _p_values(distance: float, covariance: Floats, freedom: int) -> PValues:
    """The p-values of the statement that the true distance of a column is below 1.

    Args:
        distance: The observed distance, in margins.
        covariance: That of the noise of the differences, in margins, (cells, cells).
        freedom: The degrees of freedom of the deviations.
    """
    if not covariance.any():  # no chance is involved
        return PValues(0.0, 1.0) if distance <= 1 else PValues(1.0, 0.0)
    cells = len(covariance)
    # along the axes of the covariance, noise is independent
    deviations = np.sqrt(np.linalg.eigvalsh(covariance).clip(min=0.0))  # in rising order, (cells,)
    differences = _students(cells, freedom) * deviations
    differences[:, -1] += math.sqrt(cells)  # the distance 1, where noise is largest
    drawn = np.sqrt(np.mean(differences**2, axis=1))  # (DRAWS,)
    if distance > 1:  # which is no agreement, even if noise makes most distances larger
        return PValues(1.0, _share(drawn >= distance))
    return PValues(_share(drawn <= distance), 1.0)


@lru_cache(maxsize=8)  # of a few columns, because they are large
def _students(cells: int, freedom: int) -> Floats:
    """Draws of Student's t, (DRAWS, cells)."""
    return np.random.default_rng(SEED).standard_t(freedom, (DRAWS, cells))


def _share(is_as_far: Mask) -> float:
    """The share of draws, with the observation as one of them, so that no p-value is 0."""
    return (int(np.count_nonzero(is_as_far)) + 1) / (DRAWS + 1)


def _covariance(cells: Sequence[JudgedCell]) -> Floats:
    """The covariance of the noise of our means minus the printed ones, (cells, cells).

    Ours is that of our runs. That of the printed means has the correlations of our runs and the
    printed standard deviations, or ours where none is printed.
    """
    correlation = np.eye(len(cells))
    for group in _groups_of_shared_seeds(cells):
        scores = np.array([list(cells[k].variants[0].scores.values()) for k in group])
        varying = [k for k, own in zip(group, scores, strict=True) if np.ptp(own) > 0]
        if len(varying) > 1:
            own = scores[[group.index(k) for k in varying]]
            correlation[np.ix_(varying, varying)] = np.corrcoef(own)
    compared = [cell.variants[0].comparison for cell in cells]
    ours = np.array([one.ours.std / math.sqrt(one.ours.runs) for one in compared])
    theirs = np.array([_published_error(one) for one in compared])
    return np.asarray(correlation * (np.outer(ours, ours) + np.outer(theirs, theirs)))


def _published_error(one: Comparison) -> float:
    """The standard error of a printed mean; our deviation stands for one that is not printed."""
    std = one.ours.std if math.isnan(one.published.std) else one.published.std
    return std / math.sqrt(one.published.runs)


def _groups_of_shared_seeds(cells: Sequence[JudgedCell]) -> Iterator[list[int]]:
    """Yields the places of the cells whose runs share their data: one data set, the same seeds.

    Parameters other than SAME_DATA must be equal, because they can change the data.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for k, cell in enumerate(cells):
        settings = cell.published.parameters.items()
        own = [(name, value) for name, value in settings if name not in SAME_DATA]
        key = (cell.published.dataset, *sorted(own), *cell.variants[0].scores)
        groups.setdefault(key, []).append(k)
    yield from groups.values()
