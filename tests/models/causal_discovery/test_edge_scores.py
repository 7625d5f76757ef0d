"""Scores of edges: which conditioning set counts, and the number of edges to remove."""

from itertools import pairwise

import numpy as np
import pytest

from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.edge_scores import edge_scores, number_scores, with_jump

SETS = np.array([[2], [3]])
LEVELS = (2, 2, 2, 16)


def neighbours(seed, n=1000, levels=LEVELS):
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(0, k, n) for k in levels])
    other = values.copy()
    other[0] = [rng.integers(0, k) for k in levels]
    return [Observations(v, tuple("abcd"), levels) for v in (values, other)]


def best(observations, score):
    return edge_scores(observations, 0.01, score, 0.0).score_sets(0, 1, SETS).max()


def test_one_record_changes_the_distance_at_the_largest_p_value_by_19():
    """Both sets separate; the replaced record gives the other one the largest p-value.

    Its distance is much larger.
    """
    left, right = neighbours(216)
    assert abs(best(left, "published") - best(right, "published")) == 19
    assert abs(best(left, "certified") - best(right, "certified")) <= 1


@pytest.mark.parametrize("levels", [(2, 2, 2, 2), (2, 3, 2, 4)])
@pytest.mark.parametrize("n", [8, 60])
def test_the_best_certified_score_moves_by_at_most_one(levels, n):
    pairs = (neighbours(seed, n, levels) for seed in range(60))
    moves = [abs(best(left, "certified") - best(right, "certified")) for left, right in pairs]
    assert 0 < max(moves) <= 1 + 1e-9


def printed(d):
    """q2 of Equations 4.2 to 4.4 in cases, for integer distances d, positive for independent."""
    d = sorted(d, reverse=True)
    first = -d[0] - 1 if d[0] < 0 else -d[0]
    last = d[-1] - 1 if d[-1] > 0 else d[-1]
    return [first, *(printed_case(a, b) for a, b in pairwise(d)), last]


def printed_case(a, b):
    """The case of two neighbouring distances a >= b."""
    if a > 0 > b:
        return min(a, -b) - 1
    return -b if b > 0 else a


def test_the_number_of_three_edges_by_hand():
    # distances 3, 1, -2: two edges are independent
    assert (
        number_scores(np.array([2.5, -1.5, 0.5])).tolist() == [-3, -1, 0, -2] == printed([3, 1, -2])
    )


def test_the_single_formula_equals_the_printed_cases():
    rng = np.random.default_rng(0)
    for _ in range(300):
        d = rng.choice([-7, -3, -2, -1, 1, 2, 5], rng.integers(1, 7))
        scores = number_scores(d - np.sign(d) / 2)
        assert scores.tolist() == printed(d)
        assert np.argmax(scores) == (d > 0).sum()


def test_q2_has_sensitivity_one_where_the_distance_itself_jumps_by_two():
    """The -1 of Equations 4.2 to 4.4 repairs Equation 4.1, and Corollary 2 holds."""
    rng = np.random.default_rng(1)
    largest_number, largest_score = 0.0, 0.0
    for _ in range(3000):
        scores = rng.choice([-2.5, -1.5, -0.5, 0.5, 1.5], 5)
        change = rng.integers(-1, 2, 5)  # the effect of one record on five scores
        other = np.clip(scores + change, -3.5, 3.5)
        change_of_number = np.abs(number_scores(scores) - number_scores(other)).max()
        largest_number = max(largest_number, change_of_number)
        largest_score = max(largest_score, np.abs(with_jump(scores) - with_jump(other)).max())
    assert (largest_number, largest_score) == (1, 2)


def test_without_freedom_or_with_few_records_the_verdict_is_independent():
    values = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 0]])
    constant = Observations(values, tuple("abc"), (2, 2, 1))
    no_set = np.zeros((1, 0), dtype=int)
    assert edge_scores(constant, 0.01, "certified", 0.0).score_sets(0, 2, no_set).tolist() == [2.5]
    assert edge_scores(constant, 0.01, "certified", 10.0).score_sets(0, 1, no_set).tolist() == [2.5]
