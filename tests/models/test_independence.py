"""Tests of independence: numbers by hand, against scipy and statsmodels, and what empty cells do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import CountedTables, JointTable, counted
from dpfair_cli.models.causal_discovery.independence import G2, FisherZ, chi_squared_tail, degrees_of_freedom, g2, g_squared

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


def test_the_marginals_of_a_joint_table_are_the_counted_tables() -> None:
    data = observations()
    joint = np.zeros(LEVELS)
    np.add.at(joint, tuple(data.values.T), 1)
    for question in [(0, 1, ()), (3, 0, (2,)), (1, 2, (3, 0)), (2, 1, (0,))]:
        np.testing.assert_array_equal(JointTable(joint).table(*question), counted(data).table(*question))


def test_a_negative_count_of_a_joint_table_becomes_nothing_in_its_marginals() -> None:
    joint = np.array([[[3.0, -1.0], [-4.0, 1.0]]])
    assert JointTable(joint).table(1, 2).tolist() == [[[3, 0], [0, 1]]]
    assert JointTable(joint).table(0, 1).tolist() == [[[2, 0]]]


def test_tables_are_counted_once_for_each_set_of_variables(monkeypatch) -> None:
    tables, calls = CountedTables(observations().values, LEVELS), []
    inner = tables._counted
    monkeypatch.setattr(tables, "_counted", lambda variables: calls.append(variables) or inner(variables))
    for question in [(0, 1, (2,)), (1, 0, (2,)), (2, 0, (1,)), (2, 1, (0,))]:
        tables.table(*question)
    assert calls == [(0, 1, 2)]


def test_g_squared_of_a_two_by_two_table_by_hand() -> None:
    # 2 (3 ln(3/2) + 1 ln(1/2) + 1 ln(1/2) + 3 ln(3/2))
    assert g_squared(np.array([[[3.0, 1.0], [1.0, 3.0]]])) == pytest.approx(4 * (3 * np.log(1.5) - np.log(2)))


def test_g_squared_is_scipys_and_adds_up_over_strata() -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(1, 30, (5, 3, 4)).astype(float)
    whole = stats.chi2_contingency(table[0], correction=False, lambda_="log-likelihood")
    assert g_squared(table[:1]) == pytest.approx(whole.statistic)
    assert g_squared(table) == pytest.approx(sum(g_squared(table[k : k + 1]) for k in range(5)))
    np.testing.assert_allclose(g_squared(np.stack([table, 2 * table])), g_squared(table) * np.array([1, 2]))


def test_independent_counts_have_no_g_squared() -> None:
    assert g_squared(np.outer([1, 2, 3], [4, 5])[None].astype(float)) == pytest.approx(0, abs=1e-10)


def test_the_p_value_is_scipys() -> None:
    data = observations()
    table = counted(data).table(0, 3)[0]
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert g2(data).p_value(0, 3) == pytest.approx(expected.pvalue)
    assert g2(data).p_value(3, 0) == pytest.approx(expected.pvalue)


def test_degrees_of_freedom_of_empty_rows_columns_and_strata() -> None:
    table = np.array([[[1, 2, 0], [3, 4, 0]], [[0, 0, 0], [5, 6, 7]], [[0, 0, 0], [0, 0, 0]]], dtype=float)
    assert degrees_of_freedom(table, "full") == 3 * 1 * 2
    assert degrees_of_freedom(table, "adjusted") == 1  # (2 - 1)(2 - 1), (1 - 1)(3 - 1), nothing


def test_no_freedom_is_no_evidence() -> None:
    assert chi_squared_tail(np.array([0.0, 3.0]), np.array([0.0, 1.0])) == pytest.approx([1, stats.chi2.sf(3, 1)])


def test_too_few_records_for_the_freedom_say_independent() -> None:
    values = np.repeat([[0, 0], [1, 1]], 10, axis=0)
    tables = CountedTables(values, (2, 4))  # 3 degrees of freedom, 20 records
    assert G2(tables).p_value(0, 1) < 1e-4
    assert G2(tables, records_per_freedom=6.7).p_value(0, 1) == 1
    assert G2(tables, records_per_freedom=6.6).p_value(0, 1) < 1e-4


def test_a_level_that_never_occurs_changes_full_freedom_only() -> None:
    data = observations()
    wider = Observations(data.values, data.names, (3, *LEVELS[1:]))
    assert g2(wider, "adjusted").p_value(0, 3, (2,)) == pytest.approx(g2(data, "adjusted").p_value(0, 3, (2,)))
    assert g2(wider).p_value(0, 3) > g2(data).p_value(0, 3)


def test_many_questions_at_once_are_the_questions_one_by_one() -> None:
    test = g2(observations())
    questions = np.array([[0, 1, 2], [0, 3, 1], [2, 3, 0], [3, 0, 1]])
    fresh = G2(counted(observations()))
    np.testing.assert_array_equal(
        test.p_values(questions), [fresh.p_value(i, j, (k,)) for i, j, k in questions.tolist()]
    )


def test_an_unknown_freedom_is_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        g2(observations(), "nonsense")


def test_categories_are_asked_for() -> None:
    with pytest.raises(ValueError, match="these variables are numbers"):
        g2(Observations(np.ones((3, 2)), ("a", "b")))


def correlated(n: int = 200) -> np.ndarray:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((n, 4))
    values[:, 1] += values[:, 0]
    values[:, 2] += values[:, 1] - 0.5 * values[:, 0]
    return values


def test_a_partial_correlation_is_that_of_the_residuals() -> None:
    values = correlated()
    residuals = [values[:, k] - (x := np.c_[np.ones(200), values[:, [1, 3]]]) @ np.linalg.lstsq(x, values[:, k])[0]
                 for k in (0, 2)]  # fmt: skip
    r = np.corrcoef(*residuals)[0, 1]
    z = np.sqrt(200 - 2 - 3) * np.arctanh(r)
    test = FisherZ(np.corrcoef(values, rowvar=False), 200)
    assert test.p_value(0, 2, (1, 3)) == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert test.p_value(2, 0, (3, 1)) == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_a_correlation_of_one_half_by_hand() -> None:
    matrix = np.array([[1, 0.5], [0.5, 1]])
    z = np.sqrt(28 - 3) * 0.5 * np.log(1.5 / 0.5)
    assert FisherZ(matrix, 28).p_value(0, 1) == pytest.approx(2 * stats.norm.sf(z))


def test_too_few_records_for_fishers_z_say_independent() -> None:
    matrix = np.corrcoef(correlated(), rowvar=False)
    assert FisherZ(matrix, 5).p_value(0, 1, (2, 3)) == 1
    assert FisherZ(matrix, 6).p_value(0, 1, (2, 3)) < 1


def test_a_noisy_matrix_that_is_no_correlation_still_gives_p_values() -> None:
    matrix = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1.0]])  # not positive definite
    singular = np.array([[1, 1, 0.3], [1, 1, 0.3], [0.3, 0.3, 1.0]])
    for noisy in (matrix, singular, 5 * matrix):
        p_values = FisherZ(noisy, 100).p_values(np.array([[0, 1, 2], [0, 2, 1]]))
        assert ((p_values >= 0) & (p_values <= 1)).all()
