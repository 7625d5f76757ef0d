"""Kendall's rank test of conditional independence for ordered categories.

Source: Wang, Pang and Song 2020 (tau-a, with strata weighted by the inverse of the variance).

A stratum is a combination of levels of the conditioning variables. In a stratum of m records let S
be the number of concordant minus discordant pairs of records. Then tau = 2 S / (m (m - 1)). Its
variance under independence and without ties is (4 m + 10) / (9 m (m - 1)). Weighted by 1 /
variance, the strata give

    z = T / sqrt(W),  T = sum 9 S / (2 m + 5),  W = sum f(m),  f(m) = 9 m (m - 1) / (4 m + 10),

with sums over the strata. z is standard normal under independence; ties make z smaller. The
sensitivity of z is proved in mechanisms/sensitivity/kendall_statistic.py.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import erfc

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.sensitivity.kendall_statistic import weight
from dpfair_cli.models.causal_discovery.contingency import Tables, counted, in_blocks


class Kendall:
    """Kendall's test of conditional independence on tables of ordered categories."""

    def __init__(self, tables: Tables) -> None:
        self.effort = tables.effort
        self._tables = tables
        self._memory: dict[tuple[int, ...], float] = {}

    def p_values(self, questions: Ints) -> Floats:
        """The two-sided p-values (m,) of m independence tests, one for each row of `questions`."""
        return np.asarray(erfc(np.abs(self.statistics(questions)) / sqrt(2)))

    def statistics(self, questions: Ints) -> Floats:
        """Kendall's statistics z (m,) of m independence tests, one for each row of `questions`."""
        keys = [tuple(row) for row in questions.tolist()]
        new = [key for key in dict.fromkeys(keys) if key not in self._memory]
        for places, block in in_blocks(self._tables, new):
            statistics = rank_statistics(block).tolist()
            self._memory |= zip((new[k] for k in places), statistics, strict=True)
        return np.array([self._memory[key] for key in keys])


@once_per_records
def kendall(observations: Observations) -> Kendall:
    """Kendall's test of ordered categories; statistics are cached for the observations."""
    return Kendall(counted(observations))


def rank_statistics(tables: Floats) -> Floats:
    """Kendall's statistic z of each table of counts (..., strata, rows, columns), (...).

    z is 0 if no stratum has two records.
    """
    above = np.cumsum(tables[..., ::-1, :], axis=-2)[..., ::-1, :]  # row >= i
    below = np.cumsum(above[..., ::-1], axis=-1)[..., ::-1]  # row >= i, column >= j
    left = np.cumsum(above, axis=-1)  # row >= i, column <= j
    pairs = (tables[..., :-1, :-1] * below[..., 1:, 1:]).sum(axis=(-2, -1))  # (..., strata)
    pairs = pairs - (tables[..., :-1, 1:] * left[..., 1:, :-1]).sum(axis=(-2, -1))
    records = tables.sum(axis=(-2, -1))
    weights, sums = weight(records).sum(axis=-1), (9 * pairs / (2 * records + 5)).sum(axis=-1)
    return np.where(weights > 0, sums / np.sqrt(np.where(weights > 0, weights, 1.0)), 0.0)


def strata_of(questions: Ints, levels: tuple[int, ...]) -> Floats:
    """The number of strata in the independence test of each row (i, j, k ...) of `questions`, (m,).

    A stratum is a combination of levels of the variables k ...; `levels` has the number of levels
    of every variable. The results are floats, because they may exceed the largest integer.
    """
    return np.asarray(np.array(levels, dtype=float)[questions[:, 2:]].prod(axis=1))
