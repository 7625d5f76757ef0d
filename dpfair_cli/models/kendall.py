"""Kendall's rank test of conditional independence for ordered categories, and how far one record moves it.

Source: Wang, Pang and Song 2020 (tau-a, strata weighted by the inverse of its variance); the bounds here are ours.

In a stratum of m records let S be the number of concordant minus discordant pairs: tau = 2 S / (m (m - 1)), its
variance without ties under independence (4 m + 10) / (9 m (m - 1)). Weighted by 1 / variance the strata give

    z = T / sqrt(W),    T = sum 9 S / (2 m + 5),    W = sum f(m),    f(m) = 9 m (m - 1) / (4 m + 10),

standard normal under independence; ties make it smaller. |T| <= W, since |S| <= m (m - 1) / 2.

Neighbours: replace-one, n records, K strata that are possible (public). One stratum: S moves by at most 2 (n - 1), so z
moves by less than 6 / sqrt(n), as published. More strata: a record that comes moves T by at most
9 m (3 m + 4) / ((2 m + 7) (2 m + 5)) < 27/4 and W by less than 9/4, a record that goes likewise; with W' >= W,
|z' - z| <= (27/2) / sqrt(W') + sqrt(W) (W' - W) / (sqrt(W') (sqrt(W') + sqrt(W))) <= (27/2 + 9/8) / sqrt(W'), and W is
at least K f(n / K), since f is convex. (Published: 6 / sqrt(n) here too, which n strata of one record refute.)
"""

from __future__ import annotations

from math import inf, prod, sqrt

import numpy as np
from scipy.special import erf, erfc

from dpfair_cli.contracts import Floats, Ints
from dpfair_cli.models.contingency import Tables


class Kendall:
    """Kendall's test on tables of ordered categories; it remembers its statistics."""

    def __init__(self, tables: Tables) -> None:
        self.effort = tables.effort
        self._tables = tables
        self._memory: dict[tuple[int, ...], float] = {}

    def p_values(self, questions: Ints) -> Floats:
        """The two-sided p-values of questions (m, 2 + order), rows (i, j, given ...): (m,)."""
        return np.asarray(erfc(np.abs(self.statistics(questions)) / sqrt(2)))

    def statistics(self, questions: Ints) -> Floats:
        """Z of each question, (m,)."""
        keys = [tuple(row) for row in questions.tolist()]
        for i, j, *given in set(keys) - set(self._memory):
            self._memory[(i, j, *given)] = rank_statistic(self._tables.table(i, j, tuple(given)))
        return np.array([self._memory[key] for key in keys])


def rank_statistic(table: Floats) -> float:
    """Z of counts (strata, rows, columns); 0 where no stratum has two records."""
    below = np.cumsum(np.cumsum(table[:, ::-1, ::-1], axis=1), axis=2)[:, ::-1, ::-1]  # row >= i, column >= j
    beside = np.cumsum(np.cumsum(table[:, ::-1], axis=1), axis=2)[:, ::-1]  # row >= i, column <= j
    pairs = (table[:, :-1, :-1] * below[:, 1:, 1:]).sum(axis=(1, 2))
    pairs = pairs - (table[:, :-1, 1:] * beside[:, 1:, :-1]).sum(axis=(1, 2))
    records = table.sum(axis=(1, 2))
    weight = float(_weight(records).sum())
    return float((9 * pairs / (2 * records + 5)).sum()) / sqrt(weight) if weight > 0 else 0.0


def statistic_sensitivity(records: int, strata: int) -> float:
    """How far replacing one of `records` moves |z|, whatever they are; infinite with too many strata."""
    if strata == 1:
        return 6 / sqrt(max(records, 1))
    least = strata * _weight(records / strata)
    return 14.625 / sqrt(least) if least > 0 else inf


def p_value_sensitivity(sensitivity: Floats) -> Floats:
    """How far two-sided p-values move when |z| moves by `sensitivity`: most at z = 0."""
    return np.asarray(erf(sensitivity / sqrt(2)))


def strata_of(questions: Ints, levels: tuple[int, ...]) -> list[int]:
    """The number of strata of each question."""
    return [prod(levels[k] for k in row[2:]) for row in questions.tolist()]


def _weight(records: Floats | float) -> Floats:
    return np.asarray(9 * records * (records - 1) / (4 * records + 10))
