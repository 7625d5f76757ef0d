"""The G^2 test: by hand, against scipy and a loop, degrees of freedom, and empty cells."""

from __future__ import annotations

from itertools import permutations
from math import log, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import CountedTables, JointTable, counted
from dpfair_cli.models.causal_discovery.independence import (
    TablesG2,
    chi_squared_tail,
    degrees_of_freedom,
    g_squared,
)
from dpfair_cli.models.causal_discovery.records_g2 import g2
from tests.algorithms.causal_discovery.samples import observed
from tests.models.causal_discovery.single_tests import p_value
from tests.oracles.causal import g_squared as slow_g_squared
from tests.oracles.causal import p_value as slow_p_value
from tests.oracles.causal import table_of

LEVELS = (2, 3, 4, 2)


def observations(n: int = 400, seed: int = 0) -> Observations:
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(count, size=n) for count in LEVELS])
    values[:, 3] = np.where(rng.random(n) < 0.3, values[:, 0], values[:, 3])
    return Observations(values, ("a", "b", "c", "d"), LEVELS)


def test_g_squared_of_a_two_by_two_table_by_hand() -> None:
    # 2 (3 ln(3/2) + 1 ln(1/2) + 1 ln(1/2) + 3 ln(3/2))
    assert g_squared(np.array([[[3.0, 1.0], [1.0, 3.0]]])) == pytest.approx(
        4 * (3 * np.log(1.5) - np.log(2))
    )


def test_g_squared_is_scipys_and_adds_up_over_strata() -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(1, 30, (5, 3, 4)).astype(float)
    whole = stats.chi2_contingency(table[0], correction=False, lambda_="log-likelihood")
    assert g_squared(table[:1]) == pytest.approx(whole.statistic)
    assert g_squared(table) == pytest.approx(sum(g_squared(table[k : k + 1]) for k in range(5)))
    np.testing.assert_allclose(
        g_squared(np.stack([table, 2 * table])), g_squared(table) * np.array([1, 2])
    )


def test_independent_counts_have_no_g_squared() -> None:
    assert g_squared(np.outer([1, 2, 3], [4, 5])[None].astype(float)) == pytest.approx(0, abs=1e-10)


def test_the_p_value_is_scipys() -> None:
    data = observations()
    table = counted(data).table(0, 3)[0]
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert p_value(g2(data), 0, 3) == pytest.approx(expected.pvalue)
    assert p_value(g2(data), 3, 0) == pytest.approx(expected.pvalue)


def test_degrees_of_freedom_of_empty_rows_columns_and_strata() -> None:
    table = np.array(
        [[[1, 2, 0], [3, 4, 0]], [[0, 0, 0], [5, 6, 7]], [[0, 0, 0], [0, 0, 0]]], dtype=float
    )
    assert degrees_of_freedom(table, "full") == 3 * 1 * 2
    assert degrees_of_freedom(table, "adjusted") == 1  # (2 - 1)(2 - 1), (1 - 1)(3 - 1), nothing


def test_no_freedom_is_no_evidence() -> None:
    assert chi_squared_tail(np.array([0.0, 3.0]), np.array([0.0, 1.0])) == pytest.approx(
        [1, stats.chi2.sf(3, 1)]
    )


def test_too_few_records_for_the_freedom_say_independent() -> None:
    values = np.repeat([[0, 0], [1, 1]], 10, axis=0)
    tables = CountedTables(values, (2, 4))  # 3 degrees of freedom, 20 records
    assert p_value(TablesG2(tables), 0, 1) < 1e-4
    assert p_value(TablesG2(tables, records_per_freedom=6.7), 0, 1) == 1
    assert p_value(TablesG2(tables, records_per_freedom=6.6), 0, 1) < 1e-4


def test_a_level_that_never_occurs_changes_full_freedom_only() -> None:
    data = observations()
    wider = Observations(data.values, data.names, (3, *LEVELS[1:]))
    assert p_value(g2(wider, "adjusted"), 0, 3, (2,)) == pytest.approx(
        p_value(g2(data, "adjusted"), 0, 3, (2,))
    )
    assert p_value(g2(wider), 0, 3) > p_value(g2(data), 0, 3)


def test_an_unknown_freedom_is_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        g2(observations(), "nonsense")


def test_categories_are_asked_for() -> None:
    with pytest.raises(ValueError, match="must be categorical, got numerical ones"):
        g2(Observations(np.ones((3, 2)), ("a", "b")))


def random_records(levels, n, seed):
    """Categories that depend on the left neighbour; the first column may lack its last category."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(0, level, n) for level in levels])
    for j in range(1, len(levels)):
        copied = rng.random(n) < 0.4
        values[copied, j] = np.minimum(values[copied, j - 1], levels[j] - 1)
    return values


CASES = [  # levels, records, (i, j, given)
    ((2, 2), 30, (0, 1, ())),
    ((2, 3, 4), 50, (0, 1, (2,))),
    ((3, 2, 2, 5), 40, (1, 0, (3, 2))),
    ((5, 4, 3, 2), 25, (0, 2, (1, 3))),  # most strata are empty
    ((2, 2, 2, 2, 2), 7, (4, 0, (1, 2, 3))),
    ((4, 4), 1, (0, 1, ())),
]
every_case = pytest.mark.parametrize(("levels", "n", "question"), CASES, ids=str)


@every_case
@pytest.mark.parametrize("seed", range(3))
def test_tables_statistics_and_p_values_are_those_of_scipy_and_a_loop(levels, n, question, seed):
    values = random_records(levels, n, seed)
    i, j, given = question
    slow = table_of(values, (i, j, *given), levels)
    table = counted(observed(values, levels)).table(i, j, given)
    np.testing.assert_array_equal(np.moveaxis(table, 0, 2), slow)
    assert g_squared(table) == pytest.approx(slow_g_squared(slow), abs=1e-9)
    test = TablesG2(counted(observed(values, levels)))
    assert p_value(test, i, j, given) == pytest.approx(slow_p_value(slow), abs=1e-12)


@every_case
def test_the_question_asked_backwards_has_the_same_answer(levels, n, question):
    i, j, given = question
    test = TablesG2(counted(observed(random_records(levels, n, 5), levels)))
    answers = [p_value(test, i, j, order) for order in permutations(given)]
    answers += [p_value(test, j, i, order) for order in permutations(given)]
    np.testing.assert_allclose(answers, answers[0], rtol=1e-9)


def test_category_names_and_column_order_do_not_matter():
    levels, values = (3, 2, 4, 3), random_records((3, 2, 4, 3), 80, 7)
    rng = np.random.default_rng(0)
    renamed = np.column_stack(
        [rng.permutation(level)[values[:, j]] for j, level in enumerate(levels)]
    )
    order = [2, 0, 3, 1]
    moved = observed(values[:, order], [levels[j] for j in order])
    wanted = p_value(TablesG2(counted(observed(values, levels))), 0, 2, (1, 3))
    assert p_value(TablesG2(counted(observed(renamed, levels))), 0, 2, (1, 3)) == pytest.approx(
        wanted, rel=1e-9
    )
    assert p_value(
        TablesG2(counted(moved)), order.index(0), order.index(2), (3, 2)
    ) == pytest.approx(wanted, rel=1e-9)
    shuffled = observed(rng.permutation(values), levels)
    assert p_value(TablesG2(counted(shuffled)), 0, 2, (1, 3)) == pytest.approx(wanted, rel=1e-12)


def test_degrees_of_freedom_count_all_strata_as_section_4_3_does():
    table = np.zeros((6, 3, 4))
    table[0, :2, :2] = 1  # one stratum of six, two rows of three, two columns of four
    assert degrees_of_freedom(table, "full") == 2 * 3 * 6
    assert degrees_of_freedom(table, "adjusted") == 1


def test_ten_records_on_a_diagonal_by_hand():
    values = np.repeat([[0, 0], [1, 1]], 5, axis=0)
    test = TablesG2(counted(observed(values, (2, 2))))
    # 20 ln 2 = 13.863 with one degree of freedom: P(|Z| > sqrt(13.863))
    assert p_value(test, 0, 1, ()) == pytest.approx(2 * norm.sf(sqrt(20 * log(2))))


def test_two_degrees_of_freedom_have_an_exponential_tail():
    np.testing.assert_allclose(
        chi_squared_tail(np.array([0.0, 2.0, 9.21]), 2), np.exp([0, -1, -4.605])
    )
    assert chi_squared_tail(np.array(0.0), 0) == 1


@pytest.mark.parametrize(
    "values",
    [[[0, 0]] * 6, [[0, 0], [0, 1]] * 3, [[1, 0]], np.empty((0, 2), dtype=np.int64)],
    ids=len,
)
def test_a_constant_column_or_at_most_one_record_means_independence(values):
    for freedom in ("full", "adjusted"):
        test = TablesG2(counted(observed(np.reshape(values, (-1, 2)), (2, 3))), freedom=freedom)
        assert p_value(test, 0, 1, ()) == 1


def test_a_column_with_one_level_is_independent_of_everything():
    for freedom in ("full", "adjusted"):
        test = TablesG2(counted(observed([[0, 0, 0], [0, 1, 1]] * 30, (1, 2, 2))), freedom=freedom)
        assert p_value(test, 0, 1, ()) == 1
        assert p_value(test, 1, 2, (0,)) < 1e-9


def test_a_copy_of_a_column_is_dependent_and_explains_it_away():
    values = random_records((2, 2), 200, 3)
    values = np.column_stack([values, values[:, 0]])
    test = TablesG2(counted(observed(values, (2, 2, 2))))
    assert p_value(test, 0, 2, ()) < 1e-30
    given_its_copy = p_value(test, 0, 1, (2,))  # a column is constant in each stratum of its copy
    assert given_its_copy == pytest.approx(1)


def test_many_questions_at_once_have_the_answers_of_one_by_one():
    levels = (2, 3, 2, 4, 3)
    test = TablesG2(counted(observed(random_records(levels, 60, 1), levels)))
    again = TablesG2(counted(observed(random_records(levels, 60, 1), levels)))
    for questions in (
        [[0, 1, 2, 3], [0, 1, 2, 4], [4, 1, 3, 0], [0, 1, 4, 2], [1, 0, 3, 2]],
        [[0, 1], [4, 2], [2, 4]],
    ):
        answers = [p_value(again, i, j, tuple(given)) for i, j, *given in questions]
        np.testing.assert_array_equal(test.p_values(np.array(questions)), answers)
    assert test.p_values(np.empty((0, 4), dtype=np.int64)).shape == (0,)


def test_negative_counts_of_a_noisy_table_leave_no_nan():
    rng = np.random.default_rng(0)
    for scale in (0.1, 10.0, 1e6):
        test = TablesG2(JointTable(rng.laplace(scale=scale, size=(2, 3, 2, 2))))
        p = np.array(
            [
                p_value(test, i, j, given)
                for i, j, given in [(0, 1, ()), (0, 1, (2,)), (3, 0, (1, 2))]
            ]
        )
        assert ((p >= 0) & (p <= 1)).all()


def test_a_joint_table_of_zeros_or_below_is_independent():
    for fill in (0.0, -3.0):
        assert p_value(TablesG2(JointTable(np.full((2, 2, 2), fill))), 0, 1, (2,)) == 1
