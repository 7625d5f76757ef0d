"""Joint tests: whether the published means of a method and score could be means of our runs.

Papers often print means of five runs, and a single cell is then undecided whatever we run. All
cells of a method and a score together can decide: if the method is ours, the published means are
means of a few runs like ours. The test draws such means from our runs and counts how often they are
at least as far from our means as the published ones. Runs with one seed share their data (a graph,
a split), so that they are drawn together. A distance is divided by the standard deviation of our
runs, and a drawn one by that of the drawn runs, because ours is itself an estimate from few runs
(the "bootstrap-t" of Efron and Tibshirani 1993, Chapter 12.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict

DRAWS = 2_000
SEED = 0  # of the draws, so that a page has the same p-value each time
FEWEST_CELLS = 3  # of a group that is tested
FEWEST_RUNS = 5  # of ours, from which means are drawn

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JointTest:
    """The test of all compared cells of one method and one score."""

    method: str
    metric: str
    cells: int
    undecided: int  # one by one
    p_value: float  # share of draws that are at least as far from ours as the published means


@dataclass(frozen=True)
class _Column:
    """A cell with its runs: the scores by position, and the place that names the shared draw."""

    published: float
    runs: int
    scores: Floats
    place: tuple[object, ...]


def joint_tests(cells: Sequence[JudgedCell]) -> list[JointTest]:
    """The joint test of each method and score that has several cells in an artefact.

    Groups are tested whether or not their cells are decided one by one: a selection by the verdicts
    would make small p-values more frequent than they should be.
    """
    groups: dict[tuple[str, str], list[JudgedCell]] = {}
    for cell in cells:
        if cell.default and cell.verdict.is_compared and cell.default.ours.runs >= FEWEST_RUNS:
            groups.setdefault((cell.published.method, cell.published.metric), []).append(cell)
    found = []
    for (method, metric), own in groups.items():
        undecided = sum(cell.verdict is CellVerdict.UNDECIDED for cell in own)
        columns = [_column(cell, cell.default.scores) for cell in own if cell.default]
        varying = [column for column in columns if np.ptp(column.scores) > 0]
        if len(own) >= FEWEST_CELLS and varying:
            p_value = _p_value(varying)
            found.append(JointTest(method, metric, len(own), undecided, p_value))
    return found


def _column(cell: JudgedCell, scores: Sequence[float]) -> _Column:
    named = {name: value for name, value in cell.published.parameters.items() if name != "epsilon"}
    place = (cell.published.dataset, *sorted(named.items()))
    return _Column(cell.sample.mean, cell.sample.runs, np.asarray(scores, dtype=float), place)


def _p_value(columns: Sequence[_Column]) -> float:
    """The share of draws, and of the published means, that are at least as far from our means."""
    rng = np.random.default_rng(SEED)
    observed, drawn = 0.0, np.zeros(DRAWS)
    shared: dict[tuple[object, ...], tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
    for column in columns:
        n = len(column.scores)
        key = (*column.place, n, column.runs)
        if key not in shared:
            theirs = rng.integers(n, size=(DRAWS, column.runs))
            shared[key] = theirs, rng.integers(n, size=(DRAWS, n))
        theirs, ours = shared[key]
        deviation = column.scores.std(ddof=1)
        observed += ((column.published - column.scores.mean()) / deviation) ** 2
        runs = column.scores[ours]  # (DRAWS, n)
        apart = column.scores[theirs].mean(axis=1) - runs.mean(axis=1)
        deviations = runs.std(axis=1, ddof=1)
        largest = np.full(DRAWS, np.inf)  # of equal runs, which have no deviation
        drawn += np.divide(apart, deviations, out=largest, where=deviations > 0) ** 2
    as_far = int(np.count_nonzero(drawn >= observed))
    return (as_far + 1) / (DRAWS + 1)
