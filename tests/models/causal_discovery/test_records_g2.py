"""The G^2 test on records: against scipy's formula by a loop, against TablesG2, and by hand."""

from __future__ import annotations

import tracemalloc
from itertools import combinations
from math import prod

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery import contingency, records_g2
from dpfair_cli.models.causal_discovery.contingency import counted
from dpfair_cli.models.causal_discovery.independence import TablesG2
from dpfair_cli.models.causal_discovery.records_g2 import SetCounts, _numbers, g2
from tests.algorithms.causal_discovery.samples import observed
from tests.models.causal_discovery.single_tests import p_value
from tests.oracles.causal import p_value as slow_p_value
from tests.oracles.causal import table_of

LEVELS = (3, 2, 4, 1, 2, 3)


def records(n: int, seed: int = 0, levels: tuple[int, ...] = LEVELS) -> np.ndarray:
    """Categories of which some copy their left neighbour; a few levels may not occur."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(count, size=n) for count in levels])
    for j in range(1, len(levels)):
        copied = rng.random(n) < 0.5
        values[copied, j] = np.minimum(values[copied, j - 1], levels[j] - 1)
    return values


def questions(p: int, order: int) -> np.ndarray:
    """All tests of two of p variables given `order` others."""
    rows = [
        (*pair, *given)
        for pair in combinations(range(p), 2)
        for given in combinations([k for k in range(p) if k not in pair], order)
    ]
    return np.array(rows)


@pytest.mark.parametrize("n", [2, 63, 64, 65, 300])
@pytest.mark.parametrize("order", range(5))
@pytest.mark.parametrize("freedom", ["full", "adjusted"])
def test_all_tests_of_an_order_are_those_of_single_tables(n, order, freedom):
    values, asked = records(n), questions(len(LEVELS), order)
    single = TablesG2(counted(observed(values, LEVELS)), freedom=freedom, records_per_freedom=5.0)
    found = g2(observed(values, LEVELS), freedom, 5.0).p_values(asked)
    np.testing.assert_allclose(found, single.p_values(asked), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("order", range(4))
def test_p_values_are_those_of_a_loop(order):
    values, asked = records(200, seed=order), questions(len(LEVELS), order)
    found = g2(observed(values, LEVELS)).p_values(asked)
    wanted = [slow_p_value(table_of(values, tuple(row), LEVELS)) for row in asked.tolist()]
    wanted = np.nan_to_num(wanted, nan=1.0)  # scipy's tail with 0 degrees of freedom is NaN
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("most", [0, 1024], ids=["from codes", "from bits"])
@pytest.mark.parametrize("size", range(1, 6))
def test_the_tables_of_sets_are_counted_one_record_at_a_time(monkeypatch, most, size):
    monkeypatch.setattr(records_g2, "MOST_CELLS", most)
    levels = tuple(sorted(LEVELS))
    values = records(100, levels=levels)
    sets = np.array([*combinations(range(len(levels)), size)])
    tables, places = SetCounts(values.T, np.array(levels), "adjusted").tables_of(sets)
    for variables, place in zip(sets.tolist(), places, strict=True):
        shape = [levels[variable] for variable in variables]
        expected = np.zeros(shape, dtype=int)
        np.add.at(expected, tuple(values[:, variables].T), 1)
        np.testing.assert_array_equal(tables.at(np.array([place]), shape)[0], expected)
        for axis, start in enumerate(tables.free_starts[place]):
            occur = (expected > 0).sum(axis=axis).ravel()
            free = tables.free_levels[start : start + prod(shape) // shape[axis]]
            np.testing.assert_array_equal(free, np.maximum(occur - 1, 0))


def test_forgotten_counts_are_counted_again(monkeypatch):
    values, asked = records(80), questions(len(LEVELS), 2)
    wanted = g2(observed(values, LEVELS)).p_values(asked)
    monkeypatch.setattr(contingency, "REMEMBERED", 1)
    test = g2(observed(values, LEVELS))
    found = [test.p_values(asked[start : start + 7]) for start in range(0, len(asked), 7)]
    np.testing.assert_array_equal(np.concatenate(found), wanted)


def test_large_tables_are_tested_in_parts(monkeypatch):
    values, asked = records(80), questions(len(LEVELS), 2)
    wanted = g2(observed(values, LEVELS)).p_values(asked)
    monkeypatch.setattr(contingency, "REMEMBERED", 50)
    np.testing.assert_array_equal(g2(observed(values, LEVELS)).p_values(asked), wanted)


def test_numbers_of_sets_differ_beyond_64_bits():
    rows = np.array([[1] * 40, [0] + [1] * 39, [1] * 39 + [0]])
    assert len(set(_numbers(rows, 100).tolist())) == 3


def test_a_table_with_too_many_cells_is_refused():
    wide = (2**10,) * 3
    test = g2(observed(records(5, levels=wide), wide))
    with pytest.raises(ValueError, match="1,073,741,824 cells, too many to count"):
        p_value(test, 0, 1, (2,))


def test_the_refused_table_is_that_of_all_variables_of_the_test():
    wide = (2, *[2**9] * 4)
    test = g2(observed(records(5, levels=wide), wide))
    with pytest.raises(ValueError, match="table of 5 variables has 137,438,953,472 cells"):
        p_value(test, 0, 1, (2, 3, 4))


@pytest.mark.parametrize("freedom", ["full", "adjusted"])
def test_a_large_table_takes_twice_the_memory_of_its_counts(freedom):
    wide = (1000, 1000)
    test, asked = g2(observed(records(5, levels=wide), wide), freedom), np.array([[0, 1]])
    tracemalloc.start()
    test.p_values(asked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.2 * 8 * prod(wide)  # the counts and their N ln N


def test_no_question_has_no_answer():
    test = g2(observed(records(20), LEVELS))
    assert test.p_values(np.empty((0, 4), dtype=np.int64)).shape == (0,)
