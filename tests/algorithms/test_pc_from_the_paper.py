"""PC on records: Algorithm 2 on data whose graph is known, its invariances, its count of tests, and what it refuses."""

from math import comb

import numpy as np
import pytest
from causal_oracles import as_matrix, cpdag

from dpfair_cli.algorithms.causal_discovery import pc
from dpfair_cli.kinds.variables import Observations


def observed(values, levels=()):
    values = np.asarray(values)
    return Observations(values, tuple(f"v{j}" for j in range(values.shape[1])), tuple(levels))


def fit(values, levels=(), **options):
    return pc.fit(observed(values, levels), rng=np.random.default_rng(0), **options)


ARCS = frozenset({(0, 2), (1, 2), (2, 3)})  # its class has no other member


def categories(n, seed=0):
    """v0 -> v2 <- v1, v2 -> v3, and v4 alone."""
    rng = np.random.default_rng(seed)
    a, b, e = rng.integers(0, 2, n), rng.integers(0, 3, n), rng.integers(0, 4, n)
    c = np.where(rng.random(n) < 0.8, np.minimum(a + b, 2), rng.integers(0, 3, n))
    d = np.where(rng.random(n) < 0.8, c > 0, rng.integers(0, 2, n)).astype(int)
    return np.column_stack([a, b, c, d, e]), (2, 3, 3, 2, 4)


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    a, b, c, d, e = rng.normal(size=(5, n))
    c += a - b
    d += 0.9 * c
    return np.column_stack([a, b, c, d, e])


@pytest.mark.parametrize("seed", range(4))
def test_the_graph_behind_the_records_is_found_for_categories_and_for_numbers(seed):
    truth = as_matrix(cpdag(ARCS, 4), 5)
    assert (truth & ~truth.T).sum() == 3
    np.testing.assert_array_equal(fit(*categories(6000, seed), significance=1e-6).cpdag, truth)
    np.testing.assert_array_equal(fit(numbers(2000, seed), significance=1e-6).cpdag, truth)


def test_the_order_of_the_columns_does_not_change_the_skeleton():
    rng = np.random.default_rng(0)
    for seed in range(5):
        values = rng.integers(0, 2, (60, 6))
        values[:, 1:] = np.where(rng.random((60, 5)) < 0.5, values[:, :-1], values[:, 1:])
        order = rng.permutation(6)
        for data, levels in ((values, (2,) * 6), (values + rng.normal(size=(60, 6)), ())):
            moved = fit(data[:, order], levels, significance=0.2).skeleton
            wanted = fit(data, levels, significance=0.2).skeleton
            np.testing.assert_array_equal(moved, wanted[np.ix_(order, order)], err_msg=str(seed))


def test_the_names_of_categories_and_the_units_of_numbers_do_not_matter():
    values, levels = categories(500)
    rng = np.random.default_rng(1)
    renamed = np.column_stack([rng.permutation(level)[values[:, j]] for j, level in enumerate(levels)])
    np.testing.assert_array_equal(fit(renamed, levels).cpdag, fit(values, levels).cpdag)
    X = numbers(300)
    np.testing.assert_array_equal(fit(X * [1, -3, 1e6, 1e-6, 2] + [0, 5, -7, 1e3, 0]).cpdag, fit(X).cpdag)


def test_the_order_of_the_records_does_not_matter():
    values, levels = categories(500)
    shuffled = np.random.default_rng(2).permutation(values)
    np.testing.assert_array_equal(fit(shuffled, levels).cpdag, fit(values, levels).cpdag)


def test_independent_variables_are_tested_once_a_pair():
    X = np.random.default_rng(0).normal(size=(500, 6))
    graph = fit(X, significance=1e-6)
    assert not graph.skeleton.any()
    assert graph.tests == comb(6, 2)


def test_three_dependent_variables_are_tested_given_nothing_and_given_the_third():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    b = a + rng.normal(size=300)
    c = a + 2 * b + rng.normal(size=300)
    graph = fit(np.column_stack([a, b, c]))
    assert graph.skeleton.sum() == 6
    assert graph.tests == 3 + 3


def test_fewer_records_than_ten_per_degree_of_freedom_say_independent_by_pcalgs_rule():
    values = np.repeat([[0, 0], [1, 1]], 4, axis=0)  # eight records, one degree of freedom
    assert fit(flip(values), (2, 2)).skeleton.any()
    assert not fit(flip(values), (2, 2), records_per_freedom=10).skeleton.any()
    more = np.concatenate([flip(values)] * 2)
    assert fit(more, (2, 2), records_per_freedom=10).skeleton.any()


def flip(values):
    """One record off the diagonal, so that the columns are no copies: (4 1 / 0 4), G^2 = 6.96 above 6.63."""
    return np.concatenate([values, [[0, 1]]])


REFUSED = {
    "constant": (np.column_stack([np.zeros(40, int), np.arange(40) % 2]), (2, 2)),
    "copies": (np.repeat(np.arange(40)[:, None] % 2, 2, axis=1), (2, 2)),
    "renamed copies": (np.column_stack([np.arange(40) % 2, (np.arange(40) + 1) % 2]), (2, 2)),
    "fewer records than variables": (np.random.default_rng(0).normal(size=(4, 6)), ()),
    "singular": (np.random.default_rng(0).normal(size=(40, 2)) @ [[1, 0, 1], [0, 1, 1]], ()),
    "a constant number": (np.column_stack([np.ones(40), np.arange(40.0)]), ()),
    "one variable": (np.random.default_rng(0).normal(size=(40, 1)), ()),
    "no record": (np.empty((0, 3)), ()),
    "numbers whose squares overflow": (np.random.default_rng(0).normal(size=(40, 3)) * 1e200, ()),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_graph_can_come_from_is_refused_in_one_line(case):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        fit(*REFUSED[case])


@pytest.mark.parametrize("significance", [0, 1, 2, -1, float("nan")])
def test_a_significance_outside_zero_and_one_is_refused(significance):
    with pytest.raises(ValueError, match="significance"):
        fit(numbers(50), significance=significance)


@pytest.mark.parametrize("rule", [-1, float("nan")])
def test_a_negative_number_of_records_per_freedom_is_refused(rule):
    with pytest.raises(ValueError, match="records_per_freedom"):
        fit(*categories(50), records_per_freedom=rule)


def test_a_level_that_nobody_has_changes_the_freedom_as_printed_and_not_as_adjusted():
    values, levels = categories(200)
    wider = (*levels[:3], 7, levels[4])
    adjusted, other = (fit(values, sizes, freedom="adjusted").cpdag for sizes in (levels, wider))
    np.testing.assert_array_equal(adjusted, other)
    assert fit(values, wider).skeleton.shape == (5, 5)
