"""Contingency tables: by hand, as marginals of a joint table, and cached."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import CountedTables, JointTable, counted

LEVELS = (2, 3, 4, 2)


def observations(n: int = 400, seed: int = 0) -> Observations:
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(count, size=n) for count in LEVELS])
    values[:, 3] = np.where(rng.random(n) < 0.3, values[:, 0], values[:, 3])
    return Observations(values, ("a", "b", "c", "d"), LEVELS)


def test_a_table_counts_by_hand() -> None:
    values = np.array([[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 2, 1], [1, 2, 1]])
    tables = CountedTables(values, (2, 3, 2))
    assert tables.table(0, 1).tolist() == [[[0, 2, 0], [1, 0, 2]]]
    assert tables.table(1, 0).tolist() == [[[0, 1], [2, 0], [0, 2]]]
    assert tables.table(0, 1, (2,)).tolist() == [[[0, 1, 0], [0, 0, 0]], [[0, 1, 0], [1, 0, 2]]]


def test_strata_run_over_the_given_variables_the_last_fastest() -> None:
    data = observations()
    table = counted(data).table(1, 3, (2, 0))
    for k, (c, a) in enumerate(np.ndindex(4, 2)):
        rows = (data.values[:, 2] == c) & (data.values[:, 0] == a)
        assert table[k, 2, 1] == (rows & (data.values[:, 1] == 2) & (data.values[:, 3] == 1)).sum()


@pytest.mark.parametrize("n", [1, 63, 64, 65, 400])
@pytest.mark.parametrize("variables", [(0,), (0, 1), (1, 2, 3), (0, 1, 2, 3)])
def test_sets_of_records_give_the_counts_of_codes(n, variables) -> None:
    tables = CountedTables(observations(n).values, LEVELS)
    counts = tables._counted_by_bits(variables)
    expected = np.zeros([LEVELS[variable] for variable in variables])
    np.add.at(expected, tuple(observations(n).values[:, variables].T), 1)
    assert np.array_equal(counts, expected)


def test_a_table_with_too_many_cells_is_refused() -> None:
    tables = CountedTables(np.zeros((3, 3), dtype=np.int64), (2**10, 2**9, 2**8))
    assert tables.table(0, 1).size == 2**19
    with pytest.raises(ValueError, match="table of 3 variables has 134,217,728 cells, too many"):
        tables.table(0, 1, (2,))


def test_the_marginals_of_a_joint_table_are_the_counted_tables() -> None:
    data = observations()
    joint = np.zeros(LEVELS)
    np.add.at(joint, tuple(data.values.T), 1)
    for question in [(0, 1, ()), (3, 0, (2,)), (1, 2, (3, 0)), (2, 1, (0,))]:
        np.testing.assert_array_equal(
            JointTable(joint).table(*question), counted(data).table(*question)
        )


def test_a_negative_marginal_count_of_a_joint_table_becomes_zero() -> None:
    joint = np.array([[[3.0, -1.0], [-4.0, 1.0]]])
    assert JointTable(joint).table(1, 2).tolist() == [[[3, 0], [0, 1]]]
    assert JointTable(joint).table(0, 1).tolist() == [[[2, 0]]]


def test_tables_are_counted_once_for_each_set_of_variables(monkeypatch) -> None:
    tables, calls = CountedTables(observations().values, LEVELS), []
    inner = tables._counted
    monkeypatch.setattr(
        tables, "_counted", lambda variables: calls.append(variables) or inner(variables)
    )
    for question in [(0, 1, (2,)), (1, 0, (2,)), (2, 0, (1,)), (2, 1, (0,))]:
        tables.table(*question)
    assert calls == [(0, 1, 2)]
