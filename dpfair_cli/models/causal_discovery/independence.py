"""Tests of conditional independence: G^2 and Kendall's for categories, Fisher's z for numbers.

Source: xu2021, Sections 4.3 and 4.5; Kalisch and Buehlmann 2007 for Fisher's z; Wang, Pang and Song
2020 for Kendall's test (tau-a, with strata weighted by the inverse of the variance).

A test asks whether variables i and j are independent given the conditioning variables k. A stratum
is a combination of levels of the conditioning variables. The argument `freedom` says how the
degrees of freedom of G^2 are counted:

- "full", the default: (levels_i - 1)(levels_j - 1) prod levels_k, as in the dissertation and in the
  R package pcalg, also if a stratum, row or column is empty.
- "adjusted": as in causal-learn, only the rows and columns of a stratum that are not empty count.
  If all rows and columns occur in all strata, "adjusted" equals "full".

With fewer records than `records_per_freedom` times the degrees of freedom, the test is not made and
the p-value is 1 (independent). With 0 degrees of freedom the p-value is 1 too. An empty cell adds
nothing to G^2 (0 ln 0 = 0).

Kendall's test is for ordered categories. Its statistic z, which is standard normal under
independence and which ties make smaller, and the sensitivity of z are in
mechanisms/sensitivity/kendall_statistic.py.
"""

from __future__ import annotations

from math import prod, sqrt
from typing import Literal, Protocol

import numpy as np
from scipy.special import chdtrc, erfc, xlogy

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import NotNegative, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.sensitivity.kendall_statistic import weight
from dpfair_cli.models.causal_discovery.contingency import Tables, counted, in_blocks

Question = tuple[int, ...]
"""The indices of the tested variables i and j, then of the conditioning variables."""
Freedom = Literal["full", "adjusted"]
"""How the degrees of freedom of G^2 are counted; see the docstring of this module."""
_sum = np.add.reduce  # what `sum` calls, without the time that `sum` itself takes for small tables
FULL_CORRELATION = 1 - 1e-7  # pcalg's limit of a partial correlation: Fisher's z stays finite


class Test(Protocol):
    """A test of conditional independence."""

    @property
    def effort(self) -> int:
        """The number of records or table cells that one independence test sums over."""
        ...

    def p_values(self, questions: Ints) -> Floats:
        """The p-values (m,) of m tests.

        The row (i, j, k ...) of `questions` stands for the test whether variables i and j are
        independent given the variables k ....
        """
        ...


class CountingTest:
    """A test of conditional independence that counts the performed tests in `tests`."""

    def __init__(self, test: Test) -> None:
        self.tests, self.effort = 0, test.effort
        self._test = test

    @property
    def reads(self) -> int:
        """The number of records or table cells that all performed tests summed over."""
        return self.tests * self.effort

    def p_values(self, questions: Ints) -> Floats:
        """The p-values (m,) of the tests in the rows of `questions`, which count from now on."""
        self.tests += len(questions)
        return self._test.p_values(questions)


def g_squared(table: Floats) -> Floats:
    """The statistic G^2 = 2 sum O ln(O/E) of each table of counts, summed over strata, (...).

    `table` has counts O (..., strata, rows, columns); E are the counts expected if rows and columns
    of a stratum are independent.
    """
    return _g_squared(table, _sum(table, axis=-1), _sum(table, axis=-2))


def _g_squared(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """G^2 of each table, with the sums of its rows and columns, (..., strata, rows or columns)."""
    totals = _sum(rows, axis=-1)  # (..., strata); E = row * column / total
    found = _information(table, (-3, -2, -1)) - _information(rows, (-2, -1))
    found = found - _information(columns, (-2, -1)) + _information(totals, (-1,))
    return np.asarray(np.maximum(2 * found, 0.0))


def degrees_of_freedom(table: Floats, freedom: Freedom = "full") -> Floats:
    """The degrees of freedom of G^2 of each table of counts, (...)."""
    return _freedom(_sum(table, axis=-1), _sum(table, axis=-2), freedom)


def _freedom(rows: Floats, columns: Floats, freedom: Freedom) -> Floats:
    """The degrees of freedom by the sums of rows and columns, (..., strata, rows or columns)."""
    nothing_empty = np.count_nonzero(rows) + np.count_nonzero(columns) == rows.size + columns.size
    if freedom == "full" or nothing_empty:
        degrees = rows.shape[-2] * (rows.shape[-1] - 1) * (columns.shape[-1] - 1)
        return np.full(rows.shape[:-2], float(degrees))
    free_rows = np.maximum((rows > 0).sum(axis=-1) - 1, 0)  # (..., strata)
    free_columns = np.maximum((columns > 0).sum(axis=-1) - 1, 0)
    return np.asarray((free_rows * free_columns).sum(axis=-1), dtype=float)


def chi_squared_tail(statistics: Floats, freedom: Floats) -> Floats:
    """The probability that a chi-squared variable is at least as large as each statistic."""
    free = np.asarray(freedom) > 0
    return np.where(free, chdtrc(np.where(free, freedom, 1.0), statistics), 1.0)


class TablesG2:
    """The G^2 test from one contingency table for each test, with a cache of the p-values.

    The counts may be noisy. For the counts of records, `records_g2.RecordsG2` is faster.

    Args:
        tables: the counts.
        freedom: how degrees of freedom are counted.
        records_per_freedom: the number of records for each degree of freedom below which the
            p-value is 1; pcalg uses 10.
    """

    @checked
    def __init__(
        self, tables: Tables, *, freedom: Freedom = "full", records_per_freedom: NotNegative = 0.0
    ) -> None:
        self.effort = tables.effort
        self._tables, self._freedom, self._enough = tables, freedom, records_per_freedom
        self._memory: dict[tuple[int, ...], float] = {}

    def p_values(self, questions: Ints) -> Floats:
        """The p-values (m,) of the tests in the rows of `questions`."""
        keys = [(*sorted(row[:2]), *sorted(row[2:])) for row in questions.tolist()]
        new = [key for key in dict.fromkeys(keys) if key not in self._memory]
        self._memory |= dict(zip(new, self._tested(new), strict=True))
        return np.array([self._memory[key] for key in keys])

    def _tested(self, keys: list[Question]) -> list[float]:
        """The p-values of independence tests that are not cached."""
        statistics, freedom = np.zeros(len(keys)), np.zeros(len(keys))
        enough = [k for k, key in enumerate(keys) if self._has_enough(key)]
        for places, block in in_blocks(self._tables, [keys[k] for k in enough]):
            asked = [enough[place] for place in places]
            rows, columns = _sum(block, axis=-1), _sum(block, axis=-2)
            statistics[asked] = _g_squared(block, rows, columns)
            freedom[asked] = _freedom(rows, columns, self._freedom)
        return chi_squared_tail(statistics, freedom).tolist()  # type: ignore[no-any-return]

    def _has_enough(self, key: Question) -> bool:
        if not self._enough:
            return True
        (i, j, *given), levels = key, self._tables.levels
        freedom = (levels[i] - 1) * (levels[j] - 1) * prod(levels[k] for k in given)
        return self._tables.records >= self._enough * freedom


class FisherZ:
    """Fisher's z test with an exact or noisy correlation matrix (p, p) of n records.

    A partial correlation from a noisy matrix may be undefined, and then counts as 0. It may also
    exceed 1, and is then clipped, as in pcalg.
    """

    def __init__(self, correlation: Floats, n: int) -> None:
        self.effort = 0  # the matrix is computed once, whatever the questions are
        self._correlation, self._n = correlation, n

    def p_values(self, questions: Ints) -> Floats:
        """The p-values (m,) of m independence tests, one for each row of `questions`.

        The p-values are 1 if there are too few records for the number of conditioning variables.
        """
        free = self._n - questions.shape[1] - 1
        if free <= 0:
            return np.ones(len(questions))
        partial = np.nan_to_num(partial_correlations(self._correlation, questions))
        clipped = np.clip(partial, -FULL_CORRELATION, FULL_CORRELATION)
        z = np.arctanh(clipped)  # 1/2 ln((1 + r) / (1 - r))
        return np.asarray(erfc(np.sqrt(free) * np.abs(z) / np.sqrt(2)))  # 2 (1 - Phi(|.|))


def partial_correlations(correlation: Floats, questions: Ints) -> Floats:
    """The partial correlations (m,) of variables i and j given k ..., for m rows of `questions`.

    Each row of `questions` is (i, j, k ...). A partial correlation is computed from the inverse of
    the submatrix of these variables, and is NaN if the submatrix is not a correlation matrix.
    """
    submatrices = correlation[questions[:, :, None], questions[:, None, :]]
    inverse = _inverse(submatrices)  # (m, 2 + order, 2 + order)
    squares = inverse[:, 0, 0] * inverse[:, 1, 1]
    return np.asarray(-inverse[:, 0, 1] / np.sqrt(np.where(squares > 0, squares, np.nan)))


def _information(counts: Floats, axes: tuple[int, ...]) -> Floats:
    """The sums of N ln N over these axes of the counts N."""
    return np.asarray(_sum(xlogy(counts, counts), axis=axes))


def _inverse(matrices: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.inv(matrices))
    except np.linalg.LinAlgError:  # one of them is singular
        return np.asarray(np.linalg.pinv(matrices))


class Kendall:
    """Kendall's test of conditional independence on tables of ordered categories."""

    def __init__(self, tables: Tables) -> None:
        self.effort = tables.effort
        self._tables = tables
        self._memory: dict[tuple[int, ...], float] = {}

    def p_values(self, questions: Ints) -> Floats:
        """The two-sided p-values (m,) of the tests in the rows of `questions`."""
        return np.asarray(erfc(np.abs(self.statistics(questions)) / sqrt(2)))

    def statistics(self, questions: Ints) -> Floats:
        """Kendall's statistics z (m,) of the tests in the rows of `questions`."""
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
