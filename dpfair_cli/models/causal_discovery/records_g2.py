"""The G^2 test on records: many tests at once, from contingency tables that they share.

G^2 = 2 (I(i, j, k ...) - I(i, k ...) - I(j, k ...) + I(k ...)). Here I of a set of variables is the
sum of N ln N over its table of counts N. The independence tests of one order share most of these
sets. The degrees of freedom are those of `independence`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import NotNegative, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import REMEMBERED, counted
from dpfair_cli.models.causal_discovery.independence import Freedom, chi_squared_tail
from dpfair_cli.models.causal_discovery.set_counts import SetCounts


class RecordsG2:
    """The G^2 test on categorical observations, from exact counts that many tests share.

    The formula needs tables whose smaller tables are exactly their sums. Noisy tables, in which
    negative counts become 0, are not like that: `independence.TablesG2` is the test for them.

    Args:
        observations: the records.
        freedom: how degrees of freedom are counted.
        records_per_freedom: the number of records for each degree of freedom below which the
            p-value is 1; pcalg uses 10.

    Raises:
        ValueError: the variables are numeric.
    """

    @checked
    def __init__(
        self,
        observations: Observations,
        *,
        freedom: Freedom = "full",
        records_per_freedom: NotNegative = 0.0,
    ) -> None:
        self.effort = len(observations)
        self._freedom, self._enough = freedom, records_per_freedom
        levels = np.array(observations.levels)
        ascending = np.argsort(levels, kind="stable")
        self._number = np.argsort(ascending)  # of each variable in the order of levels
        self._levels = levels[ascending]
        columns = counted(observations).columns[ascending]
        self._counts = SetCounts(columns, self._levels, freedom)

    def p_values(self, questions: Ints) -> Floats:
        """The p-values (m,) of m independence tests, one for each row of `questions`.

        A row (i, j, k ...) stands for the test whether variables i and j are independent given the
        variables k ....
        """
        asked = self._number[questions]
        levels = self._levels[asked]  # (m, 2 + order)
        strata = levels[:, 2:].prod(axis=1, dtype=float)
        freedom = (levels[:, 0] - 1) * (levels[:, 1] - 1) * strata
        enough = np.flatnonzero(self.effort >= self._enough * freedom)
        p_values = np.ones(len(asked))
        for rows in _parts(enough, levels[enough].prod(axis=1, dtype=float)):
            p_values[rows] = self._tested(asked[rows], freedom[rows], strata[rows])
        return p_values

    def _tested(self, asked: Ints, freedom: Floats, strata: Floats) -> Floats:
        """The p-values (m,) of tests, with the full degrees of freedom and numbers of strata."""
        statistics = self._information(asked)  # first, since an error names the whole table
        first, second = np.delete(asked, 1, axis=1), asked[:, 1:]  # (m, 1 + order)
        halves = np.sort(np.concatenate([first, second]))
        tables, places = self._counts.tables_of(halves)
        statistics = statistics + self._information(asked[:, 2:])
        statistics -= tables.information[places].reshape(2, -1).sum(axis=0)
        if self._freedom == "adjusted":
            tested = asked[:, :2].T.ravel()  # i of all tests, then j
            begins = tables.free_starts[places, (halves < tested[:, None]).sum(axis=1)]
            freedom = _sums_of_products(tables.free_levels, begins.reshape(2, -1), strata)
        return chi_squared_tail(np.maximum(2 * statistics, 0.0), freedom)

    def _information(self, sets: Ints) -> Floats:
        tables, places = self._counts.tables_of(np.sort(sets))
        return tables.information[places]


def _sums_of_products(free_levels: Ints, begins: Ints, strata: Floats) -> Floats:
    """The degrees of freedom of m tests: the sums over strata of the products of free levels.

    `free_levels` has those in all strata of a test from `begins` (2, m), for i and for j.
    """
    freedom = np.empty(len(strata))
    for count in np.unique(strata):
        tests = np.flatnonzero(strata == count)
        of_i, of_j = free_levels[begins[:, tests, None] + np.arange(count, dtype=np.int64)]
        freedom[tests] = (of_i * of_j).sum(axis=1)
    return freedom


def _parts(rows: Ints, cells: Floats) -> Iterator[Ints]:
    """Yields `rows` (m,) in parts whose tables have about REMEMBERED cells, given their `cells`."""
    if len(rows):
        part = np.cumsum(cells) // REMEMBERED
        yield from np.split(rows, np.flatnonzero(np.diff(part)) + 1)


@once_per_records
def g2(
    observations: Observations, freedom: Freedom = "full", records_per_freedom: float = 0.0
) -> RecordsG2:
    """The G^2 test of categorical observations; counts are cached for the observations."""
    return RecordsG2(observations, freedom=freedom, records_per_freedom=records_per_freedom)
