"""Formulas of xu2021: numbers worked by hand, simulated noise, and mistakes that must be found."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.auditing import stated_formulas as formulas
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.paths import paper_folder

CHAIN = frozenset({(0, 1), (1, 2)})
COLLIDER = frozenset({(0, 2), (1, 2)})


def test_there_are_as_many_graphs_as_robinson_counts():
    assert [sum(1 for _ in formulas._graphs(n)) for n in (1, 2, 3, 4)] == [1, 3, 25, 543]


@pytest.mark.parametrize(
    ("graph", "given", "separated"),
    [(CHAIN, (), False), (CHAIN, (1,), True), (COLLIDER, (), True), (COLLIDER, (2,), False)],
)
def test_separation_in_a_chain_and_at_a_collider(graph, given, separated):
    ends = (0, 2) if graph == CHAIN else (0, 1)
    assert formulas._separates(graph, *ends, given) == separated


def test_the_tests_of_pc_on_a_chain_by_hand():
    # order 0: six ordered pairs are dependent; order 1: (0, 1 | 2) is dependent, (0, 2 | 1)
    # independent, then (1, 0 | 2), (1, 2 | 0) are dependent; 0 and 2 have no other neighbour left
    skeleton, tests = formulas._pc(3, formulas._oracle(CHAIN))
    assert skeleton == {frozenset({0, 1}), frozenset({1, 2})}
    assert tests == 6 + 4


def test_contradicting_tests_make_selection_differ_from_pc():
    """0 is independent of 1 given 2, and of 3 given 1 alone: PC has lost 1 when it comes to 3."""
    independent = [({1, 3}, ()), ({0, 1}, (2,)), ({0, 3}, (1,))]

    def separates(i, j, given):
        return ({i, j}, given) in independent

    by_pc, by_nodes = formulas._pc(4, separates)[0], formulas._by_nodes(4, separates)[0]
    assert by_pc - by_nodes == {frozenset({0, 3})}


def test_the_printed_sum_and_its_largest_value_by_hand():
    # p = 3, l = 1: 2 * 3 * (1 + 2) = 18, and 3^2 * 2^0 / 0! = 9
    assert formulas._sum_of_tests(3, 1) == 18 > 9


@pytest.mark.parametrize("d", [1, 35, 40])
def test_noise_at_the_threshold_is_that_of_pflr_times_one_and_a_bit(d):
    fair, own, _ = formulas._sensitivities(d)
    assert formulas._noise(d, own / fair) == 1 + Fraction(1, d + 1)


def test_pflr_star_has_less_noise_in_a_range_above_the_threshold():
    for d in formulas.FEATURES.values():
        noise = [formulas._noise(d, Fraction(share, 100)) for share in (86, 93, 95)]
        assert [one < 1 for one in noise] == [True, True, False]


def test_printed_formulas_give_pflr_star_more_noise_at_one_half():
    for d in formulas.FEATURES.values():
        fair, own, _ = formulas._sensitivities(d)
        assert (own / Fraction(1, 2)) ** 2 > 2 * fair**2


def test_the_variance_of_a_coefficient_is_that_of_simulated_noise():
    """A Laplace variable around a mean with Laplace noise, for d = 35 and epsilon = 1."""
    _, own, term = map(float, formulas._sensitivities(35))
    rng = np.random.default_rng(0)
    drawn = rng.laplace(rng.laplace(0, 2 * term, 400_000), 2 * own)
    ratio, _ = formulas.variance_of_a_coefficient()
    assert drawn.var() / (2 * (2 * own) ** 2) == pytest.approx(ratio, rel=0.015)


def test_the_expected_error_is_that_of_simulated_noise():
    # gradients 9 and 1, C = 2: the sum loses 7, the noise has scale 4
    drawn = np.random.default_rng(0).laplace(7, 4, 400_000)
    error = formulas._error((9, 1), 2, Fraction(1, 2))
    assert np.abs(drawn).mean() == pytest.approx(error, rel=0.01)


def test_clipping_errors_of_both_signs_cancel():
    batch = (9, -9)
    assert formulas._error(batch, 1, Fraction(5, 2)) == pytest.approx(0.4)  # the noise alone
    assert formulas._bound(batch, 1, Fraction(5, 2)) == Fraction(2, 5) + 16


def test_relative_percentages_are_others():
    """As claim xu2021-8-pct says."""
    found = [
        float(100 * (1 - Fraction(after) / Fraction(before)))
        for before, after, _ in formulas.DROPS.values()
    ]
    assert found == pytest.approx([13.6, 21.5], abs=0.05)


def test_the_stated_t_tests_from_the_printed_numbers():
    """Welch's test, and the correlation of pairs that a test of pairs needs (claim xu2021-8-t)."""
    printed = {
        ("Adult", 0.1): (0.7491, 0.0040, 0.6172, 0.1187),
        ("Adult", 1): (0.7552, 0.0092, 0.7400, 0.0182),
        ("Dutch", 0.1): (0.6158, 0.0239, 0.5069, 0.0459),
        ("Dutch", 1): (0.6482, 0.0188, 0.6278, 0.0408),
    }
    p_values = {
        key: stats.ttest_ind_from_stats(*one[:2], 10, *one[2:], 10, equal_var=False).pvalue
        for key, one in printed.items()
    }
    assert [key for key, p in p_values.items() if p >= 0.05] == [("Dutch", 1)]
    assert p_values["Dutch", 1] == pytest.approx(0.18, abs=0.005)
    mean, s, other, t = printed["Dutch", 1]
    allowed = (mean - other) * 10**0.5 / stats.t.ppf(0.975, 9)  # deviation of the differences
    assert (s**2 + t**2 - allowed**2) / (2 * s * t) == pytest.approx(0.785, abs=0.001)
    claims = read_yaml(paper_folder("xu2021") / "claims.yaml")
    told = next(one["undecided"] for one in claims if one["id"] == "xu2021-8-t")
    assert "0.18 on Dutch" in told
    assert "0.79 or more" in told
