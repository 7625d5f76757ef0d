"""Fair score moves: noise, sensitivity and the equal distributions that they promise."""

import numpy as np
import pytest

from dpfair_cli.auditing.audit import audit
from dpfair_cli.catalog import algorithm
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.mechanisms.sensitivity.group_histogram import l1_group_histogram
from dpfair_cli.papers.xian2024.methods import (
    binned_scores,
    fair_score_moves,
    given_scores,
    quantile_averages,
)
from dpfair_cli.papers.xian2024.models.group_scores import GroupScores
from dpfair_cli.papers.xian2024.models.score_errors import ks_distance


def crowd(n=400, seed=0, groups=("a", "b")):
    """Each group has higher scores than the one before."""
    rng = np.random.default_rng(seed)
    protected = rng.integers(0, len(groups), n)
    scores = np.clip(0.6 * rng.random(n) + 0.4 * protected / (len(groups) - 1), 0, 1)
    return GroupScores(scores, scores.copy(), protected, groups, 0.0, 1.0)


def moved(data, **options):
    rng = np.random.default_rng(0)
    return fair_score_moves.fit(data, rng=rng, **options).new_scores(data, rng=rng)


def test_the_histogram_of_three_records_is_that_worked_by_hand():
    values = np.array([0.1, 0.9, 0.9])
    data = GroupScores(values, values.copy(), np.array([0, 1, 1]), ("a", "b"), 0.0, 1.0)
    with record() as tape:
        fair_score_moves.fit(data, epsilon=0.5, bins=2, rng=np.random.default_rng(0))
    (release,) = tape
    assert release.value == pytest.approx(np.array([[1 / 3, 0], [0, 2 / 3]]))
    assert (release.mechanism, release.sensitivity) == ("laplace", 2 / 3)
    assert release.scale == pytest.approx(4 / 3)


@pytest.mark.parametrize("size", [1, 2, 7, 50])
def test_no_replaced_record_changes_the_histogram_by_more_than_its_sensitivity(size):
    rng = np.random.default_rng(size)
    data = crowd(size)
    changes = []
    for left, right in data.neighbours(
        algorithm("fair_score_moves").guarantee.neighbours, count=60, rng=rng
    ):
        with record() as tape:
            for side in (left, right):
                fair_score_moves.fit(side, rng=np.random.default_rng(0))
        change = np.abs(tape[0].value - tape[1].value).sum()
        assert change <= l1_group_histogram(len(left)) * (1 + 1e-12)
        changes.append(change / l1_group_histogram(len(left)))
    assert max(changes) == pytest.approx(1)


def test_no_records_have_the_sensitivity_of_one():
    assert l1_group_histogram(0) == l1_group_histogram(1) == 2


@pytest.mark.parametrize("groups", [("a", "b"), ("a", "b", "c")])
def test_without_noise_the_moves_are_those_of_the_exact_histogram(groups):
    data = crowd(groups=groups)
    first, second = (
        fair_score_moves.fit(data, epsilon=np.inf, rng=np.random.default_rng(seed))
        for seed in (1, 2)
    )
    np.testing.assert_array_equal(first.moves, second.moves)
    places = first.bins.places(data.scores)
    after = [
        np.cumsum(first.moves[group, places[data.protected == group]].mean(axis=0))
        for group in range(len(groups))
    ]
    assert np.ptp(after, axis=0).max() < 1e-9


def test_the_budget_is_the_scale_and_the_distance_grows_with_alpha():
    data = crowd(4000)
    distances = [
        ks_distance(moved(data, epsilon=10, alpha=alpha), data.protected) for alpha in (0, 0.3)
    ]
    assert distances[0] < 0.08
    assert 0.2 < distances[1] < 0.38


def test_a_distance_of_one_moves_no_score():
    data = crowd()
    binned = binned_scores.fit(data, rng=np.random.default_rng(0))
    expected = binned.new_scores(data, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(moved(data, epsilon=np.inf, alpha=1), expected)


def test_the_audit_holds_and_reaches_the_sensitivity():
    params = algorithm("fair_score_moves").complete({"epsilon": 1.0, "bins": 4})
    found = audit("fair_score_moves", crowd(60), params=params, neighbours=40)
    assert found.problems == []
    assert found.found == pytest.approx(1)


def test_quantile_averages_make_groups_alike_and_given_scores_do_not():
    data = crowd(4000)
    rng = np.random.default_rng(0)
    fair = quantile_averages.fit(data, rng=rng).new_scores(data, rng=rng)
    given = given_scores.fit(data, rng=rng).new_scores(data, rng=rng)
    assert ks_distance(fair, data.protected) < 0.1
    assert ks_distance(given, data.protected) > 0.5


def test_quantile_averages_divide_each_group_into_halves():
    data = crowd(101)
    rule = quantile_averages.fit(data, jitter=0.0, rng=np.random.default_rng(0))
    for group, (first, second) in enumerate(zip(rule.ranking, rule.quantiles, strict=True)):
        assert 0 <= len(first) - len(second) <= 1
        known = np.sort(data.scores[data.protected == group])
        np.testing.assert_array_equal(np.sort([*first, *second]), known)
    assert rule.weights == pytest.approx(np.bincount(data.protected) / 101)
