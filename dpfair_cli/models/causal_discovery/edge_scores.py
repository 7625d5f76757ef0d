"""The distance scores of an edge: how many records must change to reverse each independence test.

Source: xu2021, Equations 4.1 to 4.4.

The score of a conditioning set is the distance of the G^2 test with this set. "certified" and
"exact" score every conditioning set, and the maximum of scores of sensitivity 1 has sensitivity 1.
"published" scores only the set with the largest p-value, as Algorithm 4 does. One record can change
which set has the largest p-value, and the distance of another set can be any number. Therefore the
sensitivity of the score "published" is not bounded.
"""

from __future__ import annotations

from math import prod
from typing import Literal

import numpy as np
from scipy.special import chdtri

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import Tables, counted
from dpfair_cli.models.causal_discovery.distance_score import certified, exact, greedy, signed
from dpfair_cli.models.causal_discovery.independence import TablesG2, g_squared

Score = Literal["certified", "exact", "published"]
"""The kind of distance: a certified lower bound, exact, or the published one by greedy search."""


class EdgeScores:
    """Cached signed distances of the G^2 test, positive where the test says independent.

    Args:
        tables: the counts.
        significance: the level of the test.
        score: the name of the distance.
        records_per_freedom: the number of records for each degree of freedom below which the test
            says independent.
    """

    def __init__(
        self, tables: Tables, significance: float, score: Score, records_per_freedom: float
    ) -> None:
        self._tables, self._significance, self._score = tables, significance, score
        self._distance = {"certified": certified, "exact": exact, "published": greedy}[score]
        self._enough = records_per_freedom
        self._test = TablesG2(tables, records_per_freedom=records_per_freedom)
        self._memory: dict[tuple[int, ...], float] = {}

    def score_sets(self, i: int, j: int, sets: Ints) -> Floats:
        """The scores (m,) of separating variables i and j by each row of `sets` (m, order).

        The score is -inf where no score is defined.
        """
        # scores are symmetric: one key for both orders
        i, j = min(i, j), max(i, j)
        if self._score != "published":
            return np.array([self._remembered(i, j, given) for given in sets.tolist()])
        questions = np.concatenate([np.broadcast_to([i, j], (len(sets), 2)), sets], axis=1)
        # the paper takes the set with the largest p-value, and its distance alone
        best = int(np.argmax(self._test.p_values(questions)))
        scores = np.full(len(sets), -np.inf)
        scores[best] = self._remembered(i, j, sets[best].tolist())
        return scores

    def _remembered(self, i: int, j: int, given: list[int]) -> float:
        key = (i, j, *given)
        if key not in self._memory:
            self._memory[key] = self._computed(i, j, tuple(given))
        return self._memory[key]

    def _computed(self, i: int, j: int, given: tuple[int, ...]) -> float:
        levels = self._tables.levels
        freedom = (levels[i] - 1) * (levels[j] - 1) * prod(levels[k] for k in given)
        if freedom == 0 or self._tables.records < self._enough * freedom:
            return self._tables.records - 0.5  # no change of records makes the test reject
        table = self._tables.table(i, j, given)
        critical = float(chdtri(freedom, self._significance))
        return signed(self._distance(table, critical), float(g_squared(table)), critical)


@once_per_records
def edge_scores(
    observations: Observations, significance: float, score: Score, records_per_freedom: float
) -> EdgeScores:
    """The scores of the independence of categorical variables, computed when needed."""
    return EdgeScores(counted(observations), significance, score, records_per_freedom)


def with_jump(scores: Floats) -> Floats:
    """The scores as in Equation 4.1 of xu2021, which jump from +1 to -1 between neighbours.

    The sign is opposite to the sign in Equation 4.1: positive scores mean independence.
    """
    return scores + 0.5 * np.sign(scores)


def number_scores(scores: Floats) -> Floats:
    """The scores of removing 0, 1, ..., m edges, (m + 1,), for edges with the scores (m,).

    Equations 4.2 to 4.4 of xu2021 print these scores, called q2, as a list of cases for integer
    distances d(1) >= ... >= d(m). In every case q2 of t edges is min(s(t), -s(t + 1)) - 1/2. Here s
    = d - sign(d) / 2 are the sorted `scores`, s(0) = inf and s(m + 1) = -inf. Sorting and taking
    the minimum keep the sensitivity 1.
    """
    # with ends at infinity, removing none and removing all have a score too
    ranked = np.concatenate([[np.inf], np.sort(scores)[::-1], [-np.inf]])
    return np.asarray(np.minimum(ranked[:-1], -ranked[1:]) - 0.5)
