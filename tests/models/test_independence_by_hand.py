"""Tests of independence against scipy, loops over records, and formulas worked by hand."""

from itertools import permutations
from math import atanh, log, sqrt

import numpy as np
import pytest
from causal_oracles import g_squared as slow_g_squared
from causal_oracles import p_value as slow_p_value
from causal_oracles import table_of
from scipy.stats import norm

from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import JointTable, counted
from dpfair_cli.models.causal_discovery.independence import G2, FisherZ, chi_squared_tail, degrees_of_freedom, g_squared


def observed(values, levels):
    values = np.asarray(values, dtype=np.int64)
    return Observations(values, tuple(f"v{j}" for j in range(values.shape[1])), tuple(levels))


def random_records(levels, n, seed):
    """Categories that depend on their left neighbour; the last category of the first column may be missing."""
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
    test = G2(counted(observed(values, levels)))
    assert test.p_value(i, j, given) == pytest.approx(slow_p_value(slow), abs=1e-12)


@every_case
def test_the_question_asked_backwards_has_the_same_answer(levels, n, question):
    i, j, given = question
    test = G2(counted(observed(random_records(levels, n, 5), levels)))
    answers = [test.p_value(a, b, order) for a, b in ((i, j), (j, i)) for order in permutations(given)]
    np.testing.assert_allclose(answers, answers[0], rtol=1e-9)


def test_the_names_of_the_categories_and_the_order_of_the_columns_do_not_matter():
    levels, values = (3, 2, 4, 3), random_records((3, 2, 4, 3), 80, 7)
    rng = np.random.default_rng(0)
    renamed = np.column_stack([rng.permutation(level)[values[:, j]] for j, level in enumerate(levels)])
    order = [2, 0, 3, 1]
    moved = observed(values[:, order], [levels[j] for j in order])
    wanted = G2(counted(observed(values, levels))).p_value(0, 2, (1, 3))
    assert G2(counted(observed(renamed, levels))).p_value(0, 2, (1, 3)) == pytest.approx(wanted, rel=1e-9)
    assert G2(counted(moved)).p_value(order.index(0), order.index(2), (3, 2)) == pytest.approx(wanted, rel=1e-9)
    shuffled = observed(rng.permutation(values), levels)
    assert G2(counted(shuffled)).p_value(0, 2, (1, 3)) == pytest.approx(wanted, rel=1e-12)


def test_many_questions_at_once_have_the_answers_of_one_by_one():
    levels = (2, 3, 2, 4, 3)
    test = G2(counted(observed(random_records(levels, 60, 1), levels)))
    again = G2(counted(observed(random_records(levels, 60, 1), levels)))
    for questions in ([[0, 1, 2, 3], [0, 1, 2, 4], [4, 1, 3, 0], [0, 1, 4, 2], [1, 0, 3, 2]], [[0, 1], [4, 2], [2, 4]]):
        answers = [again.p_value(i, j, tuple(given)) for i, j, *given in questions]
        np.testing.assert_allclose(test.p_values(np.array(questions)), answers, rtol=1e-9)
    assert test.p_values(np.empty((0, 4), dtype=np.int64)).shape == (0,)


def test_degrees_of_freedom_count_all_strata_as_section_4_3_does():
    table = np.zeros((6, 3, 4))
    table[0, :2, :2] = 1  # one stratum of six, two rows of three, two columns of four
    assert degrees_of_freedom(table, "full") == 2 * 3 * 6
    assert degrees_of_freedom(table, "adjusted") == 1


def test_ten_records_on_a_diagonal_by_hand():
    values = np.repeat([[0, 0], [1, 1]], 5, axis=0)
    test = G2(counted(observed(values, (2, 2))))
    # 20 ln 2 = 13.863 with one degree of freedom: P(|Z| > sqrt(13.863))
    assert test.p_value(0, 1, ()) == pytest.approx(2 * norm.sf(sqrt(20 * log(2))))


def test_two_degrees_of_freedom_have_an_exponential_tail():
    np.testing.assert_allclose(chi_squared_tail(np.array([0.0, 2.0, 9.21]), 2), np.exp([0, -1, -4.605]))
    assert chi_squared_tail(np.array(0.0), 0) == 1


@pytest.mark.parametrize(
    "values", [[[0, 0]] * 6, [[0, 0], [0, 1]] * 3, [[1, 0]], np.empty((0, 2), dtype=np.int64)], ids=len
)
def test_a_constant_column_one_record_or_none_are_independent_of_everything(values):
    for freedom in ("full", "adjusted"):
        test = G2(counted(observed(np.reshape(values, (-1, 2)), (2, 3))), freedom=freedom)
        assert test.p_value(0, 1, ()) == 1


def test_a_column_with_one_level_is_independent_of_everything():
    for freedom in ("full", "adjusted"):
        test = G2(counted(observed([[0, 0, 0], [0, 1, 1]] * 30, (1, 2, 2))), freedom=freedom)
        assert test.p_value(0, 1, ()) == 1
        assert test.p_value(1, 2, (0,)) < 1e-9


def test_a_copy_of_a_column_is_dependent_and_explains_it_away():
    values = random_records((2, 2), 200, 3)
    values = np.column_stack([values, values[:, 0]])
    test = G2(counted(observed(values, (2, 2, 2))))
    assert test.p_value(0, 2, ()) < 1e-30
    assert test.p_value(0, 1, (2,)) == pytest.approx(1)  # in each stratum of its copy a column is constant


def test_marginals_of_the_joint_table_are_the_tables_of_the_records():
    levels, values = (2, 3, 2, 2), random_records((2, 3, 2, 2), 90, 2)
    joint = np.zeros(levels)
    np.add.at(joint, tuple(values.T), 1)
    for i, j, given in [(0, 1, ()), (1, 3, (2,)), (3, 0, (2, 1)), (3, 0, (1, 2))]:
        np.testing.assert_allclose(
            JointTable(joint).table(i, j, given), counted(observed(values, levels)).table(i, j, given), atol=1e-9
        )


def test_negative_counts_of_a_noisy_table_leave_no_nan():
    rng = np.random.default_rng(0)
    for scale in (0.1, 10.0, 1e6):
        test = G2(JointTable(rng.laplace(scale=scale, size=(2, 3, 2, 2))))
        p = np.array([test.p_value(i, j, given) for i, j, given in [(0, 1, ()), (0, 1, (2,)), (3, 0, (1, 2))]])
        assert ((p >= 0) & (p <= 1)).all()


def test_a_joint_table_of_zeros_or_below_is_independent():
    for fill in (0.0, -3.0):
        assert G2(JointTable(np.full((2, 2, 2), fill))).p_value(0, 1, (2,)) == 1


# --- Fisher's z


def z_p_value(r, n, order):
    return 2 * norm.sf(sqrt(n - order - 3) * abs(atanh(r)))


def test_a_correlation_of_three_tenths_by_hand():
    # atanh(0.3) = 0.30952 and sqrt(103 - 3) = 10: |N(0, 1)| > 3.0952
    test = FisherZ(np.array([[1, 0.3], [0.3, 1]]), 103)
    assert test.p_value(0, 1, ()) == pytest.approx(2 * norm.sf(3.0951960), rel=1e-6)
    assert test.p_value(1, 0, ()) == test.p_value(0, 1, ())


def test_one_condition_is_the_textbook_formula():
    a, b, c = 0.5, 0.4, 0.6  # r01, r02, r12
    partial = (a - b * c) / sqrt((1 - b**2) * (1 - c**2))
    test = FisherZ(np.array([[1, a, b], [a, 1, c], [b, c, 1]]), 50)
    assert test.p_value(0, 1, (2,)) == pytest.approx(z_p_value(partial, 50, 1), rel=1e-9)


def test_partial_correlation_is_the_correlation_of_the_residuals():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) @ rng.normal(size=(6, 6))
    test = FisherZ(np.corrcoef(X, rowvar=False), 60)
    for i, j, given in [(0, 1, (2, 3)), (4, 0, (1, 2, 5)), (3, 2, (0, 1, 4, 5))]:
        design = np.column_stack([np.ones(60), X[:, given]])
        rest = X[:, [i, j]] - design @ np.linalg.lstsq(design, X[:, [i, j]], rcond=None)[0]
        partial = np.corrcoef(rest, rowvar=False)[0, 1]
        assert test.p_value(i, j, given) == pytest.approx(z_p_value(partial, 60, len(given)), rel=1e-6)


def test_the_sign_of_a_variable_does_not_matter():
    rng = np.random.default_rng(1)
    R = np.corrcoef(rng.normal(size=(40, 4)) @ rng.normal(size=(4, 4)), rowvar=False)
    flip = np.array([1, -1, 1, -1.0])
    wanted = FisherZ(R, 40).p_value(0, 1, (2, 3))
    assert FisherZ(R * np.outer(flip, flip), 40).p_value(0, 1, (2, 3)) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("n", [1, 3, 4, 5])
def test_without_a_degree_of_freedom_nothing_is_dependent(n):
    R = np.full((3, 3), 0.9) + 0.1 * np.eye(3)
    for order, given in enumerate([(), (2,)]):
        p = FisherZ(R, n).p_value(0, 1, given)
        assert p == pytest.approx(z_p_value((0.9, 0.9 / 1.9)[order], n, order) if n > order + 3 else 1)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_copied_column_is_dependent_and_gives_no_nan(sign):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 100))
    R = np.corrcoef([x, sign * x, x + y])
    test = FisherZ(R, 100)
    assert test.p_value(0, 1, ()) < 1e-12
    for i, j, given in [(0, 1, (2,)), (0, 2, (1,)), (1, 2, (0,))]:  # singular
        assert 0 <= test.p_value(i, j, given) <= 1


def test_any_symmetric_noise_gives_a_p_value():
    rng = np.random.default_rng(3)
    for scale in (0.5, 3.0, 1e3):
        R = rng.laplace(scale=scale, size=(5, 5))
        R = R + R.T
        np.fill_diagonal(R, 1)
        for given in [(), (2,), (2, 3), (2, 3, 4)]:
            assert 0 <= FisherZ(R, 50).p_value(0, 1, given) <= 1


def test_many_correlations_at_once_have_the_answers_of_one_by_one():
    R = np.corrcoef(
        np.random.default_rng(0).normal(size=(40, 5)) @ np.ones((5, 5)) + np.eye(5)[np.arange(40) % 5], rowvar=False
    )
    test = FisherZ(R, 40)
    for questions in ([[0, 1], [3, 2]], [[0, 1, 2, 3], [4, 0, 2, 1], [1, 4, 0, 3]]):
        answers = [test.p_value(i, j, tuple(given)) for i, j, *given in questions]
        np.testing.assert_allclose(test.p_values(np.array(questions)), answers, rtol=1e-9)
